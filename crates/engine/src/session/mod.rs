//! A session with a GUI, in UCI or in xboard's protocol.
//!
//! It has three threads, so that no part waits for another: one reads lines, one searches,
//! and the caller's own handles whatever comes first and is the only one that writes. It
//! never does anything long itself.

mod engine_thread;
mod learner;
mod options;
mod perft;
mod uci;
mod xboard;
mod xboard_clock;

use std::fmt;
use std::io::{self, Read, Write};
use std::sync::Arc;

use crate::uci::UciCommand;
use crate::xboard::is_greeting;
use crate::{Best, Engine, Info, Options, Player};

use self::engine_thread::{EngineThread, LineError, SearchRequest, SessionEvent};
use self::learner::LearnerSession;
pub use self::learner::Pupil;
use self::options::OptionStore;
use self::perft::Leaves;
use self::uci::UciSession;
use self::xboard::XboardSession;

#[derive(Clone, Debug)]
pub struct Settings {
    pub player: Arc<Player>,
    /// The options before the GUI changes them.
    pub options: Options,
    /// Whether the numbers of the search are options too.
    pub tunable: bool,
}

impl Settings {
    /// `player` with the usual options.
    pub fn new(player: Player) -> Self {
        Self {
            player: Arc::new(player),
            options: Options::default(),
            tunable: false,
        }
    }
}

/// Speaks with a GUI until it quits or its input ends.
///
/// UCI is spoken unless the first command is xboard's greeting (`xboard` or
/// `protover`). A search that is still running at the end is stopped and
/// answered. `input` is read on a thread of its own, which may outlive the call
/// where the GUI quits without closing it.
///
/// # Errors
///
/// If the input cannot be read or the output cannot be written.
///
/// # Panics
///
/// If the search panics, which is an error in it and never the GUI's fault.
pub fn run(
    input: impl Read + Send + 'static,
    output: impl Write + Send,
    settings: Settings,
) -> io::Result<()> {
    run_with(input, output, settings, None)
}

/// As [`run`], with a learner that chooses the player of each game.
///
/// # Errors
///
/// As for [`run`].
///
/// # Panics
///
/// As for [`run`].
pub fn run_with(
    input: impl Read + Send + 'static,
    mut output: impl Write + Send,
    mut settings: Settings,
    pupil: Option<Box<dyn Pupil>>,
) -> io::Result<()> {
    let mut learner = LearnerSession::new(pupil);
    if let Some(player) = learner.begin() {
        settings.player = player;
    }
    let engine =
        Engine::new(settings.player.clone(), settings.options.clone()).map_err(io::Error::other)?;
    let mut context = SessionContext {
        engine_thread: EngineThread::new(engine, input)?,
        setup: OptionStore::new(settings),
        learner,
        output: &mut output,
    };
    let mut protocol: Box<dyn ProtocolHandler> = Box::new(UciSession::default());
    let mut undecided = true;

    loop {
        match context.engine_thread.next() {
            SessionEvent::Line(Ok(line)) => {
                if undecided && is_greeting(&line) {
                    protocol = Box::new(XboardSession::default());
                }
                undecided &= UciCommand::read(&line).0.is_none() && !is_greeting(&line);
                if protocol.line(&mut context, &line)? == Flow::Quit {
                    protocol.close(&mut context)?;
                    context.learner.close();
                    return Ok(());
                }
            }
            SessionEvent::Line(Err(refused)) => protocol.refuse(&mut context, &refused)?,
            SessionEvent::End(why) => {
                protocol.close(&mut context)?;
                context.learner.close();
                return why;
            }
            SessionEvent::Report(info) => protocol.report(&mut context, &info)?,
            SessionEvent::Answer(best) => protocol.answer(&mut context, best)?,
            SessionEvent::Leaves(leaves) => protocol.leaves(&mut context, &leaves)?,
        }
    }
}

pub(crate) struct SessionContext<'a> {
    pub(crate) engine_thread: EngineThread,
    pub(crate) setup: OptionStore,
    pub(crate) learner: LearnerSession,
    output: &'a mut (dyn Write + Send),
}

impl SessionContext<'_> {
    pub(crate) fn say(&mut self, line: impl fmt::Display) -> io::Result<()> {
        self.output.write_all(format!("{line}\n").as_bytes())?;
        self.output.flush()
    }

    /// Another game begins, perhaps with another player.
    pub(crate) fn new_game(&mut self) {
        self.setup.forget();
        if let Some(player) = self.learner.begin() {
            self.setup.set_player(player);
        }
    }

    /// Sets an option and returns what is wrong with it. It reaches the engine
    /// before it thinks next, or at once if only the engine can judge it.
    pub(crate) fn set_option(&mut self, name: &str, value: Option<&str>) -> Vec<String> {
        match self.setup.set(name, value) {
            Err(fault) => vec![fault],
            Ok(()) if self.setup.is_unproved() => self.prepare(),
            Ok(()) => Vec::new(),
        }
    }

    /// Brings the engine, where it is not thinking, to what was set and returns
    /// what it refused.
    pub(crate) fn prepare(&mut self) -> Vec<String> {
        match self.engine_thread.engine() {
            Some(engine) => self.setup.apply(engine),
            None => Vec::new(),
        }
    }
}

/// What the engine calls itself when it plays as `player`.
pub(crate) fn name(player: &Player) -> String {
    format!("Mendel {} ({})", env!("CARGO_PKG_VERSION"), player.name)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Continue,
    Quit,
}

pub(crate) trait ProtocolHandler {
    fn line(&mut self, context: &mut SessionContext<'_>, line: &str) -> io::Result<Flow>;

    /// The GUI said something that is not even a line.
    fn refuse(&mut self, context: &mut SessionContext<'_>, refused: &LineError) -> io::Result<()>;

    fn report(&mut self, context: &mut SessionContext<'_>, info: &Info) -> io::Result<()>;

    fn answer(&mut self, context: &mut SessionContext<'_>, best: Best) -> io::Result<()>;

    /// xboard has no such command.
    fn leaves(&mut self, _: &mut SessionContext<'_>, _: &Leaves) -> io::Result<()> {
        Ok(())
    }

    /// The GUI is gone: answer what is open, start nothing.
    fn close(&mut self, context: &mut SessionContext<'_>) -> io::Result<()>;
}
