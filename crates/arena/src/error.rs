//! Why a match cannot be played.

use std::io;

use mendel_board::BoardFileError;
use mendel_board::pgn::PgnError;
use mendel_crew::CrewError;
use mendel_store::frame::{Cause, Failure};
use mendel_store::{ExperimentError, FileError};

use crate::pgn::RecordError;
use crate::statistics::StatisticsError;
use crate::{EntrantError, SeatError};

/// Why a match, its schedule or its openings cannot be used. A lost game is not an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MatchError {
    #[error(transparent)]
    Entrant(#[from] EntrantError),
    #[error("{error}{}", quoted(&.error.last_words))]
    Seat { error: SeatError },
    #[error("{players} is not enough: a match needs at least two players")]
    TooFewPlayers { players: usize },
    #[error(
        "{players} players with {games} games for each two of them are more than {max} games; ask for fewer"
    )]
    TooManyGames {
        players: usize,
        games: u64,
        max: u64,
    },
    #[error("cannot read the openings `{name}`: {source}")]
    OpeningFile { name: String, source: io::Error },
    #[error(transparent)]
    OpeningPgn(#[from] PgnError),
    #[error(transparent)]
    BoardFile(#[from] BoardFileError),
    /// No opening, or an invalid one: the file, the line or game, and the reason.
    #[error("{0}")]
    Opening(String),
    #[error(transparent)]
    Statistics(#[from] StatisticsError),
    #[error(
        "a test needs exactly two players, and there are {players}; leave `--sprt` out or name two"
    )]
    SprtPlayers { players: usize },
    /// The same games would be counted twice; `most` games can differ.
    #[error(
        "there are only {openings} openings in {name}, and without clocks the same opening gives the same game: ask for at most {most} games for each two, or give a larger file with --openings"
    )]
    Repeats {
        openings: usize,
        name: String,
        most: usize,
    },
    #[error("unknown player `{name}`; known players: {players}")]
    Anchor { name: String, players: String },
    #[error("nothing limits a move: give --tc, --movetime, --nodes or --depth")]
    NoPace,
    #[error(transparent)]
    Inputs(#[from] ExperimentError),
    /// A file of the folder cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The experiment of a match failed for another reason.
    #[error("{0}")]
    Experiment(Cause),
    #[error(transparent)]
    Crew(#[from] CrewError),
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A game in the folder is not in the schedule.
    #[error("game {game} does not belong to this match; restore `match.toml` or use a new folder")]
    Stranger { game: u64 },
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
    pub(crate) fn into_invalid(self) -> Failure {
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
    pub(crate) fn into_failure(self) -> Failure {
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
