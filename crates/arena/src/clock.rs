//! The clocks of a game, and how long a player is waited for.

use std::time::Duration;

use mendel_board::Color;
use mendel_engine::{Clock, SideClock, SideTimer};
use serde::{Deserialize, Serialize};

use crate::Pace;

/// How exactly time is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Patience {
    /// So much over its time is forgiven.
    #[serde(with = "crate::seconds")]
    pub margin: Duration,
    /// So long after that a player is still waited for. It has lost on time,
    /// but it has not stalled.
    #[serde(with = "crate::seconds")]
    pub grace: Duration,
    /// How long a move may take where the pace sets no time.
    #[serde(with = "crate::seconds")]
    pub untimed: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            margin: Duration::from_millis(50),
            grace: Duration::from_secs(2),
            untimed: Duration::from_secs(10),
        }
    }
}

/// The clocks of both sides of one game.
#[derive(Clone, Debug)]
pub struct Clocks {
    white: Watch,
    black: Watch,
    patience: Patience,
}

/// A move took longer than its player had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the move took {} s and had {} s", .took.as_secs_f64(), .had.as_secs_f64())]
pub struct Overstep {
    /// What the move took.
    pub took: Duration,
    /// What it could have taken, without the margin.
    pub had: Duration,
}

impl Clocks {
    /// Clocks as they stand before the first move.
    pub fn new(white: Pace, black: Pace, patience: Patience) -> Self {
        Self {
            white: Watch::new(white),
            black: Watch::new(black),
            patience,
        }
    }

    /// Both clocks as the side to move is told of them; `None` if it has none.
    /// An opponent without a clock is shown with the time of the side to move.
    pub fn now(&self, turn: Color) -> Option<Clock> {
        let mine = self.of(turn).side()?;
        let theirs = self.of(!turn).side().unwrap_or(mine);
        let (white, black) = turn.fold_wb((mine, theirs), (theirs, mine));
        Some(Clock {
            white,
            black,
            moves_to_go: self.of(turn).timer.and_then(|timer| timer.moves_to_go()),
        })
    }

    /// When a player that has not answered has stalled.
    pub fn deadline(&self, turn: Color) -> Duration {
        let Patience {
            margin,
            grace,
            untimed,
        } = self.patience;
        match self.of(turn).allowed() {
            Some(allowed) => allowed.saturating_add(margin).saturating_add(grace),
            None => untimed,
        }
    }

    /// Takes the time of a move, and gives what the move earned.
    ///
    /// # Errors
    ///
    /// If the move took longer than its time and the margin; the game is lost.
    pub fn spend(&mut self, turn: Color, took: Duration) -> Result<(), Overstep> {
        let margin = self.patience.margin;
        let watch = turn.fold_wb(&mut self.white, &mut self.black);
        if let Some(had) = watch.allowed()
            && took > had.saturating_add(margin)
        {
            return Err(Overstep { took, had });
        }
        watch.tick(took);
        Ok(())
    }

    fn of(&self, turn: Color) -> &Watch {
        turn.fold_wb(&self.white, &self.black)
    }
}

/// The clock of one side.
#[derive(Clone, Debug)]
struct Watch {
    pace: Pace,
    /// `None` without a clock over the game.
    timer: Option<SideTimer>,
}

impl Watch {
    fn new(pace: Pace) -> Self {
        Self {
            pace,
            timer: pace.clock.map(SideTimer::new),
        }
    }

    /// The time for the next move; `None` without any measure of time.
    fn allowed(&self) -> Option<Duration> {
        let clock = self.timer.map(|timer| timer.remaining());
        match (clock, self.pace.movetime) {
            (Some(clock), Some(movetime)) => Some(clock.min(movetime)),
            (clock, movetime) => clock.or(movetime),
        }
    }

    fn side(&self) -> Option<SideClock> {
        self.timer.map(|timer| timer.side_clock())
    }

    fn tick(&mut self, took: Duration) {
        if let Some(timer) = &mut self.timer {
            timer.finish_move(took);
        }
    }
}
