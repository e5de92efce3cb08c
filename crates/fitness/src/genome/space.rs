//! What of a player is bred, and how a genome becomes a player.
//!
//! A **member** is a list of whole numbers: all weights of an evaluator in the order
//! of [`weights`](mendel_evaluator::AnyEvaluator::weights), and behind them, only
//! where search numbers are bred, all of those in the order of
//! [`TUNABLES`](SearchParams::TUNABLES). A gene is one of these numbers.

use mendel_engine::{Player, SearchParams};
use mendel_evaluator::{AnyEvaluator, EvaluatorError};
use mendel_evolve::{Bits, Bounds, Coding, CosyneSpace, Gene, Layout, RealVector};
use wildmatch::WildMatch;

use super::network::{self, Nets};
pub use super::settings::{CodingName, GenomeSettings, SpaceError, Start};

/// The genomes of a recipe and what they mean.
#[derive(Clone, Debug)]
pub struct Space {
    /// What the genomes are.
    pub kind: SpaceKind,
    slots: Vec<usize>,
    names: Vec<String>,
    /// The least and the largest value that each gene may stand for; what its bits
    /// could say beyond counts as the nearest.
    limits: Vec<[i32; 2]>,
    /// The parent as a member: what is not bred stays.
    base: Vec<i32>,
    weights: usize,
    /// The evaluator that members are networks of the kind of, where they are.
    template: Option<AnyEvaluator>,
}

/// What the genomes are.
#[derive(Clone, Debug)]
pub enum SpaceKind {
    /// Strings of bits.
    Bits(Layout),
    Reals(Vec<Bounds>),
    /// All weights of a network of layers; none of them is a gene by name.
    Synapses(CosyneSpace),
    /// Networks of genes; none of these has a name.
    Nets(Nets),
}

/// A published chromosome: the name of each number and its bits.
type Chromosome = &'static [(&'static str, u32)];

/// The published chromosomes, each with the value of code 0.
const PUBLISHED: [(&str, Chromosome, i64); 6] = [
    ("gerald", &super::GERALD, 0),
    ("lambda", &super::LAMBDA, 0),
    ("david", &super::DAVID, 0),
    ("gerald-search", &super::GERALD_SEARCH, 0),
    ("david-search", &super::DAVID_SEARCH, 0),
    ("cwu", &super::CWU, super::cwu::LOWEST),
];

/// What stands before the name of a search number in the name of its gene.
pub const SEARCH: &str = "search.";

/// Where no spread is given, real weights may go this far from the parent's.
const SPREAD: u32 = 200;

/// The most bits a weight needs.
const WIDEST: u32 = 15;

/// A weight may be whatever its gene says.
const ANY: [i32; 2] = [i32::MIN, i32::MAX];

struct Number {
    name: String,
    value: i32,
    limits: [i32; 2],
    /// A change that is worth trying, where it is known.
    step: Option<f64>,
    /// Whether it is never bred.
    fixed: bool,
}

/// A number that is bred: which, and as either kind of gene.
struct Planned {
    slot: usize,
    gene: Gene,
    bounds: Bounds,
    limits: [i32; 2],
}

impl Space {
    /// What `settings` make of a player.
    ///
    /// # Errors
    ///
    /// If a key does not fit the player or another key.
    pub fn new(parent: &Player, settings: &GenomeSettings) -> Result<Self, SpaceError> {
        settings.check()?;
        parent.used_evaluator().map_err(|error| SpaceError {
            key: "coding".to_owned(),
            reason: format!("there is nothing to breed: {error}; choose another parent"),
        })?;
        if settings.coding.is_network() {
            return Self::of_networks(parent, settings);
        }
        let (numbers, weights) = numbers(parent);
        if weights == 0 && needs_weights(settings) {
            return Err(SpaceError {
                key: "coding".to_owned(),
                reason: format!(
                    "the parent's evaluator, `{}`, has no weights to breed; choose another parent",
                    parent.evaluator.kind()
                ),
            });
        }
        let planned = match &settings.chromosome {
            Some(name) => published(name, &numbers)?,
            None => chosen(&numbers, weights, settings)?,
        };
        let search = planned.iter().any(|it| it.slot >= weights);
        let bred = if search { numbers.len() } else { weights };
        let names = planned.iter().map(|it| numbers[it.slot].name.clone());
        let names = names.collect();
        let slots = planned.iter().map(|it| it.slot).collect();
        let limits = planned.iter().map(|it| it.limits).collect();
        let genes = planned.iter().map(|it| it.gene.clone());
        let kind = match settings.coding {
            CodingName::Gray => bits(genes.collect(), Coding::Gray)?,
            CodingName::Binary => bits(genes.collect(), Coding::Binary)?,
            _ => SpaceKind::Reals(planned.into_iter().map(|it| it.bounds).collect()),
        };
        Ok(Self {
            kind,
            slots,
            names,
            limits,
            base: numbers[..bred].iter().map(|it| it.value).collect(),
            weights,
            template: None,
        })
    }

