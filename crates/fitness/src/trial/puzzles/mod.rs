//! Positions with the moves that solve each, searched by players.

mod searched_block;
mod task;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mendel_board::{Game, Move};
use mendel_crew::{Crew, CrewError, Done, Flow, MapError, Mapped, Task};
use mendel_engine::{Best, Control, Engine, Limits, Options, OptionsError, Player};
use mendel_store::fingerprint;
use serde::{Deserialize, Serialize};

use super::{JudgingContext, TrialError};

pub use self::searched_block::SearchedBlock;
pub use self::task::{PuzzleItem, PuzzleTask, PuzzleUnpack};

/// The nodes at which each position was solved; none for one that was not.
pub type Solved = Vec<Option<u64>>;

/// A position and the moves that solve it.
#[derive(Clone, Debug)]
pub(super) struct Puzzle {
    pub(super) game: Game,
    pub(super) solutions: Vec<Move>,
}

impl Puzzle {
    /// The node from which on a search plays a solution.
    fn solved_at(&self, best: &Best) -> Option<u64> {
        let solves = |m: Move| self.solutions.contains(&m);
        if !best.best.is_some_and(solves) {
            return None;
        }
        let kept = best.changes.iter().rev().take_while(|it| solves(it.m));
        // A search of a few nodes may not have compared anything yet.
        Some(kept.last().map_or(best.nodes, |it| it.nodes))
    }
}

/// How far each position is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reach {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) nodes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) depth: Option<u32>,
}

impl Reach {
    fn limits(self) -> Limits {
        Limits {
            nodes: self.nodes,
            depth: self.depth,
            ..Limits::default()
        }
    }
}

/// Some positions for one player: what is searched in one go, with an engine of its own.
#[derive(Clone, Debug)]
pub(super) struct PuzzleChunk<'a> {
    /// The player's place.
    pub(super) player: usize,
    pub(super) puzzles: Vec<Cow<'a, Puzzle>>,
}

/// Chunks to be searched.
#[derive(Debug)]
pub(super) struct Sheet<'a> {
    pub(super) players: &'a [Arc<Player>],
    pub(super) chunks: Vec<PuzzleChunk<'a>>,
    pub(super) reach: Reach,
    /// The size of the transposition table in MiB.
    pub(super) hash: usize,
}

/// The results of the chunks of a sheet.
#[derive(Debug, Default)]
pub(super) struct Searched {
    pub(super) chunks: Vec<Solved>,
    /// The places of skipped chunks, which count as unsolved.
    pub(super) without: BTreeSet<usize>,
}

