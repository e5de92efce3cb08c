//! Writing a shard, game by game.

use std::io::{self, Write};

use mendel_store::Fingerprint;

use super::block::Block;
use super::{
    BLOCK_GAMES, END, GameRecord, Header, LARGEST_BLOCK, LONGEST_HEADER, MAGIC, ShardError, VERSION,
};

/// The most that Zstandard offers without large windows; a file is written once
/// and read often.
const LEVEL: i32 = 19;

/// Writes a shard; the memory used does not depend on the number of games.
pub struct Writer<W> {
    out: W,
    squeeze: zstd::bulk::Compressor<'static>,
    block: Block,
    table: Vec<u8>,
    contents: Fingerprint,
    games: u64,
    plies: u64,
    scored: u64,
}

impl<W> std::fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("games", &self.games)
            .field("plies", &self.plies)
            .finish_non_exhaustive()
    }
}

impl<W: Write> Writer<W> {
    /// Begins a file.
    ///
    /// # Errors
    ///
    /// If nothing can be written to `out`.
    pub fn new(mut out: W) -> Result<Self, ShardError> {
        out.write_all(MAGIC).map_err(ShardError::Write)?;
        out.write_all(&VERSION.to_le_bytes())
            .map_err(ShardError::Write)?;
        let mut squeeze = zstd::bulk::Compressor::new(LEVEL).map_err(ShardError::Write)?;
        squeeze.include_checksum(true).map_err(ShardError::Write)?;
        Ok(Self {
            out,
            squeeze,
            block: Block::default(),
            table: Vec::new(),
            contents: Fingerprint::default(),
            games: 0,
            plies: 0,
            scored: 0,
        })
    }

    pub fn games(&self) -> u64 {
        self.games
    }

    /// Adds a game. Its moves are taken as they are; a reader notices what is not
    /// legal.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or the game has no moves, too many, or
    /// another number of scores.
    pub fn push(&mut self, game: &GameRecord) -> Result<(), ShardError> {
        let plies = game.moves.len();
        let fault = if plies == 0 {
            Some("it has no moves".to_owned())
        } else if plies > usize::from(u16::MAX) {
            Some(format!("it has {plies} half-moves, more than 65535"))
        } else {
            let scores = game.scores.map_or(plies, <[_]>::len);
            (scores != plies).then(|| format!("it has {plies} half-moves and {scores} scores"))
        };
        if let Some(reason) = fault {
            return Err(ShardError::Game { reason });
        }
        self.block.push(game);
        self.games += 1;
        self.plies += plies as u64;
        self.scored += u64::from(game.scores.is_some());
        let is_full =
            self.block.len() >= BLOCK_GAMES || self.block.plies() >= LARGEST_BLOCK as usize / 8;
        if is_full { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), ShardError> {
        if self.block.is_empty() {
            return Ok(());
        }
        let bytes = self.block.to_bytes();
        let squeezed = self.squeeze.compress(&bytes).map_err(ShardError::Write)?;
        self.out.write_all(&squeezed).map_err(ShardError::Write)?;
        self.contents.add(&bytes);
        for number in [
            squeezed.len(),
            bytes.len(),
            self.block.len(),
            self.block.plies(),
        ] {
            self.table.extend_from_slice(&(number as u32).to_le_bytes());
        }
        self.block = Block::default();
        Ok(())
    }

    /// Ends the file; what its header says, and `out`.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn finish(
        mut self,
        description: &str,
        made_by: &str,
        sources: &[String],
    ) -> Result<(Header, W), ShardError> {
        self.flush()?;
        let header = Header {
            description: description.to_owned(),
            made_by: made_by.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            sources: sources.to_vec(),
            games: self.games,
            plies: self.plies,
            scored: self.scored,
            fingerprint: self.contents.text(),
        };
        let text = serde_json::to_vec(&header).map_err(|error| ShardError::Write(error.into()))?;
        if text.len() as u64 > LONGEST_HEADER {
            let reason = "the description is longer than a megabyte";
            return Err(ShardError::Write(io::Error::other(reason)));
        }
        let blocks = self.table.len() as u64 / super::ROW;
        let mut print = Fingerprint::default();
        print.add(&text);
        print.add(&self.table);
        let mut tail = text;
        let length = tail.len() as u32;
        tail.append(&mut self.table);
        tail.extend_from_slice(&length.to_le_bytes());
        tail.extend_from_slice(&(blocks as u32).to_le_bytes());
        tail.extend_from_slice(&print.value().to_le_bytes());
        tail.extend_from_slice(END);
        self.out.write_all(&tail).map_err(ShardError::Write)?;
        self.out.flush().map_err(ShardError::Write)?;
        Ok((header, self.out))
    }
}
