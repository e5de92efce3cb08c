use std::io::{self, Read};
use std::path::{Path, PathBuf};

use mendel_board::pgn::{GameResult, PgnError, PgnGame, PgnReader, Tags};
use mendel_board::{CastlingMode, Game, Position};
use proptest::prelude::*;

use crate::walks::walk;

fn read(text: &str) -> Vec<Result<PgnGame, PgnError>> {
    PgnReader::new(text.as_bytes()).collect()
}

fn sans(game: &Game) -> Vec<String> {
    let pairs = game.moves().iter().zip(game.positions());
    pairs.map(|(&m, position)| position.san(m)).collect()
}

/// Random games, as text would have them.
fn random_games(seed: u64, plies: usize) -> Vec<PgnGame> {
    let mut games: Vec<Game> = Vec::new();
    walk(seed, plies, |before, m, _| {
        let goes_on = games
            .last()
            .is_some_and(|game| game.position() == before && game.position().fen() == before.fen());
        if !goes_on {
            games.push(Game::new(before.clone()));
        }
        games.last_mut().unwrap().play(m).unwrap();
    });
    games.into_iter().map(PgnGame::new).collect()
}

#[test]
fn what_is_written_reads_back() {
    let mut text = String::new();
    let mut games = random_games(41, 3_000);
    for (number, game) in games.iter_mut().enumerate() {
        game.tags.set("White", &format!("Number {number}"));
        game.tags.set("Site", "\"here\" \\\" \\ there");
        game.comments = (0..number % 5).map(|ply| format!("remark {ply}")).collect();
        text.push_str(&game.to_string());
    }
    let back = read(&text);
    assert_eq!(back.len(), games.len());
    for (back, game) in back.into_iter().zip(games) {
        let back = back.unwrap();
        assert_eq!(back.game.moves(), game.game.moves());
        assert_eq!(back.game.start(), game.game.start());
        assert_eq!(back.game.start().fen(), game.game.start().fen());
        assert_eq!(
            back.game.start().castling_mode(),
            game.game.start().castling_mode()
        );
        assert_eq!(back.result, game.result);
        assert_eq!(back.tags.get("White"), game.tags.get("White"));
        assert_eq!(back.tags.get("Site"), game.tags.get("Site"));
    }
}

#[test]
fn the_written_form_is_that_of_the_standard() {
    let mut game = Game::default();
    for san in ["f3", "e5", "g4", "Qh4#"] {
        game.play(game.position().parse_san(san).unwrap()).unwrap();
    }
    let mut game = PgnGame::new(game);
    game.tags.set("Annotator", "A \"quick\" one\nwith \\ in it");
    game.tags.set("White", "Fool");
    game.tags.set("Result", "1-0"); // not what happened
    game.tags.set("Odd name!", "x");
    game.comments = vec!["weak {really}".into(), String::new(), "worse".into()];
    let expected = r#"[Event "?"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "Fool"]
[Black "?"]
[Result "0-1"]
[Annotator "A \"quick\" one with \\ in it"]
[Oddname "x"]

1. f3 {weak (really)} 1... e5 2. g4 {worse} 2... Qh4# 0-1

"#;
    assert_eq!(game.to_string(), expected);
}

