//! Positions with remarks, one a line: EPD.
//!
//! ```
//! use mendel_board::epd::Epd;
//!
//! let text = r#"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id "back rank";"#;
//! let epd: Epd = text.parse()?;
//! assert_eq!(epd.text("id"), Some("back rank"));
//! assert_eq!(epd.position().san(epd.moves("bm")?[0]), "Rd8#");
//! assert_eq!(epd.to_string(), text);
//! # Ok::<(), mendel_board::NotationError>(())
//! ```

use std::fmt;
use std::io::BufRead;
use std::str::FromStr;

use shakmaty::Move;

use crate::lines::BoundedLines;
use crate::notation::quote;
use crate::{BoardFileError, NotationError, Position};

/// A position and what is said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epd {
    position: Position,
    operations: Vec<Operation>,
}

/// A remark: an opcode such as `bm`, `id` or `c0`, and its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    pub opcode: String,
    /// Moves, numbers or texts, without quotation marks.
    pub operands: Vec<String>,
}

const MAX_LINE_LEN: usize = 65_536;

impl Epd {
    pub fn new(position: Position) -> Self {
        Self {
            position,
            operations: Vec::new(),
        }
    }

    /// The position; the remarks `hmvc` and `fmvn` are its counters.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// All remarks but the counters, in order.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The operands of the remark `opcode`, if it is there.
    pub fn operands(&self, opcode: &str) -> Option<&[String]> {
        let found = self.operations.iter().find(|known| known.opcode == opcode);
        found.map(|operation| operation.operands.as_slice())
    }

    /// The first operand of the remark `opcode`.
    pub fn text(&self, opcode: &str) -> Option<&str> {
        let first = self.operands(opcode)?.first();
        first.map(String::as_str)
    }

    /// The operands of the remark `opcode` as moves, such as the best moves
    /// (`bm`) or those to avoid (`am`); none if it is not there.
    ///
    /// # Errors
    ///
    /// If one of them is not a legal move.
    pub fn moves(&self, opcode: &str) -> Result<Vec<Move>, NotationError> {
        // Some suites decorate their moves, even with a space in between.
        let operands = self.operands(opcode).unwrap_or_default().iter();
        let bare = operands.map(|operand| operand.trim_end_matches([',', '!', '?', '+', '#']));
        let moves = bare.filter(|bare| !bare.is_empty()).map(|bare| {
            let read = self.position.parse_san(bare);
            read.or_else(|error| self.position.parse_uci(bare).map_err(|_| error))
        });
        let read: Result<_, NotationError> = moves.collect();
        read.map_err(|source| NotationError::EpdMove {
            opcode: opcode.to_owned(),
            source: Box::new(source),
        })
    }

    /// Adds a remark, or replaces the one of that name. The counters follow from
    /// the position and cannot be set.
    pub fn set(&mut self, opcode: &str, operands: &[&str]) {
        let operands = operands.iter().map(|&operand| operand.to_owned()).collect();
        match self.operations.iter_mut().find(|op| op.opcode == opcode) {
            Some(known) => known.operands = operands,
            None => self.operations.push(Operation {
                opcode: opcode.to_owned(),
                operands,
            }),
        }
    }
}

impl FromStr for Epd {
    type Err = NotationError;

    /// Reads one record. The six fields of a FEN are understood in place of the
    /// four, and the last semicolon may be missing.
    fn from_str(text: &str) -> Result<Self, NotationError> {
        // 1. Some files end their lines with a null; control characters mean
        //    nothing here. The fields of the position end where the remarks begin.
        let clean = text.replace(char::is_control, " ");
        let mut rest = clean.trim();
        let mut fields: Vec<&str> = Vec::new();
        while fields.len() < 6 {
            let end = rest.find(|c: char| c.is_whitespace() || c == ';');
            let field = &rest[..end.unwrap_or(rest.len())];
            let is_counter = !field.is_empty() && field.bytes().all(|b| b.is_ascii_digit());
            if field.is_empty() || (fields.len() >= 4 && !is_counter) {
                break;
            }
            fields.push(field);
            rest = rest[field.len()..].trim_start();
        }
        if fields.len() < 4 {
            return Err(NotationError::EpdFields { text: quote(text) });
        }

        // 2. The remarks; two of them are counters of the position.
        let mut operations = read_operations(rest)?;
        let clock = take_counter(&mut operations, "hmvc")?;
        let number = take_counter(&mut operations, "fmvn")?;
        let clock = clock.or(fields.get(4).map(|field| (*field).to_owned()));
        let number = number.or(fields.get(5).map(|field| (*field).to_owned()));

        // 3. The position.
        let fen = format!(
            "{} {} {}",
            fields[..4].join(" "),
            clock.as_deref().unwrap_or("0"),
            number.as_deref().unwrap_or("1"),
        );
        Ok(Self {
            position: Position::from_fen(&fen)?,
            operations,
        })
    }
}

