//! Networks that cannot be bred: which key of the recipe says so, why, and what to write.

use mendel_evaluator::EvaluatorError;
use mendel_evolve::{Connected, SettingsError};

use super::network::{NetworkSettings, most};
use super::settings::SpaceError;

pub(super) fn wrong(key: &str, reason: impl Into<String>) -> SpaceError {
    let (key, reason) = (key.to_owned(), reason.into());
    SpaceError { key, reason }
}

/// What an evaluator says of a network, at the key that a recipe has for it.
pub(super) fn of_evaluator(network: &NetworkSettings, error: &EvaluatorError) -> SpaceError {
    match error {
        EvaluatorError::Setting {
            key: "layers",
            wanted,
            ..
        } => wrong(
            "network.hidden",
            // The evaluator's list has the inputs and the output, too; a recipe's has not.
            format!(
                "is {:?}; it must be {}, such as [128]",
                network.hidden,
                wanted.split_once("with ").map_or(&wanted[..], |it| it.1)
            ),
        ),
        EvaluatorError::Setting {
            key, found, wanted, ..
        } => wrong(
            &format!("network.{key}"),
            format!("{found}; it must be {wanted}"),
        ),
        other => wrong("network", other.to_string()),
    }
}

/// What `evolve` says of one of its tables.
pub(super) fn of_evolve(table: &str, error: &SettingsError) -> SpaceError {
    match error {
        SettingsError::Range {
            key,
            value,
            allowed,
        } => wrong(
            &format!("{table}.{key}"),
            format!("cannot be {value}: it must be {allowed}"),
        ),
        other => wrong(table, other.to_string()),
    }
}

/// An evaluator takes no larger weight, and would cut it off unseen.
pub(super) fn playable_weight(key: &str, weight: f64) -> Result<(), SpaceError> {
    if weight <= most() {
        return Ok(());
    }
    let reason = format!(
        "cannot be {weight}: a network plays with weights up to {}",
        most()
    );
    Err(wrong(key, reason))
}

/// The links to begin with. Neither an evaluator nor a CPPN has circles.
pub(super) fn connected(
    network: Option<&NetworkSettings>,
) -> Result<Option<Connected>, SpaceError> {
    match network.and_then(|it| it.connected) {
        Some(Connected::FullWithLoops { direct }) => {
            let reason = format!(
                "cannot be \"full-with-loops\": networks here are feed-forward, and a link from a \
                 node to itself is a circle; write {{ full = {{ direct = {direct} }} }}"
            );
            Err(wrong("network.connected", reason))
        }
        other => Ok(other),
    }
}

/// What is wrong with the networks to begin with.
pub(super) fn of_shape(error: &SettingsError) -> SpaceError {
    match error {
        SettingsError::Range {
            key: "shape.connected.partial.share",
            value,
            allowed,
        } => wrong(
            "network.connected.partial.share",
            format!("cannot be {value}: it must be {allowed}"),
        ),
        other => wrong("network", other.to_string()),
    }
}
