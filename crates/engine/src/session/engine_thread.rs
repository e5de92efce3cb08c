//! The engine and the two threads around it.

use std::any::Any;
use std::collections::VecDeque;
use std::io::{self, BufReader, Read};
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;

use mendel_board::Game;
use mendel_board::lines::BoundedLines;

use super::Leaves;
use crate::{Best, Control, Engine, Info, Limits};

/// Maximum number of waiting messages: a GUI that sends faster than it is answered waits, it
/// does not fill the memory.
const WAITING: usize = 64;

/// Maximum bytes of a line; no command is longer.
const MAX_LINE_LEN: usize = 1 << 20;

/// A line that is longer than any command. It is skipped.
#[derive(Debug, thiserror::Error)]
#[error("a line of more than {MAX_LINE_LEN} bytes is skipped")]
pub(crate) struct LineError;

/// A search goes deep; only what is used of it costs memory.
const STACK: usize = 32 << 20;

#[derive(Debug)]
pub(crate) enum SessionEvent {
    Line(Result<String, LineError>),
    /// The input ended, by itself or by an error.
    End(io::Result<()>),
    Report(Box<Info>),
    Answer(Best),
    Leaves(Leaves),
}

#[derive(Debug)]
pub(crate) enum SearchRequest {
    Search(Limits),
    /// The leaves of the tree of legal moves so deep.
    Perft(u32),
}

enum Message {
    Event(SessionEvent),
    /// The engine is back, with what it found.
    Home(Box<Engine>, SessionEvent),
    Lost(Box<dyn Any + Send>),
}

/// Owns the engine, lends it to the thread that thinks and gathers what happens.
pub(crate) struct EngineThread {
    inbox: Receiver<Message>,
    outbox: SyncSender<Message>,
    /// Lines that came while the session waited for the search.
    backlog: VecDeque<SessionEvent>,
    engine: Option<Box<Engine>>,
    control: Control,
}

impl EngineThread {
    pub(crate) fn new(engine: Engine, input: impl Read + Send + 'static) -> io::Result<Self> {
        let (outbox, inbox) = mpsc::sync_channel(WAITING);
        let lines = outbox.clone();
        thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || read(input, &lines))?;
        Ok(Self {
            inbox,
            outbox,
            backlog: VecDeque::new(),
            engine: Some(Box::new(engine)),
            control: Control::default(),
        })
    }

    /// The engine, unless it thinks.
    pub(crate) fn engine(&mut self) -> Option<&mut Engine> {
        self.engine.as_deref_mut()
    }

    /// Begins a task; the caller has made sure that none is under way.
    pub(crate) fn start(&mut self, game: Game, task: SearchRequest) -> io::Result<()> {
        let mut engine = self
            .engine
            .take()
            .expect("a task is begun only after the one before it is over");
        let control = Control::default();
        self.control = control.clone();
        let outbox = self.outbox.clone();
        let think = move || {
            let found = panic::catch_unwind(AssertUnwindSafe(|| match task {
                SearchRequest::Search(limits) => {
                    let mut report = |info: &Info| {
                        post(
                            &outbox,
                            Message::Event(SessionEvent::Report(Box::new(info.clone()))),
                        );
                    };
                    SessionEvent::Answer(engine.go(&game, &limits, &control, &mut report))
                }
                SearchRequest::Perft(depth) => {
                    SessionEvent::Leaves(Leaves::count(game.position(), depth, &control))
                }
            }));
            let message = match found {
                Ok(event) => Message::Home(engine, event),
                Err(panic) => Message::Lost(panic),
            };
            post(&outbox, message);
        };
        thread::Builder::new()
            .name("search".to_owned())
            .stack_size(STACK)
            .spawn(think)?;
        Ok(())
    }

    pub(crate) fn stop(&self) {
        self.control.stop();
    }

    /// Tells the search under way that the expected move was played.
    pub(crate) fn ponderhit(&self) {
        self.control.ponderhit();
    }

    pub(crate) fn next(&mut self) -> SessionEvent {
        match self.backlog.pop_front() {
            Some(event) => event,
            None => self.receive(),
        }
    }

    /// Waits for the next event of the task under way; lines of the GUI are kept for later.
    pub(crate) fn next_thought(&mut self) -> SessionEvent {
        loop {
            match self.receive() {
                event @ (SessionEvent::Line(_) | SessionEvent::End(_)) => {
                    self.backlog.push_back(event);
                }
                event => return event,
            }
        }
    }

    fn receive(&mut self) -> SessionEvent {
        let message = self
            .inbox
            .recv()
            .expect("this thread holds a sender of the channel itself");
        match message {
            Message::Event(event) => event,
            Message::Home(engine, event) => {
                self.engine = Some(engine);
                event
            }
            Message::Lost(panic) => panic::resume_unwind(panic),
        }
    }
}

/// A session that ended early leaves its search to end by itself.
impl Drop for EngineThread {
    fn drop(&mut self) {
        self.control.stop();
    }
}

/// Reads lines until the input ends. Bytes that are not UTF-8 become replacement characters,
/// which no command contains.
fn read(input: impl Read, outbox: &SyncSender<Message>) {
    let mut lines = BoundedLines::new(BufReader::new(input), MAX_LINE_LEN);
    loop {
        let event = match lines.next_line() {
            Ok(Some(line)) if line.is_truncated => SessionEvent::Line(Err(LineError)),
            Ok(Some(line)) => SessionEvent::Line(Ok(line.text().into_owned())),
            Ok(None) => SessionEvent::End(Ok(())),
            Err(error) => SessionEvent::End(Err(error)),
        };
        let last = matches!(event, SessionEvent::End(_));
        if !post(outbox, Message::Event(event)) || last {
            return;
        }
    }
}

/// Sends a message; `false` if the session has ended.
fn post(outbox: &SyncSender<Message>, message: Message) -> bool {
    outbox.send(message).is_ok()
}
