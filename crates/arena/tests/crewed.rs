//! Games by workers elsewhere, some of whom answer nonsense or cannot; with a real server.

use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mendel_arena::task::{GameHandler, HouseRules};
use mendel_arena::{
    Adjudication, AwayError, BoutGame, Bouts, Crew, Entrant, LengthRule, OpeningSetting, Openings,
    Pace, Pair, PairOutcome, Patience, Verdict, WhenDead, Workers,
};
use mendel_crew::{Blobs, Handler, Job, Limits, Options, Progress, Refusal, Remote, Worker};
use mendel_engine::Player;

const PROGRAM: &str = "1.2.3";

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
        let free = TcpListener::bind("127.0.0.1:0").expect("there are free ports");
        let port = free.local_addr().expect("it is bound").port();
        drop(free);
        let server = Command::new("nats-server")
            .args(["--jetstream", "--store_dir", "store", "--addr", "127.0.0.1"])
            .args(["--port", &port.to_string()])
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("install the package `nats-server`");
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(10), "no server");
            thread::sleep(Duration::from_millis(10));
        }
        Self {
            folder,
            port,
            server,
        }
    }

    fn options(&self) -> Options {
        let url = format!("nats://127.0.0.1:{}", self.port);
        let mut options = Options::new(&url, None, None).expect("this machine is safe");
        options.lease = Duration::from_secs(5);
        options
    }

    /// Workers as a coordinator has them, and what is told.
    fn workers(&self, when_dead: WhenDead) -> (Workers, Arc<Mutex<Vec<String>>>) {
        let remote = Remote::connect(&self.options(), PROGRAM).expect("the server is there");
        let told = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&told);
        let workers = Workers::new(remote, when_dead, move |text| {
            heard.lock().expect("no panic").push(text.to_owned());
        });
        (workers, told)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// What one does before it plays as it should: its own answer, if there is one.
type Whim = dyn Fn(&str) -> Option<Result<Vec<u8>, Refusal>> + Send + std::marker::Sync;

struct Moody {
    whim: Box<Whim>,
    games: GameHandler,
}

