//! Limited strength, in the way of people: a short horizon, wrong judgement, and overlooked
//! answers of the opponent.
//!
//! A [`Level`] says how much; a [`StrengthTable`] says which level is worth how
//! many Elo, by games that were played ([`levels`](StrengthTable::levels)). Three
//! things make a level weak:
//!
//! * **nodes**: it sees less far. A search that ends early does not see the
//!   combination that begins behind its last ply, and neither does a person.
//! * **noise**: it misjudges. The score of a line is off by an amount that belongs
//!   to the position at the end of the line, so that it stays wrong about the same
//!   plan for as long as it follows it, instead of changing its mind by dice.
//! * **oversight**: it overlooks. An answer of the opponent that it does not see is
//!   overlooked for all its own moves alike; the line is then worth what stands on
//!   the board after its own move. Taking back is almost never overlooked, other
//!   captures less often than quiet moves.
//!
//! Everything follows from the game and the seed: the same game, the same move,
//! on every machine and whatever was searched before.
//!
//! # Source
//!
//! That a choice among several root moves with a random part weakens play, and
//! that a target is named by `UCI_LimitStrength` and `UCI_Elo`: the UCI protocol
//! (Meyer-Kahlen and Huber, 2000) and the field since. Noise tied to the position:
//! after Beal and Smith, "Random Evaluations in Chess", ICCA Journal 17(1), 1994.
//!
//! # Where this differs
//!
//! The random part has no state and no clock; overlooking is drawn for the
//! opponent's answer and not for our own move, since the best of thirty moves
//! that are each overlooked now and then would always be a blunder.

mod table;

use mendel_board::{Game, Move, Position};

pub use table::{StrengthTable, StrengthTableError};

use crate::search::RootMove;
use crate::search::score::{MATE, WIN_BOUND};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Moves made in a thought; null moves included.
    pub nodes: u64,
    /// Moves worse than the best by at most this many centipawns get an exact score, too;
    /// noise and oversight choose among them.
    pub margin: i32,
    /// How far its judgement is off: the standard deviation in centipawns.
    pub noise: i32,
    /// The chance to overlook an answer of the opponent.
    pub oversight: f64,
}

/// A level, and the chance in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    pub level: Level,
    /// The same seed and the same game, the same move.
    pub seed: u64,
}

/// What a draw is for; draws for different purposes are independent.
#[derive(Clone, Copy)]
enum Purpose {
    Noise = 1,
    Answer = 2,
    Own = 3,
}

impl Level {
    /// How far below the best root moves need an exact score.
    pub(crate) fn window(&self) -> i32 {
        if self.is_exact() {
            0
        } else {
            self.margin.max(1)
        }
    }

    /// Whether the best move it finds is always the move it plays.
    pub(crate) fn is_exact(&self) -> bool {
        self.noise <= 0 && self.oversight <= 0.0
    }
}

impl Strength {
    /// The move it plays: an index into `seen`, the root moves whose scores are
    /// known, the best first. `judge` is the static score of a position for its
    /// side to move.
    pub(crate) fn choose(
        &self,
        game: &Game,
        seen: &[RootMove],
        judge: &mut dyn FnMut(&Position) -> i32,
    ) -> usize {
        let perceived = |index: usize| self.perceive(game, &seen[index], judge);
        let scores: Vec<i32> = (0..seen.len()).map(perceived).collect();
        // A move of its own that it overlooks is not there, unless all are.
        let is_seen = |index: &usize| !self.misses_own(game, &seen[*index]);
        let best = |a: usize, b: usize| if scores[b] > scores[a] { b } else { a };
        (0..seen.len())
            .filter(is_seen)
            .reduce(best)
            .or_else(|| (0..seen.len()).reduce(best))
            .unwrap_or(0)
    }

    /// What it thinks a line is worth.
    fn perceive(
        &self,
        game: &Game,
        line: &RootMove,
        judge: &mut dyn FnMut(&Position) -> i32,
    ) -> i32 {
        let root = game.position();
        let after = root.after(line.m);

        // 1. Without the answer that it overlooks, what stands on the board.
        let overlooked = line
            .line
            .get(1)
            .is_some_and(|&answer| self.overlooks(root, line.m, answer));
        let score = if overlooked && !after.is_check() {
            -judge(&after)
        } else {
            line.score
        };

        // 2. What is proved is not a matter of judgement.
        if score.abs() >= WIN_BOUND {
            return score;
        }

        // 3. Judgement, off by what belongs to the end of the line.
        let end = line.line.iter().skip(1).fold(after, |at, &m| at.after(m));
        score + (self.normal(end.key()) * f64::from(self.level.noise)) as i32
    }

