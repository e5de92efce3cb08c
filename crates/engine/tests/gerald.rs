//! GERALD's search: its sixteen techniques, its numbers, its players.

use std::sync::Arc;

use mendel_board::{Game, Position};
use mendel_engine::{Control, Engine, Limits, Options, Player, Profile, Score, SearchParams};

/// The switches that GERALD's techniques need; alpha-beta, iterative deepening
/// and MVV-LVA have none, because no search of ours is without them.
const ON: [&str; 11] = [
    "use_quiescence",
    "use_pvs",
    "use_table",
    "use_delta",
    "use_history",
    "use_null_move",
    "use_razoring",
    "use_reverse_futility",
    "use_late_move_reductions",
    "use_late_move_pruning",
    // Not a technique: what its margins mean.
    "use_square_margins",
];

/// Numbers that switch a technique off by their value.
const OFF: [(&str, i32); 11] = [
    ("counter_bonus", 0),
    ("null_score_factor", 0),
    ("null_verify_depth", 200),
    ("internal_reduction_depth", 200),
    ("futility_depth", 0),
    ("history_pruning_depth", 0),
    ("reduction_history", 0),
    ("extension_one_reply", 0),
    ("extension_recapture", 0),
    ("extension_passed_pawn", 0),
    ("extension_mate_threat", 0),
];

/// Figure 3.3.2 of the thesis: base and tuned.
const PUBLISHED: [(&str, i32, i32); 12] = [
    ("aspiration_window", 25, 53),
    ("aspiration_depth", 5, 0),
    ("use_lazy_evaluation", 1, 0),
    ("reverse_futility_margin", 100, 75),
    ("razoring_margin", 150, 167),
    ("delta_margin", 300, 194),
    ("killer_bonus", 100, 841),
    ("reduction_depth", 3, 3),
    ("reduction_count", 3, 5),
    ("late_move_count", 10, 8),
    ("null_reduction", 2, 2),
    ("null_depth_factor", 10, 9),
];

const PLAYERS: [&str; 3] = ["gerald-base", "gerald-eval-tuned", "gerald-tuned"];

fn player(name: &str) -> Player {
    Player::find(name).expect("a built-in player")
}

#[test]
fn only_geralds_techniques_are_switched_on() {
    for name in PLAYERS {
        let params = player(name).params;
        for tunable in SearchParams::TUNABLES {
            let is_published = PUBLISHED.iter().any(|(name, ..)| *name == tunable.name);
            if tunable.name.starts_with("use_") && !is_published {
                let expected = i32::from(ON.contains(&tunable.name));
                assert_eq!(params.get(tunable.name), Some(expected), "{}", tunable.name);
            }
        }
        for (off, value) in OFF {
            assert_eq!(params.get(off), Some(value), "{name}: {off}");
        }
        assert!(params.extension_check > 0, "{name} extends checks");
    }
}

#[test]
fn the_published_search_numbers_are_played() {
    let [base, evaluation, tuned] = PLAYERS.map(|name| player(name).params);
    for (name, before, after) in PUBLISHED {
        assert_eq!(base.get(name), Some(before), "{name}");
        assert_eq!(evaluation.get(name), Some(before), "{name}");
        assert_eq!(tuned.get(name), Some(after), "{name}");
    }
    assert_eq!(base, SearchParams::of(Profile::Gerald));
}

#[test]
fn every_gerald_finds_a_mate_in_two() {
    let position = Position::from_fen("1k6/8/2K5/8/8/8/8/7R w - - 0 1").expect("a position");
    let limits = Limits {
        depth: Some(8),
        ..Limits::default()
    };
    for name in PLAYERS {
        let mut engine =
            Engine::new(Arc::new(player(name)), Options::default()).expect("plain options");
        let game = Game::new(position.clone());
        let best = engine.go(&game, &limits, &Control::default(), &mut |_| {});
        let score = best.info.map(|info| info.score);
        assert_eq!(score, Some(Score::Mate(2)), "{name}");
    }
}
