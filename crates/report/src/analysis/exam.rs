//! External tests: games of each generation against external engines, the published results, and the
//! lengths of lost games.

use std::collections::{BTreeMap, BTreeSet};

use mendel_arena::Entrant;
use mendel_lab::recipe::{Figure, Published};
use mendel_lab::record::ExamLine;
use serde::Serialize;

use super::welch::{Measurements, WelchTest, compare};

/// The external tests of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExternalTestReport {
    pub lines: Vec<ExamLine>,
    /// Published shares in per cent (lost, drawn, won) by generation.
    pub published: Vec<(u32, [f64; 3])>,
}

/// The results of a generation in one row; shares are in per cent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Examined {
    /// Number of bred generations; `None` is the sum.
    pub generation: Option<u32>,
    /// The row of the recipe, from 0.
    pub row: usize,
    pub opponent: String,
    /// Games of all members.
    pub games: u64,
    /// Lost, drawn, won; `None` if there are no games.
    pub shares: Option<[f64; 3]>,
    /// The published shares.
    pub paper: Option<[f64; 3]>,
    /// The reason why games are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Lengths in plies of the games that members lost against one opponent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExamLengths {
    /// The row of the recipe, from 0.
    pub row: usize,
    pub opponent: String,
    /// White against Black for each generation, then the sum.
    pub colours: Vec<ColourLengths>,
    /// Each pair of generations, both colours together.
    pub generations: Vec<WelchTest>,
}

/// Lost games with White and with Black in one generation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColourLengths {
    /// Number of bred generations; `None` is the sum.
    pub generation: Option<u32>,
    /// With White and with Black, as below.
    pub games: [usize; 2],
    pub mean: [Option<f64>; 2],
    /// The standard deviation of the sample.
    pub deviation: [Option<f64>; 2],
    /// The p-value of the difference of the colours (Welch), corrected for the number of compared
    /// generations (Bonferroni).
    pub corrected: Option<f64>,
}

/// Maximum number of generations that are compared with each other; they are evenly spaced, and the
/// last is among them.
const MAX_COMPARED: usize = 12;

impl ExternalTestReport {
    /// The recorded results, with the published ones of a recipe.
    pub fn new(lines: Vec<ExamLine>, figures: &[Figure]) -> Self {
        let published = figures.iter().filter_map(|figure| {
            let generation = examined(figure.ours.as_deref()?)?;
            Some((generation, shares_in(&figure.paper)?))
        });
        Self {
            lines,
            published: published.collect(),
        }
    }

    /// The rows of the recipe, each with its opponent.
    pub fn rows(&self) -> Vec<(usize, String)> {
        let mut rows: BTreeMap<usize, String> = BTreeMap::new();
        for line in &self.lines {
            let known = rows.entry(line.row).or_default();
            if known.is_empty() {
                *known = line.opponent.as_deref().map(opponent).unwrap_or_default();
            }
        }
        let named = |(row, name): (usize, String)| match name.as_str() {
            "" => (row, format!("row {}", row + 1)),
            _ => (row, name),
        };
        rows.into_iter().map(named).collect()
    }

    /// The tested and the published generations, in ascending order.
    pub fn generations(&self) -> Vec<u32> {
        let own = self.lines.iter().map(|line| line.generation);
        let all: BTreeSet<u32> = own.chain(self.published.iter().map(|it| it.0)).collect();
        all.into_iter().collect()
    }

    /// The published shares of a generation.
    pub fn paper(&self, generation: u32) -> Option<[f64; 3]> {
        let published = self.published.iter().find(|it| it.0 == generation);
        published.map(|(_, shares)| *shares)
    }

    /// The mean of all published shares.
    pub fn paper_mean(&self) -> Option<[f64; 3]> {
        let count = self.published.len() as f64;
        let sum = |part: usize| self.published.iter().map(|it| it.1[part]).sum::<f64>();
        (!self.published.is_empty()).then(|| [0, 1, 2].map(|part| sum(part) / count))
    }

    /// The results of a generation in one row; `None` if it was not tested.
    pub fn own(&self, generation: u32, row: usize) -> Option<Examined> {
        let mut lines = self.lines.iter();
        let line = lines.find(|it| (it.generation, it.row) == (generation, row))?;
        Some(Examined {
            generation: Some(generation),
            row,
            opponent: line.opponent.as_deref().map(opponent).unwrap_or_default(),
            games: line.losses + line.draws + line.wins,
            shares: shares([line.losses, line.draws, line.wins]),
            paper: self.paper(generation),
            note: line.note.clone(),
        })
    }

