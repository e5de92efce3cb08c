//! Who meets whom in a generation.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::settings::GameKind;

/// Somebody who plays in a generation: members that are alike are one.
pub(super) type Seat = usize;

/// Meetings and how many pairs each has. Two that meet do so once, whoever is named
/// first, and nobody meets itself: that game is level before it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Meetings(BTreeMap<(Seat, Seat), Meeting>);

/// What two that meet play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Meeting {
    pub(super) pairs: u64,
    /// The only game of a pair that is played, where it is one.
    pub(super) only: Option<usize>,
}

impl Meetings {
    /// Two are to meet for at least so many pairs.
    pub(super) fn add(&mut self, one: Seat, other: Seat, pairs: u64) {
        if one != other && pairs > 0 {
            let most = self.0.entry((one.min(other), one.max(other))).or_default();
            most.pairs = pairs.max(most.pairs);
        }
    }

    /// Two are to meet in one game, the first of them with White.
    pub(super) fn add_single(&mut self, white: Seat, black: Seat) {
        if white != black {
            let single = Meeting {
                pairs: 1,
                only: Some(usize::from(white > black)),
            };
            let place = (white.min(black), white.max(black));
            self.0.entry(place).or_insert(single);
        }
    }

    /// In a fixed order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Seat, Seat, Meeting)> {
        self.0
            .iter()
            .map(|(&(one, other), &meeting)| (one, other, meeting))
    }

    pub(super) fn longest(&self) -> u64 {
        self.0.values().map(|it| it.pairs).max().unwrap_or(0)
    }
}

/// What a member is judged by: opponents, and how many pairs count with each.
pub(super) type Programme = Vec<(Seat, u64)>;

/// For each member its programme in a kind where members meet each other.
///
/// `seats` says where each member sits.
pub(super) fn among_members(
    kind: GameKind,
    seats: &[Seat],
    opponents: usize,
    pairs: u64,
    seed: u64,
) -> Vec<Programme> {
    let count = seats.len();
    let mut programmes = vec![Vec::new(); count];
    let mut meet = |one: usize, other: usize| {
        programmes[one].push((seats[other], pairs));
        programmes[other].push((seats[one], pairs));
    };
    match kind {
        GameKind::RandomMembers if opponents + 1 < count => {
            for (one, other) in around_the_ring(count, opponents, seed) {
                meet(one, other);
            }
        }
        GameKind::RoundRobin | GameKind::RandomMembers => {
            for one in 0..count {
                for other in one + 1..count {
                    meet(one, other);
                }
            }
        }
        GameKind::Duels => {
            for one in (0..count.saturating_sub(1)).step_by(2) {
                meet(one, one + 1);
            }
        }
        GameKind::Gauntlet | GameKind::KingOfTheHill => {}
    }
    programmes
}

/// The meetings of members that sit in a ring, by their places: each meets as many
/// behind it as before it. The first of two sits before the other.
fn around_the_ring(count: usize, opponents: usize, seed: u64) -> Vec<(usize, usize)> {
    let mut ring: Vec<usize> = (0..count).collect();
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    chance.set_stream(RING);
    ring.shuffle(&mut chance);
    let ring = &ring;
    let behind = |place: usize| {
        let distances = 1..=opponents / 2;
        distances.map(move |distance| (ring[place], ring[(place + distance) % count]))
    };
    (0..count).flat_map(behind).collect()
}

/// The single games of members that sit in a ring: White's seat and Black's. Where all
/// meet all, the first of two has White.
pub(super) fn singles(seats: &[Seat], opponents: usize, seed: u64) -> Vec<(Seat, Seat)> {
    let count = seats.len();
    let games: Vec<(usize, usize)> = if opponents + 1 < count {
        around_the_ring(count, opponents, seed)
    } else {
        let with = |one: usize| (one + 1..count).map(move |other| (one, other));
        (0..count).flat_map(with).collect()
    };
    let seated = |(one, other): (usize, usize)| (seats[one], seats[other]);
    games.into_iter().map(seated).collect()
}

