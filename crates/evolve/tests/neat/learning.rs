//! Is anything learned, and with as many evaluations as published? Few runs; the table
//! of many is made by `examples/neat_tasks.rs`.

use mendel_evolve::problems::{Poles, evaluations_needed, xor};
use mendel_evolve::{Neat, NeatSettings, NetGenome, Network, Shape};

fn run(network: &mut Network, seen: &[f64]) -> f64 {
    let inputs: Vec<f64> = std::iter::once(1.0).chain(seen.iter().copied()).collect();
    let mut answer = [0.0];
    network.run(&inputs, &mut answer);
    answer[0]
}

/// The mean number of evaluations over some seeds, all of which must end.
fn mean(seeds: u64, limit: u64, shape: Shape, judge: impl Fn(&NetGenome) -> (f64, bool)) -> f64 {
    let needed = (1..=seeds).map(|seed| {
        let neat = Neat::new(NeatSettings::stanley_2002(), shape, None, seed).unwrap();
        let needed = evaluations_needed(neat, limit, &judge);
        needed.unwrap_or_else(|| panic!("seed {seed} found nothing")) as f64
    });
    needed.sum::<f64>() / seeds as f64
}

/// Published: 4,755 evaluations. The exclusive or cannot be done without a hidden
/// node, so that structure must have grown.
#[test]
fn the_exclusive_or_is_learned() {
    let shape = Shape::new(3, 1);
    let mean = mean(10, 60_000, shape, |net| {
        let mut network = Network::new(net, &shape);
        let score = xor(|seen| run(&mut network, seen));
        assert!(!score.solved || net.hidden(&shape) > 0);
        (score.fitness, score.solved)
    });
    assert!((1000.0..12_000.0).contains(&mean), "{mean} evaluations");
}

/// Published: 743 evaluations.
#[test]
fn a_pole_is_balanced() {
    let task = Poles::single(true);
    let shape = Shape::new(5, 1);
    let mean = mean(10, 10_000, shape, |net| {
        let mut network = Network::new(net, &shape);
        let push = |seen: &[f64]| 2.0 * run(&mut network, seen) - 1.0;
        let steps = task.balance(Poles::start(), 10_000, push);
        (f64::from(steps), steps == 10_000)
    });
    assert!((50.0..750.0).contains(&mean), "{mean} evaluations");
}
