//! Errors of reports.

use std::io;
use std::path::PathBuf;

use mendel_lab::record::manifest::ManifestError;
use mendel_store::FileError;

/// The reason why a folder has no page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error("the pipeline in {} was stopped before its first step; `mendel resume {}` starts it", folder.display(), folder.display())]
    NotStarted { folder: PathBuf },
    #[error(transparent)]
    File(#[from] FileError),
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is broken: {reason}; restore it from a copy, or remove it and do without", path.display())]
    Broken { path: PathBuf, reason: String },
    /// A generation does not fit the manifest.
    #[error("{}: generation {generation} has {found} genes, the manifest has {expected}; the files are not of one run", path.display())]
    Genes {
        path: PathBuf,
        generation: u32,
        found: usize,
        expected: usize,
    },
    #[error("the sweep in {} has no result yet: not all of its runs are finished; look again later", folder.display())]
    Unfinished { folder: PathBuf },
}
