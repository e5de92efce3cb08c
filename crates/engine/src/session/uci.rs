//! The engine's side of a UCI session.
//!
//! Every `go` is answered by exactly one `bestmove`, whatever comes between: a
//! second `go` stops the first and waits for its answer, `quit` and the end of
//! the input do the same. `go perft` counts and answers no move.
//! Options and `ucinewgame` are accepted at any time; while the engine thinks
//! they wait for the next `go`.

use std::fmt;
use std::io;

use mendel_board::{Game, Position, Square};

use super::{
    Flow, Leaves, LineError, ProtocolHandler, SearchRequest, SessionContext, SessionEvent,
};
use crate::uci::{Go, InfoLine, StartPosition, UciCommand, UciReply};
use crate::{Best, Info};

#[derive(Debug, Default)]
pub(crate) struct UciSession {
    game: Game,
    open: Option<PendingGo>,
    /// Whether a new game starts after that answer.
    renew: bool,
}

#[derive(Debug)]
struct PendingGo {
    /// The position that is searched; the game may have changed since.
    position: Position,
    game: Game,
    /// Waits for `stop`, whatever the search says.
    infinite: bool,
    /// Waits for `ponderhit` or `stop`, whatever the search says.
    ponder: bool,
    /// The answer, where it came too early.
    early: Option<Best>,
}

impl ProtocolHandler for UciSession {
    fn line(&mut self, context: &mut SessionContext<'_>, line: &str) -> io::Result<Flow> {
        let (command, faults) = UciCommand::read(line);
        for fault in faults {
            tell(context, fault)?;
        }
        match command {
            None | Some(UciCommand::Debug(_) | UciCommand::Register(_)) => {}
            Some(UciCommand::Quit) => return Ok(Flow::Quit),
            Some(UciCommand::Uci) => introduce(context)?,
            Some(UciCommand::IsReady) => {
                prepare(context)?;
                context.say(UciReply::ReadyOk)?;
            }
            Some(UciCommand::SetOption { name, value }) => {
                for fault in context.set_option(&name, value.as_deref()) {
                    tell(context, fault)?;
                }
            }
            // The game before ends with the move that is still searched.
            Some(UciCommand::NewGame) if self.open.is_some() => {
                context.setup.forget();
                self.renew = true;
            }
            Some(UciCommand::NewGame) => context.new_game(),
            Some(UciCommand::Position { start, moves }) => {
                match set_up(&start, &moves, context.setup.chess960) {
                    Ok(game) => {
                        self.game = game;
                        if self.open.is_none() {
                            context.learner.look(&self.game);
                        }
                    }
                    Err(fault) => tell(context, fault)?,
                }
            }
            Some(UciCommand::Go(go)) => self.go(context, &go)?,
            Some(UciCommand::Stop) => self.stop(context)?,
            Some(UciCommand::PonderHit) => self.ponderhit(context)?,
            Some(UciCommand::Display) => context.say(BoardDiagram(self.game.position()))?,
            Some(UciCommand::Eval) => explain(context, self.game.position())?,
        }
        Ok(Flow::Continue)
    }

    fn refuse(&mut self, context: &mut SessionContext<'_>, refused: &LineError) -> io::Result<()> {
        tell(context, refused)
    }

    fn report(&mut self, context: &mut SessionContext<'_>, info: &Info) -> io::Result<()> {
        match &self.open {
            None => Ok(()),
            Some(open) => {
                let show_wdl = context.setup.show_wdl;
                context.say(InfoLine::report(&open.position, info, show_wdl))
            }
        }
    }

    fn answer(&mut self, context: &mut SessionContext<'_>, best: Best) -> io::Result<()> {
        if let Some(open) = &mut self.open {
            open.early = Some(best);
        }
        self.settle(context)
    }

    fn leaves(&mut self, context: &mut SessionContext<'_>, leaves: &Leaves) -> io::Result<()> {
        self.open = None;
        context.say(leaves)?;
        if std::mem::take(&mut self.renew) {
            context.new_game();
        }
        Ok(())
    }

    fn close(&mut self, context: &mut SessionContext<'_>) -> io::Result<()> {
        self.conclude(context)
    }
}

