//! Generations a second of `CoSyNE`, for `tools/neuro_speed.py`, which measures another
//! program beside it.
//!
//! `neuro_speed PROBLEM POPULATION GENERATIONS SEED` prints the seconds, how many
//! networks were judged and the best score.

#![allow(clippy::print_stdout, reason = "an example may print")]

use std::time::Instant;

use mendel_evolve::problems::{FixedNet, Poles, xor};
use mendel_evolve::{Breeder, Cosyne, CosyneSettings, CosyneSpace, JudgedMember, RealVector};

const USAGE: &str = "usage: neuro_speed xor|two-poles|none POPULATION GENERATIONS SEED";
const XOR_NET: FixedNet = FixedNet::Feedforward {
    inputs: 2,
    hidden: 2,
    bias: true,
};
const POLES_NET: FixedNet = FixedNet::Feedforward {
    inputs: 6,
    hidden: 4,
    bias: false,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [problem, population, generations, seed] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let (space, judge): (CosyneSpace, fn(&RealVector) -> f64) = match problem.as_str() {
        "xor" => (XOR_NET.space(1e6), judge_xor),
        "two-poles" => (POLES_NET.space(1e6), judge_poles),
        // A network for chess, and what breeding alone costs.
        "none" => (
            CosyneSpace::layered(&[64, 128, 1], true, false, 1e6),
            |genome| genome.0[0],
        ),
        _ => return Err(USAGE.into()),
    };
    let settings = CosyneSettings::gomez(population.parse()?);
    let mut cosyne = Cosyne::new(settings, space, None, seed.parse()?)?;
    let (mut count, mut best) = (0, f64::NEG_INFINITY);
    let begun = Instant::now();
    for _ in 0..generations.parse::<u32>()? {
        let born = cosyne.ask();
        let score = |score| JudgedMember {
            score,
            gradient: None,
        };
        let judged: Vec<JudgedMember> = born.iter().map(|it| score(judge(&it.genome))).collect();
        count += judged.len();
        best = judged.iter().map(|it| it.score).fold(best, f64::max);
        cosyne.tell(born, &judged);
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!("{seconds} {count} {best}");
    Ok(())
}

fn judge_xor(genome: &RealVector) -> f64 {
    let mut controller = XOR_NET.controller(&genome.0);
    xor(|seen| f64::midpoint(1.0, controller(seen))).fitness
}

fn judge_poles(genome: &RealVector) -> f64 {
    let controller = POLES_NET.controller(&genome.0);
    f64::from(Poles::double(true).balance(Poles::start(), Poles::TRIAL, controller))
}
