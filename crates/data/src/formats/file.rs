//! The file of a data set, read and written as a stream.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::record::{self, RecordFault};
use super::{BUILT_IN, DataSet, DataSetHeader, SUITES, Sample, suite};
use crate::{DataError, DataFile};

/// What a data file is called, by convention.
pub const SUFFIX: &str = "mds";

/// The first bytes; the `\r\n` notices transfers that change line ends.
const MAGIC: &[u8; 8] = b"mendel\r\n";
const VERSION: u16 = 1;

/// A header is a few hundred bytes; one beyond this is damage.
const MAX_HEADER_LEN: u32 = 1 << 20;

/// More than any machine here could hold as positions in memory.
const MAX_POSITIONS: u64 = 100_000_000;

/// A higher level takes ten times as long and saves two per cent.
const LEVEL: i32 = 12;

/// The names of the built-in sets, for messages.
fn built_in_names() -> String {
    let sets = BUILT_IN.iter().map(|set| set.name);
    let names = sets.chain(SUITES.iter().map(|(name, _)| *name));
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

type Source<'a> = BufReader<zstd::Decoder<'a, BufReader<Box<dyn Read + 'a>>>>;

/// Reads a set position by position; the memory used does not depend on its size.
pub struct Reader<'a> {
    name: String,
    header: DataSetHeader,
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
            // A folder can be opened; reading it fails with an unclear message.
            if file.metadata()?.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            Ok(file)
        });
        let file = file.map_err(DataFile::DataSet.read(&name))?;
        Reader::from_read(name, Box::new(file))
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
                known: built_in_names(),
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
        let header = read_header(&name, &mut read)?;
        let decoder = zstd::Decoder::with_buffer(read).map_err(DataFile::DataSet.read(&name))?;
        Ok(Self {
            name,
            header,
            source: BufReader::new(decoder.single_frame()),
            read: 0,
            games: 0,
            game: 0,
            over: false,
        })
    }

    pub fn header(&self) -> &DataSetHeader {
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
        DataFile::DataSet.damaged(&self.name, reason)
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

fn read_header(name: &str, read: &mut impl Read) -> Result<DataSetHeader, DataError> {
    let file = DataFile::DataSet;
    let cut = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => file.damaged(name, "it ends in its header"),
        _ => file.read(name)(error),
    };
    // 1. The first bytes. A shorter file is not a data set.
    let mut magic = [0; MAGIC.len()];
    match read.read_exact(&mut magic) {
        Ok(()) if magic == *MAGIC => {}
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
            return Err(file.read(name)(error));
        }
        _ => return Err(file.foreign(name)),
    }
    let mut version = [0; 2];
    read.read_exact(&mut version).map_err(cut)?;
    file.check_version(name, u16::from_le_bytes(version), VERSION)?;

    // 2. The header, of limited length.
    let mut length = [0; 4];
    read.read_exact(&mut length).map_err(cut)?;
    let length = u32::from_le_bytes(length);
    if length > MAX_HEADER_LEN {
        return Err(file.damaged(name, format!("its header would have {length} bytes")));
    }
    let mut text = vec![0; length as usize];
    read.read_exact(&mut text).map_err(cut)?;
    let header: DataSetHeader = serde_json::from_slice(&text)
        .map_err(|error| file.damaged(name, format!("its header cannot be read: {error}")))?;
    if header.positions > MAX_POSITIONS {
        let reason = format!("it claims {} positions", header.positions);
        return Err(file.damaged(name, reason));
    }
    match header.fault() {
        None => Ok(header),
        Some(fault) => Err(file.damaged(name, format!("in its header {fault}"))),
    }
}

/// Collects samples for a file. They are compressed at once, so that sets that are larger than
/// the memory for positions can be written.
pub struct Collector {
    header: DataSetHeader,
    compressed: zstd::Encoder<'static, Vec<u8>>,
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
    pub fn new(header: DataSetHeader) -> Self {
        let mut compressed = zstd::Encoder::new(Vec::new(), LEVEL).expect("the level exists");
        compressed
            .include_checksum(true)
            .expect("a fresh encoder takes settings");
        Self {
            header: DataSetHeader {
                positions: 0,
                games: 0,
                ..header
            },
            compressed,
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
        io::Write::write_all(&mut self.compressed, &self.record)
            .expect("a vector takes everything");
    }

    pub fn positions(&self) -> u64 {
        self.header.positions
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
    pub fn finish(self) -> Result<(DataSetHeader, Vec<u8>), DataError> {
        if self.header.positions > MAX_POSITIONS {
            return Err(DataError::TooLarge {
                most: MAX_POSITIONS,
            });
        }
        let header = serde_json::to_vec(&self.header).expect("a header is plain data");
        let compressed = self.compressed.finish().expect("a vector takes everything");
        let mut bytes = Vec::with_capacity(compressed.len() + header.len() + 14);
        bytes.extend_from_slice(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header);
        bytes.extend(compressed);
        Ok((self.header, bytes))
    }

    /// Writes the file atomically.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write(self, path: &Path) -> Result<(), DataError> {
        let (_, bytes) = self.finish()?;
        Ok(mendel_store::replace(path, &bytes)?)
    }
}
