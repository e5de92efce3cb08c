//! The search: one thread's view of it.

mod alpha_beta;
pub(crate) mod deepening;
pub(crate) mod exchange;
mod extensions;
mod history;
mod moves;
mod picker;
mod quiescence;
pub(crate) mod score;
pub(crate) mod table;
pub(crate) mod time;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use mendel_board::tablebase::Tablebase;
use mendel_board::{Game, Move, PackedMove, Position};
use mendel_evaluator::{Evaluator, Silent};

use self::history::{History, HistoryContext, PieceTo};
use self::picker::Hints;
use self::score::{MAX_PLY, WIN_BOUND};
use self::table::Table;
use self::time::TimeKeeper;
use crate::{Bound, Change, Control, Limits, SearchParams};

/// What one thread keeps between moves of a game.
pub(crate) struct Memory<E: Evaluator> {
    history: History,
    scratch: E::Scratch,
    frames: Vec<StackEntry>,
    reductions: Reductions,
}

/// What all threads of one search share.
#[derive(Debug)]
pub(crate) struct Shared<'a> {
    pub(crate) params: &'a SearchParams,
    pub(crate) table: &'a Table,
    pub(crate) tablebase: Option<&'a Tablebase>,
    pub(crate) control: &'a Control,
    pub(crate) limits: &'a Limits,
    pub(crate) time: &'a TimeKeeper,
    pub(crate) multipv: usize,
    /// What each root move gains or loses by the player's policy; empty without one.
    pub(crate) advice: &'a [(Move, i32)],
    /// Root moves worse than the best by at most this still get an exact score; 0 unless
    /// strength is limited.
    pub(crate) margin: i32,
    /// Set once the search is over, for whatever reason.
    pub(crate) halt: AtomicBool,
    /// Moves made, by thread; told from time to time.
    pub(crate) nodes: Vec<AtomicU64>,
    pub(crate) tablebase_hits: AtomicU64,
}

impl Shared<'_> {
    fn total_nodes(&self) -> u64 {
        self.nodes
            .iter()
            .map(|nodes| nodes.load(Ordering::Relaxed))
            .sum()
    }
}

/// One thread of a search.
pub(crate) struct Searcher<'a, E: Evaluator> {
    evaluator: &'a E,
    memory: &'a mut Memory<E>,
    shared: &'a Shared<'a>,
    params: &'a SearchParams,
    thread: usize,
    /// Keys of all positions of the game and of the line being searched.
    keys: Vec<u64>,
    /// How many of the keys belong to the game.
    game_keys: usize,
    nodes: u64,
    node_limit: u64,
    next_look: u64,
    stopped: bool,
    seldepth: usize,
    root_moves: Vec<RootMove>,
    /// The first root move that this line of a multi-line search may choose.
    first_root_move: usize,
    root_depth: i32,
    changes: Vec<Change>,
    /// Below this ply no null move is tried: a null move is being verified.
    null_from_ply: usize,
}

/// A move at the root and what is known about it.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub(crate) m: Move,
    /// What it is worth here, advice included.
    pub(crate) score: i32,
    /// What of it is advice.
    pub(crate) advice: i32,
    /// The score of the last finished iteration.
    pub(crate) before: i32,
    pub(crate) line: Vec<Move>,
    /// The iteration that found `score` or `before`, and `line`; 0 before the first.
    pub(crate) depth: i32,
    /// Whether `score` is exact: a search may be stopped while a window fails.
    pub(crate) bound: Bound,
    pub(crate) seldepth: usize,
    /// Moves made below it in this search.
    pub(crate) nodes: u64,
}

/// What a node tells its children and remembers for its sisters.
#[derive(Clone, Debug)]
struct StackEntry {
    /// The move being searched from here, as the histories see it.
    arrival: PieceTo,
    current: Option<Move>,
    /// A move left out, to see what the others are worth.
    excluded: Option<Move>,
    killers: [PackedMove; 2],
    static_score: i32,
    /// Quarters of a ply that extensions above have earned but not spent.
    quarters: i32,
    double_extensions: i32,
    line: Vec<Move>,
}

