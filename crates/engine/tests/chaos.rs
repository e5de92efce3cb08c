//! Sessions made of fragments and raw bytes: whatever is sent, nothing panics,
//! nothing hangs, and every question gets exactly one answer.

use mendel_engine::{uci, xboard};
use proptest::prelude::*;

use crate::gui::{Gui, settings};

const UCI_WORDS: &[&str] = &[
    "uci",
    "debug",
    "on",
    "off",
    "isready",
    "setoption",
    "name",
    "value",
    "Hash",
    "Threads",
    "MultiPV",
    "Ponder",
    "Move",
    "Overhead",
    "Clear",
    "UCI_Chess960",
    "UCI_ShowWDL",
    "true",
    "false",
    "Book",
    "SyzygyPath",
    "nowhere",
    "register",
    "later",
    "ucinewgame",
    "position",
    "startpos",
    "fen",
    "moves",
    "e2e4",
    "e7e5",
    "e1g1",
    "a7a8q",
    "0000",
    "go",
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
    "stop",
    "ponderhit",
    "quit",
    "d",
    "eval",
    "-1",
    "0",
    "1",
    "3",
    "50",
    "99999999999999999999",
    "-9223372036854775808",
    "NaN",
    "1e9",
    "joho",
    "",
    "\t",
    "\u{fffd}",
    "8/8/8/8/8/8/8/8",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
    "w",
    "KQkq",
    "-",
];

const UCI_LINES: &[&str] = &[
    "position startpos moves e2e4 e7e5",
    "position startpos moves e2e5",
    "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 99 80",
    "position fen bnrbnkqr/pppppppp/8/8/8/8/PPPPPPPP/BNRBNKQR w HChc - 0 1",
    "setoption name UCI_Chess960 value true",
    "setoption name Hash value 2",
    "setoption name Threads value 2",
    "setoption name MultiPV value 3",
    "go depth 2",
    "go nodes 500",
    "go infinite",
    "go ponder movetime 5",
    "go mate 2",
    "go searchmoves e2e4 d2d4 depth 2",
    "go perft 2",
    "stop",
    "ponderhit",
    "isready",
];

const XBOARD_WORDS: &[&str] = &[
    "xboard",
    "protover",
    "2",
    "accepted",
    "rejected",
    "new",
    "variant",
    "fischerandom",
    "normal",
    "atomic",
    "random",
    "force",
    "go",
    "playother",
    "level",
    "0",
    "0:01",
    "1:xx",
    "-3",
    "st",
    "sd",
    "1",
    "nps",
    "time",
    "otim",
    "usermove",
    "e2e4",
    "e7e5",
    "g1f3",
    "b8c6",
    "O-O",
    "e7e8q",
    "?",
    "draw",
    "result",
    "1-0",
    "{White",
    "mates}",
    "setboard",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
    "w",
    "KQkq",
    "-",
    "hint",
    "bk",
    "undo",
    "remove",
    "hard",
    "easy",
    "post",
    "nopost",
    "analyze",
    "exit",
    ".",
    "name",
    "rating",
    "computer",
    "memory",
    "cores",
    "option",
    "MultiPV=2",
    "Hash=1",
    "egtpath",
    "syzygy",
];

const XBOARD_LINES: &[&str] = &[
    "usermove e2e4",
    "usermove d7d5",
    "usermove g1f3",
    "e2e4",
    "setboard 6k1/5ppp/8/8/8/8/8/R5K1 w - - 99 80",
    "setboard 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "level 0 0:01 0",
    "sd 2",
    "st 0.01",
    "go",
    "force",
    "analyze",
    "exit",
    "undo",
    "remove",
    "post",
];

fn line(words: &'static [&str], lines: &'static [&str]) -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => prop::collection::vec(prop::sample::select(words), 0..8)
            .prop_map(|words| words.join(" ").into_bytes()),
        4 => prop::sample::select(lines).prop_map(|line| line.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..60).prop_map(|mut bytes| {
            bytes.retain(|byte| *byte != b'\n');
            bytes
        }),
    ]
}

/// Memory and threads are not what is tested here.
fn is_greedy(line: &str) -> bool {
    let is_large = |word: &str| word.parse().is_ok_and(|number: u64| number > 64);
    let line = line.to_ascii_lowercase();
    (line.contains("hash") || line.contains("threads") || line.contains("time"))
        && line.split([' ', '=']).any(is_large)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_go_is_answered_by_one_move(
        lines in prop::collection::vec(line(UCI_WORDS, UCI_LINES), 0..24),
    ) {
        let gui = Gui::start(settings());
        let mut goes = 0;
        let mut ready = 0;
        let mut open = true;
        for line in lines {
            let text = String::from_utf8_lossy(&line).into_owned();
            if is_greedy(&text) {
                continue;
            }
            match uci::UciCommand::read(&text).0 {
                Some(uci::UciCommand::Quit) => open = false,
                Some(uci::UciCommand::Go(go)) if open && go.perft.is_none() => goes += 1,
                Some(uci::UciCommand::IsReady) if open => ready += 1,
                _ => {}
            }
            gui.send_bytes(line);
            gui.send("");
        }
        let (said, result) = gui.finish();
        prop_assert!(result.is_ok());
        let count = |start: &str| said.iter().filter(|line| line.starts_with(start)).count();
        prop_assert_eq!(count("bestmove"), goes, "{:#?}", said);
        prop_assert_eq!(count("readyok"), ready, "{:#?}", said);
    }

    #[test]
    fn every_ping_is_answered_by_one_pong(
        lines in prop::collection::vec(line(XBOARD_WORDS, XBOARD_LINES), 0..24),
    ) {
        let mut gui = Gui::start(settings());
        gui.send("xboard\nprotover 2\nlevel 0 0:01 0");
        for (number, line) in lines.into_iter().enumerate() {
            let text = String::from_utf8_lossy(&line).into_owned();
            let leaves = matches!(
                text.parse(),
                Ok(xboard::XboardCommand::Quit | xboard::XboardCommand::Edit | xboard::XboardCommand::Ping(_))
            );
            if leaves || is_greedy(&text) {
                continue;
            }
            gui.send_bytes(line);
            gui.send(&format!("\nping {number}"));
            let pong = gui.wait_for("pong *");
            prop_assert_eq!(pong, format!("pong {number}"));
        }
        let (said, result) = gui.finish();
        prop_assert!(result.is_ok());
        prop_assert!(!said.iter().any(|line| line.starts_with("pong")));
    }

    /// All at once, with searches cut off by whatever comes next.
    #[test]
    fn a_hurried_xboard_session_ends(
        lines in prop::collection::vec(line(XBOARD_WORDS, XBOARD_LINES), 0..40),
    ) {
        let gui = Gui::start(settings());
        gui.send("xboard");
        for line in lines {
            if !is_greedy(&String::from_utf8_lossy(&line)) {
                gui.send_bytes(line);
                gui.send("");
            }
        }
        prop_assert!(gui.finish().1.is_ok());
    }

    #[test]
    fn no_bytes_hang_a_session(
        bytes in prop::collection::vec(any::<u8>(), 0..2_000),
        xboard in any::<bool>(),
    ) {
        let gui = Gui::start(settings());
        if xboard {
            gui.send("xboard");
        }
        gui.send_bytes(bytes);
        prop_assert!(gui.finish().1.is_ok());
    }
}
