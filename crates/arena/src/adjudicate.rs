//! Adjudication: ends a game before the rules of chess do.

use mendel_board::tablebase::{Tablebase, Wdl};
use mendel_board::{ByColor, Color, Game, Position, Role};
use mendel_engine::Score;
use serde::{Deserialize, Serialize};

use crate::{EndReason, Ending};

/// Rules that end a game early; by default there are no such rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Adjudication {
    /// Both see a level game.
    pub draw: Option<DrawRule>,
    /// One side sees that it is lost.
    pub resign: Option<ResignRule>,
    /// The game is too long.
    pub length: Option<LengthRule>,
    /// One side is far ahead in material.
    pub material: Option<MaterialRule>,
    /// The tables know the rest.
    pub syzygy: Option<SyzygyRule>,
}

/// A draw if the scores of both sides have stayed near zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawRule {
    /// Minimum number of moves of each side, counted as the position counts
    /// them, so that the moves of an opening are among them.
    #[serde(default)]
    pub from_move: u32,
    /// Consecutive moves of each side.
    pub moves: u32,
    /// Centipawns from zero, either way.
    pub score: u32,
}

/// The side whose score has stayed low loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResignRule {
    /// Consecutive moves of that side.
    pub moves: u32,
    /// Centipawns below zero.
    pub score: u32,
    /// The opponent must have seen as much on its own last moves, too.
    #[serde(default)]
    pub two_sided: bool,
}

/// The game ends after a number of plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LengthRule {
    /// Plies of both players together; those of the opening are not counted.
    pub plies: u32,
    #[serde(default)]
    pub verdict: Verdict,
}

/// How a game that is too long is decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    #[default]
    Draw,
    /// The side with more material wins; equal material is a draw.
    Material,
}

/// A side that leads by this much material wins at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaterialRule {
    pub centipawns: u32,
    /// What a pawn, a knight, a bishop, a rook and a queen count.
    #[serde(default = "usual_values")]
    pub values: [u32; 5],
}

impl MaterialRule {
    /// A pawn counts 100, a minor piece 300, a rook 500 and a queen 900.
    pub const USUAL: [u32; 5] = [100, 300, 300, 500, 900];
}

fn usual_values() -> [u32; 5] {
    MaterialRule::USUAL
}

/// A position in the tables is decided by them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SyzygyRule {
    /// Folders with tables, separated as in `PATH`. The caller opens them once for all games.
    pub path: String,
    /// Maximum number of pieces, kings included.
    #[serde(default)]
    pub pieces: Option<u32>,
    /// A win that the fifty-move rule would spoil counts as a win.
    #[serde(default)]
    pub ignore_fifty_moves: bool,
}

/// Watches one game and stops it when a rule says so.
#[derive(Debug)]
pub struct Adjudicator<'a> {
    rules: &'a Adjudication,
    tablebase: Option<&'a Tablebase>,
    plies: u32,
    /// Consecutive plies with a score near zero.
    level: u32,
    /// Consecutive moves with a score below, or above, the limit, by side.
    lost: ByColor<u32>,
    won: ByColor<u32>,
}

impl<'a> Adjudicator<'a> {
    /// A adjudicator before the first move.
    pub fn new(rules: &'a Adjudication, tablebase: Option<&'a Tablebase>) -> Self {
        Self {
            rules,
            tablebase,
            plies: 0,
            level: 0,
            lost: ByColor::default(),
            won: ByColor::default(),
        }
    }

    /// Sees the move that led to the position now, with the score its player
    /// gave it, and says whether the game is over. What comes first counts:
    /// tables, material, resignation, draw, length.
    pub fn see(&mut self, game: &Game, score: Option<Score>) -> Option<Ending> {
        let mover = !game.position().turn();
        self.plies = self.plies.saturating_add(1);
        self.count(mover, score);
        self.by_tables(game.position())
            .or_else(|| self.by_material(game.position()))
            .or_else(|| self.by_resignation(mover))
            .or_else(|| self.by_agreement(game.position()))
            .or_else(|| self.by_length(game.position()))
    }

    fn count(&mut self, mover: Color, score: Option<Score>) {
        // A move without a score proves nothing, so it breaks every series.
        let score = score.map(centipawns);
        let extended = |count: u32, on: bool| if on { count.saturating_add(1) } else { 0 };
        if let Some(rule) = self.rules.draw {
            let near = score.is_some_and(|score| score.unsigned_abs() <= rule.score);
            self.level = extended(self.level, near);
        }
        if let Some(rule) = self.rules.resign {
            let limit = i64::from(rule.score);
            let of = |score: i32| i64::from(score);
            let lost = score.is_some_and(|score| of(score) <= -limit);
            let won = score.is_some_and(|score| of(score) >= limit);
            self.lost[mover] = extended(self.lost[mover], lost);
            self.won[mover] = extended(self.won[mover], won);
        }
    }