impl Default for StackEntry {
    fn default() -> Self {
        Self {
            arrival: PieceTo::NONE,
            current: None,
            excluded: None,
            killers: [PackedMove::NONE; 2],
            static_score: 0,
            quarters: 0,
            double_extensions: 0,
            line: Vec::with_capacity(MAX_PLY),
        }
    }
}

/// Frames before the root, so that looking two plies back needs no test.
const FRAMES_BEFORE: usize = 2;

/// What a node is asked: how deep, how far from the root, within which window.
#[derive(Clone, Copy, Debug)]
struct NodeArgs {
    depth: i32,
    ply: usize,
    alpha: i32,
    beta: i32,
    /// A node that is expected to fail high.
    cut: bool,
}

/// The kinds of node, as types: what is decided here costs nothing there.
trait Node {
    const PV: bool;
    const ROOT: bool;
}
struct Root;
struct Principal;
struct Closed;
impl Node for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}
impl Node for Principal {
    const PV: bool = true;
    const ROOT: bool = false;
}
impl Node for Closed {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// Hundredths of a ply taken off a late move, by depth and move number.
#[derive(Debug)]
struct Reductions(Box<[[i16; 64]; 64]>);

impl Reductions {
    fn new(params: &SearchParams) -> Self {
        let mut table = Box::new([[0; 64]; 64]);
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (number, cell) in row.iter_mut().enumerate().skip(1) {
                let logs = libm::log(depth as f64) * libm::log(number as f64);
                let hundredths =
                    f64::from(params.reduction_base) + f64::from(params.reduction_scale) * logs;
                *cell = hundredths as i16;
            }
        }
        Self(table)
    }

    #[inline]
    fn get(&self, depth: i32, number: usize) -> i32 {
        i32::from(self.0[depth.clamp(0, 63) as usize][number.min(63)])
    }
}

impl<E: Evaluator> Memory<E> {
    pub(crate) fn new(params: &SearchParams) -> Self {
        Self {
            history: History::new(),
            scratch: E::Scratch::default(),
            frames: vec![StackEntry::default(); MAX_PLY + FRAMES_BEFORE + 2],
            reductions: Reductions::new(params),
        }
    }

    /// The static score of a position for its side to move.
    pub(crate) fn judge(&mut self, evaluator: &E, position: &Position) -> i32 {
        let score = evaluator.evaluate(position, &mut self.scratch, &mut Silent);
        score.0.clamp(1 - WIN_BOUND, WIN_BOUND - 1)
    }

    pub(crate) fn clear(&mut self) {
        self.history.clear();
        self.scratch = E::Scratch::default();
        self.frames.fill(StackEntry::default());
    }
}

impl<'a, E: Evaluator> Searcher<'a, E> {
    pub(crate) fn new(
        evaluator: &'a E,
        memory: &'a mut Memory<E>,
        shared: &'a Shared<'a>,
        game: &Game,
        thread: usize,
    ) -> Self {
        let keys: Vec<u64> = game.positions().iter().map(Position::key).collect();
        let alone = shared.nodes.len() == 1;
        let node_limit = shared.limits.nodes.filter(|_| alone).unwrap_or(u64::MAX);
        for frame in &mut memory.frames {
            frame.excluded = None;
            frame.quarters = 0;
            frame.double_extensions = 0;
        }
        Self {
            evaluator,
            memory,
            shared,
            params: shared.params,
            thread,
            game_keys: keys.len(),
            keys,
            nodes: 0,
            node_limit,
            next_look: 0,
            stopped: false,
            seldepth: 0,
            root_moves: Vec::new(),
            first_root_move: 0,
            root_depth: 0,
            changes: Vec::new(),
            null_from_ply: 0,
        }
    }

    #[inline]
    fn frame(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.memory.frames[ply + FRAMES_BEFORE]
    }

    /// The moves that led to the node at `ply`, for the histories.
    #[inline]
    fn context(&self, ply: usize) -> HistoryContext {
        // The node at `ply` was reached by the move in the frame before it.
        let frames = &self.memory.frames;
        HistoryContext {
            before: [frames[ply + 1].arrival, frames[ply].arrival],
        }
    }

    #[inline]
    fn hints<'p>(&'p self, position: &'p Position) -> Hints<'p> {
        Hints {
            position,
            history: &self.memory.history,
            params: self.params,
        }
    }

