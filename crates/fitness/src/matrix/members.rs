//! A population's weights, laid out for the kernels.

use super::rows::{Rows, RowsError};
use super::{Division, LANES, Lanes, packed};

/// Members that a dense kernel judges at once: with two registers of positions
/// they need eight registers of sums.
pub(super) const FEW: usize = 4;

/// A population's weights by slot.
#[derive(Debug)]
pub(super) struct Members {
    weights: Vec<i32>,
    slots: usize,
    count: usize,
    /// How each member's numerators may be divided; `None` where they may not
    /// fit the kernels at all.
    divisions: Vec<Option<Division>>,
    is_dense: bool,
    few: Vec<[i32; FEW]>,
    many: Vec<Lanes<i32>>,
}

/// The weights of a group of members, for each pair of slots side by side.
#[derive(Clone, Copy, Debug)]
pub(super) enum Packed<'a> {
    /// For the dense kernels.
    Few(&'a [[i32; FEW]]),
    /// For the sparse kernels.
    Many(&'a [Lanes<i32>]),
}

impl Members {
    /// Puts each weight into its slot.
    pub(super) fn new(
        rows: &Rows,
        members: &[impl AsRef<[i32]>],
        dense: bool,
    ) -> Result<Self, RowsError> {
        let slots = 2 * rows.pairs();
        let mut weights = vec![0; slots * members.len()];
        for (member, given) in members.iter().map(AsRef::as_ref).enumerate() {
            if given.len() != rows.weights() {
                return Err(RowsError::Length {
                    member,
                    found: given.len(),
                    needed: rows.weights(),
                });
            }
            let own = &mut weights[slots * member..slots * (member + 1)];
            for (&slot, &weight) in rows.slots().iter().zip(given) {
                own[slot] = weight;
            }
        }
        let mut members = Self {
            weights,
            slots,
            count: members.len(),
            divisions: Vec::with_capacity(members.len()),
            is_dense: dense,
            few: Vec::new(),
            many: Vec::new(),
        };
        for member in 0..members.count {
            let division = division(rows, members.of(member));
            members.divisions.push(division);
        }
        if dense {
            members.few = members.side_by_side();
        } else {
            members.many = members.side_by_side().into_iter().map(Lanes).collect();
        }
        Ok(members)
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// One member's weights by slot.
    pub(super) fn of(&self, member: usize) -> &[i32] {
        &self.weights[self.slots * member..self.slots * (member + 1)]
    }

    /// How the kernels divide for this member, if they may judge it.
    #[cfg(test)]
    pub(super) fn judged_by_kernels(&self, member: usize) -> Option<Division> {
        self.divisions[member]
    }

    /// Whether the kernels may judge this member.
    pub(super) fn fits(&self, member: usize) -> bool {
        self.divisions[member].is_some()
    }

    pub(super) fn group(&self) -> usize {
        if self.is_dense { FEW } else { LANES }
    }

    /// The way of dividing that is right for the group that begins with `first`.
    pub(super) fn division(&self, first: usize) -> Division {
        let end = (first + self.group()).min(self.count);
        let divisions = self.divisions[first..end].iter();
        divisions.flatten().max().copied().unwrap_or(Division::None)
    }

    /// The weights of the group that begins with `first`.
    pub(super) fn packed(&self, first: usize) -> Packed<'_> {
        let pairs = self.slots / 2;
        let begin = first / self.group() * pairs;
        if self.is_dense {
            Packed::Few(&self.few[begin..begin + pairs])
        } else {
            Packed::Many(&self.many[begin..begin + pairs])
        }
    }

    /// The weights of each group of `N` members, for each pair of slots side by
    /// side; zeros for a member that does not fit or is not there.
    fn side_by_side<const N: usize>(&self) -> Vec<[i32; N]> {
        let pairs = self.slots / 2;
        let mut groups = vec![[0; N]; self.count.div_ceil(N) * pairs];
        for member in (0..self.count).filter(|&member| self.fits(member)) {
            let own = &mut groups[member / N * pairs..];
            for (lanes, pair) in own.iter_mut().zip(self.of(member).chunks_exact(2)) {
                lanes[member % N] = packed([pair[0] as i16, pair[1] as i16]);
            }
        }
        groups
    }
}

fn division(rows: &Rows, weights: &[i32]) -> Option<Division> {
    // Without its sign, for the most negative number of 16 bits is left out, too:
    // two products of it do not fit 32.
    let is_short = |weight: &i32| i16::try_from(weight.unsigned_abs()).is_ok();
    if !weights.iter().all(is_short) {
        return None;
    }
    match rows.bound(weights) {
        bound if bound > i64::from(i32::MAX) => None,
        _ if rows.is_whole() => Some(Division::None),
        bound if bound < 1 << 24 => Some(Division::Single),
        _ => Some(Division::Double),
    }
}
