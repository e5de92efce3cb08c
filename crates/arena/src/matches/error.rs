//! Why a match cannot be played.

use mendel_board::tablebase::TablebaseError;
use mendel_store::frame::{Cause, Failure};
use mendel_store::{ExperimentError, FileError};

use crate::pgn::RecordError;
use crate::statistics::SprtError;
use crate::{EntrantError, OpeningError, ScheduleError, SeatError};
use mendel_board::eco::NamesError;
use mendel_crew::CrewError;

/// Why a match cannot be played or resumed. A lost game is not an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MatchError {
    /// A player is not named right.
    #[error(transparent)]
    Entrant(#[from] EntrantError),
    /// A player cannot take part.
    #[error("{error}{}", quoted(&.error.last_words))]
    Seat {
        /// Who, and why not.
        error: SeatError,
    },
    /// The schedule cannot be made.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// The openings cannot be used.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The names of openings cannot be used.
    #[error(transparent)]
    Names(#[from] NamesError),
    /// The tables cannot be used.
    #[error(transparent)]
    Tablebase(#[from] TablebaseError),
    /// The test cannot be made.
    #[error(transparent)]
    Sprt(#[from] SprtError),
    /// A test compares two players.
    #[error(
        "a test needs exactly two players, and there are {players}; leave `--sprt` out or name two"
    )]
    SprtPlayers {
        /// How many there are.
        players: usize,
    },
    /// The same games would be counted twice.
    #[error(
        "there are only {openings} openings in {name}, and without clocks the same opening gives the same game: ask for at most {most} games for each two, or give a larger file with --openings"
    )]
    Repeats {
        /// How many there are.
        openings: usize,
        /// Where.
        name: String,
        /// How many games can be different.
        most: usize,
    },
    /// The anchor is no player of the match.
    #[error("unknown player `{name}`; known players: {players}")]
    Anchor {
        /// What was asked for.
        name: String,
        /// Who plays.
        players: String,
    },
    /// No limit for a move.
    #[error("nothing limits a move: give --tc, --movetime, --nodes or --depth")]
    NoPace,
    /// A program or a file of the match cannot be read.
    #[error(transparent)]
    Inputs(#[from] ExperimentError),
    /// A file of the folder cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The experiment of a match failed for another reason.
    #[error("{0}")]
    Experiment(Cause),
    /// The crew cannot play it.
    #[error(transparent)]
    Crew(#[from] CrewError),
    /// A game in the folder cannot be replayed.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A game in the folder is not in the schedule of this match.
    #[error("game {game} does not belong to this match; restore `match.toml` or use a new folder")]
    Stranger {
        /// Its number.
        game: u64,
    },
}

fn quoted(last_words: &[String]) -> String {
    if last_words.is_empty() {
        return String::new();
    }
    format!("\nits last words:\n  {}", last_words.join("\n  "))
}

impl MatchError {
    /// What to do about a match that cannot be played as it was requested.
    fn hint(&self) -> &'static str {
        match self {
            Self::Entrant(_) => {
                "a player is a built-in name, a player file or `cmd:PROGRAM ARGUMENTS?Name=Value`"
            }
            Self::Seat { .. } => {
                "start the program by hand and type `uci` (or `xboard`) to see what it says"
            }
            Self::NoPace => "for instance `--nodes 5000` or `--tc 8+0.08`",
            _ => "`mendel match --help` shows what can be asked for",
        }
    }

    /// The failure of a match that is being prepared.
    pub(super) fn into_invalid(self) -> Failure {
        match self {
            Self::Crew(error) => error.into(),
            Self::File(error) => error.into(),
            error => {
                let hint = error.hint();
                Failure::invalid(error).with_hint(hint)
            }
        }
    }

    /// The failure of a match that is being played.
    pub(super) fn into_failure(self) -> Failure {
        match self {
            // The program says how a crew is reached.
            Self::Crew(error) => error.into(),
            error => error.into(),
        }
    }
}

/// For callers with typed errors; a stop is not among them.
impl From<Failure> for MatchError {
    fn from(failure: Failure) -> Self {
        let cause = match failure.into_cause().downcast::<CrewError>() {
            Ok(error) => return Self::Crew(*error),
            Err(cause) => cause,
        };
        match cause.downcast::<ExperimentError>() {
            Ok(error) => Self::Inputs(*error),
            Err(cause) => match cause.downcast::<Self>() {
                Ok(error) => *error,
                Err(cause) => Self::Experiment(cause),
            },
        }
    }
}
