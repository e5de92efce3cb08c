//! `mendel calibrate`: how strong the levels of a player are.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use mendel_arena::{Pace, TimeControl};
use mendel_engine::{Level, Player, StrengthTable};
use mendel_lab::calibrate::{
    CalibrateError, Opponent, Outcome, Row, Settings, Step, Work, calibrate,
};
use mendel_store::replace;
use serde_json::json;

use crate::home;
use crate::interrupt::stop_on_ctrl_c;
use crate::limits::LimitArguments;
use crate::request::{Wrong, command_line};
use crate::table::Table;

/// Measure how strong the levels of limited strength are, and write their table
#[derive(Args, Debug)]
#[command(after_help = "\
The levels meet each other, and the two nearest to it meet an opponent whose
rating is published; from all these games come their ratings, which UCI_Elo and
`mendel play --elo` use. Without an anchor the level in the middle keeps the
rating it has. Interrupted, it goes on with the same --folder.

Examples:
  mendel calibrate --anchor xboard:fairymax --anchor-name 'Fairy-Max 5.0b' --anchor-rating 1940 --threads 2
  mendel calibrate --player mine.toml --levels 5 --games 20 --out mine-strength.toml
  mendel uci                 then: setoption name Strength Table value mine-strength.toml")]
pub(super) struct Arguments {
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
    limits: LimitArguments,
    /// Where the table is written
    #[arg(long, value_name = "FILE", default_value = "strength.toml")]
    out: PathBuf,
    /// Where the games are kept; a calibration in it goes on
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Chance: the order of openings
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Games at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Say nothing before the result
    #[arg(long)]
    quiet: bool,
}

impl Arguments {
    fn settings(&self) -> Result<Settings, Wrong> {
        let table = match &self.table {
            None => (*StrengthTable::built_in()).clone(),
            Some(path) => StrengthTable::read(path)
                .map_err(|error| Wrong::new(error, "`players/strength.toml` is an example"))?,
        };
        let anchor = self.anchor.as_ref().zip(self.anchor_rating);
        Ok(Settings {
            player: self.player.clone(),
            levels: chosen(table.levels(), self.levels)?,
            games: self.games,
            anchor: anchor.map(|(entrant, rating)| Opponent {
                entrant: entrant.clone(),
                name: self.anchor_name.clone().unwrap_or_else(|| entrant.clone()),
                rating,
                source: self.anchor_source.clone(),
                games: self.anchor_games,
                pace: self.pace(),
            }),
            seed: self.seed,
        })
    }

    fn pace(&self) -> Pace {
        let limits = &self.limits;
        let pace = Pace {
            clock: limits.tc,
            movetime: limits.movetime.map(std::time::Duration::from_millis),
            nodes: limits.nodes,
            depth: limits.depth,
        };
        if pace == Pace::default() {
            let clock: TimeControl = "5+0.05".parse().expect("a time control");
            return Pace {
                clock: Some(clock),
                ..pace
            };
        }
        pace
    }
}

/// So many of the levels, the ends among them.
fn chosen(levels: &[(i32, Level)], count: Option<u64>) -> Result<Vec<(i32, Level)>, Wrong> {
    let Some(count) = count else {
        return Ok(levels.to_vec());
    };
    let (all, count) = (levels.len(), count as usize);
    if count > all {
        return Err(Wrong::new(
            format!("the table has {all} levels, not {count}"),
            "`--table FILE` names a table with more",
        ));
    }
    let place = |number: usize| levels[number * (all - 1) / (count - 1)];
    Ok((0..count).map(place).collect())
}

