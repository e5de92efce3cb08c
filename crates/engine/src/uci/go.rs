//! `go` and its limits.

use std::fmt;
use std::time::Duration;

use mendel_board::Position;

use super::UciCommandError;
use crate::words::{OneLine, Words, quote, saturating_number};
use crate::{Clock, Limits, SideClock};

/// What a GUI may ask a search to keep to; numbers are as they were sent, so
/// that a clock may be below zero. Times are in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Consider only these moves; empty means all.
    pub searchmoves: Vec<String>,
    /// Think on the opponent's time.
    pub ponder: bool,
    pub wtime: Option<i64>,
    pub btime: Option<i64>,
    pub winc: Option<i64>,
    pub binc: Option<i64>,
    pub movestogo: Option<i64>,
    pub depth: Option<i64>,
    pub nodes: Option<i64>,
    /// Search for a mate in at most this many moves.
    pub mate: Option<i64>,
    pub movetime: Option<i64>,
    pub infinite: bool,
    /// Not part of UCI: count the leaves of the tree of legal moves instead.
    pub perft: Option<i64>,
}

/// What to do with a limit that is not a number or too small.
struct Field {
    name: &'static str,
    least: i64,
    /// The reading of what makes no sense; `None` drops the limit.
    fallback: Option<i64>,
    reading: &'static str,
}

/// A limit that cannot be read must still limit: without it a search might
/// never answer. Increments and moves to go only shape a clock and can be left out.
const FIELDS: [Field; 10] = [
    clock("wtime"),
    clock("btime"),
    shape("winc", 0),
    shape("binc", 0),
    shape("movestogo", 1),
    limit("depth", 1),
    limit("nodes", 1),
    limit("mate", 1),
    Field {
        reading: "0, which means to move at once",
        ..limit("movetime", 0)
    },
    limit("perft", 1),
];

const fn clock(name: &'static str) -> Field {
    Field {
        name,
        // A clock below zero is sent by GUIs that do not end a game on time.
        least: i64::MIN,
        fallback: Some(0),
        reading: "0, which means to move at once",
    }
}

const fn shape(name: &'static str, least: i64) -> Field {
    Field {
        name,
        least,
        fallback: None,
        reading: "none",
    }
}

const fn limit(name: &'static str, least: i64) -> Field {
    Field {
        name,
        least,
        fallback: Some(least),
        reading: "1",
    }
}

impl Go {
    pub(super) fn scan(mut words: Words<'_>, faults: &mut Vec<UciCommandError>) -> Self {
        let mut go = Self::default();
        while let Some(word) = words.next() {
            match word {
                "ponder" => go.ponder = true,
                "infinite" => go.infinite = true,
                "searchmoves" => {
                    while let Some(m) = words.peek().filter(|word| !is_keyword(word)) {
                        go.searchmoves.push(m.to_owned());
                        words.next();
                    }
                }
                _ => match FIELDS.iter().find(|field| field.name == word) {
                    Some(field) => {
                        // Another keyword is not eaten as the number before it.
                        let value = words.peek().filter(|word| !is_keyword(word));
                        if value.is_some() {
                            words.next();
                        }
                        *go.field(field.name) = field.read(value, faults);
                    }
                    None => faults.push(UciCommandError::Stray {
                        command: "go",
                        word: quote(word),
                    }),
                },
            }
        }
        go
    }

    fn field(&mut self, name: &str) -> &mut Option<i64> {
        match name {
            "wtime" => &mut self.wtime,
            "btime" => &mut self.btime,
            "winc" => &mut self.winc,
            "binc" => &mut self.binc,
            "movestogo" => &mut self.movestogo,
            "depth" => &mut self.depth,
            "nodes" => &mut self.nodes,
            "mate" => &mut self.mate,
            "movetime" => &mut self.movetime,
            _ => &mut self.perft,
        }
    }

    /// Says no limit but by words: such a search ends only when stopped.
    fn is_boundless(&self) -> bool {
        [
            self.wtime,
            self.btime,
            self.depth,
            self.nodes,
            self.mate,
            self.movetime,
        ]
        .iter()
        .all(Option::is_none)
    }

