//! The breeders that recipes can name: the only list of them.
//!
//! `lab` knows breeders by the list [`BREEDERS`] alone. A breeder of `evolve` works on one
//! kind of genome; an adapter gives it [`AnyGenome`]s, which are moved, not copied.

use std::fmt::Debug;
use std::sync::Arc;

use mendel_evolve::{
    Adam, AdamSettings, Bits, Bounds, Breeder, Cosyne, CosyneSettings, Ga, GaSettings,
    JudgedMember, MuPlusLambda, MuPlusLambdaSettings, Neat, NeatSettings, NetGenome, Offspring,
    RandomSearch, RandomSettings, RealVector, SettingsError, SpeciesReport, Spsa, SpsaSettings,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::genome::network::{Painter, most};
use crate::genome::space::{Space, SpaceKind};
use crate::genome::{AnyGenome, GenomeKind, NumberLimits};

/// A breeder of any genomes that can be saved.
pub trait SavedBreeder: Breeder<Genome = AnyGenome> {
    /// The whole state, for [`BreederKind::restore`].
    ///
    /// # Errors
    ///
    /// If JSON cannot hold it.
    fn state(&self) -> serde_json::Result<Box<RawValue>>;
}

/// A breeder whose type is known to its [`BreederKind`] alone.
pub type AnyBreeder = Box<dyn SavedBreeder>;

/// A breeder, or which setting does not fit and what would.
pub type MadeBreeder = Result<AnyBreeder, SettingsError>;

/// An entry of the list.
#[derive(Debug)]
pub struct BreederKind {
    /// As recipes write it.
    pub name: &'static str,
    /// What it can breed.
    pub genomes: &'static [GenomeKind],
    /// Reads its table of a recipe, which may have the key `kind`.
    pub settings: fn(toml::Table) -> Result<Arc<dyn BreederSettings>, toml::de::Error>,
    /// Reads what [`SavedBreeder::state`] gave.
    pub restore: fn(GenomeKind, &RawValue) -> serde_json::Result<AnyBreeder>,
}

pub trait BreederSettings: Debug + Send + Sync {
    /// A breeder in `space`, which has genomes of one of the [`BreederKind::genomes`];
    /// `start` are members of the first generation. Also used to check a recipe.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] names what does not fit and what would.
    fn make(&self, space: &Space, start: Vec<AnyGenome>, seed: u64) -> MadeBreeder;

    /// How many members are judged at once, and the key that says so.
    fn population(&self) -> (usize, &'static str);

    /// Whether the breeder needs the gradient of the score.
    fn needs_gradients(&self) -> bool {
        false
    }

    /// Whether scores below 0 are an error.
    fn needs_scores_from_zero(&self) -> bool {
        false
    }

    /// Whether members come in pairs: two sides of a point.
    fn asks_in_pairs(&self) -> bool {
        false
    }

    /// The limits of weights and biases of mutants of the parent, where the breeder can
    /// begin with them; `limit` is that of the network.
    fn mutant_limits(&self, _limit: f64) -> Option<[NumberLimits; 2]> {
        None
    }
}

use GenomeKind::{Net, Reals, Synapses};

pub static BREEDERS: &[BreederKind] = &[
    BreederKind {
        name: "ga",
        genomes: &[GenomeKind::Bits, Reals, Synapses],
        settings: settings::<GaSettings>,
        restore: |kind, state| match kind {
            GenomeKind::Bits => restore::<Ga<Bits>>(state),
            _ => restore::<Ga<RealVector>>(state),
        },
    },
    BreederKind {
        name: "mu-plus-lambda",
        genomes: &[GenomeKind::Bits, Reals, Synapses],
        settings: settings::<MuPlusLambdaSettings>,
        restore: |kind, state| match kind {
            GenomeKind::Bits => restore::<MuPlusLambda<Bits>>(state),
            _ => restore::<MuPlusLambda<RealVector>>(state),
        },
    },
    BreederKind {
        name: "adam",
        genomes: &[Reals],
        settings: settings::<AdamSettings>,
        restore: |_, state| restore::<Adam>(state),
    },
    BreederKind {
        name: "spsa",
        genomes: &[Reals, Synapses],
        settings: settings::<SpsaSettings>,
        restore: |_, state| restore::<Spsa>(state),
    },
    BreederKind {
        name: "cosyne",
        genomes: &[Synapses],
        settings: settings::<CosyneSettings>,
        restore: |_, state| restore::<Cosyne>(state),
    },
    BreederKind {
        name: "neat",
        genomes: &[Net],
        settings: settings::<NeatSettings>,
        restore: |_, state| restore::<Neat>(state),
    },
    BreederKind {
        name: RANDOM,
        genomes: &[GenomeKind::Bits, Reals, Synapses],
        settings: settings::<RandomSettings>,
        restore: restore_random,
    },
];

const RANDOM: &str = "random";

/// The entry of a name.
///
/// # Errors
///
/// The names that there are.
pub fn find_breeder<'a>(
    kinds: &'a [BreederKind],
    name: &str,
) -> Result<&'a BreederKind, Vec<&'static str>> {
    let found = kinds.iter().find(|kind| kind.name == name);
    found.ok_or_else(|| kinds.iter().map(|kind| kind.name).collect())
}

impl BreederKind {
    /// Refuses genomes that the breeder cannot breed.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Unsuited`] names the breeders of `kinds` that can.
    pub fn check_genomes(
        &self,
        kinds: &[BreederKind],
        genome: GenomeKind,
    ) -> Result<(), SettingsError> {
        if self.genomes.contains(&genome) {
            return Ok(());
        }
        let others = kinds.iter().filter(|kind| kind.genomes.contains(&genome));
        let others: Vec<&str> = others.map(|kind| kind.name).collect();
        let codings: Vec<&str> = self.genomes.iter().map(|it| it.codings()).collect();
        Err(SettingsError::Unsuited {
            key: "kind",
            value: self.name,
            genomes: genome.plural(),
            instead: format!(
                "`{}`, or coding = {}",
                others.join("`, `"),
                codings.join(", ")
            ),
        })
    }
}

/// Random search in a space, with `start` in the first generation: what breeders are
/// compared with. `None` for networks: random networks hardly ever play, and the first
/// generation says as much.
pub fn random_search(
    space: &Space,
    population: usize,
    start: Vec<AnyGenome>,
    seed: u64,
) -> Option<AnyBreeder> {
    if space.is_of_networks() {
        return None;
    }
    RandomSettings { population }.make(space, start, seed).ok()
}

/// Restores a [`random_search`].
///
/// # Errors
///
/// If `state` is none of such a search.
pub fn restore_random(kind: GenomeKind, state: &RawValue) -> serde_json::Result<AnyBreeder> {
    match kind {
        GenomeKind::Bits => restore::<RandomSearch<Bits>>(state),
        _ => restore::<RandomSearch<RealVector>>(state),
    }
}

fn settings<S>(mut table: toml::Table) -> Result<Arc<dyn BreederSettings>, toml::de::Error>
where
    S: BreederSettings + DeserializeOwned + 'static,
{
    table.remove("kind");
    Ok(Arc::new(table.try_into::<S>()?))
}

fn restore<B>(state: &RawValue) -> serde_json::Result<AnyBreeder>
where
    B: Breeder + Serialize + DeserializeOwned + 'static,
    B::Genome: Into<AnyGenome> + TryFrom<AnyGenome>,
{
    Ok(Box::new(Erased(serde_json::from_str::<B>(state.get())?)))
}

/// A breeder of one kind of genome as a [`SavedBreeder`].
struct Erased<B>(B);

/// A genome of the only kind that a breeder proposes and so is told and started with.
fn typed<G: TryFrom<AnyGenome>>(genome: AnyGenome) -> G {
    let Ok(genome) = G::try_from(genome) else {
        unreachable!("a breeder is given genomes of its own kind")
    };
    genome
}

fn map_genomes<A, B>(offspring: Vec<Offspring<A>>, map: impl Fn(A) -> B) -> Vec<Offspring<B>> {
    let mapped = offspring.into_iter().map(|it| Offspring {
        genome: map(it.genome),
        parents: it.parents,
        origin: it.origin,
    });
    mapped.collect()
}

impl<B> Breeder for Erased<B>
where
    B: Breeder,
    B::Genome: Into<AnyGenome> + TryFrom<AnyGenome>,
{
    type Genome = AnyGenome;

    fn generation(&self) -> u32 {
        self.0.generation()
    }

    fn ask(&self) -> Vec<Offspring<AnyGenome>> {
        map_genomes(self.0.ask(), Into::into)
    }

    fn tell(&mut self, offspring: Vec<Offspring<AnyGenome>>, judged: &[JudgedMember]) {
        self.0.tell(map_genomes(offspring, typed), judged);
    }

    fn wants_gradients(&self) -> bool {
        self.0.wants_gradients()
    }

    fn incumbent(&self) -> Option<AnyGenome> {
        self.0.incumbent().map(Into::into)
    }

    fn species(&self) -> Option<SpeciesReport> {
        self.0.species()
    }
}

impl<B> SavedBreeder for Erased<B>
where
    B: Breeder + Serialize,
    B::Genome: Into<AnyGenome> + TryFrom<AnyGenome>,
{
    fn state(&self) -> serde_json::Result<Box<RawValue>> {
        serde_json::value::to_raw_value(&self.0)
    }
}

/// Makes a breeder from members of its own kind, and erases its type.
fn erased<B>(
    start: Vec<AnyGenome>,
    make: impl FnOnce(Vec<B::Genome>) -> Result<B, SettingsError>,
) -> MadeBreeder
where
    B: Breeder + Serialize + 'static,
    B::Genome: Into<AnyGenome> + TryFrom<AnyGenome>,
{
    let breeder = make(start.into_iter().map(typed).collect())?;
    Ok(Box::new(Erased(breeder)))
}

/// The bounds of a space of real numbers.
fn bounds(space: &Space) -> Vec<Bounds> {
    match &space.kind {
        SpaceKind::Reals(bounds) => bounds.clone(),
        SpaceKind::Synapses(synapses) => synapses.bounds.clone(),
        SpaceKind::Bits(_) | SpaceKind::Nets(_) => Vec::new(),
    }
}

/// Makes a breeder that exists for strings of bits and for lists of real numbers.
macro_rules! bits_or_reals {
    ($breeder:ident, $settings:expr, $space:expr, $start:expr, $seed:expr) => {
        match &$space.kind {
            SpaceKind::Bits(layout) => erased($start, |start| {
                $breeder::<Bits>::new($settings.clone(), layout.clone(), start, $seed)
            }),
            _ => erased($start, |start| {
                $breeder::<RealVector>::new($settings.clone(), bounds($space), start, $seed)
            }),
        }
    };
}

impl BreederSettings for GaSettings {
    fn make(&self, space: &Space, start: Vec<AnyGenome>, seed: u64) -> MadeBreeder {
        bits_or_reals!(Ga, self, space, start, seed)
    }

    fn population(&self) -> (usize, &'static str) {
        (self.population, "breeder.population")
    }

    fn needs_scores_from_zero(&self) -> bool {
        self.selection.needs_scores_from_zero()
    }
}

impl BreederSettings for MuPlusLambdaSettings {
    fn make(&self, space: &Space, start: Vec<AnyGenome>, seed: u64) -> MadeBreeder {
        bits_or_reals!(MuPlusLambda, self, space, start, seed)
    }

    fn population(&self) -> (usize, &'static str) {
        (
            self.parents.saturating_add(self.children),
            "breeder.children",
        )
    }
}

impl BreederSettings for RandomSettings {
    fn make(&self, space: &Space, start: Vec<AnyGenome>, seed: u64) -> MadeBreeder {
        bits_or_reals!(RandomSearch, self, space, start, seed)
    }

    fn population(&self) -> (usize, &'static str) {
        (self.population, "breeder.population")
    }
}

impl BreederSettings for AdamSettings {
    fn make(&self, space: &Space, start: Vec<AnyGenome>, seed: u64) -> MadeBreeder {
        erased(start, |start| {
            Adam::new(*self, bounds(space), start.into_iter().next(), seed)
        })
    }

    fn population(&self) -> (usize, &'static str) {
        (1, "breeder")
    }

    fn needs_gradients(&self) -> bool {
        true
    }
}

impl BreederSettings for SpsaSettings {
    fn make(&self, space: &Space, start: Vec<AnyGenome>, seed: u64) -> MadeBreeder {
        erased(start, |start| {
            Spsa::new(*self, bounds(space), start.into_iter().next(), seed)
        })
    }

    fn population(&self) -> (usize, &'static str) {
        (self.directions.saturating_mul(2), "breeder.directions")
    }

    fn asks_in_pairs(&self) -> bool {
        true
    }
}

impl BreederSettings for CosyneSettings {
    fn make(&self, space: &Space, start: Vec<AnyGenome>, seed: u64) -> MadeBreeder {
        let SpaceKind::Synapses(synapses) = &space.kind else {
            return Err(SettingsError::Empty);
        };
        erased(start, |start| {
            Cosyne::new(*self, synapses.clone(), start, seed)
        })
    }

    fn population(&self) -> (usize, &'static str) {
        (self.population, "breeder.population")
    }

    fn mutant_limits(&self, limit: f64) -> Option<[NumberLimits; 2]> {
        Some([[-limit, limit]; 2])
    }
}

impl BreederSettings for NeatSettings {
    fn make(&self, space: &Space, start: Vec<AnyGenome>, seed: u64) -> MadeBreeder {
        let SpaceKind::Nets(nets) = &space.kind else {
            return Err(SettingsError::Empty);
        };
        let breeder = erased(start, |start: Vec<NetGenome>| {
            Neat::new(self.clone(), nets.shape, start, seed)
        })?;
        // A network that paints can have any numbers; one that plays has an evaluator's.
        if nets.painter != Painter::Itself {
            return Ok(breeder);
        }
        let numbers = [("weights", Some(self.weights)), ("biases", self.biases)];
        for (name, numbers) in numbers {
            if let Some(it) = numbers
                && (it.low < -most() || it.high > most())
            {
                return Err(SettingsError::Bounds {
                    name: name.to_owned(),
                    reason: format!(
                        "`low` is {} and `high` is {}; a network plays with numbers from -{most} to {most}",
                        it.low,
                        it.high,
                        most = most()
                    ),
                });
            }
        }
        Ok(breeder)
    }

    fn population(&self) -> (usize, &'static str) {
        (self.population, "breeder.population")
    }

    fn mutant_limits(&self, _limit: f64) -> Option<[NumberLimits; 2]> {
        let biases = self
            .biases
            .as_ref()
            .map_or([0.0; 2], |it| [it.low, it.high]);
        Some([[self.weights.low, self.weights.high], biases])
    }
}
