//! What of a player is bred, and how a genome becomes its weights.

use mendel_evaluator::{AnyEvaluator, Weight};
use mendel_evolve::{Bits, Bounds, Coding, Gene, Layout, Reals};
use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

/// The table `[genome]` of a recipe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenomeSettings {
    /// How weights are written.
    pub coding: CodingName,
    /// Published widths of the genes; else all weights that `weights` names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chromosome: Option<String>,
    /// Names of the weights that are bred, with `*` for any text; all others
    /// stay the parent's.
    #[serde(default = "every_weight")]
    pub weights: Vec<String>,
    /// Bits for each weight, where no published chromosome says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits: Option<u32>,
    /// How far a weight may go from the parent's, in centipawns, where no
    /// published chromosome says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<u32>,
    /// Where the first generation comes from.
    #[serde(default)]
    pub start: Start,
}

fn every_weight() -> Vec<String> {
    vec!["*".to_owned()]
}

impl GenomeSettings {
    /// Refuses keys that would silently mean nothing.
    fn check(&self) -> Result<(), SpaceError> {
        let published = self.chromosome.is_some();
        let real = self.coding == CodingName::Real;
        let table = [
            ("weights", published && self.weights != every_weight()),
            ("bits", self.bits.is_some() && (published || real)),
            (
                "spread",
                self.spread.is_some() && (published || self.bits.is_some()),
            ),
        ];
        match table.iter().find(|(_, idle)| *idle) {
            None => Ok(()),
            Some((key, _)) => Err(SpaceError {
                key,
                reason: "means nothing here: the range of the genes is set by `chromosome`, \
                         by `bits` or by `spread`, one of them"
                    .to_owned(),
            }),
        }
    }
}

/// How weights are written in a genome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CodingName {
    /// Bits, in Gray code.
    Gray,
    /// Bits, in plain binary.
    Binary,
    /// Real numbers.
    Real,
}

/// Where the first generation comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Chance alone.
    #[default]
    Random,
    /// The parent, and what the breeder makes of it.
    Parent,
}

/// What is wrong with a `[genome]` table: which key, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SpaceError {
    pub(crate) key: &'static str,
    pub(crate) reason: String,
}

/// The genomes of a recipe and what they mean.
#[derive(Clone, Debug)]
pub struct Space {
    /// What the genomes are.
    pub kind: SpaceKind,
    /// Which weight each gene is.
    slots: Vec<usize>,
    names: Vec<String>,
    /// The parent's weights: what is not bred stays.
    base: Vec<i32>,
}

/// What the genomes are.
#[derive(Clone, Debug)]
pub enum SpaceKind {
    /// Strings of bits.
    Bits(Layout),
    /// Lists of real numbers.
    Reals(Vec<Bounds>),
}

/// A published chromosome: the name of each weight and its bits.
type Chromosome = &'static [(&'static str, u32)];

/// The published chromosomes.
const PUBLISHED: [(&str, Chromosome); 3] = [
    ("gerald", &super::GERALD),
    ("lambda", &super::LAMBDA),
    ("david", &super::DAVID),
];

/// Where no spread is given, real weights may go this far from the parent's.
const SPREAD: u32 = 200;

/// The most bits a weight needs.
const WIDEST: u32 = 15;

impl Space {
    /// What `settings` make of a player with this evaluator.
    pub(crate) fn new(
        evaluator: &AnyEvaluator,
        settings: &GenomeSettings,
    ) -> Result<Self, SpaceError> {
        let weights = evaluator.weights();
        if weights.is_empty() {
            return Err(SpaceError {
                key: "coding",
                reason: format!(
                    "the parent's evaluator, `{}`, has no weights to breed; choose another parent",
                    evaluator.kind()
                ),
            });
        }
        settings.check()?;
        let base: Vec<i32> = weights.iter().map(|weight| weight.value).collect();
        let (slots, kind) = match &settings.chromosome {
            Some(name) => published(name, &weights, settings)?,
            None => chosen(&weights, settings)?,
        };
        let names = slots.iter().map(|&slot| weights[slot].name.clone());
        Ok(Self {
            names: names.collect(),
            kind,
            slots,
            base,
        })
    }

    /// The genes' names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The least and the largest value of each gene.
    pub fn bounds(&self) -> Vec<[f64; 2]> {
        match &self.kind {
            SpaceKind::Bits(layout) => layout
                .genes()
                .iter()
                .map(|gene| {
                    let last = gene.offset + gene.step * ((1 << gene.bits) - 1);
                    [gene.offset as f64, last as f64]
                })
                .collect(),
            SpaceKind::Reals(bounds) => {
                let ends = bounds.iter().map(|bounds| [bounds.low, bounds.high]);
                ends.collect()
            }
        }
    }

    /// The genes of a player with these weights, as numbers.
    pub fn genes_of(&self, weights: &[i32]) -> Vec<f64> {
        self.slots
            .iter()
            .map(|&slot| f64::from(weights[slot]))
            .collect()
    }

    /// The parent's weights.
    pub fn base(&self) -> &[i32] {
        &self.base
    }

    /// Which weight each gene is.
    pub fn slots(&self) -> &[usize] {
        &self.slots
    }

    /// All weights of the player that a string of bits describes.
    pub fn from_bits(&self, bits: &Bits) -> Vec<i32> {
        let SpaceKind::Bits(layout) = &self.kind else {
            return self.base.clone();
        };
        self.with(layout.values(bits).map(|value| value as i32))
    }

