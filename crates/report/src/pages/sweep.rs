//! A sweep: one recipe with several settings, several seeds each.

use std::path::{Path, PathBuf};

use mendel_arena::statistics::mean_and_interval;
use mendel_lab::record::manifest::ManifestError;
use mendel_lab::record::{self, SweepCell, SweepOutcome};
use mendel_store::frame::{Folder, Manifest};
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};
use toml::{Table, Value};

use super::read::{broken, text_of};
use super::{better, counted, interval_text, or_dash, signed};
use crate::analysis::welch::error_and_freedom;
use crate::error::ReportError;
use crate::page::{HtmlPage, HtmlTable, PageBlock, Tone};
use crate::plot::{Axis, IntervalPlot, IntervalRow, number};

/// A sweep, read from its folder.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweepRecord {
    pub folder: PathBuf,
    /// The name of the recipe.
    pub recipe: String,
    /// The recipe with the axes of the sweep, as text.
    pub plan: String,
    pub results: SweepOutcome,
}

/// The setting of a sweep as text, with the last part of each key.
pub fn setting_name(setting: &Table) -> String {
    let one = |(key, value): (&String, &Value)| {
        let key = key.rsplit('.').next().unwrap_or(key);
        match value {
            Value::String(text) => format!("{key} {text}"),
            // The kind stands for a whole table, if it has one.
            Value::Table(table) if table.get("kind").is_some_and(Value::is_str) => {
                format!("{key} {}", table["kind"].as_str().unwrap_or_default())
            }
            value => format!("{key} {value}"),
        }
    };
    let parts: Vec<String> = setting.iter().map(one).collect();
    if parts.is_empty() {
        "as it is".to_owned()
    } else {
        parts.join(", ")
    }
}

const NOT_COMPARED: &str = "The settings differ in what an error is measured against, so their figures on positions do not compare; \
     only games could tell which is better.";

const NOTHING: &str = "nothing to compare";

/// The values of a setting, one for each seed.
type MetricSelector = fn(&SweepCell) -> &Vec<f64>;

/// A metric by which settings are compared.
struct ComparisonKind<'a> {
    what: &'static str,
    short: &'static str,
    values: MetricSelector,
    unit: &'a str,
    smaller_is_better: bool,
    /// Whether values of different settings have the same meaning.
    compares: bool,
}

/// Keys of a trial that change the meaning of an error: the labels, or how it is counted.
const MEASURES: [&str; 6] = ["data", "distance", "target", "clip", "k", "kind"];

/// Whether a key of the grid, such as `trial.data` or `stage.1.trial.k`, changes what is measured.
fn changes_the_measure(key: &str) -> bool {
    let mut parts: Vec<&str> = key.split('.').collect();
    if let ["stage", _, rest @ ..] = &parts[..] {
        parts = rest.to_vec();
    }
    match parts[..] {
        // A whole trial, or a whole stage.
        ["trial"] | [] => true,
        ["trial", key, ..] => MEASURES.contains(&key),
        _ => false,
    }
}

impl SweepRecord {
    /// Reads the folder of a sweep.
    ///
    /// # Errors
    ///
    /// If there are no results yet, or a file is broken.
    pub fn read(folder: &Path) -> Result<Self, ReportError> {
        let manifest = Manifest::read(folder).map_err(ManifestError::from)?;
        let plan = text_of(&folder.join(record::RECIPE))?.unwrap_or_default();
        let files = Folder::at(folder);
        let results = files.read_result();
        let results = results.map_err(broken(&files.file(Folder::RESULT)))?;
        Ok(Self {
            folder: folder.to_owned(),
            recipe: manifest.name,
            plan,
            results: results.ok_or_else(|| ReportError::Unfinished {
                folder: folder.to_owned(),
            })?,
        })
    }

    pub fn page(&self) -> HtmlPage {
        let cells = &self.results.cells;
        let kinds = self.kinds();
        let compared: Vec<&ComparisonKind> = kinds.iter().filter(|kind| kind.compares).collect();
        let runs = cells.iter().map(|cell| cell.seeds.len() as u64).sum();
        let settings = counted(cells.len() as u64, "setting");
        let mut page = HtmlPage::new(
            format!("Sweep of {}", self.recipe),
            format!("{settings}, {}", counted(runs, "run")),
            "Made by `mendel report` from the sweep’s own records; the page needs nothing else.",
        );
        page.blocks.push(self.verdict(compared.first().copied()));
        let mut blocks = Vec::new();
        if kinds.iter().any(|kind| !kind.compares) {
            blocks.push(PageBlock::text(NOT_COMPARED));
        }
        blocks.extend(kinds.iter().map(|kind| self.figure(kind)));
        blocks.push(PageBlock::Table(self.table(&kinds)));
        blocks.extend(self.results.parent.as_ref().map(|parent| {
            PageBlock::text(format!(
                "The parent takes {} thousand nodes a position of the suite and solves {} %.",
                number(parent.nodes),
                number(parent.solved)
            ))
        }));
        page.section("Comparison", blocks);
        if let [first, others @ ..] = &cells[..]
            && !others.is_empty()
            && !compared.is_empty()
        {
            let text = "Settings with the same seeds are compared seed by seed. An interval that holds 0 tells no difference.";
            let tables = compared.iter().map(|kind| differences(first, others, kind));
            let blocks = tables.map(PageBlock::Table);
            let heading = format!("Difference to {}", setting_name(&first.setting));
            page.section(&heading, [PageBlock::text(text)].into_iter().chain(blocks));
        }
        let plan = (!self.plan.is_empty()).then(|| PageBlock::Code(self.plan.clone()));
        page.section("What was asked", plan);
        page
    }

