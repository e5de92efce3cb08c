//! Other processes: this test program, started again to play one of these parts.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use mendel_store::{FolderLock, Journal, Sync};

use crate::Note;

/// Which part the child plays, and in which folder.
const PART: &str = "MENDEL_STORE_TEST_PART";
const FOLDER: &str = "MENDEL_STORE_TEST_FOLDER";

/// A running child; killed as `kill -9` kills when it goes out of scope.
pub(crate) struct Actor {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Actor {
    /// Starts this program again as one of the parts below.
    pub(crate) fn start(part: &str, folder: &Path) -> Self {
        let program = std::env::current_exe().expect("this program has a path");
        Self::start_command(Command::new(program), part, folder)
    }

    /// The same with files limited to one block (512 or 1024 bytes, as the shell
    /// has it), and without the signal that a write beyond it would bring.
    pub(crate) fn start_with_little_room(part: &str, folder: &Path) -> Self {
        let program = std::env::current_exe().expect("this program has a path");
        let mut command = Command::new("sh");
        command
            .args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\""])
            .arg(program);
        Self::start_command(command, part, folder)
    }

    fn start_command(mut command: Command, part: &str, folder: &Path) -> Self {
        let mut child = command
            .args([
                "--exact",
                "children::plays_its_part",
                "--ignored",
                "--nocapture",
                "-q",
            ])
            .env(PART, part)
            .env(FOLDER, folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("this program can be started again");
        let lines = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Self { child, lines }
    }

    /// The number of the process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The next line it says that begins with this word, without the word.
    pub(crate) fn hear(&mut self, word: &str) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).expect("a pipe can be read") == 0 {
                return None;
            }
            // The test harness says things too, and not always on lines of its own.
            if let Some((_, rest)) = line.trim_end().split_once(word) {
                return Some(rest.trim().to_owned());
            }
        }
    }

    /// `kill -9`.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("a child can be killed");
        self.child.wait().expect("a child can be waited for");
    }
}

impl Drop for Actor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[ignore = "a part for other tests, which start this program again"]
fn plays_its_part() {
    let (Ok(part), Some(folder)) = (std::env::var(PART), std::env::var_os(FOLDER)) else {
        return;
    };
    let folder = Path::new(&folder);
    // The parent may be killed too; no child may remain.
    thread::spawn(|| {
        let _ = io::stdin().read(&mut [0]);
        std::process::abort();
    });
    match part.as_str() {
        "append" => append(folder, Sync::Each),
        "append fast" => append(folder, Sync::Every(Duration::from_millis(50))),
        "fill" => fill(folder),
        "hold" => hold(folder),
        "experiment" => say(&crate::frame::kill::run_experiment(folder)),
        other => panic!("no such part: {other}"),
    }
}

fn say(line: &str) {
    writeln!(io::stdout(), "{line}").expect("the parent reads");
}

/// Appends notes without end, each acknowledged aloud after it was written.
fn append(folder: &Path, sync: Sync) {
    let _lock = FolderLock::take(folder).expect("the lock is free");
    let (mut journal, earlier) =
        Journal::<Note>::open(&folder.join("notes.jsonl"), sync).expect("a journal");
    for number in earlier.len() as u64.. {
        journal.append(&Note::numbered(number)).expect("room");
        say(&format!("appended {number}"));
    }
}

/// Appends a note that fits, one that does not, and one that does.
fn fill(folder: &Path) {
    let (mut journal, _) =
        Journal::<Note>::open(&folder.join("notes.jsonl"), Sync::Each).expect("a journal");
    journal.append(&Note::numbered(0)).expect("room for one");
    let long = Note {
        number: 1,
        text: "long".repeat(1000),
    };
    let error = journal.append(&long).expect_err("no room for this");
    say(&format!("refused {error}"));
    journal
        .append(&Note::numbered(1))
        .expect("room for another");
    say("done");
}

/// Takes the lock and keeps it.
fn hold(folder: &Path) {
    let _lock = FolderLock::take(folder).expect("the lock is free");
    say("holding");
    loop {
        thread::sleep(Duration::from_mins(1));
    }
}
