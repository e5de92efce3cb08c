//! Counting the paths of legal moves: the proof that moves are generated right.
//!
//! The walk copies the bare rules position and not [`Position`], whose keys are not
//! needed here.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use shakmaty::{Chess, Move, Position as _};

use crate::Position;

/// The number of paths of `depth` legal moves from `position`.
///
/// The last move of a path is counted and not played. The depth is a byte, so
/// that no request can exhaust the stack.
///
/// ```
/// # use mendel_board::{perft, Position};
/// assert_eq!(perft(&Position::initial(), 4), 197_281);
/// ```
pub fn perft(position: &Position, depth: u8) -> u64 {
    walk(position.chess(), depth)
}

/// The paths of `depth` moves behind each legal move, in the order in which the
/// moves are generated; nothing at depth 0.
pub fn divide(position: &Position, depth: u8) -> Vec<(Move, u64)> {
    divide_with(position, depth, NonZero::<usize>::MIN)
}

/// [`perft`] on several threads; the total does not depend on their number.
pub fn perft_with(position: &Position, depth: u8, threads: NonZero<usize>) -> u64 {
    if depth == 0 {
        return 1;
    }
    divide_with(position, depth, threads)
        .iter()
        .map(|&(_, count)| count)
        .sum()
}

/// [`divide`] on several threads; the counts do not depend on their number.
///
/// A job is a pair of first moves, so that one heavy root move keeps no thread
/// waiting. Where the system refuses a thread, the others do its work.
pub fn divide_with(position: &Position, depth: u8, threads: NonZero<usize>) -> Vec<(Move, u64)> {
    let Some(below) = depth.checked_sub(1) else {
        return Vec::new();
    };
    let roots = position.chess().legal_moves();

    // 1. The jobs, each with the root move it counts for.
    let mut jobs: Vec<(usize, Chess, u8)> = Vec::new();
    for (root, &m) in roots.iter().enumerate() {
        let child = after(position.chess(), m);
        match below.checked_sub(1) {
            None | Some(0) => jobs.push((root, child, below)),
            Some(rest) => {
                for second in child.legal_moves() {
                    jobs.push((root, after(&child, second), rest));
                }
            }
        }
    }

    // 2. Each thread takes the next job until none is left.
    let next = AtomicUsize::new(0);
    let work = || {
        let mut counts = vec![0_u64; roots.len()];
        while let Some((root, chess, rest)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            counts[*root] += walk(chess, *rest);
        }
        counts
    };
    let helpers = threads.get().min(jobs.len()).saturating_sub(1);
    let shares = thread::scope(|scope| {
        let handles: Vec<_> = (0..helpers)
            .map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
            .collect();
        let mut shares = vec![work()];
        for handle in handles {
            shares.push(handle.join().expect("counting does not panic"));
        }
        shares
    });

    // 3. Sums of whole numbers: the order of the threads does not matter.
    let total = |root: usize| shares.iter().map(|counts| counts[root]).sum();
    let counted = roots.iter().enumerate();
    counted.map(|(root, &m)| (m, total(root))).collect()
}

fn after(chess: &Chess, m: Move) -> Chess {
    let mut next = chess.clone();
    next.play_unchecked(m);
    next
}

fn walk(chess: &Chess, depth: u8) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = chess.legal_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    let mut total = 0;
    for &m in &moves {
        let mut next = chess.clone();
        next.play_unchecked(m);
        total += walk(&next, depth - 1);
    }
    total
}
