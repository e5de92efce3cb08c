//! A bred network as a pattern.

use serde::{Deserialize, Serialize};

use super::pattern::{Answer, Pattern};
use super::substrate::{MOST_AXES, Point};
use crate::genome::{NetGenome, Shape};
use crate::network::Network;
use crate::settings::SettingsError;

/// What a CPPN is told beside the coordinates of the two points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CppnInputs {
    /// The difference of each coordinate, the second point's less the first's.
    #[serde(default)]
    pub differences: bool,
    #[serde(default)]
    pub distance: bool,
    /// The number 1.
    #[serde(default)]
    pub one: bool,
}

impl Default for CppnInputs {
    /// As published: the number 1 alone.
    fn default() -> Self {
        Self {
            differences: false,
            distance: false,
            one: true,
        }
    }
}

/// The inputs and outputs that a CPPN must have.
///
/// Inputs: the coordinates of the first point, of the second, their differences, their
/// distance, the number 1, as far as wanted. Outputs: a weight for each channel, a
/// link expression for each channel, if wanted, and the biases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CppnLayout {
    pub axes: usize,
    /// What it is told beside the coordinates.
    pub beside: CppnInputs,
    pub channels: usize,
    /// Whether it gives as many link expressions.
    pub leo: bool,
    pub biases: usize,
}

impl CppnLayout {
    pub fn inputs(&self) -> usize {
        let CppnInputs {
            differences,
            distance,
            one,
        } = self.beside;
        let sets = 2 + usize::from(differences);
        self.axes * sets + usize::from(distance) + usize::from(one)
    }

    pub fn outputs(&self) -> usize {
        self.first_bias() + self.biases
    }

    pub(super) fn first_bias(&self) -> usize {
        self.channels * (1 + usize::from(self.leo))
    }
}

/// A bred network that is asked about pairs of points.
#[derive(Debug)]
pub struct Cppn {
    network: Network,
    layout: CppnLayout,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    /// What the outputs are the answer to: channels often ask alike.
    asked: Option<[Point; 2]>,
}

impl Cppn {
    /// The genome as a pattern.
    ///
    /// # Errors
    ///
    /// If it has other inputs and outputs than the layout.
    pub fn new(genome: &NetGenome, layout: CppnLayout) -> Result<Self, SettingsError> {
        let (inputs, outputs) = (layout.inputs(), layout.outputs());
        let shape = Shape::new(inputs as u32, outputs as u32);
        genome.check(&shape).map_err(|error| {
            SettingsError::genome(format!(
                "the genome is no CPPN here: breed networks with {inputs} inputs and {outputs} \
                 outputs: {error}"
            ))
        })?;
        Ok(Self {
            network: Network::new(genome, &shape),
            layout,
            inputs: vec![0.0; inputs],
            outputs: vec![0.0; outputs],
            asked: None,
        })
    }

    /// Runs the network, unless it was asked the same before. An answer that is no number
    /// is 0.
    fn ask(&mut self, from: Point, to: Point) {
        if self.asked == Some([from, to]) {
            return;
        }
        let axes = self.layout.axes.min(MOST_AXES);
        let (from_axes, to_axes) = (&from.0[..axes], &to.0[..axes]);
        let differences = to_axes.iter().zip(from_axes).map(|(to, from)| to - from);
        let mut next = 0;
        let mut put = |value: f64| {
            self.inputs[next] = value;
            next += 1;
        };
        from_axes.iter().chain(to_axes).copied().for_each(&mut put);
        if self.layout.beside.differences {
            differences.clone().for_each(&mut put);
        }
        if self.layout.beside.distance {
            put(differences.map(|off| off * off).sum::<f64>().sqrt());
        }
        if self.layout.beside.one {
            put(1.0);
        }
        self.network.run(&self.inputs, &mut self.outputs);
        for output in &mut self.outputs {
            if !output.is_finite() {
                *output = 0.0;
            }
        }
        self.asked = Some([from, to]);
    }
}

impl Pattern for Cppn {
    fn link(&mut self, channel: usize, from: Point, to: Point) -> Answer {
        self.ask(from, to);
        let expression = channel + self.layout.channels;
        Answer {
            weight: self.outputs[channel],
            expression: if self.layout.leo {
                self.outputs[expression]
            } else {
                0.0
            },
        }
    }

    fn bias(&mut self, channel: usize, at: Point) -> f64 {
        self.ask(at, Point::default());
        self.outputs[self.layout.first_bias() + channel]
    }
}
