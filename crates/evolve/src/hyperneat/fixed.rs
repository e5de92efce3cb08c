//! HyperNEAT: hidden nodes where the user puts them.

use serde::{Deserialize, Serialize};

use super::Phenotype;
use super::cppn::{Cppn, CppnInputs, CppnLayout};
use super::pattern::{Answer, Expression, Pattern};
use super::substrate::{Channels, Point, Substrate};
use super::wiring::{Edge, Wiring};
use crate::function::Function;
use crate::genome::NetGenome;
use crate::settings::SettingsError;

/// The settings of a [`HyperNeat`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HyperNeatSettings {
    /// When there is a link, and how heavy it is.
    #[serde(default)]
    pub expression: Expression,
    #[serde(default)]
    pub cppn: CppnInputs,
    /// Whether the CPPN gives the nodes biases, by outputs of their own.
    #[serde(default)]
    pub biases: bool,
    pub hidden: Function,
    pub output: Function,
}

/// HyperNEAT: a CPPN paints the weights between the points of a substrate.
///
/// Each pair of points that the substrate links is one question to the CPPN. Because it
/// is asked with coordinates and not with numbers of nodes, a small CPPN can paint
/// symmetries, repetition and locality over thousands of links, and the same CPPN can be
/// asked on a finer substrate.
///
/// # Source
///
/// Stanley, D'Ambrosio and Gauci, "A Hypercube-Based Encoding for Evolving Large-Scale
/// Neural Networks", *Artificial Life* 15(2), 2009. One output for each pair of layers:
/// Gauci and Stanley, "Autonomous Evolution of Topographic Regularities in Artificial
/// Neural Networks", *Neural Computation* 22(7), 2010. One for each pair of sheets: Pugh
/// and Stanley, "Evolving Multimodal Controllers with HyperNEAT", GECCO 2013. Link
/// expression output: Verbancsics and Stanley, "Constraining Connectivity to Encourage
/// Modularity in HyperNEAT", GECCO 2011.
///
/// # Where this differs
///
/// * An output of the CPPN beyond −1 to 1 counts as the nearer end: the paper's outputs
///   cannot leave that range, ours can, if NEAT gives them such a function. A
///   function that is never negative paints no negative weight.
/// * Links lead from earlier layers to later ones only, so that the network can be sorted.
/// * Biases, where wanted, are outputs of their own, asked with the node as the first
///   point and the origin as the second; the paper adds a bias node to the substrate.
///   They have no threshold.
/// * The threshold can be relative to the strongest output on the substrate.
/// * Nodes and links on no path from an input to an output stay; whether there is
///   any path is always said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HyperNeat {
    settings: HyperNeatSettings,
    substrate: Substrate,
}

impl HyperNeat {
    /// HyperNEAT on a substrate.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] names what does not fit and what would.
    pub fn new(settings: HyperNeatSettings, substrate: Substrate) -> Result<Self, SettingsError> {
        settings.expression.check_at([
            "expression.weight",
            "expression.link",
            "expression.above",
        ])?;
        substrate.check()?;
        Ok(Self {
            settings,
            substrate,
        })
    }

    pub fn substrate(&self) -> &Substrate {
        &self.substrate
    }

    /// The same settings on another substrate, such as a finer one.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn on(&self, substrate: Substrate) -> Result<Self, SettingsError> {
        Self::new(self.settings.clone(), substrate)
    }

    pub fn cppn(&self) -> CppnLayout {
        let joints = self.substrate.joints();
        let channels = joints.iter().map(|joint| joint.channel + 1).max();
        CppnLayout {
            axes: self.substrate.axes,
            beside: self.settings.cppn,
            channels: channels.unwrap_or(1),
            leo: self.settings.expression.needs_leo(),
            biases: match (self.settings.biases, self.substrate.channels) {
                (false, _) => 0,
                (true, Channels::One) => 1,
                (true, Channels::Layers) => self.substrate.hidden.len() + 1,
                (true, Channels::Sheets) => {
                    self.substrate.hidden.len() + self.substrate.outputs.len()
                }
            },
        }
    }

    /// The network that the CPPN `genome` paints.
    ///
    /// # Errors
    ///
    /// If the genome has not the inputs and outputs of [`cppn`](Self::cppn).
    pub fn decode(&self, genome: &NetGenome) -> Result<Phenotype, SettingsError> {
        let wiring = self.wire(&mut Cppn::new(genome, self.cppn())?);
        Phenotype::new(wiring, self.settings.hidden, self.settings.output)
    }

    pub fn wire(&self, pattern: &mut impl Pattern) -> Wiring {
        // 1. Ask about every pair of points that may be linked.
        let sheets: Vec<&[Point]> = self
            .substrate
            .sheets()
            .map(|sheet| &sheet.points[..])
            .collect();
        let first = self.substrate.first_nodes();
        let mut answers: Vec<(usize, usize, Answer)> = Vec::new();
        for joint in self.substrate.joints() {
            for (target, &to) in sheets[joint.to].iter().enumerate() {
                for (source, &from) in sheets[joint.from].iter().enumerate() {
                    let answer = pattern.link(joint.channel, from, to);
                    answers.push((first[joint.from] + source, first[joint.to] + target, answer));
                }
            }
        }
        // 2. Those strong enough are links.
        let expression = self.settings.expression;
        let strongest = answers
            .iter()
            .map(|(.., answer)| answer.weight.abs())
            .fold(0.0, f64::max);
        let edges = answers.into_iter().filter_map(|(from, to, answer)| {
            let weight = expression.weight(answer, strongest)?;
            Some(Edge { from, to, weight })
        });
        // 3. Biases, and whether anything leads anywhere.
        let mut wiring = Wiring {
            inputs: self.substrate.input_count(),
            outputs: self.substrate.output_count(),
            hidden: points(&self.substrate.hidden).collect(),
            edges: edges.collect(),
            biases: self.biases(pattern),
            left_out: 0,
            emptiness: None,
        };
        wiring.find_paths();
        wiring
    }

    /// The biases of the outputs, then of the hidden nodes.
    fn biases(&self, pattern: &mut impl Pattern) -> Vec<f64> {
        let Substrate {
            outputs, hidden, ..
        } = &self.substrate;
        let apart = |by: Channels| usize::from(self.substrate.channels == by);
        let own = apart(Channels::Layers) + apart(Channels::Sheets);
        let of_outputs = (0..).map(|at| hidden.len() * own + at * apart(Channels::Sheets));
        let of_hidden = (0..).map(|at| at * own);
        let channels = of_outputs.zip(outputs).chain(of_hidden.zip(hidden));
        let mut biases = Vec::new();
        for (channel, sheet) in channels {
            for &point in &sheet.points {
                biases.push(if self.settings.biases {
                    let bias = pattern.bias(channel, point).clamp(-1.0, 1.0);
                    bias * self.settings.expression.largest()
                } else {
                    0.0
                });
            }
        }
        biases
    }
}

fn points(sheets: &[super::Sheet]) -> impl Iterator<Item = Point> {
    sheets.iter().flat_map(|sheet| sheet.points.iter().copied())
}
