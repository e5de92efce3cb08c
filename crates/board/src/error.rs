//! Why a text or a file is not what it should be.

use std::io;

/// Why a text is not a position, a move or an EPD record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotationError {
    #[error("`{fen}` is not a FEN: {reason}")]
    Fen { fen: String, reason: String },
    /// A FEN, but no legal position.
    #[error("`{fen}` is not a legal position: {reason}")]
    Position { fen: String, reason: String },
    #[error("`{text}` does not look like a move")]
    Move { text: String },
    #[error("illegal move `{text}` in `{fen}`")]
    IllegalMove { text: String, fen: String },
    #[error("ambiguous move `{text}` in `{fen}`")]
    AmbiguousMove { text: String, fen: String },
    #[error("`{text}` is not an EPD record: a position has four fields")]
    EpdFields { text: String },
    #[error("a quotation mark is not closed in `{text}`")]
    EpdQuote { text: String },
    #[error("`{text}` is not an opcode, which begins with a letter")]
    EpdOpcode { text: String },
    #[error("`{opcode}` needs one whole number")]
    EpdCounter { opcode: &'static str },
    #[error("`{opcode}`: {source}")]
    EpdMove { opcode: String, source: Box<Self> },
}

/// Why a file with chess data cannot be used. Lines are counted from 1.
#[derive(Debug, thiserror::Error)]
pub enum BoardFileError {
    #[error("cannot read {what} `{path}`: {source}")]
    Read {
        what: &'static str,
        path: String,
        source: io::Error,
    },
    #[error(
        "`{path}` is not a whole Polyglot book: {bytes} bytes are no multiple of {entry}; \
         fetch or make the file again"
    )]
    TruncatedBook {
        path: String,
        bytes: u64,
        entry: u64,
    },
    #[error(
        "`{path}`, line {line}: {reason}; a line is an ECO code, a name and moves, separated by tabs"
    )]
    OpeningName {
        path: String,
        line: usize,
        reason: String,
    },
    #[error(
        "`{path}` has no opening names; a table is a `.tsv` file with the columns eco, name, pgn"
    )]
    NoOpeningNames { path: String },
    #[error("no Syzygy table in `{paths}`; tables are files like `KQvK.rtbw` and `KQvK.rtbz`")]
    NoTables { paths: String },
    /// The next line of the EPD file may be a record.
    #[error("line {line}: {source}")]
    EpdRecord { line: usize, source: NotationError },
    /// The next line of the EPD file may be a record.
    #[error("line {line} has more than {limit} bytes, so this is no EPD file")]
    LongLine { line: usize, limit: usize },
    /// No further line of the EPD file can be read.
    #[error("line {line} cannot be read: {source}")]
    ReadLine { line: usize, source: io::Error },
}