impl UciSession {
    fn go(&mut self, context: &mut SessionContext<'_>, go: &Go) -> io::Result<()> {
        // 1. Whatever is open is answered first.
        if self.open.is_some() {
            tell(
                context,
                "`go` while thinking: the search before it is stopped",
            )?;
            self.conclude(context)?;
        }

        // 2. The limits are read in the light of the position.
        let position = self.game.position().clone();
        let (limits, faults) = go.limits(&position);
        for fault in faults {
            tell(context, format_args!("searchmoves: {fault}"))?;
        }
        let counts = go.perft.is_some();
        // What is analysed is not played.
        if !counts && !limits.infinite {
            context.learner.asked(&self.game);
        }
        self.open = Some(PendingGo {
            position,
            game: self.game.clone(),
            infinite: limits.infinite && !counts,
            ponder: limits.ponder && !counts,
            early: None,
        });

        // 3. The engine is brought to what was set, and thinks.
        prepare(context)?;
        let task = match go.perft {
            Some(depth) => SearchRequest::Perft(depth.clamp(1, 100) as u32),
            None => SearchRequest::Search(limits),
        };
        context.engine_thread.start(self.game.clone(), task)
    }

    fn stop(&mut self, context: &mut SessionContext<'_>) -> io::Result<()> {
        if let Some(open) = &mut self.open {
            open.infinite = false;
            open.ponder = false;
            context.engine_thread.stop();
        }
        self.settle(context)
    }

    fn ponderhit(&mut self, context: &mut SessionContext<'_>) -> io::Result<()> {
        if let Some(open) = &mut self.open {
            open.ponder = false;
            context.engine_thread.ponderhit();
        }
        self.settle(context)
    }

    /// Answers, if there is an answer and it may be given.
    fn settle(&mut self, context: &mut SessionContext<'_>) -> io::Result<()> {
        if let Some(PendingGo {
            position,
            game,
            infinite: false,
            ponder: false,
            early: Some(best),
        }) = &self.open
        {
            let reply = UciReply::best(position, best);
            let mut game = game.clone();
            if let Some(m) = best.best
                && game.play(m).is_ok()
            {
                context.learner.answered(&game, best);
            }
            self.open = None;
            context.say(reply)?;
            if std::mem::take(&mut self.renew) {
                context.new_game();
            }
        }
        Ok(())
    }

    /// Stops whatever is open and waits for its answer.
    fn conclude(&mut self, context: &mut SessionContext<'_>) -> io::Result<()> {
        self.stop(context)?;
        while self.open.is_some() {
            match context.engine_thread.next_thought() {
                SessionEvent::Report(info) => self.report(context, &info)?,
                SessionEvent::Answer(best) => self.answer(context, best)?,
                SessionEvent::Leaves(leaves) => self.leaves(context, &leaves)?,
                SessionEvent::Line(_) | SessionEvent::End(_) => {}
            }
        }
        Ok(())
    }
}

fn introduce(context: &mut SessionContext<'_>) -> io::Result<()> {
    context.say(UciReply::Name(crate::session::name(context.setup.player())))?;
    context.say(UciReply::Author("the authors of Mendel".to_owned()))?;
    for option in context.setup.declared() {
        context.say(option)?;
    }
    context.say(UciReply::UciOk)
}

fn prepare(context: &mut SessionContext<'_>) -> io::Result<()> {
    for fault in context.prepare() {
        tell(context, fault)?;
    }
    Ok(())
}

/// The terms of the evaluation, from White's point of view.
fn explain(context: &mut SessionContext<'_>, position: &Position) -> io::Result<()> {
    let explanation = match context.setup.player().used_evaluator() {
        Ok(evaluator) => evaluator.explain(position),
        Err(unused) => return tell(context, unused),
    };
    for (group, sum) in explanation.groups() {
        context.say(format_args!("{group:<24}{:>10.2}", sum.centipawns()))?;
    }
    let rounding = explanation.rounding.centipawns();
    context.say(format_args!("{:<24}{rounding:>10.2}", "rounding"))?;
    context.say(format_args!(
        "{:<24}{:>7} centipawns for White",
        "sum", explanation.white_score
    ))
}

fn tell(context: &mut SessionContext<'_>, text: impl fmt::Display) -> io::Result<()> {
    context.say(InfoLine::text(text.to_string()))
}

fn set_up(start: &StartPosition, moves: &[String], chess960: bool) -> Result<Game, String> {
    let start = match (start, chess960) {
        (StartPosition::Initial, false) => Ok(Position::initial()),
        (StartPosition::Initial, true) => Position::from_fen960(&Position::initial().fen()),
        (StartPosition::Fen(fen), false) => Position::from_fen(fen),
        (StartPosition::Fen(fen), true) => Position::from_fen960(fen),
    };
    let mut game = Game::new(start.map_err(|fault| fault.to_string())?);
    for (text, number) in moves.iter().zip(1..) {
        let m = game.position().parse_uci(text);
        let m = m.map_err(|fault| format!("move {number}: {fault}"))?;
        game.play(m)
            .expect("a move read in a position is legal there");
    }
    Ok(game)
}

/// A board of letters, White at the bottom, with its FEN.
struct BoardDiagram<'a>(&'a Position);

impl fmt::Display for BoardDiagram<'_> {
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
