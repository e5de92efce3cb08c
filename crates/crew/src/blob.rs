//! Data that many jobs share, named by content.

use std::fmt;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::CrewError;
use crate::lock::lock;

/// The id of a blob: the SHA-256 of its content.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BlobId([u8; 32]);

impl BlobId {
    pub fn of(contents: &[u8]) -> Self {
        Self(Sha256::digest(contents).into())
    }

    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlobId({self})")
    }
}

impl TryFrom<String> for BlobId {
    type Error = CrewError;

    fn try_from(text: String) -> Result<Self, CrewError> {
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(CrewError::BlobName {
                text: text.chars().take(80).collect(),
            });
        }
        let byte = |place| u8::from_str_radix(&text[2 * place..2 * place + 2], 16);
        let byte = |place| byte(place).expect("two hexadecimal digits");
        Ok(Self(std::array::from_fn(byte)))
    }
}

impl From<BlobId> for String {
    fn from(id: BlobId) -> Self {
        id.to_string()
    }
}

/// Blobs that a worker has fetched, up to a number of bytes; the least recently used is
/// dropped first.
#[derive(Debug)]
pub(crate) struct BlobCache {
    max_bytes: usize,
    kept: Mutex<Vec<(BlobId, Arc<[u8]>)>>,
}

impl BlobCache {
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            kept: Mutex::default(),
        }
    }

    pub(crate) fn get(&self, id: &BlobId) -> Option<Arc<[u8]>> {
        let mut kept = lock(&self.kept);
        let place = kept.iter().position(|(known, _)| known == id)?;
        let entry = kept.remove(place);
        let contents = Arc::clone(&entry.1);
        kept.push(entry);
        Some(contents)
    }

    pub(crate) fn put(&self, id: BlobId, contents: Arc<[u8]>) {
        let mut kept = lock(&self.kept);
        kept.retain(|(known, _)| *known != id);
        kept.push((id, contents));
        let mut bytes: usize = kept.iter().map(|(_, contents)| contents.len()).sum();
        while bytes > self.max_bytes {
            bytes -= kept.remove(0).1.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_keeps_what_was_used_last_and_no_more_than_it_may() {
        let cache = BlobCache::new(10);
        let blob = |byte: u8, length| Arc::<[u8]>::from(vec![byte; length]);
        let id = |byte: u8| BlobId::of(&[byte]);
        cache.put(id(1), blob(1, 4));
        cache.put(id(2), blob(2, 4));
        assert!(cache.get(&id(1)).is_some());
        cache.put(id(3), blob(3, 4));
        assert!(cache.get(&id(2)).is_none(), "it was used longest ago");
        assert_eq!(cache.get(&id(1)), Some(blob(1, 4)));
        cache.put(id(4), blob(4, 11));
        assert!(
            [1, 2, 3, 4]
                .iter()
                .all(|&byte| cache.get(&id(byte)).is_none())
        );
    }
}
