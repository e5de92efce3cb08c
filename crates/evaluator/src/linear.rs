//! Published evaluators that are a list of terms with a weight each.
//!
//! A model supplies what is counted ([`LinearModel::count`]), the transition into the
//! end game ([`LinearModel::taper`]) and the names of the weights
//! ([`LinearModel::FEATURES`], made by [`features!`]); adding up, reading and writing
//! are the same for all.

use std::marker::PhantomData;
use std::ops::RangeInclusive;

use mendel_board::{Color, Position};
use toml::{Table, Value};

use crate::coefficients::{Weight, add_up, pairs_of, weights_of};
use crate::packed::Packed;
use crate::player_file::{PlayerEvaluator, TableReader, nearest, quote, shortened};
use crate::{Centipawns, Evaluator, EvaluatorError, Share, Term, Trace};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Also the key in a player file.
    pub name: &'static str,
    /// What is counted, in a sentence.
    pub about: &'static str,
    /// The largest weight, without sign, that a player file may hold.
    pub limit: i32,
}

/// Declares the terms of a model: a sentence that says what is counted, the name,
/// and in brackets the largest weight where it is not 2000. Each name becomes a
/// constant, the term's number; all of them are `FEATURES`.
macro_rules! features {
    ($($(#[doc = $about:literal])+ $name:ident $(($limit:literal))?;)+) => {
        #[allow(non_camel_case_types, reason = "a term is called the same everywhere")]
        #[allow(dead_code, reason = "only the numbers of the variants are used")]
        enum TermIndex { $($name),+ }

        $(
            $(#[doc = $about])+
            #[allow(non_upper_case_globals, reason = "a term is called the same everywhere")]
            pub(super) const $name: usize = TermIndex::$name as usize;
        )+

        pub const FEATURES: &[$crate::Feature] = &[$($crate::Feature {
            name: stringify!($name),
            about: concat!($($about),+).trim_ascii_start(),
            limit: [2000, $($limit)?][{ const COUNT: usize = [0, $($limit)?].len(); COUNT - 1 }],
        }),+];
    };
}
pub(crate) use features;

/// A published evaluation: what it counts.
pub trait LinearModel: Copy + Eq + std::fmt::Debug + Send + Sync + 'static {
    /// The value of `kind` in a player file.
    const KIND: &'static str;
    /// At most [`MAX_TERMS`].
    const FEATURES: &'static [Feature];
    /// Whether a term has a weight for the middle game and one for the end game,
    /// or one for the whole game.
    const TAPERED: bool;

    /// Reports how often each side has each term; repeated reports of a term add up.
    fn count(position: &Position, tell: &mut impl FnMut(usize, Color, i32));

    /// The share of the middle-game weights; the whole where there is no taper.
    fn taper(_position: &Position) -> Share {
        Share::WHOLE
    }
}

pub const MAX_TERMS: usize = 64;

/// The model `M` with its weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearEvaluator<M> {
    /// In the order of the terms; those beyond the last are zero. An array, so
    /// that an index known to the compiler needs no check.
    weights: Box<[Packed; MAX_TERMS]>,
    model: PhantomData<M>,
}

impl<M: LinearModel> LinearEvaluator<M> {
    const FITS: () = assert!(M::FEATURES.len() <= MAX_TERMS, "a model has too many terms");

    /// How a weight is written in a player file.
    const FORM: &'static str = if M::TAPERED {
        "[middle game, end game]"
    } else {
        "a weight"
    };

    /// Reads the table `[evaluator.weights]` of a player file: a key for each
    /// term, with a pair `[middle game, end game]` or a single weight.
    ///
    /// # Errors
    ///
    /// If a weight is missing, unknown, of the wrong form or out of range.
    pub fn from_toml(table: &Table) -> Result<Self, EvaluatorError> {
        let pair = |value: &Value| match (value, value.as_array().map(Vec::as_slice)) {
            (Value::Integer(weight), _) if !M::TAPERED => Some([*weight; 2]),
            (_, Some(&[Value::Integer(middle_game), Value::Integer(end_game)])) if M::TAPERED => {
                Some([middle_game, end_game])
            }
            _ => None,
        };
        let pairs = read_weights(M::KIND, M::FEATURES, Self::FORM, table, pair, range)?;
        Ok(Self::new(&pairs))
    }

    /// The evaluator with these weights, middle game and end game, in the order of
    /// the terms. Without a taper only the first of a pair counts.
    ///
    /// # Errors
    ///
    /// If there are more or fewer than terms, or one is out of range.
    pub fn from_pairs(pairs: &[[i32; 2]]) -> Result<Self, EvaluatorError> {
        if pairs.len() != M::FEATURES.len() {
            let each = if M::TAPERED { 2 } else { 1 };
            return Err(EvaluatorError::WrongCount {
                kind: M::KIND,
                needed: each * M::FEATURES.len(),
                found: each * pairs.len(),
            });
        }
        for (feature, pair) in M::FEATURES.iter().zip(pairs) {
            feature.check(&pair.map(i64::from), range(feature))?;
        }
        Ok(Self::new(pairs))
    }

    fn new(pairs: &[[i32; 2]]) -> Self {
        let () = Self::FITS;
        let mut weights = Box::new([Packed::default(); MAX_TERMS]);
        for (weight, &[middle_game, end_game]) in weights.iter_mut().zip(pairs) {
            let end_game = if M::TAPERED { end_game } else { middle_game };
            *weight = Packed::new(middle_game, end_game);
        }
        Self {
            weights,
            model: PhantomData,
        }
    }

    /// The weights, middle game and end game, in the order of the terms.
    pub fn pairs(&self) -> Vec<[i32; 2]> {
        self.weights[..M::FEATURES.len()]
            .iter()
            .map(|weight| [weight.middle_game(), weight.end_game()])
            .collect()
    }
}

