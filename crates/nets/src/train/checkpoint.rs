//! The state of a training: all that is needed to resume it exactly.
//!
//! ```text
//! length     4 bytes, little-endian, of the header
//! header     JSON: the step, the place in the data, and how many numbers follow
//! numbers    4 bytes each, little-endian IEEE
//! ```
//!
//! The frame adds a checksum when it writes it.

use serde::{Deserialize, Serialize};

use crate::stream::Cursor;

/// The state of a training.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TrainingCheckpoint {
    pub(crate) meta: CheckpointMeta,
    /// Parameters and statistics of the network.
    pub(crate) model: Vec<Vec<f32>>,
    /// The optimiser's moving means.
    pub(crate) optimiser: Vec<Vec<f32>>,
    /// The best network so far; empty if there is none yet.
    pub(crate) best: Vec<Vec<f32>>,
}

/// All but the tensors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct CheckpointMeta {
    pub(crate) step: u64,
    /// Where the data stand.
    pub(crate) cursor: Cursor,
    /// Losses since the last evaluation, added up, and how many.
    pub(crate) losses: (f64, u64),
    /// The validation loss of the best network so far, and its step.
    pub(crate) best: Option<(f64, u64)>,
    /// Evaluations since then.
    pub(crate) in_vain: u32,
    /// Seconds spent learning.
    pub(crate) seconds: f64,
    /// Whether all steps are done; the model is then the best network, and nothing else is kept.
    pub(crate) is_over: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckpointHeader {
    meta: CheckpointMeta,
    /// The lengths of all lists: the network's, the optimiser's, the best network's.
    lists: [Vec<usize>; 3],
}

impl TrainingCheckpoint {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let groups = [&self.model, &self.optimiser, &self.best];
        let header = CheckpointHeader {
            meta: self.meta.clone(),
            lists: groups.map(|lists| lists.iter().map(Vec::len).collect()),
        };
        let header = serde_json::to_vec(&header).expect("plain data become JSON");
        let mut bytes = (header.len() as u32).to_le_bytes().to_vec();
        bytes.extend(header);
        for number in groups.into_iter().flatten().flatten() {
            bytes.extend(number.to_le_bytes());
        }
        bytes
    }

    /// `None` if the bytes are not such a state.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (header, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let header: CheckpointHeader = serde_json::from_slice(header).ok()?;
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
            meta: header.meta,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_other_bytes_are_refused() {
        let checkpoint = TrainingCheckpoint {
            meta: CheckpointMeta {
                step: 7,
                losses: (0.1 + 0.2, 3),
                best: Some((1.0 / 3.0, 5)),
                ..CheckpointMeta::default()
            },
            model: vec![vec![1.5, -0.0], vec![]],
            optimiser: vec![vec![f32::MIN_POSITIVE]],
            best: vec![],
        };
        let bytes = checkpoint.to_bytes();
        assert_eq!(TrainingCheckpoint::parse(&bytes), Some(checkpoint));
        for cut in [0, 3, 20, bytes.len() - 1] {
            assert_eq!(TrainingCheckpoint::parse(&bytes[..cut]), None);
        }
    }
}
