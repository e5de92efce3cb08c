//! `mendel analyse --compare`: runs compared by statistical tests.

use std::collections::BTreeMap;

use clap::ValueEnum;
use mendel_report::analysis::welch::{Measurements, WelchTest, compare};
use mendel_report::plot::decimal;
use mendel_report::{RunRecord, p_value};
use serde_json::{Value, json};

use super::{AnalyseArgs, read};
use crate::commands::runs::better;
use crate::library;
use crate::output;
use crate::request::UsageError;
use crate::table::TextTable;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
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
    fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |it| it.get_name().to_owned())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum GroupKey {
    /// A run; its generations or games are the measurements
    Run,
    /// A recipe; its runs are the measurements, each with its last generation or its
    /// mean
    Recipe,
}

/// Compares every two groups by Welch's t-test.
pub(super) fn compare_runs(args: &AnalyseArgs, measure: CompareMetric) -> anyhow::Result<()> {
    let records = records(&args.words, measure)?;
    let mut groups: Vec<Measurements> = Vec::new();
    for record in &records {
        let (recipe, seed) = (&record.manifest.recipe, record.manifest.seed);
        let values = measured(record, measure);
        if args.by == GroupKey::Run {
            let name = format!("{recipe} seed {seed}");
            groups.push(Measurements { name, values });
        } else if let Some(value) = of_whole_run(&values, measure) {
            let known = groups.iter_mut().find(|group| group.name == *recipe);
            let (name, values) = (recipe.clone(), vec![value]);
            match known {
                Some(group) => group.values.extend(values),
                None => groups.push(Measurements { name, values }),
            }
        }
    }
    if groups.iter().filter(|it| it.values.len() >= 2).count() < 2 {
        return UsageError::bail(
            format!(
                "there are not two groups with two values of `{}` each",
                measure.name()
            ),
            "give more runs; by recipe, each needs two of them",
        );
    }
    let differences = compare(&groups);
    let of_group = |it: &Measurements| {
        json!({
            "name": it.name,
            "values": it.values.len(),
            "mean": it.mean(),
            "deviation": it.variance().sqrt(),
        })
    };
    let data = || {
        json!({
            "measure": measure.name(),
            "groups": groups.iter().map(of_group).collect::<Vec<Value>>(),
            "differences": differences,
        })
    };
    output::print(args.json, data, || {
        let note = match args.by {
            GroupKey::Run => NOT_INDEPENDENT,
            GroupKey::Recipe => "",
        };
        as_text(&groups, &differences, measure) + note
    })
}

const NOT_INDEPENDENT: &str = "
The values of one run are not independent of each other: a small p says that these runs
differ, not that their recipes do. `--by recipe` compares recipes, a value for each run.
";

/// The runs; an error if one is named twice or if they are not measured in the same way.
fn records(words: &[String], measure: CompareMetric) -> anyhow::Result<Vec<RunRecord>> {
    let mut given: BTreeMap<String, &str> = BTreeMap::new();
    let mut records: Vec<RunRecord> = Vec::with_capacity(words.len());
    for word in words {
        let record = read(&library::find_run(word)?)?;
        let id = record.manifest.id.clone();
        if let Some(before) = given.insert(id, word) {
            return UsageError::bail(
                format!("`{before}` and `{word}` are the same run"),
                "give each run once: a run differs from itself by nothing",
            );
        }
        if let Some(first) = records.first() {
            let (known, own) = (meaning(first, measure), meaning(&record, measure));
            if known != own {
                return UsageError::bail(
                    format!(
                        "`{}` of `{}` is {known}, of `{word}` {own}: they do not compare",
                        measure.name(),
                        words[0],
                    ),
                    "compare runs that are measured alike, or by another measure, such as `--compare exam`",
                );
            }
        }
        records.push(record);
    }
    Ok(records)
}

/// The meaning of the numbers of a run; only equal meanings can be compared.
fn meaning(record: &RunRecord, measure: CompareMetric) -> String {
    let manifest = &record.manifest;
    match measure {
        CompareMetric::Best | CompareMetric::Mean => {
            let way = better(manifest.smaller_is_better);
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
            let recipe: toml::Table = record.recipe.parse().unwrap_or_default();
            match recipe.get("trial").and_then(|it| it.get("ladder")) {
                Some(ladder) => format!("Elo by the ladder {ladder}"),
                None => "Elo by a ladder".to_owned(),
            }
        }
        CompareMetric::Diversity
        | CompareMetric::Lengths
        | CompareMetric::Exam
        | CompareMetric::ExamLengths => measure.name(),
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

/// One value for a run: the last generation, or the mean of its games.
fn of_whole_run(values: &[f64], measure: CompareMetric) -> Option<f64> {
    match measure {
        CompareMetric::Lengths | CompareMetric::ExamLengths if values.is_empty() => None,
        CompareMetric::Lengths | CompareMetric::ExamLengths => {
            Some(values.iter().sum::<f64>() / values.len() as f64)
        }
        _ => values.last().copied(),
    }
}

fn as_text(groups: &[Measurements], differences: &[WelchTest], measure: CompareMetric) -> String {
    let mut table = TextTable::with_head([&measure.name(), "values", "mean", "deviation"]);
    for group in groups {
        table.row([
            group.name.clone(),
            group.values.len().to_string(),
            decimal(group.mean()),
            decimal(group.variance().sqrt()),
        ]);
    }
    let mut compared = TextTable::new("first | second | difference | t | df | p | corrected | ");
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
