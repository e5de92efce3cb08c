//! Whether a match that goes on is the match that was begun.

use std::collections::BTreeMap;

use mendel_store::fingerprint;

use crate::bred::LEVELS;
use crate::contest::ContestError;
use crate::plan::Plan;
use crate::{Entrant, Kind};

/// A match that goes on must be the match that was begun: the same program, the
/// same players, the same files.
pub(crate) fn prove(mut plan: Plan, entrants: &[Entrant]) -> Result<Plan, ContestError> {
    let mut prints = BTreeMap::new();
    for entrant in entrants {
        if let Kind::Bred(player) = &entrant.kind {
            prints.insert(
                format!("player {}", entrant.name),
                fingerprint(player.to_toml().as_bytes()),
            );
        }
    }
    // A table of levels decides how a player of limited strength plays.
    let tables = entrants.iter().flat_map(|entrant| &entrant.options);
    for (_, path) in tables.filter(|(name, _)| name.eq_ignore_ascii_case(LEVELS)) {
        let bytes = std::fs::read(path).unwrap_or_default();
        prints.insert(format!("file {path}"), fingerprint(&bytes));
    }
    for path in plan
        .openings
        .iter()
        .chain(&plan.names)
        .filter(|path| path.is_file())
    {
        let bytes = std::fs::read(path).unwrap_or_default();
        prints.insert(format!("file {}", path.display()), fingerprint(&bytes));
    }
    prints.insert(
        "the program".to_owned(),
        env!("CARGO_PKG_VERSION").to_owned(),
    );
    let changed = prints.iter().find(|(what, print)| {
        plan.fingerprints
            .get(*what)
            .is_some_and(|before| before != *print)
    });
    if let Some((what, _)) = changed {
        return Err(ContestError::Changed { what: what.clone() });
    }
    plan.fingerprints = prints;
    Ok(plan)
}
