//! What an engine may say.

use std::fmt;
use std::time::Duration;

use mendel_board::Position;

use super::OptionLine;
use crate::words::{OneLine, Words, saturating_number};
use crate::{Best, Bound, Info, Score, Wdl};

/// What an engine may say.
///
/// Copy protection and registration are left out: no engine of today needs them.
#[derive(Clone, Debug, PartialEq)]
pub enum UciReply {
    Name(String),
    Author(String),
    /// All options are declared.
    UciOk,
    ReadyOk,
    BestMove {
        /// As UCI writes it; `None` where there is no legal move.
        best: Option<String>,
        /// The reply it expects.
        ponder: Option<String>,
    },
    Info(Box<InfoLine>),
    /// An option that can be set.
    Option(OptionLine),
}

/// One `info` line. Its fields mean what they mean in [`Info`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InfoLine {
    pub depth: Option<u32>,
    pub seldepth: Option<u32>,
    pub multipv: Option<u32>,
    pub score: Option<(Score, Bound)>,
    /// Winning, drawing and losing chances; those of others need not add up.
    pub wdl: Option<Wdl>,
    pub nodes: Option<u64>,
    pub nps: Option<u64>,
    pub hashfull: Option<u32>,
    pub tbhits: Option<u64>,
    /// Thousandths of the processors in use.
    pub cpuload: Option<u32>,
    pub time: Option<Duration>,
    pub currmove: Option<String>,
    /// Its number, from 1.
    pub currmovenumber: Option<u32>,
    pub pv: Vec<String>,
    /// Any text; it ends the line.
    pub string: Option<String>,
}

/// What engines play where there is no move.
const NO_MOVE: [&str; 5] = ["0000", "(none)", "none", "NULL", "null"];

impl UciReply {
    /// Reads what any engine may have said; `None` for whatever is not UCI.
    ///
    /// Fields that cannot be read are left out, the rest of the line counts.
    pub fn read(line: &str) -> Option<Self> {
        let mut words = Words::new(line);
        match words.next()? {
            "id" => match words.next()? {
                "name" => Some(Self::Name(words.rest().to_owned())),
                "author" => Some(Self::Author(words.rest().to_owned())),
                _ => None,
            },
            "uciok" => Some(Self::UciOk),
            "readyok" => Some(Self::ReadyOk),
            "bestmove" => {
                let given = |m: &&str| !NO_MOVE.contains(m);
                let best = words.next().filter(given).map(str::to_owned);
                let ponder = words
                    .skip_while(|word| *word != "ponder")
                    .nth(1)
                    .filter(given);
                Some(Self::BestMove {
                    best,
                    ponder: ponder.map(str::to_owned),
                })
            }
            "info" => Some(Self::Info(Box::new(InfoLine::scan(words)))),
            "option" => OptionLine::scan(words).map(Self::Option),
            _ => None,
        }
    }

    /// The `bestmove` line of a search result.
    pub(crate) fn best(position: &Position, best: &Best) -> Self {
        Self::BestMove {
            best: best.best.map(|m| position.uci(m)),
            ponder: best.ponder.map(|m| position.uci(m)),
        }
    }
}

impl InfoLine {
    /// A text for the user.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            string: Some(text.into()),
            ..Self::default()
        }
    }

    /// A report of our own search, made in `position`.
    pub fn report(position: &Position, info: &Info, show_wdl: bool) -> Self {
        Self {
            depth: Some(info.depth),
            seldepth: Some(info.seldepth),
            multipv: Some(info.multipv),
            score: Some((info.score, info.bound)),
            wdl: show_wdl.then_some(info.wdl),
            nodes: Some(info.nodes),
            nps: Some(info.nps()),
            hashfull: Some(info.hashfull),
            tbhits: Some(info.tbhits),
            time: Some(info.time),
            pv: info.pv.iter().map(|m| position.uci(*m)).collect(),
            ..Self::default()
        }
    }

    fn scan(mut words: Words<'_>) -> Self {
        let mut info = Self::default();
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = number(&mut words),
                "seldepth" => info.seldepth = number(&mut words),
                "multipv" => info.multipv = number(&mut words),
                "score" => info.score = score(&mut words),
                "wdl" => info.wdl = wdl(&mut words),
                "nodes" => info.nodes = number(&mut words),
                "nps" => info.nps = number(&mut words),
                "hashfull" => info.hashfull = number(&mut words),
                "tbhits" => info.tbhits = number(&mut words),
                "cpuload" => info.cpuload = number(&mut words),
                "time" => info.time = number(&mut words).map(Duration::from_millis),
                "currmove" => info.currmove = words.next().map(str::to_owned),
                "currmovenumber" => info.currmovenumber = number(&mut words),
                "string" => {
                    info.string = Some(words.rest().to_owned());
                    break;
                }
                "pv" => info.pv = line_of_moves(&mut words),
                // Lines of refutation and of single processors are moves too;
                // read as such, they cannot be taken for fields.
                "refutation" | "currline" => {
                    line_of_moves(&mut words);
                }
                _ => {}
            }
        }
        info
    }
}