impl Sheet<'_> {
    /// The result of each chunk: found in the memo, or searched by the crew of the
    /// context.
    pub(super) fn solve(&self, context: &mut JudgingContext) -> Result<Searched, TrialError> {
        let task = PuzzleTask::new(self.players, &self.chunks, self.reach, self.hash);
        if !context.crew.is_remote() {
            // What threads here have searched is not worth a memo.
            let solved = self.search(
                &task,
                task.items(),
                &context.crew,
                &context.stop,
                &mut |_, _| Ok(()),
            )?;
            return self.searched(solved);
        }

        // 1. What is in the memo is not searched again.
        let key = |item: &PuzzleItem| {
            let packed = task.pack(std::slice::from_ref(item));
            packed
                .map(|packed| fingerprint(&packed.bytes))
                .map_err(|error| CrewError::NotPortable {
                    reason: error.to_string(),
                })
        };
        let keys = task.items().map(|item| key(&item));
        let keys = keys.collect::<Result<Vec<String>, _>>()?;
        let (generation, memo) = (context.generation, &mut context.searched);
        let record = |item: &PuzzleItem, solved: Solved| SearchedBlock {
            generation,
            block: item.number,
            key: keys[item.place].clone(),
            solved,
        };
        let find = |item: PuzzleItem| {
            let found = memo.find(&record(&item, Solved::new()));
            found.map(|found| found.solved.clone())
        };
        let found: Vec<Option<Solved>> = task.items().map(find).collect();

        // 2. The rest is, and each chunk is written down before it is counted. Members that
        //    are known need no judging, and the checkpoint of an earlier version knows none:
        //    jobs of other chunks must have other names.
        let all = fingerprint(keys.concat().as_bytes());
        let crew = context.crew.part(&format!("g{generation}-judge-{all}"));
        let open: Vec<PuzzleItem> = task
            .items()
            .filter(|item| found[item.place].is_none())
            .collect();
        let mut solved = self.search(
            &task,
            open.into_iter(),
            &crew,
            &context.stop,
            &mut |item, solved| Ok(memo.append(record(item, solved.clone()))?),
        )?;
        for (result, found) in solved.iter_mut().zip(found) {
            if let Some(found) = found {
                *result = ChunkResult::Solved(found);
            }
        }
        self.searched(solved)
    }

    /// The result of each chunk, by threads of this process, without a memo.
    pub(super) fn solve_here(
        &self,
        threads: usize,
        stop: &Arc<AtomicBool>,
    ) -> Result<Vec<Solved>, TrialError> {
        let task = PuzzleTask::new(self.players, &self.chunks, self.reach, self.hash);
        let crew = Crew::threads(threads);
        let solved = self.search(&task, task.items(), &crew, stop, &mut |_, _| Ok(()))?;
        Ok(self.searched(solved)?.chunks)
    }

    /// Has items searched; `record` gets each result before it is counted.
    fn search(
        &self,
        task: &PuzzleTask,
        items: impl Iterator<Item = PuzzleItem> + Send,
        crew: &Crew,
        stop: &Arc<AtomicBool>,
        record: &mut dyn FnMut(&PuzzleItem, &Solved) -> Result<(), TrialError>,
    ) -> Result<Vec<ChunkResult>, TrialError> {
        let mut results = vec![ChunkResult::Missing; self.chunks.len()];
        let mapped = crew.map(task, items, stop, &mut |item, done| {
            results[item.place] = match done {
                Done::Output(solved) => {
                    record(item, &solved)?;
                    ChunkResult::Solved(solved)
                }
                // It is tried again by the next process.
                Done::Skipped => ChunkResult::Skipped,
            };
            Ok::<_, TrialError>(Flow::Continue)
        });
        match (mapped, task.take_failure()) {
            (Ok(Mapped::All), _) => Ok(results),
            (Ok(_), _) => Err(TrialError::Stopped),
            (Err(MapError::Consumer(error)), _) => Err(error),
            (Err(MapError::Work(_)), Some(failure)) => Err(failure.into()),
            (Err(MapError::Work(error)), None) => Err(error.into()),
        }
    }

    fn searched(&self, results: Vec<ChunkResult>) -> Result<Searched, TrialError> {
        let mut searched = Searched::default();
        for (place, (result, chunk)) in results.into_iter().zip(&self.chunks).enumerate() {
            searched.chunks.push(match result {
                ChunkResult::Solved(solved) => solved,
                ChunkResult::Skipped => {
                    searched.without.insert(place);
                    vec![None; chunk.puzzles.len()]
                }
                ChunkResult::Missing => return Err(TrialError::Stopped),
            });
        }
        Ok(searched)
    }
}

/// What became of a chunk.
#[derive(Clone, Debug)]
enum ChunkResult {
    Missing,
    Skipped,
    Solved(Solved),
}

/// One player at work.
struct Searcher<'a> {
    player: &'a Arc<Player>,
    reach: Reach,
    hash: usize,
}

