//! Whether the scores of a file are pawns or centipawns.

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::csv::CsvColumns;
use super::lines::NumberedLines;
use super::score::{Unit, read_score};
use super::{ImportError, ImportFormat, ImportSettings, PACE, epd};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readings {
    /// The line, from 1.
    pub line: u64,
    /// The number as it is written.
    pub text: String,
    /// Centipawns, if it is pawns.
    pub pawns: i16,
    /// Centipawns, if it is centipawns.
    pub centipawns: i16,
}

impl Readings {
    fn of(line: u64, text: String) -> Self {
        let read = |unit: Unit| read_score(&text, unit).unwrap_or_default();
        let (pawns, centipawns) = (read(Unit::Pawns), read(Unit::Centipawns));
        Self {
            line,
            text,
            pawns,
            centipawns,
        }
    }
}

impl fmt::Display for Readings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {} has `{}` (as pawns: {} cp, as centipawns: {} cp)",
            self.line, self.text, self.pawns, self.centipawns
        )
    }
}

/// What an error says of a fraction behind the first line.
pub(super) fn further(fraction: Option<&Readings>) -> String {
    fraction.map_or_else(String::new, |it| format!(", and the fraction in {it}"))
}

/// Refuses a file whose scores could be read in either unit, before anything is written:
/// 0.58 is 58 centipawns, or 1.
///
/// EPD has centipawns, and so has a column whose heading says so. Other columns may have
/// either, and a fraction contradicts centipawns in any file; so the whole file is looked
/// at, also behind the positions that are wanted.
pub(super) fn check(
    path: &Path,
    format: ImportFormat,
    setting: &ImportSettings,
    stop: &AtomicBool,
) -> Result<(), ImportError> {
    let has_scores = matches!(format, ImportFormat::Csv | ImportFormat::Epd);
    if setting.unit.is_some() {
        if has_scores {
            return Ok(());
        }
        return Err(ImportError::Setting {
            reason: format!(
                "`--unit` has no effect: no scores are read from `{}`; leave it out",
                path.display()
            ),
        });
    }
    if !has_scores {
        return Ok(());
    }
    let unknown = |first: Readings, fraction: Option<Readings>| ImportError::Unit {
        name: path.display().to_string(),
        first,
        fraction,
    };
    let mut lines = NumberedLines::open(path)?;
    let mut columns: Option<CsvColumns> = None;
    let mut first: Option<Readings> = None;
    let mut is_fixed = true;
    while let Some(line) = lines.next()? {
        if line.number.is_multiple_of(PACE) && stop.load(Ordering::Relaxed) {
            return Err(ImportError::Stopped);
        }
        let Some(text) = line.text else { continue };
        let found = match format {
            ImportFormat::Csv => {
                let columns = columns.get_or_insert_with(|| CsvColumns::find(&text).0);
                columns.score(&text)
            }
            _ => epd::score(&text).map(|score| (score, true)),
        };
        let Some((score, is_known)) = found.filter(|it| is_number(&it.0)) else {
            continue;
        };
        let has_fraction = score.contains('.');
        let found = Readings::of(line.number, score);
        if has_fraction {
            return Err(match first {
                Some(first) => unknown(first, Some(found)),
                None => unknown(found, None),
            });
        }
        is_fixed &= is_known;
        first.get_or_insert(found);
    }
    match first {
        Some(first) if !is_fixed => Err(unknown(first, None)),
        _ => Ok(()),
    }
}

/// Whether it is a score with a unit: neither a mate nor words.
fn is_number(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-']);
    digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && read_score(text, Unit::Centipawns).is_some()
}
