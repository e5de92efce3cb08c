//! Reading PGN, one game at a time.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::ops::ControlFlow;
use std::path::Path;

use pgn_reader::{KnownOutcome, RawTag, Reader, SanPlus, Visitor};
use shakmaty::Color;

use super::{GameResult, PgnGame, Tags};
use crate::notation::quote;
use crate::{Game, Position};

/// No game under the 75-move rule lasts 9,000 moves of each side, so a longer one
/// is a damaged or hostile file.
const MAX_PLIES: usize = 20_000;
const MAX_TAGS: usize = 256;
const TAG_LINE_BYTES: usize = 4096;

/// Reads games one by one; the memory used does not depend on their number.
///
/// As an iterator it yields every game. Comments and variations are passed
/// over. What is no move at all is passed over too, so that only moves which
/// cannot be played break a game; the games after a broken one are read.
#[derive(Debug)]
pub struct PgnReader<R> {
    name: String,
    reader: Reader<TaggingReader<R>>,
    games: u64,
    failed: bool,
}

/// Why a game or a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum PgnError {
    /// The file could not be read; nothing follows.
    #[error("cannot read games from `{name}` after game {games}: {source}")]
    Read {
        name: String,
        games: u64,
        source: io::Error,
    },
    /// A game is broken; the next one may be whole.
    #[error(transparent)]
    Game(#[from] Box<BrokenGame>),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {number} of `{name}` ({white} – {black}, {event}) is broken: {reason}")]
pub struct BrokenGame {
    pub name: String,
    /// Counted from 1.
    pub number: u64,
    pub event: String,
    pub white: String,
    pub black: String,
    /// What is wrong: the move, the position or the variant.
    pub reason: String,
}

impl PgnReader<Box<dyn Read + Send>> {
    /// Opens a file, plain or compressed with Zstandard.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, PgnError> {
        Self::open_with(path, |file| file)
    }

    /// Opens a file as [`open`](Self::open) does; `watch` may wrap what is read
    /// from the disk, to see how far reading has come.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened.
    pub fn open_with<R: Read + Send + 'static>(
        path: impl AsRef<Path>,
        watch: impl FnOnce(File) -> R,
    ) -> Result<Self, PgnError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let read = File::open(path).and_then(|file| {
            // A folder opens, but only reading it fails, with an odder message.
            if file.metadata()?.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            decompressed(path, watch(file))
        });
        match read {
            Ok(read) => Ok(Self::named(&name, read)),
            Err(source) => Err(PgnError::Read {
                name,
                games: 0,
                source,
            }),
        }
    }
}

/// The file, through a decompressor if its name or its first bytes ask for it.
fn decompressed(
    path: &Path,
    mut file: impl Read + Send + 'static,
) -> io::Result<Box<dyn Read + Send>> {
    const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
    let mut head = Vec::new();
    file.by_ref()
        .take(MAGIC.len() as u64)
        .read_to_end(&mut head)?;
    let named = path.extension().is_some_and(|extension| extension == "zst");
    let compressed = named || head == MAGIC;
    let whole = Cursor::new(head).chain(file);
    Ok(if compressed {
        Box::new(zstd::Decoder::new(whole)?)
    } else {
        Box::new(whole)
    })
}

impl<R: Read> PgnReader<R> {
    /// Reads plain PGN; no buffer is needed around `read`.
    pub fn new(read: R) -> Self {
        Self::named("input", read)
    }

    /// Reads plain PGN; `name` is used in errors.
    pub fn named(name: &str, read: R) -> Self {
        Self {
            name: name.to_owned(),
            reader: Reader::build(TaggingReader(read))
                .set_supported_tag_line_length(TAG_LINE_BYTES)
                .finish(),
            games: 0,
            failed: false,
        }
    }

    /// The number of games found so far, skipped and broken ones included.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// The next game whose tags please `keep`. The moves of the others are not
    /// replayed, which makes skipping many times as fast as reading.
    pub fn next_matching(
        &mut self,
        mut keep: impl FnMut(&Tags) -> bool,
    ) -> Option<Result<PgnGame, PgnError>> {
        loop {
            if self.failed {
                return None;
            }
            let mut visit = Visit {
                file: &self.name,
                number: self.games + 1,
                keep: &mut keep,
            };
            match self.reader.read_game(&mut visit) {
                Ok(None) => return None,
                Ok(Some(seen)) => {
                    self.games += 1;
                    match seen {
                        VisitResult::Skipped => {}
                        VisitResult::Broken(game) => return Some(Err(PgnError::Game(game))),
                        VisitResult::Game(game) => return Some(Ok(*game)),
                    }
                }
                // The source's own errors come as other kinds, see `TaggingReader`.
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    self.games += 1;
                    let tags = Tags::default();
                    let reason = error.to_string();
                    let broken = broken(&self.name, self.games, &tags, reason);
                    return Some(Err(PgnError::Game(Box::new(broken))));
                }
                Err(source) => {
                    self.failed = true;
                    return Some(Err(PgnError::Read {
                        name: self.name.clone(),
                        games: self.games,
                        source,
                    }));
                }
            }
        }
    }
}

impl<R: Read> Iterator for PgnReader<R> {
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_matching(|_| true)
    }
}

/// Reads from elsewhere and makes its errors distinguishable from the parser's,
/// which are `InvalidData` and do not end the file.
#[derive(Debug)]
struct TaggingReader<R>(R);

