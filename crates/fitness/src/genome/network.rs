//! Networks as genomes: what of them is bred, and how a genome becomes the numbers of
//! an evaluator.

use std::collections::BTreeMap;

use mendel_evaluator::graph::{Edge, Frame, MOST_HIDDEN, Node, Parts};
use mendel_evaluator::mlp::{self, MOST, ONE, QUEEN};
use mendel_evaluator::{AnyEvaluator, Function, Graph, Input, Mlp};
use mendel_evolve::hyperneat::{
    Channels, Connect, CppnLayout, EsHyperNeat, HyperNeat, OutputLinks, Substrate,
};
use mendel_evolve::{
    Connected, CosyneSpace, Fans, Function as Bred, Link, NetGenome, Node as Gene, RealVector,
    Shape,
};
use serde::{Deserialize, Serialize};

use super::graph_parts::{bred, mirrored, parts, playable, played, silent};
use super::settings::{CodingName, GenomeSettings, SpaceError};
use super::validate::{connected, of_evaluator, of_evolve, of_shape, playable_weight, wrong};

/// The table `[genome.network]`: the network that is bred, but for its numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct NetworkSettings {
    pub input: Input,
    /// The sizes of the hidden layers (`coding = "synapses"`), or how many hidden
    /// nodes a network begins with, as one number (`"net"`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<u32>,
    /// What hidden neurons apply (`"synapses"`; else nodes have their own).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<Function>,
    /// What the output applies (`"synapses"`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Function>,
    /// Whether hidden neurons have biases (`"synapses"`).
    #[serde(default = "yes")]
    pub biases: bool,
    #[serde(default = "yes")]
    pub material: bool,
    /// Centipawns for an output of one.
    #[serde(default = "queen")]
    pub scale: i32,
    /// The largest weight without sign (`"synapses"`).
    #[serde(default = "most")]
    pub limit: f64,
    /// Which links a network begins with (`"net"`, and the one that paints).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connected: Option<Connected>,
}

impl NetworkSettings {
    /// A key that is of no use where numbers are written so.
    pub(super) fn idle(&self, coding: CodingName) -> Option<&'static str> {
        let grows = matches!(coding, CodingName::Net | CodingName::Cppn);
        let table = [
            (
                "hidden",
                coding == CodingName::Cppn && !self.hidden.is_empty(),
            ),
            ("function", grows && self.function.is_some()),
            ("output", grows && self.output.is_some()),
            ("biases", grows && !self.biases),
            ("limit", grows && self.limit.to_bits() != most().to_bits()),
            ("connected", !grows && self.connected.is_some()),
        ];
        table
            .into_iter()
            .find_map(|(key, idle)| idle.then_some(key))
    }
}

/// The table `[genome.substrate]`: the board's geometry for networks that are painted.
///
/// The inputs are the twelve boards of [`Input::Sides`], eight by eight: own pawns to
/// own king, then the other's. The output lies in the middle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SubstrateSettings {
    /// Hidden sheets of eight by eight; none where ES-HyperNEAT finds the nodes.
    #[serde(default)]
    pub hidden: usize,
    /// Which output of the CPPN answers for which links.
    #[serde(default)]
    pub channels: Channels,
    #[serde(default)]
    pub connect: Connect,
    /// Hidden nodes that a CPPN begins with.
    #[serde(default)]
    pub cppn_hidden: u32,
    /// Only the own men's six boards are painted. The other's are the same, turned over
    /// and with the opposite sign: what is good for one is as bad for the other.
    #[serde(default)]
    pub mirrored: bool,
}

fn yes() -> bool {
    true
}

fn queen() -> i32 {
    QUEEN
}

/// The largest absolute weight that an evaluator can hold.
pub fn most() -> f64 {
    f64::from(MOST) / f64::from(ONE)
}

/// Boards of the substrate: six men of either side.
const PLANES: usize = 12;

/// Networks of genes: their shape, and what paints the network that plays, if it is not
/// the bred one itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Nets {
    pub shape: Shape,
    pub painter: Painter,
    /// Whether half of the boards are painted, and the others follow.
    pub mirrored: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Painter {
    /// Nobody: it is the bred one.
    Itself,
    Fixed(Box<HyperNeat>),
    Found(Box<EsHyperNeat>),
}