    /// All results row by row, each row followed by its sum.
    pub fn all(&self) -> Vec<Examined> {
        let mut found = Vec::new();
        for (row, opponent) in self.rows() {
            let generations = self.generations();
            found.extend(generations.iter().filter_map(|&it| self.own(it, row)));
            let own = self.lines.iter().filter(|line| line.row == row);
            let counts = own.fold([0; 3], |[lost, drawn, won], line| {
                [lost + line.losses, drawn + line.draws, won + line.wins]
            });
            found.push(Examined {
                generation: None,
                row,
                opponent,
                games: counts.iter().sum(),
                shares: shares(counts),
                paper: self.paper_mean(),
                note: None,
            });
        }
        found
    }

    /// The lengths of lost games.
    pub fn lengths(&self) -> Vec<ExamLengths> {
        let rows = self.rows().into_iter();
        rows.map(|(row, opponent)| {
            let own: Vec<&ExamLine> = self.lines.iter().filter(|it| it.row == row).collect();
            let every = own.len().div_ceil(MAX_COMPARED).max(1);
            // Counted from the end, so that the last is among them.
            let mut some: Vec<&ExamLine> = own.iter().rev().step_by(every).copied().collect();
            some.reverse();
            let of_one = |line: &&ExamLine| colours(Some(line.generation), &line.lost);
            let mut colours: Vec<ColourLengths> = some.iter().map(of_one).collect();
            let compared = colours.iter().filter(|it| it.corrected.is_some()).count();
            for it in &mut colours {
                it.corrected = it.corrected.map(|p| (p * compared as f64).min(1.0));
            }
            let all = [0, 1].map(|side| own.iter().flat_map(|it| it.lost[side].clone()).collect());
            colours.push(self::colours(None, &all));
            let groups = some.iter().map(|line| {
                let name = line.generation.to_string();
                Measurements::of_lengths(name, &line.lost.concat())
            });
            let groups: Vec<Measurements> = groups.collect();
            ExamLengths {
                row,
                opponent,
                colours,
                generations: compare(&groups),
            }
        })
        .collect()
    }

    /// The first moves of members in one row, with White (0) or with Black (1), the most frequent
    /// first.
    pub fn opened(&self, row: usize, side: usize) -> Vec<(String, u64)> {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for line in self.lines.iter().filter(|line| line.row == row) {
            for (text, count) in &line.opened[side] {
                *counts.entry(text).or_default() += count;
            }
        }
        let counts = counts.into_iter().map(|it| (it.0.to_owned(), it.1));
        super::games::most_frequent(counts)
    }
}

/// The lengths of one generation, with an uncorrected p-value.
fn colours(generation: Option<u32>, lost: &[Vec<u32>; 2]) -> ColourLengths {
    let groups = lost
        .each_ref()
        .map(|lengths| Measurements::of_lengths("", lengths));
    let known = |value: f64| value.is_finite().then_some(value);
    ColourLengths {
        generation,
        games: groups.each_ref().map(|it| it.values.len()),
        mean: groups.each_ref().map(|it| known(it.mean())),
        deviation: groups.each_ref().map(|it| known(it.variance().sqrt())),
        corrected: compare(&groups).first().map(|it| it.p),
    }
}

fn shares(counts: [u64; 3]) -> Option<[f64; 3]> {
    let all: u64 = counts.iter().sum();
    (all > 0).then(|| counts.map(|count| 100.0 * count as f64 / all as f64))
}

/// The generation of a name such as `exam.25`.
pub(crate) fn examined(name: &str) -> Option<u32> {
    name.strip_prefix("exam.")?.parse().ok()
}

/// Three published shares, such as `95.8 %, 1.0 %, 3.1 %`.
fn shares_in(published: &Published) -> Option<[f64; 3]> {
    let Published::Words(words) = published else {
        return None;
    };
    let mut parts = words.split(',').map(|part| {
        let number = part.trim().trim_end_matches('%').trim_end();
        number.parse().ok()
    });
    let shares = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(shares)
}

/// The short name of an opponent: the engine and the options that limit its strength.
fn opponent(text: &str) -> String {
    let Ok(entrant) = Entrant::parse(text) else {
        return text.to_owned();
    };
    let said = entrant.options.iter();
    let said = said.filter(|(name, _)| name != "Hash" && name != "UCI_LimitStrength");
    let options: Vec<String> = said
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    if options.is_empty() {
        entrant.name
    } else {
        format!("{}, {}", entrant.name, options.join(", "))
    }
}
