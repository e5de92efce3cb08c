//! NEAT: networks that grow, and all that can be said about how.

mod cross;
mod distance;
mod innovations;
mod mutate;
mod offspring;
mod presets;
mod settings;
mod spare;
mod species;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::named;
use crate::breeder::{
    Breeder, JudgedMember, MemberId, Offspring, Origin, SpeciesReport, SpeciesState,
};
use crate::genome::{NetGenome, Shape};
use crate::operators::{WORST, ranking};
use crate::seed::{Purpose, generator};
use crate::settings::SettingsError;
use innovations::Register;
use mutate::{Mutant, chance, founder};
use offspring::{Standing, children};
use spare::Spare;
use species::{Rules, SpeciesSet};

pub use distance::Distance;
pub use settings::{
    Draw, Elites, Equals, Extinction, Inherit, Innovations, Mating, NeatSettings, NewNode, Noise,
    Numbers, Orphans, Placement, Sharing, SpeciesScore, Split, Stagnation, Structure, Threshold,
};
pub use species::Species;

/// Scores are held within this, so that sums of them stay finite.
const LARGEST_SCORE: f64 = 1e100;

/// The place of no member, for the chances of a whole generation.
const NOBODY: u32 = u32::MAX;

/// `NeuroEvolution` of Augmenting Topologies: networks that begin small, grow, and
/// compete within species of networks like them.
///
/// Each structural change has a number; two networks are lined up by these, which
/// tells what they have in common and lets them be crossed. A new structure competes
/// first with those like it.
///
/// # Source
///
/// Stanley and Miikkulainen, "Evolving Neural Networks through Augmenting
/// Topologies", *Evolutionary Computation* 10(2), 2002,
/// doi:10.1162/106365602320169811. The settings can say the variant of 2004 and
/// that of the library neat-python, too ([`NeatSettings`]).
///
/// # Where this differs
///
/// * Innovations are numbered by the run, or as in the paper by the generation
///   ([`Innovations`]).
/// * Scores may be negative with [`Sharing::Shifted`]; the paper divides scores,
///   which must then be positive ([`Sharing::Mean`]).
/// * At least two of a species become parents, where it has two.
/// * The paper does not say what happens if all species are stagnant
///   ([`Extinction`]), nor what becomes of the best two after a refocus: they, and
///   the count of generations without progress, begin anew.
/// * A species without children is gone, and nobody stands for it any more.
/// * The parent from another species is any of its parents, the species drawn by
///   chance; the better of both parents gives the further genes, as always.
/// * Biases, responses, functions, deletions are not in the paper. Links of a
///   feed-forward network never leave an output.
/// * Recurrent links are drawn as all others are; the programs that go with the
///   paper draw a set share of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Neat {
    settings: NeatSettings,
    shape: Shape,
    seed: u64,
    generation: u32,
    /// The generation that is asked for next. It is made when the one before was
    /// told, for it takes new innovation numbers, and asking changes nothing.
    next: Vec<Offspring<NetGenome>>,
    #[serde(skip)]
    spare: Spare,
    species: SpeciesSet,
    register: Register,
    extinctions: u32,
    /// The best score of all, and the generation that had it or began anew.
    best: Option<f64>,
    improved: u32,
}

#[derive(Clone, Copy)]
struct Told<'a> {
    born: &'a [Offspring<NetGenome>],
    scores: &'a [f64],
}

/// The parents of a generation and how many children they have.
struct Family {
    /// Places in the generation before, best first, all members.
    ranked: Vec<usize>,
    parents: usize,
    children: usize,
}

impl Neat {
    /// A population of networks of a shape; `start` (a network, several or `None`)
    /// are members of the first generation.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] names what does not fit and what would.
    pub fn new(
        settings: NeatSettings,
        shape: Shape,
        start: impl IntoIterator<Item = NetGenome>,
        seed: u64,
    ) -> Result<Self, SettingsError> {
        settings.check()?;
        shape.check()?;
        let given: Vec<NetGenome> = start.into_iter().collect();
        if given.len() > settings.population {
            return Err(SettingsError::Start {
                reason: format!(
                    "{} members were given for a population of {}",
                    given.len(),
                    settings.population
                ),
            });
        }
        let mut register = Register::new(settings.innovations, shape);
        for net in &given {
            net.check(&shape)?;
            register.absorb(net)?;
        }
        let species = SpeciesSet::new(settings.threshold.start());
        let mut neat = Self {
            settings,
            shape,
            seed,
            generation: 0,
            next: Vec::new(),
            spare: Spare::default(),
            species,
            register,
            extinctions: 0,
            best: None,
            improved: 0,
        };
        neat.next = neat.founders(given);
        neat.speciate();
        Ok(neat)
    }

