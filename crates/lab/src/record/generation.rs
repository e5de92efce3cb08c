//! Lines of the journals of a breeding run: generations, lineage, genotypes, external tests.

use std::collections::BTreeMap;

use mendel_arena::{EndReason, PairGame};
use mendel_evolve::{MemberId, Origin};
pub use mendel_fitness::genome::Genotype;
use mendel_store::Record;
use serde::{Deserialize, Serialize};

use crate::trial::{IncumbentNote, LadderPoint};

/// A line of `generations.jsonl`: how one generation did. Nothing in it comes
/// from a clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    pub generation: u32,
    /// Single judgements so far: members times positions or games.
    pub judgements: u64,
    /// The fitness of the best, the mean and the worst member, as the trial
    /// reports it to people (an error counts downwards, see the manifest).
    pub best: f64,
    pub mean: f64,
    pub worst: f64,
    pub deviation: f64,
    /// How different the members are: the mean distance of genomes from the mean
    /// genome, as a share of the widest possible (0 all alike, 1 as far as can be).
    pub diversity: f64,
    /// The share of members that are the most common one; 0 where it was not counted.
    #[serde(default)]
    pub commonest: f64,
    /// What random search had found with as many judgements, if it ran beside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random_best: Option<f64>,
    pub best_member: MemberId,
    /// The genes of the best, as values, in the order of the manifest's genes.
    pub genes: Vec<f64>,
    pub gene_means: Vec<f64>,
    /// How many members fall into each of the bins between the lowest and the
    /// highest fitness of this generation.
    pub histogram: Histogram,
    /// Who is king after this generation, where there are kings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub king: Option<IncumbentNote>,
    /// How strong the best is among players that stay the same, where a ladder
    /// measures it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ladder: Option<LadderPoint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub networks: Option<Networks>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Networks {
    /// The mean distance of two members: the length of the difference of their
    /// weights, or what NEAT means by it.
    pub distance: f64,
    /// The share of members in which nothing leads from an input to the output, so
    /// that they answer the same to every position; of networks of layers none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub empty: Option<f64>,
    /// The share of members whose network has more nodes or connections than can play,
    /// and which a network that always answers 0 replaces; they are not counted as empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub too_large: Option<f64>,
    /// Hidden nodes that count and edges, on average over those that can play, where
    /// that can change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<[f64; 2]>,
    /// The species, the oldest first, where there are species.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub species: Vec<SpeciesLine>,
    /// How often no species was left that might breed, so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extinctions: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeciesLine {
    /// Its number in the run's stage.
    pub id: u32,
    pub size: u32,
    pub age: u32,
    /// The best fitness of its members in this generation, as the trial reports it.
    pub best: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    pub low: f64,
    pub high: f64,
    pub counts: Vec<u32>,
}

/// Bins of a histogram of fitness.
const BINS: usize = 24;

impl Histogram {
    /// Counts in bins of equal width from the lowest to the highest.
    pub fn of(values: &[f64]) -> Self {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !(low.is_finite() && high.is_finite()) {
            return Self::default();
        }
        let mut counts = vec![0; BINS];
        let width = (high - low) / BINS as f64;
        for value in values {
            let bin = if width > 0.0 {
                ((value - low) / width) as usize
            } else {
                0
            };
            counts[bin.min(BINS - 1)] += 1;
        }
        Self { low, high, counts }
    }
}

impl Record for Generation {}

/// A line of `lineage.jsonl`: whose children the members of one generation are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "WrittenLineage", try_from = "WrittenLineage")]
pub struct Lineage {
    pub generation: u32,
    pub parents: Vec<Vec<MemberId>>,
    pub origins: Vec<Origin>,
}

impl Record for Lineage {}

/// A lineage as it is written: a run has hundreds of thousands of members, and
/// nearly every parent is of the generation before.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct WrittenLineage {
    generation: u32,
    /// A letter for each member.
    origins: String,
    parents: Vec<Vec<WrittenParent>>,
}

/// A parent: its place in the generation before, or a generation and a place.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenParent {
    Before(u32),
    Older(u32, u32),
}

