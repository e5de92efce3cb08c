//! Which move first, and why.

use arrayvec::ArrayVec;
use mendel_board::{Move, PackedMove, Position, Role};

use super::exchange;
use super::history::{History, HistoryContext};
use crate::SearchParams;

/// Hands out the legal moves of one node, the most promising first.
///
/// The move from the table comes first, before any move is generated; then
/// captures that lose nothing, quiet moves, and captures that lose.
#[derive(Debug)]
pub(crate) struct Picker {
    stage: PickerStage,
    table_move: Option<Move>,
    killers: [PackedMove; 2],
    counter: PackedMove,
    context: HistoryContext,
    /// Losing captures `[..losers]`, then captures up to `quiets`, then the rest.
    moves: ArrayVec<ScoredMove, 256>,
    losers: usize,
    quiets: usize,
    next: usize,
    skip_quiets: bool,
    noisy_only: bool,
}

#[derive(Clone, Copy, Debug)]
struct ScoredMove {
    m: Move,
    score: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PickerStage {
    Table,
    Generate,
    Captures,
    ScoreQuiets,
    Quiets,
    Losers,
    Done,
}

/// What the picker may look at while ordering.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hints<'a> {
    pub(crate) position: &'a Position,
    pub(crate) history: &'a History,
    pub(crate) params: &'a SearchParams,
}

/// Whether a move belongs to the captures: it takes something or makes a queen.
#[inline]
pub(crate) fn is_noisy(m: Move) -> bool {
    m.is_capture() || m.promotion() == Some(Role::Queen)
}

impl Picker {
    pub(crate) fn new(
        table_move: Option<Move>,
        killers: [PackedMove; 2],
        counter: PackedMove,
        context: HistoryContext,
    ) -> Self {
        Self {
            stage: PickerStage::Table,
            table_move,
            killers,
            counter,
            context,
            moves: ArrayVec::new(),
            losers: 0,
            quiets: 0,
            next: 0,
            skip_quiets: false,
            noisy_only: false,
        }
    }

    /// Captures and queen promotions only. A quiet table move is left out.
    pub(crate) fn noisy(table_move: Option<Move>, context: HistoryContext) -> Self {
        let table_move = table_move.filter(|&m| is_noisy(m));
        let none = PackedMove::NONE;
        Self {
            noisy_only: true,
            ..Self::new(table_move, [none; 2], none, context)
        }
    }

    /// Leaves out the quiet moves that have not been handed out yet.
    pub(crate) fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// Whether the captures that lose nothing are all handed out.
    pub(crate) fn is_past_good_captures(&self) -> bool {
        !matches!(
            self.stage,
            PickerStage::Table | PickerStage::Generate | PickerStage::Captures
        )
    }

    #[inline]
    pub(crate) fn next(&mut self, hints: &Hints) -> Option<Move> {
        loop {
            match self.stage {
                PickerStage::Table => {
                    self.stage = PickerStage::Generate;
                    if self.table_move.is_some() {
                        return self.table_move;
                    }
                }
                PickerStage::Generate => {
                    self.generate(hints);
                    self.stage = PickerStage::Captures;
                }
                PickerStage::Captures => {
                    if self.next == self.quiets {
                        if self.noisy_only {
                            self.next = 0;
                            self.stage = PickerStage::Losers;
                        } else {
                            self.stage = PickerStage::ScoreQuiets;
                        }
                        continue;
                    }
                    let m = self.best_before(self.quiets);
                    if hints.params.use_exchange_ordering == 1
                        && !exchange::wins_at_least(hints.position, m, 0)
                    {
                        self.moves[self.losers] = ScoredMove { m, score: 0 };
                        self.losers += 1;
                        continue;
                    }
                    return Some(m);
                }
                PickerStage::ScoreQuiets => {
                    if !self.skip_quiets {
                        self.score_quiets(hints);
                    }
                    self.stage = PickerStage::Quiets;
                }
                PickerStage::Quiets => {
                    if self.skip_quiets || self.next == self.moves.len() {
                        self.next = 0;
                        self.stage = PickerStage::Losers;
                        continue;
                    }
                    let end = self.moves.len();
                    return Some(self.best_before(end));
                }
                PickerStage::Losers => {
                    if self.next == self.losers {
                        self.stage = PickerStage::Done;
                        continue;
                    }
                    let m = self.moves[self.next].m;
                    self.next += 1;
                    return Some(m);
                }
                PickerStage::Done => return None,
            }
        }
    }

