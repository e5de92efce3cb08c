//! Clocks: what is left, what is added, and when a player has stalled.

use std::time::Duration;

use mendel_arena::{Clocks, Pace, Patience, TimeForfeit};
use mendel_board::Color::{Black, White};

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn clock(text: &str) -> Pace {
    Pace {
        clock: Some(text.parse().expect(text)),
        ..Pace::default()
    }
}

fn patience() -> Patience {
    Patience {
        margin: millis(10),
        grace: millis(500),
        untimed: millis(7000),
    }
}

#[test]
fn a_clock_loses_what_is_spent_and_gains_the_increment() {
    let mut clocks = Clocks::new(clock("8+0.08"), clock("4+0"), patience());
    clocks.spend(White, millis(1000)).expect("it has time");
    clocks.spend(Black, millis(500)).expect("it has time");
    let now = clocks.now(White).expect("there are clocks");
    assert_eq!(now.white.remaining, millis(7080));
    assert_eq!(now.white.increment, millis(80));
    assert_eq!(now.black.remaining, millis(3500));
    assert_eq!(now.moves_to_go, None);
}

#[test]
fn the_base_comes_again_after_the_moves_of_a_control() {
    let mut clocks = Clocks::new(clock("3/10+1"), clock("2/10+0"), patience());
    let mut seen = Vec::new();
    for _ in 0..7 {
        let now = clocks.now(White).expect("there are clocks");
        seen.push((
            now.white.remaining.as_secs(),
            now.moves_to_go.expect("a control"),
        ));
        clocks.spend(White, millis(2000)).expect("it has time");
    }
    let law = [(10, 3), (9, 2), (8, 1), (17, 3), (16, 2), (15, 1), (24, 3)];
    assert_eq!(seen, law);
    // Each side is told of its own control.
    assert_eq!(clocks.now(Black).and_then(|now| now.moves_to_go), Some(2));
}

#[test]
fn the_margin_is_forgiven_and_not_a_moment_more() {
    let mut clocks = Clocks::new(clock("1+0"), clock("1+0"), patience());
    assert_eq!(clocks.spend(White, millis(1010)), Ok(()));
    assert_eq!(
        clocks.now(White).map(|now| now.white.remaining),
        Some(Duration::ZERO)
    );
    let over = TimeForfeit {
        took: millis(11),
        had: millis(0),
    };
    assert_eq!(clocks.spend(White, millis(11)), Err(over));
    assert_eq!(
        clocks.spend(Black, Duration::MAX).map_err(|over| over.had),
        Err(millis(1000))
    );
}

#[test]
fn a_clock_without_a_base_has_its_increment_for_the_first_move() {
    let mut clocks = Clocks::new(clock("0+1"), clock("0+1"), patience());
    clocks.spend(White, millis(900)).expect("it has a second");
    assert_eq!(
        clocks.now(White).map(|now| now.white.remaining),
        Some(millis(1100))
    );
}

#[test]
fn every_pace_has_a_deadline() {
    let movetime = Some(millis(100));
    let table = [
        (clock("1+5"), 1510),
        (
            Pace {
                movetime,
                ..Pace::default()
            },
            610,
        ),
        (
            Pace {
                movetime,
                ..clock("1+5")
            },
            610,
        ),
        (
            Pace {
                movetime,
                nodes: Some(5),
                ..Pace::default()
            },
            610,
        ),
        (
            Pace {
                nodes: Some(5),
                ..Pace::default()
            },
            7000,
        ),
        (
            Pace {
                depth: Some(5),
                ..Pace::default()
            },
            7000,
        ),
        (Pace::default(), 7000),
    ];
    for (pace, deadline) in table {
        let clocks = Clocks::new(pace, clock("60+0"), patience());
        assert_eq!(clocks.deadline(White), millis(deadline), "{pace}");
    }
    let endless = Patience {
        margin: Duration::MAX,
        grace: Duration::MAX,
        untimed: Duration::MAX,
    };
    assert_eq!(
        Clocks::new(clock("1+0"), clock("1+0"), endless).deadline(White),
        Duration::MAX
    );
}

#[test]
fn without_a_clock_only_the_move_is_timed() {
    let movetime = Pace {
        movetime: Some(millis(100)),
        ..Pace::default()
    };
    let mut clocks = Clocks::new(
        movetime,
        Pace {
            nodes: Some(5),
            ..Pace::default()
        },
        patience(),
    );
    assert_eq!(clocks.now(White), None);
    for _ in 0..50 {
        assert_eq!(clocks.spend(White, millis(110)), Ok(()));
        assert_eq!(clocks.spend(Black, millis(6_000)), Ok(()));
    }
    assert!(clocks.spend(White, millis(111)).is_err());
}

#[test]
fn a_clock_against_none_sees_its_own_time_on_both_sides() {
    let clocks = Clocks::new(clock("9+1"), Pace::default(), patience());
    let now = clocks.now(White).expect("White has a clock");
    assert_eq!(now.black, now.white);
    assert_eq!(clocks.now(Black), None);
}