    /// The same for networks, whose numbers are too many to be genes with names.
    fn of_networks(parent: &Player, settings: &GenomeSettings) -> Result<Self, SpaceError> {
        let (template, kind) = match network::plan(&parent.evaluator, settings)? {
            network::Planned::Synapses(it, space) => (it, SpaceKind::Synapses(space)),
            network::Planned::Nets(it, nets) => (it, SpaceKind::Nets(nets)),
        };
        let base: Vec<i32> = match &template {
            AnyEvaluator::Mlp(mlp) => mlp.numbers().to_vec(),
            AnyEvaluator::Graph(graph) => graph.numbers().to_vec(),
            _ => Vec::new(),
        };
        Ok(Self {
            kind,
            slots: Vec::new(),
            names: Vec::new(),
            limits: Vec::new(),
            weights: base.len(),
            base,
            template: Some(template),
        })
    }

    /// The evaluator whose numbers members are: the parent's, or a network.
    pub fn evaluator<'a>(&'a self, parent: &'a Player) -> &'a AnyEvaluator {
        self.template.as_ref().unwrap_or(&parent.evaluator)
    }

    pub fn is_of_networks(&self) -> bool {
        self.template.is_some()
    }

    /// The network that a member is, where members are networks.
    pub fn network(&self, member: &[i32]) -> Option<AnyEvaluator> {
        self.template.as_ref()?.with_weights(member).ok()
    }

