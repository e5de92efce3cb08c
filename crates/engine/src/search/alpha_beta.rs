//! The main search, step by step.
//!
//! Most steps are common knowledge among engine authors and described at the
//! Chess Programming Wiki under the names used here; where a step follows a
//! paper or a particular program it says so.

use mendel_board::tablebase::Wdl;
use mendel_board::{Color, Move, PackedMove, Position};
use mendel_evaluator::Evaluator;

use super::history::PieceTo;
use super::picker::Picker;
use super::score::{INFINITE, MATE, MATE_BOUND, MAX_PLY, TABLEBASE_WIN, WIN_BOUND};
use super::table::{NO_EVAL, TtEntry};
use super::{Closed, Node, NodeArgs, Searcher, exchange};
use crate::Bound;

/// What a node knows about itself before it looks at moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct StaticInfo {
    pub(super) in_check: bool,
    /// The evaluator's score, uncorrected, for the table; see [`NO_EVAL`].
    pub(super) raw: i32,
    /// The best static estimate there is.
    pub(super) score: i32,
    pub(super) improving: bool,
    pub(super) table_move: Option<Move>,
    /// Passing here would be mated.
    pub(super) mate_threat: bool,
}

impl TtEntry {
    /// Whether this score answers a closed window.
    #[inline]
    pub(super) fn settles(&self, alpha: i32, beta: i32) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score >= beta,
            Bound::Upper => self.score <= alpha,
        }
    }

    /// Whether this score is a better estimate than a static one.
    #[inline]
    pub(super) fn sharpens(&self, estimate: i32) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score > estimate,
            Bound::Upper => self.score < estimate,
        }
    }
}

