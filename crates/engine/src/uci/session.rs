//! Our side of a UCI session.
//!
//! Every `go` is answered by exactly one `bestmove`, whatever comes between: a
//! second `go` stops the first and waits for its answer, `quit` and the end of
//! the input do the same. `go perft` counts and answers no move.
//! Options and `ucinewgame` are accepted at any time; while the engine thinks
//! they wait for the next `go`.

use std::fmt;
use std::io;

use mendel_board::{Game, Position, Square};

use super::{Command, Go, InfoLine, Reply, Start};
use crate::session::{Desk, Event, Flow, Leaves, Protocol, Refused, Task};
use crate::{Best, Info};

/// Our side of a UCI session.
#[derive(Debug, Default)]
pub(crate) struct Session {
    game: Game,
    /// The `go` that is not answered yet.
    open: Option<Open>,
    /// Whether another game begins once it is.
    renew: bool,
}

/// A `go` that is not answered yet.
#[derive(Debug)]
struct Open {
    /// Where it thinks; the game may have gone on since.
    position: Position,
    /// The game up to there.
    game: Game,
    /// Waits for `stop`, whatever the search says.
    infinite: bool,
    /// Waits for `ponderhit` or `stop`, whatever the search says.
    ponder: bool,
    /// The answer, where it came too early.
    early: Option<Best>,
}

impl Protocol for Session {
    fn line(&mut self, desk: &mut Desk<'_>, line: &str) -> io::Result<Flow> {
        let (command, faults) = Command::read(line);
        for fault in faults {
            tell(desk, fault)?;
        }
        match command {
            None | Some(Command::Debug(_) | Command::Register(_)) => {}
            Some(Command::Quit) => return Ok(Flow::Quit),
            Some(Command::Uci) => introduce(desk)?,
            Some(Command::IsReady) => {
                prepare(desk)?;
                desk.say(Reply::ReadyOk)?;
            }
            Some(Command::SetOption { name, value }) => {
                for fault in desk.set_option(&name, value.as_deref()) {
                    tell(desk, fault)?;
                }
            }
            // Whose game it was is told when its last move is known.
            Some(Command::NewGame) if self.open.is_some() => {
                desk.setup.forget();
                self.renew = true;
            }
            Some(Command::NewGame) => desk.new_game(),
            Some(Command::Position { start, moves }) => {
                match set_up(&start, &moves, desk.setup.chess960) {
                    Ok(game) => {
                        self.game = game;
                        if self.open.is_none() {
                            desk.lesson.look(&self.game);
                        }
                    }
                    Err(fault) => tell(desk, fault)?,
                }
            }
            Some(Command::Go(go)) => self.go(desk, &go)?,
            Some(Command::Stop) => self.stop(desk)?,
            Some(Command::PonderHit) => self.ponderhit(desk)?,
            Some(Command::Display) => desk.say(Drawn(self.game.position()))?,
            Some(Command::Eval) => explain(desk, self.game.position())?,
        }
        Ok(Flow::Continue)
    }

    fn refuse(&mut self, desk: &mut Desk<'_>, refused: &Refused) -> io::Result<()> {
        tell(desk, refused)
    }

    fn report(&mut self, desk: &mut Desk<'_>, info: &Info) -> io::Result<()> {
        match &self.open {
            None => Ok(()),
            Some(open) => {
                let show_wdl = desk.setup.show_wdl;
                desk.say(InfoLine::report(&open.position, info, show_wdl))
            }
        }
    }

    fn answer(&mut self, desk: &mut Desk<'_>, best: Best) -> io::Result<()> {
        if let Some(open) = &mut self.open {
            open.early = Some(best);
        }
        self.settle(desk)
    }

    fn leaves(&mut self, desk: &mut Desk<'_>, leaves: &Leaves) -> io::Result<()> {
        self.open = None;
        desk.say(leaves)?;
        if std::mem::take(&mut self.renew) {
            desk.new_game();
        }
        Ok(())
    }

    fn close(&mut self, desk: &mut Desk<'_>) -> io::Result<()> {
        self.conclude(desk)
    }
}

impl Session {
    fn go(&mut self, desk: &mut Desk<'_>, go: &Go) -> io::Result<()> {
        // 1. Whatever is open is answered first.
        if self.open.is_some() {
            tell(desk, "`go` while thinking: the search before it is stopped")?;
            self.conclude(desk)?;
        }

        // 2. The limits are read in the light of the position.
        let position = self.game.position().clone();
        let (limits, faults) = go.limits(&position);
        for fault in faults {
            tell(desk, format_args!("searchmoves: {fault}"))?;
        }
        let counts = go.perft.is_some();
        // What is analysed is not played.
        if !counts && !limits.infinite {
            desk.lesson.asked(&self.game);
        }
        self.open = Some(Open {
            position,
            game: self.game.clone(),
            infinite: limits.infinite && !counts,
            ponder: limits.ponder && !counts,
            early: None,
        });

        // 3. The engine is brought to what was set, and thinks.
        prepare(desk)?;
        let task = match go.perft {
            Some(depth) => Task::Perft(depth.clamp(1, 100) as u32),
            None => Task::Search(limits),
        };
        desk.thinker.start(self.game.clone(), task)
    }