    /// Whether search numbers are bred, so that members have them.
    pub fn breeds_search(&self) -> bool {
        self.base.len() > self.weights
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub fn bounds(&self) -> Vec<[f64; 2]> {
        let ends: Vec<[f64; 2]> = match &self.kind {
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
            SpaceKind::Synapses(_) | SpaceKind::Nets(_) => Vec::new(),
        };
        let held = ends.into_iter().zip(&self.limits).map(|(ends, limits)| {
            let [low, high] = limits.map(f64::from);
            ends.map(|end| end.max(low).min(high))
        });
        held.collect()
    }

    pub fn genes_of(&self, member: &[i32]) -> Vec<f64> {
        self.slots
            .iter()
            .map(|&slot| f64::from(member[slot]))
            .collect()
    }

    pub fn base(&self) -> &[i32] {
        &self.base
    }

    pub fn slots(&self) -> &[usize] {
        &self.slots
    }

    pub fn from_bits(&self, bits: &Bits) -> Vec<i32> {
        let SpaceKind::Bits(layout) = &self.kind else {
            return self.base.clone();
        };
        self.with(layout.values(bits))
    }

    /// The member that a list of numbers describes, each rounded to the nearest
    /// whole number.
    pub fn from_reals(&self, reals: &RealVector) -> Vec<i32> {
        if matches!(self.kind, SpaceKind::Synapses(_)) {
            return network::numbers_of(reals);
        }
        self.with(reals.0.iter().map(|value| libm::round(*value) as i64))
    }

    fn with(&self, values: impl Iterator<Item = i64>) -> Vec<i32> {
        let mut member = self.base.clone();
        let genes = self.slots.iter().zip(&self.limits);
        for ((&slot, &[low, high]), value) in genes.zip(values) {
            member[slot] = value.clamp(low.into(), high.into()) as i32;
        }
        member
    }

    /// The bits of the parent, or why it has none.
    ///
    /// # Errors
    ///
    /// If a gene cannot hold the parent's number.
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

    /// A member of a space of real numbers as such; the inverse of
    /// [`from_reals`](Self::from_reals) but for rounding.
    pub fn to_reals(&self, member: &[i32]) -> RealVector {
        if matches!(self.kind, SpaceKind::Synapses(_)) {
            return network::reals_of(member);
        }
        RealVector(self.genes_of(member))
    }

    pub fn parent_reals(&self) -> RealVector {
        RealVector(self.genes_of(&self.base))
    }

    /// The player that a member is: `parent` with the member's numbers, a search
    /// number out of its range counting as the nearest in it.
    ///
    /// # Errors
    ///
    /// If the member is not one of this space, or has weights that the evaluator
    /// may not have.
    ///
    /// # Panics
    ///
    /// Never: a search number held in its range is taken.
    pub fn player(&self, parent: &Player, member: &[i32]) -> Result<Player, EvaluatorError> {
        if let Some(template) = &self.template {
            let mut player = parent.clone();
            player.evaluator = template.with_weights(member)?;
            return Ok(player);
        }
        if member.len() != self.base.len() {
            return Err(EvaluatorError::WrongCount {
                kind: parent.evaluator.kind(),
                needed: self.base.len(),
                found: member.len(),
            });
        }
        let (weights, search) = member.split_at(self.weights);
        let mut player = parent.clone();
        // An evaluator without weights takes none, not even an empty list.
        if !weights.is_empty() {
            player.evaluator = parent.evaluator.with_weights(weights)?;
        }
        for (tunable, &value) in SearchParams::TUNABLES.iter().zip(search) {
            let value = value.clamp(tunable.low, tunable.high);
            let set = player.params.set(tunable.name, value.into());
            set.expect("a number of the table within its range");
        }
        Ok(player)
    }
}

/// All numbers of a player, as a member that breeds its search has them, and how
/// many of them are weights.
fn numbers(parent: &Player) -> (Vec<Number>, usize) {
    let weights = parent.evaluator.weights();
    let count = weights.len();
    let weights = weights.into_iter().map(|weight| Number {
        name: weight.name,
        value: weight.value,
        limits: ANY,
        step: None,
        fixed: weight.fixed,
    });
    let search = SearchParams::TUNABLES.iter().map(|tunable| Number {
        name: format!("{SEARCH}{}", tunable.name),
        value: parent.params.get(tunable.name).unwrap_or(tunable.default),
        limits: [tunable.low, tunable.high],
        step: Some(tunable.step.into()),
        fixed: false,
    });
    (weights.chain(search).collect(), count)
}

/// Whether weights are to be bred.
fn needs_weights(settings: &GenomeSettings) -> bool {
    let Some(name) = &settings.chromosome else {
        return !settings.weight_patterns().is_empty();
    };
    let mut known = PUBLISHED.iter().filter(|(known, ..)| known == name);
    known.any(|(_, genes, _)| genes.iter().any(|(gene, _)| !gene.starts_with(SEARCH)))
}

fn published(name: &str, numbers: &[Number]) -> Result<Vec<Planned>, SpaceError> {
    let complain = |reason: String| SpaceError {
        key: "chromosome".to_owned(),
        reason,
    };
    let Some((_, table, lowest)) = PUBLISHED.iter().find(|(known, ..)| *known == name) else {
        let known: Vec<&str> = PUBLISHED.iter().map(|(name, ..)| *name).collect();
        return Err(complain(format!(
            "there is no published chromosome `{name}`; there are `{}`",
            known.join("`, `")
        )));
    };
    let mut planned = Vec::with_capacity(table.len());
    for (gene, bits) in *table {
        let slot = numbers.iter().position(|number| number.name == *gene);
        let Some(slot) = slot else {
            return Err(complain(format!(
                "`{name}` breeds the weight `{gene}`, which the parent's evaluator does not have; choose another parent"
            )));
        };
        let Number { value, limits, .. } = numbers[slot];
        // A gene without bits stays what the parent has.
        let offset = if *bits == 0 {
            i64::from(value)
        } else {
            *lowest
        };
        let last = offset + (1 << bits) - 1;
        let [low, high] = limits.map(i64::from);
        let ends = [offset, last].map(|end| end.clamp(low, high) as f64);
        planned.push(Planned {
            slot,
            gene: Gene {
                offset,
                ..Gene::new(*gene, *bits)
            },
            bounds: Bounds {
                step: numbers[slot].step,
                ..Bounds::new(*gene, ends[0], ends[1])
            },
            limits,
        });
    }
    Ok(planned)
}

/// Genes around the parent's numbers: `weights` of them are weights.
fn chosen(
    numbers: &[Number],
    weights: usize,
    settings: &GenomeSettings,
) -> Result<Vec<Planned>, SpaceError> {
    // 1. Which numbers.
    let (weights, search) = numbers.split_at(weights);
    let first = weights.len();
    let named: Vec<&str> = weights.iter().map(|it| it.name.as_str()).collect();
    let bred = matching(&settings.weight_patterns(), &named).map_err(|text| SpaceError {
        key: "weights".to_owned(),
        reason: format!("no weight of the parent is called `{text}`; `mendel eval` shows them"),
    })?;
    let named: Vec<&str> = search.iter().map(|it| &it.name[SEARCH.len()..]).collect();
    let bred_search = matching(&settings.search, &named).map_err(|text| SpaceError {
        key: "search".to_owned(),
        reason: format!(
            "there is no search number `{text}`; they are the options that `mendel uci` lists"
        ),
    })?;

    // 2. How far weights may go.
    let reach = Reach::new(settings)?;
    let mut planned: Vec<Planned> = bred
        .into_iter()
        .filter(|&slot| !weights[slot].fixed)
        .map(|slot| reach.weight(slot, &weights[slot]))
        .collect();

    // 3. How far search numbers may go.
    let searching = bred_search.into_iter().map(|at| {
        let number = &search[at];
        searched(first + at, number, settings.window.unwrap_or(1.0))
    });
    planned.extend(searching);
    Ok(planned)
}

/// Which names the patterns match, in the order of the names; or the pattern that
/// matches none.
fn matching<'a>(patterns: &'a [String], names: &[&str]) -> Result<Vec<usize>, &'a str> {
    let wild: Vec<WildMatch> = patterns.iter().map(|it| WildMatch::new(it)).collect();
    let mut tested = patterns.iter().zip(&wild);
    let idle = tested.find(|(_, it)| !names.iter().any(|name| it.matches(name)));
    match idle {
        Some((text, _)) => Err(text),
        None => Ok((0..names.len())
            .filter(|&at| wild.iter().any(|it| it.matches(names[at])))
            .collect()),
    }
}

