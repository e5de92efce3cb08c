//! A tuning: its result, the proof and the course.

use std::path::{Path, PathBuf};

use mendel_arena::statistics::{EloEstimate, Outcomes};
use mendel_evolve::tuners::Interval;
use mendel_lab::record::{
    Infeasible, Landscape, Param, ParamKind, ROUNDS, TunePlan, TuneResult, TunedRound, UNCLEAR,
    Validation, tune_progress,
};
use mendel_store::frame::Manifest;
use serde::Serialize;

use super::read::{broken, lines_of};
use super::{counted, elo, elo_interval, or_dash};
use crate::error::ReportError;
use crate::page::{HtmlPage, HtmlTable, PageBlock, Tone};
use crate::plot::{Axis, HeatMap, HeatMark, HeatRow, LineChart, Reference, Series, extent, number};

/// A tuning, read from its folder.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TuningRecord {
    pub folder: PathBuf,
    pub command: String,
    pub plan: TunePlan,
    /// The proposals after each round so far.
    pub paths: Vec<Proposed>,
    pub result: Option<TuneResult>,
    /// The validations so far.
    pub curve: Vec<Validation>,
    /// Values at which the engine failed so far.
    pub infeasible: Vec<Infeasible>,
}

/// A proposal of the tuner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Proposed {
    /// Games of the tuner before the proposal.
    pub games: u64,
    /// One value for each parameter.
    pub values: Vec<i64>,
}

/// Maximum number of paths in one plot.
const MAX_PATHS: usize = 6;

impl TuningRecord {
    /// Reads the folder of a tuning.
    ///
    /// # Errors
    ///
    /// If a file is missing or broken.
    pub fn read(folder: &Path) -> Result<Self, ReportError> {
        let plan = TunePlan::read(folder);
        let plan = plan.map_err(broken(&folder.join(TunePlan::FILE)))?;
        let rounds: Vec<TunedRound> = lines_of(&folder.join(ROUNDS))?;
        let proposed = |it: TunedRound| Proposed {
            games: it.games,
            values: it.proposal,
        };
        let manifest = Manifest::find(folder);
        let manifest = manifest.map_err(broken(&folder.join(Manifest::FILE)))?;
        let result = TuneResult::read(folder);
        let result = result.map_err(broken(&folder.join(TuneResult::FILE)))?;
        let (curve, infeasible) = match &result {
            Some(result) => (result.curve.clone(), result.infeasible.clone()),
            None => tune_progress(folder, &plan),
        };
        Ok(Self {
            folder: folder.to_owned(),
            command: manifest.map_or_else(String::new, |it| it.command),
            paths: rounds.into_iter().map(proposed).collect(),
            result,
            curve,
            infeasible,
            plan,
        })
    }

    /// The name of the engine.
    pub fn engine(&self) -> String {
        let entrant = self.plan.entrant();
        entrant.map_or_else(|_| self.plan.engine.clone(), |it| it.name)
    }

    pub fn page(&self) -> HtmlPage {
        let plan = &self.plan;
        let parameters = counted(plan.params.len() as u64, "parameter");
        let games = counted(plan.games, "game");
        let mut page = HtmlPage::new(
            format!("Tuning of {}", self.engine()),
            format!("{parameters}, {games}, seed {}", plan.seed),
            format!("Mendel {}", plan.version),
        );
        page.blocks = vec![self.verdict(), PageBlock::Warnings(self.warnings())];
        if let Some(result) = &self.result {
            page.section("What was found", found(result));
        }
        page.section("Strength on the way", self.curve());
        page.section("Paths of the parameters", self.paths());
        if let Some(result) = self.result.as_ref().filter(|it| !it.landscapes.is_empty()) {
            let landscapes = result.landscapes.iter();
            let figures = landscapes.filter_map(|it| self.landscape(result, it));
            // The heading stands also above landscapes of unknown parameters.
            page.blocks
                .push(PageBlock::Heading("Landscapes".to_owned()));
            page.blocks.extend(figures);
        }
        let aside = plan.aside.iter();
        let aside = aside.map(|it| format!("{}: {}", it.name, it.reason));
        let is_tuned = plan.aside.is_empty();
        let list = PageBlock::List(aside.collect());
        page.section("Not tuned", (!is_tuned).then_some(list));
        let failed = self.infeasible.iter();
        let failed = failed.map(|it| format!("{}: {}", it.options, it.reason));
        let list = PageBlock::List(failed.collect());
        let has_failed = !self.infeasible.is_empty();
        page.section("Where the engine fails", has_failed.then_some(list));
        page.section("How it was done", [self.facts()]);
        page
    }