/// The stream of a generation's chance that seats the ring.
const RING: u64 = 1 << 40;

/// How many pairs beside `pairs` are this share of both together, and how they fall
/// to the members of a hall.
pub(super) fn hall_pairs(pairs: u64, share: f64, hall: usize) -> Vec<u64> {
    if hall == 0 {
        return Vec::new();
    }
    let beside = libm::round(pairs as f64 * share / (1.0 - share)).max(1.0) as u64;
    let hall = hall as u64;
    let each = |place: u64| beside / hall + u64::from(place < beside % hall);
    (0..hall).map(each).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn degrees(programmes: &[Programme]) -> Vec<usize> {
        programmes.iter().map(Vec::len).collect()
    }

    #[test]
    fn everybody_has_as_many_opponents_as_was_asked_for() {
        let seats: Vec<Seat> = (0..9).collect();
        let all = among_members(GameKind::RoundRobin, &seats, 0, 3, 1);
        assert_eq!(degrees(&all), [8; 9]);
        for opponents in [2, 4, 6] {
            let some = among_members(GameKind::RandomMembers, &seats, opponents, 3, 1);
            assert_eq!(degrees(&some), [opponents; 9], "{opponents}");
            for (member, programme) in some.iter().enumerate() {
                let mut met: Vec<Seat> = programme.iter().map(|it| it.0).collect();
                met.sort_unstable();
                met.dedup();
                assert_eq!(met.len(), opponents, "nobody is met twice");
                assert!(!met.contains(&member));
            }
            let other = among_members(GameKind::RandomMembers, &seats, opponents, 3, 2);
            assert_ne!(some, other, "chance seats the ring");
        }
        let few = among_members(GameKind::RandomMembers, &seats, 20, 3, 1);
        assert_eq!(degrees(&few), [8; 9]);
        let duels = among_members(GameKind::Duels, &seats, 0, 3, 1);
        assert_eq!(degrees(&duels), [1, 1, 1, 1, 1, 1, 1, 1, 0]);
        assert_eq!(duels[2], [(3, 3)]);
        assert!(among_members(GameKind::Duels, &[], 0, 3, 1).is_empty());
    }

    #[test]
    fn two_meet_once_and_nobody_itself() {
        let mut meetings = Meetings::default();
        for (one, other, pairs) in [(2, 1, 5), (1, 2, 3), (1, 1, 9), (0, 2, 0)] {
            meetings.add(one, other, pairs);
        }
        let five = Meeting {
            pairs: 5,
            only: None,
        };
        assert_eq!(meetings.iter().collect::<Vec<_>>(), [(1, 2, five)]);
        assert_eq!(meetings.longest(), 5);
    }

    #[test]
    fn in_a_ring_of_single_games_everybody_has_each_colour_as_often() {
        let seats: Vec<Seat> = (0..16).collect();
        let games = singles(&seats, 6, 7);
        assert_eq!(games.len(), 48);
        for seat in seats {
            let white = games.iter().filter(|it| it.0 == seat).count();
            let black = games.iter().filter(|it| it.1 == seat).count();
            assert_eq!((white, black), (3, 3), "{seat}");
        }
        let mut meetings = Meetings::default();
        for (white, black) in [(3, 1), (1, 2), (2, 2)] {
            meetings.add_single(white, black);
        }
        let only: Vec<_> = meetings.iter().map(|it| (it.0, it.1, it.2.only)).collect();
        assert_eq!(only, [(1, 2, Some(0)), (1, 3, Some(1))]);
    }

    #[test]
    fn the_hall_gets_its_share() {
        assert_eq!(hall_pairs(90, 0.1, 3), [4, 3, 3]);
        assert_eq!(hall_pairs(10, 0.5, 1), [10]);
        assert_eq!(hall_pairs(1, 0.1, 2), [1, 0]);
        assert!(hall_pairs(10, 0.5, 0).is_empty());
    }
}
