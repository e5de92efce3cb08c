//! Positions with remarks, one a line.

use std::path::Path;

use mendel_board::epd::Epd;
use mendel_board::pgn::GameResult;
use mendel_board::{Color, Move};

use super::lines::{NumberedLines, game_of};
use super::score::{Unit, read_score};
use super::{ImportError, ImportSink};
use crate::{MATE, Sample, result_for};

pub(super) fn read(path: &Path, desk: &mut ImportSink) -> Result<(), ImportError> {
    let mut lines = NumberedLines::open(path)?;
    let mut records = 0;
    while desk.goes_on(records)? {
        let Some(line) = lines.next()? else { break };
        records += 1;
        let number = line.number;
        let read = match &line.text {
            Some(text) => read_line(text, game_of(number), desk.setting.unit()),
            None => Err("it is too long".to_owned()),
        };
        match read {
            Ok(sample) => desk.take_line(sample),
            Err(reason) => desk
                .report
                .unreadable(format_args!("line {number}: {reason}")),
        }
    }
    desk.report.records = records;
    Ok(())
}

/// One line. Besides EPD the forms in which tuners keep results are understood:
/// `FEN [0.5]`, `FEN c9 "1-0";` and `FEN | score | 0.5`, scores and results as White
/// sees them.
fn read_line(text: &str, game: u32, unit: Unit) -> Result<Sample, String> {
    // 1. Columns with bars.
    if let Some((fen, rest)) = text.split_once('|') {
        let mut epd = bare(fen, game)?;
        let mut columns = rest.split('|').map(str::trim);
        let score = columns.next().unwrap_or_default();
        let white = read_score(score, unit).ok_or_else(|| format!("`{score}` is no score"))?;
        epd.score = Some(seen_by(white, epd.position.turn()));
        if let Some(result) = columns.next() {
            epd.result = result_for(read_result(result)?, epd.position.turn());
        }
        return Ok(epd);
    }

    // 2. A result in brackets, behind the position.
    let mut result = None;
    let mut text = text.to_owned();
    if let Some((open, close)) = brackets(&text) {
        result = Some(read_result(&text[open + 1..close])?);
        text.replace_range(open.., "");
    }

    // 3. The remarks.
    let epd: Epd = text
        .parse()
        .map_err(|error: mendel_board::NotationError| error.to_string())?;
    let position = epd.position().clone();
    let named = ["c9", "c1", "c2", "result"].iter().find_map(|opcode| {
        let text = epd.text(opcode)?;
        GameResult::from_pgn(text.trim()).filter(|result| *result != GameResult::Unknown)
    });
    let score = match epd.text("ce") {
        Some(text) => {
            Some(read_score(text, unit).ok_or_else(|| format!("`ce {text}` is no score"))?)
        }
        None => names_a_mate(&epd).then_some(MATE),
    };
    Ok(Sample {
        context: None,
        game,
        score: score.map(mate_or_score),
        best: best_move(&epd)?,
        result: result
            .or(named)
            .and_then(|result| result_for(result, position.turn())),
        position,
    })
}

/// The score of a line as it is written: `FEN | score | result`, or `ce`.
pub(super) fn score(text: &str) -> Option<String> {
    if let Some((_, rest)) = text.split_once('|') {
        let score = rest.split('|').next().unwrap_or_default();
        return Some(score.trim().to_owned());
    }
    // Most lines have none, and need not be read as a whole.
    let bare = &text[..brackets(text).map_or(text.len(), |it| it.0)];
    let epd: Epd = bare.contains("ce ").then(|| bare.parse().ok())??;
    epd.text("ce").map(str::to_owned)
}

/// Where the brackets around a result behind the position open and close.
fn brackets(text: &str) -> Option<(usize, usize)> {
    let (open, close) = (text.find('[')?, text.find(']')?);
    (open < close && !text[..open].contains('"')).then_some((open, close))
}

/// The first of the best moves. Some files forget the semicolon behind them, so
/// that what follows the first need not be moves.
fn best_move(epd: &Epd) -> Result<Option<Move>, String> {
    let moves = epd.moves("bm");
    let first = || {
        let text = epd.text("bm")?.trim_end_matches([',', '!', '?', '+', '#']);
        epd.position().parse_move(text).ok()
    };
    match moves {
        Ok(moves) => Ok(moves.first().copied()),
        Err(error) => first().map(Some).ok_or_else(|| error.to_string()),
    }
}

fn names_a_mate(epd: &Epd) -> bool {
    let behind_the_moves = epd.operands("bm").unwrap_or_default();
    epd.text("dm").is_some() || behind_the_moves.iter().any(|operand| operand == "dm")
}

/// Programs that write `ce` write a mate as a number near 32,000.
fn mate_or_score(score: i16) -> i16 {
    if score.abs() >= crate::LARGEST {
        score.signum() * MATE
    } else {
        score
    }
}

fn bare(fen: &str, game: u32) -> Result<Sample, String> {
    let position = mendel_board::Position::from_fen(fen.trim_matches(['"', ' ']))
        .map_err(|error| error.to_string())?;
    Ok(Sample {
        context: None,
        position,
        game,
        score: None,
        best: None,
        result: None,
    })
}

/// White's score as the side to move sees it.
pub(super) fn seen_by(white: i16, turn: Color) -> i16 {
    turn.fold_wb(white, -white)
}

/// A result as White sees it: `1-0`, `1/2-1/2`, `0-1`, or points.
pub(super) fn read_result(text: &str) -> Result<GameResult, String> {
    let text = text.trim().trim_matches('"');
    if let Some(result) = GameResult::from_pgn(text) {
        return Ok(result);
    }
    match text.parse::<f64>() {
        Ok(1.0) => Ok(GameResult::WhiteWins),
        Ok(0.5) => Ok(GameResult::Draw),
        Ok(0.0) => Ok(GameResult::BlackWins),
        _ => Err(format!("`{text}` is no result")),
    }
}