    fn verdict(&self) -> PageBlock {
        let Some(result) = &self.result else {
            let done = self.paths.last().map_or(0, |it| it.games);
            let small = format!("{} of the tuner so far", counted(done, "game"));
            return PageBlock::verdict(Tone::Plain, "not finished", small);
        };
        let proved = result.verdict.starts_with("proved");
        let (large, rest) = result
            .verdict
            .split_once(':')
            .unwrap_or((result.verdict.as_str(), ""));
        let mut small = vec![rest.trim().to_owned()];
        if let Some(proof) = &result.proof {
            small.push(format!(
                "against the start, {}: won {}, drawn {}, lost {}",
                proof.conditions, proof.wins, proof.draws, proof.losses
            ));
        }
        if result.keeps_start {
            small.push("the start values are kept".to_owned());
        }
        let run: String = result.id.chars().take(8).collect();
        small.extend(result.more(&run));
        small.retain(|it| !it.is_empty());
        let tone = if proved { Tone::Good } else { Tone::Bad };
        PageBlock::verdict(tone, large, small.join("; "))
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if !self.plan.pace.is_repeatable() {
            let text = "The games were played by the clock: another try gives other games.";
            warnings.push(text.to_owned());
        }
        let Some(result) = &self.result else {
            return warnings;
        };
        if result.spared_games > 0 {
            warnings.push(format!(
                "{} would have been the same as earlier ones and were not played.",
                counted(result.spared_games, "game")
            ));
        }
        if result.too_few_games() {
            let unclear = result.params.iter().filter(|it| !it.visible).count();
            warnings.push(format!(
                "Too few games for so many parameters: {unclear} of {} are {UNCLEAR}, and what is left is as much as \
                 what was found.",
                result.params.len()
            ));
        }
        let bound = result
            .params
            .iter()
            .filter(|it| it.at_bound && !it.at_limit);
        let bound: Vec<&str> = bound.map(|it| it.name.as_str()).collect();
        if !bound.is_empty() {
            warnings.push(format!(
                "At a bound, beyond which better values may lie: {}.",
                bound.join(", ")
            ));
        }
        if let Some(last) = result.left_out.last() {
            warnings.push(format!(
                "The start itself failed in {}, which are left out; last {} in game {} from {}.",
                counted(result.left_out.len() as u64, "pair"),
                last.reason,
                last.game,
                last.opening
            ));
        }
        if !result.infeasible.is_empty() {
            warnings.push(format!(
                "The engine failed with {}; they are listed below and were not scored.",
                counted(result.infeasible.len() as u64, "setting")
            ));
        }
        warnings
    }

    /// The proposals during the tuning against the start.
    fn curve(&self) -> Vec<PageBlock> {
        if self.curve.is_empty() {
            return Vec::new();
        }
        let most = self.result.as_ref().and_then(|it| it.most_games);
        let curve = merged(&self.curve, most);
        let place = |it: &Validation| it.games as f64;
        let points = curve.iter().filter_map(|it| Some((place(it), it.elo?)));
        let beyond = curve
            .iter()
            .filter_map(|it| Some((place(it), it.one_sided()?)));
        let is_empty = curve.iter().all(|it| it.elo.is_none());
        let band = curve.iter().filter_map(|it| {
            let [low, high] = it.interval;
            Some((place(it), low?, high?))
        });
        let chart = LineChart {
            title: "Elo of the proposal above the start".to_owned(),
            x: Axis::whole("games of the tuner"),
            y: Axis {
                range: is_empty.then_some((-200.0, 200.0)),
                ..Axis::new("Elo")
            },
            beyond: beyond.collect(),
            series: vec![Series {
                band: band.collect(),
                ..Series::line("proposal", 0, points.collect())
            }],
            references: vec![Reference::new("start", 2, 0.0)],
            ..LineChart::default()
        };
        let caption = "Matches of what the tuner would have proposed then against the start, on openings that \
                       nothing is tuned with. The band is the 95 % interval of each match; an arrow is a match in which \
                       one side took all points.";
        let mut table = HtmlTable::new(["games of the tuner", "games", "Elo", "95 %"]);
        let start: Vec<i64> = self.plan.params.iter().map(|it| it.start).collect();
        for it in &curve {
            let [value, interval] = if it.proposal == start {
                ["the start itself".to_owned(), String::new()]
            } else {
                let open = match it.one_sided() {
                    Some(true) => "+∞",
                    Some(false) => "−∞",
                    None => "–",
                };
                let value = it.elo.map_or_else(|| open.to_owned(), elo);
                [value, elo_interval(it.interval)]
            };
            let games = [place(it), it.played() as f64].map(number);
            table.row(games.into_iter().chain([value, interval]));
        }
        let figure = PageBlock::figure(chart.draw(), caption);
        vec![figure, PageBlock::Table(table)]
    }

