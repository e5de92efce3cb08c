//! What a search promises: exact limits, legal lines, the same answer to the
//! same question, and mates and tactics found within a budget.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use mendel_board::sample::random_positions;
use mendel_board::{Game, Position};
use mendel_engine::{
    Best, Control, Engine, Info, Limits, Options, Player, Profile, Score, SearchParams,
};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const MATE_IN_TWO: &str = "1k6/8/2K5/8/8/8/8/7R w - - 0 1";

fn player() -> Player {
    Player::find(Player::DEFAULT).expect("the default player is built in")
}

fn engine_with(player: Player, options: Options) -> Engine {
    Engine::new(Arc::new(player), options).expect("plain options")
}

fn engine() -> Engine {
    engine_with(player(), Options::default())
}

fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).expect("a legal position"))
}

fn nodes(count: u64) -> Limits {
    Limits {
        nodes: Some(count),
        ..Limits::default()
    }
}

fn depth(plies: u32) -> Limits {
    Limits {
        depth: Some(plies),
        ..Limits::default()
    }
}

fn go(engine: &mut Engine, game: &Game, limits: &Limits) -> (Best, Vec<Info>) {
    let mut infos = Vec::new();
    let best = engine.go(game, limits, &Control::default(), &mut |info| {
        infos.push(info.clone());
    });
    (best, infos)
}

#[test]
fn a_node_limit_is_kept_to_the_node() {
    let mut engine = engine();
    for count in [1, 2, 17, 1000, 12_345] {
        engine.new_game();
        let (best, _) = go(&mut engine, &game(KIWIPETE), &nodes(count));
        assert_eq!(best.nodes, count);
        assert!(best.best.is_some());
    }
}

/// A search that is stopped earlier walks the same way, only less far.
#[test]
fn the_changes_of_mind_tell_what_a_shorter_search_would_have_played() {
    let mut engine = engine();
    let mut minds_changed = 0;
    for position in random_positions(7, 12) {
        let game = Game::new(position);
        engine.new_game();
        let (long, _) = go(&mut engine, &game, &nodes(4_000));
        assert_eq!(long.changes.last().map(|it| it.m), long.best);
        let sorted = long.changes.is_sorted_by_key(|it| it.nodes);
        assert!(sorted, "{:?}", long.changes);
        minds_changed += long.changes.len().saturating_sub(1);
        let around = long
            .changes
            .iter()
            .flat_map(|it| [it.nodes.saturating_sub(1), it.nodes]);
        for limit in around.chain([50, 700, 2_500]).filter(|limit| *limit > 0) {
            let last = long.changes.iter().rfind(|it| it.nodes <= limit);
            let Some(expected) = last.map(|it| it.m) else {
                continue;
            };
            engine.new_game();
            let (short, _) = go(&mut engine, &game, &nodes(limit));
            assert_eq!(short.best, Some(expected), "at {limit} nodes");
        }
    }
    assert!(
        minds_changed > 10,
        "the test must see some: {minds_changed}"
    );
}

#[test]
fn the_same_question_gets_the_same_answer() {
    for fen in [KIWIPETE, MATE_IN_TWO] {
        let (first, first_infos) = go(&mut engine(), &game(fen), &nodes(20_000));
        let (second, second_infos) = go(&mut engine(), &game(fen), &nodes(20_000));
        assert_eq!((first.best, first.ponder), (second.best, second.ponder));
        let lines = |infos: Vec<Info>| -> Vec<_> {
            infos
                .into_iter()
                .map(|info| (info.depth, info.score, info.nodes, info.pv))
                .collect()
        };
        assert_eq!(lines(first_infos), lines(second_infos));
    }
}

#[test]
fn a_new_game_forgets_the_old_one() {
    let mut engine = engine();
    let (first, _) = go(&mut engine, &game(KIWIPETE), &depth(8));
    engine.new_game();
    let (second, _) = go(&mut engine, &game(KIWIPETE), &depth(8));
    assert_eq!(first.nodes, second.nodes);
}

#[test]
fn every_reported_line_can_be_played() {
    let mut engine = engine();
    for position in random_positions(3, 60) {
        let start = Game::new(position);
        let (best, infos) = go(&mut engine, &start, &nodes(3000));
        for info in &infos {
            let mut line = start.clone();
            for &m in &info.pv {
                line.play(m).unwrap_or_else(|error| panic!("{error}"));
            }
        }
        let mut line = start.clone();
        for m in best.best.into_iter().chain(best.ponder) {
            line.play(m).unwrap_or_else(|error| panic!("{error}"));
        }
        assert_eq!(
            best.best.is_none(),
            start.position().legal_moves().is_empty()
        );
    }
}

