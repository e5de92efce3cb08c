//! Runs beside each other.

use std::collections::BTreeMap;
use std::io::Write;

use mendel_report::RunRecord;
use mendel_report::analysis::welch::{Difference, Group, compare};
use mendel_report::plot::decimal;
use serde_json::{Value, json};

use super::{AnalyseArgs, read};
use crate::home;
use crate::output;
use crate::request::UsageError;
use crate::table::TextTable;

/// What is measured when runs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum CompareMetric {
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

impl CompareMetric {
    pub(super) fn name(self) -> &'static str {
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
pub(super) enum GroupKey {
    /// A run; its generations or games are the measurements
    Run,
    /// A recipe; its runs are the measurements, each with its last generation or its
    /// mean
    Recipe,
}

/// Each two groups by Welch's t-test.
pub(super) fn compare_runs(args: &AnalyseArgs, measure: CompareMetric) -> anyhow::Result<()> {
    let records = records(&args.words, measure)?;
    let mut groups: Vec<Group> = Vec::new();
    for record in &records {
        let values = measured(record, measure);
        match args.by {
            GroupKey::Run => groups.push(Group {
                name: format!("{} seed {}", record.manifest.recipe, record.manifest.seed),
                values,
            }),
            GroupKey::Recipe => {
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
        return Err(UsageError::new(
            format!(
                "there are not two groups with two values of `{}` each",
                measure.name()
            ),
            "give more runs; by recipe, each needs two of them",
        )
        .into());
    }
    let differences = compare(&groups);
    let mut out = output::stdout();
    if args.json {
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
    if args.by == GroupKey::Run {
        writeln!(
            out,
            "\nThe values of one run are not independent of each other: a small p says that these runs\n\
             differ, not that their recipes do. `--by recipe` compares recipes, a value for each run."
        )?;
    }
    Ok(())
}

/// The runs, each once, and all of them measured in the same way.
fn records(words: &[String], measure: CompareMetric) -> anyhow::Result<Vec<RunRecord>> {
    let mut given: BTreeMap<String, &str> = BTreeMap::new();
    let mut records: Vec<RunRecord> = Vec::with_capacity(words.len());
    for word in words {
        let record = read(&home::find_run(word)?)?;
        let id = record.manifest.id.clone();
        if let Some(before) = given.insert(id, word) {
            return Err(UsageError::new(
                format!("`{before}` and `{word}` are the same run"),
                "give each run once: a run differs from itself by nothing",
            )
            .into());
        }
        if let Some(first) = records.first() {
            let (known, own) = (meaning(first, measure), meaning(&record, measure));
            if known != own {
                return Err(UsageError::new(
                    format!(
                        "`{}` of `{}` is {known}, of `{word}` {own}: they do not compare",
                        measure.name(),
                        words[0],
                    ),
                    "compare runs that are measured alike, or by another measure, such as `--compare exam`",
                )
                .into());
            }
        }
        records.push(record);
    }
    Ok(records)
}

/// What the numbers of a run mean; only equal meanings compare.
fn meaning(record: &RunRecord, measure: CompareMetric) -> String {
    let manifest = &record.manifest;
    match measure {
        CompareMetric::Best | CompareMetric::Mean => {
            let way = if manifest.smaller_is_better {
                "smaller"
            } else {
                "larger"
            };
            let data: Vec<&str> = manifest.data.iter().map(|it| it.name.as_str()).collect();
            let on = match data.len() {
                0 => String::new(),
                _ => format!(" on {}", data.join(", ")),
            };
            format!("{}{on} ({way} is better)", manifest.unit)
        }
        CompareMetric::Distance => {
            let mut networks = record.analyses.networks.iter();
            let has_species = networks.any(|it| !it.networks.species.is_empty());
            let kind = if has_species {
                "the distance by which NEAT tells species apart"
            } else {
                "the length of the difference of all genes"
            };
            kind.to_owned()
        }
        CompareMetric::Ladder => {
            let recipe: Option<toml::Table> = record.recipe.parse().ok();
            let ladder = recipe
                .as_ref()
                .and_then(|it| it.get("trial")?.get("ladder"));
            match ladder {
                Some(ladder) => format!("Elo by the ladder {ladder}"),
                None => "Elo by a ladder".to_owned(),
            }
        }
        CompareMetric::Diversity
        | CompareMetric::Lengths
        | CompareMetric::Exam
        | CompareMetric::ExamLengths => measure.name().to_owned(),
    }
}

/// The measurements of one run.
fn measured(record: &RunRecord, measure: CompareMetric) -> Vec<f64> {
    let lines = record.generations.iter();
    match measure {
        CompareMetric::Best => lines.map(|line| line.best).collect(),
        CompareMetric::Mean => lines.map(|line| line.mean).collect(),
        CompareMetric::Diversity => lines.map(|line| line.diversity).collect(),
        CompareMetric::Ladder => lines.filter_map(|line| Some(line.ladder?.elo)).collect(),
        CompareMetric::Distance => {
            let spread = record.analyses.spread.iter();
            spread.map(|it| it.distance).collect()
        }
        CompareMetric::Lengths => {
            let games = record.analyses.games.iter();
            let lost = games.flat_map(|it| it.lost_by_white.iter().chain(&it.lost_by_black));
            lost.copied().map(f64::from).collect()
        }
        CompareMetric::Exam => {
            let all = record.exam.all().into_iter();
            let each = all.filter(|it| it.generation.is_some());
            let points = each.filter_map(|it| it.shares.map(|[_, drawn, won]| won + drawn / 2.0));
            points.collect()
        }
        CompareMetric::ExamLengths => {
            let lost = record.exam.lines.iter().flat_map(|line| &line.lost);
            lost.flatten().copied().map(f64::from).collect()
        }
    }
}

/// What a run came to: the last generation, or the mean of its games.
fn of_whole_run(values: &[f64], measure: CompareMetric) -> Option<f64> {
    match measure {
        CompareMetric::Lengths | CompareMetric::ExamLengths if values.is_empty() => None,
        CompareMetric::Lengths | CompareMetric::ExamLengths => {
            Some(values.iter().sum::<f64>() / values.len() as f64)
        }
        _ => values.last().copied(),
    }
}

/// As papers write it: nobody needs to know how small a small one is.
fn p_value(p: f64) -> String {
    if p < 0.001 {
        "< 0.001".to_owned()
    } else {
        format!("{p:.3}")
    }
}

fn as_text(groups: &[Group], differences: &[Difference], measure: CompareMetric) -> String {
    let mut table = TextTable::default();
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
    let mut compared = TextTable::default();
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
            p_value(it.p),
            p_value(it.corrected),
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
