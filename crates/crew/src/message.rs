//! The form of a message: a hash of the rest, a line of JSON, and the payload.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::blob::BlobId;
use crate::job::{DeadLetter, JobId};
use crate::printable::printable_text;

const FORM: u32 = 1;

const HASH_LENGTH: usize = 32;

/// A header with the version of the form.
#[derive(Serialize, Deserialize)]
struct Versioned<H> {
    v: u32,
    #[serde(flatten)]
    header: H,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct JobHeader {
    #[serde(deserialize_with = "printable_text")]
    pub(crate) program: String,
    #[serde(deserialize_with = "printable_text")]
    pub(crate) run: String,
    pub(crate) id: JobId,
    #[serde(deserialize_with = "printable_text")]
    pub(crate) kind: String,
    pub(crate) version: u32,
    pub(crate) blobs: Vec<BlobId>,
    /// The lease at submission, in nanoseconds: a worker that knows another one reads the queue
    /// again.
    #[serde(default)]
    pub(crate) lease: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ResultHeader {
    pub(crate) run: String,
    pub(crate) id: JobId,
    /// The hash of the version that did the job, as subjects have it.
    #[serde(default)]
    pub(crate) build: String,
    #[serde(deserialize_with = "printable_text")]
    pub(crate) worker: String,
    pub(crate) seconds: f64,
    pub(crate) dead: Option<DeadLetter>,
}

/// A lease as headers have it.
pub(crate) fn nanoseconds(lease: Duration) -> u64 {
    u64::try_from(lease.as_nanos()).unwrap_or(u64::MAX)
}

pub(crate) fn encode(header: &impl Serialize, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; HASH_LENGTH];
    let header = Versioned { v: FORM, header };
    serde_json::to_writer(&mut bytes, &header).expect("a header is plain data");
    bytes.push(b'\n');
    bytes.extend_from_slice(payload);
    let hash = BlobId::of(&bytes[HASH_LENGTH..]);
    bytes[..HASH_LENGTH].copy_from_slice(hash.bytes());
    bytes
}

/// The header and the payload of a message, or why it cannot be read.
pub(crate) fn decode<H: DeserializeOwned>(bytes: &[u8]) -> Result<(H, &[u8]), String> {
    let parts = bytes
        .split_at_checked(HASH_LENGTH)
        .and_then(|(hash, rest)| {
            let end = rest.iter().position(|&byte| byte == b'\n')?;
            (hash == BlobId::of(rest).bytes()).then(|| (&rest[..end], &rest[end + 1..]))
        });
    let (header, payload) = parts.ok_or("the message is cut or changed")?;
    let Versioned { v, header } = serde_json::from_slice(header)
        .map_err(|error| format!("the message has no header: {error}"))?;
    if v != FORM {
        return Err(format!(
            "the message is of form {v}, and this program reads form {FORM}"
        ));
    }
    Ok((header, payload))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printable::{MAX_PRINTABLE_CHARS, printable};

    const PAYLOAD: &[u8] = &[0, 10, 255];

    fn job() -> JobHeader {
        JobHeader {
            program: "0.1.0".into(),
            run: "run".into(),
            id: JobId::new("job-1").unwrap(),
            kind: "sum".into(),
            version: 3,
            blobs: vec![BlobId::of(b"x")],
            lease: nanoseconds(Duration::MAX),
        }
    }

    fn result(worker: &str) -> ResultHeader {
        ResultHeader {
            run: "run".to_owned(),
            id: job().id,
            build: "b".to_owned(),
            worker: worker.to_owned(),
            seconds: 1.0,
            dead: None,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = encode(&job(), PAYLOAD);
        assert_eq!(decode(&bytes), Ok((job(), PAYLOAD)));
    }

    /// Every flipped bit and every truncation is found; nothing panics.
    #[test]
    fn what_was_changed_on_the_way_is_refused() {
        let bytes = encode(&job(), PAYLOAD);
        for length in 0..bytes.len() {
            assert!(decode::<JobHeader>(&bytes[..length]).is_err());
        }
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(decode::<JobHeader>(&changed).is_err());
        }
        let result = encode(&result("w"), b"");
        let refused = decode::<JobHeader>(&result).expect_err("it is not a job");
        assert!(refused.contains("has no header"), "{refused}");
    }

    #[test]
    fn what_is_shown_is_one_line_that_a_terminal_does_not_obey() {
        assert_eq!(printable("a\u{1b}[2Jb\nc\u{202e}d"), "a [2Jb c d");
        let long = printable(&"ä".repeat(10_000));
        assert_eq!(long.chars().count(), MAX_PRINTABLE_CHARS + 1);
        let mut head = result("w\u{1b}[31m\r");
        head.dead = Some(DeadLetter {
            deliveries: 1,
            why: "x\ny".repeat(1000),
            oversized: false,
        });
        let bytes = encode(&head, b"");
        let (read, _) = decode::<ResultHeader>(&bytes).expect("it is well formed");
        assert_eq!(read.worker, "w [31m ");
        let why = read.dead.expect("it is dead").why;
        assert!(why.starts_with("x yx y") && why.chars().count() == MAX_PRINTABLE_CHARS + 1);
    }

    #[test]
    fn another_form_is_refused() {
        let mut bytes = encode(&job(), b"");
        let form = HASH_LENGTH + br#"{"v":"#.len();
        bytes[form] = b'2';
        let hash = BlobId::of(&bytes[HASH_LENGTH..]);
        bytes[..HASH_LENGTH].copy_from_slice(hash.bytes());
        let refused = decode::<JobHeader>(&bytes).expect_err("another form");
        assert!(refused.contains("of form 2"), "{refused}");
    }
}
