//! From PGN to a shard.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use mendel_data::import::ImportError;
use mendel_data::shard::{ConvertSettings, ConvertedShard, Shard, ShardFilter, convert};

use crate::made;

/// A folder of its own for a test, gone when it is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("mendel-nets-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }

    fn file(&self, name: &str, contents: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, contents).expect("a file for the test");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn run(sources: &[PathBuf], out: &str, filter: ShardFilter) -> Result<ConvertedShard, ImportError> {
    let out = sources[0].with_file_name(out);
    let setting = ConvertSettings {
        filter,
        ..ConvertSettings::default()
    };
    convert(
        sources,
        &out,
        &setting,
        &AtomicBool::new(false),
        &mut |_| {},
    )
}

fn text(games: &[made::Made]) -> String {
    games.iter().map(|game| game.pgn().to_string()).collect()
}

#[test]
fn the_games_of_a_file_stand_in_the_shard() {
    let folder = Folder::new("whole");
    let games = made::games(10, 60, 80);
    let (first, second) = games.split_at(25);
    let plain = folder.file("a.pgn", text(first).as_bytes());
    let squeezed = zstd::encode_all(text(second).as_bytes(), 3).unwrap();
    let squeezed = folder.file("b.pgn.zst", &squeezed);

    let written = run(&[plain, squeezed], "out.games", ShardFilter::default()).unwrap();
    assert_eq!(written.header.sources, ["a.pgn", "b.pgn.zst"]);
    assert_eq!((written.report.games, written.report.kept), (60, 60));
    let path = folder.0.join("out.games");
    assert_eq!(written.bytes, fs::metadata(&path).unwrap().len());
    let block = Shard::open(path).unwrap().block(0).unwrap();
    for (read, game) in block.games().zip(&games) {
        assert_eq!(read.moves, game.places);
        assert_eq!((read.ratings, read.result), (game.ratings, game.result));
        assert_eq!(read.scores, None);
    }
}

#[test]
fn every_game_that_is_left_out_is_counted_with_its_reason() {
    let folder = Folder::new("reasons");
    let game = |tags: &str, moves: &str| format!("{tags}\n{moves}\n\n");
    let rated = "[WhiteElo \"2000\"]\n[BlackElo \"2100\"]\n";
    let text = [
        game(rated, "1. e4 e5 2. Nf3 1-0"),
        game(rated, "1. e4 e5 2. Nf3 1-0"),
        game(rated, "1. d4 1/2-1/2"),
        game(rated, "1. d4 d5 2. c4 *"),
        game(rated, "1. e4 e5 2. Ke3 1-0"),
        game("[WhiteElo \"2000\"]\n", "1. e4 e5 2. Nf3 1-0"),
        game(
            "[WhiteElo \"2600\"]\n[BlackElo \"2700\"]\n",
            "1. e4 e5 2. Nf3 1-0",
        ),
        game(
            &format!("{rated}[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n"),
            "1. e4 Kd7 2. e5 1-0",
        ),
    ]
    .concat();
    let source = folder.file("a.pgn", text.as_bytes());
    let filter = ShardFilter {
        min_rating: 1500,
        max_rating: 2500,
        min_moves: 2,
        distinct: true,
        limit: None,
    };
    let written = run(&[source], "out.games", filter).unwrap();
    let report = &written.report;
    assert_eq!((report.games, report.kept, report.plies), (8, 1, 3));
    assert_eq!((report.rating, report.short, report.twice), (2, 1, 1));
    assert_eq!((report.unfinished, report.other_start), (1, 1));
    assert_eq!(report.unreadable, 1);
    assert!(report.examples[0].contains("Ke3"), "{:?}", report.examples);
}

#[test]
fn reading_ends_with_the_limit() {
    let folder = Folder::new("limit");
    let source = folder.file("a.pgn", text(&made::games(11, 30, 20)).as_bytes());
    let filter = ShardFilter {
        limit: Some(7),
        ..ShardFilter::default()
    };
    let written = run(&[source.clone(), source], "out.games", filter).unwrap();
    assert_eq!((written.report.kept, written.report.games), (7, 7));
}

#[test]
fn what_cannot_be_done_is_said_and_leaves_no_file() {
    let folder = Folder::new("errors");
    let good = folder.file("a.pgn", text(&made::games(12, 3, 20)).as_bytes());
    let empty = folder.file("empty.pgn", b"");
    let noise = folder.file("noise.pgn.zst", b"no Zstandard at all");
    let taken = folder.file("taken.games", b"mine");
    let missing = folder.0.join("missing.pgn");
    let long = ShardFilter {
        min_moves: 500,
        ..ShardFilter::default()
    };
    let swapped = ShardFilter {
        min_rating: 2000,
        max_rating: 1000,
        ..ShardFilter::default()
    };
    let usual = ShardFilter::default();
    for (source, out, filter, word) in [
        (&empty, "out.games", usual, "0 games were read"),
        (&good, "out.games", long, "3 too short"),
        (&good, "out.games", swapped, "no rating is at least 2000"),
        (&good, "taken.games", usual, "exists already"),
        (&noise, "out.games", usual, "noise.pgn.zst"),
        (&missing, "out.games", usual, "missing.pgn"),
        (&folder.0.clone(), "out.games", usual, "directory"),
        (&good, "no/folder/out.games", usual, "cannot write"),
    ] {
        let out = folder.0.join(out);
        let setting = ConvertSettings {
            filter,
            ..ConvertSettings::default()
        };
        let never = AtomicBool::new(false);
        let error = convert(
            std::slice::from_ref(source),
            &out,
            &setting,
            &never,
            &mut |_| {},
        );
        let error = error.expect_err(word).to_string();
        assert!(error.contains(word), "{error}");
    }
    let at_once = AtomicBool::new(true);
    let out = folder.0.join("out.games");
    let stopped = convert(
        &[good],
        &out,
        &ConvertSettings::default(),
        &at_once,
        &mut |_| {},
    );
    assert!(matches!(stopped, Err(ImportError::Stopped)));
    let nothing = convert(
        &[],
        &out,
        &ConvertSettings::default(),
        &at_once,
        &mut |_| {},
    );
    assert!(matches!(nothing, Err(ImportError::NoSource)));

    assert_eq!(fs::read(taken).unwrap(), b"mine");
    let mut left: Vec<_> = fs::read_dir(&folder.0)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["a.pgn", "empty.pgn", "noise.pgn.zst", "taken.games"]);
}
