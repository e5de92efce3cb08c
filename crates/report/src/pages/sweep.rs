//! A sweep: the same recipe with other numbers, several seeds each.

use std::path::{Path, PathBuf};

use mendel_arena::statistics::mean_and_interval;
use mendel_lab::record::manifest::ManifestError;
use mendel_lab::record::{self, SweepCell, SweepOutcome};
use mendel_store::frame::{Folder, Manifest};
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};
use toml::{Table, Value};

use super::read::text_of;
use super::{counted, interval_text, signed};
use crate::error::ReportError;
use crate::page::{HtmlPage, HtmlTable, PageBlock, Tone};
use crate::plot::{Axis, IntervalPlot, IntervalRow, number};

/// A sweep, as its folder tells it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweepRecord {
    /// Where it lies.
    pub folder: PathBuf,
    /// The recipe's name.
    pub recipe: String,
    /// What was asked for, as text.
    pub plan: String,
    /// What came out.
    pub results: SweepOutcome,
}

/// The setting of a sweep in words. The last part of a key says enough.
pub fn setting_name(setting: &Table) -> String {
    let one = |(key, value): (&String, &Value)| {
        let key = key.rsplit('.').next().unwrap_or(key);
        match value {
            Value::String(text) => format!("{key} {text}"),
            // Of a whole table its kind says enough, if it has one.
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

/// What is said where figures on positions cannot be compared.
const NOT_COMPARED: &str = "The settings differ in what an error is measured against, so their figures on positions do not compare; \
     only games could tell which is better.";

/// Which figures of a setting.
type MetricSelector = fn(&SweepCell) -> &Vec<f64>;

/// One way to compare settings.
struct ComparisonKind {
    what: &'static str,
    short: &'static str,
    values: MetricSelector,
    unit: String,
    smaller_is_better: bool,
    /// Whether the figures of different settings can be compared.
    compares: bool,
}

/// Keys of a trial that change what an error means: errors to other labels, or
/// counted otherwise, do not compare.
const MEASURES: [&str; 6] = ["data", "distance", "target", "clip", "k", "kind"];

/// Whether a key of the grid, such as `trial.data` or `stage.1.trial.k`, changes
/// what is measured.
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
    /// Reads a sweep's folder.
    ///
    /// # Errors
    ///
    /// If there are no results yet, or a file is broken.
    pub fn read(folder: &Path) -> Result<Self, ReportError> {
        let manifest = Manifest::read(folder).map_err(ManifestError::from)?;
        let plan = text_of(&folder.join(record::RECIPE))?.unwrap_or_default();
        let files = Folder::at(folder);
        let results = files.read_result().map_err(|error| ReportError::Broken {
            path: files.file(Folder::RESULT),
            reason: error.to_string(),
        })?;
        let Some(results) = results else {
            return Err(ReportError::Unfinished {
                folder: folder.to_owned(),
            });
        };
        Ok(Self {
            folder: folder.to_owned(),
            recipe: manifest.name,
            plan,
            results,
        })
    }

    /// The page that shows the sweep to a person.
    pub fn page(&self) -> HtmlPage {
        let cells = &self.results.cells;
        let kinds = self.kinds();
        let compared = || kinds.iter().filter(|kind| kind.compares);
        let mut blocks = vec![self.verdict(compared().next())];
        blocks.push(PageBlock::Heading("Comparison".to_owned()));
        if kinds.iter().any(|kind| !kind.compares) {
            blocks.push(PageBlock::Text(NOT_COMPARED.to_owned()));
        }
        blocks.extend(kinds.iter().map(|kind| self.figure(kind)));
        blocks.push(PageBlock::Table(self.table(&kinds)));
        if let Some(parent) = &self.results.parent {
            blocks.push(PageBlock::Text(format!(
                "The parent takes {} thousand nodes a position of the suite and solves {} %.",
                number(parent.nodes),
                number(parent.solved)
            )));
        }
        if let [first, others @ ..] = &cells[..]
            && !others.is_empty()
            && compared().next().is_some()
        {
            let heading = format!("Difference to {}", setting_name(&first.setting));
            blocks.push(PageBlock::Heading(heading));
            blocks.push(PageBlock::Text(
                "Settings with the same seeds are compared seed by seed. An interval that holds 0 tells no difference."
                    .to_owned(),
            ));
            for kind in compared() {
                blocks.push(PageBlock::Table(differences(first, others, kind)));
            }
        }
        if !self.plan.is_empty() {
            blocks.push(PageBlock::Heading("What was asked".to_owned()));
            blocks.push(PageBlock::Code(self.plan.clone()));
        }
        let runs = cells.iter().map(|cell| cell.seeds.len() as u64).sum();
        HtmlPage {
            title: format!("Sweep of {}", self.recipe),
            subtitle: format!(
                "{}, {}",
                counted(cells.len() as u64, "setting"),
                counted(runs, "run")
            ),
            blocks,
            foot:
                "Made by `mendel report` from the sweep’s own records; the page needs nothing else."
                    .to_owned(),
        }
    }

    /// What was measured; first what counts: strength in games, where there were
    /// any, then positions never seen.
    fn kinds(&self) -> Vec<ComparisonKind> {
        let kind = |what, short, values| ComparisonKind {
            what,
            short,
            values,
            unit: self.results.unit.clone(),
            smaller_is_better: self.results.smaller_is_better,
            compares: self.measures_alike(),
        };
        let kinds = [
            ComparisonKind {
                unit: "Elo over the parent".to_owned(),
                smaller_is_better: false,
                compares: true,
                ..kind("in games against the parent", "in games", |cell| &cell.elos)
            },
            ComparisonKind {
                unit: "thousand nodes a position".to_owned(),
                smaller_is_better: true,
                compares: true,
                ..kind("on the suite held out from all", "suite nodes", |cell| {
                    &cell.suite_nodes
                })
            },
            ComparisonKind {
                unit: "% solved".to_owned(),
                smaller_is_better: false,
                compares: true,
                ..kind("solved of the suite held out", "suite solved", |cell| {
                    &cell.suite_solved
                })
            },
            kind("on positions never seen", "never seen", |cell| {
                &cell.holdouts
            }),
            kind("on positions bred with", "bred with", |cell| &cell.finals),
        ];
        let measured = |kind: &ComparisonKind| {
            let cells = &self.results.cells;
            cells.iter().any(|cell| !(kind.values)(cell).is_empty())
        };
        kinds.into_iter().filter(measured).collect()
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
        cells
            .next()
            .is_none_or(|first| cells.all(|cell| cell == first))
    }

    /// The best setting, and whether it is told apart from the next.
    fn verdict(&self, kind: Option<&ComparisonKind>) -> PageBlock {
        let Some(kind) = kind else {
            let small = if self.measures_alike() {
                ""
            } else {
                NOT_COMPARED
            };
            return PageBlock::Verdict {
                tone: Tone::Plain,
                large: "nothing to compare".to_owned(),
                small: small.to_owned(),
            };
        };
        let mean = |cell: &SweepCell| mean_of((kind.values)(cell));
        let cells = self.results.cells.iter();
        let mut order: Vec<&SweepCell> = cells.filter(|cell| mean(cell).is_some()).collect();
        order.sort_by(|a, b| {
            let (a, b) = (mean(a).unwrap_or(0.0), mean(b).unwrap_or(0.0));
            let order = a.total_cmp(&b);
            if kind.smaller_is_better {
                order
            } else {
                order.reverse()
            }
        });
        let (tone, large, small) = match &order[..] {
            [] => (Tone::Plain, "nothing to compare".to_owned(), String::new()),
            [only] => (Tone::Plain, setting_name(&only.setting), words(only, kind)),
            [best, next, ..] => {
                let difference = difference(best, next, kind.values);
                let told = difference
                    .as_ref()
                    .and_then(|difference| difference.interval)
                    .is_some_and(|[a, b]| a > 0.0 || b < 0.0);
                let apart = difference.map_or_else(|| "unknown".to_owned(), |d| d.words());
                let words = format!(
                    "{}; next {} with {}; difference {apart}",
                    words(best, kind),
                    setting_name(&next.setting),
                    words(next, kind),
                );
                if told {
                    (
                        Tone::Good,
                        format!("best: {}", setting_name(&best.setting)),
                        words,
                    )
                } else {
                    (
                        Tone::Plain,
                        "no clear winner".to_owned(),
                        format!("{}: {words}", setting_name(&best.setting)),
                    )
                }
            }
        };
        PageBlock::Verdict { tone, large, small }
    }

    fn figure(&self, kind: &ComparisonKind) -> PageBlock {
        let values = kind.values;
        let is_best = |value: f64| {
            let means = self
                .results
                .cells
                .iter()
                .filter_map(|cell| mean_of(values(cell)));
            let best = means.reduce(if kind.smaller_is_better {
                f64::min
            } else {
                f64::max
            });
            kind.compares && best.is_some_and(|best| best.total_cmp(&value).is_eq())
        };
        let rows = self.results.cells.iter().filter_map(|cell| {
            let values = values(cell);
            let mean = mean_of(values)?;
            let interval = interval_of(values);
            let words = interval.map_or_else(
                || number(mean),
                |interval| format!("{} {}", number(mean), interval_text(interval, number)),
            );
            Some(IntervalRow {
                name: setting_name(&cell.setting),
                value: mean,
                interval: interval.map(|[low, high]| (low, high)),
                marks: values.clone(),
                words,
                chosen: is_best(mean),
            })
        });
        let way = if kind.smaller_is_better {
            "smaller is better"
        } else {
            "larger is better"
        };
        let chart = IntervalPlot {
            title: format!("By setting, {}", kind.what),
            x: Axis::new(format!("{} ({way})", kind.unit)),
            rows: rows.collect(),
            reference: None,
        };
        PageBlock::Figure {
            drawing: chart.draw(),
            caption: "A dot is the mean over seeds, the bar its 95 % interval, each small stroke below it one seed."
                .to_owned(),
        }
    }

    fn table(&self, kinds: &[ComparisonKind]) -> HtmlTable {
        let mut head = vec!["setting".to_owned(), "seeds".to_owned()];
        for kind in kinds {
            head.extend([kind.short.to_owned(), "95 %".to_owned()]);
        }
        let mut table = HtmlTable::new(head);
        for cell in &self.results.cells {
            let mut row = vec![setting_name(&cell.setting), cell.seeds.len().to_string()];
            for kind in kinds {
                let values = (kind.values)(cell);
                let dash = || "–".to_owned();
                row.push(mean_of(values).map_or_else(dash, number));
                let interval = interval_of(values);
                row.push(interval.map_or_else(dash, |it| interval_text(it, number)));
            }
            table.row(row);
        }
        table
    }
}

fn words(cell: &SweepCell, kind: &ComparisonKind) -> String {
    let unit = match kind.unit.as_str() {
        "" => String::new(),
        unit => format!(" {unit}"),
    };
    let values = (kind.values)(cell);
    let interval = interval_of(values).map_or_else(String::new, |interval| {
        format!(" {}", interval_text(interval, number))
    });
    let mean = mean_of(values).map_or_else(|| "–".to_owned(), number);
    format!("{mean}{interval}{unit}")
}

fn differences(first: &SweepCell, others: &[SweepCell], kind: &ComparisonKind) -> HtmlTable {
    let mut table = HtmlTable::new(["setting", kind.what, "95 %", "says"]);
    for cell in others {
        let Some(difference) = difference(cell, first, kind.values) else {
            let row = ["–", "–", "not measured"].map(str::to_owned);
            table.row(std::iter::once(setting_name(&cell.setting)).chain(row));
            continue;
        };
        let says = match difference.interval {
            Some([a, b]) if a > 0.0 || b < 0.0 => {
                if (difference.value < 0.0) == kind.smaller_is_better {
                    "better"
                } else {
                    "worse"
                }
            }
            Some(_) => "not told apart",
            None => "too few seeds",
        };
        let interval = difference
            .interval
            .map_or_else(|| "–".to_owned(), |i| interval_text(i, signed));
        let value = signed(difference.value);
        table.row([
            setting_name(&cell.setting),
            value,
            interval,
            says.to_owned(),
        ]);
    }
    table
}

/// How far one setting is from another.
struct SettingDifference {
    value: f64,
    interval: Option<[f64; 2]>,
}

impl SettingDifference {
    fn words(&self) -> String {
        let interval = self.interval.map_or_else(String::new, |interval| {
            format!(" {}", interval_text(interval, signed))
        });
        format!("{}{interval}", signed(self.value))
    }
}

/// `a` − `b`: seed by seed where the seeds are the same, otherwise after Welch;
/// `None` if one of them was not measured.
fn difference(a: &SweepCell, b: &SweepCell, values: MetricSelector) -> Option<SettingDifference> {
    let (of_a, of_b) = (values(a), values(b));
    let value = mean_of(of_a)? - mean_of(of_b)?;
    let is_paired = a.seeds == b.seeds && a.seeds.len() == of_a.len() && of_a.len() == of_b.len();
    if is_paired {
        let pairs = of_a.iter().zip(of_b).map(|(a, b)| a - b);
        let interval = interval_of(&pairs.collect::<Vec<f64>>());
        return Some(SettingDifference { value, interval });
    }
    let interval = (of_a.len() > 1 && of_b.len() > 1).then(|| {
        let (va, vb) = (squared_error(of_a), squared_error(of_b));
        let error = va + vb;
        let share = |v: f64, n: usize| v * v / (n as f64 - 1.0);
        let below = share(va, of_a.len()) + share(vb, of_b.len());
        let freedom = if below > 0.0 {
            error * error / below
        } else {
            1.0
        };
        around(value, error.sqrt(), freedom)
    });
    Some(SettingDifference { value, interval })
}

fn mean_of(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| mean_and_interval(values).0)
}

/// The squared standard error of a mean of at least two values.
fn squared_error(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    squares / (count - 1.0) / count
}

/// The 95 % interval of a mean; none for fewer than two values.
fn interval_of(values: &[f64]) -> Option<[f64; 2]> {
    mean_and_interval(values).1
}

fn around(value: f64, error: f64, freedom: f64) -> [f64; 2] {
    let wide = StudentsT::new(0.0, 1.0, freedom.max(1.0))
        .map_or(12.706, |student| student.inverse_cdf(0.975));
    [value - wide * error, value + wide * error]
}
