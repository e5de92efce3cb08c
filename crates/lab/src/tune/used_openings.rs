//! Which opening a pair of games is played from.

use std::collections::{HashMap, HashSet};

/// The openings from which each two settings have played. At a fixed depth or number of nodes the same two play
/// the same games from the same opening again: to count those once more would be to take
/// one measurement for two.
#[derive(Debug)]
pub struct UsedOpenings {
    openings: u64,
    repeats: bool,
    met: HashMap<[Vec<i64>; 2], HashSet<u64>>,
    /// Pairs for which there was no opening left.
    spared: u64,
}

impl UsedOpenings {
    pub fn new(openings: usize, repeats: bool) -> Self {
        Self {
            openings: openings as u64,
            repeats,
            met: HashMap::new(),
            spared: 0,
        }
    }

    /// The opening of the pair with this number among all: the next in turn from which
    /// these two have not met. None if their games would be the same as before, or the
    /// two are one.
    pub fn opening(&mut self, first: &[i64], second: &[i64], number: u64) -> Option<usize> {
        let turn = |later: u64| (number + later) % self.openings;
        if !self.repeats {
            return Some(turn(0) as usize);
        }
        let mut found = None;
        if first != second {
            // Both have both colours, so that it does not matter who is named first.
            let mut two = [first.to_vec(), second.to_vec()];
            two.sort_unstable();
            let met = self.met.entry(two).or_default();
            found = (0..self.openings).map(turn).find(|it| met.insert(*it));
        }
        self.spared += u64::from(found.is_none());
        found.map(|it| it as usize)
    }

    /// Games that were not played because they are known.
    pub fn spared_games(&self) -> u64 {
        2 * self.spared
    }
}
