//! The form of a checkpoint: the state, then one line of JSON with what it was written with.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::checksum::sha256;

/// The last line of a checkpoint. Its checksum is the SHA-256 of all bytes before the field
/// `sha256`.
#[derive(Debug, Serialize, Deserialize)]
struct Trailer {
    /// How many records each journal had that was written with the checkpoint.
    records: BTreeMap<String, u64>,
    /// Bytes of the state.
    length: u64,
    sha256: String,
}

/// A checkpoint that was read.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    pub(crate) state: Vec<u8>,
    pub(crate) records: BTreeMap<String, u64>,
}

const FIELD: &str = ",\"sha256\":\"";

impl Checkpoint {
    pub(crate) fn new(state: Vec<u8>, records: BTreeMap<String, u64>) -> Self {
        Self { state, records }
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        let trailer = Trailer {
            records: self.records,
            length: self.state.len() as u64,
            sha256: String::new(),
        };
        let text = serde_json::to_string(&trailer).expect("plain data become JSON");
        let end = text.rfind(FIELD).expect("it is the last field");
        let mut bytes = self.state;
        bytes.push(b'\n');
        bytes.extend_from_slice(&text.as_bytes()[..end]);
        let hash = sha256(&bytes);
        bytes.extend_from_slice(format!("{FIELD}{hash}\"}}\n").as_bytes());
        bytes
    }

    pub(crate) fn parse(mut bytes: Vec<u8>) -> Result<Self, String> {
        let cut_short = || "its end is missing".to_owned();
        let text = bytes.strip_suffix(b"\n").ok_or_else(cut_short)?;
        let begin = text
            .iter()
            .rposition(|&byte| byte == b'\n')
            .ok_or_else(cut_short)?;
        let line = std::str::from_utf8(&text[begin + 1..]).map_err(|_| cut_short())?;
        let trailer: Trailer = serde_json::from_str(line).map_err(|_| cut_short())?;
        let end = begin + 1 + line.rfind(FIELD).ok_or_else(cut_short)?;
        if trailer.length != begin as u64 {
            return Err(format!(
                "it has {begin} bytes of {} that were written",
                trailer.length
            ));
        }
        let expected = format!("{FIELD}{}\"}}\n", sha256(&bytes[..end]));
        if bytes[end..] != *expected.as_bytes() {
            return Err("its checksum does not match its contents".to_owned());
        }
        bytes.truncate(begin);
        Ok(Self {
            state: bytes,
            records: trailer.records,
        })
    }
}
