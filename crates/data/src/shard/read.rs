//! Reading a shard, block by block and in any order.

use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Mutex;

use mendel_store::Fingerprint;

use super::block::GameBlock;
use super::{END, HEAD, MAGIC, MAX_BLOCK_LEN, MAX_HEADER_LEN, ROW, ShardHeader, TAIL, VERSION};
use crate::{DataError, DataFile};

trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

/// A file of games. Only what it tells about itself is in memory; several threads
/// may read blocks at once.
pub struct Shard {
    name: String,
    header: ShardHeader,
    rows: Vec<BlockIndexEntry>,
    source: Mutex<Box<dyn ReadSeek>>,
}

/// Where a block lies and what is in it.
#[derive(Clone, Copy, Debug)]
struct BlockIndexEntry {
    offset: u64,
    bytes: u32,
    unpacked: u32,
    games: u32,
    plies: u32,
}

impl fmt::Debug for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shard")
            .field("name", &self.name)
            .field("header", &self.header)
            .field("blocks", &self.rows.len())
            .finish_non_exhaustive()
    }
}

impl Shard {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is no shard, or is not whole.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, DataError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let file = File::open(path).and_then(|file| {
            // A folder can be opened; reading it fails with an unclear message.
            if file.metadata()?.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            Ok(file)
        });
        let file = file.map_err(DataFile::Games.read(&name))?;
        Self::from_source(name, Box::new(file))
    }

    /// Reads a shard that is in memory; `name` is used in errors.
    ///
    /// # Errors
    ///
    /// If the bytes are no shard, or not all of one.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, DataError> {
        Self::from_source(name.to_owned(), Box::new(Cursor::new(bytes)))
    }

    fn from_source(name: String, mut source: Box<dyn ReadSeek>) -> Result<Self, DataError> {
        let (header, rows) = ShardOpener {
            name: &name,
            source: &mut *source,
        }
        .read()?;
        Ok(Self {
            name,
            header,
            rows,
            source: Mutex::new(source),
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn header(&self) -> &ShardHeader {
        &self.header
    }

    pub fn blocks(&self) -> usize {
        self.rows.len()
    }

    /// Reads a block.
    ///
    /// # Errors
    ///
    /// If there is no such block, it cannot be read, or is damaged.
    pub fn block(&self, index: usize) -> Result<GameBlock, DataError> {
        let failed = DataFile::Games.read(&self.name);
        let row = self.rows.get(index);
        let row = row.ok_or_else(|| self.damaged(format!("there is no block {index}")))?;

        // 1. The bytes; a thread that died while reading has left nothing behind
        //    that matters, since everybody seeks first.
        let mut squeezed = vec![0; row.bytes as usize];
        {
            let lock = self.source.lock();
            let mut source = lock.unwrap_or_else(std::sync::PoisonError::into_inner);
            source.seek(SeekFrom::Start(row.offset)).map_err(&failed)?;
            source.read_exact(&mut squeezed).map_err(&failed)?;
        }

        // 2. The games, as many as the table promised.
        let bytes = zstd::bulk::decompress(&squeezed, row.unpacked as usize)
            .map_err(|error| self.damaged(format!("block {index} cannot be unpacked: {error}")))?;
        let block = GameBlock::from_bytes(&bytes).map_err(|fault| self.damaged(fault))?;
        if block.len() != row.games as usize || block.plies() != row.plies as usize {
            return Err(self.damaged(format!("block {index} holds other games than it says")));
        }
        Ok(block)
    }

    /// An error that names this file.
    pub fn damaged(&self, reason: impl Into<String>) -> DataError {
        DataFile::Games.damaged(&self.name, reason)
    }
}

/// A file that is being opened.
struct ShardOpener<'a> {
    name: &'a str,
    source: &'a mut dyn ReadSeek,
}

impl ShardOpener<'_> {
    fn read(mut self) -> Result<(ShardHeader, Vec<BlockIndexEntry>), DataError> {
        // 1. The beginning says what it is.
        let bytes = self.length()?;
        let mut head = Vec::new();
        self.at(0)?;
        let taken = (&mut *self.source).take(HEAD).read_to_end(&mut head);
        taken.map_err(|source| self.failed(source))?;
        let magic = &MAGIC[..head.len().min(MAGIC.len())];
        if head.is_empty() || !head.starts_with(magic) {
            return Err(DataFile::Games.foreign(self.name));
        }
        let cut = self.damaged(&format!("it ends too early, after {bytes} bytes"));
        let Some(&version) = head.last_chunk().filter(|_| head.len() as u64 == HEAD) else {
            return Err(cut);
        };
        DataFile::Games.check_version(self.name, u16::from_le_bytes(version), VERSION)?;

        // 2. The end says whether it is whole.
        if bytes < HEAD + TAIL {
            return Err(cut);
        }
        let tail = self.bytes(bytes - TAIL, TAIL as usize)?;
        if !tail.ends_with(END) {
            return Err(cut);
        }
        let number = |from: usize| {
            let four = tail[from..from + 4].try_into().expect("these are four");
            u64::from(u32::from_le_bytes(four))
        };
        let (length, blocks) = (number(0), number(4));
        let told = u64::from_le_bytes(tail[8..16].try_into().expect("these are eight"));
        let table = blocks * ROW;
        let before = (HEAD + TAIL).checked_add(length + table);
        let room = before.and_then(|before| bytes.checked_sub(before));
        let Some(room) = room.filter(|_| length <= MAX_HEADER_LEN) else {
            return Err(self.damaged("its parts are longer than the file"));
        };

        // 3. Header and table.
        let text = self.bytes(HEAD + room, (length + table) as usize)?;
        let mut print = Fingerprint::default();
        print.add(&text);
        if print.value() != told {
            return Err(self.damaged("its table of contents has changed"));
        }
        let (text, table) = text.split_at(length as usize);
        let header: ShardHeader = serde_json::from_slice(text)
            .map_err(|error| self.damaged(&format!("its header is not ours: {error}")))?;
        let rows = self.rows(table, room)?;
        let sum = |of: fn(&BlockIndexEntry) -> u32| {
            rows.iter().map(|row| u64::from(of(row))).sum::<u64>()
        };
        if sum(|row| row.games) != header.games || sum(|row| row.plies) != header.plies {
            return Err(self.damaged("its header counts other games than its table"));
        }
        Ok((header, rows))
    }

    fn rows(&self, table: &[u8], room: u64) -> Result<Vec<BlockIndexEntry>, DataError> {
        let mut offset = HEAD;
        let mut rows = Vec::with_capacity(table.len() / ROW as usize);
        for row in table.as_chunks::<{ ROW as usize }>().0 {
            let four = row.as_chunks::<4>().0;
            let row = BlockIndexEntry {
                offset,
                bytes: u32::from_le_bytes(four[0]),
                unpacked: u32::from_le_bytes(four[1]),
                games: u32::from_le_bytes(four[2]),
                plies: u32::from_le_bytes(four[3]),
            };
            if row.bytes > MAX_BLOCK_LEN || row.unpacked > MAX_BLOCK_LEN {
                return Err(self.damaged("a block is larger than any that is written"));
            }
            offset += u64::from(row.bytes);
            rows.push(row);
        }
        if offset != HEAD + room {
            return Err(self.damaged("its blocks do not fill it"));
        }
        Ok(rows)
    }

    fn length(&mut self) -> Result<u64, DataError> {
        let end = self.source.seek(SeekFrom::End(0));
        end.map_err(|source| self.failed(source))
    }

    fn at(&mut self, offset: u64) -> Result<(), DataError> {
        let sought = self.source.seek(SeekFrom::Start(offset));
        sought.map(|_| ()).map_err(|source| self.failed(source))
    }

    /// `count` bytes from `offset` on, which are known to be there.
    fn bytes(&mut self, offset: u64, count: usize) -> Result<Vec<u8>, DataError> {
        self.at(offset)?;
        let mut bytes = vec![0; count];
        let read = self.source.read_exact(&mut bytes);
        read.map_err(|source| self.failed(source))?;
        Ok(bytes)
    }

    fn failed(&self, source: io::Error) -> DataError {
        DataFile::Games.read(self.name)(source)
    }

    fn damaged(&self, reason: &str) -> DataError {
        DataFile::Games.damaged(self.name, reason)
    }
}