    /// What to keep to in `position`, with the moves that cannot be played there.
    ///
    /// A side without a clock gets that of the other; a `go` without any limit
    /// is `go infinite`.
    pub fn limits(&self, position: &Position) -> (Limits, Vec<mendel_board::NotationError>) {
        let mut searchmoves = Vec::new();
        let mut faults = Vec::new();
        for text in &self.searchmoves {
            match position.parse_uci(text) {
                Ok(m) => searchmoves.push(m),
                Err(fault) => faults.push(fault),
            }
        }
        let clock = (self.wtime.is_some() || self.btime.is_some()).then(|| Clock {
            white: side(self.wtime.or(self.btime), self.winc),
            black: side(self.btime.or(self.wtime), self.binc),
            moves_to_go: self.movestogo.map(small),
        });
        let only_mate = self.mate.is_some()
            && clock.is_none()
            && self.nodes.is_none()
            && self.movetime.is_none();
        let depth = match self.mate {
            Some(moves) if only_mate => self.depth.or(Some(depth_for_mate(moves))),
            _ => self.depth,
        };
        let limits = Limits {
            depth: depth.map(small),
            nodes: self.nodes.map(|nodes| nodes.max(1) as u64),
            movetime: self.movetime.map(milliseconds),
            mate: self.mate.map(small),
            clock,
            infinite: self.infinite || self.is_boundless(),
            ponder: self.ponder,
            searchmoves,
        };
        (limits, faults)
    }
}

impl Field {
    fn read(&self, value: Option<&str>, faults: &mut Vec<UciCommandError>) -> Option<i64> {
        let Some(text) = value else {
            faults.push(UciCommandError::Missing {
                after: self.name,
                what: "a whole number",
            });
            return self.fallback;
        };
        match saturating_number(text) {
            None => {
                faults.push(UciCommandError::Number {
                    field: self.name,
                    value: quote(text),
                    reading: self.reading,
                });
                self.fallback
            }
            Some(number) if number < self.least => {
                faults.push(UciCommandError::TooSmall {
                    field: self.name,
                    value: quote(text),
                    least: self.least,
                    reading: self.reading,
                });
                self.fallback
            }
            number => number,
        }
    }
}

/// A mate in n moves has fewer than 2n plies; a search that
/// prunes sees it later, but one that has seen nothing by twice that depth will
/// hardly ever. Without an end, a search for a mate that is not there has none.
fn depth_for_mate(moves: i64) -> i64 {
    moves.saturating_mul(4).saturating_add(6)
}

fn is_keyword(word: &str) -> bool {
    matches!(word, "ponder" | "infinite" | "searchmoves")
        || FIELDS.iter().any(|field| field.name == word)
}

fn side(time: Option<i64>, increment: Option<i64>) -> SideClock {
    SideClock {
        remaining: milliseconds(time.unwrap_or(0)),
        increment: milliseconds(increment.unwrap_or(0)),
    }
}

/// Held under a year, so that sums of times cannot overflow.
fn milliseconds(number: i64) -> Duration {
    const YEAR: i64 = 365 * 24 * 60 * 60 * 1000;
    Duration::from_millis(number.clamp(0, YEAR) as u64)
}

fn small(number: i64) -> u32 {
    number.clamp(1, i64::from(u32::MAX)) as u32
}

impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("go")?;
        if self.ponder {
            f.write_str(" ponder")?;
        }
        if self.infinite {
            f.write_str(" infinite")?;
        }
        let mut numbers = self.clone();
        for field in &FIELDS {
            if let Some(number) = *numbers.field(field.name) {
                write!(f, " {} {number}", field.name)?;
            }
        }
        // Last, since the list ends only at the next keyword.
        if !self.searchmoves.is_empty() {
            f.write_str(" searchmoves")?;
        }
        self.searchmoves
            .iter()
            .try_for_each(|m| write!(f, " {}", OneLine(m)))
    }
}