    pub fn settings(&self) -> &NeatSettings {
        &self.settings
    }

    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The species of the generation that is asked for next, the oldest first.
    pub fn species(&self) -> &[Species] {
        &self.species.all
    }

    /// How far members of one species may be apart now.
    pub fn threshold(&self) -> f64 {
        self.species.threshold
    }

    /// How often no species was left that might breed.
    pub fn extinctions(&self) -> u32 {
        self.extinctions
    }

    /// The mean distance of all pairs of the generation that is asked for next.
    pub fn mean_distance(&self) -> f64 {
        let nets: Vec<&NetGenome> = self.next.iter().map(|born| &born.genome).collect();
        self.settings.distance.mean(&self.shape, &nets)
    }

    fn founders(&self, given: Vec<NetGenome>) -> Vec<Offspring<NetGenome>> {
        let drawn = given.len() as u32..self.settings.population as u32;
        let drawn = drawn.map(|place| {
            let mut rng = generator(self.seed, self.generation, place, Purpose::Start);
            let net = founder(&self.settings, &self.shape, &mut rng);
            (net, Origin::Random)
        });
        let given = given.into_iter().map(|net| (net, Origin::Given));
        given
            .chain(drawn)
            .map(|(genome, origin)| Offspring {
                genome,
                parents: Vec::new(),
                origin,
            })
            .collect()
    }

    /// Places the next generation and moves the threshold.
    fn speciate(&mut self) {
        let nets: Vec<&NetGenome> = self.next.iter().map(|born| &born.genome).collect();
        let rules = Rules {
            distance: &self.settings.distance,
            shape: &self.shape,
            placement: self.settings.placement,
            generation: self.generation,
        };
        self.species.place(&nets, &rules);
        self.species.adjust(&self.settings.threshold);
    }

    /// Writes down how each species did. Returns the score of each that counts.
    fn record(&mut self, told: &[f64]) -> Vec<f64> {
        let measure = self.settings.stagnation.map(|it| it.measure);
        let generation = self.generation;
        let score = |species: &mut Species| {
            let scores = species.members.iter().map(|&at| told[at as usize]);
            let score = match measure.unwrap_or_default() {
                SpeciesScore::Best => scores.fold(WORST, f64::max),
                SpeciesScore::Mean => scores.sum::<f64>() / species.members.len() as f64,
            };
            if species.best.is_none_or(|best| score > best) {
                species.best = Some(score);
                species.improved = generation;
            }
            score
        };
        let scores = self.species.all.iter_mut().map(score).collect();
        let best = told.iter().copied().fold(WORST, f64::max);
        if self.best.is_none_or(|before| best > before) {
            self.best = Some(best);
            self.improved = generation;
        }
        scores
    }

