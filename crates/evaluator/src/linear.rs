//! Linear evaluators as breeding sees them: a list of weights, and positions as
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

use mendel_board::{Color, Position};

use crate::any::with_evaluator;
use crate::paper::AnyPaper;
use crate::{
    AnyEvaluator, Centipawns, Classic, Cwu, Evaluator, EvaluatorError, Linear, Share, Trace,
    classic,
};

/// One weight that can be bred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weight {
    /// What it is called: `passed_pawn.mg`, `mobility_knight[3].eg`, or without a
    /// phase `bishop_pair`.
    pub name: String,
    /// The number of its term.
    pub term: usize,
    /// When it counts.
    pub phase: Phase,
    /// Centipawns for each count.
    pub value: i32,
    /// Whether it stays as it is: what it counts was bred with it.
    pub fixed: bool,
}

/// The part of the game in which a weight counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The middle game.
    Middle,
    /// The end game.
    End,
    /// The whole game: the evaluator has no taper.
    Both,
}

/// One position as the coefficients of the terms, as the side to move sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coefficients {
    /// The number of a term and how much more of it the side to move has; by
    /// rising number, without zeros.
    pub counts: Vec<(u16, i16)>,
    /// The share of middle-game weights.
    pub taper: Share,
    /// The share of the end-game part that counts.
    pub scale: Share,
}

impl Coefficients {
    /// What an evaluator with these weights (middle game, end game, in the order
    /// of its terms) says of the position: the evaluator's own score.
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
    let limit = i64::from(<Classic as Evaluator>::LIMIT.0);
    Centipawns(score.clamp(-limit, limit) as i32)
}

/// Turns positions into coefficients, one after the other.
///
/// What it keeps between positions makes it quick: one for each thread, not one
/// for each position.
#[derive(Debug)]
pub struct Counting<'a> {
    evaluator: &'a AnyEvaluator,
    /// A place for each term: how much more of it White has.
    counts: Vec<i32>,
    /// The classic evaluator's; it stays unused while somebody listens, but is
    /// too large to be made for each position.
    scratch: Option<classic::Scratch>,
}

impl Counting<'_> {
    /// The position as coefficients.
    ///
    /// # Panics
    ///
    /// If a term counts more than an `i16` holds, which no legal position brings
    /// about.
    pub fn coefficients(&mut self, position: &Position) -> Coefficients {
        // 1. Let the evaluator tell.
        let mut listener = Listener {
            counts: &mut self.counts,
            taper: Share::WHOLE,
            scale: Share::WHOLE,
        };
        match (self.evaluator, &mut self.scratch) {
            (AnyEvaluator::Classic(classic), Some(scratch)) => {
                classic.evaluate(position, scratch, &mut listener);
            }
            (other, _) => {
                with_evaluator!(other, evaluator => listen(evaluator, position, &mut listener));
            }
        }
        let Listener { taper, scale, .. } = listener;

        // 2. Gather what is not zero, and leave the places zero for the next.
        let sign = match position.turn() {
            Color::White => 1,
            Color::Black => -1,
        };
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

fn listen<E: Evaluator>(evaluator: &E, position: &Position, listener: &mut Listener) {
    evaluator.evaluate(position, &mut E::Scratch::default(), listener);
}

/// Keeps what White has more than Black.
struct Listener<'a> {
    counts: &'a mut [i32],
    taper: Share,
    scale: Share,
}

impl Trace for Listener<'_> {
    const LISTENS: bool = true;

    #[inline]
    fn term(&mut self, term: usize, side: Color, count: i32) {
        self.counts[term] += match side {
            Color::White => count,
            Color::Black => -count,
        };
    }

    fn taper(&mut self, middle_game: Share) {
        self.taper = middle_game;
    }

    fn scale(&mut self, end_game: Share) {
        self.scale = end_game;
    }
}

impl AnyEvaluator {
    /// Whether the weights have a phase; `None` where there are none to breed.
    fn tapers(&self) -> Option<bool> {
        match self {
            Self::Classic(_) => Some(true),
            _ => self.paper().map(AnyPaper::tapers),
        }
    }

