//! What an engine may say.

use std::fmt;
use std::time::Duration;

use crate::Score;
use crate::words::{OneLine, Words, saturating_number};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum XboardReply {
    Feature(Vec<(String, String)>),
    Move(String),
    /// Everything before the ping with that number is done.
    Pong(i64),
    Thinking(Thinking),
    /// The game is over, in the engine's view: `1-0 {White mates}`.
    Claim {
        /// The result as PGN writes it.
        result: String,
        /// Why, without its braces.
        reason: String,
    },
    Resign,
    OfferDraw,
    IllegalMove {
        m: String,
        /// Why not, where it says so.
        reason: Option<String>,
    },
    Error {
        kind: String,
        command: String,
    },
    /// The move it expects from the opponent.
    Hint(String),
    /// How far its analysis is.
    Status {
        time: Duration,
        nodes: u64,
        depth: u32,
        /// Moves it has not looked at yet at this depth.
        left: u32,
        total: u32,
    },
    /// Something the user should see.
    TellUser(String),
}

/// One line of thought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thinking {
    pub depth: u32,
    /// What the line is worth to the engine.
    pub score: Score,
    /// Time since the search began, in hundredths of a second.
    pub time: Duration,
    pub nodes: u64,
    /// The line, in any notation.
    pub pv: Vec<String>,
}

/// A mate in N is written as this plus N.
const MATE: i32 = 100_000;

impl XboardReply {
    /// Reads what any engine may have said; `None` for remarks and whatever else
    /// is not part of the protocol.
    pub fn read(line: &str) -> Option<Self> {
        let mut words = Words::new(line);
        let first = words.next()?;
        let rest = words.rest();
        match first {
            "feature" => Some(Self::Feature(features(rest))),
            "move" => Some(Self::Move(words.next()?.to_owned())),
            "pong" => saturating_number(words.next()?).map(Self::Pong),
            "resign" => Some(Self::Resign),
            "offer" if rest == "draw" => Some(Self::OfferDraw),
            "Hint:" => Some(Self::Hint(words.next()?.to_owned())),
            "tellusererror" | "telluser" => Some(Self::TellUser(rest.to_owned())),
            "1-0" | "0-1" | "1/2-1/2" => Some(Self::Claim {
                result: first.to_owned(),
                reason: rest.trim_matches(['{', '}']).to_owned(),
            }),
            "Illegal" => {
                let (reason, m) = bracketed(rest.strip_prefix("move")?);
                let m = m.to_owned();
                Some(Self::IllegalMove { m, reason })
            }
            "Error" => {
                let (kind, command) = bracketed(rest);
                Some(Self::Error {
                    kind: kind.unwrap_or_default(),
                    command: command.to_owned(),
                })
            }
            "stat01:" => {
                let mut numbers = words.map_while(saturating_number);
                let mut next = || numbers.next().map(|number| number.max(0) as u64);
                Some(Self::Status {
                    time: centiseconds(next()?),
                    nodes: next()?,
                    depth: next()? as u32,
                    left: next()? as u32,
                    total: next()? as u32,
                })
            }
            _ => old_style_move(line).or_else(|| Thinking::read(line).map(Self::Thinking)),
        }
    }
}

impl Thinking {
    /// Depth, score, time, nodes; then, up to a tab, whatever newer engines add;
    /// then the line.
    fn read(line: &str) -> Option<Self> {
        let (numbers, pv) = line.split_once('\t').unwrap_or((line, ""));
        let mut words = Words::new(numbers);
        // Old engines put a mark behind the depth.
        let depth = words.next()?.trim_end_matches(['.', '&', '+', '-']);
        let depth = saturating_number(depth)?.clamp(0, i64::from(u32::MAX)) as u32;
        let score = saturating_number(words.next()?)?;
        let time = saturating_number(words.next()?)?.max(0) as u64;
        let nodes = saturating_number(words.next()?)?.max(0) as u64;
        let pv = if pv.is_empty() { words.rest() } else { pv };
        Some(Self {
            depth,
            score: read_score(score),
            time: centiseconds(time),
            nodes,
            pv: Words::new(pv).map(str::to_owned).collect(),
        })
    }
}

