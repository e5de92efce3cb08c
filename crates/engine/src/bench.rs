//! The signature: one number that changes when play changes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mendel_board::{Game, Position};

use crate::{Control, Engine, Limits, Options, Player};

/// What a bench run counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bench {
    /// Moves made over all positions: the signature.
    pub nodes: u64,
    /// Time it took.
    pub time: Duration,
}

impl Bench {
    /// Nodes a second.
    pub fn nps(&self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(1e-9)) as u64
    }
}

/// The depth of a bench where none is asked for.
pub const DEPTH: u32 = 12;

/// Searches every position of [`POSITIONS`] to `depth` with one thread and a
/// fresh memory each, and tells `progress` the index and nodes of each.
///
/// # Panics
///
/// Never: the positions are tested.
pub fn run(player: &Arc<Player>, depth: u32, progress: &mut dyn FnMut(usize, u64)) -> Bench {
    let mut engine = Engine::new(Arc::clone(player), Options::default())
        .expect("options without book and tables cannot be refused");
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let mut bench = Bench {
        nodes: 0,
        time: Duration::ZERO,
    };
    for (index, fen) in POSITIONS.iter().enumerate() {
        let game = Game::new(Position::from_fen(fen).expect("the positions are tested"));
        engine.new_game();
        let start = Instant::now();
        let best = engine.go(&game, &limits, &Control::default(), &mut |_| {});
        bench.time += start.elapsed();
        bench.nodes += best.nodes;
        progress(index, best.nodes);
    }
    bench
}

/// All stages of the game, all material, quiet and wild: openings that everybody
/// knows, middle games and endings from games of the program against itself, and
/// a few constructed ones.
pub const POSITIONS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
    "r1bqkbnr/1ppp1ppp/p1n5/4p3/B3P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 1 4",
    "rnbqkb1r/ppp1pp1p/5np1/3p4/2PP4/2N5/PP2PPPP/R1BQKBNR w KQkq - 0 4",
    "rnbqk2r/pppp1ppp/4pn2/8/1bPP4/2N5/PP2PPPP/R1BQKBNR w KQkq - 2 4",
    "r1bqkb1r/pp2pppp/2np1n2/6B1/3NP3/2N5/PPP2PPP/R2QKB1R b KQkq - 4 6",
    "rnbqkb1r/ppp2ppp/8/3pP3/3Pn3/5N2/PPP2PPP/RNBQKB1R b KQkq - 0 5",
    "r1bq1rk1/ppp1ppbp/2np1np1/8/2PPP3/2N2N2/PP2BPPP/R1BQ1RK1 b - - 3 7",
    "r2q1rk1/pp1bppbp/2np1np1/8/2BNP3/2N1BP2/PPPQ2PP/R3K2R b KQ - 7 10",
    "r1bq1rk1/1p2bppp/p1nppn2/8/3NP3/1BN1B3/PPP2PPP/R2Q1RK1 w - - 2 10",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "2rq1rk1/pb2bppp/1pn1pn2/2pp4/2PP4/1PN1PN2/PB2BPPP/2RQ1RK1 w - - 4 11",
    "r2qr1k1/1b2bppp/p1n1pn2/1p1p4/3P4/1BN1PN2/PP3PPP/R1BQR1K1 w - - 0 14",
    "r1b2rk1/2q1bppp/p2ppn2/1p4P1/3NPP2/2N1B3/PPP4P/2KR1BQR b - - 0 13",
    "3r1rk1/p1q2ppp/1pn1bn2/2p1p3/4P3/1PP1BNP1/P1Q2PBP/R4RK1 b - - 2 17",
    "r2q1rk1/1b1nbppp/pp1ppn2/8/2PQP3/1PN2NP1/PB3PBP/R2R2K1 w - - 4 12",
    "5rk1/1pq1bppp/p1b1p3/4P3/1n1N1P2/2N1Q3/PP4PP/1B1R2K1 w - - 5 24",
    "1r1q1rk1/3bbppp/p2pp3/1pn1n3/3NP3/P1N1BP2/1PPQB1PP/1K1R3R w - - 4 17",
    "r4rk1/ppq2pp1/2p1bn1p/4p3/P3P3/2P1NQ1P/1P3PP1/R2R2K1 b - - 3 20",
    "2r2rk1/1bqnbpp1/1p1ppn1p/pP6/N1P1P3/P2B1N1P/1B2QPP1/R2R2K1 b - - 0 1",
    "3q2k1/pb3p1p/4pbp1/2r5/PpN2N2/1P2P2P/5PP1/Q2R2K1 b - - 4 26",
    "6k1/6p1/6Pp/ppp5/3pn2P/1P3K2/1PP2P2/3N4 b - - 0 1",
    "3b4/5kp1/1p1p1p1p/pP1PpP1P/P1P1P3/3KN3/8/8 w - - 0 1",
    "8/6pk/1p6/8/PP3p1p/5P2/4KP1q/3Q4 w - - 0 1",
    "7k/3p2pp/4q3/8/4Q3/5Kp1/P6b/8 w - - 0 1",
    "8/2p5/8/2kPKp1p/2p4P/2P5/3P4/8 w - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/3k4/8/8/8/4B3/4KB2/2B5 w - - 0 1",
    "8/8/3P3k/8/1p6/8/1P6/1K3n2 b - - 0 1",
    "8/R7/2q5/8/6k1/8/1P5p/K6R w - - 0 124",
    "6k1/3b3r/1p1p4/p1n2p2/1PPNpP1q/P3Q1p1/1R1RB1P1/5K2 b - - 0 1",
    "r2r1n2/pp2bk2/2p1p2p/3q4/3PN1QP/2P3R1/P4PP1/5RK1 w - - 0 1",
    "8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 1",
    "8/8/8/5N2/8/p7/8/2NK3k w - - 0 1",
    "8/8/1P6/5pr1/8/4R3/7k/2K5 w - - 0 1",
    "8/2p4P/8/kr6/6R1/8/8/1K6 w - - 0 1",
    "8/8/3k4/3p4/3P4/2PK4/8/8 b - - 0 1",
    "5k2/7R/4P2p/5K2/p1r2P1p/8/8/8 b - - 0 1",
    "4k3/3q1r2/1N2r1b1/3ppN2/2nPP3/1B1R2n1/2R1Q3/3K4 w - - 5 1",
    "r3k2r/3nnpbp/q2pp1p1/p7/Pp1PPPP1/4BNN1/1P5P/R2Q1RK1 w kq - 0 16",
    "4rrk1/pp1n3p/3q2pQ/2p1pb2/2PP4/2P3N1/P2B2PP/4RRK1 b - - 7 19",
    "r1bbk1nr/pp3p1p/2n5/1N4p1/2Np1B2/8/PPP2PPP/2KR1B1R w kq - 0 13",
    "8/1p3pp1/7p/5P1P/2k3P1/8/2K2P2/8 w - - 0 1",
    "1k6/1P6/2K5/8/8/6p1/6P1/8 w - - 0 1",
    "2K5/p7/7P/5pR1/8/5k2/r7/8 w - - 0 1",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_positions_are_legal_distinct_and_enough() {
        let mut seen = std::collections::BTreeSet::new();
        for fen in POSITIONS {
            let position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{error}"));
            assert!(!position.legal_moves().is_empty(), "{fen}");
            assert!(seen.insert(position.key()), "{fen} stands twice");
        }
        assert!(seen.len() >= 40);
    }
}
