//! The board between a person and the engine.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mendel_arena::TimeControl;
use mendel_board::pgn::{GameResult, PgnGame};
use mendel_board::{Color, Game, Move, Position};
use mendel_engine::{Best, Control, Engine, Limits, Options, Player, Score};

use super::THINKING_TIME;
use super::clock::Clocks;
use super::order::{HELP, Order};
use crate::draw::{self, Ink};
use crate::limits::LimitArguments;

/// Which sides people play.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seats {
    pub(super) white: bool,
    pub(super) black: bool,
}

impl Seats {
    fn has(self, side: Color) -> bool {
        match side {
            Color::White => self.white,
            Color::Black => self.black,
        }
    }
}

/// Somebody lost without being mated.
#[derive(Clone, Copy, Debug)]
struct Forfeit {
    loser: Color,
    how: &'static str,
}

impl fmt::Display for Forfeit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = match self.loser {
            Color::White => "0-1",
            Color::Black => "1-0",
        };
        write!(f, "{result} {{{} {}}}", draw::side(self.loser), self.how)
    }
}

/// What somebody who learns may make of the game.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lesson {
    /// Nothing yet, or no more.
    Goes,
    /// It is over.
    Over {
        /// The engine's side.
        own: Color,
        winner: Option<Color>,
        plies: usize,
    },
    /// It is over, but moves were taken back.
    Spoilt,
    /// Another game begins.
    Anew,
}

/// A game, the engine that plays it, and where both are shown.
#[derive(Debug)]
pub(super) struct Desk<W> {
    game: Game,
    engine: Engine,
    people: Seats,
    limits: Limits,
    control: Option<TimeControl>,
    clocks: Clocks,
    /// When the side to move began to think.
    since: Instant,
    /// An end that the rules of the board do not know: resignation or time.
    ended: Option<Forfeit>,
    view: Color,
    /// Whether this game was learned from.
    learned: bool,
    /// Whether moves were taken back.
    spoilt: bool,
    /// Whether the engine still sits there as in the game before.
    anew: bool,
    ink: Ink,
    out: W,
}

impl<W: Write> Desk<W> {
    /// A game from `start`.
    pub(super) fn new(
        start: Position,
        engine: Engine,
        people: Seats,
        limits: &LimitArguments,
        ink: Ink,
        out: W,
    ) -> Self {
        Self {
            game: Game::new(start),
            engine,
            people,
            limits: limits.for_a_move(THINKING_TIME),
            control: limits.tc,
            clocks: Clocks::new(limits.tc),
            since: Instant::now(),
            ended: None,
            view: Color::White,
            learned: false,
            spoilt: false,
            anew: false,
            ink,
            out,
        }
    }

    /// What somebody who learns may make of the game now.
    pub(super) fn lesson(&mut self) -> Lesson {
        if std::mem::take(&mut self.anew) {
            return Lesson::Anew;
        }
        if self.learned || !self.is_over() {
            return Lesson::Goes;
        }
        if self.spoilt {
            return Lesson::Spoilt;
        }
        let winner = match (&self.ended, self.game.outcome()) {
            (Some(forfeit), _) => Some(!forfeit.loser),
            (None, outcome) => outcome.and_then(|it| it.winner),
        };
        Lesson::Over {
            own: if self.people.white {
                Color::Black
            } else {
                Color::White
            },
            winner,
            plies: self.game.moves().len(),
        }
    }

    /// The game was learned from, or cannot be.
    pub(super) fn learned(&mut self, text: &str) -> io::Result<()> {
        self.learned = true;
        self.say(text)
    }

    /// Somebody else plays on.
    pub(super) fn take_seat(&mut self, player: Arc<Player>) {
        self.engine.set_player(player);
    }

    /// Whose side of the board is below.
    pub(super) fn set_view(&mut self, side: Color) {
        self.view = side;
    }

    /// Whether nothing can be played any more.
    pub(super) fn is_over(&self) -> bool {
        self.ended.is_some() || self.game.outcome().is_some()
    }

    /// Whether a person is to move.
    pub(super) fn is_peoples_turn(&self) -> bool {
        self.people.has(self.game.position().turn())
    }

