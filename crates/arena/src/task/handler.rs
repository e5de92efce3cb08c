//! Who plays the games of others.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

use mendel_crew::{Blobs, Handler, Job, Progress, Refusal};

use super::{Answer, Block, GameTask, HouseRules, KIND, Line, TaskGame, TaskPair, VERSION};
use crate::seats::{self, Seats};
use crate::{Bouts, Entrant, Fixture, GameRecord, Kind, Pair, PairOutcome, pgn};

/// Plays the games of a task as they would be played at home.
#[derive(Clone, Debug)]
pub struct GameHandler {
    rules: Arc<HouseRules>,
}

impl GameHandler {
    /// Plays under these rules.
    pub fn new(rules: Arc<HouseRules>) -> Self {
        Self { rules }
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
        let answer = table.play(&task.games, progress)?;
        Ok(serde_json::to_vec(&answer).expect("an answer is plain data"))
    }
}

/// Everybody who plays in a task, and what for.
struct Table {
    bouts: Bouts,
    seats: Seats,
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
        let mut table = Self {
            bouts: Bouts {
                entrants: rules.admit(&task.entrants, blobs)?,
                openings,
                pace: task.pace,
                patience: task.patience,
                adjudication: task.adjudication.clone(),
            },
            seats: Seats::default(),
        };
        table.seat_all()?;
        Ok(table)
    }

    /// Who cannot take its seat here must not lose for it: somebody else may have the
    /// program that this machine has not.
    fn seat_all(&mut self) -> Result<(), Refusal> {
        for (place, entrant) in self.bouts.entrants.iter().enumerate() {
            let seated = seats::seat(entrant, self.bouts.pace);
            let contestant = seated.map_err(|error| refusal(entrant, error.to_string()))?;
            self.seats.keep(place, contestant);
        }
        Ok(())
    }

    fn play(mut self, games: &Block, progress: &Progress) -> Result<Answer, Refusal> {
        let stop = progress.signal();
        match games {
            Block::Pairs(pairs) => pairs
                .iter()
                .map(|pair| self.pair(pair, &stop, progress))
                .collect::<Result<_, _>>()
                .map(Answer::Pairs),
            Block::Games(games) => games
                .iter()
                .map(|game| self.game(game, &stop, progress))
                .collect::<Result<_, _>>()
                .map(Answer::Games),
        }
    }

    fn pair(
        &mut self,
        pair: &TaskPair,
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
            .play_pair(&pair, setting, &mut self.seats, &|| progress.made());
        played.ok_or(Refusal::Stopped)
    }

    fn game(
        &mut self,
        game: &TaskGame,
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
        let played = self.seats.play(&self.bouts.entrants, players, &setting);
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

fn refusal(entrant: &Entrant, reason: String) -> Refusal {
    match entrant.kind {
        Kind::Bred(_) => Refusal::Bad(reason),
        Kind::Program { .. } => Refusal::Cannot(reason),
    }
}
