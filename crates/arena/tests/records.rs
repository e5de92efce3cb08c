//! Games as text, read again by ourselves and by python-chess.

use std::fs;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mendel_arena::pgn::{self, Heading};
use mendel_arena::{
    EndReason, Ending, FirstMoves, Fixture, GameRecord, GameSetting, MoveRecord, Opening, Pace,
    Side,
};
use mendel_board::Game;
use mendel_board::eco::OpeningNames;
use mendel_board::pgn::PgnReader;

use crate::scripted::{Scripted, finish, plays, sees};

fn players() -> Vec<(String, Pace)> {
    let clock = "40/60+0.5".parse().ok();
    let movetime = Some(Duration::from_millis(50));
    vec![
        (
            "mendel".to_owned(),
            Pace {
                clock,
                ..Pace::default()
            },
        ),
        (
            "the \"other\" {one} \\".to_owned(),
            Pace {
                movetime,
                ..Pace::default()
            },
        ),
        (
            "nodes".to_owned(),
            Pace {
                nodes: Some(5000),
                ..Pace::default()
            },
        ),
        (
            "nodes too".to_owned(),
            Pace {
                nodes: Some(5000),
                ..Pace::default()
            },
        ),
    ]
}

fn heading(players: &[(String, Pace)]) -> Heading<'_> {
    Heading {
        event: "A \"small\" match",
        site: "",
        players,
        names: None,
    }
}

/// The fool's mate after an opening of one move.
fn fools_mate() -> GameRecord {
    let mut game = Game::default();
    game.play(game.position().parse_san("f3").expect("legal"))
        .expect("legal");
    let setting = GameSetting {
        opening: Opening::new(game),
        ..GameSetting::default()
    };
    let mut black = Scripted {
        takes: Duration::from_millis(41),
        ..sees(35)
    };
    black.script = plays(&["e5", "Qh4"]).script;
    let played = finish(&mut plays(&["g4"]), &mut black, &setting);
    let fixture = Fixture {
        game: 23,
        pair: 11,
        white: 0,
        black: 1,
        opening: 11,
    };
    played.record(fixture, "2026.01.02".to_owned())
}

fn text(record: &GameRecord) -> String {
    let players = players();
    pgn::write(record, &heading(&players))
        .expect("it was played")
        .to_string()
}

#[test]
fn a_game_is_written_with_its_thoughts() {
    let expected = r#"[Event "A \"small\" match"]
[Site "?"]
[Date "2026.01.02"]
[Round "12.2"]
[White "mendel"]
[Black "the \"other\" {one} \\"]
[Result "0-1"]
[TimeControl "?"]
[WhiteTimeControl "40/60+0.5"]
[BlackTimeControl "1/0.05"]
[WhitePace "40/60+0.5"]
[BlackPace "50 ms a move"]
[PlyCount "4"]
[Termination "normal"]
[Ending "Checkmate"]

1. f3 {book} 1... e5 {+0.35/7 0.041s 1234n} 2. g4 {0.000s} 2... Qh4# {+0.35/7
0.041s 1234n, Checkmate} 0-1

"#;
    assert_eq!(text(&fools_mate()), expected);
}

#[test]
fn equal_paces_stand_once() {
    let record = GameRecord {
        white: 2,
        black: 3,
        ..fools_mate()
    };
    let text = text(&record);
    assert!(
        text.contains("[TimeControl \"-\"]\n[Pace \"5000 nodes a move\"]\n"),
        "{text}"
    );
    assert!(!text.contains("WhitePace"));
}

#[test]
fn a_written_game_is_read_again() {
    let record = fools_mate();
    let text = text(&record).repeat(2);
    let games: Vec<_> = PgnReader::new(text.as_bytes())
        .collect::<Result<_, _>>()
        .expect("whole");
    assert_eq!(games.len(), 2);
    for game in games {
        assert_eq!(game.result.as_str(), record.ending.result());
        let replayed = pgn::replay(&record).expect("it was played");
        assert_eq!(game.game.moves(), replayed.moves());
        assert_eq!(game.tags.get("Black"), Some("the \"other\" {one} \\"));
    }
}

