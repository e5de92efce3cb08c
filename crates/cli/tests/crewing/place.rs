//! A server of our own, and everybody at it.

use std::fs::{self, File};
use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::mendel::Scratch;

/// Nothing here may take longer.
pub(crate) const LIMIT: Duration = Duration::from_mins(3);

/// A server on a free port of this machine, gone when this goes out of scope.
pub(crate) struct Place {
    pub(crate) scratch: Scratch,
    port: u16,
    arguments: Vec<String>,
    server: Option<Child>,
}

impl Place {
    pub(crate) fn new(name: &str, arguments: &[&str]) -> Self {
        let free = TcpListener::bind("127.0.0.1:0").expect("there are free ports");
        let port = free.local_addr().expect("it is bound").port();
        drop(free);
        let mut place = Self {
            scratch: Scratch::new(&format!("crew-{name}")),
            port,
            arguments: arguments.iter().map(ToString::to_string).collect(),
            server: None,
        };
        place.start();
        place
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    fn start(&mut self) {
        let log = File::create(self.scratch.at("server.log")).expect("there is room");
        let child = Command::new("nats-server")
            .args(["--addr", "127.0.0.1", "--port", &self.port.to_string()])
            .args(["--jetstream", "--store_dir", &self.scratch.at("store")])
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        self.server = Some(child.unwrap_or_else(|error| {
            panic!("cannot start nats-server: {error}; install the package `nats-server`")
        }));
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let log = fs::read_to_string(self.scratch.at("server.log"));
            assert!(begun.elapsed() < Duration::from_secs(20), "{log:?}");
            thread::sleep(Duration::from_millis(10));
        }
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
        let url = self.url();
        let all = [arguments, &["--crew", &url, "--crew-lease", "2"]].concat();
        Process::start(&self.scratch, &all)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The program under way, killed as `kill -9` does when this goes out of scope.
pub(crate) struct Process {
    child: Child,
    out: Option<thread::JoinHandle<String>>,
    err: Option<thread::JoinHandle<String>>,
}

impl Process {
    pub(crate) fn start(scratch: &Scratch, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mendel"));
        command.args(arguments);
        Self::of(scratch, command)
    }

    /// The program with something typed into it.
    pub(crate) fn typed(scratch: &Scratch, arguments: &[&str], typed: &str) -> Self {
        let file = scratch.at("typed.txt");
        fs::write(&file, typed).expect("there is room");
        let mut command = Command::new(env!("CARGO_BIN_EXE_mendel"));
        command.args(arguments);
        let typed = File::open(&file).expect("it was written");
        Self::with(scratch, command, typed.into())
    }

    /// A command that leads to the program.
    pub(crate) fn of(scratch: &Scratch, command: Command) -> Self {
        Self::with(scratch, command, Stdio::null())
    }

    fn with(scratch: &Scratch, mut command: Command, stdin: Stdio) -> Self {
        let mut child = command
            .env("MENDEL_HOME", scratch.at("home"))
            .env_remove("MENDEL_CREW")
            .env_remove("MENDEL_CREW_TOKEN")
            .env_remove("MENDEL_PLAYER")
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program was built");
        let out = child.stdout.take().map(reader);
        let err = child.stderr.take().map(reader);
        Self { child, out, err }
    }

    pub(crate) fn is_over(&mut self) -> bool {
        self.child.try_wait().expect("it is ours").is_some()
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Asks it to end, as Ctrl-C does.
    pub(crate) fn interrupt(&self) {
        let id = self.child.id().to_string();
        let asked = Command::new("kill").args(["-INT", &id]).status();
        assert!(asked.expect("there is a shell").success());
    }

    /// Waits for its end: exit code, stdout and stderr.
    pub(crate) fn end(mut self) -> (Option<i32>, String, String) {
        let begun = Instant::now();
        while !self.is_over() {
            if begun.elapsed() > LIMIT {
                self.kill();
                panic!("it does not end: {}", self.said().1);
            }
            thread::sleep(Duration::from_millis(5));
        }
        let code = self.child.wait().expect("it is ours").code();
        let (out, err) = self.said();
        (code, out, err)
    }

    fn said(&mut self) -> (String, String) {
        let read = |reader: Option<thread::JoinHandle<String>>| {
            reader.map_or_else(String::new, |reader| reader.join().expect("it reads"))
        };
        (read(self.out.take()), read(self.err.take()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn reader(mut from: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
