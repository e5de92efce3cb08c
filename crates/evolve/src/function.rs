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
    /// The hyperbolic tangent.
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
    /// All of them, in their order.
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

    /// The function's value.
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
    fn every_function_has_its_values() {
        // At −1, 0 and 2, computed with another program.
        let table = [
            (Function::Identity, [-1.0, 0.0, 2.0]),
            (
                Function::Sigmoid,
                [0.268_941_421_369_995_1, 0.5, 0.880_797_077_977_882_3],
            ),
            (
                Function::SteepSigmoid,
                [0.007_391_541_344_281_971, 0.5, 0.999_944_551_475_277_2],
            ),
            (
                Function::SharpSigmoid,
                [0.006_692_850_924_284_855_4, 0.5, 0.999_954_602_131_297_6],
            ),
            (
                Function::BipolarSigmoid,
                [-0.985_216_917_311_436, 0.0, 0.999_889_102_950_554_3],
            ),
            (
                Function::Tanh,
                [-0.761_594_155_955_764_9, 0.0, 0.964_027_580_075_816_9],
            ),
            (
                Function::SharpTanh,
                [-0.986_614_298_151_430_3, 0.0, 0.999_909_204_262_595_1],
            ),
            (Function::Relu, [0.0, 0.0, 2.0]),
            (Function::Clamped, [-1.0, 0.0, 1.0]),
            (
                Function::Gauss,
                [0.367_879_441_171_442_33, 1.0, 0.018_315_638_888_734_18],
            ),
            (
                Function::SharpGauss,
                [0.006_737_946_999_085_467, 1.0, 2.061_153_622_438_558e-9],
            ),
            (
                Function::BipolarGauss,
                [-0.996_139_091_727_544_6, 1.0, -0.999_999_999_972_224_1],
            ),
            (
                Function::Sine,
                [-0.841_470_984_807_896_5, 0.0, 0.909_297_426_825_681_7],
            ),
            (
                Function::SharpSine,
                [0.958_924_274_663_138_5, 0.0, -0.544_021_110_889_369_8],
            ),
            (
                Function::Cosine,
                [0.540_302_305_868_139_8, 1.0, -0.416_146_836_547_142_4],
            ),
            (Function::Abs, [1.0, 0.0, 2.0]),
            (Function::Square, [1.0, 0.0, 4.0]),
            (Function::Step, [0.0, 0.0, 1.0]),
        ];
        assert_eq!(table.map(|(function, _)| function), Function::ALL);
        for (function, values) in table {
            for (x, expected) in [-1.0, 0.0, 2.0].into_iter().zip(values) {
                let found = function.at(x);
                assert!(
                    (found - expected).abs() <= 1e-15,
                    "{function:?} at {x}: {found}"
                );
            }
        }
    }

    #[test]
    fn a_sigmoid_is_cut_short_only_where_it_rounds_to_1() {
        for x in [37.999, 38.0, 38.001, 50.0, 700.0, LARGEST] {
            let whole = 1.0 / (1.0 + libm::exp(-x));
            assert_eq!(sigmoid(x).to_bits(), whole.to_bits(), "{x}");
        }
    }

    #[test]
    fn no_sum_makes_a_number_that_is_none() {
        let sums = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -1e300];
        for function in Function::ALL {
            for x in sums {
                assert!(function.at(x).is_finite(), "{function:?} at {x}");
            }
        }
    }

    #[test]
    fn a_settings_file_names_them_in_small_letters() {
        let name = |function| serde_json::to_string(&function).unwrap();
        assert_eq!(name(Function::SteepSigmoid), "\"steep-sigmoid\"");
        assert_eq!(name(Function::Sine), "\"sine\"");
    }
}
