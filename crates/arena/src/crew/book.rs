//! What a folder remembers of its crew, so that whoever goes on asks for the same jobs.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use mendel_store::{fingerprint, replace};
use serde::{Deserialize, Serialize};

use super::AwayError;

/// The file in the folder; nothing that counts is in it.
const FILE: &str = "crew.json";

/// The names under which jobs of a folder were handed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Page {
    v: u32,
    /// What jobs of this folder, and of no other, begin with.
    run: String,
    /// The part that was worked on last, and how many numbers a block of it has.
    part: String,
    size: u64,
}

const VERSION: u32 = 1;

/// The page of a folder.
#[derive(Debug)]
pub(super) struct Book {
    path: PathBuf,
    page: Page,
}

impl Book {
    /// Opens the page of `folder`, or begins one.
    pub(super) fn open(folder: &Path) -> Result<Self, AwayError> {
        let path = folder.join(FILE);
        let broken = |reason: String| AwayError::Book {
            path: path.display().to_string(),
            reason,
        };
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                let page: Page =
                    serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
                if page.v != VERSION {
                    return Err(broken(format!("it has version {}", page.v)));
                }
                Ok(Self { path, page })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let page = Page {
                    v: VERSION,
                    run: name(folder),
                    part: String::new(),
                    size: 0,
                };
                let book = Self { path, page };
                book.write()?;
                Ok(book)
            }
            Err(error) => Err(broken(error.to_string())),
        }
    }

    /// What jobs of the folder begin with.
    pub(super) fn run(&self) -> &str {
        &self.page.run
    }

    /// How many numbers a block of `part` has, if that was decided.
    pub(super) fn size(&self, part: &str) -> Option<u64> {
        (self.page.part == part && self.page.size > 0).then_some(self.page.size)
    }

    /// Decides how many numbers a block of `part` has, from now on in all lives of the run.
    pub(super) fn decide(&mut self, part: &str, size: u64) -> Result<u64, AwayError> {
        part.clone_into(&mut self.page.part);
        self.page.size = size.max(1);
        self.write()?;
        Ok(self.page.size)
    }

    fn write(&self) -> Result<(), AwayError> {
        let json = serde_json::to_string(&self.page).expect("a page is plain data");
        Ok(replace(&self.path, format!("{json}\n").as_bytes())?)
    }
}

/// A name that no other folder has, nor this one after it was removed and made again.
fn name(folder: &Path) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_nanos());
    let process = std::process::id();
    let unique = fingerprint(format!("{}\n{now}\n{process}", folder.display()).as_bytes());
    // The folder's own name before it, so that people know which it is.
    let own = folder.file_name().unwrap_or_default().to_string_lossy();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let own: String = own
        .to_lowercase()
        .chars()
        .filter(|it| plain(*it))
        .take(32)
        .collect();
    if own.is_empty() {
        return unique;
    }
    format!("{own}-{unique}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_keeps_its_size_in_the_next_life() {
        let folder = std::env::temp_dir().join(format!("mendel-book-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a writable folder");
        let mut first = Book::open(&folder).expect("a new page");
        assert_eq!(first.size("g1"), None);
        assert_eq!(first.decide("g1", 4).expect("written"), 4);
        let second = Book::open(&folder).expect("the page");
        assert_eq!(second.run(), first.run());
        assert_eq!((second.size("g1"), second.size("g2")), (Some(4), None));
        std::fs::write(folder.join(FILE), "{").expect("a writable folder");
        let error = Book::open(&folder).expect_err("broken").to_string();
        assert!(error.contains("remove it"), "{error}");
        std::fs::remove_dir_all(&folder).expect("it was ours");
    }
}
