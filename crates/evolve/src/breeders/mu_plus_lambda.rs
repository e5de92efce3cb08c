//! (μ + λ) evolution with an archive.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::{Member, check_population, found, named, ranked, remember};
use crate::breeder::{Breeder, JudgedMember, MemberId, Offspring, Origin};
use crate::genome::{Change, Genome, RealVector};
use crate::hall::{Famous, Hall};
use crate::operators::Mutation;
use crate::seed::{Purpose, generator};
use crate::settings::{LARGEST_POPULATION, SettingsError, within};

/// The settings of a [`MuPlusLambda`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MuPlusLambdaSettings {
    /// How many of the best survive: μ.
    pub parents: usize,
    /// How many are made anew in each generation: λ.
    pub children: usize,
    pub mutation: Mutation,
    /// The probability of each bit or number of a child to be changed.
    pub mutation_rate: f64,
    /// Remembers survivors that were pushed out and brings them back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive: Option<Archive>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Archive {
    /// How many are remembered, the best.
    pub size: usize,
    /// The probability of each child to be one of them instead of a mutant.
    pub probability: f64,
}

/// The best survive, and each has a mutant for a child, or in its place one comes
/// back that survived once. No crossover.
///
/// # Source
///
/// Vázquez-Fernández, Coello Coello and Sagols Troncoso, "An evolutionary algorithm
/// for tuning a chess evaluation function", *IEEE Congress on Evolutionary
/// Computation*, 2011, p. 842–848, and its successors of 2012 and 2013: 10 parents
/// and 10 children, [`Mutation::NonUniform`] with b = 5 over 200 generations, an
/// archive asked with a probability of 5 to 40 %.
///
/// # Where this differs
///
/// μ and λ need not be equal: child i has parent i modulo μ. The archive has a
/// size, keeps its best and is drawn from with equal chance; the papers leave that
/// open. With an empty archive the child is a mutant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct MuPlusLambda<G: Genome = RealVector> {
    settings: MuPlusLambdaSettings,
    space: G::Space,
    given: Vec<G>,
    seed: u64,
    generation: u32,
    /// The best of the generation before, best first.
    survivors: Vec<Survivor<G>>,
    archive: Hall<G>,
}

/// A survivor and what it was called in the generation it survived.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Survivor<G> {
    member: Member<G>,
    id: MemberId,
}

impl<G: Genome> MuPlusLambda<G> {
    /// A breeder in `space`; `start` (a genome, several or `None`) are members of
    /// the first generation.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] names what does not fit and what would.
    pub fn new(
        settings: MuPlusLambdaSettings,
        space: G::Space,
        start: impl IntoIterator<Item = G>,
        seed: u64,
    ) -> Result<Self, SettingsError> {
        let given: Vec<G> = start.into_iter().collect();
        within("parents", &settings.parents, 1..=LARGEST_POPULATION)?;
        within("children", &settings.children, 1..=LARGEST_POPULATION)?;
        check_population(settings.parents + settings.children, &space, &given)?;
        G::check(None, &settings.mutation)?;
        within("mutation-rate", &settings.mutation_rate, 0.0..=1.0)?;
        if let Some(archive) = &settings.archive {
            within("archive.size", &archive.size, 1..=100_000)?;
            within("archive.probability", &archive.probability, 0.0..=1.0)?;
        }
        let archive = Hall::new(settings.archive.map_or(0, |archive| archive.size));
        Ok(Self {
            settings,
            space,
            given,
            seed,
            generation: 0,
            survivors: Vec::new(),
            archive,
        })
    }

    /// Who is remembered, best first. Empty without an archive.
    pub fn archive(&self) -> &[Famous<G>] {
        self.archive.members()
    }

    /// The child at a place: one that comes back, or a mutant of its parent.
    fn child(&self, place: usize) -> Offspring<G> {
        let member = (self.survivors.len() + place) as u32;
        let mut rng = generator(self.seed, self.generation, member, Purpose::Breed);
        let famous = self.archive.members();
        let asked = self
            .settings
            .archive
            .map_or(0.0, |archive| archive.probability);
        if rng.random::<f64>() < asked && !famous.is_empty() {
            let back = &famous[rng.random_range(0..famous.len())];
            return Offspring {
                genome: back.genome.clone(),
                parents: vec![back.id],
                origin: Origin::HallOfFame,
            };
        }
        let parent = &self.survivors[place % self.survivors.len()];
        let mut genome = parent.member.genome.clone();
        let change = Change {
            mutation: &self.settings.mutation,
            rate: self.settings.mutation_rate,
            generation: self.generation,
            space: &self.space,
        };
        let changed = genome.mutate(&change, &mut rng);
        Offspring {
            genome,
            parents: vec![parent.id],
            origin: if changed {
                Origin::Mutation
            } else {
                Origin::Copy
            },
        }
    }
}

impl<G: Genome> Breeder for MuPlusLambda<G> {
    type Genome = G;

    fn generation(&self) -> u32 {
        self.generation
    }

    fn ask(&self) -> Vec<Offspring<G>> {
        let MuPlusLambdaSettings {
            parents, children, ..
        } = self.settings;
        if self.survivors.is_empty() {
            return found(&self.given, parents + children, &self.space, self.seed);
        }
        let surviving = self.survivors.iter().map(|survivor| Offspring {
            genome: survivor.member.genome.clone(),
            parents: vec![survivor.id],
            origin: Origin::Elite,
        });
        let children = (0..children).map(|place| self.child(place));
        surviving.chain(children).collect()
    }

    fn tell(&mut self, born: Vec<Offspring<G>>, judged: &[JudgedMember]) {
        let told = remember(born, judged);
        let best = ranked(&told).into_iter().take(self.settings.parents);
        let survivors: Vec<Survivor<G>> = best
            .map(|place| Survivor {
                member: told[place].clone(),
                id: named(self.generation, place),
            })
            .collect();
        if self.settings.archive.is_some() {
            for member in &told {
                self.archive.renew(&member.genome, member.score);
            }
            let stays = |genome: &G| {
                let mut staying = survivors.iter();
                staying.any(|survivor| survivor.member.genome == *genome)
            };
            for old in std::mem::take(&mut self.survivors) {
                if !stays(&old.member.genome) {
                    self.archive.admit(Famous {
                        genome: old.member.genome,
                        score: old.member.score,
                        id: old.id,
                    });
                }
            }
        }
        self.survivors = survivors;
        self.generation = self.generation.saturating_add(1);
    }
}
