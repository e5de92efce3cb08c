//! The page about a training.

use std::collections::BTreeMap;
use std::path::Path;

use mendel_nets::recipe::{DataKind, Recipe};
use mendel_nets::record::{self, Evaluation, GridCell, Outcome};
use serde::Deserialize;

use super::read::{lines_of, text_of};
use crate::error::ReportError;
use crate::page::{HtmlPage, HtmlTable, PageBlock, Tone};
use crate::plot::{Axis, LineChart, Reference, Series, number};

/// The page of a finished training.
///
/// # Errors
///
/// If the training is not finished, or one of its files is broken.
pub fn training_page(folder: &Path) -> Result<HtmlPage, ReportError> {
    let broken = |name: &str, reason: String| ReportError::Broken {
        path: folder.join(name),
        reason,
    };
    let text = |name: &str| {
        let text = text_of(&folder.join(name))?;
        text.ok_or_else(|| broken(name, "it is missing".to_owned()))
    };
    let manifest: Manifest = toml::from_str(&text(record::MANIFEST)?)
        .map_err(|error| broken(record::MANIFEST, error.to_string()))?;
    let recipe = Recipe::parse(&text(record::RECIPE)?, record::RECIPE, &[])
        .map_err(|error| broken(record::RECIPE, error.to_string()))?;
    let outcome: Outcome = serde_json::from_str(&text(record::RESULT)?)
        .map_err(|error| broken(record::RESULT, error.to_string()))?;
    let evaluations: Vec<Evaluation> = lines_of(&folder.join(record::EVALUATIONS))?;
    Ok(page(&recipe, &outcome, &evaluations, &manifest.data))
}

/// The part of a training's manifest that its page shows.
#[derive(Deserialize)]
struct Manifest {
    data: String,
}

fn page(recipe: &Recipe, outcome: &Outcome, evaluations: &[Evaluation], data: &str) -> HtmlPage {
    let mut blocks = vec![verdict(recipe, outcome)];
    blocks.push(PageBlock::Facts(vec![
        ("learnt from".to_owned(), data.to_owned()),
        (
            "numbers".to_owned(),
            format!("{} ({})", outcome.numbers, outcome.file),
        ),
        (
            "steps".to_owned(),
            format!(
                "{}; {}; the network of step {} was kept",
                outcome.steps,
                outcome.end.as_str(),
                outcome.best_step
            ),
        ),
    ]));
    blocks.push(PageBlock::Heading("How it learnt".to_owned()));
    blocks.extend(curves(&[(String::new(), evaluations)], &outcome.paper));
    blocks.push(PageBlock::Heading("What it got right".to_owned()));
    blocks.push(PageBlock::Text(format!(
        "{} positions of games it never saw, asked once, at the end.",
        outcome.test_positions
    )));
    blocks.push(PageBlock::Table(figures(&outcome.test, &outcome.paper)));
    blocks.push(PageBlock::Details {
        summary: "The recipe".to_owned(),
        blocks: vec![PageBlock::Code(recipe.to_toml())],
    });
    HtmlPage {
        title: recipe.name.clone(),
        subtitle: recipe.about.clone(),
        blocks,
        foot: "Mendel".to_owned(),
    }
}

/// The page of a grid.
pub fn grid_page(recipe: &Recipe, cells: &[GridCell]) -> HtmlPage {
    let main = headline(recipe);
    let mut table = HtmlTable::new(["network", main, "loss", "steps"]);
    for GridCell { name, outcome, .. } in cells {
        match outcome {
            Some(it) => table.row([
                name.clone(),
                it.test
                    .get(main)
                    .map_or_else(String::new, |it| rounded(*it, 4)),
                rounded(it.test_loss, 4),
                it.steps.to_string(),
            ]),
            None => table.row([name.as_str(), "–", "–", "diverged"]),
        }
    }
    let runs: Vec<(String, &[Evaluation])> = cells
        .iter()
        .map(|cell| (cell.name.clone(), cell.evaluations.as_slice()))
        .collect();
    let mut blocks = vec![PageBlock::Table(table)];
    blocks.extend(curves(&runs, &BTreeMap::new()));
    blocks.push(PageBlock::Details {
        summary: "The recipe".to_owned(),
        blocks: vec![PageBlock::Code(recipe.to_toml())],
    });
    HtmlPage {
        title: recipe.name.clone(),
        subtitle: recipe.about.clone(),
        blocks,
        foot: "Mendel".to_owned(),
    }
}

