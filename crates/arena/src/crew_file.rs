//! The names of a folder's jobs, in the folder.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mendel_crew::JobNameStore;
use mendel_store::replace;

/// `crew.json` of a folder. No result depends on it.
#[derive(Debug)]
pub struct CrewFile(PathBuf);

impl CrewFile {
    pub const NAME: &'static str = "crew.json";

    /// The file of `folder`, for [`Crew::bind`](mendel_crew::Crew::bind).
    pub fn of(folder: &Path) -> Arc<Self> {
        Arc::new(Self(folder.join(Self::NAME)))
    }
}

impl JobNameStore for CrewFile {
    fn path(&self) -> &Path {
        &self.0
    }

    fn read(&self) -> io::Result<Option<String>> {
        match std::fs::read_to_string(&self.0) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn write(&self, text: &str) -> io::Result<()> {
        replace(&self.0, text.as_bytes()).map_err(io::Error::other)
    }
}
