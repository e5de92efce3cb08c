//! Mates and tactics of our own making, verified by Stockfish: a broken search
//! does not find them within the budget. How they were made stands in
//! `data/README.md`.

use std::sync::Arc;

use mendel_board::Game;
use mendel_board::epd::{self, Epd};
use mendel_engine::{Best, Control, Engine, Limits, Options, Player, Score};

fn records(text: &str) -> Vec<Epd> {
    epd::read(text.as_bytes())
        .map(|record| record.unwrap_or_else(|error| panic!("{error}")).1)
        .collect()
}

/// Searches each record with a fresh memory, and names those that fail.
fn unsolved(records: &[Epd], nodes: u64, solves: impl Fn(&Epd, &Best) -> bool) -> Vec<String> {
    let player = Player::find(Player::DEFAULT).expect("the default player is built in");
    let mut engine = Engine::new(Arc::new(player), Options::default()).expect("plain options");
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    records
        .iter()
        .filter(|record| {
            engine.new_game();
            let game = Game::new(record.position().clone());
            let best = engine.go(&game, &limits, &Control::default(), &mut |_| {});
            !solves(record, &best)
        })
        .map(|record| record.text("id").unwrap_or("?").to_owned())
        .collect()
}

#[test]
fn mates_are_found_within_the_budget() {
    let records = records(include_str!("suites/mates.epd"));
    assert!(records.len() >= 60, "only {} mates", records.len());
    let unsolved = unsolved(&records, 200_000, |record, best| {
        let moves: i32 = record
            .text("dm")
            .expect("a mate has its length")
            .parse()
            .expect("a number");
        matches!(best.info.as_ref().map(|info| info.score), Some(Score::Mate(n)) if n >= 1 && n <= moves + 1)
    });
    assert!(
        unsolved.len() * 20 <= records.len(),
        "not found: {unsolved:?}"
    );
}

#[test]
fn tactics_are_found_within_the_budget() {
    let records = records(include_str!("suites/tactics.epd"));
    assert!(records.len() >= 60, "only {} tactics", records.len());
    let unsolved = unsolved(&records, 60_000, |record, best| {
        let moves = record.moves("bm").expect("a tactic has its move");
        best.best.is_some_and(|m| moves.contains(&m))
    });
    assert!(
        unsolved.len() * 10 <= records.len(),
        "not found: {unsolved:?}"
    );
}
