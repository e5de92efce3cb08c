//! Sets from our own games.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mendel_data::label::{Ask, Evaluation, ExpertPlan};
use mendel_data::make::{CreatedDataSet, DataOptions, DataPlan, DataSetCreation};
use mendel_data::{DataSet, Kind, Sample, is_quiet};
use mendel_engine::Player;
use mendel_store::frame::{self, ExperimentEvent, Failure, Host};

use crate::Scratch;

fn options(threads: usize) -> DataOptions {
    DataOptions {
        crew: mendel_crew::Crew::threads(threads),
    }
}

fn tiny(kind: Kind, positions: u64) -> DataPlan {
    DataPlan {
        nodes: 100,
        seed: 7,
        ..DataPlan::usual(kind, positions, "")
    }
}

/// The experiment that makes a file.
fn folder_of(path: &Path) -> PathBuf {
    path.with_extension("experiment")
}

/// A process that sets its stop flag when it hears the given number of progress events.
fn stopped_after(events: u32) -> Host {
    let mut host = Host::default();
    let stop = Arc::clone(&host.stop);
    stop.store(events == 0, Ordering::Relaxed);
    let count = AtomicU32::new(0);
    host.listener = Some(Arc::new(move |_: &Path, event: &ExperimentEvent| {
        if matches!(event, ExperimentEvent::Progress { .. })
            && count.fetch_add(1, Ordering::Relaxed) + 1 >= events
        {
            stop.store(true, Ordering::Relaxed);
        }
    }));
    host
}

fn make(
    plan: &DataPlan,
    path: &Path,
    threads: usize,
    host: &Host,
) -> Result<CreatedDataSet, Failure> {
    let plan = DataPlan {
        out: path.to_owned(),
        ..plan.clone()
    };
    let (seed, options) = (plan.seed, options(threads));
    let folder = folder_of(path);
    frame::start_or_resume::<DataSetCreation>(&folder, plan, seed, "test", &options, host)
}

fn expert(player: &str, ask: Ask) -> ExpertPlan {
    ExpertPlan {
        player: player.into(),
        ask,
        scale: 2.0,
        deadline: ExpertPlan::DEADLINE,
    }
}

const STATIC: Ask = Ask::Static {
    evaluation: Evaluation::Classical,
};