/// An evaluator of the kind that is bred, and the weights of neurons or the shape of
/// genes.
pub(super) enum Planned {
    Synapses(AnyEvaluator, CosyneSpace),
    Nets(AnyEvaluator, Nets),
}

/// What the settings make of a player that may be a network of that kind already.
pub(super) fn plan(
    evaluator: &AnyEvaluator,
    settings: &GenomeSettings,
) -> Result<Planned, SpaceError> {
    match settings.coding {
        CodingName::Net | CodingName::Cppn => {
            let template = graph(evaluator, settings)?;
            let nets = nets(settings, &template)?;
            Ok(Planned::Nets(AnyEvaluator::Graph(template), nets))
        }
        _ => {
            let template = layers(evaluator, settings)?;
            let limit = settings.network.as_ref().map_or(most(), |it| it.limit);
            if !(limit > 0.0 && limit <= most()) {
                let reason = format!("cannot be {limit}: it must be above 0, up to {}", most());
                return Err(wrong("network.limit", reason));
            }
            let fans = |neuron: &mlp::Neuron| {
                let weights = neuron.numbers.len() as u32;
                let before = weights - u32::from(neuron.biased);
                let layer = neuron.beside as u32;
                (weights, Fans { before, layer })
            };
            let neurons: Vec<(u32, Fans)> = template.shape().neurons().iter().map(fans).collect();
            let space = CosyneSpace::of_neurons(&neurons, limit);
            Ok(Planned::Synapses(AnyEvaluator::Mlp(template), space))
        }
    }
}

/// The parent, if it is a network of such layers, or one that says nothing yet.
fn layers(evaluator: &AnyEvaluator, settings: &GenomeSettings) -> Result<Mlp, SpaceError> {
    let Some(network) = &settings.network else {
        return match evaluator {
            AnyEvaluator::Mlp(mlp) => Ok(mlp.clone()),
            other => Err(wrong(
                "coding",
                format!(
                    "breeds the weights of a network, and the parent's evaluator is `{}`; choose a \
                     parent of kind `mlp` or say in `[genome.network]` what the network is",
                    other.kind()
                ),
            )),
        };
    };
    let defaults = mlp::MlpShape::paper(&network.hidden);
    let shape = mlp::MlpShape {
        layers: std::iter::once(network.input.count() as u32)
            .chain(network.hidden.iter().copied())
            .chain([1])
            .collect(),
        input: network.input,
        hidden: network.function.unwrap_or(defaults.hidden),
        output: network.output.unwrap_or(defaults.output),
        biases: network.biases,
        material: network.material,
        scale: network.scale,
    };
    match evaluator {
        AnyEvaluator::Mlp(mlp) if *mlp.shape() == shape => Ok(mlp.clone()),
        _ => {
            // A shape that makes no sense has no reasonable number of numbers.
            let sizes = shape.layers.iter().map(|&it| u64::from(it));
            let numbers = if sizes.clone().all(|it| it <= 1 << 16) && sizes.count() <= 8 {
                shape.numbers()
            } else {
                0
            };
            Mlp::new(shape, &vec![0; numbers]).map_err(|error| of_evaluator(network, &error))
        }
    }
}

/// The parent, if it is a graph in such a frame, or one that says nothing yet.
fn graph(evaluator: &AnyEvaluator, settings: &GenomeSettings) -> Result<Graph, SpaceError> {
    let frame = match (&settings.network, evaluator) {
        (Some(network), _) => Frame {
            input: network.input,
            material: network.material,
            scale: network.scale,
        },
        (None, AnyEvaluator::Graph(graph)) => return Ok(graph.clone()),
        (None, other) => {
            return Err(wrong(
                "coding",
                format!(
                    "breeds networks, and the parent's evaluator is `{}`; choose a parent of kind \
                     `graph` or say in `[genome.network]` what the network sees",
                    other.kind()
                ),
            ));
        }
    };
    match evaluator {
        AnyEvaluator::Graph(graph) if graph.frame() == frame => Ok(graph.clone()),
        _ => {
            let numbers = silent(frame.input.count()).to_numbers();
            Graph::new(frame, &numbers).map_err(|error| match &settings.network {
                Some(network) => of_evaluator(network, &error),
                None => wrong("network", error.to_string()),
            })
        }
    }
}

