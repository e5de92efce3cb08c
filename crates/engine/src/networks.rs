//! Networks: built in, or beside the player file that names them.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Component, Path};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use mendel_evaluator::Policy;
use mendel_evaluator::vision::{File, LoadedNet, MOST_NUMBERS, Net, NetFileError};

macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        /// The built-in networks: name and file.
        const BUILT_IN: &[(&str, &[u8])] = &[
            $( ($name, include_bytes!(concat!("../../../players/nets/", $name, ".net"))), )*
        ];
    };
}
// Each is `players/nets/NAME.net`.
built_in!["chessnet", "human", "teacher", "value"];

/// Files larger than this are no networks: the numbers and a header.
const LARGEST: u64 = 2 * MOST_NUMBERS as u64 + (2 << 20);

/// Why there is no network.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// Neither a built-in network nor a file.
    #[error(
        "there is no network `{name}`: {}; a file beside the player file ends in `.net`",
        names()
    )]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// A file somewhere else.
    #[error(
        "the network `{name}` is not in the folder of the player file; put it there and write its plain name"
    )]
    Elsewhere {
        /// What was asked for.
        name: String,
    },
    /// A file where there is no folder.
    #[error(
        "the network `{name}` lies beside a player file, but this player is in no file; write it to one"
    )]
    Nowhere {
        /// What was asked for.
        name: String,
    },
    /// The file cannot be read.
    #[error("cannot read the network `{name}`: {reason}")]
    Read {
        /// Which file.
        name: String,
        /// What the system said.
        reason: String,
    },
    /// The bytes are no network, or one that answers something else.
    #[error("the network `{name}` cannot be used: {source}")]
    Broken { name: String, source: NetFileError },
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
pub(crate) enum Library<'a> {
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
    let library = folder.map_or(Library::BuiltIn, Library::Folder);
    library.bytes(name).map(Some)
}

pub(crate) fn is_built_in(name: &str) -> bool {
    BUILT_IN.iter().any(|(built_in, _)| *built_in == name)
}

impl Library<'_> {
    /// A network that judges.
    pub(crate) fn judging(self, name: &str) -> Result<LoadedNet, NetworkError> {
        static SHELF: Shelf<Net> = Shelf::new();
        let bytes = self.bytes(name)?;
        let checksum = checksum(&bytes);
        let broken = |source| NetworkError::Broken {
            name: name.to_owned(),
            source,
        };
        let file = File::read(&bytes).map_err(broken)?;
        let net = SHELF.get(checksum, || Net::new(&file).map_err(broken))?;
        Ok(LoadedNet {
            file: name.to_owned(),
            checksum,
            net,
        })
    }

    /// A network that names moves, and the checksum of its file.
    pub(crate) fn naming(self, name: &str) -> Result<(Arc<Policy>, u64), NetworkError> {
        static SHELF: Shelf<Policy> = Shelf::new();
        let bytes = self.bytes(name)?;
        let checksum = checksum(&bytes);
        let broken = |source| NetworkError::Broken {
            name: name.to_owned(),
            source,
        };
        let file = File::read(&bytes).map_err(broken)?;
        let policy = SHELF.get(checksum, || {
            let net = Net::new(&file);
            net.and_then(Policy::from_net).map_err(broken)
        })?;
        Ok((policy, checksum))
    }

    fn bytes(self, name: &str) -> Result<Vec<u8>, NetworkError> {
        let name = || name.to_owned();
        if let Some((_, bytes)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name()) {
            return Ok(bytes.to_vec());
        }

        // 1. A plain name, so that a player file from anywhere reads nothing but what
        //    came with it.
        let text = name();
        let path = Path::new(&text);
        let mut parts = path.components();
        let plain = matches!(
            (parts.next(), parts.next()),
            (Some(Component::Normal(_)), None)
        );
        if !plain || text.contains(['/', '\\', '\0']) {
            return Err(NetworkError::Elsewhere { name: name() });
        }
        if path.extension().is_none_or(|extension| extension != "net") {
            return Err(NetworkError::Unknown { name: name() });
        }
        let folder = match self {
            Self::BuiltIn => return Err(NetworkError::Nowhere { name: name() }),
            Self::Folder(folder) => folder,
            Self::Carried(networks) => {
                let carried = networks.get(&text).map(|bytes| bytes.to_vec());
                return carried.ok_or_else(|| NetworkError::Nowhere { name: name() });
            }
        };

        // 2. A file, and no more of it than a network can have.
        let fail = |reason: String| NetworkError::Read {
            name: name(),
            reason,
        };
        let path = folder.join(path);
        let told = |error: std::io::Error| fail(error.to_string());
        let metadata = std::fs::metadata(&path).map_err(told)?;
        if !metadata.is_file() {
            return Err(fail("it is not a file".to_owned()));
        }
        let mut bytes = Vec::new();
        let file = std::fs::File::open(&path).map_err(told)?;
        file.take(LARGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(told)?;
        if bytes.len() as u64 > LARGEST {
            return Err(fail(format!("it has more than {LARGEST} bytes")));
        }
        Ok(bytes)
    }
}

/// A file ends with the checksum of what is before, which is proved when it is read.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .last_chunk()
        .map_or(0, |last| u64::from_le_bytes(*last))
}

/// What is in memory, by checksum: eleven players with one network have it once.
struct Shelf<T>(Mutex<BTreeMap<u64, Weak<T>>>);

impl<T> Shelf<T> {
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
            let found = Library::Folder(&folder).judging(name);
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
        let nowhere = Library::BuiltIn.judging("x.net").expect_err("no folder");
        assert!(nowhere.to_string().contains("in no file"), "{nowhere}");
    }

    #[test]
    fn a_network_is_in_memory_once_and_only_while_it_is_used() {
        static SHELF: Shelf<u32> = Shelf::new();
        let get = |value: u32| SHELF.get(7, || Ok::<_, ()>(value)).expect("made");
        let first = get(1);
        assert_eq!(*get(2), 1);
        drop(first);
        assert_eq!(*get(3), 3);
    }

    #[test]
    fn every_built_in_network_is_readable() {
        for (name, _) in BUILT_IN {
            let judges = Library::BuiltIn.judging(name);
            assert!(judges.is_ok(), "{name}: {judges:?}");
        }
    }
}
