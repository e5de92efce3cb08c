//! Other programs: started, asked for moves and for analyses, and ended.
//!
//! A [`Program`] speaks UCI or xboard with a process of its own. Every wait has a
//! deadline, every buffer a bound. A program with a fault is killed with
//! everything it started, its last words are kept, and the next
//! [`new_game`](crate::Contestant::new_game) starts it again.

mod engine_io;
mod features;
mod options;
mod process;
mod uci;
mod xboard;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mendel_board::{Game, Move, Position};
use mendel_engine::uci::OptionLine;

use self::engine_io::EngineIo;
pub(crate) use self::options::check;
use self::process::Launch;
use self::uci::Uci;
use self::xboard::Xboard;
use crate::analyst::{self, EvalOutput, read_evaluation};
use crate::{
    AnalysisLine, AnalysisRequest, Analyst, AnalystError, Contestant, Entrant, Fault, Kind, Pace,
    Protocol, Reply, StockfishEval, Turn,
};

/// Default time for a program to get ready.
const READY_TIMEOUT: Duration = Duration::from_secs(10);

/// Time for an answer to `uci` before xboard is tried.
const FIRST_TRY_TIMEOUT: Duration = Duration::from_secs(2);

/// Another program that plays and analyses.
#[derive(Debug)]
pub struct Program {
    launch: Launch,
    /// What it speaks, as soon as that is known.
    protocol: Option<Protocol>,
    options: Vec<(String, String)>,
    patience: Duration,
    session: Option<Session>,
    /// In tables, and where the program does not give its own name.
    table_name: String,
    name: Option<String>,
    /// Of the process before this one.
    last_words: Vec<String>,
}

/// A running program and the client of its protocol.
#[derive(Debug)]
struct Session {
    engine_io: EngineIo,
    client: Box<dyn ProtocolClient>,
}

/// The client of one protocol. Each wait ends at its deadline, or after `patience`.
trait ProtocolClient: fmt::Debug + Send {
    fn protocol(&self) -> Protocol;

    /// The name that the program gives itself.
    fn name(&self) -> Option<&str>;

    /// The options that the program offers.
    fn offered(&self) -> Vec<OptionLine>;

    /// Whether the program can play another game.
    fn is_reusable(&self) -> bool {
        true
    }

    fn set_options(
        &mut self,
        engine_io: &mut EngineIo,
        options: &[(String, String)],
        patience: Duration,
    ) -> Result<(), Fault>;

    fn new_game(
        &mut self,
        engine_io: &mut EngineIo,
        chess960: bool,
        patience: Duration,
    ) -> Result<(), Fault>;

    /// Asks for a move.
    fn ask(
        &mut self,
        engine_io: &mut EngineIo,
        turn: &Turn,
        patience: Duration,
    ) -> Result<Reply, Fault>;

    /// Asks for the best `lines`; no line if the program resigns.
    fn analyse(
        &mut self,
        engine_io: &mut EngineIo,
        turn: &Turn,
        lines: u32,
        patience: Duration,
    ) -> Result<Vec<AnalysisLine>, Fault>;

    fn game_over(&mut self, _talk: &mut EngineIo, _result: &str, _reason: &str) {}

    /// Sends a command outside of the protocol. Only UCI shows where its answer ends.
    fn consult(
        &mut self,
        _talk: &mut EngineIo,
        _game: &Game,
        command: &str,
        _deadline: Duration,
    ) -> Result<Vec<String>, Fault> {
        Err(Fault::Refused {
            what: command.into(),
            reason: "a command of its own can be asked of a program that speaks UCI".into(),
        })
    }
}

/// What came back to a greeting.
enum Greeting<T> {
    Understood(T),
    /// It said that it does not understand.
    Complaint,
    /// Nothing that tells.
    Silence,
}

impl Program {
    /// The program `entrant` speaks of, not yet started; `None` if it is a player
    /// in this process.
    pub fn new(entrant: &Entrant) -> Option<Self> {
        let Kind::Program {
            command,
            protocol,
            directory,
            environment,
        } = &entrant.kind
        else {
            return None;
        };
        Some(Self {
            launch: Launch {
                command: command.clone(),
                directory: directory.clone(),
                environment: environment.clone(),
            },
            protocol: *protocol,
            options: entrant.options.clone(),
            patience: READY_TIMEOUT,
            session: None,
            table_name: entrant.name.clone(),
            name: None,
            last_words: Vec::new(),
        })
    }

