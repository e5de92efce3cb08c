//! The bench of tuners: all of them on the same synthetic programs with the same number
//! of games; what remains is the regret, how far the proposal is below the best setting.

mod synthetic;
mod table;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mendel_crew::parallel;
use mendel_evolve::tuners::{AnyTuner, SpsaPlan, Tuner, TunerPlan};
use mendel_evolve::{Purpose, SettingsError, generation_seed, generator};
use serde::{Deserialize, Serialize};

pub use synthetic::{Landscape, START_REGRET, Synthetic};
pub use table::{Cell, Figure, Summary, summary};

/// How many pairs a tuner gets at once, as if four pairs were played at a time.
const BATCH: u32 = 4;

/// SPSA with its usual settings, by which the others are measured.
pub const PLAIN_SPSA: &str = "spsa";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Lane {
    pub name: String,
    pub plan: TunerPlan,
}

impl Lane {
    /// All tuners with their usual settings, and SPSA with larger steps: what its users
    /// choose for few games.
    pub fn all() -> Vec<Self> {
        let usual = |plan: TunerPlan| Self {
            name: plan.name().to_owned(),
            plan,
        };
        let mut lanes: Vec<Self> = TunerPlan::all().into_iter().map(usual).collect();
        for r_end in BOLD {
            let plan = SpsaPlan {
                r_end,
                ..SpsaPlan::default()
            };
            let place = lanes
                .iter()
                .rposition(|it| it.plan.name() == PLAIN_SPSA)
                .map_or(0, |it| it + 1);
            let lane = Self {
                name: format!("spsa, r-end {r_end}"),
                plan: TunerPlan::Spsa(plan),
            };
            lanes.insert(place, lane);
        }
        lanes
    }
}

/// Larger steps of SPSA at the end than the usual.
const BOLD: [f64; 2] = [0.01, 0.05];

#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub lanes: Vec<Lane>,
    pub sizes: Vec<usize>,
    pub landscapes: Vec<Landscape>,
    /// How many programs of each size and landscape.
    pub seeds: u32,
    /// How many games each tuner may play with each program.
    pub games: u64,
    pub seed: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Tried {
    /// The place of the tuner among the lanes.
    pub lane: usize,
    pub size: usize,
    pub landscape: Landscape,
    /// Which of the programs of this size and landscape.
    pub program: u32,
    /// How many Elo points its proposal is below the best.
    pub regret: f64,
}

/// Runs the bench; `watch` is called with the number of tunings done and of all. `None` if it
/// was stopped before the end.
///
/// # Errors
///
/// [`SettingsError`], if the settings of a tuner are invalid.
pub fn run(
    plan: &Plan,
    threads: usize,
    stop: &AtomicBool,
    watch: impl Fn(usize, usize) + Sync,
) -> Result<Option<Vec<Tried>>, SettingsError> {
    let mut units = Vec::new();
    // The large ones first, so that no thread has one of them left at the end.
    let mut sizes = plan.sizes.clone();
    sizes.sort_unstable_by(|one, other| other.cmp(one));
    for size in sizes {
        for landscape in &plan.landscapes {
            for program in 0..plan.seeds {
                units.extend((0..plan.lanes.len()).map(|lane| (lane, size, *landscape, program)));
            }
        }
    }
    let done = AtomicUsize::new(0);
    let tried = parallel(threads, units.len(), |unit| {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let (lane, size, landscape, program) = units[unit];
        let regret = tune(plan, lane, size, landscape, program)?;
        watch(done.fetch_add(1, Ordering::Relaxed) + 1, units.len());
        Ok(Some(Tried {
            lane,
            size,
            landscape,
            program,
            regret,
        }))
    });
    tried.into_iter().collect()
}

/// Tunes one program and says what its proposal still loses.
fn tune(
    plan: &Plan,
    lane: usize,
    size: usize,
    landscape: Landscape,
    program: u32,
) -> Result<f64, SettingsError> {
    // The program is the same for all tuners, their chance is not.
    let seed = generation_seed(plan.seed, program);
    let engine = Synthetic::new(landscape, size, seed);
    let pairs = plan.games / 2;
    let tuner = plan.lanes[lane].plan;
    let mut tuner = AnyTuner::new(tuner, engine.knobs().to_vec(), pairs, BATCH, seed)?;
    loop {
        let duels = tuner.ask();
        if duels.is_empty() {
            return Ok(engine.regret(&tuner.proposal()));
        }
        let mut rng = generator(seed, tuner.round(), 0, Purpose::Trial);
        let outcomes: Vec<_> = duels
            .iter()
            .map(|duel| engine.play(duel, &mut rng))
            .collect();
        tuner.tell(duels, &outcomes);
    }
}
