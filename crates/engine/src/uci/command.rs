//! What a GUI may say.

use std::fmt;
use std::str::FromStr;

use super::Go;
use crate::words::{OneLine, Words, quote};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UciCommand {
    /// Say who you are and what can be set.
    Uci,
    /// Say more than usual, or no longer.
    Debug(bool),
    /// Answer as soon as you listen.
    IsReady,
    /// Set an option; buttons have no value.
    SetOption {
        /// The option, which may consist of several words.
        name: String,
        /// The value with its inner white space.
        value: Option<String>,
    },
    /// Register with a name and a code, or `later`; we need none.
    Register(String),
    NewGame,
    /// The position to think about.
    Position {
        start: StartPosition,
        /// What was played since, as UCI writes it.
        moves: Vec<String>,
    },
    Go(Box<Go>),
    Stop,
    PonderHit,
    Quit,
    /// Not part of UCI: draw the board.
    Display,
    /// Not part of UCI: explain the evaluation of the position.
    Eval,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartPosition {
    Initial,
    /// A position as FEN, not yet looked at.
    Fen(String),
}

/// Why a line is not a command, or which part of it is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UciCommandError {
    #[error("unknown command: `{line}`")]
    Unknown { line: String },
    #[error("`{after}` needs {what} after it")]
    Missing {
        after: &'static str,
        what: &'static str,
    },
    #[error("`{field} {value}`: not a whole number, read as {reading}")]
    Number {
        field: &'static str,
        value: String,
        reading: &'static str,
    },
    #[error("`{field} {value}`: less than {least}, read as {reading}")]
    TooSmall {
        field: &'static str,
        value: String,
        least: i64,
        reading: &'static str,
    },
    /// A word that means nothing where it stands.
    #[error("`{word}` after `{command}` means nothing and is skipped")]
    Stray { command: &'static str, word: String },
}

impl UciCommand {
    /// Reads a line leniently: a command with what is wrong in it.
    ///
    /// Unknown words before a command are skipped, as UCI asks for. A blank line
    /// is no command and no fault. Where a part cannot be read, the command is
    /// given with the reading the fault speaks of; where that makes no sense, no
    /// command is given.
    pub fn read(line: &str) -> (Option<Self>, Vec<UciCommandError>) {
        let mut faults = Vec::new();
        let command = Self::scan(line, &mut faults);
        (command, faults)
    }

    fn scan(line: &str, faults: &mut Vec<UciCommandError>) -> Option<Self> {
        let mut words = Words::new(line);
        // Our own commands are short words that other text may contain, so they
        // count only where they are the whole line.
        match words.rest() {
            "" => return None,
            "d" => return Some(Self::Display),
            "eval" => return Some(Self::Eval),
            _ => {}
        }
        while let Some(word) = words.next() {
            return match word {
                "uci" => Some(Self::Uci),
                "debug" => Some(Self::Debug(words.next() != Some("off"))),
                "isready" => Some(Self::IsReady),
                "setoption" => Self::scan_option(words, faults),
                "register" => Some(Self::Register(words.rest().to_owned())),
                "ucinewgame" => Some(Self::NewGame),
                "position" => Self::scan_position(words, faults),
                "go" => Some(Self::Go(Box::new(Go::scan(words, faults)))),
                "stop" => Some(Self::Stop),
                "ponderhit" => Some(Self::PonderHit),
                "quit" => Some(Self::Quit),
                _ => continue,
            };
        }
        faults.push(UciCommandError::Unknown { line: quote(line) });
        None
    }

    fn scan_option(mut words: Words<'_>, faults: &mut Vec<UciCommandError>) -> Option<Self> {
        if words.next() != Some("name") {
            faults.push(UciCommandError::Missing {
                after: "setoption",
                what: "`name` and an option",
            });
            return None;
        }
        let mut name = Vec::new();
        let mut value = None;
        while let Some(word) = words.next() {
            if word == "value" {
                value = Some(words.rest().to_owned());
                break;
            }
            name.push(word);
        }
        if name.is_empty() {
            faults.push(UciCommandError::Missing {
                after: "name",
                what: "an option",
            });
            return None;
        }
        Some(Self::SetOption {
            name: name.join(" "),
            value,
        })
    }

    fn scan_position(mut words: Words<'_>, faults: &mut Vec<UciCommandError>) -> Option<Self> {
        let start = match words.next() {
            Some("startpos") => StartPosition::Initial,
            Some("fen") => {
                let mut fen = Vec::new();
                while let Some(word) = words.peek().filter(|word| *word != "moves") {
                    fen.push(word);
                    words.next();
                }
                StartPosition::Fen(fen.join(" "))
            }
            _ => {
                faults.push(UciCommandError::Missing {
                    after: "position",
                    what: "`startpos` or `fen` and a position",
                });
                return None;
            }
        };
        if let Some(word) = words.next()
            && word != "moves"
        {
            faults.push(UciCommandError::Stray {
                command: "position",
                word: quote(word),
            });
            return None;
        }
        let moves = words.map(str::to_owned).collect();
        Some(Self::Position { start, moves })
    }
}

/// Reads a line strictly: the first fault is the error.
impl FromStr for UciCommand {
    type Err = UciCommandError;

    fn from_str(line: &str) -> Result<Self, UciCommandError> {
        let (command, faults) = Self::read(line);
        match (faults.into_iter().next(), command) {
            (None, Some(command)) => Ok(command),
            (Some(fault), _) => Err(fault),
            (None, None) => Err(UciCommandError::Unknown { line: quote(line) }),
        }
    }
}

impl fmt::Display for UciCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uci => f.write_str("uci"),
            Self::Debug(on) => write!(f, "debug {}", if *on { "on" } else { "off" }),
            Self::IsReady => f.write_str("isready"),
            Self::SetOption { name, value: None } => {
                write!(f, "setoption name {}", OneLine(name))
            }
            Self::SetOption {
                name,
                value: Some(value),
            } => write!(
                f,
                "setoption name {} value {}",
                OneLine(name),
                OneLine(value)
            ),
            Self::Register(rest) => write!(f, "register {}", OneLine(rest)),
            Self::NewGame => f.write_str("ucinewgame"),
            Self::Position { start, moves } => {
                match start {
                    StartPosition::Initial => f.write_str("position startpos")?,
                    StartPosition::Fen(fen) => write!(f, "position fen {}", OneLine(fen))?,
                }
                if !moves.is_empty() {
                    f.write_str(" moves")?;
                }
                moves.iter().try_for_each(|m| write!(f, " {}", OneLine(m)))
            }
            Self::Go(go) => go.fmt(f),
            Self::Stop => f.write_str("stop"),
            Self::PonderHit => f.write_str("ponderhit"),
            Self::Quit => f.write_str("quit"),
            Self::Display => f.write_str("d"),
            Self::Eval => f.write_str("eval"),
        }
    }
}
