//! Algorithms that ask with genomes and are told how they did.

mod adam;
mod cosyne;
mod genetic;
mod mu_plus_lambda;
pub mod neat;
mod random;
mod spsa;

use serde::{Deserialize, Serialize};

use crate::bounds::Bounds;
use crate::breeder::{JudgedMember, MemberId, Offspring, Origin};
use crate::genome::{Genome, RealVector};
use crate::operators::{WORST, ranking};
use crate::seed::{Purpose, generator};
use crate::settings::{LARGEST_POPULATION, SettingsError, within};

pub use adam::{Adam, AdamSettings};
pub use cosyne::{
    Cosyne, CosyneSettings, CosyneSpace, Fans, Permutation, SynapseCrossover, SynapseMutation,
    WeightStart,
};
pub use genetic::{Founders, Ga, GaSettings, HallOfFame};
pub use mu_plus_lambda::{Archive, MuPlusLambda, MuPlusLambdaSettings};
pub use neat::{Neat, NeatSettings, Species};
pub use random::{RandomSearch, RandomSettings};
pub(crate) use spsa::flip;
pub use spsa::{Gains, Reach, Spsa, SpsaSettings};

/// A member as it is remembered after it was judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Member<G> {
    genome: G,
    score: f64,
}

/// What was told, with a score for everybody: who was not judged, or not with a
/// number, is the worst.
fn remember<G>(born: Vec<Offspring<G>>, judged: &[JudgedMember]) -> Vec<Member<G>> {
    let scores = judged.iter().map(|judged| judged.score);
    let scores = scores.map(|score| if score.is_finite() { score } else { WORST });
    born.into_iter()
        .map(|born| born.genome)
        .zip(scores.chain(std::iter::repeat(WORST)))
        .map(|(genome, score)| Member { genome, score })
        .collect()
}

/// The places of members from the best to the worst.
fn ranked<G>(members: &[Member<G>]) -> Vec<usize> {
    let scores: Vec<f64> = members.iter().map(|member| member.score).collect();
    ranking(&scores)
}

fn named(generation: u32, member: usize) -> MemberId {
    MemberId {
        generation,
        member: member as u32,
    }
}

/// A first generation: those that were given, then members drawn at random.
fn found<G: Genome>(
    given: &[G],
    population: usize,
    space: &G::Space,
    seed: u64,
) -> Vec<Offspring<G>> {
    let given = given.iter().cloned().map(|genome| (genome, Origin::Given));
    let drawn = (0..).map(|member| {
        let mut rng = generator(seed, 0, member, Purpose::Start);
        (G::random(space, &mut rng), Origin::Random)
    });
    // The draw of a place does not depend on how many were given before it.
    let drawn = drawn.skip(given.len());
    given
        .chain(drawn)
        .take(population)
        .map(|(genome, origin)| Offspring {
            genome,
            parents: Vec::new(),
            origin,
        })
        .collect()
}

/// Checks what every breeder of populations is given.
fn check_population<G: Genome>(
    population: usize,
    space: &G::Space,
    given: &[G],
) -> Result<(), SettingsError> {
    within("population", &population, 1..=LARGEST_POPULATION)?;
    G::check_space(space)?;
    if given.len() > population {
        return Err(SettingsError::Start {
            reason: format!(
                "{} members were given for a population of {population}",
                given.len()
            ),
        });
    }
    given.iter().try_for_each(|genome| genome.belongs(space))
}

/// Where a breeder begins that moves one point: at `start`, or else where the bounds say.
fn start_point(space: &[Bounds], start: Option<RealVector>) -> Result<RealVector, SettingsError> {
    let space = space.to_vec();
    RealVector::check_space(&space)?;
    if let Some(start) = &start {
        start.belongs(&space)?;
    }
    Ok(start.unwrap_or_else(|| RealVector(space.iter().map(|it| it.start).collect())))
}
