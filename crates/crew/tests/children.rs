//! Workers in processes of their own: this test program, started again.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use mendel_crew::{ConnectOptions, Worker, WorkerLimits};

use crate::places::Place;
use crate::{Actor, PROGRAM};

const URL: &str = "MENDEL_CREW_TEST_URL";
const MEMORY: &str = "MENDEL_CREW_TEST_MEMORY";

/// A worker process; killed as `kill -9` kills when it goes out of scope.
pub(crate) struct Process(Child);

impl Process {
    pub(crate) fn start(place: &Place) -> Self {
        Self::start_with(place, None)
    }

    pub(crate) fn start_with(place: &Place, memory: Option<u64>) -> Self {
        let mut command = Command::new(program());
        if let Some(memory) = memory {
            command.env(MEMORY, memory.to_string());
        }
        Self::spawn(place, command)
    }

    /// By a shell that does this first.
    pub(crate) fn start_under(place: &Place, first: &str) -> Self {
        let mut command = Command::new("sh");
        let line = format!("{first} && exec \"$0\" \"$@\"");
        command.args(["-c", &line]).arg(program());
        Self::spawn(place, command)
    }

    fn spawn(place: &Place, mut command: Command) -> Self {
        command
            .args(["--exact", "children::works", "--ignored", "--nocapture"])
            .env(URL, place.url())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Self(command.spawn().expect("this program can be started again"))
    }

    pub(crate) fn is_dead(&mut self) -> bool {
        self.0.try_wait().expect("it is our child").is_some()
    }

    /// Starts a worker again each time it dies, until `over` is set. The number of deaths.
    pub(crate) fn restart_until(over: &AtomicBool, start: impl Fn() -> Self) -> u32 {
        let (mut deaths, mut worker) = (0, start());
        while !over.load(Ordering::Relaxed) {
            if worker.is_dead() {
                deaths += 1;
                worker = start();
            }
            thread::sleep(Duration::from_millis(20));
        }
        deaths
    }
}

fn program() -> PathBuf {
    std::env::current_exe().expect("this program has a path")
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[ignore = "the part of a worker process, started by other tests"]
fn works() {
    let Ok(url) = std::env::var(URL) else {
        return;
    };
    let memory = std::env::var(MEMORY).ok();
    let limits = WorkerLimits {
        memory: memory.map(|memory| memory.parse().expect("a number")),
        ..WorkerLimits::default()
    };
    let options = ConnectOptions::new(&url, None, None).expect("this machine is safe");
    let name = format!("process-{}", std::process::id());
    let worker = Worker::new(options, limits, &name, PROGRAM).handler(Arc::new(Actor));
    let end = worker.run(&AtomicBool::new(false), &mut |_| {});
    panic!("it was to be killed: {end:?}");
}