#[test]
fn every_reason_has_a_termination_of_the_standard() {
    let standard = [
        "abandoned",
        "adjudication",
        "normal",
        "rules infraction",
        "time forfeit",
    ];
    let reasons = [
        (EndReason::Checkmate, "normal"),
        (EndReason::Repetition, "normal"),
        (EndReason::Resignation, "normal"),
        (EndReason::Time, "time forfeit"),
        (EndReason::IllegalMove, "rules infraction"),
        (EndReason::Crash, "abandoned"),
        (EndReason::Stall, "abandoned"),
        (EndReason::AdjudicatedDraw, "adjudication"),
        (EndReason::LengthMaterial, "adjudication"),
        (EndReason::Tablebase, "adjudication"),
    ];
    for (reason, word) in reasons {
        let mut record = fools_mate();
        record.ending.reason = reason;
        let text = text(&record);
        assert!(standard.contains(&word));
        assert!(
            text.contains(&format!("[Termination \"{word}\"]")),
            "{reason:?}: {text}"
        );
    }
}

#[test]
fn the_last_position_is_written_as_epd() {
    let players = players();
    let epd = pgn::write_final(&fools_mate(), &heading(&players)).expect("it was played");
    assert_eq!(
        epd.to_string(),
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - \
         id \"12.2 mendel – the 'other' {one} \\\"; c0 \"0-1\"; c1 \"Checkmate\"; hmvc 1; fmvn 3;"
    );
}

#[test]
fn a_broken_record_is_an_error_and_names_the_game() {
    let mut record = fools_mate();
    record.moves[1].m = "e1e8".to_owned();
    let error = pgn::write(&record, &Heading::default()).expect_err("it is broken");
    assert!(
        error.to_string().starts_with("game 23 of the record"),
        "{error}"
    );
    record.start = "nonsense".to_owned();
    assert!(pgn::write_final(&record, &Heading::default()).is_err());
    // Unknown players are no reason to fail.
    assert!(pgn::write(&fools_mate(), &Heading::default()).is_ok());
}

#[test]
fn dates_are_those_of_the_calendar() {
    let table = [
        (0, "1970.01.01"),
        (68_255_999, "1972.02.29"),
        (68_256_000, "1972.03.01"),
        (951_782_400, "2000.02.29"),
        (1_735_689_599, "2024.12.31"),
        (1_735_689_600, "2025.01.01"),
        (4_107_542_400, "2100.03.01"),
        (253_402_300_799, "9999.12.31"),
    ];
    for (seconds, date) in table {
        assert_eq!(pgn::date(UNIX_EPOCH + Duration::from_secs(seconds)), date);
    }
    let before = UNIX_EPOCH - Duration::from_secs(1);
    assert_eq!(pgn::date(before), "????.??.??");
    assert_eq!(pgn::date(SystemTime::now()).len(), 10);
}

const NAMES: &str = "eco\tname\tpgn\n\
    A00\tBarnes Opening\t1. f3\n\
    A00\tBarnes Opening: Fool's Mate\t1. f3 e5 2. g4 Qh4#\n\
    D00\tQueen's Pawn Game\t1. d4 d5\n\
    D06\tQueen's Gambit\t1. d4 d5 2. c4\n";

fn table(name: &str, text: &str) -> OpeningNames {
    let path = format!("mendel-names-{name}-{}.tsv", std::process::id());
    let path = std::env::temp_dir().join(path);
    fs::write(&path, text).expect("a file can be written");
    let names = OpeningNames::load(&path);
    let _ = fs::remove_file(&path);
    names.expect("it is whole")
}

