//! What was played against whom.

use std::collections::BTreeMap;

use super::learning::Learning;
use crate::analysis::Trend;

/// All games against one opponent, in the order in which they count.
#[derive(Clone, Debug, PartialEq)]
pub struct Opponent {
    /// Whom.
    pub name: String,
    /// Points of the games.
    pub results: Vec<f64>,
    /// How many of them were played here.
    pub here: usize,
}

impl Opponent {
    /// Whether it gets better against this one; `None` if the games are too few.
    pub fn trend(&self) -> Option<Trend> {
        Trend::of(&self.results)
    }
}

/// Everybody who was met, by name.
pub fn opponents(learning: &Learning) -> Vec<Opponent> {
    let mut met: BTreeMap<&str, Opponent> = BTreeMap::new();
    for event in learning.events() {
        let opponent = met.entry(&event.opponent).or_insert_with(|| Opponent {
            name: event.opponent.clone(),
            results: Vec::new(),
            here: 0,
        });
        opponent.results.push(event.result.points());
        opponent.here += usize::from(learning.is_own(event));
    }
    met.into_values().collect()
}
