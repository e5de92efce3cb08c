//! Captures until it is quiet.

use mendel_board::{PackedMove, Position};
use mendel_evaluator::Evaluator;

use super::picker::Picker;
use super::score::{INFINITE, MATE, MAX_PLY, WIN_BOUND};
use super::table::{NO_EVAL, TtEntry};
use super::{Node, NodeArgs, Searcher, exchange};
use crate::Bound;

impl<E: Evaluator> Searcher<'_, E> {
    /// Searches captures and queen promotions, and all moves in check, until
    /// nothing is hanging; `task.depth` is ignored.
    #[expect(clippy::too_many_lines, reason = "one loop in numbered steps")]
    pub(super) fn quiesce<N: Node>(&mut self, position: &Position, task: NodeArgs) -> i32 {
        let NodeArgs {
            ply,
            mut alpha,
            beta,
            ..
        } = task;
        if N::PV {
            self.frame(ply).line.clear();
        }
        self.seldepth = self.seldepth.max(ply);

        // Step 1. Draws and the end of the line.
        if self.is_draw(position) {
            return 0;
        }
        let in_check = position.is_check();
        if ply >= MAX_PLY {
            return if in_check { 0 } else { self.evaluate(position) };
        }

        // Without quiescence every position is judged as it stands, but for the end of
        // the game.
        if self.params.use_quiescence == 0 {
            return match (position.legal_moves().is_empty(), in_check) {
                (false, _) => self.leaf_score(position),
                (true, true) => ply as i32 - MATE,
                (true, false) => 0,
            };
        }

        // Step 2. The table may know the answer.
        let known = self.probe(position, ply);
        if let Some(entry) = known
            && !N::PV
            && entry.settles(alpha, beta)
        {
            return entry.score;
        }

        // Step 3. Standing pat: the side to move need not capture at all, so the
        // static score is a lower bound. Not in check, where it has no choice.
        let mut raw = NO_EVAL;
        let mut best = -INFINITE;
        if !in_check {
            raw = match known {
                Some(entry) if entry.eval != NO_EVAL => entry.eval,
                _ => self.leaf_score(position),
            };
            best = self.corrected(position, raw);
            if let Some(entry) = known
                && entry.sharpens(best)
                && entry.score.abs() < WIN_BOUND
            {
                best = entry.score;
            }
            if best >= beta {
                return best;
            }
            alpha = alpha.max(best);
        }
        let standing = best;

        // Step 4. The moves.
        let table_move = known.and_then(|entry| entry.m.unpack(position));
        let context = self.context(ply);
        let mut picker = if in_check {
            let killers = self.frame(ply).killers;
            Picker::new(table_move, killers, PackedMove::NONE, context)
        } else {
            Picker::noisy(table_move, context)
        };
        let mut best_move = PackedMove::NONE;
        let mut bound = Bound::Upper;
        let mut searched = 0;
        while let Some(m) = picker.next(&self.hints(position)) {
            // Step 5. Captures that cannot help: too small for alpha (delta), or
            // losing by exchange. In check, once a way out is known, quiet moves
            // are not tried any more.
            if best > -WIN_BOUND {
                if in_check {
                    if searched > 0 {
                        picker.skip_quiets();
                        if !super::picker::is_noisy(m) {
                            continue;
                        }
                    }
                } else if self.params.use_delta == 1
                    && standing + exchange::gain(m) + self.params.delta_margin <= alpha
                {
                    best = best.max(standing + exchange::gain(m) + self.params.delta_margin);
                    continue;
                }
                if self.params.use_exchange_in_quiescence == 1
                    && !exchange::wins_at_least(position, m, 0)
                {
                    continue;
                }
            }

            // Step 6. Search it.
            if !self.may_move() {
                return 0;
            }
            searched += 1;
            let next = self.make(position, m, ply);
            let child = NodeArgs {
                ply: ply + 1,
                alpha: -beta,
                beta: -alpha,
                ..task
            };
            let score = -self.quiesce::<N>(&next, child);
            self.unmake();
            if self.stopped {
                return 0;
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = m.into();
                    alpha = score;
                    if N::PV {
                        self.extend_line(ply, m);
                    }
                    if score >= beta {
                        bound = Bound::Lower;
                        break;
                    }
                }
            }
        }

        // Step 7. No way out of check is mate.
        if in_check && searched == 0 {
            return ply as i32 - MATE;
        }
        let entry = TtEntry {
            m: best_move,
            score: best,
            eval: raw,
            depth: 0,
            bound,
        };
        self.remember(position, ply, entry);
        best
    }
}
