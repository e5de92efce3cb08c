//! The engine: a player with the memory a search needs.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use mendel_board::book::Book;
use mendel_board::tablebase::Tablebase;
use mendel_board::{BoardFileError, Game, Move, mix};
use mendel_evaluator::vision::Workspace;
use mendel_evaluator::{Evaluator, with_evaluator};

use crate::guidance::Way;
use crate::restraint::Restraint;
use crate::search::deepening::Findings;
use crate::search::table::Table;
use crate::search::time::{Budget, TimeKeeper};
use crate::search::{Memory, Searcher, Shared};
use crate::{
    Best, Control, Guidance, Info, Limits, Player, SearchParams, Strength, guided, memory,
};

/// What the owner of the machine decides, in contrast to the player.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Size of the transposition table in MiB.
    pub hash: usize,
    pub threads: usize,
    /// Number of best lines to report.
    pub multipv: usize,
    /// Time lost between engine and clock in each move.
    pub move_overhead: Duration,
    /// Folders of Syzygy tables, separated as in `PATH`.
    pub syzygy_path: Option<PathBuf>,
    pub book: Option<PathBuf>,
    /// Chance in the choice of book moves: the same seed, the same moves.
    pub book_seed: u64,
    /// Limited strength; full strength if absent.
    pub strength: Option<Strength>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            hash: 16,
            threads: 1,
            multipv: 1,
            move_overhead: Duration::from_millis(10),
            syzygy_path: None,
            book: None,
            book_seed: 0,
            strength: None,
        }
    }
}

/// Options that cannot be used; the engine keeps those that it had.
#[derive(Debug, thiserror::Error)]
pub enum OptionsError {
    #[error(transparent)]
    Book(BoardFileError),
    #[error(transparent)]
    Tablebase(BoardFileError),
    #[error("there is no memory for a table of {mebibytes} MiB: {reason}; ask for a smaller Hash")]
    Hash { mebibytes: usize, reason: String },
}

/// MiB of the table for searches of limited strength.
const SMALL_TABLE: usize = 4;

/// A player with the memory a search needs.
pub struct Engine {
    player: Arc<Player>,
    options: Options,
    table: Table,
    /// The table for searches of limited strength, allocated at the first of them.
    small_table: Option<Table>,
    tablebase: Option<Tablebase>,
    book: Option<Book>,
    /// What the player's policy needs to be asked.
    workspace: Option<Workspace>,
    minds: Box<dyn Think + Send + Sync>,
}

/// An evaluator and the threads' memories for it.
struct Minds<E: Evaluator> {
    evaluator: E,
    memories: Vec<Memory<E>>,
}

/// [`Minds`] of any evaluator: the call is dispatched at the root of a search, and
/// everything below is compiled for the evaluator.
trait Think {
    fn clear(&mut self);

    /// All threads search the same position; they help each other through the
    /// table alone ("lazy SMP").
    fn think(
        &mut self,
        shared: &Shared,
        game: &Game,
        moves: &[Move],
        report: &mut dyn FnMut(&Info),
    ) -> Best;

    /// Searches on one thread without memory of earlier searches; not always plays the best
    /// move that it found.
    fn think_less(
        &mut self,
        shared: &Shared,
        game: &Game,
        moves: &[Move],
        restraint: Restraint,
        report: &mut dyn FnMut(&Info),
    ) -> Best;

    /// The best by the static score after each move.
    fn one_ply(
        &mut self,
        game: &Game,
        moves: &[Move],
        advice: &[(Move, i32)],
        start: Instant,
        report: &mut dyn FnMut(&Info),
    ) -> Best;
}

