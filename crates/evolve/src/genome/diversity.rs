//! How different the members of a generation are.
//!
//! The measure is the same for every kind of genome: the mean distance of the
//! members from the mean genome, gene by gene, as a share of the widest that is
//! possible, which is reached if half of the members sit at each end.

use super::{Bits, RealVector};
use crate::bounds::Bounds;

/// For bits: where a share p of the members has a 1, their mean distance from
/// the mean p is 2p(1 − p), at most ½; so this is the mean of 4p(1 − p).
pub(crate) fn of_bits<'a>(len: usize, members: impl IntoIterator<Item = &'a Bits>) -> f64 {
    let mut counter = Counter::new(len.div_ceil(64));
    let mut count = 0_u64;
    for member in members {
        counter.add(member.words());
        count += 1;
    }
    if len == 0 || count == 0 {
        return 0.0;
    }
    let spread: f64 = (0..len)
        .map(|at| {
            let share = counter.ones(at) as f64 / count as f64;
            4.0 * share * (1.0 - share)
        })
        .sum();
    spread / len as f64
}

/// For numbers: the mean distance from the mean over half the width of the
/// bounds. A number that cannot change does not count.
pub(crate) fn of_reals<'a>(
    space: &[Bounds],
    members: impl IntoIterator<Item = &'a RealVector>,
) -> f64 {
    let members: Vec<&RealVector> = members.into_iter().collect();
    let (mut spread, mut free) = (0.0, 0_u32);
    for (at, bounds) in space.iter().enumerate() {
        if bounds.width() <= 0.0 || members.is_empty() {
            continue;
        }
        let values = || members.iter().filter_map(|member| member.0.get(at));
        let count = members.len() as f64;
        let mean = values().sum::<f64>() / count;
        let distance = values().map(|value| (value - mean).abs()).sum::<f64>() / count;
        spread += distance / (bounds.width() / 2.0);
        free += 1;
    }
    if free == 0 {
        0.0
    } else {
        spread / f64::from(free)
    }
}

/// Counts ones at 64 places at a time: plane k of a word holds the k-th binary
/// digit of all its 64 counts, and adding is a ripple of carries.
struct Counter {
    planes: Vec<Vec<u64>>,
    words: usize,
}

impl Counter {
    fn new(words: usize) -> Self {
        Self {
            planes: Vec::new(),
            words,
        }
    }

    fn add(&mut self, words: &[u64]) {
        for (index, &word) in words.iter().enumerate().take(self.words) {
            let mut carry = word;
            let mut level = 0;
            while carry != 0 {
                if level == self.planes.len() {
                    self.planes.push(vec![0; self.words]);
                }
                let digit = &mut self.planes[level][index];
                (*digit, carry) = (*digit ^ carry, *digit & carry);
                level += 1;
            }
        }
    }

    fn ones(&self, at: usize) -> u64 {
        let digit = |plane: &Vec<u64>| plane[at / 64] >> (63 - at % 64) & 1;
        self.planes
            .iter()
            .rev()
            .fold(0, |count, plane| count << 1 | digit(plane))
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "these values are exact")]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn all_alike_is_nothing_and_two_corners_are_everything() {
        let mut ones = Bits::zeros(70);
        ones.fill(0..70);
        let zeros = Bits::zeros(70);
        assert_eq!(of_bits(70, [&ones, &ones, &ones]), 0.0);
        assert_eq!(of_bits(70, [&ones, &zeros]), 1.0);

        let space = [Bounds::new("a", -2.0, 6.0), Bounds::new("fixed", 1.0, 1.0)];
        let low = RealVector(vec![-2.0, 1.0]);
        let high = RealVector(vec![6.0, 1.0]);
        assert_eq!(of_reals(&space, [&low, &low]), 0.0);
        assert_eq!(of_reals(&space, [&low, &high]), 1.0);
    }

    #[test]
    fn no_members_have_no_diversity() {
        assert_eq!(of_bits(5, []), 0.0);
        assert_eq!(of_reals(&[Bounds::new("a", 0.0, 1.0)], []), 0.0);
    }

    proptest! {
        #[test]
        fn bits_counted_by_planes_are_bits_counted_one_by_one(
            seed: u64, len in 1_usize..150, count in 1_usize..40,
        ) {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let members: Vec<Bits> = (0..count).map(|_| Bits::random(len, &mut rng)).collect();
            let mut counter = Counter::new(len.div_ceil(64));
            for member in &members {
                counter.add(member.words());
            }
            for at in 0..len {
                let ones = members.iter().filter(|member| member.get(at)).count() as u64;
                prop_assert_eq!(counter.ones(at), ones);
            }
            let diversity = of_bits(len, &members);
            prop_assert!((0.0..=1.0).contains(&diversity));
        }
    }
}
