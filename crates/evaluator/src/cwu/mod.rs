//! The network of CWU-Chess: ten inputs, ten weights and a rectifier.
//!
//! The output is the sum of the inputs times their weights, and 0 where that is
//! negative: a side that stands badly sees no difference between bad and worse. An
//! input is what the side to move has more than the other. At a fixed depth of two
//! plies without quiescence, as in the paper, the side to move at a leaf is the one
//! that thinks, so that the rectifier judges from the root player's side.
//!
//! Networks with a hidden layer over the same inputs are [`Mlp`](crate::Mlp) with
//! [`Input::Cwu`](crate::Input::Cwu), which are ours.
//!
//! # Source
//!
//! Lemley, Andonie, Odah, Heer, Widger, Erkul, Magill and Littlefield, "CWU-Chess: An
//! Adaptive Chess Program that Improves After Each Game", section III.B.
//!
//! # Where this differs
//!
//! * The paper says little of a weight; here it is a number of 16 bits in −1 to 1,
//!   in parts of [`ONE`], and an output of 1 is worth [`PAWN`] centipawns.
//! * Isolated pawns are isolated in the usual sense, where the paper's gloss says
//!   unprotected.
//! * A piece that can give check is one with at least one move that attacks the king
//!   itself: pins and discovered checks are not looked at.
//! * An input that the paper counts for one side is here the difference of both
//!   sides, as those that it counts for both.

mod count;
mod terms;

use std::ops::RangeInclusive;

use mendel_board::{Color, Position};
use toml::{Table, Value};

pub(crate) use self::count::label;
pub use self::count::normalised;
pub use self::terms::FEATURES;
use crate::coefficients::{Phase, Weight};
use crate::linear::read_weights;
use crate::player_file::{PlayerEvaluator, TableReader};
use crate::{Centipawns, Evaluator, EvaluatorError, Feature, Share, Term, Trace};

pub const COUNT: usize = 10;

/// One, among the weights.
pub const ONE: i32 = 1 << 15;

/// Centipawns for an output of one: a power of two, so that terms are exact fractions.
pub const PAWN: i32 = 128;

/// The term behind the inputs: what the rectifier adds.
const RECTIFIER: usize = COUNT;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cwu {
    weights: [i32; COUNT],
}

impl Cwu {
    /// The network with these weights, in parts of [`ONE`].
    ///
    /// # Errors
    ///
    /// If there are more or fewer than inputs, or one is not in −1 to 1.
    pub fn new(weights: &[i32]) -> Result<Self, EvaluatorError> {
        let Ok(weights) = <[i32; COUNT]>::try_from(weights) else {
            return Err(EvaluatorError::WrongCount {
                kind: Self::KIND,
                needed: COUNT,
                found: weights.len(),
            });
        };
        for (feature, &weight) in FEATURES.iter().zip(&weights) {
            feature.check(&[weight.into()], range(feature))?;
        }
        Ok(Self { weights })
    }

    /// Reads the table `[evaluator.weights]` of a player file.
    ///
    /// # Errors
    ///
    /// If a weight is missing, unknown, no whole number or out of range.
    pub fn from_toml(table: &Table) -> Result<Self, EvaluatorError> {
        let weight = |value: &Value| value.as_integer().map(|weight| [weight]);
        let weights = read_weights(Self::KIND, FEATURES, "a weight", table, weight, range)?;
        Self::new(weights.as_flattened())
    }
}

/// Sixteen bits reach one further below zero than above.
fn range(feature: &Feature) -> RangeInclusive<i64> {
    -i64::from(ONE)..=i64::from(feature.limit)
}

impl PlayerEvaluator for Cwu {
    const KIND: &'static str = "cwu";

    fn read(table: &Table) -> Result<Self, EvaluatorError> {
        Self::from_toml(TableReader::new(Self::KIND, table, &["weights"])?.weights()?)
    }

    fn weights_toml(&self) -> Option<Table> {
        let pairs = FEATURES.iter().zip(self.weights);
        let entry = |(feature, weight): (&Feature, i32)| (feature.name.to_owned(), weight.into());
        Some(pairs.map(entry).collect())
    }

    fn weights(&self) -> Vec<Weight> {
        let weight = |(term, (feature, value)): (usize, (&Feature, i32))| Weight {
            name: feature.name.to_owned(),
            term,
            phase: Phase::Both,
            value,
            fixed: false,
        };
        let pairs = FEATURES.iter().zip(self.weights);
        pairs.enumerate().map(weight).collect()
    }

    fn with_weights(&self, values: &[i32]) -> Result<Self, EvaluatorError> {
        Self::new(values)
    }
}

impl Evaluator for Cwu {
    type Scratch = ();

    fn name(&self) -> String {
        Self::KIND.to_owned()
    }

    fn terms(&self) -> Vec<Term> {
        let term = |group, about, weight| Term {
            group,
            label: String::new(),
            about,
            middle_game: weight,
            end_game: weight,
        };
        let inputs = FEATURES.iter().zip(self.weights);
        inputs
            .map(|(feature, weight)| term(feature.name, feature.about, weight))
            .chain([term(
                "rectifier",
                "What is added so that no sum is below zero.",
                1,
            )])
            .collect()
    }

    fn evaluate(
        &self,
        position: &Position,
        (): &mut Self::Scratch,
        trace: &mut impl Trace,
    ) -> Centipawns {
        let [white, black] = count::both(position);
        let mut sum = 0;
        for term in 0..COUNT {
            trace.term(term, Color::White, white[term]);
            trace.term(term, Color::Black, black[term]);
            sum += self.weights[term] * (white[term] - black[term]);
        }
        let own = position.turn().fold_wb(sum, -sum);
        if own < 0 {
            trace.term(RECTIFIER, position.turn(), -own);
        }
        // The weights count at every stage of the game, each part of one as much.
        trace.taper(Share { part: 0, of: 1 });
        trace.scale(Share {
            part: 1,
            of: ONE / PAWN,
        });
        let score = own.max(0) / (ONE / PAWN);
        Centipawns(score.min(Self::LIMIT.0))
    }
}
