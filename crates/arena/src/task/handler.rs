//! Who plays the games of others.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

use mendel_crew::{Blobs, Handler, Job, Progress, Refusal};

use super::{Answer, Block, GameTask, HouseRules, Idle, KIND, Line, TaskGame, TaskPair, VERSION};
use crate::seats::{self, Seats};
use crate::{Bouts, Entrant, Fault, Fixture, GameRecord, Kind, Pair, PairOutcome, SeatError, pgn};

/// Plays the games of a task as they would be played at home.
#[derive(Clone, Debug)]
pub struct GameHandler {
    rules: Arc<HouseRules>,
    /// Players in their seats, for jobs with the same players.
    idle: Idle<Seats>,
}

impl GameHandler {
    /// Plays under these rules.
    pub fn new(rules: Arc<HouseRules>) -> Self {
        Self {
            rules,
            idle: Idle::default(),
        }
    }
}

impl Handler for GameHandler {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn version(&self) -> u32 {
        VERSION
    }

    fn work(&self, job: &Job, blobs: &dyn Blobs, progress: &Progress) -> Result<Vec<u8>, Refusal> {
        let task: GameTask = serde_json::from_slice(&job.payload)
            .map_err(|error| Refusal::Bad(format!("it is no task of games: {error}")))?;
        let table = Table::new(&task, &self.rules, blobs)?;
        let players = serde_json::to_string(&(&task.entrants, task.pace));
        let players = players.expect("players are plain data");
        let play = |seats: &mut Seats| {
            let answer = table.play(&task.games, seats, progress)?;
            // Who failed sits down anew, or leaves the next job to others.
            let as_new = !answer.has_fault();
            Ok((answer, as_new))
        };
        let answer = self.idle.with(&players, || table.seats(), play)?;
        Ok(serde_json::to_vec(&answer).expect("an answer is plain data"))
    }
}

/// Everybody who plays in a task, and what for.
struct Table {
    bouts: Bouts,
}

impl Table {
    fn new(task: &GameTask, rules: &HouseRules, blobs: &dyn Blobs) -> Result<Self, Refusal> {
        if task.adjudication.syzygy.is_some() {
            return Err(Refusal::Bad("it names a folder with tables".to_owned()));
        }
        let lines = task.openings.iter();
        let openings = lines
            .map(Line::opening)
            .collect::<Result<_, _>>()
            .map_err(|reason| Refusal::Bad(format!("an opening: {reason}")))?;
        Ok(Self {
            bouts: Bouts {
                entrants: rules.admit(&task.entrants, blobs)?,
                openings,
                pace: task.pace,
                patience: task.patience,
                adjudication: task.adjudication.clone(),
            },
        })
    }

    /// Who cannot take its seat here must not lose for it: somebody else may have the
    /// program that this machine has not, or the memory for its tables.
    fn seats(&self) -> Result<Seats, Refusal> {
        let mut seats = Seats::default();
        for (place, entrant) in self.bouts.entrants.iter().enumerate() {
            let seated = seats::seat(entrant, self.bouts.pace);
            let contestant = seated.map_err(|error| refusal(entrant, &error))?;
            seats.keep(place, contestant);
        }
        Ok(seats)
    }

    fn play(
        &self,
        games: &Block,
        seats: &mut Seats,
        progress: &Progress,
    ) -> Result<Answer, Refusal> {
        let stop = progress.signal();
        match games {
            Block::Pairs(pairs) => pairs
                .iter()
                .map(|pair| self.pair(pair, seats, &stop, progress))
                .collect::<Result<_, _>>()
                .map(Answer::Pairs),
            Block::Games(games) => games
                .iter()
                .map(|game| self.game(game, seats, &stop, progress))
                .collect::<Result<_, _>>()
                .map(Answer::Games),
        }
    }

    fn pair(
        &self,
        pair: &TaskPair,
        seats: &mut Seats,
        stop: &Arc<AtomicBool>,
        progress: &Progress,
    ) -> Result<PairOutcome, Refusal> {
        let pair = self.check(Pair {
            id: pair.id,
            first: pair.first,
            second: pair.second,
            opening: pair.opening,
            only: pair.only,
        })?;
        let setting = self.bouts.setting(&pair, None, stop);
        let played = self
            .bouts
            .play_pair(&pair, setting, seats, &|| progress.made());
        played.ok_or(Refusal::Stopped)
    }

    fn game(
        &self,
        game: &TaskGame,
        seats: &mut Seats,
        stop: &Arc<AtomicBool>,
        progress: &Progress,
    ) -> Result<GameRecord, Refusal> {
        let pair = self.check(Pair {
            id: game.pair,
            first: game.white,
            second: game.black,
            opening: game.opening,
            only: None,
        })?;
        let setting = self.bouts.setting(&pair, None, stop);
        let date = pgn::date(SystemTime::now());
        let players = (game.white, game.black);
        let played = seats.play(&self.bouts.entrants, players, &setting);
        let played = played.ok_or(Refusal::Stopped)?;
        progress.made();
        let fixture = Fixture {
            game: game.game,
            pair: game.pair,
            white: game.white,
            black: game.black,
            opening: game.opening as u64,
        };
        Ok(played.record(fixture, date))
    }

    /// A pair of players and an opening that are there.
    fn check(&self, pair: Pair) -> Result<Pair, Refusal> {
        let there = pair.first.max(pair.second) < self.bouts.entrants.len()
            && pair.opening < self.bouts.openings.len()
            && pair.only.is_none_or(|only| only < 2);
        if there {
            Ok(pair)
        } else {
            Err(Refusal::Bad(format!("there is no such game: {pair:?}")))
        }
    }
}

/// Our own players take the same options on every machine; all else may be otherwise on
/// another one: which programs there are, how much memory.
fn refusal(entrant: &Entrant, error: &SeatError) -> Refusal {
    let reason = error.to_string();
    match (&entrant.kind, &error.fault) {
        (Kind::Bred(_), Fault::Refused { .. }) => Refusal::Bad(reason),
        _ => Refusal::Cannot(reason),
    }
}
