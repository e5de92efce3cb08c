//! Cooperatively coevolved synapses.

mod permute;
mod settings;
mod space;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::{Member, named, ranked, remember};
use crate::breeder::{Breeder, JudgedMember, MemberId, Offspring, Origin};
use crate::genome::RealVector;
use crate::seed::{Purpose, generator};
use crate::settings::SettingsError;
use permute::permute;

pub use settings::{CosyneSettings, Permutation, SynapseCrossover, SynapseMutation, WeightStart};
pub use space::{CosyneSpace, Fans};

/// How many parents of a permuted network are named: those it has most weights of.
const NAMED_PARENTS: usize = 8;

/// Every weight of a network has a sub-population of its own, and the networks are
/// put together from one weight of each. The best networks have children, which
/// take the places of the worst; the weights of the others change places within
/// their sub-populations, so that each is tried beside other weights.
///
/// A generation is first those that stay, permuted, in the order of how they did, and
/// then the children. Every member is judged once a generation: a permuted network is
/// a new one and judged as such, and what it was before is not judged again beside it.
///
/// # Source
///
/// Gomez, Schmidhuber and Miikkulainen, "Accelerated Neural Evolution through
/// Cooperatively Coevolved Synapses", *Journal of Machine Learning Research* 9, 2008,
/// p. 937–965: [`CosyneSettings::gomez`]. A variant with other operators is that of
/// "Neuroevolutionary Frameworks to Evolve Chess Evaluation Function", 2023:
/// [`CosyneSettings::chess`].
///
/// # Where this differs
///
/// * Weights have bounds, and what chance adds ends there; give wide ones to have none.
/// * The paper does not say how many children there are; as many as half of the
///   population, two for each parent, are usual and ours.
/// * The best quarter is rounded up.
/// * Nobody is kept as it was, as in the paper: the best network can be taken apart, and
///   a run remembers it as its champion.
/// * Operators and rules say for themselves what the paper leaves open:
///   [`SynapseCrossover`], [`SynapseMutation`], [`Permutation`], [`WeightStart`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cosyne {
    settings: CosyneSettings,
    space: CosyneSpace,
    given: Vec<RealVector>,
    seed: u64,
    generation: u32,
    /// The best of the generation before, best first: as many as stay or are parents.
    best: Vec<Kept>,
}

/// A network and what it was called in its generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Kept {
    member: Member<RealVector>,
    id: MemberId,
}

impl Cosyne {
    /// A breeder of such networks; `start` (a genome, several or `None`) are members
    /// of the first generation.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] names what does not fit and what would.
    pub fn new(
        settings: CosyneSettings,
        space: CosyneSpace,
        start: impl IntoIterator<Item = RealVector>,
        seed: u64,
    ) -> Result<Self, SettingsError> {
        let given: Vec<RealVector> = start.into_iter().collect();
        settings.check()?;
        space.check(settings.start)?;
        super::check_population(settings.population, &space.bounds, &given)?;
        Ok(Self {
            settings,
            space,
            given,
            seed,
            generation: 0,
            best: Vec::new(),
        })
    }

    pub fn space(&self) -> &CosyneSpace {
        &self.space
    }

    pub fn settings(&self) -> &CosyneSettings {
        &self.settings
    }

    /// Those that were given, then networks drawn at random.
    fn first(&self) -> Vec<Offspring<RealVector>> {
        let given = self.given.iter().cloned();
        let given = given.map(|genome| (genome, Origin::Given));
        // The draw of a place does not depend on how many were given before it.
        let drawn = (self.given.len()..self.settings.population).map(|place| {
            let mut rng = generator(self.seed, 0, place as u32, Purpose::Start);
            let genome = self.space.draw(self.settings.start, &mut rng);
            (genome, Origin::Random)
        });
        given
            .chain(drawn)
            .map(|(genome, origin)| Offspring {
                genome,
                parents: Vec::new(),
                origin,
            })
            .collect()
    }

    fn children(&self, rng: &mut ChaCha8Rng) -> Vec<Offspring<RealVector>> {
        let parents = self.settings.parents().min(self.best.len());
        let picked = self.settings.crossover.picked(parents, rng);
        let mut children = Vec::with_capacity(self.settings.offspring + 1);
        while children.len() < self.settings.offspring {
            let mother = rng.random_range(0..picked.len());
            // Somebody else, if there is somebody.
            let mut father = rng.random_range(0..picked.len().max(2) - 1);
            father += usize::from(father >= mother && picked.len() > 1);
            let parents = [picked[mother], picked[father]].map(|place| &self.best[place]);
            children.extend(self.pair(parents, rng));
        }
        children.truncate(self.settings.offspring);
        children
    }