    /// How long it may take to get ready: 10 s unless said here.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Starts it, finds out what it speaks, and sets its options; a running one is
    /// ended first.
    ///
    /// # Errors
    ///
    /// If it does not start, understands neither protocol, or refuses an option.
    pub fn start(&mut self) -> Result<(), Fault> {
        self.quit();
        let mut session = match self.protocol {
            Some(protocol) => self.start_as(protocol)?,
            None => self.detect_protocol()?,
        };
        let Session { engine_io, client } = &mut session;
        let ready = client.set_options(engine_io, &self.options, self.patience);
        if let Err(fault) = ready {
            self.kill(session.engine_io);
            return Err(fault);
        }
        self.protocol = Some(session.client.protocol());
        self.name = session.client.name().map(str::to_owned);
        self.session = Some(session);
        Ok(())
    }

    /// What it speaks, once it has been started.
    pub fn protocol(&self) -> Option<Protocol> {
        self.protocol
    }

    /// The options it offers; it is started if it does not run.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub fn offers(&mut self) -> Result<Vec<OptionLine>, Fault> {
        if self.session.is_none() {
            self.start()?;
        }
        self.with_session(|session, _| Ok(session.client.offered()))
    }

    /// Sends the last position of `game` and a `command` outside of its protocol, such as
    /// Stockfish's `eval`, and returns the answer that comes within `deadline`. The program is
    /// started if it does not run.
    ///
    /// # Errors
    ///
    /// If it does not come to an end, or speaks no UCI, where the end of an answer
    /// cannot be known.
    fn consult(
        &mut self,
        game: &Game,
        command: &str,
        deadline: Duration,
    ) -> Result<Vec<String>, Fault> {
        if self.session.is_none() {
            self.start()?;
        }
        self.with_session(|Session { engine_io, client }, _| {
            // The stop flag of the last question is not for this one.
            engine_io.watch(None);
            client.consult(engine_io, game, command, deadline)
        })
    }

    /// Starts it as a speaker of `protocol`.
    fn start_as(&mut self, protocol: Protocol) -> Result<Session, Fault> {
        let patience = self.patience;
        let greeting = match protocol {
            Protocol::Uci => self.greet_uci(patience)?,
            Protocol::Xboard => self.greet_xboard(true)?,
        };
        match greeting {
            Greeting::Understood(session) => Ok(session),
            Greeting::Complaint => Err(Fault::Refused {
                what: greeting_of(protocol).into(),
                reason: "it speaks something else; try `cmd:`, which finds out".into(),
            }),
            Greeting::Silence => Err(Fault::NotReady {
                asked: greeting_of(protocol).into(),
                waited: patience,
            }),
        }
    }

    /// Starts it and tries UCI, then xboard. A silent program may only be slow, so UCI is tried
    /// again with the full timeout.
    fn detect_protocol(&mut self) -> Result<Session, Fault> {
        let first = self.greet_uci(FIRST_TRY_TIMEOUT.min(self.patience));
        let complained = match first {
            Ok(Greeting::Understood(session)) => return Ok(session),
            Ok(Greeting::Silence) => false,
            // Some programs end on a word they do not know.
            Ok(Greeting::Complaint) | Err(Fault::Ended { .. }) => true,
            Err(fault) => return Err(fault),
        };
        match self.greet_xboard(complained) {
            Ok(Greeting::Understood(session)) => return Ok(session),
            Err(fault) if complained => return Err(fault),
            _ => {}
        }
        match self.greet_uci(self.patience)? {
            Greeting::Understood(session) => Ok(session),
            _ => Err(Fault::NotReady {
                asked: "uci` and to `xboard".into(),
                waited: self.patience,
            }),
        }
    }

    fn greet_uci(&mut self, patience: Duration) -> Result<Greeting<Session>, Fault> {
        self.greet(|engine_io| Ok(Uci::greet(engine_io, patience)?.map(|uci| Box::new(uci) as _)))
    }

    fn greet_xboard(&mut self, old_ones_too: bool) -> Result<Greeting<Session>, Fault> {
        let patience = self.patience;
        self.greet(|engine_io| {
            let greeting = Xboard::greet(engine_io, patience, old_ones_too)?;
            Ok(greeting.map(|xboard| Box::new(xboard) as _))
        })
    }

    fn greet(
        &mut self,
        greet: impl FnOnce(&mut EngineIo) -> Result<Greeting<Box<dyn ProtocolClient>>, Fault>,
    ) -> Result<Greeting<Session>, Fault> {
        let mut engine_io = EngineIo::start(&self.launch)?;
        let client = match greet(&mut engine_io) {
            Ok(Greeting::Understood(client)) => {
                return Ok(Greeting::Understood(Session { engine_io, client }));
            }
            Ok(Greeting::Complaint) => Ok(Greeting::Complaint),
            Ok(Greeting::Silence) => Ok(Greeting::Silence),
            Err(fault) => Err(fault),
        };
        self.kill(engine_io);
        client
    }

    /// Does something with the running program; after a fault it runs no more.
    fn with_session<T>(
        &mut self,
        action: impl FnOnce(&mut Session, Duration) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let Some(mut session) = self.session.take() else {
            return Err(Fault::Ended {
                how: "it was not started again since its last fault".into(),
            });
        };
        match action(&mut session, self.patience) {
            Ok(done) => {
                self.session = Some(session);
                Ok(done)
            }
            Err(fault) => {
                self.kill(session.engine_io);
                Err(fault)
            }
        }
    }

    /// Kills it without asking, and keeps its last words.
    fn kill(&mut self, mut engine_io: EngineIo) {
        engine_io.kill();
        self.last_words = engine_io.recent_output();
    }

    /// Asks it to leave, if it runs.
    fn quit(&mut self) {
        if let Some(session) = self.session.take() {
            self.last_words = session.engine_io.recent_output();
        }
    }
}

