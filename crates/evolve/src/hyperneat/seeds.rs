//! CPPNs to begin with.

use super::cppn::CppnLayout;
use crate::function::Function;
use crate::genome::{Connected, Link, NetGenome, Node, Shape};
use crate::operators::normal;
use crate::seed::{Purpose, generator};

impl CppnLayout {
    /// The shape of a CPPN that begins with all inputs linked to all outputs, and with so
    /// many hidden nodes between.
    pub fn shape(&self, hidden: u32) -> Shape {
        Shape {
            hidden,
            ..Shape::new(self.inputs() as u32, self.outputs() as u32)
        }
    }

    /// A CPPN to begin with that prefers what is near: its weights, and its link
    /// expressions, if it has them, fall from 1 where two points have the same x and y to
    /// −1 where both differ by much more than `reach` (a positive number). With it comes the shape that a
    /// breeder must be given.
    ///
    /// Links are expressed at first where the sum of both bells is above 1.5, so that
    /// evolution begins with local networks and widens them where that pays.
    ///
    /// # Source
    ///
    /// Verbancsics and Stanley, "Constraining Connectivity to Encourage Modularity in
    /// HyperNEAT", GECCO 2011: bells of the differences as a seed of the link expression
    /// output.
    ///
    /// # Where this differs
    ///
    /// The weights are seeded alike, because a quadtree needs weights that vary; a reach
    /// can be given.
    pub fn local(&self, reach: f64) -> (Shape, NetGenome) {
        let bells = self.axes.min(2) as u32;
        let shape = Shape {
            connected: Connected::None,
            ..self.shape(bells)
        };
        // What an output adds to its bells: −1 for a weight, −1.5 for an expression.
        let less = |output: usize| if output < self.channels { -1.0 } else { -1.5 };
        let one = self.beside.one.then(|| shape.inputs - 1);
        let mut net = NetGenome::default();

        // 1. Inputs, outputs and one bell for each axis of a sheet.
        for id in 0..shape.first_hidden() + bells {
            let hidden = id >= shape.first_hidden();
            let output = id
                .checked_sub(shape.inputs)
                .filter(|_| !hidden && one.is_none());
            let output = output
                .map(|at| at as usize)
                .filter(|&at| at < self.first_bias());
            net.nodes.push(Node {
                id,
                bias: output.map_or(0.0, less),
                response: 1.0,
                function: if hidden {
                    Function::Gauss
                } else {
                    Function::Clamped
                },
            });
        }

        // 2. Each bell sees the difference of one coordinate, each output sees the bells.
        let mut link = |from: u32, to: u32, weight: f64| {
            net.links.push(Link {
                innovation: shape.innovation(from, to).unwrap_or(u32::MAX),
                from,
                to,
                weight,
                enabled: true,
            });
        };
        for bell in 0..bells {
            let node = shape.first_hidden() + bell;
            link(bell, node, -1.0 / reach);
            link(self.axes as u32 + bell, node, 1.0 / reach);
            for output in 0..self.first_bias() as u32 {
                link(node, shape.inputs + output, 1.0);
            }
        }
        if let Some(one) = one {
            for output in 0..self.first_bias() {
                link(one, shape.inputs + output as u32, less(output));
            }
        }
        net.links.sort_by_key(|link| link.innovation);
        (shape, net)
    }

    /// Founders that are all such a [`local`](Self::local) CPPN: the first as it is, the
    /// others with every weight moved by a normal deviate times `deviation`.
    ///
    /// Give a breeder as many as its population has: what it draws itself has no links.
    pub fn local_founders(
        &self,
        reach: f64,
        (count, deviation): (usize, f64),
        seed: u64,
    ) -> (Shape, Vec<NetGenome>) {
        let (shape, net) = self.local(reach);
        let founder = |member: u32| {
            let mut rng = generator(seed, 0, member, Purpose::Start);
            let mut founder = net.clone();
            let moved = if member == 0 { 0.0 } else { deviation };
            for link in &mut founder.links {
                link.weight += moved * normal(&mut rng);
            }
            founder
        };
        (shape, (0..count as u32).map(founder).collect())
    }
}