fn nets(settings: &GenomeSettings, template: &Graph) -> Result<Nets, SpaceError> {
    let input = template.frame().input;
    let network = settings.network.as_ref();
    if settings.coding == CodingName::Net {
        let hidden = match network.map_or(&[][..], |it| &it.hidden[..]) {
            [] => 0,
            [one] => *one,
            _ => {
                let reason = "of a network that grows is one number, such as [128]";
                return Err(wrong("network.hidden", reason));
            }
        };
        if hidden as usize > MOST_HIDDEN {
            let reason = format!("is [{hidden}]; a network has up to {MOST_HIDDEN}");
            return Err(wrong("network.hidden", reason));
        }
        let shape = Shape {
            hidden,
            connected: connected(network)?.unwrap_or_default(),
            ..Shape::new(input.count() as u32, 1)
        };
        shape.check().map_err(|error| of_shape(&error))?;
        return Ok(Nets {
            shape,
            painter: Painter::Itself,
            mirrored: false,
        });
    }
    if input != Input::Sides {
        let reason = "must be \"sides\" where networks are painted on the board";
        return Err(wrong("network.input", reason));
    }
    painted(settings)
}

fn painted(settings: &GenomeSettings) -> Result<Nets, SpaceError> {
    let Some(geometry) = &settings.substrate else {
        let reason = "is missing: write `[genome.substrate]` for networks that paint";
        return Err(wrong("substrate", reason));
    };
    if geometry.hidden > 8 || geometry.cppn_hidden > 1000 {
        return Err(wrong(
            "substrate",
            "has more than 8 hidden sheets or 1000 nodes",
        ));
    }
    let planes = if geometry.mirrored {
        PLANES / 2
    } else {
        PLANES
    };
    let substrate = Substrate {
        connect: geometry.connect,
        ..Substrate::boards((8, 8), planes, geometry.hidden, geometry.channels)
    };
    let (layout, painter): (CppnLayout, Painter) =
        match (&settings.hyperneat, &settings.es_hyperneat) {
            (Some(it), None) => {
                let made = HyperNeat::new(it.clone(), substrate);
                let made = made.map_err(|error| of_evolve("hyperneat", &error))?;
                playable_weight("hyperneat.expression.weight", it.expression.largest())?;
                (made.cppn(), Painter::Fixed(Box::new(made)))
            }
            (None, Some(it)) if it.recurrent => {
                let reason = "makes circles, and an evaluator has none; leave it out";
                return Err(wrong("es-hyperneat.recurrent", reason));
            }
            (None, Some(it)) => {
                let made = EsHyperNeat::new(it.clone(), substrate);
                let made = made.map_err(|error| of_evolve("es-hyperneat", &error))?;
                playable_weight("es-hyperneat.weight", it.weight)?;
                if let OutputLinks::Each(expression) = it.outputs {
                    playable_weight("es-hyperneat.outputs.each.weight", expression.largest())?;
                }
                (made.cppn(), Painter::Found(Box::new(made)))
            }
            _ => {
                let reason =
                    "needs exactly one of `[genome.hyperneat]` and `[genome.es-hyperneat]`";
                return Err(wrong("coding", reason));
            }
        };
    let shape = layout.shape(geometry.cppn_hidden);
    let shape = Shape {
        connected: connected(settings.network.as_ref())?.unwrap_or(shape.connected),
        ..shape
    };
    shape.check().map_err(|error| of_shape(&error))?;
    Ok(Nets {
        shape,
        painter,
        mirrored: geometry.mirrored,
    })
}

/// A weight as evaluators write it.
pub fn fixed(weight: f64) -> i32 {
    libm::round(weight * f64::from(ONE)).clamp(f64::from(-MOST), f64::from(MOST)) as i32
}

/// The weights of a network, written as an evaluator's numbers.
pub(super) fn numbers_of(reals: &RealVector) -> Vec<i32> {
    reals.0.iter().map(|&weight| fixed(weight)).collect()
}

/// The inverse of [`numbers_of`].
pub(super) fn reals_of(numbers: &[i32]) -> RealVector {
    let weight = |&number: &i32| f64::from(number) / f64::from(ONE);
    RealVector(numbers.iter().map(weight).collect())
}

