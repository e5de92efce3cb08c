//! What is wrong with the settings of a breeder.

use std::fmt::Display;
use std::ops::RangeInclusive;

/// The largest generation a breeder will make: a guard against a slip of the
/// keyboard that would fill the memory.
pub(crate) const LARGEST_POPULATION: usize = 1_000_000;

/// Why a breeder, a genome or a network cannot be made. Nothing was run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    #[error("`{key}` cannot be {value}: it must be {allowed}")]
    Range {
        /// The name of the setting, as a settings file spells it.
        key: &'static str,
        value: String,
        allowed: String,
    },
    /// An operator or a breeder that cannot work on this kind of genome.
    #[error("`{key}` cannot be {value} for {genomes}: use {instead}")]
    Unsuited {
        key: &'static str,
        value: &'static str,
        genomes: &'static str,
        instead: String,
    },
    /// A start that is not a member of the space.
    #[error("the given start does not fit: {reason}")]
    Start { reason: String },
    #[error("the number `{name}` cannot be bred: {reason}")]
    Bounds { name: String, reason: String },
    #[error("there is nothing to breed: give at least one gene that can change")]
    Empty,
    /// A gene, string of bits, network or CPPN that cannot be.
    #[error("{reason}")]
    Genome { reason: String },
}

impl SettingsError {
    pub(crate) fn genome(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::Genome { reason }
    }
}

/// Checks that a setting is in its range.
pub(crate) fn within<T>(
    key: &'static str,
    value: &T,
    range: RangeInclusive<T>,
) -> Result<(), SettingsError>
where
    T: PartialOrd + Display,
{
    if range.contains(value) {
        return Ok(());
    }
    let allowed = format!("from {} to {}", range.start(), range.end());
    Err(out_of_range(key, value, allowed))
}

/// No weight, bias or response needs to be larger: every function is flat or at its
/// end long before, and sums of thousands of them stay exact to many digits.
pub(crate) const LARGEST_WEIGHT: f64 = 1e6;

/// Checks that the largest weight of a network is one.
pub(crate) fn reasonable_weight(key: &'static str, weight: f64) -> Result<(), SettingsError> {
    if weight > 0.0 && weight <= LARGEST_WEIGHT {
        return Ok(());
    }
    let allowed = format!("a number above 0, up to {LARGEST_WEIGHT}");
    Err(out_of_range(key, &weight, allowed))
}

/// Checks that a setting is a finite number above zero.
pub(crate) fn positive(key: &'static str, value: f64) -> Result<(), SettingsError> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(out_of_range(key, &value, "a number above 0"))
}

/// The error for a value with words for what would be allowed.
pub(crate) fn out_of_range(
    key: &'static str,
    value: &impl Display,
    allowed: impl Into<String>,
) -> SettingsError {
    SettingsError::Range {
        key,
        value: value.to_string(),
        allowed: allowed.into(),
    }
}
