//! A game in the terminal: the session, the engine and the output.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mendel_board::pgn::PgnGame;
use mendel_board::{Color, Game, Move, Position};
use mendel_engine::play::{HumanSides, PlayAction, PlayEnd, PlayError, PlaySession};
use mendel_engine::{Best, Clock, Control, Engine, Limits, Options, Score};

use super::THINKING_TIME;
use super::input::{HELP, PlayInput};
use crate::draw::{self, BoardStyle};
use crate::limits::LimitArgs;
use crate::population_learner::PopulationLearner;

#[derive(Debug)]
pub(super) struct TerminalGame<W> {
    session: PlaySession,
    engine: Engine,
    /// The session counts time from here.
    epoch: Instant,
    /// The side below.
    pub(super) view: Color,
    /// Whether this game was learned from, or cannot be.
    learned: bool,
    has_taken_back: bool,
    /// Whether a new game was started and its player is not chosen yet.
    is_new: bool,
    ink: BoardStyle,
    out: W,
}

impl<W: Write> TerminalGame<W> {
    pub(super) fn new(
        start: Position,
        engine: Engine,
        humans: HumanSides,
        limits: &LimitArgs,
        ink: BoardStyle,
        out: W,
    ) -> Self {
        Self {
            session: PlaySession::new(start, limits.tc, Duration::ZERO)
                .with_humans(humans)
                .with_move_limits(limits.for_a_move(THINKING_TIME)),
            engine,
            epoch: Instant::now(),
            view: Color::White,
            learned: false,
            has_taken_back: false,
            is_new: false,
            ink,
            out,
        }
    }

    /// Learns from a game that is over, once, and takes the player of a new game.
    pub(super) fn learn(&mut self, learner: &mut PopulationLearner) -> anyhow::Result<()> {
        if std::mem::take(&mut self.is_new) {
            self.engine.set_player(Arc::new(learner.next()?));
        }
        let Some(end) = self.end().filter(|_| !self.learned) else {
            return Ok(());
        };
        self.learned = true;
        if self.has_taken_back {
            return Ok(self.print("not learned from: moves were taken back\n")?);
        }
        let own = if self.session.humans().white {
            Color::Black
        } else {
            Color::White
        };
        let plies = self.game().moves().len();
        let game = learner.record(own, end.winner(), plies)?;
        Ok(self.print(&format!("learned from game {}\n", game.id.number))?)
    }

    pub(super) fn is_over(&self) -> bool {
        self.end().is_some()
    }

    pub(super) fn is_human_turn(&self) -> bool {
        self.session.is_human_turn()
    }

    /// The end after the last action. Time that ran out since then counts when the
    /// late move is typed: the terminal waits for a line and shows nothing before.
    fn end(&self) -> Option<PlayEnd> {
        self.session.end(self.session.turn_start())
    }

    fn game(&self) -> &Game {
        self.session.game()
    }

    fn now(&self) -> Duration {
        self.epoch.elapsed()
    }

    pub(super) fn show(&mut self) -> io::Result<()> {
        let text = self.picture();
        self.print(&text)
    }

    pub(super) fn ask(&mut self) -> io::Result<()> {
        let prompt = if self.is_over() {
            "new or quit? ".to_owned()
        } else {
            format!("{}? ", draw::side(self.game().position().turn()))
        };
        self.print(&prompt)
    }

    pub(super) fn engine_moves(&mut self) -> io::Result<()> {
        let best = self.think();
        let Some(m) = best.best else {
            // Only without a legal move: the game is over.
            return Ok(());
        };
        let line = format!("{}  {}\n", self.numbered(m), judgement(&best));
        self.make(m);
        self.print(&line)
    }

