//! Data sets and shards: files, imports, and sets that are made.

mod convert;
mod files;
mod importing;
mod made;
mod making;
mod moves;
mod quiet;
mod scores;
mod shard;
mod shipped;
mod stopped;

use std::fs;
use std::path::PathBuf;

/// A folder of its own for each test, gone afterwards.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("mendel-data-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("there is room for a folder");
        Self(path)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file and returns where it is.
    fn put(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(name);
        fs::write(&path, contents).expect("there is room for a file");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
