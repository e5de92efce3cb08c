//! What a GUI may say.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::words::{OneLine, Words, quote, saturating_number};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum XboardCommand {
    Xboard,
    Protover(u32),
    Accepted(String),
    Rejected(String),
    /// Another game: the engine plays Black.
    New,
    Variant(String),
    Quit,
    /// Play with some randomness; we have none.
    Random,
    /// Play neither side, only follow the moves.
    Force,
    /// Play the side to move.
    Go,
    /// Play the side not to move.
    PlayOther,
    Level(LevelCommand),
    SecondsPerMove(Duration),
    Depth(u32),
    /// Nodes a second to pretend to; we do not.
    NodesPerSecond(String),
    /// What is left on the engine's clock; below zero it is over.
    Time(i64),
    OpponentTime(i64),
    UserMove(String),
    MoveNow,
    /// Answer once everything before is done.
    Ping(i64),
    Draw,
    Result(String),
    SetBoard(String),
    /// The obsolete way to set up a position.
    Edit,
    /// What would you expect the opponent to play?
    Hint,
    Book,
    Undo,
    /// Take back one move of each side.
    Remove,
    /// Think on the opponent's time.
    Hard,
    /// Do not think on the opponent's time.
    Easy,
    Post,
    NoPost,
    /// Think about the position until told otherwise.
    Analyze,
    Exit,
    Status,
    Name(String),
    Rating(String),
    Computer,
    /// Memory to use, in MiB.
    Memory(u64),
    Cores(u64),
    TablePath {
        /// The kind of tables, such as `syzygy`.
        kind: String,
        path: String,
    },
    Option {
        /// The option, which may consist of several words.
        name: String,
        /// Buttons have none.
        value: Option<String>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelCommand {
    /// Moves of each control; 0 for the whole game.
    pub moves: u32,
    /// Time for them.
    pub base: Duration,
    /// What each move adds.
    pub increment: Duration,
}

/// Why a line is not a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum XboardCommandError {
    #[error("Error (unknown command): {line}")]
    Unknown { line: String },
    #[error("Error (needs {what}): {line}")]
    Argument { line: String, what: &'static str },
}

/// Commands of one word.
const PLAIN: [(&str, XboardCommand); 22] = [
    ("xboard", XboardCommand::Xboard),
    ("new", XboardCommand::New),
    ("quit", XboardCommand::Quit),
    ("random", XboardCommand::Random),
    ("force", XboardCommand::Force),
    ("go", XboardCommand::Go),
    ("playother", XboardCommand::PlayOther),
    ("?", XboardCommand::MoveNow),
    ("draw", XboardCommand::Draw),
    ("edit", XboardCommand::Edit),
    ("hint", XboardCommand::Hint),
    ("bk", XboardCommand::Book),
    ("undo", XboardCommand::Undo),
    ("remove", XboardCommand::Remove),
    ("hard", XboardCommand::Hard),
    ("easy", XboardCommand::Easy),
    ("post", XboardCommand::Post),
    ("nopost", XboardCommand::NoPost),
    ("analyze", XboardCommand::Analyze),
    ("exit", XboardCommand::Exit),
    (".", XboardCommand::Status),
    ("computer", XboardCommand::Computer),
];

impl FromStr for XboardCommand {
    type Err = XboardCommandError;

    fn from_str(line: &str) -> Result<Self, XboardCommandError> {
        let mut words = Words::new(line);
        let word = words.next().unwrap_or_default();
        if let Some((_, command)) = PLAIN.iter().find(|(plain, _)| *plain == word) {
            return Ok(command.clone());
        }
        let text = || words.rest().to_owned();
        let needs = |what| XboardCommandError::Argument {
            line: quote(line.trim()),
            what,
        };
        let number = || {
            words
                .peek()
                .and_then(saturating_number)
                .ok_or_else(|| needs("a whole number"))
        };
        let count = || number().map(|number| number.max(0) as u64);
        Ok(match word {
            "protover" => Self::Protover(small(number()?)),
            "accepted" => Self::Accepted(text()),
            "rejected" => Self::Rejected(text()),
            "variant" => Self::Variant(text()),
            "level" => Self::Level(
                LevelCommand::read(words.clone())
                    .ok_or_else(|| needs("moves, minutes and seconds"))?,
            ),
            "st" => Self::SecondsPerMove(
                words
                    .peek()
                    .and_then(clock_time)
                    .ok_or_else(|| needs("seconds"))?,
            ),
            "sd" => Self::Depth(small(number()?.max(1))),
            "nps" => Self::NodesPerSecond(text()),
            "time" => Self::Time(number()?),
            "otim" => Self::OpponentTime(number()?),
            "usermove" => Self::UserMove(words.next().ok_or_else(|| needs("a move"))?.to_owned()),
            "ping" => Self::Ping(number()?),
            "result" => Self::Result(text()),
            "setboard" => Self::SetBoard(text()),
            "name" => Self::Name(text()),
            "rating" => Self::Rating(text()),
            "memory" => Self::Memory(count()?),
            "cores" => Self::Cores(count()?),
            "egtpath" => Self::TablePath {
                kind: words
                    .next()
                    .ok_or_else(|| needs("a kind of tables and a path"))?
                    .to_owned(),
                path: words.rest().to_owned(),
            },
            "option" => {
                let (name, value) = match words.rest().split_once('=') {
                    Some((name, value)) => (name.trim(), Some(value.trim().to_owned())),
                    None => (words.rest(), None),
                };
                if name.is_empty() {
                    return Err(needs("a name"));
                }
                Self::Option {
                    name: name.to_owned(),
                    value,
                }
            }
            _ if words.rest().is_empty() && looks_like_a_move(word) => {
                Self::UserMove(word.to_owned())
            }
            _ => {
                return Err(XboardCommandError::Unknown {
                    line: quote(line.trim()),
                });
            }
        })
    }
}

impl LevelCommand {
    fn read(mut words: Words<'_>) -> Option<Self> {
        let moves = words.next().and_then(saturating_number)?;
        let base = words.next()?;
        let base = match base.split_once(':') {
            Some(_) => clock_time(base)?,
            None => clock_time(base)? * 60,
        };
        let increment = clock_time(words.next()?)?;
        Some(Self {
            moves: small(moves),
            base,
            increment,
        })
    }
}

/// Seconds with a fraction, or minutes and seconds; held under a year, so that
/// sums of times cannot overflow.
fn clock_time(text: &str) -> Option<Duration> {
    const YEAR: f64 = 365.0 * 24.0 * 60.0 * 60.0;
    let seconds = |text: &str| {
        let seconds: f64 = text.parse().ok()?;
        seconds.is_finite().then_some(seconds)
    };
    let total = match text.split_once(':') {
        Some((minutes, rest)) => seconds(minutes)? * 60.0 + seconds(rest)?,
        None => seconds(text)?,
    };
    // Whole milliseconds, so that what is printed is what was read.
    let milliseconds = (total.clamp(0.0, YEAR) * 1000.0).round();
    Some(Duration::from_millis(milliseconds as u64))
}

fn small(number: i64) -> u32 {
    number.clamp(0, i64::from(u32::MAX)) as u32
}

/// Moves may come without `usermove` before them.
fn looks_like_a_move(word: &str) -> bool {
    let bytes = word.as_bytes();
    let coordinates = matches!(bytes.len(), 4 | 5)
        && matches!(bytes[0], b'a'..=b'h')
        && matches!(bytes[1], b'1'..=b'8')
        && matches!(bytes[2], b'a'..=b'h')
        && matches!(bytes[3], b'1'..=b'8');
    coordinates || matches!(word, "O-O" | "O-O-O" | "0-0" | "0-0-0" | "@@@@")
}

impl fmt::Display for XboardCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protover(version) => write!(f, "protover {version}"),
            Self::Accepted(feature) => write!(f, "accepted {}", OneLine(feature)),
            Self::Rejected(feature) => write!(f, "rejected {}", OneLine(feature)),
            Self::Variant(name) => write!(f, "variant {}", OneLine(name)),
            Self::Level(level) => level.fmt(f),
            Self::SecondsPerMove(time) => write!(f, "st {}", Seconds(*time)),
            Self::Depth(depth) => write!(f, "sd {depth}"),
            Self::NodesPerSecond(nodes) => write!(f, "nps {}", OneLine(nodes)),
            Self::Time(centiseconds) => write!(f, "time {centiseconds}"),
            Self::OpponentTime(centiseconds) => write!(f, "otim {centiseconds}"),
            Self::UserMove(m) => write!(f, "usermove {}", OneLine(m)),
            Self::Ping(number) => write!(f, "ping {number}"),
            Self::Result(result) => write!(f, "result {}", OneLine(result)),
            Self::SetBoard(fen) => write!(f, "setboard {}", OneLine(fen)),
            Self::Name(name) => write!(f, "name {}", OneLine(name)),
            Self::Rating(ratings) => write!(f, "rating {}", OneLine(ratings)),
            Self::Memory(megabytes) => write!(f, "memory {megabytes}"),
            Self::Cores(cores) => write!(f, "cores {cores}"),
            Self::TablePath { kind, path } => {
                write!(f, "egtpath {} {}", OneLine(kind), OneLine(path))
            }
            Self::Option { name, value: None } => write!(f, "option {}", OneLine(name)),
            Self::Option {
                name,
                value: Some(value),
            } => write!(f, "option {}={}", OneLine(name), OneLine(value)),
            plain => {
                let word = PLAIN.iter().find(|(_, command)| command == plain);
                f.write_str(word.map_or("", |(word, _)| word))
            }
        }
    }
}

impl fmt::Display for LevelCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.base.as_secs();
        write!(f, "level {} {}", self.moves, seconds / 60)?;
        // Only what is not full minutes needs the longer form.
        if !self.base.as_millis().is_multiple_of(60_000) {
            let rest = Duration::from_secs(seconds % 60)
                + Duration::from_millis(u64::from(self.base.subsec_millis()));
            let zero = if rest < Duration::from_secs(10) {
                "0"
            } else {
                ""
            };
            write!(f, ":{zero}{}", Seconds(rest))?;
        }
        write!(f, " {}", Seconds(self.increment))
    }
}

/// Whole seconds where it can, since that is all some engines understand.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = self.0.subsec_millis();
        write!(f, "{}", self.0.as_secs())?;
        if milliseconds == 0 {
            return Ok(());
        }
        let digits = format!("{milliseconds:03}");
        write!(f, ".{}", digits.trim_end_matches('0'))
    }
}
