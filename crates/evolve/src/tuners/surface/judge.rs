//! How sure a proposal is, whoever makes it.

use super::super::course::Course;
use super::super::estimate::{Estimate, Interval, KnobEstimate};
use super::super::knob::{KnobKind, Setting};
use super::features::Place;
use super::fit::Fit;
use super::hill::Hill;
use super::{REMEMBERED, SurfacePlan};
use crate::seed::{Purpose, generator};

/// Surfaces that are drawn to see where the top may be.
const DRAWS: u32 = 400;

/// The standard normal deviate of a two-sided interval of 95 %.
const DEVIATE: f64 = 1.959_963_984_540_054;

/// What the duels of a course say about a proposal.
pub(in super::super) fn estimate(course: &Course, setting: Setting) -> Estimate {
    let reach = SurfacePlan::default().reach_after(course);
    let fit = Fit::new(&course.space, &course.record, REMEMBERED * reach);
    let here = fit.form.place(&setting);
    let start = fit.form.place(&course.space.start());

    // 1. Where the top is on surfaces that are as likely as the fitted one.
    let mut rng = generator(course.seed, course.round, 0, Purpose::Proof);
    let mut tops: Vec<Place> = Vec::with_capacity(DRAWS as usize);
    let mut left = Vec::with_capacity(DRAWS as usize);
    for _ in 0..DRAWS {
        let weights = fit.draw_from_all(&mut rng);
        let top = Hill::new(&fit.form, &weights).top(&fit.form, &here);
        let difference = fit.form.difference(&top, &here);
        left.push(super::super::algebra::dot(&weights, &difference));
        tops.push(top);
    }

    // 2. Each knob.
    let values = |place: &Place, knob: usize| {
        let axis = fit.form.axes.iter().position(|axis| axis.knob == knob);
        let axis = axis.map(|i| fit.form.axes[i].value(place.z[i]));
        let option = || fit.form.options.iter().position(|it| it.knob == knob);
        axis.or_else(|| option().map(|i| place.chosen[i] as f64))
    };
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let knobs = course
        .space
        .knobs()
        .iter()
        .enumerate()
        .map(|(place, knob)| {
            let value = setting.0[place];
            let drawn = tops.iter().map(|top| values(top, place).unwrap_or(value));
            let drawn: Vec<f64> = drawn.collect();
            let best = around(value, &drawn);
            columns.push(drawn);
            let with = |other: f64| {
                let mut changed = setting.clone();
                changed.0[place] = other;
                fit.form.difference(&here, &fit.form.place(&changed))
            };
            let others: Vec<f64> = match knob.kind {
                KnobKind::Choice => (0..=knob.high as u32).map(f64::from).collect(),
                KnobKind::Integer | KnobKind::Real => vec![knob.low, knob.high],
            };
            let losses = others
                .into_iter()
                .map(|other| interval(fit.told(&with(other))));
            let matters = losses.fold(interval((0.0, 0.0)), |worst, it| {
                if it.value > worst.value { it } else { worst }
            });
            let numbers = knob.kind != KnobKind::Choice && knob.moves();
            // Far beyond what was tried, the assumed curvature alone would make any knob
            // matter.
            let visible = if numbers {
                let ends = tried(course, place, value);
                ends.iter()
                    .any(|end| interval(fit.told(&with(*end))).low > 0.0)
            } else {
                matters.low > 0.0
            };
            KnobEstimate {
                name: knob.name.clone(),
                best,
                gain: interval(fit.worth(&with(knob.hold(knob.start)))),
                matters,
                at_bound: numbers && (value <= knob.low || value >= knob.high),
                visible,
            }
        });
    let knobs: Vec<KnobEstimate> = knobs.collect();
    Estimate {
        gain: interval(fit.worth(&fit.form.difference(&here, &start))),
        left: {
            let mean = left.iter().sum::<f64>() / left.len() as f64;
            let spread = around(mean, &left);
            // With many knobs hardly any drawn surface has its top here, however near it
            // is: the draws tell how much may be left, not how little.
            Interval { low: 0.0, ..spread }
        },
        covariance: covariance(&columns),
        knobs,
        setting,
        pairs: course
            .record
            .iter()
            .map(super::super::duel::Fought::pairs)
            .sum(),
    }
}

/// The least and the largest value of a knob in games that were played, and the one
/// that is proposed.
fn tried(course: &Course, knob: usize, value: f64) -> [f64; 2] {
    let played = course.record.iter().filter(|it| it.pairs() > 0);
    let settings = played.flat_map(|it| [&it.duel.first, &it.duel.second]);
    settings.fold([value; 2], |[low, high], it| {
        [low.min(it.0[knob]), high.max(it.0[knob])]
    })
}

/// A figure and its standard deviation as an interval.
fn interval((value, deviation): (f64, f64)) -> Interval {
    Interval {
        value,
        low: value - DEVIATE * deviation,
        high: value + DEVIATE * deviation,
    }
}

/// A figure and the middle 95 of 100 draws; the figure itself is never outside.
fn around(value: f64, drawn: &[f64]) -> Interval {
    let mut sorted = drawn.to_vec();
    sorted.sort_by(f64::total_cmp);
    let tail = sorted.len() / 40;
    Interval {
        value,
        low: sorted.get(tail).copied().unwrap_or(value).min(value),
        high: sorted
            .get(sorted.len().saturating_sub(1 + tail))
            .copied()
            .unwrap_or(value)
            .max(value),
    }
}

/// How the drawn values of any two knobs vary together.
fn covariance(columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let centred: Vec<Vec<f64>> = columns
        .iter()
        .map(|column| {
            let mean = column.iter().sum::<f64>() / column.len() as f64;
            column.iter().map(|value| value - mean).collect()
        })
        .collect();
    let together = |one: &Vec<f64>, other: &Vec<f64>| {
        super::super::algebra::dot(one, other) / (one.len() as f64 - 1.0).max(1.0)
    };
    let row = |one| centred.iter().map(|other| together(one, other)).collect();
    centred.iter().map(row).collect()
}
