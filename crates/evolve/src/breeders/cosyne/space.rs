//! The networks that a `CoSyNE` breeds, as far as it knows them.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::settings::WeightStart;
use crate::bounds::Bounds;
use crate::genome::{Genome, RealVector};
use crate::settings::{SettingsError, out_of_range};

/// Which weights there are and which of them belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CosyneSpace {
    /// The weights, biases among them.
    pub bounds: Vec<Bounds>,
    /// The weights of each neuron, in the order in which crossover cuts them; each
    /// weight belongs to exactly one.
    pub neurons: Vec<Vec<u32>>,
    /// For each neuron the sizes of the layers around its weights. Needed for
    /// [`WeightStart::Xavier`] only, and may be empty otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fans: Vec<Fans>,
}

/// The sizes of the two layers that a neuron's weights lie between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Fans {
    /// Neurons, or inputs, in the layer before.
    pub before: u32,
    /// Neurons in the layer itself.
    pub layer: u32,
}

impl Fans {
    /// The largest weight at the start.
    fn range(self) -> f64 {
        let both = f64::from(self.before) + f64::from(self.layer);
        (6.0 / both).sqrt()
    }
}

impl CosyneSpace {
    /// Neurons with so many weights each, one after the other, all weights between
    /// ±`limit`.
    pub fn of_neurons(neurons: &[(u32, Fans)], limit: f64) -> Self {
        let mut space = Self {
            bounds: Vec::new(),
            neurons: Vec::new(),
            fans: neurons.iter().map(|&(_, fans)| fans).collect(),
        };
        for (neuron, &(weights, _)) in neurons.iter().enumerate() {
            let first = space.bounds.len() as u32;
            space.neurons.push((first..first + weights).collect());
            let name = |weight| format!("neuron {neuron} weight {weight}");
            let bounds = (0..weights).map(|weight| Bounds::new(name(weight), -limit, limit));
            space.bounds.extend(bounds);
        }
        space
    }

    /// A network of layers, each fully connected to the one before: the sizes begin
    /// with the inputs. Neuron by neuron, the weights of its inputs and then its bias.
    /// Hidden neurons have a bias if `hidden_bias` says so, outputs if `output_bias`.
    pub fn layered(sizes: &[u32], hidden_bias: bool, output_bias: bool, limit: f64) -> Self {
        let mut neurons = Vec::new();
        for (at, sizes_here) in sizes.windows(2).enumerate() {
            let (before, layer) = (sizes_here[0], sizes_here[1]);
            let output = at + 2 == sizes.len();
            let bias = if output { output_bias } else { hidden_bias };
            let neuron = (before + u32::from(bias), Fans { before, layer });
            neurons.extend((0..layer).map(|_| neuron));
        }
        Self::of_neurons(&neurons, limit)
    }

    /// Whether there is something to breed and every weight has its neuron.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] names what does not fit.
    pub fn check(&self, start: WeightStart) -> Result<(), SettingsError> {
        RealVector::check_space(&self.bounds)?;
        let mut seen = vec![false; self.bounds.len()];
        for &weight in self.neurons.iter().flatten() {
            match seen.get_mut(weight as usize) {
                Some(seen) if !*seen => *seen = true,
                Some(_) => return Err(neurons(&format!("a list with weight {weight} twice"))),
                None => return Err(neurons(&format!("a list with weight {weight}"))),
            }
        }
        if let Some(weight) = seen.iter().position(|seen| !seen) {
            return Err(neurons(&format!("a list without weight {weight}")));
        }
        if start != WeightStart::Xavier {
            return Ok(());
        }
        if self.fans.len() != self.neurons.len() {
            return Err(out_of_range(
                "fans",
                &format!("{} pairs of sizes", self.fans.len()),
                format!(
                    "one pair for each of the {} neurons to start like Xavier",
                    self.neurons.len()
                ),
            ));
        }
        let empty = |fans: &&Fans| fans.before == 0 && fans.layer == 0;
        match self.fans.iter().find(empty) {
            Some(_) => Err(out_of_range(
                "fans",
                &"a pair of empty layers",
                "the sizes of real layers",
            )),
            None => Ok(()),
        }
    }

    pub(super) fn draw(&self, start: WeightStart, rng: &mut ChaCha8Rng) -> RealVector {
        let mut weights = vec![0.0; self.bounds.len()];
        for (neuron, genes) in self.neurons.iter().enumerate() {
            let range = match start {
                WeightStart::Uniform { range } => range,
                WeightStart::Xavier => self.fans[neuron].range(),
            };
            for &gene in genes {
                let bounds = &self.bounds[gene as usize];
                let (low, high) = (bounds.low.max(-range), bounds.high.min(range));
                let drawn = low + (high - low) * rng.random::<f64>();
                weights[gene as usize] = bounds.hold(drawn);
            }
        }
        RealVector(weights)
    }
}

fn neurons(found: &str) -> SettingsError {
    let allowed = "a list in which each weight stands exactly once";
    out_of_range("neurons", &found, allowed)
}
