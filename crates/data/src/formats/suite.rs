//! Suites: positions with best moves, as text that people can read.

use std::fs;
use std::path::Path;

use mendel_board::NotationError;
use mendel_board::epd::Epd;

use super::file::Collector;
use super::{DataSetHeader, Kind, Sample};
use crate::{DataError, DataFile};

/// The suites that ship with the program: name and text; `data/README.md` says how
/// each was made.
pub const SUITES: &[(&str, &str)] = &[("tactics", include_str!("../../../../data/tactics.epd"))];

/// Suites larger than this are data sets: `mendel data import` reads them.
const LARGEST_FILE: u64 = 64 << 20;

/// The bytes of a suite as a data set, if `text` names one: a built-in name or a
/// file whose name ends in `.epd`.
pub(super) fn find(text: &str) -> Option<Result<Vec<u8>, DataError>> {
    if let Some((name, contents)) = SUITES.iter().find(|(name, _)| *name == text) {
        return Some(squeeze(name, contents));
    }
    let path = Path::new(text);
    let is_suite = path
        .extension()
        .is_some_and(|it| it.eq_ignore_ascii_case("epd"));
    (is_suite && path.is_file()).then(|| squeeze(text, &read(path)?))
}

fn read(path: &Path) -> Result<String, DataError> {
    let name = path.display().to_string();
    let failed = DataFile::DataSet.read(&name);
    let bytes = fs::metadata(path).map_err(&failed)?.len();
    if bytes > LARGEST_FILE {
        return Err(DataError::Suite {
            name: name.clone(),
            line: 1,
            reason: format!("the file has {bytes} bytes; read it by `mendel data import`"),
        });
    }
    fs::read_to_string(path).map_err(failed)
}

/// A position with several best moves becomes several samples of one game.
fn squeeze(name: &str, contents: &str) -> Result<Vec<u8>, DataError> {
    let header = DataSetHeader::new(Kind::Moves, "A suite of positions with best moves");
    let mut collector = Collector::new(header);
    for (number, line) in (1..).zip(contents.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let refuse = |reason: String| DataError::Suite {
            name: name.to_owned(),
            line: number,
            reason,
        };
        let epd: Epd = line
            .parse()
            .map_err(|error: NotationError| refuse(error.to_string()))?;
        let moves = epd.moves("bm").map_err(|error| refuse(error.to_string()))?;
        if moves.is_empty() {
            return Err(refuse("there is no best move `bm`".to_owned()));
        }
        for m in moves {
            collector.add(&Sample {
                context: None,
                position: epd.position().clone(),
                game: number,
                score: None,
                best: Some(m),
                result: None,
            });
        }
    }
    Ok(collector.finish()?.1)
}
