//! A genome of any kind, and the player that it stands for.

use mendel_evolve::{Bits, Genome, NetGenome, RealVector};

use super::genotype::Genotype;
use super::network::{Nets, fixed};
use super::space::{Space, SpaceKind};

/// A genome that stands for the numbers of a player.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyGenome {
    Bits(Bits),
    Reals(RealVector),
    Net(NetGenome),
}

/// What a space's genomes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenomeKind {
    Bits,
    Reals,
    /// All weights of a network of layers, as real numbers.
    Synapses,
    /// The nodes and links of a network that grows.
    Net,
}

impl GenomeKind {
    /// As messages name such genomes.
    pub(crate) fn plural(self) -> &'static str {
        match self {
            Self::Bits => "strings of bits",
            Self::Reals => "real numbers that are no network",
            Self::Synapses => "the weights of a network",
            Self::Net => "networks that grow",
        }
    }

    /// The codings of such genomes, as recipes write them.
    pub(crate) fn codings(self) -> &'static str {
        match self {
            Self::Bits => "\"gray\" or \"binary\"",
            Self::Reals => "\"real\"",
            Self::Synapses => "\"synapses\"",
            Self::Net => "\"net\" or \"cppn\"",
        }
    }
}

impl Space {
    pub fn genome_kind(&self) -> GenomeKind {
        match self.kind {
            SpaceKind::Bits(_) => GenomeKind::Bits,
            SpaceKind::Reals(_) => GenomeKind::Reals,
            SpaceKind::Synapses(_) => GenomeKind::Synapses,
            SpaceKind::Nets(_) => GenomeKind::Net,
        }
    }
}

/// The lowest and the highest number that a weight or a bias may be.
pub type NumberLimits = [f64; 2];

impl AnyGenome {
    /// The genome of a player with these numbers.
    ///
    /// # Errors
    ///
    /// Why it cannot be one of the space's: a number is out of its bounds, or the network
    /// cannot be encoded.
    pub fn encode(space: &Space, numbers: &[i32]) -> Result<Self, String> {
        let bounds = match &space.kind {
            SpaceKind::Bits(layout) => {
                let genes = space.genes_of(numbers);
                let values: Vec<i64> = genes.iter().map(|&gene| gene as i64).collect();
                let bits = layout.encode(&values).map_err(|error| error.to_string())?;
                return Ok(Self::Bits(bits));
            }
            SpaceKind::Nets(nets) => return nets.genome(numbers).map(Self::Net),
            SpaceKind::Reals(bounds) => bounds,
            SpaceKind::Synapses(synapses) => &synapses.bounds,
        };
        let genome = space.to_reals(numbers);
        for (gene, bounds) in genome.0.iter().zip(bounds) {
            let (name, low, high) = (&bounds.name, bounds.low, bounds.high);
            if !(low..=high).contains(gene) {
                return Err(format!(
                    "`{name}` is {gene} and must lie from {low} to {high}"
                ));
            }
        }
        Ok(Self::Reals(genome))
    }

    /// All numbers of the player, and whether they stand in for a network that is too large
    /// to play.
    pub fn decode(&self, space: &Space) -> (Vec<i32>, bool) {
        match (self, &space.kind) {
            (Self::Bits(bits), _) => (space.from_bits(bits), false),
            (Self::Reals(reals), _) => (space.from_reals(reals), false),
            (Self::Net(net), SpaceKind::Nets(nets)) => nets.numbers(net),
            (Self::Net(_), _) => (Vec::new(), false),
        }
    }

    /// All weights before they are rounded.
    pub fn exact(&self, space: &Space) -> Vec<f64> {
        let Self::Reals(reals) = self else {
            return self.decode(space).0.into_iter().map(f64::from).collect();
        };
        let mut exact: Vec<f64> = space.base().iter().copied().map(f64::from).collect();
        for (&slot, value) in space.slots().iter().zip(&reals.0) {
            exact[slot] = *value;
        }
        exact
    }

    /// What is recorded of it where whole generations are kept.
    pub fn genotype(&self, space: &Space) -> Genotype {
        if let Self::Net(net) = self {
            let links = net.links.iter().filter(|link| link.enabled);
            let links = links.map(|link| (link.innovation, fixed(link.weight)));
            return Genotype::Links(links.collect());
        }
        let weights = self.decode(space).0;
        if space.is_of_networks() {
            return Genotype::Genes(weights);
        }
        let genes = space.slots().iter().filter_map(|&slot| weights.get(slot));
        Genotype::Genes(genes.copied().collect())
    }

    /// How different members are, from 0 to 1.
    pub fn diversity<'a>(space: &Space, members: impl Iterator<Item = &'a Self>) -> f64 {
        let bits = |member: &'a Self| match member {
            Self::Bits(bits) => Some(bits),
            _ => None,
        };
        let reals = |member: &'a Self| match member {
            Self::Reals(reals) => Some(reals),
            _ => None,
        };
        let net = |member: &'a Self| match member {
            Self::Net(net) => Some(net),
            _ => None,
        };
        match &space.kind {
            SpaceKind::Bits(layout) => Genome::diversity(layout, members.filter_map(bits)),
            SpaceKind::Reals(bounds) => Genome::diversity(bounds, members.filter_map(reals)),
            SpaceKind::Synapses(it) => Genome::diversity(&it.bounds, members.filter_map(reals)),
            SpaceKind::Nets(_) => Nets::diversity(members.filter_map(net)),
        }
    }

    /// Moves every number of a network by `deviate()`, within the limits of weights and of
    /// biases.
    pub fn jitter(&mut self, limits: [NumberLimits; 2], mut deviate: impl FnMut() -> f64) {
        let [weights, biases] = limits;
        let mut shift = |number: &mut f64, [low, high]: NumberLimits| {
            *number = (*number + deviate()).max(low).min(high);
        };
        match self {
            Self::Bits(_) => {}
            Self::Reals(reals) => reals.0.iter_mut().for_each(|it| shift(it, weights)),
            Self::Net(net) => {
                for link in &mut net.links {
                    shift(&mut link.weight, weights);
                }
                for node in &mut net.nodes {
                    shift(&mut node.bias, biases);
                }
            }
        }
    }
}

/// Conversion between a kind of genome and its variant.
macro_rules! variant {
    ($variant:ident, $genome:ty) => {
        impl From<$genome> for AnyGenome {
            fn from(genome: $genome) -> Self {
                Self::$variant(genome)
            }
        }

        impl TryFrom<AnyGenome> for $genome {
            type Error = AnyGenome;

            fn try_from(genome: AnyGenome) -> Result<Self, AnyGenome> {
                match genome {
                    AnyGenome::$variant(genome) => Ok(genome),
                    other => Err(other),
                }
            }
        }
    };
}

variant!(Bits, Bits);
variant!(Reals, RealVector);
variant!(Net, NetGenome);
