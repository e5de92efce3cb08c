//! Which opening a pair of games is played from.

use std::collections::{HashMap, HashSet};

/// The openings from which each two settings have played. At a fixed depth or number of nodes the same two play
/// the same games from the same opening again: to count those once more would be to take
/// one measurement for two.
#[derive(Debug)]
pub(super) struct UsedOpenings {
    openings: u64,
    repeats: bool,
    met: HashMap<[Vec<i64>; 2], HashSet<u64>>,
    /// Pairs for which there was no opening left.
    spared: u64,
}

impl UsedOpenings {
    pub(super) fn new(openings: usize, repeats: bool) -> Self {
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
    pub(super) fn opening(&mut self, first: &[i64], second: &[i64], number: u64) -> Option<usize> {
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
    pub(super) fn spared_games(&self) -> u64 {
        2 * self.spared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_game_is_not_played_twice() {
        let mut used = UsedOpenings::new(3, true);
        let (one, other, third) = ([1, 2], [1, 3], [2, 2]);
        assert_eq!(used.opening(&one, &other, 4), Some(1));
        assert_eq!(used.opening(&other, &one, 4), Some(2), "it is in use");
        assert_eq!(used.opening(&one, &third, 4), Some(1), "others may");
        assert_eq!(used.opening(&one, &other, 0), Some(0));
        assert_eq!(used.opening(&one, &other, 0), None, "all are used up");
        assert_eq!(
            used.opening(&one, &one, 0),
            None,
            "it is as strong as itself"
        );
        assert_eq!(used.spared_games(), 4);
    }

    #[test]
    fn with_a_clock_every_game_is_new() {
        let mut used = UsedOpenings::new(3, false);
        for number in 0..9 {
            let opening = used.opening(&[1], &[1], number);
            assert_eq!(opening, Some(number as usize % 3));
        }
        assert_eq!(used.spared_games(), 0);
    }
}
