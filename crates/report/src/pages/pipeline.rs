//! A pipeline: its steps and their results.

use std::path::{Path, PathBuf};

use mendel_lab::recipe::{MetricRef, Paper};
use mendel_lab::record::{
    self, Bred, Curve, Measured, Output, Pairing, Pipeline, Set, Step, Timing, Trained,
};
use serde::Serialize;

use super::answers::{
    TitledTable, agreement_tables, agreement_words, curve_block, judgement_tables, judgement_words,
};
use super::paper::paper_blocks;
use super::played;
use super::read::{broken, lines_of, text_of};
use super::{counted, duration, elo, elo_interval, elo_of, or_dash};
use crate::FILE;
use crate::error::ReportError;
use crate::metrics::{MetricValue, PaperComparison, compare, resolve};
use crate::page::{HtmlPage, HtmlTable, PageBlock, Tone};
use crate::plot::number;

/// A pipeline, read from its folder.
#[derive(Clone, Debug, Serialize)]
pub struct PipelineRecord {
    pub folder: PathBuf,
    #[serde(flatten)]
    pub state: Pipeline,
    /// Published figures with ours.
    pub paper: Vec<PaperComparison>,
    /// Wall-clock seconds of each step.
    pub seconds: Vec<Option<f64>>,
    #[serde(skip)]
    recipe: String,
    #[serde(skip)]
    published: Option<Paper>,
}

#[derive(serde::Deserialize)]
struct RecipePaper {
    paper: Option<Paper>,
}

impl PipelineRecord {
    /// Reads the folder of a pipeline, which may be unfinished.
    ///
    /// # Errors
    ///
    /// If the folder is not that of a pipeline, or one of its files is broken.
    pub fn read(folder: &Path) -> Result<Self, ReportError> {
        let state = Pipeline::read(folder)?.ok_or_else(|| ReportError::NotStarted {
            folder: folder.to_owned(),
        })?;
        let path = folder.join(record::RECIPE);
        let recipe = text_of(&path)?.unwrap_or_default();
        let RecipePaper { paper: published } = toml::from_str(&recipe).map_err(broken(&path))?;
        let timings: Vec<Timing> = lines_of(&folder.join(Timing::FILE))?;
        let seconds = |step: &Step| {
            let number = Some(step.number as u32);
            let mine = timings.iter().filter(|it| it.index == number);
            let times: Vec<f64> = mine.map(|it| it.seconds).collect();
            (!times.is_empty()).then(|| times.iter().sum())
        };
        let steps: Vec<&str> = state.steps.iter().map(|it| it.name.as_str()).collect();
        let paper = compare(published.as_ref(), |ours| {
            let metric = MetricRef::parse(ours, &steps).ok();
            metric.map_or_else(MetricValue::default, |it| resolve(&it, &state, &seconds))
        });
        Ok(Self {
            folder: folder.to_owned(),
            paper,
            seconds: state.steps.iter().map(seconds).collect(),
            state,
            recipe,
            published,
        })
    }

    pub fn page(&self) -> HtmlPage {
        let state = &self.state;
        let mut page = HtmlPage::new(
            format!("{}, seed {}", state.recipe, state.seed),
            format!("A pipeline of Mendel {}, {}", state.version, state.id),
            "Made by `mendel report` from the pipeline’s own records; the links lead to files beside it.",
        );
        page.blocks = vec![self.verdict(), PageBlock::Warnings(self.notes())];
        let command = PageBlock::Code(state.command.clone());
        page.section("What was asked", [self.facts(), command]);
        page.section("Steps", [PageBlock::Table(self.steps_table())]);
        for step in &state.steps {
            let heading = format!("{}. {}", step.number, step.title());
            page.section(&heading, step_blocks(step));
        }
        if let Some(paper) = &self.published {
            page.section(
                "Paper and ours",
                paper_blocks(paper, &self.paper, Vec::new()),
            );
        }
        let repeat = "The same recipe, seed and version give the same steps, bit for bit, where games are limited by nodes or depth.";
        let recipe = PageBlock::details("The recipe", PageBlock::Code(self.recipe.clone()));
        page.section("To repeat it", [PageBlock::text(repeat), recipe]);
        page
    }

    fn facts(&self) -> PageBlock {
        let state = &self.state;
        let mut facts = vec![
            ("recipe", state.recipe.clone()),
            ("seed", state.seed.to_string()),
            ("parent", state.parent.clone()),
        ];
        facts.extend(state.champion.iter().map(|it| ("champion", it.clone())));
        let seconds: f64 = self.seconds.iter().flatten().sum();
        facts.extend((seconds > 0.0).then(|| ("time", duration(seconds))));
        PageBlock::facts(facts)
    }

