//! A message: the hash of the rest, a line of JSON, and bytes as they are.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::blob::BlobId;
use crate::job::{Dead, Job, JobId};

/// The version of this form; other forms are refused.
const FORM: u32 = 1;

const HASH_LENGTH: usize = 32;

/// What stands before a job's payload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct JobHead {
    v: u32,
    pub(crate) program: String,
    pub(crate) run: String,
    pub(crate) id: JobId,
    pub(crate) kind: String,
    pub(crate) version: u32,
    pub(crate) blobs: Vec<BlobId>,
    /// The lease when it was handed in, in nanoseconds: whoever knows the queue with
    /// another one has to look again.
    #[serde(default)]
    pub(crate) lease: u64,
}

/// What stands before a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ResultHead {
    v: u32,
    pub(crate) run: String,
    pub(crate) id: JobId,
    /// What the build of the program that did it is called in subjects.
    #[serde(default)]
    pub(crate) build: String,
    pub(crate) worker: String,
    pub(crate) seconds: f64,
    pub(crate) dead: Option<Dead>,
}

impl JobHead {
    pub(crate) fn new(program: &str, run: &str, job: &Job, lease: Duration) -> Self {
        Self {
            v: FORM,
            program: program.to_owned(),
            run: run.to_owned(),
            id: job.id.clone(),
            kind: job.kind.clone(),
            version: job.version,
            blobs: job.blobs.clone(),
            lease: nanoseconds(lease),
        }
    }
}

/// A lease as heads write it.
pub(crate) fn nanoseconds(lease: Duration) -> u64 {
    u64::try_from(lease.as_nanos()).unwrap_or(u64::MAX)
}

impl ResultHead {
    pub(crate) fn new(build: &str, run: &str, id: &JobId, worker: &str, seconds: f64) -> Self {
        Self {
            v: FORM,
            run: run.to_owned(),
            id: id.clone(),
            build: build.to_owned(),
            worker: worker.to_owned(),
            seconds,
            dead: None,
        }
    }
}

/// What stands first in a message.
pub(crate) trait Head: Serialize + DeserializeOwned {
    fn form(&self) -> u32;

    /// Makes every text in it fit to be shown.
    fn clean(&mut self);
}

impl Head for JobHead {
    fn form(&self) -> u32 {
        self.v
    }

    fn clean(&mut self) {
        for text in [&mut self.program, &mut self.run, &mut self.kind] {
            *text = printable(text);
        }
    }
}

impl Head for ResultHead {
    fn form(&self) -> u32 {
        self.v
    }

    fn clean(&mut self) {
        self.worker = printable(&self.worker);
        if let Some(dead) = &mut self.dead {
            dead.why = printable(&dead.why);
        }
    }
}

/// A text from elsewhere is no longer than this when it is shown.
const MOST_LETTERS: usize = 500;

/// A text from elsewhere as one line that a terminal shows and does not obey.
pub fn printable(text: &str) -> String {
    let is_order = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let shown = |letter| if is_order(letter) { ' ' } else { letter };
    let mut line: String = text.chars().take(MOST_LETTERS).map(shown).collect();
    if text.chars().nth(MOST_LETTERS).is_some() {
        line.push('…');
    }
    line
}

pub(crate) fn encode(head: &impl Head, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; HASH_LENGTH];
    serde_json::to_writer(&mut bytes, head).expect("a head is plain data");
    bytes.push(b'\n');
    bytes.extend_from_slice(payload);
    let hash = BlobId::of(&bytes[HASH_LENGTH..]);
    bytes[..HASH_LENGTH].copy_from_slice(hash.bytes());
    bytes
}

/// Why a message cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WireError {
    #[error("the message is cut or changed")]
    Corrupt,
    #[error("the message has no head: {0}")]
    Head(String),
    #[error("the message is of form {0}, and this program reads form {FORM}")]
    Form(u32),
}

pub(crate) fn decode<H: Head>(bytes: &[u8]) -> Result<(H, &[u8]), WireError> {
    let (hash, rest) = bytes
        .split_at_checked(HASH_LENGTH)
        .ok_or(WireError::Corrupt)?;
    if hash != BlobId::of(rest).bytes() {
        return Err(WireError::Corrupt);
    }
    let end = rest.iter().position(|&byte| byte == b'\n');
    let end = end.ok_or(WireError::Corrupt)?;
    let mut head: H =
        serde_json::from_slice(&rest[..end]).map_err(|error| WireError::Head(error.to_string()))?;
    if head.form() != FORM {
        return Err(WireError::Form(head.form()));
    }
    head.clean();
    Ok((head, &rest[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> Job {
        Job {
            id: JobId::new("job-1").unwrap(),
            kind: "sum".into(),
            version: 3,
            payload: vec![0, 10, 255],
            blobs: vec![BlobId::of(b"x")],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let head = JobHead::new("0.1.0", "run", &job(), Duration::ZERO);
        let bytes = encode(&head, &job().payload);
        assert_eq!(decode(&bytes), Ok((head, &[0, 10, 255][..])));
    }

    /// Every changed bit and every cut is found; nothing panics.
    #[test]
    fn what_was_changed_on_the_way_is_refused() {
        let bytes = encode(
            &JobHead::new("0.1.0", "run", &job(), Duration::ZERO),
            &job().payload,
        );
        for length in 0..bytes.len() {
            assert!(decode::<JobHead>(&bytes[..length]).is_err());
        }
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(decode::<JobHead>(&changed).is_err());
        }
        let result = encode(&ResultHead::new("b", "run", &job().id, "w", 1.0), b"");
        assert!(matches!(
            decode::<JobHead>(&result),
            Err(WireError::Head(_))
        ));
    }

    #[test]
    fn what_is_shown_is_one_line_that_a_terminal_does_not_obey() {
        assert_eq!(printable("a\u{1b}[2Jb\nc\u{202e}d"), "a [2Jb c d");
        let long = printable(&"ä".repeat(10_000));
        assert_eq!(long.chars().count(), MOST_LETTERS + 1);
        let mut head = ResultHead::new("b", "run", &job().id, "w\u{1b}[31m\r", 1.0);
        head.dead = Some(Dead {
            deliveries: 1,
            why: "x\ny".repeat(1000),
            oversized: false,
        });
        let bytes = encode(&head, b"");
        let (read, _) = decode::<ResultHead>(&bytes).expect("it is well formed");
        assert_eq!(read.worker, "w [31m ");
        let why = read.dead.expect("it is dead").why;
        assert!(why.starts_with("x yx y") && why.chars().count() == MOST_LETTERS + 1);
    }

    #[test]
    fn another_form_is_refused() {
        let head = JobHead {
            v: 2,
            ..JobHead::new("0.1.0", "run", &job(), Duration::ZERO)
        };
        assert_eq!(
            decode::<JobHead>(&encode(&head, b"")),
            Err(WireError::Form(2))
        );
    }
}
