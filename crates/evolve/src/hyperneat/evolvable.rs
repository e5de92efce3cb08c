//! ES-HyperNEAT: hidden nodes where the pattern wants them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Phenotype;
use super::cppn::{Cppn, CppnInputs, CppnLayout};
use super::pattern::{Answer, Expression, Pattern};
use super::quadtree::Quadtree;
use super::substrate::{Channels, Point, Substrate};
use super::wiring::{Edge, Wiring};
use crate::function::Function;
use crate::genome::NetGenome;
use crate::settings::{SettingsError, out_of_range, reasonable_weight, within};

/// The settings of an [`EsHyperNeat`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct EsHyperNeatSettings {
    /// Where information is looked for, and how much of it is expressed.
    #[serde(default)]
    pub quadtree: Quadtree,
    /// How often new hidden nodes are looked for from those found last; 1 as published,
    /// 0 for one hidden layer.
    pub iterations: u32,
    /// The weight that an output of 1 means; 3 as published.
    pub weight: f64,
    /// With a link expression output: the value above which there is a link, 0 as
    /// published. Without: every link that the quadtree finds.
    #[serde(default)]
    pub leo: Option<f64>,
    #[serde(default)]
    pub outputs: OutputLinks,
    /// The third and fourth coordinates of all hidden nodes.
    #[serde(default)]
    pub plane: [f64; 2],
    /// Whether links may close circles. Without, links go only from a hidden node to
    /// those found later than itself, in whatever direction.
    #[serde(default)]
    pub recurrent: bool,
    #[serde(default)]
    pub cppn: CppnInputs,
    /// Whether the CPPN gives the nodes biases, by outputs of their own.
    #[serde(default)]
    pub biases: bool,
    pub hidden: Function,
    pub output: Function,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputLinks {
    /// Those that a quadtree finds, looking back from the output, as published. Where
    /// it finds other places than the inputs did, there is no path.
    #[default]
    Quadtree,
    /// Each hidden node that was found from the inputs is asked about, as in HyperNEAT.
    Each(Expression),
}

/// ES-HyperNEAT: the hidden nodes lie where the pattern of weights holds information.
///
/// From each input a [`Quadtree`] looks over the plane of hidden nodes and expresses
/// links where the CPPN's pattern varies; the places it ends at are hidden nodes, from
/// which the same goes on. Looking back from the outputs, links to them are found. What is
/// on no path from an input to an output is dropped.
///
/// # Source
///
/// Risi and Stanley, "An Enhanced Hypercube-Based Encoding for Evolving the Placement,
/// Density, and Connectivity of Neurons", *Artificial Life* 18(4), 2012.
///
/// # Where this differs
///
/// * Hidden nodes lie in one plane, which can be given a third and fourth coordinate.
/// * Without `recurrent`, a link from a hidden node goes only to nodes found after it. So
///   the network can be sorted, no direction is preferred, and a pattern that is its own
///   mirror image still makes a network that is. How many links that leaves out is
///   counted.
/// * The paper's text leaves open whether a variance equal to a threshold is above it:
///   here it is not.
/// * An output of the CPPN beyond −1 to 1 counts as the nearer end.
/// * Biases are outputs of their own, as in [`HyperNeat`](super::HyperNeat).
/// * Beyond the paper, each off by default: thresholds relative to the pattern
///   ([`Scale`](super::Scale)), links from all hidden nodes to the outputs
///   ([`OutputLinks`]), several outputs of the CPPN ([`Channels`]), variance of the
///   quarters only ([`Variance`](super::Variance)), differences and distance as inputs of
///   the CPPN.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EsHyperNeat {
    settings: EsHyperNeatSettings,
    substrate: Substrate,
}

#[derive(Default)]
struct Nodes {
    places: Vec<(f64, f64)>,
    /// Their numbers by place; the same place is the same node.
    numbers: BTreeMap<(u64, u64), usize>,
}

impl Nodes {
    fn number(&mut self, x: f64, y: f64) -> usize {
        *self
            .numbers
            .entry((x.to_bits(), y.to_bits()))
            .or_insert_with(|| {
                self.places.push((x, y));
                self.places.len() - 1
            })
    }
}

