//! The tuner that is chosen at run time, and what all of them have in common.

use serde::{Deserialize, Serialize};

use super::Tuner;
use super::cma::CmaEs;
use super::course::Course;
use super::differential::Differential;
use super::duel::{Duel, Fought, Outcome, Pairs};
use super::estimate::Estimate;
use super::genetic::Genetic;
use super::knob::{Knob, Setting, Space};
use super::method::Method;
use super::plan::TunerPlan;
use super::random::Random;
use super::spsa::Spsa;
use super::surface::{self, Surface};
use crate::settings::{SettingsError, within};

/// Any of the tuners, on its course.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AnyTuner {
    plan: TunerPlan,
    course: Course,
    method: AnyMethod,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AnyMethod {
    Surface(Surface),
    Spsa(Spsa),
    CmaEs(CmaEs),
    Differential(Differential),
    Genetic(Genetic),
    Random(Random),
}

impl AnyMethod {
    fn get(&self) -> &dyn Method {
        match self {
            Self::Surface(method) => method,
            Self::Spsa(method) => method,
            Self::CmaEs(method) => method,
            Self::Differential(method) => method,
            Self::Genetic(method) => method,
            Self::Random(method) => method,
        }
    }

    fn get_mut(&mut self) -> &mut dyn Method {
        match self {
            Self::Surface(method) => method,
            Self::Spsa(method) => method,
            Self::CmaEs(method) => method,
            Self::Differential(method) => method,
            Self::Genetic(method) => method,
            Self::Random(method) => method,
        }
    }
}

/// More pairs in a round than this are a slip of the keyboard.
const LARGEST_BATCH: u32 = 100_000;

impl AnyTuner {
    /// A tuner that may ask for `pairs` pairs of games in all, and asks for at least
    /// `batch` of them in a round, so that so many can be played at once.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] names what does not fit and what would.
    pub fn new(
        plan: TunerPlan,
        knobs: Vec<Knob>,
        pairs: u64,
        batch: u32,
        seed: u64,
    ) -> Result<Self, SettingsError> {
        within("pairs", &pairs, 1..=u64::from(u32::MAX))?;
        within("batch", &batch, 1..=LARGEST_BATCH)?;
        let course = Course {
            space: Space::new(knobs)?,
            seed,
            budget: pairs,
            batch,
            round: 0,
            spent: 0,
            record: Vec::new(),
        };
        let method = match plan {
            TunerPlan::Surface(plan) => AnyMethod::Surface(Surface::new(plan)?),
            TunerPlan::Spsa(plan) => AnyMethod::Spsa(Spsa::new(plan, &course)?),
            TunerPlan::CmaEs(plan) => AnyMethod::CmaEs(CmaEs::new(plan, &course)?),
            TunerPlan::Differential(plan) => {
                AnyMethod::Differential(Differential::new(plan, &course)?)
            }
            TunerPlan::Genetic(plan) => AnyMethod::Genetic(Genetic::new(plan, &course)?),
            TunerPlan::Random(plan) => AnyMethod::Random(Random::new(plan, &course)?),
        };
        Ok(Self {
            plan,
            course,
            method,
        })
    }

    pub fn plan(&self) -> &TunerPlan {
        &self.plan
    }

    pub fn space(&self) -> &Space {
        &self.course.space
    }

    pub fn budget(&self) -> u64 {
        self.course.budget
    }

    /// How many pairs it has asked for in the rounds that were told.
    pub fn spent(&self) -> u64 {
        self.course.spent
    }

    /// What settings around the proposal are worth in Elo against it, by the surface
    /// fitted to all duels, where two knobs, named by their places, take other values:
    /// a row for each value of the second.
    ///
    /// # Panics
    ///
    /// If there is no such knob.
    pub fn landscape(&self, first: (usize, &[f64]), second: (usize, &[f64])) -> Vec<Vec<f64>> {
        surface::landscape(&self.course, &self.proposal(), [first, second])
    }

    /// Sets down a setting that was found not to work outside of any duel that was
    /// asked for.
    pub fn refuse(&mut self, setting: &Setting) {
        self.course.record.push(Fought {
            duel: Duel {
                first: self.course.space.hold(setting),
                second: self.course.space.start(),
                pairs: 0,
            },
            outcome: Outcome::Infeasible {
                first: true,
                second: false,
                clean: Pairs::default(),
            },
        });
    }

    pub fn record(&self) -> &[Fought] {
        &self.course.record
    }
}

impl Tuner for AnyTuner {
    fn round(&self) -> u32 {
        self.course.round
    }

    fn ask(&self) -> Vec<Duel> {
        if self.course.left() == 0 {
            return Vec::new();
        }
        self.course.trim(self.method.get().ask(&self.course))
    }

    fn tell(&mut self, duels: Vec<Duel>, outcomes: &[Outcome]) {
        let asked: u64 = duels.iter().map(|duel| u64::from(duel.pairs)).sum();
        let fought = duels.into_iter().zip(outcomes);
        let fought: Vec<Fought> = fought
            .map(|(duel, outcome)| Fought {
                duel,
                outcome: *outcome,
            })
            .collect();
        self.method.get_mut().tell(&self.course, &fought);
        self.course.record.extend(fought);
        self.course.spent += asked;
        self.course.round = self.course.round.saturating_add(1);
    }

    fn proposal(&self) -> Setting {
        self.course
            .workable(self.method.get().proposal(&self.course))
    }

    fn best(&self) -> Estimate {
        surface::estimate(&self.course, self.proposal())
    }
}