    /// Captures in front with their scores, quiet moves behind without.
    fn generate(&mut self, hints: &Hints) {
        let legal = hints.position.legal_moves();
        let mover = hints.position.turn();
        for &m in &legal {
            if is_noisy(m) && Some(m) != self.table_move {
                let victim = exchange::gain(m);
                let score = if hints.params.use_capture_history == 1 {
                    victim * 16 + hints.history.capture(mover, m)
                } else {
                    victim * 16 - exchange::value(m.role()) / 8
                };
                self.moves.push(ScoredMove { m, score });
            }
        }
        self.quiets = self.moves.len();
        if self.noisy_only {
            return;
        }
        for &m in &legal {
            if !is_noisy(m) && Some(m) != self.table_move {
                self.moves.push(ScoredMove { m, score: 0 });
            }
        }
    }

    fn score_quiets(&mut self, hints: &Hints) {
        let mover = hints.position.turn();
        let params = hints.params;
        for scored in &mut self.moves[self.quiets..] {
            let m = scored.m;
            let packed = PackedMove::from(m);
            if params.use_history == 1 {
                scored.score += hints.history.quiet(mover, m);
            }
            if params.use_continuation == 1 {
                scored.score += hints.history.continued(mover, m, self.context);
            }
            if self.killers.contains(&packed) {
                scored.score += params.killer_bonus;
            }
            if packed == self.counter {
                scored.score += params.counter_bonus;
            }
            // Under-promotions are almost never better than the queen.
            if m.is_promotion() {
                scored.score -= 50_000;
            }
        }
    }

    /// Takes the best of the moves from `next` to `end`.
    #[inline]
    fn best_before(&mut self, end: usize) -> Move {
        let rest = &mut self.moves[self.next..end];
        let mut best = (0, i32::MIN);
        for (index, scored) in rest.iter().enumerate() {
            if scored.score > best.1 {
                best = (index, scored.score);
            }
        }
        rest.swap(0, best.0);
        self.next += 1;
        rest[0].m
    }
}

#[cfg(test)]
mod tests {
    use mendel_board::sample::random_positions;

    use super::super::history::PieceTo;
    use super::*;

    const CONTEXT: HistoryContext = HistoryContext {
        before: [PieceTo::NONE; 2],
    };

    fn all(mut picker: Picker, position: &Position) -> Vec<Move> {
        let (history, params) = (History::new(), SearchParams::default());
        let hints = Hints {
            position,
            history: &history,
            params: &params,
        };
        std::iter::from_fn(|| picker.next(&hints)).collect()
    }

    #[test]
    fn every_legal_move_is_handed_out_once() {
        for position in random_positions(1, 500) {
            let legal = position.legal_moves();
            let table_move = legal.get(legal.len() / 2).copied();
            let none = PackedMove::NONE;
            let mut picked = all(Picker::new(table_move, [none; 2], none, CONTEXT), &position);
            assert_eq!(picked.first().copied(), table_move);
            let mut expected: Vec<_> = legal.into_iter().collect();
            let text = |m: &Move| position.uci(*m);
            picked.sort_by_key(text);
            expected.sort_by_key(text);
            assert_eq!(picked, expected, "{}", position.fen());
        }
    }

    #[test]
    fn the_noisy_picker_hands_out_captures_and_queens_once() {
        for position in random_positions(2, 500) {
            let mut picked = all(Picker::noisy(None, CONTEXT), &position);
            let mut expected: Vec<_> = position
                .legal_moves()
                .into_iter()
                .filter(|&m| is_noisy(m))
                .collect();
            let text = |m: &Move| position.uci(*m);
            picked.sort_by_key(text);
            expected.sort_by_key(text);
            assert_eq!(picked, expected, "{}", position.fen());
        }
    }
}