impl EsHyperNeat {
    /// ES-HyperNEAT between the inputs and outputs of a substrate that has no hidden
    /// sheets of its own.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] names what does not fit and what would.
    pub fn new(settings: EsHyperNeatSettings, substrate: Substrate) -> Result<Self, SettingsError> {
        settings.quadtree.check()?;
        reasonable_weight("weight", settings.weight)?;
        within("iterations", &settings.iterations, 0..=100)?;
        if let OutputLinks::Each(expression) = settings.outputs {
            expression.check_at([
                "outputs.each.weight",
                "outputs.each.link",
                "outputs.each.above",
            ])?;
        }
        if settings.leo.is_some_and(|above| !above.is_finite()) {
            return Err(out_of_range("leo", &"no number", "a number, or absent"));
        }
        if !settings.plane.iter().all(|axis| axis.is_finite()) {
            return Err(out_of_range("plane", &"no number", "two numbers"));
        }
        if !substrate.hidden.is_empty() {
            let value = format!("{} sheets", substrate.hidden.len());
            return Err(out_of_range(
                "hidden",
                &value,
                "empty: hidden nodes are found",
            ));
        }
        substrate.check()?;
        Ok(Self {
            settings,
            substrate,
        })
    }

    pub fn substrate(&self) -> &Substrate {
        &self.substrate
    }

