//! What was published, beside what came out here.

use mendel_lab::recipe::{Figure, Published};
use mendel_lab::record::{MatchProof, Measured};
use serde::Serialize;

use super::exam::words;
use super::read::{OWN, RunRecord};
use super::{elo, elo_interval, from_one, interval_text, signed};
use crate::analysis::exam::examined;
use crate::plot::number;

/// A published figure with ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PaperComparison {
    /// What was measured.
    pub what: String,
    /// What is counted.
    pub unit: String,
    /// The published figure.
    pub paper: Published,
    /// Ours, if the run has it.
    pub ours: Option<f64>,
    /// Where ours lies, if that is known; an end may be open.
    pub interval: Option<[Option<f64>; 2]>,
    /// Ours in words.
    pub words: String,
}

/// A figure of ours.
#[derive(Default)]
struct Own {
    value: Option<f64>,
    interval: Option<[Option<f64>; 2]>,
    is_elo: bool,
    /// What must be known about it.
    note: String,
    /// All that is to be said, where it is more than a number.
    told: Option<String>,
}

impl Own {
    fn plain(value: Option<f64>) -> Self {
        Self {
            value,
            ..Self::default()
        }
    }

    fn words(&self) -> String {
        if let Some(told) = &self.told {
            return told.clone();
        }
        let mut words = vec![match self.value {
            Some(value) if self.is_elo => elo(value),
            Some(value) => number(value),
            None => "–".to_owned(),
        }];
        words.extend(self.interval.map(|interval| match interval {
            [Some(low), Some(high)] if !self.is_elo => interval_text([low, high], number),
            interval => elo_interval(interval),
        }));
        if self.value.is_some() && !self.note.is_empty() {
            words.push(self.note.clone());
        }
        words.join(" ")
    }
}

/// A published value as it is shown.
pub(super) fn published(value: &Published) -> String {
    match value {
        Published::Number(value) => number(*value),
        Published::Words(words) => words.clone(),
    }
}

impl RunRecord {
    /// The published figures, each with ours.
    pub fn comparisons(&self) -> Vec<PaperComparison> {
        let figures = self.paper.iter().flat_map(|paper| &paper.figure);
        figures
            .map(|figure| {
                let name = figure.ours.as_deref();
                let own = name.map_or_else(Own::default, |name| self.own_figure(name));
                PaperComparison {
                    what: figure.what.clone(),
                    unit: figure.unit.clone().unwrap_or_default(),
                    paper: figure.paper.clone(),
                    words: own.words(),
                    ours: own.value,
                    interval: own.interval,
                }
            })
            .collect()
    }

    /// Our own figure by the name that a recipe gives it.
    fn own_figure(&self, name: &str) -> Own {
        if let Some(generation) = examined(name) {
            return self.in_the_exam(generation);
        }
        let proof = self.proof.as_ref();
        match name.split('.').collect::<Vec<_>>()[..] {
            ["training", figure] => {
                self.measured(proof.and_then(|it| it.training.as_ref()), figure)
            }
            ["holdout", figure] => self.measured(proof.and_then(|it| it.holdout.as_ref()), figure),
            ["match", role, figure] => {
                let mut matches = proof.iter().flat_map(|proof| &proof.matches);
                let found = matches.find(|it| it.role == role);
                found.map_or_else(Own::default, |result| played(result, figure))
            }
            _ => self.of_the_journal(name),
        }
    }

    /// What a generation lost, drew and won against each opponent, in words.
    fn in_the_exam(&self, generation: u32) -> Own {
        let rows = self.exam.rows();
        let own = rows
            .iter()
            .filter_map(|(row, _)| self.exam.own(generation, *row));
        let told: Vec<String> = own
            .filter(|it| it.shares.is_some())
            .map(|it| format!("{} against {}", words(it.shares), it.opponent))
            .collect();
        Own {
            told: (!told.is_empty()).then(|| told.join("; ")),
            ..Own::default()
        }
    }