    /// Draws the board, the clocks and how the game stands.
    pub(super) fn show(&mut self) -> io::Result<()> {
        let text = self.picture();
        self.say(&text)
    }

    /// Asks for a line.
    pub(super) fn ask(&mut self) -> io::Result<()> {
        let prompt = if self.is_over() {
            "new or quit? ".to_owned()
        } else {
            format!("{}? ", draw::side(self.game.position().turn()))
        };
        self.say(&prompt)
    }

    /// The engine thinks and moves.
    pub(super) fn engine_moves(&mut self) -> io::Result<()> {
        self.since = Instant::now();
        let best = self.think();
        let Some(m) = best.best else {
            // Without a legal move the game is over, and nobody asks.
            return Ok(());
        };
        let line = format!("{}  {}\n", self.numbered(m), judgement(&best));
        self.make(m);
        self.say(&line)
    }

    /// Does what was typed.
    pub(super) fn obey(&mut self, order: &Order) -> io::Result<()> {
        match order {
            Order::Nothing | Order::Quit => Ok(()),
            Order::Move(text) => self.person_moves(text),
            Order::Undo => self.take_back(),
            Order::Hint => self.give_hint(),
            Order::Flip => {
                self.view = !self.view;
                self.show()
            }
            Order::Fen => {
                let fen = self.game.position().fen();
                self.say(&format!("{fen}\n"))
            }
            Order::Pgn => {
                let pgn = self.pgn();
                self.say(&pgn)
            }
            Order::New => {
                self.game = Game::new(self.game.start().clone());
                self.clocks = Clocks::new(self.control);
                self.ended = None;
                (self.learned, self.spoilt, self.anew) = (false, false, true);
                self.engine.new_game();
                self.since = Instant::now();
                self.show()
            }
            Order::Resign => {
                if !self.is_over() {
                    let loser = self.game.position().turn();
                    self.ended = Some(Forfeit {
                        loser,
                        how: "resigns",
                    });
                }
                self.show()
            }
            Order::Help => self.say(HELP),
        }
    }