impl<R: Read> Read for TaggingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(io::Error::other(error)),
                read => return read,
            }
        }
    }
}

fn broken(file: &str, number: u64, tags: &Tags, reason: String) -> BrokenGame {
    let tag = |name| quote(tags.get(name).unwrap_or("?"));
    BrokenGame {
        name: file.to_owned(),
        number,
        event: tag("Event"),
        white: tag("White"),
        black: tag("Black"),
        reason,
    }
}

struct Visit<'a, F> {
    file: &'a str,
    number: u64,
    keep: &'a mut F,
}

enum VisitResult {
    Skipped,
    Broken(Box<BrokenGame>),
    Game(Box<PgnGame>),
}

struct Replay {
    tags: Tags,
    game: Game,
}

impl<F> Visit<'_, F> {
    fn broken(&self, tags: &Tags, reason: String) -> VisitResult {
        VisitResult::Broken(Box::new(broken(self.file, self.number, tags, reason)))
    }
}

impl Replay {
    fn finish(&mut self, result: Option<GameResult>) -> VisitResult {
        let tags = std::mem::take(&mut self.tags);
        let game = std::mem::take(&mut self.game);
        let tagged = || tags.get("Result").and_then(GameResult::from_pgn);
        let result = result.or_else(tagged).unwrap_or_default();
        VisitResult::Game(Box::new(PgnGame {
            tags,
            game,
            result,
            comments: Vec::new(),
        }))
    }
}

impl<F: FnMut(&Tags) -> bool> Visitor for Visit<'_, F> {
    type Tags = Tags;
    type Movetext = Replay;
    type Output = VisitResult;

    fn begin_tags(&mut self) -> ControlFlow<VisitResult, Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<VisitResult> {
        if tags.len() >= MAX_TAGS {
            let reason = format!("it has more than {MAX_TAGS} tags");
            return ControlFlow::Break(self.broken(tags, reason));
        }
        let name = String::from_utf8_lossy(name);
        tags.set(name.trim(), &unescape(value.as_bytes()));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<VisitResult, Replay> {
        if !(self.keep)(&tags) {
            return ControlFlow::Break(VisitResult::Skipped);
        }
        match start(&tags) {
            Ok(start) => ControlFlow::Continue(Replay {
                tags,
                game: Game::new(start),
            }),
            Err(reason) => ControlFlow::Break(self.broken(&tags, reason)),
        }
    }

    fn san(&mut self, replay: &mut Replay, san: SanPlus) -> ControlFlow<VisitResult> {
        let position = replay.game.position();
        match san.san.to_move(position.chess()) {
            Ok(m) if replay.game.moves().len() < MAX_PLIES => {
                replay.game.push(m);
                ControlFlow::Continue(())
            }
            Ok(_) => {
                let reason = format!("it has more than {MAX_PLIES} half-moves");
                ControlFlow::Break(self.broken(&replay.tags, reason))
            }
            Err(error) => {
                let dots = position.turn().fold_wb(".", "...");
                let number = position.fullmoves();
                let fen = position.fen();
                let reason = format!("move {number}{dots} `{san}`: {error} in `{fen}`");
                ControlFlow::Break(self.broken(&replay.tags, reason))
            }
        }
    }

    /// The game is over here, whatever stands behind it.
    fn outcome(
        &mut self,
        replay: &mut Replay,
        outcome: pgn_reader::Outcome,
    ) -> ControlFlow<VisitResult> {
        let result = match outcome {
            pgn_reader::Outcome::Known(KnownOutcome::Draw) => GameResult::Draw,
            pgn_reader::Outcome::Known(KnownOutcome::Decisive {
                winner: Color::White,
            }) => GameResult::WhiteWins,
            pgn_reader::Outcome::Known(KnownOutcome::Decisive {
                winner: Color::Black,
            }) => GameResult::BlackWins,
            pgn_reader::Outcome::Unknown => GameResult::Unknown,
        };
        ControlFlow::Break(replay.finish(Some(result)))
    }

    fn end_game(&mut self, mut replay: Replay) -> VisitResult {
        replay.finish(None)
    }
}

/// The library's own decoding loses a backslash that follows another.
fn unescape(value: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value;
    loop {
        rest = match rest {
            [] => return String::from_utf8_lossy(&bytes).into_owned(),
            [b'\\', escaped @ (b'"' | b'\\'), rest @ ..] | [escaped, rest @ ..] => {
                bytes.push(*escaped);
                rest
            }
        };
    }
}

/// The position the tags say the game starts from.
fn start(tags: &Tags) -> Result<Position, String> {
    // 1. The variant; many spellings are about.
    let variant: String = tags
        .get("Variant")
        .unwrap_or_default()
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    let chess960 = match variant.as_str() {
        "" | "standard" | "chess" | "normal" | "fromposition" => false,
        "chess960" | "fischerandom" | "fischerrandom" | "freestyle" | "freestylechess" => true,
        _ => {
            let named = quote(tags.get("Variant").unwrap_or_default());
            return Err(format!("the variant `{named}` is not known here"));
        }
    };

    // 2. The position.
    match tags.get("FEN") {
        None if chess960 => Ok(Position::chess960(518).expect("518 is the usual start")),
        None => Ok(Position::initial()),
        Some(fen) if chess960 => Position::from_fen960(fen).map_err(|error| error.to_string()),
        Some(fen) => Position::from_fen(fen).map_err(|error| error.to_string()),
    }
}
