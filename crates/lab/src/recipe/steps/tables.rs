//! The tables of a pipeline's steps, as data. What they do is in `pipeline`.

use mendel_arena::{DrawRule, Format, ResignRule, TimeControl, Verdict};
use mendel_coach::Phase;
use mendel_data::Kind;
use mendel_data::label::Evaluation;
use mendel_fitness::nnue::TrainingSettings;
use serde::Deserialize;
use toml::{Table, Value};

use super::{Names, Published};

#[derive(Clone, Debug)]
pub struct BreedSettings {
    pub source: Source,
    /// How often, each with a seed of its own.
    pub runs: u32,
    /// Whose weights it starts from, where it is not the champion before.
    pub parent: Option<String>,
    /// The set that is judged by: a step's, a built-in one or a file.
    pub data: Option<String>,
    /// The first members: champions of steps, or players.
    pub founders: Vec<String>,
    pub proof: bool,
}

#[derive(Clone, Debug)]
pub enum Source {
    Recipe {
        name: String,
        set: Vec<(String, Value)>,
    },
    Tables(Table),
}

/// The table `[step.data]`: what `mendel data make` asks for, by the same names.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DataSettings {
    /// `quiet`, `moves` or `selfplay`.
    pub kind: Kind,
    pub positions: u64,
    /// Who plays the games; the player at hand if nothing is said.
    pub player: Option<String>,
    pub nodes: Option<u64>,
    /// Positions of a game, at most.
    pub per_game: Option<u32>,
    /// Half-moves between two positions of a game, at least.
    pub spacing: Option<u32>,
    /// Random half-moves behind the opening, at most.
    pub random_plies: Option<u32>,
    /// Only positions in which nothing is to be won at once.
    pub only_quiet: Option<bool>,
    /// Leave the game by one random move and play captures out.
    #[serde(default)]
    pub stray: bool,
    /// Keep the score and the move of the player's own search.
    pub with_search: Option<bool>,
    /// Positions of this set (a step's, a built-in one or a file) instead of games.
    pub from: Option<String>,
    /// Who labels: one, or several of whom the first that can be started does.
    #[serde(default)]
    pub(crate) expert: Names,
    pub expert_eval: Option<Evaluation>,
    pub expert_nodes: Option<u64>,
    pub expert_depth: Option<u32>,
    /// Factor for its centipawns.
    pub scale: Option<f64>,
    pub hold_out: Option<f64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct NetworkSettings {
    /// The sets that it learns from: of steps, built-in ones or files.
    pub(crate) data: Names,
    #[serde(default)]
    pub training: TrainingSettings,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ChanceSettings {
    /// Whose genomes: the recipe's first stage, and its parent for all that is not bred.
    pub recipe: String,
    pub sets: u32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MatchSettings {
    /// Who plays: players as on the command line, or names of steps for their
    /// champions; a list within the list holds alternatives, of which the first
    /// that can be started plays.
    pub(crate) players: Vec<Names>,
    #[serde(default)]
    pub format: Format,
    /// Games for each two that meet.
    pub games: u64,
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
    pub movetime: Option<u64>,
    pub tc: Option<TimeControl>,
    #[serde(default)]
    pub openings: OpeningsFrom,
    /// A game ends after this many half-moves behind the opening.
    pub max_plies: Option<u32>,
    #[serde(default)]
    pub at_limit: Verdict,
    /// Both see a level game.
    pub draw: Option<DrawRule>,
    pub resign: Option<ResignRule>,
    pub anchor: Option<Anchor>,
    /// Whether the accuracy of both sides is measured, and by whom.
    #[serde(default)]
    pub(crate) accuracy: Wanted,
    /// What was published for each player, shown next to our result.
    #[serde(default)]
    pub published: Published,
    /// Whether points with White and with Black are counted apart.
    #[serde(default)]
    pub by_colour: bool,
    /// What was published of that: for each player its points with White against each
    /// of the others, in their order.
    #[serde(default)]
    pub published_white: Vec<Vec<f64>>,
    /// Games for each two that met in what was published, where that is points: ours of
    /// another number of games are not comparable.
    pub published_games: Option<u64>,
    /// A number of the players, along which their points are drawn.
    pub curve: Option<CurveSettings>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum OpeningsFrom {
    /// `book` for our own, else a file.
    Named(String),
    Lines {
        /// In UCI notation, separated by spaces; none for the initial position.
        lines: Vec<String>,
    },
    /// Positions of a set that belong to one part of the game.
    Part(PartSettings),
}

impl Default for OpeningsFrom {
    fn default() -> Self {
        Self::Named(BOOK.to_owned())
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    pub player: String,
    pub rating: f64,
}

/// `accuracy = true`, or how.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Wanted {
    Plain(bool),
    With(AccuracySettings),
}

impl Default for Wanted {
    fn default() -> Self {
        Self::Plain(false)
    }
}

pub(crate) const BOOK: &str = "book";

/// `openings = { data = "quiet", phase = "ending", positions = 50 }`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PartSettings {
    /// A set of positions with scores: a built-in one or a file.
    pub data: String,
    pub phase: Phase,
    pub positions: usize,
    /// The largest difference between both sides, in centipawns.
    #[serde(default = "usual_difference")]
    pub within: u16,
}

/// A pawn: neither side is winning.
fn usual_difference() -> u16 {
    100
}

/// `accuracy = true`, or a table with these.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct AccuracySettings {
    /// Who judges the positions; the first that can be started.
    pub players: Vec<String>,
    /// Nodes for each position.
    pub nodes: u64,
}

impl Default for AccuracySettings {
    fn default() -> Self {
        Self {
            players: ["cmd:stockfish", "cmd:/usr/games/stockfish", "mendel"]
                .map(str::to_owned)
                .into(),
            nodes: 50_000,
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AgreementSettings {
    /// Who is asked, as in a match. `{rating}` stands for the mean rating of those who
    /// were to move in the band at hand.
    pub(crate) players: Vec<Names>,
    /// Sets of positions with moves: of steps, built-in ones or files. `--data`
    /// replaces them.
    pub(crate) data: Names,
    /// How many positions are drawn, as many of White's as of Black's where there are
    /// enough; in each band with `per-band`.
    pub positions: usize,
    /// Whether `positions` are drawn in each band instead of in all.
    #[serde(default)]
    pub per_band: bool,
    /// Only positions in which the later winner is to move.
    #[serde(default)]
    pub winners: bool,
    /// Where bands of the lower of the two ratings begin, from the lowest.
    #[serde(default)]
    pub bands: Vec<u16>,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    /// Mebibytes that a player of ours remembers a search in.
    #[serde(default = "one")]
    pub hash: u32,
    /// A number of the players, along which the result is drawn.
    pub curve: Option<CurveSettings>,
    /// What was published for each player, shown next to our result.
    #[serde(default)]
    pub published: Published,
}

fn one() -> u32 {
    1
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct JudgementSettings {
    pub(crate) players: Vec<Names>,
    /// Sets of positions with scores: of steps, built-in ones or files. `--data`
    /// replaces them.
    pub(crate) data: Names,
    pub positions: usize,
    /// Scores are limited to this many centipawns in either direction.
    #[serde(default = "usual_limit")]
    pub limit: u32,
    /// A number of the players, along which the result is drawn.
    pub curve: Option<CurveSettings>,
}

/// The teaching paper's network learns no more than fifteen pawns.
fn usual_limit() -> u32 {
    1500
}

/// The table `curve` of a step: what changes from player to player.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CurveSettings {
    /// What it is called, such as `λ`.
    pub along: String,
    /// Its value for each of the players, in their order.
    pub at: Vec<f64>,
    /// What was published for each, in the unit of what is measured.
    #[serde(default)]
    pub paper: Vec<f64>,
}