    /// The engine plays both sides, at most `plies` half-moves. On a terminal
    /// the board is redrawn in place; elsewhere the moves are a list.
    pub(super) fn watch(&mut self, plies: usize) -> io::Result<()> {
        let in_place = self.ink == Ink::Coloured;
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
            self.since = Instant::now();
            let best = self.think();
            let Some(m) = best.best else { break };
            let san = self.game.position().san(m);
            self.make(m);
            if !in_place {
                self.say(&format!("{number}{san}"))?;
            }
        }
        if !in_place {
            self.say("\n\n")?;
        }
        let picture = self.picture();
        self.redraw(&mut drawn, &picture)?;
        if !self.is_over() {
            self.say("the game was ended here\n")?;
        }
        Ok(())
    }

    fn redraw(&mut self, drawn: &mut usize, picture: &str) -> io::Result<()> {
        if *drawn > 0 {
            // Up to the first line, and clear what is below.
            self.say(&format!("\x1b[{drawn}A\x1b[J"))?;
        }
        *drawn = picture.lines().count();
        self.say(picture)
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    fn picture(&self) -> String {
        let last = self.game.moves().last().copied();
        let flipped = self.view == Color::Black;
        let board = draw::board(self.game.position(), last, flipped, self.ink);
        let clocks = self.clocks.text().map(|clocks| format!("    {clocks}\n"));
        let state = match (&self.ended, self.game.outcome()) {
            (Some(ended), _) => ended.to_string(),
            (None, Some(outcome)) => outcome.to_string(),
            (None, None) => {
                let turn = draw::side(self.game.position().turn());
                let check = if self.game.position().is_check() {
                    ", in check"
                } else {
                    ""
                };
                match last {
                    None => format!("{turn} to move{check}"),
                    Some(m) => format!("{turn} to move{check}; last was {}", self.written(m)),
                }
            }
        };
        format!("\n{board}{}    {state}\n\n", clocks.unwrap_or_default())
    }

    fn think(&mut self) -> Best {
        let mut limits = self.limits.clone();
        limits.clock = self.clocks.for_engine(self.game.position().turn());
        self.engine
            .go(&self.game, &limits, &Control::default(), &mut |_| {})
    }

    /// Plays a legal move and presses the clock.
    fn make(&mut self, m: Move) {
        let side = self.game.position().turn();
        if !self.clocks.press(side, self.since.elapsed()) {
            self.ended = Some(Forfeit {
                loser: side,
                how: "forfeits on time",
            });
            return;
        }
        self.game.play(m).expect("the move is legal here");
        self.since = Instant::now();
    }

    fn person_moves(&mut self, text: &str) -> io::Result<()> {
        if self.is_over() {
            return self.say("the game is over; type `new`, `undo`, `pgn` or `quit`\n");
        }
        match self.game.position().parse_move(text) {
            Ok(m) => {
                self.make(m);
                self.show()
            }
            Err(error) => self.say(&format!(
                "{error}\nhint: moves look like Nf3 or g1f3; `help` lists the rest\n"
            )),
        }
    }

    /// Takes back to where a person was to move.
    fn take_back(&mut self) -> io::Result<()> {
        self.spoilt = true;
        let resigned = self.ended.take().is_some();
        if !resigned || self.game.outcome().is_some() {
            if self.game.undo().is_none() {
                return self.say("there is no move to take back\n");
            }
            while !self.is_peoples_turn() && self.game.undo().is_some() {}
        }
        self.since = Instant::now();
        self.show()
    }

    fn give_hint(&mut self) -> io::Result<()> {
        if self.is_over() {
            return self.say("the game is over\n");
        }
        // Without clocks: asking must not cost the person's time budget twice.
        let limits = Limits {
            movetime: self.limits.movetime.or(Some(Duration::from_secs(1))),
            ..self.limits.clone()
        };
        // A hint is as good as can be, however weak the opponent is asked to be.
        let playing = self.engine.options().clone();
        let advising = Options {
            strength: None,
            ..playing.clone()
        };
        // Neither names a new book or table, which alone could be refused.
        let _ = self.engine.set_options(advising);
        let best = self
            .engine
            .go(&self.game, &limits, &Control::default(), &mut |_| {});
        let _ = self.engine.set_options(playing);
        let text = match best.best {
            None => "there is no move\n".to_owned(),
            Some(m) => format!("{}  {}\n", self.game.position().san(m), judgement(&best)),
        };
        self.say(&text)
    }

    /// A move that is about to be played, with its number.
    fn numbered(&self, m: Move) -> String {
        let position = self.game.position();
        let dots = if position.turn() == Color::White {
            "."
        } else {
            "…"
        };
        format!("{}{dots} {}", position.fullmoves(), position.san(m))
    }

    /// The last move, as written where it was played.
    fn written(&self, m: Move) -> String {
        let positions = self.game.positions();
        positions[positions.len() - 2].san(m)
    }

    /// What stands before the next move in a list of moves.
    fn numbered_move_list_gap(&self) -> String {
        let position = self.game.position();
        match (position.turn(), self.game.moves().is_empty()) {
            (Color::White, true) => format!("{}. ", position.fullmoves()),
            (Color::White, false) => format!("\n{}. ", position.fullmoves()),
            (Color::Black, true) => format!("{}… ", position.fullmoves()),
            (Color::Black, false) => " ".to_owned(),
        }
    }

    fn pgn(&self) -> String {
        let mut pgn = PgnGame::new(self.game.clone());
        let engine = format!("Mendel ({})", self.engine.player().name);
        for (tag, side) in [("White", Color::White), ("Black", Color::Black)] {
            let name = if self.people.has(side) { "?" } else { &engine };
            pgn.tags.set(tag, name);
        }
        if let Some(ended) = &self.ended {
            pgn.result = match ended.loser {
                Color::White => GameResult::BlackWins,
                Color::Black => GameResult::WhiteWins,
            };
            pgn.tags.set("Termination", ended.how);
        }
        pgn.to_string()
    }
}

/// What the engine thinks of its move, as the side to move sees it.
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
