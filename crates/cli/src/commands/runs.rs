//! `mendel runs`: what was run, side by side, and out to other programs.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mendel_lab::record::Generation;
use mendel_lab::report::{RunRecord, Summary};
use mendel_lab::run::RunFolder;
use mendel_lab::run::manifest::Manifest;
use mendel_store::plot::number;
use mendel_store::{Entry, Journal, State};
use serde_json::{Value, json};

use super::report::wrong;
use crate::home;
use crate::request::Wrong;
use crate::table::Table;

/// So much of an id is shown in tables; any beginning that is not shared will do.
const SHORT: usize = 10;

/// What is listed.
const LISTED: [&str; 5] = [
    home::RUN,
    home::SWEEP,
    home::PIPELINE,
    home::TUNING,
    home::TRAINING,
];

/// List, compare and export runs
#[derive(Args, Debug)]
#[command(after_help = "\
A run is named by its folder or by the beginning of its id.

Examples:
  mendel runs
  mendel runs --compare 3f2a 91c0             two runs side by side
  mendel runs --export csv 3f2a > run.csv     its generations, for a spreadsheet
  mendel runs --export jsonl 3f2a 91c0        the same as JSON lines, with all genes
  mendel runs --json")]
pub(super) struct Arguments {
    /// Only these runs; needed with `--compare` and `--export`
    #[arg(value_name = "RUN")]
    runs: Vec<String>,
    /// Show the named runs side by side
    #[arg(long, conflicts_with = "export")]
    compare: bool,
    /// Write the generations of the named runs to stdout
    #[arg(long, value_name = "FORMAT")]
    export: Option<Format>,
    /// Print JSON
    #[arg(long, conflicts_with = "export")]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// Comma-separated, with a head
    Csv,
    /// A JSON object on each line
    Jsonl,
}

/// Lists, compares or exports.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.compare {
        let folders = named(&arguments.runs, "--compare", "mendel runs --compare A B")?;
        return compare(&folders, arguments.json);
    }
    if let Some(format) = arguments.export {
        let folders = named(&arguments.runs, "--export", "mendel runs --export csv A")?;
        return export(&folders, format);
    }
    let entries = if arguments.runs.is_empty() {
        let all = home::index()?.list(None)?;
        all.into_iter()
            .filter(|entry| LISTED.contains(&entry.kind.as_str()))
            .map(refreshed)
            .collect()
    } else {
        let folders: anyhow::Result<Vec<PathBuf>> = arguments
            .runs
            .iter()
            .map(|run| home::find_run(run))
            .collect();
        let mut entries = Vec::new();
        for folder in folders? {
            let entry = home::describe(&folder);
            entries.push(entry.ok_or_else(|| no_run(&folder))?);
        }
        entries
    };
    list(&entries, arguments.json)
}

fn no_run(folder: &std::path::Path) -> anyhow::Error {
    let text = format!("{} is not the folder of a run", folder.display());
    Wrong::new(text, "`mendel runs` lists the runs").into()
}

/// The folders of the runs that were named; there must be some.
fn named(runs: &[String], flag: &str, example: &str) -> anyhow::Result<Vec<PathBuf>> {
    if runs.is_empty() {
        let text = format!("`{flag}` needs the names of runs");
        return Err(Wrong::new(
            text,
            format!("for instance `{example}`; `mendel runs` lists them"),
        )
        .into());
    }
    runs.iter().map(|run| home::find_run(run)).collect()
}

/// Who was killed could not tell the index, so those said to be running are asked.
fn refreshed(entry: Entry) -> Entry {
    if entry.state != State::Running {
        return entry;
    }
    match home::describe(&entry.folder) {
        Some(fresh) => Entry {
            started: entry.started,
            ..fresh
        },
        None => entry,
    }
}

fn list(entries: &[Entry], json: bool) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        writeln!(out, "{:#}", json!(entries))?;
        return Ok(());
    }
    if entries.is_empty() {
        writeln!(
            io::stderr(),
            "no runs yet; `mendel breed first-steps` makes one"
        )?;
        return Ok(());
    }
    let mut table = Table::default();
    table.row([
        "run",
        "recipe",
        "seed",
        "state",
        "generations",
        "best",
        "on",
        "verdict",
        "folder",
    ]);
    table.rule();
    for entry in entries {
        let summary = &entry.summary;
        let id: String = match summary["id"].as_str() {
            Some(id) => id.chars().take(SHORT).collect(),
            None => entry.kind.clone(),
        };
        table.row([
            id,
            text(&summary["recipe"]),
            text(&summary["seed"]),
            entry.state.name().to_owned(),
            match entry.kind.as_str() {
                home::PIPELINE => {
                    let (done, steps) = (text(&summary["done"]), text(&summary["steps"]));
                    format!("{done}/{steps} steps")
                }
                home::TUNING => format!("{} rounds", text(&summary["rounds"])),
                home::TRAINING => format!("{} steps", text(&summary["steps"]))
                    .trim()
                    .to_owned(),
                _ => text(&summary["generations"]),
            },
            // Plain digits, so that the column is one of numbers.
            summary["best"]
                .as_f64()
                .map_or_else(String::new, |best| format!("{best:.4}")),
            text(&summary["best_on"]),
            text(&summary["verdict"]),
            entry.folder.display().to_string(),
        ]);
    }
    out.write_all(table.render().as_bytes())?;
    Ok(())
}

