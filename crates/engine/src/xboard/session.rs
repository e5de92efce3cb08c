//! Our side of an xboard session.

use std::fmt;
use std::io;
use std::time::Instant;

use mendel_board::{CastlingMode, CastlingSide, Color, Game, Move, Position};

use super::clock::Clocks;
use super::{Command, Reply, Thinking};
use crate::session::{Desk, Event, Flow, Leaves, Protocol, Refused, Task};
use crate::uci::{OptionKind, OptionLine};
use crate::{Best, Bound, Info, Limits};

/// Our side of an xboard session.
#[derive(Debug)]
pub(crate) struct Session {
    game: Game,
    mode: Mode,
    clocks: Clocks,
    /// Whether castling is written as in Chess960.
    chess960: bool,
    /// Whether to show thoughts.
    post: bool,
    /// Whether the obsolete `edit` waits for its end.
    editing: bool,
    /// The search under way.
    search: Option<Search>,
    /// Pings to be answered after our move.
    pings: Vec<i64>,
    /// The reply we expect to our last move.
    hint: Option<Move>,
}

/// What we do with the moves that come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Answer them.
    Play,
    /// Follow them.
    Force,
    /// Follow them and think about where they lead.
    Analyse,
}

#[derive(Debug)]
struct Search {
    begun: Instant,
    last: Option<Info>,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            game: Game::default(),
            mode: Mode::Play,
            clocks: Clocks::default(),
            chess960: false,
            post: false,
            editing: false,
            search: None,
            pings: Vec::new(),
            hint: None,
        }
    }
}

impl Protocol for Session {
    fn line(&mut self, desk: &mut Desk<'_>, line: &str) -> io::Result<Flow> {
        let line = line.trim();
        if self.editing {
            self.editing = line != ".";
            return Ok(Flow::Continue);
        }
        if line.is_empty() {
            return Ok(Flow::Continue);
        }
        match line.parse() {
            Ok(Command::Quit) => return Ok(Flow::Quit),
            Ok(command) => self.obey(desk, command)?,
            Err(fault) => desk.say(fault)?,
        }
        Ok(Flow::Continue)
    }

    fn refuse(&mut self, desk: &mut Desk<'_>, refused: &Refused) -> io::Result<()> {
        error(desk, refused, "…")
    }

    fn report(&mut self, desk: &mut Desk<'_>, info: &Info) -> io::Result<()> {
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
        desk.say(Thinking {
            depth: info.depth,
            score: info.score,
            time: info.time,
            nodes: info.nodes,
            pv: info.pv.iter().map(|m| text(position, *m)).collect(),
        })
    }

    /// A search that plays ends with a move; an analysis just ends, and where it
    /// ends by itself there is nothing more to say.
    fn answer(&mut self, desk: &mut Desk<'_>, best: Best) -> io::Result<()> {
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
            desk.lesson.answered(&self.game, &best);
            desk.say(Reply::Move(written))?;
            self.claim(desk)?;
        }
        self.answer_pings(desk)
    }

    fn leaves(&mut self, _: &mut Desk<'_>, _: &Leaves) -> io::Result<()> {
        Ok(())
    }

    /// xboard wants no move from an engine that leaves.
    fn close(&mut self, desk: &mut Desk<'_>) -> io::Result<()> {
        self.halt(desk)
    }
}