    /// Whether the opponent's `answer` to `m` is overlooked, here and now: the same
    /// for all moves that it answers.
    fn overlooks(&self, root: &Position, m: Move, answer: Move) -> bool {
        let visible = if answer.is_capture() && answer.to() == m.to() {
            0.15
        } else if answer.is_capture() {
            0.6
        } else {
            1.0
        };
        let drawn = self.draw(Purpose::Answer, moment(root) ^ squares(answer));
        uniform(drawn) < self.level.oversight * visible
    }

    /// Whether it does not think of its own move: seldom, never of taking back, and
    /// of a mate on the spot only where it overlooks much.
    fn misses_own(&self, game: &Game, line: &RootMove) -> bool {
        let taken = game.moves().last().filter(|last| last.is_capture());
        if taken.is_some_and(|last| last.to() == line.m.to()) {
            return false;
        }
        let visible = if line.score == MATE - 1 || line.m.is_capture() {
            0.25
        } else {
            0.5
        };
        let drawn = self.draw(Purpose::Own, moment(game.position()) ^ squares(line.m));
        uniform(drawn) < self.level.oversight * visible
    }

    /// A number from a bell curve of width 1 that belongs to `key`: the sum of
    /// four even draws, so that no more than 3.5 ever comes out. The general
    /// `mendel_evolve::normal` draws from a generator and has no such bound, and its
    /// crate is not below this one.
    fn normal(&self, key: u64) -> f64 {
        let drawn = self.draw(Purpose::Noise, key);
        let sum: u64 = (0..4).map(|part| (drawn >> (16 * part)) & 0xFFFF).sum();
        let mean = 2.0 * 65_535.0;
        // The deviation of the sum of four even numbers below 2^16.
        let deviation = 65_536.0 / 1.732_050_807_568_877_2;
        (sum as f64 - mean) / deviation
    }

    fn draw(&self, purpose: Purpose, key: u64) -> u64 {
        mendel_board::mix(key ^ mendel_board::mix(self.seed ^ ((purpose as u64) << 56)))
    }
}

/// A position at its place in the game: the draws differ when it comes again.
fn moment(position: &Position) -> u64 {
    mendel_board::mix(position.key() ^ u64::from(position.fullmoves()))
}

/// The squares of a move as a number that differs for each two.
fn squares(m: Move) -> u64 {
    let from = m.from().map_or(64, |square| square as u64);
    mendel_board::mix(from << 8 | m.to() as u64)
}

/// From 0 to 1, from the upper bits of a draw.
pub(crate) fn uniform(drawn: u64) -> f64 {
    (drawn >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strength(seed: u64) -> Strength {
        let level = Level {
            nodes: 100,
            margin: 1000,
            noise: 100,
            oversight: 0.3,
        };
        Strength { level, seed }
    }

    #[test]
    fn noise_is_a_bell_curve_of_width_one() {
        let strength = strength(7);
        let drawn: Vec<f64> = (0..20_000).map(|key| strength.normal(key)).collect();
        let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
        let variance = drawn.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
        let variance = variance / drawn.len() as f64;
        assert!(mean.abs() < 0.03, "{mean}");
        assert!((variance - 1.0).abs() < 0.04, "{variance}");
        assert!(drawn.iter().all(|x| x.abs() < 3.5));
    }

    #[test]
    fn another_seed_draws_anew_and_the_same_seed_the_same() {
        let bits = |seed, key| strength(seed).normal(key).to_bits();
        assert_eq!(bits(1, 99), bits(1, 99));
        let differ = (0..100).filter(|&key| bits(1, key) != bits(2, key));
        assert!(differ.count() > 95);
    }

    #[test]
    fn overlooking_is_as_frequent_as_it_says_and_rare_for_recaptures() {
        let (mut quiet, mut back) = (0, 0);
        let root = Position::from_fen("3r2k1/8/8/3p4/8/8/8/3Q2K1 w - - 0 1").expect("a position");
        let take = root.parse_uci("d1d5").expect("a move");
        let next = root.after(take);
        let retake = next.parse_uci("d8d5").expect("a move");
        let aside = next.parse_uci("g8f8").expect("a move");
        for seed in 0..4000 {
            quiet += usize::from(strength(seed).overlooks(&root, take, aside));
            back += usize::from(strength(seed).overlooks(&root, take, retake));
        }
        assert!((1000..1400).contains(&quiet), "{quiet}");
        assert!((100..260).contains(&back), "{back}");
    }
}
