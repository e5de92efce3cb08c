//! Games as tasks: on threads as they are, for workers as plain data, complete in itself.
//!
//! A payload holds all that its games depend on. Nothing in it is a path or a command: a
//! bred player travels as the text of its file and its networks, a program by its name
//! alone, and whether a machine starts a program of that name, and how, is for its owner to
//! say ([`ProgramAllowlist`]).

mod context;
mod game_pairs;
mod games;
mod opening;
mod pairs;
mod remote_player;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use mendel_crew::BlobId;
use mendel_engine::NetworkError;

pub use self::game_pairs::{
    GamePair, GamePairResult, GamePairs, PairGame, PairMemo, TakePair, map_pairs, play_pairs,
};
pub use self::games::{GameTask, GameUnpack};
pub use self::opening::OpeningLine;
pub use self::pairs::{PairTask, PairUnpack};
pub use self::remote_player::{InlineOrBlob, ProgramAllowlist, RemotePlayer, RemotePlayerKind};

/// Blobs of one or more tasks, by content.
pub type TaskBlobs = BTreeMap<BlobId, Arc<[u8]>>;

/// Why a player or a setting cannot be sent to a worker.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotPortableError {
    /// A network of a player cannot be read.
    #[error("`{name}` cannot travel to a worker: {source}")]
    Network { name: String, source: NetworkError },
    /// An option that names a file, or could.
    #[error(
        "`{name}` cannot travel to a worker with `{option}={value}`: {reason}; leave it out, or play without a crew"
    )]
    Option {
        name: String,
        option: String,
        value: String,
        reason: &'static str,
    },
    /// Arguments, a folder or an environment.
    #[error(
        "`{name}` cannot travel to a worker with {what}: programs go by their names; leave it out here, and let each worker say how it is started: `mendel worker --allow '{program}=PROGRAM ARGUMENTS'`"
    )]
    Command {
        name: String,
        /// What of the command cannot travel.
        what: &'static str,
        program: String,
    },
    /// Tables are files.
    #[error(
        "endgame tables lie in a folder of this machine, and workers take no path from others; leave `--syzygy` out, or play without a crew"
    )]
    Tables,
}
