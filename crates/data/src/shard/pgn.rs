//! From PGN to a shard.

use std::collections::HashSet;
use std::fs;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use mendel_board::pgn::{GameResult, PgnError, PgnGame, PgnReader, Tags};
use mendel_board::{CastlingMode, Color, Position};
use mendel_store::{FileError, Fingerprint, is_taken, replace_with};
use serde::Serialize;

use super::{ShardGame, ShardHeader, ShardWriter, place_of};
use crate::DataError;
use crate::import::{ImportError, add_example};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardFilter {
    /// The lower of the two ratings is at least this; 0 takes games without
    /// ratings, too.
    pub min_rating: u16,
    pub max_rating: u16,
    /// The least length of a game, in full moves.
    pub min_moves: usize,
    /// Each game once, as its moves tell.
    pub distinct: bool,
    pub limit: Option<u64>,
}

impl Default for ShardFilter {
    fn default() -> Self {
        Self {
            min_rating: 0,
            max_rating: u16::MAX,
            min_moves: 1,
            distinct: false,
            limit: None,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConvertSettings {
    pub filter: ShardFilter,
    pub made_by: String,
    /// One sentence; made up if nothing is said.
    pub description: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ConvertReport {
    pub games: u64,
    /// Those of them that were written.
    pub kept: u64,
    /// Plies of those.
    pub plies: u64,
    /// Left out for the ratings.
    pub rating: u64,
    /// Left out since they are too short.
    pub short: u64,
    /// Left out because their result is unknown.
    pub unfinished: u64,
    /// Left out since they do not begin from the usual position.
    pub other_start: u64,
    /// Left out since the same game was there before.
    pub twice: u64,
    pub unreadable: u64,
    /// What is wrong with the first of these.
    pub examples: Vec<String>,
    /// Bytes of the files that were read, as they lie on the disk.
    #[serde(skip)]
    pub bytes: u64,
    /// Bytes of all files.
    #[serde(skip)]
    pub of_bytes: u64,
}

/// Progress is told this often, in games.
const PACE: u64 = 500;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvertedShard {
    pub header: ShardHeader,
    pub bytes: u64,
    pub report: ConvertReport,
}

impl ConvertReport {
    fn unreadable(&mut self, what: impl std::fmt::Display) {
        self.unreadable += 1;
        add_example(&mut self.examples, what);
    }

    pub fn left_out(&self) -> impl Iterator<Item = (&'static str, u64)> {
        [
            ("for their ratings", self.rating),
            ("too short", self.short),
            ("without a result", self.unfinished),
            ("from another start position", self.other_start),
            ("there before", self.twice),
            ("unreadable", self.unreadable),
        ]
        .into_iter()
        .filter(|&(_, count)| count > 0)
    }

    fn why_empty(&self) -> String {
        let mut parts = vec![format!("{} games were read", self.games)];
        parts.extend(
            self.left_out()
                .map(|(reason, count)| format!("{count} {reason}")),
        );
        let mut text = parts.join(", ");
        if let Some(first) = self.examples.first() {
            text.push_str("; the first of the unreadable: ");
            text.push_str(first);
        }
        text
    }
}

/// Reads games from PGN files, plain or as `.zst`, and writes those that are wanted
/// to `out`. Nothing is left out in silence: the report counts every reason.
///
/// # Errors
///
/// If a file cannot be read or written, if `out` exists, if no game is left, or
/// when `stop` becomes true. There is then no new file.
pub fn convert(
    sources: &[PathBuf],
    out: &Path,
    setting: &ConvertSettings,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&ConvertReport),
) -> Result<ConvertedShard, ImportError> {
    // 1. What is asked for.
    check(sources, out, &setting.filter)?;
    let names: Vec<String> = sources.iter().map(|source| file_name(source)).collect();
    let mut report = ConvertReport::default();
    for source in sources {
        let length = fs::metadata(source).map_err(|error| cannot_read(source, error))?;
        report.of_bytes += length.len();
    }

    // 2. The games, file after file.
    let described = setting.description.clone();
    let description = described.unwrap_or_else(|| format!("games of {}", names.join(", ")));
    let bytes = Arc::new(AtomicU64::new(0));
    let written = replace_with(out, |file| {
        let counted = Counted(file, Arc::clone(&bytes));
        let mut desk = PgnConverter {
            writer: ShardWriter::new(BufWriter::new(counted))?,
            filter: setting.filter,
            seen: HashSet::new(),
            moves: Vec::new(),
            read: Arc::new(AtomicU64::new(0)),
            report,
            stop,
            progress,
        };
        for source in sources {
            if !desk.is_full() {
                desk.read(source)?;
            }
        }
        (desk.progress)(&desk.report);
        if desk.report.kept == 0 {
            return Err(ImportError::Empty {
                what: "no game is left".to_owned(),
                why: desk.report.why_empty(),
            });
        }

        // 3. The end of the file.
        let (header, out) = desk.writer.finish(&description, &setting.made_by, &names)?;
        out.into_inner()
            .map_err(|error| DataError::Games(error.into_error()))?;
        Ok(ConvertedShard {
            header,
            bytes: bytes.load(Ordering::Relaxed),
            report: desk.report,
        })
    });
    written.map_err(|error| match error {
        ImportError::Data(DataError::Games(source)) => {
            let path = out.to_owned();
            FileError::Write { path, source }.into()
        }
        error => error,
    })
}

fn check(sources: &[PathBuf], out: &Path, filter: &ShardFilter) -> Result<(), ImportError> {
    if sources.is_empty() {
        return Err(ImportError::NoSource);
    }
    let wrong = |reason: String| Err(ImportError::Setting { reason });
    if filter.min_rating > filter.max_rating {
        return wrong(format!(
            "no rating is at least {} and at most {}",
            filter.min_rating, filter.max_rating
        ));
    }
    if filter.limit == Some(0) {
        return wrong("a file without games is of no use; ask for at least one".to_owned());
    }
    if is_taken(out) {
        return Err(ImportError::Taken {
            name: out.display().to_string(),
        });
    }
    Ok(())
}

fn cannot_read(path: &Path, source: io::Error) -> ImportError {
    ImportError::Read {
        name: path.display().to_string(),
        source,
    }
}

/// Without its folder, which tells nothing about the games.
fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// What is at hand while games are read.
struct PgnConverter<'a, W> {
    writer: ShardWriter<W>,
    filter: ShardFilter,
    /// Fingerprints of the games so far, if each is wanted once.
    seen: HashSet<u64>,
    moves: Vec<u8>,
    read: Arc<AtomicU64>,
    report: ConvertReport,
    stop: &'a AtomicBool,
    progress: &'a mut dyn FnMut(&ConvertReport),
}

/// Counts what is read from the disk, or written.
struct Counted<R>(R, Arc<AtomicU64>);

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.0.write(bytes)?;
        self.1.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: io::Write> PgnConverter<'_, W> {
    fn is_full(&self) -> bool {
        self.filter
            .limit
            .is_some_and(|limit| self.report.kept >= limit)
    }

    fn read(&mut self, path: &Path) -> Result<(), ImportError> {
        let failed = |error| match error {
            PgnError::Read { source, .. } => Err(cannot_read(path, source)),
            PgnError::Game(broken) => Ok(broken),
        };
        let count = Arc::clone(&self.read);
        let opened = PgnReader::open_with(path, |file| Counted(file, count));
        let mut reader = match opened {
            Ok(reader) => reader,
            Err(error) => return failed(error).map(|_| ()),
        };
        let before = self.report.games;
        while !self.is_full() {
            let next = reader.next_matching(|tags| self.is_wanted(tags));
            // Of some not even the tags could be read.
            self.report.games = before + reader.games();
            match next {
                None => break,
                Some(_) if self.stop.load(Ordering::Relaxed) => return Err(ImportError::Stopped),
                Some(Ok(game)) => self.take(&game)?,
                Some(Err(error)) => {
                    let broken = failed(error)?;
                    self.report.unreadable(broken);
                }
            }
        }
        Ok(())
    }

    /// Whether a game is wanted as far as its tags tell; the others need not be
    /// replayed.
    fn is_wanted(&mut self, tags: &Tags) -> bool {
        self.report.games += 1;
        if self.report.games.is_multiple_of(PACE) {
            self.report.bytes = self.read.load(Ordering::Relaxed);
            (self.progress)(&self.report);
        }
        let lower = ratings(tags).into_iter().min().unwrap_or(0);
        let is_wanted = (self.filter.min_rating..=self.filter.max_rating).contains(&lower);
        self.report.rating += u64::from(!is_wanted);
        // A stop does not wait for the next wanted game.
        is_wanted || self.stop.load(Ordering::Relaxed)
    }

    fn take(&mut self, game: &PgnGame) -> Result<(), ImportError> {
        // 1. Whether it is wanted.
        let played = game.game.moves();
        let start = game.game.start();
        let is_usual =
            start.castling_mode() == CastlingMode::Standard && *start == Position::initial();
        let least = self.filter.min_moves.max(1);
        if game.result == GameResult::Unknown {
            self.report.unfinished += 1;
            return Ok(());
        }
        if !is_usual {
            self.report.other_start += 1;
            return Ok(());
        }
        if played.len().div_ceil(2) < least {
            self.report.short += 1;
            return Ok(());
        }

        // 2. Its moves as places.
        self.moves.clear();
        for (position, &m) in game.game.positions().iter().zip(played) {
            let place = place_of(position, m).expect("the reader plays legal moves");
            self.moves.push(place);
        }
        if self.filter.distinct {
            let mut print = Fingerprint::default();
            print.add(&self.moves);
            if !self.seen.insert(print.value()) {
                self.report.twice += 1;
                return Ok(());
            }
        }

        // 3. To the file.
        self.writer.push(&ShardGame {
            ratings: ratings(&game.tags),
            result: game.result,
            moves: &self.moves,
            scores: None,
        })?;
        self.report.kept += 1;
        self.report.plies += self.moves.len() as u64;
        Ok(())
    }
}

fn ratings(tags: &Tags) -> [u16; 2] {
    Color::ALL.map(|color| tags.rating(color).unwrap_or(0))
}
