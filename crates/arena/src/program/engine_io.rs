//! Lines to and from a program: bounded, with a deadline for every wait.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, Read, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};

use super::process::{Launch, Pipes, Process};
use crate::Fault;

/// Maximum bytes of a line: a thousand moves with a comment each.
const MAX_LINE_LEN: usize = 1 << 20;

/// The most a program may write between a question and its answer.
const MAX_ANSWER_LEN: usize = 16 << 20;

/// Lines kept for the record of a fault, and characters of each.
const KEPT_LINES: usize = 30;
const KEPT_LENGTH: usize = 300;

/// Time for a program to exit after `quit`.
const EXIT_TIMEOUT: Duration = Duration::from_millis(200);

/// Interval of checks for the end of the program: another process may keep its pipe open.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// Time from a closed pipe to the end of the program; after it the program counts as running.
/// On a busy machine there is some time between the two.
const DEATH_TIMEOUT: Duration = Duration::from_secs(1);

/// A conversation with a running program.
///
/// There is no thread behind it: the caller waits with poll(2). That costs a few microseconds
/// a move, and no thread can hang.
#[derive(Debug)]
pub(super) struct EngineIo {
    process: Process,
    pipes: Pipes,
    /// What was read from stdout; lines before `start` are done with.
    buffer: Vec<u8>,
    start: usize,
    /// How far the buffer was searched for the end of a line.
    searched: usize,
    /// The line last heard.
    line: String,
    /// What is to be written.
    outgoing: String,
    /// Bytes read since [`begin`](Self::begin).
    amount: usize,
    closed: bool,
    stderr_closed: bool,
    lines: Ring,
    stderr: Ring,
    stderr_line: Vec<u8>,
    /// Ends every wait when it becomes true.
    stop: Option<Arc<AtomicBool>>,
}

/// The last lines of a stream.
#[derive(Debug, Default)]
struct Ring(VecDeque<String>);

impl Ring {
    /// Adds a line; the oldest one's memory is used again.
    fn push(&mut self, mark: &str, line: &str) {
        let mut kept = if self.0.len() < KEPT_LINES {
            String::new()
        } else {
            self.0.pop_front().unwrap_or_default()
        };
        kept.clear();
        kept.push_str(mark);
        match line.char_indices().nth(KEPT_LENGTH) {
            None => kept.push_str(line),
            Some((end, _)) => {
                kept.push_str(&line[..end]);
                kept.push('…');
            }
        }
        self.0.push_back(kept);
    }
}

impl EngineIo {
    pub(super) fn start(launch: &Launch) -> Result<Self, Fault> {
        let (process, pipes) = launch.start().map_err(|error| Fault::Start {
            reason: format!("`{}`: {error}", launch.command.join(" ")),
        })?;
        Ok(Self {
            process,
            pipes,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            line: String::new(),
            outgoing: String::new(),
            amount: 0,
            closed: false,
            stderr_closed: false,
            lines: Ring::default(),
            stderr: Ring::default(),
            stderr_line: Vec::new(),
            stop: None,
        })
    }

    /// A new question: what was said before is not part of its answer.
    pub(super) fn begin(&mut self) {
        self.amount = 0;
    }

    /// Puts a line in the queue; [`send`](Self::send) sends it.
    pub(super) fn queue_line(&mut self, line: impl std::fmt::Display) {
        let start = self.outgoing.len();
        let _ = write!(self.outgoing, "{line}");
        self.lines.push("> ", &self.outgoing[start..]);
        self.outgoing.push('\n');
    }

