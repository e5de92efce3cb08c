//! Scores inside the search: one integer for centipawns, tablebase wins and mates.

use crate::{Score, Wdl};

/// More than any score.
pub(crate) const INFINITE: i32 = 32_500;
/// Mate on the spot; a mate in `n` plies is worth `MATE - n`.
pub(crate) const MATE: i32 = 32_000;
/// Scores beyond this are mates.
pub(crate) const MATE_BOUND: i32 = MATE - 2 * MAX_PLY as i32;
/// A position that a tablebase calls won, `n` plies from the root, is worth
/// `TABLEBASE_WIN - n`: more than any judgement, less than any mate.
pub(crate) const TABLEBASE_WIN: i32 = MATE_BOUND - 1000;
/// Scores beyond this are proved wins.
pub(crate) const WIN_BOUND: i32 = TABLEBASE_WIN - 2 * MAX_PLY as i32;
/// The deepest line the search can follow.
pub(crate) const MAX_PLY: usize = 128;

/// A score as the table keeps it: proved wins are counted from the position and
/// not from the root, since the position may be reached at another ply.
#[inline]
pub(crate) fn to_table(score: i32, ply: usize) -> i32 {
    if score >= WIN_BOUND {
        score + ply as i32
    } else if score <= -WIN_BOUND {
        score - ply as i32
    } else {
        score
    }
}

#[inline]
pub(crate) fn from_table(score: i32, ply: usize) -> i32 {
    if score >= WIN_BOUND {
        score - ply as i32
    } else if score <= -WIN_BOUND {
        score + ply as i32
    } else {
        score
    }
}

/// A score as people read it.
pub(crate) fn readable(score: i32) -> Score {
    if score >= MATE_BOUND {
        Score::Mate((MATE - score + 1) / 2)
    } else if score <= -MATE_BOUND {
        Score::Mate(-(MATE + score) / 2)
    } else {
        Score::Centipawns(score)
    }
}

/// Chances that go with a score: two logistic curves, one for the win and one
/// for the loss, 120 centipawns apart from even, 80 wide. Rough on purpose until
/// a run measures it.
pub(crate) fn chances(score: i32) -> Wdl {
    let win_at = |score: f64| 1000.0 / (1.0 + libm::exp((120.0 - score) / 80.0));
    let score = f64::from(score);
    let win = win_at(score).round() as u16;
    let loss = win_at(-score).round() as u16;
    Wdl {
        win,
        draw: 1000 - win - loss,
        loss,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_moves() {
        assert_eq!(readable(MATE - 1), Score::Mate(1));
        assert_eq!(readable(MATE - 3), Score::Mate(2));
        assert_eq!(readable(-MATE), Score::Mate(0));
        assert_eq!(readable(-MATE + 2), Score::Mate(-1));
        assert_eq!(readable(TABLEBASE_WIN), Score::Centipawns(TABLEBASE_WIN));
    }

    #[test]
    fn chances_add_up_and_mirror() {
        for score in (-3000..=3000).step_by(7) {
            let wdl = chances(score);
            assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000);
            let turned = chances(-score);
            assert_eq!((wdl.win, wdl.loss), (turned.loss, turned.win));
        }
    }
}
