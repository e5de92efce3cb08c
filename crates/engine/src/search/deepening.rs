//! Iterative deepening with aspiration windows, and the moves at the root.

use std::sync::atomic::Ordering;

use mendel_board::{Move, Position};
use mendel_evaluator::Evaluator;

use super::score::{INFINITE, MATE, MATE_BOUND, MAX_PLY, WIN_BOUND, chances, readable};
use super::{NodeArgs, Root, RootMove, Searcher};
use crate::{Bound, Change, Info};

/// What one thread found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// The root moves, the best first.
    pub(crate) moves: Vec<RootMove>,
    /// The last iteration that was finished.
    pub(crate) depth: i32,
    /// A report on the best move, which the main thread alone makes.
    pub(crate) info: Option<Info>,
    pub(crate) nodes: u64,
    pub(crate) changes: Vec<Change>,
    /// Where strength is limited: the root moves with an exact score in the last
    /// finished iteration, the best first.
    pub(crate) seen: Vec<RootMove>,
}

/// The deepest iteration; lines may be longer through extensions.
const DEEPEST: i32 = MAX_PLY as i32 - 8;

/// How settled the search is, which decides how much time it deserves.
#[derive(Debug, Default)]
struct Stability {
    best: Option<Move>,
    /// Iterations that the best move has stood.
    stood: usize,
    score: i32,
    dropped: i32,
}

