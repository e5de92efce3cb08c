//! The engine's side of an xboard session.

use std::fmt;
use std::io;
use std::time::Instant;

use mendel_board::pgn::GameResult;
use mendel_board::{CastlingMode, CastlingSide, Color, Game, Move, Position};

use super::xboard_clock::XboardClocks;
use super::{Flow, LineError, ProtocolHandler, SearchRequest, SessionContext, SessionEvent};
use crate::uci::{OptionKind, OptionLine};
use crate::xboard::{Thinking, XboardCommand, XboardReply};
use crate::{Best, Bound, Info, Limits};

#[derive(Debug, Default)]
pub(crate) struct XboardSession {
    game: Game,
    mode: Mode,
    clocks: XboardClocks,
    /// Whether castling is written as in Chess960.
    chess960: bool,
    post: bool,
    /// Whether the obsolete `edit` waits for its end.
    editing: bool,
    search: Option<XboardSearch>,
    /// Pings to be answered after our move.
    pings: Vec<i64>,
    /// The reply we expect to our last move.
    hint: Option<Move>,
}

/// What we do with the moves that come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    /// Answer them.
    #[default]
    Play,
    /// Follow them.
    Force,
    /// Follow them and think about where they lead.
    Analyse,
}

#[derive(Debug)]
struct XboardSearch {
    begun: Instant,
    last: Option<Info>,
}

impl ProtocolHandler for XboardSession {
    fn line(&mut self, context: &mut SessionContext<'_>, line: &str) -> io::Result<Flow> {
        let line = line.trim();
        if self.editing {
            self.editing = line != ".";
            return Ok(Flow::Continue);
        }
        if line.is_empty() {
            return Ok(Flow::Continue);
        }
        match line.parse() {
            Ok(XboardCommand::Quit) => return Ok(Flow::Quit),
            Ok(command) => self.obey(context, command)?,
            Err(fault) => context.say(fault)?,
        }
        Ok(Flow::Continue)
    }

    fn refuse(&mut self, context: &mut SessionContext<'_>, refused: &LineError) -> io::Result<()> {
        error(context, refused, "…")
    }

    fn report(&mut self, context: &mut SessionContext<'_>, info: &Info) -> io::Result<()> {
        let Some(search) = &mut self.search else {
            return Ok(());
        };
        search.last = Some(info.clone());
        // xboard has no word for a bound and would show it as the score.
        let shown = self.post || self.mode == Mode::Analyse;
        if !shown || info.bound != Bound::Exact {
            return Ok(());
        }
        let position = self.game.position();
        context.say(Thinking {
            depth: info.depth,
            score: info.score,
            time: info.time,
            nodes: info.nodes,
            pv: info.pv.iter().map(|m| text(position, *m)).collect(),
        })
    }

    /// A search that plays ends with a move; an analysis just ends, and where it
    /// ends by itself there is nothing more to say.
    fn answer(&mut self, context: &mut SessionContext<'_>, best: Best) -> io::Result<()> {
        let Some(search) = self.search.take() else {
            return Ok(());
        };
        if self.mode == Mode::Play
            && let Some(m) = best.best
        {
            self.clocks.moved(search.begun.elapsed());
            self.hint = best.ponder;
            let written = text(self.game.position(), m);
            self.game
                .play(m)
                .expect("the engine plays legal moves of the game it was given");
            context.learner.answered(&self.game, &best);
            context.say(XboardReply::Move(written))?;
            self.claim(context)?;
        }
        self.answer_pings(context)
    }

    /// xboard wants no move from an engine that leaves.
    fn close(&mut self, context: &mut SessionContext<'_>) -> io::Result<()> {
        self.halt(context)
    }
}

