//! Games as text: PGN with scores and times as comments, and EPD of how they ended.

use std::time::{Duration, SystemTime};

use mendel_board::eco::OpeningNames;
use mendel_board::epd::Epd;
use mendel_board::pgn::{PgnGame, Tags};
use mendel_board::{Game, Position};
use mendel_store::library::utc_date;

use crate::{EndReason, GameRecord, MoveRecord, Pace, TimeControl};

/// What all games of a match have in common.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heading<'a> {
    pub event: &'a str,
    /// Where it was played: a machine, a person's name for it.
    pub site: &'a str,
    /// The players with their paces, by their index in the records.
    pub players: &'a [(String, Pace)],
    /// Codes and names of openings, where there is a table.
    pub names: Option<&'a OpeningNames>,
}

/// A record that cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {game} of the record cannot be replayed: {reason}; take it out and play it again")]
pub struct RecordError {
    /// Its place in the schedule, from 0.
    pub game: u64,
    /// What is wrong: its start position or a move.
    pub reason: String,
}

/// The moves of a record, the opening's first.
///
/// # Errors
///
/// If the start position or a move is not legal.
pub fn replay(record: &GameRecord) -> Result<Game, RecordError> {
    let failed = |reason: String| RecordError {
        game: record.game,
        reason,
    };
    let start = Position::from_fen(&record.start).map_err(|error| failed(error.to_string()))?;
    let mut game = Game::new(start);
    let played = record.moves.iter().map(|record| &record.m);
    for text in record.opening.iter().chain(played) {
        let m = game.position().parse_uci(text);
        let m = m.map_err(|error| failed(error.to_string()))?;
        game.play(m).map_err(|error| failed(error.to_string()))?;
    }
    Ok(game)
}

/// The game as PGN; its text is its `Display` form.
///
/// # Errors
///
/// If the start position or a move is not legal.
pub fn write(record: &GameRecord, heading: &Heading) -> Result<PgnGame, RecordError> {
    let game = replay(record)?;
    Ok(PgnGame {
        tags: tags(record, heading, &game),
        comments: comments(record),
        game,
        result: record.ending.game_result(),
    })
}

/// The last position of a game as EPD, with the result, its reason and the
/// players.
///
/// # Errors
///
/// If the start position or a move is not legal.
pub fn write_final(record: &GameRecord, heading: &Heading) -> Result<Epd, RecordError> {
    let mut epd = Epd::new(replay(record)?.position().clone());
    let name = |index| player(heading, index).0;
    let id = format!(
        "{} {} – {}",
        round(record),
        name(record.white),
        name(record.black)
    );
    epd.set("id", &[&id]);
    epd.set("c0", &[record.ending.result()]);
    epd.set("c1", &[&record.ending.words]);
    Ok(epd)
}

/// A moment as PGN writes a date, in UTC: `2026.01.31`. Unknown before 1970.
pub fn date(moment: SystemTime) -> String {
    utc_date(moment).map_or_else(
        || "????.??.??".to_owned(),
        |(year, month, day)| format!("{year:04}.{month:02}.{day:02}"),
    )
}

fn player<'a>(heading: &Heading<'a>, index: usize) -> (&'a str, Pace) {
    let known = heading.players.get(index);
    known.map_or(("?", Pace::default()), |(name, pace)| (name, *pace))
}

/// The pair, and which of its games.
fn round(record: &GameRecord) -> String {
    let pair = record.pair.saturating_add(1);
    format!("{pair}.{}", record.game % 2 + 1)
}

fn tags(record: &GameRecord, heading: &Heading, game: &Game) -> Tags {
    let mut tags = Tags::new();
    let (white, white_pace) = player(heading, record.white);
    let (black, black_pace) = player(heading, record.black);
    let or_unknown = |text: &str| match text.trim() {
        "" => "?".to_owned(),
        text => text.to_owned(),
    };
    // The start position and the result are written from the game itself.
    tags.set("Event", &or_unknown(heading.event));
    tags.set("Site", &or_unknown(heading.site));
    tags.set("Date", &record.date);
    tags.set("Round", &round(record));
    tags.set("White", &or_unknown(white));
    tags.set("Black", &or_unknown(black));
    if let Some((code, name)) = heading.names.and_then(|names| names.find(game)) {
        tags.set("ECO", code);
        tags.set("Opening", name);
    }
    if white_pace == black_pace {
        tags.set("TimeControl", &time_control(white_pace));
        tags.set("Pace", &white_pace.to_string());
    } else {
        tags.set("TimeControl", "?");
        tags.set("WhiteTimeControl", &time_control(white_pace));
        tags.set("BlackTimeControl", &time_control(black_pace));
        tags.set("WhitePace", &white_pace.to_string());
        tags.set("BlackPace", &black_pace.to_string());
    }
    tags.set("PlyCount", &game.moves().len().to_string());
    tags.set("Termination", termination(record.ending.reason));
    tags.set("Ending", &record.ending.words);
    tags
}

/// The time control in PGN's own notation: `40/60+0.5`, `8+0.08`; a time for
/// each move is a control of one move, and no time at all is `-`.
fn time_control(pace: Pace) -> String {
    let seconds = |time: Duration| time.as_secs_f64().to_string();
    match (pace.clock, pace.movetime) {
        (
            Some(TimeControl {
                moves,
                base,
                increment,
            }),
            _,
        ) => {
            let moves = moves.map_or(String::new(), |moves| format!("{moves}/"));
            let plus = if increment.is_zero() {
                String::new()
            } else {
                format!("+{}", seconds(increment))
            };
            format!("{moves}{}{plus}", seconds(base))
        }
        (None, Some(movetime)) => format!("1/{}", seconds(movetime)),
        (None, None) => "-".to_owned(),
    }
}

/// The reason in the words that PGN has for it.
fn termination(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Checkmate
        | EndReason::Stalemate
        | EndReason::InsufficientMaterial
        | EndReason::FiftyMoves
        | EndReason::Repetition
        | EndReason::Resignation => "normal",
        EndReason::Time => "time forfeit",
        EndReason::IllegalMove | EndReason::Flood => "rules infraction",
        EndReason::Crash | EndReason::Stall => "abandoned",
        EndReason::AdjudicatedWin
        | EndReason::AdjudicatedDraw
        | EndReason::LengthDraw
        | EndReason::LengthMaterial
        | EndReason::Tablebase => "adjudication",
    }
}

fn comments(record: &GameRecord) -> Vec<String> {
    let book = record.opening.iter().map(|_| "book".to_owned());
    let mut comments: Vec<String> = book.chain(record.moves.iter().map(comment)).collect();
    if let Some(last) = comments.last_mut() {
        last.push_str(", ");
        last.push_str(&record.ending.words);
    }
    comments
}

/// `+0.35/12 0.041s 15234n`: score and depth, time, nodes; what is not known is
/// left out.
fn comment(played: &MoveRecord) -> String {
    let mut words = Vec::new();
    match (&played.score, played.depth) {
        (Some(score), Some(depth)) => words.push(format!("{score}/{depth}")),
        (Some(score), None) => words.push(score.clone()),
        (None, Some(depth)) => words.push(format!("/{depth}")),
        (None, None) => {}
    }
    words.push(format!("{:.3}s", played.time.as_secs_f64()));
    if let Some(nodes) = played.nodes {
        words.push(format!("{nodes}n"));
    }
    words.join(" ")
}
