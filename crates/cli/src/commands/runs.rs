//! `mendel runs`: lists, compares, exports and deletes experiments.

use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use indicatif::HumanBytes;
use mendel_lab::record::manifest::Manifest as RunManifest;
use mendel_lab::record::{GENERATIONS, Generation, Measured};
use mendel_report::plot::number;
use mendel_report::{RunRecord, RunSummary};
use mendel_store::frame::{Folder, Manifest};
use mendel_store::library::{LibraryError, size_of};
use mendel_store::{IndexEntry, Journal, RunStatus};
use serde::Serialize;
use serde_json::{Value, json};

use super::report::unusable;
use crate::request::UsageError;
use crate::table::TextTable;
use crate::{kinds, library, output};

/// Characters of an id in tables.
const SHORT: usize = 10;

/// List, compare, export and delete experiments
#[derive(Args, Debug)]
#[command(after_help = "\
An experiment is named by its folder, its name, or the beginning of its id.

Examples:
  mendel runs
  mendel runs --kind match
  mendel runs --compare 3f2a 91c0             two runs side by side
  mendel runs --export csv 3f2a > run.csv     its generations, for a spreadsheet
  mendel runs --export jsonl 3f2a 91c0        the same as JSON lines, with all genes
  mendel runs --delete 3f2a                   remove it with everything in its folder
  mendel runs --json")]
pub(super) struct RunsArgs {
    /// Only these experiments; needed with `--compare` and `--export`
    #[arg(value_name = "EXPERIMENT")]
    runs: Vec<String>,
    /// Only experiments of this kind, such as match or breed
    #[arg(long, value_name = "KIND", conflicts_with_all = ["runs", "compare", "export", "delete"])]
    kind: Option<String>,
    /// Show the named runs side by side
    #[arg(long, conflicts_with = "export")]
    compare: bool,
    /// Write the generations of the named runs to stdout
    #[arg(long, value_name = "FORMAT")]
    export: Option<RunsFormat>,
    /// Delete an experiment of the library with everything in its folder
    #[arg(long, value_name = "EXPERIMENT", conflicts_with_all = ["runs", "compare", "export"])]
    delete: Option<String>,
    /// Delete without asking
    #[arg(long, requires = "delete")]
    yes: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "export")]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum RunsFormat {
    /// Comma-separated, with a head
    Csv,
    /// A JSON object on each line
    Jsonl,
}

pub(super) fn run(args: &RunsArgs) -> anyhow::Result<()> {
    if args.compare {
        let folders = named(&args.runs, "--compare", "mendel runs --compare A B")?;
        return compare(&folders, args.json);
    }
    if let Some(format) = args.export {
        let folders = named(&args.runs, "--export", "mendel runs --export csv A")?;
        return export(&folders, format);
    }
    if let Some(name) = &args.delete {
        return delete(&library::find(name)?, args);
    }
    if let Some(kind) = &args.kind
        && kinds::find(kind).is_none()
    {
        let names: Vec<&str> = kinds::KINDS.iter().map(|kind| kind.name).collect();
        return UsageError::bail(
            format!("`{kind}` is not a kind of experiment"),
            format!("the kinds are {}", names.join(", ")),
        );
    }
    let mut entries = library::list(args.kind.as_deref())?;
    if !args.runs.is_empty() {
        let mut named = Vec::new();
        for run in &args.runs {
            let folder = library::find(run)?;
            // Also adds an experiment that is not in the library yet.
            library::register(&folder);
            let folder = folder.canonicalize().unwrap_or(folder);
            let mut all = library::list(None)?.into_iter();
            let found = all.find(|it| it.folder == folder);
            named.push(found.ok_or_else(|| no_run(&folder))?);
        }
        entries = named;
    }
    let rows: Vec<RunRow> = entries.into_iter().map(RunRow::new).collect();
    list(&rows, args.json)
}

fn no_run(folder: &Path) -> anyhow::Error {
    let text = format!("{} is not the folder of an experiment", folder.display());
    UsageError::new(text, "`mendel runs` lists the experiments").into()
}