#[test]
fn a_start_position_brings_its_tags() {
    let mut game = Game::new(Position::from_fen("4k3/8/8/8/8/8/8/4K2R b K - 0 7").unwrap());
    game.play(game.position().parse_san("Kd7").unwrap())
        .unwrap();
    let text = PgnGame::new(game).to_string();
    let tags = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 0 7\"]\n\n7... Kd7 *\n";
    assert!(text.contains(tags), "{text}");
    assert!(!text.contains("Variant"), "{text}");

    let text = PgnGame::new(Game::new(Position::chess960(0).unwrap())).to_string();
    assert!(
        text.contains("[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"bbqnnrkr/"),
        "{text}"
    );
}

#[test]
fn lines_are_short_and_cannot_be_taken_for_something_else() {
    for mut game in random_games(42, 1_500) {
        let plies = game.game.moves().len();
        game.comments = vec!["%evil ;words and [%clk 0:01] {in} a longer remark".into(); plies];
        let text = game.to_string();
        let (_, moves) = text.split_once("\n\n").unwrap();
        for line in moves.lines() {
            assert!(line.chars().count() < 80, "{line}");
            assert!(!line.starts_with(['%', ';', '[']), "{line}");
        }
        game.comments.clear();
        let text = game.to_string();
        let (_, moves) = text.split_once("\n\n").unwrap();
        assert!(moves.lines().all(|line| line.len() < 80), "{text}");
    }
}

#[test]
fn comments_variations_and_odd_spellings_are_passed_over() {
    let games = read(concat!(
        "% an escape\n",
        "[Event \"odd\"]\n[Result \"1-0\"]\n\n",
        "1.e4 {a { brace} e5 $1 2. Nf3!? (2. f4 exf4 (2... d5 3. exd5)) 2... Nc6\n",
        "; a line of remarks\n",
        "3. Bc4 Bc5 4. 0-0 Nf6\n\n",
        "[Event \"second\"]\n\n1. d4 1/2-1/2\n",
    ));
    let first = games[0].as_ref().unwrap();
    assert_eq!(sans(&first.game).join(" "), "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6");
    // Without a result at the end the tag tells it.
    assert_eq!(first.result, GameResult::WhiteWins);
    let second = games[1].as_ref().unwrap();
    assert_eq!(second.tags.get("Event"), Some("second"));
    assert_eq!(second.result, GameResult::Draw);
    assert_eq!(games.len(), 2);
}

#[test]
fn chess960_and_set_positions_are_honoured() {
    let games = read(concat!(
        "[Variant \"Fischerandom\"]\n[FEN \"nrbknqrb/pppppppp/8/8/8/8/PPPPPPPP/NRBKNQRB w GBgb - 0 1\"]\n\n",
        "1. c4 *\n\n",
        "[Variant \"chess 960\"]\n\n1. e4 *\n\n",
        "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O *\n\n",
        "[Variant \"Atomic\"]\n\n1. e4 *\n\n",
        "[FEN \"rubbish\"]\n\n1. e4 *\n",
    ));
    let mode = |index: usize| games[index].as_ref().unwrap().game.start().castling_mode();
    assert_eq!(mode(0), CastlingMode::Chess960);
    assert_eq!(mode(1), CastlingMode::Chess960);
    assert_eq!(mode(2), CastlingMode::Standard);
    let error = |index: usize| games[index].as_ref().unwrap_err().to_string();
    assert!(error(3).contains("variant `Atomic`"), "{}", error(3));
    assert!(error(4).contains("`rubbish` is not a FEN"), "{}", error(4));
}

#[test]
fn a_broken_game_is_named_and_the_next_one_is_read() {
    let games = read(concat!(
        "[Event \"fine\"]\n\n1. e4 *\n\n",
        "[Event \"Club\"]\n[White \"Anna\"]\n[Black \"Bert\"]\n\n1. e4 e5 2. Ke3 Nf6 1-0\n\n",
        "[Event \"unclosed\n\n1. e4 *\n\n",
        "[Event \"last\"]\n\n1. d4 0-1\n",
    ));
    assert!(games[0].is_ok());
    let Err(PgnError::Game(broken)) = &games[1] else {
        panic!("{:?}", games[1]);
    };
    assert_eq!(broken.number, 2);
    assert_eq!(
        (&*broken.event, &*broken.white, &*broken.black),
        ("Club", "Anna", "Bert")
    );
    assert!(broken.reason.starts_with("move 2. `Ke3`: "), "{broken}");
    let last = games.last().unwrap().as_ref().unwrap();
    assert_eq!(last.tags.get("Event"), Some("last"));
    assert_eq!(last.result, GameResult::BlackWins);
}

#[test]
fn an_unfinished_tag_or_comment_does_not_end_the_file() {
    let endless = "x".repeat(50_000);
    let games = read(&format!(
        "[Event \"{endless}\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n1. d4 *\n"
    ));
    assert!(games[0].is_err());
    let last = games.last().unwrap().as_ref().unwrap();
    assert_eq!(last.tags.get("Event"), Some("b"));
    let games = read("1. e4 {never closed");
    assert!(games[0].is_err());
    assert_eq!(games.len(), 1);
}

#[test]
fn games_can_be_chosen_by_their_tags_alone() {
    // The moves of the skipped games are nonsense, which is not noticed.
    let text = concat!(
        "[White \"A\"]\n\n1. Ke5 *\n\n[White \"B\"]\n\n1. e4 *\n\n",
        "[White \"A\"]\n\n1. Ke5 *\n\n[White \"B\"]\n\n1. d4 *\n",
    );
    let mut reader = PgnReader::new(text.as_bytes());
    let keep = |tags: &Tags| tags.get("White") == Some("B");
    let first = reader.next_matching(keep).unwrap().unwrap();
    assert_eq!(sans(&first.game), ["e4"]);
    assert_eq!(reader.games(), 2);
    let second = reader.next_matching(keep).unwrap().unwrap();
    assert_eq!(sans(&second.game), ["d4"]);
    assert!(reader.next_matching(keep).is_none());
    assert_eq!(reader.games(), 4);
}

fn scratch(name: &str, bytes: &[u8]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("mendel-{}-{name}", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn compressed_files_are_known_by_name_or_by_their_bytes() {
    let text = "[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. d4 *\n\n";
    let packed = zstd::encode_all(text.as_bytes(), 1).unwrap();
    // Files are often several frames, one after the other.
    let twice = [packed.clone(), packed.clone()].concat();
    for (name, bytes, games) in [
        ("plain.pgn", text.as_bytes(), 2),
        ("packed.pgn.zst", &twice, 4),
        ("packed-in-secret.pgn", &packed, 2),
        ("empty.pgn", b"", 0),
    ] {
        let path = scratch(name, bytes);
        let read: Vec<_> = PgnReader::open(&path).unwrap().collect();
        assert!(read.iter().all(Result::is_ok), "{name}");
        assert_eq!(read.len(), games, "{name}");
        std::fs::remove_file(path).unwrap();
    }
}

/// A reader that fails, even in the words the parser uses for bad games.
struct Failing;

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::InvalidData.into())
    }
}

