//! Games by workers elsewhere, some of whom answer nonsense or cannot; with a real server.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mendel_arena::task::{PairTask, PairUnpack, ProgramAllowlist};
use mendel_arena::{
    Adjudication, CrewFile, Entrant, GamePair, GamePairs, LengthRule, OpeningSetting, Openings,
    Pace, PairGame, Patience, Verdict, map_pairs,
};
use mendel_crew::{
    Blobs, ConnectOptions, Crew, CrewClient, CrewError, DeadLetterPolicy, Done, Handler,
    HandlerError, Job, JobProgress, TaskHandler, Worker, WorkerLimits,
};
use mendel_engine::Player;

use crate::stage::comes_true;

const PROGRAM: &str = "1.2.3";
/// No test waits for its end.
const LEASE: Duration = Duration::from_secs(30);

/// A server and a folder of its own, both gone with it.
struct Place {
    folder: PathBuf,
    port: u16,
    server: Child,
}

impl Place {
    fn new(name: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("crewed-{name}"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the build folder is writable");
        let log = folder.join("log");
        let server = Command::new("nats-server")
            .args(["--jetstream", "--store_dir", "store", "--addr", "127.0.0.1"])
            // It chooses a free one.
            .args(["--port", "-1"])
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log).expect("the folder is writable"))
            .spawn()
            .expect("`tools/install_needs.sh test` gets nats-server");
        let mut port = None;
        let listens = comes_true(|| {
            let log = std::fs::read_to_string(&log).unwrap_or_default();
            port = port_in(&log);
            port.is_some()
        });
        assert!(
            listens,
            "no server: {}",
            std::fs::read_to_string(&log).unwrap_or_default()
        );
        let port = port.expect("it listens");
        Self {
            folder,
            port,
            server,
        }
    }

    fn options(&self) -> ConnectOptions {
        let url = format!("nats://127.0.0.1:{}", self.port);
        let mut options = ConnectOptions::new(&url, None, None).expect("this machine is safe");
        options.lease = LEASE;
        options
    }

    /// Workers for this folder, as a coordinator has them, and what it is told.
    fn crew(&self, policy: DeadLetterPolicy) -> (Crew, Arc<Mutex<Vec<String>>>) {
        let client = CrewClient::connect(&self.options(), PROGRAM).expect("the server is there");
        let told = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&told);
        client.on_event(move |event| heard.lock().expect("no panic").push(event.to_string()));
        let crew = Crew::remote(client, 1, policy).bind(CrewFile::of(&self.folder));
        (crew, told)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The port at which a server listens, once its log says so.
fn port_in(log: &str) -> Option<u16> {
    let (_, after) = log.split_once("Listening for client connections on 127.0.0.1:")?;
    let (port, _) = after.split_once('\n')?;
    port.trim().parse().ok()
}

/// What one does before it plays as it should: its own answer, if there is one.
type Whim = dyn Fn(&str) -> Option<Result<Vec<u8>, HandlerError>> + Send + std::marker::Sync;

struct Moody {
    whim: Box<Whim>,
    pairs: TaskHandler<PairUnpack>,
}

impl Handler for Moody {
    fn kind(&self) -> &'static str {
        self.pairs.kind()
    }

    fn version(&self) -> u32 {
        self.pairs.version()
    }

    fn work(
        &self,
        job: &Job,
        blobs: &dyn Blobs,
        progress: &JobProgress,
    ) -> Result<Vec<u8>, HandlerError> {
        let own = (self.whim)(job.id.as_str());
        own.unwrap_or_else(|| self.pairs.work(job, blobs, progress))
    }
}

