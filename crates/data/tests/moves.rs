//! Moves as places among the sorted legal moves.

use mendel_board::sample::random_positions;
use mendel_board::{Move, MoveList, PackedMove, Position, Role, Square};
use mendel_data::shard::{move_at, place_of};

/// Pins, checks, double checks, promotions, both ways to castle, en passant
/// with and without a pin, the most moves there can be; and random ones.
fn positions() -> impl Iterator<Item = Position> {
    let special = [
        "1n1n1n2/P1P1P1P1/8/8/8/8/7k/K7 w - - 0 1",
        "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 2",
        "r3k2r/8/8/8/3Pp3/8/8/R3K2R b KQkq d3 0 2",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "8/8/8/K2pP2r/8/8/8/7k w - d6 0 1",
        "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
        "4k3/8/8/8/7b/8/3r1P2/4K3 w - - 0 1",
        "k3r3/8/8/8/1b6/8/8/4K2R w K - 0 1",
        "3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
    ];
    special
        .into_iter()
        .map(|fen| Position::from_fen(fen).expect("it is a position"))
        .chain(random_positions(3, 2000))
}

/// The legal moves, sorted by from, to and promotion.
fn sorted(position: &Position) -> MoveList {
    let mut moves = position.legal_moves();
    moves.sort_by_key(|&m| {
        let bits = PackedMove::from(m).bits();
        (bits & 63, bits >> 6 & 63, bits >> 12)
    });
    moves
}

#[test]
fn places_are_those_of_the_sorted_legal_moves() {
    for position in positions() {
        let moves = sorted(&position);
        for place in 0..=255_u8 {
            let wanted = moves.get(usize::from(place)).copied();
            let fen = position.fen();
            assert_eq!(move_at(&position, place), wanted, "{place} in {fen}");
            if let Some(m) = wanted {
                assert_eq!(place_of(&position, m), Some(place), "{m:?} in {fen}");
            }
        }
    }
}

#[test]
fn a_move_of_another_position_has_no_place() {
    let before = Position::initial();
    let m = before.parse_uci("e2e4").expect("it is legal");
    assert_eq!(place_of(&before.after(m), m), None);
    let promotion = Move::Normal {
        role: Role::Pawn,
        from: Square::E2,
        capture: None,
        to: Square::E4,
        promotion: Some(Role::Queen),
    };
    assert_eq!(place_of(&before, promotion), None);
}
