//! A number that is bred, and its bounds.

use serde::{Deserialize, Serialize};

use crate::settings::SettingsError;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Bounds {
    pub name: String,
    pub low: f64,
    pub high: f64,
    /// Where breeders begin that begin at one point.
    pub start: f64,
    /// A change that is worth trying, where somebody knows one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
}

impl Bounds {
    /// Bounds that begin in the middle.
    pub fn new(name: impl Into<String>, low: f64, high: f64) -> Self {
        Self {
            name: name.into(),
            low,
            high,
            start: f64::midpoint(low, high),
            step: None,
        }
    }

    /// A change that is worth trying: the one that is known, or else a twentieth of
    /// the way between the bounds.
    pub fn step(&self) -> f64 {
        self.step.unwrap_or(self.width() / 20.0)
    }

    /// The nearest value that is allowed. What is not a number becomes the start.
    pub fn hold(&self, value: f64) -> f64 {
        if value.is_nan() {
            return self.start;
        }
        // Not `clamp`, which panics on bounds that were tampered with.
        value.max(self.low).min(self.high)
    }

    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        let reason = if !(self.low.is_finite() && self.high.is_finite() && self.low <= self.high) {
            format!(
                "its bounds are {} and {}, which must rise",
                self.low, self.high
            )
        } else if !self.width().is_finite() {
            "its bounds are too far apart".to_owned()
        } else if !(self.low..=self.high).contains(&self.start) {
            format!(
                "it starts at {}, outside {} to {}",
                self.start, self.low, self.high
            )
        } else if let Some(step) = self.step.filter(|it| !(it.is_finite() && *it > 0.0)) {
            format!("its step is {step}, which must be a number above 0")
        } else {
            return Ok(());
        };
        Err(SettingsError::Bounds {
            name: self.name.clone(),
            reason,
        })
    }
}
