//! Records in, records out.
//!
//! What a user has paid compute for is written here before it is counted, and
//! found again after any death that is not the disk's. This crate knows neither
//! chess nor evolution: a record is whatever can be written as a line of JSON.
//!
//! A folder has one writer, which holds its [`FolderLock`]. Results go to a
//! [`Journal`] one by one; small files that are rewritten as a whole go through
//! [`replace`]; the [`Index`] finds folders again and can be lost without harm.
//!
//! ```
//! use mendel_store::{FolderLock, Journal, Record, Sync};
//!
//! #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
//! struct Harvest {
//!     plant: String,
//!     peas: u32,
//! }
//!
//! impl Record for Harvest {
//!     const VERSION: u32 = 1;
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("mendel-store-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! let _lock = FolderLock::take(&folder)?;
//! let path = folder.join("harvests.jsonl");
//! let (mut journal, earlier) = Journal::<Harvest>::open(&path, Sync::Each)?;
//! assert!(earlier.is_empty());
//! journal.append(&Harvest { plant: "P1".into(), peas: 5474 })?;
//! assert_eq!(
//!     std::fs::read_to_string(&path)?,
//!     "{\"v\":1,\"plant\":\"P1\",\"peas\":5474,\"crc\":\"cb39a435\"}\n",
//! );
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(())
//! # }
//! ```

mod append_file;
mod checksum;
mod error;
mod fingerprint;
pub mod frame;
mod index;
mod inputs;
mod journal;
pub mod library;
mod lock;
mod recipe;
mod replace;

pub use append_file::Sync;
pub use checksum::{add_checksum, add_checksum_indented};
pub use error::{ExperimentError, FileError};
pub use fingerprint::{Fingerprint, fingerprint};
pub use index::{Index, IndexEntry, RunStatus};
pub use inputs::{InputHashes, set_build};
pub use journal::{Journal, Record};
pub use lock::FolderLock;
pub use recipe::{RecipeError, find_recipe, set_key};
pub use replace::{check_replace, is_taken, replace, replace_with};