impl<M: LinearModel> PlayerEvaluator for LinearEvaluator<M> {
    const KIND: &'static str = M::KIND;
    const IS_LINEAR: bool = true;

    fn read(table: &Table) -> Result<Self, EvaluatorError> {
        Self::from_toml(TableReader::new(M::KIND, table, &["weights"])?.weights()?)
    }

    fn weights_toml(&self) -> Option<Table> {
        let value = |[middle_game, end_game]: [i32; 2]| {
            if M::TAPERED {
                Value::Array(vec![Value::from(middle_game), Value::from(end_game)])
            } else {
                Value::from(middle_game)
            }
        };
        let names = M::FEATURES.iter().map(|feature| feature.name.to_owned());
        Some(names.zip(self.pairs().into_iter().map(value)).collect())
    }

    fn weights(&self) -> Vec<Weight> {
        weights_of(&self.terms(), M::TAPERED, "")
    }

    fn with_weights(&self, values: &[i32]) -> Result<Self, EvaluatorError> {
        let pairs = pairs_of(M::KIND, M::FEATURES.len(), M::TAPERED, values)?;
        Self::from_pairs(&pairs)
    }
}

/// Reads a weight for each feature. `read` gets the numbers of a value, which is
/// written in the given form, and `range` is what they may be.
pub(crate) fn read_weights<const N: usize>(
    kind: &'static str,
    features: &'static [Feature],
    form: &'static str,
    table: &Table,
    read: impl Fn(&Value) -> Option<[i64; N]>,
    range: impl Fn(&Feature) -> RangeInclusive<i64>,
) -> Result<Vec<[i32; N]>, EvaluatorError> {
    let names = || features.iter().map(|feature| feature.name);
    if let Some(key) = table.keys().find(|key| names().all(|name| name != *key)) {
        return Err(EvaluatorError::UnknownWeight {
            kind,
            key: shortened(key),
            nearest: nearest(key, names()),
        });
    }
    let weight = |feature: &Feature| {
        let key = feature.name;
        let missing = EvaluatorError::MissingWeight { kind, key, form };
        let value = table.get(key).ok_or(missing)?;
        let numbers = read(value).ok_or_else(|| {
            let found = quote(value);
            EvaluatorError::NoWeight { key, found, form }
        })?;
        feature.check(&numbers, range(feature))?;
        Ok(numbers.map(|number| number as i32))
    };
    features.iter().map(weight).collect()
}

fn range(feature: &Feature) -> RangeInclusive<i64> {
    let limit = i64::from(feature.limit);
    -limit..=limit
}

impl Feature {
    pub(crate) fn check(
        &self,
        numbers: &[i64],
        range: RangeInclusive<i64>,
    ) -> Result<(), EvaluatorError> {
        match numbers.iter().find(|number| !range.contains(number)) {
            None => Ok(()),
            Some(&found) => Err(EvaluatorError::WeightOutOfRange {
                key: self.name,
                found,
                limit: self.limit,
            }),
        }
    }
}

impl<M: LinearModel> Evaluator for LinearEvaluator<M> {
    type Scratch = ();

    fn name(&self) -> String {
        M::KIND.to_owned()
    }

    fn terms(&self) -> Vec<Term> {
        let term = |(feature, [middle_game, end_game]): (&Feature, [i32; 2])| Term {
            group: feature.name,
            label: String::new(),
            about: feature.about,
            middle_game,
            end_game,
        };
        M::FEATURES.iter().zip(self.pairs()).map(term).collect()
    }

    fn evaluate(
        &self,
        position: &Position,
        (): &mut Self::Scratch,
        trace: &mut impl Trace,
    ) -> Centipawns {
        let mut score = Packed::default();
        M::count(position, &mut |term, side, count| {
            trace.term(term, side, count);
            let worth = self.weights[term].times(count);
            match side {
                Color::White => score += worth,
                Color::Black => score -= worth,
            }
        });
        let taper = M::taper(position);
        trace.taper(taper);
        let white = add_up(
            score.middle_game().into(),
            score.end_game().into(),
            taper,
            Share::WHOLE,
        );
        Centipawns(position.turn().fold_wb(white.0, -white.0))
    }
}