impl Searcher<'_> {
    /// Each position with an engine that has forgotten the others; nothing, if it was
    /// stopped. `made` hears of each.
    fn solve<'p>(
        &self,
        puzzles: impl Iterator<Item = &'p Puzzle>,
        stop: &Arc<AtomicBool>,
        made: &mut dyn FnMut(),
    ) -> Result<Option<Solved>, OptionsError> {
        let options = Options {
            hash: self.hash,
            ..Options::default()
        };
        let limits = self.reach.limits();
        let control = Control::watching(Arc::clone(stop));
        let mut engine = Engine::new(Arc::clone(self.player), options)?;
        let mut solved = Vec::new();
        for puzzle in puzzles {
            engine.new_game();
            let best = engine.go(&puzzle.game, &limits, &control, &mut |_| {});
            if control.is_stopped() {
                return Ok(None);
            }
            solved.push(puzzle.solved_at(&best));
            made();
        }
        Ok(Some(solved))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::time::Instant;

    use mendel_arena::task::ProgramAllowlist;
    use mendel_board::Position;
    use mendel_crew::{BlobId, Handler, HandlerError, Job, JobId, JobProgress, TaskHandler};
    use mendel_testkit::stop_at_random_moments;

    use super::*;

    const FENS: [&str; 4] = [
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
        "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
        "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1",
        "8/7p/5k2/5p2/p1p2P2/Pr1pPK2/1P1R3P/8 b - - 0 1",
    ];

    fn puzzles() -> Vec<Puzzle> {
        let puzzle = |fen: &&str| {
            let position = Position::from_fen(fen).expect("a FEN");
            let solutions = vec![position.legal_moves()[0]];
            let game = Game::new(position);
            Puzzle { game, solutions }
        };
        FENS.iter().map(puzzle).collect()
    }

    fn players() -> Vec<Arc<Player>> {
        let player = |name| Arc::new(Player::find(name).expect("it ships with the program"));
        ["mendel", "gerald-eval-tuned"].map(player).to_vec()
    }

    fn chunks(puzzles: &[Puzzle]) -> Vec<PuzzleChunk<'_>> {
        (0..8)
            .map(|number| PuzzleChunk {
                player: number % 2,
                puzzles: puzzles.iter().map(Cow::Borrowed).collect(),
            })
            .collect()
    }

    fn task<'a>(players: &[Arc<Player>], chunks: &'a [PuzzleChunk<'a>]) -> PuzzleTask<'a> {
        let reach = Reach {
            nodes: Some(1500),
            depth: None,
        };
        PuzzleTask::new(players, chunks, reach, 1)
    }

    #[test]
    fn positions_that_are_stopped_at_random_moments_are_those_of_an_unbroken_run() {
        let (puzzles, players) = (puzzles(), players());
        let chunks = chunks(&puzzles);
        let task = task(&players, &chunks);
        let search = |threads, stop: &AtomicBool, memo: &mut HashMap<u64, Solved>| {
            let open: Vec<PuzzleItem> = task
                .items()
                .filter(|item| !memo.contains_key(&item.number))
                .collect();
            let crew = Crew::threads(threads);
            let mapped = crew.map(&task, open.into_iter(), stop, &mut |item, done| {
                if let Done::Output(solved) = done {
                    memo.insert(item.number, solved);
                }
                Ok::<_, CrewError>(Flow::Continue)
            });
            mapped.expect("it is searched or stopped")
        };
        let (mut unbroken, start) = (HashMap::new(), Instant::now());
        let mapped = search(2, &AtomicBool::new(false), &mut unbroken);
        let typical = start.elapsed();
        assert_eq!((mapped, unbroken.len()), (Mapped::All, chunks.len()));
        let mut memo = HashMap::new();
        stop_at_random_moments(0x5EED, typical, |attempt| {
            if attempt.starts_again {
                memo.clear();
            }
            search(1 + attempt.number % 2, &attempt.stop, &mut memo) == Mapped::All
        });
        assert_eq!(memo, unbroken);
    }

    #[test]
    fn a_worker_gives_what_threads_give_and_nothing_if_it_is_stopped() {
        let (puzzles, players) = (puzzles(), players());
        let chunks = chunks(&puzzles);
        let task = task(&players, &chunks);
        let items: Vec<PuzzleItem> = task.items().skip(2).take(3).collect();
        let payload = task.pack(&items).expect("our players are portable");
        let blobs = payload.blobs.iter();
        let blobs: HashMap<BlobId, Arc<[u8]>> = blobs
            .map(|id| (*id, task.blob(id).expect("it was packed")))
            .collect();
        let job = Job {
            id: JobId::new("puzzles").expect("a name"),
            kind: PuzzleTask::KIND.to_owned(),
            version: PuzzleTask::VERSION,
            payload: payload.bytes,
            blobs: payload.blobs,
        };
        let allowlist = Arc::new(ProgramAllowlist::new(64));
        let handler = TaskHandler::new(PuzzleUnpack::new(allowlist));
        let start = Instant::now();
        let whole = handler.work(&job, &blobs, &JobProgress::default());
        let whole = whole.expect("nothing stops it");
        let typical = start.elapsed();

        // 1. As on threads.
        let mut local = Vec::new();
        let stop = AtomicBool::new(false);
        let crew = Crew::threads(1);
        let mapped = crew.map(&task, items.into_iter(), &stop, &mut |item, done| {
            if let Done::Output(solved) = done {
                local.push(serde_json::json!({ "item": item.number, "output": solved }));
            }
            Ok::<_, CrewError>(Flow::Continue)
        });
        assert!(matches!(mapped, Ok(Mapped::All)), "{mapped:?}");
        let remote: Vec<serde_json::Value> = serde_json::from_slice(&whole).expect("JSON");
        assert_eq!(remote, local);

        // 2. Stopped.
        stop_at_random_moments(0xBEE5, typical, |attempt| {
            let progress = JobProgress::stopped_by(Arc::clone(&attempt.stop));
            match handler.work(&job, &blobs, &progress) {
                Ok(result) => {
                    assert_eq!(result, whole);
                    true
                }
                Err(error) => {
                    assert_eq!(error, HandlerError::Stopped);
                    false
                }
            }
        });

        // 3. What cannot be done is rejected.
        for bad in [&b"{}"[..], b"[1]", b""] {
            let job = Job {
                payload: bad.to_vec(),
                ..job.clone()
            };
            let rejected = handler.work(&job, &blobs, &JobProgress::default());
            assert!(matches!(rejected, Err(HandlerError::InvalidJob(_))));
        }
    }
}
