//! Hills whose tops are known.

use std::convert::Infallible;
use std::f64::consts::TAU;

use crate::bounds::Bounds;
use crate::breeder::JudgedMember;
use crate::genome::{Bits, Coding, Gene, Layout, RealVector};
use crate::trial::{GenerationRequest, GenerationResult, Trial};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitHill {
    OneMax,
    /// Traps of so many bits: all ones are worth their number, but up to there each
    /// further one lowers the worth, from one less for none. Following the
    /// single bit leads away from the top.
    ///
    /// # Source
    ///
    /// Deb and Goldberg, "Analyzing Deception in Trap Functions", *Foundations of
    /// Genetic Algorithms* 2, 1993.
    ///
    /// # Where this differs
    ///
    /// Nowhere: the fully deceptive trap of order k, side by side.
    Traps(usize),
}

impl BitHill {
    /// The height of a point. A trap that the end of the string cuts off is a
    /// smaller one.
    pub fn height(self, bits: &Bits) -> f64 {
        match self {
            Self::OneMax => bits.ones() as f64,
            Self::Traps(size) => {
                let size = size.clamp(1, 64);
                let worth = |at: usize| {
                    let size = size.min(bits.len() - at);
                    let ones = bits.read(at, size).count_ones() as usize;
                    if ones == size { size } else { size - 1 - ones }
                };
                let sum: usize = (0..bits.len()).step_by(size).map(worth).sum();
                sum as f64
            }
        }
    }

    /// The height of the top, which is all ones.
    pub fn top(self, len: usize) -> f64 {
        len as f64
    }

    #[allow(clippy::missing_panics_doc, reason = "such genes are always allowed")]
    pub fn layout(len: usize) -> Layout {
        let genes = (0..len).map(|at| Gene::new(format!("bit {at}"), 1));
        Layout::new(genes.collect(), Coding::Binary).expect("genes of one bit can be")
    }
}

impl Trial<Bits> for BitHill {
    type Error = Infallible;

    fn judge(
        &mut self,
        request: GenerationRequest<'_, Bits>,
    ) -> Result<GenerationResult, Infallible> {
        let members = request.offspring.iter();
        let judged = members.map(|member| self.height(&member.genome).into());
        Ok(GenerationResult::of(judged.collect()))
    }
}

/// Hills over numbers. The height is the usual function negated, so that the top
/// has height 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RealHill {
    /// −Σ x²; the top is at 0.
    Sphere,
    /// A bent ridge; the top is at 1.
    ///
    /// # Source
    ///
    /// Rosenbrock, "An Automatic Method for Finding the Greatest or Least Value of
    /// a Function", *The Computer Journal* 3(3), 1960.
    ///
    /// # Where this differs
    ///
    /// The usual chain for more than two numbers.
    Rosenbrock,
    /// A sphere full of dents; the top is at 0.
    ///
    /// # Source
    ///
    /// Rastrigin, *Systems of Extremal Control*, 1974, in the form for any number of
    /// dimensions by Mühlenbein, Schomisch and Born, 1991.
    ///
    /// # Where this differs
    ///
    /// Nowhere.
    Rastrigin,
}

impl RealHill {
    pub fn height(self, x: &[f64]) -> f64 {
        -match self {
            Self::Sphere => x.iter().map(|x| x * x).sum::<f64>(),
            Self::Rosenbrock => x
                .windows(2)
                .map(|x| {
                    let (off, short) = (x[1] - x[0] * x[0], 1.0 - x[0]);
                    100.0 * off * off + short * short
                })
                .sum(),
            Self::Rastrigin => x
                .iter()
                .map(|x| x * x - 10.0 * libm::cos(TAU * x) + 10.0)
                .sum(),
        }
    }

    pub fn slope(self, x: &[f64]) -> Vec<f64> {
        let mut slope: Vec<f64> = match self {
            Self::Sphere => x.iter().map(|x| 2.0 * x).collect(),
            Self::Rosenbrock => vec![0.0; x.len()],
            Self::Rastrigin => x
                .iter()
                .map(|x| 2.0 * x + 10.0 * TAU * libm::sin(TAU * x))
                .collect(),
        };
        if self == Self::Rosenbrock {
            for (at, x) in x.windows(2).enumerate() {
                let off = x[1] - x[0] * x[0];
                slope[at] += -400.0 * x[0] * off - 2.0 * (1.0 - x[0]);
                slope[at + 1] += 200.0 * off;
            }
        }
        for slope in &mut slope {
            *slope = -*slope;
        }
        slope
    }

    pub fn top(self) -> f64 {
        match self {
            Self::Sphere | Self::Rastrigin => 0.0,
            Self::Rosenbrock => 1.0,
        }
    }

    /// The usual bounds for so many numbers, beginning away from the top.
    pub fn space(self, len: usize) -> Vec<Bounds> {
        let (low, high) = match self {
            Self::Sphere | Self::Rastrigin => (-5.12, 5.12),
            Self::Rosenbrock => (-2.048, 2.048),
        };
        let bounds = |at: usize| Bounds {
            start: -1.2,
            ..Bounds::new(format!("x{at}"), low, high)
        };
        (0..len).map(bounds).collect()
    }
}

impl Trial<RealVector> for RealHill {
    type Error = Infallible;

    fn judge(
        &mut self,
        request: GenerationRequest<'_, RealVector>,
    ) -> Result<GenerationResult, Infallible> {
        let members = request.offspring.iter().map(|member| &member.genome.0);
        let judged = members.map(|x| JudgedMember {
            score: self.height(x),
            gradient: Some(self.slope(x)),
        });
        Ok(GenerationResult::of(judged.collect()))
    }
}
