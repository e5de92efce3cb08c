//! A GUI that never waits for ever.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mendel_engine::session::{self, Settings};
use mendel_engine::{Options, Player};

/// Nothing in these tests takes a second; a machine under load may need more.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The other end of a session.
pub(crate) struct Gui {
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<String>,
    /// Lines looked at and put back.
    waiting: VecDeque<String>,
    session: JoinHandle<io::Result<()>>,
}

pub(crate) fn settings() -> Settings {
    Settings {
        player: Arc::new(Player::find("mendel").expect("a built-in player")),
        options: Options {
            hash: 1,
            ..Options::default()
        },
        tunable: false,
    }
}

impl Gui {
    pub(crate) fn start(settings: Settings) -> Self {
        let (input, bytes) = mpsc::channel();
        let (lines, output) = mpsc::channel();
        let pipe = PipeReader {
            bytes,
            rest: Vec::new(),
        };
        let screen = Screen {
            lines,
            begun: Vec::new(),
        };
        Self {
            input: Some(input),
            output,
            waiting: VecDeque::new(),
            session: thread::spawn(move || session::run(pipe, screen, settings)),
        }
    }

    /// Sends raw bytes. A session that has quit hears nothing any more.
    pub(crate) fn send_bytes(&self, bytes: impl Into<Vec<u8>>) {
        let input = self.input.as_ref().expect("the input is open");
        let _ = input.send(bytes.into());
    }

    pub(crate) fn send(&self, line: &str) {
        self.send_bytes(format!("{line}\n"));
    }

    /// The next line, if there is one before `patience` ends.
    fn next(&mut self, patience: Duration) -> Option<String> {
        if let Some(line) = self.waiting.pop_front() {
            return Some(line);
        }
        self.output.recv_timeout(patience).ok()
    }

    /// The next line must fit the pattern.
    pub(crate) fn expect(&mut self, pattern: &str) -> String {
        match self.next(PATIENCE) {
            Some(line) if fits(pattern, &line) => line,
            other => panic!("expected `{pattern}`, got {other:?}"),
        }
    }

    /// Some line must fit the pattern; those before it are skipped.
    pub(crate) fn wait_for(&mut self, pattern: &str) -> String {
        let mut skipped = Vec::new();
        while let Some(line) = self.next(PATIENCE) {
            if fits(pattern, &line) {
                return line;
            }
            skipped.push(line);
        }
        panic!("expected `{pattern}`, got only {skipped:#?}");
    }

    /// No line may fit the pattern for a while.
    pub(crate) fn expect_none(&mut self, pattern: &str, patience: Duration) {
        let end = Instant::now() + patience;
        let mut seen = VecDeque::new();
        while let Some(left) = end.checked_duration_since(Instant::now())
            && let Some(line) = self.next(left)
        {
            assert!(!fits(pattern, &line), "`{line}` came too early");
            seen.push_back(line);
        }
        seen.append(&mut self.waiting);
        self.waiting = seen;
    }

    /// Closes the input and returns what was said until the session ended.
    pub(crate) fn finish(mut self) -> (Vec<String>, io::Result<()>) {
        self.input = None;
        let end = Instant::now() + PATIENCE;
        let mut lines: Vec<_> = self.waiting.drain(..).collect();
        loop {
            match self
                .output
                .recv_timeout(end.saturating_duration_since(Instant::now()))
            {
                Ok(line) => lines.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the session hangs after {lines:#?}"),
            }
        }
        let result = self.session.join().expect("a session does not panic");
        (lines, result)
    }
}

/// Whether `line` fits `pattern`, in which `*` stands for anything.
pub(crate) fn fits(pattern: &str, line: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else {
        return false;
    };
    let mut pieces: Vec<_> = pieces.collect();
    let Some(last) = pieces.pop() else {
        return rest.is_empty();
    };
    for piece in pieces {
        match rest.split_once(piece) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

struct PipeReader {
    bytes: Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl Read for PipeReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.rest.is_empty() {
            match self.bytes.recv() {
                Ok(bytes) => self.rest = bytes,
                Err(_) => return Ok(0),
            }
        }
        let count = buffer.len().min(self.rest.len());
        buffer[..count].copy_from_slice(&self.rest[..count]);
        self.rest.drain(..count);
        Ok(count)
    }
}

struct Screen {
    lines: Sender<String>,
    begun: Vec<u8>,
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        while let Some(end) = self.begun.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.begun.drain(..=end).collect();
            let line = String::from_utf8(line).expect("the engine writes UTF-8");
            // A test that has seen enough may be gone.
            let _ = self.lines.send(line.trim_end().to_owned());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn patterns_fit_what_they_should() {
    let table = [
        ("bestmove e2e4", "bestmove e2e4", true),
        ("bestmove *", "bestmove e2e4 ponder e7e5", true),
        ("bestmove * ponder *", "bestmove e2e4", false),
        ("*e4", "bestmove e2e4", true),
        ("*e4", "bestmove e2e4 x", false),
        ("info * pv * x", "info depth 1 pv e2e4 x", true),
        ("bestmove", "bestmove e2e4", false),
    ];
    for (pattern, line, expected) in table {
        assert_eq!(fits(pattern, line), expected, "{pattern} | {line}");
    }
}
