//! `go perft`: counting leaves on the thinking thread, where it can be stopped.

use std::fmt;

use mendel_board::Position;

use crate::Control;

/// How many leaves the tree of legal moves has below each move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leaves {
    /// Each move, as UCI writes it, with its leaves.
    below: Vec<(String, u64)>,
    stopped: bool,
}

impl Leaves {
    pub(super) fn count(position: &Position, depth: u32, control: &Control) -> Self {
        let mut below = Vec::new();
        for m in position.legal_moves() {
            let leaves = count(&position.after(m), depth.saturating_sub(1), control);
            if control.is_stopped() {
                break;
            }
            below.push((position.uci(m), leaves));
        }
        Self {
            below,
            stopped: control.is_stopped(),
        }
    }
}

fn count(position: &Position, depth: u32, control: &Control) -> u64 {
    if depth == 0 || control.is_stopped() {
        return 1;
    }
    let moves = position.legal_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    moves
        .into_iter()
        .map(|m| count(&position.after(m), depth - 1, control))
        .sum()
}

impl fmt::Display for Leaves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (m, leaves) in &self.below {
            writeln!(f, "{m}: {leaves}")?;
        }
        let total: u64 = self.below.iter().map(|(_, leaves)| leaves).sum();
        let unfinished = if self.stopped { " (stopped)" } else { "" };
        write!(f, "\nNodes searched: {total}{unfinished}")
    }
}