    fn by_tables(&self, position: &Position) -> Option<Ending> {
        let rule = self.rules.syzygy.as_ref()?;
        let tables = self.tablebase?;
        let pieces = position.board().occupied().count() as u32;
        if rule.pieces.is_some_and(|most| pieces > most) || !tables.may_know(position) {
            return None;
        }
        // A table that is missing or damaged leaves the game to the players.
        let wdl = value(tables, position)?;
        let won = |wdl| wdl == Wdl::Win || (rule.ignore_fifty_moves && wdl == Wdl::CursedWin);
        let winner = match () {
            () if won(wdl) => Some(position.turn()),
            () if won(-wdl) => Some(!position.turn()),
            () => None,
        };
        let words = match winner {
            Some(winner) => format!("{} wins by the endgame tables", name(winner)),
            None => "Draw by the endgame tables".to_owned(),
        };
        Some(ending(winner, EndReason::Tablebase, words))
    }

    fn by_material(&self, position: &Position) -> Option<Ending> {
        let rule = self.rules.material?;
        let lead = material_lead(position, rule.values);
        if lead == 0 || lead.unsigned_abs() < u64::from(rule.centipawns) {
            return None;
        }
        let winner = Color::from_white(lead > 0);
        let words = format!(
            "{} is {} centipawns of material ahead",
            name(winner),
            lead.abs()
        );
        Some(ending(Some(winner), EndReason::AdjudicatedWin, words))
    }

    fn by_resignation(&self, mover: Color) -> Option<Ending> {
        let rule = self.rules.resign?;
        let series = rule.moves.max(1);
        // The last piece of evidence may come from either side.
        let loser = [mover, !mover].into_iter().find(|&loser| {
            let sees = self.lost[loser] >= series;
            sees && (!rule.two_sided || self.won[!loser] >= series)
        })?;
        let who = if rule.two_sided { "both players" } else { "it" };
        let words = format!(
            "{} is lost: {who} saw at least {} centipawns for {series} moves",
            name(loser),
            rule.score
        );
        Some(ending(Some(!loser), EndReason::AdjudicatedWin, words))
    }

    fn by_agreement(&self, position: &Position) -> Option<Ending> {
        let rule = self.rules.draw?;
        let series = rule.moves.max(1);
        // Counted like plies of a game: after Black's 40th move stands move 41.
        let played = position.fullmoves().saturating_sub(1);
        if played < rule.from_move || self.level < series.saturating_mul(2) {
            return None;
        }
        let words = format!(
            "Level: both players saw at most {} centipawns for {series} moves",
            rule.score
        );
        Some(ending(None, EndReason::AdjudicatedDraw, words))
    }

    fn by_length(&self, position: &Position) -> Option<Ending> {
        let rule = self.rules.length?;
        if self.plies < rule.plies {
            return None;
        }
        let long = format!("{} half-moves were played", self.plies);
        let lead = material_lead(position, MaterialRule::USUAL);
        if rule.verdict == Verdict::Draw || lead == 0 {
            return Some(ending(None, EndReason::LengthDraw, long));
        }
        let winner = Color::from_white(lead > 0);
        let words = format!("{long}, and {} has more material", name(winner));
        Some(ending(Some(winner), EndReason::LengthMaterial, words))
    }
}

fn ending(winner: Option<Color>, reason: EndReason, words: String) -> Ending {
    Ending {
        winner: winner.map(Into::into),
        reason,
        words,
    }
}

pub(crate) fn name(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}

/// A mate is more than any number of pawns.
fn centipawns(score: Score) -> i32 {
    match score {
        Score::Centipawns(centipawns) => centipawns,
        Score::Mate(moves) if moves > 0 => i32::MAX,
        Score::Mate(_) => -i32::MAX,
    }
}

/// What the tables say, the plies already counted towards the fifty-move
/// rule included. Right after a capture or pawn move the small tables know it;
/// else only those with distances do.
fn value(tables: &Tablebase, position: &Position) -> Option<Wdl> {
    if position.halfmoves() == 0 {
        return tables.wdl(position).ok();
    }
    let moves = tables.root_moves(position).ok()?;
    let best = moves.first()?;
    best.dtz.map(|_| best.wdl)
}

/// White's material less Black's.
fn material_lead(position: &Position, values: [u32; 5]) -> i64 {
    let of = |color: Color| -> i64 {
        let pieces = Role::ALL.into_iter().zip(values);
        pieces
            .map(|(role, worth)| {
                let count = position.board().by_piece(role.of(color)).count();
                i64::from(worth) * count as i64
            })
            .sum()
    };
    of(Color::White) - of(Color::Black)
}
