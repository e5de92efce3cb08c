//! What a crew costs.
//!
//! `cargo bench -p mendel-crew -- [overhead] [queue] [limit]`, all without a part.
//! Needs the program `nats-server`; the server, the coordinator and the workers
//! share this machine.
//!
//! - `overhead`: jobs of one second of work, on two local threads and on two workers
//!   behind the server; at least 95 % of the speed is wanted.
//! - `queue`: 100,000 jobs in the server at once; the coordinator's resident memory
//!   is to stay under 500 MiB.
//! - `limit`: 10 to 1,000 workers whose jobs only sleep: jobs a second, and where
//!   they stop growing with the workers.

use std::hint::black_box;
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use mendel_crew::{
    Blobs, ConnectOptions, CrewClient, DeadLetter, Handler, HandlerError, Job, JobFlow, JobId,
    JobOutcome, JobProgress, Worker, WorkerLimits,
};
use rustix::time::{ClockId, clock_gettime};

type Report = Result<(), Box<dyn std::error::Error>>;

const PROGRAM: &str = "bench";

fn main() -> Report {
    let parts: Vec<String> = std::env::args().skip(1).collect();
    let parts: Vec<&str> = parts
        .iter()
        .map(String::as_str)
        .filter(|part| !part.starts_with('-'))
        .collect();
    let wanted = |part: &str| parts.is_empty() || parts.contains(&part);
    for (name, part) in [
        ("overhead", overhead as fn() -> Report),
        ("queue", queue),
        ("limit", limit),
    ] {
        if wanted(name) {
            part()?;
        }
    }
    Ok(())
}

fn say(text: &str) -> Report {
    Ok(writeln!(io::stdout(), "{text}")?)
}

/// Works or sleeps for a number of milliseconds; work is measured in CPU time of the thread,
/// so that other load on this machine does not make a job larger.
struct Pace;

impl Handler for Pace {
    fn kind(&self) -> &'static str {
        "pace"
    }

    fn version(&self) -> u32 {
        1
    }

    fn work(
        &self,
        job: &Job,
        _: &dyn Blobs,
        progress: &JobProgress,
    ) -> Result<Vec<u8>, HandlerError> {
        let text = String::from_utf8_lossy(&job.payload).into_owned();
        let (how, milliseconds) = text.split_once(' ').unwrap_or_default();
        let length = Duration::from_millis(milliseconds.parse().unwrap_or_default());
        if how == "spin" {
            spin(length, progress);
        } else {
            thread::sleep(length);
            progress.unit_done();
        }
        Ok(Vec::new())
    }
}

fn spin(length: Duration, progress: &JobProgress) {
    let clock = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default();
    let end = clock() + length;
    let mut number = 1_u64;
    while clock() < end {
        for _ in 0..100_000 {
            number = black_box(number.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1));
        }
        progress.unit_done();
    }
}

fn jobs(count: u64, payload: &str) -> impl Iterator<Item = Job> {
    (0..count).map(move |number| Job {
        id: JobId::new(&format!("job-{number}")).expect("it is a name"),
        kind: "pace".to_owned(),
        version: 1,
        payload: payload.into(),
        blobs: Vec::new(),
    })
}

/// A server of our own, gone when this goes out of scope.
struct Server {
    child: Child,
    folder: PathBuf,
    url: String,
}

impl Server {
    fn start(name: &str) -> Result<Self, Box<dyn std::error::Error>> {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("crew-bench-{name}"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder)?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let child = Command::new("nats-server")
            .args(["--addr", "127.0.0.1", "--port", &port.to_string()])
            .args(["--jetstream", "--store_dir", "store"])
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{error}: install the package `nats-server`"))?;
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if begun.elapsed() > Duration::from_secs(10) {
                return Err("nats-server does not start".into());
            }
            thread::sleep(Duration::from_millis(20));
        }
        let url = format!("nats://127.0.0.1:{port}");
        Ok(Self { child, folder, url })
    }

    /// Processor seconds it has used.
    fn time(&self) -> f64 {
        processor_seconds(Path::new(&format!("/proc/{}/stat", self.child.id())))
    }

    fn options(&self) -> Result<ConnectOptions, Box<dyn std::error::Error>> {
        Ok(ConnectOptions::new(&self.url, None, None)?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Seconds from the first job to the last outcome, by the clock and of the
/// coordinator's processor.
struct Took {
    seconds: f64,
    coordinator: f64,
}

/// Has jobs done by a number of workers with a number of slots each, when all have joined.
fn with_workers(
    server: &Server,
    workers: usize,
    slots: usize,
    jobs: impl Iterator<Item = Job>,
) -> Result<Took, Box<dyn std::error::Error>> {
    let mut options = server.options()?;
    options.window = 20_000;
    let remote = CrewClient::connect(&options, PROGRAM)?;
    let (stop, joined) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        for number in 0..workers {
            let (options, stop, joined) = (options.clone(), &stop, &joined);
            let limits = WorkerLimits {
                slots,
                ..WorkerLimits::default()
            };
            let name = format!("worker-{number}");
            let worker = Worker::new(options, limits, &name, PROGRAM).handler(Arc::new(Pace));
            let run = move || {
                let mut first = true;
                worker.run(stop, &mut |_| {
                    joined.fetch_add(u64::from(first), Ordering::Relaxed);
                    first = false;
                })
            };
            thread::Builder::new()
                .stack_size(1 << 19)
                .spawn_scoped(scope, run)?;
        }
        while joined.load(Ordering::Relaxed) < workers as u64 {
            thread::sleep(Duration::from_millis(20));
        }
        let (begun, used) = (Instant::now(), coordinator_time());
        let worked = remote.work(
            "bench",
            jobs,
            &|_| None,
            &AtomicBool::new(false),
            &mut taken,
        );
        let took = Took {
            seconds: begun.elapsed().as_secs_f64(),
            coordinator: coordinator_time() - used,
        };
        stop.store(true, Ordering::Relaxed);
        worked?;
        Ok(took)
    })
}

