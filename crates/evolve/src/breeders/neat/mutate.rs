//! What chance changes in a network.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::function::Function;
use crate::genome::{Link, NetGenome, Node, Shape};
use crate::operators::{normal, normals};

use super::innovations::Register;
use super::settings::{Draw, NeatSettings, NewNode, Noise, Numbers, Orphans, Split};

impl Numbers {
    pub(super) fn draw(&self, rng: &mut ChaCha8Rng) -> f64 {
        let drawn = match self.start {
            Draw::Gaussian { mean, deviation } => mean + deviation * normal(rng),
            Draw::Uniform { low, high } => low + (high - low) * rng.random::<f64>(),
        };
        self.hold(drawn)
    }

    fn hold(&self, value: f64) -> f64 {
        value.max(self.low).min(self.high)
    }

    /// Moves numbers, or draws them anew. Returns whether any changed.
    fn mutate<'a>(&self, numbers: impl Iterator<Item = &'a mut f64>, rng: &mut ChaCha8Rng) -> bool {
        if !chance(self.genomes, rng) {
            return false;
        }
        let mut changed = false;
        let mut spare = None;
        for number in numbers {
            let toss = rng.random::<f64>();
            if toss < self.rate {
                let noise = match self.noise {
                    Noise::Gaussian => spare.take().unwrap_or_else(|| {
                        let [one, other] = normals(rng);
                        spare = Some(other);
                        one
                    }),
                    Noise::Uniform => 2.0 * rng.random::<f64>() - 1.0,
                };
                *number = self.hold(*number + self.power * noise);
                changed = true;
            } else if toss < self.rate + self.replace {
                *number = self.draw(rng);
                changed = true;
            }
        }
        changed
    }
}

/// Whether something of this probability happens. Called and not inlined, as [`coin`]
/// is: with all that refills a generator in each of the many places that need them,
/// breeding would not fit into the nearest memory of a processor.
#[inline(never)]
pub(super) fn chance(probability: f64, rng: &mut ChaCha8Rng) -> bool {
    // What never happens needs no chance: the small networks are many.
    probability > 0.0 && rng.random::<f64>() < probability
}

#[inline(never)]
pub(super) fn coin(rng: &mut ChaCha8Rng) -> bool {
    rng.random()
}

/// A founder: the links of the start, all numbers drawn.
pub(super) fn founder(settings: &NeatSettings, shape: &Shape, rng: &mut ChaCha8Rng) -> NetGenome {
    let hidden = shape.first_hidden()..shape.first_hidden().saturating_add(shape.hidden);
    let inputs = (0..shape.inputs).map(|id| Node {
        id,
        bias: 0.0,
        response: 1.0,
        function: Function::Identity,
    });
    let mut nodes: Vec<Node> = inputs.collect();
    for id in (shape.inputs..shape.first_hidden()).chain(hidden) {
        nodes.push(node(settings, shape, id, NewNode::Drawn, rng));
    }
    let pairs = shape.pairs(rng).into_iter();
    let link = |(from, to)| Link {
        innovation: shape.innovation(from, to).unwrap_or(0),
        from,
        to,
        weight: settings.weights.draw(rng),
        enabled: true,
    };
    let links = pairs.map(link).collect();
    NetGenome { nodes, links }
}

fn node(
    settings: &NeatSettings,
    shape: &Shape,
    id: u32,
    how: NewNode,
    rng: &mut ChaCha8Rng,
) -> Node {
    let drawn = |numbers: Option<&Numbers>, neutral: f64, rng: &mut ChaCha8Rng| match numbers {
        Some(numbers) if how == NewNode::Drawn => numbers.draw(rng),
        _ => neutral,
    };
    let bias = drawn(settings.biases.as_ref(), 0.0, rng);
    let response = drawn(settings.responses.as_ref(), 1.0, rng);
    let is_output = id < shape.first_hidden();
    let function = match settings.output {
        Some(function) if is_output => function,
        _ => any_function(&settings.functions, rng),
    };
    Node {
        id,
        bias,
        response,
        function,
    }
}

fn any_function(functions: &[Function], rng: &mut ChaCha8Rng) -> Function {
    match functions {
        [] => Function::default(),
        [only] => *only,
        _ => functions[rng.random_range(0..functions.len())],
    }
}

#[derive(Clone, Copy)]
enum Step {
    AddNode,
    DeleteNode,
    AddLink,
    DeleteLink,
}

pub(super) struct Mutant<'a> {
    pub(super) net: &'a mut NetGenome,
    pub(super) settings: &'a NeatSettings,
    pub(super) shape: &'a Shape,
    pub(super) register: &'a mut Register,
}

