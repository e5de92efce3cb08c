//! What the evaluators of the papers share: a list of terms with a weight each.
//!
//! A paper supplies what is counted ([`Paper::count`]), how the game goes over
//! into the end game ([`Paper::taper`]) and the names of the weights
//! ([`Paper::FEATURES`], made by [`features!`]); adding up, reading and writing
//! are the same for all.

use std::fmt::Write as _;
use std::marker::PhantomData;

use mendel_board::{Color, Position};
use toml::{Table, Value};

use crate::any::{nearest, quote};
use crate::linear::add_up;
use crate::packed::Packed;
use crate::{Centipawns, Evaluator, EvaluatorError, Share, Term, Trace};

/// One term of a paper's evaluator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The name, also the key in a player file.
    pub name: &'static str,
    /// What is counted, in a sentence.
    pub about: &'static str,
    /// The largest weight, without sign, that a player file may hold.
    pub limit: i32,
}

/// Declares the terms of a paper: a sentence that says what is counted, the name,
/// and in brackets the largest weight where it is not 2000. Each name becomes a
/// constant, the term's number; all of them are `FEATURES`.
macro_rules! features {
    ($($(#[doc = $about:literal])+ $name:ident $(($limit:literal))?;)+) => {
        #[allow(non_camel_case_types, reason = "a term is called the same everywhere")]
        #[allow(dead_code, reason = "only the numbers of the variants are used")]
        enum Order { $($name),+ }

        $(
            $(#[doc = $about])+
            #[allow(non_upper_case_globals, reason = "a term is called the same everywhere")]
            pub(super) const $name: usize = Order::$name as usize;
        )+

        /// All terms, in the order of their numbers.
        pub const FEATURES: &[$crate::Feature] = &[$($crate::Feature {
            name: stringify!($name),
            about: concat!($($about),+).trim_ascii_start(),
            limit: [2000, $($limit)?][{ const COUNT: usize = [0, $($limit)?].len(); COUNT - 1 }],
        }),+];
    };
}
pub(crate) use features;

/// The evaluation of a paper, as far as it is not like the others.
pub trait Paper: Copy + Eq + std::fmt::Debug + Send + Sync + 'static {
    /// What a player file calls it.
    const KIND: &'static str;
    /// Its terms, at most [`MOST`].
    const FEATURES: &'static [Feature];
    /// Whether a term has a weight for the middle game and one for the end game,
    /// or one for the whole game.
    const TAPERED: bool;

    /// Tells how often each side has each term; what is told twice adds up.
    fn count(position: &Position, tell: &mut impl FnMut(usize, Color, i32));

    /// The share of the middle-game weights; the whole where there is no taper.
    fn taper(_position: &Position) -> Share {
        Share::WHOLE
    }
}

/// The most terms a paper may have.
pub const MOST: usize = 64;

/// The evaluator of the paper `P` with its weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear<P> {
    /// In the order of the terms; those beyond the last are zero. An array, so
    /// that an index known to the compiler needs no check.
    weights: Box<[Packed; MOST]>,
    paper: PhantomData<P>,
}

impl<P: Paper> Linear<P> {
    const FITS: () = assert!(P::FEATURES.len() <= MOST, "a paper has too many terms");

    /// How a weight is written in a player file.
    const FORM: &'static str = if P::TAPERED {
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
        let names = || P::FEATURES.iter().map(|feature| feature.name);
        if let Some(key) = table.keys().find(|key| names().all(|name| name != *key)) {
            return Err(EvaluatorError::UnknownWeight {
                kind: P::KIND,
                key: key.chars().take(60).collect(),
                nearest: nearest(key, names()),
            });
        }
        let mut pairs = Vec::with_capacity(P::FEATURES.len());
        for feature in P::FEATURES {
            let key = feature.name;
            let value = table.get(key).ok_or(EvaluatorError::MissingWeight {
                kind: P::KIND,
                key,
                form: Self::FORM,
            })?;
            let pair = match (value, value.as_array().map(Vec::as_slice)) {
                (Value::Integer(weight), _) if !P::TAPERED => [*weight; 2],
                (_, Some([Value::Integer(middle_game), Value::Integer(end_game)]))
                    if P::TAPERED =>
                {
                    [*middle_game, *end_game]
                }
                _ => {
                    return Err(EvaluatorError::NoWeight {
                        key,
                        found: quote(value),
                        form: Self::FORM,
                    });
                }
            };
            feature.in_range(pair)?;
            pairs.push(pair.map(|weight| weight as i32));
        }
        Ok(Self::new(&pairs))
    }

    /// The evaluator with these weights, middle game and end game, in the order of
    /// the terms. Without a taper only the first of a pair counts.
    ///
    /// # Errors
    ///
    /// If there are more or fewer than terms, or one is out of range.
    pub fn from_pairs(pairs: &[[i32; 2]]) -> Result<Self, EvaluatorError> {
        if pairs.len() != P::FEATURES.len() {
            let each = if P::TAPERED { 2 } else { 1 };
            return Err(EvaluatorError::WrongCount {
                kind: P::KIND,
                needed: each * P::FEATURES.len(),
                found: each * pairs.len(),
            });
        }
        for (feature, pair) in P::FEATURES.iter().zip(pairs) {
            feature.in_range(pair.map(i64::from))?;
        }
        Ok(Self::new(pairs))
    }

    fn new(pairs: &[[i32; 2]]) -> Self {
        let () = Self::FITS;
        let mut weights = Box::new([Packed::default(); MOST]);
        for (weight, &[middle_game, end_game]) in weights.iter_mut().zip(pairs) {
            let end_game = if P::TAPERED { end_game } else { middle_game };
            *weight = Packed::new(middle_game, end_game);
        }
        Self {
            weights,
            paper: PhantomData,
        }
    }

    /// The weights, middle game and end game, in the order of the terms.
    pub fn pairs(&self) -> Vec<[i32; 2]> {
        self.weights[..P::FEATURES.len()]
            .iter()
            .map(|weight| [weight.middle_game(), weight.end_game()])
            .collect()
    }

    /// The table `[evaluator.weights]` of a player file.
    pub fn to_toml(&self) -> Table {
        let value = |[middle_game, end_game]: [i32; 2]| {
            if P::TAPERED {
                Value::Array(vec![Value::from(middle_game), Value::from(end_game)])
            } else {
                Value::from(middle_game)
            }
        };
        P::FEATURES
            .iter()
            .zip(self.pairs())
            .map(|(feature, pair)| (feature.name.to_owned(), value(pair)))
            .collect()
    }

    /// The same table as text for people, with what each term counts.
    ///
    /// # Panics
    ///
    /// Never: a string takes what is written.
    pub fn to_toml_text(&self) -> String {
        let mut text = String::new();
        let table = self.to_toml();
        for Feature { name, about, .. } in P::FEATURES {
            writeln!(text, "\n# {about}\n{name} = {}", table[*name])
                .expect("a string takes what is written");
        }
        text
    }
}

