//! Suites: positions with best moves, solved within nodes.

#![allow(
    clippy::float_cmp,
    reason = "sums of whole numbers and their halves are exact"
)]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mendel_board::sample::random_positions;
use mendel_board::{Game, Move, Position};
use mendel_engine::{Control, Engine, Limits, Options, Player};
use mendel_lab::breed::Breed;
use mendel_lab::data::{DataSet, SUITES};
use mendel_lab::recipe::Recipe;
use mendel_lab::record::{RunOutcome, SweepOutcome};
use mendel_lab::sweep::Sweep;
use mendel_lab::trial::{Suite, SuiteSettings, TrialError};
use mendel_store::frame::Failure;

use crate::experiment::{Request, Work, resume, silent, start};
use crate::made_data::scratch;

/// The back rank, a fork of king and queen, and a win in several ways.
const TINY: &str = r#"# three of our own
6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id "back rank";

4k3/1q6/8/8/4N3/8/8/4K3 w - - bm Nd6+; id "fork";
7k/8/5K2/8/8/8/1Q6/R7 w - - bm Qb8+ Rh1+ Ra8+; id "several";
"#;

fn gerald() -> Arc<Player> {
    Arc::new(Player::find("gerald-eval-tuned").expect("it is built in"))
}

fn settings(nodes: u64) -> SuiteSettings {
    SuiteSettings {
        nodes,
        ..SuiteSettings::default()
    }
}

fn solve(suite: &Suite, threads: usize) -> Vec<Option<u64>> {
    let solved = suite.solve(&[gerald()], threads, &Arc::default());
    solved.expect("nobody stops it").remove(0)
}

/// What the player plays after so many nodes, and nothing known before.
fn played(position: &Position, nodes: u64) -> Option<Move> {
    let options = Options {
        hash: 1,
        ..Options::default()
    };
    let mut engine = Engine::new(gerald(), options).expect("a small table");
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    let game = Game::new(position.clone());
    let best = engine.go(&game, &limits, &Control::default(), &mut |_| {});
    best.best
}

#[test]
fn a_position_is_solved_where_every_longer_search_plays_the_move() {
    const LIMIT: u64 = 1500;
    let positions: Vec<Position> = random_positions(11, 10).collect();
    let moves: Vec<Move> = positions
        .iter()
        .map(|it| played(it, LIMIT).expect("there are moves"))
        .collect();
    let pairs = positions.iter().zip(moves.iter().map(|&m| vec![m]));
    let suite = Suite::new(pairs, settings(LIMIT)).expect("moves are legal");
    let mut late = 0;
    for ((solved, position), &m) in solve(&suite, 2).into_iter().zip(&positions).zip(&moves) {
        let solved = solved.expect("the move of the whole search solves it");
        for nodes in [solved, u64::midpoint(solved, LIMIT), LIMIT] {
            assert_eq!(played(position, nodes), Some(m), "at {nodes} nodes");
        }
        if solved > 100 {
            late += 1;
            assert_ne!(played(position, solved - 1), Some(m), "one node before");
        }
    }
    assert!(late >= 2, "some must be found late to prove anything");
}

#[test]
fn an_unsolved_position_costs_the_limit_and_any_of_several_moves_solves() {
    let position = Position::from_fen("7k/8/5K2/8/8/8/1Q6/R7 w - - 0 1").expect("legal");
    let uci = |text: &str| position.parse_uci(text).expect("a move");
    let suite = |moves: &[&str]| {
        let moves = moves.iter().map(|text| uci(text)).collect();
        Suite::new([(&position, moves)], settings(800)).expect("sound")
    };
    let never = suite(&["b2b6"]);
    assert_eq!(solve(&never, 1), [None]);
    assert_eq!(never.cost(None), 800);
    let best = played(&position, 800).expect("a move");
    let best = position.uci(best);
    let found = solve(&suite(&[&best]), 1)[0].expect("its own move");
    let either = solve(&suite(&["b2b6", &best]), 1)[0].expect("one of both");
    assert!(either <= found);
    assert_eq!(never.cost(Some(found)), found);
}

#[test]
fn no_thread_and_no_neighbour_changes_what_is_solved() {
    let set = DataSet::find("tactics").expect("it ships");
    let puzzles = || {
        let all = set.samples.iter().enumerate().take(20);
        all.filter_map(|(at, it)| Some((&it.position, set.best_moves(at)?)))
    };
    let suite = Suite::new(puzzles(), settings(600)).expect("it ships sound");
    let together = solve(&suite, 1);
    assert_eq!(together, solve(&suite, 3));
    let alone: Vec<Option<u64>> = puzzles()
        .map(|it| solve(&Suite::new([it], settings(600)).expect("sound"), 1)[0])
        .collect();
    assert_eq!(together, alone);
}

#[test]
fn a_suite_that_is_stopped_says_so() {
    let set = DataSet::find("tactics").expect("it ships");
    let puzzle = (&set.samples[0].position, set.best_moves(0).expect("first"));
    let suite = Suite::new([puzzle], settings(1_000_000_000)).expect("sound");
    let stop = Arc::new(AtomicBool::new(true));
    let stopped = suite.solve(&[gerald()], 1, &stop);
    assert!(matches!(stopped, Err(TrialError::Stopped)), "{stopped:?}");
}

