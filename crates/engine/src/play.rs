//! One game with people: moves, clocks, take backs, resignation and draws.
//!
//! A [`PlaySession`] does no input or output, starts no thread and never reads a
//! clock. The caller passes the time of each action as a [`Duration`] since any fixed
//! moment, so that a terminal, a browser and a bot use the same session, and a test
//! needs no waiting. The session does not search either: [`PlaySession::limits`] and
//! [`PlaySession::hint_limits`] say what a search for it may use.
//!
//! ```
//! use std::time::Duration;
//! use mendel_board::Position;
//! use mendel_engine::play::{PlayAction, PlaySession};
//!
//! let control = "60+2".parse()?;
//! let start = Position::initial();
//! let mut session = PlaySession::new(start, Some(control), Duration::ZERO);
//! let m = session.game().position().parse_move("e4")?;
//! session.apply(PlayAction::Move(m), Duration::from_secs(10))?;
//! let clock = session.clock(Duration::from_secs(10)).expect("it has a control");
//! assert_eq!(clock.white.remaining, Duration::from_secs(52));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::time::Duration;

use mendel_board::pgn::GameResult;
use mendel_board::{ByColor, Color, Game, Move, NotationError, Outcome, Position};

use crate::{Clock, Limits, SideTimer, TimeControl};

/// Time for a hint where the moves have no limit of their own but a clock.
const HINT_TIME: Duration = Duration::from_secs(1);

/// The sides that people play; the engine plays the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HumanSides {
    pub white: bool,
    pub black: bool,
}

impl HumanSides {
    /// Two people play each other.
    pub const BOTH: Self = Self {
        white: true,
        black: true,
    };

