//! The file of a data set.

use std::sync::LazyLock;

use mendel_board::sample::random_positions;
use mendel_data::{
    Collector, Context, DataError, DataSet, DataSetHeader, GameResult, Kind, LabelSource, MATE,
    Sample,
};
use proptest::prelude::*;

use crate::Scratch;

/// A set with every combination of labels, several positions a game.
fn a_set(seed: u64, count: usize) -> DataSet {
    let results = [
        None,
        Some(GameResult::Win),
        Some(GameResult::Draw),
        Some(GameResult::Loss),
    ];
    let samples = random_positions(seed, count).enumerate();
    let samples = samples.map(|(index, position)| {
        // Some are known with the move before them and who played, some with neither.
        let before = position.legal_moves().first().copied();
        let (position, context) = match before.filter(|_| index % 3 == 1) {
            None => (position, None),
            Some(m) => {
                let after = position.after(m);
                let context = Context {
                    ratings: (index % 2 == 0).then_some([1500 + index as u16, 2600]),
                    start: position,
                    before: vec![m],
                };
                (after, Some(Box::new(context)))
            }
        };
        Sample {
            game: (index / 5 * 3) as u32,
            score: (index % 3 != 0).then(|| (index * 37 % 2000) as i16 - 1000),
            best: position.legal_moves().first().copied(),
            result: results[index % 4],
            context,
            position,
        }
    });
    DataSet {
        header: DataSetHeader {
            made_by: "a test".into(),
            seed,
            expert: Some(LabelSource {
                name: "nobody".into(),
                asked: "nothing".into(),
            }),
            scale: 2.0,
            ..DataSetHeader::new(Kind::Quiet, "positions of a test")
        },
        samples: samples.collect(),
    }
}

fn bytes(set: &DataSet) -> Vec<u8> {
    let mut collector = Collector::new(set.header.clone());
    for sample in &set.samples {
        collector.add(sample);
    }
    collector.finish().expect("it is small").1
}

#[test]
fn a_set_is_the_same_after_writing_and_reading() {
    let scratch = Scratch::new("round");
    let path = scratch.at("set.mds");
    let mut set = a_set(1, 500);
    set.samples[3].score = Some(MATE);
    set.samples[4].game = u32::MAX;
    set.samples[5].game = 0;
    set.write(&path).expect("it is written");
    let again = DataSet::read(&path).expect("it is read");
    assert_eq!(again.samples, set.samples);
    for (ours, theirs) in again.samples.iter().zip(&set.samples) {
        assert_eq!(ours.position.fen(), theirs.position.fen());
    }
    assert_eq!(again.header.positions, 500);
    assert_eq!(again.header.games, 102, "a hundred, and two that stand out");
    assert_eq!(again.header.expert, set.header.expert);
    assert_eq!(again.hash(), set.hash());
}

#[test]
fn the_hash_notices_every_label() {
    let set = a_set(2, 50);
    let mut changed = set.clone();
    changed.samples[49].score = Some(1234);
    assert_ne!(changed.hash(), set.hash());
    let mut changed = set.clone();
    changed.samples[17].game += 1;
    assert_ne!(changed.hash(), set.hash());
    let mut changed = set.clone();
    changed.header.description = "other words".into();
    assert_eq!(changed.hash(), set.hash());
}

#[test]
fn no_game_is_in_both_halves() {
    let set = a_set(3, 5000);
    let (train, hold_out) = set.split();
    let games = |half: &[usize]| -> Vec<u32> {
        let mut games: Vec<u32> = half.iter().map(|&i| set.samples[i].game).collect();
        games.dedup();
        games
    };
    let (trained, held) = (games(&train), games(&hold_out));
    assert!(trained.iter().all(|game| !held.contains(game)));
    assert_eq!(trained.len() + held.len(), 1000);
    // A fifth, within four standard errors.
    assert!((150..=250).contains(&held.len()), "{}", held.len());
}

#[test]
fn the_share_held_out_is_the_headers() {
    let mut set = a_set(4, 1000);
    set.header.hold_out = 0.0;
    assert!(set.split().1.is_empty());
    set.header.hold_out = 1.0;
    assert!(set.split().0.is_empty());
}

#[test]
fn what_is_no_data_set_is_refused_with_its_name() {
    let refused = |bytes: &[u8]| {
        DataSet::from_bytes("thing.mds", bytes)
            .expect_err("it is none")
            .to_string()
    };
    for text in ["", "x", "[Event \"?\"]\n\n1. e4 *\n"] {
        let error = refused(text.as_bytes());
        assert!(error.contains("thing.mds"), "{error}");
        assert!(error.contains("not a data set"), "{error}");
    }
    let whole = bytes(&a_set(5, 40));
    let mut newer = whole.clone();
    newer[8] = 9;
    assert!(refused(&newer).contains("format 9"));
    let mut huge = whole.clone();
    huge[10..14].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(refused(&huge).contains("4294967295 bytes"));
    let error = DataSet::find("no-such-set").expect_err("there is none");
    assert!(matches!(error, DataError::Unknown { .. }), "{error}");
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let whole = bytes(&a_set(6, 30));
    assert!(DataSet::from_bytes("whole", &whole).is_ok());
    for length in 0..whole.len() {
        let cut = DataSet::from_bytes("cut", &whole[..length]);
        assert!(cut.is_err(), "{length} of {} bytes", whole.len());
    }
}

#[test]
fn more_positions_than_the_header_says_are_an_error() {
    let text = String::from_utf8_lossy(&bytes(&a_set(7, 30))).into_owned();
    assert!(text.contains("\"positions\":30,"), "the header is text");
    let damaged: Vec<u8> = {
        let mut bytes = bytes(&a_set(7, 30));
        let at = bytes
            .windows(14)
            .position(|window| window == b"\"positions\":30")
            .expect("it is in the header");
        bytes[at + 12..at + 14].copy_from_slice(b"29");
        bytes
    };
    let error = DataSet::from_bytes("more", &damaged).expect_err("one is left");
    assert!(error.to_string().contains("more follows"), "{error}");
}

static DAMAGED: LazyLock<Vec<u8>> = LazyLock::new(|| bytes(&a_set(8, 40)));

proptest! {
    /// Whatever happens to a file, reading it ends with an error or a set.
    #[test]
    fn damaged_files_are_read_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = DAMAGED.clone();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let _ = DataSet::from_bytes("damaged", &bytes);
        bytes.truncate(cut.index(bytes.len()));
        let _ = DataSet::from_bytes("damaged", &bytes);
    }
}
