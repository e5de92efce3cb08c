//! Species: who lives when, who dies out.

use std::collections::BTreeMap;

use mendel_lab::record::{Generation, Networks};
use serde::Serialize;

/// The networks of one generation.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SpeciesStats {
    /// The generation, from 0.
    pub generation: u32,
    /// What is written down of them.
    #[serde(flatten)]
    pub networks: Networks,
}

/// What a run's lines say of networks; nothing where something else is bred.
pub fn census(lines: &[Generation]) -> Vec<SpeciesStats> {
    let of_one = |line: &Generation| {
        Some(SpeciesStats {
            generation: line.generation,
            networks: line.networks.clone()?,
        })
    };
    lines.iter().filter_map(of_one).collect()
}

/// The life of one species.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpeciesLifetime {
    /// Its number.
    pub id: u32,
    /// The first generation it lived in.
    pub first: u32,
    /// The last.
    pub last: u32,
    /// How many members it had at most.
    pub most: u32,
    /// Whether it lived no more in the generation that was written down after its
    /// last one.
    pub extinct: bool,
}

/// The lives of all species, the oldest first.
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

/// The generations before which everybody had died out.
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
