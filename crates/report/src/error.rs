//! Why there is no page.

use std::io;
use std::path::PathBuf;

use mendel_lab::record::manifest::ManifestError;
use mendel_store::FileError;

/// Why a folder could not be turned into a page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The manifest is missing or broken.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A pipeline without its first checkpoint.
    #[error("the pipeline in {} was stopped before its first step; `mendel resume {}` starts it", folder.display(), folder.display())]
    NotStarted {
        /// The folder of the pipeline.
        folder: PathBuf,
    },
    /// A journal, a result or a checkpoint cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file is not what it should be.
    #[error("{} is broken: {reason}; restore it from a copy, or remove it and do without", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A line does not fit the manifest.
    #[error("{}: generation {generation} has {found} genes, the manifest has {expected}; the files are not of one run", path.display())]
    Genes {
        /// The journal.
        path: PathBuf,
        /// The generation.
        generation: u32,
        /// How many genes its line has.
        found: usize,
        /// How many the manifest names.
        expected: usize,
    },
    /// A sweep that has no results yet.
    #[error("the sweep in {} has no result yet: not all of its runs are finished; look again later", folder.display())]
    Unfinished {
        /// The folder of the sweep.
        folder: PathBuf,
    },
}
