//! What is written down of a generation of networks beside its fitness.

use mendel_evaluator::AnyEvaluator;
use mendel_evaluator::mlp::ONE;
use mendel_evolve::{Breeder, SpeciesState};
use mendel_fitness::genome::AnyGenome;
use mendel_fitness::genome::space::{Space, SpaceKind};
use mendel_fitness::trial::MemberWeights;

use crate::record::{Networks, SpeciesLine};

/// What a generation of networks is like, before its breeder is told; `None` where
/// members are something else.
pub(super) fn networks(
    space: &Space,
    breeder: &dyn Breeder<Genome = AnyGenome>,
    (members, too_large): (&[MemberWeights], &[bool]),
    reported: (&[f64], bool),
) -> Option<Networks> {
    if let SpaceKind::Synapses(_) = space.kind {
        return Some(Networks {
            distance: mean_distance(members),
            ..Networks::default()
        });
    }
    let SpaceKind::Nets(_) = space.kind else {
        return None;
    };
    // Of one that is too large only a stand-in is there, which is nobody's size.
    let whole = members.iter().zip(too_large).filter(|(_, large)| !**large);
    let graphs = whole
        .filter_map(|(member, _)| space.network(member))
        .filter_map(|evaluator| match evaluator {
            AnyEvaluator::Graph(graph) => Some((graph.is_empty(), graph.size())),
            _ => None,
        });
    let (mut empty, mut size, mut whole) = (0.0, [0.0; 2], 0.0_f64);
    for (is_empty, (nodes, edges)) in graphs {
        empty += f64::from(u8::from(is_empty));
        // The output is among the nodes, and is not hidden.
        size[0] += nodes.saturating_sub(1) as f64;
        size[1] += edges as f64;
        whole += 1.0;
    }
    let count = members.len().max(1) as f64;
    let large = too_large.iter().filter(|it| **it).count() as f64;
    let report = breeder.species();
    let species = report.iter().flat_map(|it| &it.species);
    Some(Networks {
        distance: report.as_ref().map_or(0.0, |it| it.mean_distance),
        empty: Some(empty / count),
        too_large: Some(large / count),
        size: Some(size.map(|sum| sum / whole.max(1.0))),
        species: species.map(|it| line(it, reported)).collect(),
        extinctions: report.as_ref().map(|it| it.extinctions),
    })
}

fn line(species: &SpeciesState, (reported, smaller_is_better): (&[f64], bool)) -> SpeciesLine {
    let scores = species.members.iter();
    let scores = scores.filter_map(|&member| reported.get(member as usize).copied());
    // An error counts downwards.
    let better = if smaller_is_better {
        f64::min
    } else {
        f64::max
    };
    let best = scores.reduce(better).unwrap_or(0.0);
    SpeciesLine {
        id: species.id,
        size: species.members.len() as u32,
        age: species.age,
        best,
    }
}

/// The mean length of the difference of two members' weights.
fn mean_distance(members: &[MemberWeights]) -> f64 {
    let mut sum = 0.0;
    let mut pairs = 0.0_f64;
    for (at, one) in members.iter().enumerate() {
        for other in &members[..at] {
            let squares = one.iter().zip(&**other).map(|(a, b)| {
                let difference = f64::from(a - b) / f64::from(ONE);
                difference * difference
            });
            sum += squares.sum::<f64>().sqrt();
            pairs += 1.0;
        }
    }
    if pairs > 0.0 { sum / pairs } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_distance_is_that_of_all_pairs() {
        let member = |x: i32, y: i32| MemberWeights::from(vec![x * ONE, y * ONE]);
        let members = [member(0, 0), member(3, 4), member(0, 0)];
        assert!((mean_distance(&members) - 10.0 / 3.0).abs() < 1e-12);
        assert!(mean_distance(&members[..1]).abs() < 1e-12);
    }
}
