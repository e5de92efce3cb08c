//! The genetic algorithm.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::{Member, check_population, found, named, ranked, remember};
use crate::breeder::{Breeder, JudgedMember, MemberId, Offspring, Origin};
use crate::genome::{Change, Genome};
use crate::hall::{Famous, Hall};
use crate::operators::{Chooser, Crossover, Mutation, Selection};
use crate::seed::{Purpose, generator};
use crate::settings::{SettingsError, out_of_range, within};

/// The settings of a [`Ga`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GaSettings {
    pub population: usize,
    pub selection: Selection,
    /// What two parents' children inherit.
    pub crossover: Crossover,
    /// The probability of a pair of parents to be crossed; otherwise the children
    /// are their copies.
    pub crossover_rate: f64,
    pub mutation: Mutation,
    /// The probability of each bit or number of a child to be changed.
    pub mutation_rate: f64,
    /// How many of the best go on unchanged.
    #[serde(default)]
    pub elites: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hall_of_fame: Option<HallOfFame>,
    #[serde(default)]
    pub founders: Founders,
}

/// The "historical mechanism": the best of each generation are remembered after
/// they left, and some come back in each generation.
///
/// # Source
///
/// Vázquez-Fernández, Coello Coello and Sagols Troncoso (see
/// [`MuPlusLambda`](super::MuPlusLambda)), by way of Harris, "Applications of
/// Genetic Algorithms to Chess", Bard College, 2024, §3.1.2.
///
/// # Where this differs
///
/// The thesis keeps the best of the whole run, whether they are still there or
/// not, and lets them go on to crossover. Here only those come back that are not
/// in the generation already, unchanged and beside the elites: a second copy of
/// the present best would bring nothing back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HallOfFame {
    pub size: usize,
    /// How many come back in each generation, the best first.
    pub reintroduce: usize,
}

/// Who the first generation of a [`Ga`] is, beside those that were given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Founders {
    /// Drawn at random from the whole space.
    #[default]
    Random,
    /// Mutants of those that were given, in turn; drawn at random if none were.
    Mutants,
    /// Children of those that were given: each two of them are crossed once, the
    /// first with the second, the first with the third and so on, and nothing is
    /// mutated. Where there are not enough pairs the rest is drawn at random, where
    /// there are too many the last have no child.
    ///
    /// # Source
    ///
    /// Klevansky, Ostroff and Offen, "Determining the Optimal Tradeoff for building
    /// Chess Playing Agents", Technion, 2023: five champions and their ten children
    /// begin the co-evolution.
    ///
    /// # Where this differs
    ///
    /// A crossover makes two children; only the first, which begins as the first
    /// parent does, is taken.
    Crosses,
}

/// A genetic algorithm with generations: parents are chosen by how they did, their
/// children crossed and mutated, the best kept if so wished.
///
/// # Source
///
/// Holland, *Adaptation in Natural and Artificial Systems*, 1975, in the form of
/// Goldberg, *Genetic Algorithms in Search, Optimization and Machine Learning*,
/// 1989, chapter 3.
///
/// # Where this differs
///
/// Elites and the hall of fame are settings; both parents of a pair are drawn
/// independently, so they can be the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Ga<G: Genome> {
    settings: GaSettings,
    space: G::Space,
    given: Vec<G>,
    seed: u64,
    generation: u32,
    told: Vec<Member<G>>,
    hall: Hall<G>,
}

impl<G: Genome> Ga<G> {
    /// A genetic algorithm in `space`; `start` (a genome, several or `None`) are
    /// members of the first generation.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] names what does not fit and what would.
    pub fn new(
        settings: GaSettings,
        space: G::Space,
        start: impl IntoIterator<Item = G>,
        seed: u64,
    ) -> Result<Self, SettingsError> {
        let given: Vec<G> = start.into_iter().collect();
        check_population(settings.population, &space, &given)?;
        settings.selection.check()?;
        G::check(Some(&settings.crossover), &settings.mutation)?;
        within("crossover-rate", &settings.crossover_rate, 0.0..=1.0)?;
        within("mutation-rate", &settings.mutation_rate, 0.0..=1.0)?;
        within("elites", &settings.elites, 0..=settings.population - 1)?;
        if let Some(hall) = &settings.hall_of_fame {
            within("hall-of-fame.size", &hall.size, 1..=100_000)?;
            let most = hall.size.min(settings.population - 1 - settings.elites);
            if hall.reintroduce > most {
                let allowed = format!(
                    "at most {most}: no more than the hall holds, and at least one child must \
                     be bred beside the elites"
                );
                let key = "hall-of-fame.reintroduce";
                return Err(out_of_range(key, &hall.reintroduce, allowed));
            }
        }
        let hall = Hall::new(settings.hall_of_fame.map_or(0, |hall| hall.size));
        Ok(Self {
            settings,
            space,
            given,
            seed,
            generation: 0,
            told: Vec::new(),
            hall,
        })
    }

    pub fn settings(&self) -> &GaSettings {
        &self.settings
    }

    /// Who is remembered, best first. Empty without a hall of fame.
    pub fn hall_of_fame(&self) -> &[Famous<G>] {
        self.hall.members()
    }