#[test]
fn only_the_moves_asked_for_are_searched() {
    let game = game("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1");
    let king = game.position().parse_uci("e1f2").expect("a legal move");
    let limits = Limits {
        searchmoves: vec![king],
        ..depth(5)
    };
    let (best, infos) = go(&mut engine(), &game, &limits);
    assert_eq!(best.best, Some(king));
    assert!(infos.iter().all(|info| info.pv.first() == Some(&king)));
}

#[test]
fn several_lines_are_distinct_and_in_order() {
    let options = Options {
        multipv: 4,
        ..Options::default()
    };
    let (_, infos) = go(
        &mut engine_with(player(), options),
        &game(KIWIPETE),
        &depth(7),
    );
    let last: Vec<_> = infos.iter().filter(|info| info.depth == 7).collect();
    assert_eq!(
        last.iter().map(|info| info.multipv).collect::<Vec<_>>(),
        [1, 2, 3, 4, 1],
        "the line of the move that is played is repeated at the end"
    );
    let last = &last[..4];
    let worth = |info: &Info| match info.score {
        Score::Centipawns(score) => score,
        Score::Mate(moves) => 100_000 * moves.signum(),
    };
    assert!(last.is_sorted_by(|a, b| worth(a) >= worth(b)));
    let firsts: Vec<_> = last.iter().map(|info| info.pv[0]).collect();
    assert!(
        firsts
            .iter()
            .enumerate()
            .all(|(i, m)| !firsts[..i].contains(m))
    );
}

#[test]
fn finished_games_have_no_move() {
    for fen in [
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
    ] {
        let (best, infos) = go(&mut engine(), &game(fen), &depth(5));
        assert_eq!((best.best, infos.len()), (None, 0));
    }
}

#[test]
fn a_perpetual_check_saves_the_weaker_side() {
    let (best, _) = go(
        &mut engine(),
        &game("5rk1/5ppp/8/8/8/7q/PQ3P2/R1R3K1 b - - 0 1"),
        &depth(10),
    );
    assert_eq!(best.info.map(|info| info.score), Some(Score::Centipawns(0)));
}

#[test]
fn a_win_that_the_fifty_move_rule_forbids_is_a_draw() {
    let fen = |counter: u32| format!("8/8/8/8/8/2k5/8/K6R w - - {counter} 90");
    let score = |counter| {
        let (best, _) = go(&mut engine(), &game(&fen(counter)), &depth(6));
        best.info.map(|info| info.score)
    };
    assert_eq!(score(97), Some(Score::Centipawns(0)));
    assert_ne!(score(0), Some(Score::Centipawns(0)));
}

#[test]
fn a_won_game_is_not_repeated_away() {
    // White, far behind, has shuffled with Black; once more would be a draw.
    let mut game = game("6k1/5pp1/7p/8/8/8/q4PPP/4R1K1 w - - 10 40");
    for uci in ["e1d1", "a2b2", "d1e1", "b2a2", "e1d1", "a2b2", "d1e1"] {
        let m = game.position().parse_uci(uci).expect("a legal move");
        game.play(m).expect("a legal move");
    }
    // Black to move is winning and must not repeat with Qa2.
    let (best, _) = go(&mut engine(), &game, &depth(8));
    let m = best.best.expect("there are moves");
    assert_ne!(
        game.position().uci(m),
        "b2a2",
        "a won game was repeated away"
    );
}

#[test]
fn every_profile_finds_a_mate_in_two() {
    for profile in Profile::ALL {
        let player = Player {
            params: SearchParams::of(profile),
            ..player()
        };
        let (best, _) = go(
            &mut engine_with(player, Options::default()),
            &game(MATE_IN_TWO),
            &nodes(60_000),
        );
        let score = best.info.map(|info| info.score);
        assert_eq!(score, Some(Score::Mate(2)), "{profile}");
    }
}

#[test]
fn the_plain_search_visits_more_nodes_than_the_full_one() {
    let count = |profile| {
        let player = Player {
            params: SearchParams::of(profile),
            ..player()
        };
        go(
            &mut engine_with(player, Options::default()),
            &game(KIWIPETE),
            &depth(4),
        )
        .0
        .nodes
    };
    let [plain, gerald, full] = Profile::ALL.map(count);
    assert!(
        plain > 4 * gerald && plain > 4 * full,
        "{plain} {gerald} {full}"
    );
}

