//! What earlier nodes taught about moves, kept between moves of one game.

use mendel_board::{Color, Move, PackedMove, Position, Role, Square};

/// The largest history a move can have; a gain shrinks as it comes near.
pub(crate) const MOST: i32 = 16_384;

/// Twelve pieces times sixty-four squares: a piece that arrived somewhere.
const PIECE_TOS: usize = 12 * 64;

/// A move as the histories see it: which piece arrived where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PieceTo(u16);

impl PieceTo {
    /// Nothing arrived: a null move, or the move before the first.
    pub(crate) const NONE: Self = Self(PIECE_TOS as u16);

    #[inline]
    pub(crate) fn new(color: Color, role: Role, to: Square) -> Self {
        let piece = (color as u16) * 6 + (role as u16 - 1);
        Self(piece * 64 + u32::from(to) as u16)
    }

    #[inline]
    pub(crate) fn of(m: Move, mover: Color) -> Self {
        Self::new(mover, m.role(), m.to())
    }
}

/// Statistics of moves. Large, so it lives in boxes and is made once a thread.
#[derive(Debug)]
pub(crate) struct History {
    /// By colour, from and to.
    butterfly: Box<[i16]>,
    /// By piece, to and captured kind.
    captures: Box<[i16]>,
    /// By an earlier arrival and this one.
    continuation: Box<[i16]>,
    /// The quiet move that last refuted an arrival.
    counters: Box<[PackedMove]>,
    /// By side to move and pawn structure: how far the static score was off.
    corrections: Box<[i16]>,
}

/// The quiet moves' context: what the last moves were.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HistoryContext {
    pub(crate) before: [PieceTo; 2],
}

const CORRECTIONS: usize = 16_384;
/// Corrections are kept in 256ths of a centipawn, so that small errors add up.
const CORRECTION_GRAIN: i32 = 256;
/// No correction is larger than this many centipawns.
const LARGEST_CORRECTION: i32 = 64;

fn zeros(count: usize) -> Box<[i16]> {
    vec![0; count].into_boxed_slice()
}

impl History {
    pub(crate) fn new() -> Self {
        Self {
            butterfly: zeros(2 * 64 * 64),
            captures: zeros(PIECE_TOS * 8),
            continuation: zeros((PIECE_TOS + 1) * PIECE_TOS),
            counters: vec![PackedMove::NONE; PIECE_TOS + 1].into_boxed_slice(),
            corrections: zeros(2 * CORRECTIONS),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.butterfly.fill(0);
        self.captures.fill(0);
        self.continuation.fill(0);
        self.counters.fill(PackedMove::NONE);
        self.corrections.fill(0);
    }

    #[inline]
    fn butterfly_index(mover: Color, m: Move) -> usize {
        let packed = usize::from(PackedMove::from(m).bits() & 0xFFF);
        (mover as usize) * 4096 + packed
    }

    #[inline]
    fn capture_index(mover: Color, m: Move) -> usize {
        let victim = m.capture().map_or(0, |role| role as usize);
        usize::from(PieceTo::of(m, mover).0) * 8 + victim
    }

    #[inline]
    fn continuation_index(before: PieceTo, now: PieceTo) -> usize {
        usize::from(before.0) * PIECE_TOS + usize::from(now.0)
    }

    /// How quiet move `m` did, whatever came before.
    #[inline]
    pub(crate) fn quiet(&self, mover: Color, m: Move) -> i32 {
        i32::from(self.butterfly[Self::butterfly_index(mover, m)])
    }

    /// How quiet move `m` did after the moves before it.
    #[inline]
    pub(crate) fn continued(&self, mover: Color, m: Move, context: HistoryContext) -> i32 {
        let now = PieceTo::of(m, mover);
        context
            .before
            .iter()
            .map(|&before| i32::from(self.continuation[Self::continuation_index(before, now)]))
            .sum()
    }

    /// How capture `m` did.
    #[inline]
    pub(crate) fn capture(&self, mover: Color, m: Move) -> i32 {
        i32::from(self.captures[Self::capture_index(mover, m)])
    }

    /// The quiet move that last refuted `arrival`.
    #[inline]
    pub(crate) fn counter(&self, arrival: PieceTo) -> PackedMove {
        self.counters[usize::from(arrival.0)]
    }

    pub(crate) fn set_counter(&mut self, arrival: PieceTo, m: Move) {
        self.counters[usize::from(arrival.0)] = m.into();
    }

    pub(crate) fn reward_quiet(
        &mut self,
        mover: Color,
        m: Move,
        context: HistoryContext,
        bonus: i32,
    ) {
        learn(&mut self.butterfly[Self::butterfly_index(mover, m)], bonus);
        let now = PieceTo::of(m, mover);
        for before in context.before {
            learn(
                &mut self.continuation[Self::continuation_index(before, now)],
                bonus,
            );
        }
    }

    pub(crate) fn reward_capture(&mut self, mover: Color, m: Move, bonus: i32) {
        learn(&mut self.captures[Self::capture_index(mover, m)], bonus);
    }

    fn correction_index(position: &Position) -> usize {
        let structure = (position.pawn_key() >> 32) as usize % CORRECTIONS;
        (position.turn() as usize) * CORRECTIONS + structure
    }

    /// What to add to the static score of `position`, from what searches of the
    /// same pawn structure found.
    ///
    /// The idea is from Caissa and Stockfish, 2024, "correction history".
    ///
    /// # Where this differs
    ///
    /// Only the pawn structure (with the kings) is a key; the correction is a
    /// running mean weighted by depth.
    #[inline]
    pub(crate) fn correction(&self, position: &Position) -> i32 {
        i32::from(self.corrections[Self::correction_index(position)]) / CORRECTION_GRAIN
    }

    /// A search of `depth` found the static score off by `error`.
    pub(crate) fn correct(&mut self, position: &Position, depth: i32, error: i32) {
        let slot = &mut self.corrections[Self::correction_index(position)];
        let weight = (depth + 1).min(16);
        let most = LARGEST_CORRECTION * CORRECTION_GRAIN;
        let target = (error * CORRECTION_GRAIN).clamp(-4 * most, 4 * most);
        let moved = (i32::from(*slot) * (256 - weight) + target * weight) / 256;
        *slot = moved.clamp(-most, most) as i16;
    }
}

/// Moves `slot` towards the bonus; the nearer it is to the limit, the less.
#[inline]
fn learn(slot: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-MOST, MOST);
    let old = i32::from(*slot);
    *slot = (old + bonus - old * bonus.abs() / MOST) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_stays_within_its_limit_however_often_it_is_fed() {
        let mut slot = 0;
        for _ in 0..1000 {
            learn(&mut slot, 1700);
        }
        assert!(i32::from(slot) <= MOST && slot > 14_000, "{slot}");
        for _ in 0..1000 {
            learn(&mut slot, -MOST);
        }
        assert_eq!(i32::from(slot), -MOST);
    }

    #[test]
    fn a_correction_follows_the_error_and_keeps_its_limit() {
        let mut history = History::new();
        let position = Position::initial();
        for _ in 0..500 {
            history.correct(&position, 10, 30);
        }
        assert!((27..=30).contains(&history.correction(&position)));
        for _ in 0..500 {
            history.correct(&position, 10, 5000);
        }
        assert!(history.correction(&position) <= LARGEST_CORRECTION);
    }
}
