//! The table `[genome]` of a recipe.

use serde::{Deserialize, Serialize};

/// The table `[genome]` of a recipe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenomeSettings {
    /// How numbers are written.
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
    /// Where the first generation comes from.
    #[serde(default)]
    pub start: Start,
}

impl GenomeSettings {
    /// The patterns of the weights that are bred.
    pub(super) fn weight_patterns(&self) -> Vec<String> {
        match &self.weights {
            Some(patterns) => patterns.clone(),
            None if self.search.is_empty() => vec!["*".to_owned()],
            None => Vec::new(),
        }
    }

    /// Refuses keys that would silently mean nothing.
    pub(super) fn check(&self) -> Result<(), SpaceError> {
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
                key,
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
                key: "window",
                reason: "must be a share above 0, up to 1".to_owned(),
            });
        }
        Ok(())
    }
}

/// How numbers are written in a genome.
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
