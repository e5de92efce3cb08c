//! The judging side of a run.

use std::fmt;

use crate::breeder::{Breeder, JudgedMember, Offspring};

/// A generation to be judged.
pub struct GenerationRequest<'a, G> {
    /// Counted from the first generation of the [`Run`](crate::Run), or of the runs that it
    /// continues.
    pub generation: u32,
    /// All random numbers of the judging come from this.
    pub seed: u64,
    pub offspring: &'a [Offspring<G>],
    /// The breeder that asks, before it is told: whether it wants gradients, where it has
    /// come to, and its species.
    pub breeder: &'a dyn Breeder<Genome = G>,
}

impl<G> fmt::Debug for GenerationRequest<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenerationRequest")
            .field("generation", &self.generation)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

/// What a [`Trial`] makes of a generation.
#[derive(Clone, Debug, PartialEq)]
pub struct GenerationResult {
    /// One for each member, in their order.
    pub judged: Vec<JudgedMember>,
    /// The best score, in the unit of [`StopRules::target`](crate::StopRules::target).
    pub best: f64,
    /// In the unit of [`StopRules::judgements`](crate::StopRules::judgements).
    pub judgements: u64,
    /// Whether a member became the new incumbent of the trial.
    pub takeover: bool,
}

impl GenerationResult {
    /// The result of members that are judged once each, by their scores alone.
    pub fn of(judged: Vec<JudgedMember>) -> Self {
        let scores = judged.iter().map(|it| it.score).filter(|it| it.is_finite());
        Self {
            best: scores.fold(f64::NEG_INFINITY, f64::max),
            judgements: judged.len() as u64,
            takeover: false,
            judged,
        }
    }
}

/// Judges a whole generation at once, so that members may meet each other.
///
/// A trial may have a memory, such as a champion to beat. To continue a run later, that is
/// saved together with the breeder.
pub trait Trial<G> {
    type Error;

    /// Equal requests and an equal memory give equal results.
    ///
    /// # Errors
    ///
    /// If the generation could not be judged as a whole. A member that does badly, or not
    /// at all, has a low score.
    fn judge(&mut self, request: GenerationRequest<'_, G>)
    -> Result<GenerationResult, Self::Error>;
}
