//! What the tests share: folders, the program, and waiting for conditions.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// The program under test.
pub(crate) const MENDEL: &str = env!("CARGO_BIN_EXE_mendel");

/// Deadline of every wait, generous also on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_mins(10);

/// Waits until something holds, in at most [`LIMIT`].
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < LIMIT, "it never happened: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Kills a process, as `kill -9` does, as soon as something holds; whether it was still at
/// work then.
pub(crate) fn kill_when(mut child: Child, what: &str, mut holds: impl FnMut() -> bool) -> bool {
    let mut over = false;
    wait_until(what, || {
        over = child.try_wait().expect("it is our child").is_some();
        over || holds()
    });
    child.kill().expect("it can be killed");
    child.wait().expect("it is gone");
    !over
}

/// The bytes of a file, 0 where there is none.
pub(crate) fn size(path: impl AsRef<Path>) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

/// A folder for one test, removed at the end. The home of the program is in it.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("mendel-cli-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("there is room for a folder");
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn at(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Writes a file and returns its path.
    pub(crate) fn put(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), contents).expect("there is room for a file");
        self.at(name)
    }

    /// `mendel` with its home here, without input, its output in pipes.
    pub(crate) fn command<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Command {
        let mut command = Command::new(MENDEL);
        command.args(arguments);
        self.set_home(&mut command);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Sets the home, and removes what the environment of the tests says otherwise.
    pub(crate) fn set_home(&self, command: &mut Command) {
        command.env("MENDEL_HOME", self.at("home"));
        for name in ["MENDEL_PLAYER", "MENDEL_CREW", "MENDEL_CREW_TOKEN"] {
            command.env_remove(name);
        }
    }

    /// Starts `mendel`; its output is not read.
    pub(crate) fn start<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Child {
        let mut command = self.command(arguments);
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("the program was built")
    }

    /// Runs `mendel` to its end.
    pub(crate) fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Said {
        finish(&mut self.command(arguments), b"")
    }

    /// Runs `mendel`, which must succeed, and returns what it printed.
    pub(crate) fn printed(&self, arguments: &[&str]) -> String {
        self.run(arguments).success(arguments)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What the program said and how it ended.
pub(crate) struct Said {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: Option<i32>,
}

impl Said {
    /// What was printed by a command that must have succeeded.
    pub(crate) fn success(self, arguments: &[&str]) -> String {
        assert_eq!(self.code, Some(0), "{arguments:?}: {}", self.err);
        self.out
    }
}

/// Runs `mendel` with `arguments` and `input` on its standard input.
pub(crate) fn mendel(arguments: &[&str], input: &[u8]) -> Said {
    let mut command = Command::new(MENDEL);
    finish(command.args(arguments).env_remove("MENDEL_PLAYER"), input)
}

/// Runs a command with `input` on its standard input to its end.
pub(crate) fn finish(command: &mut Command, input: &[u8]) -> Said {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program was built");
    let mut stdin = child.stdin.take().expect("it is piped");
    let input = input.to_vec();
    let writer = thread::spawn(move || {
        // The program may end before it has read everything.
        let _ = stdin.write_all(&input);
    });
    let mut stdout = child.stdout.take().expect("it is piped");
    let mut stderr = child.stderr.take().expect("it is piped");
    let out = thread::spawn(move || drain(&mut stdout));
    let err = thread::spawn(move || drain(&mut stderr));
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            break status;
        }
        if started.elapsed() > LIMIT {
            child.kill().expect("it can be killed");
            panic!("{command:?} did not end");
        }
        thread::sleep(Duration::from_millis(5));
    };
    writer.join().expect("writing does not panic");
    Said {
        out: out.join().expect("reading does not panic"),
        err: err.join().expect("reading does not panic"),
        code: status.code(),
    }
}

/// Runs `mendel`, which must succeed, and returns what it printed.
pub(crate) fn printed(arguments: &[&str]) -> String {
    mendel(arguments, b"").success(arguments)
}

pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The result, which is the last line of `--json`.
pub(crate) fn last_json(text: &str) -> Value {
    json(text.lines().last().unwrap_or_default())
}

pub(crate) fn read(folder: &str, name: &str) -> String {
    fs::read_to_string(Path::new(folder).join(name))
        .unwrap_or_else(|error| panic!("{folder}/{name}: {error}"))
}

/// A file of an experiment; a manifest without its command, which has the folder and the threads.
pub(crate) fn read_record(folder: &str, name: &str) -> String {
    let text = read(folder, name);
    if !name.ends_with("manifest.toml") {
        return text;
    }
    let lines = text.lines().filter(|line| !line.starts_with("command = "));
    lines.collect::<Vec<_>>().join("\n")
}

/// Runs a command of the shell that uses `mendel` as `$MENDEL`.
pub(crate) fn shell(script: &str) -> Output {
    Command::new("sh")
        .args(["-c", script])
        .env("MENDEL", MENDEL)
        .stdin(Stdio::null())
        .output()
        .expect("there is a shell")
}

fn drain(from: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).expect("a pipe can be read");
    String::from_utf8(bytes).expect("the program speaks UTF-8")
}
