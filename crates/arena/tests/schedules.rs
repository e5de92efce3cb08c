//! Schedules: every pairing is played, evenly.

use std::collections::BTreeMap;

use mendel_arena::{Fixture, Format, MatchError, Schedule};
use proptest::prelude::*;

#[test]
fn a_match_plays_each_opening_with_both_colours() {
    let schedule = Schedule::new(Format::RoundRobin, 2, 4).expect("two can play");
    let games: Vec<_> = (0..schedule.len())
        .filter_map(|game| schedule.fixture(game))
        .map(|fixture| (fixture.white, fixture.black, fixture.opening, fixture.pair))
        .collect();
    assert_eq!(
        games,
        [(0, 1, 0, 0), (1, 0, 0, 0), (0, 1, 1, 1), (1, 0, 1, 1)]
    );
}

#[test]
fn a_gauntlet_is_the_first_against_all_others() {
    let schedule = Schedule::new(Format::Gauntlet, 4, 2).expect("four can play");
    assert_eq!(schedule.pairings(), [(0, 1), (0, 2), (0, 3)]);
    assert_eq!(schedule.len(), 6);
}

#[test]
fn on_a_ladder_each_meets_the_next_two() {
    let schedule = Schedule::new(Format::Ladder, 4, 2).expect("four can play");
    assert_eq!(
        schedule.pairings(),
        [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
    );
    assert_eq!(schedule.len(), 10);
}

#[test]
fn in_a_round_robin_of_four_nobody_plays_twice_in_a_turn() {
    let schedule = Schedule::new(Format::RoundRobin, 4, 2).expect("four can play");
    assert_eq!(
        schedule.pairings(),
        [(0, 3), (1, 2), (0, 1), (2, 3), (0, 2), (1, 3)]
    );
}

#[test]
fn an_impossible_schedule_is_refused() {
    for players in [0, 1] {
        let error = Schedule::new(Format::RoundRobin, players, 2).expect_err("too few");
        let is_refused =
            matches!(error, MatchError::TooFewPlayers { players: few } if few == players);
        assert!(is_refused, "{error}");
    }
    assert!(Schedule::new(Format::RoundRobin, 2, u64::MAX).is_err());
    assert!(Schedule::new(Format::RoundRobin, usize::MAX, 1).is_err());
    let nothing = Schedule::new(Format::RoundRobin, 2, 0).expect("two can play");
    assert!(nothing.is_empty());
    assert_eq!(nothing.fixture(0), None);
}

proptest! {
    #[test]
    fn all_pairings_progress_together(
        players in 2_usize..12,
        games in 0_u64..9,
        gauntlet: bool,
    ) {
        let format = if gauntlet { Format::Gauntlet } else { Format::RoundRobin };
        let schedule = Schedule::new(format, players, games).expect("enough players");
        let meetings = if gauntlet { players - 1 } else { players * (players - 1) / 2 };
        prop_assert_eq!(schedule.pairings().len(), meetings);
        prop_assert_eq!(schedule.len(), meetings as u64 * games.next_multiple_of(2));

        // By pairing: games so far. Never more than a pair apart.
        let mut counts: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        let mut whites = vec![0_i64; players];
        for index in 0..schedule.len() {
            let fixture = schedule.fixture(index).expect("a game of the schedule");
            let Fixture { game, pair, white, black, opening } = fixture;
            prop_assert_eq!(game, index);
            prop_assert_eq!(pair, game / 2);
            prop_assert!(white != black && white < players && black < players);
            prop_assert!(!gauntlet || white == 0 || black == 0);
            let count = counts.entry((white.min(black), white.max(black))).or_default();
            prop_assert_eq!(opening, *count / 2, "each pairing takes the openings in order");
            *count += 1;
            whites[white] += 1;
            whites[black] -= 1;
            if game % 2 == 1 {
                let first = schedule.fixture(game - 1).expect("it came before");
                prop_assert_eq!((first.white, first.black), (black, white));
                prop_assert_eq!(first.opening, opening);
            }
            let behind = if counts.len() < meetings { 0 } else { *counts.values().min().unwrap() };
            prop_assert!(counts.values().max().unwrap() - behind <= 2);
        }
        prop_assert!(whites.iter().all(|&balance| balance == 0));
        prop_assert_eq!(schedule.fixture(schedule.len()), None);
    }
}