    /// The metrics that were measured, the most important first: strength in games, suites, then
    /// positions never seen.
    fn kinds(&self) -> Vec<ComparisonKind<'_>> {
        let of_errors = |what, short, values| ComparisonKind {
            what,
            short,
            values,
            unit: &self.results.unit,
            smaller_is_better: self.results.smaller_is_better,
            compares: self.measures_alike(),
        };
        let comparable = |what, short, values, unit, smaller_is_better| ComparisonKind {
            what,
            short,
            values,
            unit,
            smaller_is_better,
            compares: true,
        };
        let (nodes, solved) = ("thousand nodes a position", "% solved");
        let kinds = [
            comparable(
                "in games against the parent",
                "in games",
                |it: &SweepCell| &it.elos,
                "Elo over the parent",
                false,
            ),
            comparable(
                "on the suite held out from all",
                "suite nodes",
                |it: &SweepCell| &it.suite_nodes,
                nodes,
                true,
            ),
            comparable(
                "solved of the suite held out",
                "suite solved",
                |it: &SweepCell| &it.suite_solved,
                solved,
                false,
            ),
            of_errors("on positions never seen", "never seen", |it| &it.holdouts),
            of_errors("on positions bred with", "bred with", |it| &it.finals),
        ];
        let cells = &self.results.cells;
        let is_measured =
            |kind: &ComparisonKind| cells.iter().any(|cell| !(kind.values)(cell).is_empty());
        kinds.into_iter().filter(is_measured).collect()
    }

    /// Whether all settings are judged by the same labels in the same way.
    fn measures_alike(&self) -> bool {
        let measure = |cell: &SweepCell| -> Vec<(String, Value)> {
            let setting = cell.setting.clone().into_iter();
            setting
                .filter(|(key, _)| changes_the_measure(key))
                .collect()
        };
        let mut cells = self.results.cells.iter().map(measure);
        let first = cells.next();
        first.is_none_or(|first| cells.all(|cell| cell == first))
    }

    /// The best setting, and whether it differs significantly from the next.
    fn verdict(&self, kind: Option<&ComparisonKind>) -> PageBlock {
        let Some(kind) = kind else {
            let is_alike = self.measures_alike();
            let small = if is_alike { "" } else { NOT_COMPARED };
            return PageBlock::verdict(Tone::Plain, NOTHING, small);
        };
        let cells = self.results.cells.iter();
        let means = cells.filter_map(|cell| Some((kind.mean(cell)?, cell)));
        let mut order: Vec<(f64, &SweepCell)> = means.collect();
        order.sort_by(|a, b| {
            let order = a.0.total_cmp(&b.0);
            if kind.smaller_is_better {
                order
            } else {
                order.reverse()
            }
        });
        let name = |cell: &SweepCell| setting_name(&cell.setting);
        match &order[..] {
            [] => PageBlock::verdict(Tone::Plain, NOTHING, ""),
            [(_, only)] => PageBlock::verdict(Tone::Plain, name(only), kind.words(only)),
            [(_, best), (_, next), ..] => {
                let difference = kind.difference(best, next);
                let is_significant = difference
                    .as_ref()
                    .is_some_and(SettingDifference::is_significant);
                let words = format!(
                    "{}; next {} with {}; difference {}",
                    kind.words(best),
                    name(next),
                    kind.words(next),
                    difference.map_or_else(|| "unknown".to_owned(), |it| it.words())
                );
                let best = name(best);
                if is_significant {
                    PageBlock::verdict(Tone::Good, format!("best: {best}"), words)
                } else {
                    let small = format!("{best}: {words}");
                    PageBlock::verdict(Tone::Plain, "no clear winner", small)
                }
            }
        }
    }

    fn figure(&self, kind: &ComparisonKind) -> PageBlock {
        let cells = &self.results.cells;
        let means = cells.iter().filter_map(|cell| kind.mean(cell));
        let is_less = kind.smaller_is_better;
        let best = means.reduce(if is_less { f64::min } else { f64::max });
        let is_best =
            |mean: f64| kind.compares && best.is_some_and(|it| it.total_cmp(&mean).is_eq());
        let rows = cells.iter().filter_map(|cell| {
            let values = (kind.values)(cell);
            let mean = kind.mean(cell)?;
            Some(IntervalRow {
                name: setting_name(&cell.setting),
                value: mean,
                interval: interval_of(values).map(|[low, high]| (low, high)),
                marks: values.clone(),
                words: mean_words(values),
                chosen: is_best(mean),
            })
        });
        let chart = IntervalPlot {
            title: format!("By setting, {}", kind.what),
            x: Axis::new(format!("{} ({})", kind.unit, better(is_less))),
            rows: rows.collect(),
            reference: None,
        };
        let caption = "A dot is the mean over seeds, the bar its 95 % interval, each small stroke below it one seed.";
        PageBlock::figure(chart.draw(), caption)
    }

    fn table(&self, kinds: &[ComparisonKind]) -> HtmlTable {
        let columns = kinds.iter().flat_map(|kind| [kind.short, "95 %"]);
        let mut table = HtmlTable::new(["setting", "seeds"].into_iter().chain(columns));
        for cell in &self.results.cells {
            let mut row = vec![setting_name(&cell.setting), cell.seeds.len().to_string()];
            for kind in kinds {
                let interval = interval_of((kind.values)(cell));
                row.push(or_dash(kind.mean(cell), number));
                row.push(or_dash(interval, |it| interval_text(it, number)));
            }
            table.row(row);
        }
        table
    }
}

