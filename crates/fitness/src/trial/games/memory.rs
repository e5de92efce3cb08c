//! What a trial by games remembers from one generation to the next.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::ladder::LadderMemory;
use super::tally::Tallied;
use crate::trial::Incumbent;

/// Incumbent, hall and earlier games.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Memory {
    /// Who is king; the parent if nobody was crowned yet.
    pub(super) king: Option<Incumbent>,
    /// The generation that crowned it.
    pub(super) since: Option<u32>,
    /// Former bests or kings, the latest first.
    pub(super) heroes: Vec<Incumbent>,
    /// Games of two that met before, by what they are recognised by.
    pub(super) met: BTreeMap<String, Met>,
    /// Openings that were not dealt yet.
    #[serde(default)]
    deck: Vec<usize>,
    pub(super) ladder: LadderMemory,
}

/// Games of two that met before.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Met {
    /// The last generation in which they met.
    seen: u32,
    /// As the one with the lower key sees it.
    tallied: Tallied,
}

/// After so many generations without meeting again earlier games are forgotten.
const FORGOTTEN_AFTER: u32 = 50;

impl Memory {
    /// Adds what two made of it now to what is remembered of them; as `one` sees it.
    pub(super) fn recall(
        &mut self,
        (one, other): (&str, &str),
        fresh: Tallied,
        generation: u32,
    ) -> Tallied {
        let turned = one > other;
        let (low, high) = if turned { (other, one) } else { (one, other) };
        let met = self.met.entry(format!("{low} {high}")).or_insert(Met {
            seen: generation,
            tallied: Tallied::default(),
        });
        met.seen = generation;
        met.tallied += if turned { fresh.reversed() } else { fresh };
        if turned {
            met.tallied.reversed()
        } else {
            met.tallied
        }
    }

    /// Deals openings such that nobody meets an opening twice in remembered games: the
    /// same game again is no evidence. When all are used up, earlier games are
    /// forgotten and the cards shuffled.
    pub(super) fn deal(&mut self, openings: usize, count: usize, seed: u64) -> Vec<usize> {
        if self.deck.len() < count {
            self.met.clear();
            self.deck = (0..openings).collect();
            self.deck.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        }
        self.deck.split_off(self.deck.len().saturating_sub(count))
    }

    /// Forgets those who have not met for long.
    pub(super) fn forget(&mut self, generation: u32) {
        self.met
            .retain(|_, met| met.seen.saturating_add(FORGOTTEN_AFTER) >= generation);
    }

    /// Lets somebody into the hall, unless it is in.
    pub(super) fn admit(&mut self, hero: Incumbent, size: usize) {
        if self.heroes.iter().all(|it| it.member != hero.member) {
            self.heroes.insert(0, hero);
            self.heroes.truncate(size);
        }
    }
}

#[cfg(test)]
mod tests {
    use mendel_arena::statistics::Tally;

    use super::*;

    #[test]
    fn earlier_games_are_added_from_whichever_side() {
        let won = Tallied {
            tally: Tally {
                wins: 2,
                draws: 0,
                losses: 0,
            },
            pairs: [0, 0, 0, 0, 1],
        };
        let mut memory = Memory::default();
        assert_eq!(memory.recall(("b", "a"), won, 0), won);
        let both = memory.recall(("a", "b"), won, 3);
        assert_eq!(both.tally.wins, 2);
        assert_eq!(both.tally.losses, 2);
        memory.forget(3 + FORGOTTEN_AFTER);
        assert_eq!(memory.met.len(), 1);
        memory.forget(4 + FORGOTTEN_AFTER);
        assert!(memory.met.is_empty());
    }

    #[test]
    fn no_opening_is_dealt_twice_while_games_are_remembered() {
        let mut memory = Memory::default();
        let mut dealt = memory.deal(10, 4, 1);
        let _ = memory.recall(("a", "b"), Tallied::default(), 0);
        dealt.extend(memory.deal(10, 4, 2));
        assert_eq!(memory.met.len(), 1);
        dealt.sort_unstable();
        dealt.dedup();
        assert_eq!(dealt.len(), 8);
        // Two are left: all are shuffled again, and what was played with them is over.
        assert_eq!(memory.deal(10, 4, 3).len(), 4);
        assert!(memory.met.is_empty());
    }

    #[test]
    fn the_hall_keeps_the_latest_and_nobody_twice() {
        let hero = |value: i32| Incumbent {
            id: None,
            member: vec![value].into(),
        };
        let mut memory = Memory::default();
        for value in [1, 2, 2, 3] {
            memory.admit(hero(value), 2);
        }
        let members: Vec<i32> = memory.heroes.iter().map(|it| it.member[0]).collect();
        assert_eq!(members, [3, 2]);
    }
}
