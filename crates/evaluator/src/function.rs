//! The functions that the neurons of networks apply.
//!
//! A leaf of the search asks for a hundred of them, so `exp` is not libm's but a
//! short polynomial that a compiler can turn into vector instructions. It uses only
//! sums, products, quotients and bits, whose results IEEE 754 fixes, in one order:
//! every machine and every kernel gets the same number.

use serde::{Deserialize, Serialize};

/// Makes the enum, the list of all functions and their names from one table.
macro_rules! functions {
    ($($(#[doc = $about:literal])+ $function:ident = $name:literal,)+) => {
        /// The activation function of a neuron.
        ///
        /// Values are cut to ±10⁶, so that every sum of them is a number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Function {
            $($(#[doc = $about])+ #[serde(rename = $name)] $function,)+
        }

        impl Function {
            /// All of them; the place in this list is the [`code`](Self::code).
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$function),+];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$function => $name,)+
                }
            }
        }
    };
}

// New ones go to the end.
functions! {
    /// The sum itself.
    Identity = "identity",
    /// 1 / (1 + e⁻ˣ).
    Sigmoid = "sigmoid",
    /// 1 / (1 + e⁻⁴·⁹ˣ), as NEAT's paper has it.
    SteepSigmoid = "steep-sigmoid",
    /// 1 / (1 + e⁻⁵ˣ), as neat-python has it.
    SharpSigmoid = "sharp-sigmoid",
    /// 2 / (1 + e⁻⁴·⁹ˣ) − 1.
    BipolarSigmoid = "bipolar-sigmoid",
    /// The hyperbolic tangent.
    Tanh = "tanh",
    /// The hyperbolic tangent of 2.5 x, as neat-python has it.
    SharpTanh = "sharp-tanh",
    /// What is above zero.
    Relu = "relu",
    /// Cut to −1…1.
    Clamped = "clamped",
    /// e to the power of −x².
    Gauss = "gauss",
    /// e to the power of −5 x², as neat-python has it.
    SharpGauss = "sharp-gauss",
    /// 2 e to the power of −6.25 x², less 1.
    BipolarGauss = "bipolar-gauss",
    /// The sine.
    Sine = "sine",
    /// The sine of 5 x, as neat-python has it.
    SharpSine = "sharp-sine",
    /// The cosine.
    Cosine = "cosine",
    /// Without its sign.
    Abs = "abs",
    /// The square.
    Square = "square",
    /// 1 above zero, else 0.
    Step = "step",
    /// Cut to 0…1.
    Clipped = "clipped",
}

impl Function {
    /// The number that stands for it in a list of numbers.
    pub fn code(self) -> i32 {
        self as i32
    }

    /// The inverse of [`code`](Self::code).
    pub fn from_code(code: i32) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }

    /// The inverse of [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// The function's value.
    ///
    /// It is within 10⁻⁶ of the true one where that is within ±1.
    #[inline]
    pub fn at(self, x: f32) -> f32 {
        let mut value = [x];
        self.apply(&mut value);
        value[0]
    }

    /// Replaces each number by the function's value. Inlined, so that it is
    /// compiled for the processor that its caller is compiled for.
    #[inline(always)]
    pub(crate) fn apply(self, values: &mut [f32]) {
        match self {
            Self::Identity => each(values, cut),
            Self::Sigmoid => each(values, sigmoid),
            Self::SteepSigmoid => each(values, |x| sigmoid(4.9 * x)),
            Self::SharpSigmoid => each(values, |x| sigmoid(5.0 * x)),
            Self::BipolarSigmoid => each(values, |x| tanh(2.45 * x)),
            Self::Tanh => each(values, tanh),
            Self::SharpTanh => each(values, |x| tanh(2.5 * x)),
            Self::Relu => each(values, |x| between(x, 0.0, MOST_VALUE)),
            Self::Clamped => each(values, |x| between(x, -1.0, 1.0)),
            Self::Gauss => each(values, |x| exp(-x * x)),
            Self::SharpGauss => each(values, |x| exp(-5.0 * x * x)),
            Self::BipolarGauss => each(values, |x| 2.0 * exp(-6.25 * x * x) - 1.0),
            Self::Sine => each(values, libm::sinf),
            Self::SharpSine => each(values, |x| libm::sinf(5.0 * x)),
            Self::Cosine => each(values, libm::cosf),
            Self::Abs => each(values, |x| cut(x.abs())),
            Self::Square => each(values, |x| cut(x * x)),
            Self::Step => each(values, |x| if x > 0.0 { 1.0 } else { 0.0 }),
            Self::Clipped => each(values, |x| between(x, 0.0, 1.0)),
        }
    }
}

