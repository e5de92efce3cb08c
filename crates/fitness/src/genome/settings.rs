//! The table `[genome]` of a recipe.

use mendel_evolve::hyperneat::{EsHyperNeatSettings, HyperNeatSettings};
use serde::{Deserialize, Serialize};

use super::network::{NetworkSettings, SubstrateSettings};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GenomeSettings {
    pub coding: CodingName,
    /// Published widths of the genes; else all numbers that `weights` and `search`
    /// name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chromosome: Option<String>,
    /// Names of the weights that are bred, with `*` for any text; all others
    /// stay the parent's. Left out, all of them, or none beside `search`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Vec<String>>,
    /// Names of the search numbers that are bred, with `*` for any text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub search: Vec<String>,
    /// Bits for each weight, where no published chromosome says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits: Option<u32>,
    /// How far a weight may go from the parent's, in centipawns, where no
    /// published chromosome says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<u32>,
    /// The share of its range that a search number may take, around the parent's;
    /// else all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<f64>,
    #[serde(default)]
    pub start: Start,
    /// The network that is bred, where the parent is none of its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub substrate: Option<SubstrateSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hyperneat: Option<HyperNeatSettings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub es_hyperneat: Option<EsHyperNeatSettings>,
    /// All networks of the first generation are the parent, with a normal deviate of
    /// this size on each number, but for one that is the parent itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutants: Option<f64>,
}

impl GenomeSettings {
    /// The genomes of a published chromosome, from random ones on.
    pub fn published(coding: CodingName, chromosome: &str) -> Self {
        Self {
            coding,
            chromosome: Some(chromosome.to_owned()),
            weights: None,
            search: Vec::new(),
            bits: None,
            spread: None,
            window: None,
            start: Start::Random,
            network: None,
            substrate: None,
            hyperneat: None,
            es_hyperneat: None,
            mutants: None,
        }
    }

    pub(super) fn weight_patterns(&self) -> Vec<String> {
        match &self.weights {
            Some(patterns) => patterns.clone(),
            None if self.search.is_empty() => vec!["*".to_owned()],
            None => Vec::new(),
        }
    }

    /// Refuses keys that would silently mean nothing.
    pub(super) fn check(&self) -> Result<(), SpaceError> {
        self.check_networks()?;
        let published = self.chromosome.is_some();
        let real = self.coding == CodingName::Real;
        let no_weights = self.weight_patterns().is_empty();
        let table = [
            ("weights", published && self.weights.is_some()),
            ("search", published && !self.search.is_empty()),
            ("window", self.window.is_some() && self.search.is_empty()),
            (
                "bits",
                self.bits.is_some() && (published || real || no_weights),
            ),
            (
                "spread",
                self.spread.is_some() && (published || self.bits.is_some() || no_weights),
            ),
        ];
        if let Some((key, _)) = table.iter().find(|(_, idle)| *idle) {
            return Err(SpaceError {
                key: (*key).to_owned(),
                reason: "means nothing here: a published `chromosome` says which numbers are \
                         bred and how far they go; without it that of weights is set by \
                         `bits` or by `spread`, that of search numbers by `window`"
                    .to_owned(),
            });
        }
        if let Some(share) = self.window
            && !(share > 0.0 && share <= 1.0)
        {
            return Err(SpaceError {
                key: "window".to_owned(),
                reason: "must be a share above 0, up to 1".to_owned(),
            });
        }
        Ok(())
    }

    fn check_networks(&self) -> Result<(), SpaceError> {
        let networks = self.coding.is_network();
        let painted = self.coding == CodingName::Cppn;
        let table = [
            ("network", !networks && self.network.is_some()),
            ("mutants", !networks && self.mutants.is_some()),
            ("substrate", !painted && self.substrate.is_some()),
            ("hyperneat", !painted && self.hyperneat.is_some()),
            ("es-hyperneat", !painted && self.es_hyperneat.is_some()),
            ("chromosome", networks && self.chromosome.is_some()),
            ("weights", networks && self.weights.is_some()),
            ("search", networks && !self.search.is_empty()),
            ("bits", networks && self.bits.is_some()),
            ("spread", networks && self.spread.is_some()),
        ];
        if let Some((key, _)) = table.iter().find(|(_, idle)| *idle) {
            return Err(SpaceError {
                key: (*key).to_owned(),
                reason: "means nothing here: `network` and `mutants` belong to coding = \
                         \"synapses\", \"net\" and \"cppn\", which have all numbers of a \
                         network and no others; the tables of the substrate to \"cppn\" alone"
                    .to_owned(),
            });
        }
        if let Some(idle) = self.network.as_ref().and_then(|it| it.idle(self.coding)) {
            return Err(SpaceError {
                key: format!("network.{idle}"),
                reason: "means nothing with this coding; leave it out".to_owned(),
            });
        }
        if let Some(size) = self.mutants
            && !(size.is_finite() && size > 0.0 && self.start == Start::Parent)
        {
            return Err(SpaceError {
                key: "mutants".to_owned(),
                reason: "must be a number above 0, beside start = \"parent\"".to_owned(),
            });
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CodingName {
    /// Bits, in Gray code.
    Gray,
    Binary,
    Real,
    /// The weights and biases of a network of layers, as real numbers.
    Synapses,
    /// The nodes and links of a network that grows.
    Net,
    /// A network that paints the one that plays.
    Cppn,
}

impl CodingName {
    pub fn is_network(self) -> bool {
        matches!(self, Self::Synapses | Self::Net | Self::Cppn)
    }
}

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
pub struct SpaceError {
    /// Below the table `[genome]`.
    pub key: String,
    /// As complaints show it.
    pub reason: String,
}
