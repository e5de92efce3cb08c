//! The positions of the signature.

use mendel_board::Position;
use mendel_engine::bench::POSITIONS;

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
