//! Games are played, and positions drawn from them.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mendel_arena::{
    Adjudication, Contestant, DrawRule, Entrant, GameSetting, Kind as EntrantKind, LengthRule,
    Opening, OpeningSetting, Openings, Pace, Patience, ResignRule, SeatError, Verdict, play,
};
use mendel_board::{Game, Position, pgn};
use mendel_crew::{
    CompletedOutput, Done, Flow, HandlerError, JobProgress, Mapped, Site, Task, TaskFailure,
};
use mendel_engine::Player;
use mendel_evaluator::AnyEvaluator;
use mendel_store::frame::{Failure, Frame, OrInvalid as _};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::lines::{GAMES, GameLine, SYNC};
use super::{DataOptions, DataPlan, Kind, sample, work_error};
use crate::error::PLAYER_HINT;
use crate::{DataError, MakeError, Reader, Sample, mix, result_for};

/// Games in a row without a new position after which no more are expected.
const IN_VAIN: u64 = 1000;

/// A game of this many plies is a draw.
const MAX_PLIES: u32 = 400;

/// The random numbers of one game: the same for the same seed and number.
pub(super) fn chance(seed: u64, game: u64, purpose: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(mix(mix(mix(seed) ^ game) ^ purpose))
}

pub(super) fn play_games(
    plan: &DataPlan,
    options: &DataOptions,
    frame: &Frame,
) -> Result<Vec<Sample>, Failure> {
    // 1. What there is already.
    let (mut journal, found) = frame.journal_where::<GameLine>(GAMES, SYNC, |_| true)?;
    let mut harvest = Harvest::new(plan);
    let mut known: HashSet<u64> = HashSet::new();
    for line in found {
        known.insert(line.game);
        harvest.add(line)?;
    }
    let show = |harvest: &Harvest| {
        let done = harvest.samples.len() as u64;
        frame
            .events()
            .progress("positions", done, Some(plan.positions));
    };
    show(&harvest);
    if harvest.is_full() {
        return Ok(harvest.samples);
    }

    // 2. The rest, which is endless: the positions decide when it is enough.
    let task = SelfPlayTask::new(plan)?;
    let missing = (0..).filter(|game| !known.contains(game));
    let crew = options.crew.local();
    let mapped = crew.map(&task, missing, frame.stop(), &mut |_, line| {
        if let Done::Output(line) = line
            && !harvest.is_full()
        {
            journal.append(&line)?;
            harvest.add(line)?;
            show(&harvest);
        }
        Ok::<_, Failure>(if harvest.is_full() {
            Flow::Stop
        } else {
            Flow::Continue
        })
    });
    let mapped = mapped.map_err(|error| work_error(error, task.failure.take()))?;
    journal.flush()?;
    if mapped == Mapped::Stopped {
        return Err(Failure::Stopped);
    }
    Ok(harvest.samples)
}

/// Positions of another set.
pub(super) fn read_positions(plan: &DataPlan, from: &Path) -> Result<Vec<Sample>, Failure> {
    let reader = Reader::find(&from.display().to_string())?;
    let samples: Result<Vec<Sample>, DataError> = reader.take(plan.positions as usize).collect();
    Ok(samples?)
}

/// Puts games into their order and their new positions into the set.
struct Harvest<'a> {
    plan: &'a DataPlan,
    /// Games that came before their turn.
    waiting: BTreeMap<u64, GameLine>,
    next: u64,
    /// Keys of all positions so far.
    seen: HashSet<u64>,
    /// Games since the last new position.
    in_vain: u64,
    samples: Vec<Sample>,
}

impl<'a> Harvest<'a> {
    fn new(plan: &'a DataPlan) -> Self {
        Self {
            plan,
            waiting: BTreeMap::new(),
            next: 0,
            seen: HashSet::new(),
            in_vain: 0,
            samples: Vec::new(),
        }
    }

    fn is_full(&self) -> bool {
        self.samples.len() as u64 >= self.plan.positions
    }

    fn add(&mut self, line: GameLine) -> Result<(), Failure> {
        self.waiting.insert(line.game, line);
        while !self.is_full()
            && let Some(line) = self.waiting.remove(&self.next)
        {
            self.next += 1;
            let before = self.samples.len();
            self.take(&line)?;
            self.in_vain = if self.samples.len() > before {
                0
            } else {
                self.in_vain + 1
            };
            if self.in_vain >= IN_VAIN {
                let error = MakeError::Exhausted {
                    games: IN_VAIN,
                    found: self.samples.len() as u64,
                };
                return Err(error.into_invalid());
            }
        }
        Ok(())
    }

    fn take(&mut self, line: &GameLine) -> Result<(), Failure> {
        let broken = |words: String| MakeError::Game {
            game: line.game,
            words: format!("its line in the journal is wrong: {words}"),
        };
        for drawn in &line.drawn {
            if self.is_full() {
                break;
            }
            let position =
                Position::from_fen(&drawn.fen).map_err(|error| broken(error.to_string()))?;
            if !self.seen.insert(position.key()) {
                continue;
            }
            let best = drawn.best.as_deref().map(|text| position.parse_uci(text));
            self.samples.push(Sample {
                context: None,
                game: line.game as u32,
                score: drawn.score,
                best: best
                    .transpose()
                    .map_err(|error| broken(error.to_string()))?,
                result: result_for(pgn_result(&line.result), position.turn()),
                position,
            });
        }
        Ok(())
    }
}

fn pgn_result(text: &str) -> pgn::GameResult {
    pgn::GameResult::from_pgn(text).unwrap_or_default()
}