impl Session {
    fn obey(&mut self, desk: &mut Desk<'_>, command: Command) -> io::Result<()> {
        match command {
            Command::Protover(_) => introduce(desk)?,
            Command::New => self.new_game(desk)?,
            Command::Variant(name) => self.variant(desk, &name)?,
            Command::Result(result) => {
                self.halt(desk)?;
                self.mode = Mode::Force;
                if let Ok(winner) = winner(&result) {
                    desk.lesson.end(winner, self.game.moves().len());
                }
            }
            Command::Force => {
                self.halt(desk)?;
                self.mode = Mode::Force;
            }
            Command::Go => {
                self.halt(desk)?;
                self.mode = Mode::Play;
                self.think(desk)?;
            }
            Command::PlayOther => {
                self.halt(desk)?;
                self.mode = Mode::Play;
            }
            Command::Level(level) => self.clocks.set_level(level),
            Command::SecondsPerMove(time) => self.clocks.set_time_per_move(time),
            Command::Depth(depth) => self.clocks.set_depth(depth),
            Command::Time(centiseconds) => self.clocks.set_ours(centiseconds),
            Command::OpponentTime(centiseconds) => self.clocks.set_theirs(centiseconds),
            Command::UserMove(m) => self.user_move(desk, m)?,
            Command::MoveNow => {
                if self.mode == Mode::Play {
                    desk.thinker.stop();
                }
            }
            Command::Ping(number) => {
                self.pings.push(number);
                // Analysis is no command that could be finished first.
                if self.search.is_none() || self.mode == Mode::Analyse {
                    self.answer_pings(desk)?;
                }
            }
            Command::SetBoard(fen) => self.set_board(desk, &fen)?,
            Command::Edit => {
                self.editing = true;
                error(desk, "use setboard instead", "edit")?;
            }
            Command::Hint => self.show_hint(desk)?,
            // Lines of a book begin with a tab, a blank line ends them.
            Command::Book => desk.say("\tno book information\n")?,
            Command::Undo => self.take_back(desk, 1)?,
            Command::Remove => self.take_back(desk, 2)?,
            Command::Post => self.post = true,
            Command::NoPost => self.post = false,
            Command::Analyze => {
                self.halt(desk)?;
                self.mode = Mode::Analyse;
                self.think(desk)?;
            }
            Command::Exit => {
                if self.mode == Mode::Analyse {
                    self.halt(desk)?;
                    self.mode = Mode::Force;
                }
            }
            Command::Status => self.status(desk)?,
            Command::Memory(megabytes) => set(desk, "Hash", megabytes.clamp(1, 65_536))?,
            Command::Cores(cores) => set(desk, "Threads", cores.clamp(1, 256))?,
            Command::TablePath { kind, path } => {
                if kind == "syzygy" {
                    set(desk, "SyzygyPath", path)?;
                }
            }
            Command::Option { name, value } => {
                for fault in desk.set_option(&name, value.as_deref()) {
                    error(desk, fault, "option")?;
                }
            }
            // Nothing to do, or (quit) done before.
            Command::Xboard
            | Command::Accepted(_)
            | Command::Rejected(_)
            | Command::Quit
            | Command::Random
            | Command::NodesPerSecond(_)
            | Command::Draw
            | Command::Hard
            | Command::Easy
            | Command::Name(_)
            | Command::Rating(_)
            | Command::Computer => {}
        }
        Ok(())
    }

    /// Back to the start; an analysis goes on from there.
    fn new_game(&mut self, desk: &mut Desk<'_>) -> io::Result<()> {
        self.halt(desk)?;
        self.game = Game::default();
        self.chess960 = false;
        self.clocks.reset();
        self.hint = None;
        desk.new_game();
        if self.mode == Mode::Force {
            self.mode = Mode::Play;
        }
        self.resume(desk)
    }

    /// Comes after `new`, where the board is still the usual one.
    fn variant(&mut self, desk: &mut Desk<'_>, name: &str) -> io::Result<()> {
        match name {
            "normal" => self.chess960 = false,
            "fischerandom" => self.chess960 = true,
            _ => return error(desk, "unsupported variant", name),
        }
        self.halt(desk)?;
        if let Ok(start) = self.read_fen(&self.game.position().fen()) {
            self.game = Game::new(start);
        }
        self.resume(desk)
    }

    fn read_fen(&self, fen: &str) -> Result<Position, mendel_board::NotationError> {
        if self.chess960 {
            Position::from_fen960(fen)
        } else {
            Position::from_fen(fen)
        }
    }

    fn set_board(&mut self, desk: &mut Desk<'_>, fen: &str) -> io::Result<()> {
        match self.read_fen(fen) {
            Ok(position) => {
                self.halt(desk)?;
                self.game = Game::new(position);
                self.hint = None;
                self.resume(desk)
            }
            Err(fault) => desk.say(Reply::TellUser(format!("Illegal position: {fault}"))),
        }
    }

    fn user_move(&mut self, desk: &mut Desk<'_>, m: String) -> io::Result<()> {
        // 1. While we think about our own move nobody else can.
        if self.mode == Mode::Play && self.search.is_some() {
            let reason = Some("it is not your turn".to_owned());
            return desk.say(Reply::IllegalMove { m, reason });
        }

        // 2. Only a legal move changes anything.
        let Ok(legal) = self.game.position().parse_move(&m) else {
            return desk.say(Reply::IllegalMove { m, reason: None });
        };
        self.halt(desk)?;
        self.game
            .play(legal)
            .expect("a move read in a position is legal there");
        self.hint = None;
        if self.mode == Mode::Play {
            desk.lesson.look(&self.game);
        }

        // 3. The game may be over; otherwise it is our turn, if we play.
        match self.mode {
            Mode::Play if self.claim(desk)? => Ok(()),
            Mode::Play => self.think(desk),
            Mode::Force | Mode::Analyse => self.resume(desk),
        }
    }

    fn take_back(&mut self, desk: &mut Desk<'_>, plies: usize) -> io::Result<()> {
        self.halt(desk)?;
        for _ in 0..plies {
            self.game.undo();
        }
        self.hint = None;
        self.resume(desk)
    }

