//! The file of a data set, read and written as a stream.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use mendel_store::FileError;

use super::record::{self, RecordFault};
use super::{BUILT_IN, DataSet, Header, SUITES, Sample, suite};

/// What a data file is called, by convention.
pub const SUFFIX: &str = "mds";

/// The first bytes; the `\r\n` notices transfers that change line ends.
const MAGIC: &[u8; 8] = b"mendel\r\n";
const VERSION: u16 = 1;

/// A header is a few hundred bytes; one beyond this is damage.
const LONGEST_HEADER: u32 = 1 << 20;

/// More than any machine here could hold as positions in memory.
const MOST_POSITIONS: u64 = 100_000_000;

/// Squeezing harder takes ten times as long and saves two per cent.
const LEVEL: i32 = 12;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    #[error("cannot read the data set `{name}`: {source}")]
    Read { name: String, source: io::Error },
    #[error(
        "there is no data set `{name}`, built in or as a file; the built-in ones are {}",
        names()
    )]
    Unknown { name: String },
    #[error(
        "`{name}` is not a data set of ours: it does not begin as one; `mendel data import` reads PGN, EPD and CSV"
    )]
    Foreign { name: String },
    #[error(
        "the data set `{name}` has format {found}, this program reads format {VERSION}; make it again or use the program that made it"
    )]
    Version { name: String, found: u16 },
    #[error("the data set `{name}` is damaged: {reason}; copy or make it again")]
    Damaged { name: String, reason: String },
    #[error(
        "`{name}`, line {line}: {reason}; a line of a suite is an EPD record with a best move, such as `FEN bm Rd8#;`"
    )]
    Suite {
        name: String,
        line: u32,
        reason: String,
    },
    #[error("a data set holds at most {MOST_POSITIONS} positions; take a sample")]
    TooLarge,
    #[error(transparent)]
    Write(#[from] FileError),
}

fn names() -> String {
    let sets = BUILT_IN.iter().map(|set| set.name);
    let names = sets.chain(SUITES.iter().map(|(name, _)| *name));
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

type Source<'a> = BufReader<zstd::Decoder<'a, BufReader<Box<dyn Read + 'a>>>>;

/// Reads a set position by position; the memory used does not depend on its size.
pub struct Reader<'a> {
    name: String,
    header: Header,
    source: Source<'a>,
    read: u64,
    games: u64,
    game: u32,
    over: bool,
}

impl std::fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader")
            .field("name", &self.name)
            .field("header", &self.header)
            .field("read", &self.read)
            .finish_non_exhaustive()
    }
}

impl Reader<'static> {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// If it cannot be read or does not begin as a data set.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let name = path.display().to_string();
        let file = File::open(path).and_then(|file| {
            // A folder opens, but only reading it fails, with an odder message.
            if file.metadata()?.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            Ok(file)
        });
        match file {
            Ok(file) => Reader::from_read(name, Box::new(file)),
            Err(source) => Err(DataError::Read { name, source }),
        }
    }

    /// Opens the set that `text` names: a built-in one, or a file, which may also
    /// be a suite as EPD.
    ///
    /// # Errors
    ///
    /// If there is neither, or the file does not begin as a data set.
    pub fn find(text: &str) -> Result<Self, DataError> {
        if let Some(set) = BUILT_IN.iter().find(|set| set.name == text) {
            return Reader::from_read(text.to_owned(), Box::new(set.bytes));
        }
        if let Some(suite) = suite::find(text) {
            let bytes = io::Cursor::new(suite?);
            return Reader::from_read(text.to_owned(), Box::new(bytes));
        }
        if !Path::new(text).exists() {
            return Err(DataError::Unknown {
                name: text.to_owned(),
            });
        }
        Self::open(Path::new(text))
    }
}

impl<'a> Reader<'a> {
    /// Reads from memory; `name` is used in errors.
    ///
    /// # Errors
    ///
    /// If the bytes do not begin as a data set.
    pub fn new(name: &str, bytes: &'a [u8]) -> Result<Self, DataError> {
        Self::from_read(name.to_owned(), Box::new(bytes))
    }

    fn from_read(name: String, read: Box<dyn Read + 'a>) -> Result<Self, DataError> {
        let mut read = BufReader::new(read);
        let header = match read_header(&mut read) {
            Ok(header) => header,
            Err(Opening::Foreign) => return Err(DataError::Foreign { name }),
            Err(Opening::Version(found)) => return Err(DataError::Version { name, found }),
            Err(Opening::Damaged(reason)) => return Err(DataError::Damaged { name, reason }),
            Err(Opening::Read(source)) => return Err(DataError::Read { name, source }),
        };
        match zstd::Decoder::with_buffer(read) {
            Ok(decoder) => Ok(Self {
                name,
                header,
                source: BufReader::new(decoder.single_frame()),
                read: 0,
                games: 0,
                game: 0,
                over: false,
            }),
            Err(source) => Err(DataError::Read { name, source }),
        }
    }

    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Reads everything.
    ///
    /// # Errors
    ///
    /// If the file is damaged.
    pub fn collect(mut self) -> Result<DataSet, DataError> {
        // A damaged header may claim anything; memory follows what is really read.
        let expected = self.header.positions.min(1 << 20) as usize;
        let mut samples = Vec::with_capacity(expected);
        for sample in &mut self {
            samples.push(sample?);
        }
        Ok(DataSet {
            header: self.header,
            samples,
        })
    }

    fn damaged(&self, reason: String) -> DataError {
        DataError::Damaged {
            name: self.name.clone(),
            reason,
        }
    }

