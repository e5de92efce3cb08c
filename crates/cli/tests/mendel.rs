//! Running the program.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Nothing in these tests takes longer, however busy the machine is, or it is stuck.
const LIMIT: Duration = Duration::from_mins(10);

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

/// A folder of its own for each test, gone afterwards.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("mendel-cli-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("there is room for a folder");
        Self(path)
    }

    pub(crate) fn at(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
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

/// Runs `mendel` with `arguments` and `input` on its standard input.
pub(crate) fn mendel(arguments: &[&str], input: &[u8]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mendel"));
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
        // Whoever does not read everything need not.
        let _ = stdin.write_all(&input);
    });
    let mut stdout = child.stdout.take().expect("it is piped");
    let mut stderr = child.stderr.take().expect("it is piped");
    let out = thread::spawn(move || read(&mut stdout));
    let err = thread::spawn(move || read(&mut stderr));
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
    let said = mendel(arguments, b"");
    assert_eq!(said.code, Some(0), "{arguments:?}: {}", said.err);
    said.out
}

/// Runs a command of the shell that uses `mendel` as `$MENDEL`.
pub(crate) fn shell(script: &str) -> Output {
    Command::new("sh")
        .args(["-c", script])
        .env("MENDEL", env!("CARGO_BIN_EXE_mendel"))
        .stdin(Stdio::null())
        .output()
        .expect("there is a shell")
}

fn read(from: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).expect("a pipe can be read");
    String::from_utf8(bytes).expect("the program speaks UTF-8")
}
