//! Warnings at the top of the page of a run.

use mendel_lab::record::Generation;

use super::genes::GeneRow;
use super::read::RunRecord;
use super::{counted, from_one, interval_text, signed};
use crate::plot::number;

/// A genome with more than this share of the population dominates it.
const DOMINANT: f64 = 0.5;

/// Maximum number of genes that a warning names.
const MAX_NAMES: usize = 8;

impl RunRecord {
    /// The warnings, the gravest first.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings_with(&self.genes())
    }

    pub(super) fn warnings_with(&self, genes: &[GeneRow]) -> Vec<String> {
        let (Some(first), Some(best)) = (self.generations.first(), self.best()) else {
            return vec!["No generation is finished yet.".to_owned()];
        };
        let mut warnings = Vec::new();
        if self.champion.is_none() {
            warnings.push(format!(
                "The run is not finished: there is no `champion.toml`. `mendel resume {}` goes on with it.",
                self.folder.display()
            ));
        }
        warnings.extend(self.against_the_parent());
        warnings.extend(self.on_the_hold_out());
        warnings.extend(self.against_chance(best));
        warnings.extend(at_the_edge(genes));
        warnings.extend(self.lost_diversity(first));
        warnings.extend(self.still_improving(best));
        warnings.extend(self.proof.iter().flat_map(|proof| proof.notes.clone()));
        warnings.extend(self.manifest.warnings.iter().cloned());
        warnings
    }

    fn against_the_parent(&self) -> Option<String> {
        let reached = self.reached()?;
        let parent = reached.parent?;
        self.gain().filter(|gain| *gain <= 0.0)?;
        Some(format!(
            "The best ({}) is no better than {} ({}) even on the data it was bred on.",
            number(reached.value),
            reached.beside,
            number(parent)
        ))
    }

    fn on_the_hold_out(&self) -> Option<String> {
        let holdout = self.proof.as_ref()?.holdout.as_ref()?;
        let is_better = self.manifest.is_better(holdout.champion, holdout.parent);
        let is_told = |[low, high]: [f64; 2]| low > 0.0 || high < 0.0;
        if is_better && holdout.interval.is_some_and(is_told) {
            return None;
        }
        let interval = holdout
            .interval
            .map_or_else(|| "unknown".to_owned(), |it| interval_text(it, signed));
        Some(format!(
            "On positions it never saw the champion ({}) is not clearly better than its parent ({}), difference {interval}: \
             what it learnt may be the training data.",
            number(holdout.champion),
            number(holdout.parent)
        ))
    }

    /// Both are the best of the same number of members, judged on the same samples.
    fn against_chance(&self, best: &Generation) -> Option<String> {
        let random = self.random_best()?;
        (!self.manifest.is_better(best.best, random)).then(|| {
            format!(
                "Random search found as good a member ({}) with as many judgements: the breeder added nothing.",
                number(random)
            )
        })
    }

    /// The first generation with a dominant genome.
    pub(super) fn dominated(&self) -> Option<&Generation> {
        let mut lines = self.generations.iter();
        lines.find(|line| line.commonest > DOMINANT)
    }

    /// Whether and when one genome dominated the population, as text; `None` if genomes were not
    /// counted.
    pub fn takeover(&self) -> Option<String> {
        let most = self.generations.iter().map(|it| it.commonest);
        let most = most.fold(0.0, f64::max);
        let whole = self.generations.iter().map(|it| it.histogram.counts.iter());
        let population = whole.map(Iterator::sum::<u32>).max().unwrap_or(0);
        if most <= 0.0 {
            return None;
        }
        if most * f64::from(population) < 1.5 {
            return Some("no set took over: no two members were ever alike".to_owned());
        }
        Some(match self.dominated() {
            Some(line) => format!(
                "one set took over in generation {}: {} % of the population were alike",
                from_one(line.generation),
                number(100.0 * line.commonest)
            ),
            None => format!(
                "no set took over: the most common one had {} % of the population at most",
                number(100.0 * most)
            ),
        })
    }

    fn lost_diversity(&self, first: &Generation) -> Option<String> {
        let lost = |line: &Generation| line.diversity < 0.02 * first.diversity;
        let place = self.generations.iter().position(lost)?;
        (place < self.generations.len() / 2).then(|| {
            format!(
                "Diversity was all but lost by generation {}: what came after searched in one spot.",
                from_one(self.generations[place].generation)
            )
        })
    }

    fn still_improving(&self, best: &Generation) -> Option<String> {
        let count = self.generations.len();
        let place = self.generations.iter().position(|line| line == best)?;
        (count >= 20 && place >= count - count / 20).then(|| {
            "The best was still improving when the run ended; more generations may do better."
                .to_owned()
        })
    }
}

fn at_the_edge(genes: &[GeneRow]) -> Option<String> {
    let at_bound = genes.iter().filter(|gene| gene.at_bound());
    let names: Vec<&str> = at_bound.map(|gene| gene.name.as_str()).collect();
    let shown = &names[..names.len().min(MAX_NAMES)];
    let more = if shown.len() < names.len() {
        " …"
    } else {
        ""
    };
    (!names.is_empty()).then(|| {
        format!(
            "{} of {} ended at the edge of what they may be, so wider ranges may do better: {}{more}",
            counted(names.len() as u64, "gene"),
            genes.len(),
            shown.join(", ")
        )
    })
}
