//! `mendel analyse`: analyses of populations, games and networks.

mod compare;
mod missing;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use mendel_engine::Player;
use mendel_report::analysis::exam::ExternalTestReport;
use mendel_report::analysis::species::{SpeciesStats, extinctions, lives};
use mendel_report::analysis::squares::{effects, fields};
use mendel_report::analysis::wiring::NetworkLayout;
use mendel_report::{AnalysisKind, Picture, RunRecord, exam_pictures, exam_table, pictures_of};
use serde_json::{Value, json};

use self::compare::{CompareMetric, GroupKey, compare_runs};
use crate::commands::report::unusable;
use crate::library;
use crate::output;
use crate::request::{self, UsageError};
use crate::table::TextTable;

/// Look closely at a run's populations and games, at a network, or compare runs
#[derive(Args, Debug)]
#[command(after_help = "\
WHAT is one of
  pca        genotypes on their two strongest axes, also animated
  distance   the mean distance of two members
  species    species through time, and extinctions
  empty      the share of networks that say nothing
  size       hidden nodes and connections
  exam       games lost, drawn and won against programs from elsewhere, beside
             the paper's
  lengths    how long lost games were, by colour
  moves      first moves
  network    the champion's network
  squares    what a man on each square is worth to the champion, and what its
             nodes look at
or nothing for all of them; of a player there are `network` and `squares`. Pictures go to the folder `analysis` of the run. What is
not in the run's records is left out: `pca` needs `[report] keep-genotypes = EVERY` in
the recipe, and so does `distance` where no networks are bred; `species` needs a breeder
with species, `exam` a recipe with `[exam]`.

