//! Positions and scores in columns.

use std::path::Path;

use mendel_board::Position;

use super::epd::{read_result, seen_by};
use super::lines::{NumberedLines, game_of};
use super::score::read_score;
use super::{ImportError, ImportSettings, ImportSink, ScorePerspective};
use crate::{Sample, result_for};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CsvColumns {
    delimiter: char,
    fen: usize,
    score: Option<usize>,
    result: Option<usize>,
    best: Option<usize>,
    /// Whether the heading of the score says that it is centipawns.
    is_centipawns: bool,
}

const FEN: &[&str] = &["fen", "position", "board", "epd"];
const SCORE: &[&str] = &["evaluation", "eval", "score", "cp", "centipawns"];
const CENTIPAWNS: &[&str] = &["cp", "centipawns"];
const RESULT: &[&str] = &["result", "outcome", "wdl"];
const BEST: &[&str] = &["best", "bestmove", "best_move", "bm", "move"];

pub(super) fn read(path: &Path, desk: &mut ImportSink) -> Result<(), ImportError> {
    let mut lines = NumberedLines::open(path)?;
    let mut records = 0;
    let mut columns = None;
    let mut heading = None;
    while desk.goes_on(records)? {
        let Some(line) = lines.next()? else { break };
        let number = line.number;
        let Some(text) = line.text else {
            records += 1;
            desk.report
                .unreadable(format_args!("line {number}: it is too long"));
            continue;
        };
        // 1. The first line tells which columns there are. Files that were joined
        //    have their heading more than once.
        let known = if let Some(known) = columns {
            known
        } else {
            let (found, is_heading) = CsvColumns::find(&text);
            columns = Some(found);
            if is_heading {
                heading = Some(text);
                continue;
            }
            found
        };
        if heading.as_deref() == Some(text.as_str()) {
            continue;
        }
        // 2. The others are positions.
        records += 1;
        match known.read(&text, desk.setting, game_of(number)) {
            Ok(sample) => desk.take_line(sample),
            Err(reason) => desk
                .report
                .unreadable(format_args!("line {number}: {reason}")),
        }
    }
    desk.report.records = records;
    Ok(())
}

impl CsvColumns {
    /// The columns by the first line, and whether that is a heading.
    pub(super) fn find(first: &str) -> (Self, bool) {
        let usual = Self {
            delimiter: ',',
            fen: 0,
            score: Some(1),
            result: None,
            best: None,
            is_centipawns: false,
        };
        for delimiter in [',', ';', '\t'] {
            let fields = split(first, delimiter);
            if fields.len() < 2 {
                continue;
            }
            let named = |names: &[&str]| {
                let is_named = |field: &String| names.contains(&field.to_lowercase().as_str());
                fields.iter().position(is_named)
            };
            if let Some(fen) = named(FEN) {
                let columns = Self {
                    delimiter,
                    fen,
                    score: named(SCORE),
                    result: named(RESULT),
                    best: named(BEST),
                    is_centipawns: named(CENTIPAWNS).is_some_and(|it| Some(it) == named(SCORE)),
                };
                return (columns, true);
            }
            if Position::from_fen(&fields[0]).is_ok() {
                return (Self { delimiter, ..usual }, false);
            }
        }
        // A heading with unknown names: a position and a score will follow.
        let is_heading = !first.contains('/');
        (usual, is_heading)
    }

    /// The score of a line as it is written, and whether its unit is known.
    pub(super) fn score(&self, line: &str) -> Option<(String, bool)> {
        let text = split(line, self.delimiter).into_iter().nth(self.score?)?;
        Some((text, self.is_centipawns))
    }

    fn read(&self, line: &str, setting: &ImportSettings, game: u32) -> Result<Sample, String> {
        let fields = split(line, self.delimiter);
        let field = |column: Option<usize>| {
            let text = column.and_then(|column| fields.get(column));
            text.map(String::as_str).filter(|text| !text.is_empty())
        };
        let fen = field(Some(self.fen)).ok_or("there is no FEN")?;
        let position = Position::from_fen(fen).map_err(|error| error.to_string())?;
        let turn = position.turn();
        let score = match (self.score, field(self.score)) {
            (None, _) => None,
            (Some(_), None) => return Err("there is no score".to_owned()),
            (Some(_), Some(text)) => {
                let score = read_score(text, setting.unit());
                Some(score.ok_or_else(|| format!("`{}` is no score", short(text)))?)
            }
        };
        let result = field(self.result).map(read_result).transpose()?;
        let best = field(self.best).map(|text| position.parse_move(text));
        Ok(Sample {
            context: None,
            game,
            score: score.map(|score| match setting.view {
                ScorePerspective::White => seen_by(score, turn),
                ScorePerspective::Mover => score,
            }),
            best: best.transpose().map_err(|error| error.to_string())?,
            result: result.and_then(|result| result_for(result, turn)),
            position,
        })
    }
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

/// The fields of a line; quotation marks around one are taken off, and what is
/// between them is not split.
pub(super) fn split(line: &str, delimiter: char) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        if c == '"' {
            is_quoted = !is_quoted;
        } else if c == delimiter && !is_quoted {
            fields.push(String::new());
        } else if let Some(last) = fields.last_mut() {
            last.push(c);
        }
    }
    for field in &mut fields {
        *field = field.trim().to_owned();
    }
    fields
}
