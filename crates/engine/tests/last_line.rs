//! The last report of a search is on the move that is played, however the search ended.

use std::sync::Arc;

use mendel_board::sample::random_positions;
use mendel_engine::session::Settings;
use mendel_engine::{Options, Player, Strength, StrengthTable};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::gui::{Gui, settings};

const MATE_IN_TWO: &str = "1k6/8/2K5/8/8/8/8/7R w - - 0 1";
const MATE_IN_THREE: &str = "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1";

/// A position of a random game, or one with a mate to find.
fn position(rng: &mut impl Rng) -> String {
    match rng.random_range(0..10) {
        0 => MATE_IN_TWO.to_owned(),
        1 => MATE_IN_THREE.to_owned(),
        _ => random_positions(rng.random(), 100)
            .find(|it| !it.legal_moves().is_empty())
            .expect("one of a hundred positions has legal moves")
            .fen(),
    }
}

/// The lines of a search up to its `bestmove`; `signals` are sent after that many of them.
fn search(gui: &mut Gui, fen: &str, go: &str, signals: &[(usize, &str)]) -> Vec<String> {
    gui.send(&format!("position fen {fen}"));
    gui.send(go);
    let mut lines: Vec<String> = Vec::new();
    loop {
        for (_, signal) in signals.iter().filter(|(after, _)| *after == lines.len()) {
            gui.send(signal);
        }
        let line = gui.wait_for("*");
        let is_over = line.starts_with("bestmove ");
        lines.push(line);
        if is_over {
            return lines;
        }
    }
}

fn word_after<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let mut words = line.split_whitespace();
    words.find(|word| *word == key)?;
    words.next()
}

/// Checks `count` searches, each begun by what `go` makes of chance.
fn check(
    settings: Settings,
    count: usize,
    go: impl Fn(&mut ChaCha8Rng) -> (String, Vec<(usize, &'static str)>),
) {
    let mut rng = ChaCha8Rng::seed_from_u64(20_261_118);
    let mut gui = Gui::start(settings);
    for number in 0..count {
        let fen = position(&mut rng);
        let (go, signals) = go(&mut rng);
        let lines = search(&mut gui, &fen, &go, &signals);
        let best = word_after(lines.last().expect("a bestmove"), "bestmove");
        let last = lines.iter().rev().find(|line| line.contains(" pv "));
        let first = last.and_then(|line| word_after(line, "pv"));
        assert_eq!(first, best, "search {number}: {fen}: {go}: {lines:#?}");
    }
}

fn with(change: impl FnOnce(&mut Options)) -> Settings {
    let mut settings = settings();
    change(&mut settings.options);
    settings
}

fn nodes(rng: &mut ChaCha8Rng) -> (String, Vec<(usize, &'static str)>) {
    (format!("go nodes {}", rng.random_range(1..4000)), vec![])
}

#[test]
fn the_last_line_is_that_of_the_best_move_after_any_number_of_nodes() {
    check(settings(), 150, nodes);
}

#[test]
fn the_last_line_is_that_of_the_best_move_after_any_move_time() {
    check(settings(), 100, |rng| {
        (format!("go movetime {}", rng.random_range(1..24)), vec![])
    });
}

#[test]
fn the_last_line_is_that_of_the_best_move_with_several_lines() {
    check(with(|options| options.multipv = 3), 100, nodes);
}

#[test]
fn the_last_line_is_that_of_the_best_move_with_several_threads() {
    check(with(|options| options.threads = 3), 50, nodes);
}

#[test]
fn the_last_line_is_that_of_the_best_move_after_stop() {
    check(settings(), 75, |rng| {
        let infos = rng.random_range(0..9);
        ("go infinite".into(), vec![(infos, "stop")])
    });
}

#[test]
fn the_last_line_is_that_of_the_best_move_after_ponderhit() {
    check(settings(), 75, |rng| {
        let infos = rng.random_range(0..6);
        let go = format!("go ponder movetime {}", rng.random_range(11..30));
        (go, vec![(infos, "ponderhit")])
    });
}

#[test]
fn the_last_line_is_that_of_the_best_move_where_strength_is_limited() {
    let level = StrengthTable::built_in().level(1400);
    let limited = Some(Strength { level, seed: 0 });
    check(with(|options| options.strength = limited), 25, nodes);
}

#[test]
fn the_last_line_is_that_of_the_best_move_with_a_policy() {
    for name in ["human", "lambda", "teacher"] {
        let player = Player::find(name).expect("a built-in player");
        let settings = Settings {
            player: Arc::new(player),
            ..settings()
        };
        check(settings, 10, nodes);
    }
}
