//! What an experiment says while it runs.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::host::Host;

/// Something that happened. Events are a log: a resume never reads them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ExperimentEvent {
    Started {
        kind: String,
        name: String,
        id: String,
        resumed: bool,
    },
    /// An experiment inside this one is next; it has events of its own.
    Nested {
        folder: PathBuf,
        kind: String,
    },
    /// How far one part of the work is.
    Progress {
        part: String,
        /// Units of work that are done.
        done: u64,
        /// All units, where they are known.
        total: Option<u64>,
    },
    /// The content of a journal record, or of something else that one kind of experiment has.
    Record {
        /// What it is, such as `generation`.
        name: String,
        data: Value,
    },
    /// A warning or a message.
    Note {
        text: String,
    },
    Finished {
        summary: Value,
    },
    Stopped,
    Failed {
        error: String,
    },
}

/// A line of `events.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventLine {
    pub v: u32,
    /// Milliseconds since the process started.
    pub ms: u64,
    #[serde(flatten)]
    pub event: ExperimentEvent,
}

/// Where an experiment says what happens: its `events.jsonl` and the listener of the process.
/// Clones write to the same file.
#[derive(Clone)]
pub struct Events(Arc<Inner>);

struct Inner {
    folder: PathBuf,
    host: Host,
    file: Mutex<EventFile>,
}

struct EventFile {
    file: File,
    progress: BTreeMap<String, PartProgress>,
}

/// What the file has of the progress of a part.
struct PartProgress {
    written: Instant,
    /// What came too soon after that.
    withheld: Option<ExperimentEvent>,
}

const VERSION: u32 = 1;

/// The least time between two lines of progress of one part in the file.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);

/// Parts whose progress is remembered; experiments have a few at a time.
const MAX_PARTS: usize = 64;

/// Bytes of the name of a part in the file, so that a line has at most 256.
const MAX_PART_NAME: usize = 80;

const MAX_ERROR: usize = 4096;

impl Events {
    pub const FILE: &'static str = "events.jsonl";

    pub(super) fn open(folder: &Path, host: &Host) -> io::Result<Self> {
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(folder.join(Self::FILE))?;
        // What a killed process left of its last line is not to be part of the next.
        if file.seek(SeekFrom::End(0))? > 0 {
            let mut last = [0];
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                file.write_all(b"\n")?;
            }
        }
        milliseconds();
        Ok(Self(Arc::new(Inner {
            folder: folder.to_owned(),
            host: host.clone(),
            file: Mutex::new(EventFile {
                file,
                progress: BTreeMap::new(),
            }),
        })))
    }

    /// Tells the listener and writes the event to the file. An event that cannot be written is
    /// lost: the file is a log.
    pub fn emit(&self, event: ExperimentEvent) {
        self.0.host.tell(&self.0.folder, &event);
        let mut file = self.0.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.add(event);
    }

    /// How far one part of the work is. The listener hears each call; the file has at most four
    /// lines a second of each part.
    pub fn progress(&self, part: &str, done: u64, total: Option<u64>) {
        self.emit(ExperimentEvent::Progress {
            part: part.to_owned(),
            done,
            total,
        });
    }

    /// The content of a record.
    ///
    /// # Panics
    ///
    /// If JSON cannot hold it; what a journal can hold, JSON can.
    pub fn record(&self, name: &str, data: &impl Serialize) {
        let data = serde_json::to_value(data).expect("a record can be written as JSON");
        self.emit(ExperimentEvent::Record {
            name: name.to_owned(),
            data,
        });
    }

    /// A warning or a message.
    pub fn note(&self, text: impl Into<String>) {
        self.emit(ExperimentEvent::Note { text: text.into() });
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Events").field(&self.0.folder).finish()
    }
}

impl EventFile {
    fn add(&mut self, mut event: ExperimentEvent) {
        match &mut event {
            ExperimentEvent::Progress { part, .. } => {
                part.truncate(part.floor_char_boundary(MAX_PART_NAME));
                let part = part.clone();
                return self.add_progress(part, event);
            }
            ExperimentEvent::Failed { error } => {
                error.truncate(error.floor_char_boundary(MAX_ERROR));
                self.add_withheld();
            }
            ExperimentEvent::Finished { .. } | ExperimentEvent::Stopped => self.add_withheld(),
            _ => {}
        }
        self.write(event);
    }

