//! The smallest problem that needs a hidden neuron.

/// The four cases of the exclusive or: what is seen and what should be answered.
pub const XOR: [([f64; 2], f64); 4] = [
    ([0.0, 0.0], 0.0),
    ([0.0, 1.0], 1.0),
    ([1.0, 0.0], 1.0),
    ([1.0, 1.0], 0.0),
];

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct XorScore {
    /// The square of 4 less the distances from the right answers: 16 at best.
    pub fitness: f64,
    /// Whether every answer lies on its side of ½.
    pub solved: bool,
}

/// Shows the four cases to a network that answers from 0 to 1.
///
/// # Source
///
/// Stanley and Miikkulainen, "Evolving Neural Networks through Augmenting
/// Topologies", *Evolutionary Computation* 10(2), 2002, §4.1.
///
/// # Where this differs
///
/// Nowhere. An answer that is no number is as wrong as can be.
pub fn xor(mut network: impl FnMut(&[f64]) -> f64) -> XorScore {
    let (mut near, mut solved) = (4.0, true);
    for (inputs, wanted) in XOR {
        let answer = network(&inputs);
        let distance = (answer - wanted).abs();
        near -= if distance.is_nan() {
            1.0
        } else {
            distance.min(1.0)
        };
        solved &= !answer.is_nan() && (answer > 0.5) == (wanted > 0.5);
    }
    XorScore {
        fitness: near * near,
        solved,
    }
}