impl<E: Evaluator> Searcher<'_, E> {
    /// Searches deeper and deeper until a limit is reached.
    pub(crate) fn deepen(
        mut self,
        position: &Position,
        moves: &[Move],
        report: &mut dyn FnMut(&Info),
    ) -> Findings {
        let shared = self.shared;
        let advice = |m| shared.advice.iter().find(|it| it.0 == m);
        let advice = |m| advice(m).map_or(0, |advised| advised.1);
        self.root_moves = moves.iter().map(|&m| RootMove::new(m, advice(m))).collect();
        let lines = self.shared.multipv.clamp(1, self.root_moves.len());
        let asked = self
            .shared
            .limits
            .depth
            .map_or(DEEPEST, |depth| depth.min(200) as i32);
        let mut steadiness = Stability::default();
        let mut reported = Vec::new();
        let mut findings = Findings::default();

        for depth in 1..=asked.min(DEEPEST) {
            if self.is_skipped(depth) {
                continue;
            }
            self.root_depth = depth;
            for root in &mut self.root_moves {
                // What is not searched in this iteration keeps its place; its old
                // score must not compete with new ones.
                root.before = root.worth();
                root.score = -INFINITE;
                root.bound = Bound::Exact;
            }

            // 1. One window after the other: each line leaves out the moves of
            //    those before it.
            for line in 0..lines {
                self.first_root_move = line;
                self.seldepth = 0;
                self.aspire(position, depth, report);
                self.root_moves[..=line].sort_by_key(|root| std::cmp::Reverse(root.score));
                if self.stopped {
                    break;
                }
            }
            if self.stopped {
                break;
            }
            findings.depth = depth;
            if self.shared.margin > 0 {
                findings.seen = self.seen();
            }

            // 2. Report the lines.
            if self.thread == 0 {
                reported = self.report_lines(lines, report);
            }

            // 3. Is it enough?
            if self.thread == 0 && self.is_enough(depth, &mut steadiness) {
                break;
            }
        }

        // 4. An unfinished iteration may have changed the best moves: report them too.
        //    A move that no iteration came to has the static score.
        if self.thread == 0 {
            if self.root_moves[0].depth == 0 {
                let score = self.leaf_score(position);
                let first = &mut self.root_moves[0];
                first.before = RootMove::advised(score, first.advice);
            }
            if reported != self.first_moves(lines) {
                self.report_lines(lines, report);
            }
            findings.info = Some(self.info(0));
        }
        self.shared.nodes[self.thread].store(self.nodes, Ordering::Relaxed);
        if self.shared.margin > 0 && findings.seen.is_empty() {
            findings.seen = self.seen();
        }
        findings.nodes = self.nodes;
        findings.moves = self.root_moves;
        findings.changes = self.changes;
        findings
    }

    /// Reports the best lines, the first in any case, the others if they were searched;
    /// returns their first moves.
    fn report_lines(&self, lines: usize, report: &mut dyn FnMut(&Info)) -> Vec<Move> {
        for line in (0..lines).filter(|&line| line == 0 || self.root_moves[line].depth > 0) {
            report(&self.info(line));
        }
        self.first_moves(lines)
    }

    fn first_moves(&self, lines: usize) -> Vec<Move> {
        self.root_moves[..lines].iter().map(|root| root.m).collect()
    }

    /// The root moves whose scores are known from this iteration, the best first.
    fn seen(&self) -> Vec<RootMove> {
        let known = self.root_moves.iter().filter(|root| root.score > -INFINITE);
        let mut seen: Vec<RootMove> = known.cloned().collect();
        seen.sort_by_key(|root| std::cmp::Reverse(root.score));
        seen
    }

    /// Helpers leave out some depths, so that threads spread over the tree
    /// instead of walking it in step.
    fn is_skipped(&self, depth: i32) -> bool {
        if self.thread == 0 || depth == 1 {
            return false;
        }
        let stride = 1 + (self.thread as i32 - 1) / 2 % 3;
        (depth / stride + self.thread as i32) % 2 == 1 && stride > 1
    }

    /// One iteration, first in a narrow window around the last score: a window
    /// cuts more, and where it fails it is opened and the iteration repeated.
    fn aspire(&mut self, position: &Position, depth: i32, report: &mut dyn FnMut(&Info)) {
        let params = self.params;
        let expected = self.root_moves[self.first_root_move].before;
        let mut width = params.aspiration_window;
        let narrow = depth >= params.aspiration_depth.max(2)
            && expected.abs() < MATE_BOUND
            && self.shared.margin == 0;
        let (mut alpha, mut beta) = if narrow {
            (
                (expected - width).max(-INFINITE),
                (expected + width).min(INFINITE),
            )
        } else {
            (-INFINITE, INFINITE)
        };

        let mut searched = depth;
        loop {
            let task = NodeArgs {
                depth: searched,
                ply: 0,
                alpha,
                beta,
                cut: false,
            };
            let score = self.negamax::<Root>(position, task);
            let first = self.first_root_move;
            self.root_moves[first..].sort_by_key(|root| std::cmp::Reverse(root.score));
            if self.stopped {
                return;
            }
            if score <= alpha && alpha > -INFINITE {
                beta = i32::midpoint(alpha, beta);
                alpha = opened(score - width, -INFINITE, params.aspiration_growth);
                searched = depth;
            } else if score >= beta && beta < INFINITE {
                beta = opened(score + width, INFINITE, params.aspiration_growth);
                // The move that failed high is good enough; a ply less tells
                // how good.
                searched = (searched - 1).max(depth - 3).max(1);
            } else {
                return;
            }
            width += width * params.aspiration_growth / 100 + 1;
            self.report_failure(report);
        }
    }

    /// Long iterations report also where a window failed.
    fn report_failure(&self, report: &mut dyn FnMut(&Info)) {
        let long = self.shared.time.elapsed().as_secs() >= 3;
        if self.thread == 0 && self.shared.multipv == 1 && long {
            report(&self.info(self.first_root_move));
        }
    }

    /// Whether `m` may be chosen in this line of a multi-line search.
    pub(super) fn is_root_candidate(&self, m: Move) -> bool {
        self.root_moves[self.first_root_move..]
            .iter()
            .any(|root| root.m == m)
    }

    /// What root move `m` gains or loses by the player's policy.
    pub(super) fn advice(&self, m: Move) -> i32 {
        let root = self.root_moves.iter().find(|root| root.m == m);
        root.map_or(0, |root| root.advice)
    }

    /// The root moves in the order of a policy; `None` without one.
    pub(super) fn advised_order(&self) -> Option<std::vec::IntoIter<Move>> {
        let candidates = self.root_moves.get(self.first_root_move..)?;
        let moves = || candidates.iter().map(|root| root.m).collect::<Vec<_>>();
        (!self.shared.advice.is_empty()).then(|| moves().into_iter())
    }

    /// Writes down how root move `m` did.
    pub(super) fn note_root_move(
        &mut self,
        m: Move,
        number: usize,
        score: i32,
        (alpha, beta): (i32, i32),
        nodes: u64,
    ) {
        let seldepth = self.seldepth;
        let depth = self.root_depth;
        let line = &self.memory.frames[1 + super::FRAMES_BEFORE].line;
        let root = self
            .root_moves
            .iter_mut()
            .find(|root| root.m == m)
            .expect("only root moves are searched at the root");
        root.nodes += nodes;
        if number == 1 || score > alpha {
            root.score = score;
            root.bound = if score >= beta {
                Bound::Lower
            } else if score <= alpha {
                Bound::Upper
            } else {
                Bound::Exact
            };
            root.depth = depth;
            root.seldepth = seldepth;
            root.line.clear();
            root.line.push(m);
            root.line.extend_from_slice(line);
        } else {
            // Only a bound is known: not as good as the best, whatever it is.
            root.score = -INFINITE;
        }
        if self.first_root_move == 0 {
            self.note_change();
        }
    }

    /// Writes down if the move that would be played now is another one.
    fn note_change(&mut self) {
        // Of equal scores the first counts, as it would in sorting.
        let better = |best, root: &RootMove| match best {
            Some((_, score)) if root.score <= score => best,
            _ => Some((root.m, root.score)),
        };
        let Some((m, _)) = self.root_moves.iter().fold(None, better) else {
            return;
        };
        if self.changes.last().is_none_or(|last| last.m != m) {
            let nodes = self.nodes;
            self.changes.push(Change { nodes, m });
        }
    }

    /// Whether the search may end after a finished iteration.
    fn is_enough(&mut self, depth: i32, steadiness: &mut Stability) -> bool {
        let shared = self.shared;
        let best = &self.root_moves[0];

        // 1. The mate that was asked for.
        if let Some(moves) = shared.limits.mate
            && best.score >= MATE_BOUND
            && MATE - best.score <= 2 * moves as i32
        {
            return true;
        }
        if !shared.time.is_clocked() {
            return false;
        }

        // 2. Nothing to choose, or a mate that no deeper search can shorten.
        if self.root_moves.len() == 1 && depth >= 4 {
            return shared.time.is_enough(shared.control, 0.0);
        }
        if best.score.abs() >= MATE_BOUND && MATE - best.score.abs() < depth / 2 {
            return shared.time.is_enough(shared.control, 0.0);
        }

        // 3. The clock.
        let stretch = if self.params.use_clock_stability == 1 {
            steadiness.stretch(best, self.nodes)
        } else {
            1.0
        };
        shared.time.is_enough(shared.control, stretch)
    }

    fn info(&self, line: usize) -> Info {
        let shared = self.shared;
        shared.nodes[self.thread].store(self.nodes, Ordering::Relaxed);
        let root = &self.root_moves[line];
        let score = root.searched();
        Info {
            depth: root.depth as u32,
            seldepth: root.seldepth.max(1) as u32,
            multipv: line as u32 + 1,
            score: readable(score),
            bound: root.bound,
            wdl: chances(score),
            nodes: shared.total_nodes(),
            hashfull: shared.table.permille_full(),
            tbhits: shared.tablebase_hits.load(Ordering::Relaxed),
            time: shared.time.elapsed(),
            pv: root.line.clone(),
        }
    }
}

