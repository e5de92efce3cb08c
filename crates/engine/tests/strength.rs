//! What limited strength promises: the same game, the same move; no more than it
//! may use; weaker where it is asked to be, and never where it is not.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use mendel_board::sample::random_positions;
use mendel_board::{Game, Move, Position};
use mendel_engine::{
    Best, Clock, Control, Engine, Info, Level, Limits, Options, Player, SideClock, Strength,
    StrengthTable,
};
use proptest::prelude::*;

fn engine(strength: Option<Strength>) -> Engine {
    let player = Player::find(Player::DEFAULT).expect("the default player is built in");
    let options = Options {
        hash: 1,
        strength,
        ..Options::default()
    };
    Engine::new(Arc::new(player), options).expect("plain options")
}

fn of(elo: i32) -> Strength {
    let level = StrengthTable::built_in().level(elo);
    Strength { level, seed: 0 }
}

fn weakest() -> Strength {
    of(StrengthTable::built_in().min())
}

fn nodes(nodes: u64) -> Limits {
    Limits {
        nodes: Some(nodes),
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

fn choices(engine: &mut Engine, games: &[Game]) -> Vec<Option<Move>> {
    let best = |game| go(engine, game, &nodes(2_000)).0.best;
    games.iter().map(best).collect()
}

fn games(count: usize) -> Vec<Game> {
    random_positions(5, count)
        .filter(|position| !position.legal_moves().is_empty())
        .map(Game::new)
        .collect()
}

#[test]
fn the_same_game_and_seed_give_the_same_move_whatever_came_before() {
    let games = games(30);
    for elo in [1000, 1700] {
        let mut plain = engine(Some(of(elo)));
        let moves = choices(&mut plain, &games);
        let mut other = engine(None);
        go(&mut other, &games[0], &nodes(2_000));
        let options = Options {
            hash: 8,
            threads: 3,
            multipv: 2,
            strength: Some(of(elo)),
            ..Options::default()
        };
        other.set_options(options).expect("plain options");
        let mut backwards: Vec<Game> = games.clone();
        backwards.reverse();
        let mut again = choices(&mut other, &backwards);
        again.reverse();
        assert_eq!(moves, again, "{elo}");
    }
}

#[test]
fn another_seed_is_another_player_of_the_same_strength() {
    let games = games(30);
    let mut first = engine(Some(weakest()));
    let seeded = Strength {
        seed: 1,
        ..weakest()
    };
    let mut second = engine(Some(seeded));
    let (one, two) = (choices(&mut first, &games), choices(&mut second, &games));
    let differ = one.iter().zip(&two).filter(|(a, b)| a != b).count();
    assert!(differ >= 5, "{differ} of {} moves differ", one.len());
}

#[test]
fn a_weak_player_often_plays_something_else_than_the_best_and_a_strong_one_seldom() {
    let games = games(40);
    let table = StrengthTable::built_in();
    let mut full = engine(None);
    full.new_game();
    let best = choices(&mut full, &games);
    let differences = |elo: i32| {
        let moves = choices(&mut engine(Some(of(elo))), &games);
        moves.iter().zip(&best).filter(|(a, b)| a != b).count()
    };
    let (weak, strong) = (differences(table.min()), differences(table.max()));
    assert!(weak > strong + 5, "{weak} against {strong}");
}

#[test]
fn lifting_the_limit_leaves_nothing_behind() {
    let game = Game::new(Position::initial());
    let mut fresh = engine(None);
    let mut lifted = engine(Some(weakest()));
    go(&mut lifted, &game, &nodes(10_000));
    let options = Options {
        strength: None,
        ..lifted.options().clone()
    };
    lifted.set_options(options).expect("plain options");
    lifted.new_game();
    let (wanted, found) = (
        go(&mut fresh, &game, &nodes(10_000)).0,
        go(&mut lifted, &game, &nodes(10_000)).0,
    );
    assert_eq!((wanted.best, wanted.nodes), (found.best, found.nodes));
}

#[test]
fn the_smaller_of_both_limits_holds() {
    let strength = of(1500);
    let game = Game::new(Position::initial());
    let mut engine = engine(Some(strength));
    let allowed = strength.level.nodes;
    for (asked, wanted) in [
        (1, 1),
        (17, 17),
        (allowed + 1, allowed),
        (u64::MAX, allowed),
    ] {
        assert_eq!(go(&mut engine, &game, &nodes(asked)).0.nodes, wanted);
    }
    let depth = Limits {
        depth: Some(1),
        ..Limits::default()
    };
    let (_, infos) = go(&mut engine, &game, &depth);
    assert!(infos.iter().all(|info| info.depth == 1));
}

#[test]
fn it_keeps_to_the_clock_where_its_nodes_would_take_longer() {
    let endless = Level {
        nodes: u64::MAX / 2,
        margin: 200,
        noise: 50,
        oversight: 0.1,
    };
    let strength = Strength {
        level: endless,
        seed: 0,
    };
    let mut engine = engine(Some(strength));
    // Most of it is for a machine that stands still for a while.
    let remaining = Duration::from_secs(10);
    let side = SideClock {
        remaining,
        increment: Duration::ZERO,
    };
    let clock = Clock {
        white: side,
        black: side,
        moves_to_go: None,
    };
    let clocked = Limits {
        clock: Some(clock),
        ..Limits::default()
    };
    let timed = Limits {
        movetime: Some(Duration::from_millis(60)),
        ..Limits::default()
    };
    for limits in [clocked, timed] {
        let began = Instant::now();
        let (best, _) = go(&mut engine, &Game::new(Position::initial()), &limits);
        assert!(best.best.is_some());
        assert!(began.elapsed() < remaining);
    }
}

#[test]
fn an_analysis_is_never_weakened() {
    let strength = weakest();
    let game = Game::new(Position::initial());
    let mut engine = engine(Some(strength));
    let infinite = Limits {
        infinite: true,
        ..Limits::default()
    };
    let control = Control::default();
    let stop = control.clone();
    thread::spawn(move || {
        // Only a failure of the test takes this long.
        thread::sleep(Duration::from_mins(2));
        stop.stop();
    });
    let best = engine.go(&game, &infinite, &control, &mut |info| {
        if info.nodes > strength.level.nodes {
            control.stop();
        }
    });
    assert!(best.nodes > strength.level.nodes);
}

#[test]
fn a_pondering_player_waits_and_answers_as_it_would_have() {
    let game = Game::new(Position::initial());
    let mut engine = engine(Some(weakest()));
    let wanted = go(&mut engine, &game, &nodes(u64::MAX)).0.best;
    let limits = Limits {
        ponder: true,
        movetime: Some(Duration::from_secs(20)),
        ..Limits::default()
    };
    let control = Control::default();
    let hit = control.clone();
    let began = Instant::now();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(60));
        hit.ponderhit();
    });
    let best = engine.go(&game, &limits, &control, &mut |_| {});
    assert!(began.elapsed() >= Duration::from_millis(60));
    assert_eq!(best.best, wanted);
}

