//! A stopped task returns no label and no game, or those of an unbroken run.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use mendel_arena::task::ProgramAllowlist;
use mendel_board::{Game, Position};
use mendel_crew::{
    BlobId, Crew, Done, Flow, Handler, HandlerError, Job, JobId, JobProgress, Mapped, Task,
    TaskHandler,
};
use mendel_data::label::{Ask, ExpertPlan, LabelItem, LabelTask, LabelUnpack};
use mendel_data::make::{CreatedDataSet, DataOptions, DataPlan, DataSetCreation};
use mendel_data::{DataSet, Kind};
use mendel_store::frame::{self, Failure, Host};

use crate::Scratch;

/// Numbers from a seed (xorshift), so that a failure can be repeated.
fn random(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed
}

/// Does `work` and sets `stop` after so many microseconds.
fn stopped_after<T>(microseconds: u64, stop: &Arc<AtomicBool>, work: impl FnOnce() -> T) -> T {
    let flag = Arc::clone(stop);
    let alarm = thread::spawn(move || {
        thread::sleep(Duration::from_micros(microseconds));
        flag.store(true, Ordering::Relaxed);
    });
    let result = work();
    alarm.join().expect("it only waits");
    result
}

/// A player of ours that searches: a search that is cut short has a move and a score.
fn expert() -> ExpertPlan {
    ExpertPlan {
        player: "mendel".to_owned(),
        ask: Ask::Nodes { nodes: 3000 },
        scale: 1.0,
        deadline: ExpertPlan::DEADLINE,
    }
}

/// Positions of a game with the first legal moves.
fn items(count: u64) -> Vec<LabelItem> {
    let mut game = Game::new(Position::initial());
    (0..count)
        .map(|index| {
            let position = game.position().clone();
            let moves = position.legal_moves();
            game.play(moves[index as usize % moves.len()])
                .expect("it is legal");
            LabelItem { index, position }
        })
        .collect()
}

#[test]
fn labels_that_are_stopped_at_random_moments_are_those_of_an_unbroken_run() {
    let (items, mut seed, mut stops) = (items(16), 0x5EED, 0);
    let task = LabelTask::new(&expert(), items.len() as u64).expect("it ships with the program");
    let label = |threads, stop: &AtomicBool, memo: &mut BTreeMap<u64, _>| {
        let open: Vec<LabelItem> = items
            .iter()
            .filter(|item| !memo.contains_key(&item.index))
            .cloned()
            .collect();
        let crew = Crew::threads(threads);
        let mapped = crew.map(&task, open.into_iter(), stop, &mut |item, label| {
            if let Done::Output(label) = label {
                memo.insert(item.index, label);
            }
            Ok::<_, std::convert::Infallible>(Flow::Continue)
        });
        mapped.expect("it labels or is stopped")
    };
    let mut unbroken = BTreeMap::new();
    assert_eq!(
        label(2, &AtomicBool::new(false), &mut unbroken),
        Mapped::All
    );
    assert_eq!(unbroken.len(), items.len());
    let mut memo = BTreeMap::new();
    loop {
        // Longer each time, however slow the machine is.
        let after = random(&mut seed) % (20_000 * (1 + stops as u64));
        let stop = Arc::default();
        let mapped = stopped_after(after, &stop, || label(1 + stops % 2, &stop, &mut memo));
        if mapped == Mapped::All {
            break;
        }
        stops += 1;
    }
    assert!(stops > 0, "it was stopped");
    assert_eq!(memo, unbroken);
}

#[test]
fn a_worker_that_is_stopped_returns_all_labels_or_none() {
    let task = LabelTask::new(&expert(), 4).expect("it ships with the program");
    let payload = task.pack(&items(4)).expect("it is portable");
    let blobs = payload.blobs.iter();
    let blobs: HashMap<BlobId, Arc<[u8]>> = blobs
        .map(|id| (*id, task.blob(id).expect("it was packed")))
        .collect();
    let job = Job {
        id: JobId::new("labels").expect("a name"),
        kind: LabelTask::KIND.to_owned(),
        version: LabelTask::VERSION,
        payload: payload.bytes,
        blobs: payload.blobs,
    };
    let allowlist = Arc::new(ProgramAllowlist::new(64));
    let handler = TaskHandler::new(LabelUnpack::new(allowlist));
    let whole = handler.work(&job, &blobs, &JobProgress::default());
    let whole = whole.expect("nothing stops it");
    let (mut seed, mut stopped) = (0xBEE5, 0);
    for _ in 0..12 {
        let progress = JobProgress::default();
        let after = random(&mut seed) % 40_000;
        let result = stopped_after(after, &progress.stop_flag(), || {
            handler.work(&job, &blobs, &progress)
        });
        match result {
            Ok(result) => assert_eq!(result, whole),
            Err(error) => {
                assert_eq!(error, HandlerError::Stopped);
                stopped += 1;
            }
        }
    }
    assert!(stopped > 0, "none was stopped");
}

#[test]
fn a_set_whose_making_is_stopped_at_random_moments_is_that_of_an_unbroken_run() {
    let scratch = Scratch::new("stopped");
    let plan = DataPlan {
        nodes: 100,
        seed: 7,
        expert: Some(ExpertPlan {
            ask: Ask::Nodes { nodes: 500 },
            ..expert()
        }),
        ..DataPlan::usual(Kind::Quiet, 60, "")
    };
    let make = |path: &Path, threads, stop: &Arc<AtomicBool>| -> Result<CreatedDataSet, Failure> {
        let plan = DataPlan {
            out: path.to_owned(),
            ..plan.clone()
        };
        let options = DataOptions {
            crew: Crew::threads(threads),
        };
        let host = Host {
            stop: Arc::clone(stop),
            ..Host::default()
        };
        let (seed, folder) = (plan.seed, path.with_extension("experiment"));
        frame::start_or_resume::<DataSetCreation>(&folder, plan, seed, "test", &options, &host)
    };
    let (one, other) = (scratch.at("one.mds"), scratch.at("other.mds"));
    make(&one, 2, &Arc::default()).expect("it is outcome");
    let (mut seed, mut stops) = (0xACE5, 0);
    loop {
        let after = random(&mut seed) % (40_000 * (1 + stops as u64));
        let stop = Arc::default();
        let outcome = stopped_after(after, &stop, || make(&other, 1 + stops % 2, &stop));
        match outcome {
            Ok(_) => break,
            Err(error) => assert!(error.is_stopped(), "{error}"),
        }
        stops += 1;
    }
    assert!(stops > 0, "it was stopped");
    let read = |path| std::fs::read(path).expect("it was outcome");
    assert!(read(&one) == read(&other), "the stops changed the set");
    assert!(DataSet::read(&other).is_ok());
}