    fn founders(&self) -> Vec<Offspring<G>> {
        let population = self.settings.population;
        let mut born = found(&self.given, population, &self.space, self.seed);
        let given = self.given.len();
        let rest = born.iter_mut().enumerate().skip(given);
        let chance = |place| generator(self.seed, 0, place as u32, Purpose::Breed);
        match self.settings.founders {
            Founders::Mutants if given > 0 => {
                for (place, born) in rest {
                    born.genome = self.given[place % given].clone();
                    let changed = self.mutate(&mut born.genome, &mut chance(place));
                    born.origin = if changed {
                        Origin::Mutation
                    } else {
                        Origin::Copy
                    };
                }
            }
            Founders::Crosses => {
                let pairs = (0..given).flat_map(|one| (one + 1..given).map(move |it| [one, it]));
                for ((place, born), pair) in rest.zip(pairs) {
                    let parents = pair.map(|place| &self.given[place]);
                    let (way, mut rng) = (&self.settings.crossover, chance(place));
                    let [child, _] = G::cross(way, &self.space, parents, &mut rng);
                    born.genome = child;
                    born.parents = pair.map(|place| named(0, place)).to_vec();
                    born.origin = Origin::Crossover;
                }
            }
            Founders::Random | Founders::Mutants => {}
        }
        born
    }

    fn parent(&self, place: usize) -> MemberId {
        named(self.generation.saturating_sub(1), place)
    }

    fn elites(&self) -> impl Iterator<Item = Offspring<G>> + '_ {
        let count = self.settings.elites;
        let best = if count == 0 {
            Vec::new()
        } else {
            ranked(&self.told)
        };
        best.into_iter().take(count).map(|place| Offspring {
            genome: self.told[place].genome.clone(),
            parents: vec![self.parent(place)],
            origin: Origin::Elite,
        })
    }

    fn returning(&self) -> impl Iterator<Item = Offspring<G>> + '_ {
        let count = self
            .settings
            .hall_of_fame
            .map_or(0, |hall| hall.reintroduce);
        let left = |member: &&Famous<G>| self.told.iter().all(|told| told.genome != member.genome);
        let famous = self.hall.members().iter().filter(left);
        famous.take(count).map(|member| Offspring {
            genome: member.genome.clone(),
            parents: vec![member.id],
            origin: Origin::HallOfFame,
        })
    }

    /// Two children of two parents that the chooser picks.
    fn pair(&self, chooser: &Chooser, rng: &mut ChaCha8Rng) -> [Offspring<G>; 2] {
        let places = [chooser.choose(rng), chooser.choose(rng)];
        let parents = places.map(|place| &self.told[place].genome);
        let crossed = rng.random::<f64>() < self.settings.crossover_rate;
        let children = if crossed {
            G::cross(&self.settings.crossover, &self.space, parents, rng)
        } else {
            parents.map(Clone::clone)
        };
        let mut own = places.into_iter();
        children.map(|mut genome| {
            let place = own.next().unwrap_or(0);
            let changed = self.mutate(&mut genome, rng);
            let (parents, origin) = match (crossed, changed) {
                (true, _) => (
                    places.map(|place| self.parent(place)).to_vec(),
                    Origin::Crossover,
                ),
                (false, true) => (vec![self.parent(place)], Origin::Mutation),
                (false, false) => (vec![self.parent(place)], Origin::Copy),
            };
            Offspring {
                genome,
                parents,
                origin,
            }
        })
    }

    fn mutate(&self, genome: &mut G, rng: &mut ChaCha8Rng) -> bool {
        let change = Change {
            mutation: &self.settings.mutation,
            rate: self.settings.mutation_rate,
            generation: self.generation,
            space: &self.space,
        };
        genome.mutate(&change, rng)
    }
}

impl<G: Genome> Breeder for Ga<G> {
    type Genome = G;

    fn generation(&self) -> u32 {
        self.generation
    }

    fn ask(&self) -> Vec<Offspring<G>> {
        if self.told.is_empty() {
            return self.founders();
        }

        // 1. The best go on as they are.
        let population = self.settings.population;
        let mut born = Vec::with_capacity(population + 1);
        born.extend(self.elites());

        // 2. Some that were best once come back.
        born.extend(self.returning());

        // 3. The rest are children, made in pairs. Each pair has its own
        //    generator, so that it does not matter who makes which.
        let scores: Vec<f64> = self.told.iter().map(|member| member.score).collect();
        let chooser = self.settings.selection.chooser(&scores);
        while born.len() < population {
            let place = born.len() as u32;
            let mut rng = generator(self.seed, self.generation, place, Purpose::Breed);
            born.extend(self.pair(&chooser, &mut rng));
        }
        born.truncate(population);
        born
    }

    fn tell(&mut self, born: Vec<Offspring<G>>, judged: &[JudgedMember]) {
        self.told = remember(born, judged);
        if self.settings.hall_of_fame.is_some() {
            for member in &self.told {
                self.hall.renew(&member.genome, member.score);
            }
            if let Some(&place) = ranked(&self.told).first() {
                let best = self.told[place].clone();
                self.hall.admit(Famous {
                    genome: best.genome,
                    score: best.score,
                    id: named(self.generation, place),
                });
            }
        }
        self.generation = self.generation.saturating_add(1);
    }
}
