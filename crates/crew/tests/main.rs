//! What the crew promises, with a real server, also when everything dies.

mod chaos;
mod children;
mod faults;
mod once;
mod places;
mod refusals;
mod sample;
mod standing;
mod stopping;
mod unable;

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mendel_crew::{
    BlobId, Blobs, CrewError, Dead, Event, GoOn, Handler, Job, JobId, Limits, Options, Outcome,
    Progress, Refusal, Remote, Tally, WorkError, Worked, Worker,
};

use crate::places::Place;

/// The version of the program in these tests.
const PROGRAM: &str = "1.2.3";
/// Nothing here takes longer, or it is stuck.
const LIMIT: Duration = Duration::from_mins(1);

/// An empty folder of its own for each test.
fn fresh_folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("crew")
        .join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the build folder is writable");
    folder
}

/// Does what the payload says.
struct Actor;

impl Handler for Actor {
    fn kind(&self) -> &'static str {
        "act"
    }

    fn version(&self) -> u32 {
        1
    }

    fn work(&self, job: &Job, blobs: &dyn Blobs, progress: &Progress) -> Result<Vec<u8>, Refusal> {
        let text = String::from_utf8_lossy(&job.payload).into_owned();
        let (act, rest) = text.split_once(' ').unwrap_or((&text, ""));
        match act {
            "echo" => Ok(rest.into()),
            // Sleeps so many milliseconds, with progress.
            "nap" => {
                let end = Instant::now() + Duration::from_millis(rest.parse().expect("a number"));
                while Instant::now() < end {
                    if progress.stopped() {
                        return Err(Refusal::Stopped);
                    }
                    thread::sleep(Duration::from_millis(5));
                    progress.made();
                }
                Ok(job.id.as_str().into())
            }
            // The same without progress.
            "doze" => {
                let end = Instant::now() + Duration::from_millis(rest.parse().expect("a number"));
                while Instant::now() < end {
                    if progress.stopped() {
                        return Err(Refusal::Stopped);
                    }
                    thread::sleep(Duration::from_millis(5));
                }
                Ok(job.id.as_str().into())
            }
            // No progress, and no end before it is told.
            "hang" => loop {
                if progress.stopped() {
                    return Err(Refusal::Stopped);
                }
                thread::sleep(Duration::from_millis(5));
            },
            // Neither progress nor an ear.
            "deaf" => {
                thread::sleep(LIMIT);
                Ok(Vec::new())
            }
            "blob" => {
                let contents = blobs.read(&job.blobs[0]);
                let contents = contents.map_err(|error| Refusal::Cannot(error.to_string()))?;
                assert!(blobs.read(&BlobId::of(b"not named")).is_err());
                Ok(contents.to_vec())
            }
            "large" => Ok(vec![7; rest.parse().expect("a number")]),
            "grow" => {
                let mut all = Vec::new();
                loop {
                    all.push(vec![1_u8; 1 << 24]);
                }
            }
            "panic" => panic!("as it was told"),
            "abort" => std::process::abort(),
            "cannot" => Err(Refusal::Cannot("too hard".into())),
            _ => Err(Refusal::Bad(format!("no such act: {act}"))),
        }
    }
}

fn job(id: &str, payload: &str) -> Job {
    Job {
        id: JobId::new(id).expect("tests write names"),
        kind: "act".into(),
        version: 1,
        payload: payload.into(),
        blobs: Vec::new(),
    }
}

/// So many jobs, each of which echoes its number.
fn echoes(count: usize) -> Vec<Job> {
    let one = |number| job(&format!("job-{number}"), &format!("echo {number}"));
    (0..count).map(one).collect()
}

/// So many jobs of so many milliseconds.
fn naps(count: usize, milliseconds: u64) -> Vec<Job> {
    let one = |number| job(&format!("nap-{number}"), &format!("nap {milliseconds}"));
    (0..count).map(one).collect()
}

fn no_blobs(_: &BlobId) -> Option<Arc<[u8]>> {
    None
}