    /// Which species may breed: all but those that have not become better for too
    /// long. Empty if all are gone.
    fn breeding(&mut self, scores: &[f64]) -> Vec<bool> {
        let Some(rules) = self.settings.stagnation else {
            return vec![true; scores.len()];
        };
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&one, &other| scores[other].total_cmp(&scores[one]));
        let since = self.generation.saturating_sub(self.improved);
        if rules.refocus.is_some_and(|limit| since > limit) {
            // Only the best two, who begin anew.
            self.improved = self.generation;
            let mut breeding = vec![false; scores.len()];
            for &at in order.iter().take(2) {
                breeding[at] = true;
                self.species.all[at].improved = self.generation;
            }
            return breeding;
        }
        let all = &self.species.all;
        let lively = |at: usize| all[at].stagnant(self.generation) < rules.generations;
        let mut breeding: Vec<bool> = (0..scores.len()).map(lively).collect();
        for &at in order.iter().take(rules.spared) {
            breeding[at] = true;
        }
        let keeps = self.settings.extinction == Extinction::KeepBest;
        if let Some(&best) = order.first().filter(|_| keeps && !breeding.contains(&true)) {
            breeding[best] = true;
        }
        breeding
    }

    fn families(&self, scores: &[f64]) -> Vec<Family> {
        let score = |&at: &u32| scores[at as usize];
        let standing = |species: &Species| Standing {
            mean: species.members.iter().map(score).sum::<f64>()
                / species.members.len().max(1) as f64,
            size: species.members.len(),
        };
        let all = &self.species.all;
        let standings: Vec<Standing> = all.iter().map(standing).collect();
        let known = || all.iter().flat_map(|it| &it.members).map(score);
        let range = [
            known().fold(f64::INFINITY, f64::min),
            known().fold(f64::NEG_INFINITY, f64::max),
        ];
        let sharing = match (self.settings.sharing, self.settings.elites) {
            // Elites need room.
            (Sharing::Damped { smallest }, Elites::Each(elites)) => Sharing::Damped {
                smallest: smallest.max(elites),
            },
            (sharing, _) => sharing,
        };
        let counts = children(sharing, &standings, range, self.settings.population);

        // Sorted once for all: each goes to its species.
        let mut homes = vec![usize::MAX; scores.len()];
        for (at, species) in all.iter().enumerate() {
            for &place in &species.members {
                homes[place as usize] = at;
            }
        }
        let mut lists: Vec<Vec<usize>> = all
            .iter()
            .map(|species| Vec::with_capacity(species.members.len()))
            .collect();
        for place in ranking(scores) {
            if let Some(list) = lists.get_mut(homes[place]) {
                list.push(place);
            }
        }
        let family = |(ranked, children): (Vec<usize>, usize)| {
            let share = libm::ceil(self.settings.survival * ranked.len() as f64) as usize;
            let parents = share.max(2).min(ranked.len());
            Family {
                ranked,
                parents,
                children,
            }
        };
        lists.into_iter().zip(counts).map(family).collect()
    }

    /// Makes the next generation, species by species, in the memory of the one before.
    fn breed(&mut self, told: Told<'_>, families: &[Family]) {
        let next = self.generation.saturating_add(1);
        let mut born = std::mem::take(&mut self.next);
        let mut count = 0;
        for (at, family) in families.iter().enumerate() {
            // 1. The best go on as they are.
            let elites = match self.settings.elites {
                Elites::Champion { above } => usize::from(family.ranked.len() > above),
                Elites::Each(count) => count.min(family.ranked.len()),
            };
            let elites = elites.min(family.children);
            for &place in &family.ranked[..elites] {
                let elite = cradle(&mut born, &mut count);
                elite.genome.clone_from(&told.born[place].genome);
                elite.parents.push(self.parent(place));
                elite.origin = Origin::Elite;
            }

            // 2. The rest are children, each with its own generator.
            for _ in elites..family.children {
                let mut rng = generator(self.seed, next, count as u32, Purpose::Breed);
                let child = cradle(&mut born, &mut count);
                self.child(child, told, families, at, &mut rng);
            }
        }
        born.truncate(count);
        self.next = born;
    }

    fn child(
        &mut self,
        child: &mut Offspring<NetGenome>,
        told: Told<'_>,
        families: &[Family],
        at: usize,
        rng: &mut ChaCha8Rng,
    ) {
        let mating = &self.settings.mating;
        let choose = |family: &Family, rng: &mut ChaCha8Rng| {
            family.ranked[rng.random_range(0..family.parents.max(1))]
        };
        let mother = choose(&families[at], rng);
        child.parents.push(self.parent(mother));
        let alone = chance(mating.alone, rng);
        if alone {
            child.genome.clone_from(&told.born[mother].genome);
        } else {
            let mut family = &families[at];
            if families.len() > 1 && chance(mating.interspecies, rng) {
                let other = rng.random_range(0..families.len() - 1);
                family = &families[other + usize::from(other >= at)];
            }
            let father = choose(family, rng);
            child.parents.push(self.parent(father));
            let order = told.scores[mother].total_cmp(&told.scores[father]);
            let nets = [mother, father].map(|place| &told.born[place].genome);
            cross::cross(mating, &self.shape, nets, order, &mut child.genome, rng);
        }
        let mut mutant = Mutant {
            net: &mut child.genome,
            settings: &self.settings,
            shape: &self.shape,
            register: &mut self.register,
        };
        let changed = mutant.mutate(rng);
        child.origin = match (alone, changed) {
            (false, _) => Origin::Crossover,
            (true, true) => Origin::Mutation,
            (true, false) => Origin::Copy,
        };
    }

    /// The member of the generation that was told at a place.
    fn parent(&self, place: usize) -> MemberId {
        named(self.generation, place)
    }
}