/// Values are cut to this.
const MOST_VALUE: f32 = 1e6;

#[inline(always)]
fn cut(x: f32) -> f32 {
    between(x, -MOST_VALUE, MOST_VALUE)
}

#[inline(always)]
fn each(values: &mut [f32], function: impl Fn(f32) -> f32) {
    for value in values {
        *value = function(*value);
    }
}

/// Like `clamp`, in the form of the instructions that there are.
#[inline(always)]
fn between(x: f32, low: f32, high: f32) -> f32 {
    let x = if x < high { x } else { high };
    if x > low { x } else { low }
}

#[inline(always)]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// Odd to the last bit, so that a network without biases is.
#[inline(always)]
fn tanh(x: f32) -> f32 {
    let e = exp(-2.0 * x.abs());
    ((1.0 - e) / (1.0 + e)).copysign(x)
}

/// Beyond this, e to the power is as good as nothing beside 1, and its products with
/// small weights would soon be no normal numbers any more, with which processors are
/// slow: networks that see raw piece values are full of such neurons.
const MOST_POWER: f32 = 40.0;

/// Added to a number and taken away again, it leaves the nearest whole one; what is
/// left in the bits while it is there is that number.
const ROUNDER: f32 = 12_582_912.0;

/// e to the power of `x`, cut to ±[`MOST_POWER`]: 2ⁿ · eʳ with |r| below 0.35, for
/// which seven terms of the series are exact to a single's last place.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    /// ln 2 in two parts; the first has so few bits that a product with n is exact.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let x = between(x, -MOST_POWER, MOST_POWER);
    let rounded = x * std::f32::consts::LOG2_E + ROUNDER;
    let n = rounded - ROUNDER;
    let r = x - n * LN_2[0] - n * LN_2[1];
    let mut sum = 1.0 / 5040.0;
    for divisor in [720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0] {
        sum = sum * r + 1.0 / divisor;
    }
    let exponent = rounded.to_bits().wrapping_sub(ROUNDER.to_bits());
    sum * f32::from_bits(exponent.wrapping_add(127) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::with_simd;

    /// From −100 to 100 in small steps.
    fn numbers() -> impl Iterator<Item = f32> {
        (-400_000..=400_000).map(|step| step as f32 / 4000.0)
    }

    #[test]
    fn quick_functions_are_close_to_the_slow_ones() {
        type Exact = fn(f64) -> f64;
        let table: [(Function, Exact); 11] = [
            (Function::Sigmoid, |x| 1.0 / (1.0 + libm::exp(-x))),
            (Function::SteepSigmoid, |x| {
                1.0 / (1.0 + libm::exp(-4.9 * x))
            }),
            (Function::SharpSigmoid, |x| {
                1.0 / (1.0 + libm::exp(-5.0 * x))
            }),
            (Function::BipolarSigmoid, |x| {
                2.0 / (1.0 + libm::exp(-4.9 * x)) - 1.0
            }),
            (Function::Tanh, libm::tanh),
            (Function::SharpTanh, |x| libm::tanh(2.5 * x)),
            (Function::Gauss, |x| libm::exp(-x * x)),
            (Function::SharpGauss, |x| libm::exp(-5.0 * x * x)),
            (Function::BipolarGauss, |x| {
                2.0 * libm::exp(-6.25 * x * x) - 1.0
            }),
            (Function::Sine, libm::sin),
            (Function::Cosine, libm::cos),
        ];
        for (function, exact) in table {
            let worst = numbers()
                .map(|x| (f64::from(function.at(x)) - exact(f64::from(x))).abs())
                .fold(0.0, f64::max);
            assert!(worst < 1e-6, "{function:?} is off by {worst:e}");
        }
    }

    #[test]
    fn functions_are_the_same_with_and_without_vectors() {
        for function in Function::ALL {
            let mut plain: Vec<f32> = (0..1003).map(|at| at as f32 / 40.0 - 12.5).collect();
            let mut wide = plain.clone();
            function.apply(&mut plain);
            with_simd(|| function.apply(&mut wide));
            let bits = |values: &[f32]| values.iter().map(|it| it.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&plain), bits(&wide), "{function:?}");
        }
    }

    #[test]
    fn tanh_is_odd_and_both_stay_within_their_range() {
        for x in numbers().chain([f32::MIN, f32::MAX, f32::MIN_POSITIVE]) {
            assert_eq!(tanh(-x).to_bits(), (-tanh(x)).to_bits(), "{x}");
            assert!(tanh(x).abs() <= 1.0 && (0.0..=1.0).contains(&sigmoid(x)));
        }
        let ends = [tanh(0.0), tanh(40.0), sigmoid(0.0)].map(f32::to_bits);
        assert_eq!(ends, [0.0, 1.0, 0.5].map(f32::to_bits));
    }

    #[test]
    fn no_number_gives_something_that_is_none() {
        for function in Function::ALL {
            for x in [0.0, -0.0, 1e-40, 1e10, -1e10, 1e18, -1e18] {
                assert!(function.at(x).abs() <= MOST_VALUE, "{function:?} at {x}");
            }
        }
    }

    #[test]
    fn simple_functions_have_their_values() {
        let table = [
            (Function::Identity, [-1.5, 2.5]),
            (Function::Relu, [0.0, 2.5]),
            (Function::Clamped, [-1.0, 1.0]),
            (Function::Abs, [1.5, 2.5]),
            (Function::Square, [2.25, 6.25]),
            (Function::Step, [0.0, 1.0]),
            (Function::Clipped, [0.0, 1.0]),
        ];
        for (function, expected) in table {
            let found = [-1.5, 2.5].map(|x| function.at(x).to_bits());
            assert_eq!(found, expected.map(f32::to_bits), "{function:?}");
        }
    }

    #[test]
    fn names_and_codes_lead_back() {
        for (place, function) in Function::ALL.into_iter().enumerate() {
            assert_eq!(function.code(), place as i32);
            assert_eq!(Function::from_code(function.code()), Some(function));
            assert_eq!(Function::from_name(function.name()), Some(function));
            let text = toml::Value::try_from(function).expect("a plain name");
            assert_eq!(text.as_str(), Some(function.name()));
        }
        assert_eq!(Function::from_code(-1), None);
        assert_eq!(Function::from_code(19), None);
        assert_eq!(Function::from_name("tan"), None);
    }

    #[test]
    fn results_are_the_same_on_every_machine() {
        // Worked out apart from this code, rounding to single after each step; a compiler
        // that fuses or reorders would change them.
        let x = [-3.7_f32, -0.25, 0.1, 1.0, 6.5];
        let bits = |function: Function| x.map(|x| function.at(x).to_bits());
        assert_eq!(bits(Function::Sigmoid), SIGMOID_BITS);
        assert_eq!(bits(Function::Tanh), TANH_BITS);
    }

    const SIGMOID_BITS: [u32; 5] = [
        0x3CC5_A607,
        0x3EE0_2A67,
        0x3F06_6509,
        0x3F3B_26A8,
        0x3F7F_9D9E,
    ];
    const TANH_BITS: [u32; 5] = [
        0xBF7F_AFEE,
        0xBE7A_CBF5,
        0x3DCC_1EBF,
        0x3F42_F7D5,
        0x3F7F_FFB4,
    ];
}
