//! Step 11 of the search: which moves are searched deeper.

use mendel_board::{Move, Position, Rank, Role};
use mendel_evaluator::Evaluator;

use super::alpha_beta::StaticInfo;
use super::moves::{MoveContext, MoveDecision, NodeContext};
use super::score::WIN_BOUND;
use super::{Closed, FRAMES_BEFORE, Node, NodeArgs, Searcher, exchange};
use crate::Bound;

impl<E: Evaluator> Searcher<'_, E> {
    /// Extensions that do not depend on the move.
    pub(super) fn earned_by_every_move(&self, position: &Position, outlook: &StaticInfo) -> i32 {
        let mut quarters = 0;
        if outlook.mate_threat {
            quarters += self.params.extension_mate_threat;
        }
        if outlook.in_check
            && self.params.extension_one_reply > 0
            && position.legal_moves().len() == 1
        {
            quarters += self.params.extension_one_reply;
        }
        quarters
    }

    /// Step 11. How many plies deeper the move is searched.
    pub(super) fn extension<N: Node>(
        &mut self,
        plan: &NodeContext,
        m: Move,
        sight: MoveContext,
    ) -> MoveDecision {
        let NodeArgs { ply, .. } = plan.task;
        let params = self.params;

        self.hand_down(ply);
        // A line that is already twice as long as planned is not extended more.
        if ply as i32 >= 2 * self.root_depth {
            return MoveDecision::Extend(0);
        }

        // 1. Singular: the table's move alone is good.
        if !N::ROOT
            && Some(m) == plan.outlook.table_move
            && self.frame(ply).excluded.is_none()
            && let Some(verdict) = self.singular::<N>(plan, m)
        {
            return verdict;
        }

        // 2. Extensions in quarters of a ply; whole plies are spent, the rest is
        // handed down.
        let mut quarters = plan.every_move;
        if sight.check && params.extension_check > 0 && exchange::wins_at_least(plan.position, m, 0)
        {
            quarters += params.extension_check;
        }
        if params.extension_recapture > 0 && m.is_capture() {
            let before = self.memory.frames[ply + FRAMES_BEFORE - 1].current;
            if before.is_some_and(|before| before.is_capture() && before.to() == m.to()) {
                quarters += params.extension_recapture;
            }
        }
        if params.extension_passed_pawn > 0 && is_passed_push(plan.position, m) {
            quarters += params.extension_passed_pawn;
        }
        let saved = self.frame(ply).quarters + quarters.min(4);
        let plies = i32::from(saved >= 4);
        self.frame(ply + 1).quarters = saved - 4 * plies;
        MoveDecision::Extend(plies)
    }

    /// Children start with what extensions above have earned and spent.
    fn hand_down(&mut self, ply: usize) {
        let frame = self.frame(ply);
        let (quarters, doubles) = (frame.quarters, frame.double_extensions);
        let child = self.frame(ply + 1);
        child.quarters = quarters;
        child.double_extensions = doubles;
    }

    /// Singular extension. If all other moves stay well below the table's score,
    /// this one is forced and deserves a deeper look; if they do not even stay
    /// below beta, several moves cut the node (multi-cut).
    ///
    /// The idea is Anantharaman, Campbell and Hsu, "Singular extensions", ICCA
    /// Journal 11(4), 1988, in the form that Stockfish gave it.
    fn singular<N: Node>(&mut self, plan: &NodeContext, m: Move) -> Option<MoveDecision> {
        let params = self.params;
        let NodeArgs {
            depth,
            ply,
            beta,
            cut,
            ..
        } = plan.task;
        let entry = plan.known?;
        if params.use_singular == 0
            || depth < params.singular_depth
            || entry.depth < depth - 3
            || entry.bound == Bound::Upper
            || entry.score.abs() >= WIN_BOUND
        {
            return None;
        }
        let goal = entry.score - params.singular_margin * depth / 16;
        let doubles = self.frame(ply).double_extensions;
        self.frame(ply).excluded = Some(m);
        let task = NodeArgs {
            depth: (depth - 1) / 2,
            ply,
            alpha: goal - 1,
            beta: goal,
            cut,
        };
        let others = self.negamax::<Closed>(plan.position, task);
        self.frame(ply).excluded = None;
        if self.stopped {
            return Some(MoveDecision::Return(0));
        }
        // The search of the others wrote into the children's frame.
        self.hand_down(ply);
        if others < goal {
            const MOST_DOUBLES: i32 = 6;
            if !N::PV && others < goal - params.singular_double_margin && doubles < MOST_DOUBLES {
                self.frame(ply + 1).double_extensions = doubles + 1;
                return Some(MoveDecision::Extend(2));
            }
            return Some(MoveDecision::Extend(1));
        }
        if goal >= beta && !N::PV {
            return Some(MoveDecision::Return(goal));
        }
        if entry.score >= beta {
            return Some(MoveDecision::Extend(-1));
        }
        None
    }
}

/// A step of a passed pawn to the seventh rank.
fn is_passed_push(position: &Position, m: Move) -> bool {
    let to = m.to();
    let us = position.turn();
    if m.role() != Role::Pawn || to.rank() != us.fold_wb(Rank::Seventh, Rank::Second) {
        return false;
    }
    let enemies = position.board().pawns() & position.board().by_color(!us);
    // On the seventh rank only the eighth is ahead, where no pawn stands, so the
    // pawn is passed if no enemy pawn can take it.
    let takers = mendel_board::attacks::pawn_attacks(us, to) & enemies;
    takers.is_empty()
}
