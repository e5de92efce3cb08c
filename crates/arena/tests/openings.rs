//! Openings from every kind of file, and the book that ships with the program.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use mendel_arena::{MatchError, Opening, OpeningSetting, Openings, Order};
use mendel_board::book::BookBuilder;
use mendel_board::{CastlingMode, Game, Position};
use proptest::prelude::*;

/// A folder of its own for a test, gone when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = format!("mendel-openings-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        fs::create_dir_all(&folder).expect("a folder can be made");
        Self(folder)
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, bytes).expect("a file can be written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const EPD: &str = "# two positions\n\n\
    rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 hmvc 0; fmvn 2;\r\n\
    4k3/8/8/8/8/8/4P3/4K3 b - -";
const PGN: &str = "[Event \"one\"]\n\n1. e4 {best by test} e5 2. Nf3 (2. f4 exf4) Nc6 3. Bb5 1-0\n\n\
    [Event \"two\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n\n1. e4 Kd7 *\n";
const MOVES: &str = "# lines\ne2e4 c7c5\n\nd2d4\n";

fn in_order() -> OpeningSetting {
    OpeningSetting::default()
}

fn shuffled(seed: u64) -> OpeningSetting {
    OpeningSetting {
        order: Order::Shuffled,
        seed,
        ..OpeningSetting::default()
    }
}

fn line(opening: &Opening) -> String {
    let game = opening.game();
    let words = game.moves().iter().zip(game.positions());
    let words: Vec<String> = words.map(|(&m, position)| position.uci(m)).collect();
    words.join(" ")
}

fn lines(openings: &Openings) -> Vec<String> {
    (0..openings.len() as u64)
        .map(|index| line(&openings.get(index)))
        .collect()
}

fn compressed(text: &str) -> Vec<u8> {
    zstd::encode_all(text.as_bytes(), 3).expect("memory can be compressed")
}

#[test]
fn positions_come_from_epd_plain_and_compressed() {
    let folder = Folder::new("epd");
    let files = [
        folder.file("a.epd", EPD),
        folder.file("a.EPD", EPD),
        folder.file("a.epd.zst", compressed(EPD)),
        folder.file("nameless", EPD),
        folder.file("nameless.zst", compressed(EPD)),
        folder.file("misnamed.txt", compressed(EPD)),
    ];
    for file in files {
        let openings = Openings::load(&file, &in_order()).expect("it is whole");
        assert_eq!(openings.len(), 2);
        let first = openings.get(0).game();
        assert_eq!(first.position().fullmoves(), 2);
        assert!(first.moves().is_empty());
        let second = openings.get(1).game().position().fen();
        assert_eq!(second, "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1");
        // After the last comes the first again.
        assert_eq!(openings.get(7).game().position().fen(), second);
        assert_eq!(openings.get(u64::MAX).game().position().fen(), second);
    }
}

#[test]
fn games_of_a_pgn_are_followed_to_a_ply() {
    let folder = Folder::new("pgn");
    let files = [
        folder.file("a.pgn", PGN),
        folder.file("a.pgn.zst", compressed(PGN)),
        folder.file("nameless", PGN),
    ];
    for file in files {
        let whole = Openings::load(&file, &in_order()).expect("it is whole");
        assert_eq!(lines(&whole), ["e2e4 e7e5 g1f3 b8c6 f1b5", "e2e4 e8d7"]);
        let plies = Some(3);
        let part = OpeningSetting {
            plies,
            ..in_order()
        };
        let part = Openings::load(&file, &part).expect("it is whole");
        assert_eq!(lines(&part), ["e2e4 e7e5 g1f3", "e2e4 e8d7"]);
        let start = part.get(1).game().start().fen();
        assert_eq!(start, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    }
}

#[test]
fn lines_of_moves_are_openings_too() {
    let folder = Folder::new("moves");
    for (name, bytes) in [("a.txt", MOVES.into()), ("a.txt.zst", compressed(MOVES))] {
        let openings = Openings::load(folder.file(name, bytes), &in_order());
        assert_eq!(
            lines(&openings.expect("it is whole")),
            ["e2e4 c7c5", "d2d4"]
        );
    }
}

/// A book with 1. e4 three times as often as 1. d4, 1. a4 never, and replies to
/// 1. e4 alone.
fn polyglot() -> Vec<u8> {
    let start = Position::initial();
    let mut book = BookBuilder::new();
    let m = |position: &Position, text| position.parse_uci(text).expect(text);
    for (text, weight) in [("e2e4", 3), ("d2d4", 1), ("a2a4", 0)] {
        book.add(&start, m(&start, text), weight);
    }
    let after = start.after(m(&start, "e2e4"));
    for text in ["e7e5", "c7c5", "e7e6"] {
        book.add(&after, m(&after, text), 1);
    }
    let mut bytes = Vec::new();
    book.write(&mut bytes).expect("memory can be written");
    bytes
}

#[test]
fn walks_through_a_polyglot_book_are_different_and_follow_the_seed() {
    let folder = Folder::new("polyglot");
    let book = polyglot();
    let packed = zstd::encode_all(book.as_slice(), 3).expect("memory can be compressed");
    let files = [
        folder.file("a.bin", &book),
        folder.file("a.bin.zst", packed),
        folder.file("nameless", &book),
    ];
    let all: BTreeSet<String> = ["e2e4 e7e5", "e2e4 c7c5", "e2e4 e7e6", "d2d4"]
        .map(str::to_owned)
        .into();
    let with = |seed, walks| OpeningSetting {
        seed,
        walks,
        ..in_order()
    };
    for file in &files {
        let openings = Openings::load(file, &with(1, 100)).expect("it is whole");
        assert_eq!(openings.len(), 4);
        assert_eq!(lines(&openings).into_iter().collect::<BTreeSet<_>>(), all);
    }
    let walk = |seed| lines(&Openings::load(&files[0], &with(seed, 2)).expect("it is whole"));
    assert_eq!(walk(5), walk(5));
    assert_eq!(walk(5).len(), 2);
    let first_moves = (0..400).map(|seed| walk(seed)[0][..4].to_owned());
    let kings = first_moves.filter(|m| m == "e2e4").count();
    assert!(
        (270..330).contains(&kings),
        "e4 in {kings} of 400 games, not in about 300"
    );
    let short = OpeningSetting {
        plies: Some(1),
        ..with(1, 100)
    };
    assert_eq!(
        Openings::load(&files[0], &short)
            .expect("it is whole")
            .len(),
        2
    );
}

#[test]
fn a_shuffle_keeps_all_and_follows_the_seed() {
    let plain = lines(&Openings::own(&in_order()));
    let one = lines(&Openings::own(&shuffled(1)));
    assert_eq!(one, lines(&Openings::own(&shuffled(1))));
    assert_ne!(one, plain);
    assert_ne!(one, lines(&Openings::own(&shuffled(2))));
    let sorted = |mut lines: Vec<String>| {
        lines.sort();
        lines
    };
    assert_eq!(sorted(one), sorted(plain));
}

#[test]
fn our_own_book_holds_many_different_openings_that_go_on() {
    let openings = Openings::own(&in_order());
    assert!(openings.len() >= 500, "{} openings", openings.len());
    let mut ends = BTreeSet::new();
    let mut first_moves = BTreeSet::new();
    for index in 0..openings.len() as u64 {
        let game = openings.get(index).game();
        assert_eq!(game.moves().len(), 8);
        assert!(game.outcome().is_none());
        assert!(
            ends.insert(game.position().fen()),
            "{} stands twice",
            line(&openings.get(index))
        );
        first_moves.insert(game.positions()[0].san(game.moves()[0]));
    }
    for m in ["e4", "d4", "c4", "Nf3"] {
        assert!(first_moves.contains(m), "no opening begins with 1. {m}");
    }
    // Any setting will do.
    for plies in [0, 1, 5, 100] {
        let setting = OpeningSetting {
            plies: Some(plies),
            chess960: true,
            ..shuffled(3)
        };
        assert_eq!(Openings::own(&setting).len(), openings.len());
    }
}

#[test]
fn chess960_starts_from_960_places_and_from_files() {
    let all = Openings::chess960(&in_order());
    assert_eq!(all.len(), 960);
    let mode = |openings: &Openings| openings.get(0).game().start().castling_mode();
    assert_eq!(all.get(518).game().start().fen(), Position::initial().fen());
    assert_eq!(
        all.get(518).game().start().castling_mode(),
        CastlingMode::Chess960
    );
    let forced = OpeningSetting {
        chess960: true,
        ..in_order()
    };
    assert_eq!(
        mode(&Openings::initial(&in_order())),
        CastlingMode::Standard
    );
    assert_eq!(mode(&Openings::initial(&forced)), CastlingMode::Chess960);
    let folder = Folder::new("960");
    let start = Position::chess960(0).expect("a number").fen();
    let file = folder.file("a.epd", format!("{start}\n"));
    assert_eq!(
        mode(&Openings::load(&file, &in_order()).expect("whole")),
        CastlingMode::Chess960
    );
    let castles = "[Event \"?\"]\n\n1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O O-O *\n";
    let openings = Openings::load(folder.file("a.pgn", castles), &forced).expect("whole");
    assert_eq!(mode(&openings), CastlingMode::Chess960);
    assert!(line(&openings.get(0)).ends_with("e1h1 e8h8"));
}

#[test]
fn an_invalid_file_is_refused_with_place_and_remedy() {
    let folder = Folder::new("wrong");
    let mate = "[Event \"?\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
    let table: [(&str, &[u8], &[&str]); 14] = [
        (
            "a.epd",
            b"4k3/8/8/8/8/8/4P3/4K3 b - -\nnonsense\n",
            &["a.epd", "line 2"],
        ),
        (
            "b.epd",
            b"7k/5Q2/6K1/8/8/8/8/8 b - -\n",
            &["line 1", "stalemate", "take the line out"],
        ),
        ("c.epd", b"# nothing\n", &["c.epd", "no openings"]),
        (
            "a.pgn",
            b"[Event \"x\"]\n\n1. e4 e5 2. Ke3 *\n",
            &["a.pgn", "game 1", "Ke3"],
        ),
        (
            "b.pgn",
            mate.as_bytes(),
            &["b.pgn", "game 1", "checkmate", "fewer half-moves"],
        ),
        ("a.bin", b"seventeen bytes !", &["a.bin", "17 bytes"]),
        ("b.bin", &[0; 32], &["b.bin", "no openings"]),
        (
            "a.txt",
            b"e2e4 e7e5\nd2d4 d2d4\n",
            &["a.txt", "line 2", "d2d4"],
        ),
        (
            "b.txt",
            b"Dear reader, this is a letter\n",
            &["b.txt", "no book"],
        ),
        ("empty", b"", &["empty", "no book"]),
        ("a.zip", b"PK\x03\x04rest", &["a.zip", "zip", "unzip"]),
        ("a.pgn.gz", b"\x1f\x8brest", &["a.pgn.gz", "gunzip"]),
        ("a.epd.xz", b"\xfd7zXZ\0rest", &["unxz"]),
        ("a.epd.zst", b"\x28\xb5\x2f\xfdbroken", &["a.epd.zst"]),
    ];
    for (name, bytes, wanted) in table {
        let error = Openings::load(folder.file(name, bytes), &in_order()).expect_err(name);
        let text = error.to_string();
        for word in wanted {
            assert!(
                text.contains(word),
                "{name}: `{text}` does not say `{word}`"
            );
        }
    }
    let nowhere = Openings::load(folder.0.join("nowhere.epd"), &in_order());
    assert!(matches!(nowhere, Err(MatchError::OpeningFile { .. })));
    assert!(
        Openings::load(&folder.0, &in_order()).is_err(),
        "a folder is no book"
    );
}

#[test]
fn an_opening_is_its_game() {
    let mut game = Game::default();
    let m = game.position().parse_san("e4").expect("legal");
    game.play(m).expect("legal");
    assert_eq!(line(&Opening::new(game)), "e2e4");
    assert_eq!(line(&Opening::default()), "");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_file_whatever_is_in_it_does_harm(
        cut in 0_usize..200,
        noise in prop::collection::vec(any::<u8>(), 0..64),
        which in 0_usize..5,
        extension in prop::sample::select(vec!["", ".epd", ".pgn", ".bin", ".epd.zst", ".txt"]),
        chess960: bool,
    ) {
        let folder = Folder::new("noise");
        let whole = match which {
            0 => EPD.into(),
            1 => PGN.into(),
            2 => MOVES.into(),
            3 => polyglot(),
            _ => compressed(EPD),
        };
        let mut bytes = whole;
        bytes.truncate(cut);
        bytes.extend(noise);
        let file = folder.file(&format!("noise{extension}"), bytes);
        let setting = OpeningSetting { chess960, walks: 5, ..shuffled(1) };
        if let Ok(openings) = Openings::load(&file, &setting) {
            prop_assert!(openings.len() > 0);
            for index in 0..openings.len() as u64 {
                prop_assert!(openings.get(index).game().outcome().is_none());
            }
        }
    }
}
