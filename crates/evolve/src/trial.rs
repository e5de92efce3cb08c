//! Who judges.

use crate::breeder::Judged;

/// Judges a whole generation at once, so that it may let its members meet.
///
/// A trial may have a memory, such as a champion to beat. Whoever writes down a run
/// to continue it later writes that down too.
pub trait Trial<P> {
    /// Why a generation could not be judged.
    type Error: std::error::Error;

    /// One judgement for each member, in their order. The same members, seed and
    /// memory give the same judgements; the seed is all the chance there is.
    ///
    /// # Errors
    ///
    /// If the generation could not be judged as a whole; a member that does badly,
    /// or not at all, is no error but a low score.
    fn judge(&mut self, members: &[P], seed: u64) -> Result<Vec<Judged>, Self::Error>;

    /// Says before the first generation whether slopes are needed with the scores.
    /// A trial that has none may ignore it.
    fn want_slopes(&mut self, _wanted: bool) {}
}
