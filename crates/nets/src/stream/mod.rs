//! Positions out of shards, shuffled without loading all of them.
//!
//! An epoch goes through all blocks of games in a random order. A few blocks at a
//! time are expanded into samples and mixed; then the next few. So memory holds a
//! few thousand games whatever the size of the data, two positions of one game
//! hardly ever meet in a batch, and where a stream stands is three numbers, from
//! which it can go on exactly.
//!
//! ```
//! use mendel_board::pgn::GameResult;
//! use mendel_data::shard::{Shard, ShardGame, ShardWriter};
//! use mendel_nets::stream::{Cursor, Extent, Part, Plan, Positions, Settings};
//!
//! let mut file = Vec::new();
//! let mut writer = ShardWriter::new(&mut file)?;
//! writer.push(&ShardGame { ratings: [2500, 2400], result: GameResult::Draw, moves: &[2, 2, 2], scores: None })?;
//! writer.finish("three plies", "an example", &[])?;
//! let shard = Shard::from_bytes("example", file)?;
//!
//! let settings = Settings { part: Part::All, ..Settings::default() };
//! let plan = Plan::new(vec![shard], settings)?;
//! let samples: Vec<_> = Positions::new(plan, Cursor::default(), Extent::Epoch).collect::<Result<_, _>>()?;
//! assert_eq!(samples.len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod plan;
mod replay;
mod sample;
mod settings;

use std::sync::Arc;

use mendel_data::DataError;

pub(crate) use plan::Mixture;
pub use plan::Plan;
#[cfg(feature = "train")]
pub(crate) use plan::{Purpose, generator};
pub use sample::{HISTORY, Sample};
pub use settings::{Cursor, Part, Pick, Settings, Split};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    #[error(transparent)]
    Shard(#[from] DataError),
    #[error("`{key}`: {reason}")]
    Settings { key: &'static str, reason: String },
    #[error("there are no games to stream; name at least one file that has some")]
    NoGames,
    #[error(
        "none of the {games} games of {names} passes the filters; loosen ratings or lengths, or give this part of the games a larger share"
    )]
    Empty { names: String, games: u64 },
    #[error(
        "the data end before the checkpoint (epoch {}, mixture {}, sample {}); resume with the same files and settings", cursor.epoch, cursor.mixture, cursor.taken
    )]
    Cursor { cursor: Cursor },
    #[error("a data-loading thread panicked; see its message above")]
    Worker,
}

/// How far a stream goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// To the end of the epoch in which the cursor stands.
    Epoch,
    /// Epoch after epoch.
    Endless,
}

/// Samples one by one.
///
/// After an error, nothing follows.
#[derive(Debug)]
pub struct Positions {
    mixtures: Mixtures,
    now: Option<Mixture>,
    cursor: Cursor,
}

impl Positions {
    /// Streams what `plan` takes, from `cursor` on.
    pub fn new(plan: Arc<Plan>, cursor: Cursor, extent: Extent) -> Self {
        Self {
            mixtures: Mixtures::new(plan, cursor, extent),
            now: None,
            cursor,
        }
    }

    /// Where the stream stands: a stream that begins there gives the samples that
    /// come now.
    pub fn cursor(&self) -> Cursor {
        self.cursor
    }

    /// The next mixture that has something left.
    fn advance(&mut self) -> Result<bool, StreamError> {
        while self.now.is_none() {
            let Some(cursor) = self.mixtures.next()? else {
                return Ok(false);
            };
            let plan = Arc::clone(&self.mixtures.plan);
            let blocks = plan.blocks_at(cursor)?;
            let parts: Result<_, _> = blocks
                .into_iter()
                .map(|block| plan.expand(cursor.epoch, block))
                .collect();
            let mixture = plan.mix(cursor, parts?)?;
            self.mixtures.met(mixture.len());
            if cursor.taken < mixture.len() as u64 {
                self.cursor = cursor;
                self.now = Some(mixture);
            } else {
                self.cursor = plan.behind(cursor);
            }
        }
        Ok(true)
    }
}

impl Iterator for Positions {
    type Item = Result<Sample, StreamError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.advance() {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => {
                self.mixtures.end();
                return Some(Err(error));
            }
        }
        let mixture = self.now.as_ref()?;
        let sample = mixture.get(self.cursor.taken as usize)?.clone();
        self.cursor.taken += 1;
        if self.cursor.taken >= mixture.len() as u64 {
            self.cursor = self.mixtures.plan.behind(self.cursor);
            self.now = None;
        }
        Some(Ok(sample))
    }
}

/// The mixtures of a stream one after the other, as long as something comes of
/// them.
#[derive(Debug)]
pub(crate) struct Mixtures {
    pub(crate) plan: Arc<Plan>,
    extent: Extent,
    first_epoch: u64,
    next: Option<Cursor>,
    /// Mixtures in a row without a sample.
    empty: u64,
}

impl Mixtures {
    pub(crate) fn new(plan: Arc<Plan>, cursor: Cursor, extent: Extent) -> Self {
        Self {
            plan,
            extent,
            first_epoch: cursor.epoch,
            next: Some(cursor),
            empty: 0,
        }
    }

    /// The next mixture; `None` when the stream is over.
    ///
    /// # Errors
    ///
    /// If an epoch passed without a sample: an endless stream would never end,
    /// and one of an epoch be over before it began.
    pub(crate) fn next(&mut self) -> Result<Option<Cursor>, StreamError> {
        let Some(cursor) = self.next else {
            return Ok(None);
        };
        if self.empty >= self.plan.mixtures() {
            return Err(self.plan.nothing());
        }
        if self.extent == Extent::Epoch && cursor.epoch != self.first_epoch {
            self.next = None;
            return Ok(None);
        }
        self.next = Some(self.plan.behind(cursor));
        Ok(Some(cursor))
    }

    /// Tells how many samples a mixture had.
    pub(crate) fn met(&mut self, samples: usize) {
        self.empty = if samples == 0 { self.empty + 1 } else { 0 };
    }

    pub(crate) fn end(&mut self) {
        self.next = None;
    }
}
