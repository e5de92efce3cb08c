//! What is written is read; what is damaged is noticed.

use mendel_board::pgn::GameResult;
use mendel_data::DataError;
use mendel_data::shard::{Shard, ShardGame, ShardInfo, ShardWriter};
use proptest::prelude::*;

use crate::made;

/// All games of a file, or what is wrong with it.
fn read(bytes: Vec<u8>) -> Result<Vec<made::Made>, DataError> {
    let shard = Shard::from_bytes("read", bytes)?;
    let mut games = Vec::new();
    for block in 0..shard.blocks() {
        for game in shard.block(block)?.games() {
            games.push(made::Made {
                ratings: game.ratings,
                result: game.result,
                played: Vec::new(),
                places: game.moves.to_vec(),
                scores: game.scores.map(<[i16]>::to_vec),
            });
        }
    }
    Ok(games)
}

fn without_moves(games: &[made::Made]) -> Vec<made::Made> {
    let mut games = games.to_vec();
    for game in &mut games {
        game.played.clear();
    }
    games
}

#[test]
fn a_shard_gives_back_every_game() {
    let games = made::games(1, 2345, 30);
    let shard = made::shard(&games);
    assert_eq!(shard.blocks(), 3);
    assert_eq!(shard.header().games, 2345);
    let plies: usize = games.iter().map(|game| game.places.len()).sum();
    assert_eq!(shard.header().plies, plies as u64);
    assert_eq!(
        read(made::bytes(&games)).expect("it is whole"),
        without_moves(&games)
    );
}

#[test]
fn blocks_are_read_in_any_order_by_any_thread() {
    let games = made::games(2, 2100, 10);
    let shard = made::shard(&games);
    let in_order: Vec<_> = (0..3).map(|block| shard.block(block).unwrap()).collect();
    std::thread::scope(|scope| {
        for first in 0..3 {
            let (shard, in_order) = (&shard, &in_order);
            scope.spawn(move || {
                for turn in 0..30 {
                    let block = (first + turn * 2) % 3;
                    assert_eq!(shard.block(block).unwrap(), in_order[block]);
                }
            });
        }
    });
    assert!(shard.block(3).is_err());
}

#[test]
fn the_same_games_give_the_same_file_and_others_another_fingerprint() {
    let games = made::games(3, 50, 20);
    assert_eq!(made::bytes(&games), made::bytes(&games));
    let print = |games: &[made::Made]| made::shard(games).header().fingerprint.clone();
    assert_ne!(print(&games), print(&games[1..]));
}

#[test]
fn a_game_that_cannot_be_stored_is_refused() {
    let mut writer = ShardWriter::new(Vec::new()).unwrap();
    let game = |moves, scores| ShardGame {
        ratings: [0, 0],
        result: GameResult::Draw,
        moves,
        scores,
    };
    let long = vec![0; 65_536];
    for (game, word) in [
        (game(&[], None), "no moves"),
        (game(&[1, 2], Some(&[5])), "1 scores"),
        (game(&long, None), "65536"),
    ] {
        let error = writer.push(&game).expect_err("it is refused").to_string();
        assert!(error.contains(word), "{error}");
    }
    writer.push(&game(&long[1..], None)).unwrap();
    let (header, file) = writer.finish("", "", &[]).unwrap();
    assert_eq!((header.games, header.plies), (1, 65_535));
    assert_eq!(read(file).unwrap()[0].places.len(), 65_535);
}

#[test]
fn what_is_no_shard_is_named_as_what_it_is() {
    let whole = made::bytes(&made::games(4, 20, 20));
    let mut newer = whole.clone();
    newer[8] = 2;
    let half = whole[..whole.len() / 2].to_vec();
    let begun = whole[..9].to_vec();
    for (bytes, word) in [
        (Vec::new(), "does not begin as one"),
        (b"[Event \"?\"]\n\n1. e4 *\n".to_vec(), "mendel data games"),
        (b"mendel\r\n".to_vec(), "does not begin as one"),
        (newer, "format 2"),
        (half, "ends too early"),
        (begun, "ends too early"),
    ] {
        let error = read(bytes).expect_err("it is none").to_string();
        assert!(error.contains(word) && error.contains("`read`"), "{error}");
    }
    let error = Shard::open("nowhere.games").unwrap_err().to_string();
    assert!(error.contains("nowhere.games"), "{error}");
    assert!(Shard::open(std::env::temp_dir()).is_err(), "a folder");
}

#[test]
fn info_counts_what_is_there() {
    let games = made::games(5, 120, 60);
    let info = ShardInfo::of(&made::shard(&games)).unwrap();
    let won = |result| games.iter().filter(|game| game.result == result).count() as u64;
    assert_eq!(info.games, 120);
    assert_eq!(
        info.results,
        [
            won(GameResult::WhiteWins),
            won(GameResult::Draw),
            won(GameResult::BlackWins)
        ]
    );
    let rated = games.iter().filter(|game| game.ratings[1] > 0).count() as u64;
    let bars: Vec<u64> = info
        .histograms
        .iter()
        .map(|histogram| histogram.bars.iter().map(|bar| bar.count).sum())
        .collect();
    assert_eq!(bars, [rated, 120]);
}

/// One way to damage a file.
#[derive(Clone, Debug)]
enum Damage {
    Change(usize, u8),
    Cut(usize),
    Insert(usize, Vec<u8>),
    Remove(usize, usize),
    /// The end of another file behind it.
    Append(Vec<u8>),
}

fn damage() -> impl Strategy<Value = Damage> {
    let some = || proptest::collection::vec(any::<u8>(), 1..40);
    prop_oneof![
        4 => (any::<usize>(), 1_u8..).prop_map(|(at, by)| Damage::Change(at, by)),
        1 => any::<usize>().prop_map(Damage::Cut),
        1 => (any::<usize>(), some()).prop_map(|(at, bytes)| Damage::Insert(at, bytes)),
        1 => (any::<usize>(), 1_usize..99).prop_map(|(at, count)| Damage::Remove(at, count)),
        1 => some().prop_map(Damage::Append),
    ]
}

fn damaged(mut bytes: Vec<u8>, damage: Damage) -> Vec<u8> {
    let length = bytes.len();
    match damage {
        Damage::Change(at, by) => bytes[at % length] ^= by,
        Damage::Cut(at) => bytes.truncate(at % length),
        Damage::Insert(at, some) => {
            let at = at % length;
            bytes.splice(at..at, some);
        }
        Damage::Remove(at, count) => {
            let at = at % length;
            bytes.drain(at..(at + count).min(length));
        }
        Damage::Append(some) => bytes.extend(some),
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 600, ..ProptestConfig::default() })]

    /// A bit that Zstandard does not look at may change; a game may not.
    #[test]
    fn damage_is_noticed_or_changes_nothing(damages in proptest::collection::vec(damage(), 1..4)) {
        let games = made::games(6, 40, 12);
        let bytes = damages.into_iter().fold(made::bytes(&games), |bytes, damage| {
            if bytes.is_empty() { bytes } else { damaged(bytes, damage) }
        });
        if let Ok(read) = read(bytes) {
            prop_assert_eq!(read, without_moves(&games));
        }
    }

    #[test]
    fn any_bytes_behind_the_first_are_an_error(some in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut bytes = made::bytes(&made::games(7, 1, 4))[..10].to_vec();
        bytes.extend(some);
        prop_assert!(read(bytes).is_err());
    }
}
