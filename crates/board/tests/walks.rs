//! Random games: what the laws are tried on.

use mendel_board::{Move, Position};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Starts that make the rare moves common: castling, en passant, promotion.
const RICH: [&str; 5] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "4k3/pppppppp/8/PPPPPPPP/8/8/8/4K3 b - - 0 1",
    "8/PPPP2k1/8/8/8/8/pppp2K1/8 w - - 0 1",
];

/// Calls `visit` with a position, a legal move and the position after it, along
/// random games from the usual start, Chess960 starts and rich middle games,
/// until `count` moves were played.
pub(crate) fn walk(seed: u64, count: usize, mut visit: impl FnMut(&Position, Move, &Position)) {
    const LONGEST: usize = 120;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut played = 0;
    for game in 0.. {
        let mut position = match game % 4 {
            0 => Position::initial(),
            1 | 2 => Position::chess960(rng.random_range(0..960)).expect("below 960"),
            _ => {
                let fen = RICH[rng.random_range(0..RICH.len())];
                Position::from_fen(fen).expect("the table is right")
            }
        };
        for _ in 0..LONGEST {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let rare = moves.iter().find(|m| m.is_castle() || m.is_en_passant());
            let m = match rare {
                Some(&m) if rng.random_range(0..2) == 0 => m,
                _ => moves[rng.random_range(0..moves.len())],
            };
            let next = position.after(m);
            visit(&position, m, &next);
            position = next;
            played += 1;
            if played == count {
                return;
            }
        }
    }
}

/// `count` positions from such games.
pub(crate) fn positions(seed: u64, count: usize) -> Vec<Position> {
    let mut positions = Vec::new();
    walk(seed, count, |_, _, next| positions.push(next.clone()));
    positions
}
