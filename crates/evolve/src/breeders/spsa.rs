//! Simultaneous perturbation: a slope from two sides of all numbers at once.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::start_point;
use crate::bounds::Bounds;
use crate::breeder::{Breeder, JudgedMember, Offspring, Origin};
use crate::genome::RealVector;
use crate::seed::{Purpose, generator};
use crate::settings::{LARGEST_POPULATION, SettingsError, out_of_range, positive, within};

/// The settings of [`Spsa`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SpsaSettings {
    /// How many directions are tried in each generation; each has two members.
    pub directions: usize,
    /// How many generations the gains are planned for: after so many, `c-end` and
    /// `r-end` hold.
    pub iterations: u32,
    /// How far from the point each number is tried at the end.
    pub c_end: Reach,
    /// By which share of `c-end` a number moves at the end for each point of half the
    /// difference between the two sides: for each game won more than lost.
    pub r_end: f64,
    #[serde(default = "usual_alpha")]
    pub alpha: f64,
    /// How fast the tried distance shrinks.
    #[serde(default = "usual_gamma")]
    pub gamma: f64,
    /// For which share of the iterations the steps are held back.
    #[serde(default = "usual_a_ratio")]
    pub a_ratio: f64,
    /// Whether members are whole numbers; the point itself never is.
    #[serde(default = "usually_whole")]
    pub whole: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reach {
    /// So many of the number's own [`step`](Bounds::step).
    Step(f64),
    /// Such a share of the way between its bounds.
    Range(f64),
}

fn usual_alpha() -> f64 {
    0.602
}

fn usual_gamma() -> f64 {
    0.101
}

fn usual_a_ratio() -> f64 {
    0.1
}

fn usually_whole() -> bool {
    true
}

/// The least distance at which both sides of a whole number surely differ.
const LEAST_WHOLE: f64 = 0.5;

impl Reach {
    fn of(self, bounds: &Bounds) -> f64 {
        match self {
            Self::Step(steps) => steps * bounds.step(),
            Self::Range(share) => share * bounds.width(),
        }
    }
}

impl SpsaSettings {
    pub fn new(directions: usize, iterations: u32, c_end: Reach, r_end: f64) -> Self {
        Self {
            directions,
            iterations,
            c_end,
            r_end,
            alpha: usual_alpha(),
            gamma: usual_gamma(),
            a_ratio: usual_a_ratio(),
            whole: usually_whole(),
        }
    }

    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        within("directions", &self.directions, 1..=LARGEST_POPULATION / 2)?;
        within("iterations", &self.iterations, 1..=u32::MAX)?;
        positive("r-end", self.r_end)?;
        let (Reach::Step(reach) | Reach::Range(reach)) = self.c_end;
        positive("c-end", reach)?;
        if let Reach::Range(share) = self.c_end
            && share > 0.5
        {
            let allowed = "at most half the range: more reaches beyond both bounds";
            return Err(out_of_range("c-end", &share, allowed));
        }
        // Gains that do not shrink never settle, and such that shrink at once go
        // nowhere.
        within("alpha", &self.alpha, 0.0..=1.0)?;
        within("gamma", &self.gamma, 0.0..=0.5)?;
        within("a-ratio", &self.a_ratio, 0.0..=1.0)
    }

    /// The gains of one number in generation `generation`, the first being 0.
    pub fn gains(&self, bounds: &Bounds, generation: u32) -> Gains {
        let horizon = f64::from(self.iterations);
        let k = f64::from(generation) + 1.0;
        let stability = self.a_ratio * horizon;
        let c_end = self.c_end.of(bounds);
        let a = self.r_end * c_end * c_end * libm::pow(stability + horizon, self.alpha);
        let c = c_end * libm::pow(horizon, self.gamma) / libm::pow(k, self.gamma);
        let c = if self.whole { c.max(LEAST_WHOLE) } else { c };
        let a = a / libm::pow(stability + k, self.alpha);
        Gains {
            reach: c,
            // A number that cannot move has no reach and no pull.
            pull: if c > 0.0 { a / c } else { 0.0 },
        }
    }
}

/// How far a number is tried, and how far it goes for what was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// The distance of either side from the point: cₖ.
    pub reach: f64,
    /// The way for one point of half the difference between the sides: aₖ / cₖ.
    pub pull: f64,
}

