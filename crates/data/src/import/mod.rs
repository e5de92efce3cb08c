//! Data sets from what others have gathered: games (PGN), positions with results or
//! best moves (EPD), positions with scores (CSV), puzzles.
//!
//! Nothing is dropped in silence: what cannot be read is counted, and the first few
//! are named with their lines.

mod csv;
mod epd;
mod gather;
mod lines;
mod pgn;
mod puzzles;
pub mod score;
mod source;
mod unit;

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use mendel_board::Color;
use mendel_store::FileError;
use serde::Serialize;

use crate::{Context, DataError, DataSetHeader, Kind, Sample};
use gather::SampleCollector;
use score::Unit;
pub use unit::Readings;
use unit::further;

/// What is imported, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportSettings {
    pub format: Option<ImportFormat>,
    /// Whose side scores are seen from.
    pub view: ScorePerspective,
    /// What 1 means in scores; where nothing is said, what the format says.
    pub unit: Option<Unit>,
    pub games: GameFilter,
    pub pick: PositionFilter,
    /// Keep both ratings and this number of moves before each position of a game.
    pub history: Option<usize>,
    /// Only positions in which nothing is to be won at once, as the player
    /// `mendel` sees it.
    pub only_quiet: bool,
    /// Each position once.
    pub distinct: bool,
    /// Stop after this number of positions.
    pub limit: Option<u64>,
    /// Keep this number of positions, chosen uniformly.
    pub sample: Option<u64>,
    /// Decides what is left to chance.
    pub seed: u64,
    /// The share of games that are held out.
    pub hold_out: f64,
    pub made_by: String,
    pub description: Option<String>,
}

impl ImportSettings {
    /// What 1 means in scores that are read.
    fn unit(&self) -> Unit {
        self.unit.unwrap_or(Unit::Centipawns)
    }
}

impl Default for ImportSettings {
    fn default() -> Self {
        Self {
            format: None,
            view: ScorePerspective::White,
            unit: None,
            games: GameFilter::default(),
            pick: PositionFilter::default(),
            history: None,
            only_quiet: false,
            distinct: false,
            limit: None,
            sample: None,
            seed: 1,
            hold_out: DataSetHeader::HOLD_OUT,
            made_by: String::new(),
            description: None,
        }
    }
}

/// Kinds of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImportFormat {
    Pgn,
    /// Positions with remarks: results, best moves, scores.
    Epd,
    /// A column of FENs and one of scores.
    Csv,
    Puzzles,
    /// Puzzles as JSON lines with a tree of solutions.
    PuzzleTrees,
}

/// Whose side a score is seen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScorePerspective {
    /// White's.
    White,
    /// That of the side to move.
    Mover,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameFilter {
    /// Both players are rated at least so.
    pub min_rating: Option<u32>,
    /// How it ended.
    pub result: Option<ResultFilter>,
    /// The least length of a game, in plies.
    pub min_plies: usize,
}

/// How a game must have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultFilter {
    White,
    Black,
    Draw,
    /// Not a draw.
    Decisive,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PositionFilter {
    /// One at random instead of all.
    pub one_per_game: bool,
    /// Only where the winner is to move.
    pub winner_to_move: bool,
    /// Only where this side is to move.
    pub mover: Option<Color>,
    /// Not before this ply.
    pub from_ply: usize,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    #[error("cannot read `{name}`: {source}")]
    Read { name: String, source: io::Error },
    #[error("`{name}` is a {kind} file; unpack it first: `{remedy}`")]
    Packed {
        name: String,
        kind: &'static str,
        remedy: String,
    },
    #[error(
        "`{name}` is nothing that can be imported: {reason}; PGN, EPD, CSV and Lichess puzzles are read, plain or as .zst, and `--format` says which it is"
    )]
    Unknown { name: String, reason: String },
    #[error("{what}: {why}")]
    Empty { what: String, why: String },
    #[error("no file of games was named")]
    NoSource,
    #[error("the unit of the scores in `{name}` is not known: {first}{}", further(fraction.as_ref()))]
    Unit {
        name: String,
        first: Readings,
        fraction: Option<Readings>,
    },
    #[error("{reason}")]
    Setting { reason: String },
    #[error("`{name}` exists already; choose another name or remove it")]
    Taken { name: String },
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    Write(#[from] FileError),
    #[error("stopped; nothing was written")]
    Stopped,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    pub records: u64,
    /// Those that the filters left out.
    pub filtered: u64,
    /// Positions that were found in the others.
    pub found: u64,
    /// Those of them that are in the set.
    pub kept: u64,
    /// Those of them that have neither score nor move nor result.
    pub unlabelled: u64,
    pub unreadable: u64,
    /// Where the first of these are, and what is wrong with them.
    pub examples: Vec<String>,
}

/// How many unreadable lines or games are named.
const MAX_EXAMPLES: usize = 5;

