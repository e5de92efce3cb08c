//! Published figures and ours.

use mendel_lab::recipe::{Figure, Paper};
use mendel_lab::record::{MatchProof, Measured, OUTSIDE, PARENT};

use super::exam::words;
use super::read::{OWN, RunRecord};
use super::{from_one, interval_text, signed};
use crate::analysis::exam::examined;
use crate::metrics::{MetricValue, PaperComparison, compare, gain};
use crate::page::{HtmlTable, PageBlock};

/// Title, figures and notes of a paper.
pub(super) fn paper_blocks(
    paper: &Paper,
    comparisons: &[PaperComparison],
    more: Vec<PageBlock>,
) -> Vec<PageBlock> {
    let mut blocks = vec![PageBlock::text(match paper.source.as_str() {
        "" => paper.title.clone(),
        source => format!("{}. {source}", paper.title),
    })];
    if !comparisons.is_empty() {
        let mut table = HtmlTable::new(["what", "paper", "ours", "unit"]);
        for it in comparisons {
            table.row([&it.what, &it.published(), &it.words, &it.unit]);
        }
        blocks.push(PageBlock::Table(table));
    }
    blocks.extend(more);
    blocks.push(PageBlock::List(paper.notes.clone()));
    blocks
}

/// The name of a metric, and its value in a run.
type RunMetric = (&'static str, fn(&RunRecord) -> MetricValue);

/// The metrics that a recipe may name as `ours`, besides `exam.GENERATION`.
const METRICS: [RunMetric; 23] = [
    ("best", |run| run.sampled(run.best().map(|it| it.best))),
    ("last", |run| run.sampled(run.last().map(|it| it.best))),
    ("mean", |run| run.sampled(run.last().map(|it| it.mean))),
    ("random", |run| run.sampled(run.random_best())),
    ("baseline", |run| MetricValue::plain(run.manifest.baseline)),
    ("gain", |run| MetricValue::plain(run.gain())),
    ("takeovers", RunRecord::takeovers),
    ("domination", RunRecord::domination),
    ("generations", |run| {
        MetricValue::plain(Some(run.generations.len() as f64))
    }),
    ("judgements", |run| {
        MetricValue::plain(run.last().map(|it| it.judgements as f64))
    }),
    ("seconds", |run| {
        MetricValue::plain(run.seconds_of("generation"))
    }),
    ("training.parent", |run| run.on_training(parent)),
    ("training.champion", |run| run.on_training(champion)),
    ("training.gain", |run| run.on_training(improvement)),
    ("holdout.parent", |run| run.on_holdout(parent)),
    ("holdout.champion", |run| run.on_holdout(champion)),
    ("holdout.gain", |run| run.on_holdout(improvement)),
    ("match.parent.elo", |run| run.in_match(PARENT, elo)),
    ("match.parent.games", |run| run.in_match(PARENT, games)),
    ("match.parent.score", |run| run.in_match(PARENT, score)),
    ("match.outside.elo", |run| run.in_match(OUTSIDE, elo)),
    ("match.outside.games", |run| run.in_match(OUTSIDE, games)),
    ("match.outside.score", |run| run.in_match(OUTSIDE, score)),
];

/// Checks the name of our value that a recipe gives for a published figure.
///
/// # Errors
///
/// If the name is unknown; the text lists the known ones.
pub(super) fn check_name(figure: &Figure) -> Result<(), String> {
    let Some(name) = figure.ours.as_deref() else {
        return Ok(());
    };
    if METRICS.iter().any(|it| it.0 == name) || examined(name).is_some() {
        return Ok(());
    }
    Err(format!(
        "in `[paper]`: the figure \"{}\" has `ours = \"{name}\"`, which means nothing; use one of {}, exam.GENERATION, or leave it out",
        figure.what,
        METRICS.map(|it| it.0).join(", ")
    ))
}

fn parent(_: &RunRecord, it: &Measured) -> MetricValue {
    MetricValue::plain(Some(it.parent))
}

fn champion(_: &RunRecord, it: &Measured) -> MetricValue {
    let note = it.interval.map(|interval| {
        let difference = signed(it.champion - it.parent);
        let interval = interval_text(interval, signed);
        format!("(to the parent {difference} {interval})")
    });
    MetricValue {
        note: note.unwrap_or_default(),
        ..MetricValue::plain(Some(it.champion))
    }
}

fn improvement(run: &RunRecord, it: &Measured) -> MetricValue {
    let is_reversed = run.manifest.smaller_is_better;
    let interval = it.interval.map(|[low, high]| {
        if is_reversed {
            [-high, -low]
        } else {
            [low, high]
        }
    });
    MetricValue::between(Some(gain(it, is_reversed)), interval)
}

fn elo(it: &MatchProof) -> MetricValue {
    MetricValue::elo(it.elo, Some(it.interval))
}

fn games(it: &MatchProof) -> MetricValue {
    MetricValue::plain(Some(it.games as f64))
}

/// The champion's share of the points, in per cent.
fn score(it: &MatchProof) -> MetricValue {
    let points = it.wins as f64 + it.draws as f64 / 2.0;
    MetricValue::plain((it.games > 0).then(|| 100.0 * points / it.games as f64))
}

impl RunRecord {
    /// The published figures, each with ours.
    pub fn comparisons(&self) -> Vec<PaperComparison> {
        compare(self.paper.as_ref(), |name| {
            if let Some(generation) = examined(name) {
                return self.in_the_exam(generation);
            }
            let metric = METRICS.iter().find(|it| it.0 == name);
            metric.map(|it| it.1(self)).unwrap_or_default()
        })
    }

    /// The shares of a generation against each opponent, as text.
    fn in_the_exam(&self, generation: u32) -> MetricValue {
        let rows = self.exam.rows();
        let own = rows
            .iter()
            .filter_map(|(row, _)| self.exam.own(generation, *row));
        let told: Vec<String> = own
            .filter(|it| it.shares.is_some())
            .map(|it| format!("{} against {}", words(it.shares), it.opponent))
            .collect();
        MetricValue {
            told: (!told.is_empty()).then(|| told.join("; ")),
            ..MetricValue::default()
        }
    }

    fn on_training(&self, value: fn(&Self, &Measured) -> MetricValue) -> MetricValue {
        let measured = self.proof.as_ref().and_then(|it| it.training.as_ref());
        measured.map(|it| value(self, it)).unwrap_or_default()
    }

    fn on_holdout(&self, value: fn(&Self, &Measured) -> MetricValue) -> MetricValue {
        let measured = self.proof.as_ref().and_then(|it| it.holdout.as_ref());
        measured.map(|it| value(self, it)).unwrap_or_default()
    }

    fn in_match(&self, role: &str, value: fn(&MatchProof) -> MetricValue) -> MetricValue {
        let mut matches = self.proof.iter().flat_map(|proof| &proof.matches);
        let found = matches.find(|it| it.role == role);
        found.map_or_else(MetricValue::default, value)
    }

    /// A fitness, with a note if each generation was judged by its own positions.
    fn sampled(&self, value: Option<f64>) -> MetricValue {
        let note = self.own_samples.then(|| format!("on {OWN}"));
        MetricValue {
            note: note.unwrap_or_default(),
            ..MetricValue::plain(value)
        }
    }

    /// The number of generations with a new king of the hill, and which; nothing if the trial has no
    /// king.
    fn takeovers(&self) -> MetricValue {
        if self.generations.iter().all(|line| line.king.is_none()) {
            return MetricValue::default();
        }
        let kings = self.kings();
        let generations: Vec<String> = kings.iter().map(u32::to_string).collect();
        let which = match &generations[..] {
            [] => "none".to_owned(),
            [only] => only.clone(),
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
        };
        MetricValue {
            told: Some(format!("{which} of {}", self.generations.len())),
            ..MetricValue::plain(Some(generations.len() as f64))
        }
    }

    /// The generation, from 1, in which copies of one genome became most of the population; as
    /// text also where that never happened.
    fn domination(&self) -> MetricValue {
        let first = self.dominated().map(|line| from_one(line.generation));
        MetricValue {
            told: self.takeover(),
            ..MetricValue::plain(first.map(f64::from))
        }
    }
}