/// Plays the games of a data set, by their numbers. It is not portable yet.
struct SelfPlayTask<'a> {
    plan: &'a DataPlan,
    entrant: Entrant,
    evaluator: AnyEvaluator,
    openings: Openings,
    setting: GameSetting,
    failure: TaskFailure<Failure>,
}

/// The players of a game.
type PlayerPair = [Box<dyn Contestant>; 2];

impl<'a> SelfPlayTask<'a> {
    fn new(plan: &'a DataPlan) -> Result<Self, Failure> {
        let (mut entrant, player) = plan.find_player()?;
        // A small table is emptied quickly before each game.
        let hash = "Hash";
        if !entrant.options.iter().any(|(name, _)| name == hash) {
            entrant.options.push((hash.to_owned(), "1".to_owned()));
        }
        let pace = Pace {
            nodes: Some(plan.nodes),
            ..Pace::default()
        };
        Ok(Self {
            plan,
            entrant,
            evaluator: player.evaluator,
            openings: Openings::own(&OpeningSetting::default()),
            setting: GameSetting {
                white: pace,
                black: pace,
                // A busy machine must not decide a game.
                patience: Patience {
                    untimed: Duration::from_mins(10),
                    ..Patience::default()
                },
                adjudication: Adjudication {
                    draw: Some(DrawRule {
                        from_move: 40,
                        moves: 8,
                        score: 5,
                    }),
                    resign: Some(ResignRule {
                        moves: 4,
                        score: 1000,
                        two_sided: true,
                    }),
                    length: Some(LengthRule {
                        plies: MAX_PLIES,
                        verdict: Verdict::Draw,
                    }),
                    ..Adjudication::default()
                },
                ..GameSetting::default()
            },
            failure: TaskFailure::default(),
        })
    }

    /// Plays one game; `None` if it was halted.
    fn play(
        &self,
        [white, black]: &mut PlayerPair,
        game: u64,
        halt: &Arc<AtomicBool>,
    ) -> Result<Option<GameLine>, Failure> {
        let setting = GameSetting {
            opening: self.opening(game),
            stop: Arc::clone(halt),
            ..self.setting.clone()
        };
        let Some(played) = play(white.as_mut(), black.as_mut(), &setting) else {
            return Ok(None);
        };
        if played.ending.reason.is_fault() {
            return Err(Failure::failed(MakeError::Game {
                game,
                words: played.ending.words,
            }));
        }
        Ok(Some(GameLine {
            game,
            // A position after a random move has no part in the game's result.
            result: if self.plan.stray {
                "*".to_owned()
            } else {
                played.ending.result().to_owned()
            },
            drawn: sample::from_game(self.plan, &self.evaluator, game, &played),
        }))
    }

    /// A line of our book and some random moves behind it.
    fn opening(&self, game: u64) -> Opening {
        let mut chance = chance(self.plan.seed, game, 1);
        let line = chance.random_range(0..self.openings.len() as u64);
        let mut start: Game = self.openings.get(line).game();
        for _ in 0..chance.random_range(0..=self.plan.random_plies) {
            let moves = start.position().legal_moves();
            let m = moves[chance.random_range(0..moves.len())];
            start.play(m).expect("it is one of the legal moves");
            if start.outcome().is_some() {
                start.undo();
                break;
            }
        }
        Opening::new(start)
    }
}

impl Task for SelfPlayTask<'_> {
    const KIND: &'static str = "self-play";
    const VERSION: u32 = 1;
    type Item = u64;
    type Output = GameLine;
    type TaskState = PlayerPair;

    fn item_id(&self, game: &u64) -> u64 {
        *game
    }

    fn new_state(&self, _: Site) -> Result<PlayerPair, HandlerError> {
        let start = || Ok([self.entrant.seat()?, self.entrant.seat()?]);
        start().map_err(|error: SeatError| self.failure.record(error.into()))
    }

    fn run(
        &self,
        players: &mut PlayerPair,
        game: &u64,
        progress: &JobProgress,
    ) -> Result<CompletedOutput<GameLine>, HandlerError> {
        let played = self.play(players, *game, &progress.stop_flag());
        let line = played.map_err(|error| self.failure.record(error))?;
        progress.complete(line.ok_or(HandlerError::Stopped)?)
    }

    fn accept(&self, _: &u64, line: GameLine) -> Result<GameLine, String> {
        Ok(line)
    }
}

impl DataPlan {
    fn find_player(&self) -> Result<(Entrant, Player), Failure> {
        let entrant = Entrant::parse(&self.player).or_invalid_with(PLAYER_HINT)?;
        if let EntrantKind::Bred(player) = &entrant.kind {
            let player = Player::clone(player);
            return Ok((entrant, player));
        }
        let reason = format!(
            "`{}` is another program; the games are played by a built-in player or a player file",
            self.player
        );
        Err(MakeError::Plan { reason }.into_invalid())
    }

    /// Whether the player is one of ours and has the evaluator that decides what is quiet.
    pub(super) fn check_player(&self) -> Result<(), Failure> {
        if self.from.is_some() {
            return Ok(());
        }
        let (_, player) = self.find_player()?;
        if self.only_quiet || self.stray {
            player.used_evaluator().or_invalid_with(
                "name a player with an evaluator (`mendel players` lists them); games need none with `--only-quiet false`",
            )?;
        }
        Ok(())
    }

    /// Whether a position may be in the set at all.
    pub(super) fn admits(&self, evaluator: &AnyEvaluator, position: &Position) -> bool {
        let has_label = if self.kind == Kind::Moves {
            // A best move needs a choice.
            position.legal_moves().len() > 1
        } else {
            // In check there is no static score.
            !position.is_check()
        };
        has_label && (!self.only_quiet || crate::is_quiet(evaluator, position))
    }
}