    /// The course of each parameter.
    fn paths(&self) -> Vec<PageBlock> {
        if self.paths.is_empty() {
            return Vec::new();
        }
        let all: Vec<usize> = (0..self.plan.params.len()).collect();
        let groups = all.chunks(MAX_PATHS);
        let count = groups.len();
        let figures = groups.enumerate().map(|(number, group)| {
            let series = group.iter().enumerate().map(|(pen, &at)| {
                let param = &self.plan.params[at];
                let share = |value: i64| (value - param.low) as f64 / param.width() * 100.0;
                let points = self.paths.iter().filter_map(|round| {
                    let value = round.values.get(at)?;
                    Some((round.games as f64, share(*value)))
                });
                let start = std::iter::once((0.0, share(param.start)));
                Series::line(&param.name, pen as u8, start.chain(points).collect())
            });
            let part = if count > 1 {
                format!(" ({} of {count})", number + 1)
            } else {
                String::new()
            };
            let chart = LineChart {
                title: format!("What was proposed after each round{part}"),
                x: Axis::whole("games of the tuner"),
                y: Axis::new("% of the way between the bounds").between(0.0, 100.0),
                series: series.collect(),
                ..LineChart::default()
            };
            let caption = "Lines that still swing at the end say that more games are needed, or that the parameter hardly matters.";
            PageBlock::figure(chart.draw(), caption)
        });
        figures.collect()
    }

    fn facts(&self) -> PageBlock {
        let plan = &self.plan;
        let openings = plan.openings.as_ref().map(|it| it.display().to_string());
        let openings = openings.unwrap_or_else(|| "the program's own book".to_owned());
        let games = format!(
            "{} of the tuner, {} × {} validating, at most {} of the proof",
            number(2.0 * plan.tuner_pairs() as f64),
            plan.validations,
            plan.validation_games,
            plan.proof_games
        );
        let mut facts = vec![
            ("engine", plan.engine.clone()),
            ("tuner", plan.tuner.name().to_owned()),
            ("pace", plan.pace.to_string()),
            ("games", games),
            ("openings", openings),
            ("seed", plan.seed.to_string()),
            ("id", plan.id()),
        ];
        if !self.command.is_empty() {
            facts.push(("command", self.command.clone()));
        }
        PageBlock::facts(facts)
    }

    /// The fitted surface over two parameters.
    fn landscape(&self, result: &TuneResult, it: &Landscape) -> Option<PageBlock> {
        let find = |name: &str| {
            let param = self.plan.params.iter().find(|it| it.name == name)?;
            let found = result.params.iter().find(|it| it.name == name)?;
            Some((param, found.number))
        };
        let ((first, x), (second, y)) = (find(&it.first)?, find(&it.second)?);
        let all = it.elo.iter().flatten().copied();
        let (low, high) = extent(all).unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
        // The largest value of the second parameter is at the top.
        let rows = it.y.iter().zip(&it.elo).rev().map(|(y, values)| HeatRow {
            name: named(second, *y),
            values: values.clone(),
            range: Some((low, high)),
            words: String::new(),
        });
        // Values are rounded, so that the distance of two neighbours is not exact.
        let wide = it.x.last().zip(it.x.first());
        let steps = it.x.len().saturating_sub(1).max(1) as f64;
        let map = HeatMap {
            title: format!("{} (right) and {} (up)", it.first, it.second),
            x: Axis::new(axis_words(first)),
            first: it.x.first().copied().unwrap_or(0.0),
            apart: wide.map_or(1.0, |(last, first)| (last - first) / steps),
            rows: rows.collect(),
            key: (elo(low), format!("{} Elo", elo(high))),
            head: String::new(),
            marks: vec![
                mark(it, first.start, second.start, false),
                mark(it, x, y, true),
            ],
        };
        let caption = format!(
            "Elo against what was found (×), by the fitted surface, all parameters but {} and {} as found; the ring \
             is the start.",
            it.first, it.second
        );
        Some(PageBlock::figure(map.draw(), caption))
    }
}

