//! The loop over the moves of a node: what to skip, what to reduce, and
//! what to learn.

use arrayvec::ArrayVec;
use mendel_board::{CheckSquares, Color, Move, Position};
use mendel_evaluator::Evaluator;

use super::alpha_beta::{StaticInfo, pieces_of};
use super::history::HistoryContext;
use super::picker::{Picker, is_noisy};
use super::score::{INFINITE, MATE, WIN_BOUND};
use super::table::{NO_EVAL, TtEntry};
use super::{Closed, FRAMES_BEFORE, Node, NodeArgs, Principal, RootMove, Searcher, exchange};
use crate::Bound;

/// What is decided once for all moves of a node.
pub(super) struct NodeContext<'a> {
    pub(super) position: &'a Position,
    pub(super) task: NodeArgs,
    pub(super) outlook: &'a StaticInfo,
    pub(super) known: Option<TtEntry>,
    pub(super) checks: CheckSquares,
    pub(super) context: HistoryContext,
    pub(super) mover: Color,
    /// Quarters of a ply that every move here earns.
    pub(super) every_move: i32,
}

/// Moves that were searched without success; they lose history to the winner.
type SearchedMoves = ArrayVec<Move, 64>;

/// What the move loop decides about a move before it is searched.
pub(super) enum MoveDecision {
    Skip,
    Extend(i32),
    /// The whole node is decided.
    Return(i32),
}

