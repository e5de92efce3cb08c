//! The numbers that the strength of a setting is a weighted sum of.

use super::super::knob::{Knob, KnobKind, Setting, Space};

/// How many steps of a knob its scaled coordinate has for one unit. A step is usually
/// a twentieth of the range, so that the range is two units wide.
const STEPS: f64 = 10.0;

/// Above so many knobs of numbers, what one knob does is taken not to depend on the
/// others: there would be more products of two knobs than games can tell apart, and
/// they cost time with the sixth power of the number of knobs.
const MOST_CROSSED: usize = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    Slope(usize),
    Bend(usize),
    Cross(usize, usize),
    /// The worth of a choice that is not the one at the start.
    Choice {
        knob: usize,
        value: usize,
    },
}

/// A knob of numbers, in its scaled coordinate: 0 at the start.
#[derive(Clone, Debug)]
pub(super) struct Coordinate {
    /// The place of the knob among all.
    pub(super) knob: usize,
    start: f64,
    unit: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Coordinate {
    fn of(place: usize, knob: &Knob) -> Self {
        let unit = STEPS * knob.step();
        Self {
            knob: place,
            start: knob.start,
            unit,
            low: (knob.low - knob.start) / unit,
            high: (knob.high - knob.start) / unit,
        }
    }

    pub(super) fn scaled(&self, value: f64) -> f64 {
        (value - self.start) / self.unit
    }

    /// The value of the knob, not rounded.
    pub(super) fn value(&self, scaled: f64) -> f64 {
        self.start + scaled * self.unit
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    /// The scaled coordinates of the knobs of numbers.
    pub(super) z: Vec<f64>,
    /// What the knobs of choices are at.
    pub(super) chosen: Vec<usize>,
}

#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) knob: usize,
    pub(super) start: usize,
    pub(super) count: usize,
}

/// The form of the surface over the knobs of a program.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) axes: Vec<Coordinate>,
    pub(super) options: Vec<Options>,
    pub(super) weights: Vec<Weight>,
}

impl Form {
    pub(super) fn of(space: &Space) -> Self {
        let knobs = || {
            space
                .knobs()
                .iter()
                .enumerate()
                .filter(|(_, knob)| knob.moves())
        };
        let numbers = knobs().filter(|(_, knob)| knob.kind != KnobKind::Choice);
        let axes: Vec<_> = numbers
            .map(|(place, knob)| Coordinate::of(place, knob))
            .collect();
        let choices = knobs().filter(|(_, knob)| knob.kind == KnobKind::Choice);
        let options: Vec<_> = choices
            .map(|(place, knob)| Options {
                knob: place,
                start: knob.start as usize,
                count: knob.high as usize + 1,
            })
            .collect();
        let mut weights: Vec<_> = (0..axes.len()).map(Weight::Slope).collect();
        weights.extend((0..axes.len()).map(Weight::Bend));
        if axes.len() <= MOST_CROSSED {
            let crosses = (0..axes.len()).flat_map(|i| (0..i).map(move |j| Weight::Cross(i, j)));
            weights.extend(crosses);
        }
        for (knob, options) in options.iter().enumerate() {
            let others = (0..options.count).filter(|value| *value != options.start);
            weights.extend(others.map(|value| Weight::Choice { knob, value }));
        }
        Self {
            axes,
            options,
            weights,
        }
    }

    pub(super) fn place(&self, setting: &Setting) -> Place {
        Place {
            z: self
                .axes
                .iter()
                .map(|axis| axis.scaled(setting.0[axis.knob]))
                .collect(),
            chosen: self
                .options
                .iter()
                .map(|it| setting.0[it.knob] as usize)
                .collect(),
        }
    }

    /// The setting nearest to a place.
    pub(super) fn setting(&self, space: &Space, place: &Place) -> Setting {
        let mut setting = space.start();
        for (axis, z) in self.axes.iter().zip(&place.z) {
            setting.0[axis.knob] = space.knobs()[axis.knob].hold(axis.value(*z));
        }
        for (options, chosen) in self.options.iter().zip(&place.chosen) {
            setting.0[options.knob] = *chosen as f64;
        }
        setting
    }

    /// The numbers that the weights are for.
    pub(super) fn features(&self, place: &Place) -> Vec<f64> {
        let feature = |weight: &Weight| match *weight {
            Weight::Slope(i) => place.z[i],
            Weight::Bend(i) => 0.5 * place.z[i] * place.z[i],
            Weight::Cross(i, j) => place.z[i] * place.z[j],
            Weight::Choice { knob, value } => f64::from(u8::from(place.chosen[knob] == value)),
        };
        self.weights.iter().map(feature).collect()
    }

    /// What the first of two has more of.
    pub(super) fn difference(&self, first: &Place, second: &Place) -> Vec<f64> {
        let mut difference = self.features(first);
        for (one, other) in difference.iter_mut().zip(self.features(second)) {
            *one -= other;
        }
        difference
    }
}
