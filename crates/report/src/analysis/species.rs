//! Species: lifetimes and extinctions.

use std::collections::BTreeMap;

use mendel_lab::record::{Generation, Networks};
use serde::Serialize;

/// The recorded networks of one generation.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SpeciesStats {
    /// The generation, from 0.
    pub generation: u32,
    #[serde(flatten)]
    pub networks: Networks,
}

/// The networks of each generation; empty if the run does not breed networks.
pub fn census(lines: &[Generation]) -> Vec<SpeciesStats> {
    let of_one = |line: &Generation| {
        Some(SpeciesStats {
            generation: line.generation,
            networks: line.networks.clone()?,
        })
    };
    lines.iter().filter_map(of_one).collect()
}

/// The lifetime of one species.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpeciesLifetime {
    pub id: u32,
    /// The first generation with a member.
    pub first: u32,
    /// The last generation with a member.
    pub last: u32,
    /// The largest number of members.
    pub most: u32,
    /// Whether a generation without a member was recorded after `last`.
    pub extinct: bool,
}

/// The lifetimes of all species, the oldest first.
pub fn lives(census: &[SpeciesStats]) -> Vec<SpeciesLifetime> {
    let mut lives: BTreeMap<u32, SpeciesLifetime> = BTreeMap::new();
    for line in census {
        for species in line.networks.species.iter().filter(|it| it.size > 0) {
            let life = lives.entry(species.id).or_insert(SpeciesLifetime {
                id: species.id,
                first: line.generation,
                last: line.generation,
                most: 0,
                extinct: false,
            });
            life.last = line.generation;
            life.most = life.most.max(species.size);
        }
    }
    let end = census.last().map_or(0, |line| line.generation);
    let mut lives: Vec<SpeciesLifetime> = lives.into_values().collect();
    for life in &mut lives {
        life.extinct = life.last < end;
    }
    lives.sort_by_key(|life| (life.first, life.id));
    lives
}

/// The generations before which all species had died out.
pub fn extinctions(census: &[SpeciesStats]) -> Vec<u32> {
    let mut before = 0;
    let mut found = Vec::new();
    for line in census {
        if let Some(count) = line.networks.extinctions {
            if count > before {
                found.push(line.generation);
            }
            before = count;
        }
    }
    found
}