impl<E: Evaluator> Searcher<'_, E> {
    #[inline]
    pub(super) fn probe(&self, position: &Position, ply: usize) -> Option<TtEntry> {
        if self.params.use_table == 0 {
            return None;
        }
        self.shared.table.probe(position.key(), ply)
    }

    #[inline]
    pub(super) fn remember(&self, position: &Position, ply: usize, entry: TtEntry) {
        if self.params.use_table == 1 {
            self.shared.table.store(position.key(), ply, entry);
        }
    }

    /// Searches `position` and returns its score for the side to move.
    ///
    /// Fail-soft: the score may lie outside the window and is then a bound. Once
    /// [`stopped`](Searcher) is set the score means nothing.
    pub(super) fn negamax<N: Node>(&mut self, position: &Position, task: NodeArgs) -> i32 {
        let NodeArgs {
            mut depth,
            ply,
            mut alpha,
            mut beta,
            cut,
        } = task;

        // Step 1. Leaves. Nothing is left to search but captures.
        if depth <= 0 {
            return self.quiesce::<N>(position, task);
        }
        if N::PV {
            self.frame(ply).line.clear();
            self.seldepth = self.seldepth.max(ply);
        }

        if !N::ROOT {
            // Step 2. Draws, and the longest line the search can follow.
            if self.is_draw(position) {
                return 0;
            }
            if ply >= MAX_PLY {
                return if position.is_check() {
                    0
                } else {
                    self.evaluate(position)
                };
            }

            // Step 3. Mate distance. If a shorter mate is already known, no line
            // from here can matter.
            if self.params.use_mate_distance == 1 {
                alpha = alpha.max(ply as i32 - MATE);
                beta = beta.min(MATE - ply as i32 - 1);
                if alpha >= beta {
                    return alpha;
                }
            }
        }

        // Step 4. The table. The same position searched as deep before need not
        // be searched again; near the fifty-move rule the path matters, so there
        // it must.
        let excluded = self.frame(ply).excluded;
        let known = if excluded.is_some() {
            None
        } else {
            self.probe(position, ply)
        };
        if let Some(entry) = known
            && !N::PV
            && entry.depth >= depth
            && position.halfmoves() < 90
            && entry.settles(alpha, beta)
        {
            return entry.score;
        }

        // Step 5. Tablebases.
        if !N::ROOT
            && excluded.is_none()
            && let Some(score) = self.probe_tablebase(position, task)
        {
            return score;
        }

        // Step 6. The static outlook.
        let mut outlook = self.outlook(position, ply, known);
        if N::ROOT
            && let Some(first) = self.advised_order().and_then(|mut it| it.next())
        {
            outlook.table_move = Some(first);
        }
        self.memory.frames[ply + super::FRAMES_BEFORE + 1].killers = [PackedMove::NONE; 2];

        // Step 7. Cuts without looking at moves; never on the principal
        // variation, in check, or while a move is left out.
        if !N::PV && !outlook.in_check && excluded.is_none() {
            let node = NodeArgs {
                depth,
                ply,
                alpha,
                beta,
                cut,
            };
            if let Some(score) = self.cut_early(position, node, &mut outlook, known) {
                return score;
            }
            if self.stopped {
                return 0;
            }
        }

        // Step 8. Internal iterative reduction. A deep node that the table does
        // not know is either unimportant or will be met again with a move to
        // try first; a shallower search costs less in both cases.
        if depth >= self.params.internal_reduction_depth
            && outlook.table_move.is_none()
            && excluded.is_none()
            && (N::PV || cut)
        {
            depth -= 1;
        }

        let node = NodeArgs {
            depth,
            ply,
            alpha,
            beta,
            cut,
        };
        if !N::PV && cut && !outlook.in_check && excluded.is_none() {
            if let Some(score) = self.multi_cut(position, node, outlook.table_move) {
                return score;
            }
            if self.stopped {
                return 0;
            }
        }
        self.search_moves::<N>(position, node, &outlook, known)
    }

    /// Asks the tablebase, right after captures and pawn moves, where its word
    /// does not depend on the move counter.
    fn probe_tablebase(&mut self, position: &Position, task: NodeArgs) -> Option<i32> {
        let tablebase = self.shared.tablebase?;
        if self.params.use_tablebases == 0 || position.halfmoves() != 0 {
            return None;
        }
        let wdl = tablebase
            .may_know(position)
            .then(|| tablebase.wdl(position).ok())??;
        self.shared
            .tablebase_hits
            .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let (score, bound) = match wdl {
            Wdl::Win => (TABLEBASE_WIN - task.ply as i32, Bound::Lower),
            Wdl::Loss => (task.ply as i32 - TABLEBASE_WIN, Bound::Upper),
            Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => (0, Bound::Exact),
        };
        let entry = TtEntry {
            m: PackedMove::NONE,
            score,
            eval: NO_EVAL,
            depth: (task.depth + 6).min(MAX_PLY as i32 - 1),
            bound,
        };
        // A proved win may still hide a mate, so it only cuts where that is enough.
        if entry.settles(task.alpha, task.beta) {
            self.remember(position, task.ply, entry);
            return Some(score);
        }
        None
    }

    /// The static score, and whether it rises.
    fn outlook(&mut self, position: &Position, ply: usize, known: Option<TtEntry>) -> StaticInfo {
        let in_check = position.is_check();
        let table_move = known.and_then(|entry| entry.m.unpack(position));
        let mut raw = NO_EVAL;
        let mut score = -INFINITE;
        let mut improving = false;
        if in_check {
            self.frame(ply).static_score = NO_EVAL;
        } else {
            raw = match known {
                Some(entry) if self.for_table(entry.eval) != NO_EVAL => entry.eval,
                _ => self.evaluate(position),
            };
            score = self.corrected(position, raw);
            self.frame(ply).static_score = score;
            if self.params.use_improving == 1 && ply >= 2 {
                let before = self.memory.frames[ply - 2 + super::FRAMES_BEFORE].static_score;
                improving = before == NO_EVAL || score > before;
            }
            if let Some(entry) = known
                && entry.sharpens(score)
                && entry.score.abs() < WIN_BOUND
            {
                score = entry.score;
            }
        }
        StaticInfo {
            in_check,
            raw,
            score,
            improving,
            table_move,
            mate_threat: false,
        }
    }

    /// A margin that grows with the depth, or with its square where the profile
    /// says so.
    #[inline]
    fn margin(&self, per_ply: i32, depth: i32) -> i32 {
        if self.params.use_square_margins == 1 {
            per_ply * depth * depth
        } else {
            per_ply * depth
        }
    }

    /// Razoring, reverse futility, null move and probcut: a score if one of them
    /// decides the node.
    fn cut_early(
        &mut self,
        position: &Position,
        task: NodeArgs,
        outlook: &mut StaticInfo,
        known: Option<TtEntry>,
    ) -> Option<i32> {
        let NodeArgs {
            depth,
            ply,
            alpha,
            beta,
            ..
        } = task;
        let params = self.params;

        // Razoring. So far below alpha that only captures can save the node: ask
        // them, and believe them if they cannot.
        if params.use_razoring == 1
            && depth <= params.razoring_depth
            && outlook.score + self.margin(params.razoring_margin, depth) < alpha
        {
            let closed = NodeArgs {
                beta: alpha + 1,
                ..task
            };
            let score = self.quiesce::<Closed>(position, closed);
            if self.stopped || score <= alpha {
                return Some(score);
            }
        }

        // Reverse futility. So far above beta that the opponent will not get
        // there with the few plies that are left.
        if params.use_reverse_futility == 1
            && depth <= params.reverse_futility_depth
            && beta.abs() < WIN_BOUND
            && outlook.score < WIN_BOUND
        {
            let plies = depth - i32::from(outlook.improving);
            if outlook.score - self.margin(params.reverse_futility_margin, plies) >= beta {
                return Some(outlook.score);
            }
        }

        if let Some(score) = self.null_move(position, task, outlook) {
            return Some(score);
        }
        if self.stopped {
            return Some(0);
        }

        // Probcut. A capture that beats beta by far in a shallow search will beat
        // beta in a deep one too. After Buro, "ProbCut", ICCA Journal 18(2), 1995;
        // ours tries captures only and confirms what quiescence suggests.
        let goal = beta + params.probcut_margin;
        let hopeless = known.is_some_and(|entry| {
            entry.depth >= depth - params.probcut_reduction && entry.score < goal
        });
        if params.use_probcut == 1
            && depth >= params.probcut_depth
            && beta.abs() < WIN_BOUND
            && !hopeless
        {
            let mut picker = Picker::noisy(outlook.table_move, self.context(ply));
            while let Some(m) = picker.next(&self.hints(position)) {
                if !exchange::wins_at_least(position, m, goal - outlook.score) {
                    continue;
                }
                if !self.may_move() {
                    return Some(0);
                }
                let next = self.make(position, m, ply);
                let mut child = NodeArgs {
                    depth: 0,
                    ply: ply + 1,
                    alpha: -goal,
                    beta: -goal + 1,
                    cut: !task.cut,
                };
                let mut score = -self.quiesce::<Closed>(&next, child);
                if score >= goal && !self.stopped {
                    child.depth = depth - params.probcut_reduction;
                    score = -self.negamax::<Closed>(&next, child);
                }
                self.unmake();
                if self.stopped {
                    return Some(0);
                }
                if score >= goal {
                    let entry = TtEntry {
                        m: m.into(),
                        score,
                        eval: self.for_table(outlook.raw),
                        depth: depth - params.probcut_reduction + 1,
                        bound: Bound::Lower,
                    };
                    self.remember(position, ply, entry);
                    return Some(score);
                }
            }
        }
        None
    }

    /// Null move. If the opponent may move twice and still cannot get below beta,
    /// a real move will do as well. Wrong where every move harms (zugzwang), so
    /// never with pawns alone, and verified where that is near.
    fn null_move(
        &mut self,
        position: &Position,
        task: NodeArgs,
        outlook: &mut StaticInfo,
    ) -> Option<i32> {
        let NodeArgs {
            depth,
            ply,
            beta,
            cut,
            ..
        } = task;
        let params = self.params;
        let after_null = self.memory.frames[ply + super::FRAMES_BEFORE - 1]
            .current
            .is_none();
        let pieces = pieces_of(position, position.turn());
        if params.use_null_move == 0
            || depth < params.null_depth
            || outlook.score < beta
            || (after_null && ply > 0)
            || pieces == 0
            || ply < self.null_from_ply
            || beta <= -WIN_BOUND
        {
            return None;
        }

        // 1. How much shallower.
        let mut reduction = params.null_reduction + depth / params.null_depth_factor.max(1);
        if params.null_score_factor > 0 {
            reduction += ((outlook.score - beta) / params.null_score_factor).min(3);
        }
        if params.use_null_adaptivity == 1 && depth <= params.null_adaptive_depth {
            reduction -= 1;
        }

        // 2. Pass.
        let next = position.after_null_move()?;
        if !self.may_move() {
            return Some(0);
        }
        self.shared.table.prefetch(next.key());
        let quarters = self.frame(ply).quarters;
        self.frame(ply).arrival = PieceTo::NONE;
        self.frame(ply).current = None;
        self.frame(ply + 1).quarters = quarters;
        self.keys.push(next.key());
        let child = NodeArgs {
            depth: depth - reduction.max(1),
            ply: ply + 1,
            alpha: -beta,
            beta: -beta + 1,
            cut: !cut,
        };
        let score = -self.negamax::<Closed>(&next, child);
        self.unmake();
        if self.stopped {
            return Some(0);
        }
        if score <= -MATE_BOUND {
            outlook.mate_threat = true;
        }
        if score < beta {
            return None;
        }

        // 3. Believe it, unless zugzwang is near.
        let score = if score >= WIN_BOUND { beta } else { score };
        let doubtful =
            depth >= params.null_verify_depth || (pieces == 1 && params.null_verify_depth < 200);
        if !doubtful || self.null_from_ply > ply {
            return Some(score);
        }
        let before = self.null_from_ply;
        self.null_from_ply = ply + 3 * (depth - reduction).max(1) as usize / 4 + 1;
        let again = NodeArgs {
            depth: depth - reduction,
            ply,
            alpha: beta - 1,
            beta,
            cut: false,
        };
        let verified = self.negamax::<Closed>(position, again);
        self.null_from_ply = before;
        (self.stopped || verified >= beta).then_some(score)
    }

    /// Multi-cut. Where a cut is expected and several moves deliver it in shallow
    /// searches, one will in the deep one.
    ///
    /// # Source
    ///
    /// Björnsson and Marsland, "Multi-cut αβ-pruning in game-tree search",
    /// *Theoretical Computer Science* 252, 2001.
    ///
    /// # Where this differs
    ///
    /// Nowhere; the numbers and their ranges are those of David et al. 2014.
    fn multi_cut(
        &mut self,
        position: &Position,
        task: NodeArgs,
        table_move: Option<Move>,
    ) -> Option<i32> {
        let params = self.params;
        if params.use_multi_cut == 0
            || task.depth < params.multi_cut_depth.max(1)
            || params.multi_cut_cuts == 0
            || task.beta.abs() >= WIN_BOUND
        {
            return None;
        }
        let mut picker = self.picker(task.ply, table_move);
        let mut cuts = 0;
        for _ in 0..params.multi_cut_moves {
            let m = picker.next(&self.hints(position))?;
            if !self.may_move() {
                return Some(0);
            }
            let next = self.make(position, m, task.ply);
            let child = NodeArgs {
                depth: task.depth - 1 - params.multi_cut_reduction,
                ply: task.ply + 1,
                alpha: -task.beta,
                beta: -task.beta + 1,
                cut: false,
            };
            let score = -self.negamax::<Closed>(&next, child);
            self.unmake();
            if self.stopped {
                return Some(0);
            }
            if score >= task.beta {
                cuts += 1;
                if cuts >= params.multi_cut_cuts {
                    return Some(task.beta);
                }
            }
        }
        None
    }

    pub(super) fn picker(&mut self, ply: usize, table_move: Option<Move>) -> Picker {
        let context = self.context(ply);
        let counter = self.memory.history.counter(context.before[0]);
        Picker::new(table_move, self.frame(ply).killers, counter, context)
    }
}

/// Pieces besides king and pawns.
#[inline]
pub(super) fn pieces_of(position: &Position, color: Color) -> usize {
    let board = position.board();
    (board.by_color(color) & !(board.pawns() | board.kings())).count()
}
