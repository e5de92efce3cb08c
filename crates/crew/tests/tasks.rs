//! What holds for every task, on threads and on workers.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use mendel_crew::{
    CompletedOutput, Crew, DeadLetterPolicy, Done, Flow, JobNameStore, JobPayload, MapError,
    Mapped, Site, Task, TaskHandler, Unpack,
};
use mendel_testkit::stop_at_random_moments;

use super::*;

/// What to do with a number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Act {
    /// Sleeps so many milliseconds and squares it, unless it is stopped.
    #[default]
    Square,
    /// Waits for the stop flag, and ends by itself then.
    EndAfterStop,
    /// Waits for the stop flag, and is cut short by it.
    CutShort,
    /// Cannot be done here.
    Fail,
}

/// Squares numbers; two numbers have one id.
#[derive(Clone, Debug, Default)]
struct Squares {
    milliseconds: u64,
    act: Act,
    portable: bool,
    /// Numbers that no worker can square.
    invalid: Vec<u64>,
    /// Is set when a number is about to be squared.
    started: Arc<AtomicBool>,
}

impl Squares {
    fn portable() -> Self {
        Self {
            portable: true,
            ..Self::default()
        }
    }
}

impl Task for Squares {
    const KIND: &'static str = "squares";
    const VERSION: u32 = 3;
    type Item = u64;
    type Output = u64;
    type TaskState = ();

    fn item_id(&self, number: &u64) -> u64 {
        number / 2
    }

    fn item_key(&self, number: &u64) -> u64 {
        *number
    }

    fn new_state(&self, _: Site) -> Result<(), HandlerError> {
        Ok(())
    }

    fn run(
        &self,
        (): &mut (),
        number: &u64,
        progress: &JobProgress,
    ) -> Result<CompletedOutput<u64>, HandlerError> {
        self.started.store(true, Ordering::Relaxed);
        let square = number * number;
        let wait = || {
            wait_until("the task is stopped", || progress.is_stopped());
        };
        match self.act {
            Act::Square => {
                for _ in 0..self.milliseconds {
                    thread::sleep(Duration::from_millis(1));
                    progress.unit_done();
                    if progress.is_stopped() {
                        // A search that is cut short has a result, too; `complete` takes none.
                        return progress.complete(0);
                    }
                }
                progress.complete(square)
            }
            Act::EndAfterStop => {
                wait();
                Ok(progress.complete_at_own_end(square))
            }
            Act::CutShort => {
                wait();
                progress.complete(square)
            }
            Act::Fail => Err(HandlerError::CannotRun("no abacus".to_owned())),
        }
    }

    fn pack(&self, numbers: &[u64]) -> Result<JobPayload, HandlerError> {
        if !self.portable {
            return Err(HandlerError::CannotRun("it stays here".to_owned()));
        }
        Ok(JobPayload {
            bytes: serde_json::to_vec(numbers).expect("numbers"),
            blobs: Vec::new(),
        })
    }

    fn blob(&self, _: &BlobId) -> Option<Arc<[u8]>> {
        None
    }

    fn output_bytes(&self) -> usize {
        20
    }

    fn accept(&self, number: &u64, output: u64) -> Result<u64, String> {
        if output == number * number {
            Ok(output)
        } else {
            Err(format!("{output} is not the square of {number}"))
        }
    }
}

impl Unpack for Squares {
    type Task = Self;

    fn unpack(&self, payload: &[u8], _: &dyn Blobs) -> Result<(Self, Vec<u64>), HandlerError> {
        let numbers: Vec<u64> = serde_json::from_slice(payload)
            .map_err(|error| HandlerError::InvalidJob(error.to_string()))?;
        match numbers.iter().find(|it| self.invalid.contains(it)) {
            Some(number) => Err(HandlerError::InvalidJob(format!("{number} is unlucky"))),
            None => Ok((self.clone(), numbers)),
        }
    }
}

/// `crew.json` in memory.
#[derive(Debug, Default)]
struct Names(Mutex<Option<String>>);

impl JobNameStore for Names {
    fn path(&self) -> &Path {
        Path::new("run/crew.json")
    }

    fn read(&self) -> io::Result<Option<String>> {
        Ok(self.0.lock().expect("no panic").clone())
    }

    fn write(&self, text: &str) -> io::Result<()> {
        *self.0.lock().expect("no panic") = Some(text.to_owned());
        Ok(())
    }
}

