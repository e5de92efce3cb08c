//! One surface, and its top.

use super::super::algebra::{Square, dot};
use super::features::{Form, Place, Weight};

/// A surface: slopes at the start, curvatures and the worth of choices, in Elo and
/// scaled coordinates.
#[derive(Clone, Debug)]
pub(super) struct Hill {
    slope: Vec<f64>,
    bend: Square,
    /// The worth of each choice of each knob of choices.
    choices: Vec<Vec<f64>>,
}

/// No climb takes longer: each sweep is exact in every coordinate.
const SWEEPS: usize = 60;

/// A sweep that moves less than this, in scaled coordinates, is the last.
const SETTLED: f64 = 1e-4;

impl Hill {
    pub(super) fn new(form: &Form, weights: &[f64]) -> Self {
        let mut hill = Self {
            slope: vec![0.0; form.axes.len()],
            bend: Square::zeros(form.axes.len()),
            choices: form.options.iter().map(|it| vec![0.0; it.count]).collect(),
        };
        for (weight, value) in form.weights.iter().zip(weights) {
            match *weight {
                Weight::Slope(i) => hill.slope[i] = *value,
                Weight::Bend(i) => hill.bend.row_mut(i)[i] = *value,
                Weight::Cross(i, j) => {
                    hill.bend.row_mut(i)[j] = *value;
                    hill.bend.row_mut(j)[i] = *value;
                }
                Weight::Choice { knob, value: taken } => hill.choices[knob][taken] = *value,
            }
        }
        hill
    }

    pub(super) fn bend(&self) -> &Square {
        &self.bend
    }

    pub(super) fn slope_at(&self, z: &[f64], axis: usize) -> f64 {
        self.slope[axis] + dot(self.bend.row(axis), z)
    }

    /// The top between the bounds that is reached from a place.
    pub(super) fn top(&self, form: &Form, from: &Place) -> Place {
        let mut top = from.clone();
        for _ in 0..SWEEPS {
            let mut moved = 0.0_f64;
            for (i, axis) in form.axes.iter().enumerate() {
                let bend = self.bend.row(i)[i];
                let before = top.z[i];
                // The slope here, had this coordinate been 0.
                let slope = self.slope_at(&top.z, i) - bend * before;
                let z = if bend < 0.0 {
                    -slope / bend
                } else {
                    // It rises to one of the ends.
                    let worth = |z: f64| z * (slope + 0.5 * bend * z);
                    if worth(axis.high) > worth(axis.low) {
                        axis.high
                    } else {
                        axis.low
                    }
                };
                top.z[i] = z.max(axis.low).min(axis.high);
                moved = moved.max((top.z[i] - before).abs());
            }
            if moved < SETTLED {
                break;
            }
        }
        for (chosen, worth) in top.chosen.iter_mut().zip(&self.choices) {
            for (value, it) in worth.iter().enumerate() {
                if *it > worth[*chosen] {
                    *chosen = value;
                }
            }
        }
        top
    }
}
