//! Games as a compact file, written once from PGN: a byte a move.
//!
//! A move is its place among the sorted legal moves, so that nothing but a legal
//! game can be read out of a shard. Games stand in blocks, each squeezed for
//! itself, so that blocks can be read in any order and by several threads. The
//! format is described in `docs/formats.md`.
//!
//! ```
//! use mendel_board::pgn::GameResult;
//! use mendel_data::shard::{ShardGame, Shard, ShardWriter};
//!
//! let mut file = Vec::new();
//! let mut writer = ShardWriter::new(&mut file)?;
//! // 1. Nf3: the third of twenty legal moves, the knights coming first.
//! writer.push(&ShardGame { ratings: [2500, 0], result: GameResult::Draw, moves: &[2], scores: None })?;
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

use serde::{Deserialize, Serialize};

pub use block::{GameBlock, NO_SCORE, ShardGame};
pub use info::ShardInfo;
pub use moves::{move_at, place_of};
pub use pgn::{ConvertReport, ConvertSettings, ConvertedShard, ShardFilter, convert};
pub use read::Shard;
pub use write::ShardWriter;

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
const MAX_HEADER_LEN: u64 = 1 << 20;
/// A thousand games of usual length are 90 kB; one beyond this is damage.
const MAX_BLOCK_LEN: u32 = 1 << 26;
/// Games of a full block.
const BLOCK_GAMES: usize = 1000;

/// What a shard tells about itself. Nothing in it comes from a clock, so that the
/// same command gives the same file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardHeader {
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
