//! Networks: built in, or in the folder of the player file that names them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Component, Path};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use mendel_evaluator::Policy;
use mendel_evaluator::vision::{File, LoadedNet, MOST_NUMBERS, Net, NetFileError};

use crate::files;

macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        const BUILT_IN: &[(&str, &[u8])] = &[
            $( ($name, include_bytes!(concat!("../../../players/nets/", $name, ".net"))), )*
        ];
    };
}
// Each is `players/nets/NAME.net`.
built_in!["chessnet", "human", "teacher", "value"];

/// Files larger than this are no networks: the numbers and a header.
const MAX_LEN: u64 = 2 * MOST_NUMBERS as u64 + (2 << 20);

/// A network that does not exist or cannot be used; says which one, why, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NetworkError(String);

fn unusable(name: &str, reason: impl fmt::Display) -> NetworkError {
    NetworkError(format!("the network `{name}` cannot be used: {reason}"))
}

fn names() -> String {
    let names = BUILT_IN.iter().map(|(name, _)| format!("`{name}`"));
    match names.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "none is built in".to_owned(),
        names => format!("built in are {names}"),
    }
}

/// Where the networks of a player are looked for: those built in always are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NetworkSource<'a> {
    /// Nowhere else.
    BuiltIn,
    /// In a folder, too.
    Folder(&'a Path),
    /// Among those that came with the player.
    Carried(&'a BTreeMap<String, Arc<[u8]>>),
}

/// The bytes of a network that lies in `folder`; `None` for one that is built in, which
/// needs no carrying.
pub(crate) fn beside(name: &str, folder: Option<&Path>) -> Result<Option<Vec<u8>>, NetworkError> {
    if is_built_in(name) {
        return Ok(None);
    }
    let library = folder.map_or(NetworkSource::BuiltIn, NetworkSource::Folder);
    library.bytes(name).map(Some)
}

pub(crate) fn is_built_in(name: &str) -> bool {
    BUILT_IN.iter().any(|(built_in, _)| *built_in == name)
}

impl NetworkSource<'_> {
    /// A network that judges.
    pub(crate) fn judging(self, name: &str) -> Result<LoadedNet, NetworkError> {
        static CACHE: WeakCache<Net> = WeakCache::new();
        let bytes = self.bytes(name)?;
        let checksum = checksum(&bytes);
        let broken = |error: NetFileError| unusable(name, error);
        let file = File::read(&bytes).map_err(broken)?;
        let net = CACHE.get(checksum, || Net::new(&file).map_err(broken))?;
        Ok(LoadedNet {
            file: name.to_owned(),
            checksum,
            net,
        })
    }

    /// A network that names moves, and the checksum of its file.
    pub(crate) fn naming(self, name: &str) -> Result<(Arc<Policy>, u64), NetworkError> {
        static CACHE: WeakCache<Policy> = WeakCache::new();
        let bytes = self.bytes(name)?;
        let checksum = checksum(&bytes);
        let broken = |error: NetFileError| unusable(name, error);
        let file = File::read(&bytes).map_err(broken)?;
        let policy = CACHE.get(checksum, || {
            let net = Net::new(&file);
            net.and_then(Policy::from_net).map_err(broken)
        })?;
        Ok((policy, checksum))
    }

    fn bytes(self, name: &str) -> Result<Vec<u8>, NetworkError> {
        if let Some((_, bytes)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
            return Ok(bytes.to_vec());
        }

        // 1. A plain name, so that a player file from anywhere reads nothing but what
        //    came with it.
        let refused = |reason: &str| Err(NetworkError(format!("the network `{name}` {reason}")));
        let path = Path::new(name);
        let mut parts = path.components();
        let plain = matches!(
            (parts.next(), parts.next()),
            (Some(Component::Normal(_)), None)
        );
        if !plain || name.contains(['/', '\\', '\0']) {
            return refused(
                "is not in the folder of the player file; put it there and write its plain name",
            );
        }
        if path.extension().is_none_or(|extension| extension != "net") {
            return Err(NetworkError(format!(
                "there is no network `{name}`: {}; a file beside the player file ends in `.net`",
                names()
            )));
        }
        let folder = match self {
            Self::Folder(folder) => Some(folder),
            Self::BuiltIn => None,
            Self::Carried(networks) => match networks.get(name) {
                Some(bytes) => return Ok(bytes.to_vec()),
                None => None,
            },
        };
        let Some(folder) = folder else {
            return refused(
                "lies beside a player file, but this player is in no file; write it to one",
            );
        };

        // 2. A file, and no more of it than a network can have.
        files::read(&folder.join(path), MAX_LEN)
            .map_err(|error| NetworkError(format!("cannot read the network `{name}`: {error}")))
    }
}

/// A file ends with the checksum of what is before, which is proved when it is read.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .last_chunk()
        .map_or(0, |last| u64::from_le_bytes(*last))
}

/// What is in memory, by checksum: eleven players with one network have it once.
struct WeakCache<T>(Mutex<BTreeMap<u64, Weak<T>>>);

impl<T> WeakCache<T> {
    const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    fn get<E>(&self, checksum: u64, make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, it| it.strong_count() > 0);
        if let Some(known) = kept.get(&checksum).and_then(Weak::upgrade) {
            return Ok(known);
        }
        let new = Arc::new(make()?);
        kept.insert(checksum, Arc::downgrade(&new));
        Ok(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_in_the_folder_are_looked_at() {
        let folder = std::env::temp_dir();
        let error = |name: &str| {
            let found = NetworkSource::Folder(&folder).judging(name);
            found.expect_err(name).to_string()
        };
        for name in [
            "../x.net", "/x.net", "a/x.net", "a\\x.net", "..", "", "x\0.net", "./x.net",
        ] {
            assert!(error(name).contains("not in the folder"), "{name:?}");
        }
        assert!(error("x.toml").contains("there is no network `x.toml`"));
        assert!(error("chess").contains("there is no network `chess`"));
        assert!(error("mendel-no-such.net").contains("cannot read the network"));
        let nowhere = NetworkSource::BuiltIn
            .judging("x.net")
            .expect_err("no folder");
        assert!(nowhere.to_string().contains("in no file"), "{nowhere}");
    }

    #[test]
    fn a_network_is_in_memory_once_and_only_while_it_is_used() {
        static CACHE: WeakCache<u32> = WeakCache::new();
        let get = |value: u32| CACHE.get(7, || Ok::<_, ()>(value)).expect("made");
        let first = get(1);
        assert_eq!(*get(2), 1);
        drop(first);
        assert_eq!(*get(3), 3);
    }

    #[test]
    fn every_built_in_network_is_readable() {
        for (name, _) in BUILT_IN {
            let judges = NetworkSource::BuiltIn.judging(name);
            assert!(judges.is_ok(), "{name}: {judges:?}");
        }
    }
}
