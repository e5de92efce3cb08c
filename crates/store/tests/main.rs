//! What the store promises, also to those who are killed.

mod children;
mod frame;
mod hashes;
mod index;
mod journal;
mod lock;
mod replace;

use std::path::PathBuf;

/// An empty folder of its own for each test.
fn fresh_folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("store")
        .join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the build folder is writable");
    folder
}

/// What the tests write down.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Note {
    number: u64,
    text: String,
}

impl mendel_store::Record for Note {
    const VERSION: u32 = 3;
}

impl Note {
    /// The note with this number; every reader can tell what it must say.
    fn numbered(number: u64) -> Self {
        Self {
            number,
            text: format!("é\n\"{}\"", "x".repeat((number % 40) as usize)),
        }
    }
}