fn connect(place: &Place) -> Remote {
    Remote::connect(&place.options(), PROGRAM).expect("the server is there")
}

/// What a run gave, by job; a second outcome of a job is an error.
#[derive(Debug, Default)]
struct Books {
    outcomes: BTreeMap<String, Result<Vec<u8>, Dead>>,
}

impl Books {
    fn enter(&mut self, outcome: Outcome) {
        let id = String::from(outcome.id);
        let earlier = self.outcomes.insert(id.clone(), outcome.result);
        assert!(earlier.is_none(), "{id} came twice");
    }

    fn check_naps(&self, count: usize) {
        assert_eq!(self.outcomes.len(), count);
        for (id, result) in &self.outcomes {
            assert_eq!(result.as_deref(), Ok(id.as_bytes()));
        }
    }
}

/// Works on jobs until all are answered, in at most [`LIMIT`].
fn work(remote: &Remote, run: &str, jobs: Vec<Job>) -> (Books, Tally) {
    let mut books = Books::default();
    let tally = work_into(remote, run, jobs, &mut |outcome| {
        books.enter(outcome);
        GoOn::Yes
    });
    (books, tally)
}

fn work_into(
    remote: &Remote,
    run: &str,
    jobs: Vec<Job>,
    done: &mut dyn FnMut(Outcome) -> GoOn,
) -> Tally {
    let count = jobs.len() as u64;
    let (stop, begun) = (Arc::new(AtomicBool::new(false)), Instant::now());
    let (over, waiting) = mpsc::channel::<()>();
    let alarm = Arc::clone(&stop);
    let watchman = thread::spawn(move || {
        if waiting.recv_timeout(LIMIT).is_err() {
            alarm.store(true, Ordering::Relaxed);
        }
    });
    let mut enough = false;
    let worked = remote.work(run, jobs.into_iter(), &no_blobs, &stop, &mut |outcome| {
        let go_on = done(outcome);
        enough |= go_on == GoOn::No;
        Ok::<_, Infallible>(go_on)
    });
    let _ = over.send(());
    watchman.join().expect("it only waits");
    let tally = worked.expect("the crew works");
    assert!(begun.elapsed() < LIMIT, "stuck: {tally:?}");
    if !enough {
        assert_eq!(tally.handed_in + tally.found, count, "{tally:?}");
        assert_eq!(tally.done + tally.dead, count, "{tally:?}");
    }
    tally
}

/// A worker on a thread of this process.
struct Help {
    stop: Arc<AtomicBool>,
    events: Mutex<Receiver<Event>>,
    thread: JoinHandle<Result<Worked, CrewError>>,
}

impl Help {
    fn start(place: &Place) -> Self {
        Self::start_as(place.options(), Limits::default(), PROGRAM)
    }

    /// One of this name, which does jobs in its own way.
    fn start_named(options: Options, name: &str, handler: Arc<dyn Handler>) -> Self {
        let worker = Worker::new(options, Limits::default(), name, PROGRAM).handler(handler);
        Self::run(worker)
    }

    fn start_as(options: Options, limits: Limits, program: &str) -> Self {
        Self::run(Worker::new(options, limits, "helper", program).handler(Arc::new(Actor)))
    }

    fn run(worker: Worker) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (sender, events) = mpsc::channel();
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            worker.run(&stopped, &mut |event| {
                let _ = sender.send(event);
            })
        });
        Self {
            stop,
            events: Mutex::new(events),
            thread,
        }
    }

    fn wait_for(&self, what: &str, mut is: impl FnMut(&Event) -> bool) -> Event {
        loop {
            let event = self
                .events
                .lock()
                .expect("nobody panics")
                .recv_timeout(LIMIT);
            let event = event.unwrap_or_else(|_| panic!("it never happened: {what}"));
            if is(&event) {
                return event;
            }
        }
    }

    fn end(self) -> Result<Worked, CrewError> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().expect("a worker does not panic")
    }
}
