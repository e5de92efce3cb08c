//! The published experiment that a recipe repeats.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Paper {
    pub title: String,
    #[serde(default)]
    pub source: String,
    /// A player with the published weights, for the table of genes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    #[serde(default)]
    pub figure: Vec<Figure>,
    /// What a reader must know to compare them.
    #[serde(default)]
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Figure {
    pub what: String,
    pub paper: Published,
    /// Where ours comes from, such as `holdout.champion` or `match.parent.elo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ours: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Published {
    Number(f64),
    /// Words, such as `+108.3 ± 19.6`.
    Words(String),
}