    fn verdict(&self) -> PageBlock {
        let state = &self.state;
        let all = counted(state.steps.len() as u64, "step");
        if !state.finished {
            let large = format!("{} of {all}", state.done());
            let small = format!("`mendel resume {}` goes on with it", self.folder.display());
            return PageBlock::verdict(Tone::Plain, large, small);
        }
        let mut steps = state.steps.iter().rev();
        let last = steps.find_map(|step| match step.result.as_ref()? {
            Output::Data(_) | Output::Network(_) | Output::Chance(_) => None,
            output => Some(format!("{}: {}", step.title(), words(output))),
        });
        PageBlock::verdict(Tone::Plain, format!("{all} done"), last.unwrap_or_default())
    }

    /// Notes of the steps, for the top of the page.
    fn notes(&self) -> Vec<String> {
        let steps = self.state.steps.iter();
        let notes = steps.flat_map(|step| {
            let notes: &[String] = match &step.result {
                Some(Output::Match(played)) => &played.notes,
                Some(Output::Agreement(agreement)) => &agreement.notes,
                _ => &[],
            };
            notes.iter().map(|note| format!("{}: {note}", step.title()))
        });
        notes.collect()
    }

    fn steps_table(&self) -> HtmlTable {
        let mut table = HtmlTable::new(["", "step", "kind", "what came out", "time"]);
        for (step, seconds) in self.state.steps.iter().zip(&self.seconds) {
            table.row([
                step.number.to_string(),
                step.title(),
                step.kind.clone(),
                step_words(step),
                seconds.map_or_else(String::new, duration),
            ]);
        }
        table
    }
}

/// The result of a step in one line.
pub fn step_words(step: &Step) -> String {
    or_dash(step.result.as_ref(), words)
}

fn words(output: &Output) -> String {
    match output {
        Output::Runs(runs) => {
            let best = &runs.runs[runs.best.min(runs.runs.len().saturating_sub(1))];
            let of = match runs.runs.len() {
                1 => String::new(),
                count => format!("best of {count}: "),
            };
            format!("{of}{}, {}", best.champion, quality(best))
        }
        Output::Data(set) => format!(
            "{} from {}",
            counted(set.positions, "position"),
            counted(set.games, "game")
        ),
        Output::Network(trained) => format!(
            "{}, error {:.4}, without a network {:.4}",
            trained.champion,
            trained.epochs.last().map_or(f64::NAN, |it| it.holdout),
            trained.before
        ),
        Output::Chance(drawn) => {
            let count = counted(drawn.files.len() as u64, "player");
            format!("{count} drawn by chance")
        }
        Output::Agreement(agreement) => agreement_words(agreement),
        Output::Judgement(judgement) => judgement_words(judgement),
        Output::Match(played) => match &played.pairings[..] {
            [] => "not played".to_owned(),
            [only] => format!("{} – {}: {}", only.first, only.second, result(only)),
            many => {
                let games = many.iter().map(Pairing::games).sum();
                let players = counted(played.players.len() as u64, "player");
                format!("{players}, {}", counted(games, "game"))
            }
        },
    }
}

/// The quality of a champion: Elo, or the values of parent and champion.
fn quality(run: &Bred) -> String {
    if let (Some(games), Some(interval)) = (run.games, run.interval) {
        let elo_text = run.elo.map_or_else(|| "±∞".to_owned(), elo);
        let interval = elo_interval(interval);
        return format!("{elo_text} {interval} Elo in {}", counted(games, "game"));
    }
    match run.holdout.as_ref().or(run.training.as_ref()) {
        Some(it) => format!("{} {}", parent_and_champion(it), it.unit),
        None => format!("bred by {}", run.unit),
    }
}

fn parent_and_champion(it: &Measured) -> String {
    format!("{} → {}", number(it.parent), number(it.champion))
}

fn result(it: &Pairing) -> String {
    let (wins, draws, losses) = (it.wins, it.draws, it.losses);
    let elo = elo_of(it.elo, wins, losses);
    let interval = elo_interval(it.interval);
    format!("+{wins} ={draws} −{losses}, {elo} {interval}")
}