impl<E: Evaluator> Searcher<'_, E> {
    /// Steps 9 to 16: all moves of a node.
    #[expect(clippy::too_many_lines, reason = "one loop in numbered steps")]
    pub(super) fn search_moves<N: Node>(
        &mut self,
        position: &Position,
        task: NodeArgs,
        outlook: &StaticInfo,
        known: Option<TtEntry>,
    ) -> i32 {
        let NodeArgs {
            depth,
            ply,
            mut alpha,
            beta,
            ..
        } = task;
        let excluded = self.frame(ply).excluded;
        let plan = NodeContext {
            position,
            task,
            outlook,
            known,
            checks: position.check_squares(),
            context: self.context(ply),
            mover: position.turn(),
            every_move: self.earned_by_every_move(position, outlook),
        };
        let mut picker = self.picker(ply, outlook.table_move);
        let mut advised = if N::ROOT { self.advised_order() } else { None };
        let is_advised = advised.is_some();
        let mut best = -INFINITE;
        let mut best_move = None;
        let mut bound = Bound::Upper;
        let mut number = 0;
        let mut quiets = SearchedMoves::new();
        let mut captures = SearchedMoves::new();

        loop {
            // Step 9. The next move.
            let next = match &mut advised {
                Some(order) => order.next(),
                None => picker.next(&self.hints(position)),
            };
            let Some(m) = next else { break };
            if Some(m) == excluded || (N::ROOT && !self.is_root_candidate(m)) {
                continue;
            }
            number += 1;

            // Steps 10 and 11. Skip it, extend it, or see that the node is cut.
            let check = position.gives_check(m, &plan.checks);
            let history = self.quiet_history(&plan, m);
            let extension = match self.examine::<N>(
                &plan,
                &mut picker,
                m,
                MoveContext {
                    number,
                    check,
                    history,
                    best,
                    alpha,
                },
            ) {
                MoveDecision::Skip => continue,
                MoveDecision::Return(score) => return score,
                MoveDecision::Extend(plies) => plies,
            };
            if self.stopped {
                return 0;
            }

            // Step 12. Make it.
            if !self.may_move() {
                return 0;
            }
            let nodes_before = self.nodes;
            let next = self.make(position, m, ply);

            // Step 13. Search it. What a policy adds to its score is taken off the
            // window.
            let advice = if is_advised { self.advice(m) } else { 0 };
            let (low, high) = (lowered(alpha, advice), lowered(beta, advice));
            let child = NodeArgs {
                depth: depth - 1 + extension,
                ply: ply + 1,
                alpha: -high,
                beta: -low,
                cut: false,
            };
            let sight = MoveContext {
                number,
                check,
                history,
                best,
                alpha: low,
            };
            let score = self.search_move::<N>(&plan, m, &next, child, sight);
            let score = if is_advised {
                RootMove::advised(score, advice)
            } else {
                score
            };
            self.unmake();
            if self.stopped {
                return 0;
            }
            if N::ROOT {
                let window = (alpha, beta);
                let nodes = self.nodes - nodes_before + 1;
                self.note_root_move(m, number, score, window, nodes);
            }

            // Step 14. Compare it with the best score.
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(m);
                    if N::PV && !N::ROOT {
                        self.extend_line(ply, m);
                    }
                    if score >= beta {
                        bound = Bound::Lower;
                        break;
                    }
                    // Where strength is limited, moves a little worse than the
                    // best are of interest, too.
                    alpha = if N::ROOT {
                        alpha.max(score - self.shared.margin)
                    } else {
                        score
                    };
                    bound = Bound::Exact;
                }
            }
            let losers = if is_noisy(m) {
                &mut captures
            } else {
                &mut quiets
            };
            if Some(m) != best_move {
                // A full list means that what is left out would learn nothing new.
                let _ = losers.try_push(m);
            }
        }

        // Step 15. No move at all is mate or stalemate; while a move is left out
        // it only means that nothing else is there.
        if number == 0 {
            return if excluded.is_some() {
                alpha
            } else if outlook.in_check {
                ply as i32 - MATE
            } else {
                0
            };
        }
        if best == -INFINITE {
            // All moves were skipped.
            best = alpha;
        }

        // Step 16. Learn.
        if bound == Bound::Lower
            && let Some(m) = best_move
        {
            self.learn(&plan, m, &quiets, &captures);
        }
        // A score with advice in it is true at this root only.
        if excluded.is_none() && !is_advised && !(N::ROOT && self.first_root_move > 0) {
            self.learn_correction(&plan, best, best_move, bound);
            let m = best_move.map(Into::into).unwrap_or_default();
            self.remember(
                position,
                ply,
                TtEntry {
                    m,
                    score: best,
                    eval: self.for_table(outlook.raw),
                    depth,
                    bound,
                },
            );
        }
        best
    }

    /// Sum of all histories of a quiet move.
    fn quiet_history(&self, plan: &NodeContext, m: Move) -> i32 {
        if is_noisy(m) {
            return 0;
        }
        let history = &self.memory.history;
        let mut sum = 0;
        if self.params.use_history == 1 {
            sum += history.quiet(plan.mover, m);
        }
        if self.params.use_continuation == 1 {
            sum += history.continued(plan.mover, m, plan.context);
        }
        sum
    }

    fn examine<N: Node>(
        &mut self,
        plan: &NodeContext,
        picker: &mut Picker,
        m: Move,
        sight: MoveContext,
    ) -> MoveDecision {
        if !N::ROOT
            && sight.best > -WIN_BOUND
            && pieces_of(plan.position, plan.mover) > 0
            && self.is_hopeless::<N>(plan, picker, m, sight)
        {
            return MoveDecision::Skip;
        }
        self.extension::<N>(plan, m, sight)
    }

    /// Step 10. Moves that are not worth a search at low depth: late ones, those
    /// that cannot reach alpha, those with a bad history, and those that lose
    /// material. Never before a way to avoid mate is known.
    fn is_hopeless<N: Node>(
        &mut self,
        plan: &NodeContext,
        picker: &mut Picker,
        m: Move,
        sight: MoveContext,
    ) -> bool {
        let params = self.params;
        let NodeArgs { depth, .. } = plan.task;
        let outlook = plan.outlook;

        if is_noisy(m) {
            return params.use_exchange_pruning == 1
                && depth <= params.exchange_depth
                && picker.is_past_good_captures()
                && !exchange::wins_at_least(
                    plan.position,
                    m,
                    -params.exchange_capture_margin * depth,
                );
        }

        // How deep the move would really be searched.
        let reduced = if params.use_late_move_reductions == 1 {
            (depth - self.memory.reductions.get(depth, sight.number) / 100).max(1)
        } else {
            depth
        };

        if params.use_late_move_pruning == 1 && depth <= params.late_move_depth && !N::PV {
            let mut most = params.late_move_count + params.late_move_growth * depth * depth / 16;
            if params.use_improving == 1 && !outlook.improving {
                most /= 2;
            }
            if sight.number as i32 > most {
                picker.skip_quiets();
                return !sight.check;
            }
        }

        if reduced <= params.futility_depth && !outlook.in_check && !sight.check {
            let margin = match reduced {
                1 => params.futility_margin_1,
                2 => params.futility_margin_2,
                3 => params.futility_margin_3,
                deeper => params.futility_margin_3 + params.futility_margin_more * (deeper - 3),
            };
            if outlook.score + margin <= sight.alpha {
                picker.skip_quiets();
                return true;
            }
        }

        if reduced <= params.history_pruning_depth
            && sight.history < -params.history_pruning_margin * reduced
        {
            return true;
        }

        params.use_exchange_pruning == 1
            && reduced <= params.exchange_depth
            && !exchange::wins_at_least(
                plan.position,
                m,
                -params.exchange_quiet_margin * reduced * reduced,
            )
    }

    /// Step 13. Searches one move that has been made: late ones less deep first,
    /// all but the first with a closed window first.
    fn search_move<N: Node>(
        &mut self,
        plan: &NodeContext,
        m: Move,
        next: &Position,
        child: NodeArgs,
        sight: MoveContext,
    ) -> i32 {
        let params = self.params;
        let MoveContext { number, alpha, .. } = sight;
        let depth = child.depth;
        let closed = NodeArgs {
            alpha: -alpha - 1,
            beta: -alpha,
            ..child
        };
        let first = number == 1;

        // A closed window writes no line; none may be left over from a sister.
        if N::PV {
            self.frame(child.ply).line.clear();
        }

        // 1. Late moves, less deep.
        if params.use_late_move_reductions == 1
            && plan.task.depth >= params.reduction_depth.max(1)
            && number as i32 > params.reduction_count.max(1)
            && (!is_noisy(m) || self.is_losing_capture(plan, m))
        {
            let reduction = self.reduction::<N>(plan, m, sight);
            let shallow = (depth - reduction).clamp(1.min(depth), depth);
            if shallow < depth {
                let task = NodeArgs {
                    depth: shallow,
                    cut: true,
                    ..closed
                };
                let score = -self.negamax::<Closed>(next, task);
                if score <= alpha || self.stopped {
                    return score;
                }
            }
        }

        // 2. With a closed window, to see that it is not better than the best.
        if params.use_pvs == 0 {
            return -self.negamax_child::<N>(next, child);
        }
        if !first || !N::PV {
            let cut = N::PV || !plan.task.cut;
            let score = -self.negamax::<Closed>(next, NodeArgs { cut, ..closed });
            if !N::PV || score <= alpha || score >= -child.alpha || self.stopped {
                return score;
            }
        }

        // 3. With the open window.
        -self.negamax::<Principal>(next, child)
    }

    fn negamax_child<N: Node>(&mut self, next: &Position, child: NodeArgs) -> i32 {
        if N::PV {
            self.negamax::<Principal>(next, child)
        } else {
            self.negamax::<Closed>(next, child)
        }
    }

    fn is_losing_capture(&self, plan: &NodeContext, m: Move) -> bool {
        self.params.use_exchange_ordering == 1 && !exchange::wins_at_least(plan.position, m, 0)
    }

    /// How many plies a late move is searched less deep.
    fn reduction<N: Node>(&self, plan: &NodeContext, m: Move, sight: MoveContext) -> i32 {
        let params = self.params;
        let mut hundredths = self.memory.reductions.get(plan.task.depth, sight.number);
        if N::PV {
            hundredths -= params.reduction_pv;
        }
        if plan.task.cut {
            hundredths += params.reduction_cut;
        }
        if !plan.outlook.improving {
            hundredths += params.reduction_worsening;
        }
        if sight.check {
            hundredths -= params.reduction_check;
        }
        if !is_noisy(m) {
            let packed = m.into();
            let killers = self.memory.frames[plan.task.ply + FRAMES_BEFORE].killers;
            if killers.contains(&packed)
                || self.memory.history.counter(plan.context.before[0]) == packed
            {
                hundredths -= params.reduction_killer;
            }
            if params.reduction_history > 0 {
                hundredths -= sight.history * 100 / params.reduction_history;
            }
        }
        hundredths / 100
    }

    /// Step 16. The move that cut gains, those tried before it lose.
    fn learn(&mut self, plan: &NodeContext, best: Move, quiets: &[Move], captures: &[Move]) {
        let params = self.params;
        let NodeArgs { depth, ply, .. } = plan.task;
        let bonus =
            (params.history_slope * depth - params.history_offset).clamp(0, params.history_limit);
        let history = &mut self.memory.history;
        if is_noisy(best) {
            history.reward_capture(plan.mover, best, bonus);
        } else {
            history.reward_quiet(plan.mover, best, plan.context, bonus);
            for &m in quiets {
                history.reward_quiet(plan.mover, m, plan.context, -bonus);
            }
            history.set_counter(plan.context.before[0], best);
            let killers = &mut self.memory.frames[ply + FRAMES_BEFORE].killers;
            if killers[0] != best.into() {
                *killers = [best.into(), killers[0]];
            }
        }
        for &m in captures {
            self.memory.history.reward_capture(plan.mover, m, -bonus);
        }
    }

    /// What the search found against what the evaluator said, where the two can
    /// be compared: quiet, not in check, and not a bound on the wrong side.
    fn learn_correction(
        &mut self,
        plan: &NodeContext,
        best: i32,
        best_move: Option<Move>,
        bound: Bound,
    ) {
        let outlook = plan.outlook;
        if self.params.use_correction == 0
            || outlook.in_check
            || outlook.raw == NO_EVAL
            || best.abs() >= WIN_BOUND
            || best_move.is_some_and(is_noisy)
            || (bound == Bound::Lower && best <= outlook.raw)
            || (bound == Bound::Upper && best >= outlook.raw)
        {
            return;
        }
        let error = best - outlook.raw;
        self.memory
            .history
            .correct(plan.position, plan.task.depth, error);
    }
}

/// A bound without what advice will add to a score; what is proved stays as it is.
#[inline]
fn lowered(bound: i32, advice: i32) -> i32 {
    if bound.abs() < WIN_BOUND {
        bound - advice
    } else {
        bound
    }
}

/// What the loop knows about a move when it comes to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveContext {
    pub(super) number: usize,
    pub(super) check: bool,
    pub(super) history: i32,
    pub(super) best: i32,
    pub(super) alpha: i32,
}
