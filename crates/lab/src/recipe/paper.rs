//! The published experiment that a recipe repeats.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Paper {
    pub title: String,
    #[serde(default)]
    pub source: String,
    /// A player with the published weights, for the table of genes.
    pub weights: Option<String>,
    #[serde(default)]
    pub figure: Vec<Figure>,
    /// What a reader must know to compare them.
    #[serde(default)]
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Figure {
    pub what: String,
    pub paper: Published,
    /// Where ours comes from, such as `holdout.champion` or `match.parent.elo`.
    pub ours: Option<String>,
    pub unit: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Published {
    Number(f64),
    /// Words, such as `+108.3 ± 19.6`.
    Words(String),
}
