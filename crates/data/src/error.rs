//! Why files of positions or games cannot be used or made.

use std::path::PathBuf;
use std::{fmt, io};

use mendel_arena::{EntrantError, Fault, SeatError};
use mendel_engine::UnusedEvaluator;
use mendel_engine::memory::MemoryShortage;
use mendel_store::FileError;
use mendel_store::frame::Failure;

/// The two kinds of files that this crate writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataFile {
    DataSet,
    /// A shard.
    Games,
}

impl fmt::Display for DataFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DataSet => "data set",
            Self::Games => "file of games",
        })
    }
}

impl DataFile {
    fn source(self) -> &'static str {
        match self {
            Self::DataSet => "`mendel data import` reads PGN, EPD and CSV",
            Self::Games => "`mendel data games` makes one from PGN",
        }
    }

    pub(crate) fn read(self, name: &str) -> impl Fn(io::Error) -> DataError + '_ {
        move |source| DataError::Read {
            what: self,
            name: name.to_owned(),
            source,
        }
    }

    pub(crate) fn foreign(self, name: &str) -> DataError {
        DataError::Foreign {
            what: self,
            name: name.to_owned(),
        }
    }

    pub(crate) fn damaged(self, name: &str, reason: impl Into<String>) -> DataError {
        DataError::Damaged {
            what: self,
            name: name.to_owned(),
            reason: reason.into(),
        }
    }

    /// Checks the version of a format.
    pub(crate) fn check_version(self, name: &str, found: u16, known: u16) -> Result<(), DataError> {
        if found == known {
            return Ok(());
        }
        Err(DataError::Version {
            what: self,
            name: name.to_owned(),
            found,
            known,
        })
    }
}

/// Why a data set or a shard cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    #[error("cannot read the {what} `{name}`: {source}")]
    Read {
        what: DataFile,
        name: String,
        source: io::Error,
    },
    #[error("there is no data set `{name}`, built in or as a file; the built-in ones are {known}")]
    Unknown { name: String, known: String },
    #[error("`{name}` is not a {what} of ours: it does not begin as one; {}", what.source())]
    Foreign { what: DataFile, name: String },
    #[error(
        "the {what} `{name}` has format {found}, this program reads format {known}; make it again or use the program that made it"
    )]
    Version {
        what: DataFile,
        name: String,
        found: u16,
        known: u16,
    },
    #[error("the {what} `{name}` is damaged: {reason}; copy or make it again")]
    Damaged {
        what: DataFile,
        name: String,
        reason: String,
    },
    #[error(
        "`{name}`, line {line}: {reason}; a line of a suite is an EPD record with a best move, such as `FEN bm Rd8#;`"
    )]
    Suite {
        name: String,
        /// Counted from 1.
        line: u32,
        reason: String,
    },
    #[error("a data set holds at most {most} positions; take a sample")]
    TooLarge { most: u64 },
    #[error("a game cannot be stored: {reason}")]
    Game { reason: String },
    #[error("cannot write the games: {0}; is the disk full?")]
    Games(io::Error),
    #[error(transparent)]
    Write(#[from] FileError),
}

/// Why a data set is not made, or positions are not labelled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MakeError {
    #[error("{reason}")]
    Plan { reason: String },
    #[error("`{}` exists already; choose another name or remove it", path.display())]
    Taken { path: PathBuf },
    #[error("{positions} positions: this {shortage}; ask for fewer")]
    Memory {
        positions: u64,
        shortage: MemoryShortage,
    },
    #[error("game {game} cannot be played: {words}")]
    Game { game: u64, words: String },
    #[error(
        "the last {games} games gave no new position, {found} were found; ask for fewer, or for more random plies"
    )]
    Exhausted { games: u64, found: u64 },
    /// The expert does not exist.
    #[error(transparent)]
    Entrant(#[from] EntrantError),
    #[error(transparent)]
    Evaluator(#[from] UnusedEvaluator),
    /// The expert does not start.
    #[error(transparent)]
    Seat(#[from] SeatError),
    #[error("the expert `{expert}` says nothing of a {what} when asked for `eval`; {hint}")]
    NoEvaluation {
        expert: String,
        what: &'static str,
        hint: &'static str,
    },
    #[error(
        "the expert `{expert}` failed {times} times, the last time on `{fen}`: it {fault}{}",
        end_of(output)
    )]
    ExpertFailed {
        expert: String,
        times: u32,
        fen: String,
        fault: Fault,
        /// The last lines of both sides.
        output: Vec<String>,
    },
}

fn end_of(output: &[String]) -> String {
    let last = &output[output.len().saturating_sub(6)..];
    last.iter().flat_map(|line| ["\n  ", line]).collect()
}

pub(crate) const PLAYER_HINT: &str =
    "a player is a built-in name or a player file; an expert may also be `cmd:PROGRAM?Name=Value`";

impl MakeError {
    /// A fault of the request, with what to do instead.
    pub(crate) fn into_invalid(self) -> Failure {
        let hint = match &self {
            Self::Plan { .. } => "`mendel data make --help` shows what can be asked for",
            Self::Taken { .. } => {
                "`--out FILE` names a new file; `mendel resume` resumes unfinished work"
            }
            Self::Memory { .. } => "`--positions N` says how many",
            Self::Exhausted { .. } => "`--random-plies 12` gives more different games",
            Self::Entrant(_) => PLAYER_HINT,
            Self::Evaluator(_) => "name a player with an evaluator (`mendel players` lists them)",
            Self::Seat(_) => {
                "install it (`apt install stockfish`), or name another with `--expert cmd:PROGRAM`"
            }
            Self::NoEvaluation { .. } => "or take a player of ours as expert: `--expert mendel`",
            Self::Game { .. } | Self::ExpertFailed { .. } => return Failure::failed(self),
        };
        Failure::invalid(self).with_hint(hint)
    }
}