/// Deletes an experiment after a confirmation.
fn delete(folder: &Path, args: &RunsArgs) -> anyhow::Result<()> {
    let shown = folder.display();
    if !args.yes {
        if !io::stdin().is_terminal() {
            let what = format!("`{shown}` is deleted only after a confirmation");
            return UsageError::bail(what, "`--yes` confirms it");
        }
        let size = bytes(size_of(folder));
        write!(io::stderr(), "delete `{shown}` ({size})? [y/N] ")?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        if !matches!(answer.trim(), "y" | "Y" | "yes") {
            anyhow::bail!("`{shown}` was not deleted");
        }
    }
    let deleted = library::open()?
        .delete(folder)
        .map_err(|error| match error {
            error if !error.is_invalid_request() => anyhow::Error::from(error),
            LibraryError::Experiment(ref cause) if cause.is_about_lock() => {
                UsageError::new(error, "stop the process that runs it first: Ctrl-C").into()
            }
            error => UsageError::without_hint(error).into(),
        })?;
    output::print_line(
        args.json,
        || json!({ "deleted": folder, "bytes": deleted }),
        || format!("deleted `{shown}`, {}\n", bytes(deleted)),
    )
}

fn bytes(count: u64) -> String {
    HumanBytes(count).to_string()
}

/// The folders of the runs that were named; there must be some.
fn named(runs: &[String], flag: &str, example: &str) -> anyhow::Result<Vec<PathBuf>> {
    if runs.is_empty() {
        let text = format!("`{flag}` needs the names of runs");
        return UsageError::bail(
            text,
            format!("for instance `{example}`; `mendel runs` lists them"),
        );
    }
    runs.iter().map(|run| library::find(run)).collect()
}

#[derive(Serialize)]
struct RunRow {
    #[serde(flatten)]
    entry: IndexEntry,
    /// The bytes of its folder.
    size: u64,
}

impl RunRow {
    fn new(mut entry: IndexEntry) -> Self {
        // The index may be older than the folder.
        if entry.state != RunStatus::Finished
            && let Ok(Some(manifest)) = Manifest::find(&entry.folder)
        {
            entry.summary = kinds::describe(&Folder::at(&entry.folder), &manifest);
        }
        let size = size_of(&entry.folder);
        Self { entry, size }
    }

    fn cells(&self) -> [String; 8] {
        let Self { entry, size } = self;
        let summary = &entry.summary;
        let id = [
            entry.id.as_str(),
            summary["id"].as_str().unwrap_or_default(),
        ];
        let id = id.into_iter().find(|id| !id.is_empty()).unwrap_or_default();
        [
            id.chars().take(SHORT).collect(),
            entry.kind.clone(),
            summary["recipe"].as_str().unwrap_or(&entry.name).to_owned(),
            entry.state.name().to_owned(),
            progress(entry),
            result(summary),
            bytes(*size),
            entry.folder.display().to_string(),
        ]
    }
}

/// The progress of an experiment, also of one whose summary has no text for it.
fn progress(entry: &IndexEntry) -> String {
    let summary = &entry.summary;
    if let Some(text) = summary["progress"].as_str() {
        return text.to_owned();
    }
    match &summary["generations"] {
        Value::Null => String::new(),
        generations => format!("{} generations", text(generations)),
    }
}

fn result(summary: &Value) -> String {
    if let Some(text) = summary["result"].as_str() {
        return text.to_owned();
    }
    let best = summary["best"].as_f64();
    let best = best.map(|best| format!("{best:.4} {}", text(&summary["best_on"])));
    let verdict = summary["verdict"].as_str().map(str::to_owned);
    let texts: Vec<String> = best.into_iter().chain(verdict).collect();
    texts.join("; ").trim().to_owned()
}

fn list(rows: &[RunRow], json: bool) -> anyhow::Result<()> {
    if rows.is_empty() && !json {
        output::log("no experiments yet; `mendel breed first-steps` makes one");
        return Ok(());
    }
    let mut table = TextTable::new("id | kind | name | state | progress | result | size | folder");
    for row in rows {
        table.row(row.cells());
    }
    output::print(json, || json!(rows), || table.render())
}