    /// Writes what was said. While the program does not read, what it writes is
    /// taken in, since it may be waiting for just that.
    pub(super) fn send(&mut self, until: Instant) -> Result<(), Fault> {
        let begun = Instant::now();
        let mut sent = 0;
        while sent < self.outgoing.len() {
            match self.pipes.stdin.write(&self.outgoing.as_bytes()[sent..]) {
                Ok(written) => sent += written,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if Instant::now() >= until {
                        let line = self.outgoing[sent..].lines().next().unwrap_or_default();
                        let line: String = line.chars().take(60).collect();
                        let fault = Fault::NotReady {
                            asked: format!("{line}, which it does not read"),
                            waited: begun.elapsed(),
                        };
                        self.outgoing.clear();
                        return Err(fault);
                    }
                    self.wait(until, true)?;
                }
                Err(_) => {
                    self.outgoing.clear();
                    return Err(self.ended("closed its input but runs on"));
                }
            }
        }
        self.outgoing.clear();
        Ok(())
    }

    /// The next line of its output; `None` if no line comes before `until`.
    pub(super) fn read_line(&mut self, until: Instant) -> Result<Option<&str>, Fault> {
        loop {
            if self.take_line() {
                break;
            }
            if self.buffer.len() - self.start > MAX_LINE_LEN {
                return Err(Fault::Flood {
                    how: format!("a line of more than {MAX_LINE_LEN} bytes"),
                });
            }
            if self.closed {
                return Err(self.ended("closed its output but runs on"));
            }
            if Instant::now() >= until {
                return Ok(None);
            }
            if !self.wait(until, false)? && self.process.has_ended() {
                // What it wrote last may have come between the two looks.
                if !self.read_stdout()? {
                    return Err(self.ended(""));
                }
            }
        }
        Ok(Some(&self.line))
    }

    /// Discards the lines that it has sent.
    pub(super) fn discard_input(&mut self) -> Result<(), Fault> {
        let now = Instant::now();
        while self.read_line(now)?.is_some() {}
        Ok(())
    }

    /// From now on no wait outlasts `stop` for long.
    pub(super) fn watch(&mut self, stop: Option<&Arc<AtomicBool>>) {
        self.stop = stop.cloned();
    }

    /// Waits for something to read, or to be able to write, until a part of the
    /// time is over. Takes in what there is; whether there was anything.
    fn wait(&mut self, until: Instant, to_write: bool) -> Result<bool, Fault> {
        let stopped = |stop: &Arc<AtomicBool>| stop.load(Ordering::Relaxed);
        if self.stop.as_ref().is_some_and(stopped) {
            // The caller ignores the fault, because it set the flag itself.
            let waited = Duration::ZERO;
            return Err(Fault::Stalled { waited });
        }
        let slice = until
            .saturating_duration_since(Instant::now())
            .min(CHECK_INTERVAL);
        let [stdout, stderr, stdin] = {
            let slots = [
                (!self.closed).then(|| PollFd::new(&self.pipes.stdout, PollFlags::IN)),
                (!self.stderr_closed).then(|| PollFd::new(&self.pipes.stderr, PollFlags::IN)),
                to_write.then(|| PollFd::new(&self.pipes.stdin, PollFlags::OUT)),
            ];
            poll(slots, slice)
        };
        let mut any = stdin;
        if stdout {
            any |= self.read_stdout()?;
        }
        if stderr {
            any |= self.read_stderr()?;
        }
        Ok(any || stdout || stderr)
    }

    /// Takes in what stands in the pipe; whether there was anything.
    fn read_stdout(&mut self) -> Result<bool, Fault> {
        let mut chunk = [0; 16 << 10];
        match self.pipes.stdout.read(&mut chunk) {
            Ok(0) => self.closed = true,
            Ok(length) => {
                self.buffer.extend_from_slice(&chunk[..length]);
                self.count(length, "its output")?;
                return Ok(true);
            }
            Err(error) => self.closed = !is_passing(&error),
        }
        Ok(false)
    }

    fn read_stderr(&mut self) -> Result<bool, Fault> {
        let mut chunk = [0; 16 << 10];
        match self.pipes.stderr.read(&mut chunk) {
            Ok(0) => self.stderr_closed = true,
            Ok(length) => {
                for line in chunk[..length].split_inclusive(|byte| *byte == b'\n') {
                    // A line without end is kept only as far as it will be shown.
                    let room = (4 * KEPT_LENGTH).saturating_sub(self.stderr_line.len());
                    self.stderr_line
                        .extend_from_slice(&line[..line.len().min(room)]);
                    if line.ends_with(b"\n") {
                        let text = String::from_utf8_lossy(&self.stderr_line);
                        self.stderr.push("! ", text.trim_end());
                        self.stderr_line.clear();
                    }
                }
                self.count(length, "stderr")?;
                return Ok(true);
            }
            Err(error) => self.stderr_closed = !is_passing(&error),
        }
        Ok(false)
    }

    fn count(&mut self, length: usize, stream: &str) -> Result<(), Fault> {
        self.amount += length;
        if self.amount <= MAX_ANSWER_LEN {
            return Ok(());
        }
        Err(Fault::Flood {
            how: format!("more than {MAX_ANSWER_LEN} bytes for one answer, the last on {stream}"),
        })
    }

    /// Moves the next line out of the buffer, if a whole one is there.
    fn take_line(&mut self) -> bool {
        let from = self.searched.max(self.start);
        let Some(length) = self.buffer[from..].iter().position(|byte| *byte == b'\n') else {
            // Only what is not done with is kept, at the front.
            self.buffer.drain(..self.start);
            self.start = 0;
            self.searched = self.buffer.len();
            return false;
        };
        let end = from + length;
        let text = String::from_utf8_lossy(&self.buffer[self.start..end]);
        self.line.clear();
        self.line.push_str(text.trim_end());
        self.start = end + 1;
        self.searched = self.start;
        self.lines.push("< ", &self.line);
        true
    }

    /// How it ended, after it did: `alive` says what it did if it runs on, and it
    /// runs no longer after this.
    fn ended(&mut self, alive: &str) -> Fault {
        // Pipes close a moment before the process is gone.
        let until = Instant::now() + DEATH_TIMEOUT;
        while !self.process.has_ended() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
        let by_itself = self.process.has_ended();
        let _ = self.read_stderr();
        let how = match self.process.kill() {
            Some(status) if by_itself => status.to_string(),
            _ => alive.to_owned(),
        };
        Fault::Ended { how }
    }

    /// The last lines said, heard (`>`, `<`), and those on stderr (`!`).
    pub(super) fn recent_output(&self) -> Vec<String> {
        let unfinished = String::from_utf8_lossy(&self.buffer[self.start..]);
        let mut stdout = Ring(self.lines.0.clone());
        if !unfinished.trim().is_empty() {
            stdout.push("< ", unfinished.trim_end());
        }
        let mut stderr = Ring(self.stderr.0.clone());
        if !self.stderr_line.is_empty() {
            stderr.push("! ", &String::from_utf8_lossy(&self.stderr_line));
        }
        stdout.0.into_iter().chain(stderr.0).collect()
    }

    /// Kills it at once; what it said stays.
    pub(super) fn kill(&mut self) {
        while matches!(self.read_stderr(), Ok(true)) {}
        self.process.kill();
    }

    /// Takes in and throws away until it has ended or the time is over.
    fn drain_until_exit(&mut self, grace: Duration) {
        let until = Instant::now() + grace;
        while !self.process.has_ended() && Instant::now() < until {
            self.buffer.clear();
            (self.start, self.searched) = (0, 0);
            let all_closed = self.closed && self.stderr_closed;
            let slice = Instant::now() + Duration::from_millis(2);
            if all_closed {
                thread::sleep(Duration::from_millis(2));
            } else if self.wait(slice.min(until), false).is_err() {
                return;
            }
        }
    }
}

/// Ends it: with `quit`, a short grace, and then with force.
impl Drop for EngineIo {
    fn drop(&mut self) {
        if !self.process.has_ended() {
            self.outgoing.clear();
            self.begin();
            self.queue_line("quit");
            if self.send(Instant::now()).is_ok() {
                self.drain_until_exit(EXIT_TIMEOUT);
            }
        }
        self.process.kill();
    }
}

/// Polls what is there and says for each whether something happened; a wait cut
/// short by a signal is one in which nothing did.
fn poll(slots: [Option<PollFd<'_>>; 3], time: Duration) -> [bool; 3] {
    let asked = slots.each_ref().map(Option::is_some);
    let mut fds: Vec<PollFd<'_>> = slots.into_iter().flatten().collect();
    let timeout = Timespec::try_from(time).ok();
    if fds.is_empty() {
        thread::sleep(time);
    } else if rustix::event::poll(&mut fds, timeout.as_ref()).is_err() {
        return [false; 3];
    }
    let mut fds = fds.iter();
    let mut happened = || fds.next().is_some_and(|fd| !fd.revents().is_empty());
    asked.map(|asked| asked && happened())
}

fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}
