//! How many children each species has.

use super::settings::Sharing;

/// How a species did that may breed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    pub(super) mean: f64,
    pub(super) size: usize,
}

/// How many children each species has; together exactly `population`, if there is a
/// species. `lowest` and `highest` are the scores of their worst and best members.
pub(super) fn children(
    sharing: Sharing,
    standings: &[Standing],
    [lowest, highest]: [f64; 2],
    population: usize,
) -> Vec<usize> {
    let means = standings.iter().map(|it| it.mean);
    match sharing {
        Sharing::Mean => {
            let shares: Vec<f64> = means.map(|mean| mean.max(0.0)).collect();
            in_proportion(&shares, population)
        }
        Sharing::Shifted => {
            let shares: Vec<f64> = means.map(|mean| (mean - lowest).max(0.0)).collect();
            in_proportion(&shares, population)
        }
        Sharing::Damped { smallest } => {
            let range = (highest - lowest).max(1.0);
            let shares: Vec<f64> = means
                .map(|mean| ((mean - lowest) / range).max(0.0))
                .collect();
            damped(&shares, standings, smallest.max(1), population)
        }
    }
}

/// By the largest remainder, of equals the first. If all shares are 0 they are alike.
fn in_proportion(shares: &[f64], population: usize) -> Vec<usize> {
    let sum: f64 = shares.iter().sum();
    let count = shares.len();
    let quota = |share: &f64| {
        let part = if sum > 0.0 {
            share / sum
        } else {
            1.0 / count as f64
        };
        part * population as f64
    };
    let quotas: Vec<f64> = shares.iter().map(quota).collect();
    let mut children: Vec<usize> = quotas.iter().map(|&quota| quota as usize).collect();
    let remainder = |at: usize| quotas[at] - libm::trunc(quotas[at]);
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&one, &other| remainder(other).total_cmp(&remainder(one)));
    let given: usize = children.iter().sum();
    let open = population.saturating_sub(given);
    for &at in order.iter().cycle().take(if count == 0 { 0 } else { open }) {
        children[at] += 1;
    }
    children
}

/// Half the way from the size before, none below `smallest` as long as the members
/// suffice, then corrected until the sum is right: the smallest species grow first,
/// the largest shrink first.
fn damped(
    shares: &[f64],
    standings: &[Standing],
    smallest: usize,
    population: usize,
) -> Vec<usize> {
    let count = shares.len();
    let sum: f64 = shares.iter().sum();

    // 1. Too many species for all to have as many as they must: the best do.
    if count * smallest > population {
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&one, &other| shares[other].total_cmp(&shares[one]));
        let mut children = vec![0; count];
        let mut left = population;
        for at in order {
            children[at] = smallest.min(left);
            left -= children[at];
        }
        return children;
    }

    // 2. Half the way from the size before, but at least one step.
    let half = |(share, standing): (&f64, &Standing)| {
        let size = standing.size as f64;
        let fair = if sum > 0.0 {
            (share / sum * population as f64).max(smallest as f64)
        } else {
            smallest as f64
        };
        let way = (fair - size) * 0.5;
        let step = libm::rint(way);
        if step == 0.0 && way != 0.0 {
            size + libm::copysign(1.0, way)
        } else {
            size + step
        }
    };
    let wanted: Vec<f64> = shares.iter().zip(standings).map(half).collect();
    let scale = population as f64 / wanted.iter().sum::<f64>().max(1.0);
    let mut children: Vec<usize> = wanted
        .iter()
        .map(|wanted| (libm::rint(wanted * scale) as usize).max(smallest))
        .collect();

    // 3. Until the sum is right.
    let mut order: Vec<usize> = (0..count).collect();
    let given: usize = children.iter().sum();
    if given < population {
        order.sort_by_key(|&at| children[at]);
        for &at in order.iter().cycle().take(population - given) {
            children[at] += 1;
        }
    } else {
        order.sort_by_key(|&at| std::cmp::Reverse(children[at]));
        let mut excess = given - population;
        while excess > 0 {
            for &at in &order {
                if excess > 0 && children[at] > smallest {
                    children[at] -= 1;
                    excess -= 1;
                }
            }
        }
    }
    children
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standings(table: &[(f64, usize)]) -> Vec<Standing> {
        let standing = |&(mean, size): &(f64, usize)| Standing { mean, size };
        table.iter().map(standing).collect()
    }

    #[test]
    fn a_species_counts_by_its_mean_and_not_by_its_size() {
        let two = standings(&[(3.0, 9), (1.0, 1)]);
        assert_eq!(children(Sharing::Mean, &two, [1.0, 3.0], 100), [75, 25]);
        assert_eq!(children(Sharing::Shifted, &two, [0.0, 3.0], 100), [75, 25]);
        assert_eq!(children(Sharing::Shifted, &two, [1.0, 3.0], 100), [100, 0]);
        let bad = standings(&[(-3.0, 9), (-1.0, 1)]);
        assert_eq!(children(Sharing::Mean, &bad, [-3.0, -1.0], 11), [6, 5]);
        assert_eq!(
            children(Sharing::Shifted, &bad, [-4.0, -1.0], 100),
            [25, 75]
        );
    }

    /// A trap of other programs: rounding for each species alone lets a population
    /// grow or shrink.
    #[test]
    fn the_children_add_up_to_the_population() {
        let ways = [
            Sharing::Mean,
            Sharing::Shifted,
            Sharing::Damped { smallest: 1 },
            Sharing::Damped { smallest: 2 },
            Sharing::Damped { smallest: 5 },
        ];
        for population in [2, 3, 16, 17, 150] {
            for count in 1..=population.min(20) {
                for salt in 0..20_usize {
                    let standing = |at: usize| Standing {
                        mean: ((at + 1) * (salt * 7 + 3) % 11) as f64 / 3.0,
                        size: 1 + (at * salt + 5) % 9,
                    };
                    let all: Vec<Standing> = (0..count).map(standing).collect();
                    for sharing in ways {
                        let children = children(sharing, &all, [0.0, 4.0], population);
                        let sum: usize = children.iter().sum();
                        assert_eq!(sum, population, "{sharing:?} {all:?}");
                    }
                }
            }
        }
    }

    /// Worked through by hand: fair would be 12 and 4, half the way from 4 and 12 is
    /// 8 and 8.
    #[test]
    fn the_damped_way_goes_half_the_way() {
        let two = standings(&[(3.0, 4), (1.0, 12)]);
        let found = children(Sharing::Damped { smallest: 2 }, &two, [0.0, 3.0], 16);
        assert_eq!(found, [8, 8]);
        // One further step where half the way is less than a half.
        let two = standings(&[(9.0, 8), (7.0, 8)]);
        let found = children(Sharing::Damped { smallest: 2 }, &two, [0.0, 9.0], 16);
        assert_eq!(found, [9, 7]);
        // Nobody falls below the smallest size.
        let two = standings(&[(1.0, 14), (0.0, 2)]);
        let found = children(Sharing::Damped { smallest: 2 }, &two, [0.0, 1.0], 16);
        assert_eq!(found, [14, 2]);
    }
}