fn made(plan: &DataPlan, path: &Path, threads: usize) -> CreatedDataSet {
    make(plan, path, threads, &Host::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_set_is_the_same_on_one_thread_and_on_two_and_after_stops() {
    let scratch = Scratch::new("same");
    let plan = DataPlan {
        expert: Some(expert("material", STATIC)),
        ..tiny(Kind::Quiet, 150)
    };
    made(&plan, &scratch.at("one.mds"), 1);
    let one = fs::read(scratch.at("one.mds")).expect("it was made");
    made(&plan, &scratch.at("two.mds"), 2);
    let two = fs::read(scratch.at("two.mds")).expect("it was made");
    assert!(one == two, "the number of threads changed the set");

    // Stopped again and again, among games and among labels.
    let path = scratch.at("stopped.mds");
    let mut stops = 0;
    for attempt in 0.. {
        let host = stopped_after(2 + 17 * (attempt % 2));
        match make(&plan, &path, 2, &host) {
            Ok(_) => break,
            Err(Failure::Stopped) => stops += 1,
            Err(error) => panic!("{error}"),
        }
        assert!(!path.exists(), "half a set is no set");
    }
    assert!(stops > 5, "{stops} stops");
    let stopped = fs::read(&path).expect("it was made");
    assert!(one == stopped, "stopping changed the set");
    let folder = folder_of(&path);
    for name in ["games.jsonl", "labels.jsonl"] {
        assert!(!folder.join(name).exists(), "{name} is in the set");
    }
    for name in ["manifest.toml", "plan.toml", "events.jsonl", "result.json"] {
        assert!(folder.join(name).exists(), "{name} stays");
    }
    // A finished one is read.
    let found = made(&plan, &path, 1);
    assert_eq!(found.header.positions, 150);
}

#[test]
fn a_quiet_set_is_quiet_distinct_and_labelled() {
    let scratch = Scratch::new("quiet-set");
    let path = scratch.at("quiet.mds");
    let plan = DataPlan {
        expert: Some(expert("material", STATIC)),
        ..tiny(Kind::Quiet, 100)
    };
    let made = made(&plan, &path, 2);
    assert_eq!((made.header.positions, made.unlabelled), (100, 0));
    assert!((made.header.scale - 2.0).abs() < 1e-12);
    let set = DataSet::read(&path).expect("it was made");
    let judge = Player::find("mendel").expect("it is built in").evaluator;
    let material = Player::find("material").expect("it is built in").evaluator;
    let mut keys = Vec::new();
    for sample in &set.samples {
        assert!(is_quiet(&judge, &sample.position));
        let score = i32::from(sample.score.expect("it is labelled"));
        assert_eq!(score, 2 * material.evaluate(&sample.position).0);
        assert!(sample.result.is_some());
        assert_eq!(sample.best, None);
        keys.push(sample.position.key());
    }
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 100);
}

#[test]
fn positions_of_a_game_are_few_and_apart() {
    let scratch = Scratch::new("apart");
    let path = scratch.at("games.mds");
    let plan = DataPlan {
        // With fewer the search may end before it has a score.
        nodes: 500,
        per_game: 3,
        spacing: 9,
        ..tiny(Kind::Selfplay, 60)
    };
    made(&plan, &path, 1);
    let set = DataSet::read(&path).expect("it was made");
    for pair in set.samples.windows(2) {
        assert!(pair[0].game <= pair[1].game);
        let ply = |index: usize| {
            let position = &pair[index].position;
            2 * position.fullmoves() + u32::from(position.turn().is_black())
        };
        assert!(pair[0].game != pair[1].game || ply(1) >= ply(0) + 9);
    }
    for game in 0..20 {
        let count = set.samples.iter().filter(|it| it.game == game).count();
        assert!(count <= 3, "{count} of game {game}");
    }
    let is_kept = |it: &Sample| it.best.is_some() && it.score.is_some();
    assert!(
        set.samples.iter().all(is_kept),
        "the player's own search is kept"
    );
}

#[test]
fn a_set_of_moves_has_the_move_of_a_search() {
    let scratch = Scratch::new("moves");
    let path = scratch.at("moves.mds");
    let plan = DataPlan {
        expert: Some(expert("mendel", Ask::Nodes { nodes: 300 })),
        ..tiny(Kind::Moves, 40)
    };
    let made = made(&plan, &path, 2);
    let expert = made.header.expert.expect("an expert labelled");
    assert_eq!(
        (expert.name.as_str(), expert.asked.as_str()),
        ("mendel", "search of 300 nodes")
    );
    let set = DataSet::read(&path).expect("it was made");
    assert!(
        set.samples
            .iter()
            .all(|it| it.best.is_some() && it.score.is_some())
    );
    assert!(
        set.samples
            .iter()
            .all(|it| it.position.legal_moves().len() > 1)
    );
}

#[test]
fn another_expert_labels_the_same_positions() {
    let scratch = Scratch::new("from");
    let (first, second) = (scratch.at("first.mds"), scratch.at("second.mds"));
    made(&tiny(Kind::Selfplay, 50), &first, 1);
    let plan = DataPlan {
        from: Some(first.clone()),
        expert: Some(expert("material", STATIC)),
        ..tiny(Kind::Quiet, 30)
    };
    made(&plan, &second, 1);
    let (first, second) = (DataSet::read(first), DataSet::read(second));
    let (first, second) = (first.expect("made"), second.expect("made"));
    assert_eq!(second.samples.len(), 30);
    for (old, new) in first.samples.iter().zip(&second.samples) {
        assert_eq!(
            (&old.position, old.result, old.game),
            (&new.position, new.result, new.game)
        );
    }
    assert!(second.samples.iter().any(|it| it.score != Some(0)));
}

#[test]
fn unfinished_work_is_neither_overwritten_nor_mixed_with_another_plan() {
    let scratch = Scratch::new("mixed");
    let path = scratch.at("set.mds");
    let plan = tiny(Kind::Selfplay, 200);
    let error = make(&plan, &path, 1, &stopped_after(1));
    assert!(matches!(error, Err(Failure::Stopped)), "{error:?}");
    let whole = DataPlan {
        out: path.clone(),
        ..plan.clone()
    };
    let (folder, host) = (folder_of(&path), Host::default());
    let again = frame::start::<DataSetCreation>(&folder, whole, 7, "test", &options(1), &host);
    let invalid =
        |it: &Result<CreatedDataSet, Failure>| matches!(it, Err(Failure::InvalidRequest { .. }));
    assert!(invalid(&again), "{again:?}");
    let other = DataPlan {
        nodes: 101,
        ..plan.clone()
    };
    let error = make(&other, &path, 1, &host);
    assert!(invalid(&error), "{error:?}");
    made(&plan, &path, 1);
    fs::remove_dir_all(&folder).expect("it is ours");
    let error = make(&plan, &path, 1, &host);
    assert!(invalid(&error), "{error:?}");
    let error = error.expect_err("the file is there").to_string();
    assert!(error.contains("exists already"), "{error}");
}

#[test]
fn plans_that_make_no_sense_are_refused_before_anything_is_written() {
    let scratch = Scratch::new("senseless");
    let path = scratch.at("set.mds");
    let selfplay = tiny(Kind::Selfplay, 10);
    let quiet = tiny(Kind::Quiet, 10);
    let table = [
        (
            DataPlan {
                positions: 0,
                ..selfplay.clone()
            },
            "above 0",
        ),
        (
            DataPlan {
                hold_out: 2.0,
                ..selfplay.clone()
            },
            "held out",
        ),
        (
            DataPlan {
                player: "nobody".into(),
                ..selfplay.clone()
            },
            "nobody",
        ),
        (
            DataPlan {
                player: "cmd:cat".into(),
                ..selfplay.clone()
            },
            "another program",
        ),
        (
            DataPlan {
                from: Some("no-such-set".into()),
                ..selfplay
            },
            "no-such-set",
        ),
        (quiet.clone(), "label"),
        (
            DataPlan {
                expert: Some(expert("nobody", STATIC)),
                ..quiet.clone()
            },
            "nobody",
        ),
        (
            DataPlan {
                expert: Some(expert("cmd:/no/such/program", STATIC)),
                ..quiet.clone()
            },
            "/no/such/program",
        ),
        (
            DataPlan {
                expert: Some(expert("material", STATIC)),
                ..tiny(Kind::Moves, 10)
            },
            "best move",
        ),
    ];
    for (plan, reason) in table {
        let error = make(&plan, &path, 1, &Host::default());
        let error = error.expect_err(reason);
        assert!(matches!(error, Failure::InvalidRequest { .. }), "{error:?}");
        let error = error.to_string();
        assert!(error.contains(reason), "{reason}: {error}");
        assert!(!path.exists() && !folder_of(&path).exists(), "{reason}");
    }
}

#[test]
fn games_that_repeat_themselves_come_to_an_end() {
    let scratch = Scratch::new("again");
    let plan = DataPlan {
        nodes: 1,
        random_plies: 0,
        per_game: 1,
        spacing: 400,
        player: "material".into(),
        ..tiny(Kind::Selfplay, 1_000_000)
    };
    // So few games are different that a million positions cannot be found; whether
    // it takes the limit or a stop, it ends.
    let result = make(&plan, &scratch.at("set.mds"), 2, &stopped_after(200));
    let error = result.expect_err("it ends");
    let found = error.to_string();
    assert!(
        error.is_stopped() || found.contains("gave no new position"),
        "{found}"
    );
}

/// Debian puts games where not everybody's PATH leads; the expert is found there.
fn stockfish() -> bool {
    let there = Path::new("/usr/games/stockfish").exists();
    if !there {
        let _ = writeln!(std::io::stderr(), "skipped: stockfish is not installed");
    }
    there
}

#[test]
fn stockfish_labels_with_both_of_its_evaluations() {
    if !stockfish() {
        return;
    }
    let scratch = Scratch::new("stockfish");
    let games = scratch.at("games.mds");
    made(&tiny(Kind::Selfplay, 40), &games, 1);
    let label = |name: &str, evaluation, scale, threads| {
        let path = scratch.at(name);
        let plan = DataPlan {
            from: Some(games.clone()),
            expert: Some(ExpertPlan {
                player: ExpertPlan::STOCKFISH.into(),
                ask: Ask::Static { evaluation },
                scale,
                deadline: ExpertPlan::DEADLINE,
            }),
            ..tiny(Kind::Quiet, 40)
        };
        let made = made(&plan, &path, threads);
        assert_eq!(made.header.positions, 40);
        let set = DataSet::read(path).expect("it was made");
        let scores = set.samples.iter().filter_map(|it| it.score);
        scores.collect::<Vec<i16>>()
    };
    let classical = label("classical.mds", Evaluation::Classical, 2.0, 1);
    assert_eq!(label("again.mds", Evaluation::Classical, 2.0, 2), classical);
    let half = label("half.mds", Evaluation::Classical, 1.0, 2);
    assert!(
        classical
            .iter()
            .zip(&half)
            .all(|(two, one)| *two == 2 * one)
    );
    let neural = label("neural.mds", Evaluation::Nnue, 1.0, 2);
    assert_ne!(neural, half);
    // Both know who is better: the signs of clear scores agree.
    let clear = half
        .iter()
        .zip(&neural)
        .filter(|(a, b)| a.abs() > 200 && b.abs() > 200);
    for (a, b) in clear {
        assert_eq!(a.signum(), b.signum());
    }
}

#[test]
fn an_expert_that_keeps_failing_is_given_up() {
    let scratch = Scratch::new("failing");
    let games = scratch.at("games.mds");
    made(&tiny(Kind::Selfplay, 5), &games, 1);
    // It greets as UCI wants it, and dies at the first question.
    let script = scratch.put(
        "dies.sh",
        "while read line; do case $line in uci) echo uciok;; isready) echo readyok;; go*|eval) exit 3;; esac; done\n",
    );
    for ask in [STATIC, Ask::Depth { depth: 2 }] {
        let text = format!("uci:sh {}", script.display());
        let path = scratch.at("set.mds");
        let _ = fs::remove_dir_all(folder_of(&path));
        let plan = DataPlan {
            from: Some(games.clone()),
            expert: Some(expert(&text, ask)),
            ..tiny(Kind::Quiet, 5)
        };
        let error = make(&plan, &path, 1, &Host::default());
        let error = error.expect_err("it dies").to_string();
        let refused = error.contains("Use NNUE");
        assert!(refused || error.contains("failed 3 times"), "{error}");
        assert!(refused == (ask == STATIC), "{error}");
    }
}