    /// A figure on positions, with the interval of its difference to the parent.
    fn measured(&self, measured: Option<&Measured>, figure: &str) -> Own {
        let Some(it) = measured else {
            return Own::default();
        };
        let interval = it.interval.map(|ends| ends.map(Some));
        match figure {
            "parent" => Own::plain(Some(it.parent)),
            "champion" => Own {
                value: Some(it.champion),
                note: it.interval.map_or_else(String::new, |interval| {
                    let difference = signed(it.champion - it.parent);
                    let interval = interval_text(interval, signed);
                    format!("(to the parent {difference} {interval})")
                }),
                ..Own::default()
            },
            // An improvement counts upwards also where an error goes down.
            "gain" if self.manifest.smaller_is_better => Own {
                value: Some(it.parent - it.champion),
                interval: it.interval.map(|[low, high]| [Some(-high), Some(-low)]),
                ..Own::default()
            },
            _ => Own {
                value: Some(it.champion - it.parent),
                interval,
                ..Own::default()
            },
        }
    }

    fn of_the_journal(&self, name: &str) -> Own {
        let last = self.generations.last();
        let sampled = |value| Own {
            value,
            note: if self.own_samples {
                format!("on {OWN}")
            } else {
                String::new()
            },
            ..Own::default()
        };
        match name {
            "best" => sampled(self.best().map(|line| line.best)),
            "last" => sampled(last.map(|line| line.best)),
            "mean" => sampled(last.map(|line| line.mean)),
            "random" => sampled(self.random_best()),
            "baseline" => Own::plain(self.manifest.baseline),
            "gain" => Own::plain(self.gain()),
            "takeovers" => self.takeovers(),
            "domination" => self.domination(),
            "generations" => Own::plain(Some(self.generations.len() as f64)),
            "judgements" => Own::plain(last.map(|line| line.judgements as f64)),
            "seconds" => Own::plain(self.seconds_of("generation")),
            _ => Own::default(),
        }
    }
}

impl RunRecord {
    /// How many generations brought a new king of the hill, and which; nothing where
    /// the trial has no king.
    fn takeovers(&self) -> Own {
        if self.generations.iter().all(|line| line.king.is_none()) {
            return Own::default();
        }
        let kings = self.kings();
        let generations: Vec<String> = kings.iter().map(u32::to_string).collect();
        let which = match &generations[..] {
            [] => "none".to_owned(),
            [only] => only.clone(),
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
        };
        Own {
            value: Some(generations.len() as f64),
            told: Some(format!("{which} of {}", self.generations.len())),
            ..Own::default()
        }
    }

    /// The generation, from 1, in which copies of one genome became most of the
    /// population, and in words also where that never happened.
    fn domination(&self) -> Own {
        let first = self.dominated().map(|line| from_one(line.generation));
        Own {
            value: first.map(f64::from),
            told: self.takeover(),
            ..Own::default()
        }
    }
}

/// The figures that a recipe may ask for as `ours`.
const NAMES: [&str; 23] = [
    "best",
    "last",
    "mean",
    "random",
    "baseline",
    "gain",
    "takeovers",
    "domination",
    "generations",
    "judgements",
    "seconds",
    "training.parent",
    "training.champion",
    "training.gain",
    "holdout.parent",
    "holdout.champion",
    "holdout.gain",
    "match.parent.elo",
    "match.parent.games",
    "match.parent.score",
    "match.outside.elo",
    "match.outside.games",
    "match.outside.score",
];

/// The figure of ours that is set beside a published one; `None` if there is none.
///
/// # Errors
///
/// If the name means nothing; the text says which do.
pub(crate) fn own_name(figure: &Figure) -> Result<Option<&str>, String> {
    match figure.ours.as_deref() {
        Some(name) if !NAMES.contains(&name) && examined(name).is_none() => Err(format!(
            "in `[paper]`: the figure \"{}\" has `ours = \"{name}\"`, which means nothing; use one of {}, exam.GENERATION, or leave it out",
            figure.what,
            NAMES.join(", ")
        )),
        name => Ok(name),
    }
}

fn played(result: &MatchProof, figure: &str) -> Own {
    match figure {
        "elo" => Own {
            value: result.elo,
            interval: Some(result.interval),
            is_elo: true,
            ..Own::default()
        },
        "games" => Own::plain(Some(result.games as f64)),
        _ => Own::plain(score_of(result)),
    }
}

/// The champion's share of the points, in per cent.
fn score_of(result: &MatchProof) -> Option<f64> {
    let points = result.wins as f64 + result.draws as f64 / 2.0;
    (result.games > 0).then(|| 100.0 * points / result.games as f64)
}
