//! Where a training stands: all that is needed to go on exactly there.
//!
//! ```text
//! MENDELCP   8 bytes
//! length     4 bytes, little-endian, of the header
//! header     JSON: the step, the place in the data, and how many numbers follow
//! numbers    4 bytes each, little-endian IEEE
//! print      16 hexadecimal digits, of all before
//! ```

use std::path::Path;

use mendel_store::{fingerprint, replace};
use serde::{Deserialize, Serialize};

use super::error::TrainError;
use crate::stream::Cursor;

const MAGIC: &[u8; 8] = b"MENDELCP";
const PRINT: usize = 16;

pub(crate) const NAME: &str = "checkpoint";

/// Where a training stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Checkpoint {
    pub(crate) place: Place,
    /// Parameters and statistics of the network.
    pub(crate) model: Vec<Vec<f32>>,
    /// The optimiser's moving means.
    pub(crate) optimiser: Vec<Vec<f32>>,
    /// The best network so far; empty if there is none yet.
    pub(crate) best: Vec<Vec<f32>>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Place {
    pub(crate) step: u64,
    /// Where the data stand.
    pub(crate) cursor: Cursor,
    /// Losses since the last evaluation, added up, and how many.
    pub(crate) losses: (f64, u64),
    /// The validation loss of the best network so far, and its step.
    pub(crate) best: Option<(f64, u64)>,
    /// Evaluations since then.
    pub(crate) in_vain: u32,
    pub(crate) evaluations: u64,
    /// Seconds spent learning.
    pub(crate) seconds: f64,
    pub(crate) is_over: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    place: Place,
    /// The lengths of all lists: the network's, the optimiser's, the best network's.
    lists: [Vec<usize>; 3],
}

impl Checkpoint {
    /// Writes it into a folder; an old one is there until the new one is whole.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), TrainError> {
        let groups = [&self.model, &self.optimiser, &self.best];
        let header = Header {
            place: self.place.clone(),
            lists: groups.map(|lists| lists.iter().map(Vec::len).collect()),
        };
        let header = serde_json::to_vec(&header).expect("plain data become JSON");
        let mut bytes = MAGIC.to_vec();
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header);
        for number in groups.into_iter().flatten().flatten() {
            bytes.extend(number.to_le_bytes());
        }
        let print = fingerprint(&bytes);
        bytes.extend(print.as_bytes());
        replace(&folder.join(NAME), &bytes)?;
        Ok(())
    }

    /// Reads the one of a folder, if there is one.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, TrainError> {
        let path = folder.join(NAME);
        let fail = |reason: String| TrainError::NoTraining {
            folder: folder.to_owned(),
            reason,
        };
        match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(fail(format!("`{NAME}` cannot be read: {error}"))),
            Ok(bytes) => Self::parse(&bytes)
                .map(Some)
                .ok_or_else(|| fail(format!("`{NAME}` is broken; restore it from a copy"))),
        }
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let (body, print) = bytes.split_at(bytes.len().checked_sub(PRINT)?);
        if fingerprint(body).as_bytes() != print {
            return None;
        }
        let rest = body.strip_prefix(MAGIC)?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (header, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let header: Header = serde_json::from_slice(header).ok()?;
        let mut numbers = rest
            .as_chunks::<4>()
            .0
            .iter()
            .map(|it| f32::from_le_bytes(*it));
        let mut take = |lengths: &[usize]| -> Option<Vec<Vec<f32>>> {
            let lists = lengths.iter().map(|&length| {
                // A made-up length must not be believed before the numbers are there.
                let list: Vec<f32> = numbers.by_ref().take(length).collect();
                (list.len() == length).then_some(list)
            });
            lists.collect()
        };
        let [model, optimiser, best] = &header.lists;
        Some(Self {
            model: take(model)?,
            optimiser: take(optimiser)?,
            best: take(best)?,
            place: header.place,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_damage_is_noticed() {
        let folder = std::env::temp_dir().join(format!("mendel-checkpoint-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        assert_eq!(Checkpoint::read(&folder).expect("none is no error"), None);
        let checkpoint = Checkpoint {
            place: Place {
                step: 7,
                losses: (0.1 + 0.2, 3),
                best: Some((1.0 / 3.0, 5)),
                ..Place::default()
            },
            model: vec![vec![1.5, -0.0], vec![]],
            optimiser: vec![vec![f32::MIN_POSITIVE]],
            best: vec![],
        };
        checkpoint.write(&folder).expect("it is written");
        assert_eq!(
            Checkpoint::read(&folder).expect("it is whole"),
            Some(checkpoint)
        );
        let mut bytes = std::fs::read(folder.join(NAME)).expect("it is there");
        for cut in [0, 5, 20, bytes.len() - 1] {
            assert_eq!(Checkpoint::parse(&bytes[..cut]), None);
        }
        bytes[40] ^= 1;
        assert_eq!(Checkpoint::parse(&bytes), None);
        std::fs::remove_dir_all(&folder).expect("it was ours");
    }
}
