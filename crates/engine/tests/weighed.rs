//! Players whose network is weighed against a look ahead.

use std::collections::BTreeSet;
use std::sync::Arc;

use mendel_board::Game;
use mendel_engine::{Control, Engine, Limits, Options, Player, Setting};

use crate::policy::{Folder, game, go, quiet, text, with};

const WEIGH: &str = "use = \"weigh\"\nfile = \"pairs.net\"\nlookahead = 3000\n";

/// The queen may be taken for nothing.
const GIFT: &str = "6k1/5ppp/8/3q4/4P3/8/5PPP/6K1 w - - 0 1";

fn weighing(folder: &Folder) -> Player {
    folder.player(&text("full", WEIGH))
}

fn played(player: &Player, game: &Game) -> String {
    let best = go(player, game, &Limits::default()).best;
    game.position().uci(best.expect("there are moves"))
}

/// How many of 60 seeds play `wanted`.
fn takers(player: &Player, game: &Game, wanted: &str) -> usize {
    let plays = |seed: &i64| played(&with(player, "Policy Seed", *seed), game) == wanted;
    (0..60).filter(plays).count()
}

#[test]
fn a_look_ahead_makes_good_moves_likelier_the_more_so_the_higher_the_rating() {
    let folder = Folder::new("weigh-rating");
    let player = weighing(&folder);
    let gift = game(GIFT);
    let low = takers(&with(&player, "Rating", 1000), &gift, "e4d5");
    let high = takers(&with(&player, "Rating", 2600), &gift, "e4d5");
    // With 500 centipawns for each factor of e a queen is worth a factor of seven.
    let blind = with(&with(&player, "Prior", 500), "Temperature", 300);
    let blind = takers(&blind, &gift, "e4d5");
    assert!(blind < low && low <= high, "{blind}, {low}, {high}");
    assert_eq!(high, 60);
}

#[test]
fn without_temperature_it_is_the_search_with_advice() {
    let folder = Folder::new("weigh-best");
    let cold = with(&with(&weighing(&folder), "Temperature", 0), "Prior", 30);
    let prior = "use = \"prior\"\nfile = \"pairs.net\"\nprior = 30\n";
    let prior = folder.player(&text("full", prior));
    for game in quiet() {
        let limits = Limits {
            nodes: Some(3000),
            ..Limits::default()
        };
        let best = go(&prior, &game, &limits).best.expect("moves");
        assert_eq!(played(&cold, &game), game.position().uci(best));
    }
}

#[test]
fn the_same_seed_and_game_give_the_same_move_whatever_was_thought_before() {
    let folder = Folder::new("weigh-seed");
    let player = weighing(&folder);
    let mut drawn = BTreeSet::new();
    for seed in 0..8 {
        let player = with(&player, "Policy Seed", seed);
        let mut engine = Engine::new(Arc::new(player.clone()), Options::default()).expect("plain");
        let mut others = quiet();
        others.rotate_left(seed as usize % 4);
        for game in others {
            let limits = Limits::default();
            let best = engine.go(&game, &limits, &Control::default(), &mut |_| {});
            let m = game.position().uci(best.best.expect("moves"));
            assert_eq!(m, played(&player, &game));
            assert!(best.nodes <= 3000 + 1000, "{}", best.nodes);
            drawn.insert(m);
        }
    }
    assert!(drawn.len() > 6, "chance draws nothing: {drawn:?}");
}

#[test]
fn settings_are_offered_and_an_analysis_is_a_search() {
    let folder = Folder::new("weigh-options");
    let player = weighing(&folder);
    let policy = player.policy.as_ref().expect("a policy");
    let known = [
        Setting::Rating,
        Setting::Temperature,
        Setting::Prior,
        Setting::Lookahead,
        Setting::Seed,
    ];
    assert_eq!(policy.known(), known);
    let mate = game("6k1/5ppp/8/8/8/8/8/KR6 w - - 0 1");
    let limits = Limits {
        mate: Some(1),
        ..Limits::default()
    };
    let best = go(&player, &mate, &limits).best.expect("moves");
    assert_eq!(mate.position().uci(best), "b1b8");
}
