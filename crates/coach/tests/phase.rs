//! Phases of a game.

use mendel_board::Position;
use mendel_coach::Phase;

#[test]
fn a_game_goes_from_the_opening_to_the_ending() {
    for (fen, phase) in [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            Phase::Opening,
        ),
        // White has castled and connected the rooks: three men on the first rank.
        (
            "r1bq1rk1/ppp1bppp/2np1n2/4p3/2B1P3/2NPBN2/PPPQ1PPP/R4RK1 w - - 0 9",
            Phase::MiddleGame,
        ),
        (
            "r4rk1/ppp1qppp/3p1n2/4p3/4P3/3P1N2/PPP1QPPP/R4RK1 w - - 0 14",
            Phase::MiddleGame,
        ),
        (
            "4r1k1/ppp2ppp/3p1n2/8/8/3P1N2/PPP2PPP/4R1K1 w - - 0 20",
            Phase::Ending,
        ),
        ("8/5k2/8/8/8/8/5K2/8 w - - 0 60", Phase::Ending),
    ] {
        let position = Position::from_fen(fen).expect("a position");
        assert_eq!(Phase::of(&position), phase, "{fen}");
        assert_eq!(Phase::of(&position.mirrored()), phase, "{fen}");
    }
}
