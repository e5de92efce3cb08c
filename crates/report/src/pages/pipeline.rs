//! A pipeline: its steps and what came out of each.

use std::path::{Path, PathBuf};

use mendel_lab::recipe::{MetricRef, Paper};
use mendel_lab::record::{self, Bred, Output, Pairing, Pipeline, Set, Step, Timing, Trained};
use mendel_store::Journal;
use serde::Serialize;

use super::answers::{AgreementView, JudgementView};
use super::breed::duration;
use super::paper::published;
use super::played::PlayedView;
use super::read::text_of;
use super::{NOT_COMPARABLE, PaperComparison, counted, elo, elo_interval, interval_text};
use crate::FILE;
use crate::error::ReportError;
use crate::metrics::resolve;
use crate::page::{HtmlPage, HtmlTable, PageBlock, Tone};
use crate::plot::number;

/// A pipeline, as its folder tells it.
#[derive(Clone, Debug, Serialize)]
pub struct PipelineRecord {
    /// Where it lies.
    pub folder: PathBuf,
    /// What is done and what came out.
    #[serde(flatten)]
    pub state: Pipeline,
    /// Published figures with ours.
    pub paper: Vec<PaperComparison>,
    /// Seconds of each step, as the clock gave them.
    pub seconds: Vec<Option<f64>>,
    #[serde(skip)]
    recipe: String,
    #[serde(skip)]
    published: Option<Paper>,
}

#[derive(serde::Deserialize)]
struct RecipePaper {
    #[serde(default)]
    paper: Option<Paper>,
}

impl PipelineRecord {
    /// Reads a pipeline's folder. It may still be going on.
    ///
    /// # Errors
    ///
    /// If it is none, or a file of it is broken.
    pub fn read(folder: &Path) -> Result<Self, ReportError> {
        let broken = |path: &Path, reason: String| ReportError::Broken {
            path: path.to_owned(),
            reason,
        };
        let state = Pipeline::read(folder)?.ok_or_else(|| ReportError::NotStarted {
            folder: folder.to_owned(),
        })?;
        let path = folder.join(record::RECIPE);
        let recipe = text_of(&path)?.unwrap_or_default();
        let RecipePaper { paper: published } =
            toml::from_str(&recipe).map_err(|error| broken(&path, error.to_string()))?;
        let path = folder.join(Timing::FILE);
        let timings: Vec<Timing> = if path.is_file() {
            Journal::read(&path)?
        } else {
            Vec::new()
        };
        let of = |step: &Step| {
            let number = Some(step.number as u32);
            let mine = timings.iter().filter(|it| it.index == number);
            let times: Vec<f64> = mine.map(|it| it.seconds).collect();
            (!times.is_empty()).then(|| times.iter().sum())
        };
        Ok(Self {
            folder: folder.to_owned(),
            paper: compare(published.as_ref(), &state, &of),
            seconds: state.steps.iter().map(of).collect(),
            state,
            recipe,
            published,
        })
    }

    /// The page that shows the pipeline to a person.
    pub fn page(&self) -> HtmlPage {
        let state = &self.state;
        let mut blocks = vec![self.verdict(), PageBlock::Warnings(self.notes())];
        blocks.push(PageBlock::Heading("What was asked".to_owned()));
        blocks.push(PageBlock::Facts(self.facts()));
        blocks.push(PageBlock::Code(state.command.clone()));
        blocks.push(PageBlock::Heading("Steps".to_owned()));
        blocks.push(PageBlock::Table(self.steps_table()));
        for step in &state.steps {
            blocks.push(PageBlock::Heading(format!(
                "{}. {}",
                step.number,
                step.title()
            )));
            blocks.extend(step_blocks(step));
        }
        blocks.extend(self.paper_blocks());
        blocks.push(PageBlock::Heading("To repeat it".to_owned()));
        blocks.push(PageBlock::Text(
            "The same recipe, seed and version give the same steps, bit for bit, where games are limited by nodes or depth."
                .to_owned(),
        ));
        blocks.push(PageBlock::Details {
            summary: "The recipe".to_owned(),
            blocks: vec![PageBlock::Code(self.recipe.clone())],
        });
        HtmlPage {
            title: format!("{}, seed {}", state.recipe, state.seed),
            subtitle: format!("A pipeline of Mendel {}, {}", state.version, state.id),
            blocks,
            foot: "Made by `mendel report` from the pipeline’s own records; the links lead to files beside it."
                .to_owned(),
        }
    }

