//! Which duels tell most about where the top is.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::super::algebra::{Factor, Square, dot};
use super::super::course::Course;
use super::super::duel::Duel;
use super::features::{Form, Place, Weight};
use super::fit::Fit;
use super::hill::Hill;
use crate::operators::normal;

/// A choice that is worth less than the best by so many Elo points more than is known
/// for sure need not be tried.
const CLOSE: f64 = 20.0;

/// The least curvature that is believed in any direction, as a share of the largest.
const LEAST_FALL: f64 = 0.05;

/// Of so many duels one is with the top itself and one between two ways down; all others
/// are between both sides of the top. That is half of the knobs, but within these: with
/// many knobs there are games for their slopes alone.
const MANNERS: (usize, usize) = (4, 12);

/// How far from the top a knob is tried at most, in its scaled coordinate.
const FARTHEST: f64 = 1.0;

/// The duels of a round, one after the other: each is chosen as if all before it had
/// been played, which changes what is sure but not what is believed.
#[derive(Debug)]
pub(super) struct Design<'a> {
    fit: &'a Fit,
    course: &'a Course,
    /// How many Elo points a tried setting may lose.
    reach: f64,
    /// How the hill falls in all directions.
    fall: Factor,
    /// What is not known of the weights.
    covariance: Square,
    /// How what is not known of the weights makes the proposal lose: the squared length
    /// of these rows times weights is Elo.
    loss: Vec<Vec<f64>>,
}

impl<'a> Design<'a> {
    pub(super) fn new(fit: &'a Fit, course: &'a Course, reach: f64) -> Self {
        let covariance = fit.covariance();
        let fall = falling(&fit.hill);
        let loss = sensitivity(fit, &fall, &covariance);
        let loss = loss.iter().map(|row| covariance.times(row)).collect();
        Self {
            fit,
            course,
            reach,
            fall,
            covariance,
            loss,
        }
    }

    pub(super) fn next(&mut self, candidates: u32, pairs: u32, rng: &mut ChaCha8Rng) -> Duel {
        let mut best: Option<(f64, Duel, Vec<f64>)> = None;
        // Both sides of the top tell most about where it is, but never how high it is
        // above them; so the manner of the duel is not left to what it promises.
        let knobs = self.fit.form.axes.len();
        let manner = rng.random_range(0..(knobs / 2).clamp(MANNERS.0, MANNERS.1));
        for _ in 0..candidates {
            let (duel, difference) = self.candidate(manner, pairs, rng);
            let gain = self.gain(&difference, pairs);
            if best.as_ref().is_none_or(|(most, ..)| gain > *most) {
                best = Some((gain, duel, difference));
            }
        }
        let (_, duel, difference) = best.expect("there is at least one candidate");
        self.learn(&difference, pairs);
        duel
    }

    /// By how much a duel lowers what the proposal is expected to lose.
    fn gain(&self, difference: &[f64], pairs: u32) -> f64 {
        let told = self.told(difference, pairs);
        let unsure = dot(&self.covariance.times(difference), difference);
        let squares = self.loss.iter().map(|row| {
            let part = dot(row, difference);
            part * part
        });
        told * squares.sum::<f64>() / (1.0 + told * unsure)
    }

    fn told(&self, difference: &[f64], pairs: u32) -> f64 {
        f64::from(pairs) * self.fit.precision(dot(&self.fit.mean, difference))
    }

    /// What will be known once the duel was played.
    fn learn(&mut self, difference: &[f64], pairs: u32) {
        let told = self.told(difference, pairs);
        let carried = self.covariance.times(difference);
        let share = told / (1.0 + told * dot(&carried, difference));
        for row in &mut self.loss {
            let part = share * dot(row, difference);
            take_away(row, part, &carried);
        }
        for (place, part) in carried.iter().enumerate() {
            take_away(self.covariance.row_mut(place), share * part, &carried);
        }
    }

    fn candidate(&self, manner: usize, pairs: u32, rng: &mut ChaCha8Rng) -> (Duel, Vec<f64>) {
        let away = self.direction(rng);
        let [first, second] = match manner {
            0 => [self.moved(&away, 1.0, rng), self.moved(&away, 0.0, rng)],
            1 => [
                self.moved(&away, 1.0, rng),
                self.moved(&self.direction(rng), 1.0, rng),
            ],
            _ => [self.moved(&away, 1.0, rng), self.moved(&away, -1.0, rng)],
        };
        let space = &self.course.space;
        let setting = |place: &Place| self.course.workable(self.fit.form.setting(space, place));
        let duel = Duel {
            first: setting(&first),
            second: setting(&second),
            pairs,
        };
        let places = [&duel.first, &duel.second].map(|it| self.fit.form.place(it));
        let difference = self.fit.form.difference(&places[0], &places[1]);
        (duel, difference)
    }

