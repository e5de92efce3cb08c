//! `mendel analyse`: populations, games and networks, looked at closely.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use mendel_engine::Player;
use mendel_lab::analysis::exam::Exam;
use mendel_lab::analysis::species::{extinctions, lives};
use mendel_lab::analysis::squares::{effects, fields};
use mendel_lab::analysis::welch::{Difference, Group, compare};
use mendel_lab::analysis::wiring::NetworkPlan;
use mendel_lab::report::{Picture, RunRecord, What, exam_pictures, exam_table, pictures_of};
use mendel_store::plot::decimal;
use serde_json::{Value, json};

use crate::commands::report::wrong;
use crate::home;
use crate::request::{self, Wrong};
use crate::table::Table;

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
or nothing for all of them. Pictures go to the folder `analysis` of the run. What is
not in the run's records is left out: `pca` needs `[report] keep-genotypes = EVERY` in
the recipe, and so does `distance` where no networks are bred; `species` needs a breeder
with species, `exam` a recipe with `[exam]`.

Examples:
  mendel analyse runs/neat-7
  mendel analyse runs/neat-7 species --json
  mendel analyse runs/cosyne-1 exam
  mendel analyse --player players/neat.toml --out pictures
  mendel analyse runs/neat-1 runs/neat-2 runs/cosyne-1 --compare best
  mendel analyse runs/* --compare best --by recipe")]
pub(super) struct Arguments {
    /// The run, its folder or the beginning of its id, and what to look at; several
    /// runs with `--compare`
    #[arg(value_name = "RUN [WHAT]", num_args = 0..)]
    words: Vec<String>,
    /// Look at a player instead: a built-in name or a player file
    #[arg(long, value_name = "PLAYER", conflicts_with = "words")]
    player: Option<String>,
    /// Compare runs by Welch's t-tests with Bonferroni's correction
    #[arg(long, value_name = "MEASURE", num_args = 0..=1, default_missing_value = "best")]
    compare: Option<Measure>,
    /// What is a group when runs are compared
    #[arg(
        long,
        value_name = "GROUP",
        default_value = "run",
        requires = "compare"
    )]
    by: By,
    /// Where pictures go
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the data as JSON, and write no pictures unless `--out` is given
    #[arg(long)]
    json: bool,
}

/// What is measured when runs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Measure {
    /// The fitness of the best of each generation
    Best,
    /// The mean fitness of each generation
    Mean,
    /// The diversity of each generation
    Diversity,
    /// The mean distance of two members of each generation that was kept
    Distance,
    /// The strength of each generation's best on the ladder
    Ladder,
    /// Half-moves of lost games
    Lengths,
    /// Points in each examination, in per cent
    Exam,
    /// Half-moves of the games lost in examinations
    ExamLengths,
}

impl Measure {
    fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Mean => "mean",
            Self::Diversity => "diversity",
            Self::Distance => "distance",
            Self::Ladder => "ladder",
            Self::Lengths => "lengths",
            Self::Exam => "exam",
            Self::ExamLengths => "exam-lengths",
        }
    }
}

/// What a group is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum By {
    /// A run; its generations or games are the measurements
    Run,
    /// A recipe; its runs are the measurements, each with its last generation or its
    /// mean
    Recipe,
}

/// Looks closely.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if let Some(measure) = arguments.compare {
        return compare_runs(arguments, measure);
    }
    if let Some(name) = &arguments.player {
        let player = request::player(Some(name))?;
        let found = Found {
            pictures: pictures_of(&player),
            table: None,
            data: of_player(&player),
        };
        return tell(arguments, &found, None);
    }
    let (run, what) = asked(&arguments.words)?;
    let folder = home::find_run(run)?;
    let record = read(&folder)?;
    let mut pictures = record.analyses.pictures();
    pictures.extend(exam_pictures(&record.exam));
    if let Some(champion) = &record.champion {
        pictures.extend(pictures_of(champion));
    }
    let is_asked = |found: What| what.is_none_or(|what| what == found);
    pictures.retain(|it| is_asked(it.what));
    let table = (is_asked(What::Exam) && !record.exam.is_empty()).then(|| shares(&record.exam));
    let found = Found {
        pictures,
        table,
        data: of_run(&record, what),
    };
    tell(arguments, &found, Some(&folder.join("analysis")))
}

/// What was found, for people and for programs.
struct Found {
    pictures: Vec<Picture>,
    table: Option<String>,
    data: Value,
}

/// The examination as text.
fn shares(exam: &Exam) -> String {
    let of_page = exam_table(exam);
    let mut table = Table::default();
    table.row(of_page.head);
    table.rule();
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
    let record = RunRecord::read(folder);
    record.and_then(RunRecord::with_analyses).map_err(wrong)
}

/// The run and what to look at.
fn asked(words: &[String]) -> Result<(&str, Option<What>), Wrong> {
    let names = || {
        let names: Vec<&str> = What::ALL.iter().map(|it| it.name()).collect();
        names.join(", ")
    };
    match words {
        [] => Err(Wrong::new(
            "there is nothing to look at",
            "name a run (`mendel runs` lists them), or give `--player PLAYER`",
        )),
        [run] => Ok((run, None)),
        [run, what] => match what.parse() {
            Ok(what) => Ok((run, Some(what))),
            Err(()) => Err(Wrong::new(
                format!("`{what}` is nothing to look at"),
                format!("there are {}; several runs need `--compare`", names()),
            )),
        },
        _ => Err(Wrong::new(
            format!("{} runs were given", words.len()),
            "several runs need `--compare`",
        )),
    }
}

/// The data behind the pictures of a run.
fn of_run(record: &RunRecord, what: Option<What>) -> Value {
    let analyses = &record.analyses;
    let champion = record.champion.as_ref().map(of_player);
    match what {
        None => json!({
            "run": record.manifest.id,
            "analyses": analyses,
            "exam": of_exam(&record.exam),
            "champion": champion,
        }),
        Some(What::Pca) => json!(analyses.pca),
        Some(What::Distance) => json!(analyses.spread),
        Some(What::Species | What::Empty | What::Size) => json!({
            "generations": analyses.networks,
            "species": lives(&analyses.networks),
            "extinctions": extinctions(&analyses.networks),
        }),
        Some(What::Exam) => of_exam(&record.exam),
        Some(What::Lengths) => json!({
            "games": analyses.games,
            "exam": record.exam.lengths(),
        }),
        Some(What::Moves) => json!({
            "games": analyses.games,
            "exam": of_exam(&record.exam)["first_moves"],
        }),
        Some(What::Network) => json!(champion.map(|it| it["network"].clone())),
        Some(What::Squares) => {
            json!(champion.map(|it| json!({"squares": it["squares"], "fields": it["fields"]})))
        }
    }
}

/// Shares, lengths of lost games and first moves, for each row of opponents.
fn of_exam(exam: &Exam) -> Value {
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
    json!({
        "player": player.name,
        "network": NetworkPlan::of(&player.evaluator),
        "squares": effects(&player.evaluator),
        "fields": fields(&player.evaluator),
    })
}

/// Prints the data, or writes the pictures and says what is on them.
fn tell(arguments: &Arguments, found: &Found, usual: Option<&Path>) -> anyhow::Result<()> {
    let Found {
        pictures,
        table,
        data,
    } = found;
    let mut out = io::stdout().lock();
    let here = Path::new(".");
    let folder = match (&arguments.out, arguments.json) {
        (Some(folder), _) => Some(folder.as_path()),
        (None, true) => None,
        (None, false) => Some(usual.unwrap_or(here)),
    };
    if let Some(folder) = folder {
        if !pictures.is_empty() {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make `{}`", folder.display()))?;
        }
        for picture in pictures {
            let path = folder.join(format!("{}.svg", picture.name));
            mendel_store::replace(&path, picture.drawing.standalone().as_bytes())?;
            if !arguments.json {
                writeln!(out, "{}\n  {}", path.display(), picture.caption)?;
            }
        }
    }
    if arguments.json {
        writeln!(out, "{data:#}")?;
    } else if let Some(table) = table {
        let gap = if pictures.is_empty() { "" } else { "\n" };
        write!(out, "{gap}{table}")?;
    } else if pictures.is_empty() {
        writeln!(
            out,
            "the records of the run say nothing about it; see `mendel analyse --help` for what they need"
        )?;
    }
    Ok(())
}

/// Each two groups by Welch's t-test.
fn compare_runs(arguments: &Arguments, measure: Measure) -> anyhow::Result<()> {
    let mut groups: Vec<Group> = Vec::new();
    for word in &arguments.words {
        let folder = home::find_run(word)?;
        let record = read(&folder)?;
        let values = measured(&record, measure);
        match arguments.by {
            By::Run => groups.push(Group {
                name: format!("{} seed {}", record.manifest.recipe, record.manifest.seed),
                values,
            }),
            By::Recipe => {
                let Some(value) = of_whole_run(&values, measure) else {
                    continue;
                };
                let name = &record.manifest.recipe;
                match groups.iter_mut().find(|group| group.name == *name) {
                    Some(group) => group.values.push(value),
                    None => groups.push(Group {
                        name: name.clone(),
                        values: vec![value],
                    }),
                }
            }
        }
    }
    let enough = groups
        .iter()
        .filter(|group| group.values.len() >= 2)
        .count();
    if enough < 2 {
        return Err(Wrong::new(
            format!(
                "there are not two groups with two values of `{}` each",
                measure.name()
            ),
            "give more runs; by recipe, each needs two of them",
        )
        .into());
    }
    let differences = compare(&groups);
    let mut out = io::stdout().lock();
    if arguments.json {
        let told: Vec<Value> = groups
            .iter()
            .map(|it| {
                json!({
                    "name": it.name,
                    "values": it.values.len(),
                    "mean": it.mean(),
                    "deviation": it.variance().sqrt(),
                })
            })
            .collect();
        let data = json!({
            "measure": measure.name(),
            "groups": told,
            "differences": differences,
        });
        writeln!(out, "{data:#}")?;
        return Ok(());
    }
    out.write_all(as_text(&groups, &differences, measure).as_bytes())?;
    if arguments.by == By::Run {
        writeln!(
            out,
            "\nThe values of one run are not independent of each other: a small p says that these runs\n\
             differ, not that their recipes do. `--by recipe` compares recipes, a value for each run."
        )?;
    }
    Ok(())
}

/// The measurements of one run.
fn measured(record: &RunRecord, measure: Measure) -> Vec<f64> {
    let lines = record.generations.iter();
    match measure {
        Measure::Best => lines.map(|line| line.best).collect(),
        Measure::Mean => lines.map(|line| line.mean).collect(),
        Measure::Diversity => lines.map(|line| line.diversity).collect(),
        Measure::Ladder => lines.filter_map(|line| Some(line.ladder?.elo)).collect(),
        Measure::Distance => {
            let spread = record.analyses.spread.iter();
            spread.map(|it| it.distance).collect()
        }
        Measure::Lengths => {
            let games = record.analyses.games.iter();
            let lost = games.flat_map(|it| it.lost_by_white.iter().chain(&it.lost_by_black));
            lost.copied().map(f64::from).collect()
        }
        Measure::Exam => {
            let all = record.exam.all().into_iter();
            let each = all.filter(|it| it.generation.is_some());
            let points = each.filter_map(|it| it.shares.map(|[_, drawn, won]| won + drawn / 2.0));
            points.collect()
        }
        Measure::ExamLengths => {
            let lost = record.exam.lines.iter().flat_map(|line| &line.lost);
            lost.flatten().copied().map(f64::from).collect()
        }
    }
}

/// What a run came to: the last generation, or the mean of its games.
fn of_whole_run(values: &[f64], measure: Measure) -> Option<f64> {
    match measure {
        Measure::Lengths | Measure::ExamLengths if values.is_empty() => None,
        Measure::Lengths | Measure::ExamLengths => {
            Some(values.iter().sum::<f64>() / values.len() as f64)
        }
        _ => values.last().copied(),
    }
}

fn as_text(groups: &[Group], differences: &[Difference], measure: Measure) -> String {
    let mut table = Table::default();
    table.row([measure.name(), "values", "mean", "deviation"]);
    table.rule();
    for group in groups {
        table.row([
            group.name.clone(),
            group.values.len().to_string(),
            decimal(group.mean()),
            decimal(group.variance().sqrt()),
        ]);
    }
    let mut compared = Table::default();
    compared.row([
        "first",
        "second",
        "difference",
        "t",
        "df",
        "p",
        "corrected",
        "",
    ]);
    compared.rule();
    for it in differences {
        let mark = if it.corrected < 0.05 { "*" } else { "" };
        compared.row([
            it.first.clone(),
            it.second.clone(),
            decimal(it.difference),
            decimal(it.t),
            decimal(it.freedom),
            decimal(it.p),
            decimal(it.corrected),
            mark.to_owned(),
        ]);
    }
    format!(
        "{}\n{}\np corrected for {} (Bonferroni); * is below 0.05\n",
        table.render(),
        compared.render(),
        match differences.len() {
            1 => "one comparison".to_owned(),
            count => format!("{count} comparisons"),
        }
    )
}