/// Names whose chunks have so many ids.
fn names(size: u64) -> Arc<Names> {
    let text = format!(r#"{{"v":1,"run":"squares","part":"games","size":{size}}}"#);
    Arc::new(Names(Mutex::new(Some(text))))
}

fn crew(place: &Place, policy: DeadLetterPolicy, names: &Arc<Names>) -> Crew {
    Crew::remote(connect(place), 1, policy).bind(Arc::<Names>::clone(names))
}

fn help(place: &Place, squares: Squares) -> Help {
    let handler = Arc::new(TaskHandler::new(squares));
    Help::start_named(place.options(), "abacus", handler)
}

#[test]
fn an_endless_iterator_is_claimed_only_as_fast_as_outputs_are_taken() {
    let claimed = AtomicU64::new(0);
    let threads = 3;
    let items = (0..).inspect(|_| {
        claimed.fetch_add(1, Ordering::Relaxed);
    });
    let mut taken: u64 = 0;
    let mapped = Crew::threads(threads as usize).map(
        &Squares::default(),
        items,
        &AtomicBool::new(false),
        &mut |number, done| {
            assert_eq!(done, Done::Output(number * number));
            thread::sleep(Duration::from_millis(2));
            taken += 1;
            // As many are in the channel, and as many with the threads.
            let most = taken + 2 * threads;
            assert!(claimed.load(Ordering::Relaxed) <= most, "{most}");
            Ok::<_, Infallible>(if taken < 50 {
                Flow::Continue
            } else {
                Flow::Stop
            })
        },
    );
    assert!(matches!(mapped, Ok(Mapped::StoppedByCaller)), "{mapped:?}");
}

#[test]
fn a_task_that_is_stopped_again_and_again_gives_what_an_unbroken_run_gives() {
    let wanted: BTreeMap<u64, u64> = (0..60).map(|number| (number, number * number)).collect();
    let task = Squares {
        milliseconds: 2,
        ..Squares::default()
    };
    let mut memo = BTreeMap::new();
    stop_at_random_moments(0x5EED, Duration::from_millis(40), |attempt| {
        if attempt.starts_again {
            memo.clear();
        }
        let open: Vec<u64> = (0..60).filter(|it| !memo.contains_key(it)).collect();
        let crew = Crew::threads(1 + attempt.number % 3);
        let mapped = crew.map(
            &task,
            open.into_iter(),
            &attempt.stop,
            &mut |number, done| {
                let Done::Output(output) = done else {
                    panic!("threads skip nothing");
                };
                let earlier = memo.insert(*number, output);
                assert_eq!(earlier, None, "{number} came twice");
                Ok::<_, Infallible>(Flow::Continue)
            },
        );
        let mapped = mapped.expect("it works or is stopped");
        let is_done = memo.len() == wanted.len();
        assert_eq!(mapped == Mapped::All, is_done);
        is_done
    });
    assert_eq!(memo, wanted);
}

#[test]
fn an_item_that_ended_by_itself_is_delivered_after_a_stop_and_no_other() {
    for (act, wanted) in [(Act::EndAfterStop, vec![(3, 9)]), (Act::CutShort, vec![])] {
        let task = Squares {
            act,
            ..Squares::default()
        };
        let stop = AtomicBool::new(false);
        let mut outputs = Vec::new();
        let mapped = thread::scope(|scope| {
            scope.spawn(|| {
                wait_until("a task runs", || task.started.load(Ordering::Relaxed));
                stop.store(true, Ordering::Relaxed);
            });
            let items = [3, 4].into_iter();
            Crew::threads(1).map(&task, items, &stop, &mut |number, done| {
                if let Done::Output(output) = done {
                    outputs.push((*number, output));
                }
                Ok::<_, Infallible>(Flow::Continue)
            })
        });
        assert!(matches!(mapped, Ok(Mapped::Stopped)), "{mapped:?}");
        assert_eq!(outputs, wanted, "{act:?}");
    }
}

#[test]
fn a_task_that_fails_ends_the_work_with_its_reason() {
    let task = Squares {
        act: Act::Fail,
        ..Squares::default()
    };
    let stop = AtomicBool::new(false);
    let mapped = Crew::threads(2).map(&task, 0.., &stop, &mut |_, _| {
        Ok::<_, Infallible>(Flow::Continue)
    });
    assert!(
        matches!(&mapped, Err(MapError::Work(error)) if error.to_string() == "no abacus"),
        "{mapped:?}"
    );
    assert!(!stop.load(Ordering::Relaxed), "the flag is the caller's");
    let none = Crew::threads(2).map(&task, std::iter::empty(), &stop, &mut |_, _| {
        Ok::<_, Infallible>(Flow::Continue)
    });
    assert!(matches!(none, Ok(Mapped::All)), "{none:?}");
}

/// Adds one to an output of each job that it does for the first time.
struct Careless {
    good: TaskHandler<Squares>,
    seen: Mutex<BTreeSet<String>>,
}

impl Handler for Careless {
    fn kind(&self) -> &'static str {
        self.good.kind()
    }

    fn version(&self) -> u32 {
        self.good.version()
    }

    fn work(
        &self,
        job: &Job,
        blobs: &dyn Blobs,
        progress: &JobProgress,
    ) -> Result<Vec<u8>, HandlerError> {
        let result = self.good.work(job, blobs, progress)?;
        let first = self
            .seen
            .lock()
            .expect("no panic")
            .insert(job.id.as_str().to_owned());
        if !first {
            return Ok(result);
        }
        let text = String::from_utf8(result).expect("JSON");
        let (head, last) = text.rsplit_once("\"output\":").expect("an output");
        Ok(format!("{head}\"output\":1{last}").into_bytes())
    }
}

