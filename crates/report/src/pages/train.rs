//! Trainings of networks, and grids of them.

use std::collections::BTreeMap;
use std::path::Path;

use mendel_nets::recipe::{DataKind, Recipe};
use mendel_nets::record::{self, Evaluation, GridCell, Outcome};
use serde::Deserialize;

use super::or_dash;
use super::read::{broken, lines_of, text_of};
use crate::error::ReportError;
use crate::page::{HtmlPage, HtmlTable, PageBlock, Tone};
use crate::plot::{Axis, LineChart, Reference, Series, number};

/// The page of a finished training.
///
/// # Errors
///
/// If the training is not finished, or one of its files is broken.
pub fn training_page(folder: &Path) -> Result<HtmlPage, ReportError> {
    let file = |name: &str| {
        let path = folder.join(name);
        let text = text_of(&path)?.ok_or_else(|| broken(&path)("it is missing"))?;
        Ok::<_, ReportError>((path, text))
    };
    let (path, text) = file(record::MANIFEST)?;
    let manifest: Manifest = toml::from_str(&text).map_err(broken(&path))?;
    let (path, text) = file(record::RECIPE)?;
    let recipe = Recipe::parse(&text, record::RECIPE, &[]);
    let recipe = recipe.map_err(broken(&path))?;
    let (path, text) = file(record::RESULT)?;
    let outcome: Outcome = serde_json::from_str(&text).map_err(broken(&path))?;
    let evaluations: Vec<Evaluation> = lines_of(&folder.join(record::EVALUATIONS))?;
    Ok(page(&recipe, &outcome, &evaluations, &manifest.data))
}

/// The part of a training's manifest that its page shows.
#[derive(Deserialize)]
struct Manifest {
    data: String,
}

fn page(recipe: &Recipe, outcome: &Outcome, evaluations: &[Evaluation], data: &str) -> HtmlPage {
    let mut page = HtmlPage::new(&recipe.name, &recipe.about, "Mendel");
    let steps = format!(
        "{}; {}; the network of step {} was kept",
        outcome.steps,
        outcome.end.as_str(),
        outcome.best_step
    );
    let numbers = format!("{} ({})", outcome.numbers, outcome.file);
    let facts = [
        ("learnt from", data.to_owned()),
        ("numbers", numbers),
        ("steps", steps),
    ];
    page.blocks = vec![verdict(recipe, outcome), PageBlock::facts(facts)];
    let curves = curves(&[(String::new(), evaluations)], &outcome.paper);
    // The heading stands also above no curves.
    page.blocks
        .push(PageBlock::Heading("How it learnt".to_owned()));
    page.blocks.extend(curves);
    let tested = format!(
        "{} positions of games it never saw, asked once, at the end.",
        outcome.test_positions
    );
    let figures = PageBlock::Table(figures(&outcome.test, &outcome.paper));
    let blocks = [PageBlock::Text(tested), figures, recipe_block(recipe)];
    page.section("What it got right", blocks);
    page
}

fn recipe_block(recipe: &Recipe) -> PageBlock {
    PageBlock::details("The recipe", PageBlock::Code(recipe.to_toml()))
}

/// The page of a grid.
pub fn grid_page(recipe: &Recipe, cells: &[GridCell]) -> HtmlPage {
    let main = headline(recipe);
    let mut table = HtmlTable::new(["network", main, "loss", "steps"]);
    for GridCell { name, outcome, .. } in cells {
        let Some(it) = outcome else {
            table.row([name.as_str(), "–", "–", "diverged"]);
            continue;
        };
        let figure = it.test.get(main).map(|it| format!("{it:.4}"));
        let (figure, loss) = (figure.unwrap_or_default(), format!("{:.4}", it.test_loss));
        table.row([name.clone(), figure, loss, it.steps.to_string()]);
    }
    let runs: Vec<(String, &[Evaluation])> = cells
        .iter()
        .map(|cell| (cell.name.clone(), cell.evaluations.as_slice()))
        .collect();
    let mut page = HtmlPage::new(&recipe.name, &recipe.about, "Mendel");
    page.blocks.push(PageBlock::Table(table));
    page.blocks.extend(curves(&runs, &BTreeMap::new()));
    page.blocks.push(recipe_block(recipe));
    page
}

/// The most important figure of a network of this kind.
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
    let small = match paper {
        Some(paper) => format!("the paper has {}", number(paper)),
        None => format!("on {} positions it never saw", outcome.test_positions),
    };
    PageBlock::verdict(tone, format!("{main} {}", or_dash(ours, number)), small)
}

/// All figures, ours and those of the paper.
fn figures(ours: &BTreeMap<String, f64>, paper: &BTreeMap<String, f64>) -> HtmlTable {
    let mut table = HtmlTable::new(["figure", "ours", "paper"]);
    for (name, value) in ours {
        let paper = paper.get(name).map(|it| format!("{it:.3}"));
        table.row([
            name.clone(),
            format!("{value:.4}"),
            paper.unwrap_or_default(),
        ]);
    }
    table
}

/// Losses and figures, by positions learnt from.
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
            references: Vec::from_iter(level.map(|it| Reference::new("paper", 2, it))),
            ..LineChart::default()
        };
        let caption = format!("{title}, whenever the validation part was asked.");
        blocks.push(PageBlock::figure(chart.draw(), caption));
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