impl Contestant for Program {
    fn new_game(&mut self, chess960: bool) -> Result<(), Fault> {
        let session = self.session.as_ref();
        let was_running = session.is_some_and(|session| session.client.is_reusable());
        if !was_running {
            self.start()?;
        }
        let begin = |Session { engine_io, client }: &mut Session, patience| {
            client.new_game(engine_io, chess960, patience)
        };
        match self.with_session(begin) {
            // It ended between two games, so no game is lost.
            Err(Fault::Ended { .. }) if was_running => {
                self.start()?;
                self.with_session(begin)
            }
            done => done,
        }
    }

    fn supports(&self, pace: &Pace) -> Result<(), Fault> {
        match self.protocol {
            Some(Protocol::Xboard) => xboard::supports(pace),
            _ => Ok(()),
        }
    }

    fn ask(&mut self, turn: &Turn) -> Result<Reply, Fault> {
        self.with_session(|Session { engine_io, client }, patience| {
            engine_io.watch(turn.stop);
            client.ask(engine_io, turn, patience)
        })
    }

    fn game_over(&mut self, result: &str, reason: &str) {
        // A program that does not read it will show that when the next game begins.
        if let Some(Session { engine_io, client }) = &mut self.session {
            client.game_over(engine_io, result, reason);
        }
    }

    fn recent_output(&self) -> Vec<String> {
        match &self.session {
            Some(session) => session.engine_io.recent_output(),
            None => self.last_words.clone(),
        }
    }
}

impl Analyst for Program {
    fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.table_name)
    }

    fn analyse(
        &mut self,
        game: &Game,
        request: &AnalysisRequest,
        stop: &Arc<AtomicBool>,
    ) -> Result<Vec<AnalysisLine>, AnalystError> {
        let lines = request.lines.max(1);
        analyst::ask(self, game, request, stop, |program, turn| {
            program.with_session(|Session { engine_io, client }, patience| {
                engine_io.watch(turn.stop);
                client.analyse(engine_io, turn, lines, patience)
            })
        })
    }

    fn evaluate(
        &mut self,
        game: &Game,
        which: Option<StockfishEval>,
        deadline: Duration,
    ) -> Result<Option<f64>, AnalystError> {
        let output = self.consult(game, "eval", deadline)?;
        match read_evaluation(&output, which).ok_or(AnalystError::NoEvaluation)? {
            EvalOutput::Nothing => Ok(None),
            EvalOutput::Pawns(white) => {
                let sign = game.position().turn().fold_wb(1.0, -1.0);
                Ok(Some(sign * white * 100.0))
            }
        }
    }
}

impl<T> Greeting<T> {
    fn map<U>(self, f: impl FnOnce(T) -> U) -> Greeting<U> {
        match self {
            Self::Understood(it) => Greeting::Understood(f(it)),
            Self::Complaint => Greeting::Complaint,
            Self::Silence => Greeting::Silence,
        }
    }
}

fn greeting_of(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Uci => "uci",
        Protocol::Xboard => "xboard",
    }
}

/// Whether `line` refuses `what`. There is a form for that, and as many others as
/// there are programs.
fn is_complaint(line: &str, what: &str) -> bool {
    let line = line.to_lowercase();
    line.contains(&what.to_lowercase())
        && ["illegal", "invalid", "unknown", "error", "unrecogni"]
            .iter()
            .any(|word| line.contains(word))
}

/// A move as programs write it: coordinates, some with capitals.
fn read_move(position: &Position, text: &str) -> Option<Move> {
    position
        .parse_uci(text)
        .or_else(|_| position.parse_uci(&text.to_ascii_lowercase()))
        .ok()
        .filter(|m| position.is_legal(*m))
}

/// A line of moves in either notation; a move that cannot be read ends it.
fn read_line(position: &Position, texts: &[String]) -> Vec<Move> {
    let mut position = position.clone();
    let mut moves = Vec::with_capacity(texts.len());
    for text in texts {
        let san = || position.parse_san(text).ok();
        let Some(m) = read_move(&position, text).or_else(san) else {
            break;
        };
        position.play(m);
        moves.push(m);
    }
    moves
}