    /// All weights of the player that a list of numbers describes, each rounded
    /// to the nearest whole number.
    pub fn from_reals(&self, reals: &Reals) -> Vec<i32> {
        self.with(reals.0.iter().map(|value| libm::round(*value) as i32))
    }

    fn with(&self, values: impl Iterator<Item = i32>) -> Vec<i32> {
        let mut weights = self.base.clone();
        for (&slot, value) in self.slots.iter().zip(values) {
            weights[slot] = value;
        }
        weights
    }

    /// The bits of the parent, or why it has none.
    ///
    /// # Errors
    ///
    /// If a gene cannot hold the parent's weight.
    pub fn parent_bits(&self) -> Result<Bits, String> {
        let SpaceKind::Bits(layout) = &self.kind else {
            return Err("the genomes are no strings of bits".to_owned());
        };
        let values: Vec<i64> = self
            .slots
            .iter()
            .map(|&slot| i64::from(self.base[slot]))
            .collect();
        layout.encode(&values).map_err(|error| error.to_string())
    }

    /// The parent as real numbers.
    pub fn parent_reals(&self) -> Reals {
        Reals(self.genes_of(&self.base))
    }
}

/// The genes of a published chromosome.
fn published(
    name: &str,
    weights: &[Weight],
    settings: &GenomeSettings,
) -> Result<(Vec<usize>, SpaceKind), SpaceError> {
    let complain = |reason: String| SpaceError {
        key: "chromosome",
        reason,
    };
    let Some((_, table)) = PUBLISHED.iter().find(|(known, _)| *known == name) else {
        let known: Vec<&str> = PUBLISHED.iter().map(|(name, _)| *name).collect();
        return Err(complain(format!(
            "there is no published chromosome `{name}`; there are `{}`",
            known.join("`, `")
        )));
    };
    let mut slots = Vec::with_capacity(table.len());
    let mut genes = Vec::with_capacity(table.len());
    for (gene, bits) in *table {
        let slot = weights.iter().position(|weight| weight.name == *gene);
        let Some(slot) = slot else {
            return Err(complain(format!(
                "`{name}` breeds the weight `{gene}`, which the parent's evaluator does not have; choose another parent"
            )));
        };
        // A gene without bits stays what the parent has.
        let offset = if *bits == 0 { weights[slot].value } else { 0 };
        genes.push(Gene {
            offset: offset.into(),
            ..Gene::new(*gene, *bits)
        });
        slots.push(slot);
    }
    let kind = match settings.coding {
        CodingName::Gray => bits(genes, Coding::Gray)?,
        CodingName::Binary => bits(genes, Coding::Binary)?,
        CodingName::Real => SpaceKind::Reals(
            genes
                .iter()
                .map(|gene| {
                    let last = gene.offset + (1 << gene.bits) - 1;
                    Bounds::new(&gene.name, gene.offset as f64, last as f64)
                })
                .collect(),
        ),
    };
    Ok((slots, kind))
}

/// Genes around the parent's weights.
fn chosen(
    weights: &[Weight],
    settings: &GenomeSettings,
) -> Result<(Vec<usize>, SpaceKind), SpaceError> {
    // 1. Which weights.
    let patterns: Vec<WildMatch> = settings
        .weights
        .iter()
        .map(|it| WildMatch::new(it))
        .collect();
    let idle = settings
        .weights
        .iter()
        .zip(&patterns)
        .find(|(_, pattern)| !weights.iter().any(|weight| pattern.matches(&weight.name)));
    if let Some((text, _)) = idle {
        return Err(SpaceError {
            key: "weights",
            reason: format!("no weight of the parent is called `{text}`; `mendel eval` shows them"),
        });
    }
    let slots: Vec<usize> = (0..weights.len())
        .filter(|&slot| patterns.iter().any(|it| it.matches(&weights[slot].name)))
        .collect();

    // 2. How far they may go.
    let spread = i64::from(settings.spread.unwrap_or(SPREAD));
    if !(1..=16_000).contains(&spread) {
        return Err(SpaceError {
            key: "spread",
            reason: "must be from 1 to 16000".to_owned(),
        });
    }
    let width = settings
        .bits
        .unwrap_or(WIDEST.min((2 * spread).ilog2() + 1));
    if !(1..=WIDEST).contains(&width) {
        return Err(SpaceError {
            key: "bits",
            reason: format!("must be from 1 to {WIDEST}"),
        });
    }

    // 3. As bits or as numbers.
    let kind = match settings.coding {
        CodingName::Real => SpaceKind::Reals(
            slots
                .iter()
                .map(|&slot| {
                    let value = f64::from(weights[slot].value);
                    let spread = spread as f64;
                    Bounds {
                        start: value,
                        ..Bounds::new(&weights[slot].name, value - spread, value + spread)
                    }
                })
                .collect(),
        ),
        coding => {
            let genes = slots.iter().map(|&slot| Gene {
                // The parent stands in the middle of the range.
                offset: i64::from(weights[slot].value) - (1 << (width - 1)),
                ..Gene::new(&weights[slot].name, width)
            });
            let coding = match coding {
                CodingName::Gray => Coding::Gray,
                _ => Coding::Binary,
            };
            bits(genes.collect(), coding)?
        }
    };
    Ok((slots, kind))
}

fn bits(genes: Vec<Gene>, coding: Coding) -> Result<SpaceKind, SpaceError> {
    Layout::new(genes, coding)
        .map(SpaceKind::Bits)
        .map_err(|error| SpaceError {
            key: "bits",
            reason: error.to_string(),
        })
}