#[test]
fn the_longest_line_that_fits_names_the_opening() {
    let names = table("good", NAMES);
    let players = players();
    let heading = Heading {
        names: Some(&names),
        ..heading(&players)
    };
    let text = pgn::write(&fools_mate(), &heading)
        .expect("it was played")
        .to_string();
    assert!(
        text.contains("[ECO \"A00\"]\n[Opening \"Barnes Opening: Fool's Mate\"]\n"),
        "{text}"
    );
}

/// Reads games strictly: an error, a warning or a tag that is missing is a failure.
const READER: &str = r#"
import io, logging, sys, chess.pgn
logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)
text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8")
while (game := chess.pgn.read_game(text)) is not None:
    assert not game.errors, game.errors
    end = game.end()
    comments = [" ".join(node.comment.split()) for node in game.mainline()]
    print(game.headers["Result"], game.headers["Round"], len(comments), end.board().fen(), sep="|")
    print(comments[-1] if comments else game.comment)
"#;

#[test]
fn python_chess_reads_the_same_games() {
    let present = Command::new("python3")
        .args(["-c", "import chess.pgn"])
        .output();
    if !present.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no python3 with the package `chess`");
        return;
    }
    // 1. A usual game, one of Chess960 with castling, one without any move.
    let castling = GameRecord {
        start: "nrbqkbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBQKBRN w KQkq - 0 1".to_owned(),
        opening: vec!["e2e4".to_owned(), "e7e5".to_owned()],
        moves: ["f1c4", "f8c5", "e1g1"]
            .map(|m| MoveRecord {
                m: m.to_owned(),
                score: Some("#-3".to_owned()),
                depth: None,
                nodes: Some(7),
                time: Duration::from_micros(1),
            })
            .into(),
        ending: Ending {
            winner: Some(Side::White),
            reason: EndReason::Stall,
            words: "Black: said } nothing {".to_owned(),
        },
        ..fools_mate()
    };
    let silent = GameRecord {
        opening: Vec::new(),
        moves: Vec::new(),
        start: "4k3/8/8/8/8/8/4P3/4K3 b - - 3 9".to_owned(),
        ..castling.clone()
    };
    let records = [fools_mate(), castling, silent];
    let all: String = records.iter().map(text).collect();

    // 2. What python-chess makes of them.
    let path = std::env::temp_dir().join(format!("mendel-pgn-{}.pgn", std::process::id()));
    fs::write(&path, all).expect("a file can be written");
    let input = fs::File::open(&path).expect("it was written");
    let output = Command::new("python3")
        .args(["-c", READER])
        .stdin(input)
        .output();
    let _ = fs::remove_file(&path);
    let output = output.expect("python3 was there a moment ago");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let read = String::from_utf8_lossy(&output.stdout).into_owned();
    let expected = "0-1|12.2|4|rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3\n\
        +0.35/7 0.041s 1234n, Checkmate\n\
        1-0|12.2|5|nrbqk1rn/pppp1ppp/8/2b1p3/2B1P3/8/PPPP1PPP/NRBQ1RKN b kq - 3 3\n\
        #-3 0.000s 7n, Black: said ) nothing (\n\
        1-0|12.2|0|4k3/8/8/8/8/8/4P3/4K3 b - - 3 9\n\n";
    assert_eq!(read, expected);
}

#[test]
fn first_moves_are_read_as_they_are_written() {
    for (text, count) in [("", 0), ("e2e4", 1), ("g1f3 e7e8q", 2)] {
        let moves = FirstMoves::try_from(text.to_owned()).expect("it is right");
        assert_eq!(
            (moves.to_string().as_str(), moves.iter().count()),
            (text, count)
        );
        assert_eq!(moves.is_empty(), count == 0);
    }
    for wrong in ["e2e4 e7e5 g1f3", "e2e4e5", "é2e4", "(none)"] {
        let error = FirstMoves::try_from(wrong.to_owned()).expect_err("it is wrong");
        assert!(error.contains(wrong), "{error}");
    }
}