impl XboardSession {
    fn obey(&mut self, context: &mut SessionContext<'_>, command: XboardCommand) -> io::Result<()> {
        match command {
            XboardCommand::Protover(_) => introduce(context)?,
            XboardCommand::New => self.new_game(context)?,
            XboardCommand::Variant(name) => self.variant(context, &name)?,
            XboardCommand::Result(result) => {
                self.halt(context)?;
                self.mode = Mode::Force;
                let word = result.split_whitespace().next().unwrap_or_default();
                let winner = match GameResult::from_pgn(word) {
                    Some(GameResult::WhiteWins) => Some(Color::White),
                    Some(GameResult::BlackWins) => Some(Color::Black),
                    Some(GameResult::Draw) => None,
                    Some(GameResult::Unknown) | None => return Ok(()),
                };
                context.learner.end(winner, self.game.moves().len());
            }
            XboardCommand::Force => {
                self.halt(context)?;
                self.mode = Mode::Force;
            }
            XboardCommand::Go => {
                self.halt(context)?;
                self.mode = Mode::Play;
                self.think(context)?;
            }
            XboardCommand::PlayOther => {
                self.halt(context)?;
                self.mode = Mode::Play;
            }
            XboardCommand::Level(level) => self.clocks.set_level(level),
            XboardCommand::SecondsPerMove(time) => self.clocks.per_move = Some(time),
            XboardCommand::Depth(depth) => self.clocks.depth = Some(depth),
            XboardCommand::Time(centiseconds) => self.clocks.set_ours(centiseconds),
            XboardCommand::OpponentTime(centiseconds) => self.clocks.set_theirs(centiseconds),
            XboardCommand::UserMove(m) => self.user_move(context, m)?,
            XboardCommand::MoveNow => {
                if self.mode == Mode::Play {
                    context.engine_thread.stop();
                }
            }
            XboardCommand::Ping(number) => {
                self.pings.push(number);
                // Analysis is no command that could be finished first.
                if self.search.is_none() || self.mode == Mode::Analyse {
                    self.answer_pings(context)?;
                }
            }
            XboardCommand::SetBoard(fen) => self.set_board(context, &fen)?,
            XboardCommand::Edit => {
                self.editing = true;
                error(context, "use setboard instead", "edit")?;
            }
            XboardCommand::Hint => self.show_hint(context)?,
            // Lines of a book begin with a tab, a blank line ends them.
            XboardCommand::Book => context.say("\tno book information\n")?,
            XboardCommand::Undo => self.take_back(context, 1)?,
            XboardCommand::Remove => self.take_back(context, 2)?,
            XboardCommand::Post => self.post = true,
            XboardCommand::NoPost => self.post = false,
            XboardCommand::Analyze => {
                self.halt(context)?;
                self.mode = Mode::Analyse;
                self.think(context)?;
            }
            XboardCommand::Exit => {
                if self.mode == Mode::Analyse {
                    self.halt(context)?;
                    self.mode = Mode::Force;
                }
            }
            XboardCommand::Status => self.status(context)?,
            XboardCommand::Memory(megabytes) => set(context, "Hash", megabytes.clamp(1, 65_536))?,
            XboardCommand::Cores(cores) => set(context, "Threads", cores.clamp(1, 256))?,
            XboardCommand::TablePath { kind, path } => {
                if kind == "syzygy" {
                    set(context, "SyzygyPath", path)?;
                }
            }
            XboardCommand::Option { name, value } => {
                for fault in context.set_option(&name, value.as_deref()) {
                    error(context, fault, "option")?;
                }
            }
            // Nothing to do, or (quit) done before.
            XboardCommand::Xboard
            | XboardCommand::Accepted(_)
            | XboardCommand::Rejected(_)
            | XboardCommand::Quit
            | XboardCommand::Random
            | XboardCommand::NodesPerSecond(_)
            | XboardCommand::Draw
            | XboardCommand::Hard
            | XboardCommand::Easy
            | XboardCommand::Name(_)
            | XboardCommand::Rating(_)
            | XboardCommand::Computer => {}
        }
        Ok(())
    }

    /// Back to the start position; an analysis continues there.
    fn new_game(&mut self, context: &mut SessionContext<'_>) -> io::Result<()> {
        self.halt(context)?;
        self.game = Game::default();
        self.chess960 = false;
        self.clocks.reset();
        self.hint = None;
        context.new_game();
        if self.mode == Mode::Force {
            self.mode = Mode::Play;
        }
        self.resume(context)
    }

