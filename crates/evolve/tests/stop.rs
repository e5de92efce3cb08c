//! Stop rules.

use mendel_evolve::{RunProgress, StopRules, Stopped};

/// Which rule stops a run with these best scores, and after how many
/// generations of ten judgements.
fn stops(rules: StopRules, bests: &[f64]) -> Option<(Stopped, u32)> {
    let mut progress = RunProgress::default();
    bests.iter().find_map(|&best| {
        progress.record(best, 10);
        let stopped = rules.reached(&progress)?;
        Some((stopped, progress.generations))
    })
}

#[test]
fn each_rule_stops_a_run_and_says_so() {
    let bests = [1.0, 3.0, 2.0, 3.0, 3.0, 4.0, 9.0];
    let none = StopRules::default();
    let table = [
        (
            StopRules {
                generations: Some(4),
                ..none
            },
            Some((Stopped::Generations, 4)),
        ),
        (
            StopRules {
                judgements: Some(41),
                ..none
            },
            Some((Stopped::Judgements, 5)),
        ),
        (
            StopRules {
                no_progress: Some(3),
                ..none
            },
            Some((Stopped::NoProgress, 5)),
        ),
        (
            StopRules {
                no_progress: Some(4),
                ..none
            },
            None,
        ),
        (
            StopRules {
                target: Some(4.0),
                ..none
            },
            Some((Stopped::Target, 6)),
        ),
        (none, None),
    ];
    for (rules, expected) in table {
        assert_eq!(stops(rules, &bests), expected, "{rules:?}");
    }
}

#[test]
fn a_king_that_nobody_beats_ends_the_run_and_a_new_one_lets_it_go_on() {
    let rules = StopRules {
        no_new_king: Some(3),
        ..StopRules::default()
    };
    rules.check().expect("a rule that ends a run");
    // In which generations a new king comes, and after how many the run ends.
    let table: [(&[u32], u32); 5] = [
        (&[], 3),
        (&[0], 4),
        (&[2], 6),
        (&[1, 4], 8),
        (&[0, 1, 2], 6),
    ];
    for (crowned, expected) in table {
        let mut progress = RunProgress::default();
        for generation in 0..20 {
            // Scores against different kings say nothing about progress.
            progress.record(f64::from(20 - generation), 1);
            if crowned.contains(&generation) {
                progress.crowned(generation);
            }
            if let Some(stopped) = rules.reached(&progress) {
                assert_eq!(stopped, Stopped::NoNewKing);
                break;
            }
        }
        assert_eq!(progress.generations, expected, "{crowned:?}");
    }
}

#[test]
fn progress_written_before_there_were_kings_is_read() {
    let text = r#"{"generations":4,"judgements":9,"best":null,"best_at":0}"#;
    let progress: RunProgress = serde_json::from_str(text).expect("an older checkpoint");
    assert_eq!((progress.generations, progress.crowned_at), (4, 0));
}

#[test]
fn a_score_that_is_no_number_is_no_progress() {
    let rules = StopRules {
        no_progress: Some(2),
        ..StopRules::default()
    };
    let bests = [f64::NAN, f64::INFINITY];
    assert_eq!(stops(rules, &bests), Some((Stopped::NoProgress, 2)));
}

#[test]
fn rules_that_need_not_end_a_run_are_refused() {
    let only_target = StopRules {
        target: Some(1.0),
        ..StopRules::default()
    };
    assert!(only_target.check().is_err());
    let never = StopRules {
        generations: Some(0),
        ..StopRules::default()
    };
    assert!(never.check().is_err());
    let no_number = StopRules {
        target: Some(f64::NAN),
        generations: Some(1),
        ..StopRules::default()
    };
    assert!(no_number.check().is_err());
}
