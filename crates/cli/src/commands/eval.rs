//! `mendel eval`: what the evaluation sees.

use std::io::{self, Write};

use clap::Args;
use mendel_board::Color;
use mendel_evaluator::{Explanation, Row};

use crate::draw;
use crate::request;
use crate::table::Table;

/// Show the terms of the evaluation, which add up to the score
#[derive(Args, Debug)]
#[command(after_help = "\
Numbers are centipawns as White sees them: for each side what its terms weigh in
the middle game (mg) and the end game (eg), then what they are worth together at
this stage of the game. The column `worth` adds up to the score.

Examples:
  mendel eval startpos
  mendel eval r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3
  mendel eval startpos --all       each term, not only the groups
  mendel eval startpos --player material --json")]
pub(super) struct Arguments {
    /// The position; quotes are not needed [default: startpos]
    #[arg(value_name = "FEN")]
    fen: Vec<String>,
    /// A built-in player or a player file
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Show each term, not only the groups
    #[arg(long)]
    all: bool,
    /// Print JSON, with exact fractions
    #[arg(long)]
    json: bool,
}

/// Judges and explains.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let player = request::player(arguments.player.as_deref())?;
    let position = request::position(&arguments.fen)?;
    let explanation = player.evaluator.explain(&position);
    let mut out = io::stdout().lock();
    if arguments.json {
        serde_json::to_writer_pretty(&mut out, &explanation).map_err(io::Error::from)?;
        writeln!(out)?;
    } else {
        let text = as_text(&explanation, position.turn(), arguments.all);
        out.write_all(text.as_bytes())?;
    }
    Ok(())
}

/// A line of the table: a term, or all terms of a group added up.
struct Line {
    name: String,
    /// White in the middle and end game, then Black.
    weighed: [i64; 4],
    worth: f64,
}

impl Line {
    fn of(row: &Row) -> Self {
        let weighed = |count: i32, weight: i32| i64::from(count) * i64::from(weight);
        let mut name = row.group.clone();
        if !row.label.is_empty() {
            name.push(' ');
            name.push_str(&row.label);
        }
        Self {
            name,
            weighed: [
                weighed(row.white, row.middle_game),
                weighed(row.white, row.end_game),
                weighed(row.black, row.middle_game),
                weighed(row.black, row.end_game),
            ],
            worth: row.contribution.centipawns(),
        }
    }

    fn add(&mut self, other: &Self) {
        for (sum, part) in self.weighed.iter_mut().zip(other.weighed) {
            *sum += part;
        }
        self.worth += other.worth;
    }
}

fn lines(explanation: &Explanation, all: bool) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for row in &explanation.rows {
        let mut line = Line::of(row);
        if all {
            lines.push(line);
            continue;
        }
        line.name.clone_from(&row.group);
        match lines.last_mut().filter(|last| last.name == line.name) {
            Some(last) => last.add(&line),
            None => lines.push(line),
        }
    }
    lines
}

fn as_text(explanation: &Explanation, turn: Color, all: bool) -> String {
    let turn = draw::side(turn);
    let mut table = Table::default();
    table.row(["term", "White mg", "eg", "Black mg", "eg", "worth"]);
    table.rule();
    for line in lines(explanation, all) {
        let weighed = line.weighed.map(|sum| sum.to_string());
        let worth = [signed(line.worth)];
        table.row([line.name].into_iter().chain(weighed).chain(worth));
    }
    let blank = || [""; 4].map(str::to_owned);
    let last =
        |name: &str, worth: String| [name.to_owned()].into_iter().chain(blank()).chain([worth]);
    table.row(last("rounding", signed(explanation.rounding.centipawns())));
    table.rule();
    table.row(last("score", format!("{:+}", explanation.white_score)));
    let (taper, scale) = (explanation.taper, explanation.scale);
    format!(
        "{}\n{}, {} to move; middle game {}/{}, end game {}/{} scaled by {}/{}\n\n{}\n{} to move sees {:+}\n",
        explanation.fen,
        explanation.evaluator,
        turn,
        taper.part,
        taper.of,
        taper.of - taper.part,
        taper.of,
        scale.part,
        scale.of,
        table.render(),
        turn,
        explanation.score,
    )
}

/// Two digits and a sign; nothing is written as plain zero.
fn signed(centipawns: f64) -> String {
    let text = format!("{centipawns:+.2}");
    if text == "+0.00" || text == "-0.00" {
        "0.00".to_owned()
    } else {
        text
    }
}