fn minds(player: &Player, threads: usize) -> Box<dyn Think + Send + Sync> {
    with_evaluator!(&player.evaluator, it => {
        Box::new(Minds::new(it, &player.params, threads.max(1)))
    })
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("player", &self.player.name)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl<E: Evaluator + Clone> Minds<E> {
    fn new(evaluator: &E, params: &SearchParams, threads: usize) -> Self {
        let memories = (0..threads).map(|_| Memory::new(params)).collect();
        Self {
            evaluator: evaluator.clone(),
            memories,
        }
    }
}

impl Engine {
    /// An engine that plays as `player`.
    ///
    /// # Errors
    ///
    /// If the book or the tables of `options` cannot be used.
    pub fn new(player: Arc<Player>, options: Options) -> Result<Self, OptionsError> {
        let minds = minds(&player, options.threads);
        // The smallest of everything first; the options themselves may be refused.
        let plain = Options {
            hash: 1,
            book: None,
            syzygy_path: None,
            strength: None,
            ..options.clone()
        };
        let mut engine = Self {
            workspace: workspace(&player),
            player,
            table: table(plain.hash)?,
            small_table: None,
            tablebase: None,
            book: None,
            minds,
            options: plain,
        };
        engine.set_options(options)?;
        Ok(engine)
    }

    pub fn player(&self) -> &Arc<Player> {
        &self.player
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Replaces the player, and clears what the search has learned.
    pub fn set_player(&mut self, player: Arc<Player>) {
        self.minds = minds(&player, self.options.threads);
        self.workspace = workspace(&player);
        self.player = player;
        self.table.clear();
    }

    /// Changes the options. The table is allocated again only if its size changed.
    ///
    /// # Errors
    ///
    /// If the book or the tables cannot be used; nothing is changed then.
    pub fn set_options(&mut self, options: Options) -> Result<(), OptionsError> {
        // 1. What can be refused, on the side.
        let old = &self.options;
        let book = (options.book != old.book)
            .then(|| options.book.as_deref().map(Book::open).transpose())
            .transpose()
            .map_err(OptionsError::Book)?;
        let tablebase = (options.syzygy_path != old.syzygy_path)
            .then(|| {
                let paths = options
                    .syzygy_path
                    .as_ref()
                    .map(|paths| paths.to_string_lossy());
                paths.map(|paths| Tablebase::open(&paths)).transpose()
            })
            .transpose()
            .map_err(OptionsError::Tablebase)?;
        if options.hash != old.hash {
            // The old table goes first, since both together may not fit; if the
            // new one does not either, the old size does.
            let before = old.hash;
            self.table = self::table(1)?;
            match self::table(options.hash) {
                Ok(table) => self.table = table,
                Err(error) => {
                    self.table = self::table(before)?;
                    return Err(error);
                }
            }
        }

        // 2. What cannot.
        if let Some(book) = book {
            self.book = book;
        }
        if let Some(tablebase) = tablebase {
            self.tablebase = tablebase;
        }
        if options.threads != self.options.threads {
            self.minds = minds(&self.player, options.threads);
        }
        self.options = options;
        Ok(())
    }

    pub fn new_game(&mut self) {
        self.table.clear();
        self.minds.clear();
    }

    /// Finds a move for the side to move within `limits`.
    ///
    /// Blocks until a limit is reached or `control` says stop. `report` is called
    /// on this thread, at least once for each finished iteration; the last report is on
    /// the move that is returned.
    pub fn go(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> Best {
        let mut last: Option<Info> = None;
        let mut best = self.find(game, limits, control, &mut |info| {
            report(info);
            last = Some(info.clone());
        });
        // The last report is on the move that is played: not on another line, nor on
        // what another thread or an earlier iteration preferred.
        if last.as_ref().and_then(|info| info.pv.first().copied()) == best.best {
            best.info = last;
        } else if let Some(info) = &best.info {
            report(info);
        }
        wait_for_permission(limits, control);
        best
    }

    /// As [`go`](Self::go), without the wait for permission to answer.
    fn find(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> Best {
        let start = Instant::now();

        // 1. The moves to choose from.
        let mut moves = self.root_moves(game, limits);
        if moves.is_empty() {
            return Best::default();
        }

        // 2. The book, where the move is for playing.
        if let Some(m) = self.book_move(game, limits, &moves) {
            return Best {
                best: Some(m),
                ..Best::default()
            };
        }

        // 3. The policy: it plays alone, or has a say at the root.
        let mut advice = Vec::new();
        if let (Some(guidance), Some(workspace)) = (&self.player.policy, &mut self.workspace) {
            if guidance.way == Way::Choose {
                return guided::choose(guidance, game, &moves, workspace, start, report);
            }
            if limits.is_for_playing() {
                advice = guidance.advise(game, &moves, workspace);
                if guidance.way == Way::Bonus && limits.depth == Some(1) {
                    return self.minds.one_ply(game, &moves, &advice, start, report);
                }
            }
            if !advice.is_empty() {
                moves = advice.iter().map(|advised| advised.0).collect();
            }
        }

        // 4. What a search of limited strength does without.
        let restraint = restraint(&self.player, self.strength(limits), limits);
        let lowered = restraint.map(|restraint| restraint.lower(limits));
        let limits = lowered.as_ref().unwrap_or(limits);
        let table = if restraint.is_some() {
            // Without memory for another one, the table there is does as well.
            let small = self.small_table.take().or_else(|| Table::new(SMALL_TABLE));
            self.small_table = small;
            let table = self.small_table.as_mut().unwrap_or(&mut self.table);
            table.clear();
            &*table
        } else {
            self.table.grow_older();
            &self.table
        };
        let limited = |all: usize| if restraint.is_some() { 1 } else { all.max(1) };

        // 5. Search.
        let overhead = self.options.move_overhead;
        let params = &self.player.params;
        let budget = Budget::new(limits, game.position().turn(), overhead, params);
        let time = TimeKeeper::new(start, limits, budget);
        let shared = Shared {
            params,
            table,
            tablebase: self.tablebase.as_ref().filter(|_| restraint.is_none()),
            control,
            limits,
            time: &time,
            multipv: limited(self.options.multipv),
            advice: &advice,
            margin: restraint.map_or(0, |restraint| restraint.window()),
            halt: AtomicBool::new(false),
            nodes: (0..limited(self.options.threads))
                .map(|_| AtomicU64::new(0))
                .collect(),
            tablebase_hits: AtomicU64::new(0),
        };
        match restraint {
            None => self.minds.think(&shared, game, &moves, report),
            Some(restraint) => {
                let minds = &mut self.minds;
                minds.think_less(&shared, game, &moves, restraint, report)
            }
        }
    }

    /// The strength of a move for playing. An analysis and a search for a mate are
    /// questions about the position and are answered as well as can be.
    fn strength(&self, limits: &Limits) -> Option<Strength> {
        self.options.strength.filter(|_| limits.is_for_playing())
    }

    /// The legal moves that may be chosen: those asked for, and of those, where
    /// the tables know the position, those that keep its value.
    fn root_moves(&self, game: &Game, limits: &Limits) -> Vec<Move> {
        let legal = game.position().legal_moves();
        let mut moves: Vec<Move> = legal
            .iter()
            .copied()
            .filter(|m| limits.searchmoves.contains(m))
            .collect();
        if moves.is_empty() {
            moves = legal.into_iter().collect();
        }
        if self.player.params.use_tablebases == 1
            && self.options.multipv <= 1
            && self.strength(limits).is_none()
            && let Some(tablebase) = &self.tablebase
            && tablebase.may_know(game.position())
            && let Ok(kept) = tablebase.keep(game)
        {
            let keeps = |m: &Move| kept.iter().any(|root| root.m == *m);
            if moves.iter().any(keeps) {
                moves.retain(keeps);
            }
        }
        moves
    }

    fn book_move(&self, game: &Game, limits: &Limits, moves: &[Move]) -> Option<Move> {
        let book = self.book.as_ref()?;
        if limits.ponder || !limits.is_for_playing() {
            return None;
        }
        let mixed = mix(self.options.book_seed ^ game.position().key());
        // A book that cannot be read any more is no reason not to move.
        book.pick(game.position(), mixed)
            .ok()
            .flatten()
            .filter(|m| moves.contains(m))
    }
}

/// What chooses among the moves that a search for playing finds, if the search itself does
/// not. A network of people's moves has a strength of its own, so no other limit applies.
fn restraint<'a>(
    player: &'a Player,
    strength: Option<Strength>,
    limits: &Limits,
) -> Option<Restraint<'a>> {
    let weighs = |guidance: &&Guidance| guidance.way == Way::Weigh && limits.is_for_playing();
    match player.policy.as_ref().filter(weighs) {
        Some(guidance) => Some(Restraint::People(guidance)),
        None => strength.map(Restraint::Strength),
    }
}

fn workspace(player: &Player) -> Option<Workspace> {
    let policy = player.policy.as_ref();
    policy.map(|guidance| guidance.policy().workspace())
}

const ONE_THREAD: &str = "there is at least one thread";

fn table(mebibytes: usize) -> Result<Table, OptionsError> {
    let refused = |reason| OptionsError::Hash { mebibytes, reason };
    memory::check((mebibytes as u64) << 20).map_err(|shortage| refused(shortage.to_string()))?;
    Table::new(mebibytes).ok_or_else(|| refused("the system refuses it".to_owned()))
}

/// An infinite search answers only when stopped, a pondering one also on the
/// expected move; both may have nothing left to search long before.
fn wait_for_permission(limits: &Limits, control: &Control) {
    let may_answer = || {
        let held = limits.infinite || (limits.ponder && !control.is_ponderhit());
        !held || control.is_stopped()
    };
    while !may_answer() {
        thread::sleep(Duration::from_millis(1));
    }
}

impl<E: Evaluator> Think for Minds<E> {
    fn clear(&mut self) {
        self.memories.iter_mut().for_each(Memory::clear);
    }

    fn think(
        &mut self,
        shared: &Shared,
        game: &Game,
        moves: &[Move],
        report: &mut dyn FnMut(&Info),
    ) -> Best {
        let evaluator = &self.evaluator;
        let position = game.position();
        let (first, rest) = self.memories.split_first_mut().expect(ONE_THREAD);
        let mut findings = Vec::with_capacity(rest.len() + 1);
        thread::scope(|scope| {
            let helpers: Vec<_> = rest
                .iter_mut()
                .zip(1..)
                .filter_map(|(memory, thread)| {
                    let search = move || {
                        Searcher::new(evaluator, memory, shared, game, thread).deepen(
                            position,
                            moves,
                            &mut |_| {},
                        )
                    };
                    // Without a thread the search is slower, not wrong.
                    thread::Builder::new()
                        .stack_size(8 << 20)
                        .spawn_scoped(scope, search)
                        .ok()
                })
                .collect();
            let main = Searcher::new(evaluator, first, shared, game, 0);
            findings.push(main.deepen(position, moves, report));
            shared.halt.store(true, Ordering::Relaxed);
            findings.extend(helpers.into_iter().filter_map(|helper| helper.join().ok()));
        });
        let nodes = findings.iter().map(|found| found.nodes).sum();
        choose(findings, shared, game, nodes)
    }

    fn one_ply(
        &mut self,
        game: &Game,
        moves: &[Move],
        advice: &[(Move, i32)],
        start: Instant,
        report: &mut dyn FnMut(&Info),
    ) -> Best {
        let memory = self.memories.first_mut().expect(ONE_THREAD);
        let mut judge = |position: &_| memory.judge(&self.evaluator, position);
        guided::one_ply(game, moves, advice, &mut judge, start, report)
    }

    fn think_less(
        &mut self,
        shared: &Shared,
        game: &Game,
        moves: &[Move],
        restraint: Restraint,
        report: &mut dyn FnMut(&Info),
    ) -> Best {
        let evaluator = &self.evaluator;
        let memory = self.memories.first_mut().expect(ONE_THREAD);
        memory.clear();
        let searcher = Searcher::new(evaluator, memory, shared, game, 0);
        let found = searcher.deepen(game.position(), moves, report);
        let nodes = found.nodes;
        let mut judge = |position: &_| memory.judge(evaluator, position);
        let Some(index) = restraint.choose(game, &found.seen, &mut judge) else {
            return choose(vec![found], shared, game, nodes);
        };
        let chosen = &found.seen[index];
        Best {
            best: Some(chosen.m),
            ponder: chosen.line.get(1).copied(),
            info: found.info.map(|info| info.of_line(chosen)),
            nodes,
            changes: found.changes,
        }
    }
}

/// The move of the thread that saw deepest; the main thread's where none saw
/// deeper with a better score.
fn choose(findings: Vec<Findings>, shared: &Shared, game: &Game, nodes: u64) -> Best {
    let info = findings.first().and_then(|main| main.info.clone());
    let chosen = findings
        .into_iter()
        .reduce(|best, other| {
            let deeper = other.depth > best.depth;
            let (first, challenger) = (&best.moves[0], &other.moves[0]);
            let better = first.depth == 0 || challenger.worth() > first.worth();
            if deeper && better && shared.multipv == 1 {
                other
            } else {
                best
            }
        })
        .expect("the main thread found something");
    let line = &chosen.moves[0].line;
    let ponder = line.get(1).copied().or_else(|| {
        let after = game.position().after(chosen.moves[0].m);
        shared.table.probe(after.key(), 0)?.m.unpack(&after)
    });
    Best {
        best: Some(chosen.moves[0].m),
        ponder,
        info: info.map(|info| info.of_line(&chosen.moves[0])),
        nodes,
        changes: chosen.changes,
    }
}
