//! Codes and names of openings, from a table.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::Path;

use crate::lines::BoundedLines;
use crate::{BoardFileError, Game, Position};

/// Codes and names of openings by their positions, so that a line is known
/// whatever the order of its moves.
///
/// The table is one or more files of the form of `lichess-org/chess-openings`:
/// a line each with ECO code, name and moves as PGN, separated by tabs, under a
/// line with the names of the columns.
#[derive(Clone, Debug, Default)]
pub struct OpeningNames(HashMap<u64, (String, String)>);

const MAX_LINE_LEN: usize = 65_536;

impl OpeningNames {
    /// Reads a table: a file, or all `.tsv` files of a folder.
    ///
    /// # Errors
    ///
    /// If it cannot be read, a line has another form, or there is no name.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, BoardFileError> {
        let path = path.as_ref();
        let failed = |source| cannot_read(path, source);
        let mut files = vec![path.to_owned()];
        if path.is_dir() {
            let entries: Result<Vec<_>, _> = fs::read_dir(path).map_err(failed)?.collect();
            let paths = entries
                .map_err(failed)?
                .into_iter()
                .map(|entry| entry.path());
            files = paths
                .filter(|path| path.extension().is_some_and(|extension| extension == "tsv"))
                .collect();
            files.sort();
        }
        let mut names = Self::default();
        for file in files {
            names.add(&file)?;
        }
        if names.0.is_empty() {
            let path = path.display().to_string();
            return Err(BoardFileError::NoOpeningNames { path });
        }
        Ok(names)
    }

    fn add(&mut self, path: &Path) -> Result<(), BoardFileError> {
        let failed = |source| cannot_read(path, source);
        let reader = BufReader::new(File::open(path).map_err(failed)?);
        let mut lines = BoundedLines::new(reader, MAX_LINE_LEN);
        for line in 1.. {
            let Some(read) = lines.next_line().map_err(failed)? else {
                break;
            };
            let refused = |reason| BoardFileError::OpeningName {
                path: path.display().to_string(),
                line,
                reason,
            };
            if read.is_truncated {
                return Err(refused(format!("it has more than {MAX_LINE_LEN} bytes")));
            }
            let text = read.text();
            let text = text.trim_start_matches('\u{feff}').trim_end();
            let heading = line == 1 && text.to_ascii_lowercase().starts_with("eco\t");
            if text.is_empty() || heading {
                continue;
            }
            self.add_line(text).map_err(refused)?;
        }
        Ok(())
    }

    fn add_line(&mut self, text: &str) -> Result<(), String> {
        let mut columns = text.split('\t');
        let (Some(code), Some(name), Some(moves)) =
            (columns.next(), columns.next(), columns.next())
        else {
            return Err("it has fewer than three columns".to_owned());
        };
        let mut position = Position::initial();
        for word in moves.split_whitespace() {
            // Move numbers stand alone or before a move: `1.`, `1.e4`, `1...e5`.
            let san = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            if san.is_empty() {
                continue;
            }
            let m = position.parse_san(san).map_err(|error| error.to_string())?;
            position.play(m);
        }
        // Of two names of one position the first stays.
        let named = self.0.entry(position.key());
        named.or_insert_with(|| (code.trim().to_owned(), name.trim().to_owned()));
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Code and name of the last position of `game` that has a name.
    pub fn find(&self, game: &Game) -> Option<(&str, &str)> {
        let mut positions = game.positions().iter().rev();
        let (code, name) = positions.find_map(|position| self.0.get(&position.key()))?;
        Some((code, name))
    }
}

fn cannot_read(path: &Path, source: io::Error) -> BoardFileError {
    BoardFileError::Read {
        what: "the opening names",
        path: path.display().to_string(),
        source,
    }
}
