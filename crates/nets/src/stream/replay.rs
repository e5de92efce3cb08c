//! A game turned into samples.

use arrayvec::ArrayVec;
use mendel_board::{Move, Position};
use mendel_data::result_for;
use mendel_data::shard::{ShardGame, move_at};

use super::Sample;
use super::sample::HISTORY;

/// A move that cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) ply: usize,
}

/// Replays a game and adds a sample for each of `plies`, which ascend.
pub(super) fn replay(
    game: &ShardGame,
    plies: &[u16],
    samples: &mut Vec<Sample>,
) -> Result<(), Fault> {
    let Some(&last) = plies.last() else {
        return Ok(());
    };
    let mut wanted = plies.iter().copied().peekable();
    let mut position = Position::initial();
    let mut played: Vec<Move> = Vec::with_capacity(usize::from(last));
    let mut keys: Vec<u64> = Vec::with_capacity(usize::from(last));
    samples.reserve(plies.len());
    for (ply, &place) in game.moves.iter().enumerate().take(usize::from(last) + 1) {
        let m = move_at(&position, place).ok_or(Fault { ply })?;
        if wanted.next_if_eq(&(ply as u16)).is_some() {
            let mover = position.turn();
            let [white, black] = game.ratings;
            samples.push(Sample {
                position: position.clone(),
                before: latest(&played),
                played: m,
                ratings: mover.fold_wb([white, black], [black, white]),
                result: result_for(game.result, mover).map_or(0, |points| points as i8 - 1),
                ply: ply as u16,
                repeated: is_repeated(&position, &keys),
                score: game.score(ply),
            });
        }
        keys.push(position.key());
        played.push(m);
        position.play(m);
    }
    Ok(())
}

fn latest(played: &[Move]) -> ArrayVec<Move, HISTORY> {
    let first = played.len().saturating_sub(HISTORY);
    played[first..].iter().copied().collect()
}

/// Whether the position has a key of those before it, as far back as nothing was
/// captured and no pawn moved.
fn is_repeated(position: &Position, keys: &[u64]) -> bool {
    let reversible = (position.halfmoves() as usize).min(keys.len());
    let earlier = &keys[keys.len() - reversible..];
    // The same side was to move two plies ago, and it takes four at least.
    let alike = earlier.iter().rev().skip(3).step_by(2);
    alike.into_iter().any(|&key| key == position.key())
}
