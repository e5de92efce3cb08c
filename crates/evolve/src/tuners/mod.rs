//! Tuners: they ask for duels between settings of a program's knobs, are told how the
//! duels ended, and come nearer to the best setting.
//!
//! A breeder is told a score for each member; what tells here is only who won a pair of
//! games, which is a coin with a small bias. So a [`Tuner`] asks for [`Duel`]s, learns
//! from their [`Outcome`]s, and says at any time what it would propose and how sure that
//! is.
//!
//! ```
//! use mendel_evolve::tuners::{AnyTuner, Duel, Knob, Outcome, Pairs, Tuner, TunerPlan};
//!
//! let knobs = vec![Knob::integer("Margin", 0, 100, 20), Knob::real("Factor", 0.0, 2.0, 1.0)];
//! // 200 pairs of games in rounds of at least 4 pairs, seed 7.
//! let mut tuner = AnyTuner::new(TunerPlan::default(), knobs, 200, 4, 7)?;
//!
//! // Here the larger margin always wins.
//! let play = |duel: &Duel| {
//!     let pairs = u64::from(duel.pairs);
//!     let ahead = duel.first.0[0] > duel.second.0[0];
//!     Outcome::Played(Pairs(if ahead { [0, 0, 0, 0, pairs] } else { [pairs, 0, 0, 0, 0] }))
//! };
//! loop {
//!     let duels = tuner.ask();
//!     if duels.is_empty() {
//!         break; // all pairs are played
//!     }
//!     let outcomes: Vec<Outcome> = duels.iter().map(play).collect();
//!     tuner.tell(duels, &outcomes);
//! }
//! assert!(tuner.proposal().0[0] > 50.0);
//! assert!(tuner.best().gain.value > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod algebra;
mod any;
mod cma;
mod course;
mod differential;
mod duel;
mod estimate;
mod genetic;
mod knob;
mod method;
mod plan;
mod random;
mod spsa;
mod surface;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use any::AnyTuner;
pub use cma::CmaEsPlan;
pub use differential::DifferentialPlan;
pub use duel::{Duel, Fought, Outcome, Pairs};
pub use estimate::{Estimate, Interval, KnobEstimate};
pub use genetic::GeneticPlan;
pub use knob::{Knob, KnobKind, MOST_CHOICES, Setting, Space};
pub use plan::TunerPlan;
pub use random::RandomPlan;
pub use spsa::SpsaPlan;
pub use surface::SurfacePlan;

/// Asks for duels between settings and learns from how they ended.
///
/// Asking and telling are apart so that the playing in between can take a second or a
/// week, here or on other machines. A tuner is its own serialisable state: written after
/// a round was told and read back, or made anew and told the same rounds again, it goes
/// on with the very duels it would have asked for.
pub trait Tuner: Serialize + DeserializeOwned {
    fn round(&self) -> u32;

    /// The duels of the next round; none when all pairs have been played. Asked twice
    /// without being told, it answers the same.
    fn ask(&self) -> Vec<Duel>;

    /// How the duels of the round that was asked for ended, in their order.
    fn tell(&mut self, duels: Vec<Duel>, outcomes: &[Outcome]);

    /// The setting it would hand over now: one that is allowed and not known to be
    /// infeasible.
    fn proposal(&self) -> Setting;

    /// The same with what is known about it; this takes longer.
    fn best(&self) -> Estimate;
}
