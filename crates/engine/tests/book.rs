//! Playing from a book, and when not to.

use std::fs;
use std::path::PathBuf;

use crate::gui::{Gui, settings};

/// The start position's key in the Polyglot format.
const START: u64 = 0x463b_9618_1691_fc9c;

/// A book that knows one move, which no search would find: a2a4.
fn book(name: &str) -> PathBuf {
    const A2_A4: u16 = (1 << 9) | (3 << 3);
    let mut entry = START.to_be_bytes().to_vec();
    entry.extend(A2_A4.to_be_bytes());
    entry.extend(1_u16.to_be_bytes());
    entry.extend(0_u32.to_be_bytes());
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, entry).expect("the folder for tests can be written");
    path
}

#[test]
fn a_book_is_played_from_but_not_analysed_with() {
    let path = book("with a blank.bin");
    let mut gui = Gui::start(settings());
    gui.send(&format!("setoption name Book value {}", path.display()));
    gui.send("go depth 2");
    gui.expect("bestmove a2a4");
    gui.send("setoption name UCI_AnalyseMode value true");
    gui.send("go depth 2");
    gui.expect("info depth 1 *");
    gui.wait_for("bestmove *");
    gui.send("setoption name UCI_AnalyseMode value false");
    gui.send("go depth 2");
    gui.expect("bestmove a2a4");
    gui.send("setoption name Book value <empty>");
    gui.send("go depth 2");
    gui.expect("info depth 1 *");
}

#[test]
fn a_book_that_cannot_be_used_leaves_the_one_before() {
    let path = book("whole.bin");
    let half = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("half.bin");
    fs::write(&half, [0; 7]).expect("the folder for tests can be written");
    let mut gui = Gui::start(settings());
    gui.send(&format!("setoption name Book value {}", path.display()));
    gui.send(&format!("setoption name Book value {}", half.display()));
    gui.expect("info string `*half.bin` is not a whole Polyglot book*");
    gui.send("go depth 2");
    gui.expect("bestmove a2a4");
    // While the engine thinks it cannot judge a file; it does so before the next `go`.
    gui.send("go infinite");
    gui.send(&format!("setoption name Book value {}", half.display()));
    gui.send("stop");
    gui.wait_for("bestmove *");
    gui.send("go depth 2");
    gui.expect("info string `*half.bin` is not a whole Polyglot book*");
    gui.expect("bestmove a2a4");
}