impl Nets {
    /// The network that plays, as an evaluator's numbers, and whether it stands in for
    /// one with more nodes or links than an evaluator can hold: such a stand-in says
    /// nothing, and is counted apart from networks that are empty by themselves.
    pub fn numbers(&self, net: &NetGenome) -> (Vec<i32>, bool) {
        let painted = match &self.painter {
            Painter::Itself => return playable(&self.own(net)),
            Painter::Fixed(codec) => codec.decode(net),
            Painter::Found(codec) => codec.decode(net),
        };
        playable(&match painted {
            Ok(phenotype) if self.mirrored => mirrored(parts(&phenotype)),
            Ok(phenotype) => parts(&phenotype),
            Err(_) => silent(PLANES * 64),
        })
    }

    /// The bred network itself.
    fn own(&self, net: &NetGenome) -> Parts {
        let inputs = self.shape.inputs as usize;
        let nodes = net.nodes.get(inputs..).unwrap_or_default();
        let node = |node: &Gene| Node {
            function: played(node.function),
            bias: fixed(node.bias),
        };
        let enabled = net.links.iter().filter(|link| link.enabled);
        // Two genes may link the same nodes; an evaluator has one edge for both.
        let mut weights: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for link in enabled {
            if let (Some(from), Some(to)) = (net.place(link.from), net.place(link.to)) {
                let weight = link.weight * net.nodes[to].response;
                *weights.entry((from, to)).or_default() += weight;
            }
        }
        let edges: Vec<Edge> = weights
            .into_iter()
            .map(|((from, to), weight)| Edge {
                from: from as u32,
                to: to as u32,
                weight: fixed(weight),
            })
            .collect();
        if nodes.is_empty() {
            return silent(inputs);
        }
        Parts {
            inputs,
            nodes: nodes.iter().map(node).collect(),
            edges,
        }
    }

    /// The genome of a network that plays, where genomes are such networks.
    ///
    /// # Errors
    ///
    /// If genomes are no such networks, or the numbers are no network of this shape.
    pub fn genome(&self, numbers: &[i32]) -> Result<NetGenome, String> {
        if self.painter != Painter::Itself {
            return Err(
                "a painted network does not tell which one painted it; begin with \
                        start = \"random\""
                    .to_owned(),
            );
        }
        let parts = Parts::from_numbers(numbers).map_err(|error| error.to_string())?;
        if parts.inputs != self.shape.inputs as usize {
            return Err(format!(
                "it has {} inputs where {} are bred",
                parts.inputs, self.shape.inputs
            ));
        }
        let weight = |number: i32| f64::from(number) / f64::from(ONE);
        let input = |id: usize| Gene {
            id: id as u32,
            bias: 0.0,
            response: 1.0,
            function: Bred::Identity,
        };
        let rest = parts.nodes.iter().zip(parts.inputs..);
        let rest = rest.map(|(node, id)| Gene {
            id: id as u32,
            bias: weight(node.bias),
            response: 1.0,
            function: bred(node.function),
        });
        // Links that no founder of this shape has are numbered behind those.
        let mut unused = self.shape.first_innovation();
        let mut number = |from: u32, to: u32| {
            self.shape.innovation(from, to).unwrap_or_else(|| {
                unused = unused.saturating_add(1);
                unused - 1
            })
        };
        let mut links: Vec<Link> = parts
            .edges
            .iter()
            .map(|edge| Link {
                innovation: number(edge.from, edge.to),
                from: edge.from,
                to: edge.to,
                weight: weight(edge.weight),
                enabled: true,
            })
            .collect();
        links.sort_by_key(|link| link.innovation);
        let net = NetGenome {
            nodes: (0..parts.inputs).map(input).chain(rest).collect(),
            links,
        };
        net.check(&self.shape).map_err(|error| error.to_string())?;
        Ok(net)
    }

    /// How different networks are: how likely it is that a link of one of them is in
    /// none but it, or rather not in another that is drawn by chance.
    pub fn diversity<'a>(members: impl Iterator<Item = &'a NetGenome>) -> f64 {
        let mut holders: BTreeMap<u32, f64> = BTreeMap::new();
        let mut count = 0.0;
        for net in members {
            count += 1.0;
            for link in &net.links {
                *holders.entry(link.innovation).or_default() += 1.0;
            }
        }
        let all: f64 = holders.values().sum();
        if count < 2.0 || all == 0.0 {
            return 0.0;
        }
        let shared: f64 = holders.values().map(|it| it * (it - 1.0)).sum();
        1.0 - shared / (all * (count - 1.0))
    }
}
