//! Records of run folders: what is written, and what is said of it.

use mendel_arena::{EndReason, FirstMoves, PairGame};
use mendel_evolve::{MemberId, Origin};
use mendel_lab::proof::without_wins;
use mendel_lab::record::{
    ExamLine, Genotype, Genotypes, Histogram, Lineage, MatchProof, Nearness, PARENT, Proof, Tally,
    Tested,
};
use mendel_lab::tune::{TuneResult, Validation};
use serde_json::json;

#[test]
fn a_lineage_is_short_on_disk_and_whole_in_memory() {
    let id = |generation, member| MemberId { generation, member };
    let lineage = Lineage {
        generation: 5,
        parents: vec![vec![id(4, 7), id(4, 9)], vec![id(1, 3)], vec![]],
        origins: vec![Origin::Crossover, Origin::HallOfFame, Origin::Random],
    };
    let text = serde_json::to_string(&lineage).expect("plain data");
    assert_eq!(
        text,
        r#"{"generation":5,"origins":"xhr","parents":[[7,9],[[1,3]],[]]}"#
    );
    let again: Lineage = serde_json::from_str(&text).expect("what was written");
    assert_eq!(again, lineage);
    let strange = text.replace("xhr", "x!r");
    let error = serde_json::from_str::<Lineage>(&strange).expect_err("an unknown letter");
    assert!(error.to_string().contains("`!`"), "{error}");
}

#[test]
fn both_kinds_are_told_apart_when_read() {
    let line = Genotypes {
        generation: 3,
        members: vec![
            Genotype::Genes(vec![1, -2]),
            Genotype::Links(vec![(7, 2048), (9, -4096)]),
        ],
    };
    let text = serde_json::to_string(&line).expect("plain data");
    assert_eq!(
        text,
        r#"{"generation":3,"members":[[1,-2],[[7,2048],[9,-4096]]]}"#
    );
    let again: Genotypes = serde_json::from_str(&text).expect("what was written");
    assert_eq!(again, line);
}

/// Values of the closed formula, worked out by hand for two of them.
#[test]
fn an_interval_holds_its_share_and_stays_within_bounds() {
    let interval_of = |right, positions| {
        let tally = Tally {
            positions,
            right,
            ..Tally::default()
        };
        tally.interval()
    };
    let interval = |part, whole| interval_of(part, whole).expect("there are some");
    let [low, high] = interval(0, 10);
    assert!(low.abs() < 1e-9 && (high - 27.753).abs() < 1e-3, "{high}");
    let [low, high] = interval(2341, 10_000);
    assert!((low - 22.59).abs() < 0.01 && (high - 24.25).abs() < 0.01);
    let [low, high] = interval(10, 10);
    assert!(low > 70.0 && (high - 100.0).abs() < 1e-9);
    assert_eq!(interval_of(0, 0), None);
}

fn result(value: &str, gain: f64) -> TuneResult {
    let of = |value: f64| json!({ "value": value, "low": value - 5.0, "high": value + 5.0 });
    let param = json!({
        "name": "Margin", "start": "1", "value": value, "number": 1, "interval": [0.0, 9.0], "gain": of(gain),
        "matters": of(3.0), "at_bound": false, "visible": true,
    });
    serde_json::from_value(json!({
        "id": "x", "engine": "e", "engine_tuned": "e", "options": "", "tuner": "surface", "games": 100,
        "params": [param], "aside": [], "infeasible": [], "gain": of(gain), "left": of(4.0), "curve": [],
        "landscapes": [], "verdict": "",
    }))
    .expect("it is a result")
}

#[test]
fn more_games_are_named_only_where_they_would_tell_and_can_be_had() {
    let mut kept = result("1", 12.0);
    kept.conclude();
    assert!(kept.games_left.is_none() && kept.more("RUN").is_none());
    assert!(kept.verdict.contains("nothing better"), "{}", kept.verdict);
    let mut better = result("4", 12.0);
    better.games_left = Some(150.0);
    better.conclude();
    let more = better.more("RUN").expect("games");
    assert!(more.contains("mendel resume RUN --proof-games"), "{more}");
    better.most_games = Some(100);
    let more = better.more("RUN").expect("games");
    assert!(more.contains("but 100 are the most"), "{more}");
}

#[test]
fn the_start_is_kept_where_nothing_better_was_found_or_proved() {
    let mut unproved = result("4", 12.0);
    unproved.conclude();
    assert!(!unproved.keeps_start, "no proof was played");
    let mut kept = result("1", 12.0);
    kept.conclude();
    assert!(kept.keeps_start);
    for (decision, low, keeps) in [
        ("accepted", 2.0, false),
        ("undecided", -40.0, true),
        ("rejected", -40.0, true),
    ] {
        let mut result = result("4", 12.0);
        result.engine_tuned = "e?Margin=4".to_owned();
        result.options = "Margin=4".to_owned();
        result.proof = serde_json::from_value(json!({
            "opponent": "the start", "role": "parent", "games": 40, "wins": 20, "draws": 5, "losses": 15,
            "elo": 20.0, "interval": [low, 60.0], "conditions": "",
            "sprt": { "elo0": 0.0, "elo1": 15.0, "llr": 1.0, "decision": decision },
        }))
        .expect("it is a proof");
        result.conclude();
        assert_eq!(result.keeps_start, keeps, "{decision}");
        let [engine, options] = if keeps {
            ["e", "Margin=1"]
        } else {
            ["e?Margin=4", "Margin=4"]
        };
        assert_eq!([&result.engine_tuned, &result.options], [engine, options]);
    }
}

