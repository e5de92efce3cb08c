//! Why files, and folders of experiments, cannot be used.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

/// Why a file cannot be read or written: a journal, a checkpoint, or a file that is replaced
/// as a whole. A file that could not be written is as it was before.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    #[error("cannot read `{}`: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A file was not replaced.
    #[error("cannot write `{}`: {source}; {}", path.display(), remedy(source))]
    Write { path: PathBuf, source: io::Error },
    /// A line of a journal was not written; the same record may be appended again.
    #[error("cannot write `{}`: {source}; is the disk full? No data was lost; free some space and resume", path.display())]
    Append { path: PathBuf, source: io::Error },
    #[error("cannot use `{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// The path has no file name, such as `/` or `..`.
    #[error("`{}` names no file", path.display())]
    NoName { path: PathBuf },
    #[error("cannot write `{}`: it is a folder; name a file in it", path.display())]
    IsFolder { path: PathBuf },
    /// A line of a journal. A torn last line is no error.
    #[error("line {line} of `{}` is broken: {source}; restore the file from a copy, or continue from the last intact record with `mendel resume FOLDER --repair`", path.display())]
    Broken {
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        source: serde_json::Error,
    },
    /// A line of a journal of another version.
    #[error("line {line} of `{}` has version {found}, this program reads version {known}; use the program that wrote it", path.display())]
    Version {
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        found: u32,
        known: u32,
    },
    /// A value that could not be read again was not written.
    #[error("`{}` cannot be written so that it could be read again: {reason}", path.display())]
    Value { path: PathBuf, reason: String },
    /// The checkpoint or the result.
    #[error("`{}` is damaged: {reason}; restore it from a copy, or continue from the last intact state with `mendel resume FOLDER --repair`", path.display())]
    Damaged { path: PathBuf, reason: String },
    /// An intact file has values that this program does not know.
    #[error("`{}` cannot be understood: {reason}", path.display())]
    Content { path: PathBuf, reason: String },
    /// A journal has fewer records than the checkpoint says.
    #[error("`{}` has {found} of the {expected} records that it had when the checkpoint was written; restore it from a copy, or continue from the last intact state with `mendel resume FOLDER --repair`", path.display())]
    Lost {
        path: PathBuf,
        found: u64,
        expected: u64,
    },
}

impl FileError {
    pub(crate) fn read(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        |source| Self::Read {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn write(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        |source| Self::Write {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn append(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        |source| Self::Append {
            path: path.to_owned(),
            source,
        }
    }

    /// For `map_err` on operations that are neither only reading nor only writing.
    pub fn io(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        |source| Self::Io {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn value(path: &Path, reason: &dyn Display) -> Self {
        Self::Value {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }

    pub(crate) fn content(path: &Path, reason: &dyn Display) -> Self {
        Self::Content {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }

    pub(crate) fn damaged(path: &Path, reason: &dyn Display) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}

/// What to do about an error of the system when a file is replaced.
fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            "make the folder first, or name another file"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "name a file in a folder that you may write to"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "make room, or name a file on another disk"
        }
        _ => "name another file",
    }
}

/// Why a folder cannot be used as that of an experiment: another process uses it, its
/// manifest does not fit this program, or the inputs of the experiment have changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    #[error("`{}` is in use by {}; wait for it, stop it, or choose another folder", folder.display(), process(*pid))]
    InUse {
        folder: PathBuf,
        /// The process that holds the lock, where it could be read.
        pid: Option<u32>,
    },
    #[error("cannot lock `{}`: {source}; the folder must exist, be writable, and lie on a file system with locks", folder.display())]
    Lock { folder: PathBuf, source: io::Error },
    #[error("`{}` is not the folder of an experiment: it has no `manifest.toml`", folder.display())]
    NoManifest { folder: PathBuf },
    #[error("`{}` was made by mendel {version}, and this version cannot read it; use mendel {version} for it, or start a new experiment in another folder", folder.display())]
    OldFolder { folder: PathBuf, version: String },
    #[error("`{}` has files of schema {found} for `{kind}`, and this version reads schema {known}; use mendel {version}, which made it", folder.display())]
    Schema {
        folder: PathBuf,
        kind: String,
        found: u32,
        known: u32,
        /// The version that made it.
        version: String,
    },
    #[error("`{}` is the folder of an experiment of the kind `{found}`, not `{expected}`", folder.display())]
    Kind {
        folder: PathBuf,
        found: String,
        expected: &'static str,
    },
    /// The manifest or the file of the hashes; the reason has line and column.
    #[error("`{}` is broken: {reason}; restore it from a copy", path.display())]
    Broken { path: PathBuf, reason: String },
    /// A program or a file has changed; the values are hashes.
    #[error(
        "{what} has changed since `{}` was started: its SHA-256 was {recorded}, now {present}; restore it, or start \
         a new one in another folder",
        folder.display()
    )]
    Changed {
        what: String,
        folder: PathBuf,
        recorded: String,
        present: String,
    },
    #[error(
        "`{}` was started by another build of this program: {recorded} then, {present} now; resume with that build, \
         or start a new one in another folder",
        folder.display()
    )]
    OtherBuild {
        folder: PathBuf,
        recorded: String,
        present: String,
    },
    #[error(
        "`{}` has no `inputs.toml`: an earlier build of this program started it, or the file was lost; restore it, \
         or start a new one in another folder",
        folder.display()
    )]
    NoInputs { folder: PathBuf },
    #[error(transparent)]
    File(#[from] FileError),
}

fn process(pid: Option<u32>) -> String {
    pid.map_or_else(
        || "another process".to_owned(),
        |pid| format!("process {pid}"),
    )
}

impl ExperimentError {
    /// Whether the folder could not be locked.
    pub fn is_about_lock(&self) -> bool {
        matches!(self, Self::InUse { .. } | Self::Lock { .. })
    }

    /// Whether the build, programs and files that the folder names are at fault.
    pub fn is_about_inputs(&self) -> bool {
        match self {
            Self::Changed { .. } | Self::OtherBuild { .. } | Self::NoInputs { .. } => true,
            Self::Broken { path, .. } => path.ends_with("inputs.toml"),
            _ => false,
        }
    }
}