    fn facts(&self) -> Vec<(String, String)> {
        let state = &self.state;
        let mut facts = vec![
            ("recipe", state.recipe.clone()),
            ("seed", state.seed.to_string()),
            ("parent", state.parent.clone()),
        ];
        if let Some(champion) = &state.champion {
            facts.push(("champion", champion.clone()));
        }
        let seconds: f64 = self.seconds.iter().flatten().sum();
        if seconds > 0.0 {
            facts.push(("time", duration(seconds)));
        }
        let named = |(name, value): (&str, String)| (name.to_owned(), value);
        facts.into_iter().map(named).collect()
    }

    fn verdict(&self) -> PageBlock {
        let state = &self.state;
        let all = state.steps.len() as u64;
        if !state.finished {
            return PageBlock::Verdict {
                tone: Tone::Plain,
                large: format!("{} of {}", state.done(), counted(all, "step")),
                small: format!("`mendel resume {}` goes on with it", self.folder.display()),
            };
        }
        let last = state
            .steps
            .iter()
            .rev()
            .find_map(|step| match &step.result {
                Some(Output::Data(_) | Output::Network(_) | Output::Chance(_)) | None => None,
                Some(output) => Some((step, output)),
            });
        let small = last.map_or_else(String::new, |(step, output)| {
            format!("{}: {}", step.title(), words(output))
        });
        PageBlock::Verdict {
            tone: Tone::Plain,
            large: format!("{} done", counted(all, "step")),
            small,
        }
    }