/// The figure that says most.
fn headline(recipe: &Recipe) -> &'static str {
    use mendel_evaluator::vision::Head;
    match (recipe.data.kind, recipe.shape.head) {
        (DataKind::Scores, _) => "mse",
        (DataKind::Games, Head::FromTo) => "from",
        (DataKind::Games, _) => "first",
    }
}

fn verdict(recipe: &Recipe, outcome: &Outcome) -> PageBlock {
    let main = headline(recipe);
    let ours = outcome.test.get(main).copied();
    let paper = outcome.paper.get(main).copied();
    let is_good = |ours: f64, paper: f64| match recipe.data.kind {
        DataKind::Scores => ours <= paper,
        DataKind::Games => ours >= paper,
    };
    let tone = match (ours, paper) {
        (Some(ours), Some(paper)) if is_good(ours, paper) => Tone::Good,
        (Some(_), Some(_)) => Tone::Bad,
        _ => Tone::Plain,
    };
    let ours = ours.map_or_else(|| "–".to_owned(), number);
    PageBlock::Verdict {
        tone,
        large: format!("{main} {ours}"),
        small: match paper {
            Some(paper) => format!("the paper has {}", number(paper)),
            None => format!("on {} positions it never saw", outcome.test_positions),
        },
    }
}

/// All figures, those of the paper beside them.
fn figures(ours: &BTreeMap<String, f64>, paper: &BTreeMap<String, f64>) -> HtmlTable {
    let mut table = HtmlTable::new(["figure", "ours", "paper"]);
    for (name, value) in ours {
        let paper = paper
            .get(name)
            .map_or_else(String::new, |it| rounded(*it, 3));
        table.row([name.clone(), rounded(*value, 4), paper]);
    }
    table
}

/// Losses and the figures that matter, over positions.
fn curves(runs: &[(String, &[Evaluation])], paper: &BTreeMap<String, f64>) -> Vec<PageBlock> {
    let alone = runs.len() == 1;
    let points = |evaluations: &[Evaluation], value: &dyn Fn(&Evaluation) -> Option<f64>| {
        let all = evaluations.iter();
        let all = all.filter_map(|it| value(it).map(|value| (it.positions as f64, value)));
        all.collect::<Vec<_>>()
    };
    let mut blocks = Vec::new();
    let mut chart = |title: &str, unit: &str, series: Vec<Series>, level: Option<f64>| {
        if series.iter().all(|it| it.points.is_empty()) {
            return;
        }
        let chart = LineChart {
            title: title.to_owned(),
            x: Axis::whole("positions learnt from"),
            y: Axis::new(unit),
            series,
            references: level
                .map(|value| Reference {
                    name: "paper".to_owned(),
                    pen: 2,
                    value,
                })
                .into_iter()
                .collect(),
            ..LineChart::default()
        };
        blocks.push(PageBlock::Figure {
            drawing: chart.draw(),
            caption: format!("{title}, whenever the validation part was asked."),
        });
    };
    let mut losses = Vec::new();
    for (index, (name, evaluations)) in runs.iter().enumerate() {
        let pen = (index % 6) as u8;
        let named = |what: &str| if alone { what.to_owned() } else { name.clone() };
        let learnt = points(evaluations, &|it| Some(it.loss));
        losses.push(Series::line(named("learning"), pen, learnt));
        if alone {
            let seen = points(evaluations, &|it| Some(it.validation_loss));
            losses.push(Series::line("validation", 1, seen));
        }
    }
    chart("Loss", "loss", losses, None);
    for (name, title) in [
        ("from", "From squares right"),
        ("overall", "To squares right where the from square is"),
        ("first", "Moves right"),
        ("mse", "Mean square error"),
    ] {
        let series = runs.iter().enumerate().map(|(index, (run, evaluations))| {
            let found = points(evaluations, &|it| it.figures.get(name).copied());
            let label = if alone { "validation" } else { run.as_str() };
            Series::line(label, (index % 6) as u8, found)
        });
        chart(title, name, series.collect(), paper.get(name).copied());
    }
    blocks
}

fn rounded(value: f64, digits: usize) -> String {
    format!("{value:.digits$}")
}
