//! What the crew guarantees, with a real server, also when processes die.

mod chaos;
mod children;
mod faults;
mod once;
mod places;
mod plain;
mod refusals;
mod sample;
mod standing;
mod stopping;
mod tasks;
mod unable;

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mendel_crew::{
    BlobId, Blobs, ConnectOptions, CrewClient, CrewError, DeadLetter, Handler, HandlerError, Job,
    JobCounts, JobFlow, JobId, JobOutcome, JobProgress, MapError, Worker, WorkerEvent,
    WorkerLimits, WorkerTotals,
};

use crate::places::Place;

/// The version of the program in these tests.
const PROGRAM: &str = "1.2.3";
/// Deadline of all waits; on a busy machine nothing takes longer.
const LIMIT: Duration = Duration::from_mins(5);

/// Waits until something holds, in at most [`LIMIT`].
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < LIMIT, "it never happened: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Sets a flag when it goes out of scope, also by a panic, so that the other thread of a
/// test that fails does not wait for ever.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

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

    fn work(
        &self,
        job: &Job,
        blobs: &dyn Blobs,
        progress: &JobProgress,
    ) -> Result<Vec<u8>, HandlerError> {
        let text = String::from_utf8_lossy(&job.payload).into_owned();
        let (act, rest) = text.split_once(' ').unwrap_or((&text, ""));
        match act {
            "echo" => Ok(rest.into()),
            // Sleeps for this number of milliseconds, with progress.
            "nap" => {
                let end = Instant::now() + Duration::from_millis(rest.parse().expect("a number"));
                while Instant::now() < end {
                    if progress.is_stopped() {
                        return Err(HandlerError::Stopped);
                    }
                    thread::sleep(Duration::from_millis(5));
                    progress.unit_done();
                }
                Ok(job.id.as_str().into())
            }
            // The same without progress.
            "doze" => {
                let end = Instant::now() + Duration::from_millis(rest.parse().expect("a number"));
                while Instant::now() < end {
                    if progress.is_stopped() {
                        return Err(HandlerError::Stopped);
                    }
                    thread::sleep(Duration::from_millis(5));
                }
                Ok(job.id.as_str().into())
            }
            // No progress, and no end before the stop flag is set.
            "hang" => loop {
                if progress.is_stopped() {
                    return Err(HandlerError::Stopped);
                }
                thread::sleep(Duration::from_millis(5));
            },
            // Neither progress nor a look at the stop flag.
            "deaf" => {
                thread::sleep(LIMIT);
                Ok(Vec::new())
            }
            "blob" => {
                let contents = blobs.read(&job.blobs[0])?;
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
            "cannot" => Err(HandlerError::CannotRun("too hard".into())),
            _ => Err(HandlerError::InvalidJob(format!("no such act: {act}"))),
        }
    }
}

/// Does a job as soon as there is a permit for it, and shows progress while it waits.
#[derive(Default)]
struct Gate {
    permits: AtomicU64,
}

impl Gate {
    fn permit(&self, jobs: u64) {
        self.permits.fetch_add(jobs, Ordering::Relaxed);
    }
}

impl Handler for Gate {
    fn kind(&self) -> &'static str {
        Actor.kind()
    }

    fn version(&self) -> u32 {
        Actor.version()
    }

    fn work(
        &self,
        job: &Job,
        _: &dyn Blobs,
        progress: &JobProgress,
    ) -> Result<Vec<u8>, HandlerError> {
        let one = |permits: u64| permits.checked_sub(1);
        let relaxed = Ordering::Relaxed;
        while self.permits.fetch_update(relaxed, relaxed, one).is_err() {
            if progress.is_stopped() {
                return Err(HandlerError::Stopped);
            }
            thread::sleep(Duration::from_millis(5));
            progress.unit_done();
        }
        Ok(job.id.as_str().into())
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

/// Jobs that each echo their number.
fn echoes(count: usize) -> Vec<Job> {
    let one = |number| job(&format!("job-{number}"), &format!("echo {number}"));
    (0..count).map(one).collect()
}

/// Jobs that each take this number of milliseconds.
fn naps(count: usize, milliseconds: u64) -> Vec<Job> {
    let one = |number| job(&format!("nap-{number}"), &format!("nap {milliseconds}"));
    (0..count).map(one).collect()
}

fn no_blobs(_: &BlobId) -> Option<Arc<[u8]>> {
    None
}

fn connect(place: &Place) -> CrewClient {
    CrewClient::connect(&place.options(), PROGRAM).expect("the server is there")
}

/// Hands jobs in while no worker is there, and stops when the server holds them all.
fn hand_in(
    remote: &CrewClient,
    place: &Place,
    jobs: Vec<Job>,
    find: &(dyn Fn(&BlobId) -> Option<Arc<[u8]>> + Sync),
) {
    let (count, stop) = (jobs.len() as u64, AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            let _stop = SetOnDrop(&stop);
            wait_until("the jobs are handed in", || place.jobs() == count);
        });
        let stopped = remote.work("run", jobs.into_iter(), find, &stop, &mut |_| {
            Ok::<_, Infallible>(JobFlow::Continue)
        });
        assert_eq!(stopped.expect("it was stopped").handed_in, count);
    });
}

/// What a run gave, by job; a second outcome of a job is an error.
#[derive(Debug, Default)]
struct Books {
    outcomes: BTreeMap<String, Result<Vec<u8>, DeadLetter>>,
}

impl Books {
    fn enter(&mut self, outcome: JobOutcome) {
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
fn work(remote: &CrewClient, run: &str, jobs: Vec<Job>) -> (Books, JobCounts) {
    let mut books = Books::default();
    let tally = work_into(remote, run, jobs, &mut |outcome| {
        books.enter(outcome);
        JobFlow::Continue
    });
    (books, tally)
}

fn work_into(
    remote: &CrewClient,
    run: &str,
    jobs: Vec<Job>,
    done: &mut dyn FnMut(JobOutcome) -> JobFlow,
) -> JobCounts {
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
        let flow = done(outcome);
        enough |= flow == JobFlow::Stop;
        Ok::<_, Infallible>(flow)
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
    events: Mutex<Receiver<WorkerEvent>>,
    thread: JoinHandle<Result<WorkerTotals, CrewError>>,
}

impl Help {
    fn start(place: &Place) -> Self {
        Self::start_as(place.options(), WorkerLimits::default(), PROGRAM)
    }

    /// One of this name, which does jobs in its own way.
    fn start_named(options: ConnectOptions, name: &str, handler: Arc<dyn Handler>) -> Self {
        let worker = Worker::new(options, WorkerLimits::default(), name, PROGRAM).handler(handler);
        Self::run(worker)
    }

    fn start_as(options: ConnectOptions, limits: WorkerLimits, program: &str) -> Self {
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

    fn wait_for(&self, what: &str, mut is: impl FnMut(&WorkerEvent) -> bool) -> WorkerEvent {
        loop {
            let event = self.events.lock().expect("no panic").recv_timeout(LIMIT);
            let event = event.unwrap_or_else(|_| panic!("it never happened: {what}"));
            if is(&event) {
                return event;
            }
        }
    }

    fn end(self) -> Result<WorkerTotals, CrewError> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().expect("a worker does not panic")
    }

    /// The error with which it ends by itself.
    fn failure(self) -> CrewError {
        wait_until("the worker ends", || self.thread.is_finished());
        let ended = self.thread.join().expect("a worker does not panic");
        ended.expect_err("it ends with an error")
    }
}
