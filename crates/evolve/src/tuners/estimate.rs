//! What a tuner has found out so far.

use serde::{Deserialize, Serialize};

use super::knob::Setting;

/// A figure with the bounds that hold it in 95 of 100 cases.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Interval {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct KnobEstimate {
    pub name: String,
    /// The proposed value and where the best one lies. Of a choice the bounds say
    /// nothing and are all of it, unless one choice is sure.
    pub best: Interval,
    /// What the proposed value is worth in Elo against the start, all other knobs as
    /// proposed.
    pub gain: Interval,
    /// What the worst of all values would lose in Elo against the proposed one, by the
    /// fitted surface: how much the knob matters.
    pub matters: Interval,
    /// The proposed value is the smallest or the largest one, and better ones may lie
    /// beyond it.
    pub at_bound: bool,
    /// The games tell that the knob matters at all.
    pub visible: bool,
}

/// What a tuner has found out so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Estimate {
    pub setting: Setting,
    /// What they are worth in Elo against the start, by the fitted surface. A match
    /// is the proof, not this.
    pub gain: Interval,
    /// What the very best values would be worth in Elo above the proposed ones: what
    /// is still to be had.
    pub left: Interval,
    pub knobs: Vec<KnobEstimate>,
    /// How the best values of two knobs hang together: a row for each knob, in units
    /// of the knobs.
    pub covariance: Vec<Vec<f64>>,
    /// Pairs told so far.
    pub pairs: u64,
}
