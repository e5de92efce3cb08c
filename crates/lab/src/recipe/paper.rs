//! The published experiment that a recipe repeats.

use serde::{Deserialize, Serialize};

/// The table `[paper]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Paper {
    /// What it is called.
    pub title: String,
    /// Where it appeared.
    #[serde(default)]
    pub source: String,
    /// A player with the published weights, for the table of genes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    /// Published figures, to be set beside ours.
    #[serde(default)]
    pub figure: Vec<Figure>,
    /// What a reader must know to compare them.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// One published figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Figure {
    /// What it says.
    pub what: String,
    /// The published value.
    pub paper: Published,
    /// Where ours comes from, such as `holdout.champion` or `match.parent.elo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ours: Option<String>,
    /// The unit of both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// A published value: a number, or words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Published {
    /// A number.
    Number(f64),
    /// Words, such as `+108.3 ± 19.6`.
    Words(String),
}