    pub(super) fn handle_input(&mut self, input: &PlayInput) -> io::Result<()> {
        match input {
            PlayInput::Nothing | PlayInput::Quit => Ok(()),
            PlayInput::Move(text) => self.person_moves(text),
            PlayInput::Undo => self.take_back(),
            PlayInput::Hint => self.give_hint(),
            PlayInput::Flip => {
                self.view = !self.view;
                self.show()
            }
            PlayInput::Fen => {
                let fen = self.game().position().fen();
                self.print(&format!("{fen}\n"))
            }
            PlayInput::Pgn => {
                let pgn = self.pgn();
                self.print(&pgn)
            }
            PlayInput::New => {
                self.engine.new_game();
                self.apply(PlayAction::NewGame)
                    .expect("a new game is always possible");
                (self.learned, self.has_taken_back, self.is_new) = (false, false, true);
                self.show()
            }
            PlayInput::Resign => {
                // A finished game does not change, and is shown again.
                let _ = self.apply(PlayAction::Resign(self.game().position().turn()));
                self.show()
            }
            PlayInput::Help => self.print(HELP),
        }
    }

    fn apply(&mut self, action: PlayAction) -> Result<(), PlayError> {
        let now = self.now();
        self.session.apply(action, now)
    }

    /// The engine plays both sides, at most `plies` half-moves. On a terminal
    /// the board is redrawn in place; elsewhere the moves are a list.
    pub(super) fn watch(&mut self, plies: usize) -> io::Result<()> {
        let in_place = self.ink == BoardStyle::Coloured;
        let mut drawn = 0;
        for _ in 0..plies {
            if self.is_over() {
                break;
            }
            if in_place {
                let picture = self.picture();
                self.redraw(&mut drawn, &picture)?;
            }
            let number = self.numbered_move_list_gap();
            let best = self.think();
            let Some(m) = best.best else { break };
            let san = self.game().position().san(m);
            self.make(m);
            if !in_place {
                self.print(&format!("{number}{san}"))?;
            }
        }
        if !in_place {
            self.print("\n\n")?;
        }
        let picture = self.picture();
        self.redraw(&mut drawn, &picture)?;
        if !self.is_over() {
            self.print("the game was ended here\n")?;
        }
        Ok(())
    }

    fn redraw(&mut self, drawn: &mut usize, picture: &str) -> io::Result<()> {
        if *drawn > 0 {
            // Moves to the first line and clears everything below.
            self.print(&format!("\x1b[{drawn}A\x1b[J"))?;
        }
        *drawn = picture.lines().count();
        self.print(picture)
    }

