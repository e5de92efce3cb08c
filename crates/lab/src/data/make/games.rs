//! Games are played, and positions drawn from them.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mendel_arena::{
    Adjudication, Contestant, DrawRule, Entrant, GameSetting, Kind as EntrantKind, LengthRule,
    Opening, OpeningSetting, Openings, Pace, Patience, ResignRule, Verdict, play,
};
use mendel_board::pgn;
use mendel_board::{Color, Game, Position};
use mendel_evaluator::AnyEvaluator;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::work::{GameLine, Work};
use super::{Kind, MakeError, Means, Plan, Progress, Stage, draw, pool};
use crate::data::{DataError, GameResult, Reader, Sample, mix};

/// So many games in a row without a new position mean that there are no more.
const IN_VAIN: u64 = 1000;

/// A game that nobody wins in so many half-moves is a draw.
const LONGEST: u32 = 400;

/// What is left to chance in one game: the same for the same seed and number.
pub(super) fn chance(seed: u64, game: u64, purpose: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(mix(mix(mix(seed) ^ game) ^ purpose))
}

/// Positions of games that are played now, or were before the work was stopped.
pub(super) fn played(
    plan: &Plan,
    means: &Means,
    work: &mut Work,
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<Sample>, MakeError> {
    // 1. What there is already.
    let mut harvest = Harvest::new(plan);
    let mut known: HashSet<u64> = HashSet::new();
    for line in std::mem::take(&mut work.earlier_games) {
        known.insert(line.game);
        harvest.add(line)?;
    }
    let mut tell = |harvest: &Harvest| {
        progress(Progress {
            stage: Stage::Games,
            done: harvest.samples.len() as u64,
            total: plan.positions,
            games: harvest.next,
        });
    };
    tell(&harvest);
    if harvest.is_full() {
        return Ok(harvest.samples);
    }

    // 2. The rest.
    let table = Table::new(plan)?;
    pool::run(
        means,
        (0..).filter(|game| !known.contains(game)),
        || table.seats(),
        |seats, game, halt| table.play(seats, game, halt),
        |_, line| {
            work.games.append(&line)?;
            harvest.add(line)?;
            tell(&harvest);
            Ok(if harvest.is_full() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        },
    )?;
    work.games.flush()?;
    Ok(harvest.samples)
}

/// Positions of another set.
pub(super) fn taken(plan: &Plan, from: &Path) -> Result<Vec<Sample>, MakeError> {
    let reader = Reader::find(&from.display().to_string())?;
    let samples: Result<Vec<Sample>, DataError> = reader.take(plan.positions as usize).collect();
    Ok(samples?)
}

/// Puts games into their order and their new positions into the set.
struct Harvest<'a> {
    plan: &'a Plan,
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
    fn new(plan: &'a Plan) -> Self {
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

    fn add(&mut self, line: GameLine) -> Result<(), MakeError> {
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
                return Err(MakeError::Exhausted {
                    games: IN_VAIN,
                    found: self.samples.len() as u64,
                });
            }
        }
        Ok(())
    }

    fn take(&mut self, line: &GameLine) -> Result<(), MakeError> {
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

/// The result of a game as `turn` sees it.
pub(in crate::data) fn result_for(result: pgn::GameResult, turn: Color) -> Option<GameResult> {
    let winner = match result {
        pgn::GameResult::Unknown => return None,
        pgn::GameResult::Draw => return Some(GameResult::Draw),
        pgn::GameResult::WhiteWins => Color::White,
        pgn::GameResult::BlackWins => Color::Black,
    };
    Some(if winner == turn {
        GameResult::Win
    } else {
        GameResult::Loss
    })
}

/// What all games share.
struct Table<'a> {
    plan: &'a Plan,
    entrant: Entrant,
    evaluator: AnyEvaluator,
    openings: Openings,
    setting: GameSetting,
}

type Seats = [Box<dyn Contestant>; 2];

impl<'a> Table<'a> {
    fn new(plan: &'a Plan) -> Result<Self, MakeError> {
        let mut entrant = Entrant::parse(&plan.player)?;
        let EntrantKind::Bred(player) = &entrant.kind else {
            return Err(MakeError::Plan {
                reason: format!(
                    "`{}` is another program; the games are played by a built-in player or a player file",
                    plan.player
                ),
            });
        };
        let evaluator = player.evaluator.clone();
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
            evaluator,
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
                        plies: LONGEST,
                        verdict: Verdict::Draw,
                    }),
                    ..Adjudication::default()
                },
                ..GameSetting::default()
            },
        })
    }

    fn seats(&self) -> Result<Seats, MakeError> {
        Ok([self.entrant.seat()?, self.entrant.seat()?])
    }

    /// Plays one game; `None` if it was halted.
    fn play(
        &self,
        [white, black]: &mut Seats,
        game: u64,
        halt: &Arc<AtomicBool>,
    ) -> Result<Option<GameLine>, MakeError> {
        let setting = GameSetting {
            opening: self.opening(game),
            stop: Arc::clone(halt),
            ..self.setting.clone()
        };
        let Some(played) = play(white.as_mut(), black.as_mut(), &setting) else {
            return Ok(None);
        };
        if played.ending.reason.is_fault() {
            return Err(MakeError::Game {
                game,
                words: played.ending.words,
            });
        }
        Ok(Some(GameLine {
            game,
            // Who left the game by a random move has no part in its result.
            result: if self.plan.stray {
                "*".to_owned()
            } else {
                played.ending.result().to_owned()
            },
            drawn: draw::from_game(self.plan, &self.evaluator, game, &played),
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

impl Plan {
    /// Whether a position may be in the set at all.
    pub(super) fn admits(&self, evaluator: &AnyEvaluator, position: &Position) -> bool {
        if self.kind == Kind::Moves {
            // Where there is no choice there is no best move.
            return position.legal_moves().len() > 1
                && (!self.only_quiet || crate::data::is_quiet(evaluator, position));
        }
        // In check there is no static score.
        !position.is_check() && (!self.only_quiet || crate::data::is_quiet(evaluator, position))
    }
}
