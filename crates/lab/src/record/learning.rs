//! What is known of a population that learns after each game: its games, its sets.

use std::fmt;

use mendel_arena::statistics::{Points, Tally, Trend};
use mendel_store::Record;
use serde::{Deserialize, Serialize};

pub const GAMES: &str = "games.jsonl";

/// Which game it was. Ids are ordered as all nodes agree to count their games:
/// by number, and of equal numbers by the node id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GameId {
    /// One more than the largest number that the node knew of.
    pub number: u64,
    #[serde(rename = "installation")]
    pub node: String,
}

impl GameId {
    /// Whether its number can be a game's where `last` is the largest that is known.
    pub(crate) fn follows(&self, last: u64) -> bool {
        let ahead = self.number.saturating_sub(last);
        self.number > 0 && self.number <= MOST_NUMBER && ahead <= MOST_AHEAD
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.node, self.number)
    }
}

/// A line of `games.jsonl`: a game and its result. Nothing in it comes from a clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnedGame {
    pub id: GameId,
    /// The id of its population's [config](crate::learning::PopulationConfig).
    pub population: String,
    pub set: Vec<i32>,
    pub opponent: String,
    pub against: OpponentKind,
    pub white: bool,
    /// Half-moves of the game.
    pub plies: u32,
    /// The result, as the set sees it.
    pub result: PlayerResult,
}

impl Record for LearnedGame {}

/// No game has a larger number: all that a server can hold does not lead there.
pub(crate) const MOST_NUMBER: u64 = 1 << 53;
/// A game's number is at most so far ahead of those that are known. Numbers grow by one
/// from game to game, so a larger gap is no game's.
const MOST_AHEAD: u64 = 1_000_000;
/// Half-moves: a game by the rules has less than 12,000.
const MOST_PLIES: u32 = 20_000;
const MOST_LETTERS: usize = 200;
const MAX_NODE_ID: usize = 64;

impl LearnedGame {
    /// What is wrong with a game of another node, where the last known number is `last`.
    /// Everyone with access to the shared log may have written it.
    pub(crate) fn fault(&self, last: u64) -> Option<&'static str> {
        if !self.id.follows(last) {
            return Some("its number is no game's");
        }
        if !is_node_id(&self.id.node) {
            return Some("its node id is no plain name");
        }
        if self.opponent != opponent_name(&self.opponent) {
            return Some("its opponent has no name, or one that cannot be shown");
        }
        (self.plies > MOST_PLIES).then_some("no game is so long")
    }
}

/// Whether nodes may have this id.
pub(crate) fn is_node_id(name: &str) -> bool {
    (1..=MAX_NODE_ID).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic())
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
pub(crate) fn plies_of(plies: u32) -> u32 {
    plies.min(MOST_PLIES)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpponentKind {
    Person,
    Gui,
    /// A player of ours or another program.
    Program,
}

/// A result, as one side sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlayerResult {
    Won,
    Drawn,
    Lost,
}

impl From<PlayerResult> for Points {
    fn from(scored: PlayerResult) -> Self {
        match scored {
            PlayerResult::Won => Self::Win,
            PlayerResult::Drawn => Self::Draw,
            PlayerResult::Lost => Self::Loss,
        }
    }
}

impl PlayerResult {
    /// Points: 1, ½ or 0.
    pub fn points(self) -> f64 {
        Points::from(self).points()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PopulationMember {
    pub set: Vec<i32>,
    pub tally: Tally,
    /// Birth index, from 1; 0 for the initial members and for those of other nodes.
    pub born: u32,
}

impl PopulationMember {
    /// The share of points to be expected: that of its games and of one more that it
    /// shares, so that a single win is no proof.
    pub fn merit(&self) -> f64 {
        (self.tally.points() + 0.5) / (self.tally.games() as f64 + 1.0)
    }
}

/// All games against one opponent, in the order in which they count.
#[derive(Clone, Debug, PartialEq)]
pub struct OpponentHistory {
    pub name: String,
    pub results: Vec<f64>,
    pub here: usize,
}

impl OpponentHistory {
    /// Whether it gets better against this one; `None` if the games are too few.
    pub fn trend(&self) -> Option<Trend> {
        Trend::of(&self.results)
    }
}

/// A population with all its games, as a page shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct LearningRecord {
    pub seed: u64,
    pub names: Vec<String>,
    /// All games, in the order in which they count.
    pub games: Vec<LearnedGame>,
    pub opponents: Vec<OpponentHistory>,
    pub members: Vec<PopulationMember>,
    pub births: u32,
}