Examples:
  mendel analyse runs/neat-7
  mendel analyse runs/neat-7 species --json
  mendel analyse runs/cosyne-1 exam
  mendel analyse --player players/neat.toml --out pictures
  mendel analyse --player neat network
  mendel analyse runs/neat-1 runs/neat-2 runs/cosyne-1 --compare best
  mendel analyse runs/* --compare best --by recipe")]
pub(super) struct AnalyseArgs {
    /// The run, its folder or the beginning of its id, and what to look at; several
    /// runs with `--compare`
    #[arg(value_name = "RUN [WHAT]", num_args = 0..)]
    words: Vec<String>,
    /// Look at a player instead: a built-in name or a player file
    #[arg(long, value_name = "PLAYER", conflicts_with = "compare")]
    player: Option<String>,
    /// Compare runs by Welch's t-tests with Bonferroni's correction
    #[arg(long, value_name = "MEASURE", num_args = 0..=1, default_missing_value = "best")]
    compare: Option<CompareMetric>,
    /// What is a group when runs are compared
    #[arg(
        long,
        value_name = "GROUP",
        default_value = "run",
        requires = "compare"
    )]
    by: GroupKey,
    /// Where pictures go
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the data as JSON, and write no pictures unless `--out` is given
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &AnalyseArgs) -> anyhow::Result<()> {
    if let Some(measure) = args.compare {
        return compare_runs(args, measure);
    }
    if let Some(name) = &args.player {
        return look_at_player(args, name);
    }
    let (run, what) = asked(&args.words)?;
    let folder = library::find_run(run)?;
    let record = read(&folder)?;
    let mut pictures = record.analyses.pictures();
    pictures.extend(exam_pictures(&record.exam));
    if let Some(champion) = &record.champion {
        pictures.extend(pictures_of(champion));
    }
    let is_asked = |found: AnalysisKind| what.is_none_or(|what| what == found);
    pictures.retain(|it| is_asked(it.what));
    let table = (is_asked(AnalysisKind::Exam) && !record.exam.lines.is_empty())
        .then(|| shares(&record.exam));
    if let Some(what) = what
        && pictures.is_empty()
        && table.is_none()
        && !args.json
    {
        return Err(missing::why(&record, run, what).into());
    }
    let data = of_run(&record, what);
    print(args, &pictures, table, &data, &folder.join("analysis"))
}

fn look_at_player(args: &AnalyseArgs, name: &str) -> anyhow::Result<()> {
    let player = request::player(Some(name))?;
    let wrong = |reason: String, remedy: &str| {
        let hint = format!("of a player there are `network` and `squares`; {remedy}");
        Err(UsageError::new(reason, hint))
    };
    let what = match &args.words[..] {
        [] => None,
        [word] => match word.parse() {
            Ok(what @ (AnalysisKind::Network | AnalysisKind::Squares)) => Some(what),
            Ok(_) => wrong(
                format!("`{word}` is of a run, and `{name}` is a player"),
                "name the run for the others",
            )?,
            Err(()) => wrong(
                format!("`{word}` is nothing to look at"),
                "a run is looked at without `--player`",
            )?,
        },
        words => wrong(
            format!("{} words stand beside `--player`", words.len()),
            "give one of them, or none for both",
        )?,
    };
    request::evaluator(&player)?;
    let mut pictures = pictures_of(&player);
    pictures.retain(|it| what.is_none_or(|what| what == it.what));
    if pictures.is_empty() && !args.json {
        return Err(missing::no_network(&player, name).into());
    }
    let mut data = of_player(&player);
    if let Some(what) = what {
        data = part_of_player(&data, what);
    }
    print(args, &pictures, None, &data, Path::new("."))
}

fn shares(exam: &ExternalTestReport) -> String {
    let of_page = exam_table(exam);
    let mut table = TextTable::with_head(of_page.head);
    let last = of_page.rows.len().saturating_sub(1);
    for (at, row) in of_page.rows.into_iter().enumerate() {
        if at == last {
            table.rule();
        }
        table.row(row);
    }
    format!("Lost, drawn, won in the examination:\n\n{}", table.render())
}

fn read(folder: &Path) -> anyhow::Result<RunRecord> {
    let record = RunRecord::read(folder).and_then(RunRecord::with_analyses);
    record.map_err(unusable(folder))
}

fn asked(words: &[String]) -> Result<(&str, Option<AnalysisKind>), UsageError> {
    let names: Vec<&str> = AnalysisKind::ALL.iter().map(|it| it.0).collect();
    match words {
        [] => Err(UsageError::new(
            "there is nothing to look at",
            "name a run (`mendel runs` lists them), or give `--player PLAYER`",
        )),
        [run] => Ok((run, None)),
        [run, what] => match what.parse() {
            Ok(what) => Ok((run, Some(what))),
            Err(()) => Err(UsageError::new(
                format!("`{what}` is nothing to look at"),
                format!(
                    "there are {}; several runs need `--compare`",
                    names.join(", ")
                ),
            )),
        },
        _ => Err(UsageError::new(
            format!("{} runs were given", words.len()),
            "several runs need `--compare`",
        )),
    }
}

/// The data behind the pictures of a run.
fn of_run(record: &RunRecord, what: Option<AnalysisKind>) -> Value {
    let analyses = &record.analyses;
    let champion = record.champion.as_ref().map(of_player);
    match what {
        None => json!({
            "run": record.manifest.id,
            "analyses": analyses,
            "exam": of_exam(&record.exam),
            "champion": champion,
        }),
        Some(AnalysisKind::Pca) => json!(analyses.pca),
        Some(AnalysisKind::Distance) => json!(analyses.spread),
        Some(AnalysisKind::Species) => json!({
            "generations": each(&analyses.networks, |it| json!({"species": it.networks.species})),
            "species": lives(&analyses.networks),
            "extinctions": extinctions(&analyses.networks),
        }),
        Some(AnalysisKind::Empty) => each(
            &analyses.networks,
            |it| json!({"empty": it.networks.empty, "too_large": it.networks.too_large}),
        ),
        Some(AnalysisKind::Size) => each(&analyses.networks, |it| {
            let size = it.networks.size;
            json!({"nodes": size.map(|it| it[0]), "edges": size.map(|it| it[1])})
        }),
        Some(AnalysisKind::Exam) => of_exam(&record.exam),
        Some(AnalysisKind::Lengths) => json!({
            "games": without(&json!(analyses.games), "first_moves"),
            "exam": record.exam.lengths(),
        }),
        Some(AnalysisKind::Moves) => json!({
            "games": without(&without(&json!(analyses.games), "lost_by_white"), "lost_by_black"),
            "exam": of_exam(&record.exam)["first_moves"],
        }),
        Some(what @ (AnalysisKind::Network | AnalysisKind::Squares)) => {
            json!(champion.map(|it| part_of_player(&it, what)))
        }
    }
}

/// The values of each generation, with its number.
fn each(lines: &[SpeciesStats], values: impl Fn(&SpeciesStats) -> Value) -> Value {
    let of_one = |line: &SpeciesStats| {
        let mut values = values(line);
        values["generation"] = json!(line.generation);
        values
    };
    lines.iter().map(of_one).collect()
}

/// A list of objects without one of their fields.
fn without(list: &Value, field: &str) -> Value {
    let mut list = list.clone();
    for object in list.as_array_mut().into_iter().flatten() {
        if let Some(object) = object.as_object_mut() {
            object.remove(field);
        }
    }
    list
}

/// The network, or its values of the squares.
fn part_of_player(player: &Value, what: AnalysisKind) -> Value {
    match what {
        AnalysisKind::Network => player["network"].clone(),
        _ => json!({"squares": player["squares"], "fields": player["fields"]}),
    }
}

/// Shares, lengths of lost games and first moves, for each row of opponents.
fn of_exam(exam: &ExternalTestReport) -> Value {
    let opened = |(row, opponent): (usize, String)| {
        json!({
            "row": row,
            "opponent": opponent,
            "white": exam.opened(row, 0),
            "black": exam.opened(row, 1),
        })
    };
    json!({
        "shares": exam.all(),
        "lengths": exam.lengths(),
        "first_moves": exam.rows().into_iter().map(opened).collect::<Vec<Value>>(),
    })
}

fn of_player(player: &Player) -> Value {
    let evaluator = player.used_evaluator().ok();
    json!({
        "player": player.name,
        "network": evaluator.and_then(NetworkLayout::of),
        "squares": evaluator.map(effects),
        "fields": evaluator.map(fields),
    })
}

/// Prints the data, or writes the pictures and prints their captions.
fn print(
    args: &AnalyseArgs,
    pictures: &[Picture],
    table: Option<String>,
    data: &Value,
    default: &Path,
) -> anyhow::Result<()> {
    let mut out = output::stdout();
    let default = (!args.json).then_some(default);
    if let Some(folder) = args.out.as_deref().or(default) {
        if !pictures.is_empty() {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make `{}`", folder.display()))?;
        }
        for picture in pictures {
            let path = folder.join(format!("{}.svg", picture.name));
            mendel_store::replace(&path, picture.drawing.standalone().as_bytes())?;
            if !args.json {
                writeln!(out, "{}\n  {}", path.display(), picture.caption)?;
            }
        }
    }
    if args.json {
        writeln!(out, "{data:#}")?;
    } else if let Some(table) = table {
        let gap = if pictures.is_empty() { "" } else { "\n" };
        write!(out, "{gap}{table}")?;
    } else if pictures.is_empty() {
        writeln!(
            out,
            "the run has no records of populations, games or networks yet; see `mendel analyse --help` for what they need"
        )?;
    }
    Ok(())
}