fn read_operations(text: &str) -> Result<Vec<Operation>, NotationError> {
    let mut operations = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut rest = text.trim_start();
    loop {
        match rest.chars().next() {
            // 1. A semicolon or the end closes a remark; empty ones are nothing.
            None | Some(';') => {
                if !words.is_empty() {
                    let opcode = words.remove(0);
                    let operands = std::mem::take(&mut words);
                    operations.push(Operation { opcode, operands });
                }
                match rest.strip_prefix(';') {
                    None => return Ok(operations),
                    Some(next) => rest = next,
                }
            }
            // 2. A quoted text is one operand, whatever is in it.
            Some('"') => {
                let unclosed = || NotationError::EpdQuote { text: quote(rest) };
                let (inside, next) = rest[1..].split_once('"').ok_or_else(unclosed)?;
                if words.is_empty() {
                    return Err(NotationError::EpdOpcode { text: quote(rest) });
                }
                words.push(inside.to_owned());
                rest = next;
            }
            // 3. Anything else is a word.
            Some(first) => {
                if words.is_empty() && !first.is_alphabetic() {
                    return Err(NotationError::EpdOpcode { text: quote(rest) });
                }
                let end = rest.find(|c: char| c.is_whitespace() || c == ';' || c == '"');
                let (word, next) = rest.split_at(end.unwrap_or(rest.len()));
                words.push(word.to_owned());
                rest = next;
            }
        }
        rest = rest.trim_start();
    }
}

fn take_counter(
    operations: &mut Vec<Operation>,
    opcode: &'static str,
) -> Result<Option<String>, NotationError> {
    let Some(index) = operations.iter().position(|op| op.opcode == opcode) else {
        return Ok(None);
    };
    let operands = operations.remove(index).operands;
    match <[String; 1]>::try_from(operands) {
        Ok([number]) if number.parse::<u32>().is_ok() => Ok(Some(number)),
        _ => Err(NotationError::EpdCounter { opcode }),
    }
}

impl fmt::Display for Epd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fen = self.position.fen();
        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        f.write_str(&fields.join(" "))?;
        for operation in &self.operations {
            write!(f, " {operation}")?;
        }
        if self.position.halfmoves() != 0 {
            write!(f, " hmvc {};", self.position.halfmoves())?;
        }
        if self.position.fullmoves() != 1 {
            write!(f, " fmvn {};", self.position.fullmoves())?;
        }
        Ok(())
    }
}

impl fmt::Display for Operation {
    /// Moves and numbers stand bare, comments, names and whatever needs it in
    /// quotation marks; a quotation mark inside, for which the format has no
    /// room, becomes an apostrophe.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let opcode = self.opcode.as_bytes();
        let is_text = self.opcode == "id" || matches!(opcode, [b'c', b'0'..=b'9']);
        f.write_str(&self.opcode)?;
        for operand in &self.operands {
            let safe: String = operand
                .chars()
                .map(|c| match c {
                    '"' => '\'',
                    c if c.is_control() => ' ',
                    c => c,
                })
                .collect();
            let bare = !is_text && !safe.is_empty() && !safe.contains([' ', ';']);
            if bare && !safe.contains(char::is_whitespace) {
                write!(f, " {safe}")?;
            } else {
                write!(f, " \"{safe}\"")?;
            }
        }
        f.write_str(";")
    }
}

/// Reads the records of a file with the numbers of their lines; empty lines and
/// lines that begin with `#` are passed over.
pub fn read<R: BufRead>(reader: R) -> Records<R> {
    Records {
        lines: BoundedLines::new(reader, MAX_LINE_LEN - 1),
        line: 0,
        failed: false,
    }
}

/// The records of a file; see [`read`].
#[derive(Debug)]
pub struct Records<R> {
    lines: BoundedLines<R>,
    line: usize,
    failed: bool,
}

impl<R: BufRead> Iterator for Records<R> {
    type Item = Result<(usize, Epd), BoardFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.failed {
            self.line += 1;
            let line = self.line;
            let read = match self.lines.next_line() {
                Ok(read) => read?,
                Err(source) => {
                    self.failed = true;
                    return Some(Err(BoardFileError::ReadLine { line, source }));
                }
            };
            if read.is_truncated {
                return Some(Err(BoardFileError::LongLine {
                    line,
                    limit: MAX_LINE_LEN,
                }));
            }
            let text = read.text();
            let text = text.trim_start_matches('\u{feff}').trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            return Some(match text.parse() {
                Ok(epd) => Ok((line, epd)),
                Err(source) => Err(BoardFileError::EpdRecord { line, source }),
            });
        }
        None
    }
}
