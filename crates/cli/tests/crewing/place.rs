//! A server of our own, and everybody at it.

use std::fs::{self, File};
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

use crate::support::{Scratch, mendel, wait_until};

/// A server on a free port of this machine, gone when this goes out of scope.
pub(crate) struct Place {
    pub(crate) scratch: Scratch,
    /// Chosen by the server when it starts for the first time.
    port: Option<u16>,
    arguments: Vec<String>,
    server: Option<Child>,
}

impl Place {
    pub(crate) fn new(name: &str, arguments: &[&str]) -> Self {
        let mut place = Self {
            scratch: Scratch::new(&format!("crew-{name}")),
            port: None,
            arguments: arguments.iter().map(ToString::to_string).collect(),
            server: None,
        };
        place.start();
        place
    }

    pub(crate) fn url(&self) -> String {
        let port = self.port.expect("the server was started");
        format!("nats://127.0.0.1:{port}")
    }

    /// What `mendel crew status` says, where it can.
    pub(crate) fn status(&self) -> Value {
        let said = mendel(&["crew", "status", "--crew", &self.url(), "--json"], b"");
        serde_json::from_str(&said.out).unwrap_or_default()
    }

    /// Waits until the status is as wanted, and gives it back.
    pub(crate) fn status_when(&self, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        let mut status = Value::Null;
        wait_until(what, || {
            status = self.status();
            is(&status)
        });
        status
    }

    fn start(&mut self) {
        let log = File::create(self.scratch.at("server.log")).expect("there is room");
        let port = self.port.map_or("-1".to_owned(), |port| port.to_string());
        let child = Command::new("nats-server")
            .args(["--addr", "127.0.0.1", "--port", &port])
            .args(["--jetstream", "--store_dir", &self.scratch.at("store")])
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        let child = child.unwrap_or_else(|error| {
            panic!("cannot start nats-server: {error}; `tools/install_needs.sh test` gets it")
        });
        let child = self.server.insert(child);
        let log = self.scratch.at("server.log");
        wait_until("the server listens", || {
            let log = fs::read_to_string(&log).unwrap_or_default();
            let ended = child.try_wait().expect("it is our child");
            assert!(ended.is_none(), "it ended: {ended:?}: {log}");
            self.port = port_in(&log);
            self.port.is_some()
        });
    }

    /// Kills the server as `kill -9` does and starts it again.
    pub(crate) fn restart(&mut self) {
        self.kill();
        self.start();
    }

    /// As `restart`, with an empty disk.
    pub(crate) fn forget(&mut self) {
        self.kill();
        fs::remove_dir_all(self.scratch.at("store")).expect("it was there");
        self.start();
    }

    fn kill(&mut self) {
        if let Some(mut server) = self.server.take() {
            let _ = server.kill();
            let _ = server.wait();
        }
    }

    /// A worker with these arguments more.
    pub(crate) fn worker(&self, arguments: &[&str]) -> Process {
        let url = self.url();
        let all = [&["worker", "--crew", &url, "--threads", "1"], arguments].concat();
        Process::start(&self.scratch, &all)
    }

    /// The program, with the crew named and a lease that tests can wait for.
    pub(crate) fn coordinator(&self, arguments: &[&str]) -> Process {
        self.coordinator_with_lease("2", arguments)
    }

    /// The same with a lease of so many seconds.
    pub(crate) fn coordinator_with_lease(&self, lease: &str, arguments: &[&str]) -> Process {
        let url = self.url();
        let all = [arguments, &["--crew", &url, "--crew-lease", lease]].concat();
        Process::start(&self.scratch, &all)
    }
}

/// The port at which a server listens, once its log says so.
fn port_in(log: &str) -> Option<u16> {
    let (_, after) = log.split_once("Listening for client connections on 127.0.0.1:")?;
    let (port, _) = after.split_once('\n')?;
    port.trim().parse().ok()
}

impl Drop for Place {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The program under way, killed as `kill -9` does when this goes out of scope.
pub(crate) struct Process {
    child: Child,
    out: Reader,
    err: Reader,
}

impl Process {
    pub(crate) fn start(scratch: &Scratch, arguments: &[&str]) -> Self {
        Self::of(scratch, scratch.command(arguments))
    }

    /// The program with something typed into it.
    pub(crate) fn typed(scratch: &Scratch, arguments: &[&str], typed: &str) -> Self {
        let file = scratch.put("typed.txt", typed);
        let typed = File::open(&file).expect("it was written");
        Self::with(scratch, scratch.command(arguments), typed.into())
    }

    /// A command that leads to the program.
    pub(crate) fn of(scratch: &Scratch, command: Command) -> Self {
        Self::with(scratch, command, Stdio::null())
    }

    fn with(scratch: &Scratch, mut command: Command, stdin: Stdio) -> Self {
        scratch.set_home(&mut command);
        let mut child = command
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program was built");
        let out = Reader::of(child.stdout.take());
        let err = Reader::of(child.stderr.take());
        Self { child, out, err }
    }

    pub(crate) fn is_over(&mut self) -> bool {
        self.child.try_wait().expect("it is ours").is_some()
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Asks it to end, as Ctrl-C does, and waits until it has been asked: a second signal
    /// would be lost while the first one waits.
    pub(crate) fn interrupt(&self) {
        const SIGINT: u64 = 1 << (2 - 1);
        let id = self.child.id().to_string();
        let asked = Command::new("kill").args(["-INT", &id]).status();
        assert!(asked.expect("there is a shell").success());
        wait_until("the signal arrives", || {
            let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
            let of = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
            let waiting = of("ShdPnd:").and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
            let over = of("State:").is_none_or(|state| state.trim().starts_with('Z'));
            over || waiting.is_none_or(|mask| mask & SIGINT == 0)
        });
    }

    /// Waits until it has said something on stderr.
    pub(crate) fn wait_for(&self, text: &str) {
        wait_until(text, || {
            let said = self.err.said.lock().expect("nobody panics");
            String::from_utf8_lossy(&said).contains(text)
        });
    }

    /// Waits for its end: exit code, stdout and stderr.
    pub(crate) fn end(mut self) -> (Option<i32>, String, String) {
        wait_until("the end of the program", || self.is_over());
        let code = self.child.wait().expect("it is ours").code();
        (code, self.out.end(), self.err.end())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What comes out of a pipe.
struct Reader {
    said: Arc<Mutex<Vec<u8>>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Reader {
    fn of(from: Option<impl Read + Send + 'static>) -> Self {
        let mut from = from.expect("it is piped");
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&said);
        let thread = thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                let mut heard = heard.lock().expect("nobody panics");
                heard.extend_from_slice(&bytes[..count]);
            }
        });
        Self {
            said,
            thread: Some(thread),
        }
    }

    /// All of it, when the other end is closed.
    fn end(&mut self) -> String {
        if let Some(thread) = self.thread.take() {
            thread.join().expect("it reads");
        }
        let said = self.said.lock().expect("nobody panics");
        String::from_utf8_lossy(&said).into_owned()
    }
}
