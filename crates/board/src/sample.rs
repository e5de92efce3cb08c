//! Random legal positions, for tests and benchmarks.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::Position;

/// The position after `plies` random legal moves from the start, or where the
/// game ended before; the same seed gives the same position.
pub fn random_position(seed: u64, plies: usize) -> Position {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = Position::initial();
    for _ in 0..plies {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        position.play(moves[rng.random_range(0..moves.len())]);
    }
    position
}

/// `count` random positions from all stages of random games.
pub fn random_positions(seed: u64, count: usize) -> impl Iterator<Item = Position> {
    const LONGEST: u64 = 160;
    (0..count as u64).map(move |index| {
        let mixed = seed ^ index.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        random_position(mixed, (mixed % LONGEST) as usize)
    })
}