/// Keeps what is wrong with the first unreadable lines or games, at most 300 characters each.
pub(crate) fn add_example(examples: &mut Vec<String>, what: impl std::fmt::Display) {
    if examples.len() < MAX_EXAMPLES {
        examples.push(what.to_string().chars().take(300).collect());
    }
}

impl ImportReport {
    pub(super) fn unreadable(&mut self, what: impl std::fmt::Display) {
        self.unreadable += 1;
        add_example(&mut self.examples, what);
    }

    fn why_empty(&self) -> String {
        let mut text = format!(
            "{} games or lines, {} left out by the filters, {} unreadable",
            self.records, self.filtered, self.unreadable
        );
        if let Some(first) = self.examples.first() {
            text.push_str("; the first of these: ");
            text.push_str(first);
        }
        text
    }
}

#[derive(Clone, Debug)]
pub struct Imported {
    pub format: ImportFormat,
    pub header: DataSetHeader,
    pub bytes: usize,
    pub report: ImportReport,
}

struct ImportSink<'a> {
    setting: &'a ImportSettings,
    gather: SampleCollector<'a>,
    report: ImportReport,
    looks: u64,
    stop: &'a AtomicBool,
    progress: &'a mut dyn FnMut(&ImportReport),
}

/// Progress is told this often, in games or lines.
const PACE: u64 = 1000;

impl ImportSink<'_> {
    /// Counts the games or lines read so far; returns whether to continue.
    fn goes_on(&mut self, records: u64) -> Result<bool, ImportError> {
        self.report.records = records;
        self.looks += 1;
        if self.looks.is_multiple_of(PACE) {
            if self.stop.load(Ordering::Relaxed) {
                return Err(ImportError::Stopped);
            }
            self.report.found = self.gather.found();
            (self.progress)(&self.report);
        }
        Ok(!self.gather.is_full())
    }

    /// Takes the position of a line, if it is wanted.
    fn take_line(&mut self, sample: Sample) {
        if self.gather.wants(&sample.position) {
            self.gather.take(sample);
        } else {
            self.report.filtered += 1;
        }
    }
}

/// Reads `source` and writes what is wanted of it to `out`.
///
/// # Errors
///
/// If the file cannot be read, is nothing known, or nothing in it is wanted.
pub fn import(
    source: &Path,
    out: &Path,
    setting: &ImportSettings,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&ImportReport),
) -> Result<Imported, ImportError> {
    // 1. What is asked for, and what the file is.
    check(setting)?;
    if mendel_store::is_taken(out) {
        return Err(ImportError::Taken {
            name: out.display().to_string(),
        });
    }
    let name = source.display().to_string();
    let format = source::format(source, setting.format)?;
    unit::check(source, format, setting, stop)?;

    // 2. Read.
    let described = setting.description.clone();
    let file = source
        .file_name()
        .map_or_else(|| name.clone(), |file| file.to_string_lossy().into_owned());
    let header = DataSetHeader {
        made_by: setting.made_by.clone(),
        seed: setting.seed,
        hold_out: setting.hold_out,
        ..DataSetHeader::new(
            Kind::Imported,
            described.unwrap_or_else(|| format!("positions of {file}")),
        )
    };
    let mut desk = ImportSink {
        setting,
        gather: SampleCollector::new(setting, header),
        report: ImportReport::default(),
        looks: 0,
        stop,
        progress,
    };
    match format {
        ImportFormat::Pgn => pgn::read(source, &mut desk)?,
        ImportFormat::Epd => epd::read(source, &mut desk)?,
        ImportFormat::Csv => csv::read(source, &mut desk)?,
        ImportFormat::Puzzles => puzzles::read(source, &mut desk)?,
        ImportFormat::PuzzleTrees => puzzles::read_trees(source, &mut desk)?,
    }

    // 3. Write.
    let ImportSink {
        gather, mut report, ..
    } = desk;
    report.found = gather.found();
    let (collector, unlabelled) = gather.finish();
    report.kept = collector.positions();
    report.unlabelled = unlabelled;
    if report.kept == 0 {
        return Err(ImportError::Empty {
            what: format!("`{name}` gave no position"),
            why: report.why_empty(),
        });
    }
    let (header, bytes) = collector.finish()?;
    mendel_store::replace(out, &bytes)?;
    Ok(Imported {
        format,
        header,
        bytes: bytes.len(),
        report,
    })
}

fn check(setting: &ImportSettings) -> Result<(), ImportError> {
    let wrong = |reason: &str| {
        Err(ImportError::Setting {
            reason: reason.to_owned(),
        })
    };
    if !(0.0..=1.0).contains(&setting.hold_out) {
        return wrong("the share held out lies between 0 and 1");
    }
    if setting.history > Some(Context::MOST_MOVES) {
        return wrong("at most 64 moves are kept before a position");
    }
    if setting.limit == Some(0) || setting.sample == Some(0) {
        return wrong("a set without positions is of no use; ask for at least one");
    }
    if setting.sample.is_some_and(|sample| sample > 50_000_000) {
        return wrong("a sample of more than 50000000 positions does not fit into memory");
    }
    Ok(())
}