impl Mutant<'_> {
    /// All that may happen to a child. Returns whether anything did.
    pub(super) fn mutate(&mut self, rng: &mut ChaCha8Rng) -> bool {
        // 1. Nodes and links come and go.
        let rates = self.settings.structure;
        let steps = [
            (rates.add_node, Step::AddNode),
            (rates.delete_node, Step::DeleteNode),
            (rates.add_link, Step::AddLink),
            (rates.delete_link, Step::DeleteLink),
        ];
        let mut changed = false;
        if rates.at_most_one {
            let sum: f64 = steps.iter().map(|step| step.0).sum();
            let mut toss = rng.random::<f64>() * sum.max(1.0);
            for (rate, step) in steps {
                if toss < rate {
                    changed |= self.take(step, rng);
                    break;
                }
                toss -= rate;
            }
        } else {
            for (rate, step) in steps {
                changed |= chance(rate, rng) && self.take(step, rng);
            }
        }

        // 2. Weights move, switches are set.
        let settings = self.settings;
        let weights = self.net.links.iter_mut().map(|link| &mut link.weight);
        changed |= settings.weights.mutate(weights, rng);
        if rates.enable > 0.0 {
            for link in &mut self.net.links {
                if chance(rates.enable, rng) {
                    let enabled = coin(rng);
                    changed |= enabled != link.enabled;
                    link.enabled = enabled;
                }
            }
        }

        // 3. Nodes change.
        let inputs = (self.shape.inputs as usize).min(self.net.nodes.len());
        let nodes = &mut self.net.nodes[inputs..];
        if let Some(biases) = &settings.biases {
            changed |= biases.mutate(nodes.iter_mut().map(|node| &mut node.bias), rng);
        }
        if let Some(responses) = &settings.responses {
            changed |= responses.mutate(nodes.iter_mut().map(|node| &mut node.response), rng);
        }
        if settings.function_mutation > 0.0 {
            let fixed = match settings.output {
                Some(_) => self.shape.outputs as usize,
                None => 0,
            };
            for node in nodes.iter_mut().skip(fixed) {
                if chance(settings.function_mutation, rng) {
                    let function = any_function(&settings.functions, rng);
                    changed |= function != node.function;
                    node.function = function;
                }
            }
        }
        changed
    }

    fn take(&mut self, step: Step, rng: &mut ChaCha8Rng) -> bool {
        match step {
            Step::AddNode => self.add_node(rng),
            Step::DeleteNode => self.delete_node(rng),
            Step::AddLink => self.add_link(rng),
            Step::DeleteLink => self.delete_link(rng),
        }
    }

    /// Splits a link: the old one is switched off, the one into the new node has
    /// weight 1, the one out of it the old weight.
    fn add_node(&mut self, rng: &mut ChaCha8Rng) -> bool {
        let any = self.settings.structure.split == Split::Any;
        let links = &self.net.links;
        let can = |link: &&Link| any || link.enabled;
        let count = links.iter().filter(can).count();
        if count == 0 {
            return false;
        }
        let chosen = rng.random_range(0..count);
        let places = (0..links.len()).filter(|&at| can(&&links[at]));
        let Some(at) = places.into_iter().nth(chosen) else {
            return false;
        };
        let old = links[at];
        let id = self.register.split(old.innovation, self.net);
        self.net.links[at].enabled = false;
        let how = self.settings.structure.new_node;
        let node = node(self.settings, self.shape, id, how, rng);
        let place = self.net.nodes.partition_point(|node| node.id < id);
        self.net.nodes.insert(place, node);
        self.insert(old.from, id, 1.0);
        self.insert(id, old.to, old.weight);
        true
    }

    fn insert(&mut self, from: u32, to: u32, weight: f64) {
        let innovation = self.register.link(from, to);
        let links = &mut self.net.links;
        let place = links.partition_point(|link| link.innovation < innovation);
        let link = Link {
            innovation,
            from,
            to,
            weight,
            enabled: true,
        };
        links.insert(place, link);
    }

    fn add_link(&mut self, rng: &mut ChaCha8Rng) -> bool {
        let (inputs, outputs) = (self.shape.inputs as usize, self.shape.outputs as usize);
        let nodes = &self.net.nodes;
        if nodes.len() <= inputs {
            return false;
        }
        for _ in 0..self.settings.structure.tries {
            let to = nodes[rng.random_range(inputs..nodes.len())].id;
            let from = if self.shape.recurrent {
                rng.random_range(0..nodes.len())
            } else {
                // Not from an output.
                let place = rng.random_range(0..nodes.len() - outputs);
                place + if place < inputs { 0 } else { outputs }
            };
            let from = nodes[from].id;
            // Nothing leads back to an input or on from an output.
            let safe = self.shape.recurrent
                || from < self.shape.inputs
                || (to < self.shape.first_hidden() && from != to);
            if self.net.link(from, to).is_none() && (safe || !self.net.would_loop(from, to)) {
                let weight = self.settings.weights.draw(rng);
                self.insert(from, to, weight);
                return true;
            }
        }
        false
    }

    fn delete_node(&mut self, rng: &mut ChaCha8Rng) -> bool {
        let first = self.shape.first_hidden() as usize;
        if self.net.nodes.len() <= first {
            return false;
        }
        let gone = rng.random_range(first..self.net.nodes.len());
        let id = self.net.nodes.remove(gone).id;
        self.net
            .links
            .retain(|link| link.from != id && link.to != id);
        self.drop_orphans();
        true
    }

    fn delete_link(&mut self, rng: &mut ChaCha8Rng) -> bool {
        if self.net.links.is_empty() {
            return false;
        }
        let gone = rng.random_range(0..self.net.links.len());
        self.net.links.remove(gone);
        self.drop_orphans();
        true
    }

    fn drop_orphans(&mut self) {
        if self.settings.structure.orphans == Orphans::Drop {
            drop_orphans(self.net, self.shape);
        }
    }
}

/// Takes away hidden nodes without any link.
pub(super) fn drop_orphans(net: &mut NetGenome, shape: &Shape) {
    let first = shape.first_hidden();
    if net.nodes.last().is_none_or(|node| node.id < first) {
        return;
    }
    let mut linked = vec![false; net.nodes.len()];
    for link in &net.links {
        for id in [link.from, link.to] {
            if let Some(place) = net.place(id) {
                linked[place] = true;
            }
        }
    }
    let mut linked = linked.into_iter();
    net.nodes
        .retain(|node| linked.next().unwrap_or(true) || node.id < first);
}
