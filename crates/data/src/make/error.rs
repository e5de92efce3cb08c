//! Why a data set is not made.

use std::path::PathBuf;

use mendel_engine::memory::MemoryShortage;
use mendel_store::frame::Failure;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MakeError {
    #[error("{reason}")]
    Plan { reason: String },
    #[error("`{}` exists already; choose another name or remove it", path.display())]
    Taken { path: PathBuf },
    #[error("{positions} positions: this {shortage}; ask for fewer")]
    Memory {
        positions: u64,
        shortage: MemoryShortage,
    },
    #[error("game {game} cannot be played: {words}")]
    Game { game: u64, words: String },
    #[error(
        "the last {games} games gave no new position, {found} were found; ask for fewer, or for more random plies"
    )]
    Exhausted { games: u64, found: u64 },
}

impl MakeError {
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
