//! Writing a shard, game by game.

use std::io::{self, Write};

use mendel_store::Fingerprint;

use super::block::GameBlock;
use super::{
    BLOCK_GAMES, END, MAGIC, MAX_BLOCK_LEN, MAX_HEADER_LEN, ShardGame, ShardHeader, VERSION,
};
use crate::DataError;

/// The most that Zstandard offers without large windows; a file is written once
/// and read often.
const LEVEL: i32 = 19;

/// Writes a shard; the memory used does not depend on the number of games.
pub struct ShardWriter<W> {
    out: W,
    squeeze: zstd::bulk::Compressor<'static>,
    block: GameBlock,
    table: Vec<u8>,
    contents: Fingerprint,
    games: u64,
    plies: u64,
    scored: u64,
}

impl<W> std::fmt::Debug for ShardWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShardWriter")
            .field("games", &self.games)
            .field("plies", &self.plies)
            .finish_non_exhaustive()
    }
}

impl<W: Write> ShardWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    ///
    /// If nothing can be written to `out`.
    pub fn new(mut out: W) -> Result<Self, DataError> {
        out.write_all(MAGIC).map_err(DataError::Games)?;
        out.write_all(&VERSION.to_le_bytes())
            .map_err(DataError::Games)?;
        let mut squeeze = zstd::bulk::Compressor::new(LEVEL).map_err(DataError::Games)?;
        squeeze.include_checksum(true).map_err(DataError::Games)?;
        Ok(Self {
            out,
            squeeze,
            block: GameBlock::default(),
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
    pub fn push(&mut self, game: &ShardGame) -> Result<(), DataError> {
        let plies = game.moves.len();
        let fault = if plies == 0 {
            Some("it has no moves".to_owned())
        } else if plies > usize::from(u16::MAX) {
            Some(format!("it has {plies} plies, more than 65535"))
        } else {
            let scores = game.scores.map_or(plies, <[_]>::len);
            (scores != plies).then(|| format!("it has {plies} plies and {scores} scores"))
        };
        if let Some(reason) = fault {
            return Err(DataError::Game { reason });
        }
        let pushed = self.block.push(game);
        pushed.map_err(|reason| DataError::Game {
            reason: reason.to_owned(),
        })?;
        self.games += 1;
        self.plies += plies as u64;
        self.scored += u64::from(game.scores.is_some());
        let is_full =
            self.block.len() >= BLOCK_GAMES || self.block.plies() >= MAX_BLOCK_LEN as usize / 8;
        if is_full { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), DataError> {
        if self.block.is_empty() {
            return Ok(());
        }
        let bytes = self.block.to_bytes();
        let squeezed = self.squeeze.compress(&bytes).map_err(DataError::Games)?;
        self.out.write_all(&squeezed).map_err(DataError::Games)?;
        self.contents.add(&bytes);
        for number in [
            squeezed.len(),
            bytes.len(),
            self.block.len(),
            self.block.plies(),
        ] {
            self.table.extend_from_slice(&(number as u32).to_le_bytes());
        }
        self.block = GameBlock::default();
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
    ) -> Result<(ShardHeader, W), DataError> {
        self.flush()?;
        let header = ShardHeader {
            description: description.to_owned(),
            made_by: made_by.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            sources: sources.to_vec(),
            games: self.games,
            plies: self.plies,
            scored: self.scored,
            fingerprint: self.contents.text(),
        };
        let text = serde_json::to_vec(&header).map_err(|error| DataError::Games(error.into()))?;
        if text.len() as u64 > MAX_HEADER_LEN {
            let reason = "the description is longer than a megabyte";
            return Err(DataError::Games(io::Error::other(reason)));
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
        self.out.write_all(&tail).map_err(DataError::Games)?;
        self.out.flush().map_err(DataError::Games)?;
        Ok((header, self.out))
    }
}