#[test]
fn a_validation_without_an_estimate_has_a_sign_by_its_points() {
    let words = |pairs: [u64; 5]| {
        Validation {
            games: 10,
            proposal: vec![1],
            pairs,
            elo: None,
            interval: [None, None],
        }
        .words()
    };
    assert_eq!(words([3, 0, 0, 0, 0]), "−∞ [−∞, +∞] Elo in 6 games");
    assert_eq!(words([0, 0, 0, 0, 3]), "+∞ [−∞, +∞] Elo in 6 games");
    assert_eq!(words([0; 5]), "unknown [−∞, +∞] Elo in 0 games");
}

#[test]
fn a_proof_does_not_rest_on_an_opponent_that_fails() {
    let mut game = MatchProof {
        opponent: "the start".to_owned(),
        role: PARENT.to_owned(),
        games: 40,
        wins: 30,
        draws: 5,
        losses: 5,
        elo: Some(150.0),
        interval: [Some(80.0), Some(220.0)],
        conditions: String::new(),
        conclusion: "stopped by the test".to_owned(),
        faults: [0, 12],
        rests_on_faults: true,
        sprt: Some(Tested {
            elo0: 0.0,
            elo1: 15.0,
            llr: 3.0,
            decision: "accepted".to_owned(),
        }),
    };
    let verdict = |game: &MatchProof| {
        let mut proof = Proof {
            matches: vec![game.clone()],
            ..Proof::default()
        };
        proof.conclude();
        proof.verdict
    };
    let said = verdict(&game);
    assert!(said.starts_with("not proved"), "{said}");
    assert!(said.contains("12 of them lost by the start"), "{said}");
    game.rests_on_faults = false;
    let said = verdict(&game);
    assert!(said.starts_with("proved +150"), "{said}");
}

#[test]
fn nearness_is_that_of_the_books() {
    let pairs: Vec<(f64, f64)> = (0..20)
        .map(|at| (f64::from(at), f64::from(2 * at)))
        .collect();
    let same = Nearness::of("all", &pairs);
    assert!((same.correlation.expect("it varies") - 1.0).abs() < 1e-12);
    assert!((same.error.expect("there are some") - 9.5).abs() < 1e-12);
    // Four points with r = 0.8 by hand: the products of differences add up to 4, the
    // squares to 5 each.
    let four = [(1.0, 1.0), (2.0, 3.0), (3.0, 2.0), (4.0, 4.0)];
    let near = Nearness::of("all", &four);
    assert!((near.correlation.expect("it varies") - 0.8).abs() < 1e-12);
    let [low, high] = near.interval.expect("more than three");
    assert!(low < -0.5 && high > 0.99, "{low} {high}");
    assert_eq!(Nearness::of("all", &[(1.0, 2.0); 5]).correlation, None);
    assert_eq!(Nearness::of("all", &[]).positions, 0);
}

#[test]
fn every_member_is_in_one_bin() {
    for values in [vec![1.0], vec![2.0, 2.0], vec![0.0, 0.1, 5.0, 9.9, 10.0]] {
        let bins = Histogram::of(&values);
        let all: u32 = bins.counts.iter().sum();
        assert_eq!(all as usize, values.len(), "{bins:?}");
    }
    assert!(Histogram::of(&[]).counts.is_empty());
}

#[test]
fn what_a_clock_or_a_fault_decides_is_no_win() {
    let game = |points, reason, first: &str| PairGame {
        points,
        plies: 30,
        reason,
        nodes: 1,
        first: FirstMoves::try_from(first.to_owned()).expect("moves"),
    };
    let mut line = ExamLine {
        generation: 25,
        ..ExamLine::default()
    };
    let played = [
        [
            game(1, EndReason::Time, "e2e4"),
            game(1, EndReason::Crash, ""),
        ],
        [
            game(-1, EndReason::Checkmate, "g1f3 d7d5"),
            game(1, EndReason::Checkmate, "d2d4 g8f6"),
        ],
    ];
    assert_eq!(line.count(&played), 2, "these are told apart");
    assert_eq!((line.losses, line.draws, line.wins), (1, 0, 1));
    assert_eq!(line.lost, [vec![30], vec![]]);
    let opened = line.opened.each_ref().map(|it| it.keys().next());
    assert_eq!(opened, [Some(&"g1f3".to_owned()), Some(&"g8f6".to_owned())]);
}

#[test]
fn wins_by_faults_are_taken_from_the_best_pairs() {
    assert_eq!(without_wins([1, 2, 3, 4, 2], 0), [1, 2, 3, 4, 2]);
    assert_eq!(without_wins([1, 2, 3, 4, 2], 3), [1, 3, 5, 3, 0]);
    assert_eq!(without_wins([0, 0, 1, 0, 0], 9), [1, 0, 0, 0, 0]);
}
