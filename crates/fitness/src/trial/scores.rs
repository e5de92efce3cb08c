//! Distance to an expert's score of evaluators that are no weighted sums: they are run.

use mendel_board::Position;
use mendel_crew::parallel;
use mendel_evaluator::AnyEvaluator;

use super::distance::{DistanceSettings, Labelled, Measured, Targets};
use super::sample::{Drawn, Sampling};
use super::{Round, Trial, TrialError};

/// As [`ExpertDistance`](super::ExpertDistance), for networks: a member is made and looks
/// at every position of the sample.
#[derive(Debug)]
pub struct NetworkDistance {
    sampling: Sampling,
    measured: Measured,
    evaluator: AnyEvaluator,
    positions: Vec<Position>,
    targets: Targets,
}

impl NetworkDistance {
    /// Whether an evaluator has to be run, because it is no weighted sum.
    pub fn is_for(evaluator: &AnyEvaluator) -> bool {
        matches!(evaluator, AnyEvaluator::Graph(_) | AnyEvaluator::Mlp(_))
    }

    /// A trial for members that are numbers of `evaluator`.
    ///
    /// # Errors
    ///
    /// If a position lacks its label, or a setting makes no sense.
    pub fn new<'a>(
        evaluator: &AnyEvaluator,
        positions: impl IntoIterator<Item = Labelled<'a>>,
        settings: DistanceSettings,
    ) -> Result<Self, TrialError> {
        settings.check()?;
        let labelled: Vec<Labelled> = positions.into_iter().collect();
        Ok(Self {
            sampling: Sampling::new(labelled.len(), settings.sample, settings.draw)?,
            targets: Targets::new(&labelled, &settings)?,
            measured: Measured::new(settings),
            evaluator: evaluator.clone(),
            positions: labelled.iter().map(|it| it.position.clone()).collect(),
        })
    }

    /// The distance of a member at each of these positions.
    fn distances<'a>(
        &'a self,
        member: &'a AnyEvaluator,
        indices: impl Iterator<Item = usize> + 'a,
    ) -> impl Iterator<Item = f64> + 'a {
        let mut judge = member.judge();
        indices.map(move |index| {
            let score = judge.evaluate(&self.positions[index]).0;
            self.measured.one(&self.targets, index, score)
        })
    }

    fn all(&self) -> std::ops::Range<usize> {
        0..self.positions.len()
    }
}

impl Trial for NetworkDistance {
    fn judge(&mut self, members: &[Vec<i32>], round: &mut Round) -> Result<Vec<f64>, TrialError> {
        let drawn = self.sampling.draw(round.seed, members.len());
        let trial = &*self;
        let judged = parallel(round.threads, members.len(), |at| {
            let member = trial.evaluator.with_weights(&members[at])?;
            // One after the other, so that no sum depends on the threads.
            let sum: f64 = match &drawn {
                Drawn::All => trial.distances(&member, trial.all()).sum(),
                Drawn::Shared(drawn) => trial.distances(&member, drawn.iter().copied()).sum(),
                Drawn::Own(drawn) => trial.distances(&member, drawn[at].iter().copied()).sum(),
            };
            Ok(-sum / trial.sampling.size() as f64)
        });
        judged.into_iter().collect()
    }

    fn report(&self, score: f64) -> f64 {
        -score
    }

    fn smaller_is_better(&self) -> bool {
        true
    }

    fn unit(&self) -> &'static str {
        self.measured.unit()
    }

    fn judgements_per_member(&self) -> u64 {
        self.sampling.size() as u64
    }

    fn pairs(
        &self,
        first: &[i32],
        second: &[i32],
        threads: usize,
    ) -> Result<Vec<(f64, f64)>, TrialError> {
        let members = [first, second];
        let each = parallel(threads, 2, |at| {
            let member = self.evaluator.with_weights(members[at])?;
            Ok(self.distances(&member, self.all()).collect())
        });
        let each: Vec<Vec<f64>> = each.into_iter().collect::<Result<_, TrialError>>()?;
        let [first, second] = [0, 1].map(|at| each[at].iter().copied());
        Ok(first.zip(second).collect())
    }
}