/// These jobs do not fail.
fn taken(outcome: JobOutcome) -> Result<JobFlow, DeadLetter> {
    outcome.result.map(|_| JobFlow::Continue)
}

/// The same jobs on threads and through the server, by turns, so that what else
/// happens on the machine happens to both.
fn overhead() -> Report {
    let server = Server::start("overhead")?;
    for how in ["sleep", "spin"] {
        let payload = format!("{how} 1000");
        let (count, slots, mut here, mut there) = (16, 2, 0.0, 0.0);
        for _ in 0..2 {
            here += local(slots, jobs(count, &payload));
            there += with_workers(&server, slots, 1, jobs(count, &payload))?.seconds;
        }
        say(&format!(
            "overhead: {how}: {} jobs of 1 s: {here:.2} s on 2 threads, {there:.2} s on 2 workers: {:.1} % of the speed",
            2 * count,
            100.0 * here / there
        ))?;
    }
    Ok(())
}

fn local(threads: usize, jobs: impl Iterator<Item = Job>) -> f64 {
    let jobs: Vec<Job> = jobs.collect();
    let next = AtomicU64::new(0);
    let begun = Instant::now();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed) as usize) {
                    let blobs = std::collections::HashMap::new();
                    let worked = Pace.work(job, &blobs, &JobProgress::default());
                    worked.expect("these jobs do not fail");
                }
            });
        }
    });
    begun.elapsed().as_secs_f64()
}

/// Resident memory of this process, in MiB.
fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(f64::NAN) / 1024.0
}

/// All jobs in the server at once, a payload of 1 KiB each, and no workers.
fn queue() -> Report {
    const COUNT: u64 = 100_000;
    let server = Server::start("queue")?;
    let mut options = server.options()?;
    options.window = COUNT as usize;
    let remote = CrewClient::connect(&options, PROGRAM)?;
    let payload = format!("sleep {:1024}", 0);
    let stop = AtomicBool::new(false);
    let before = resident();
    let begun = Instant::now();
    let most = thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut most: f64 = 0.0;
            let queued = || mendel_crew::status(&options).map_or(0, |status| status.waiting);
            // Asking lists all jobs, in this process; so not while it is measured.
            while begun.elapsed() < Duration::from_mins(2) {
                for _ in 0..30 {
                    most = most.max(resident());
                    thread::sleep(Duration::from_millis(100));
                }
                if queued() >= COUNT {
                    break;
                }
            }
            let waiting = queued();
            stop.store(true, Ordering::Relaxed);
            (most, waiting)
        });
        let worked = remote.work("bench", jobs(COUNT, &payload), &|_| None, &stop, &mut taken);
        (watch.join(), worked)
    });
    let (watched, worked) = most;
    let (most, waiting) = watched.map_err(|_| "the watch panicked")?;
    say(&format!(
        "queue: {} jobs handed in, {waiting} wait in the server after {:.1} s; resident memory {before:.0} MiB before, {most:.0} MiB at most",
        worked?.handed_in,
        begun.elapsed().as_secs_f64()
    ))
}

/// Jobs a second of more and more simulated workers: slots that only sleep, a
/// hundred to a connection, so that the simulation itself does not take the machine.
fn limit() -> Report {
    const TOGETHER: usize = 100;
    let server = Server::start("limit")?;
    for workers in [10_usize, 30, 100, 300, 1000] {
        let connections = workers.div_ceil(TOGETHER);
        // About ten seconds of jobs of one second each.
        let count = workers as u64 * 10;
        let jobs = jobs(count, "sleep 1000");
        let took = with_workers(&server, connections, workers / connections, jobs)?;
        let seconds = took.seconds;
        say(&format!(
            "limit: {workers} workers: {count} jobs of 1 s in {seconds:.1} s: {:.0} jobs a second, {:.1} % of what they could",
            count as f64 / seconds,
            1000.0 / seconds
        ))?;
    }
    // And as many as it can: jobs of no time at all. What a job costs in processor
    // time says more than the clock where other things run, too.
    let count = 10_000;
    let before = server.time();
    let took = with_workers(&server, 2, TOGETHER, jobs(count, "sleep 0"))?;
    let each = |seconds: f64| 1000.0 * seconds / count as f64;
    let coordinator = each(took.coordinator);
    say(&format!(
        "limit: empty jobs: {:.0} jobs a second with {} slots on this machine; a job takes {coordinator:.3} ms of the coordinator's processor and {:.3} ms of the server's; one core of a coordinator does {:.0} jobs a second",
        count as f64 / took.seconds,
        2 * TOGETHER,
        each(server.time() - before),
        1000.0 / coordinator
    ))
}

/// Processor seconds in a file of `/proc`, as `man 5 proc` describes `stat`.
fn processor_seconds(path: &Path) -> f64 {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    // The name in brackets may contain anything.
    let fields = text
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace();
    let ticks: f64 = fields
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<f64>().ok())
        .sum();
    // A hundred on every Linux.
    ticks / 100.0
}

/// What the coordinator has used so far: this thread, which waits for its outcomes,
/// and those that talk to the server for it.
fn coordinator_time() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    let of_the_crew = tasks.filter(|task| {
        let name = std::fs::read_to_string(task.path().join("comm")).unwrap_or_default();
        name.trim() == "crew" || *task.file_name() == *std::process::id().to_string()
    });
    of_the_crew
        .map(|task| processor_seconds(&task.path().join("stat")))
        .sum()
}