/// Plays the games and writes the table.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let settings = arguments.settings()?;
    let out = std::path::absolute(&arguments.out)?;
    if out.is_dir() || !out.parent().is_some_and(Path::is_dir) {
        return Err(Wrong::new(
            format!("`--out {}` cannot be written", arguments.out.display()),
            "name a file in a folder that is there",
        )
        .into());
    }
    let folder = match &arguments.folder {
        Some(folder) => std::path::absolute(folder)?,
        None => home::new_folder("calibrations", &[&settings.player])?,
    };
    let stop = stop_on_ctrl_c()?;
    let mut live = Live::new(arguments.quiet);
    live.say(&format!("the games are kept in {}", folder.display()));
    let work = Work {
        folder: &folder,
        threads: arguments.threads.into(),
        stop: &stop,
    };
    let result = calibrate(&settings, &command_line(), &work, &mut |step| {
        live.show(step);
    });
    live.finish();
    let outcome = result.map_err(wrong)?;
    replace(&arguments.out, outcome.table.as_bytes())
        .with_context(|| format!("cannot write `{}`", arguments.out.display()))?;
    let mut out = io::stdout().lock();
    if arguments.json {
        let mut value = serde_json::to_value(&outcome)?;
        value["table"] = json!(arguments.out);
        value["folder"] = json!(folder);
        writeln!(out, "{value}")?;
    } else {
        out.write_all(text(&outcome).as_bytes())?;
        writeln!(out, "written to {}", arguments.out.display())?;
    }
    Ok(())
}

/// What was asked for wrongly, and what broke.
fn wrong(error: CalibrateError) -> anyhow::Error {
    let hint = match &error {
        CalibrateError::Settings { .. } => "`mendel calibrate --help` shows what can be asked for",
        CalibrateError::Other { .. } => "`--folder DIR` names another one",
        CalibrateError::Contest(_) => {
            "a player is a built-in name, a player file or `cmd:PROGRAM ARGUMENTS?Name=Value`"
        }
        CalibrateError::Stopped { folder } => {
            let hint = format!(
                "the same command with `--folder {}` goes on",
                folder.display()
            );
            return Wrong::new(&error, hint).into();
        }
        _ => return error.into(),
    };
    Wrong::new(&error, hint).into()
}

/// The table for people: each level with its interval on a scale.
fn text(outcome: &Outcome) -> String {
    let mut table = Table::default();
    table.row([
        "level",
        "nodes",
        "margin",
        "noise",
        "oversight",
        "games",
        "measured",
        "±",
        "Elo",
        "",
    ]);
    table.rule();
    let low = outcome.levels.iter().map(|row| row.measured - row.error);
    let high = outcome.levels.iter().map(|row| row.measured + row.error);
    let (low, high) = (
        low.fold(f64::INFINITY, f64::min),
        high.fold(f64::NEG_INFINITY, f64::max),
    );
    for row in &outcome.levels {
        table.row([
            row.number.to_string(),
            row.nodes.to_string(),
            row.margin.to_string(),
            row.noise.to_string(),
            format!("{:.2}", row.oversight),
            row.games.to_string(),
            format!("{:.0}", row.measured),
            format!("{:.0}", row.error),
            row.elo.to_string(),
            strip(row, low, high),
        ]);
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
fn strip(row: &Row, low: f64, high: f64) -> String {
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

/// What is shown while games are played.
struct Live {
    bar: Option<ProgressBar>,
    quiet: bool,
    stage: String,
}

impl Live {
    fn new(quiet: bool) -> Self {
        let bar = (io::stderr().is_terminal() && !quiet).then(|| {
            let bar = ProgressBar::no_length();
            let style = "{msg:10} {bar:30} {pos}/{len} games, {eta} left";
            bar.set_style(
                ProgressStyle::with_template(style).expect("the template is tested by use"),
            );
            bar
        });
        Self {
            bar,
            quiet,
            stage: String::new(),
        }
    }

    fn show(&mut self, step: &Step) {
        let begins = self.stage != step.stage;
        if begins {
            step.stage.clone_into(&mut self.stage);
        }
        if let Some(bar) = &self.bar {
            if begins {
                bar.reset();
                bar.set_length(step.total);
                bar.set_message(step.stage.to_owned());
            }
            bar.set_position(step.done);
        } else if begins || step.done == step.total || step.done.is_multiple_of(50) {
            self.say(&format!(
                "{}: {} of {} games",
                step.stage, step.done, step.total
            ));
        }
    }

    fn say(&self, text: &str) {
        if !self.quiet {
            // With stderr closed there is nobody left to tell.
            let _ = writeln!(io::stderr().lock(), "{text}");
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.abandon();
        }
    }
}