/// A value of a summary without quotes; empty for `null`.
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
        let run = RunRecord::read(folder).map_err(unusable(folder))?;
        runs.push(run.summary());
    }
    let ids = runs.iter().map(|run| run.id.chars().take(SHORT).collect());
    let mut table = TextTable::with_head(std::iter::once(String::new()).chain(ids));
    for (name, value) in COMPARED {
        let cells: Vec<String> = runs.iter().map(value).collect();
        // Properties that no run has are left out.
        if cells.iter().any(|cell| !cell.is_empty()) {
            table.row(std::iter::once(name.to_owned()).chain(cells));
        }
    }
    output::print(json, || json!(runs), || table.render())
}

type Compared = (&'static str, fn(&RunSummary) -> String);

const COMPARED: [Compared; 20] = [
    ("recipe", |run| run.recipe.clone()),
    ("seed", |run| run.seed.to_string()),
    ("version", |run| run.version.clone()),
    ("parent", |run| run.parent.clone()),
    ("data", |run| {
        let names = run.data.iter().map(|data| data.name.as_str());
        names.collect::<Vec<_>>().join(", ")
    }),
    ("fitness", |run| {
        format!("{}, {} is better", run.unit, better(run.smaller_is_better))
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
        optional(holdout(run).map(|it| it.parent))
    }),
    ("hold-out, champion", |run| {
        optional(holdout(run).map(|it| it.champion))
    }),
    ("match with parent", |run| match_text(run, "parent")),
    ("match outside", |run| match_text(run, "outside")),
    ("verdict", |run| run.verdict.clone().unwrap_or_default()),
];

/// The direction of better values.
pub(super) fn better(is_smaller: bool) -> &'static str {
    if is_smaller { "smaller" } else { "larger" }
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(String::new, number)
}

fn holdout(run: &RunSummary) -> Option<&Measured> {
    run.proof.as_ref()?.holdout.as_ref()
}

fn match_text(run: &RunSummary, role: &str) -> String {
    let matches = run.proof.iter().flat_map(|proof| &proof.matches);
    let found = matches.into_iter().find(|it| it.role == role);
    found.map_or_else(String::new, |it| format!("{}: {it}", it.opponent))
}

fn export(folders: &[PathBuf], format: RunsFormat) -> anyhow::Result<()> {
    let mut runs = Vec::new();
    for folder in folders {
        let manifest = RunManifest::read(folder).map_err(|error| unusable(folder)(error.into()))?;
        let path = folder.join(GENERATIONS);
        let lines = path.exists().then(|| Journal::<Generation>::read(&path));
        runs.push((manifest, lines.transpose()?.unwrap_or_default()));
    }
    let mut out = io::BufWriter::new(output::stdout());
    match format {
        RunsFormat::Csv => out.write_all(csv(&runs).as_bytes())?,
        RunsFormat::Jsonl => {
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

/// The generations in the form of RFC 4180. The genes of the best are columns too if all runs
/// have the same genes.
fn csv(runs: &[(RunManifest, Vec<Generation>)]) -> String {
    let genes = runs.first().map_or(&[][..], |(first, _)| &first.genes[..]);
    let are_same = runs.iter().all(|(manifest, _)| manifest.genes == genes);
    let genes = if are_same { genes } else { &[] };
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
            let counts = [manifest.seed, line.generation.into(), line.judgements];
            let spread = [line.worst, line.deviation, line.diversity];
            let values = [line.best, line.mean].into_iter().chain(spread);
            let random = line.random_best.map(|it| it.to_string());
            let own = line.genes.iter().filter(|_| !genes.is_empty());
            let cells: Vec<String> = (counts.iter().map(u64::to_string))
                .chain(values.map(|it| it.to_string()))
                .chain([random.unwrap_or_default()])
                .chain(own.map(ToString::to_string))
                .collect();
            text.extend([&name, ",", &cells.join(","), "\n"]);
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
