//! What breeding itself costs, without any judging.
//!
//! `cargo run --release -p mendel-evolve --example breeding_speed` breeds 300 generations of
//! 1000 members with 356 bits in 58 Gray-coded genes, as a published experiment
//! did, and prints the seconds spent in asking, telling, decoding and measuring
//! diversity.

#![allow(clippy::print_stdout, reason = "an example may print")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use mendel_evolve::{
    Bits, Breeder, Coding, Crossover, Ga, GaSettings, Gene, Genome, JudgedMember, Layout, Mutation,
    Selection,
};

const GENERATIONS: u32 = 300;

fn main() {
    // 50 genes of 6 bits and 8 of 7 are 356 bits.
    let genes = (0..58)
        .map(|gene| Gene::new(format!("gene {gene}"), if gene < 50 { 6 } else { 7 }))
        .collect();
    let layout = Layout::new(genes, Coding::Gray).expect("a good layout");
    let settings = GaSettings {
        population: 1000,
        selection: Selection::RouletteShifted,
        crossover: Crossover::SinglePoint,
        crossover_rate: 0.75,
        mutation: Mutation::BitFlip,
        mutation_rate: 0.002,
        elites: 0,
        hall_of_fame: None,
        founders: mendel_evolve::Founders::Random,
    };
    let mut ga = Ga::<Bits>::new(settings, layout.clone(), None, 1).expect("good settings");
    let mut spent = [Duration::ZERO; 5];
    for _ in 0..GENERATIONS {
        let born = timed(&mut spent[0], || ga.ask());
        let values = timed(&mut spent[1], || {
            let values = born.iter().map(|born| layout.decode(&born.genome));
            values.collect::<Vec<_>>()
        });
        black_box(values);
        timed(&mut spent[2], || {
            black_box(Bits::diversity(
                &layout,
                born.iter().map(|born| &born.genome),
            ))
        });
        let judge = |bits: &Bits| JudgedMember {
            score: bits.ones() as f64,
            gradient: None,
        };
        let judged: Vec<JudgedMember> = born.iter().map(|born| judge(&born.genome)).collect();
        timed(&mut spent[3], || ga.tell(born, &judged));
        let text = timed(&mut spent[4], || serde_json::to_string(&ga));
        black_box(text.expect("a breeder can be written"));
    }
    let names = ["ask", "decode", "diversity", "tell", "write"];
    for (name, time) in names.iter().zip(spent) {
        println!("{name:10} {:.3} s", time.as_secs_f64());
    }
}

fn timed<T>(total: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *total += start.elapsed();
    result
}