fn step_blocks(step: &Step) -> Vec<PageBlock> {
    match &step.result {
        None => vec![PageBlock::text("Not done yet.")],
        Some(Output::Runs(runs)) => run_blocks(&runs.runs, runs.best),
        Some(Output::Data(set)) => vec![set_block(set)],
        Some(Output::Network(trained)) => vec![network_block(trained)],
        Some(Output::Chance(drawn)) => vec![PageBlock::text(format!(
            "{} with genomes of `{}` that chance drew.",
            counted(drawn.files.len() as u64, "player"),
            drawn.recipe
        ))],
        Some(Output::Agreement(agreement)) => table_blocks(step, &agreement.curves),
        Some(Output::Judgement(judgement)) => table_blocks(step, &judgement.curve),
        Some(Output::Match(played)) => {
            let mut blocks = table_blocks(step, &played.curve);
            if !played.pairings.is_empty() {
                let games = format!("{}/games.pgn", step.folder);
                blocks.push(PageBlock::Links(vec![("the games".to_owned(), games)]));
            }
            blocks
        }
    }
}

/// The result of a step with tables, for pages and terminals.
#[derive(Debug)]
pub struct StepTables<'a> {
    pub conditions: &'a str,
    /// The first row of a table is its head.
    pub tables: Vec<TitledTable>,
    pub notes: &'a [String],
}

/// The tables of a match, an agreement or a judgement.
pub fn step_tables(step: &Step) -> Option<StepTables<'_>> {
    let (conditions, tables, notes) = match step.result.as_ref()? {
        Output::Match(it) => (&it.conditions, played::tables(it), &it.notes),
        Output::Agreement(it) => (&it.conditions, agreement_tables(it), &it.notes),
        Output::Judgement(it) => (&it.conditions, judgement_tables(it), &it.notes),
        _ => return None,
    };
    Some(StepTables {
        conditions,
        tables,
        notes,
    })
}

/// Conditions, curves, tables and notes.
fn table_blocks<'a>(step: &Step, curves: impl IntoIterator<Item = &'a Curve>) -> Vec<PageBlock> {
    let Some(found) = step_tables(step) else {
        return Vec::new();
    };
    let mut blocks = vec![PageBlock::text(format!("{}.", found.conditions))];
    blocks.extend(curves.into_iter().map(curve_block));
    for (title, mut rows) in found.tables {
        let rest = rows.split_off(rows.len().min(1));
        let head = rows.pop().unwrap_or_default();
        blocks.push(PageBlock::Text(title));
        blocks.push(PageBlock::Table(HtmlTable { head, rows: rest }));
    }
    blocks.push(PageBlock::List(found.notes.to_vec()));
    blocks
}

fn run_blocks(runs: &[Bred], best: usize) -> Vec<PageBlock> {
    let mut table = HtmlTable::named("champion|seed|training|hold-out|Elo|95 %|games");
    for (at, run) in runs.iter().enumerate() {
        let is_best = at == best && runs.len() > 1;
        let mark = if is_best { " ★" } else { "" };
        table.row([
            format!("{}{mark}", run.champion),
            run.seed.to_string(),
            or_dash(run.training.as_ref(), parent_and_champion),
            or_dash(run.holdout.as_ref(), parent_and_champion),
            or_dash(run.elo, elo),
            or_dash(run.interval, elo_interval),
            or_dash(run.games, |it| number(it as f64)),
        ]);
    }
    let links = runs.iter().map(|run| {
        let text = format!("the run of {}", run.champion);
        (text, format!("{}/{FILE}", run.folder))
    });
    let unit = runs.first().map_or("", |run| run.unit.as_str());
    vec![
        PageBlock::text(format!("Fitness: {unit}.")),
        PageBlock::Table(table),
        PageBlock::Links(links.collect()),
    ]
}

fn set_block(set: &Set) -> PageBlock {
    PageBlock::facts([
        ("kind", set.kind.clone()),
        ("positions", number(set.positions as f64)),
        ("games", number(set.games as f64)),
        ("player", set.player.clone()),
        ("hash", set.hash.clone()),
    ])
}

fn network_block(trained: &Trained) -> PageBlock {
    let error = |value: f64| format!("{value:.5}");
    let last = trained.epochs.last();
    PageBlock::facts([
        ("champion", trained.champion.clone()),
        ("positions", number(trained.positions as f64)),
        ("epochs", number(trained.epochs.len() as f64)),
        (
            "mean squared error of the expected result, terms alone",
            error(trained.before),
        ),
        (
            "with the network, positions held out",
            last.map_or_else(String::new, |it| error(it.holdout)),
        ),
        (
            "with the network, positions learned from",
            last.map_or_else(String::new, |it| error(it.training)),
        ),
    ])
}