    fn print(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    fn picture(&self) -> String {
        let position = self.game().position();
        let last = self.game().moves().last().copied();
        let flipped = self.view == Color::Black;
        let board = draw::board(position, last, flipped, self.ink);
        // The clocks after the last move: a running clock cannot be shown in a picture.
        let clock = self.session.clock(self.session.turn_start());
        let clocks = clock.map(|clock| format!("    {}\n", clock_text(&clock)));
        let state = self
            .end()
            .map_or_else(|| self.turn_text(), |end| end.to_string());
        format!("\n{board}{}    {state}\n\n", clocks.unwrap_or_default())
    }

    fn turn_text(&self) -> String {
        let position = self.game().position();
        let turn = draw::side(position.turn());
        let check = if position.is_check() {
            ", in check"
        } else {
            ""
        };
        match self.game().moves().last() {
            None => format!("{turn} to move{check}"),
            Some(&m) => format!("{turn} to move{check}; last was {}", self.written(m)),
        }
    }

    /// Searches a move; the time of the engine starts here.
    fn think(&mut self) -> Best {
        let now = self.now();
        self.session.restart_turn(now);
        let limits = self.session.limits(now);
        self.search(&limits)
    }

    fn search(&mut self, limits: &Limits) -> Best {
        let game = self.session.game();
        self.engine
            .go(game, limits, &Control::default(), &mut |_| {})
    }

    /// Plays a legal move; one that is too late ends the game.
    fn make(&mut self, m: Move) {
        self.apply(PlayAction::Move(m))
            .expect("the move is legal and the game is not over");
    }

    fn person_moves(&mut self, text: &str) -> io::Result<()> {
        if self.is_over() {
            return self.print("the game is over; type `new`, `undo`, `pgn` or `quit`\n");
        }
        match self.game().position().parse_move(text) {
            Ok(m) => {
                self.make(m);
                self.show()
            }
            Err(error) => self.print(&format!(
                "{error}\nhint: moves look like Nf3 or g1f3; `help` lists the rest\n"
            )),
        }
    }

    /// Takes moves back until a person is to move.
    fn take_back(&mut self) -> io::Result<()> {
        self.has_taken_back = true;
        match self.apply(PlayAction::TakeBack) {
            Ok(()) => self.show(),
            Err(error) => self.print(&format!("{error}\n")),
        }
    }

    fn give_hint(&mut self) -> io::Result<()> {
        let Ok(limits) = self.session.hint_limits(self.session.turn_start()) else {
            return self.print("the game is over\n");
        };
        // A hint is given at full strength.
        let playing = self.engine.options().clone();
        let advising = Options {
            strength: None,
            ..playing.clone()
        };
        // Only a new book or table could be refused.
        let _ = self.engine.set_options(advising);
        let best = self.search(&limits);
        let _ = self.engine.set_options(playing);
        let text = match best.best {
            None => "there is no move\n".to_owned(),
            Some(m) => format!("{}  {}\n", self.game().position().san(m), judgement(&best)),
        };
        self.print(&text)
    }

    /// A move that is about to be played, with its number.
    fn numbered(&self, m: Move) -> String {
        let position = self.game().position();
        let dots = if position.turn() == Color::White {
            "."
        } else {
            "…"
        };
        format!("{}{dots} {}", position.fullmoves(), position.san(m))
    }

    /// The last move, as written where it was played.
    fn written(&self, m: Move) -> String {
        let positions = self.game().positions();
        positions[positions.len() - 2].san(m)
    }

    /// The text before the next move in a list of moves.
    fn numbered_move_list_gap(&self) -> String {
        let position = self.game().position();
        match (position.turn(), self.game().moves().is_empty()) {
            (Color::White, true) => format!("{}. ", position.fullmoves()),
            (Color::White, false) => format!("\n{}. ", position.fullmoves()),
            (Color::Black, true) => format!("{}… ", position.fullmoves()),
            (Color::Black, false) => " ".to_owned(),
        }
    }

    fn pgn(&self) -> String {
        let mut pgn = PgnGame::new(self.game().clone());
        let engine = format!("Mendel ({})", self.engine.player().name);
        for (tag, side) in [("White", Color::White), ("Black", Color::Black)] {
            let name = if self.session.humans().has(side) {
                "?"
            } else {
                &engine
            };
            pgn.tags.set(tag, name);
        }
        if let Some((end, how)) = self.end().and_then(|end| Some((end, end.termination()?))) {
            pgn.result = end.result();
            pgn.tags.set("Termination", how);
        }
        pgn.to_string()
    }
}

fn clock_text(clock: &Clock) -> String {
    let [white, black] = [clock.white, clock.black].map(|side| {
        let seconds = side.remaining.as_secs();
        format!("{}:{:02}", seconds / 60, seconds % 60)
    });
    format!("White {white}  Black {black}")
}

/// Score (from the point of view of the side to move), depth and nodes.
fn judgement(best: &Best) -> String {
    let Some(info) = &best.info else {
        return String::new();
    };
    let score = match info.score {
        Score::Centipawns(centipawns) => format!("{:+.2}", f64::from(centipawns) / 100.0),
        Score::Mate(moves) if moves > 0 => format!("mate in {moves}"),
        Score::Mate(moves) => format!("mated in {}", -moves),
    };
    format!("({score}, depth {}, {} nodes)", info.depth, best.nodes)
}

#[cfg(test)]
mod tests {
    use mendel_engine::SideClock;

    use super::*;

    #[test]
    fn clocks_are_shown_in_minutes_and_seconds() {
        let side = |seconds: u64| SideClock {
            remaining: Duration::from_millis(seconds * 1000 + 999),
            increment: Duration::ZERO,
        };
        let clock = Clock {
            white: side(12),
            black: side(60),
            moves_to_go: None,
        };
        assert_eq!(clock_text(&clock), "White 0:12  Black 1:00");
    }
}
