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

impl EventId {
    /// Whether its number can be a game's where `last` is the largest that is known.
    pub(super) fn follows(&self, last: u64) -> bool {
        let ahead = self.number.saturating_sub(last);
        self.number > 0 && self.number <= MOST_NUMBER && ahead <= MOST_AHEAD
    }
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

/// No game has a larger number: all that a server can hold does not lead there.
pub(super) const MOST_NUMBER: u64 = 1 << 53;
/// A game's number is at most so far ahead of those that are known. Numbers grow by one
/// from game to game, so a larger gap is no game's.
const MOST_AHEAD: u64 = 1_000_000;
/// Half-moves: a game by the rules has less than 12,000.
const MOST_PLIES: u32 = 20_000;
/// Letters of an opponent's name.
const MOST_LETTERS: usize = 200;
/// Letters of an installation's name.
const MOST_INSTALLATION: usize = 64;

impl Event {
    /// What is wrong with a game that somebody told, where the last number known is
    /// `last`. Anybody with the right to post may have written it.
    pub(super) fn fault(&self, last: u64) -> Option<&'static str> {
        if !self.id.follows(last) {
            return Some("its number is no game's");
        }
        if !is_installation(&self.id.installation) {
            return Some("its installation has no plain name");
        }
        if self.opponent != opponent_name(&self.opponent) {
            return Some("its opponent has no name, or one that cannot be shown");
        }
        (self.plies > MOST_PLIES).then_some("no game is so long")
    }
}

/// Whether installations may be called this.
pub(super) fn is_installation(name: &str) -> bool {
    (1..=MOST_INSTALLATION).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_graphic())
}

/// What an opponent is called in an event: short, and fit to be shown.
pub fn opponent_name(text: &str) -> String {
    let shown = |c: char| if is_shown(c) { c } else { '?' };
    let name: String = text.chars().map(shown).take(MOST_LETTERS).collect();
    if name.is_empty() {
        "?".to_owned()
    } else {
        name
    }
}

/// Neither a control character nor one that changes the direction of what follows.
fn is_shown(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A length that others accept.
pub(super) fn plies_of(plies: u32) -> u32 {
    plies.min(MOST_PLIES)
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