#[test]
fn a_level_without_oversight_misses_no_mate_in_one() {
    let level = Level {
        nodes: 1000,
        margin: 300,
        noise: 60,
        oversight: 0.0,
    };
    let mates = [
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a1a8"),
        (
            "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
            "h5f7",
        ),
        ("7k/6pp/8/6N1/2Q5/8/6PP/6K1 w - - 0 1", "c4c8"),
        (
            "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2",
            "d8h4",
        ),
    ];
    for seed in 0..8 {
        let mut engine = engine(Some(Strength { level, seed }));
        for (fen, mate) in mates {
            let position = Position::from_fen(fen).expect("a position");
            let best = go(&mut engine, &Game::new(position.clone()), &nodes(u64::MAX)).0;
            let m = best.best.expect("there are moves");
            let after = position.after(m);
            let is_mate = after.is_check() && after.legal_moves().is_empty();
            assert!(is_mate, "{fen}: {} instead of {mate}", position.uci(m));
        }
    }
}

#[test]
fn the_last_report_is_about_the_move_that_is_played() {
    let mut engine = engine(Some(weakest()));
    for game in games(20) {
        let (best, infos) = go(&mut engine, &game, &nodes(u64::MAX));
        let Some(last) = infos.last() else { continue };
        assert_eq!(last.pv.first().copied(), best.best);
        assert_eq!(best.info.as_ref(), Some(last));
    }
}

