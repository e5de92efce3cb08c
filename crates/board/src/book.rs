//! Opening books in the Polyglot format.
//!
//! A book is a file of entries of sixteen bytes, big-endian and sorted by key:
//! the position's key, a move, its weight and a number for learning. The format
//! and its keys are Fabien Letouzey's, described by Michel Van den Bergh,
//! "The Polyglot book format" (`hgm.nubati.net/book_format.html`);
//! [`Position::key`] is that key.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use shakmaty::Move;

use crate::{BoardFileError, PackedMove, Position};

const ENTRY_BYTES: u64 = 16;

/// A Polyglot book. Only the entries asked for are read, so the size of the file
/// does not matter.
#[derive(Debug)]
pub struct Book {
    name: String,
    entries: u64,
    source: Mutex<Box<dyn ReadSeek>>,
}

trait ReadSeek: Read + Seek + Send + std::fmt::Debug {}
impl<S: Read + Seek + Send + std::fmt::Debug> ReadSeek for S {}

/// A move a book knows for a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    pub m: Move,
    /// How often it should be played, against the weights of its siblings.
    pub weight: u16,
    /// What learning programs noted; zero in most books.
    pub learn: u32,
}

impl Book {
    /// Opens a book file.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened or does not consist of whole entries.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, BoardFileError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        match File::open(path) {
            Ok(file) => Self::new(name, Box::new(file)),
            Err(source) => Err(cannot_read(name, source)),
        }
    }

    /// A book from memory; `name` is used in errors.
    ///
    /// # Errors
    ///
    /// If the bytes are not whole entries.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, BoardFileError> {
        Self::new(name.to_owned(), Box::new(Cursor::new(bytes)))
    }

    fn new(name: String, mut source: Box<dyn ReadSeek>) -> Result<Self, BoardFileError> {
        match source.seek(SeekFrom::End(0)) {
            Err(source) => Err(cannot_read(name, source)),
            Ok(bytes) if bytes % ENTRY_BYTES != 0 => Err(BoardFileError::TruncatedBook {
                path: name,
                bytes,
                entry: ENTRY_BYTES,
            }),
            Ok(bytes) => Ok(Self {
                name,
                entries: bytes / ENTRY_BYTES,
                source: Mutex::new(source),
            }),
        }
    }

    pub fn len(&self) -> u64 {
        self.entries
    }

    pub fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// The legal moves the book knows for `position`, as they stand in the file;
    /// empty if it knows none.
    ///
    /// # Errors
    ///
    /// If the file cannot be read any more.
    pub fn probe(&self, position: &Position) -> Result<Vec<BookMove>, BoardFileError> {
        let found = self.find(position);
        found.map_err(|source| cannot_read(self.name.clone(), source))
    }

    fn find(&self, position: &Position) -> io::Result<Vec<BookMove>> {
        // A thread that died while reading left the file at some place; each
        // read seeks first, so that does no harm.
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let key = position.key();

        // 1. The first entry that is not below the key.
        let (mut low, mut high) = (0, self.entries);
        while low < high {
            let middle = low + (high - low) / 2;
            if read_entry(&mut **source, middle)?.key < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }

        // 2. All entries with the key. No position has more than 218 moves, so a
        //    file of one endless key is not followed to its end.
        let mut moves: Vec<BookMove> = Vec::new();
        for index in low..self.entries.min(low.saturating_add(256)) {
            let entry = read_entry(&mut **source, index)?;
            if entry.key != key {
                break;
            }
            let Some(m) = decode_move(entry.packed, position) else {
                continue;
            };
            if moves.iter().all(|known| known.m != m) {
                moves.push(BookMove {
                    m,
                    weight: entry.weight,
                    learn: entry.learn,
                });
            }
        }
        Ok(moves)
    }

    /// A move for `position`, picked by weight with the number `random`, which
    /// may be anything; `None` if the book knows none with a weight.
    ///
    /// # Errors
    ///
    /// If the file cannot be read any more.
    pub fn pick(&self, position: &Position, random: u64) -> Result<Option<Move>, BoardFileError> {
        Ok(pick(&self.probe(position)?, random))
    }
}

fn cannot_read(path: String, source: io::Error) -> BoardFileError {
    BoardFileError::Read {
        what: "the opening book",
        path,
        source,
    }
}

/// One of `moves` by weight: `random` modulo the sum of the weights falls into
/// the share of one of them. `None` if the weights are all zero.
pub fn pick(moves: &[BookMove], random: u64) -> Option<Move> {
    let sum: u64 = moves.iter().map(|known| u64::from(known.weight)).sum();
    let mut place = random.checked_rem(sum)?;
    for known in moves {
        match place.checked_sub(u64::from(known.weight)) {
            None => return Some(known.m),
            Some(rest) => place = rest,
        }
    }
    None
}

/// A book in the making.
#[derive(Clone, Debug, Default)]
pub struct BookBuilder {
    entries: Vec<BookEntry>,
}

impl BookBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `weight` to what `m`, which must be legal, counts in `position`.
    pub fn add(&mut self, position: &Position, m: Move, weight: u16) {
        self.entries.push(BookEntry {
            key: position.key(),
            packed: encode_move(m),
            weight,
            learn: 0,
        });
    }

    /// Writes the book: sorted by key, the heaviest move first.
    ///
    /// # Errors
    ///
    /// If `out` cannot be written.
    pub fn write(mut self, out: &mut impl Write) -> io::Result<()> {
        // 1. The same move of the same position is one entry.
        self.entries.sort_by_key(|entry| (entry.key, entry.packed));
        self.entries.dedup_by(|next, first| {
            let same = (next.key, next.packed) == (first.key, first.packed);
            if same {
                first.weight = first.weight.saturating_add(next.weight);
            }
            same
        });

        // 2. The order of the format.
        self.entries
            .sort_by_key(|entry| (entry.key, u16::MAX - entry.weight, entry.packed));
        for entry in &self.entries {
            out.write_all(&entry.key.to_be_bytes())?;
            out.write_all(&entry.packed.to_be_bytes())?;
            out.write_all(&entry.weight.to_be_bytes())?;
            out.write_all(&entry.learn.to_be_bytes())?;
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug)]
struct BookEntry {
    key: u64,
    packed: u16,
    weight: u16,
    learn: u32,
}

fn read_entry(source: &mut dyn ReadSeek, index: u64) -> io::Result<BookEntry> {
    let mut bytes = [0; ENTRY_BYTES as usize];
    source.seek(SeekFrom::Start(index * ENTRY_BYTES))?;
    source.read_exact(&mut bytes)?;
    let number = u128::from_be_bytes(bytes);
    Ok(BookEntry {
        key: (number >> 64) as u64,
        packed: (number >> 48) as u16,
        weight: (number >> 32) as u16,
        learn: number as u32,
    })
}

/// Polyglot's sixteen bits are ours with from and to exchanged.
fn exchange(bits: u16) -> u16 {
    bits & 0xF000 | (bits & 0o77) << 6 | bits >> 6 & 0o77
}

fn encode_move(m: Move) -> u16 {
    exchange(PackedMove::from(m).bits())
}

fn decode_move(bits: u16, position: &Position) -> Option<Move> {
    PackedMove::from_bits(exchange(bits)).unpack(position)
}
