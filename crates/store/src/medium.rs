//! What a journal needs of a file, so that tests can put a failing disk there.

use std::fs::File;
use std::io::{self, Write};

/// Something that grows at its end and can be cut back.
pub(crate) trait Medium {
    /// Adds the bytes at the end. After an error any number of them may be there.
    fn add(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Cuts it back to a length.
    fn cut(&mut self, length: u64) -> io::Result<()>;

    /// Returns when everything added would survive the loss of power.
    fn settle(&mut self) -> io::Result<()>;
}

/// A file opened for appending.
impl Medium for File {
    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn settle(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}
