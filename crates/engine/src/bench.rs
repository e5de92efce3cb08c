//! The signature: one number that changes when play changes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mendel_board::{Game, Position};

use crate::{Control, Engine, Limits, Options, Player};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bench {
    /// Moves made over all positions: the signature.
    pub nodes: u64,
    pub time: Duration,
}

impl Bench {
    pub fn nps(&self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(1e-9)) as u64
    }
}

/// The depth of a bench where none is asked for.
pub const DEPTH: u32 = 12;

/// Searches every position of [`POSITIONS`] to `depth` with one thread and a
/// fresh memory each, and tells `progress` the index and nodes of each.
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

/// The start, and positions from games of the program against itself at 1,500
/// nodes a move from `data/openings.epd`: twelve openings, fourteen and eleven
/// middle games, eight endings.
pub const POSITIONS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkb1r/1pp4p/3p2P1/p1n1ppP1/P7/3PP3/RPP2P2/1NBQKBNR b Kkq - 0 5",
    "r2k1bnr/2pb3p/2n2pp1/p3p3/1P2P3/2P2N2/5PPP/RNB1KB1R b K - 0 8",
    "r1bqkb1r/2ppnpp1/p1n4p/8/2P2B2/P1NB1N2/5PPP/R2QK2R w KQkq - 2 8",
    "rn2kb1r/ppn1qppp/2p1b3/4N3/3Pp3/N1P3P1/PP3P1P/R1BQKB1R w KQkq - 1 7",
    "rnbqkb1r/p1p1p1p1/1p1p1n1p/8/3PN3/5P2/PPP2KPP/R1BQ1BNR b kq - 0 3",
    "r1bqkb1r/pppp2p1/2n5/3Q1p2/7p/5N2/PPP1PPPP/R1B1KB1R b kq - 0 5",
    "r2q1bn1/pb1k2p1/1pn1ppNr/2pP3B/8/N3P3/PP1P1PPP/R1BQK2R b KQ - 0 7",
    "r1bqkb1r/pp3p1p/n1p3n1/3p2P1/3P1B2/2N5/PPP1PPB1/R2QK2R w Qkq - 4 7",
    "r1b1kb1r/p5p1/2n1pp2/2p4p/1p2PPnP/P5N1/1PP3P1/1RB1KBNR w kq - 0 9",
    "r1bqk1nr/pp1ppp1p/2n3p1/2p3b1/4P3/2N5/PPPPNPPP/R1BQKB1R w KQkq - 2 2",
    "r2qkbnr/pp2ppp1/2n5/3p1b1p/P2P4/5N1P/1P2PPP1/RNBQKB1R w KQkq - 1 3",
    "r1bqk2r/pp1p1pp1/2p1pn1p/3n4/P2P4/2P1PN2/5PPP/RN1QKB1R w kq - 1 7",
    "3r1rk1/pb3npp/1pn1pq2/3p1p2/2PP1P1N/1P4PP/P2N2BK/R1Q2R2 w - - 3 17",
    "r2q1rk1/2n1bpp1/3p1n1p/pppP4/4PP2/P1N1BN1P/1PQ3P1/R4RK1 w - - 0 12",
    "5bk1/1p5p/2p3p1/3p1p2/P2Pn3/1P3NP1/5BKP/8 b - - 0 21",
    "2r2rk1/pp4p1/2q1p2p/3p1n2/P2Pp3/2P2PP1/3BP1KP/1R1Q1R2 w - - 2 17",
    "r2qkb1r/1b1n1pp1/ppnB3p/4p3/3pP2P/PN3PP1/1PP1N3/R2QKB1R w KQkq - 2 11",
    "r3kb1r/pp1b1pp1/1q2pn2/3p4/1Pn5/P1N1P1PP/2PBN1BK/R1Q2R2 b kq - 4 11",
    "4k2r/2r2pp1/1Nbb2n1/2p1p1Pp/P1BpPn1P/3N1P2/1B1P4/2R1K2R b Kk - 2 19",
    "2kr2nr/pp1npp2/1qp1b2b/3pPP1p/3P2pP/P1NB4/1PPBN1P1/R2Q1K1R b - - 0 11",
    "r1bqk2r/ppp4p/5p2/3pPn2/2n5/P1P1BPPP/P3N1BK/1RQ2R2 w kq - 1 15",
    "r3r1k1/ppp2p2/2p5/6qp/4P1bR/1PP2P2/P1QN2P1/R3K3 w Q - 1 13",
    "r4rk1/1pq2pp1/1nb3n1/p2p3p/Pb1PP3/3BBP2/2QNNKPP/R6R b - - 1 15",
    "4r1k1/pb3r1p/4pp1Q/1Bpp3N/3nP3/1P3N1P/2PK1PP1/q6R b - - 1 17",
    "r2qk1r1/1bp2p2/p1n1p2p/3p1n2/1b1P1B2/1PNBPN2/2PQ1P2/R3K2R b KQq - 1 15",
    "r1b1kb2/5pp1/p1p1pn1r/q1p5/P2Pp2P/2P2N2/1P3P2/RNBQK2R w KQq - 0 10",
    "1r5k/r4Bp1/7p/1p1p4/1b6/8/3N2PP/5RK1 w - - 0 34",
    "r5k1/3P1p1p/p5p1/1p1b2P1/3N3P/4KP2/8/6R1 b - - 0 31",
    "6k1/R4pp1/P3p2p/2R1n3/8/6PP/r2r1PB1/6K1 b - - 4 27",
    "q5k1/5pb1/N2Qp1p1/6P1/5P2/4P3/5K2/6N1 w - - 1 33",
    "5b2/p4k2/2b4p/4p3/2P1P1pP/1P4P1/P4P2/4R1K1 b - - 2 27",
    "5r1k/6pp/8/3B4/4p3/3nP3/5rPP/4R1K1 w - - 2 30",
    "6k1/2p3pp/8/4r3/8/Pn2pK1P/8/4R3 b - - 1 36",
    "8/6p1/bp1kP3/p2P4/2P3P1/2K5/2N5/6r1 b - - 0 37",
    "1r6/3B1pk1/1b5p/3p4/2p2n2/R1P2N2/1PK2P2/8 w - - 6 35",
    "2rr4/pp5k/5pp1/8/3Pp1pp/4P2P/PP3P1K/2RR4 w - - 0 31",
    "8/8/1R3bk1/2Rbp2p/6pP/6r1/8/5K2 b - - 3 36",
    "8/r7/2R4P/8/8/1p1k2PK/5P2/8 w - - 1 53",
    "8/8/R4pp1/7p/7P/2k5/p5K1/r7 b - - 7 62",
    "8/8/8/Bp6/2k5/8/q7/2K5 w - - 0 75",
    "3r4/8/2K1B3/8/4R3/2k5/8/8 b - - 24 72",
    "6B1/8/7p/1pb4P/1k4P1/p7/2K5/8 w - - 20 70",
    "8/8/6p1/2q3k1/2R1P3/1K6/8/8 b - - 8 49",
    "K7/7k/3NQ3/8/8/8/1r6/8 b - - 0 75",
    "8/8/8/8/4K3/1k6/8/6q1 b - - 1 75",
];
