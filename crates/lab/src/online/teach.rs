//! Games against another player, one after the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mendel_arena::{
    Adjudication, Bouts, ContestError, EndReason, Entrant, EntrantError, LengthRule,
    OpeningSetting, Openings, Pace, Pair, PairOutcome, Patience, Plan, Verdict,
};
use mendel_evolve::generation_seed;
use mendel_store::LockError;

use super::event::{Against, Event, Scored};
use super::learning::{Finished, Learning, LearningError};

/// Who is met, how often and how deep both think.
#[derive(Clone, Debug)]
pub struct Course {
    /// The opponent, as on the command line.
    pub opponent: String,
    /// It ends when so many games were played here against this opponent.
    pub games: u64,
    /// Plies that the sets think, and the opponent unless it has a pace of its own.
    pub depth: u32,
    /// A game of so many half-moves is drawn.
    pub max_plies: u32,
    /// What chance begins from.
    pub seed: u64,
    /// Whether others may be at the population while a game is played.
    pub shares_folder: bool,
    /// Set to stop between two games.
    pub stop: Arc<AtomicBool>,
}

impl Course {
    /// The usual course against an opponent: two plies, drawn after 200 half-moves.
    pub fn new(opponent: &str, games: u64, seed: u64) -> Self {
        Self {
            opponent: opponent.to_owned(),
            games,
            depth: DEPTH,
            max_plies: 200,
            seed,
            shares_folder: false,
            stop: Arc::default(),
        }
    }
}

/// Plies that CWU-Chess thinks.
pub const DEPTH: u32 = 2;

/// Why a course cannot go on. What was played is kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TeachError {
    /// The opponent is nobody.
    #[error(transparent)]
    Opponent(#[from] Box<EntrantError>),
    /// The opponent cannot play.
    #[error(transparent)]
    Contest(#[from] Box<ContestError>),
    /// The population cannot be kept.
    #[error(transparent)]
    Learning(#[from] LearningError),
    /// Somebody else is at the folder after a game, and stays.
    #[error("{0}; every game is kept, and the same command goes on")]
    Taken(LockError),
    /// The opponent misbehaves in game after game.
    #[error(
        "`{who}` misbehaved in {count} games, the last time by {last:?}; mend it or name another opponent, then go on with the same command"
    )]
    Faults {
        /// Who.
        who: String,
        /// How often.
        count: u64,
        /// What it did last.
        last: EndReason,
    },
}

/// Plays games until this folder has as many against the opponent as the course asks
/// for; games of others, and against others, do not count. Each is on the disk before the
/// next begins, and `watch` is told. `false` if it was stopped.
///
/// Game after game chance depends on the seed and on how many of the course were played,
/// so that one that was killed goes on as if it had not been.
///
/// # Errors
///
/// If the opponent cannot play, or the disk refuses.
pub fn teach(
    learning: &mut Learning,
    course: &Course,
    watch: &mut dyn FnMut(&mut Learning, &Event),
) -> Result<bool, TeachError> {
    let opponent = Entrant::parse(&course.opponent).map_err(Box::new)?;
    let openings = Openings::own(&OpeningSetting::default());
    let mut bouts = Bouts {
        entrants: vec![opponent.clone(), opponent],
        openings: Vec::new(),
        pace: Pace {
            depth: Some(course.depth),
            ..Pace::default()
        },
        patience: Patience::default(),
        adjudication: Adjudication {
            length: Some(LengthRule {
                plies: course.max_plies,
                verdict: Verdict::Draw,
            }),
            ..Adjudication::default()
        },
    };
    bouts.check().map_err(Box::new)?;
    let mut faults = 0;
    loop {
        let number = learning.played_against(&course.opponent).count() as u64;
        if number >= course.games {
            return Ok(true);
        }
        if course.stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        // 1. Who plays, with which colour, from where.
        let seed = generation_seed(course.seed, number as u32);
        let set = learning.choose(seed);
        let player = learning.player(&set)?;
        bouts.entrants[0] = Entrant::bred(SET, Arc::new(player), Vec::new());
        bouts.openings = vec![openings.get(seed % openings.len() as u64)];
        let white = number.is_multiple_of(2);
        let pair = Pair {
            id: 0,
            first: 0,
            second: 1,
            opening: 0,
            only: Some(usize::from(!white)),
        };

        // 2. The game.
        let spool = learning.spool();
        if course.shares_folder {
            learning.rest();
        }
        let mut came: Option<PairOutcome> = None;
        let kept = bouts.play(&[pair], 1, &course.stop, &mut |outcome| {
            came = Some(outcome);
            Ok::<(), std::convert::Infallible>(())
        });
        kept.unwrap_or_else(|never| match never {});
        let Some(game) = came.map(|it| it.games[usize::from(!white)]) else {
            wake(learning)?;
            return Ok(false);
        };
        if game.reason.is_fault() {
            // A win that somebody's breakdown gave says nothing.
            faults += 1;
            if faults > Plan::MOST_FAULTS {
                return Err(TeachError::Faults {
                    who: bouts.entrants[1].name.clone(),
                    count: faults,
                    last: game.reason,
                });
            }
            wake(learning)?;
            continue;
        }

        // 3. It is counted, if not here then by whoever opens the folder next.
        let finished = Finished {
            set,
            opponent: course.opponent.clone(),
            against: Against::Program,
            white,
            plies: game.plies,
            result: match game.points {
                1.. => Scored::Won,
                0 => Scored::Drawn,
                _ => Scored::Lost,
            },
        };
        let event = match wake(learning) {
            Err(taken @ TeachError::Taken(_)) => {
                let unique = format!("{} {seed} {number} {}", course.opponent, std::process::id());
                spool.keep(finished, &unique)?;
                return Err(taken);
            }
            awake => awake.and_then(|()| Ok(learning.tell(finished)?))?,
        };
        watch(learning, &event);
    }
}

/// Takes the folder again after a game.
fn wake(learning: &mut Learning) -> Result<(), TeachError> {
    learning.wake().map_err(|error| match error {
        LearningError::Lock(taken @ LockError::Taken { .. }) => TeachError::Taken(taken),
        other => other.into(),
    })
}

/// What a set is called in a game.
const SET: &str = "set";
