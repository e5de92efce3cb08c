//! Positions as data sets keep them.

use mendel_board::{PackedPosition, Position};
use proptest::prelude::*;

use crate::walks::positions;

fn bytes(position: &Position) -> Vec<u8> {
    let mut bytes = Vec::new();
    PackedPosition::from(position)
        .write(&mut bytes)
        .expect("a vector takes everything");
    bytes
}

fn read(mut bytes: &[u8]) -> Option<Position> {
    let packed = PackedPosition::read(&mut bytes).ok()?;
    assert!(bytes.is_empty(), "everything is read");
    packed.unpack()
}

/// En passant, castling of both kinds, promotions to a tenth officer, an odd
/// board, and the counters.
const TABLE: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w Kq f6 0 3",
    "rnbqkbnr/pp1ppppp/8/8/2pPP3/8/PPP2PPP/RNBQKBNR b Qk d3 0 3",
    "4k3/8/8/8/8/8/8/4K3 b - - 99 250",
    "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
    "4k3/QQQQQQQQ/8/8/8/8/8/4K3 b - - 0 1",
    "nnnnknnn/pppppppp/pppppppp/8/8/PPPPPPPP/PPPPPPPP/NNNNKNNN w - - 0 1",
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
];

#[test]
fn a_position_is_the_same_after_packing() {
    for fen in TABLE {
        let position = Position::from_fen(fen).expect(fen);
        let again = read(&bytes(&position)).expect(fen);
        assert_eq!(again.fen(), position.fen());
        assert_eq!(again.key(), position.key(), "{fen}");
        assert_eq!(again.castling_mode(), position.castling_mode(), "{fen}");
    }
}

#[test]
fn the_start_takes_twenty_eight_bytes() {
    assert_eq!(bytes(&Position::initial()).len(), 28);
}

#[test]
fn absurd_counters_are_cut() {
    let fen = "4k3/8/8/8/8/8/8/4K3 w - - 1000 100000";
    let position = Position::from_fen(fen).expect(fen);
    let again = read(&bytes(&position)).expect(fen);
    assert_eq!((again.halfmoves(), again.fullmoves()), (255, 65_535));
}

#[test]
fn any_position_is_the_same_after_packing() {
    for position in positions(17, 20_000) {
        let again = read(&bytes(&position)).expect("it was a position");
        assert_eq!(again.fen(), position.fen());
        assert_eq!(again.key(), position.key());
    }
}

proptest! {
    /// Whatever stands in a file: a legal position comes out, or nothing.
    #[test]
    fn damaged_bytes_are_no_position_or_a_legal_one(
        seed in any::<u64>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        for position in positions(seed, 60) {
            let mut bytes = bytes(&position);
            for (place, byte) in &changes {
                let place = place.index(bytes.len());
                bytes[place] = *byte;
            }
            let mut rest = &bytes[..];
            if let Ok(packed) = PackedPosition::read(&mut rest)
                && let Some(position) = packed.unpack()
            {
                let again = Position::from_fen960(&position.fen());
                prop_assert!(again.is_ok(), "{}", position.fen());
            }
        }
    }
}