fn table(levels: &str) -> Result<StrengthTable, String> {
    StrengthTable::parse(&format!("schema = 1\n{levels}"), "the test")
        .map_err(|error| error.to_string())
}

const LOW: &str = "[[level]]\nelo = 800\nnodes = 100\nmargin = 900\nnoise = 200\noversight = 0.5\n";
const HIGH: &str = "[[level]]\nelo = 1600\nnodes = 10000\nmargin = 100\nnoise = 0\noversight = 0\n";

#[test]
fn between_two_rows_everything_is_in_proportion() {
    let table = table(&format!("{LOW}{HIGH}")).expect("a table");
    assert_eq!((table.min(), table.max()), (800, 1600));
    let middle = Level {
        nodes: 1000,
        margin: 500,
        noise: 100,
        oversight: 0.25,
    };
    assert_eq!(table.level(1200), middle);
    assert_eq!(table.level(i32::MIN), table.level(800));
    assert_eq!(table.level(i32::MAX), table.level(1600));
}

#[test]
fn an_invalid_table_is_refused_with_the_reason() {
    let wrong = [
        (String::new(), "`level` is missing"),
        (LOW.to_owned(), "at least two"),
        (format!("{HIGH}{LOW}"), "below the 1600 of the level before"),
        (format!("{LOW}{LOW}"), "must be stronger than the first"),
        (format!("{LOW}{HIGH}elo2 = 1\n"), "has no key `elo2`"),
        (
            format!("{LOW}{}", HIGH.replace("10000", "0")),
            "`nodes`, a whole number from 1",
        ),
        (
            format!("{LOW}{}", HIGH.replace("noise = 0", "noise = -1")),
            "`noise`",
        ),
        (
            format!("{LOW}{}", HIGH.replace("oversight = 0", "oversight = 1.5")),
            "from 0 to 1",
        ),
        (
            format!("{LOW}{}", HIGH.replace("oversight = 0", "oversight = nan")),
            "from 0 to 1",
        ),
        (
            format!("{LOW}{}", HIGH.replace("elo = 1600", "elo = \"x\"")),
            "`elo`",
        ),
        ("level = 3".to_owned(), "`level` is missing"),
        ("level = [3, 4]".to_owned(), "level 1` must be a table"),
        (format!("extra = 1\n{LOW}{HIGH}"), "`extra` is not a key"),
        ("[[level".to_owned(), "is not a table of levels"),
    ];
    for (text, reason) in wrong {
        let error = table(&text).expect_err(&text);
        assert!(error.contains(reason), "{text}\n{error}\n{reason}");
        assert!(error.starts_with("the test"), "{error}");
    }
    let error = StrengthTable::parse(&format!("{LOW}{HIGH}"), "it").expect_err("no schema");
    assert!(error.to_string().contains("schema"));
}

#[test]
fn the_built_in_table_spans_from_a_beginner_to_a_master() {
    let table = StrengthTable::built_in();
    assert!(table.min() <= 900, "{}", table.min());
    assert!(table.max() >= 2300, "{}", table.max());
    assert!(!table.calibration().is_empty(), "it says how it was made");
    let last = table.level(table.max());
    assert_eq!((last.noise, last.oversight), (0, 0.0));
}

proptest! {
    #[test]
    fn a_higher_rating_never_means_a_weaker_level(low in 0..4000_i32, more in 0..500_i32) {
        let table = StrengthTable::built_in();
        let (weak, strong) = (table.level(low), table.level(low + more));
        prop_assert!(weak.nodes <= strong.nodes);
        prop_assert!(weak.noise >= strong.noise);
        prop_assert!(weak.oversight >= strong.oversight);
    }
}
