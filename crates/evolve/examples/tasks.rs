//! How many networks `CoSyNE` judges until one solves a task, beside what its paper says.
//!
//! `cargo run --release -p mendel-evolve --example tasks -- RUNS TASK…`
//! runs each task (all, without names) with so many seeds and prints a line for each.
//!
//! Published: Gomez, Schmidhuber and Miikkulainen, *Journal of Machine Learning
//! Research* 9, 2008, tables 1, 3 and 4, means of 50 runs. The shapes of the networks
//! are ours; of those tried, the ones are taken with which random guessing needs about
//! as many attempts as in the paper, where that can be measured. A few runs get stuck
//! in a population that has become all alike, which the mean of the others hides or a
//! late escape dominates: read the median and the share of solved runs beside it.

#![allow(clippy::print_stdout, reason = "an example may print")]

use std::time::Instant;

use mendel_evolve::problems::{FixedNet, Poles, evaluations_needed, xor};
use mendel_evolve::{Breeder, Cosyne, CosyneSettings, RandomSearch, RandomSettings, RealVector};

/// Weights start within ±10 and are hardly bounded.
const LIMIT: f64 = 1e6;

struct Task {
    name: &'static str,
    net: FixedNet,
    population: usize,
    limit: u64,
    published: &'static str,
    judge: fn(&FixedNet, &RealVector) -> (f64, bool),
    /// Whether networks are guessed instead of bred.
    guess: bool,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runs: u64 = arguments
        .first()
        .and_then(|it| it.parse().ok())
        .unwrap_or(50);
    println!(
        "task                          weights  mean ± error   median     most  solved  published  seconds"
    );
    for task in tasks() {
        let named = arguments.len() < 2
            || arguments[1..]
                .iter()
                .any(|name| task.name.contains(name.as_str()));
        if named {
            measure(&task, runs);
        }
    }
}

fn tasks() -> Vec<Task> {
    let net = |inputs, hidden, bias| FixedNet::Feedforward {
        inputs,
        hidden,
        bias,
    };
    let memory = |inputs, neurons| FixedNet::Recurrent {
        inputs,
        neurons,
        bias: false,
    };
    let task = |name, net, population, published, judge| Task {
        name,
        net,
        population,
        limit: 20_000,
        published,
        judge,
        guess: false,
    };
    let guessed = |task| Task {
        guess: true,
        ..task
    };
    let (exclusive, single) = (net(2, 4, true), net(4, 0, true));
    vec![
        task("xor", exclusive, 50, "none", judge_xor),
        guessed(task("xor, guessed", exclusive, 50, "none", judge_xor)),
        task("one-pole", single, 20, "98", judge_single),
        guessed(task("one-pole, guessed", single, 20, "199", judge_single)),
        task(
            "one-pole-blind",
            memory(2, 1),
            20,
            "127",
            judge_single_blind,
        ),
        task("two-poles", net(6, 4, false), 30, "954", judge_double),
        task("two-poles-blind", memory(3, 1), 30, "1249", judge_blind),
        task(
            "two-poles-blind-damped",
            memory(3, 1),
            30,
            "3416",
            judge_damped,
        ),
        task(
            "two-poles-blind-general",
            memory(3, 1),
            30,
            "3416",
            judge_general,
        ),
    ]
}

fn judge_xor(net: &FixedNet, genome: &RealVector) -> (f64, bool) {
    let mut controller = net.controller(&genome.0);
    // From 0 to 1 instead of −1 to 1.
    let score = xor(|seen| f64::midpoint(1.0, controller(seen)));
    (score.fitness, score.solved)
}

fn balance(task: Poles, net: &FixedNet, genome: &RealVector) -> (f64, bool) {
    let steps = task.balance(Poles::start(), Poles::SUCCESS, net.controller(&genome.0));
    (f64::from(steps), steps == Poles::SUCCESS)
}

fn judge_single(net: &FixedNet, genome: &RealVector) -> (f64, bool) {
    balance(Poles::single(true), net, genome)
}

fn judge_single_blind(net: &FixedNet, genome: &RealVector) -> (f64, bool) {
    balance(Poles::single(false), net, genome)
}

fn judge_double(net: &FixedNet, genome: &RealVector) -> (f64, bool) {
    balance(Poles::double(true), net, genome)
}

fn judge_blind(net: &FixedNet, genome: &RealVector) -> (f64, bool) {
    balance(Poles::double(false), net, genome)
}

/// The score that rewards rest; a solution goes on for 100,000 steps.
fn judge_damped(net: &FixedNet, genome: &RealVector) -> (f64, bool) {
    let task = Poles::double(false);
    let (score, steps) = task.damping(net.controller(&genome.0));
    let solved = steps == Poles::TRIAL && balance(task, net, genome).1;
    (score, solved)
}

/// As before; a solution also balances from 200 of 625 other starts.
fn judge_general(net: &FixedNet, genome: &RealVector) -> (f64, bool) {
    let (score, solved) = judge_damped(net, genome);
    let general = || Poles::double(false).generalisation(|| net.controller(&genome.0)) >= 200;
    (score, solved && general())
}

fn measure(task: &Task, runs: u64) {
    let begun = Instant::now();
    let mut needed: Vec<u64> = (1..=runs).filter_map(|seed| one(task, seed)).collect();
    needed.sort_unstable();
    let count = needed.len() as f64;
    let mean = needed.iter().sum::<u64>() as f64 / count;
    let squares: f64 = needed
        .iter()
        .map(|&it| (it as f64 - mean) * (it as f64 - mean))
        .sum();
    let error = (squares / (count - 1.0) / count).sqrt();
    let at = |place: usize| needed.get(place).copied().unwrap_or(0);
    println!(
        "{:29} {:>7} {:>7.0} ± {:<6.0} {:>6} {:>8}  {:>3}/{:<3} {:>9}  {:>7.1}",
        task.name,
        task.net.space(LIMIT).bounds.len(),
        mean,
        error,
        at(needed.len() / 2),
        at(needed.len().saturating_sub(1)),
        needed.len(),
        runs,
        task.published,
        begun.elapsed().as_secs_f64(),
    );
}

fn one(task: &Task, seed: u64) -> Option<u64> {
    if task.guess {
        let space = task.net.space(10.0).bounds;
        let settings = RandomSettings {
            population: task.population,
        };
        let breeder =
            RandomSearch::<RealVector>::new(settings, space, None, seed).expect("good settings");
        return run(task, breeder);
    }
    let space = task.net.space(LIMIT);
    let settings = CosyneSettings::gomez(task.population);
    let breeder = Cosyne::new(settings, space, None, seed).expect("good settings");
    run(task, breeder)
}

fn run<B: Breeder<Genome = RealVector>>(task: &Task, breeder: B) -> Option<u64> {
    evaluations_needed(breeder, task.limit, |genome| {
        (task.judge)(&task.net, genome)
    })
}
