//! Openings from files: EPD, PGN, Polyglot, and plain lines of moves.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

use mendel_board::book::Book;
use mendel_board::epd::{self, Epd};
use mendel_board::pgn::{PgnError, PgnReader};
use mendel_board::{FileError, Game, Position};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{OpeningSetting, Openings, Stored};

/// Why a file gives no openings.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// The file cannot be read.
    #[error("cannot read the openings `{name}`: {source}")]
    Read {
        /// The file.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// A line is no position.
    #[error("`{name}`, {source}")]
    Epd {
        /// The file.
        name: String,
        /// The line and what is wrong with it.
        source: FileError,
    },
    /// A game cannot be replayed.
    #[error(transparent)]
    Pgn(#[from] PgnError),
    /// The Polyglot book is broken.
    #[error(transparent)]
    Polyglot(#[from] FileError),
    /// A line of moves cannot be played.
    #[error("`{name}`, line {line}: {reason}")]
    Moves {
        /// The file.
        name: String,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// Nothing is left to play.
    #[error(
        "`{name}`, {place}: the game is over there ({how}); take the line out, or fewer half-moves"
    )]
    Over {
        /// The file.
        name: String,
        /// The line or the game.
        place: String,
        /// How it ended.
        how: String,
    },
    /// There is no opening in it.
    #[error("`{name}` has no openings")]
    Empty {
        /// The file.
        name: String,
    },
    /// There are more than fit into memory.
    #[error("`{name}` has more than {MOST_OPENINGS} openings; take a part of it")]
    TooMany {
        /// The file.
        name: String,
    },
    /// A kind of archive that is not read here.
    #[error("`{name}` is a {kind} file; unpack it first: `{remedy}`")]
    Packed {
        /// The file.
        name: String,
        /// What it is.
        kind: &'static str,
        /// What unpacks it.
        remedy: String,
    },
    /// Nobody knows what it is.
    #[error(
        "`{name}` is no book: openings come as EPD or FEN, PGN, Polyglot or lines of UCI moves, \
         plain or compressed with Zstandard"
    )]
    Unknown {
        /// The file.
        name: String,
    },
}

const MOST_OPENINGS: usize = 20_000_000;
const MOST_WALKS: usize = 1_000_000;
const WALK_PLIES: usize = 8;
/// A book in memory may be so large; a compressed one could claim anything.
const MOST_BYTES: u64 = 1 << 30;
const HEAD_BYTES: u64 = 4096;
const ZSTANDARD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];

/// The kinds of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Epd,
    Pgn,
    Polyglot,
    Moves,
}

impl Openings {
    /// Reads openings from a file: what it is follows from its name, or else
    /// from its first bytes.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, anything in it cannot be played, or there is
    /// nothing in it. The error names the file and the line or the game.
    pub fn load(path: impl AsRef<Path>, setting: &OpeningSetting) -> Result<Self, OpeningError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let failed = |source| OpeningError::Read {
            name: name.clone(),
            source,
        };

        // 1. What it is.
        let mut packed = File::open(path).map_err(failed)?;
        let first = head(&mut packed).map_err(failed)?;
        if let Some((kind, tool)) = archive(&first) {
            let remedy = format!("{tool} {name}");
            return Err(OpeningError::Packed { name, kind, remedy });
        }
        let compressed = first.starts_with(ZSTANDARD);
        let whole = Cursor::new(first).chain(packed);
        let mut read: Box<dyn Read + Send> = if compressed {
            Box::new(zstd::Decoder::new(whole).map_err(failed)?)
        } else {
            Box::new(whole)
        };
        let first = head(&mut read).map_err(failed)?;
        let kind =
            kind(path, &first).ok_or_else(|| OpeningError::Unknown { name: name.clone() })?;
        let mut read = Cursor::new(first).chain(read);

        // 2. What is in it.
        let openings = match kind {
            Kind::Epd => positions(&name, BufReader::new(read), setting)?,
            Kind::Pgn => games(&name, read, setting)?,
            Kind::Moves => {
                let bytes = all(&mut read).map_err(failed)?;
                moves(&name, &String::from_utf8_lossy(&bytes), setting)?
            }
            Kind::Polyglot if compressed => {
                let bytes = all(&mut read).map_err(failed)?;
                walks(&Book::from_bytes(&name, bytes)?, setting)?
            }
            // Only the entries asked for are read.
            Kind::Polyglot => walks(&Book::open(path)?, setting)?,
        };
        if openings.is_empty() {
            return Err(OpeningError::Empty { name });
        }
        Ok(Self::arrange(name, openings, setting))
    }
}

