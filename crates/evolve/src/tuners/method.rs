//! What each algorithm brings; the rest is the same for all.

use super::course::Course;
use super::duel::{Duel, Fought};
use super::knob::Setting;
use crate::operators::normal;
use crate::seed::{Purpose, generator};

pub(super) trait Method {
    /// The duels of the next round, perhaps more than the budget allows: those at the
    /// end are then left out.
    fn ask(&self, course: &Course) -> Vec<Duel>;

    /// How the duels ended that were really played, in their order. The course does
    /// not hold them yet.
    fn tell(&mut self, course: &Course, fought: &[Fought]);

    /// The setting it would hand over now.
    fn proposal(&self, course: &Course) -> Setting;
}

/// The first members of a population: the start, then points around it, so far away as
/// `spread` says: the standard deviation of a knob as a share of its range.
pub(super) fn founders(course: &Course, population: usize, spread: f64) -> Vec<Vec<f64>> {
    let start = course.space.point(&course.space.start());
    let axes = course.space.axes();
    let around = (1..population).map(|member| {
        let mut rng = generator(course.seed, 0, member as u32, Purpose::Start);
        let moved = axes.iter().zip(&start).map(|(axis, at)| {
            axis.bounds
                .hold(at + spread * axis.bounds.width() * normal(&mut rng))
        });
        moved.collect()
    });
    std::iter::once(start.clone()).chain(around).collect()
}
