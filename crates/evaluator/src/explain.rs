//! The same sum, written down for people.

use std::fmt;

use mendel_board::{Color, Position};
use serde::{Deserialize, Serialize};

use crate::{Breakdown, Evaluator, Share};

/// One term of an evaluator: what it is called and what it weighs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The group, such as `mobility_knight`.
    pub group: &'static str,
    /// Which of the group, such as `3` or `e4`; empty in a group of one.
    pub label: String,
    /// What is counted, in a sentence.
    pub about: &'static str,
    /// Centipawns for each count in the middle game.
    pub middle_game: i32,
    /// Centipawns for each count in the end game.
    pub end_game: i32,
}

/// Centipawns as an exact fraction.
///
/// All fractions of one [`Explanation`] have the same denominator, so they can
/// be added by their numerators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exact {
    pub parts: i64,
    /// Denominator, above zero.
    pub of: i64,
}

impl Exact {
    /// The nearest floating-point number of centipawns.
    pub fn centipawns(self) -> f64 {
        self.parts as f64 / self.of as f64
    }
}

/// Two digits after the point, which is for reading and not for adding up.
impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.2}", self.centipawns());
        f.pad(if text == "-0.00" { "0.00" } else { &text })
    }
}

/// One line of an explanation: a term that at least one side has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    pub group: String,
    /// Which of the group; empty in a group of one.
    pub label: String,
    pub white: i32,
    pub black: i32,
    /// Centipawns for each count in the middle game.
    pub middle_game: i32,
    /// Centipawns for each count in the end game.
    pub end_game: i32,
    /// What the term adds to White's score after taper and scale.
    pub contribution: Exact,
}

/// Why an evaluator gave the score it gave.
///
/// All contributions are White's: positive is good for White, also where
/// Black is to move. They and `rounding` add up to `white_score` exactly, and `score`, which
/// belongs to the side to move, is `white_score` with the sign changed where
/// Black is to move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    pub evaluator: String,
    pub fen: String,
    /// The terms, in the order of the evaluator's table.
    pub rows: Vec<Row>,
    /// The share with which middle-game weights count; end-game weights count
    /// with the rest.
    pub taper: Share,
    /// The share with which the end-game part counts.
    pub scale: Share,
    /// What is added because a score is a whole number within the limit.
    pub rounding: Exact,
    pub white_score: i32,
    /// The score as the side to move sees it.
    pub score: i32,
}

/// The group of the term that says what a network makes of the whole board.
const NETWORK: &str = "network";

pub fn explain<E: Evaluator>(evaluator: &E, position: &Position) -> Explanation {
    let mut breakdown = Breakdown::default();
    let score = evaluator
        .evaluate(position, &mut E::Scratch::default(), &mut breakdown)
        .0;
    let white_score = match position.turn() {
        Color::White => score,
        Color::Black => -score,
    };

    let Share { part, of } = breakdown.taper();
    let (taper, taper_of) = (i64::from(part), i64::from(of));
    let Share { part, of } = breakdown.scale();
    let (scale, scale_of) = (i64::from(part), i64::from(of));
    let of = taper_of * scale_of;

    // What a network says is told even where that is nothing.
    let terms = evaluator.terms();
    let mut counts: Vec<(usize, i32, i32)> = breakdown.counts().collect();
    let says = terms.iter().position(|term| term.group == NETWORK);
    if let Some(term) = says.filter(|it| counts.iter().all(|(counted, ..)| counted != it)) {
        counts.push((term, 0, 0));
        counts.sort_unstable();
    }
    let rows: Vec<Row> = counts
        .into_iter()
        .map(|(term, white, black)| {
            let Term {
                group,
                ref label,
                middle_game,
                end_game,
                ..
            } = terms[term];
            let each = i64::from(middle_game) * taper * scale_of
                + i64::from(end_game) * (taper_of - taper) * scale;
            Row {
                group: group.to_owned(),
                label: label.clone(),
                white,
                black,
                middle_game,
                end_game,
                contribution: Exact {
                    parts: i64::from(white - black) * each,
                    of,
                },
            }
        })
        .collect();

    let sum: i64 = rows.iter().map(|row| row.contribution.parts).sum();
    Explanation {
        evaluator: evaluator.name(),
        fen: position.fen(),
        rows,
        taper: breakdown.taper(),
        scale: breakdown.scale(),
        rounding: Exact {
            parts: i64::from(white_score) * of - sum,
            of,
        },
        white_score,
        score,
    }
}

impl Explanation {
    /// What each group adds to White's score, in the order of the table.
    pub fn groups(&self) -> Vec<(&str, Exact)> {
        let mut groups: Vec<(&str, Exact)> = Vec::new();
        for row in &self.rows {
            match groups.last_mut() {
                Some((group, sum)) if *group == row.group => sum.parts += row.contribution.parts,
                _ => groups.push((&row.group, row.contribution)),
            }
        }
        groups
    }
}
