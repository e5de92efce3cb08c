//! The surface over two knobs, to be looked at.

use super::super::course::Course;
use super::super::knob::Setting;
use super::fit::Fit;
use super::{REMEMBERED, SurfacePlan};

/// What settings are worth in Elo against `here` where two knobs take other values: a
/// row for each value of the second, a number for each of the first.
pub(in super::super) fn landscape(
    course: &Course,
    here: &Setting,
    [first, second]: [(usize, &[f64]); 2],
) -> Vec<Vec<f64>> {
    let reach = SurfacePlan::default().reach_after(course);
    let fit = Fit::new(&course.space, &course.record, REMEMBERED * reach);
    let middle = fit.form.place(here);
    let worth = |x: f64, y: f64| {
        let mut there = here.clone();
        there.0[first.0] = x;
        there.0[second.0] = y;
        fit.worth(&fit.form.difference(&fit.form.place(&there), &middle))
            .0
    };
    let row = |&y: &f64| first.1.iter().map(|&x| worth(x, y)).collect();
    second.1.iter().map(row).collect()
}