/// A point that moves along slopes guessed from pairs of members: of each pair one
/// lies a little to one side of the point in all numbers at once, the other as far to
/// the other side, and the point moves towards whoever did better.
///
/// Two members for each direction, neighbours in the generation, are all it asks with,
/// however many numbers there are. What it has come to is the point, its
/// [`incumbent`](Breeder::incumbent), which is never judged itself.
///
/// # Source
///
/// Spall, "Multivariate Stochastic Approximation Using a Simultaneous Perturbation
/// Gradient Approximation", *IEEE Transactions on Automatic Control* 37(3), 1992, with
/// its averaging over directions; the gains and their constants are those of Spall,
/// "Implementation of the Simultaneous Perturbation Algorithm for Stochastic
/// Optimization", *IEEE Transactions on Aerospace and Electronic Systems* 34(3), 1998.
/// That the gains are given by where they end, and that whole numbers are rounded by
/// chance, with one draw for both sides and half a unit as the least distance, is the
/// practice of the chess testing frameworks `fishtest` and `OpenBench`.
///
/// # Where this differs
///
/// It climbs, because scores are better the larger they are. An iteration is a
/// generation, not a pair of games: with many games in a generation `r-end` is larger
/// than the 0.002 that is usual there. If a pair of games is scored with wins less
/// losses, half the difference of the sides is that of one of them, so the published
/// step is the one taken. Point and members are kept within the bounds; that the tried
/// distance is then a shorter one is not made up for. A direction that was not judged
/// with numbers says nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spsa {
    settings: SpsaSettings,
    space: Vec<Bounds>,
    seed: u64,
    generation: u32,
    point: RealVector,
}

impl Spsa {
    /// A climber that begins at `start`, or else where the bounds say.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] names what does not fit and what would.
    pub fn new(
        settings: SpsaSettings,
        space: Vec<Bounds>,
        start: Option<RealVector>,
        seed: u64,
    ) -> Result<Self, SettingsError> {
        settings.check()?;
        let point = start_point(&space, start)?;
        Ok(Self {
            settings,
            space,
            seed,
            generation: 0,
            point,
        })
    }

    pub fn settings(&self) -> &SpsaSettings {
        &self.settings
    }

    /// All chance of one direction; asked and told, it must be the same.
    fn chance(&self, direction: usize) -> ChaCha8Rng {
        generator(self.seed, self.generation, direction as u32, Purpose::Breed)
    }

    fn sides(&self, direction: usize) -> [RealVector; 2] {
        let mut rng = self.chance(direction);
        let flips: Vec<f64> = self.space.iter().map(|_| flip(&mut rng)).collect();
        let draws: Vec<f64> = self.space.iter().map(|_| rng.random()).collect();
        [1.0, -1.0].map(|side| {
            let numbers = self.space.iter().zip(&self.point.0);
            let chance = flips.iter().zip(&draws);
            let tried = numbers.zip(chance).map(|((bounds, value), (flip, draw))| {
                let reach = self.settings.gains(bounds, self.generation).reach;
                let tried = value + side * flip * reach;
                if self.settings.whole {
                    bounds.hold(libm::floor(tried + draw))
                } else {
                    bounds.hold(tried)
                }
            });
            RealVector(tried.collect())
        })
    }
}

/// Up or down, as likely.
pub(crate) fn flip(rng: &mut ChaCha8Rng) -> f64 {
    if rng.random::<bool>() { 1.0 } else { -1.0 }
}

impl Breeder for Spsa {
    type Genome = RealVector;

    fn generation(&self) -> u32 {
        self.generation
    }

    fn ask(&self) -> Vec<Offspring<RealVector>> {
        let sides = (0..self.settings.directions).flat_map(|direction| self.sides(direction));
        let born = |genome| Offspring {
            genome,
            parents: Vec::new(),
            origin: Origin::Probe,
        };
        sides.map(born).collect()
    }

    fn tell(&mut self, _born: Vec<Offspring<RealVector>>, judged: &[JudgedMember]) {
        // 1. What each direction says, in each number.
        let mut said = vec![0.0; self.space.len()];
        let mut heard = 0.0;
        let pairs = judged.chunks_exact(2).take(self.settings.directions);
        for (direction, pair) in pairs.enumerate() {
            let ahead = (pair[0].score - pair[1].score) / 2.0;
            if !ahead.is_finite() {
                continue;
            }
            heard += 1.0;
            let mut rng = self.chance(direction);
            for said in &mut said {
                *said += flip(&mut rng) * ahead;
            }
        }

        // 2. The point goes where the mean of them points.
        if heard > 0.0 {
            let numbers = self.point.0.iter_mut().zip(&self.space);
            for ((value, bounds), said) in numbers.zip(said) {
                let pull = self.settings.gains(bounds, self.generation).pull;
                *value = bounds.hold(*value + pull * said / heard);
            }
        }
        self.generation = self.generation.saturating_add(1);
    }

    fn incumbent(&self) -> Option<RealVector> {
        Some(self.point.clone())
    }
}
