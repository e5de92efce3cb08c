//! Which positions are streamed, and in what order.

use serde::{Deserialize, Serialize};

use super::StreamError;

/// What is streamed. The same settings, shards and cursor give the same samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Settings {
    pub split: Split,
    pub part: Part,
    /// The lower of the two ratings is at least this; 0 takes games without
    /// ratings, too.
    pub min_rating: u16,
    pub max_rating: u16,
    /// The least length of a game, in full moves: 20 if
    /// White made a twentieth.
    pub min_moves: u16,
    /// Positions before this ply are left out.
    pub skip_plies: u16,
    pub pick: Pick,
    /// Blocks of games that are mixed at a time. More are a better shuffle and
    /// take more memory: a block of 1,000 games has some 80,000 positions of 200
    /// bytes, if all are picked.
    pub mixed_blocks: usize,
    /// Decides the order, and which positions are picked.
    pub seed: u64,
}

/// How games are parted; whatever is left is for training.
///
/// A game's part depends on its moves and the seed alone: it is the same in
/// whatever file it stands, and two copies of it never stand on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Split {
    pub validation: f64,
    pub test: f64,
    /// Decides which.
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// What is learnt from.
    #[default]
    Train,
    /// What tells when to stop.
    Validation,
    /// What tells the truth, once.
    Test,
    All,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pick {
    /// Every position.
    #[default]
    All,
    /// This number at random, others in each epoch; all of a game that has fewer.
    PerGame(u16),
}

/// Where a stream stands: all that is needed to go on exactly there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Cursor {
    /// How often all games were gone through.
    pub epoch: u64,
    /// Mixtures of blocks that are done in this epoch.
    pub mixture: u64,
    /// Samples taken out of the present mixture.
    pub taken: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            split: Split::default(),
            part: Part::Train,
            min_rating: 0,
            max_rating: u16::MAX,
            min_moves: 0,
            skip_plies: 0,
            pick: Pick::All,
            mixed_blocks: 8,
            seed: 1,
        }
    }
}

impl Default for Split {
    fn default() -> Self {
        Self {
            validation: 0.02,
            test: 0.02,
            seed: 1,
        }
    }
}

/// More blocks than this do not fit into memory.
const MOST_BLOCKS: usize = 10_000;

impl Settings {
    /// What is wrong with them, if anything.
    ///
    /// # Errors
    ///
    /// If nothing could be streamed by them.
    pub fn check(&self) -> Result<(), StreamError> {
        let wrong = |key, reason: String| Err(StreamError::Settings { key, reason });
        let Split {
            validation, test, ..
        } = self.split;
        for (key, share) in [("split.validation", validation), ("split.test", test)] {
            if !(0.0..=1.0).contains(&share) {
                return wrong(key, format!("{share} is no share from 0 to 1"));
            }
        }
        if validation + test > 1.0 {
            let both = validation + test;
            return wrong("split", format!("the shares add up to {both}, more than 1"));
        }
        if self.min_rating > self.max_rating {
            let (least, most) = (self.min_rating, self.max_rating);
            let reason = format!("no rating is at least {least} and at most {most}");
            return wrong("min-rating", reason);
        }
        if self.pick == Pick::PerGame(0) {
            return wrong("pick", "a game gives at least one position".to_owned());
        }
        if !(1..=MOST_BLOCKS).contains(&self.mixed_blocks) {
            let reason = format!("{} is not from 1 to {MOST_BLOCKS}", self.mixed_blocks);
            return wrong("mixed-blocks", reason);
        }
        Ok(())
    }
}
