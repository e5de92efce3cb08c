//! How far two networks are apart.

use serde::{Deserialize, Serialize};

use crate::genome::{NetGenome, Shape};
use crate::settings::{SettingsError, within};

/// How far two networks are apart. Genes are the same if their innovation numbers
/// are, whatever they link.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Distance {
    /// `excess` · E/N + `disjoint` · D/N + `weight` · W. E and D are the genes that
    /// only one has, beyond the last of the other or before it; N is the number of
    /// genes of the larger one, or 1 if both have fewer than `small`; W is the mean
    /// difference of the weights of the genes that both have.
    ///
    /// # Source
    ///
    /// Stanley and Miikkulainen, *Evolutionary Computation* 10(2), 2002, p. 110,
    /// equation 1.
    ///
    /// # Where this differs
    ///
    /// Nowhere. Genes are links, as there.
    Genes {
        /// What a gene beyond the last of the other counts.
        excess: f64,
        /// What any other gene counts that the other lacks.
        disjoint: f64,
        /// What the mean difference of weights counts.
        weight: f64,
        /// With fewer genes the counts are not divided.
        #[serde(default)]
        small: usize,
    },
    /// The same for links and for nodes without the inputs, added up. Each: what only
    /// one has, times `disjoint`, and the differences of what both have, times
    /// `weight`, together divided by the number of the larger one. Different numbers
    /// differ by their difference, different switches and functions by 1.
    ///
    /// # Source
    ///
    /// The library neat-python, version 0.92.
    ///
    /// # Where this differs
    ///
    /// Links are matched by innovation number, there by their ends; with
    /// [`Innovations::Links`](super::Innovations::Links) that is the same.
    NodesAndLinks {
        /// What a link or node counts that the other lacks.
        disjoint: f64,
        /// What differences count.
        weight: f64,
    },
}

impl Distance {
    /// Whether the numbers make sense.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Range`].
    pub fn check(&self) -> Result<(), SettingsError> {
        let numbers = match *self {
            Self::Genes {
                excess,
                disjoint,
                weight,
                ..
            } => [
                ("distance.genes.excess", excess),
                ("distance.genes.disjoint", disjoint),
                ("distance.genes.weight", weight),
            ],
            Self::NodesAndLinks { disjoint, weight } => [
                ("distance.nodes-and-links.disjoint", disjoint),
                ("distance.nodes-and-links.weight", weight),
                ("", 0.0),
            ],
        };
        let check = |(key, number): (&'static str, f64)| within(key, &number, 0.0..=1e6);
        numbers.into_iter().try_for_each(check)
    }

    pub fn between(&self, shape: &Shape, one: &NetGenome, other: &NetGenome) -> f64 {
        self.below(f64::INFINITY, shape, one, other)
    }

    /// The distance of two networks if it is below a limit; otherwise something that
    /// is not, as soon as that is known.
    pub(super) fn below(
        &self,
        limit: f64,
        shape: &Shape,
        one: &NetGenome,
        other: &NetGenome,
    ) -> f64 {
        match *self {
            Self::Genes {
                excess,
                disjoint,
                weight,
                small,
            } => {
                let found = merge(
                    (&one.links, &other.links),
                    |link| link.innovation,
                    |one, other| (one.weight - other.weight).abs(),
                    |_| false,
                );
                let most = one.links.len().max(other.links.len());
                let genes = if most < small { 1 } else { most.max(1) };
                let mean = found.difference / found.matching.max(1) as f64;
                (excess * found.excess + disjoint * found.disjoint) / genes as f64 + weight * mean
            }
            Self::NodesAndLinks { disjoint, weight } => {
                let inputs = shape.inputs as usize;
                let rest = |net: &'_ NetGenome| inputs.min(net.nodes.len());
                let nodes = (&one.nodes[rest(one)..], &other.nodes[rest(other)..]);
                let links = (one.links.as_slice(), other.links.as_slice());
                let sum = |found: &Found| {
                    let lacking = found.excess + found.disjoint;
                    disjoint * lacking + weight * found.difference
                };
                let most = links.0.len().max(links.1.len()).max(1) as f64;
                // A little more than the limit, for roundings.
                let limit = limit * (1.0 + 1e-9);
                let enough = limit * most;
                // The larger one has at least as many that the other lacks.
                if disjoint * links.0.len().abs_diff(links.1.len()) as f64 > enough {
                    return f64::INFINITY;
                }
                let found = merge(
                    links,
                    |link| link.innovation,
                    |one, other| {
                        (one.weight - other.weight).abs()
                            + f64::from(u8::from(one.enabled != other.enabled))
                    },
                    |found| sum(found) > enough,
                );
                if sum(&found) > enough {
                    return f64::INFINITY;
                }
                let of_links = sum(&found) / most;
                let most = nodes.0.len().max(nodes.1.len()).max(1) as f64;
                let found = merge(
                    nodes,
                    |node| node.id,
                    |one, other| {
                        (one.bias - other.bias).abs()
                            + (one.response - other.response).abs()
                            + f64::from(u8::from(one.function != other.function))
                    },
                    |_| false,
                );
                of_links + sum(&found) / most
            }
        }
    }

    /// The mean distance of all pairs; 0 for fewer than two.
    pub fn mean(&self, shape: &Shape, nets: &[&NetGenome]) -> f64 {
        let pairs = nets.len() * nets.len().saturating_sub(1) / 2;
        let from = |(at, one): (usize, &&NetGenome)| {
            let others = nets[at + 1..].iter();
            others
                .map(|other| self.between(shape, one, other))
                .sum::<f64>()
        };
        nets.iter().enumerate().map(from).sum::<f64>() / pairs.max(1) as f64
    }
}

#[derive(Default)]
struct Found {
    matching: usize,
    disjoint: f64,
    excess: f64,
    difference: f64,
}

/// Walks along two sorted lists, until it is enough.
#[inline]
fn merge<T>(
    (one, other): (&[T], &[T]),
    key: impl Fn(&T) -> u32,
    difference: impl Fn(&T, &T) -> f64,
    enough: impl Fn(&Found) -> bool,
) -> Found {
    let mut found = Found::default();

    // 1. Relatives begin alike.
    for (a, b) in one.iter().zip(other) {
        if key(a) != key(b) {
            break;
        }
        found.matching += 1;
        found.difference += difference(a, b);
        if enough(&found) {
            return found;
        }
    }

    // 2. Whether the next genes match nobody can foresee, least of all a processor:
    //    the only branch is the one that ends the walk.
    let (mut i, mut j) = (found.matching, found.matching);
    while i < one.len() && j < other.len() {
        let (a, b) = (&one[i], &other[j]);
        let (left, right) = (key(a), key(b));
        let same = left == right;
        found.matching += usize::from(same);
        found.disjoint += f64::from(u8::from(!same));
        found.difference += if same { difference(a, b) } else { 0.0 };
        i += usize::from(left <= right);
        j += usize::from(left >= right);
        if enough(&found) {
            return found;
        }
    }
    found.excess = (one.len() - i + (other.len() - j)) as f64;
    found
}
