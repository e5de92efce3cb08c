//! Why a data set is not made.

use std::path::PathBuf;

use mendel_engine::memory::MemoryShortage;
use mendel_store::frame::Failure;

/// Why a data set is not made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MakeError {
    /// The plan makes no sense.
    #[error("{reason}")]
    Plan {
        /// What is wrong and what to do.
        reason: String,
    },
    /// The file exists.
    #[error("`{}` exists already; choose another name or remove it", path.display())]
    Taken {
        /// The file.
        path: PathBuf,
    },
    /// So many positions do not fit into memory.
    #[error("{positions} positions: this {shortage}; ask for fewer")]
    Memory {
        /// What was asked for.
        positions: u64,
        /// What is needed and what there is.
        shortage: MemoryShortage,
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
}

impl MakeError {
    /// A fault of the request, with what to do instead.
    pub(super) fn into_invalid(self) -> Failure {
        let hint = match &self {
            Self::Plan { .. } => "`mendel data make --help` shows what can be asked for",
            Self::Taken { .. } => {
                "`--out FILE` names a new file; `mendel resume` resumes unfinished work"
            }
            Self::Memory { .. } => "`--positions N` says how many",
            Self::Exhausted { .. } => "`--random-plies 12` gives more different games",
            Self::Game { .. } => return Failure::failed(self),
        };
        Failure::invalid(self).with_hint(hint)
    }
}