    /// A way down from the top, as far as may be tried: half of them to where the top
    /// might really be, the others anywhere.
    fn direction(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let top = &self.fit.top;
        let mut away: Vec<f64> = if rng.random::<bool>() {
            let hill = Hill::new(&self.fit.form, &self.fit.draw(rng));
            let other = hill.top(&self.fit.form, top);
            other
                .z
                .iter()
                .zip(&top.z)
                .map(|(other, top)| other - top)
                .collect()
        } else {
            let deviates: Vec<f64> = top.z.iter().map(|_| normal(rng)).collect();
            self.fall.backward(&deviates)
        };
        let fallen: f64 = (0..away.len())
            .map(|column| {
                let part: f64 = (column..away.len())
                    .map(|row| self.fall.row(row)[column] * away[row])
                    .sum();
                part * part
            })
            .sum();
        // As far as may be lost, but no knob farther than its games could be trusted.
        let share = libm::sqrt(2.0 * self.reach / fallen.max(1e-12));
        let far = away.iter().fold(1e-9_f64, |far, part| far.max(part.abs()));
        let share = share.min(FARTHEST / far);
        for part in &mut away {
            *part *= share;
        }
        away
    }

    fn moved(&self, away: &[f64], by: f64, rng: &mut ChaCha8Rng) -> Place {
        let mut place = self.fit.top.clone();
        for ((z, away), axis) in place.z.iter_mut().zip(away).zip(&self.fit.form.axes) {
            *z = (*z + by * away).max(axis.low).min(axis.high);
        }
        for (chosen, options) in place.chosen.iter_mut().zip(&self.fit.form.options) {
            if rng.random::<bool>() {
                *chosen = rng.random_range(0..options.count);
            }
        }
        place
    }
}

/// The factor of how a hill falls from its top; made steep enough in all directions
/// where the games so far say that it rises.
fn falling(hill: &Hill) -> Factor {
    let size = hill.bend().size();
    let mut fall = Square::zeros(size);
    let mut steepest = 1e-6_f64;
    for row in 0..size {
        for (cell, bend) in fall.row_mut(row).iter_mut().zip(hill.bend().row(row)) {
            *cell = -bend;
        }
        steepest = steepest.max(hill.bend().row(row)[row].abs());
    }
    let mut more = LEAST_FALL * steepest;
    loop {
        let mut lifted = fall.clone();
        for place in 0..size {
            lifted.row_mut(place)[place] += more;
        }
        if let Some(factor) = lifted.cholesky() {
            return factor;
        }
        more *= 2.0;
    }
}

/// How the loss of the proposal follows from errors of the weights: half the square of
/// the error of the slope at the top, by the fall there. An axis whose top is at a bound
/// that it would climb beyond loses nothing.
fn sensitivity(fit: &Fit, fall: &Factor, covariance: &Square) -> Vec<Vec<f64>> {
    let Form { axes, weights, .. } = &fit.form;
    let top = &fit.top;
    let held = |i: usize| {
        let slope = fit.hill.slope_at(&top.z, i);
        top.z[i] <= axes[i].low && slope < 0.0 || top.z[i] >= axes[i].high && slope > 0.0
    };
    // 1. What each weight does to the slope at the top, then by the fall there.
    let column = |weight: &Weight| -> Vec<f64> {
        let mut slope = vec![0.0; axes.len()];
        match *weight {
            Weight::Slope(i) => slope[i] = 1.0,
            Weight::Bend(i) => slope[i] = top.z[i],
            Weight::Cross(i, j) => {
                slope[i] = top.z[j];
                slope[j] = top.z[i];
            }
            Weight::Choice { .. } => {}
        }
        for (i, slope) in slope.iter_mut().enumerate() {
            if held(i) {
                *slope = 0.0;
            }
        }
        let half = libm::sqrt(0.5);
        fall.forward(&slope).iter().map(|it| half * it).collect()
    };
    let columns: Vec<Vec<f64>> = weights.iter().map(column).collect();
    let mut rows: Vec<Vec<f64>> = (0..axes.len())
        .map(|row| columns.iter().map(|column| column[row]).collect())
        .collect();
    // 2. Choices lose by being the wrong one, the more likely the closer they are.
    for (knob, options) in fit.form.options.iter().enumerate() {
        for value in (0..options.count).filter(|value| *value != top.chosen[knob]) {
            let row: Vec<f64> = weights
                .iter()
                .map(|weight| match *weight {
                    Weight::Choice {
                        knob: of,
                        value: it,
                    } if of == knob => {
                        f64::from(u8::from(it == value))
                            - f64::from(u8::from(it == top.chosen[knob]))
                    }
                    _ => 0.0,
                })
                .collect();
            let behind = dot(&row, &fit.mean);
            let unsure = dot(&covariance.times(&row), &row).max(1e-12);
            let close = libm::exp(0.5 * behind.min(0.0) * behind.abs() / unsure);
            let share = libm::sqrt(close / CLOSE);
            rows.push(row.iter().map(|it| share * it).collect());
        }
    }
    rows
}

/// Takes a share of a vector away from another.
fn take_away(from: &mut [f64], share: f64, vector: &[f64]) {
    for (cell, part) in from.iter_mut().zip(vector) {
        *cell -= share * part;
    }
}