    /// What must not be overlooked.
    pub fn notes(&self) -> Vec<String> {
        let steps = self.state.steps.iter();
        steps
            .flat_map(|step| {
                let notes: &[String] = match &step.result {
                    Some(Output::Match(played)) => &played.notes,
                    Some(Output::Agreement(agreement)) => &agreement.notes,
                    _ => &[],
                };
                notes
                    .iter()
                    .map(move |note| format!("{}: {note}", step.title()))
            })
            .collect()
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

    fn paper_blocks(&self) -> Vec<PageBlock> {
        let Some(paper) = &self.published else {
            return Vec::new();
        };
        let mut blocks = vec![
            PageBlock::Heading("Paper and ours".to_owned()),
            PageBlock::Text(match paper.source.as_str() {
                "" => paper.title.clone(),
                source => format!("{}. {source}", paper.title),
            }),
        ];
        if !self.paper.is_empty() {
            let mut table = HtmlTable::new(["what", "paper", "ours", "unit"]);
            for it in &self.paper {
                let (what, words, unit) = (it.what.clone(), it.words.clone(), it.unit.clone());
                table.row([what, published(&it.paper), words, unit]);
            }
            blocks.push(PageBlock::Table(table));
        }
        blocks.push(PageBlock::List(paper.notes.clone()));
        blocks
    }
}

/// The published figures, each with ours.
fn compare(
    paper: Option<&Paper>,
    state: &Pipeline,
    seconds: &dyn Fn(&Step) -> Option<f64>,
) -> Vec<PaperComparison> {
    let steps: Vec<&str> = state.steps.iter().map(|it| it.name.as_str()).collect();
    let figures = paper.into_iter().flat_map(|paper| &paper.figure);
    figures
        .map(|figure| {
            let ours = figure.ours.as_deref();
            let own = ours.and_then(|text| MetricRef::parse(text, &steps).ok());
            let own = own.map_or_else(Default::default, |own| resolve(&own, state, seconds));
            let mut words = vec![match own.value {
                Some(value) if own.is_elo => elo(value),
                Some(value) => number(value),
                None if own.is_incomparable => NOT_COMPARABLE.to_owned(),
                None => "–".to_owned(),
            }];
            words.extend(own.interval.map(|interval| match interval {
                [Some(low), Some(high)] if !own.is_elo => interval_text([low, high], number),
                interval => elo_interval(interval),
            }));
            PaperComparison {
                what: figure.what.clone(),
                unit: figure.unit.clone().unwrap_or_default(),
                paper: figure.paper.clone(),
                ours: own.value,
                interval: own.interval,
                words: words.join(" "),
            }
        })
        .collect()
}

/// What came out of a step, in some words.
pub fn step_words(step: &Step) -> String {
    step.result.as_ref().map_or_else(|| "–".to_owned(), words)
}

fn words(output: &Output) -> String {
    match output {
        Output::Runs(runs) => {
            let best = &runs.runs[runs.best.min(runs.runs.len().saturating_sub(1))];
            let of = match runs.runs.len() {
                1 => String::new(),
                count => format!("best of {count}: "),
            };
            format!("{of}{}, {}", best.champion, reached(best))
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
        Output::Agreement(agreement) => AgreementView(agreement).words(),
        Output::Judgement(judgement) => JudgementView(judgement).words(),
        Output::Match(played) if played.pairings.is_empty() => "not played".to_owned(),
        Output::Match(played) => match &played.pairings[..] {
            [only] => format!("{} – {}: {}", only.first, only.second, result(only)),
            many => {
                let games = many.iter().map(Pairing::games).sum();
                let players = counted(played.players.len() as u64, "player");
                format!("{players}, {}", counted(games, "game"))
            }
        },
    }
}

/// What a champion reached.
fn reached(run: &Bred) -> String {
    if let (Some(games), Some(interval)) = (run.games, run.interval) {
        let elo_text = run.elo.map_or_else(|| "±∞".to_owned(), elo);
        let interval = elo_interval(interval);
        return format!("{elo_text} {interval} Elo in {}", counted(games, "game"));
    }
    let measured = run.holdout.as_ref().or(run.training.as_ref());
    measured.map_or_else(
        || format!("bred by {}", run.unit),
        |it| {
            format!(
                "{} → {} {}",
                number(it.parent),
                number(it.champion),
                it.unit
            )
        },
    )
}

fn result(pairing: &Pairing) -> String {
    let elo_text = pairing.elo.map_or_else(
        || {
            if pairing.wins > pairing.losses {
                "+∞"
            } else {
                "−∞"
            }
            .to_owned()
        },
        elo,
    );
    format!(
        "+{} ={} −{}, {elo_text} {}",
        pairing.wins,
        pairing.draws,
        pairing.losses,
        elo_interval(pairing.interval)
    )
}

fn step_blocks(step: &Step) -> Vec<PageBlock> {
    match &step.result {
        None => vec![PageBlock::Text("Not done yet.".to_owned())],
        Some(Output::Runs(runs)) => run_blocks(&runs.runs, runs.best),
        Some(Output::Data(set)) => vec![set_block(set)],
        Some(Output::Network(trained)) => vec![network_block(trained)],
        Some(Output::Chance(drawn)) => vec![PageBlock::Text(format!(
            "{} with genomes of `{}` that chance drew.",
            counted(drawn.files.len() as u64, "player"),
            drawn.recipe
        ))],
        Some(Output::Agreement(agreement)) => AgreementView(agreement).blocks(),
        Some(Output::Judgement(judgement)) => JudgementView(judgement).blocks(),
        Some(Output::Match(played)) => {
            let mut blocks = PlayedView(played).blocks();
            if !played.pairings.is_empty() {
                let games = format!("{}/games.pgn", step.folder);
                blocks.push(PageBlock::Links(vec![("the games".to_owned(), games)]));
            }
            blocks
        }
    }
}

fn run_blocks(runs: &[Bred], best: usize) -> Vec<PageBlock> {
    let mut table = HtmlTable::new([
        "champion", "seed", "training", "hold-out", "Elo", "95 %", "games",
    ]);
    let value = |it: Option<&mendel_lab::record::Measured>| {
        it.map_or_else(
            || "–".to_owned(),
            |it| format!("{} → {}", number(it.parent), number(it.champion)),
        )
    };
    for (at, run) in runs.iter().enumerate() {
        let mark = if at == best && runs.len() > 1 {
            " ★"
        } else {
            ""
        };
        table.row([
            format!("{}{mark}", run.champion),
            run.seed.to_string(),
            value(run.training.as_ref()),
            value(run.holdout.as_ref()),
            run.elo.map_or_else(|| "–".to_owned(), elo),
            run.interval.map_or_else(|| "–".to_owned(), elo_interval),
            run.games
                .map_or_else(|| "–".to_owned(), |it| number(it as f64)),
        ]);
    }
    let links = runs.iter().map(|run| {
        let text = format!("the run of {}", run.champion);
        (text, format!("{}/{FILE}", run.folder))
    });
    let unit = runs.first().map_or("", |run| run.unit.as_str());
    vec![
        PageBlock::Text(format!("Fitness: {unit}.")),
        PageBlock::Table(table),
        PageBlock::Links(links.collect()),
    ]
}

fn set_block(set: &Set) -> PageBlock {
    let facts = [
        ("kind", set.kind.clone()),
        ("positions", number(set.positions as f64)),
        ("games", number(set.games as f64)),
        ("player", set.player.clone()),
        ("hash", set.hash.clone()),
    ];
    PageBlock::Facts(facts.map(|(name, value)| (name.to_owned(), value)).into())
}

fn network_block(trained: &Trained) -> PageBlock {
    let error = |value: f64| format!("{value:.5}");
    let last = trained.epochs.last();
    let facts = [
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
    ];
    PageBlock::Facts(facts.map(|(name, value)| (name.to_owned(), value)).into())
}