impl ComparisonKind<'_> {
    fn mean(&self, cell: &SweepCell) -> Option<f64> {
        mean_of((self.values)(cell))
    }

    fn words(&self, cell: &SweepCell) -> String {
        let words = mean_words((self.values)(cell));
        format!("{words} {}", self.unit).trim_end().to_owned()
    }

    /// `a` − `b`: seed by seed if the seeds are the same, otherwise by Welch; `None` if one of them
    /// was not measured.
    fn difference(&self, a: &SweepCell, b: &SweepCell) -> Option<SettingDifference> {
        let (of_a, of_b) = ((self.values)(a), (self.values)(b));
        let value = mean_of(of_a)? - mean_of(of_b)?;
        let is_paired =
            a.seeds == b.seeds && a.seeds.len() == of_a.len() && of_a.len() == of_b.len();
        let interval = if is_paired {
            let pairs = of_a.iter().zip(of_b).map(|(a, b)| a - b);
            interval_of(&pairs.collect::<Vec<f64>>())
        } else {
            welch_interval(value, of_a, of_b)
        };
        Some(SettingDifference { value, interval })
    }
}

fn differences(first: &SweepCell, others: &[SweepCell], kind: &ComparisonKind) -> HtmlTable {
    let mut table = HtmlTable::new(["setting", kind.what, "95 %", "says"]);
    for cell in others {
        let name = setting_name(&cell.setting);
        let Some(it) = kind.difference(cell, first) else {
            table.row([name.as_str(), "–", "–", "not measured"]);
            continue;
        };
        let says = match it.interval {
            None => "too few seeds",
            Some(_) if !it.is_significant() => "not told apart",
            Some(_) if (it.value < 0.0) == kind.smaller_is_better => "better",
            Some(_) => "worse",
        };
        let interval = or_dash(it.interval, |it| interval_text(it, signed));
        table.row([name, signed(it.value), interval, says.to_owned()]);
    }
    table
}

/// The difference of two settings.
struct SettingDifference {
    value: f64,
    interval: Option<[f64; 2]>,
}

impl SettingDifference {
    fn is_significant(&self) -> bool {
        self.interval.is_some_and(|[a, b]| a > 0.0 || b < 0.0)
    }

    fn words(&self) -> String {
        let interval = self.interval.map(|it| interval_text(it, signed));
        let interval = interval.map_or_else(String::new, |it| format!(" {it}"));
        format!("{}{interval}", signed(self.value))
    }
}

/// The interval of a difference of means by Welch; `None` for fewer than two values of one.
fn welch_interval(value: f64, a: &[f64], b: &[f64]) -> Option<[f64; 2]> {
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    let (error, freedom) = error_and_freedom(a, b);
    // Without variance there are no degrees of freedom.
    let freedom = if freedom.is_finite() { freedom } else { 1.0 };
    let wide = StudentsT::new(0.0, 1.0, freedom.max(1.0))
        .map_or(12.706, |student| student.inverse_cdf(0.975));
    let reach = wide * error;
    Some([value - reach, value + reach])
}

fn mean_of(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| mean_and_interval(values).0)
}

/// The 95 % interval of a mean; none for fewer than two values.
fn interval_of(values: &[f64]) -> Option<[f64; 2]> {
    mean_and_interval(values).1
}

/// A mean and its interval.
fn mean_words(values: &[f64]) -> String {
    let mean = or_dash(mean_of(values), number);
    match interval_of(values) {
        Some(interval) => format!("{mean} {}", interval_text(interval, number)),
        None => mean,
    }
}