    /// Counts a move about to be made; false once the search is over.
    #[inline]
    fn may_move(&mut self) -> bool {
        if self.stopped || self.nodes >= self.node_limit {
            self.stopped = true;
            return false;
        }
        self.nodes += 1;
        if self.nodes >= self.next_look {
            self.look_around();
        }
        !self.stopped
    }

    /// Tells the others how far this thread is, and looks at clock and signals.
    #[cold]
    fn look_around(&mut self) {
        const NODES_BETWEEN_LOOKS: u64 = 512;
        self.next_look = self.nodes + NODES_BETWEEN_LOOKS;
        self.shared.nodes[self.thread].store(self.nodes, Ordering::Relaxed);
        let shared = self.shared;
        let over = shared.halt.load(Ordering::Relaxed)
            || shared.control.is_stopped()
            || (self.thread == 0 && shared.time.is_out(shared.control))
            || (shared.nodes.len() > 1
                && shared
                    .limits
                    .nodes
                    .is_some_and(|limit| shared.total_nodes() >= limit));
        if over {
            self.stopped = true;
        }
    }

    /// Plays `m` and remembers how the position was reached.
    #[inline]
    fn make(&mut self, position: &Position, m: Move, ply: usize) -> Position {
        let next = position.after(m);
        self.shared.table.prefetch(next.key());
        let arrival = PieceTo::of(m, position.turn());
        let frame = self.frame(ply);
        frame.arrival = arrival;
        frame.current = Some(m);
        self.keys.push(next.key());
        next
    }

    #[inline]
    fn unmake(&mut self) {
        self.keys.pop();
    }

    /// Whether the rules make a draw of the node, or repetition soon could.
    ///
    /// One repetition inside the searched line counts as a draw: if it was best
    /// to come back once, it will be again. Before the root it takes two.
    fn is_draw(&self, position: &Position) -> bool {
        let reversible = position.halfmoves() as usize;
        if reversible >= 100 {
            return !position.is_check() || !position.legal_moves().is_empty();
        }
        if reversible >= 4 {
            let last = self.keys.len() - 1;
            let oldest = last.saturating_sub(reversible);
            let mut seen = 0;
            let mut index = last;
            while index >= oldest + 2 {
                index -= 2;
                if self.keys[index] == position.key() {
                    seen += 1;
                    if index >= self.game_keys || seen == 2 {
                        return true;
                    }
                }
            }
        }
        position.is_insufficient_material()
    }

    /// The static score that pruning looks at.
    #[inline]
    fn evaluate(&mut self, position: &Position) -> i32 {
        if self.params.use_lazy_evaluation == 1 {
            lazy_score(position)
        } else {
            self.leaf_score(position)
        }
    }

    /// A static score as the table may keep it: a lazy one is for pruning alone
    /// and must not pass for the score of a leaf.
    #[inline]
    fn for_table(&self, score: i32) -> i32 {
        if self.params.use_lazy_evaluation == 1 {
            table::NO_EVAL
        } else {
            score
        }
    }

    /// The score of a leaf: always the whole evaluation, kept apart from proved
    /// wins.
    #[inline]
    fn leaf_score(&mut self, position: &Position) -> i32 {
        let score = self
            .evaluator
            .evaluate(position, &mut self.memory.scratch, &mut Silent)
            .0;
        score.clamp(1 - WIN_BOUND, WIN_BOUND - 1)
    }

    /// The static score, corrected by what was learned about its pawn structure.
    #[inline]
    fn corrected(&self, position: &Position, score: i32) -> i32 {
        if self.params.use_correction == 0 {
            return score;
        }
        (score + self.memory.history.correction(position)).clamp(1 - WIN_BOUND, WIN_BOUND - 1)
    }

    /// Writes the line `m`, then the child's line, into the frame of `ply`.
    fn extend_line(&mut self, ply: usize, m: Move) {
        let (above, below) = self.memory.frames.split_at_mut(ply + FRAMES_BEFORE + 1);
        let line = &mut above[ply + FRAMES_BEFORE].line;
        line.clear();
        line.push(m);
        line.extend_from_slice(&below[0].line);
    }
}

/// Material alone, for static pruning in the manner of GERALD.
fn lazy_score(position: &Position) -> i32 {
    use mendel_evaluator::Material;
    Material.evaluate(position, &mut (), &mut Silent).0
}
