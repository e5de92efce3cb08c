//! The clocks of a game, and the time limits for a player.

use std::time::Duration;

use mendel_board::Color;
use mendel_engine::{Clock, SideClock, SideTimer};
use serde::{Deserialize, Serialize};

use crate::Pace;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Patience {
    /// Time over the limit that is tolerated.
    #[serde(with = "crate::seconds")]
    pub margin: Duration,
    /// Further time until the player counts as stalled; before it has only lost on time.
    #[serde(with = "crate::seconds")]
    pub grace: Duration,
    /// Maximum time of a move if the pace sets none.
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

#[derive(Clone, Debug)]
pub struct Clocks {
    white: PlayerClock,
    black: PlayerClock,
    patience: Patience,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the move took {} s and had {} s", .took.as_secs_f64(), .had.as_secs_f64())]
pub struct TimeForfeit {
    pub took: Duration,
    /// What it could have taken, without the margin.
    pub had: Duration,
}

impl Clocks {
    /// Clocks as they stand before the first move.
    pub fn new(white: Pace, black: Pace, patience: Patience) -> Self {
        Self {
            white: PlayerClock::new(white),
            black: PlayerClock::new(black),
            patience,
        }
    }

    /// Both clocks as the side to move receives them; `None` if it has no clock.
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
    pub fn spend(&mut self, turn: Color, took: Duration) -> Result<(), TimeForfeit> {
        let margin = self.patience.margin;
        let clock = turn.fold_wb(&mut self.white, &mut self.black);
        if let Some(had) = clock.allowed()
            && took > had.saturating_add(margin)
        {
            return Err(TimeForfeit { took, had });
        }
        clock.tick(took);
        Ok(())
    }

    fn of(&self, turn: Color) -> &PlayerClock {
        turn.fold_wb(&self.white, &self.black)
    }
}

#[derive(Clone, Debug)]
struct PlayerClock {
    pace: Pace,
    /// `None` without a clock over the game.
    timer: Option<SideTimer>,
}

impl PlayerClock {
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