    /// Comes after `new`, where the board is still the usual one.
    fn variant(&mut self, context: &mut SessionContext<'_>, name: &str) -> io::Result<()> {
        match name {
            "normal" => self.chess960 = false,
            "fischerandom" => self.chess960 = true,
            _ => return error(context, "unsupported variant", name),
        }
        self.halt(context)?;
        if let Ok(start) = self.read_fen(&self.game.position().fen()) {
            self.game = Game::new(start);
        }
        self.resume(context)
    }

    fn read_fen(&self, fen: &str) -> Result<Position, mendel_board::NotationError> {
        if self.chess960 {
            Position::from_fen960(fen)
        } else {
            Position::from_fen(fen)
        }
    }

    fn set_board(&mut self, context: &mut SessionContext<'_>, fen: &str) -> io::Result<()> {
        match self.read_fen(fen) {
            Ok(position) => {
                self.halt(context)?;
                self.game = Game::new(position);
                self.hint = None;
                self.resume(context)
            }
            Err(fault) => context.say(XboardReply::TellUser(format!("Illegal position: {fault}"))),
        }
    }

    fn user_move(&mut self, context: &mut SessionContext<'_>, m: String) -> io::Result<()> {
        // 1. While we think about our own move it is not the opponent's turn.
        if self.mode == Mode::Play && self.search.is_some() {
            let reason = Some("it is not your turn".to_owned());
            return context.say(XboardReply::IllegalMove { m, reason });
        }

        // 2. Only a legal move changes anything.
        let Ok(legal) = self.game.position().parse_move(&m) else {
            return context.say(XboardReply::IllegalMove { m, reason: None });
        };
        self.halt(context)?;
        self.game
            .play(legal)
            .expect("a move read in a position is legal there");
        self.hint = None;
        if self.mode == Mode::Play {
            context.learner.look(&self.game);
        }

        // 3. The game may be over; otherwise it is our turn, if we play.
        match self.mode {
            Mode::Play if self.claim(context)? => Ok(()),
            Mode::Play => self.think(context),
            Mode::Force | Mode::Analyse => self.resume(context),
        }
    }

    fn take_back(&mut self, context: &mut SessionContext<'_>, plies: usize) -> io::Result<()> {
        self.halt(context)?;
        for _ in 0..plies {
            self.game.undo();
        }
        self.hint = None;
        self.resume(context)
    }

    /// Says how the game ended, if it is over.
    fn claim(&self, context: &mut SessionContext<'_>) -> io::Result<bool> {
        match self.game.outcome() {
            None => Ok(false),
            Some(outcome) => context.say(outcome).map(|()| true),
        }
    }

    fn show_hint(&mut self, context: &mut SessionContext<'_>) -> io::Result<()> {
        let position = self.game.position();
        match self.hint.filter(|m| position.is_legal(*m)) {
            Some(m) => context.say(XboardReply::Hint(text(position, m))),
            None => Ok(()),
        }
    }

    fn status(&mut self, context: &mut SessionContext<'_>) -> io::Result<()> {
        let (Mode::Analyse, Some(search)) = (self.mode, &self.search) else {
            return Ok(());
        };
        let (nodes, depth) = search
            .last
            .as_ref()
            .map_or((0, 0), |info| (info.nodes, info.depth));
        context.say(XboardReply::Status {
            time: search.begun.elapsed(),
            nodes,
            depth,
            left: 0,
            total: self.game.position().legal_moves().len() as u32,
        })
    }

    /// Begins to think about the position, as the mode asks for.
    fn think(&mut self, context: &mut SessionContext<'_>) -> io::Result<()> {
        // There is no move to find where the game is over.
        if self.game.position().legal_moves().is_empty() {
            if self.mode == Mode::Play {
                self.claim(context)?;
            }
            return Ok(());
        }
        let limits = match self.mode {
            Mode::Analyse => Limits {
                infinite: true,
                ..Limits::default()
            },
            Mode::Play | Mode::Force => self.clocks.limits(&self.game),
        };
        if self.mode == Mode::Play {
            context.learner.asked(&self.game);
        }
        for fault in context.prepare() {
            error(context, fault, "option")?;
        }
        self.search = Some(XboardSearch {
            begun: Instant::now(),
            last: None,
        });
        context
            .engine_thread
            .start(self.game.clone(), SearchRequest::Search(limits))
    }

