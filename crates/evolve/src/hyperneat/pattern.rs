//! What is asked of a CPPN.

use serde::{Deserialize, Serialize};

use super::quadtree::Scale;
use super::substrate::Point;
use crate::settings::{SettingsError, out_of_range, reasonable_weight};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Answer {
    /// The weight of a link between them, within −1 to 1.
    pub weight: f64,
    /// Whether there is a link at all: the link expression output.
    pub expression: f64,
}

/// A pattern of links over a substrate: a CPPN, or any function of two points.
///
/// The channel is the output that answers, see [`Channels`](super::Channels).
pub trait Pattern {
    fn link(&mut self, channel: usize, from: Point, to: Point) -> Answer;

    /// The bias of the node at a point, within −1 to 1.
    fn bias(&mut self, channel: usize, at: Point) -> f64;
}

/// A function of two points gives the weight and the link expression of every channel
/// alike, and no biases.
impl<F: FnMut(Point, Point) -> (f64, f64)> Pattern for F {
    fn link(&mut self, _channel: usize, from: Point, to: Point) -> Answer {
        let (weight, expression) = self(from, to);
        Answer { weight, expression }
    }

    fn bias(&mut self, _channel: usize, _at: Point) -> f64 {
        0.0
    }
}

/// When a link of a fixed substrate is there, and how heavy it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum Expression {
    /// An output of at most `link` either way is no link; from there to 1 the weight grows
    /// from 0 to `weight`.
    Threshold {
        /// The output up to which there is no link; 0.2 as published.
        link: f64,
        /// The largest weight; 3 as published.
        weight: f64,
        /// Whether 1 is the output 1, or the strongest output on the whole substrate.
        #[serde(default)]
        scale: Scale,
    },
    /// A second output says whether there is a link, and the first alone how heavy it is.
    Leo {
        /// The link expression above which there is a link; 0 as published.
        above: f64,
        /// The weight that an output of 1 means.
        weight: f64,
    },
}

impl Default for Expression {
    fn default() -> Self {
        Self::Threshold {
            link: 0.2,
            weight: 3.0,
            scale: Scale::Absolute,
        }
    }
}

impl Expression {
    pub fn needs_leo(&self) -> bool {
        matches!(self, Self::Leo { .. })
    }

    pub fn largest(&self) -> f64 {
        match *self {
            Self::Threshold { weight, .. } | Self::Leo { weight, .. } => weight,
        }
    }

    /// The weight of a link, if there is one. `strongest` is the largest output on the
    /// whole substrate, for thresholds that are relative to it.
    pub fn weight(&self, answer: Answer, strongest: f64) -> Option<f64> {
        match *self {
            Self::Threshold {
                link,
                weight,
                scale,
            } => {
                let full = match scale {
                    Scale::Absolute => 1.0,
                    Scale::Relative => strongest,
                };
                if full <= 0.0 {
                    return None;
                }
                let size = (answer.weight.abs() / full).min(1.0);
                (size > link)
                    .then(|| ((size - link) / (1.0 - link) * weight).copysign(answer.weight))
            }
            Self::Leo { above, weight } => {
                (answer.expression > above).then(|| answer.weight.clamp(-1.0, 1.0) * weight)
            }
        }
    }

    /// Whether the numbers make sense.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Range`] names the number and what it may be.
    pub fn check(&self) -> Result<(), SettingsError> {
        self.check_at(["weight", "link", "above"])
    }

    /// The same, where the numbers have longer names in a settings file.
    pub(super) fn check_at(&self, keys: [&'static str; 3]) -> Result<(), SettingsError> {
        let [weight, link_key, above_key] = keys;
        reasonable_weight(weight, self.largest())?;
        match *self {
            Self::Threshold { link, .. } if !(0.0..1.0).contains(&link) => {
                Err(out_of_range(link_key, &link, "from 0 to below 1"))
            }
            Self::Leo { above, .. } if !above.is_finite() => {
                Err(out_of_range(above_key, &above, "a number"))
            }
            _ => Ok(()),
        }
    }
}
