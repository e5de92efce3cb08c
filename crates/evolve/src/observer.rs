//! Who watches.

use crate::breeder::{Born, Judged};
use crate::run::Champion;
use crate::stop::Stopped;

/// Watches a run without being able to change it.
///
/// Records, progress bars and pictures are observers.
pub trait Observer<G> {
    /// A generation was judged; members and judgements are in the same order.
    fn generation(&mut self, _number: u32, _born: &[Born<G>], _judged: &[Judged]) {}

    /// The run is over.
    fn finished(&mut self, _champion: &Champion<G>, _why: Stopped) {}
}
