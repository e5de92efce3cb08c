//! Games as a compact file, written once from PGN: a byte a move.
//!
//! A move is its place among the sorted legal moves, so that nothing but a legal
//! game can be read out of a shard. Games stand in blocks, each squeezed for
//! itself, so that blocks can be read in any order and by several threads. The
//! format is described in `docs/formats.md`.
//!
//! ```
//! use mendel_data::shard::{GameRecord, Outcome, Shard, Writer};
//!
//! let mut file = Vec::new();
//! let mut writer = Writer::new(&mut file)?;
//! // 1. Nf3: the third of twenty legal moves, the knights coming first.
//! writer.push(&GameRecord { ratings: [2500, 0], outcome: Outcome::Draw, moves: &[2], scores: None })?;
//! writer.finish("one move", "an example", &[])?;
//!
//! let shard = Shard::from_bytes("example", file)?;
//! let block = shard.block(0)?;
//! assert_eq!(block.game(0).moves, [2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block;
mod info;
mod moves;
mod pgn;
mod read;
mod write;

use std::io;

use mendel_store::FileError;
use serde::{Deserialize, Serialize};

pub use block::{Block, GameRecord, NO_SCORE, Outcome};
pub use info::{Bar, Histogram, Info};
pub use moves::{move_at, place_of};
pub use pgn::{ConvertError, Filter, Report, Setting, Written, convert};
pub use read::Shard;
pub use write::Writer;

/// What a file of games is called, by convention.
pub const SUFFIX: &str = "games";

/// The first bytes of a file; the `\r\n` notices transfers that change line ends.
const MAGIC: &[u8; 8] = b"mendlg\r\n";
const VERSION: u16 = 1;
/// The last bytes of a file: it is whole.
const END: &[u8; 8] = b"\r\ngames.";
/// Magic and version.
const HEAD: u64 = 10;
/// Length of the header, number of blocks, fingerprint of both parts, end.
const TAIL: u64 = 4 + 4 + 8 + 8;
/// A row of the table of blocks: bytes in the file, bytes unpacked, games, plies.
const ROW: u64 = 16;

/// A header is a few hundred bytes; one beyond this is damage.
const LONGEST_HEADER: u64 = 1 << 20;
/// A thousand games of usual length are 90 kB; one beyond this is damage.
const LARGEST_BLOCK: u32 = 1 << 26;
/// So many games make a block.
const BLOCK_GAMES: usize = 1000;

/// What a shard tells about itself. Nothing in it comes from a clock, so that the
/// same command gives the same file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub description: String,
    pub made_by: String,
    pub version: String,
    /// The files that the games come from.
    pub sources: Vec<String>,
    pub games: u64,
    /// How many moves of either side, which are as many positions.
    pub plies: u64,
    /// How many of the games have scores.
    pub scored: u64,
    /// A name for the contents: FNV-1a of all unpacked blocks, sixteen digits.
    pub fingerprint: String,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShardError {
    #[error("cannot read the games `{name}`: {source}")]
    Read { name: String, source: io::Error },
    #[error(
        "`{name}` is no file of games of ours: it does not begin as one; `mendel data games` makes one from PGN"
    )]
    Foreign { name: String },
    #[error(
        "the games `{name}` have format {found}, this program reads format {VERSION}; make the file again or use the program that made it"
    )]
    Version { name: String, found: u16 },
    #[error("the games `{name}` end too early, after {bytes} bytes; copy or make the file again")]
    Cut { name: String, bytes: u64 },
    #[error("the games `{name}` are damaged: {reason}; copy or make the file again")]
    Damaged { name: String, reason: String },
    #[error("a game cannot be stored: {reason}")]
    Game { reason: String },
    #[error("cannot write the games: {0}; is the disk full?")]
    Write(io::Error),
    #[error(transparent)]
    Replace(#[from] FileError),
}