impl Handler for Moody {
    fn kind(&self) -> &'static str {
        self.games.kind()
    }

    fn version(&self) -> u32 {
        self.games.version()
    }

    fn work(&self, job: &Job, blobs: &dyn Blobs, progress: &Progress) -> Result<Vec<u8>, Refusal> {
        let own = (self.whim)(job.id.as_str());
        own.unwrap_or_else(|| self.games.work(job, blobs, progress))
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
        whim: impl Fn(&str) -> Option<Result<Vec<u8>, Refusal>> + Send + std::marker::Sync + 'static,
    ) -> Self {
        let handler = Moody {
            whim: Box::new(whim),
            games: GameHandler::new(Arc::new(HouseRules::new(64))),
        };
        let limits = Limits {
            hands: 2,
            ..Limits::default()
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

fn bouts() -> Bouts {
    let bred = |name: &str| {
        let player = Player::find(name).expect("it ships with the program");
        Entrant::bred(name, Arc::new(player), vec![("Hash".into(), "1".into())])
    };
    let book = Openings::own(&OpeningSetting::default());
    Bouts {
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

fn pairs(count: u64) -> Vec<Pair> {
    let pair = |id| Pair {
        id,
        first: 0,
        second: 1,
        opening: id as usize % 3,
        only: None,
    };
    (0..count).map(pair).collect()
}

fn played(crew: &Crew, count: u64) -> Result<BTreeMap<u64, PairOutcome>, AwayError> {
    let mut outcomes = BTreeMap::new();
    bouts().play_by(crew, &pairs(count), &Arc::default(), &mut |outcome| {
        let twice = outcomes.insert(outcome.id, outcome);
        assert!(twice.is_none(), "pair {} came twice", outcome.id);
        Ok::<_, AwayError>(())
    })?;
    Ok(outcomes)
}

fn at_home(count: u64) -> BTreeMap<u64, PairOutcome> {
    played(&Crew::threads(1), count).expect("played")
}

/// An answer of the right form that answers nothing.
const NONSENSE: &[u8] = br#"{"pairs":[]}"#;

#[test]
fn a_senseless_answer_is_asked_for_again() {
    let place = Place::new("senseless");
    let (workers, told) = place.workers(WhenDead::Stop);
    let crew = Crew::of(Some(&workers), &place.folder, 1).expect("a folder");
    let answers = AtomicU32::new(0);
    let help = Help::start(&place, move |_| {
        match answers.fetch_add(1, Ordering::Relaxed) {
            0 => Some(Ok(NONSENSE.to_vec())),
            // What is wrong with it quotes it, and a terminal would obey.
            1 => Some(Ok(br#"{"\u001b[2J":[]}"#.to_vec())),
            _ => None,
        }
    });
    assert_eq!(played(&crew, 5).expect("played"), at_home(5));
    assert_eq!(workers.tally().corrupt, 2);
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

/// Whoever only talks nonsense ends the run, but not for good.
#[test]
fn a_run_goes_on_after_nothing_but_nonsense() {
    let place = Place::new("nonsense");
    let (workers, _) = place.workers(WhenDead::Stop);
    let crew = Crew::of(Some(&workers), &place.folder, 1).expect("a folder");
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

/// The part with a job that nobody can read, and one that takes long.
fn hard(job: &str) -> Option<Result<Vec<u8>, Refusal>> {
    match job {
        "games-1-0" => Some(Err(Refusal::Bad("as it was told".to_owned()))),
        "games-1-1" => {
            thread::sleep(Duration::from_secs(4));
            None
        }
        _ => None,
    }
}

#[test]
fn a_dead_job_stops_the_run_at_once() {
    let place = Place::new("stop");
    let (workers, _) = place.workers(WhenDead::Stop);
    // So that both jobs are handed in together.
    std::fs::write(place.folder.join("crew.json"), page(1)).expect("a folder");
    let crew = Crew::of(Some(&workers), &place.folder, 1).expect("a folder");
    let _help = Help::start(&place, hard);
    let begun = Instant::now();
    let error = played(&crew, 2).expect_err("it is dead").to_string();
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "{:?}",
        begun.elapsed()
    );
    assert!(
        error.contains("games-1-0") && error.contains("as it was told"),
        "{error}"
    );
    assert!(
        error.contains("--crew-dead skip") && !error.contains("died"),
        "{error}"
    );
}

#[test]
fn a_run_can_do_without_what_nobody_can_do() {
    let place = Place::new("skip");
    let (workers, told) = place.workers(WhenDead::Skip);
    let crew = Crew::of(Some(&workers), &place.folder, 1).expect("a folder");
    let _help = Help::start(&place, hard);
    let mut wanted = at_home(4);
    wanted.insert(
        0,
        PairOutcome {
            id: 0,
            games: [BoutGame::NONE; 2],
        },
    );
    assert_eq!(played(&crew, 4).expect("played"), wanted);
    assert_eq!((workers.tally().dead, workers.tally().done), (1, 3));
    let told = told.lock().expect("no panic").join("\n");
    assert!(
        told.contains("games-1-0 is done without: as it was told"),
        "{told}"
    );
}

/// The page of a folder whose jobs have so many pieces each.
fn page(size: u64) -> String {
    format!(r#"{{"v":1,"run":"0123456789abcdef","part":"games","size":{size}}}"#) + "\n"
}

/// More than the server takes comes back from all jobs but small ones. The run goes on with
/// those, and so does every later life.
#[test]
fn jobs_whose_answers_are_too_large_are_made_smaller() {
    let place = Place::new("oversized");
    let (workers, told) = place.workers(WhenDead::Stop);
    std::fs::write(place.folder.join("crew.json"), page(8)).expect("a folder");
    let crew = Crew::of(Some(&workers), &place.folder, 1).expect("a folder");
    let _help = Help::start(&place, |job| {
        let large = ["games-8-", "games-4-"]
            .iter()
            .any(|it| job.starts_with(it));
        large.then(|| Ok(vec![b' '; 2 << 20]))
    });
    assert_eq!(played(&crew, 20).expect("played"), at_home(20));
    assert_eq!(workers.tally().dead, 0);
    let kept = std::fs::read_to_string(place.folder.join("crew.json")).expect("a page");
    assert_eq!(kept, page(2));
    let told = told.lock().expect("no panic").join("\n");
    assert_eq!(told.matches("half as large").count(), 2, "{told}");
}

/// A job is some seconds of work, once it is known how long a piece takes; and the games
/// are the same.
#[test]
fn quick_pieces_travel_together() {
    let place = Place::new("together");
    let (workers, _) = place.workers(WhenDead::Stop);
    let crew = Crew::of(Some(&workers), &place.folder, 1).expect("a folder");
    let _help = Help::start(&place, |_| None);
    assert_eq!(played(&crew, 90).expect("played"), at_home(90));
    let tally = workers.tally();
    assert_eq!(tally.handed_in, tally.done);
    assert!(tally.handed_in < 45, "{tally:?}");
}
