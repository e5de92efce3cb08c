//! Differential evolution: steps are differences of members.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::course::Course;
use super::duel::{Duel, Fought};
use super::knob::Setting;
use super::method::{Method, founders};
use crate::settings::{LARGEST_POPULATION, SettingsError, positive, within};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct DifferentialPlan {
    pub population: usize,
    /// How many pairs a member and its rival play.
    pub pairs: u32,
    /// Which share of a difference is added.
    pub weight: f64,
    /// With which chance a number comes from the new point.
    pub crossover: f64,
    /// How far from the start the first members lie: the standard deviation of a knob
    /// as a share of its range.
    pub spread: f64,
}

impl Default for DifferentialPlan {
    fn default() -> Self {
        Self {
            population: 20,
            pairs: 1,
            weight: 0.6,
            crossover: 0.8,
            spread: 0.2,
        }
    }
}

/// Every member meets a rival made from three others, and gives way if it scores less
/// than half. The middle of all members is proposed: which of them is best, so few games
/// cannot tell.
///
/// # Source
///
/// Storn and Price, "Differential Evolution: A Simple and Efficient Heuristic for Global
/// Optimization over Continuous Spaces", *Journal of Global Optimization* 11, 1997, in its
/// form `rand/1/bin`.
///
/// # Where this differs
///
/// Member and rival meet instead of having a score of their own; the middle is proposed,
/// not the best; the first members lie around the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Differential {
    plan: DifferentialPlan,
    members: Vec<Vec<f64>>,
}

impl Differential {
    pub(super) fn new(plan: DifferentialPlan, course: &Course) -> Result<Self, SettingsError> {
        within("population", &plan.population, 4..=LARGEST_POPULATION)?;
        within("pairs", &plan.pairs, 1..=1_000_000)?;
        positive("weight", plan.weight)?;
        within("crossover", &plan.crossover, 0.0..=1.0)?;
        positive("spread", plan.spread)?;
        let members = founders(course, plan.population, plan.spread);
        Ok(Self { plan, members })
    }

    fn rival(&self, course: &Course, member: usize) -> Vec<f64> {
        let mut rng = course.chance(member);
        let [base, one, other] = self.three_others(member, &mut rng);
        let axes = course.space.axes();
        let sure = rng.random_range(0..axes.len());
        let numbers = axes.iter().enumerate().map(|(place, axis)| {
            let taken = rng.random::<f64>() < self.plan.crossover || place == sure;
            if !taken {
                return self.members[member][place];
            }
            let [base, one, other] = [base, one, other].map(|it| self.members[it][place]);
            axis.bounds.hold(base + self.plan.weight * (one - other))
        });
        numbers.collect()
    }

    fn three_others(&self, member: usize, rng: &mut ChaCha8Rng) -> [usize; 3] {
        let mut others: Vec<usize> = (0..self.members.len()).filter(|it| *it != member).collect();
        [(); 3].map(|()| others.swap_remove(rng.random_range(0..others.len())))
    }
}

impl Method for Differential {
    fn ask(&self, course: &Course) -> Vec<Duel> {
        let duel = |member: usize| Duel {
            first: course.space.setting(&self.rival(course, member)),
            second: course.space.setting(&self.members[member]),
            pairs: self.plan.pairs,
        };
        (0..self.members.len()).map(duel).collect()
    }

    fn tell(&mut self, course: &Course, fought: &[Fought]) {
        let rivals: Vec<Vec<f64>> = (0..fought.len().min(self.members.len()))
            .map(|member| self.rival(course, member))
            .collect();
        for ((member, rival), fought) in self.members.iter_mut().zip(rivals).zip(fought) {
            if fought.outcome.standing() > 0.5 {
                *member = rival;
            }
        }
    }

    fn proposal(&self, course: &Course) -> Setting {
        let middle = (0..self.members[0].len()).map(|axis| {
            let sum: f64 = self.members.iter().map(|member| member[axis]).sum();
            sum / self.members.len() as f64
        });
        course.space.setting(&middle.collect::<Vec<_>>())
    }
}
