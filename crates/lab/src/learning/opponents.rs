//! What was played against whom.

use std::collections::BTreeMap;

use super::population_store::OnlinePopulation;
use crate::record::learning::{LearningRecord, OpponentHistory};

pub fn opponents(population: &OnlinePopulation) -> Vec<OpponentHistory> {
    let mut met: BTreeMap<&str, OpponentHistory> = BTreeMap::new();
    for event in population.games() {
        let opponent = met
            .entry(&event.opponent)
            .or_insert_with(|| OpponentHistory {
                name: event.opponent.clone(),
                results: Vec::new(),
                here: 0,
            });
        opponent.results.push(event.result.points());
        opponent.here += usize::from(population.is_own(event));
    }
    met.into_values().collect()
}

impl OnlinePopulation {
    /// The population with all its games, as a page shows it.
    pub fn record(&self) -> LearningRecord {
        LearningRecord {
            seed: self.config().seed,
            names: self.names().to_vec(),
            games: self.games().cloned().collect(),
            opponents: opponents(self),
            members: self.population().members().to_vec(),
            births: self.population().births(),
        }
    }
}
