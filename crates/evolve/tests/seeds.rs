//! Seeds and generators.

use std::collections::HashSet;

use mendel_evolve::{Purpose, generation_seed, generator};
use rand::Rng;

#[test]
fn no_two_runs_share_the_seed_of_a_generation() {
    let mut seen = HashSet::new();
    for run in 0..50 {
        for generation in 0..200 {
            assert!(seen.insert(generation_seed(run, generation)));
        }
    }
}

#[test]
fn no_two_generators_of_a_run_start_alike() {
    let purposes = [
        Purpose::Start,
        Purpose::Breed,
        Purpose::Trial,
        Purpose::Sample,
        Purpose::Proof,
    ];
    let mut seen = HashSet::new();
    for run in 0..3 {
        for generation in 0..30 {
            for member in 0..30 {
                for purpose in purposes {
                    let first = generator(run, generation, member, purpose).next_u64();
                    assert!(seen.insert(first), "{run} {generation} {member}");
                }
            }
        }
    }
}
