//! How soon the engine answers, and that it always does.

use std::io::{self, Write};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use mendel_engine::session;

use crate::gui::{Gui, PATIENCE, settings};

/// What a GUI may count on if the machine has time for the engine.
const SOON: Duration = Duration::from_millis(50);
const MANY: usize = 25;

/// The time of the quickest answer. Each has to come, but a busy machine may delay most of them.
fn quickest(times: impl Iterator<Item = Duration>) -> Duration {
    times.min().expect("there are many")
}

#[test]
fn stop_is_answered_soon() {
    let mut gui = Gui::start(settings());
    let times = (0..MANY).map(|_| {
        gui.send("go infinite");
        thread::sleep(Duration::from_millis(20));
        let asked = Instant::now();
        gui.send("stop");
        gui.wait_for("bestmove *");
        asked.elapsed()
    });
    let time = quickest(times);
    assert!(time < SOON, "{time:?}");
}

#[test]
fn isready_is_answered_at_once_while_thinking() {
    let mut gui = Gui::start(settings());
    gui.send("go infinite");
    let times = (0..MANY).map(|_| {
        thread::sleep(Duration::from_millis(5));
        let asked = Instant::now();
        gui.send("isready");
        gui.wait_for("readyok");
        asked.elapsed()
    });
    let time = quickest(times);
    assert!(time < SOON, "{time:?}");
}

#[test]
fn a_clock_that_has_run_out_means_to_move_at_once() {
    let mut gui = Gui::start(settings());
    let limits = [
        "wtime 0 btime 0",
        "wtime -5000 winc 0",
        "movetime 0",
        "wtime 1 btime 1",
    ];
    for limits in limits {
        let times = (0..MANY).map(|_| {
            let asked = Instant::now();
            gui.send(&format!("go {limits}"));
            gui.wait_for("bestmove *");
            asked.elapsed()
        });
        let time = quickest(times);
        assert!(time < SOON, "{limits}: {time:?}");
    }
}

#[test]
fn the_end_of_the_input_while_thinking_is_answered_by_one_move() {
    for go in [
        "go infinite",
        "go ponder wtime 1000 btime 1000",
        "go depth 200",
    ] {
        let gui = Gui::start(settings());
        gui.send(go);
        thread::sleep(Duration::from_millis(20));
        let (lines, result) = gui.finish();
        result.expect("an end is no error");
        let moves = lines.iter().filter(|line| line.starts_with("bestmove"));
        assert_eq!(moves.count(), 1, "{go}: {lines:#?}");
    }
}

#[test]
fn quit_while_thinking_is_answered_by_one_move_and_the_end() {
    let gui = Gui::start(settings());
    gui.send("go infinite");
    gui.send("quit");
    gui.send("go depth 1");
    let (lines, _) = gui.finish();
    let moves = lines.iter().filter(|line| line.starts_with("bestmove"));
    assert_eq!(moves.count(), 1, "{lines:#?}");
}

#[test]
fn lines_of_a_megabyte_are_refused_and_the_next_is_heard() {
    let mut gui = Gui::start(settings());
    let mut long = b"position startpos moves ".to_vec();
    long.resize(3 << 20, b'x');
    long.extend_from_slice(b"\nisready\n");
    gui.send_bytes(long);
    gui.expect("info string a line of more than 1048576 bytes is skipped");
    gui.expect("readyok");
}

#[test]
fn a_line_at_the_limit_is_read_and_a_longer_one_is_skipped() {
    let mut gui = Gui::start(settings());
    let mut line = vec![b'x'; 1 << 20];
    line.push(b'\n');
    gui.send_bytes(line.clone());
    gui.expect("info string unknown command: *");
    line.insert(0, b'x');
    gui.send_bytes(line);
    gui.expect("info string a line of more than 1048576 bytes is skipped");
    gui.send("isready");
    gui.expect("readyok");
}

#[test]
fn a_last_line_without_an_end_counts() {
    let gui = Gui::start(settings());
    gui.send_bytes(*b"isready");
    let (lines, result) = gui.finish();
    result.expect("an end is no error");
    assert_eq!(lines, ["readyok"]);
}

#[test]
fn a_game_of_a_hundred_thousand_moves_is_played_on() {
    let mut gui = Gui::start(settings());
    let dance = " g1f3 g8f6 f3g1 f6g8".repeat(25_000);
    gui.send(&format!("position startpos moves{dance}"));
    gui.send("go depth 2");
    gui.wait_for("bestmove *");
}

#[test]
fn bytes_that_are_not_text_are_words_like_any_unknown_ones() {
    let mut gui = Gui::start(settings());
    gui.send_bytes(*b"\xff\xfe\x00\xc3\x28\n");
    gui.expect("info string unknown command: *");
    gui.send_bytes(*b"\xff isready\r\n");
    gui.expect("readyok");
}

/// A screen that breaks as soon as something is shown on it.
struct Broken;

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::from(io::ErrorKind::BrokenPipe))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_gui_that_no_longer_listens_ends_the_session() {
    let (done, ended) = mpsc::channel();
    thread::spawn(move || {
        let input = io::Cursor::new(b"go infinite\nisready\n".to_vec());
        let result = session::run(input, Broken, settings());
        let _ = done.send(result.map_err(|error| error.kind()));
    });
    let result = ended.recv_timeout(PATIENCE).expect("the session ends");
    assert_eq!(result, Err(io::ErrorKind::BrokenPipe));
}
