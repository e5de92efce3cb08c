//! Output to devices, pipes and links, and to where nothing can be written.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use super::{Inputs, WRITERS, writing};
use crate::support::{LIMIT, finish};

/// `--write` of a tuning, which refuses files that are there unless it is forced.
const PARAMETERS: &str = "tune mendel --options null_reduction --depth 6 --quiet --write";

/// Whether a file is one that was not renamed to its final name.
fn is_leftover(name: &str) -> bool {
    let ending = Path::new(name).extension();
    ending.is_some_and(|ending| ending == "new" || ending == "work")
}

fn made(program: &str, arguments: &[&str], path: &Path) -> bool {
    let mut command = Command::new(program);
    command.arg(path).args(arguments).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[test]
fn a_pipe_named_as_output_stays_a_pipe_and_gets_the_contents() {
    let inputs = Inputs::new("out-pipe");
    for (number, words) in WRITERS.iter().chain([&PARAMETERS]).enumerate() {
        let path = inputs.at(&format!("pipe{number}"));
        assert!(made("mkfifo", &[], &path), "mkfifo is part of every system");
        let (send, receive) = mpsc::channel();
        let from = path.clone();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = fs::File::open(from).and_then(|mut file| file.read_to_end(&mut bytes));
            send.send(read.map(|_| bytes))
        });
        let said = inputs.run(writing(words, &format!("pipe{number}")));
        let kind = fs::symlink_metadata(&path)
            .expect("it was made")
            .file_type();
        assert!(kind.is_fifo(), "{words}: the pipe was replaced");
        assert_eq!(said.code, Some(0), "{words}: {}", said.err);
        let bytes = receive.recv_timeout(LIMIT).expect("the pipe is written to");
        assert!(!bytes.expect("readable").is_empty(), "{words}");
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_device_named_as_output_stays_a_device_and_its_error_is_told() {
    let inputs = Inputs::new("out-device");
    let (null, full) = (inputs.at("null"), inputs.at("full"));
    if !(made("mknod", &["c", "1", "3"], &null) && made("mknod", &["c", "1", "7"], &full)) {
        eprintln!("skipped: only root can make a device");
        return;
    }
    for words in WRITERS.iter().chain([&PARAMETERS]) {
        for (device, code) in [("null", 0), ("full", 1)] {
            let said = inputs.run(writing(words, device));
            let found = fs::symlink_metadata(inputs.at(device)).expect("it was made");
            assert!(
                found.file_type().is_char_device() && found.rdev() & 0xff != 0,
                "{words}: {device} was replaced"
            );
            assert_eq!(said.code, Some(code), "{words} {device}: {}", said.err);
            if code == 1 {
                assert_eq!(said.err.matches("full").count(), 1, "{words}: {}", said.err);
                assert!(said.err.contains("o space left"), "{words}: {}", said.err);
            }
        }
    }
}

#[test]
fn a_link_named_as_output_stays_a_link() {
    let inputs = Inputs::new("out-link");
    fs::create_dir(inputs.at("elsewhere")).expect("writable");
    for (number, words) in WRITERS.iter().chain([&PARAMETERS]).enumerate() {
        // 1. To a file that is not there yet.
        let (link, target) = (format!("link{number}"), format!("elsewhere/file{number}"));
        symlink(&target, inputs.at(&link)).expect("writable");
        let said = inputs.run(writing(words, &link));
        assert_eq!(said.code, Some(0), "{words}: {}", said.err);
        let kind = fs::symlink_metadata(inputs.at(&link)).expect("it was made");
        assert!(kind.is_symlink(), "{words}: the link was replaced");
        assert!(
            fs::metadata(inputs.at(&target)).is_ok_and(|it| it.len() > 0),
            "{words}"
        );
    }
    // 2. To the standard output, which is none of the program's files.
    symlink("/proc/self/fd/1", inputs.at("stdout")).expect("writable");
    for words in WRITERS {
        let said = inputs.command(writing(words, "stdout")).output();
        let said = said.expect("it was built");
        assert!(said.status.success(), "{words}: {said:?}");
        let kind = fs::symlink_metadata(inputs.at("stdout")).expect("it was made");
        assert!(kind.is_symlink(), "{words}: the link was replaced");
        // What was asked for, and a line that says so.
        assert!(said.stdout.len() > 100, "{words}: {said:?}");
    }
    // 3. Nothing else is left.
    let left = |folder| {
        let names = inputs.names(folder).into_iter();
        names.filter(|name| is_leftover(name)).collect::<Vec<_>>()
    };
    assert!(left("").is_empty() && left("elsewhere").is_empty());
}

#[test]
fn output_that_cannot_be_written_is_refused_before_the_work() {
    let inputs = Inputs::new("out-refused");
    fs::create_dir(inputs.at("folder")).expect("writable");
    fs::create_dir(inputs.at("locked")).expect("writable");
    symlink("loop", inputs.at("loop")).expect("writable");
    let before = inputs.names("");
    for words in WRITERS.iter().chain([&PARAMETERS]) {
        for (out, reason) in [
            ("missing/file", "o such file or directory"),
            ("folder", "is a folder"),
            ("train.toml/file", "ot a directory"),
            ("loop", "symbolic links"),
        ] {
            let said = inputs.run(writing(words, out));
            assert_eq!(said.code, Some(2), "{words} {out}: {}", said.err);
            assert_eq!(
                said.err.matches(&format!("`{out}`")).count(),
                1,
                "{words}: {}",
                said.err
            );
            assert!(said.err.contains(reason), "{words} {out}: {}", said.err);
        }
    }
    assert_eq!(inputs.names(""), before, "something was begun");

    // Root may write everywhere, unless it gives that right away.
    fs::set_permissions(
        inputs.at("locked"),
        std::os::unix::fs::PermissionsExt::from_mode(0o555),
    )
    .expect("it is ours");
    for words in WRITERS.iter().chain([&PARAMETERS]) {
        let said = finish(
            &mut inputs.without_privileges(writing(words, "locked/file")),
            b"",
        );
        assert_eq!(said.code, Some(2), "{words}: {}", said.err);
        assert_eq!(
            said.err.matches("locked/file").count(),
            1,
            "{words}: {}",
            said.err
        );
        assert!(
            said.err.contains("ermission denied"),
            "{words}: {}",
            said.err
        );
    }
    assert!(inputs.names("locked").is_empty());
}

#[test]
fn two_processes_with_one_output_leave_a_whole_file() {
    let inputs = Inputs::new("out-two");
    let players = ["gerald-base", "teaching"];
    let rows =
        |player: &str, out: &str| writing(&format!("data rows quiet --player {player} --out"), out);
    let whole = players.map(|player| {
        assert_eq!(inputs.run(rows(player, "alone.csv")).code, Some(0));
        fs::read(inputs.at("alone.csv")).expect("it was written")
    });
    assert!(whole[0] != whole[1]);
    for _ in 0..3 {
        let both = players.map(|player| {
            let mut command = inputs.command(rows(player, "both.csv"));
            command.stdout(Stdio::null()).spawn().expect("it was built")
        });
        for mut child in both {
            assert!(child.wait().expect("it ends").success());
        }
        let found = fs::read(inputs.at("both.csv")).expect("it was written");
        assert!(whole.contains(&found), "a mixture of {} bytes", found.len());
    }
    assert!(!inputs.names("").iter().any(|name| is_leftover(name)));
}

#[test]
fn a_write_that_fails_leaves_the_old_file() {
    let inputs = Inputs::new("out-full");
    for words in [
        "data rows quiet --player gerald-base --out",
        "data scores quiet --out",
        "report run --out",
    ] {
        fs::write(inputs.at("file"), "old").expect("writable");
        let plain = inputs.command(writing(words, "file"));
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\""]);
        command.arg(plain.get_program()).args(plain.get_args());
        command
            .current_dir(inputs.at(""))
            .env("MENDEL_HOME", inputs.at("home"));
        let said = finish(&mut command, b"");
        assert_eq!(said.code, Some(1), "{words}: {}", said.err);
        assert_eq!(
            said.err.matches("`file`").count(),
            1,
            "{words}: {}",
            said.err
        );
        let text = fs::read(inputs.at("file")).expect("it is there");
        assert!(text == b"old", "{words}: {} bytes", text.len());
    }
    assert!(!inputs.names("").iter().any(|name| is_leftover(name)));
}
