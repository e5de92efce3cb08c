//! Lists of numbers between bounds.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::bits::{cut, two_cuts};
use super::{Change, Genome, diversity};
use crate::bounds::Bounds;
use crate::operators::{Crossover, Mutation, Piece};
use crate::settings::SettingsError;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RealVector(pub Vec<f64>);

impl Genome for RealVector {
    type Space = Vec<Bounds>;

    fn check_space(space: &Vec<Bounds>) -> Result<(), SettingsError> {
        for bounds in space {
            bounds.check()?;
        }
        if space.iter().all(|bounds| bounds.low >= bounds.high) {
            return Err(SettingsError::Empty);
        }
        Ok(())
    }

    fn check(crossover: Option<&Crossover>, mutation: &Mutation) -> Result<(), SettingsError> {
        if let Some(crossover) = crossover {
            crossover.check()?;
            if matches!(crossover, Crossover::Uniform { by: Piece::Bit, .. }) {
                return Err(SettingsError::Unsuited {
                    key: "crossover",
                    value: "uniform by bit",
                    genomes: "numbers",
                    instead: "`uniform = { by = \"gene\" }`".to_owned(),
                });
            }
        }
        mutation.check()?;
        if !matches!(mutation, Mutation::BitFlip | Mutation::GeneBit) {
            return Ok(());
        }
        Err(SettingsError::Unsuited {
            key: "mutation",
            value: mutation.name(),
            genomes: "numbers",
            instead: "`gaussian` or `non-uniform`".to_owned(),
        })
    }

    fn belongs(&self, space: &Vec<Bounds>) -> Result<(), SettingsError> {
        if self.0.len() != space.len() {
            let reason = format!(
                "it has {} numbers, and {} are bred",
                self.0.len(),
                space.len()
            );
            return Err(SettingsError::Start { reason });
        }
        let outside =
            |(value, bounds): &(&f64, &Bounds)| !(bounds.low..=bounds.high).contains(value);
        match self.0.iter().zip(space).find(outside) {
            Some((value, bounds)) => Err(SettingsError::Start {
                reason: format!(
                    "`{}` is {value}, outside {} to {}",
                    bounds.name, bounds.low, bounds.high
                ),
            }),
            None => Ok(()),
        }
    }

    fn random(space: &Vec<Bounds>, rng: &mut ChaCha8Rng) -> Self {
        let draw = |bounds: &Bounds| bounds.hold(bounds.low + bounds.width() * rng.random::<f64>());
        Self(space.iter().map(draw).collect())
    }

    fn cross(
        crossover: &Crossover,
        _space: &Vec<Bounds>,
        parents: [&Self; 2],
        rng: &mut ChaCha8Rng,
    ) -> [Self; 2] {
        let [Self(mut first), Self(mut second)] = parents.map(Self::clone);
        let len = first.len().min(second.len());
        match crossover {
            Crossover::SinglePoint if len >= 2 => {
                let from = cut(len, rng);
                first[from..len].swap_with_slice(&mut second[from..len]);
            }
            Crossover::TwoPoint if len >= 3 => {
                let range = two_cuts(len, rng);
                first[range.clone()].swap_with_slice(&mut second[range]);
            }
            Crossover::Uniform { swap, .. } => {
                for (one, other) in first.iter_mut().zip(&mut second) {
                    if rng.random::<f64>() < *swap {
                        std::mem::swap(one, other);
                    }
                }
            }
            Crossover::Arithmetic => {
                let share = rng.random::<f64>();
                for (one, other) in first.iter_mut().zip(&mut second) {
                    let difference = share * (*other - *one);
                    *one += difference;
                    *other -= difference;
                }
            }
            // Too short to be cut.
            Crossover::SinglePoint | Crossover::TwoPoint => {}
        }
        [Self(first), Self(second)]
    }

    fn mutate(&mut self, change: &Change<'_, Vec<Bounds>>, rng: &mut ChaCha8Rng) -> bool {
        let mut changed = false;
        for (value, bounds) in self.0.iter_mut().zip(change.space) {
            if rng.random::<f64>() < change.rate {
                let moved = change
                    .mutation
                    .moved(*value, bounds, change.generation, rng);
                changed |= moved.to_bits() != value.to_bits();
                *value = moved;
            }
        }
        changed
    }

    fn diversity<'a>(space: &Vec<Bounds>, members: impl IntoIterator<Item = &'a Self>) -> f64 {
        diversity::of_reals(space, members)
    }
}
