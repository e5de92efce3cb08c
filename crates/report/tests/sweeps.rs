//! Comparisons of the settings of a sweep.

use std::path::PathBuf;

use mendel_lab::record::{SweepCell, SweepOutcome};
use mendel_report::SweepRecord;
use mendel_report::page::PageBlock;

fn cell(seeds: &[u64], finals: &[f64]) -> SweepCell {
    SweepCell {
        seeds: seeds.to_vec(),
        finals: finals.to_vec(),
        ..SweepCell::default()
    }
}

#[test]
fn the_same_seeds_are_compared_seed_by_seed() {
    let noises = [0.0, 10.0, 20.0, 30.0, 40.0];
    let betters = noises.map(|value| value - 1.0 - value / 100.0);
    let seeds = [1, 2, 3, 4, 5];
    let (better, noise) = (cell(&seeds, &betters), cell(&seeds, &noises));
    let says = |first: &SweepCell, other: &SweepCell| {
        let record = SweepRecord {
            folder: PathBuf::new(),
            recipe: "any".to_owned(),
            plan: String::new(),
            results: SweepOutcome {
                smaller_is_better: true,
                cells: vec![first.clone(), other.clone()],
                ..SweepOutcome::default()
            },
        };
        let mut tables = record.page().blocks.into_iter().filter_map(|it| match it {
            PageBlock::Table(table) => Some(table),
            _ => None,
        });
        let differences = tables
            .next_back()
            .expect("a comparison and the differences");
        differences.rows[0].last().expect("four columns").clone()
    };
    assert_eq!(says(&noise, &better), "better");
    let other = cell(&[6, 7, 8, 9, 10], &noises);
    assert_eq!(says(&other, &better), "not told apart");
}
