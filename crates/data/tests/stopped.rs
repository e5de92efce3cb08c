//! A stopped task returns no label and no game, or those of an unbroken run.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

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
use mendel_testkit::stop_at_random_moments;

use crate::Scratch;

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
    let items = items(16);
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
    let (mut unbroken, start) = (BTreeMap::new(), Instant::now());
    let mapped = label(2, &AtomicBool::new(false), &mut unbroken);
    let typical = start.elapsed();
    assert_eq!((mapped, unbroken.len()), (Mapped::All, items.len()));
    let mut memo = BTreeMap::new();
    stop_at_random_moments(0x5EED, typical, |attempt| {
        if attempt.starts_again {
            memo.clear();
        }
        label(1 + attempt.number % 2, &attempt.stop, &mut memo) == Mapped::All
    });
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
    let start = Instant::now();
    let whole = handler.work(&job, &blobs, &JobProgress::default());
    let whole = whole.expect("nothing stops it");
    stop_at_random_moments(0xBEE5, start.elapsed(), |attempt| {
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
    let start = Instant::now();
    make(&one, 2, &Arc::default()).expect("nothing stops it");
    stop_at_random_moments(0xACE5, start.elapsed(), |attempt| {
        if attempt.starts_again {
            let _ = std::fs::remove_file(&other);
            let _ = std::fs::remove_dir_all(other.with_extension("experiment"));
        }
        match make(&other, 1 + attempt.number % 2, &attempt.stop) {
            Ok(_) => true,
            Err(error) => {
                assert!(error.is_stopped(), "{error}");
                false
            }
        }
    });
    let read = |path| std::fs::read(path).expect("it was outcome");
    assert!(read(&one) == read(&other), "the stops changed the set");
    assert!(DataSet::read(&other).is_ok());
}