/// The parameters, those with a measurable effect first.
fn found(result: &TuneResult) -> Vec<PageBlock> {
    let of = |it: &Interval| {
        let interval = elo_interval([Some(it.low), Some(it.high)]);
        format!("{} {interval}", elo(it.value))
    };
    let mut blocks = vec![PageBlock::text(format!(
        "By a surface fitted to all duels: what each value is worth against the start’s, the others as found, and how much its \
         bounds would lose. Better values would bring at most {} Elo more. What all are worth together, the games above tell.",
        elo(result.left.high)
    ))];
    for (visible, head) in [(true, "option"), (false, UNCLEAR)] {
        let chosen = || result.params.iter().filter(|it| it.visible == visible);
        if chosen().next().is_none() {
            continue;
        }
        let mut table = HtmlTable::new([head, "start", "found", "95 %", "worth", "matters"]);
        for it in chosen() {
            let mark = if it.at_limit {
                " (the engine’s limit)"
            } else if it.at_bound {
                " (bound)"
            } else {
                ""
            };
            let worth = or_dash((!it.is_start()).then_some(&it.gain), of);
            table.row([
                it.name.clone(),
                it.start.clone(),
                format!("{}{mark}", it.value),
                it.interval_words(),
                worth,
                it.matters_words(),
            ]);
        }
        blocks.push(PageBlock::Table(table));
    }
    blocks.push(PageBlock::text(
        "Intervals are of 95 %. “Worth” is the Elo of the value against that of the start with all others as found, \
         “matters” what the worst value between the bounds would lose.",
    ));
    blocks.push(PageBlock::Code(result.engine_tuned.clone()));
    blocks
}

/// Merges validations of one proposal after the same games into one match. `most` is the number of
/// different games, where games repeat: a second match with the openings of the first adds
/// nothing.
fn merged(curve: &[Validation], most: Option<u64>) -> Vec<Validation> {
    let mut merged: Vec<Validation> = Vec::new();
    for it in curve {
        match merged.last_mut() {
            Some(last) if last.games == it.games && last.proposal == it.proposal => {
                let all = last.played() + it.played();
                if it.played() == 0 || most.is_some_and(|most| all > most) {
                    continue;
                }
                for (sum, more) in last.pairs.iter_mut().zip(it.pairs) {
                    *sum += more;
                }
                let elo = EloEstimate::of(&Outcomes::Pairs(last.pairs));
                (last.elo, last.interval) = (elo.elo, [elo.low, elo.high]);
            }
            _ => merged.push(it.clone()),
        }
    }
    merged
}

/// The value of a parameter as text.
fn named(param: &Param, value: f64) -> String {
    match param.kind {
        ParamKind::Spin => number(value),
        ParamKind::Check | ParamKind::Combo => param.text(value as i64),
    }
}

/// The label of an axis; it names the numbers of a choice.
fn axis_words(param: &Param) -> String {
    if param.kind == ParamKind::Spin {
        return param.name.clone();
    }
    let words = (param.low..=param.high).map(|it| format!("{it} = {}", param.text(it)));
    format!("{}: {}", param.name, words.collect::<Vec<_>>().join(", "))
}

/// A mark in a landscape, whose rows are counted from the largest value down.
fn mark(it: &Landscape, x: i64, y: i64, cross: bool) -> HeatMark {
    let (low, high) = (it.y.first().copied(), it.y.last().copied());
    let (low, high) = (low.unwrap_or(0.0), high.unwrap_or(0.0));
    let share = (high - y as f64) / (high - low).max(f64::MIN_POSITIVE);
    HeatMark {
        x: x as f64,
        row: share * (it.y.len().saturating_sub(1)) as f64,
        cross,
    }
}