/// How far weights go from the parent's.
struct Reach {
    spread: u32,
    width: u32,
}

impl Reach {
    fn new(settings: &GenomeSettings) -> Result<Self, SpaceError> {
        let spread = settings.spread.unwrap_or(SPREAD);
        if !(1..=16_000).contains(&spread) {
            return Err(SpaceError {
                key: "spread".to_owned(),
                reason: "must be from 1 to 16000".to_owned(),
            });
        }
        let width = settings
            .bits
            .unwrap_or(WIDEST.min((2 * spread).ilog2() + 1));
        if !(1..=WIDEST).contains(&width) {
            return Err(SpaceError {
                key: "bits".to_owned(),
                reason: format!("must be from 1 to {WIDEST}"),
            });
        }
        Ok(Self { spread, width })
    }

    fn weight(&self, slot: usize, number: &Number) -> Planned {
        let value = f64::from(number.value);
        let spread = f64::from(self.spread);
        Planned {
            slot,
            gene: Gene {
                // The parent stands in the middle of the range.
                offset: i64::from(number.value) - (1 << (self.width - 1)),
                ..Gene::new(&number.name, self.width)
            },
            bounds: Bounds {
                start: value,
                ..Bounds::new(&number.name, value - spread, value + spread)
            },
            limits: ANY,
        }
    }
}

/// A search number within a share of its range around the parent's value; at least
/// one to either side, or a switch could never be thrown.
fn searched(slot: usize, number: &Number, share: f64) -> Planned {
    let [low, high] = number.limits;
    let half = f64::from(high - low) * share / 2.0;
    let half = (libm::ceil(half) as i32).max(1);
    let [low, high] = if share < 1.0 {
        [low.max(number.value - half), high.min(number.value + half)]
    } else {
        [low, high]
    };
    let codes = u32::try_from(high - low).unwrap_or(0);
    Planned {
        slot,
        gene: Gene {
            offset: low.into(),
            ..Gene::new(&number.name, codes.checked_ilog2().map_or(0, |it| it + 1))
        },
        bounds: Bounds {
            start: number.value.into(),
            step: number.step,
            ..Bounds::new(&number.name, low.into(), high.into())
        },
        limits: [low, high],
    }
}

fn bits(genes: Vec<Gene>, coding: Coding) -> Result<SpaceKind, SpaceError> {
    Layout::new(genes, coding)
        .map(SpaceKind::Bits)
        .map_err(|error| SpaceError {
            key: "bits".to_owned(),
            reason: error.to_string(),
        })
}
