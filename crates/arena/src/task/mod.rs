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

use std::collections::BTreeMap;
use std::sync::Arc;

use mendel_crew::BlobId;

pub use self::game_pairs::{
    GamePair, GamePairResult, GamePairs, PairGame, PairMemo, TakePair, map_pairs, play_pairs,
};
pub use self::games::{GameTask, GameUnpack};
pub use self::opening::OpeningLine;
pub use self::pairs::{PairTask, PairUnpack};
pub use self::remote_player::{InlineOrBlob, ProgramAllowlist, RemotePlayer, RemotePlayerKind};

/// Blobs of one or more tasks, by content.
pub type TaskBlobs = BTreeMap<BlobId, Arc<[u8]>>;
