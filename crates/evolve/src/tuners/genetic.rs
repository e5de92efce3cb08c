//! A genetic algorithm whose members all meet the king of the hill.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::course::Course;
use super::duel::{Duel, Fought};
use super::knob::{Axis, Setting};
use super::method::{Method, founders};
use crate::bounds::Bounds;
use crate::genome::{Change, Genome, RealVector};
use crate::operators::{Crossover, Measure, Mutation, Piece, ranking};
use crate::settings::{LARGEST_POPULATION, SettingsError, positive, within};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct GeneticPlan {
    pub population: usize,
    /// How many pairs a member plays with the king.
    pub pairs: u32,
    /// How many times as many a challenger plays with the king for the throne.
    pub challenge: u32,
    /// With which chance a child has two parents.
    pub crossover_rate: f64,
    /// With which chance a number of a child is changed.
    pub mutation_rate: f64,
    /// How far: the standard deviation as a share of the knob's range.
    pub sigma: f64,
}

impl Default for GeneticPlan {
    fn default() -> Self {
        Self {
            population: 12,
            pairs: 2,
            challenge: 6,
            crossover_rate: 0.7,
            mutation_rate: 0.3,
            sigma: 0.1,
        }
    }
}

/// The members of a generation meet the king; the better half of them has children. The
/// best of a generation challenges the king over more games, and takes the throne if it
/// scores more than half. The king is proposed.
///
/// # Source
///
/// The king of the hill is that of Harris, "Applications of Genetic Algorithms to Chess",
/// Bard College, 2024.
///
/// # Where this differs
///
/// Numbers instead of bits; the throne is taken over games of its own, because the best
/// of many has been lucky; parents are drawn alike from the better half.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Genetic {
    plan: GeneticPlan,
    members: Vec<RealVector>,
    king: RealVector,
    challenger: Option<RealVector>,
}

impl Genetic {
    pub(super) fn new(plan: GeneticPlan, course: &Course) -> Result<Self, SettingsError> {
        within("population", &plan.population, 2..=LARGEST_POPULATION)?;
        within("pairs", &plan.pairs, 1..=1_000_000)?;
        within("challenge", &plan.challenge, 1..=1_000_000)?;
        within("crossover-rate", &plan.crossover_rate, 0.0..=1.0)?;
        within("mutation-rate", &plan.mutation_rate, 0.0..=1.0)?;
        positive("sigma", plan.sigma)?;
        // The first of the founders is the start, which is the king.
        let mut members = founders(course, plan.population + 1, 2.0 * plan.sigma)
            .into_iter()
            .map(RealVector);
        let king = members.next().expect("there is a start");
        Ok(Self {
            plan,
            members: members.collect(),
            king,
            challenger: None,
        })
    }

    fn child(&self, course: &Course, better: &[usize], place: usize) -> RealVector {
        let mut rng = course.chance(place);
        let space: Vec<Bounds> = course
            .space
            .axes()
            .into_iter()
            .map(|Axis { bounds, .. }| bounds)
            .collect();
        let mut parent = || &self.members[better[rng.random_range(0..better.len())]];
        let parents = [parent(), parent()];
        let mut child = if rng.random::<f64>() < self.plan.crossover_rate {
            let [child, _] =
                RealVector::cross(&Crossover::uniform(Piece::Gene), &space, parents, &mut rng);
            child
        } else {
            parents[0].clone()
        };
        let mutation = Mutation::Gaussian {
            sigma: self.plan.sigma,
            measure: Measure::Range,
            decay: None,
        };
        let change = Change {
            mutation: &mutation,
            rate: self.plan.mutation_rate,
            space: &space,
            generation: course.round,
        };
        child.mutate(&change, &mut rng);
        child
    }
}

impl Method for Genetic {
    fn ask(&self, course: &Course) -> Vec<Duel> {
        let king = course.space.setting(&self.king.0);
        let duel = |member: &RealVector, pairs: u32| Duel {
            first: course.space.setting(&member.0),
            second: king.clone(),
            pairs,
        };
        // The challenge first, so that the end of the budget does not cut it off.
        let challenge = self
            .challenger
            .iter()
            .map(|it| duel(it, self.plan.pairs.saturating_mul(self.plan.challenge)));
        let members = self.members.iter().map(|it| duel(it, self.plan.pairs));
        challenge.chain(members).collect()
    }

    fn tell(&mut self, course: &Course, fought: &[Fought]) {
        let mut scores = fought.iter().map(|it| it.outcome.standing());
        // 1. The throne.
        if let Some(challenger) = self.challenger.take()
            && scores.next().is_some_and(|score| score > 0.5)
        {
            self.king = challenger;
        }
        // 2. The order of the members; who was not judged is the worst.
        let mut scores: Vec<f64> = scores.collect();
        if scores.is_empty() {
            return;
        }
        scores.resize(self.members.len(), f64::NEG_INFINITY);
        let order = ranking(&scores);
        let best = order[0];
        self.challenger = (scores[best] > 0.5).then(|| self.members[best].clone());
        // 3. Children of the better half.
        let better = &order[..order.len().div_ceil(2)];
        let children = (0..self.members.len()).map(|place| self.child(course, better, place));
        self.members = children.collect();
    }

    fn proposal(&self, course: &Course) -> Setting {
        course.space.setting(&self.king.0)
    }
}
