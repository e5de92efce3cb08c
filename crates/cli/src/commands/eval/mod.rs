//! `mendel eval`: the terms of the evaluation, and the moves that a network expects.

mod likely;

use clap::Args;
use mendel_board::{Color, Game, Position};
use mendel_engine::{Player, Setting};
use mendel_evaluator::{Explanation, Row};
use serde::Serialize;
use serde_json::json;

use crate::draw;
use crate::output;
use crate::request::{self, UsageError};
use crate::table::TextTable;

/// Show the terms of the evaluation, which add up to the score, and likely moves
#[derive(Args, Debug)]
#[command(after_help = "\
Numbers are centipawns as White sees them: for each side what its terms weigh in
the middle game (mg) and the end game (eg), then what they are worth together at
this stage of the game. The column `worth` adds up to the score.

A player with a policy shows the moves that its network expects, how likely each is,
where pieces leave from and go to, and the result it expects where it says so. If its
network chooses the moves alone, it has no terms.

A position without legal moves is named checkmate or stalemate first.

Examples:
  mendel eval startpos
  mendel eval r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3
  mendel eval startpos --all       each term, not only the groups
  mendel eval startpos --player material --json
  mendel eval startpos --player human --rating 1500
  mendel eval startpos --player 'human?Rating=2200&Temperature=50' --json")]
pub(super) struct EvalArgs {
    /// The position; quotes are not needed [default: startpos]
    #[arg(value_name = "FEN")]
    fen: Vec<String>,
    /// A built-in player or a player file
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Expect moves of people of this rating, where the player's network knows ratings
    #[arg(long, value_name = "ELO")]
    rating: Option<i64>,
    /// Show each term, not only the groups, and all moves, not only the likeliest
    #[arg(long)]
    all: bool,
    /// Print JSON, with exact fractions
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &EvalArgs) -> anyhow::Result<()> {
    let mut player = request::player(args.player.as_deref())?;
    if let Some(rating) = args.rating {
        set_rating(&mut player, rating)?;
    }
    let position = request::position(&args.fen)?;
    let expected = player.policy.as_ref().map(|policy| {
        let mut workspace = policy.policy().workspace();
        policy.outlook(&Game::new(position.clone()), &mut workspace)
    });
    // A player whose network chooses the moves as people do has no terms.
    let policy = player.policy.as_ref();
    let judges = !policy.is_some_and(|it| it.way.is_of_people());
    let explanation = judges.then(|| player.evaluator.explain(&position));
    let outcome = Outcome::of(&position);

    let text = || {
        let mut parts = Vec::new();
        if let Some(outcome) = &outcome {
            parts.push(format!("{}\n", outcome.words(explanation.is_some())));
        }
        if let Some(explanation) = &explanation {
            parts.push(as_text(explanation, position.turn(), args.all));
        }
        if let Some(outlook) = &expected {
            parts.push(likely::as_text(&player, &position, outlook, args.all));
        }
        parts.join("\n")
    };
    let Some(outlook) = &expected else {
        let rest = &explanation;
        return output::print(args.json, || EvalReport { outcome, rest }, text);
    };
    let rest = || likely::as_json(&player, &position, outlook, &json!(explanation));
    let data = || EvalReport {
        outcome,
        rest: rest(),
    };
    output::print(args.json, data, text)
}

#[derive(Serialize)]
struct EvalReport<T: Serialize> {
    /// `null` if the game has not ended.
    outcome: Option<Outcome>,
    #[serde(flatten)]
    rest: T,
}

/// How a game ended in a position without legal moves.
#[derive(Clone, Copy, Debug, Serialize)]
struct Outcome {
    /// `checkmate` or `stalemate`.
    reason: &'static str,
    /// `white` or `black`; `null` for a draw.
    winner: Option<&'static str>,
}

impl Outcome {
    fn of(position: &Position) -> Option<Self> {
        if !position.legal_moves().is_empty() {
            return None;
        }
        let (reason, winner) = match position.turn() {
            _ if !position.is_check() => ("stalemate", None),
            Color::White => ("checkmate", Some("black")),
            Color::Black => ("checkmate", Some("white")),
        };
        Some(Self { reason, winner })
    }

    /// `judged`: the terms of the evaluation follow.
    fn words(&self, judged: bool) -> String {
        let ended = match self.winner {
            Some("white") => "Checkmate: White wins",
            Some(_) => "Checkmate: Black wins",
            None => "Stalemate: a draw",
        };
        if judged {
            format!("{ended}; the terms below are those of the pieces alone")
        } else {
            ended.to_owned()
        }
    }
}

fn set_rating(player: &mut Player, rating: i64) -> Result<(), UsageError> {
    let mut policies = player.policy.iter();
    if !policies.any(|policy| policy.known().contains(&Setting::Rating)) {
        let name = &player.name;
        let message = format!(
            "`--rating` means nothing to the player `{name}`: no network of it knows ratings"
        );
        let hint = "leave it out, or take `--player human`";
        return Err(UsageError::new(message, hint));
    }
    let range = Setting::Rating.range();
    player.set(Setting::Rating.option(), rating).map_err(|_| {
        let (low, high) = (range.start(), range.end());
        let hint = format!("write a whole number from {low} to {high}");
        UsageError::new(format!("`--rating {rating}` is out of range"), hint)
    })
}

struct EvalLine {
    name: String,
    /// White in the middle and end game, then Black.
    weighed: [i64; 4],
    worth: f64,
}

impl EvalLine {
    fn of(row: &Row) -> Self {
        let weights = [row.middle_game, row.end_game].map(i64::from);
        let weighed = |count: i32| weights.map(|weight| i64::from(count) * weight);
        let ([a, b], [c, d]) = (weighed(row.white), weighed(row.black));
        let mut name = row.group.clone();
        if !row.label.is_empty() {
            name.push(' ');
            name.push_str(&row.label);
        }
        Self {
            name,
            weighed: [a, b, c, d],
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

fn lines(explanation: &Explanation, all: bool) -> Vec<EvalLine> {
    let mut lines: Vec<EvalLine> = Vec::new();
    for row in &explanation.rows {
        let mut line = EvalLine::of(row);
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
    let mut table = TextTable::new("term | White mg | eg | Black mg | eg | worth");
    for line in lines(explanation, all) {
        let weighed = line.weighed.map(|sum| sum.to_string());
        let worth = [signed(line.worth)];
        table.row([line.name].into_iter().chain(weighed).chain(worth));
    }
    let rounding = signed(explanation.rounding.centipawns());
    table.row(["rounding", "", "", "", "", &rounding]);
    table.rule();
    let score = format!("{:+}", explanation.white_score);
    table.row(["score", "", "", "", "", &score]);
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

/// Two digits and a sign; zero has no sign.
fn signed(centipawns: f64) -> String {
    let text = format!("{centipawns:+.2}");
    if text == "+0.00" || text == "-0.00" {
        "0.00".to_owned()
    } else {
        text
    }
}
