//! A game that was played, as every installation is told of it.

use std::fmt;

use mendel_store::Record;
use serde::{Deserialize, Serialize};

/// Which game it was. Ids are ordered as all installations agree to count their games:
/// by number, and of equal numbers by the installation's name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EventId {
    /// One more than the largest number that the installation knew of.
    pub number: u64,
    /// Where it was played.
    pub installation: String,
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.installation, self.number)
    }
}

/// A line of `events.jsonl`: a game and its result. Nothing in it comes from a clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Which game it was.
    pub id: EventId,
    /// The [founding](super::Founding) of the population that it belongs to.
    pub population: String,
    /// The set that played.
    pub set: Vec<i32>,
    /// Whom it met.
    pub opponent: String,
    /// What kind of opponent that is.
    pub against: Against,
    /// Whether the set had White.
    pub white: bool,
    /// Half-moves of the game.
    pub plies: u32,
    /// The result, as the set sees it.
    pub result: Scored,
}

impl Record for Event {
    const VERSION: u32 = 1;
}

/// Kinds of opponents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Against {
    /// Somebody at the terminal.
    Person,
    /// Whoever plays in a GUI.
    Gui,
    /// A player of ours or another program.
    Program,
}

/// A result, as one side sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scored {
    /// It won.
    Won,
    /// Nobody did.
    Drawn,
    /// It lost.
    Lost,
}

impl Scored {
    /// Points: 1, ½ or 0.
    pub fn points(self) -> f64 {
        match self {
            Self::Won => 1.0,
            Self::Drawn => 0.5,
            Self::Lost => 0.0,
        }
    }
}