impl Feature {
    fn in_range(&self, pair: [i64; 2]) -> Result<(), EvaluatorError> {
        let limit = i64::from(self.limit);
        match pair
            .into_iter()
            .find(|weight| !(-limit..=limit).contains(weight))
        {
            None => Ok(()),
            Some(found) => Err(EvaluatorError::WeightOutOfRange {
                key: self.name,
                found,
                limit: self.limit,
            }),
        }
    }
}

/// What does not depend on the paper, for whoever does not know which it is.
pub(crate) trait AnyPaper {
    fn tapers(&self) -> bool;
    fn to_toml(&self) -> Table;
    fn to_toml_text(&self) -> String;
}

impl<P: Paper> AnyPaper for Linear<P> {
    fn tapers(&self) -> bool {
        P::TAPERED
    }

    fn to_toml(&self) -> Table {
        self.to_toml()
    }

    fn to_toml_text(&self) -> String {
        self.to_toml_text()
    }
}

impl<P: Paper> Evaluator for Linear<P> {
    type Scratch = ();

    fn name(&self) -> String {
        P::KIND.to_owned()
    }

    fn terms(&self) -> Vec<Term> {
        P::FEATURES
            .iter()
            .zip(self.pairs())
            .map(|(feature, [middle_game, end_game])| Term {
                group: feature.name,
                label: String::new(),
                about: feature.about,
                middle_game,
                end_game,
            })
            .collect()
    }

    fn evaluate(
        &self,
        position: &Position,
        (): &mut Self::Scratch,
        trace: &mut impl Trace,
    ) -> Centipawns {
        let mut score = Packed::default();
        P::count(position, &mut |term, side, count| {
            trace.term(term, side, count);
            let worth = self.weights[term].times(count);
            match side {
                Color::White => score += worth,
                Color::Black => score -= worth,
            }
        });
        let taper = P::taper(position);
        trace.taper(taper);
        let white = add_up(
            score.middle_game().into(),
            score.end_game().into(),
            taper,
            Share::WHOLE,
        );
        match position.turn() {
            Color::White => white,
            Color::Black => Centipawns(-white.0),
        }
    }
}