    fn pair(&self, parents: [&Kept; 2], rng: &mut ChaCha8Rng) -> [Offspring<RealVector>; 2] {
        let [RealVector(mut one), RealVector(mut other)] =
            parents.map(|kept| kept.member.genome.clone());
        match self.settings.crossover {
            SynapseCrossover::PerNeuron => {
                for neuron in self.space.neurons.iter().filter(|neuron| neuron.len() > 1) {
                    let cut = rng.random_range(1..neuron.len());
                    for &weight in &neuron[cut..] {
                        let weight = weight as usize;
                        std::mem::swap(&mut one[weight], &mut other[weight]);
                    }
                }
            }
            SynapseCrossover::Uniform { swap, .. } => {
                for (one, other) in one.iter_mut().zip(&mut other) {
                    if rng.random::<f64>() < swap {
                        std::mem::swap(one, other);
                    }
                }
            }
        }
        let [mother, father] = parents.map(|kept| kept.id);
        [one, other].map(|mut weights| {
            let changed = self.mutate(&mut weights, rng);
            let (parents, origin) = match (mother == father, changed) {
                (false, _) => (vec![mother, father], Origin::Crossover),
                (true, true) => (vec![mother], Origin::Mutation),
                (true, false) => (vec![mother], Origin::Copy),
            };
            Offspring {
                genome: RealVector(weights),
                parents,
                origin,
            }
        })
    }

    /// Changes the weights of a child; returns whether anything changed.
    fn mutate(&self, weights: &mut [f64], rng: &mut ChaCha8Rng) -> bool {
        let mutation = self.settings.mutation;
        let (rate, size) = (mutation.rate(), mutation.size(self.generation));
        let mut changed = false;
        for (weight, bounds) in weights.iter_mut().zip(&self.space.bounds) {
            if rng.random::<f64>() < rate {
                let moved = bounds.hold(*weight + size * mutation.step(rng));
                changed |= moved.to_bits() != weight.to_bits();
                *weight = moved;
            }
        }
        changed
    }

    /// Those that stay, with their weights in other places.
    fn permuted(&self, rng: &mut ChaCha8Rng) -> Vec<Offspring<RealVector>> {
        let staying = self.settings.staying().min(self.best.len());
        let staying = &self.best[..staying];
        let scores: Vec<f64> = staying.iter().map(|kept| kept.member.score).collect();
        let networks: Vec<&[f64]> = staying
            .iter()
            .map(|kept| kept.member.genome.0.as_slice())
            .collect();
        let weights = self.space.bounds.len();
        let chances = self.settings.permutation.chances(&scores, weights);
        let permuted = permute(&networks, &chances, rng);

        let mut counts = vec![0_u32; staying.len()];
        let networks = permuted.networks.into_iter().zip(&permuted.sources);
        networks
            .enumerate()
            .map(|(place, (network, sources))| {
                let genome = RealVector(network);
                if genome == staying[place].member.genome {
                    return Offspring {
                        genome,
                        parents: vec![staying[place].id],
                        origin: Origin::Elite,
                    };
                }
                let parents = most_common(sources, &mut counts);
                Offspring {
                    genome,
                    parents: parents.iter().map(|&place| staying[place].id).collect(),
                    origin: Origin::Permutation,
                }
            })
            .collect()
    }
}

/// Whose weights there are most of, the most first; `counts` is all 0 before and after.
fn most_common(sources: &[u32], counts: &mut [u32]) -> Vec<usize> {
    let mut found = Vec::new();
    for &source in sources {
        let source = source as usize;
        if counts[source] == 0 {
            found.push(source);
        }
        counts[source] += 1;
    }
    found.sort_by_key(|&source| (std::cmp::Reverse(counts[source]), source));
    for &source in &found {
        counts[source] = 0;
    }
    found.truncate(NAMED_PARENTS);
    found
}

impl Breeder for Cosyne {
    type Genome = RealVector;

    fn generation(&self) -> u32 {
        self.generation
    }

    fn ask(&self) -> Vec<Offspring<RealVector>> {
        if self.best.is_empty() {
            return self.first();
        }
        // All chance of a generation in one stream: it is bred by one thread.
        let mut rng = generator(self.seed, self.generation, 0, Purpose::Breed);
        let children = self.children(&mut rng);
        let mut born = self.permuted(&mut rng);
        born.extend(children);
        born
    }

    fn tell(&mut self, born: Vec<Offspring<RealVector>>, judged: &[JudgedMember]) {
        let told = remember(born, judged);
        let wanted = self.settings.staying().max(self.settings.parents());
        self.best = ranked(&told)
            .into_iter()
            .take(wanted)
            .map(|place| Kept {
                member: told[place].clone(),
                id: named(self.generation, place),
            })
            .collect();
        self.generation = self.generation.saturating_add(1);
    }
}