fn head(read: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read.by_ref().take(HEAD_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn all(read: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read.by_ref().take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        let reason = format!("it has more than {MOST_BYTES} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    Ok(bytes)
}

/// Archives that are not opened here, and what opens them.
fn archive(head: &[u8]) -> Option<(&'static str, &'static str)> {
    let known: [(&[u8], _, _); 4] = [
        (b"PK\x03\x04", "zip", "unzip"),
        (b"\x1F\x8B", "gzip", "gunzip"),
        (b"\xFD7zXZ\0", "xz", "unxz"),
        (b"BZh", "bzip2", "bunzip2"),
    ];
    let found = known.iter().find(|(magic, ..)| head.starts_with(magic));
    found.map(|&(_, kind, tool)| (kind, tool))
}

fn kind(path: &Path, head: &[u8]) -> Option<Kind> {
    // 1. By its name, without the ending of the compression.
    let plain = match path.extension() {
        Some(extension) if extension == "zst" => path.with_extension(""),
        _ => path.to_owned(),
    };
    let extension = plain.extension().unwrap_or_default().to_ascii_lowercase();
    match extension.to_str() {
        Some("epd" | "fen") => return Some(Kind::Epd),
        Some("pgn") => return Some(Kind::Pgn),
        Some("bin") => return Some(Kind::Polyglot),
        _ => {}
    }

    // 2. By its first line that says something.
    if head.contains(&0) {
        return Some(Kind::Polyglot);
    }
    let text = String::from_utf8_lossy(head);
    let mut lines = text
        .lines()
        .map(|line| line.trim_start_matches('\u{feff}').trim());
    let line = lines.find(|line| !line.is_empty() && !line.starts_with('#'))?;
    let word = line.split_whitespace().next()?;
    if line.starts_with('[') || line.starts_with("1.") || line.starts_with(['%', '{', ';']) {
        Some(Kind::Pgn)
    } else if line.parse::<Epd>().is_ok() {
        Some(Kind::Epd)
    } else if Position::initial().parse_uci(word).is_ok() {
        Some(Kind::Moves)
    } else {
        None
    }
}

fn keep(
    openings: &mut Vec<Stored>,
    name: &str,
    place: impl Fn() -> String,
    game: &Game,
) -> Result<(), OpeningError> {
    if let Some(outcome) = game.outcome() {
        return Err(OpeningError::Over {
            name: name.to_owned(),
            place: place(),
            how: outcome.reason.to_string().to_lowercase(),
        });
    }
    if openings.len() >= MOST_OPENINGS {
        let name = name.to_owned();
        return Err(OpeningError::TooMany { name });
    }
    openings.push(Stored::new(game));
    Ok(())
}

/// The same position under the rules of castling that are asked for.
fn under_rules(start: &Position, setting: &OpeningSetting) -> Position {
    if !setting.chess960 {
        return start.clone();
    }
    Position::from_fen960(&start.fen()).expect("it was written by a legal position")
}

fn positions(
    name: &str,
    read: BufReader<impl Read>,
    setting: &OpeningSetting,
) -> Result<Vec<Stored>, OpeningError> {
    let mut openings = Vec::new();
    for record in epd::read(read) {
        let (line, epd) = record.map_err(|source| OpeningError::Epd {
            name: name.to_owned(),
            source,
        })?;
        let game = Game::new(under_rules(epd.position(), setting));
        keep(&mut openings, name, || format!("line {line}"), &game)?;
    }
    Ok(openings)
}

fn games(
    name: &str,
    read: impl Read,
    setting: &OpeningSetting,
) -> Result<Vec<Stored>, OpeningError> {
    let mut openings = Vec::new();
    let mut reader = PgnReader::named(name, read);
    while let Some(read) = reader.next() {
        let read = read?.game;
        let plies = setting.plies.unwrap_or(usize::MAX);
        let mut game = Game::new(under_rules(read.start(), setting));
        for &m in read.moves().iter().take(plies) {
            game.play(m).expect("castling rules change no legal move");
        }
        let place = || format!("game {}", reader.games());
        keep(&mut openings, name, place, &game)?;
    }
    Ok(openings)
}

/// Reads lines of UCI moves from the initial position; empty lines and lines
/// that begin with `#` are passed over.
pub(super) fn moves(
    name: &str,
    text: &str,
    setting: &OpeningSetting,
) -> Result<Vec<Stored>, OpeningError> {
    let mut openings = Vec::new();
    let start = under_rules(&Position::initial(), setting);
    let plies = setting.plies.unwrap_or(usize::MAX);
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut game = Game::new(start.clone());
        for word in line.split_whitespace().take(plies) {
            let m = game.position().parse_uci(word);
            let m = m.map_err(|error| OpeningError::Moves {
                name: name.to_owned(),
                line: index + 1,
                reason: error.to_string(),
            })?;
            game.play(m).expect("reading checks the move");
        }
        keep(&mut openings, name, || format!("line {}", index + 1), &game)?;
    }
    Ok(openings)
}

/// Different walks through a book, each move as likely as its weight says.
fn walks(book: &Book, setting: &OpeningSetting) -> Result<Vec<Stored>, OpeningError> {
    let mut chance = ChaCha8Rng::seed_from_u64(setting.seed);
    let start = under_rules(&Position::initial(), setting);
    let plies = setting.plies.unwrap_or(WALK_PLIES);
    let wanted = setting.walks.clamp(1, MOST_WALKS);
    let mut openings = Vec::new();
    let mut seen = BTreeSet::new();
    // A small book has few walks, so after enough attempts what was found is all.
    for _ in 0..wanted * 4 + 1000 {
        let game = walk(book, &start, plies, &mut chance)?;
        if !game.moves().is_empty() && seen.insert(game.position().key()) {
            openings.push(Stored::new(&game));
        }
        if openings.len() >= wanted {
            break;
        }
    }
    Ok(openings)
}

fn walk(
    book: &Book,
    start: &Position,
    plies: usize,
    chance: &mut ChaCha8Rng,
) -> Result<Game, OpeningError> {
    let mut game = Game::new(start.clone());
    while game.moves().len() < plies {
        let moves = book.probe(game.position())?;
        let total: u32 = moves.iter().map(|known| u32::from(known.weight)).sum();
        if total == 0 {
            break; // the book ends here; a move of weight nought is never played
        }
        let mut lot = chance.random_range(0..total);
        let drawn = moves.iter().find(|known| {
            let weight = u32::from(known.weight);
            let hit = lot < weight;
            lot = lot.saturating_sub(weight);
            hit
        });
        let Some(drawn) = drawn else { break };
        game.play(drawn.m).expect("a book gives legal moves");
        if game.outcome().is_some() {
            game.undo(); // what ends the game is no opening
            break;
        }
    }
    Ok(game)
}
