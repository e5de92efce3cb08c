//! The classic evaluator: hand-made terms, each linear in its weights.
//!
//! A position decides how often each term of [`GROUPS`] counts for each side; a
//! player file decides what one count is worth in the middle game and in the end
//! game. The score is
//!
//! ```text
//! middle game × taper + end game × (1 − taper) × scale
//! ```
//!
//! where taper and scale depend on the position alone. Because neither looks at
//! the score, the score is linear in the weights, and breeding may treat a
//! position as a row of numbers.

mod endings;
mod facts;
mod king;
mod passed;
mod pawns;
mod pieces;
mod scale;
mod table;
mod terms;
mod threats;
mod weights;

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use mendel_board::{Color, Position, mix};
use toml::{Table, Value};

use self::facts::{BISHOP, Facts, KNIGHT, QUEEN, ROOK};
use self::table::PawnTable;
pub use self::terms::{COUNT, GROUPS, Group};
use crate::coefficients::{Weight, pairs_of, weights_of};
use crate::network::NnueCache;
use crate::packed::Packed;
use crate::player_file::{PlayerEvaluator, TableReader};
use crate::side::{Black, Side, White};
use crate::{Centipawns, Evaluator, EvaluatorError, Network, Share, Silent, Term, Trace};

#[derive(Clone)]
pub struct Classic {
    weights: Box<[Packed; COUNT]>,
    /// Material and square added, by kind of piece and by square as the piece's
    /// side sees it: the two are always counted together.
    placed: Box<[[Packed; 64]; 6]>,
    /// Judges beside the terms.
    network: Option<Arc<Network>>,
    /// Keeps what one set of weights stored from being read with another.
    fingerprint: u64,
}

/// What one thread of the classic evaluator keeps between calls.
#[derive(Debug, Default)]
pub struct Scratch {
    pawns: PawnTable,
    network: NnueCache,
}

/// Heavy pieces left, from which the taper is made: full middle game with
/// [`FULL`] or more, end game with [`BARE`] or fewer.
const FULL: i32 = 22;
const BARE: i32 = 4;

struct Sum<'a, T> {
    classic: &'a Classic,
    trace: &'a mut T,
    score: Packed,
}

impl<T: Trace> Sum<'_, T> {
    #[inline(always)]
    fn add<S: Side>(&mut self, term: usize, count: i32) {
        self.trace.term(term, S::COLOR, count);
        self.put::<S>(self.classic.weights[term].times(count));
    }

    #[inline(always)]
    fn one<S: Side>(&mut self, term: usize) {
        self.trace.term(term, S::COLOR, 1);
        self.put::<S>(self.classic.weights[term]);
    }

    /// `S` has a piece of the kind on the square (an index as `S` sees it).
    #[inline(always)]
    fn place<S: Side>(&mut self, role: usize, square: usize) {
        if T::LISTENS {
            if role < facts::KING {
                self.trace.term(terms::material.at(role), S::COLOR, 1);
            }
            let term = terms::square_pawn.at(square) + 64 * role;
            self.trace.term(term, S::COLOR, 1);
        }
        self.put::<S>(self.classic.placed[role][square]);
    }

    #[inline(always)]
    fn put<S: Side>(&mut self, value: Packed) {
        match S::COLOR {
            Color::White => self.score += value,
            Color::Black => self.score -= value,
        }
    }
}

impl Classic {
    /// Reads the table `[evaluator.weights]` of a player file.
    ///
    /// # Errors
    ///
    /// If a group is missing, unknown, of the wrong length or out of range.
    pub fn from_toml(table: &Table) -> Result<Self, EvaluatorError> {
        weights::read(table).map(|pairs| Self::new(&pairs))
    }

    /// The evaluator with other weights, in the order of [`pairs`](Self::pairs).
    ///
    /// # Errors
    ///
    /// If there are more or fewer than terms, or one is out of range.
    pub fn from_pairs(pairs: &[[i32; 2]]) -> Result<Self, EvaluatorError> {
        weights::check(pairs).map(|()| Self::new(pairs))
    }

