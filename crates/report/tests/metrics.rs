//! Values of the metrics that recipes refer to.

use mendel_lab::recipe::MetricRef;
use mendel_lab::record::{Output, Pairing, Pipeline, Played, Standing, Step};
use mendel_report::metrics::{MetricValue, resolve};

/// The value of a metric of this match.
fn find(played: &Played, metric: &str) -> MetricValue {
    let step = Step {
        number: 1,
        name: "x".to_owned(),
        round: None,
        kind: "match".to_owned(),
        folder: String::new(),
        result: Some(Output::Match(played.clone())),
    };
    let state = Pipeline {
        steps: vec![step],
        ..Pipeline::default()
    };
    let metric = MetricRef::parse(&format!("x: {metric}"), &["x"]).expect("a metric");
    resolve(&metric, &state, &|_| None)
}

#[test]
fn wins_per_loss_are_those_of_all_opponents() {
    let pairing = |second: &str, wins, losses| Pairing {
        first: "a".to_owned(),
        second: second.to_owned(),
        wins,
        draws: 2,
        losses,
        elo: None,
        interval: [None, None],
    };
    let standing = |player: &str| Standing {
        player: player.to_owned(),
        games: 0,
        score: None,
        draws: None,
        elo: None,
        error: None,
        accuracy: None,
        paper: None,
    };
    let played = Played {
        players: ["a", "b", "c", "d"].map(str::to_owned).into(),
        pairings: vec![pairing("b", 4, 1), pairing("c", 3, 0), pairing("d", 5, 2)],
        standings: ["a", "b"].map(standing).into(),
        ..Played::default()
    };
    let found = find(&played, "a: wins-per-loss");
    assert!((found.value.expect("games") - 12.5 / 3.5).abs() < 1e-9);
    let [Some(low), Some(high)] = found.interval.expect("three opponents") else {
        panic!("an interval has two ends");
    };
    assert!(
        low < 12.5 / 3.5 && high > 12.5 / 3.5 && low > 0.0,
        "{low} {high}"
    );
    let turned = find(&played, "b: wins-per-loss");
    assert!((turned.value.expect("games") - 1.5 / 4.5).abs() < 1e-9);
    assert_eq!(turned.interval, None);
    let alone = Played {
        standings: vec![standing("a")],
        ..Played::default()
    };
    assert_eq!(find(&alone, "a: wins-per-loss").value, None);
}

#[test]
fn a_pairing_seen_from_the_other_side_is_turned_round() {
    let played = Played {
        players: vec!["a".to_owned(), "b".to_owned()],
        pairings: vec![Pairing {
            first: "a".to_owned(),
            second: "b".to_owned(),
            wins: 3,
            draws: 1,
            losses: 0,
            elo: Some(100.0),
            interval: [Some(20.0), None],
        }],
        ..Played::default()
    };
    assert_eq!(find(&played, "a - b: score").value, Some(87.5));
    assert_eq!(find(&played, "2 - 1: score").value, Some(12.5));
    let turned = find(&played, "b - a: elo");
    assert_eq!(turned.value, Some(-100.0));
    assert_eq!(turned.interval, Some([None, Some(-20.0)]));
}