impl Breeder for Neat {
    type Genome = NetGenome;

    fn generation(&self) -> u32 {
        self.generation
    }

    fn ask(&self) -> Vec<Offspring<NetGenome>> {
        self.spare.copy(&self.next)
    }

    fn tell(&mut self, born: Vec<Offspring<NetGenome>>, judged: &[JudgedMember]) {
        // 1. What was told, tamed; members that were not asked for belong nowhere.
        let told = tamed(judged, born.len());
        let count = told.len() as u32;
        for species in &mut self.species.all {
            species.members.retain(|&at| at < count);
        }
        self.species
            .all
            .retain(|species| !species.members.is_empty());

        // 2. How the species did, and which of them may breed.
        let scores = self.record(&told);
        let breeding = self.breeding(&scores);
        let mut breeds = breeding.iter();
        let all = &mut self.species.all;
        all.retain(|_| breeds.next().copied().unwrap_or(false));
        self.register.begin_generation();

        if self.species.all.is_empty() {
            // 3. Nobody: all begin anew.
            self.extinctions = self.extinctions.saturating_add(1);
            self.generation = self.generation.saturating_add(1);
            self.next = self.founders(Vec::new());
        } else {
            // 3. Their children. A species without any is gone.
            let families = self.families(&told);
            let mut rng = generator(self.seed, self.generation, NOBODY, Purpose::Breed);
            let told = Told {
                born: &born,
                scores: &told,
            };
            self.breed(told, &families);
            let mut sizes = families.iter();
            let all = &mut self.species.all;
            all.retain(|_| sizes.next().is_some_and(|family| family.children > 0));
            if self.settings.placement == Placement::First {
                let nets: Vec<&NetGenome> = born.iter().map(|born| &born.genome).collect();
                self.species.draw_representatives(&nets, &mut rng);
            }
            self.generation = self.generation.saturating_add(1);
        }

        // 4. Which species they belong to.
        self.speciate();
        self.spare.put(born);
    }

    fn species(&self) -> Option<SpeciesReport> {
        let state = |species: &Species| SpeciesState {
            id: species.id,
            members: species.members.clone(),
            age: species.age(self.generation),
        };
        Some(SpeciesReport {
            mean_distance: self.mean_distance(),
            extinctions: self.extinctions,
            species: self.species.all.iter().map(state).collect(),
        })
    }
}

/// The place of the next member that is born, with what lay there before, but without
/// its parents.
fn cradle<'a>(
    born: &'a mut Vec<Offspring<NetGenome>>,
    count: &mut usize,
) -> &'a mut Offspring<NetGenome> {
    if *count == born.len() {
        born.push(Offspring {
            genome: NetGenome::default(),
            parents: Vec::new(),
            origin: Origin::Copy,
        });
    }
    let next = &mut born[*count];
    next.parents.clear();
    *count += 1;
    next
}

/// The scores of so many members, all finite and not too large to be added up; who has
/// none is as bad as the worst that has one.
fn tamed(judged: &[JudgedMember], count: usize) -> Vec<f64> {
    let mut scores: Vec<f64> = judged.iter().take(count).map(|it| it.score).collect();
    scores.resize(count, WORST);
    let known = |score: f64| score.is_finite() && score > WORST;
    let worst = scores.iter().copied().filter(|&score| known(score));
    let worst = worst.fold(f64::INFINITY, f64::min);
    let worst = if worst.is_finite() { worst } else { 0.0 };
    for score in &mut scores {
        let held = if known(*score) { *score } else { worst };
        *score = held.clamp(-LARGEST_SCORE, LARGEST_SCORE);
    }
    scores
}
