//! Networks painted by networks: HyperNEAT and ES-HyperNEAT.
//!
//! A bred network, the CPPN ("compositional pattern-producing network"), is asked with the
//! coordinates of two points what the weight of a link between them is. [`HyperNeat`] asks
//! about nodes that a [`Substrate`] places, [`EsHyperNeat`] finds the hidden nodes, too.
//! Both are codecs: any breeder of [`NetGenome`](crate::NetGenome) breeds CPPNs, and what is judged is
//! the painted network. [`HyperNeat::cppn`] and [`EsHyperNeat::cppn`] say which
//! inputs and outputs a CPPN must have.
//!
//! | part | what it does |
//! |---|---|
//! | [`Substrate`], [`Sheet`], [`Point`] | where nodes lie, and which sheets are linked |
//! | [`Pattern`], [`Cppn`] | what is asked; any function of two points will do |
//! | [`Expression`] | threshold or link expression output |
//! | [`Quadtree`] | where a pattern holds information |
//! | [`Wiring`], [`Phenotype`] | what comes of it |
//! | [`Census`] | how many of a generation are empty, and why |
//!
//! # Why a network comes out empty, and what helps
//!
//! A published attempt to breed chess evaluations by ES-HyperNEAT had to be given up because
//! every network answered 0 to every position. Nothing in the method says when that
//! happens, so here it is always counted ([`Phenotype::census`]), with the
//! reason. There are five, and each can be had from a CPPN that is perfectly sound:
//!
//! 1. **Nothing varies.** A CPPN that begins without hidden nodes is a linear function of
//!    the coordinates under one output function. Where the coordinates of the *hidden*
//!    point have small weights, the pattern seen from an input is all but flat: no cell is
//!    divided further and none differs from its neighbours.
//!    *Remedy*: begin with hidden nodes and several functions ([`CppnLayout::shape`]), or
//!    with a seed ([`CppnLayout::local`]).
//! 2. **It varies too gently, or too steeply.** The band threshold asks for 0.3 more than the
//!    neighbour on *both* sides. The largest cells lie 1 apart, so that a slope of less
//!    than 0.3 in a unit is nothing; with an output function from 0 to 1, as the sigmoid, all
//!    differences are halved. But a function that saturates is a step, and beside a step
//!    every cell has an equal neighbour on one side: nothing again. *Remedy*:
//!    [`Scale::Relative`], output functions from −1 to 1, several functions inside.
//! 3. **Inputs and output do not meet.** The hidden places found from the inputs and those
//!    found looking back from the output must be the same. With one output in the
//!    middle of a board, patterns that depend on the distance have their crest between two
//!    cells that are alike, so that neither is expressed. *Remedy*:
//!    [`OutputLinks::Each`] asks about every hidden node that was found; [`Channels::Layers`]
//!    lets the two patterns differ.
//! 4. **All weights are below the threshold.** In HyperNEAT proper, a CPPN whose outputs stay
//!    within ±0.2 has no link at all. *Remedy*: [`Expression::Leo`], or a threshold relative
//!    to the strongest output.
//! 5. **The implementation forbids it.** A rule that links may only lead towards larger y
//!    cuts a board, whose squares lie at all y, off from most hidden nodes. Here
//!    links lead in all directions.
//!
//! How many of 200 first CPPNs of one seed come out empty on one plane of eight by eight
//! inputs, by what they begin with and how they are looked at (with twelve planes the
//! shares are the same within 8 points; `examples/hyperneat.rs` prints this and more):
//!
//! | the CPPNs | published | and each to the output | relative | and each to the output |
//! |---|--:|--:|--:|--:|
//! | no hidden nodes, sigmoid | 100 % | 100 % | 0.5 % | 0 % |
//! | no hidden nodes, tanh as output | 55 % | 11.5 % | 1 % | 0 % |
//! | six hidden nodes, five functions | 46 % | 6 % | 1.5 % | 0 % |
//! | a local seed | 92 % | 3.5 % | 79.5 % | 0.5 % |
//!
//! The first row answers as the attempt that had to be given up did; whether its CPPNs were
//! such is not known. The last shows the third reason: a seed alone makes it worse. What
//! fills boards is [`Scale::Relative`] with [`OutputLinks::Each`]; that a network is not
//! empty does not yet make it a good one.
//!
//! # How well they do
//!
//! Exclusive or from random CPPNs without hidden nodes, population 150, at most 300
//! generations (the last two rows: 100); means over the runs that solved it:
//!
//! | method | solved | generations | evaluations |
//! |---|--:|--:|--:|
//! | [`HyperNeat`], three hidden nodes | 20 of 20 | 4.0 | 608 |
//! | [`EsHyperNeat`], published thresholds | 8 of 10 | 110.6 | 16,594 |
//! | quadtree relative | 10 of 10 | 60.4 | 9,060 |
//! | quadtree relative, each to the output | 1 of 2 | | |
//! | the same, with [`Channels::Layers`] | 8 of 8 | 32.0 | 4,800 |
//!
//! The retinas of `examples/hyperneat.rs`, 300 generations of 300: [`HyperNeat`] 0 of 4, with
//! link expression and a local seed 1 of 4 (after 242 generations). Few runs: they say that it
//! is hard, and which way helps, and no more.
//!
//! Which of two boxes is the larger, bred on seven by seven for 100 generations of 100 by
//! [`HyperNeat`] (10 seeds): 0.49 cells off on average, 4 of 10 never off on what they were bred on; asked without
//! further breeding, 1.6 cells off on 11 by 11, 1.9 on 15 by 15, 5.1 on 33 by 33.

mod cppn;
mod evolvable;
mod fixed;
mod pattern;
mod quadtree;
mod seeds;
mod substrate;
mod wiring;

use crate::function::Function;
use crate::network::Network;
use crate::settings::SettingsError;

pub use cppn::{Cppn, CppnInputs, CppnLayout};
pub use evolvable::{EsHyperNeat, EsHyperNeatSettings, OutputLinks};
pub use fixed::{HyperNeat, HyperNeatSettings};
pub use pattern::{Answer, Expression, Pattern};
pub use quadtree::{Found, Quadtree, Scale, Variance};
pub use substrate::{Channels, Connect, MOST_AXES, Point, Sheet, Substrate};
pub use wiring::{Census, Edge, Emptiness, Wiring};

#[derive(Clone, Debug)]
pub struct Phenotype {
    pub network: Network,
    /// Its nodes and links, and whether they lead from inputs to outputs.
    pub wiring: Wiring,
    pub hidden: Function,
    pub output: Function,
}

impl Phenotype {
    fn new(wiring: Wiring, hidden: Function, output: Function) -> Result<Self, SettingsError> {
        let function = |at: usize| if at < wiring.outputs { output } else { hidden };
        let nodes = wiring
            .biases
            .iter()
            .enumerate()
            .map(|(at, &bias)| (function(at), bias));
        let edges = wiring
            .edges
            .iter()
            .map(|edge| (edge.from as u32, edge.to as u32, edge.weight));
        let network = Network::from_parts(
            wiring.inputs,
            wiring.outputs,
            nodes.collect(),
            edges.collect(),
        )?;
        Ok(Self {
            network,
            wiring,
            hidden,
            output,
        })
    }

    /// Whether no input has any way to an output, so that the network answers the same
    /// whatever it is asked.
    pub fn is_empty(&self) -> bool {
        self.wiring.emptiness.is_some()
    }

    pub fn census(members: &[Self]) -> Census {
        Census::of(members.iter().map(|member| &member.wiring))
    }
}