#[test]
fn a_suite_is_read_from_epd_and_its_mistakes_are_named() {
    let folder = scratch("suite-epd");
    let path = folder.join("tiny.epd");
    fs::write(&path, TINY).expect("a scratch file");
    let set = DataSet::find(&path.to_string_lossy()).expect("three positions");
    assert_eq!(set.samples.len(), 5, "a position with three moves is three");
    let moves: Vec<usize> = (0..5)
        .filter_map(|at| set.best_moves(at).map(|moves| moves.len()))
        .collect();
    assert_eq!(moves, [1, 1, 3]);

    let table = [
        ("bm Rd8#;", "bm Rd9;", "line 2"),
        ("bm Rd8#;", "dm 1;", "no best move"),
        ("6k1/5ppp", "6k1/5pppp", "line 2"),
    ];
    for (from, to, said) in table {
        fs::write(&path, TINY.replace(from, to)).expect("a scratch file");
        let error = DataSet::find(&path.to_string_lossy()).expect_err(to);
        let error = error.to_string();
        assert!(error.contains(said) && error.contains("EPD"), "{error}");
    }
}

#[test]
fn the_built_in_suite_is_large_distinct_and_neither_easy_nor_hopeless() {
    let set = DataSet::find("tactics").expect("it ships");
    assert!(set.samples.len() >= 200, "{}", set.samples.len());
    assert!(SUITES[0].1.len() < 64 << 10, "small enough to be inside");
    let mut keys: Vec<u64> = set.samples.iter().map(|it| it.position.key()).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), set.samples.len(), "no position twice");
    let some = (0..set.samples.len()).step_by(8);
    let some = some.filter_map(|at| Some((&set.samples[at].position, set.best_moves(at)?)));
    let suite = Suite::new(some, settings(20_000)).expect("moves are legal");
    let solved = solve(&suite, 2).iter().flatten().count() as f64 / suite.len() as f64;
    assert!((0.25..0.75).contains(&solved), "{solved}");
}

const RECIPE: &str = r#"
name = "small suite"
parent = "gerald-eval-tuned"
[genome]
coding = "gray"
chromosome = "gerald-search"
start = "parent"
[breeder]
kind = "ga"
population = 4
selection = "roulette"
crossover = { uniform = { by = "bit" } }
crossover-rate = 0.75
mutation = "bit-flip"
mutation-rate = 0.05
elites = 1
[trial]
kind = "suite"
data = "DATA"
holdout = 0.3
nodes = 300
[stop]
generations = 3
[proof]
games = 2
nodes = 20
"#;

fn recipe(text: &str, folder: &Path) -> Recipe {
    let path = folder.join("tiny.epd");
    fs::write(&path, TINY).expect("a scratch file");
    let text = text.replace("DATA", &path.to_string_lossy());
    Recipe::parse(&text, "test", &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn breed(folder: &Path, name: &str, threads: usize) -> RunOutcome {
    let _ = fs::remove_dir_all(folder.join(name));
    let order = Request {
        recipe: recipe(RECIPE, folder),
        seed: 3,
        data: None,
        folder: folder.join(name),
    };
    start::<Breed>(&order, &Work::threads(threads), silent)
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn search_numbers_are_bred_by_a_suite_alike_on_any_number_of_threads() {
    let folder = scratch("suite-run");
    let outcome = breed(&folder, "one", 1);
    breed(&folder, "three", 3);
    for file in ["generations.jsonl", "champion.toml", "result.json"] {
        let read = |name: &str| fs::read_to_string(folder.join(name).join(file)).expect(file);
        assert_eq!(read("one"), read("three"), "{file}");
    }
    let proof = outcome.proof;
    let training = proof.training.expect("by positions");
    assert!(training.champion <= training.parent, "the parent was there");
    assert!(training.parent > 0.0 && training.parent <= 0.3);
    assert_eq!(training.unit, "thousand nodes a position");
    let champion = folder.join("one").join("champion.toml");
    let champion = Player::find(&champion.to_string_lossy()).expect("a player");
    assert_eq!(
        champion.evaluator,
        gerald().evaluator,
        "only the search is bred"
    );
}

fn run_sweep(request: &Request, threads: usize) -> Result<SweepOutcome, Failure> {
    let work = Work::threads(threads);
    if request.folder.join("manifest.toml").exists() {
        resume::<Sweep>(&request.folder, &work, silent)
    } else {
        start::<Sweep>(request, &work, silent)
    }
}

#[test]
fn a_sweep_over_kinds_of_trials_holds_every_champion_to_one_suite() {
    let folder = scratch("suite-sweep");
    let _ = fs::remove_dir_all(folder.join("grid"));
    let text = RECIPE.replace("\"roulette\"", "\"roulette-shifted\"")
        + r#"
[sweep]
seeds = 2
proof = true
suite = { data = "DATA", holdout = 1.0, nodes = 200 }
[sweep.axes]
trial = [
    { kind = "suite", data = "DATA", nodes = 100 },
    { kind = "gauntlet", players = ["gerald-base"], games = 2, nodes = 20 },
]
"#;
    let order = Request {
        recipe: recipe(&text, &folder),
        seed: 1,
        data: None,
        folder: folder.join("grid"),
    };
    let found = run_sweep(&order, 2).expect("it runs and ends");
    let parent = found.parent.as_ref().expect("measured too");
    assert!(parent.nodes > 0.0 && parent.nodes <= 0.2);
    assert_eq!(found.cells.len(), 2);
    for cell in &found.cells {
        assert_eq!((cell.elos.len(), cell.suite_nodes.len()), (2, 2));
        assert!(
            cell.suite_solved
                .iter()
                .all(|it| (0.0..=100.0).contains(it))
        );
    }
    let again = run_sweep(&order, 1);
    assert_eq!(again.expect("it is there"), found);
}