#[test]
fn the_outputs_of_a_job_are_taken_all_or_none() {
    let place = Place::new("all-or-none");
    let crew = crew(&place, DeadLetterPolicy::Stop, &names(4));
    let careless = Careless {
        good: TaskHandler::new(Squares::portable()),
        seen: Mutex::default(),
    };
    let help = Help::start_named(place.options(), "careless", Arc::new(careless));
    let mut outputs = BTreeMap::new();
    let stop = AtomicBool::new(false);
    let mapped = crew.map(&Squares::portable(), 0..30, &stop, &mut |number, done| {
        let Done::Output(output) = done else {
            panic!("nothing is skipped");
        };
        assert_eq!(output, number * number, "it was not accepted");
        assert_eq!(outputs.insert(*number, output), None, "{number} came twice");
        Ok::<_, Infallible>(Flow::Continue)
    });
    assert!(matches!(mapped, Ok(Mapped::All)), "{mapped:?}");
    assert_eq!(outputs.len(), 30);
    // 15 ids in chunks of 4.
    let counts = crew.job_counts();
    assert_eq!((counts.done, counts.corrupt), (4, 4), "{counts:?}");
    help.end().expect("it worked");
}

/// What is not recorded is asked for again, by the same names, also if the job that the
/// earlier process submitted has more items.
#[test]
fn a_resumed_part_finds_the_result_of_a_chunk_that_is_partly_done() {
    let place = Place::new("partly-done");
    let names = names(4);
    let first = crew(&place, DeadLetterPolicy::Stop, &names);
    let help = help(&place, Squares::portable());
    let mut memo = BTreeMap::new();
    let stop = AtomicBool::new(false);
    // The disk is full after three of the eight outputs of a job.
    let mapped = first.map(&Squares::portable(), 0..24, &stop, &mut |number, done| {
        if memo.len() == 3 {
            return Err("no space left on device");
        }
        memo.insert(*number, done);
        Ok(Flow::Continue)
    });
    assert!(matches!(mapped, Err(MapError::Consumer(_))), "{mapped:?}");
    drop(first);
    wait_until("the rest is worked", || place.jobs() == 0);

    let second = crew(&place, DeadLetterPolicy::Stop, &names);
    let open: Vec<u64> = (0..24)
        .filter(|number| !memo.contains_key(number))
        .collect();
    let open = open.into_iter();
    let mapped = second.map(&Squares::portable(), open, &stop, &mut |number, done| {
        assert_eq!(memo.insert(*number, done), None, "{number} came twice");
        Ok::<_, Infallible>(Flow::Continue)
    });
    assert!(matches!(mapped, Ok(Mapped::All)), "{mapped:?}");
    assert!(
        memo.iter()
            .all(|(number, done)| *done == Done::Output(number * number))
    );
    assert_eq!(memo.len(), 24);
    let counts = second.job_counts();
    assert_eq!((counts.found, counts.handed_in), (3, 0), "{counts:?}");
    let totals = help.end().expect("it worked");
    assert_eq!(totals.jobs, 3, "no chunk was worked twice");
}

