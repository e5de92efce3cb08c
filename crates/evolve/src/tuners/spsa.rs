//! Simultaneous perturbation as the testing frameworks of chess run it.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::course::Course;
use super::duel::{Duel, Fought};
use super::knob::{Axis, Setting};
use super::method::Method;
use crate::breeders::{Gains, Reach, SpsaSettings, flip};
use crate::settings::SettingsError;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct SpsaPlan {
    /// How far from the point each knob is tried at the end, in steps of the knob.
    pub c_end: f64,
    /// By which share of `c-end` a knob moves at the end for each game won more than
    /// lost.
    pub r_end: f64,
    pub alpha: f64,
    /// How fast the tried distance shrinks.
    pub gamma: f64,
    /// For which share of all pairs the steps are held back.
    pub a_ratio: f64,
}

impl Default for SpsaPlan {
    fn default() -> Self {
        let usual = SpsaSettings::new(1, 1, Reach::Step(1.0), 0.002);
        Self {
            c_end: 1.0,
            r_end: usual.r_end,
            alpha: usual.alpha,
            gamma: usual.gamma,
            a_ratio: usual.a_ratio,
        }
    }
}

impl SpsaPlan {
    fn settings(&self, pairs: u64, whole: bool) -> SpsaSettings {
        SpsaSettings {
            directions: 1,
            iterations: pairs.clamp(1, u64::from(u32::MAX)) as u32,
            c_end: Reach::Step(self.c_end),
            r_end: self.r_end,
            alpha: self.alpha,
            gamma: self.gamma,
            a_ratio: self.a_ratio,
            whole,
        }
    }
}

/// A point that moves after every pair of games: one side plays with all knobs a
/// little off it, the other with all knobs as far off the other way, and each knob
/// moves towards whoever won.
///
/// # Source
///
/// As for [`Spsa`](crate::Spsa), whose gains these are. An iteration is one pair of
/// games, the step is for games won more than lost, a knob is tried at a twentieth of
/// its range and `r-end` is 0.002, as `fishtest` and `OpenBench` propose.
///
/// # Where this differs
///
/// The pairs of a round are played around one point and their steps added up at its
/// end, as happens there to workers who play at the same time. A choice is as many
/// numbers as it has values, the largest of which wins. A side near values at which the
/// program failed is drawn back towards the start; a knob then moves only if both sides
/// still differ in it. The failure itself moves nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Spsa {
    plan: SpsaPlan,
    point: Vec<f64>,
}

impl Spsa {
    pub(super) fn new(plan: SpsaPlan, course: &Course) -> Result<Self, SettingsError> {
        plan.settings(course.budget, true).check()?;
        let point = course.space.point(&course.space.start());
        Ok(Self { plan, point })
    }

    fn gains(&self, course: &Course, axis: &Axis, duel: usize) -> Gains {
        let iteration = (course.spent + duel as u64).min(u64::from(u32::MAX)) as u32;
        let settings = self.plan.settings(course.budget, axis.whole);
        settings.gains(&axis.bounds, iteration)
    }

    /// Which way each knob is tried first, and the chance of its rounding.
    fn draws(axes: &[Axis], rng: &mut ChaCha8Rng) -> Vec<(f64, f64)> {
        axes.iter().map(|_| (flip(rng), rng.random())).collect()
    }

    fn side(&self, course: &Course, axes: &[Axis], duel: usize, side: f64) -> Setting {
        let draws = Self::draws(axes, &mut course.chance(duel));
        let numbers = axes.iter().zip(&self.point).zip(draws);
        let tried = numbers.map(|((axis, value), (flip, draw))| {
            let tried = value + side * flip * self.gains(course, axis, duel).reach;
            // One draw for both sides, so that their distance stays.
            let tried = if axis.whole {
                libm::floor(tried + draw)
            } else {
                tried
            };
            axis.bounds.hold(tried)
        });
        course.space.setting(&tried.collect::<Vec<_>>())
    }

    /// Which way of each axis the first of a duel went.
    fn ways(&self, course: &Course, axes: &[Axis], duel: usize, played: &Duel) -> Vec<f64> {
        let flips = Self::draws(axes, &mut course.chance(duel));
        let flips = flips.into_iter().map(|(flip, _)| flip);
        let side = |side| self.side(course, axes, duel, side);
        if played.first == side(1.0) && played.second == side(-1.0) {
            return flips.collect();
        }
        let [first, second] = [&played.first, &played.second].map(|it| course.space.point(it));
        let apart = first.iter().zip(&second).map(|(one, other)| one - other);
        flips
            .zip(apart)
            .map(|(flip, apart)| if flip * apart > 0.0 { flip } else { 0.0 })
            .collect()
    }
}

impl Method for Spsa {
    fn ask(&self, course: &Course) -> Vec<Duel> {
        let axes = course.space.axes();
        let duel = |duel: usize| Duel {
            first: course.workable(self.side(course, &axes, duel, 1.0)),
            second: course.workable(self.side(course, &axes, duel, -1.0)),
            pairs: 1,
        };
        (0..course.batch as usize).map(duel).collect()
    }

    fn tell(&mut self, course: &Course, fought: &[Fought]) {
        let axes = course.space.axes();
        let mut moved = vec![0.0; axes.len()];
        for (duel, fought) in fought.iter().enumerate() {
            let ahead = fought.outcome.pairs().ahead();
            let ways = self.ways(course, &axes, duel, &fought.duel);
            for ((moved, axis), way) in moved.iter_mut().zip(&axes).zip(ways) {
                *moved += self.gains(course, axis, duel).pull * way * ahead;
            }
        }
        for ((value, axis), moved) in self.point.iter_mut().zip(&axes).zip(moved) {
            *value = axis.bounds.hold(*value + moved);
        }
    }

    fn proposal(&self, course: &Course) -> Setting {
        course.space.setting(&self.point)
    }
}