    fn new(pairs: &[[i32; 2]]) -> Self {
        let mut weights = Box::new([Packed::default(); COUNT]);
        let mut fingerprint = 0;
        for (weight, &[middle_game, end_game]) in weights.iter_mut().zip(pairs) {
            *weight = Packed::new(middle_game, end_game);
            fingerprint = mix(fingerprint ^ middle_game as u64);
            fingerprint = mix(fingerprint ^ end_game as u64);
        }
        let mut placed = Box::new([[Packed::default(); 64]; 6]);
        for (role, squares) in placed.iter_mut().enumerate() {
            for (square, value) in squares.iter_mut().enumerate() {
                *value = weights[terms::square_pawn.at(square) + 64 * role];
                if role < facts::KING {
                    *value = value.plus(weights[terms::material.at(role)]);
                }
            }
        }
        Self {
            weights,
            placed,
            network: None,
            fingerprint,
        }
    }

    /// The evaluator with a network beside its terms; what it says counts as much
    /// as the weight `network` says.
    #[must_use]
    pub fn with_network(mut self, network: Option<Arc<Network>>) -> Self {
        self.network = network;
        self
    }

    /// The evaluator with this network, which counts in full.
    #[must_use]
    pub fn judging_with(mut self, network: Arc<Network>) -> Self {
        self.weights[terms::network.first] = Packed::new(1, 1);
        self.with_network(Some(network))
    }

    pub fn network(&self) -> Option<&Arc<Network>> {
        self.network.as_ref()
    }

    /// The weights, middle game and end game, in the order of the terms.
    pub fn pairs(&self) -> Vec<[i32; 2]> {
        let pair = |weight: &Packed| [weight.middle_game(), weight.end_game()];
        self.weights.iter().map(pair).collect()
    }

    /// The terms from pawns and kings, cached unless the trace listens.
    #[inline]
    fn pawns<T: Trace>(
        &self,
        position: &Position,
        facts: &Facts,
        scratch: &mut Scratch,
        trace: &mut T,
    ) -> table::Pawns {
        if T::LISTENS {
            return pawns::judge(self, facts, trace);
        }
        let key = position.pawn_key() ^ self.fingerprint;
        scratch
            .pawns
            .get(key, || pawns::judge(self, facts, &mut Silent))
    }
}

impl PlayerEvaluator for Classic {
    const KIND: &'static str = "classic";
    const IS_LINEAR: bool = true;

    fn read(table: &Table) -> Result<Self, EvaluatorError> {
        let table = TableReader::new(Self::KIND, table, &["weights", "network"])?;
        let classic = Self::from_toml(table.weights()?)?;
        let Some(value) = table.get("network") else {
            return Ok(classic);
        };
        let bytes = value.as_str().map(|text| BASE64_STANDARD.decode(text));
        let network = bytes.and_then(|bytes| Network::from_bytes(&bytes.ok()?));
        let network = network.ok_or(EvaluatorError::Network {
            bytes: Network::BYTES,
        })?;
        Ok(classic.with_network(Some(Arc::new(network))))
    }

    fn entries(&self) -> Vec<(&'static str, Value)> {
        let text = |network: &Arc<Network>| BASE64_STANDARD.encode(network.to_bytes());
        let network = self.network.iter();
        network.map(|it| ("network", text(it).into())).collect()
    }

    fn weights_toml(&self) -> Option<Table> {
        Some(weights::write(&self.pairs()))
    }

    fn weights(&self) -> Vec<Weight> {
        weights_of(&self.terms(), true, terms::network.name)
    }

    fn with_weights(&self, values: &[i32]) -> Result<Self, EvaluatorError> {
        let classic = Self::from_pairs(&pairs_of(Self::KIND, COUNT, true, values)?)?;
        Ok(classic.with_network(self.network.clone()))
    }
}

impl Evaluator for Classic {
    type Scratch = Scratch;

