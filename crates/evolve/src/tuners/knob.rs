//! What is tuned: knobs, settings of them, and the axes that tuners move along.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::bounds::Bounds;
use crate::settings::SettingsError;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnobKind {
    #[default]
    Integer,
    /// All numbers between the bounds.
    Real,
    /// Whole numbers that only name something: neighbours are no more alike than
    /// others.
    Choice,
}

/// One number of a program that may be turned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Knob {
    pub name: String,
    /// The smallest value; of a choice 0.
    pub low: f64,
    pub high: f64,
    /// The value that the program has now.
    pub start: f64,
    /// A change that should be felt, where somebody knows one; else a twentieth of
    /// the way between the bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    #[serde(default)]
    pub kind: KnobKind,
}

/// More choices than this are no knob.
pub const MOST_CHOICES: usize = 64;

impl Knob {
    pub fn integer(name: impl Into<String>, low: i64, high: i64, start: i64) -> Self {
        Self {
            name: name.into(),
            low: low as f64,
            high: high as f64,
            start: start as f64,
            step: None,
            kind: KnobKind::Integer,
        }
    }

    pub fn real(name: impl Into<String>, low: f64, high: f64, start: f64) -> Self {
        Self {
            name: name.into(),
            low,
            high,
            start,
            step: None,
            kind: KnobKind::Real,
        }
    }

    /// A knob of so many choices, from 0.
    pub fn choice(name: impl Into<String>, choices: usize, start: usize) -> Self {
        Self {
            name: name.into(),
            low: 0.0,
            high: choices.saturating_sub(1) as f64,
            start: start as f64,
            step: None,
            kind: KnobKind::Choice,
        }
    }

    /// The nearest value that is allowed. What is not a number becomes the start.
    pub fn hold(&self, value: f64) -> f64 {
        let held = self.bounds().hold(value);
        if self.kind == KnobKind::Real {
            held
        } else {
            libm::round(held)
        }
    }

    /// Whether it can take more than one value.
    pub fn moves(&self) -> bool {
        self.low < self.high
    }

    pub fn step(&self) -> f64 {
        self.bounds().step()
    }

    pub fn bounds(&self) -> Bounds {
        Bounds {
            name: self.name.clone(),
            low: self.low,
            high: self.high,
            start: self.start,
            step: self.step,
        }
    }

    fn check(&self) -> Result<(), SettingsError> {
        self.bounds().check()?;
        let refused = |reason: String| SettingsError::Bounds {
            name: self.name.clone(),
            reason,
        };
        let numbers = [self.low, self.high, self.start];
        let whole = numbers.iter().all(|it| it.fract().abs() <= 0.0);
        if self.kind != KnobKind::Real && !whole {
            let [low, high, start] = numbers;
            return Err(refused(format!(
                "its bounds are {low} and {high} and its start is {start}, which must be whole numbers, or its kind `real`"
            )));
        }
        if self.kind == KnobKind::Choice && (self.low != 0.0 || self.high >= MOST_CHOICES as f64) {
            return Err(refused(format!(
                "its choices go from {} to {}: they must begin at 0 and be at most {MOST_CHOICES}",
                self.low, self.high
            )));
        }
        Ok(())
    }
}

/// A value for each knob, in their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Setting(pub Vec<f64>);

/// One number that a tuner moves. A knob of numbers is one axis; a knob of choices
/// has an axis for each of them, and the choice whose axis is highest is taken.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    pub(super) bounds: Bounds,
    pub(super) whole: bool,
}

/// How high the axes of a choice stand at first: the one that is taken, the others.
const CHOSEN: [f64; 2] = [0.7, 0.3];

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Space(Vec<Knob>);

impl Space {
    /// The knobs, if something can be tuned.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] names the knob that makes no sense.
    pub fn new(knobs: Vec<Knob>) -> Result<Self, SettingsError> {
        knobs.iter().try_for_each(Knob::check)?;
        if !knobs.iter().any(Knob::moves) {
            return Err(SettingsError::Empty);
        }
        Ok(Self(knobs))
    }

    pub fn knobs(&self) -> &[Knob] {
        &self.0
    }

    /// The values that the program has now.
    pub fn start(&self) -> Setting {
        Setting(self.0.iter().map(|knob| knob.hold(knob.start)).collect())
    }

    pub fn hold(&self, setting: &Setting) -> Setting {
        let values = self.0.iter().zip(&setting.0);
        Setting(values.map(|(knob, value)| knob.hold(*value)).collect())
    }

    pub(super) fn axes(&self) -> Vec<Axis> {
        self.0.iter().flat_map(axes_of).collect()
    }

    /// Where the axes stand for a setting.
    pub(super) fn point(&self, setting: &Setting) -> Vec<f64> {
        let values = self.0.iter().zip(&setting.0);
        values
            .flat_map(|(knob, value)| {
                let mut axes = axes_of(&Knob {
                    start: knob.hold(*value),
                    ..knob.clone()
                });
                axes.iter_mut()
                    .map(|axis| axis.bounds.start)
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    /// The setting nearest to a point.
    pub(super) fn setting(&self, point: &[f64]) -> Setting {
        let mut rest = point;
        let values = self.0.iter().map(|knob| {
            let (own, others) = rest.split_at(axes_len(knob).min(rest.len()));
            rest = others;
            if knob.kind == KnobKind::Choice {
                return highest(own) as f64;
            }
            knob.hold(own.first().copied().unwrap_or(knob.start))
        });
        Setting(values.collect())
    }

    /// A point drawn anywhere between the bounds.
    pub(super) fn random(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let draw = |axis: Axis| axis.bounds.low + axis.bounds.width() * rng.random::<f64>();
        self.axes().into_iter().map(draw).collect()
    }
}

/// The place of the largest number, the first of them.
fn highest(numbers: &[f64]) -> usize {
    let mut best = 0;
    for (place, number) in numbers.iter().enumerate() {
        if *number > numbers[best] {
            best = place;
        }
    }
    best
}

fn axes_len(knob: &Knob) -> usize {
    match knob.kind {
        KnobKind::Choice => knob.high as usize + 1,
        KnobKind::Integer | KnobKind::Real => 1,
    }
}

fn axes_of(knob: &Knob) -> Vec<Axis> {
    if knob.kind != KnobKind::Choice {
        return vec![Axis {
            bounds: knob.bounds(),
            whole: knob.kind == KnobKind::Integer,
        }];
    }
    (0..axes_len(knob))
        .map(|choice| {
            let taken = (choice as f64 - knob.start).abs() < 0.5;
            let mut bounds = Bounds::new(knob.name.as_str(), 0.0, 1.0);
            bounds.start = if taken { CHOSEN[0] } else { CHOSEN[1] };
            // Far enough that both sides of a point differ.
            bounds.step = Some((CHOSEN[0] - CHOSEN[1]) / 2.0);
            Axis {
                bounds,
                whole: false,
            }
        })
        .collect()
}
