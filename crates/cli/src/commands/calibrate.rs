//! `mendel calibrate`: measures the strength of the levels of a player.

use std::path::{Path, PathBuf};

use clap::Args;
use mendel_arena::{Match, MatchOptions, Pace};
use mendel_engine::{Level, Player, StrengthTable};
use mendel_lab::calibrate::{
    AnchorOpponent, CalibratedLevel, Calibration, CalibrationOutcome, CalibrationPlan, TABLE,
};
use mendel_report::page::{HtmlPage, HtmlTable, PageBlock};
use mendel_store::frame::{Experiment as _, Failure, Folder, Manifest};
use serde_json::{Value, json};

use crate::exec_options::{ExecArgs, ExecOptions};
use crate::experiment::{NewExperiment, ProgramExperiment, Report, Session};
use crate::limits::LimitArgs;
use crate::request::{OrUsageError as _, UsageError, writable};
use crate::table::TextTable;

/// Measure how strong the levels of limited strength are, and write their table
#[derive(Args, Debug)]
#[command(after_help = "\
The levels meet each other, and the two nearest to it meet an opponent whose
rating is published; from all these games come their ratings, which UCI_Elo and
`mendel play --elo` use. Without an anchor the level in the middle keeps the
rating it has. `mendel resume DIR` resumes an interrupted one.

Examples:
  mendel calibrate --anchor xboard:fairymax --anchor-name 'Fairy-Max 5.0b' --anchor-rating 1940 --threads 2
  mendel calibrate --player mine.toml --levels 5 --games 20 --out mine-strength.toml
  mendel uci                 then: setoption name Strength Table value mine-strength.toml")]
pub(super) struct CalibrateArgs {
    /// The player: a built-in name or a player file
    #[arg(long, value_name = "PLAYER", default_value = Player::DEFAULT)]
    player: String,
    /// An opponent whose rating is published, such as xboard:fairymax
    #[arg(long, value_name = "PLAYER", requires = "anchor_rating")]
    anchor: Option<String>,
    /// Its rating
    #[arg(
        long,
        value_name = "ELO",
        requires = "anchor",
        allow_negative_numbers = true
    )]
    anchor_rating: Option<f64>,
    /// What it is called
    #[arg(long, value_name = "TEXT", requires = "anchor")]
    anchor_name: Option<String>,
    /// Who published its rating
    #[arg(
        long,
        value_name = "TEXT",
        requires = "anchor",
        default_value = "as given on the command line"
    )]
    anchor_source: String,
    /// Games against it
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = clap::value_parser!(u64).range(1..))]
    anchor_games: u64,
    /// Only so many levels, evenly chosen from the table
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    levels: Option<u64>,
    /// The levels to measure [default: those of the built-in table]
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Games for each two levels that meet, rounded up to pairs
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// What the anchor may use; the levels use their nodes [default: --tc 5+0.05]
    #[command(flatten)]
    limits: LimitArgs,
    /// Where the table is written
    #[arg(long, value_name = "FILE", default_value = "strength.toml")]
    out: PathBuf,
    /// Where the games are kept; a folder of its own if not given
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Chance: the order of openings
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    exec: ExecArgs,
}

impl CalibrateArgs {
    fn plan(&self) -> Result<CalibrationPlan, UsageError> {
        let table = match &self.table {
            None => (*StrengthTable::built_in()).clone(),
            Some(path) => {
                StrengthTable::read(path).or_hint("`players/strength.toml` is an example")?
            }
        };
        let anchor = self.anchor.as_ref().zip(self.anchor_rating);
        let anchor = anchor.map(|(entrant, rating)| AnchorOpponent {
            entrant: entrant.clone(),
            name: self.anchor_name.clone().unwrap_or_else(|| entrant.clone()),
            rating,
            source: self.anchor_source.clone(),
            games: self.anchor_games,
            pace: match self.limits.pace() {
                pace if pace == Pace::default() => Pace {
                    clock: Some("5+0.05".parse().expect("a time control")),
                    ..pace
                },
                pace => pace,
            },
        });
        let levels = chosen(table.levels(), self.levels)?;
        let plan = CalibrationPlan::new(&self.player, &levels, self.games);
        Ok(plan.with_anchor(anchor).with_out(&self.out))
    }
}

/// `count` of the levels, the first and the last among them.
fn chosen(levels: &[(i32, Level)], count: Option<u64>) -> Result<Vec<(i32, Level)>, UsageError> {
    let Some(count) = count else {
        return Ok(levels.to_vec());
    };
    let (all, count) = (levels.len(), count as usize);
    if count > all {
        return Err(UsageError::new(
            format!("the table has {all} levels, not {count}"),
            "`--table FILE` names a table with more",
        ));
    }
    let place = |number: usize| levels[number * (all - 1) / (count - 1)];
    Ok((0..count).map(place).collect())
}

pub(super) fn run(args: &CalibrateArgs) -> anyhow::Result<()> {
    let options = args.exec.options()?;
    let plan = args.plan()?;
    writable(&args.out)?;
    let new = NewExperiment {
        plan,
        seed: args.seed,
        folder: args.folder.as_deref(),
        names: &[&args.player],
    };
    Session::new(options, args.exec.output)?.start::<Calibration>(new)
}

impl ProgramExperiment for Calibration {
    const GROUP: &'static str = "calibrations";

    fn exec_options(options: &ExecOptions) -> MatchOptions {
        options.for_match()
    }

