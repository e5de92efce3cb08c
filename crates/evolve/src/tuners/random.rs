//! Points drawn anywhere; the better half of them plays on.

use serde::{Deserialize, Serialize};

use super::course::Course;
use super::duel::{Duel, Fought};
use super::knob::Setting;
use super::method::Method;
use crate::seed::{Purpose, generator};
use crate::settings::{SettingsError, within};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct RandomPlan {
    pub candidates: u32,
}

impl Default for RandomPlan {
    fn default() -> Self {
        Self { candidates: 32 }
    }
}

/// Random search with successive halving: all candidates meet the start, the better
/// half of them again with twice as many games, until one is left. It is proposed if
/// it scored more than half of the points, else the start is.
///
/// # Source
///
/// Jamieson and Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter
/// Optimization", AISTATS 2016.
///
/// # Where this differs
///
/// A candidate is judged by all its games, those of earlier rounds too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Random {
    plan: RandomPlan,
    /// Who is still in it, the best first, with what it has scored.
    alive: Vec<Candidate>,
    rounds: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Candidate {
    setting: Setting,
    points: f64,
    pairs: f64,
    /// It does not work, which is no score: it is passed over.
    out: bool,
}

impl Candidate {
    fn score(&self) -> f64 {
        if self.out {
            f64::NEG_INFINITY
        } else if self.pairs > 0.0 {
            self.points / self.pairs
        } else {
            // Nothing was played: nobody is ahead.
            0.5
        }
    }
}

impl Random {
    pub(super) fn new(plan: RandomPlan, course: &Course) -> Result<Self, SettingsError> {
        within("candidates", &plan.candidates, 2..=100_000)?;
        // With fewer pairs than candidates nobody could be judged.
        let candidates = u64::from(plan.candidates).min(course.budget.max(1)) as u32;
        let draw = |member| {
            let mut rng = generator(course.seed, 0, member, Purpose::Start);
            let setting = course.space.setting(&course.space.random(&mut rng));
            Candidate {
                setting,
                points: 0.0,
                pairs: 0.0,
                out: false,
            }
        };
        Ok(Self {
            plan,
            alive: (0..candidates).map(draw).collect(),
            rounds: candidates.next_power_of_two().ilog2().max(1),
        })
    }
}

impl Method for Random {
    fn ask(&self, course: &Course) -> Vec<Duel> {
        // What is left is for the rounds that are left, in equal parts.
        let rounds = u64::from(self.rounds.saturating_sub(course.round).max(1));
        let each = course.left() / rounds / self.alive.len().max(1) as u64;
        let pairs = each.clamp(1, u64::from(u32::MAX)) as u32;
        let second = course.space.start();
        let duel = |candidate: &Candidate| Duel {
            first: candidate.setting.clone(),
            second: second.clone(),
            pairs,
        };
        self.alive.iter().map(duel).collect()
    }

    fn tell(&mut self, _course: &Course, fought: &[Fought]) {
        for (candidate, fought) in self.alive.iter_mut().zip(fought) {
            let played = fought.outcome.pairs();
            candidate.points += played.points() / 2.0;
            candidate.pairs += played.count() as f64;
            candidate.out |= fought.outcome.failed()[0];
        }
        self.alive
            .sort_by(|one, other| other.score().total_cmp(&one.score()));
        self.alive.truncate(self.alive.len().div_ceil(2));
    }

    fn proposal(&self, course: &Course) -> Setting {
        match self.alive.first() {
            Some(best) if best.score() > 0.5 => best.setting.clone(),
            _ => course.space.start(),
        }
    }
}