    fn next_sample(&mut self) -> Result<Option<Sample>, DataError> {
        if self.read == self.header.positions {
            return self.end().map(|()| None);
        }
        let number = self.read + 1;
        match record::read(&mut self.source, self.game) {
            Ok(sample) => {
                if self.read == 0 || sample.game != self.game {
                    self.games += 1;
                }
                self.read = number;
                self.game = sample.game;
                Ok(Some(sample))
            }
            Err(RecordFault::Wrong(reason)) => {
                Err(self.damaged(format!("position {number}: {reason}")))
            }
            Err(RecordFault::Read(error)) => Err(self.damaged(format!(
                "it ends or breaks at position {number} of {}: {error}",
                self.header.positions
            ))),
        }
    }

    /// Reading to the end makes the decompressor check its checksum.
    fn end(&mut self) -> Result<(), DataError> {
        if self.games != self.header.games {
            return Err(self.damaged(format!(
                "it has {} games, and {} by its header",
                self.games, self.header.games
            )));
        }
        let mut byte = [0];
        match self.source.read(&mut byte) {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.damaged(format!(
                "more follows behind position {}, the last of its header",
                self.header.positions
            ))),
            Err(error) => Err(self.damaged(error.to_string())),
        }
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Sample, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let next = self.next_sample().transpose();
        self.over = !matches!(next, Some(Ok(_)));
        next
    }
}

/// Why a file does not begin as a data set.
enum Opening {
    Foreign,
    Version(u16),
    Damaged(String),
    Read(io::Error),
}

fn read_header(read: &mut impl Read) -> Result<Header, Opening> {
    let cut = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => Opening::Damaged("it ends in its header".to_owned()),
        _ => Opening::Read(error),
    };
    // 1. The first bytes. Who is shorter than they are is no data set.
    let mut magic = [0; MAGIC.len()];
    match read.read_exact(&mut magic) {
        Ok(()) if magic == *MAGIC => {}
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
            return Err(Opening::Read(error));
        }
        _ => return Err(Opening::Foreign),
    }
    let mut version = [0; 2];
    read.read_exact(&mut version).map_err(cut)?;
    let version = u16::from_le_bytes(version);
    if version != VERSION {
        return Err(Opening::Version(version));
    }

    // 2. The header, no longer than a header is.
    let mut length = [0; 4];
    read.read_exact(&mut length).map_err(cut)?;
    let length = u32::from_le_bytes(length);
    if length > LONGEST_HEADER {
        let reason = format!("its header would have {length} bytes");
        return Err(Opening::Damaged(reason));
    }
    let mut text = vec![0; length as usize];
    read.read_exact(&mut text).map_err(cut)?;
    let header: Header = serde_json::from_slice(&text)
        .map_err(|error| Opening::Damaged(format!("its header cannot be read: {error}")))?;
    if header.positions > MOST_POSITIONS {
        let reason = format!("it claims {} positions", header.positions);
        return Err(Opening::Damaged(reason));
    }
    match header.fault() {
        None => Ok(header),
        Some(fault) => Err(Opening::Damaged(format!("in its header {fault}"))),
    }
}

/// Gathers samples for a file. They are squeezed as they come, so that sets much
/// larger than memory could hold as positions can be written.
pub struct Collector {
    header: Header,
    squeezed: zstd::Encoder<'static, Vec<u8>>,
    record: Vec<u8>,
    game: u32,
}

impl std::fmt::Debug for Collector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Collector")
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

impl Collector {
    /// An empty set; the counts of `header` are set by what comes.
    ///
    /// # Panics
    ///
    /// Never: a vector takes everything.
    pub fn new(header: Header) -> Self {
        let mut squeezed = zstd::Encoder::new(Vec::new(), LEVEL).expect("the level exists");
        squeezed
            .include_checksum(true)
            .expect("a fresh encoder takes settings");
        Self {
            header: Header {
                positions: 0,
                games: 0,
                ..header
            },
            squeezed,
            record: Vec::new(),
            game: 0,
        }
    }

    /// Adds a sample. Those of one game come together.
    ///
    /// # Panics
    ///
    /// Never: a vector takes everything.
    pub fn add(&mut self, sample: &Sample) {
        if self.header.positions == 0 || sample.game != self.game {
            self.header.games += 1;
        }
        self.header.positions += 1;
        self.record.clear();
        record::write(sample, self.game, &mut self.record);
        self.game = sample.game;
        io::Write::write_all(&mut self.squeezed, &self.record).expect("a vector takes everything");
    }

    pub fn positions(&self) -> u64 {
        self.header.positions
    }

    pub fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }

    /// The bytes of the file.
    ///
    /// # Errors
    ///
    /// If there are more samples than a file may hold.
    ///
    /// # Panics
    ///
    /// Never: a header is plain data.
    pub fn finish(self) -> Result<(Header, Vec<u8>), DataError> {
        if self.header.positions > MOST_POSITIONS {
            return Err(DataError::TooLarge);
        }
        let header = serde_json::to_vec(&self.header).expect("a header is plain data");
        let squeezed = self.squeezed.finish().expect("a vector takes everything");
        let mut bytes = Vec::with_capacity(squeezed.len() + header.len() + 14);
        bytes.extend_from_slice(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header);
        bytes.extend(squeezed);
        Ok((self.header, bytes))
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write(self, path: &Path) -> Result<(), DataError> {
        let (_, bytes) = self.finish()?;
        Ok(mendel_store::replace(path, &bytes)?)
    }
}