    fn text(outcome: &CalibrationOutcome, folder: &Folder) -> Result<String, Failure> {
        let path = table_of(folder)?;
        Ok(format!("{}written to {}\n", text(outcome), path.display()))
    }

    fn json(outcome: &CalibrationOutcome, folder: &Folder) -> Result<Value, Failure> {
        let mut value = serde_json::to_value(outcome)?;
        value["table"] = json!(table_of(folder)?);
        Ok(value)
    }

    fn describe(folder: &Folder, _manifest: &Manifest) -> Value {
        let outcome: Option<CalibrationOutcome> = folder.read_result().ok().flatten();
        let Some(outcome) = outcome else {
            let matches = ["ladder", "anchor"].map(|stage| folder.file(stage));
            let games = matches
                .iter()
                .filter_map(|path| Match::standings(&Folder::at(path)).ok());
            let games: u64 = games.map(|summary| summary.games).sum();
            return json!({ "progress": format!("{games} games") });
        };
        let mut value = json!(outcome);
        let elo = |level: Option<&CalibratedLevel>| level.map_or(0, |level| level.elo);
        let (low, high) = (elo(outcome.levels.first()), elo(outcome.levels.last()));
        value["progress"] = json!(format!("{} games", outcome.games));
        value["result"] = json!(format!("{low} to {high} Elo"));
        value
    }

    fn report(folder: &Path) -> Result<Report, Failure> {
        let files = Folder::at(folder);
        let manifest = Manifest::read(folder)?;
        let outcome: Option<CalibrationOutcome> = files.read_result()?;
        let blocks = match &outcome {
            Some(outcome) => page(outcome),
            None => vec![PageBlock::text("The calibration is not finished.")],
        };
        let page = HtmlPage {
            title: format!("The levels of {}", manifest.name),
            subtitle: format!("calibration {}", manifest.id),
            blocks,
            foot: format!("mendel {} · {}", manifest.version, manifest.command),
        };
        Ok(Report::new(page, outcome))
    }
}

fn table_of(folder: &Folder) -> Result<PathBuf, Failure> {
    let plan: CalibrationPlan = toml::from_str(&folder.read(Calibration::PLAN)?)?;
    Ok(plan.out().cloned().unwrap_or_else(|| folder.file(TABLE)))
}

fn page(outcome: &CalibrationOutcome) -> Vec<PageBlock> {
    const SHOWN: [usize; 6] = [0, 1, 5, 6, 7, 8];
    let mut table = HtmlTable::new(SHOWN.map(|column| HEAD[column]));
    for level in &outcome.levels {
        let cells = cells(level);
        table.row(SHOWN.map(|column| &cells[column]));
    }
    let games = outcome.games.to_string();
    let facts = [("anchor", outcome.anchor.clone()), ("games", games)];
    let mut blocks = vec![PageBlock::facts(facts), PageBlock::Table(table)];
    if !outcome.notes.is_empty() {
        blocks.push(PageBlock::Warnings(outcome.notes.clone()));
    }
    let link = ("The table".to_owned(), TABLE.to_owned());
    blocks.push(PageBlock::Links(vec![link]));
    blocks
}

const HEAD: [&str; 9] = [
    "level",
    "nodes",
    "margin",
    "noise",
    "oversight",
    "games",
    "measured",
    "±",
    "Elo",
];

fn cells(level: &CalibratedLevel) -> [String; 9] {
    [
        level.number.to_string(),
        level.nodes.to_string(),
        level.margin.to_string(),
        level.noise.to_string(),
        format!("{:.2}", level.oversight),
        level.games.to_string(),
        format!("{:.0}", level.measured),
        format!("{:.0}", level.error),
        level.elo.to_string(),
    ]
}

/// The table for people: each level with its interval on a scale.
fn text(outcome: &CalibrationOutcome) -> String {
    let mut table = TextTable::with_head(HEAD.into_iter().chain([""]));
    let low = outcome.levels.iter().map(|row| row.measured - row.error);
    let high = outcome.levels.iter().map(|row| row.measured + row.error);
    let (low, high) = (
        low.fold(f64::INFINITY, f64::min),
        high.fold(f64::NEG_INFINITY, f64::max),
    );
    for row in &outcome.levels {
        table.row(cells(row).into_iter().chain([strip(row, low, high)]));
    }
    let pooled = match outcome.pooled {
        0 => "the ratings grow with the level as measured".to_owned(),
        pooled => {
            format!("{pooled} ratings were pooled to grow with the level (isotonic regression)")
        }
    };
    let mut text = format!(
        "{}\n{} games; {pooled}\nanchor: {}\n",
        table.render(),
        outcome.games,
        outcome.anchor
    );
    for note in &outcome.notes {
        text = format!("{text}note: {note}\n");
    }
    text
}

/// A level on a scale from the lowest to the highest end of an interval.
fn strip(row: &CalibratedLevel, low: f64, high: f64) -> String {
    const WIDTH: usize = 40;
    let span = (high - low).max(1.0);
    let place =
        |elo: f64| (((elo - low) / span * (WIDTH - 1) as f64).round() as usize).min(WIDTH - 1);
    let (left, middle, right) = (
        place(row.measured - row.error),
        place(row.measured),
        place(row.measured + row.error),
    );
    (0..=right)
        .map(|at| match at {
            at if at == middle => '●',
            at if at == left => '├',
            at if at == right => '┤',
            at if at > left => '─',
            _ => ' ',
        })
        .collect()
}
