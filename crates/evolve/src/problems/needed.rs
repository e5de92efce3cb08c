//! How long a breeder takes.

use crate::breeder::Breeder;

/// How many genomes are judged until one is a solution, that one counted; `None` if
/// none of `limit` is. `judge` tells a genome's score and whether it is a solution.
pub fn evaluations_needed<B: Breeder>(
    mut breeder: B,
    limit: u64,
    mut judge: impl FnMut(&B::Genome) -> (f64, bool),
) -> Option<u64> {
    let mut judged = 0;
    loop {
        let born = breeder.ask();
        let mut told = Vec::with_capacity(born.len());
        for born in &born {
            if judged == limit {
                return None;
            }
            judged += 1;
            let (score, solved) = judge(&born.genome);
            if solved {
                return Some(judged);
            }
            told.push(score.into());
        }
        if born.is_empty() {
            return None;
        }
        breeder.tell(born, &told);
    }
}
