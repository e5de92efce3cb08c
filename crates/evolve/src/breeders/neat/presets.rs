//! Whole sets of settings, as others used them.

use crate::function::Function;

use super::distance::Distance;
use super::settings::{
    Draw, Elites, Equals, Extinction, Inherit, Innovations, Mating, NeatSettings, NewNode, Noise,
    Numbers, Orphans, Placement, Sharing, SpeciesScore, Split, Stagnation, Structure, Threshold,
};

impl NeatSettings {
    /// The numbers of the first paper, for its problems without the hardest.
    ///
    /// # Source
    ///
    /// Stanley and Miikkulainen, "Evolving Neural Networks through Augmenting
    /// Topologies", *Evolutionary Computation* 10(2), 2002, §4.1,
    /// doi:10.1162/106365602320169811.
    ///
    /// # Where this differs
    ///
    /// The paper does not say how weights begin, how far they are moved and how many
    /// of a species become parents: here within ±1, by up to 2.5 (held within ±8) and
    /// a fifth, as in the program that the first author published. Innovations are
    /// numbered by the run and not by the generation ([`Innovations::Generation`] is
    /// the paper's list).
    pub fn stanley_2002() -> Self {
        Self {
            population: 150,
            innovations: Innovations::Run,
            weights: Numbers {
                start: Draw::Uniform {
                    low: -1.0,
                    high: 1.0,
                },
                low: -8.0,
                high: 8.0,
                genomes: 0.8,
                rate: 0.9,
                replace: 0.1,
                noise: Noise::Uniform,
                power: 2.5,
            },
            biases: None,
            responses: None,
            functions: vec![Function::SteepSigmoid],
            output: None,
            function_mutation: 0.0,
            structure: Structure {
                add_node: 0.03,
                delete_node: 0.0,
                add_link: 0.05,
                delete_link: 0.0,
                enable: 0.0,
                at_most_one: false,
                tries: 20,
                split: Split::Enabled,
                new_node: NewNode::Neutral,
                orphans: Orphans::Drop,
            },
            distance: Distance::Genes {
                excess: 1.0,
                disjoint: 1.0,
                weight: 0.4,
                small: 20,
            },
            threshold: Threshold::Fixed(3.0),
            placement: Placement::First,
            sharing: Sharing::Mean,
            survival: 0.2,
            elites: Elites::Champion { above: 5 },
            stagnation: Some(Stagnation {
                generations: 15,
                measure: SpeciesScore::Best,
                spared: 0,
                refocus: Some(20),
            }),
            extinction: Extinction::KeepBest,
            mating: Mating {
                alone: 0.25,
                interspecies: 0.001,
                average: 0.0,
                inherit: Inherit::Genes,
                disabled: Some(0.75),
                equals: Equals::Both,
            },
        }
    }

    /// The numbers of the first paper for its hardest problem, double pole balancing
    /// without velocities: a thousand members, weights that count more in the
    /// distance, more new links.
    ///
    /// # Source
    ///
    /// As [`stanley_2002`](Self::stanley_2002).
    ///
    /// # Where this differs
    ///
    /// As there.
    pub fn stanley_2002_large() -> Self {
        let first = Self::stanley_2002();
        Self {
            population: 1000,
            structure: Structure {
                add_link: 0.3,
                ..first.structure
            },
            distance: Distance::Genes {
                excess: 1.0,
                disjoint: 1.0,
                weight: 3.0,
                small: 20,
            },
            threshold: Threshold::Fixed(4.0),
            ..first
        }
    }

    /// The numbers of the paper about robots that duel each other: a threshold that
    /// keeps ten species, averaged weights, slower growth.
    ///
    /// # Source
    ///
    /// Stanley and Miikkulainen, "Competitive Coevolution through Evolutionary
    /// Complexification", *Journal of Artificial Intelligence Research* 21, 2004,
    /// appendix A, doi:10.1613/jair.1338.
    ///
    /// # Where this differs
    ///
    /// As [`stanley_2002`](Self::stanley_2002) where the paper is silent; it has two
    /// populations of this size.
    pub fn stanley_2004() -> Self {
        let first = Self::stanley_2002();
        Self {
            population: 256,
            structure: Structure {
                add_node: 0.01,
                add_link: 0.1,
                ..first.structure
            },
            distance: Distance::Genes {
                excess: 1.0,
                disjoint: 1.0,
                weight: 2.0,
                small: 20,
            },
            threshold: Threshold::Dynamic {
                start: 3.0,
                species: 10,
                step: 0.3,
                floor: 0.3,
            },
            stagnation: first.stagnation.map(|it| Stagnation {
                generations: 30,
                refocus: None,
                ..it
            }),
            mating: Mating {
                interspecies: 0.05,
                average: 0.4,
                ..first.mating
            },
            ..first
        }
    }

    /// The configuration with which chess evaluations were bred by neat-python, as
    /// its version 0.92 understands it.
    ///
    /// # Source
    ///
    /// "Neuroevolutionary Frameworks to Evolve Chess Evaluation Function", 2023, its
    /// published configuration file; the library neat-python, version 0.92, for what
    /// each entry means. Its `tanh` is tanh 2.5x.
    ///
    /// # Where this differs
    ///
    /// Generations always have `population` members, which that version keeps to
    /// only nearly. There a link from an output to a hidden node may be tried, where
    /// that leads to no output; here no link of a feed-forward network leaves an
    /// output.
    pub fn neat_python() -> Self {
        let weights = Numbers {
            start: Draw::Gaussian {
                mean: 0.0,
                deviation: 1.0,
            },
            low: -30.0,
            high: 30.0,
            genomes: 1.0,
            rate: 0.8,
            replace: 0.1,
            noise: Noise::Gaussian,
            power: 0.5,
        };
        Self {
            population: 16,
            innovations: Innovations::Links,
            weights,
            biases: Some(Numbers {
                rate: 0.7,
                ..weights
            }),
            responses: None,
            functions: vec![Function::SharpTanh],
            output: None,
            function_mutation: 0.0,
            structure: Structure {
                add_node: 0.2,
                delete_node: 0.2,
                add_link: 0.5,
                delete_link: 0.5,
                enable: 0.01,
                at_most_one: false,
                tries: 1,
                split: Split::Any,
                new_node: NewNode::Drawn,
                orphans: Orphans::Keep,
            },
            distance: Distance::NodesAndLinks {
                disjoint: 1.0,
                weight: 0.5,
            },
            threshold: Threshold::Fixed(4.0),
            placement: Placement::Nearest,
            sharing: Sharing::Damped { smallest: 2 },
            survival: 0.7,
            elites: Elites::Each(0),
            stagnation: Some(Stagnation {
                generations: 10,
                measure: SpeciesScore::Best,
                spared: 3,
                refocus: None,
            }),
            extinction: Extinction::Restart,
            mating: Mating {
                alone: 0.0,
                interspecies: 0.0,
                average: 0.0,
                inherit: Inherit::Numbers,
                disabled: None,
                equals: Equals::One,
            },
        }
    }
}