/// A value of a summary without quotes; nothing for what is not there.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn compare(folders: &[PathBuf], json: bool) -> anyhow::Result<()> {
    let mut runs = Vec::new();
    for folder in folders {
        runs.push(RunRecord::read(folder).map_err(wrong)?.summary());
    }
    let mut out = io::stdout().lock();
    if json {
        writeln!(out, "{:#}", json!(runs))?;
        return Ok(());
    }
    let mut table = Table::default();
    let ids = runs.iter().map(|run| run.id.chars().take(SHORT).collect());
    table.row(std::iter::once(String::new()).chain(ids));
    table.rule();
    for (name, value) in ROWS {
        let cells: Vec<String> = runs.iter().map(value).collect();
        // What no run has need not be looked at.
        if cells.iter().any(|cell| !cell.is_empty()) {
            table.row(std::iter::once(name.to_owned()).chain(cells));
        }
    }
    out.write_all(table.render().as_bytes())?;
    Ok(())
}

type Row = (&'static str, fn(&Summary) -> String);

/// What is compared.
const ROWS: [Row; 20] = [
    ("recipe", |run| run.recipe.clone()),
    ("seed", |run| run.seed.to_string()),
    ("version", |run| run.version.clone()),
    ("parent", |run| run.parent.clone()),
    ("data", |run| {
        let names = run.data.iter().map(|data| data.name.as_str());
        names.collect::<Vec<_>>().join(", ")
    }),
    ("fitness", |run| {
        let way = if run.smaller_is_better {
            "smaller"
        } else {
            "larger"
        };
        format!("{}, {way} is better", run.unit)
    }),
    ("generations", |run| run.generations.to_string()),
    ("judgements", |run| run.judgements.to_string()),
    ("seconds", |run| optional(run.seconds)),
    ("parent's fitness", |run| optional(run.baseline)),
    ("best", |run| optional(run.best)),
    ("on", |run| run.best_on.unwrap_or_default().to_owned()),
    ("in generation", |run| {
        run.best_generation
            .map_or_else(String::new, |generation| (generation + 1).to_string())
    }),
    ("last mean", |run| optional(run.mean)),
    ("random search", |run| optional(run.random_best)),
    ("hold-out, parent", |run| {
        let holdout = run.proof.as_ref().and_then(|proof| proof.holdout.as_ref());
        optional(holdout.map(|it| it.parent))
    }),
    ("hold-out, champion", |run| {
        let holdout = run.proof.as_ref().and_then(|proof| proof.holdout.as_ref());
        optional(holdout.map(|it| it.champion))
    }),
    ("match with parent", |run| match_text(run, "parent")),
    ("match outside", |run| match_text(run, "outside")),
    ("verdict", |run| run.verdict.clone().unwrap_or_default()),
];

fn optional(value: Option<f64>) -> String {
    value.map_or_else(String::new, number)
}

fn match_text(run: &Summary, role: &str) -> String {
    let matches = run.proof.iter().flat_map(|proof| &proof.matches);
    let found = matches.into_iter().find(|it| it.role == role);
    found.map_or_else(String::new, |it| format!("{}: {it}", it.opponent))
}

fn export(folders: &[PathBuf], format: Format) -> anyhow::Result<()> {
    let mut runs = Vec::new();
    for folder in folders {
        let manifest = Manifest::read(folder).map_err(|error| wrong(error.into()))?;
        let path = folder.join(RunFolder::GENERATIONS);
        let lines: Vec<Generation> = if path.exists() {
            Journal::read(&path)?
        } else {
            Vec::new()
        };
        runs.push((manifest, lines));
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    match format {
        Format::Csv => out.write_all(csv(&runs).as_bytes())?,
        Format::Jsonl => {
            for (manifest, lines) in &runs {
                for line in lines {
                    let mut value = json!(line);
                    value["run"] = json!(manifest.id);
                    value["recipe"] = json!(manifest.recipe);
                    value["seed"] = json!(manifest.seed);
                    writeln!(out, "{value}")?;
                }
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// The generations as RFC 4180 has it. The genes of the best are columns too where
/// all runs have the same genes.
fn csv(runs: &[(Manifest, Vec<Generation>)]) -> String {
    let genes = runs.first().map_or(&[][..], |(first, _)| &first.genes[..]);
    let genes = if runs.iter().all(|(manifest, _)| manifest.genes == genes) {
        genes
    } else {
        &[]
    };
    let mut text = String::from(
        "run,recipe,seed,generation,judgements,best,mean,worst,deviation,diversity,random_best",
    );
    for gene in genes {
        text.push(',');
        text.push_str(&quoted(&format!("gene:{gene}")));
    }
    text.push('\n');
    for (manifest, lines) in runs {
        let name = format!("{},{}", quoted(&manifest.id), quoted(&manifest.recipe));
        for line in lines {
            let random = line
                .random_best
                .map_or_else(String::new, |it| it.to_string());
            write!(
                text,
                "{name},{},{},{},{},{},{},{},{},{random}",
                manifest.seed,
                line.generation,
                line.judgements,
                line.best,
                line.mean,
                line.worst,
                line.deviation,
                line.diversity,
            )
            .expect("writing to a string does not fail");
            if !genes.is_empty() {
                for gene in &line.genes {
                    write!(text, ",{gene}").expect("writing to a string does not fail");
                }
            }
            text.push('\n');
        }
    }
    text
}

/// A field, in quotes where it needs them.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
