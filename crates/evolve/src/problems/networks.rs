//! Small networks of fixed shape, the controllers that fixed-shape breeders are tried
//! with.

use crate::breeders::{CosyneSpace, Fans};

/// Neurons that answer with the hyperbolic tangent of a weighted sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixedNet {
    /// One hidden layer (or none, with 0 neurons) between the inputs and one output.
    Feedforward {
        inputs: usize,
        hidden: usize,
        bias: bool,
    },
    /// Neurons that all see the inputs and what all of them answered the step before; the
    /// first one's answer is the output.
    Recurrent {
        inputs: usize,
        neurons: usize,
        bias: bool,
    },
}

impl FixedNet {
    /// The weights neuron by neuron: of the inputs, then of the neurons before, then the
    /// bias.
    pub fn space(&self, limit: f64) -> CosyneSpace {
        match *self {
            Self::Feedforward {
                inputs,
                hidden: 0,
                bias,
            } => CosyneSpace::layered(&[inputs as u32, 1], bias, bias, limit),
            Self::Feedforward {
                inputs,
                hidden,
                bias,
            } => CosyneSpace::layered(&[inputs as u32, hidden as u32, 1], bias, bias, limit),
            Self::Recurrent {
                inputs,
                neurons,
                bias,
            } => {
                let fans = Fans {
                    before: (inputs + neurons) as u32,
                    layer: neurons as u32,
                };
                let weights = (inputs + neurons + usize::from(bias)) as u32;
                CosyneSpace::of_neurons(&vec![(weights, fans); neurons], limit)
            }
        }
    }

    /// A controller with these weights and an empty memory. What is missing of the
    /// weights counts as 0.
    pub fn controller<'a>(&self, weights: &'a [f64]) -> impl FnMut(&[f64]) -> f64 + use<'a> {
        let net = *self;
        let size = match net {
            Self::Feedforward { hidden, .. } => hidden,
            Self::Recurrent { neurons, .. } => neurons,
        };
        let mut answers = vec![0.0; size];
        let mut fresh = vec![0.0; size];
        move |seen: &[f64]| {
            let mut weights = weights.iter().copied();
            match net {
                Self::Feedforward { bias, .. } => {
                    for answer in &mut answers {
                        *answer = neuron(&mut weights, &[seen], bias);
                    }
                    let last: &[f64] = if answers.is_empty() { seen } else { &answers };
                    neuron(&mut weights, &[last], bias)
                }
                Self::Recurrent { bias, .. } => {
                    for answer in &mut fresh {
                        *answer = neuron(&mut weights, &[seen, &answers], bias);
                    }
                    std::mem::swap(&mut answers, &mut fresh);
                    answers.first().copied().unwrap_or(0.0)
                }
            }
        }
    }
}

/// What one neuron answers; takes its weights.
fn neuron(weights: &mut impl Iterator<Item = f64>, seen: &[&[f64]], bias: bool) -> f64 {
    let mut next = || weights.next().unwrap_or(0.0);
    let mut sum = 0.0;
    for value in seen.iter().copied().flatten() {
        sum += next() * value;
    }
    if bias {
        sum += next();
    }
    libm::tanh(sum)
}
