//! Linear evaluators as breeding uses them: a list of weights, and positions as
//! lists of coefficients.
//!
//! ```
//! use mendel_board::Position;
//! # let player: toml::Table = include_str!("../../../players/mendel.toml").parse()?;
//! # let table = player["evaluator"].as_table().expect("a table");
//! let evaluator = mendel_evaluator::AnyEvaluator::from_toml(table)?;
//!
//! let row = evaluator.coefficients(&Position::initial()).expect("it is linear");
//! assert_eq!(row.score(&evaluator.pairs()), evaluator.evaluate(&Position::initial()));
//!
//! let mut values: Vec<i32> = evaluator.weights().iter().map(|weight| weight.value).collect();
//! values[0] += 1;
//! assert_ne!(evaluator.with_weights(&values)?, evaluator);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;

use mendel_board::{Color, Position};

use crate::{Centipawns, Evaluator, EvaluatorError, Share, Term, Trace};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weight {
    /// `passed_pawn.mg`, `mobility_knight[3].eg`, or without a phase `bishop_pair`.
    pub name: String,
    pub term: usize,
    pub phase: Phase,
    /// Centipawns for each count.
    pub value: i32,
    /// Whether breeding leaves it as it is, because what it counts was bred with it.
    pub fixed: bool,
}

/// The part of the game in which a weight counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Middle,
    End,
    /// The whole game: the evaluator has no taper.
    Both,
}

/// The weights of a linear evaluator, term by term, of each term the middle game
/// first; those of the group `fixed` are not bred.
pub(crate) fn weights_of(terms: &[Term], tapers: bool, fixed: &str) -> Vec<Weight> {
    let mut weights = Vec::with_capacity(2 * terms.len());
    let mut first = 0;
    for (number, term) in terms.iter().enumerate() {
        if term.group != terms[first].group {
            first = number;
        }
        let name = if term.label.is_empty() {
            term.group.to_owned()
        } else {
            format!("{}[{}]", term.group, number - first)
        };
        let mut add = |name, phase, value| {
            weights.push(Weight {
                name,
                term: number,
                phase,
                value,
                fixed: term.group == fixed,
            });
        };
        if tapers {
            add(format!("{name}.mg"), Phase::Middle, term.middle_game);
            add(format!("{name}.eg"), Phase::End, term.end_game);
        } else {
            add(name, Phase::Both, term.middle_game);
        }
    }
    weights
}

/// Values in the order of [`weights_of`] as pairs, middle game and end game.
pub(crate) fn pairs_of(
    kind: &'static str,
    terms: usize,
    tapers: bool,
    values: &[i32],
) -> Result<Vec<[i32; 2]>, EvaluatorError> {
    let needed = terms * if tapers { 2 } else { 1 };
    if values.len() != needed {
        return Err(EvaluatorError::WrongCount {
            kind,
            needed,
            found: values.len(),
        });
    }
    Ok(if tapers {
        values.as_chunks().0.to_vec()
    } else {
        values.iter().map(|&value| [value; 2]).collect()
    })
}

/// One position as the coefficients of the terms, relative to the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coefficients {
    /// The number of a term and how much more of it the side to move has; by
    /// rising number, without zeros.
    pub counts: Vec<(u16, i16)>,
    pub taper: Share,
    pub scale: Share,
}

impl Coefficients {
    /// The score that an evaluator with these weights (middle game, end game, in the
    /// order of its terms) gives the position.
    ///
    /// # Panics
    ///
    /// If there are fewer weights than terms.
    pub fn score(&self, pairs: &[[i32; 2]]) -> Centipawns {
        let (mut middle_game, mut end_game) = (0, 0);
        for &(term, count) in &self.counts {
            let [mg, eg] = pairs[usize::from(term)];
            middle_game += i64::from(mg) * i64::from(count);
            end_game += i64::from(eg) * i64::from(count);
        }
        add_up(middle_game, end_game, self.taper, self.scale)
    }
}

/// Taper, scale, rounding towards zero, and the limit.
#[inline]
pub(crate) fn add_up(middle_game: i64, end_game: i64, taper: Share, scale: Share) -> Centipawns {
    let [part, of] = [taper.part, taper.of].map(i64::from);
    let [scale, scale_of] = [scale.part, scale.of].map(i64::from);
    let score = (middle_game * part * scale_of + end_game * (of - part) * scale) / (of * scale_of);
    let limit = i64::from(Centipawns::LIMIT.0);
    Centipawns(score.clamp(-limit, limit) as i32)
}

/// Turns positions into coefficients, one after the other. It keeps the caches of one
/// thread, so use one for each thread, not one for each position.
pub struct Counting<'a> {
    evaluate: Box<Evaluate<'a>>,
    /// For each term how much more of it White has.
    counts: Vec<i32>,
}

type Evaluate<'a> = dyn FnMut(&Position, &mut Difference<'_>) + Send + 'a;

impl fmt::Debug for Counting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counting").finish_non_exhaustive()
    }
}

impl<'a> Counting<'a> {
    pub(crate) fn new<E: Evaluator>(evaluator: &'a E) -> Self {
        let mut cache = E::Scratch::default();
        Self {
            counts: vec![0; evaluator.terms().len()],
            evaluate: Box::new(move |position, difference| {
                evaluator.evaluate(position, &mut cache, difference);
            }),
        }
    }

    /// The position as coefficients.
    ///
    /// # Panics
    ///
    /// If a term counts more than an `i16` holds, which no legal position brings
    /// about.
    pub fn coefficients(&mut self, position: &Position) -> Coefficients {
        let mut difference = Difference {
            counts: &mut self.counts,
            taper: Share::WHOLE,
            scale: Share::WHOLE,
        };
        (self.evaluate)(position, &mut difference);
        let Difference { taper, scale, .. } = difference;

        // Gather what is not zero, and leave the places zero for the next position.
        let sign = position.turn().fold_wb(1, -1);
        let mut counts = Vec::with_capacity(64);
        for (term, count) in self.counts.iter_mut().enumerate() {
            if *count != 0 {
                let count = i16::try_from(sign * std::mem::take(count))
                    .expect("a term counts what is on one board");
                counts.push((term as u16, count));
            }
        }
        Coefficients {
            counts,
            taper,
            scale,
        }
    }
}

/// Records how much more of each term White has than Black.
struct Difference<'a> {
    counts: &'a mut [i32],
    taper: Share,
    scale: Share,
}

impl Trace for Difference<'_> {
    const LISTENS: bool = true;

    #[inline]
    fn term(&mut self, term: usize, side: Color, count: i32) {
        self.counts[term] += side.fold_wb(count, -count);
    }

    fn taper(&mut self, middle_game: Share) {
        self.taper = middle_game;
    }

    fn scale(&mut self, end_game: Share) {
        self.scale = end_game;
    }
}
