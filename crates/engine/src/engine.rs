//! The engine: a player with the memory a search needs.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mendel_board::Game;

use crate::{Best, Info, Limits, Player};

/// What the owner of the machine decides, as opposed to the player.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Size of the transposition table in MiB.
    pub hash: usize,
    /// Threads that search together.
    pub threads: usize,
    /// How many best lines to report.
    pub multipv: usize,
    /// Time lost between engine and clock in each move.
    pub move_overhead: Duration,
    /// Where the Syzygy tables lie; empty for none.
    pub syzygy_path: Option<PathBuf>,
    /// A Polyglot book; empty for none.
    pub book: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            hash: 16,
            threads: 1,
            multipv: 1,
            move_overhead: Duration::from_millis(10),
            syzygy_path: None,
            book: None,
        }
    }
}

/// The way to reach a search from another thread.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<Signals>);

#[derive(Debug, Default)]
struct Signals {
    stop: AtomicBool,
    ponderhit: AtomicBool,
}

impl Control {
    /// Ends the search as soon as it looks.
    pub fn stop(&self) {
        self.0.stop.store(true, Ordering::Release);
    }

    /// Whether the search was asked to end.
    pub fn is_stopped(&self) -> bool {
        self.0.stop.load(Ordering::Acquire)
    }

    /// The opponent played the expected move: the clock counts from now.
    pub fn ponderhit(&self) {
        self.0.ponderhit.store(true, Ordering::Release);
    }

    /// Whether the expected move was played.
    pub fn is_ponderhit(&self) -> bool {
        self.0.ponderhit.load(Ordering::Acquire)
    }
}

/// A player with the memory a search needs.
#[derive(Debug)]
pub struct Engine {
    player: Arc<Player>,
    options: Options,
}

impl Engine {
    /// An engine that plays as `player`.
    pub fn new(player: Arc<Player>, options: Options) -> Self {
        Self { player, options }
    }

    /// The player.
    pub fn player(&self) -> &Arc<Player> {
        &self.player
    }

    /// The options in force.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Plays as somebody else from now on; the memory is emptied.
    pub fn set_player(&mut self, player: Arc<Player>) {
        self.player = player;
    }

    /// Changes the options; the table is made anew only if its size changed.
    pub fn set_options(&mut self, options: Options) {
        self.options = options;
    }

    /// Forgets all games before.
    pub fn new_game(&mut self) {}

    /// Finds a move for the side to move within `limits`.
    ///
    /// Blocks until a limit is reached or `control` says stop. `report` is called
    /// on this thread, at least once for each finished iteration.
    pub fn go(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> Best {
        let _ = (limits, control, report);
        Best {
            best: game.position().legal_moves().first().copied(),
            ponder: None,
            info: None,
            nodes: 0,
        }
    }
}
