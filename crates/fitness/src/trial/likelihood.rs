//! How likely the expert's moves are to a member that draws its moves by worth.

use super::TrialError;
use crate::matrix::{Batch, Slopes};

/// The mean logarithm of the likelihood of the expert's moves and how it changes
/// with each weight.
///
/// `starts` says where the rows of each position begin, and the end of the last;
/// the expert's move comes first. Scores are the opponent's: the least is best.
///
/// # Source
///
/// D. `McFadden`, "Conditional logit analysis of qualitative choice behavior", 1974: of
/// several choices each is taken with a chance proportional to the exponential of
/// its worth. For moves of experts so in Hoki and Kaneko, "Large-Scale Optimization
/// for Evaluation Functions with Minimax Search", *Journal of Artificial
/// Intelligence Research* 49, 2014, who compare searches.
///
/// # Where this differs
///
/// One ply instead of a search, the logarithm instead of a sigmoid of differences,
/// and no regularisation: few weights, many positions.
pub(super) fn likelihood(
    batch: &Batch,
    starts: &[usize],
    weights: &[f64],
    temperature: f64,
    threads: usize,
) -> Result<Slopes, TrialError> {
    let scores = batch.exact(weights, threads)?;
    let positions = starts.len().saturating_sub(1).max(1) as f64;
    let mut slopes = vec![0.0; scores.len()];
    let mut sum = 0.0;
    for rows in starts.windows(2) {
        let scores = &scores[rows[0]..rows[1]];
        let Some(&expert) = scores.first() else {
            continue;
        };
        let best = scores.iter().copied().fold(f64::INFINITY, f64::min);
        let chance = |score: f64| libm::exp((best - score) / temperature);
        let all: f64 = scores.iter().map(|&score| chance(score)).sum();
        sum += (best - expert) / temperature - libm::log(all);
        for (at, (slope, &score)) in slopes[rows[0]..rows[1]].iter_mut().zip(scores).enumerate() {
            let taken = if at == 0 { 1.0 } else { 0.0 };
            *slope = (chance(score) / all - taken) / temperature / positions;
        }
    }
    let mut found = batch.slopes(weights, threads, |row, _| (0.0, slopes[row]))?;
    found.sum = sum / positions;
    Ok(found)
}
