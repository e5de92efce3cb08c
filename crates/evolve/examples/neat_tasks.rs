//! How many evaluations NEAT needs, beside the published numbers.
//!
//! `cargo run --release -p mendel-evolve --example neat_tasks [RUNS] [SEED]` breeds
//! networks for the exclusive or, for one pole and for two, and prints a table: means
//! over the runs with their standard errors.

#![allow(clippy::print_stdout, reason = "an example may print")]

use std::thread;

use mendel_evolve::problems::{Poles, xor};
use mendel_evolve::{Breeder, JudgedMember, Neat, NeatSettings, NetGenome, Network, Shape};

/// What came of a run that ended with a solution.
struct Solved {
    evaluations: u64,
    hidden: usize,
    links: usize,
    /// From how many of 625 other starts the solution balances, where that counts.
    generalisation: Option<u32>,
}

type Task = fn(u64) -> Option<Solved>;

struct Row {
    name: &'static str,
    published: &'static str,
    /// Of how many runs one is made; the hardest take longest.
    share: u64,
    run: Task,
}

const ROWS: [Row; 4] = [
    Row {
        name: "exclusive or",
        published: "4755 (100 runs, σ 2553; 2.35 hidden nodes)",
        share: 1,
        run: exclusive_or,
    },
    Row {
        name: "one pole",
        published: "743 (50 runs; Gomez et al. 2008)",
        share: 1,
        run: one_pole,
    },
    Row {
        name: "two poles",
        published: "3600 (120 runs)",
        share: 1,
        run: two_poles,
    },
    Row {
        name: "two poles, no velocities",
        published: "33184 (20 runs; 286 of 625 starts)",
        share: 5,
        run: two_poles_unseen,
    },
];

fn main() {
    let mut given = std::env::args().skip(1).map(|it| it.parse::<u64>());
    let runs = given.next().and_then(Result::ok).unwrap_or(100).max(1);
    let first = given.next().and_then(Result::ok).unwrap_or(1);
    for row in ROWS {
        let seeds: Vec<u64> = (first..).take((runs / row.share).max(1) as usize).collect();
        let half = seeds.len().div_ceil(2);
        let solve = |seeds: &[u64]| {
            seeds
                .iter()
                .map(|&seed| (row.run)(seed))
                .collect::<Vec<_>>()
        };
        let results: Vec<Option<Solved>> = thread::scope(|scope| {
            let crews = seeds
                .chunks(half)
                .map(|part| scope.spawn(move || solve(part)));
            let crews: Vec<_> = crews.collect();
            let results = crews
                .into_iter()
                .flat_map(|crew| crew.join().expect("a task ends"));
            results.collect()
        });
        print(&row, &results);
    }
}

fn print(row: &Row, results: &[Option<Solved>]) {
    let solved: Vec<&Solved> = results.iter().flatten().collect();
    let mean = |read: &dyn Fn(&Solved) -> f64| {
        solved.iter().map(|it| read(it)).sum::<f64>() / solved.len().max(1) as f64
    };
    let evaluations = mean(&|it| it.evaluations as f64);
    let variance = mean(&|it| (it.evaluations as f64 - evaluations).powi(2));
    let mut sorted: Vec<u64> = solved.iter().map(|it| it.evaluations).collect();
    sorted.sort_unstable();
    println!(
        "{:25} {evaluations:8.0} ± {:5.0} evaluations (σ {:.0}, median {}, most {}), {:.2} hidden nodes, \
         {:.2} links{}; {} of {} solved; published {}",
        row.name,
        (variance / solved.len().max(1) as f64).sqrt(),
        variance.sqrt(),
        sorted.get(sorted.len() / 2).copied().unwrap_or(0),
        sorted.last().copied().unwrap_or(0),
        mean(&|it| it.hidden as f64),
        mean(&|it| it.links as f64),
        match solved.first().and_then(|it| it.generalisation) {
            Some(_) => format!(
                ", {:.0} of 625 starts",
                mean(&|it| f64::from(it.generalisation.unwrap_or(0)))
            ),
            None => String::new(),
        },
        solved.len(),
        results.len(),
        row.published,
    );
}