/// Without quiescence a search of one ply takes what is protected, and still sees mate.
#[test]
fn without_quiescence_positions_are_judged_as_they_stand() {
    let best = |fen: &str, quiescence: i64| {
        let mut player = player();
        player.params = SearchParams::of(mendel_engine::Profile::Plain);
        let set = player.params.set("use_quiescence", quiescence);
        set.expect("a switch");
        let mut engine = engine_with(player, Options::default());
        let game = game(fen);
        let (best, _) = go(&mut engine, &game, &depth(1));
        game.position().uci(best.best.expect("there are moves"))
    };
    let guarded = "4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1";
    assert_eq!(best(guarded, 0), "d1d5");
    assert_ne!(best(guarded, 1), "d1d5");
    assert_eq!(best("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", 0), "a1a8");
}

/// Each number at both ends of its range, alone: nothing overflows, every move
/// is legal, and the node limit holds.
#[test]
fn every_search_number_can_be_set_to_both_ends_of_its_range() {
    let games = [KIWIPETE, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"].map(game);
    for tunable in SearchParams::TUNABLES {
        for value in [tunable.low, tunable.high] {
            let mut player = player();
            player
                .params
                .set(tunable.name, i64::from(value))
                .expect("a value of the range");
            let mut engine = engine_with(
                player,
                Options {
                    hash: 1,
                    ..Options::default()
                },
            );
            for game in &games {
                let (best, _) = go(&mut engine, game, &nodes(4000));
                let m = best.best.expect("there are moves");
                assert!(game.position().is_legal(m), "{} = {value}", tunable.name);
                assert_eq!(best.nodes, 4000, "{} = {value}", tunable.name);
            }
        }
    }
}

/// A technique that changes nothing when it is switched off is not there.
#[test]
fn every_switch_changes_the_search() {
    let positions = [
        KIWIPETE,
        "r1bq1rk1/1p2bppp/p1nppn2/8/3NP3/1BN1B3/PPP2PPP/R2Q1RK1 w - - 2 10",
        "8/1p3pp1/7p/5P1P/2k3P1/8/2K2P2/8 w - - 0 1",
    ];
    let count = |player: Player| -> u64 {
        let mut engine = engine_with(
            player,
            Options {
                hash: 4,
                ..Options::default()
            },
        );
        let count = |fen: &&str| go(&mut engine, &game(fen), &depth(10)).0.nodes;
        positions.iter().map(count).sum()
    };
    let usual = count(player());
    // These act only on clocks, with tables at hand, or where mate is near.
    let exempt = ["use_clock_stability", "use_tablebases", "use_mate_distance"];
    for tunable in SearchParams::TUNABLES {
        let switch = tunable.name.starts_with("use_") && !exempt.contains(&tunable.name);
        if switch {
            let mut player = player();
            let value = 1 - player
                .params
                .get(tunable.name)
                .expect("a name of the table");
            player
                .params
                .set(tunable.name, i64::from(value))
                .expect("a switch");
            assert_ne!(count(player), usual, "{} does nothing", tunable.name);
        }
    }
}

#[test]
fn threads_search_together_and_stop_together() {
    let options = Options {
        threads: 3,
        hash: 8,
        ..Options::default()
    };
    let mut engine = engine_with(player(), options);
    let (best, _) = go(&mut engine, &game(MATE_IN_TWO), &nodes(60_000));
    assert_eq!(best.info.map(|info| info.score), Some(Score::Mate(2)));
    let (best, _) = go(&mut engine, &game(KIWIPETE), &nodes(50_000));
    assert!(
        best.nodes >= 50_000 && best.nodes < 100_000,
        "{}",
        best.nodes
    );
}

#[test]
fn an_infinite_search_answers_only_when_stopped() {
    // Mate in one is found at once, and still it waits.
    let game = game("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1");
    let limits = Limits {
        infinite: true,
        depth: Some(2),
        ..Limits::default()
    };
    let control = Control::default();
    let remote = control.clone();
    let start = Instant::now();
    let stopper = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        remote.stop();
    });
    let best = engine().go(&game, &limits, &control, &mut |_| {});
    assert!(start.elapsed() >= Duration::from_millis(200));
    assert!(best.best.is_some());
    stopper.join().expect("the stopper ends");
}

#[test]
fn a_move_time_is_kept() {
    let limits = Limits {
        movetime: Some(Duration::from_millis(150)),
        ..Limits::default()
    };
    let start = Instant::now();
    go(&mut engine(), &game(KIWIPETE), &limits);
    let took = start.elapsed().as_millis();
    // The upper end leaves room for a machine that stands still for a while.
    assert!((100..15_000).contains(&took), "{took} ms");
}

#[test]
fn a_mate_that_was_asked_for_ends_the_search() {
    let limits = Limits {
        mate: Some(2),
        ..Limits::default()
    };
    let (best, _) = go(&mut engine(), &game(MATE_IN_TWO), &limits);
    assert_eq!(best.info.map(|info| info.score), Some(Score::Mate(2)));
}