    fn name(&self) -> String {
        Self::KIND.to_owned()
    }

    fn terms(&self) -> Vec<Term> {
        let mut terms = Vec::with_capacity(COUNT);
        for group in GROUPS {
            for index in 0..group.length {
                let weight = self.weights[group.first + index];
                terms.push(Term {
                    group: group.name,
                    label: group.label(index),
                    about: group.about(),
                    middle_game: weight.middle_game(),
                    end_game: weight.end_game(),
                });
            }
        }
        terms
    }

    fn evaluate(
        &self,
        position: &Position,
        scratch: &mut Scratch,
        trace: &mut impl Trace,
    ) -> Centipawns {
        // 1. What is known before anything is counted.
        let mut facts = Facts::new(position.board());

        // 2. Pawns and kings, which seldom change.
        let pawns = self.pawns(position, &facts, scratch, trace);
        let mut sum = Sum {
            classic: self,
            trace,
            score: pawns.score,
        };

        // 3. The pieces of both sides; this completes the attacks.
        pieces::count::<White, _>(&mut sum, &mut facts, &pawns, position);
        pieces::count::<Black, _>(&mut sum, &mut facts, &pawns, position);

        // 4. What needs the attacks of both sides.
        let turn = position.turn();
        king::castling::<White, _>(&mut sum, position);
        king::castling::<Black, _>(&mut sum, position);
        king::count::<White, _>(&mut sum, &facts, &pawns);
        king::count::<Black, _>(&mut sum, &facts, &pawns);
        threats::count::<White, _>(&mut sum, &facts);
        threats::count::<Black, _>(&mut sum, &facts);
        passed::count::<White, _>(&mut sum, &facts, &pawns, turn);
        passed::count::<Black, _>(&mut sum, &facts, &pawns, turn);

        // 5. Endings without pawns, and the move.
        endings::count::<White, _>(&mut sum, &facts);
        endings::count::<Black, _>(&mut sum, &facts);
        match turn {
            Color::White => sum.one::<White>(terms::tempo.first),
            Color::Black => sum.one::<Black>(terms::tempo.first),
        }

        // 6. What the network says.
        if let Some(network) = &self.network {
            let said = network.evaluate(position, &mut scratch.network);
            match turn {
                Color::White => sum.add::<White>(terms::network.first, said),
                Color::Black => sum.add::<Black>(terms::network.first, said),
            }
        }

        // 7. Taper, scale and rounding, towards zero for either side.
        let score = sum.score;
        let phase = phase(&facts);
        let scale = scale::scale(&facts);
        trace.taper(Share {
            part: phase,
            of: FULL - BARE,
        });
        trace.scale(Share {
            part: scale,
            of: scale::FULL,
        });
        let middle_game = i64::from(score.middle_game() * phase) * i64::from(scale::FULL);
        let end_game = i64::from(score.end_game() * (FULL - BARE - phase)) * i64::from(scale);
        let white = (middle_game + end_game) / i64::from((FULL - BARE) * scale::FULL);
        let white = white.clamp(-i64::from(Self::LIMIT.0), i64::from(Self::LIMIT.0)) as i32;
        Centipawns(match turn {
            Color::White => white,
            Color::Black => -white,
        })
    }
}

/// How much of the middle game is left, from 0 to `FULL - BARE`.
#[inline]
fn phase(facts: &Facts) -> i32 {
    let count = |role| facts.count::<White>(role) + facts.count::<Black>(role);
    let heavy = count(KNIGHT) + count(BISHOP) + 2 * count(ROOK) + 4 * count(QUEEN);
    heavy.clamp(BARE, FULL) - BARE
}

/// The derived tables follow from the weights.
impl PartialEq for Classic {
    fn eq(&self, other: &Self) -> bool {
        self.weights == other.weights && self.network == other.network
    }
}

impl Eq for Classic {}

/// A thousand weights say nothing in a log.
impl fmt::Debug for Classic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Classic")
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}