/// A worker on a thread of its own, until it goes out of scope.
struct Help {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Help {
    fn start(
        place: &Place,
        whim: impl Fn(&str) -> Option<Result<Vec<u8>, HandlerError>>
        + Send
        + std::marker::Sync
        + 'static,
    ) -> Self {
        let handler = Moody {
            whim: Box::new(whim),
            pairs: TaskHandler::new(PairUnpack::new(Arc::new(ProgramAllowlist::new(64)))),
        };
        let limits = WorkerLimits {
            slots: 2,
            ..WorkerLimits::default()
        };
        let worker = Worker::new(place.options(), limits, "moody", PROGRAM);
        let worker = worker.handler(Arc::new(handler));
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            worker.run(&stopped, &mut |_| {}).expect("it works");
        });
        Self {
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for Help {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn games() -> GamePairs {
    let bred = |name: &str| {
        let player = Player::find(name).expect("it ships with the program");
        Entrant::bred(name, Arc::new(player), vec![("Hash".into(), "1".into())])
    };
    let book = Openings::own(&OpeningSetting::default());
    GamePairs {
        entrants: ["material", "random"].map(bred).to_vec(),
        openings: (0..3).map(|index| book.get(index)).collect(),
        pace: Pace {
            nodes: Some(30),
            ..Pace::default()
        },
        patience: Patience::default(),
        adjudication: Adjudication {
            length: Some(LengthRule {
                plies: 20,
                verdict: Verdict::Material,
            }),
            ..Adjudication::default()
        },
    }
}

fn pairs(count: u64) -> Vec<GamePair> {
    let pair = |id| GamePair {
        id,
        first: 0,
        second: 1,
        opening: id as usize % 3,
        only: None,
    };
    (0..count).map(pair).collect()
}

/// The games of each pair; a skipped pair has none.
type Results = BTreeMap<u64, Option<[PairGame; 2]>>;

fn played(crew: &Crew, count: u64) -> Result<Results, CrewError> {
    let (mut results, stop) = (Results::new(), AtomicBool::new(false));
    let task = PairTask::new(&games());
    map_pairs(crew, &task, &pairs(count), &stop, &mut |pair, done| {
        let games = match done {
            Done::Output(games) => Some(games),
            Done::Skipped => None,
        };
        let twice = results.insert(pair.id, games);
        assert!(twice.is_none(), "pair {} came twice", pair.id);
        Ok::<_, CrewError>(())
    })?;
    Ok(results)
}

fn at_home(count: u64) -> Results {
    played(&Crew::threads(1), count).expect("played")
}

/// An answer of the right form that answers nothing.
const NONSENSE: &[u8] = b"[]";

#[test]
fn an_invalid_result_is_asked_for_again() {
    let place = Place::new("senseless");
    let (crew, told) = place.crew(DeadLetterPolicy::Stop);
    let answers = AtomicU32::new(0);
    let help = Help::start(&place, move |_| {
        match answers.fetch_add(1, Ordering::Relaxed) {
            0 => Some(Ok(NONSENSE.to_vec())),
            // What is wrong with it quotes it, and a terminal would obey.
            1 => Some(Ok(br#"[{"\u001b[2J":0}]"#.to_vec())),
            _ => None,
        }
    });
    assert_eq!(played(&crew, 5).expect("played"), at_home(5));
    assert_eq!(crew.job_counts().corrupt, 2);
    let told = told.lock().expect("no panic").join("\n");
    assert!(
        told.contains("worker moody") && told.contains("done again"),
        "{told}"
    );
    assert!(
        told.contains(" [2J") && !told.contains('\u{1b}'),
        "{told:?}"
    );
    drop(help);
}

/// A worker with invalid results only ends the run, but it can be resumed.
#[test]
fn a_run_can_be_resumed_after_invalid_results_only() {
    let place = Place::new("nonsense");
    let (crew, _) = place.crew(DeadLetterPolicy::Stop);
    let fool = Help::start(&place, |_| Some(Ok(NONSENSE.to_vec())));
    let error = played(&crew, 3).expect_err("it makes no sense").to_string();
    assert!(
        error.contains("`moody`") && error.contains("is not in it"),
        "{error}"
    );
    drop(fool);
    let sane = Help::start(&place, |_| None);
    assert_eq!(played(&crew, 3).expect("played"), at_home(3));
    drop(sane);
}

/// The part with a job that no worker can read.
fn hard(job: &str) -> Option<Result<Vec<u8>, HandlerError>> {
    let bad = || Err(HandlerError::InvalidJob("as it was told".to_owned()));
    (job == "games-1-0").then(bad)
}

#[test]
fn a_dead_job_stops_the_run_at_once() {
    let place = Place::new("stop");
    let (crew, _) = place.crew(DeadLetterPolicy::Stop);
    // So that both jobs are handed in together.
    std::fs::write(place.folder.join("crew.json"), page(1)).expect("a folder");
    // The other job takes until the run has ended; where that waits for it, until its lease
    // is nearly over.
    let [ended, waited] = [(), ()].map(|()| Arc::new(AtomicBool::new(false)));
    let (told, too_long) = (Arc::clone(&ended), Arc::clone(&waited));
    let _help = Help::start(&place, move |job| {
        let begun = Instant::now();
        while job == "games-1-1" && !told.load(Ordering::Relaxed) {
            if begun.elapsed() > LEASE / 2 {
                too_long.store(true, Ordering::Relaxed);
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
        hard(job)
    });
    let error = played(&crew, 2).expect_err("it is dead").to_string();
    ended.store(true, Ordering::Relaxed);
    assert!(
        !waited.load(Ordering::Relaxed),
        "it waited for the other job"
    );
    assert!(
        error.contains("games-1-0") && error.contains("as it was told"),
        "{error}"
    );
    assert!(
        error.contains("--dead-letters skip") && !error.contains("died"),
        "{error}"
    );
}

#[test]
fn a_run_can_skip_dead_letters() {
    let place = Place::new("skip");
    let (crew, told) = place.crew(DeadLetterPolicy::Skip);
    let _help = Help::start(&place, hard);
    let mut wanted = at_home(4);
    wanted.insert(0, None);
    assert_eq!(played(&crew, 4).expect("played"), wanted);
    assert_eq!((crew.job_counts().dead, crew.job_counts().done), (1, 3));
    let told = told.lock().expect("no panic").join("\n");
    assert!(
        told.contains("games-1-0 is done without: as it was told"),
        "{told}"
    );
}

/// The page of a folder whose jobs have `size` items each.
fn page(size: u64) -> String {
    format!(r#"{{"v":1,"run":"0123456789abcdef","part":"games","size":{size}}}"#) + "\n"
}

/// More than the server takes comes back from all jobs but small ones. The run continues with
/// those, and so does every later run.
#[test]
fn jobs_with_oversized_results_are_halved() {
    let place = Place::new("oversized");
    let (crew, told) = place.crew(DeadLetterPolicy::Stop);
    std::fs::write(place.folder.join("crew.json"), page(8)).expect("a folder");
    let _help = Help::start(&place, |job| {
        let large = ["games-8-", "games-4-"]
            .iter()
            .any(|it| job.starts_with(it));
        large.then(|| Ok(vec![b' '; 2 << 20]))
    });
    assert_eq!(played(&crew, 20).expect("played"), at_home(20));
    assert_eq!(crew.job_counts().dead, 0);
    let kept = std::fs::read_to_string(place.folder.join("crew.json")).expect("a page");
    assert_eq!(kept, page(2));
    let told = told.lock().expect("no panic").join("\n");
    assert_eq!(told.matches("half as large").count(), 2, "{told}");
}

/// A job is some seconds of work, once it is known how long a piece takes; and the games
/// are the same.
#[test]
fn quick_pairs_share_a_job() {
    let place = Place::new("together");
    let (crew, _) = place.crew(DeadLetterPolicy::Stop);
    let _help = Help::start(&place, |_| None);
    assert_eq!(played(&crew, 90).expect("played"), at_home(90));
    let tally = crew.job_counts();
    assert_eq!(tally.handed_in, tally.done);
    assert!(tally.handed_in < 45, "{tally:?}");
}
