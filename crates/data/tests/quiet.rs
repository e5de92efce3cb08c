//! What counts as quiet.

use mendel_board::Position;
use mendel_board::sample::random_positions;
use mendel_data::is_quiet;
use mendel_engine::Player;

#[test]
fn quiet_positions_are_those_without_a_gain() {
    let table = [
        (
            "the start",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            true,
        ),
        ("a piece hangs", "4k3/8/8/4n3/8/8/8/4RK2 w - - 0 1", false),
        (
            "it hangs, but to the other side",
            "4k3/8/8/4n3/8/8/8/4RK2 b - - 0 1",
            true,
        ),
        (
            "a guarded piece",
            "4k3/5p2/4p3/3p4/8/8/3R4/4K3 w - - 0 1",
            true,
        ),
        ("in check", "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", false),
        ("a pawn promotes", "7k/P7/8/8/8/8/8/4K3 w - - 0 1", false),
        ("stalemate", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", false),
    ];
    let evaluator = Player::find("material").expect("it is built in").evaluator;
    for (what, fen, expected) in table {
        let position = Position::from_fen(fen).expect(fen);
        assert_eq!(is_quiet(&evaluator, &position), expected, "{what}");
    }
}

#[test]
fn quiet_is_colour_blind() {
    let evaluator = Player::find("mendel").expect("it is built in").evaluator;
    let mut quiet = 0;
    for position in random_positions(11, 300) {
        let is = is_quiet(&evaluator, &position);
        assert_eq!(is, is_quiet(&evaluator, &position.mirrored()));
        quiet += u32::from(is);
    }
    assert!((30..270).contains(&quiet), "{quiet} of 300");
}