    /// Resumes an analysis after the position has changed.
    fn resume(&mut self, context: &mut SessionContext<'_>) -> io::Result<()> {
        match self.mode {
            Mode::Analyse => self.think(context),
            Mode::Play | Mode::Force => Ok(()),
        }
    }

    /// Ends the search under way; what it would have played is forgotten.
    fn halt(&mut self, context: &mut SessionContext<'_>) -> io::Result<()> {
        if self.search.take().is_some() {
            context.engine_thread.stop();
            while !matches!(
                context.engine_thread.next_thought(),
                SessionEvent::Answer(_)
            ) {}
        }
        self.answer_pings(context)
    }

    fn answer_pings(&mut self, context: &mut SessionContext<'_>) -> io::Result<()> {
        for number in self.pings.drain(..) {
            context.say(XboardReply::Pong(number))?;
        }
        Ok(())
    }
}

/// A move as xboard writes it: as UCI does, but castling in Chess960 in letters.
fn text(position: &Position, m: Move) -> String {
    match (position.castling_mode(), m.castling_side()) {
        (CastlingMode::Chess960, Some(CastlingSide::KingSide)) => "O-O".to_owned(),
        (CastlingMode::Chess960, Some(CastlingSide::QueenSide)) => "O-O-O".to_owned(),
        _ => position.uci(m),
    }
}

const FLAGS: &str = "ping=1 setboard=1 playother=1 san=0 usermove=1 time=1 draw=0 sigint=0 sigterm=0 \
     reuse=1 analyze=1 colors=0 ics=0 name=1 pause=0 nps=0 debug=0 memory=1 smp=1 exclude=0 setscore=0";

fn introduce(context: &mut SessionContext<'_>) -> io::Result<()> {
    let feature = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    // Until the last line the GUI waits, however slow we are.
    context.say(XboardReply::Feature(vec![feature("done", "0")]))?;
    let flags = FLAGS.split(' ').filter_map(|flag| flag.split_once('='));
    let flags = flags.map(|(name, value)| feature(name, value));
    context.say(XboardReply::Feature(flags.collect()))?;
    let name = crate::session::name(context.setup.player());
    context.say(XboardReply::Feature(vec![
        feature("myname", &name),
        feature("variants", "normal,fischerandom"),
        feature("egt", "syzygy"),
    ]))?;
    for option in context.setup.declared() {
        if let Some(text) = option_text(&option) {
            context.say(XboardReply::Feature(vec![feature("option", &text)]))?;
        }
    }
    context.say(XboardReply::Feature(vec![feature("done", "1")]))
}

/// An option as a feature; `None` for what xboard sets by commands of its own.
fn option_text(option: &OptionLine) -> Option<String> {
    let name = &option.name;
    if matches!(name.as_str(), "Hash" | "Threads" | "Ponder" | "SyzygyPath")
        || (name.starts_with("UCI_") && !matches!(name.as_str(), "UCI_LimitStrength" | "UCI_Elo"))
    {
        return None;
    }
    Some(match &option.kind {
        OptionKind::Button => format!("{name} -button"),
        OptionKind::Check { default } => format!("{name} -check {}", u8::from(*default)),
        OptionKind::Spin { default, min, max } => format!("{name} -spin {default} {min} {max}"),
        OptionKind::Text { default } if matches!(name.as_str(), "Book" | "Strength Table") => {
            format!("{name} -file {default}")
        }
        OptionKind::Text { default } => format!("{name} -string {default}"),
        OptionKind::Combo { default, vars } => {
            let choices: Vec<_> = vars
                .iter()
                .map(|var| format!("{}{var}", if var == default { "*" } else { "" }))
                .collect();
            format!("{name} -combo {}", choices.join(" /// "))
        }
    })
}

fn set(context: &mut SessionContext<'_>, name: &str, value: impl fmt::Display) -> io::Result<()> {
    for fault in context.set_option(name, Some(&value.to_string())) {
        error(context, fault, name)?;
    }
    Ok(())
}

fn error(
    context: &mut SessionContext<'_>,
    kind: impl fmt::Display,
    command: &str,
) -> io::Result<()> {
    context.say(XboardReply::Error {
        kind: kind.to_string(),
        command: crate::words::quote(command),
    })
}