    /// Says how the game ended, if it is over.
    fn claim(&self, desk: &mut Desk<'_>) -> io::Result<bool> {
        match self.game.outcome() {
            None => Ok(false),
            Some(outcome) => desk.say(outcome).map(|()| true),
        }
    }

    fn show_hint(&mut self, desk: &mut Desk<'_>) -> io::Result<()> {
        let position = self.game.position();
        match self.hint.filter(|m| position.is_legal(*m)) {
            Some(m) => desk.say(Reply::Hint(text(position, m))),
            None => Ok(()),
        }
    }

    fn status(&mut self, desk: &mut Desk<'_>) -> io::Result<()> {
        let (Mode::Analyse, Some(search)) = (self.mode, &self.search) else {
            return Ok(());
        };
        let (nodes, depth) = search
            .last
            .as_ref()
            .map_or((0, 0), |info| (info.nodes, info.depth));
        desk.say(Reply::Status {
            time: search.begun.elapsed(),
            nodes,
            depth,
            left: 0,
            total: self.game.position().legal_moves().len() as u32,
        })
    }

    /// Begins to think about the position, as the mode asks for.
    fn think(&mut self, desk: &mut Desk<'_>) -> io::Result<()> {
        // There is no move to find where the game is over.
        if self.game.position().legal_moves().is_empty() {
            if self.mode == Mode::Play {
                self.claim(desk)?;
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
            desk.lesson.asked(&self.game);
        }
        for fault in desk.prepare() {
            error(desk, fault, "option")?;
        }
        self.search = Some(Search {
            begun: Instant::now(),
            last: None,
        });
        desk.thinker.start(self.game.clone(), Task::Search(limits))
    }

    /// Goes on with the analysis after the position has changed.
    fn resume(&mut self, desk: &mut Desk<'_>) -> io::Result<()> {
        match self.mode {
            Mode::Analyse => self.think(desk),
            Mode::Play | Mode::Force => Ok(()),
        }
    }

    /// Ends the search under way; what it would have played is forgotten.
    fn halt(&mut self, desk: &mut Desk<'_>) -> io::Result<()> {
        if self.search.take().is_some() {
            desk.thinker.stop();
            while !matches!(desk.thinker.next_thought(), Event::Answer(_)) {}
        }
        self.answer_pings(desk)
    }

    fn answer_pings(&mut self, desk: &mut Desk<'_>) -> io::Result<()> {
        for number in self.pings.drain(..) {
            desk.say(Reply::Pong(number))?;
        }
        Ok(())
    }
}

/// A game whose end is not known: `*`, or no result at all.
struct Unknown;

/// Who won, as `result` says it: `1-0`, `0-1`, or nobody with `1/2-1/2`.
fn winner(result: &str) -> Result<Option<Color>, Unknown> {
    match result.split_whitespace().next() {
        Some("1-0") => Ok(Some(Color::White)),
        Some("0-1") => Ok(Some(Color::Black)),
        Some("1/2-1/2") => Ok(None),
        _ => Err(Unknown),
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

fn introduce(desk: &mut Desk<'_>) -> io::Result<()> {
    let feature = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    // Until the last line the GUI waits, however slow we are.
    desk.say(Reply::Feature(vec![feature("done", "0")]))?;
    let flags = [
        ("ping", "1"),
        ("setboard", "1"),
        ("playother", "1"),
        ("san", "0"),
        ("usermove", "1"),
        ("time", "1"),
        ("draw", "0"),
        ("sigint", "0"),
        ("sigterm", "0"),
        ("reuse", "1"),
        ("analyze", "1"),
        ("colors", "0"),
        ("ics", "0"),
        ("name", "1"),
        ("pause", "0"),
        ("nps", "0"),
        ("debug", "0"),
        ("memory", "1"),
        ("smp", "1"),
        ("exclude", "0"),
        ("setscore", "0"),
    ];
    desk.say(Reply::Feature(
        flags.map(|(name, value)| feature(name, value)).to_vec(),
    ))?;
    let name = crate::session::name(desk.setup.player());
    desk.say(Reply::Feature(vec![
        feature("myname", &name),
        feature("variants", "normal,fischerandom"),
        feature("egt", "syzygy"),
    ]))?;
    for option in desk.setup.declared() {
        if let Some(text) = option_text(&option) {
            desk.say(Reply::Feature(vec![feature("option", &text)]))?;
        }
    }
    desk.say(Reply::Feature(vec![feature("done", "1")]))
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

fn set(desk: &mut Desk<'_>, name: &str, value: impl fmt::Display) -> io::Result<()> {
    for fault in desk.set_option(name, Some(&value.to_string())) {
        error(desk, fault, name)?;
    }
    Ok(())
}

fn error(desk: &mut Desk<'_>, kind: impl fmt::Display, command: &str) -> io::Result<()> {
    desk.say(Reply::Error {
        kind: kind.to_string(),
        command: crate::words::quote(command),
    })
}