    pub fn has(self, side: Color) -> bool {
        side.fold_wb(self.white, self.black)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayAction {
    /// The side to move plays a move. If its time is over, the move is not played and
    /// the game ends by time. A pending draw offer of the other side is declined.
    Move(Move),
    /// Takes moves back until a person is to move, at least one ply. After a
    /// resignation, a time forfeit or an agreed draw only that end is taken back. The
    /// clocks keep the time that was used.
    TakeBack,
    Resign(Color),
    /// This side offers a draw, or accepts the offer of the other side.
    Draw(Color),
    /// This side declines the offer of the other side.
    DeclineDraw(Color),
    /// Ends the game by time if the time of the side to move is over. A caller sends
    /// this when [`PlaySession::end`] reports it; without it the game ends by time when
    /// the late move arrives.
    ClaimTime,
    /// A new game from the same start position, with new clocks.
    NewGame,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayEnd {
    /// By the rules of chess. Repetition and the fifty-move rule need no claim.
    Rules(Outcome),
    Resignation {
        loser: Color,
    },
    Time {
        loser: Color,
    },
    Agreement,
}

/// An action that is not possible now; the session is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    #[error("the game is over: {0}")]
    Over(PlayEnd),
    #[error(transparent)]
    Illegal(#[from] NotationError),
    #[error("there is no move to take back")]
    NothingToTakeBack,
    #[error("there is no draw offer to decline")]
    NoDrawOffer,
    #[error("{} has time left", .side.fold_wb("White", "Black"))]
    TimeLeft { side: Color },
}

/// One game with people. See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct PlaySession {
    game: Game,
    control: Option<TimeControl>,
    timers: Option<ByColor<SideTimer>>,
    /// When the side to move began to think.
    turn_start: Duration,
    /// An end that the rules of chess do not decide.
    ended: Option<PlayEnd>,
    draw_offer: Option<Color>,
    humans: HumanSides,
    move_limits: Limits,
}

impl PlaySession {
    /// A game from `start` that begins at `now`: two people, no limit for a hint but
    /// one second.
    pub fn new(start: Position, control: Option<TimeControl>, now: Duration) -> Self {
        Self {
            game: Game::new(start),
            control,
            timers: timers(control),
            turn_start: now,
            ended: None,
            draw_offer: None,
            humans: HumanSides::BOTH,
            move_limits: Limits::default(),
        }
    }

    /// The same game with the engine on the sides that are not in `humans`.
    #[must_use]
    pub fn with_humans(mut self, humans: HumanSides) -> Self {
        self.humans = humans;
        self
    }

    /// The same game with limits for each move of the engine, besides the clock.
    #[must_use]
    pub fn with_move_limits(mut self, limits: Limits) -> Self {
        self.move_limits = limits;
        self
    }

    pub fn game(&self) -> &Game {
        &self.game
    }

    pub fn humans(&self) -> HumanSides {
        self.humans
    }

    pub fn is_human_turn(&self) -> bool {
        self.humans.has(self.turn())
    }

    /// The side that offered a draw that is neither accepted nor declined.
    pub fn draw_offer(&self) -> Option<Color> {
        self.draw_offer
    }

    /// When the side to move began to think, by the clock of the caller. Passed to
    /// [`end`](Self::end) or [`clock`](Self::clock), it gives the state after the last
    /// action.
    pub fn turn_start(&self) -> Duration {
        self.turn_start
    }

    /// Starts the clock of the side to move again at `now`. The time since the last
    /// action, such as that for drawing a board, then counts for no side.
    pub fn restart_turn(&mut self, now: Duration) {
        self.turn_start = now;
    }

    /// Both clocks at `now`, the running one reduced by the time of this turn; `None`
    /// without a time control.
    pub fn clock(&self, now: Duration) -> Option<Clock> {
        let timers = self.timers.as_ref()?;
        let mut sides = timers.as_ref().map(SideTimer::side_clock);
        if self.ended.is_none() && self.game.outcome().is_none() {
            let running = sides.get_mut(self.turn());
            running.remaining = running.remaining.saturating_sub(self.used(now));
        }
        Some(Clock {
            white: sides.white,
            black: sides.black,
            moves_to_go: timers.get(self.turn()).moves_to_go(),
        })
    }

    /// What the engine may use for its move at `now`.
    pub fn limits(&self, now: Duration) -> Limits {
        Limits {
            clock: self.clock(now),
            ..self.move_limits.clone()
        }
    }

    /// What the engine may use for a hint. The clock is left out: the person who asks
    /// already pays for the time of the search.
    ///
    /// # Errors
    ///
    /// If the game is over at `now`.
    pub fn hint_limits(&self, now: Duration) -> Result<Limits, PlayError> {
        if let Some(end) = self.end(now) {
            return Err(PlayError::Over(end));
        }
        Ok(Limits {
            movetime: self.move_limits.movetime.or(Some(HINT_TIME)),
            ..self.move_limits.clone()
        })
    }

    /// How the game has ended at `now`: by rule, resignation, agreement, or because the
    /// time of the side to move is over.
    pub fn end(&self, now: Duration) -> Option<PlayEnd> {
        self.decided().or_else(|| {
            let loser = self.turn();
            self.is_time_over(now).then_some(PlayEnd::Time { loser })
        })
    }

    /// Changes the game at the time `now`.
    ///
    /// # Errors
    ///
    /// If the action is not possible now.
    pub fn apply(&mut self, action: PlayAction, now: Duration) -> Result<(), PlayError> {
        match action {
            PlayAction::NewGame => {
                self.game = Game::new(self.game.start().clone());
                self.timers = timers(self.control);
                self.ended = None;
                self.draw_offer = None;
                self.turn_start = now;
                return Ok(());
            }
            PlayAction::TakeBack => return self.take_back(now),
            _ => {}
        }
        if let Some(end) = self.decided() {
            return Err(PlayError::Over(end));
        }
        match action {
            PlayAction::Move(m) => self.play(m, now)?,
            PlayAction::Resign(loser) => self.ended = Some(PlayEnd::Resignation { loser }),
            PlayAction::Draw(side) => {
                if self.draw_offer == Some(!side) {
                    self.ended = Some(PlayEnd::Agreement);
                } else {
                    self.draw_offer = Some(side);
                }
            }
            PlayAction::DeclineDraw(side) => {
                if self.draw_offer != Some(!side) {
                    return Err(PlayError::NoDrawOffer);
                }
                self.draw_offer = None;
            }
            PlayAction::ClaimTime => {
                let side = self.turn();
                if !self.is_time_over(now) {
                    return Err(PlayError::TimeLeft { side });
                }
                self.ended = Some(PlayEnd::Time { loser: side });
            }
            PlayAction::TakeBack | PlayAction::NewGame => {}
        }
        Ok(())
    }

    /// Plays a move and stops the clock of the side that moved.
    fn play(&mut self, m: Move, now: Duration) -> Result<(), PlayError> {
        let side = self.turn();
        // 1. An illegal move costs no more than the time it took to try it.
        if self.is_time_over(now) && self.game.position().is_legal(m) {
            self.ended = Some(PlayEnd::Time { loser: side });
            return Ok(());
        }
        self.game.play(m)?;

        // 2. The clock, and an offer of the other side, which the move declines.
        let used = self.used(now);
        if let Some(timers) = &mut self.timers {
            timers.get_mut(side).finish_move(used);
        }
        self.turn_start = now;
        if self.draw_offer == Some(!side) {
            self.draw_offer = None;
        }
        Ok(())
    }

    fn take_back(&mut self, now: Duration) -> Result<(), PlayError> {
        if self.ended.take().is_none() {
            if self.game.undo().is_none() {
                return Err(PlayError::NothingToTakeBack);
            }
            while !self.is_human_turn() && self.game.undo().is_some() {}
        }
        self.draw_offer = None;
        self.turn_start = now;
        Ok(())
    }

    /// An end that does not depend on the time now.
    fn decided(&self) -> Option<PlayEnd> {
        self.ended
            .or_else(|| self.game.outcome().map(PlayEnd::Rules))
    }

    fn is_time_over(&self, now: Duration) -> bool {
        let timer = self.timers.as_ref().map(|timers| timers.get(self.turn()));
        timer.is_some_and(|timer| self.used(now) > timer.remaining())
    }

    fn used(&self, now: Duration) -> Duration {
        now.saturating_sub(self.turn_start)
    }

    fn turn(&self) -> Color {
        self.game.position().turn()
    }
}

fn timers(control: Option<TimeControl>) -> Option<ByColor<SideTimer>> {
    control.map(|control| ByColor::new_with(|_| SideTimer::new(control)))
}

impl PlayEnd {
    /// The side that won; `None` for a draw.
    pub fn winner(self) -> Option<Color> {
        match self {
            Self::Rules(outcome) => outcome.winner,
            Self::Resignation { loser } | Self::Time { loser } => Some(!loser),
            Self::Agreement => None,
        }
    }

    pub fn result(self) -> GameResult {
        match self.winner() {
            Some(Color::White) => GameResult::WhiteWins,
            Some(Color::Black) => GameResult::BlackWins,
            None => GameResult::Draw,
        }
    }

    /// How the game ended, where the rules of chess did not end it.
    pub fn termination(self) -> Option<&'static str> {
        match self {
            Self::Rules(_) => None,
            Self::Resignation { .. } => Some("resigns"),
            Self::Time { .. } => Some("forfeits on time"),
            Self::Agreement => Some("draw agreed"),
        }
    }
}

/// The result and its reason, as in `0-1 {White resigns}`.
impl fmt::Display for PlayEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (result, termination) = (self.result(), self.termination().unwrap_or_default());
        match self {
            Self::Rules(outcome) => outcome.fmt(f),
            Self::Resignation { loser } | Self::Time { loser } => {
                let loser = loser.fold_wb("White", "Black");
                write!(f, "{result} {{{loser} {termination}}}")
            }
            Self::Agreement => write!(f, "{result} {{{termination}}}"),
        }
    }
}