    /// The weights that can be bred, term by term, of each term the middle game
    /// first; empty where there are none.
    ///
    /// Of a network these are all its numbers, in parts of [`ONE`](crate::mlp::ONE)
    /// instead of centipawns; of CWU-Chess all ten, in parts of
    /// [`cwu::ONE`](crate::cwu::ONE).
    pub fn weights(&self) -> Vec<Weight> {
        if let Some(weights) = self.network_weights() {
            return weights;
        }
        let Some(tapers) = self.tapers() else {
            return Vec::new();
        };
        let terms = self.terms();
        let mut weights = Vec::with_capacity(2 * terms.len());
        let mut first = 0;
        for (number, term) in terms.iter().enumerate() {
            if term.group != terms[first].group {
                first = number;
            }
            let alone = term.label.is_empty();
            let name = if alone {
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
                    fixed: term.group == classic::NETWORK,
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

    /// The numbers of a network.
    fn network_weights(&self) -> Option<Vec<Weight>> {
        if let Self::Cwu(cwu) = self {
            let pairs = crate::cwu::FEATURES.iter().zip(cwu.weights());
            let weight = |(term, (feature, &value)): (usize, (&crate::Feature, &i32))| Weight {
                name: feature.name.to_owned(),
                term,
                phase: Phase::Both,
                value,
                fixed: false,
            };
            return Some(pairs.enumerate().map(weight).collect());
        }
        let (names, numbers) = match self {
            Self::Graph(graph) => (graph.names(), graph.numbers()),
            Self::Mlp(mlp) => (mlp.names(), mlp.numbers()),
            _ => return None,
        };
        let pairs = names.into_iter().zip(numbers);
        let weight = |(name, &value)| Weight {
            name,
            term: crate::mlp::NETWORK,
            phase: Phase::Both,
            value,
            fixed: false,
        };
        Some(pairs.map(weight).collect())
    }

    /// The weights as pairs, middle game and end game, in the order of the terms.
    pub fn pairs(&self) -> Vec<[i32; 2]> {
        let pair = |term: &crate::Term| [term.middle_game, term.end_game];
        self.terms().iter().map(pair).collect()
    }

    /// The same kind of evaluator with other weights, in the order of
    /// [`weights`](Self::weights).
    ///
    /// # Errors
    ///
    /// If there are more or fewer than it has, or one is out of range.
    pub fn with_weights(&self, values: &[i32]) -> Result<Self, EvaluatorError> {
        match self {
            Self::Cwu(_) => return Cwu::new(values).map(Self::Cwu),
            Self::Graph(graph) => return graph.with_numbers(values).map(Self::Graph),
            Self::Mlp(mlp) => return mlp.with_numbers(values).map(Self::Mlp),
            _ => {}
        }
        let kind = self.kind();
        let tapers = self.tapers().ok_or(EvaluatorError::Fixed { kind })?;
        let needed = self.terms().len() * if tapers { 2 } else { 1 };
        if values.len() != needed {
            return Err(EvaluatorError::WrongCount {
                kind,
                needed,
                found: values.len(),
            });
        }
        let pairs: Vec<[i32; 2]> = if tapers {
            values
                .chunks_exact(2)
                .map(|pair| [pair[0], pair[1]])
                .collect()
        } else {
            values.iter().map(|&value| [value; 2]).collect()
        };
        match self {
            Self::Classic(classic) => {
                let network = classic.network().cloned();
                let classic = Classic::from_pairs(&pairs)?.with_network(network);
                Ok(Self::Classic(classic))
            }
            Self::David(_) => Linear::from_pairs(&pairs).map(Self::David),
            Self::Gerald(_) => Linear::from_pairs(&pairs).map(Self::Gerald),
            Self::Lambda(_) => Linear::from_pairs(&pairs).map(Self::Lambda),
            Self::Teaching(_) => Linear::from_pairs(&pairs).map(Self::Teaching),
            Self::Cwu(_)
            | Self::Graph(_)
            | Self::Material(_)
            | Self::Mlp(_)
            | Self::Random(_)
            | Self::Vision(_) => Err(EvaluatorError::Fixed { kind }),
        }
    }

    /// What turns positions into coefficients; `None` if the evaluator has no
    /// weights to breed.
    pub fn counting(&self) -> Option<Counting<'_>> {
        self.tapers()?;
        Some(Counting {
            evaluator: self,
            counts: vec![0; self.terms().len()],
            scratch: matches!(self, Self::Classic(_)).then(classic::Scratch::default),
        })
    }

    /// One position as coefficients; for many, [`counting`](Self::counting) is
    /// far quicker. `None` if the evaluator has no weights to breed.
    pub fn coefficients(&self, position: &Position) -> Option<Coefficients> {
        Some(self.counting()?.coefficients(position))
    }
}