    fn add_progress(&mut self, part: String, event: ExperimentEvent) {
        let now = Instant::now();
        let is_recent = |it: &PartProgress| now - it.written < PROGRESS_INTERVAL;
        if let Some(known) = self.progress.get_mut(&part).filter(|it| is_recent(it)) {
            known.withheld = Some(event);
            return;
        }
        if self.progress.len() >= MAX_PARTS && !self.progress.contains_key(&part) {
            self.progress.retain(|_, it| is_recent(it));
            // More parts at once are not written.
            if self.progress.len() >= MAX_PARTS {
                return;
            }
        }
        let known = PartProgress {
            written: now,
            withheld: None,
        };
        self.progress.insert(part, known);
        self.write(event);
    }

    /// The last progress of each part, before the end.
    fn add_withheld(&mut self) {
        for (_, part) in std::mem::take(&mut self.progress) {
            if let Some(event) = part.withheld {
                self.write(event);
            }
        }
    }

    fn write(&mut self, event: ExperimentEvent) {
        let line = EventLine {
            v: VERSION,
            ms: milliseconds(),
            event,
        };
        if let Ok(mut text) = serde_json::to_vec(&line) {
            text.push(b'\n');
            // A log; the work itself is in journals that report a full disk.
            let _ = self.file.write_all(&text);
        }
    }
}

/// Milliseconds since the process started, as far as this crate knows.
fn milliseconds() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_millis() as u64
}

/// Follows an `events.jsonl`, also while it is written.
///
/// A half-written last line is left until its end arrives. Lines that are damaged or of an
/// unknown event are left out. If the file became shorter, it is read from its beginning.
#[derive(Debug)]
pub struct EventReader {
    path: PathBuf,
    offset: u64,
}

/// Bytes that one call reads.
const CHUNK: usize = 1 << 20;

/// Longer lines are not events.
const MAX_LINE: usize = 64 << 20;

impl EventReader {
    /// Reads a file, there or not, from its beginning.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self::at(path, 0)
    }

    /// Reads a file from a byte offset that [`offset`](Self::offset) gave. From another offset
    /// the first, partial line is left out.
    pub fn at(path: impl Into<PathBuf>, offset: u64) -> Self {
        Self {
            path: path.into(),
            offset,
        }
    }

    /// Where the next line begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The lines that came since the last call; empty if there are none. Of a long file the
    /// next ones: call it until it returns none.
    ///
    /// # Errors
    ///
    /// If the file cannot be read. A file that is not there has no lines.
    pub fn read(&mut self) -> io::Result<Vec<EventLine>> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.offset = 0;
                return Ok(Vec::new());
            }
            Err(error) => return Err(error),
        };
        if file.metadata()?.len() < self.offset {
            self.offset = 0;
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut bytes = Vec::new();
        let mut size = CHUNK;
        // Chunks without an event are skipped here, so that an empty answer means the end.
        loop {
            let begin = bytes.len();
            let count = (&mut file)
                .take((size - begin) as u64)
                .read_to_end(&mut bytes)?;
            let is_end = begin + count < size;
            match bytes.iter().rposition(|&byte| byte == b'\n') {
                Some(end) => {
                    self.offset += end as u64 + 1;
                    let lines: Vec<EventLine> = bytes[..end]
                        .split(|&byte| byte == b'\n')
                        .filter_map(parse)
                        .collect();
                    if is_end || !lines.is_empty() {
                        return Ok(lines);
                    }
                    file.seek(SeekFrom::Start(self.offset))?;
                    bytes.clear();
                    size = CHUNK;
                }
                None if is_end => return Ok(Vec::new()),
                None if size >= MAX_LINE => {
                    // Not a file of events; its rest is read as if it began here.
                    self.offset += bytes.len() as u64;
                    bytes.clear();
                    size = CHUNK;
                }
                None => size *= 2,
            }
        }
    }
}

fn parse(line: &[u8]) -> Option<EventLine> {
    let line: EventLine = serde_json::from_slice(line).ok()?;
    (line.v == VERSION).then_some(line)
}

/// The last event of a folder, as far as it is near the end of the file.
pub(super) fn last_event(folder: &Path) -> Option<ExperimentEvent> {
    const TAIL: u64 = 64 << 10;
    let mut file = File::open(folder.join(Events::FILE)).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))
        .ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).ok()?;
    let lines = bytes.rsplit(|&byte| byte == b'\n');
    lines
        .filter(|line| !line.is_empty())
        .find_map(parse)
        .map(|it| it.event)
}
