//! The numbers that a trial judges.

use std::ops::Deref;
use std::sync::Arc;

use mendel_store::fingerprint;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// All bred numbers of a player: the weights of its evaluator, in the order of
/// [`weights`](mendel_evaluator::AnyEvaluator::weights), and behind them, in recipes that
/// breed the search, all search numbers. Clones share them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemberWeights(Arc<[i32]>);

impl MemberWeights {
    /// Equal members, and no others, have equal keys.
    pub(crate) fn key(&self) -> String {
        let bytes: Vec<u8> = self.iter().flat_map(|it| it.to_le_bytes()).collect();
        fingerprint(&bytes)
    }
}

impl From<Vec<i32>> for MemberWeights {
    fn from(numbers: Vec<i32>) -> Self {
        Self(numbers.into())
    }
}

impl From<&[i32]> for MemberWeights {
    fn from(numbers: &[i32]) -> Self {
        Self(numbers.into())
    }
}

impl Deref for MemberWeights {
    type Target = [i32];

    fn deref(&self) -> &[i32] {
        &self.0
    }
}

impl AsRef<[i32]> for MemberWeights {
    fn as_ref(&self) -> &[i32] {
        &self.0
    }
}

impl Serialize for MemberWeights {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self[..].serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for MemberWeights {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::deserialize(deserializer)?.into())
    }
}