    pub fn cppn(&self) -> CppnLayout {
        let (inputs, outputs) = (self.substrate.inputs.len(), self.substrate.outputs.len());
        CppnLayout {
            axes: self.substrate.axes,
            beside: self.settings.cppn,
            channels: match self.substrate.channels {
                Channels::One => 1,
                Channels::Layers => 3,
                Channels::Sheets => inputs + 1 + outputs,
            },
            leo: self.settings.leo.is_some()
                || matches!(self.settings.outputs, OutputLinks::Each(it) if it.needs_leo()),
            biases: match (self.settings.biases, self.substrate.channels) {
                (false, _) => 0,
                (true, Channels::One) => 1,
                (true, Channels::Layers) => 2,
                (true, Channels::Sheets) => 1 + outputs,
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
        let substrate = &self.substrate;
        let fixed = substrate.input_count() + substrate.output_count();
        let channels = self.channel_numbers();
        let mut nodes = Nodes::default();
        let mut edges = Vec::new();

        // 1. From the inputs: the first hidden nodes.
        let mut from = 0;
        for (sheet, &channel) in substrate.inputs.iter().zip(&channels.inputs) {
            for &point in &sheet.points {
                for (x, y, weight) in self.look(pattern, channel, point, true) {
                    let to = fixed + nodes.number(x, y);
                    edges.push(Edge { from, to, weight });
                }
                from += 1;
            }
        }

        // 2. From those found last, more of them. Nodes are numbered as they are found, so
        //    what is not yet explored is a range, and none is explored twice.
        let (mut explored, mut left_out) = (0, 0);
        for _ in 0..self.settings.iterations {
            let known = nodes.places.len();
            for node in explored..known {
                let point = self.point(nodes.places[node]);
                for (x, y, weight) in self.look(pattern, channels.hidden, point, true) {
                    let target = nodes.number(x, y);
                    if self.settings.recurrent || target >= known {
                        let (from, to) = (fixed + node, fixed + target);
                        edges.push(Edge { from, to, weight });
                    } else {
                        left_out += 1;
                    }
                }
            }
            explored = known;
        }

        // 3. From the outputs, backwards.
        let mut to = substrate.input_count();
        for (sheet, &channel) in substrate.outputs.iter().zip(&channels.outputs) {
            for &point in &sheet.points {
                let links = match self.settings.outputs {
                    OutputLinks::Quadtree => self.look(pattern, channel, point, false),
                    OutputLinks::Each(rule) => {
                        self.ask_each(pattern, channel, point, rule, &nodes.places)
                    }
                };
                for (x, y, weight) in links {
                    let from = fixed + nodes.number(x, y);
                    edges.push(Edge { from, to, weight });
                }
                to += 1;
            }
        }

        // 4. What is on no path from an input to an output is dropped.
        let hidden: Vec<Point> = nodes
            .places
            .into_iter()
            .map(|place| self.point(place))
            .collect();
        let mut wiring = Wiring {
            inputs: substrate.input_count(),
            outputs: substrate.output_count(),
            biases: self.biases(pattern, &hidden),
            hidden,
            edges,
            left_out,
            emptiness: None,
        };
        wiring.prune();
        wiring
    }

    /// The links between a point and hidden places that hold information.
    fn look(
        &self,
        pattern: &mut impl Pattern,
        channel: usize,
        point: Point,
        outgoing: bool,
    ) -> Vec<(f64, f64, f64)> {
        let mut ask = |x: f64, y: f64| {
            let place = self.point((x, y));
            let (from, to) = if outgoing {
                (point, place)
            } else {
                (place, point)
            };
            pattern.link(channel, from, to)
        };
        let found = self
            .settings
            .quadtree
            .find(|x, y| ask(x, y).weight.clamp(-1.0, 1.0));
        let mut links = Vec::new();
        for spot in found {
            let expressed = match self.settings.leo {
                Some(above) => ask(spot.x, spot.y).expression > above,
                None => true,
            };
            if expressed {
                links.push((spot.x, spot.y, spot.weight * self.settings.weight));
            }
        }
        links
    }

    /// The links from known hidden places to an output, as in HyperNEAT.
    fn ask_each(
        &self,
        pattern: &mut impl Pattern,
        channel: usize,
        output: Point,
        rule: Expression,
        places: &[(f64, f64)],
    ) -> Vec<(f64, f64, f64)> {
        let mut ask = |&place: &(f64, f64)| pattern.link(channel, self.point(place), output);
        let answers: Vec<Answer> = places.iter().map(&mut ask).collect();
        let strongest = answers
            .iter()
            .map(|answer| answer.weight.abs())
            .fold(0.0, f64::max);
        let link = |(&(x, y), &answer): (&(f64, f64), &Answer)| {
            Some((x, y, rule.weight(answer, strongest)?))
        };
        places.iter().zip(&answers).filter_map(link).collect()
    }

    fn point(&self, (x, y): (f64, f64)) -> Point {
        let [z, w] = self.settings.plane;
        Point([x, y, z, w])
    }

    fn biases(&self, pattern: &mut impl Pattern, hidden: &[Point]) -> Vec<f64> {
        let mut bias = |channel: usize, point: Point| {
            if !self.settings.biases {
                return 0.0;
            }
            pattern.bias(channel, point).clamp(-1.0, 1.0) * self.settings.weight
        };
        let mut biases = Vec::new();
        for (at, sheet) in self.substrate.outputs.iter().enumerate() {
            let channel = match self.substrate.channels {
                Channels::One => 0,
                Channels::Layers => 1,
                Channels::Sheets => 1 + at,
            };
            biases.extend(sheet.points.iter().map(|&point| bias(channel, point)));
        }
        biases.extend(hidden.iter().map(|&point| bias(0, point)));
        biases
    }

    fn channel_numbers(&self) -> ChannelNumbers {
        let (inputs, outputs) = (self.substrate.inputs.len(), self.substrate.outputs.len());
        match self.substrate.channels {
            Channels::One => ChannelNumbers {
                inputs: vec![0; inputs],
                hidden: 0,
                outputs: vec![0; outputs],
            },
            Channels::Layers => ChannelNumbers {
                inputs: vec![0; inputs],
                hidden: 1,
                outputs: vec![2; outputs],
            },
            Channels::Sheets => ChannelNumbers {
                inputs: (0..inputs).collect(),
                hidden: inputs,
                outputs: (inputs + 1..=inputs + outputs).collect(),
            },
        }
    }
}

/// Which output of the CPPN answers for which links.
struct ChannelNumbers {
    /// From each sheet of inputs.
    inputs: Vec<usize>,
    /// Between hidden nodes.
    hidden: usize,
    /// To each sheet of outputs.
    outputs: Vec<usize>,
}