fn read_score(number: i64) -> Score {
    let number = number.clamp(i64::from(-2 * MATE), i64::from(2 * MATE)) as i32;
    if number > MATE {
        Score::Mate(number - MATE)
    } else if number <= -MATE {
        Score::Mate(number + MATE)
    } else {
        Score::Centipawns(number)
    }
}

fn centiseconds(number: u64) -> Duration {
    Duration::from_millis(number.saturating_mul(10))
}

/// `My move is: e2e4` and `1. ... e2e4`, as engines said before version 2.
fn old_style_move(line: &str) -> Option<XboardReply> {
    let mut words = Words::new(line);
    let first = words.next()?;
    let number = first.strip_suffix('.');
    if number.is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()))
        && words.next() == Some("...")
    {
        return words.next().map(|m| XboardReply::Move(m.to_owned()));
    }
    let start = line.trim().get(..10)?;
    if !start.eq_ignore_ascii_case("my move is") {
        return None;
    }
    let m = line.trim()[10..].trim_start_matches([':', ' ']);
    Words::new(m)
        .next()
        .map(|m| XboardReply::Move(m.to_owned()))
}

/// `(reason): text` as reason and text.
fn bracketed(text: &str) -> (Option<String>, &str) {
    let text = text.trim_start();
    match text.strip_prefix('(').and_then(|text| text.split_once(')')) {
        Some((reason, text)) => (Some(reason.to_owned()), text.trim_start_matches([':', ' '])),
        None => (None, text.trim_start_matches([':', ' '])),
    }
}

/// `name=value name="a text"`; what is not of that form is skipped.
fn features(text: &str) -> Vec<(String, String)> {
    let mut features = Vec::new();
    let mut rest = text.trim_start();
    while let Some((name, after)) = rest.split_once('=') {
        // Words without a value before this one are not features.
        let name = Words::new(name).last().unwrap_or_default();
        let (value, after) = if let Some(quoted) = after.strip_prefix('"') {
            quoted.split_once('"').unwrap_or((quoted, ""))
        } else {
            let end = after.find(char::is_whitespace).unwrap_or(after.len());
            after.split_at(end)
        };
        features.push((name.to_owned(), value.to_owned()));
        rest = after.trim_start();
    }
    features
}

impl fmt::Display for XboardReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Feature(features) => {
                f.write_str("feature")?;
                features.iter().try_for_each(|(name, value)| {
                    // Numbers stand alone; texts are quoted and cannot hold a quote.
                    match saturating_number(value) {
                        Some(_) => write!(f, " {name}={value}"),
                        None => write!(f, " {name}=\"{}\"", OneLine(&value.replace('"', "'"))),
                    }
                })
            }
            Self::Move(m) => write!(f, "move {}", OneLine(m)),
            Self::Pong(number) => write!(f, "pong {number}"),
            Self::Thinking(thinking) => thinking.fmt(f),
            Self::Claim { result, reason } => {
                write!(f, "{} {{{}}}", OneLine(result), OneLine(reason))
            }
            Self::Resign => f.write_str("resign"),
            Self::OfferDraw => f.write_str("offer draw"),
            Self::IllegalMove { m, reason: None } => write!(f, "Illegal move: {}", OneLine(m)),
            Self::IllegalMove {
                m,
                reason: Some(reason),
            } => write!(f, "Illegal move ({}): {}", OneLine(reason), OneLine(m)),
            Self::Error { kind, command } => {
                write!(f, "Error ({}): {}", OneLine(kind), OneLine(command))
            }
            Self::Hint(m) => write!(f, "Hint: {}", OneLine(m)),
            Self::Status {
                time,
                nodes,
                depth,
                left,
                total,
            } => write!(
                f,
                "stat01: {} {nodes} {depth} {left} {total}",
                time.as_millis() / 10
            ),
            Self::TellUser(text) => write!(f, "tellusererror {}", OneLine(text)),
        }
    }
}

impl fmt::Display for Thinking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let score = match self.score {
            Score::Centipawns(centipawns) => centipawns.clamp(1 - MATE, MATE - 1),
            Score::Mate(moves) if moves > 0 => MATE.saturating_add(moves),
            Score::Mate(moves) => (-MATE).saturating_add(moves),
        };
        let time = self.time.as_millis() / 10;
        write!(f, "{} {score} {time} {}", self.depth, self.nodes)?;
        self.pv
            .iter()
            .try_for_each(|m| write!(f, " {}", OneLine(m)))
    }
}