const LETTERS: [(Origin, char); 10] = [
    (Origin::Random, 'r'),
    (Origin::Given, 'g'),
    (Origin::Elite, 'e'),
    (Origin::Crossover, 'x'),
    (Origin::Mutation, 'm'),
    (Origin::Copy, 'c'),
    (Origin::HallOfFame, 'h'),
    (Origin::Step, 's'),
    (Origin::Probe, 'p'),
    (Origin::Permutation, 'y'),
];

impl From<Lineage> for WrittenLineage {
    fn from(lineage: Lineage) -> Self {
        let letter = |origin: &Origin| {
            let found = LETTERS.iter().find(|(known, _)| known == origin);
            found.map_or('?', |(_, letter)| *letter)
        };
        let written = |parent: &MemberId| {
            if parent.generation + 1 == lineage.generation {
                WrittenParent::Before(parent.member)
            } else {
                WrittenParent::Older(parent.generation, parent.member)
            }
        };
        let all = |parents: &Vec<MemberId>| parents.iter().map(written).collect();
        Self {
            generation: lineage.generation,
            origins: lineage.origins.iter().map(letter).collect(),
            parents: lineage.parents.iter().map(all).collect(),
        }
    }
}

impl TryFrom<WrittenLineage> for Lineage {
    type Error = String;

    fn try_from(written: WrittenLineage) -> Result<Self, String> {
        let origin = |letter: char| {
            let found = LETTERS.iter().find(|(_, known)| *known == letter);
            found
                .map(|(origin, _)| *origin)
                .ok_or_else(|| format!("`{letter}` stands for no origin"))
        };
        let parent = |parent: &WrittenParent| match *parent {
            WrittenParent::Before(member) => MemberId {
                generation: written.generation.saturating_sub(1),
                member,
            },
            WrittenParent::Older(generation, member) => MemberId { generation, member },
        };
        let all = |parents: &Vec<WrittenParent>| parents.iter().map(parent).collect();
        Ok(Self {
            generation: written.generation,
            origins: written
                .origins
                .chars()
                .map(origin)
                .collect::<Result<_, _>>()?,
            parents: written.parents.iter().map(all).collect(),
        })
    }
}

/// A line of `genotypes.jsonl`: all members of one generation. A run writes it as
/// often as `[report] keep-genotypes` says, and not by default: it is by far the longest of
/// its records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Genotypes {
    pub generation: u32,
    pub members: Vec<Genotype>,
}

impl Record for Genotypes {}

/// A line of `external-test.jsonl`: a generation in one row. A clock decided: another time, or on
/// another machine, it is another line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExamLine {
    /// Generations that were bred, as papers count them: from 1.
    pub generation: u32,
    /// The row, from 0.
    pub row: usize,
    /// The opponent, as the recipe names it; `None` if none of the row could be started.
    pub opponent: Option<String>,
    pub losses: u64,
    pub draws: u64,
    pub wins: u64,
    /// Half-moves of the lost games: with White, with Black.
    pub lost: [Vec<u32>; 2],
    /// The members' own first moves, with White and with Black, and how often each was
    /// played, by name.
    #[serde(default)]
    pub opened: [BTreeMap<String, u64>; 2],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Record for ExamLine {}

impl ExamLine {
    /// Counts games, those of the member with White first in each pair, and returns how many are
    /// not counted: what a fault or a clock decided says nothing of the member.
    pub fn count(&mut self, played: &[[PairGame; 2]]) -> u64 {
        let mut faults = 0;
        for (colour, game) in played.iter().flat_map(|games| games.iter().enumerate()) {
            if *game == PairGame::NONE {
                continue;
            }
            if game.reason.is_fault() || game.reason == EndReason::Time {
                faults += 1;
                continue;
            }
            if let Some(opened) = game.first.iter().nth(colour) {
                *self.opened[colour].entry(opened.to_owned()).or_default() += 1;
            }
            match game.points {
                1.. => self.wins += 1,
                0 => self.draws += 1,
                ..0 => {
                    self.losses += 1;
                    self.lost[colour].push(game.plies);
                }
            }
        }
        faults
    }
}