    fn stop(&mut self, desk: &mut Desk<'_>) -> io::Result<()> {
        if let Some(open) = &mut self.open {
            open.infinite = false;
            open.ponder = false;
            desk.thinker.stop();
        }
        self.settle(desk)
    }

    fn ponderhit(&mut self, desk: &mut Desk<'_>) -> io::Result<()> {
        if let Some(open) = &mut self.open {
            open.ponder = false;
            desk.thinker.ponderhit();
        }
        self.settle(desk)
    }

    /// Answers, if there is an answer and it may be given.
    fn settle(&mut self, desk: &mut Desk<'_>) -> io::Result<()> {
        if let Some(Open {
            position,
            game,
            infinite: false,
            ponder: false,
            early: Some(best),
        }) = &self.open
        {
            let reply = Reply::best(position, best);
            let mut game = game.clone();
            if let Some(m) = best.best
                && game.play(m).is_ok()
            {
                desk.lesson.answered(&game, best);
            }
            self.open = None;
            desk.say(reply)?;
            if std::mem::take(&mut self.renew) {
                desk.new_game();
            }
        }
        Ok(())
    }

    /// Stops whatever is open and waits for its answer.
    fn conclude(&mut self, desk: &mut Desk<'_>) -> io::Result<()> {
        self.stop(desk)?;
        while self.open.is_some() {
            match desk.thinker.next_thought() {
                Event::Report(info) => self.report(desk, &info)?,
                Event::Answer(best) => self.answer(desk, best)?,
                Event::Leaves(leaves) => self.leaves(desk, &leaves)?,
                Event::Line(_) | Event::End(_) => {}
            }
        }
        Ok(())
    }
}

fn introduce(desk: &mut Desk<'_>) -> io::Result<()> {
    desk.say(Reply::Name(crate::session::name(desk.setup.player())))?;
    desk.say(Reply::Author("the authors of Mendel".to_owned()))?;
    for option in desk.setup.declared() {
        desk.say(option)?;
    }
    desk.say(Reply::UciOk)
}

fn prepare(desk: &mut Desk<'_>) -> io::Result<()> {
    for fault in desk.prepare() {
        tell(desk, fault)?;
    }
    Ok(())
}

/// What the player sees, as White sees it.
fn explain(desk: &mut Desk<'_>, position: &Position) -> io::Result<()> {
    let explanation = match desk.setup.player().used_evaluator() {
        Ok(evaluator) => evaluator.explain(position),
        Err(unused) => return tell(desk, unused),
    };
    for (group, sum) in explanation.groups() {
        desk.say(format_args!("{group:<24}{:>10.2}", sum.centipawns()))?;
    }
    let rounding = explanation.rounding.centipawns();
    desk.say(format_args!("{:<24}{rounding:>10.2}", "rounding"))?;
    desk.say(format_args!(
        "{:<24}{:>7} centipawns for White",
        "sum", explanation.white_score
    ))
}

fn tell(desk: &mut Desk<'_>, text: impl fmt::Display) -> io::Result<()> {
    desk.say(InfoLine::text(text.to_string()))
}

/// Why a position was not set up.
#[derive(Debug, thiserror::Error)]
enum PositionFault {
    #[error(transparent)]
    Fen(#[from] mendel_board::NotationError),
    #[error("move {number}: {fault}")]
    Move {
        number: usize,
        fault: mendel_board::NotationError,
    },
}

fn set_up(start: &Start, moves: &[String], chess960: bool) -> Result<Game, PositionFault> {
    let start = match (start, chess960) {
        (Start::Initial, false) => Position::initial(),
        (Start::Initial, true) => Position::from_fen960(&Position::initial().fen())?,
        (Start::Fen(fen), false) => Position::from_fen(fen)?,
        (Start::Fen(fen), true) => Position::from_fen960(fen)?,
    };
    let mut game = Game::new(start);
    for (index, text) in moves.iter().enumerate() {
        let m = game
            .position()
            .parse_uci(text)
            .map_err(|fault| PositionFault::Move {
                number: index + 1,
                fault,
            })?;
        game.play(m)
            .expect("a move read in a position is legal there");
    }
    Ok(game)
}

/// A board of letters, White at the bottom, with its FEN.
struct Drawn<'a>(&'a Position);

impl fmt::Display for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = self.0.board();
        for rank in (0..8).rev() {
            write!(f, "{} ", rank + 1)?;
            for file in 0..8 {
                let piece = board.piece_at(Square::new(rank * 8 + file));
                write!(f, " {}", piece.map_or('.', mendel_board::Piece::char))?;
            }
            writeln!(f)?;
        }
        writeln!(f, "\n   a b c d e f g h\n")?;
        write!(f, "Fen: {}", self.0.fen())
    }
}
