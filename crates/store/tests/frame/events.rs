use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use mendel_store::RunStatus;
use mendel_store::frame::{
    EventLine, EventReader, Events, Experiment, ExperimentEvent, Failure, Frame, Host, Identity,
    Preparation, start, status_of,
};
use serde::{Deserialize, Serialize};

use crate::fresh_folder;

fn add(path: &Path, text: &str) {
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .expect("writable");
    file.write_all(text.as_bytes()).expect("room");
}

fn note(text: &str) -> String {
    format!("{{\"v\":1,\"ms\":5,\"event\":\"note\",\"text\":\"{text}\"}}\n")
}

fn texts(lines: &[EventLine]) -> Vec<&str> {
    let text = |line| match line {
        &EventLine {
            event: ExperimentEvent::Note { ref text },
            ..
        } => text.as_str(),
        other => panic!("no note: {other:?}"),
    };
    lines.iter().map(text).collect()
}

#[test]
fn a_reader_follows_a_file_that_grows() {
    let path = fresh_folder("events-grow").join(Events::FILE);
    let mut reader = EventReader::new(&path);
    assert!(reader.read().expect("not there yet").is_empty());
    add(&path, &note("one"));
    assert_eq!(texts(&reader.read().expect("readable")), ["one"]);
    assert!(reader.read().expect("readable").is_empty());
    // Half a line, at every byte of it, and its rest.
    let whole = note("zwölf");
    for &byte in whole.as_bytes() {
        assert!(reader.read().expect("readable").is_empty());
        let mut file = OpenOptions::new()
            .append(true)
            .open(&path)
            .expect("writable");
        file.write_all(&[byte]).expect("room");
    }
    assert_eq!(texts(&reader.read().expect("readable")), ["zwölf"]);
    // From a byte offset on.
    let offset = reader.offset();
    add(&path, &note("three"));
    add(&path, &note("four"));
    let mut later = EventReader::at(&path, offset);
    assert_eq!(texts(&later.read().expect("readable")), ["three", "four"]);
    // In the middle of a line: from the next one on.
    let mut inside = EventReader::at(&path, offset + 3);
    assert_eq!(texts(&inside.read().expect("readable")), ["four"]);
}

#[test]
fn a_reader_begins_again_when_the_file_became_shorter() {
    let path = fresh_folder("events-short").join(Events::FILE);
    add(&path, &(note("one") + &note("two")));
    let mut reader = EventReader::new(&path);
    assert_eq!(reader.read().expect("readable").len(), 2);
    fs::write(&path, note("new")).expect("writable");
    assert_eq!(texts(&reader.read().expect("readable")), ["new"]);
    fs::remove_file(&path).expect("it is there");
    assert!(reader.read().expect("gone").is_empty());
    add(&path, &note("again"));
    assert_eq!(texts(&reader.read().expect("readable")), ["again"]);
}

#[test]
fn a_reader_leaves_out_what_it_does_not_know() {
    let path = fresh_folder("events-unknown").join(Events::FILE);
    add(
        &path,
        "{\"v\":1,\"ms\":5,\"event\":\"eclipse\",\"of\":\"moon\"}\n",
    );
    add(&path, &note("one"));
    add(
        &path,
        "{\"v\":2,\"ms\":5,\"event\":\"note\",\"text\":\"later\"}\n",
    );
    add(&path, "{\"v\":1,\"ms\":5,\"ev\n\n\0\0\0\n");
    add(
        &path,
        "{\"v\":1,\"ms\":5,\"event\":\"note\",\"text\":\"two\",\"more\":[1]}\n",
    );
    let lines = EventReader::new(&path).read().expect("readable");
    assert_eq!(texts(&lines), ["one", "two"]);
}

#[test]
fn a_long_file_is_read_in_parts() {
    let path = fresh_folder("events-long").join(Events::FILE);
    let long = "x".repeat(3 << 20);
    let many: String = (0..40_000)
        .map(|number| note(&number.to_string()))
        .collect();
    // A megabyte of lines of unknown events must not look like the end.
    let strange = "{\"v\":1,\"ms\":5,\"event\":\"eclipse\"}\n".repeat(60_000);
    fs::write(&path, many + &note(&long) + &strange + &note("last")).expect("writable");
    let mut reader = EventReader::new(&path);
    let mut count = 0;
    loop {
        let lines = reader.read().expect("readable");
        if lines.is_empty() {
            break;
        }
        count += lines.len();
    }
    assert_eq!(count, 40_002);
}