fn solved(net: &NetGenome, shape: &Shape, evaluations: u64) -> Solved {
    Solved {
        evaluations,
        hidden: net.hidden(shape),
        links: net.enabled(),
        generalisation: None,
    }
}

/// Breeds until a network solves a task, judged one by one.
fn first_solution(
    settings: NeatSettings,
    shape: Shape,
    seed: u64,
    limit: u64,
    mut judge: impl FnMut(&mut Network) -> (f64, bool),
) -> Option<Solved> {
    let mut neat = Neat::new(settings, shape, None, seed).expect("good settings");
    let mut evaluations = 0;
    while evaluations < limit {
        let born = neat.ask();
        let mut judged = Vec::with_capacity(born.len());
        for born in &born {
            let (score, done) = judge(&mut Network::new(&born.genome, &shape));
            evaluations += 1;
            if done {
                return Some(solved(&born.genome, &shape, evaluations));
            }
            judged.push(JudgedMember {
                score,
                gradient: None,
            });
        }
        neat.tell(born, &judged);
    }
    None
}

fn exclusive_or(seed: u64) -> Option<Solved> {
    let settings = NeatSettings::stanley_2002();
    first_solution(settings, Shape::new(3, 1), seed, 150_000, |network| {
        let score = xor(|seen| {
            let mut answer = [0.0];
            network.run(&[1.0, seen[0], seen[1]], &mut answer);
            answer[0]
        });
        (score.fitness, score.solved)
    })
}

/// Lets a network steer, with a constant beside what it sees.
fn steer(network: &mut Network) -> impl FnMut(&[f64]) -> f64 + '_ {
    network.reset();
    move |seen| {
        let mut inputs = [1.0; 7];
        inputs[1..=seen.len()].copy_from_slice(seen);
        let mut answer = [0.0];
        network.run(&inputs[..=seen.len()], &mut answer);
        2.0 * answer[0] - 1.0
    }
}

fn balancing(task: Poles, seed: u64) -> Option<Solved> {
    let shape = Shape::new(task.inputs() as u32 + 1, 1);
    let settings = NeatSettings::stanley_2002();
    first_solution(settings, shape, seed, 150_000, |network| {
        let steps = task.balance(Poles::start(), Poles::SUCCESS, steer(network));
        (f64::from(steps), steps == Poles::SUCCESS)
    })
}

fn one_pole(seed: u64) -> Option<Solved> {
    balancing(Poles::single(true), seed)
}

fn two_poles(seed: u64) -> Option<Solved> {
    balancing(Poles::double(true), seed)
}

/// Rewards rest; the best of each generation must balance for long, and from 200 of
/// the 625 other starts.
fn two_poles_unseen(seed: u64) -> Option<Solved> {
    let task = Poles::double(false);
    let shape = Shape {
        recurrent: true,
        ..Shape::new(task.inputs() as u32 + 1, 1)
    };
    let settings = NeatSettings::stanley_2002_large();
    let mut neat = Neat::new(settings, shape, None, seed).expect("good settings");
    let mut evaluations = 0;
    while evaluations < 300_000 {
        let born = neat.ask();
        let judge = |net: &NetGenome| task.damping(steer(&mut Network::new(net, &shape))).0;
        let scores: Vec<f64> = born.iter().map(|born| judge(&born.genome)).collect();
        evaluations += born.len() as u64;
        let best = (0..born.len()).max_by(|&one, &other| scores[one].total_cmp(&scores[other]));
        let best = &born[best?].genome;
        let mut network = Network::new(best, &shape);
        let steps = task.balance(Poles::start(), Poles::SUCCESS, steer(&mut network));
        if steps == Poles::SUCCESS {
            let balanced =
                |start| task.balance(start, Poles::TRIAL, steer(&mut network)) == Poles::TRIAL;
            let general = Poles::starts().map(balanced).filter(|it| *it).count() as u32;
            if general >= 200 {
                return Some(Solved {
                    generalisation: Some(general),
                    ..solved(best, &shape, evaluations)
                });
            }
        }
        let judged = scores.iter().map(|&score| JudgedMember {
            score,
            gradient: None,
        });
        neat.tell(born, &judged.collect::<Vec<_>>());
    }
    None
}