#[test]
fn a_damaged_file_ends_with_an_error_that_names_it() {
    let path = scratch("damaged.pgn.zst", b"no such format");
    let games: Vec<_> = PgnReader::open(&path).unwrap().collect();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(games.len(), 1);
    let error = games[0].as_ref().unwrap_err().to_string();
    assert!(error.contains("damaged.pgn.zst"), "{error}");
    assert!(PgnReader::open("no/such.pgn").is_err());

    let source = "[White \"A\"]\n\n1. e4 *\n\n1. d4"
        .as_bytes()
        .chain(Failing);
    let games: Vec<_> = PgnReader::new(source).take(10).collect();
    assert!(games.len() <= 2);
    assert!(matches!(games.last(), Some(Err(PgnError::Read { .. }))));
}

#[test]
fn endless_games_and_tags_are_refused() {
    let shuffle = "Nf3 Nf6 Ng1 Ng8 ".repeat(6_000);
    let games = read(&format!("{shuffle}*\n\n1. e4 *\n"));
    assert!(
        games[0]
            .as_ref()
            .unwrap_err()
            .to_string()
            .contains("half-moves")
    );
    assert!(games[1].is_ok());
    let tags: Vec<String> = (0..1_000).map(|n| format!("[T{n} \"x\"]\n")).collect();
    let tags = tags.concat();
    let games = read(&format!("{tags}\n1. e4 *\n\n[White \"B\"]\n\n1. d4 *\n"));
    assert!(games[0].as_ref().unwrap_err().to_string().contains("tags"));
    assert!(games[1].is_ok());
}

#[test]
fn real_games_are_read() {
    let file = "../../../shared/data/games/otb_min2400.pgn.zst";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if !path.exists() {
        eprintln!("skipped: there is no file {}", path.display());
        return;
    }
    let games: Vec<_> = PgnReader::open(&path).unwrap().take(500).collect();
    assert_eq!(games.len(), 500);
    let whole = games
        .iter()
        .flatten()
        .filter(|game| game.game.moves().len() > 10);
    assert!(whole.count() > 400);
}

proptest! {
    #[test]
    fn no_bytes_break_the_reader(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        prop_assert!(PgnReader::new(&bytes[..]).count() <= bytes.len());
    }

    #[test]
    fn no_pgn_like_text_breaks_the_reader(
        text in "(\\[[A-Za-z]{1,8} \"[^\"]{0,12}\"?\\]?|\n|[1-9]\\. |[NBRQK]?[a-h][1-8] |[{}();*$%] ?|O-O |1-0 |\"|\\\\){0,60}"
    ) {
        prop_assert!(PgnReader::new(text.as_bytes()).count() <= text.len());
    }

    /// Whatever is said in tags and comments, the moves come through.
    #[test]
    fn no_tag_or_comment_breaks_what_is_written(
        name in ".{0,20}", value in ".{0,60}", comment in "(?s).{0,120}",
    ) {
        let mut game = Game::default();
        for san in ["e4", "e5", "Nf3"] {
            game.play(game.position().parse_san(san).unwrap()).unwrap();
        }
        let mut game = PgnGame::new(game);
        game.tags.set(&name, &value);
        game.tags.set("Event", &value);
        game.comments = vec![comment; 3];
        let back = read(&game.to_string());
        prop_assert_eq!(back.len(), 1, "{}", game);
        let back = back.into_iter().next().unwrap().unwrap();
        prop_assert_eq!(sans(&back.game), sans(&game.game), "{}", game);
        let line: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        prop_assert_eq!(back.tags.get("Event"), Some(line.as_str()));
    }
}
