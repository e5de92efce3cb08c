//! The clocks of an xboard game.

use std::time::Duration;

use mendel_board::{Color, Game};

use crate::xboard::LevelCommand;
use crate::{Clock, Limits, SideClock};

/// What the GUI said about time, and what we make of it where it is silent.
#[derive(Clone, Debug)]
pub(super) struct XboardClocks {
    level: LevelCommand,
    /// Set by `st`, which takes the place of the time control.
    pub(super) per_move: Option<Duration>,
    pub(super) depth: Option<u32>,
    ours: Duration,
    theirs: Duration,
}

impl Default for XboardClocks {
    /// Forty moves in five minutes, as xboard itself begins.
    fn default() -> Self {
        let base = Duration::from_mins(5);
        Self {
            level: LevelCommand {
                moves: 40,
                base,
                increment: Duration::ZERO,
            },
            per_move: None,
            depth: None,
            ours: base,
            theirs: base,
        }
    }
}

impl XboardClocks {
    /// A new game under the same time control; a limit of depth is gone.
    pub(super) fn reset(&mut self) {
        self.depth = None;
        self.ours = self.level.base;
        self.theirs = self.level.base;
    }

    pub(super) fn set_level(&mut self, level: LevelCommand) {
        self.level = level;
        self.per_move = None;
        self.ours = level.base;
        self.theirs = level.base;
    }

    /// What is left on our clock, in hundredths of a second.
    pub(super) fn set_ours(&mut self, centiseconds: i64) {
        self.ours = time(centiseconds);
    }

    pub(super) fn set_theirs(&mut self, centiseconds: i64) {
        self.theirs = time(centiseconds);
    }

    /// We moved after `used`; counts where the GUI does not send `time`.
    pub(super) fn moved(&mut self, used: Duration) {
        self.ours = self.ours.saturating_sub(used) + self.level.increment;
    }

    /// What to keep to on the next move of `game`, which is ours.
    pub(super) fn limits(&self, game: &Game) -> Limits {
        let us = game.position().turn();
        let side = |remaining| SideClock {
            remaining,
            increment: self.level.increment,
        };
        let (white, black) = match us {
            Color::White => (self.ours, self.theirs),
            Color::Black => (self.theirs, self.ours),
        };
        // Both sides have made half of the moves, rounded down for the one to move.
        let made = (game.moves().len() / 2) as u32;
        let moves_to_go =
            (self.level.moves > 0).then(|| self.level.moves - made % self.level.moves);
        Limits {
            depth: self.depth,
            movetime: self.per_move,
            clock: self.per_move.is_none().then(|| Clock {
                white: side(white),
                black: side(black),
                moves_to_go,
            }),
            ..Limits::default()
        }
    }
}

fn time(centiseconds: i64) -> Duration {
    const YEAR: i64 = 365 * 24 * 60 * 60 * 100;
    Duration::from_millis(centiseconds.clamp(0, YEAR) as u64 * 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clocks(moves: u32) -> XboardClocks {
        let mut clocks = XboardClocks::default();
        clocks.set_level(LevelCommand {
            moves,
            base: Duration::from_mins(1),
            increment: Duration::from_secs(2),
        });
        clocks
    }

    fn game(sans: &[&str]) -> Game {
        let mut game = Game::default();
        for san in sans {
            let m = game.position().parse_san(san).expect("a legal move");
            game.play(m).expect("a legal move");
        }
        game
    }

    #[test]
    fn the_moves_to_go_are_counted_from_the_moves_made() {
        let sans = ["e4", "e5", "Nf3", "Nc6", "Bb5"];
        let to_go = |plies: usize| {
            let limits = clocks(2).limits(&game(&sans[..plies]));
            limits.clock.expect("a clock").moves_to_go
        };
        let table: Vec<_> = (0..=5).map(to_go).collect();
        assert_eq!(
            table,
            [Some(2), Some(2), Some(1), Some(1), Some(2), Some(2)]
        );
        let whole_game = clocks(0).limits(&game(&[]));
        assert_eq!(whole_game.clock.expect("a clock").moves_to_go, None);
    }

    #[test]
    fn our_clock_is_that_of_the_side_to_move() {
        let mut clocks = clocks(0);
        clocks.set_ours(1_000);
        clocks.set_theirs(-5);
        let clock = clocks.limits(&game(&["e4"])).clock.expect("a clock");
        assert_eq!(clock.of(Color::Black).remaining, Duration::from_secs(10));
        assert_eq!(clock.of(Color::White).remaining, Duration::ZERO);
    }

    #[test]
    fn time_per_move_and_time_control_replace_each_other() {
        let mut clocks = clocks(40);
        clocks.per_move = Some(Duration::from_secs(3));
        let limits = clocks.limits(&game(&[]));
        assert_eq!(
            (limits.clock, limits.movetime),
            (None, Some(Duration::from_secs(3)))
        );
        clocks.set_level(clocks.level);
        let limits = clocks.limits(&game(&[]));
        assert!(limits.clock.is_some() && limits.movetime.is_none());
    }
}
