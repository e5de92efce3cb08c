//! A message: the hash of the rest, a line of JSON, and bytes as they are.

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
}

/// What stands before a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ResultHead {
    v: u32,
    pub(crate) run: String,
    pub(crate) id: JobId,
    pub(crate) worker: String,
    pub(crate) seconds: f64,
    pub(crate) dead: Option<Dead>,
}

impl JobHead {
    pub(crate) fn new(program: &str, run: &str, job: &Job) -> Self {
        Self {
            v: FORM,
            program: program.to_owned(),
            run: run.to_owned(),
            id: job.id.clone(),
            kind: job.kind.clone(),
            version: job.version,
            blobs: job.blobs.clone(),
        }
    }
}

impl ResultHead {
    pub(crate) fn new(run: &str, id: &JobId, worker: &str, seconds: f64) -> Self {
        Self {
            v: FORM,
            run: run.to_owned(),
            id: id.clone(),
            worker: worker.to_owned(),
            seconds,
            dead: None,
        }
    }
}

/// What stands first in a message.
pub(crate) trait Head: Serialize + DeserializeOwned {
    fn form(&self) -> u32;
}

impl Head for JobHead {
    fn form(&self) -> u32 {
        self.v
    }
}

impl Head for ResultHead {
    fn form(&self) -> u32 {
        self.v
    }
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
    let head: H =
        serde_json::from_slice(&rest[..end]).map_err(|error| WireError::Head(error.to_string()))?;
    if head.form() != FORM {
        return Err(WireError::Form(head.form()));
    }
    Ok((head, &rest[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> Job {
        Job {
            id: JobId::new("job-1").unwrap(),
            kind: "sum\n".into(),
            version: 3,
            payload: vec![0, 10, 255],
            blobs: vec![BlobId::of(b"x")],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let head = JobHead::new("0.1.0", "run", &job());
        let bytes = encode(&head, &job().payload);
        assert_eq!(decode(&bytes), Ok((head, &[0, 10, 255][..])));
    }

    /// Every changed bit and every cut is found; nothing panics.
    #[test]
    fn what_was_changed_on_the_way_is_refused() {
        let bytes = encode(&JobHead::new("0.1.0", "run", &job()), &job().payload);
        for length in 0..bytes.len() {
            assert!(decode::<JobHead>(&bytes[..length]).is_err());
        }
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(decode::<JobHead>(&changed).is_err());
        }
        let result = encode(&ResultHead::new("run", &job().id, "w", 1.0), b"");
        assert!(matches!(
            decode::<JobHead>(&result),
            Err(WireError::Head(_))
        ));
    }

    #[test]
    fn another_form_is_refused() {
        let head = JobHead {
            v: 2,
            ..JobHead::new("0.1.0", "run", &job())
        };
        assert_eq!(
            decode::<JobHead>(&encode(&head, b"")),
            Err(WireError::Form(2))
        );
    }
}
