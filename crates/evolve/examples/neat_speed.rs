//! Generations a second of NEAT, for `tools/neat_speed.py`, which measures another
//! program beside it.
//!
//! `neat_speed PROBLEM GENERATIONS RUNS SEED` prints the seconds of all runs together,
//! the mean score of all members, the best score of the last run and how many links
//! its last generation has on average. The settings are those of the example of
//! neat-python for the exclusive or; `large` are networks for chess, judged by
//! nobody.

#![allow(clippy::print_stdout, reason = "an example may print")]

use std::time::Instant;

use mendel_evolve::neat::{Elites, NewNode, Sharing, Stagnation, Threshold};
use mendel_evolve::problems::{Poles, XOR};
use mendel_evolve::{
    Breeder, Connected, Function, JudgedMember, Neat, NeatSettings, NetGenome, Network, Shape,
};

const USAGE: &str = "usage: neat_speed xor|pole|large GENERATIONS RUNS SEED";
/// The steps a pole is watched.
const STEPS: u32 = 500;

/// Judges a genome with a network that may be rebuilt.
type Judge = fn(&mut Network, &NetGenome, &Shape) -> f64;

/// A task for networks.
struct Task {
    settings: NeatSettings,
    shape: Shape,
    judge: Judge,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [problem, generations, runs, seed] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let (shape, judge): (Shape, Judge) = match problem.as_str() {
        "xor" => (Shape::new(2, 1), judge_xor),
        "pole" => (Shape::new(4, 1), judge_pole),
        "large" => {
            let shape = Shape {
                hidden: 128,
                connected: Connected::Full { direct: false },
                ..Shape::new(64, 1)
            };
            (shape, |_, net, _| {
                net.links.first().map_or(0.0, |it| it.weight)
            })
        }
        _ => return Err(USAGE.into()),
    };
    let settings = match problem.as_str() {
        "large" => NeatSettings::neat_python(),
        _ => example(),
    };
    let task = Task {
        settings,
        shape,
        judge,
    };
    measure(&task, generations.parse()?, runs.parse()?, seed.parse()?)
}

/// The configuration of neat-python's own example.
fn example() -> NeatSettings {
    let mut settings = NeatSettings {
        population: 150,
        functions: vec![Function::SharpSigmoid],
        threshold: Threshold::Fixed(3.0),
        survival: 0.2,
        elites: Elites::Each(2),
        sharing: Sharing::Damped { smallest: 1 },
        stagnation: Some(Stagnation {
            generations: 20,
            measure: mendel_evolve::neat::SpeciesScore::Best,
            spared: 2,
            refocus: None,
        }),
        ..NeatSettings::neat_python()
    };
    settings.structure.new_node = NewNode::Neutral;
    settings.mating.disabled = Some(0.75);
    settings
}

fn measure(
    task: &Task,
    generations: u32,
    runs: u64,
    seed: u64,
) -> Result<(), Box<dyn std::error::Error>> {
    let (mut sum, mut count) = (0.0, 0);
    let (mut best, mut links) = (f64::NEG_INFINITY, 0.0);
    let mut network = Network::new(&NetGenome::default(), &task.shape);
    let begun = Instant::now();
    for run in 0..runs {
        let seed = seed.wrapping_mul(1_000_003).wrapping_add(run);
        let mut neat = Neat::new(task.settings.clone(), task.shape, None, seed)?;
        best = f64::NEG_INFINITY;
        for _ in 0..generations {
            let born = neat.ask();
            let mut judge = |net: &NetGenome| JudgedMember {
                score: (task.judge)(&mut network, net, &task.shape),
                gradient: None,
            };
            let judged: Vec<JudgedMember> = born.iter().map(|born| judge(&born.genome)).collect();
            sum += judged.iter().map(|it| it.score).sum::<f64>();
            count += judged.len();
            best = judged.iter().map(|it| it.score).fold(best, f64::max);
            let all: usize = born.iter().map(|born| born.genome.links.len()).sum();
            links = all as f64 / born.len() as f64;
            neat.tell(born, &judged);
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!("{seconds} {} {best} {links}", sum / f64::from(count as u32));
    Ok(())
}

/// 4 less the squared errors.
fn judge_xor(network: &mut Network, net: &NetGenome, shape: &Shape) -> f64 {
    network.rebuild(net, shape);
    let mut answer = [0.0];
    let error = |(seen, wanted): &([f64; 2], f64)| {
        network.run(seen, &mut answer);
        (answer[0] - wanted) * (answer[0] - wanted)
    };
    4.0 - XOR.iter().map(error).sum::<f64>()
}

/// The steps balanced.
fn judge_pole(network: &mut Network, net: &NetGenome, shape: &Shape) -> f64 {
    network.rebuild(net, shape);
    let steps = Poles::single(true).balance(Poles::start(), STEPS, |seen| {
        let mut answer = [0.0];
        network.run(seen, &mut answer);
        2.0 * answer[0] - 1.0
    });
    f64::from(steps)
}
