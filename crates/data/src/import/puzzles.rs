//! Puzzles of Lichess: the best move is the solution's first.

use std::path::Path;

use mendel_board::{Move, Position};
use serde::Deserialize;
use serde_json::Value;

use super::csv::split;
use super::lines::{NumberedLines, game_of};
use super::{ImportError, ImportSink};
use crate::Sample;

/// Columns of the puzzle database: `PuzzleId`, FEN, moves of which the first is the
/// opponent's, and more.
pub(super) fn read(path: &Path, desk: &mut ImportSink) -> Result<(), ImportError> {
    each_line(path, desk, &|text| {
        if text.starts_with("PuzzleId,") {
            return Ok(None);
        }
        let fields = split(text, ',');
        let [_, fen, moves, ..] = &fields[..] else {
            return Err("it has fewer than three columns".to_owned());
        };
        let mut position = Position::from_fen(fen).map_err(|error| error.to_string())?;
        let mut moves = moves.split_whitespace();
        let mut next = |position: &Position| {
            let text = moves.next().ok_or("it has fewer than two moves")?;
            position.parse_uci(text).map_err(|error| error.to_string())
        };
        let last = next(&position)?;
        position.play(last);
        let best = next(&position)?;
        Ok(Some((position, best)))
    })
}

#[derive(Deserialize)]
struct Tree {
    fen: String,
    color: String,
    lines: Value,
}

/// Lines of JSON with a tree of solutions. Where the position is the one before the
/// opponent's last move, that move is not told: it is found if only one move makes
/// the whole solution legal.
pub(super) fn read_trees(path: &Path, desk: &mut ImportSink) -> Result<(), ImportError> {
    each_line(path, desk, &|text| {
        let tree: Tree = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let position = Position::from_fen(&tree.fen).map_err(|error| error.to_string())?;
        let solver = position.turn().fold_wb("white", "black");
        let fits = if solver == tree.color {
            vec![position]
        } else {
            position
                .legal_moves()
                .into_iter()
                .map(|m| position.after(m))
                .filter(|after| is_solution(after, &tree.lines, 0))
                .collect()
        };
        let [position] = &fits[..] else {
            return Err(format!(
                "the opponent's last move is not told, and {} would fit",
                fits.len()
            ));
        };
        let first = tree.lines.as_object().and_then(|lines| lines.keys().next());
        let first = first.ok_or("it has no solution")?;
        let best = position
            .parse_uci(first)
            .map_err(|error| error.to_string())?;
        Ok(Some((position.clone(), best)))
    })
}

/// Whether every move of the tree can be played.
fn is_solution(position: &Position, tree: &Value, depth: u32) -> bool {
    const DEEPEST: u32 = 60;
    let Some(lines) = tree.as_object() else {
        return true;
    };
    depth < DEEPEST
        && lines.iter().all(|(text, rest)| {
            let m = position.parse_uci(text);
            m.is_ok_and(|m| is_solution(&position.after(m), rest, depth + 1))
        })
}

/// What a line may be: a puzzle, a heading, or a reason why it is neither.
type Read<'a> = &'a dyn Fn(&str) -> Result<Option<(Position, Move)>, String>;

fn each_line(path: &Path, desk: &mut ImportSink, read: Read) -> Result<(), ImportError> {
    let mut lines = NumberedLines::open(path)?;
    let mut records = 0;
    while desk.goes_on(records)? {
        let Some(line) = lines.next()? else { break };
        let number = line.number;
        let found = match &line.text {
            Some(text) => read(text),
            None => Err("it is too long".to_owned()),
        };
        records += u64::from(!matches!(found, Ok(None)));
        match found {
            Ok(None) => {}
            Ok(Some((position, best))) => desk.take_line(Sample {
                context: None,
                position,
                game: game_of(number),
                score: None,
                best: Some(best),
                result: None,
            }),
            Err(reason) => desk
                .report
                .unreadable(format_args!("line {number}: {reason}")),
        }
    }
    desk.report.records = records;
    Ok(())
}