/// Says as much as it can for some time.
struct Talker;

#[derive(Serialize, Deserialize)]
struct TalkerPlan {
    milliseconds: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Silence {
    events: u64,
}

static MILLISECONDS: AtomicU64 = AtomicU64::new(0);

impl Experiment for Talker {
    const KIND: &'static str = "talker";
    const SCHEMA: u32 = 1;
    const PLAN: &'static str = "talker.toml";
    type Plan = TalkerPlan;
    type ExecOptions = ();
    type Outcome = Silence;

    fn prepare(
        plan: TalkerPlan,
        _seed: u64,
        (): &(),
        context: &Preparation,
    ) -> Result<Self, Failure> {
        context.note("prepared");
        MILLISECONDS.store(plan.milliseconds, Ordering::Relaxed);
        Ok(Self)
    }

    fn identity(&self) -> Identity {
        Identity::default()
    }

    fn run(self, frame: &mut Frame) -> Result<Silence, Failure> {
        let time = Duration::from_millis(MILLISECONDS.load(Ordering::Relaxed));
        let (begin, mut events) = (Instant::now(), 0);
        let name = "ü".repeat(2000);
        while begin.elapsed() < time {
            frame
                .events()
                .progress(&name, u64::MAX - events, Some(u64::MAX));
            frame.events().progress("games", events, None);
            events += 1;
        }
        let others = frame.events().clone();
        std::thread::spawn(move || others.note("from another thread"))
            .join()
            .expect("no panic");
        if time.is_zero() {
            return Err(Failure::failed("nothing to say".repeat(100_000)));
        }
        Ok(Silence { events })
    }
}

#[test]
fn progress_in_the_file_is_bounded_and_the_listener_hears_all() {
    let folder = fresh_folder("events-bound");
    let heard = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&heard);
    let host = Host {
        listener: Some(Arc::new(move |_, event| {
            if matches!(event, ExperimentEvent::Progress { .. }) {
                count.fetch_add(1, Ordering::Relaxed);
            }
        })),
        ..Host::default()
    };
    let begin = Instant::now();
    let plan = TalkerPlan { milliseconds: 900 };
    let outcome = start::<Talker>(&folder, plan, 1, "", &(), &host).expect("it talks");
    let quarters = begin.elapsed().as_millis() as usize / 250;
    assert!(outcome.events > 1000);
    assert_eq!(heard.load(Ordering::Relaxed), 2 * outcome.events);
    let text = fs::read_to_string(folder.join(Events::FILE)).expect("text");
    let progress: Vec<&str> = text
        .lines()
        .filter(|it| it.contains("\"progress\""))
        .collect();
    assert!(progress.iter().all(|it| it.len() < 256), "{progress:?}");
    // For both parts one at once, one each quarter of a second, and the last.
    let count = progress.len();
    assert!(
        (6..=2 * (quarters + 2)).contains(&count),
        "{count} of {quarters}"
    );
    let last = format!("\"done\":{},\"total\":null", outcome.events - 1);
    assert!(text.contains(&last), "{text}");
    assert!(text.contains("from another thread") && !text.contains("prepared"));
    let lines = EventReader::new(folder.join(Events::FILE))
        .read()
        .expect("readable");
    assert_eq!(lines.len(), text.lines().count());
    assert!(lines.is_sorted_by_key(|line| line.ms));
}

#[test]
fn a_failure_is_the_last_event_and_the_state_of_the_folder() {
    let folder = fresh_folder("events-failed");
    let plan = TalkerPlan { milliseconds: 0 };
    let failure = start::<Talker>(&folder, plan, 1, "", &(), &Host::default());
    assert!(matches!(failure, Err(Failure::Failed(_))));
    assert_eq!(status_of(&folder), RunStatus::Failed);
    let path = folder.join(Events::FILE);
    let lines = EventReader::new(&path).read().expect("readable");
    let last = lines.last().map(|line| &line.event);
    assert!(
        matches!(last, Some(ExperimentEvent::Failed { error }) if error.starts_with("nothing"))
    );
    assert!(fs::metadata(&path).expect("it is there").len() < 10_000);
    // A half-written line behind it changes nothing.
    add(&path, "{\"v\":1,\"ms\":5,\"event\":\"star");
    assert_eq!(status_of(&folder), RunStatus::Failed);
}
