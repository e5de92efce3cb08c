//! What the bench found, in figures.

use mendel_arena::statistics::mean_and_error;
use serde::{Deserialize, Serialize};

use super::{Landscape, PLAIN_SPSA, Plan, Tried};

/// A mean with half the width of the interval that holds it in 95 of 100 cases.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Figure {
    pub mean: f64,
    /// Half the width of its interval; none for a single figure.
    pub error: Option<f64>,
    pub count: usize,
}

impl Figure {
    pub fn of(figures: &[f64]) -> Self {
        let (mean, error) = mean_and_error(figures);
        let count = figures.len();
        Self { mean, error, count }
    }
}

/// One tuner on programs of one size, and of one landscape or of all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Cell {
    pub tuner: String,
    pub knobs: usize,
    /// The landscape, or all of them together.
    pub landscape: Option<Landscape>,
    /// How many Elo points its proposals are below the best.
    pub regret: Figure,
    /// The same less that of SPSA with its usual settings on the same programs, if it
    /// takes part.
    pub against_spsa: Option<Figure>,
}

/// All cells: first over all landscapes, then by landscape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Summary {
    /// How many Elo points the start is below the best.
    pub start: f64,
    /// How many games each tuner played with each program.
    pub games: u64,
    /// How many programs of each size and landscape there were.
    pub seeds: u32,
    pub seed: u64,
    pub cells: Vec<Cell>,
}

pub fn summary(plan: &Plan, tried: &[Tried]) -> Summary {
    let spsa = plan.lanes.iter().position(|lane| lane.name == PLAIN_SPSA);
    let landscapes = plan.landscapes.iter().copied().map(Some);
    let mut cells = Vec::new();
    for landscape in std::iter::once(None).chain(landscapes) {
        for (lane, tuner) in plan.lanes.iter().enumerate() {
            for &knobs in &plan.sizes {
                let of = |lane: usize| -> Vec<f64> {
                    let own = tried.iter().filter(|it| {
                        it.lane == lane
                            && it.size == knobs
                            && landscape.is_none_or(|wanted| wanted == it.landscape)
                    });
                    own.map(|it| it.regret).collect()
                };
                let regrets = of(lane);
                let against_spsa = spsa.filter(|spsa| *spsa != lane).map(|spsa| {
                    let theirs = of(spsa);
                    let less: Vec<f64> = regrets
                        .iter()
                        .zip(theirs)
                        .map(|(one, it)| one - it)
                        .collect();
                    Figure::of(&less)
                });
                cells.push(Cell {
                    tuner: tuner.name.clone(),
                    knobs,
                    landscape,
                    regret: Figure::of(&regrets),
                    against_spsa,
                });
            }
        }
    }
    Summary {
        start: super::START_REGRET,
        games: plan.games,
        seeds: plan.seeds,
        seed: plan.seed,
        cells,
    }
}