const FIELDS: [&str; 17] = [
    "depth",
    "seldepth",
    "multipv",
    "score",
    "wdl",
    "nodes",
    "nps",
    "hashfull",
    "tbhits",
    "cpuload",
    "time",
    "currmove",
    "currmovenumber",
    "string",
    "pv",
    "refutation",
    "currline",
];

/// A number that is no number, negative or too large is not given.
fn number<T: TryFrom<i64>>(words: &mut Words<'_>) -> Option<T> {
    let number = words.peek().and_then(saturating_number)?;
    words.next();
    T::try_from(number).ok()
}

fn score(words: &mut Words<'_>) -> Option<(Score, Bound)> {
    let mut score = None;
    let mut bound = Bound::Exact;
    loop {
        match words.peek() {
            Some("cp") => {
                words.next();
                score = number(words).map(Score::Centipawns);
            }
            Some("mate") => {
                words.next();
                score = number(words).map(Score::Mate);
            }
            Some("lowerbound") => {
                words.next();
                bound = Bound::Lower;
            }
            Some("upperbound") => {
                words.next();
                bound = Bound::Upper;
            }
            _ => break,
        }
    }
    score.map(|score| (score, bound))
}

fn wdl(words: &mut Words<'_>) -> Option<Wdl> {
    Some(Wdl {
        win: number(words)?,
        draw: number(words)?,
        loss: number(words)?,
    })
}

fn line_of_moves(words: &mut Words<'_>) -> Vec<String> {
    let mut moves = Vec::new();
    while let Some(word) = words.peek().filter(|word| !FIELDS.contains(word)) {
        moves.push(word.to_owned());
        words.next();
    }
    moves
}

impl fmt::Display for UciReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "id name {}", OneLine(name)),
            Self::Author(author) => write!(f, "id author {}", OneLine(author)),
            Self::UciOk => f.write_str("uciok"),
            Self::ReadyOk => f.write_str("readyok"),
            Self::BestMove { best, ponder } => {
                let best = best.as_deref().unwrap_or(NO_MOVE[0]);
                write!(f, "bestmove {}", OneLine(best))?;
                match ponder {
                    Some(ponder) => write!(f, " ponder {}", OneLine(ponder)),
                    None => Ok(()),
                }
            }
            Self::Info(info) => info.fmt(f),
            Self::Option(option) => option.fmt(f),
        }
    }
}

impl fmt::Display for InfoLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("info")?;
        field(f, "depth", self.depth)?;
        field(f, "seldepth", self.seldepth)?;
        field(f, "multipv", self.multipv)?;
        if let Some((score, bound)) = self.score {
            match score {
                Score::Centipawns(centipawns) => write!(f, " score cp {centipawns}")?,
                Score::Mate(moves) => write!(f, " score mate {moves}")?,
            }
            f.write_str(match bound {
                Bound::Exact => "",
                Bound::Lower => " lowerbound",
                Bound::Upper => " upperbound",
            })?;
        }
        if let Some(Wdl { win, draw, loss }) = self.wdl {
            write!(f, " wdl {win} {draw} {loss}")?;
        }
        field(f, "nodes", self.nodes)?;
        field(f, "nps", self.nps)?;
        field(f, "hashfull", self.hashfull)?;
        field(f, "tbhits", self.tbhits)?;
        field(f, "cpuload", self.cpuload)?;
        field(f, "time", self.time.map(|time| time.as_millis()))?;
        field(f, "currmove", self.currmove.as_deref().map(OneLine))?;
        field(f, "currmovenumber", self.currmovenumber)?;
        if !self.pv.is_empty() {
            f.write_str(" pv")?;
        }
        self.pv
            .iter()
            .try_for_each(|m| write!(f, " {}", OneLine(m)))?;
        field(f, "string", self.string.as_deref().map(OneLine))
    }
}

fn field(f: &mut fmt::Formatter<'_>, name: &str, value: Option<impl fmt::Display>) -> fmt::Result {
    match value {
        Some(value) => write!(f, " {name} {value}"),
        None => Ok(()),
    }
}
