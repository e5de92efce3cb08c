//! How far a tuning is: all that is needed to continue as if it had never been stopped.

use std::collections::BTreeSet;

use mendel_arena::Entrant;
use mendel_evolve::tuners::{AnyTuner, Duel, Setting};
use mendel_store::frame::Failure;
use serde::{Deserialize, Serialize};

use super::play::line;
use super::refuse;
use super::used_openings::UsedOpenings;
use crate::record::{Infeasible, LeftOut, Param, TunePlan, Validation};

/// The checkpoint of a tuning. What came after it is found again in the memo of the pairs;
/// without one the tuning is repeated from that memo.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TuneState {
    pub(super) round: u32,
    /// Pairs that the tuner asked for so far.
    pub(super) pairs: u64,
    pub(super) tuner: AnyTuner,
    pub(super) curve: Vec<Validation>,
    pub(super) infeasible: Vec<Infeasible>,
    start_pairs: u64,
    pub(super) left_out: Vec<LeftOut>,
}

/// The tuning ends if the start fails on this many different openings and in this share of its
/// pairs; a fault in single positions does not prevent tuning.
const HOPELESS: (usize, f64) = (3, 0.1);

impl TuneState {
    pub(super) fn new(plan: &TunePlan) -> Result<Self, Failure> {
        Ok(Self {
            round: 0,
            pairs: 0,
            tuner: plan.new_tuner()?,
            curve: Vec::new(),
            infeasible: plan.infeasible.clone(),
            start_pairs: 0,
            left_out: Vec::new(),
        })
    }

    /// The openings of all duels so far, given out as they were.
    pub(super) fn used_openings(
        &self,
        plan: &TunePlan,
        engine: &Entrant,
        openings: usize,
    ) -> UsedOpenings {
        let mut used = UsedOpenings::new(openings, plan.repeats(engine));
        let mut numbers = 0..;
        for Duel {
            first,
            second,
            pairs,
        } in self.tuner.record().iter().map(|it| &it.duel)
        {
            let [first, second] = [first, second].map(|it| values(&plan.params, it));
            for number in numbers.by_ref().take(*pairs as usize) {
                used.opening(&first, &second, number);
            }
        }
        used
    }

    pub(super) fn is_refused(&self, plan: &TunePlan, values: &[i64]) -> bool {
        let options = line(&plan.params, values);
        self.infeasible.iter().any(|it| it.options == options)
    }

    pub(super) fn watch_start(
        &mut self,
        pairs: u64,
        left_out: Vec<LeftOut>,
    ) -> Result<(), Failure> {
        self.start_pairs += pairs;
        let Some(last) = left_out.last().cloned() else {
            return Ok(());
        };
        self.left_out.extend(left_out);
        let openings: BTreeSet<&str> = self.left_out.iter().map(|it| &*it.opening).collect();
        let pairs = self.left_out.len();
        let (few, share) = HOPELESS;
        if openings.len() >= few && pairs as f64 >= share * self.start_pairs as f64 {
            let LeftOut {
                opening,
                game,
                reason,
            } = last;
            let what = format!(
                "the engine fails with the values that it starts from, in {pairs} pairs of games; \
                 last {reason}, in game {game} from `{opening}`"
            );
            let hint = format!(
                "watch it by hand: `mendel match ENGINE ENGINE --games 2 --openings FILE` with the \
                 line `{opening}` in the file"
            );
            return Err(refuse(what, &hint));
        }
        Ok(())
    }

    /// Games so far, of the tuner and of the validations.
    pub(super) fn played(&self, plan: &TunePlan) -> u64 {
        2 * self.pairs + self.curve.len() as u64 * plan.validation_games
    }

    /// Whether the proposal is to play against the start before the next round.
    pub(super) fn validation_is_due(&self, plan: &TunePlan) -> bool {
        let done = self.curve.len() as u64;
        let parts = u64::from(plan.validations);
        done + 1 < parts && self.pairs * parts >= (done + 1) * plan.tuner_pairs()
    }

    /// Records values that do not work, once; whether they are new.
    pub(super) fn refuse(&mut self, infeasible: &Infeasible) -> bool {
        let mut known = self.infeasible.iter();
        let is_new = known.all(|it| it.options != infeasible.options);
        if is_new {
            self.infeasible.push(infeasible.clone());
        }
        is_new
    }
}

/// The values of a setting that can be set.
pub(super) fn values(params: &[Param], setting: &Setting) -> Vec<i64> {
    let values = params.iter().zip(&setting.0);
    values.map(|(param, value)| param.nearest(*value)).collect()
}
