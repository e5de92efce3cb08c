use std::collections::BTreeMap;
use std::path::Path;

use mendel_board::BoardFileError;
use mendel_board::book::{self, Book, BookBuilder};
use mendel_board::{Move, Position};
use proptest::prelude::*;

use crate::walks::walk;

fn written(builder: BookBuilder) -> Book {
    let mut bytes = Vec::new();
    builder.write(&mut bytes).unwrap();
    Book::from_bytes("test", bytes).unwrap()
}

fn san(position: &Position, text: &str) -> Move {
    position.parse_san(text).unwrap()
}

/// The bytes of one entry, as the format's description lays them out.
#[test]
fn an_entry_is_laid_out_as_described() {
    let position = Position::initial();
    let mut builder = BookBuilder::new();
    builder.add(&position, san(&position, "e4"), 0x0102);
    let mut bytes = Vec::new();
    builder.write(&mut bytes).unwrap();
    let mut expected = 0x463b_9618_1691_fc9c_u64.to_be_bytes().to_vec();
    // To file 4, to row 3, from file 4, from row 1: 4 + 3·8 + 4·64 + 1·512.
    expected.extend([0x03, 0x1c, 0x01, 0x02, 0, 0, 0, 0]);
    assert_eq!(bytes, expected);
}

#[test]
fn castling_is_the_king_taking_its_rook() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let position = Position::from_fen(fen).unwrap();
    let castling = san(&position, "O-O");
    let mut builder = BookBuilder::new();
    builder.add(&position, castling, 1);
    let mut bytes = Vec::new();
    builder.write(&mut bytes).unwrap();
    // From e1 (file 4, row 0) to h1 (file 7, row 0).
    assert_eq!(bytes[8..10], [0x01, 0x07]);
    let book = Book::from_bytes("test", bytes).unwrap();
    assert_eq!(book.probe(&position).unwrap()[0].m, castling);
}

#[test]
fn what_is_written_is_found_again() {
    let mut builder = BookBuilder::new();
    let mut expected: BTreeMap<u64, BTreeMap<u16, u16>> = BTreeMap::new();
    let mut seen = Vec::new();
    walk(31, 2_000, |before, m, _| {
        let weight = (before.key() % 50) as u16 + 1;
        builder.add(before, m, weight);
        let packed = mendel_board::PackedMove::from(m).bits();
        let moves = expected.entry(before.key()).or_default();
        *moves.entry(packed).or_default() += weight;
        seen.push(before.clone());
    });
    let book = written(builder);
    assert_eq!(
        book.len(),
        expected.values().map(|moves| moves.len() as u64).sum()
    );
    for position in seen {
        let moves = book.probe(&position).unwrap();
        assert!(moves.is_sorted_by(|a, b| a.weight >= b.weight));
        let found: BTreeMap<u16, u16> = moves
            .iter()
            .map(|known| (mendel_board::PackedMove::from(known.m).bits(), known.weight))
            .collect();
        assert_eq!(found, expected[&position.key()], "{}", position.fen());
    }
}

#[test]
fn an_unknown_position_has_no_moves_and_an_empty_book_none_at_all() {
    let empty = written(BookBuilder::new());
    assert!(empty.is_empty());
    assert!(empty.probe(&Position::initial()).unwrap().is_empty());
    assert_eq!(empty.pick(&Position::initial(), 7).unwrap(), None);
}

#[test]
fn each_move_is_picked_as_often_as_its_weight_says() {
    let position = Position::initial();
    let mut builder = BookBuilder::new();
    for (text, weight) in [("e4", 5), ("d4", 3), ("a3", 0), ("c4", 2)] {
        builder.add(&position, san(&position, text), weight);
    }
    let book = written(builder);
    let mut picked = BTreeMap::new();
    for random in 0..1_000 {
        let m = book.pick(&position, random).unwrap().unwrap();
        *picked.entry(position.san(m)).or_insert(0) += 1;
    }
    let expected = [("c4", 200), ("d4", 300), ("e4", 500)];
    let expected = expected.map(|(text, count)| (text.to_owned(), count));
    assert_eq!(picked, BTreeMap::from(expected));
    assert!(book.pick(&position, u64::MAX).unwrap().is_some());
    assert_eq!(book::pick(&[], 3), None);
}

#[test]
fn moves_that_cannot_be_played_are_left_out() {
    let mut bytes = Vec::new();
    for packed in [0_u16, 0x031c, 0xFFFF, 0x0107] {
        bytes.extend(Position::initial().key().to_be_bytes());
        bytes.extend(packed.to_be_bytes());
        bytes.extend([0, 1, 0, 0, 0, 0]);
    }
    let book = Book::from_bytes("test", bytes).unwrap();
    let moves = book.probe(&Position::initial()).unwrap();
    assert_eq!(moves.len(), 1);
    assert_eq!(Position::initial().san(moves[0].m), "e4");
}

#[test]
fn a_truncated_or_missing_file_is_named() {
    let error = Book::from_bytes("half.bin", vec![0; 40]).unwrap_err();
    assert!(matches!(
        error,
        BoardFileError::TruncatedBook { bytes: 40, .. }
    ));
    assert!(error.to_string().contains("`half.bin`"), "{error}");
    let error = Book::open("no/such/book.bin").unwrap_err();
    assert!(error.to_string().contains("`no/such/book.bin`"), "{error}");
    // A folder opens, but cannot be read.
    let folder = Book::open(env!("CARGO_MANIFEST_DIR"));
    assert!(folder.is_err() || folder.unwrap().probe(&Position::initial()).is_err());
}

#[test]
fn a_real_book_knows_the_first_move() {
    let file = "../../../shared/data/books/performance.bin";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if !path.exists() {
        eprintln!("skipped: there is no file {}", path.display());
        return;
    }
    let book = Book::open(&path).unwrap();
    assert_eq!(book.len(), 92_954);
    let position = Position::initial();
    let moves = book.probe(&position).unwrap();
    assert!(
        moves
            .iter()
            .any(|known| position.san(known.m) == "e4" && known.weight > 0)
    );
    let mut line = position;
    for ply in 0..6 {
        let m = book
            .pick(&line, 12_345 + ply)
            .unwrap()
            .expect("six plies are book");
        line.play(m);
    }
}

proptest! {
    #[test]
    fn no_bytes_break_a_book(mut bytes in proptest::collection::vec(any::<u8>(), 0..600), key in any::<bool>()) {
        let position = Position::initial();
        if key {
            for entry in bytes.chunks_exact_mut(16) {
                entry[..8].copy_from_slice(&position.key().to_be_bytes());
            }
        }
        if let Ok(book) = Book::from_bytes("test", bytes) {
            for known in book.probe(&position).unwrap() {
                prop_assert!(position.is_legal(known.m));
            }
        }
    }
}
