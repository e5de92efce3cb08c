//! Trainings of networks, and grids of them.

use std::collections::BTreeMap;
use std::path::Path;

use mendel_nets::recipe::{DataKind, Recipe};
use mendel_nets::record::{self, Evaluation, TrainedNetwork, TrainingFacts, TrainingOutcome};
use mendel_store::frame::{Failure, Folder, Manifest};
use serde::Serialize;

use super::or_dash;
use super::read::{broken, lines_of};
use crate::page::{HtmlPage, HtmlTable, PageBlock, Tone};
use crate::plot::{Axis, LineChart, Reference, Series, number};

/// A training or a grid of them, finished or not.
#[derive(Clone, Debug, Serialize)]
pub struct TrainingRecord {
    pub id: String,
    pub name: String,
    pub seed: u64,
    pub facts: TrainingFacts,
    #[serde(skip)]
    recipe: Recipe,
    /// One network, or all of the grid, those that are not finished too.
    pub networks: Vec<NetworkRecord>,
    pub is_finished: bool,
}

/// A network of a training.
#[derive(Clone, Debug, Serialize)]
pub struct NetworkRecord {
    /// Its name in a grid.
    pub name: String,
    pub evaluations: Vec<Evaluation>,
    /// `None` if it is not finished, or has diverged.
    pub outcome: Option<TrainedNetwork>,
}

impl TrainingRecord {
    /// # Errors
    ///
    /// If the folder is not that of a training, or a file cannot be read.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        // 1. The plan.
        let files = Folder::at(folder);
        let manifest = Manifest::read(folder)?;
        let facts = manifest.facts.clone().try_into();
        let path = files.file(record::RECIPE);
        let recipe = Recipe::parse(&files.read(record::RECIPE)?, record::RECIPE, &[]);
        let recipe = recipe.map_err(broken(&path))?;
        // 2. The networks.
        let outcome = files.read_result::<TrainingOutcome>()?;
        let is_finished = outcome.is_some();
        let networks = if recipe.grid.is_empty() {
            vec![NetworkRecord {
                name: String::new(),
                evaluations: lines_of(&files.file(record::EVALUATIONS))?,
                outcome: outcome.and_then(TrainingOutcome::network),
            }]
        } else {
            let cells = recipe.cells().map_err(broken(&path))?.into_iter();
            let networks = cells.map(|(name, _)| NetworkRecord::read(&files, name));
            networks.collect::<Result<_, _>>()?
        };
        Ok(Self {
            facts: facts.map_err(broken(&files.file(Manifest::FILE)))?,
            id: manifest.id,
            name: manifest.name,
            seed: manifest.seed,
            recipe,
            networks,
            is_finished,
        })
    }

    pub fn page(&self) -> HtmlPage {
        match &self.networks[..] {
            [network] if self.recipe.grid.is_empty() => self.network_page(network),
            networks => self.grid_page(networks),
        }
    }

    fn network_page(&self, network: &NetworkRecord) -> HtmlPage {
        let recipe = &self.recipe;
        let evaluations = &network.evaluations[..];
        let mut page = HtmlPage::new(&recipe.name, &recipe.about, "Mendel");
        let data = ("learnt from", self.facts.data.clone());
        let Some(outcome) = &network.outcome else {
            let step = evaluations.last().map_or(0, |it| it.step);
            let small = format!("{step} steps were evaluated");
            page.blocks = vec![
                PageBlock::verdict(Tone::Plain, "not finished", small),
                PageBlock::facts([data]),
            ];
            let curves = curves(&[(String::new(), evaluations)], &BTreeMap::new());
            page.section("How it learns", curves);
            page.blocks.push(recipe_block(recipe));
            return page;
        };
        let steps = format!(
            "{}; {}; the network of step {} was kept",
            outcome.steps,
            outcome.end.as_str(),
            outcome.best_step
        );
        let numbers = format!("{} ({})", outcome.numbers, outcome.file);
        let facts = [data, ("numbers", numbers), ("steps", steps)];
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

    fn grid_page(&self, networks: &[NetworkRecord]) -> HtmlPage {
        let main = headline(&self.recipe);
        let mut table = HtmlTable::new(["network", main, "loss", "steps"]);
        for NetworkRecord { name, outcome, .. } in networks {
            let Some(it) = outcome else {
                let state = if self.is_finished {
                    "diverged"
                } else {
                    "not finished"
                };
                table.row([name.as_str(), "–", "–", state]);
                continue;
            };
            let figure = it.test.get(main).map(|it| format!("{it:.4}"));
            let (figure, loss) = (figure.unwrap_or_default(), format!("{:.4}", it.test_loss));
            table.row([name.clone(), figure, loss, it.steps.to_string()]);
        }
        let runs: Vec<(String, &[Evaluation])> = networks
            .iter()
            .map(|network| (network.name.clone(), network.evaluations.as_slice()))
            .collect();
        let mut page = HtmlPage::new(&self.recipe.name, &self.recipe.about, "Mendel");
        page.blocks.push(PageBlock::Table(table));
        page.blocks.extend(curves(&runs, &BTreeMap::new()));
        page.blocks.push(recipe_block(&self.recipe));
        page
    }
}

impl NetworkRecord {
    /// A network of a grid, from its own folder.
    fn read(grid: &Folder, name: String) -> Result<Self, Failure> {
        let files = Folder::at(grid.file(&name));
        let outcome = files.read_result::<TrainingOutcome>()?;
        Ok(Self {
            name,
            evaluations: lines_of(&files.file(record::EVALUATIONS))?,
            outcome: outcome.and_then(TrainingOutcome::network),
        })
    }
}

fn recipe_block(recipe: &Recipe) -> PageBlock {
    PageBlock::details("The recipe", PageBlock::Code(recipe.to_toml()))
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

fn verdict(recipe: &Recipe, outcome: &TrainedNetwork) -> PageBlock {
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
