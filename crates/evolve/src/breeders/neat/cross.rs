//! What a child inherits from two parents.

use std::cmp::Ordering;
use std::hint::select_unpredictable;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::genome::{Link, NetGenome, Node, Shape};

use super::mutate::{chance, coin, drop_orphans};
use super::settings::{Equals, Inherit, Mating};

/// Decides whether a link that both parents have works in the child.
///
/// One that is switched off in either parent is off in the child with this
/// probability; otherwise it is on.
///
/// # Source
///
/// Stanley and Miikkulainen, *Evolutionary Computation* 10(2), 2002, p. 111.
///
/// # Where this differs
///
/// Nowhere. The toss replaces the inherited state; on top of it, it would switch off
/// 87.5 % and not 75 %, as in other programs. A gene that only one parent has is
/// inherited as it is.
fn child_is_enabled(mother: bool, father: bool, disabled: f64, rng: &mut ChaCha8Rng) -> bool {
    (mother && father) || rng.random::<f64>() >= disabled
}

/// A child of two parents, the first of which did as well as the second, or better
/// (`order`), in the memory of a network that nobody needs any more.
pub(super) fn cross(
    mating: &Mating,
    shape: &Shape,
    [one, other]: [&NetGenome; 2],
    order: Ordering,
    child: &mut NetGenome,
    rng: &mut ChaCha8Rng,
) {
    // 1. Who gives the genes that only one of them has.
    let size = |net: &NetGenome| net.links.len() + net.nodes.len();
    let (first, second, both) = match (order, mating.equals) {
        (Ordering::Greater, _) => (one, other, false),
        (Ordering::Less, _) => (other, one, false),
        (_, Equals::Both) => (one, other, true),
        (_, Equals::Smaller) if size(other) < size(one) => (other, one, false),
        // Both were drawn by chance, so that the first is either.
        _ => (one, other, false),
    };
    let average = chance(mating.average, rng);
    let blend = Blend { mating, average };

    // 2. The nodes, then the links, with room for one change. Of equals a coin gives
    //    each link that one of them has.
    child.nodes.clear();
    child.nodes.reserve(first.nodes.len() + 1);
    let fixed = shape.first_hidden();
    for pair in merge(&first.nodes, &second.nodes, |node| node.id) {
        match pair {
            // Inputs are all alike.
            Pair::Both(one, _) if one.id < shape.inputs => child.nodes.push(*one),
            Pair::Both(one, other) => child.nodes.push(blend.node(one, other, rng)),
            Pair::First(one) => child.nodes.push(*one),
            Pair::Second(other) if both || other.id < fixed => child.nodes.push(*other),
            Pair::Second(_) => {}
        }
    }
    child.links.clear();
    child.links.reserve(first.links.len() + 2);
    let mut late = Vec::new();
    for pair in merge(&first.links, &second.links, |link| link.innovation) {
        match pair {
            Pair::Both(one, other) => child.links.push(blend.link(one, other, rng)),
            Pair::First(one) if !both || coin(rng) => child.links.push(*one),
            Pair::Second(other) if both && coin(rng) => late.push(*other),
            Pair::First(_) | Pair::Second(_) => {}
        }
    }
    if !both {
        return;
    }

    // 3. Those of the second only if the child is a network all the same.
    for link in late {
        let known = child.link(link.from, link.to).is_some();
        if !known && (shape.recurrent || !child.would_loop(link.from, link.to)) {
            let place = child
                .links
                .partition_point(|it| it.innovation < link.innovation);
            child.links.insert(place, link);
        }
    }
    drop_orphans(child, shape);
}

struct Blend<'a> {
    mating: &'a Mating,
    average: bool,
}

impl Blend<'_> {
    fn link(&self, one: &Link, other: &Link, rng: &mut ChaCha8Rng) -> Link {
        // Different links of one number cannot be in networks of one run; if they
        // were given, the first counts.
        if (one.from, one.to) != (other.from, other.to) {
            return *one;
        }
        // A coin that a processor need not foresee.
        let mut child = *select_unpredictable(rng.random(), one, other);
        match self.mating.inherit {
            Inherit::Genes => {}
            Inherit::Numbers => {
                child.enabled = pick(one.enabled, other.enabled, rng);
            }
        }
        if self.average {
            child.weight = f64::midpoint(one.weight, other.weight);
        }
        if let Some(disabled) = self.mating.disabled {
            child.enabled = child_is_enabled(one.enabled, other.enabled, disabled, rng);
        }
        child
    }

    fn node(&self, one: &Node, other: &Node, rng: &mut ChaCha8Rng) -> Node {
        match self.mating.inherit {
            Inherit::Genes => pick(*one, *other, rng),
            Inherit::Numbers => Node {
                id: one.id,
                bias: pick(one.bias, other.bias, rng),
                response: pick(one.response, other.response, rng),
                function: pick(one.function, other.function, rng),
            },
        }
    }
}

fn pick<T>(one: T, other: T, rng: &mut ChaCha8Rng) -> T {
    select_unpredictable(coin(rng), one, other)
}

/// What two sorted lists have at a number.
enum Pair<'a, T> {
    Both(&'a T, &'a T),
    First(&'a T),
    Second(&'a T),
}

#[inline]
fn merge<'a, T>(
    one: &'a [T],
    other: &'a [T],
    key: impl Fn(&T) -> u32,
) -> impl Iterator<Item = Pair<'a, T>> {
    let (mut i, mut j) = (0, 0);
    std::iter::from_fn(move || {
        let (pair, first, second) = match (one.get(i), other.get(j)) {
            (Some(a), Some(b)) => match key(a).cmp(&key(b)) {
                Ordering::Less => (Pair::First(a), 1, 0),
                Ordering::Equal => (Pair::Both(a, b), 1, 1),
                Ordering::Greater => (Pair::Second(b), 0, 1),
            },
            (Some(a), None) => (Pair::First(a), 1, 0),
            (None, Some(b)) => (Pair::Second(b), 0, 1),
            (None, None) => return None,
        };
        (i, j) = (i + first, j + second);
        Some(pair)
    })
}
