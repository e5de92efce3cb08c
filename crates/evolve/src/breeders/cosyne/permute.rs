//! Weights that change places within their sub-population.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::settings::Permutation;
use crate::operators::WORST;

impl Permutation {
    /// The probability of a weight to be marked whose network stands a share of the
    /// way, from 0 to 1, above the worst and below the best, if a network has so many
    /// weights.
    pub fn chance(self, share: f64, weights: usize) -> f64 {
        match self {
            Self::AllButNew => 1.0,
            Self::Root => 1.0 - libm::pow(share, 1.0 / weights.max(1) as f64),
            Self::SquareRoot => 1.0 - share.sqrt(),
        }
    }

    pub(super) fn chances(self, scores: &[f64], weights: usize) -> Vec<f64> {
        // Who was not judged stands with the worst of the others. Halves, so that no
        // difference of two scores is beyond all numbers.
        let known = || scores.iter().copied().filter(|score| *score > WORST);
        let worst = known().fold(f64::INFINITY, f64::min) / 2.0;
        let best = known().fold(f64::NEG_INFINITY, f64::max) / 2.0;
        let chance = |score: f64| {
            if best > worst {
                let share = (score.max(worst * 2.0) / 2.0 - worst) / (best - worst);
                return self.chance(share.clamp(0.0, 1.0), weights);
            }
            match self {
                Self::AllButNew | Self::Root => 1.0,
                Self::SquareRoot => 0.0,
            }
        };
        scores.iter().map(|&score| chance(score)).collect()
    }
}

/// Networks after their weights have changed places.
pub(super) struct Permuted {
    pub(super) networks: Vec<Vec<f64>>,
    /// For each weight of each network, whose it was.
    pub(super) sources: Vec<Vec<u32>>,
}

/// Marks each weight of each network with the network's chance, and lets the marked
/// weights of each sub-population change places among themselves.
pub(super) fn permute(networks: &[&[f64]], chances: &[f64], rng: &mut ChaCha8Rng) -> Permuted {
    let weights = networks.first().map_or(0, |network| network.len());
    let mut permuted = Permuted {
        networks: networks.iter().map(|network| network.to_vec()).collect(),
        sources: (0..networks.len() as u32)
            .map(|network| vec![network; weights])
            .collect(),
    };
    let mut marked: Vec<usize> = Vec::with_capacity(networks.len());
    let mut shuffled: Vec<usize> = Vec::with_capacity(networks.len());
    for weight in 0..weights {
        // 1. Mark.
        marked.clear();
        marked.extend(
            (0..networks.len()).filter(|&network| {
                chances[network] >= 1.0 || rng.random::<f64>() < chances[network]
            }),
        );

        // 2. Shuffle the marked.
        shuffled.clone_from(&marked);
        for last in (1..shuffled.len()).rev() {
            shuffled.swap(last, rng.random_range(0..=last));
        }

        // 3. Each marked place gets the weight of another, or its own.
        for (&to, &from) in marked.iter().zip(&shuffled) {
            permuted.networks[to][weight] = networks[from][weight];
            permuted.sources[to][weight] = from as u32;
        }
    }
    permuted
}