/// A failed bound, moved; all the way if the window does not grow by steps.
fn opened(bound: i32, limit: i32, growth: i32) -> i32 {
    if growth == 0 {
        limit
    } else {
        bound.clamp(-INFINITE, INFINITE)
    }
}

impl Stability {
    /// How much of the planned time the search needs: more while the best move
    /// changes, its score falls, or other moves take most of the work.
    fn stretch(&mut self, best: &RootMove, nodes: u64) -> f64 {
        const BY_STANDING: [f64; 5] = [1.7, 1.25, 1.05, 0.9, 0.8];
        if self.best == Some(best.m) {
            self.stood += 1;
        } else {
            self.stood = 0;
            self.best = Some(best.m);
        }
        self.dropped = (self.score - best.score).clamp(0, 60);
        self.score = best.score;

        let standing = BY_STANDING[self.stood.min(BY_STANDING.len() - 1)];
        let share = best.nodes as f64 / nodes.max(1) as f64;
        let work = (1.55 - share) * 1.25;
        let drop = 1.0 + f64::from(self.dropped) / 100.0;
        standing * work * drop
    }
}

impl Info {
    /// The same report on another root move.
    pub(crate) fn of_line(self, root: &RootMove) -> Self {
        Self {
            depth: root.depth as u32,
            seldepth: root.seldepth.max(1) as u32,
            score: readable(root.searched()),
            bound: root.bound,
            wdl: chances(root.searched()),
            pv: root.line.clone(),
            ..self
        }
    }
}

impl RootMove {
    /// The last score there is.
    pub(crate) fn worth(&self) -> i32 {
        if self.score == -INFINITE {
            self.before
        } else {
            self.score
        }
    }

    /// The last score there is, without advice.
    pub(crate) fn searched(&self) -> i32 {
        let worth = self.worth();
        if worth.abs() < WIN_BOUND {
            worth - self.advice
        } else {
            worth
        }
    }

    /// The same score with advice. What is proved needs none.
    pub(super) fn advised(score: i32, advice: i32) -> i32 {
        if score.abs() < WIN_BOUND {
            (score + advice).clamp(1 - WIN_BOUND, WIN_BOUND - 1)
        } else {
            score
        }
    }

    fn new(m: Move, advice: i32) -> Self {
        Self {
            m,
            score: -INFINITE,
            advice,
            before: -INFINITE,
            line: vec![m],
            depth: 0,
            bound: Bound::Exact,
            seldepth: 0,
            nodes: 0,
        }
    }
}
