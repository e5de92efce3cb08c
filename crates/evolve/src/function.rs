//! What a node of a network makes of its sum.

use serde::{Deserialize, Serialize};

/// Sums are held within this, so that no network, however it loops, ever leaves the
/// finite numbers.
const LARGEST: f64 = 1e12;

/// What a node makes of the sum of what reaches it.
///
/// All are computed with `libm`, so that they give the same number on every machine,
/// and all give a finite number for every sum: one that is no number counts as 0.
///
/// # Source
///
/// The steepened sigmoid: Stanley and Miikkulainen, "Evolving Neural Networks through
/// Augmenting Topologies", *Evolutionary Computation* 10(2), 2002, p. 111. The
/// functions from −1 to 1: Risi and Stanley, "An Enhanced Hypercube-Based Encoding for
/// Evolving the Placement, Density and Connectivity of Neurons", *Artificial Life*
/// 18(4), 2012, and the programs that go with it. Those called sharp are what the
/// library neat-python means by the plain name.
///
/// # Where this differs
///
/// neat-python holds the sum within ±60 after it was multiplied, which changes no
/// result but that of the sine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Function {
    /// x.
    Identity,
    /// 1 / (1 + e^−x).
    Sigmoid,
    /// 1 / (1 + e^−4.9x), the one of the NEAT paper.
    SteepSigmoid,
    /// 1 / (1 + e^−5x), neat-python's `sigmoid`.
    SharpSigmoid,
    /// 2 / (1 + e^−4.9x) − 1: from −1 to 1.
    BipolarSigmoid,
    #[default]
    Tanh,
    /// tanh 2.5x, neat-python's `tanh`.
    SharpTanh,
    /// x where positive, else 0.
    Relu,
    /// x within −1 to 1.
    Clamped,
    /// e^−x².
    Gauss,
    /// e^−5x², neat-python's `gauss`.
    SharpGauss,
    /// 2e^−(2.5x)² − 1: from −1 to 1.
    BipolarGauss,
    /// sin x.
    Sine,
    /// sin 5x, neat-python's `sin`.
    SharpSine,
    /// cos x.
    Cosine,
    /// |x|.
    Abs,
    /// x².
    Square,
    /// 1 where x is positive, else 0.
    Step,
}

impl Function {
    pub const ALL: [Self; 18] = [
        Self::Identity,
        Self::Sigmoid,
        Self::SteepSigmoid,
        Self::SharpSigmoid,
        Self::BipolarSigmoid,
        Self::Tanh,
        Self::SharpTanh,
        Self::Relu,
        Self::Clamped,
        Self::Gauss,
        Self::SharpGauss,
        Self::BipolarGauss,
        Self::Sine,
        Self::SharpSine,
        Self::Cosine,
        Self::Abs,
        Self::Square,
        Self::Step,
    ];

    #[inline]
    pub fn at(self, x: f64) -> f64 {
        let x = if x.is_nan() {
            0.0
        } else {
            x.clamp(-LARGEST, LARGEST)
        };
        match self {
            Self::Identity => x,
            Self::Sigmoid => sigmoid(x),
            Self::SteepSigmoid => sigmoid(4.9 * x),
            Self::SharpSigmoid => sigmoid(5.0 * x),
            Self::BipolarSigmoid => 2.0 * sigmoid(4.9 * x) - 1.0,
            Self::Tanh => libm::tanh(x),
            Self::SharpTanh => libm::tanh(2.5 * x),
            Self::Relu => x.max(0.0),
            Self::Clamped => x.clamp(-1.0, 1.0),
            Self::Gauss => libm::exp(-x * x),
            Self::SharpGauss => libm::exp(-5.0 * x * x),
            Self::BipolarGauss => 2.0 * libm::exp(-6.25 * x * x) - 1.0,
            Self::Sine => libm::sin(x),
            Self::SharpSine => libm::sin(5.0 * x),
            Self::Cosine => libm::cos(x),
            Self::Abs => x.abs(),
            Self::Square => x * x,
            Self::Step => f64::from(u8::from(x > 0.0)),
        }
    }
}

fn sigmoid(x: f64) -> f64 {
    // From here on it rounds to 1.
    if x >= 38.0 {
        return 1.0;
    }
    1.0 / (1.0 + libm::exp(-x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sigmoid_is_cut_short_only_where_it_rounds_to_1() {
        for x in [37.999, 38.0, 38.001, 50.0, 700.0, LARGEST] {
            let whole = 1.0 / (1.0 + libm::exp(-x));
            assert_eq!(sigmoid(x).to_bits(), whole.to_bits(), "{x}");
        }
    }
}