#[test]
fn a_skipped_item_is_tried_again_by_the_next_process() {
    let place = Place::new("skipped");
    let names = names(1);
    let mut memo = BTreeMap::new();
    let stop = AtomicBool::new(false);
    for (invalid, skipped) in [(vec![5], 2), (vec![], 0)] {
        let squares = Squares {
            invalid,
            ..Squares::portable()
        };
        let help = help(&place, squares);
        let crew = crew(&place, DeadLetterPolicy::Skip, &names);
        let open: Vec<u64> = (0..8).filter(|number| !memo.contains_key(number)).collect();
        let mut without = 0;
        let mapped = crew.map(
            &Squares::portable(),
            open.into_iter(),
            &stop,
            &mut |number, done| {
                match done {
                    Done::Output(output) => {
                        memo.insert(*number, output);
                    }
                    Done::Skipped => without += 1,
                }
                Ok::<_, Infallible>(Flow::Continue)
            },
        );
        assert!(matches!(mapped, Ok(Mapped::All)), "{mapped:?}");
        assert_eq!(without, skipped);
        help.end().expect("it worked");
    }
    assert_eq!(memo.len(), 8);
}

#[test]
fn a_task_that_cannot_travel_submits_nothing_and_runs_on_the_threads_of_the_crew() {
    let place = Place::new("not-portable");
    let crew = crew(&place, DeadLetterPolicy::Stop, &names(1));
    let stop = AtomicBool::new(false);
    let task = Squares::default();
    let mut take = |_: &u64, _| Ok::<_, Infallible>(Flow::Continue);
    let mapped = crew.map(&task, 0..4, &stop, &mut take);
    let Err(MapError::Work(error)) = mapped else {
        panic!("it cannot travel: {mapped:?}");
    };
    assert!(
        error.is_wrong_request() && error.to_string().contains("it stays here"),
        "{error}"
    );
    assert_eq!((place.jobs(), crew.job_counts()), (0, JobCounts::default()));
    let mapped = crew.local().map(&task, 0..4, &stop, &mut take);
    assert!(matches!(mapped, Ok(Mapped::All)), "{mapped:?}");
}

/// A stopped worker returns no result, or the one of an unbroken run.
#[test]
fn a_handler_that_is_stopped_returns_a_whole_result_or_none() {
    let handler = TaskHandler::new(Squares {
        milliseconds: 2,
        ..Squares::portable()
    });
    let job = Job {
        kind: Squares::KIND.to_owned(),
        version: Squares::VERSION,
        ..job("squares", "[1,2,3,4]")
    };
    let none: HashMap<BlobId, Arc<[u8]>> = HashMap::new();
    let work = |progress: &JobProgress| handler.work(&job, &none, progress);
    let whole = work(&JobProgress::default()).expect("nothing stops it");
    stop_at_random_moments(0xACE5, Duration::from_millis(12), |attempt| {
        match work(&JobProgress::stopped_by(Arc::clone(&attempt.stop))) {
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

/// All `.rs` files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of the project");
    let paths = entries.map(|entry| entry.expect("it can be listed").path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                sources(&path)
            } else if path.extension().is_some_and(|it| it == "rs") {
                vec![path]
            } else {
                Vec::new()
            }
        })
        .collect()
}

/// Only a game ends by itself while everything stops; a search that a stop cut short must
/// not pass as finished.
#[test]
fn only_the_game_tasks_complete_after_a_stop() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut users = BTreeSet::new();
    for entry in std::fs::read_dir(&crates).expect("the crates") {
        let source = entry.expect("it can be listed").path().join("src");
        if !source.is_dir() {
            continue;
        }
        for path in sources(&source) {
            let text = std::fs::read_to_string(&path).expect("it is text");
            if text.contains("complete_at_own_end") {
                let name = path.strip_prefix(&crates).expect("below the crates");
                users.insert(name.display().to_string());
            }
        }
    }
    let allowed = [
        "arena/src/task/games.rs",
        "arena/src/task/pairs.rs",
        "crew/src/handler.rs",
    ];
    assert_eq!(users, BTreeSet::from(allowed.map(str::to_owned)));
}
