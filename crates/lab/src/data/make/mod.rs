//! Data sets from our own games.
//!
//! Games are played in this process at fixed nodes, positions are drawn from them,
//! and an expert labels them. Every finished game and every label is in a journal
//! before it counts, so that work that was killed goes on where it stood; and
//! everything left to chance follows from the seed and the number of the game, so
//! that the file is the same however many threads there were and however often it
//! was killed.

mod draw;
mod expert;
mod games;
mod labels;
mod plan;
mod pool;
mod task;
mod work;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mendel_arena::{AwayError, EntrantError, Fault, SeatError, Workers};
use mendel_store::{JournalError, LockError, ReplaceError};

use super::{Collector, DataError, Header, Kind};
use expert::Consultant;
use work::Work;

pub use expert::{Ask, Evaluation, ExpertPlan};
pub(super) use games::result_for;
pub use plan::Plan;
pub use task::LabelHandler;

/// Why a set was not made. What was finished is kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MakeError {
    /// The plan makes no sense.
    #[error("{reason}")]
    Plan {
        /// What is wrong and what to do.
        reason: String,
    },
    /// Something of that name is there already.
    #[error("`{}` exists already; choose another name or remove it", path.display())]
    Taken {
        /// The file.
        path: PathBuf,
    },
    /// Unfinished work is there.
    #[error(
        "`{}` holds unfinished work; `--resume` goes on with it, or remove the folder", path.display()
    )]
    Unfinished {
        /// The folder.
        path: PathBuf,
    },
    /// The unfinished work has another plan.
    #[error(
        "`{}` was begun with another plan: {what} was {before} and is {now}; give the same command, or remove the folder",
        path.display()
    )]
    OtherPlan {
        /// The folder.
        path: PathBuf,
        /// What differs.
        what: String,
        /// Its value then.
        before: String,
        /// Its value now.
        now: String,
    },
    /// The player or the expert does not exist.
    #[error(transparent)]
    Entrant(#[from] EntrantError),
    /// The player or the expert does not start.
    #[error(transparent)]
    Seat(#[from] SeatError),
    /// The expert does not give what was asked for.
    #[error("the expert `{expert}` says nothing of a {what} when asked for `eval`; {hint}")]
    Mute {
        /// Who.
        expert: String,
        /// What was asked for.
        what: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// The expert fails again and again.
    #[error(
        "the expert `{expert}` failed {times} times, the last time on `{fen}`: it {fault}{}",
        spoken(last_words)
    )]
    Expert {
        /// Who.
        expert: String,
        /// How often.
        times: u32,
        /// On what.
        fen: String,
        /// The last failure.
        fault: Fault,
        /// The last lines that went to and fro.
        last_words: Vec<String>,
    },
    /// A game cannot be played to its end.
    #[error("game {game} cannot be played: {words}")]
    Game {
        /// Its number.
        game: u64,
        /// Why.
        words: String,
    },
    /// The games repeat themselves.
    #[error(
        "the last {games} games gave no new position, {found} were found; ask for fewer, or for more random plies"
    )]
    Exhausted {
        /// So many games in vain.
        games: u64,
        /// What was found before.
        found: u64,
    },
    /// The folder of the work cannot be made, read or removed.
    #[error("the folder of the work `{}`: {source}", path.display())]
    Folder {
        /// The folder or a file in it.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Somebody else works there.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The plan cannot be written.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// The positions to start from cannot be read, or the file not written.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The crew cannot label.
    #[error(transparent)]
    Away(#[from] AwayError),
    /// Somebody asked to stop.
    #[error("stopped; what was finished is kept, and `--resume` goes on with it")]
    Stopped,
}

fn spoken(last_words: &[String]) -> String {
    let last = &last_words[last_words.len().saturating_sub(6)..];
    last.iter().flat_map(|line| ["\n  ", line]).collect()
}

/// How far the work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// Positions that are through this stage.
    pub done: u64,
    /// Positions wanted.
    pub total: u64,
    /// Games played so far.
    pub games: u64,
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Games are played and positions drawn.
    Games,
    /// The expert labels.
    Labels,
}

/// How the work is done, which does not change its result.
#[derive(Clone, Debug)]
pub struct Means {
    /// Games or labels at once.
    pub threads: usize,
    /// Who labels, where it is not these threads.
    pub crew: Option<Workers>,
    /// Go on with unfinished work, if there is some.
    pub resume: bool,
    /// When it becomes true the work stops soon and can go on later.
    pub stop: Arc<AtomicBool>,
}

/// What was made.
#[derive(Clone, Debug)]
pub struct Made {
    /// The header of the file.
    pub header: Header,
    /// The size of the file in bytes.
    pub bytes: usize,
    /// Positions the expert had no label for; they are left out.
    pub unlabelled: u64,
}

/// Makes the set that `plan` describes and writes it to `path`. Unfinished work
/// lies in `path` with `.work` behind it, which is removed at the end.
///
/// # Errors
///
/// If the plan makes no sense, a player or an expert fails, or somebody stops it.
pub fn make(
    plan: &Plan,
    path: &Path,
    means: &Means,
    progress: &mut dyn FnMut(Progress),
) -> Result<Made, MakeError> {
    // 1. Everything is checked before anything is written; an expert that does not
    //    start is found out before the games are played and not after.
    plan.check()?;
    if path.exists() && !(means.resume && work::folder(path).exists()) {
        return Err(MakeError::Taken {
            path: path.to_owned(),
        });
    }
    let expert = match &plan.expert {
        Some(expert) => Some(Consultant::new(expert)?.introduction()),
        None => None,
    };
    let mut work = Work::open(path, plan, expert.as_ref(), means.resume)?;

    // 2. Positions, 3. labels.
    let mut samples = match &plan.from {
        Some(from) => games::taken(plan, from)?,
        None => games::played(plan, means, &mut work, progress)?,
    };
    let drawn = samples.len() as u64;
    if let Some(expert) = &plan.expert {
        samples = labels::given(expert, samples, means, &mut work, progress)?;
    }

    // 4. The file, and nothing else is left.
    let mut collector = Collector::new(Header {
        made_by: plan.command(),
        seed: plan.seed,
        expert,
        scale: plan.expert.as_ref().map_or(1.0, |expert| expert.scale),
        hold_out: plan.hold_out,
        ..Header::new(plan.kind, plan.description())
    });
    for sample in &samples {
        collector.add(sample);
    }
    let (header, bytes) = collector.finish()?;
    mendel_store::replace(path, &bytes)?;
    work.remove()?;
    Ok(Made {
        bytes: bytes.len(),
        unlabelled: drawn - header.positions,
        header,
    })
}

impl Kind {
    /// Whether positions are taken only where nothing hangs, unless somebody says
    /// otherwise: not where the best move is the label.
    fn is_about_quiet_positions(self) -> bool {
        self != Self::Moves
    }
}
