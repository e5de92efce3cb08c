//! Founders that are like another but for small differences.

use mendel_evolve::{Bits, NetGenome, RealVector};

/// The lowest and the highest number there may be.
pub type Limits = [f64; 2];

/// A founder that is like another but for a normal deviate on each of its numbers.
pub trait Jitter {
    /// Moves every number by `next()`, as far as the limits of weights and of biases
    /// let it; only networks are asked to.
    fn jitter(&mut self, limits: [Limits; 2], next: &mut dyn FnMut() -> f64);
}

impl Jitter for Bits {
    fn jitter(&mut self, _limits: [Limits; 2], _next: &mut dyn FnMut() -> f64) {}
}

impl Jitter for RealVector {
    fn jitter(&mut self, [limits, _]: [Limits; 2], next: &mut dyn FnMut() -> f64) {
        for weight in &mut self.0 {
            *weight = moved(*weight, next(), limits);
        }
    }
}

impl Jitter for NetGenome {
    fn jitter(&mut self, [weights, biases]: [Limits; 2], next: &mut dyn FnMut() -> f64) {
        for link in &mut self.links {
            link.weight = moved(link.weight, next(), weights);
        }
        for node in &mut self.nodes {
            node.bias = moved(node.bias, next(), biases);
        }
    }
}

fn moved(number: f64, by: f64, [low, high]: Limits) -> f64 {
    (number + by).max(low).min(high)
}
