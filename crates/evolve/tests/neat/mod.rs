//! NEAT held against its paper and against the traps that other programs fell into.

mod inheritance;
mod laws;
mod learning;
mod mutation;
mod species;

use mendel_evolve::neat::{Elites, Mating, Numbers, Structure, Threshold};
use mendel_evolve::{
    Breeder, Function, JudgedMember, Link, Neat, NeatSettings, NetGenome, Node, Offspring, Shape,
};

/// Scores in a row, as a trial gives them.
fn judged(scores: impl IntoIterator<Item = f64>) -> Vec<JudgedMember> {
    let judge = |score| JudgedMember {
        score,
        gradient: None,
    };
    scores.into_iter().map(judge).collect()
}

/// Asserts that `count` of `tries` is what a chance of `share` gives.
#[track_caller]
fn assert_share(count: usize, tries: usize, share: f64, what: &str) {
    let expected = tries as f64 * share;
    let error = (expected * (1.0 - share)).sqrt();
    assert!(
        (count as f64 - expected).abs() <= 4.0 * error + 1e-9,
        "{what}: {count} of {tries}, expected {expected:.1} ± {error:.1}"
    );
}

/// The settings of 2002 with nothing that changes a child: each test turns on what it
/// looks at. All are of one species, no one goes on unchanged.
fn quiet(population: usize) -> NeatSettings {
    let paper = NeatSettings::stanley_2002();
    NeatSettings {
        population,
        weights: Numbers {
            genomes: 0.0,
            ..paper.weights
        },
        structure: Structure {
            add_node: 0.0,
            add_link: 0.0,
            ..paper.structure
        },
        threshold: Threshold::Fixed(1e9),
        elites: Elites::Each(0),
        stagnation: None,
        survival: 1.0,
        mating: Mating {
            alone: 1.0,
            interspecies: 0.0,
            ..paper.mating
        },
        ..paper
    }
}

/// Two inputs, one output (2), hidden nodes from 3. Links as (from, to, weight); those
/// of the start have their numbers, the others those from 10 on in their order.
fn net(hidden: u32, links: &[(u32, u32, f64)]) -> NetGenome {
    let shape = Shape::new(2, 1);
    let node = |id| Node {
        id,
        bias: 0.0,
        response: 1.0,
        function: Function::SteepSigmoid,
    };
    let link = |(at, &(from, to, weight)): (u32, &(u32, u32, f64))| Link {
        innovation: shape.innovation(from, to).unwrap_or(10 + at),
        from,
        to,
        weight,
        enabled: true,
    };
    let mut links: Vec<Link> = (0..).zip(links).map(link).collect();
    links.sort_by_key(|link| link.innovation);
    NetGenome {
        nodes: (0..3 + hidden).map(node).collect(),
        links,
    }
}

/// The children of a generation that was given whole.
fn children_of(
    settings: NeatSettings,
    given: Vec<NetGenome>,
    scores: &[f64],
) -> Vec<Offspring<NetGenome>> {
    let mut neat = Neat::new(settings, Shape::new(2, 1), given, 11).unwrap();
    let born = neat.ask();
    neat.tell(born, &judged(scores.iter().copied()));
    neat.ask()
}

/// The children of members that are all the same.
fn children_of_one(settings: NeatSettings, parent: &NetGenome) -> Vec<Offspring<NetGenome>> {
    let population = settings.population;
    let given = vec![parent.clone(); population];
    children_of(settings, given, &vec![1.0; population])
}

/// How many children pass a test.
fn count(children: &[Offspring<NetGenome>], test: impl Fn(&NetGenome) -> bool) -> usize {
    children.iter().filter(|born| test(&born.genome)).count()
}
