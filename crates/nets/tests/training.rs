//! Networks that learn, from outside.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use mendel_board::pgn::GameResult;
use mendel_board::{Color, Position};
use mendel_data::shard::{ShardGame, ShardWriter, move_at};
use mendel_evaluator::vision::{File, Net};
use mendel_nets::recipe::Recipe;
use mendel_nets::record::{
    ComputeDevice, EVALUATION, Evaluation, START, TrainedGrid, TrainedNetwork, TrainingOutcome,
    TrainingStart,
};
use mendel_nets::train::{TrainOptions, Training, TrainingPlan};
use mendel_store::RunStatus;
use mendel_store::frame::{self, ExperimentEvent, Failure, Host, status_of};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde::Deserialize as _;
use serde_json::Value;

/// A folder of its own for a test, gone when it is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("mendel-train-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Games of a player that plays the first of all legal moves, or half of the time any.
fn games(path: &Path) {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut bytes = Vec::new();
    let mut writer = ShardWriter::new(&mut bytes).expect("memory takes everything");
    for game in 0..300_u16 {
        let mut position = Position::initial();
        let mut moves = Vec::new();
        for _ in 0..60 {
            let count = position.legal_moves().len();
            if count == 0 {
                break;
            }
            let place = if random.random_bool(0.5) {
                0
            } else {
                random.random_range(0..count) as u8
            };
            position.play(move_at(&position, place).expect("there are that many"));
            moves.push(place);
        }
        let record = ShardGame {
            ratings: [1500 + game, 2600 - game],
            result: GameResult::Draw,
            moves: &moves,
            scores: None,
        };
        writer.push(&record).expect("memory takes everything");
    }
    writer
        .finish("half of the moves are the first", "a test", &[])
        .expect("memory takes everything");
    fs::write(path, bytes).expect("a file for the test");
}

/// Material, a pawn's worth too much for White.
fn scores(path: &Path) {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut lines = vec!["FEN,Evaluation".to_owned()];
    for _ in 0..150 {
        let mut position = Position::initial();
        for _ in 0..60 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play(moves[random.random_range(0..moves.len())]);
            let worth = |color| {
                let board = position.board();
                let men = [
                    (board.pawns(), 100),
                    (board.knights(), 300),
                    (board.bishops(), 300),
                    (board.rooks(), 500),
                    (board.queens(), 900),
                ];
                let own = board.by_color(color);
                men.map(|(men, worth)| (men & own).count() as i32 * worth)
                    .iter()
                    .sum::<i32>()
            };
            let score = worth(Color::White) - worth(Color::Black) + 100;
            lines.push(format!("{},{score:+}", position.fen()));
        }
    }
    fs::write(path, lines.join("\n")).expect("a file for the test");
}

fn recipe(text: &str, set: &[(&str, &str)]) -> Recipe {
    let set: Vec<(String, toml::Value)> = set
        .iter()
        .map(|(key, value)| {
            let table: toml::Table = format!("value = {value}").parse().expect("a TOML value");
            ((*key).to_owned(), table["value"].clone())
        })
        .collect();
    Recipe::find(text, &set).expect("the recipe is fine")
}

const SMALL: [(&str, &str); 9] = [
    ("shape.filters", "16"),
    ("shape.blocks", "1"),
    ("data.min-rating", "0"),
    ("data.min-moves", "0"),
    ("data.split", "{ validation = 0.1, test = 0.1, seed = 1 }"),
    ("training.batch", "32"),
    ("training.evaluate-every", "640"),
    ("training.validation-positions", "500"),
    ("training.test-positions", "2000"),
];

fn plan(recipe: Recipe, data: &Path) -> TrainingPlan {
    TrainingPlan::new(recipe, &[data.to_owned()], ComputeDevice::Cpu, 1)
}

/// A host that is told the records of the experiment and of those inside it.
fn hearing(hear: impl Fn(&Host, &str, &Value) + Send + Sync + 'static) -> Host {
    let host = Host::default();
    let same = host.clone();
    Host {
        listener: Some(Arc::new(move |_, event| {
            if let ExperimentEvent::Record { name, data } = event {
                hear(&same, name, data);
            }
        })),
        ..host
    }
}

fn begin(plan: &TrainingPlan, folder: &Path, host: &Host) -> Result<TrainingOutcome, Failure> {
    let options = TrainOptions::default();
    frame::start::<Training>(folder, plan.clone(), 1, "test", &options, host)
}

fn resume_with(folder: &Path, host: &Host) -> Result<TrainingOutcome, Failure> {
    frame::resume::<Training>(folder, &TrainOptions::default(), host)
}

fn network(outcome: Result<TrainingOutcome, Failure>) -> TrainedNetwork {
    let network = outcome.expect("nothing is wrong").network();
    network.expect("the recipe has no grid")
}

fn train(plan: &TrainingPlan, folder: &Path) -> TrainedNetwork {
    network(begin(plan, folder, &Host::default()))
}

fn resume(folder: &Path) -> TrainedNetwork {
    network(resume_with(folder, &Host::default()))
}

#[test]
fn a_small_network_learns_what_was_played() {
    let folder = Folder::new("learns");
    let data = folder.0.join("a.games");
    games(&data);
    for (name, figure) in [("chessnet", "from"), ("human", "first")] {
        let mut set = SMALL.to_vec();
        set.push(("training.steps", "400"));
        set.push(("training.evaluate-every", "3200"));
        set.push(("data.pick", "\"all\""));
        set.push(("optimiser.rate", "0.003"));
        let out = folder.0.join(name);
        let first = Arc::new(Mutex::new(None));
        let heard = Arc::clone(&first);
        let host = hearing(move |_, name, data| {
            if name == EVALUATION {
                let evaluation = Evaluation::deserialize(data).expect("an evaluation");
                let mut first = heard.lock().expect("no test panics here");
                first.get_or_insert(evaluation.validation_loss);
            }
        });
        let outcome = network(begin(&plan(recipe(name, &set), &data), &out, &host));
        let first = *first.lock().expect("no test panics here");
        // Half of all moves can be known; guessing finds one in thirty.
        let right = outcome.test[figure];
        assert!(right > 0.4, "{name}: {right}");
        assert!(outcome.validation_loss < 0.98 * first.expect("it was asked"));
        let bytes = fs::read(out.join(&outcome.file)).expect("the network");
        let net = Net::from_bytes(&bytes).expect("a network");
        assert_eq!(net.name(), name);
        let file = File::read(&bytes).expect("a network");
        assert_eq!(file.training["test"][figure].as_float(), Some(right));
    }
}

#[test]
fn a_small_network_learns_scores() {
    let folder = Folder::new("scores");
    let data = folder.0.join("a.csv");
    scores(&data);
    for (name, head) in [
        (
            "teacher-net",
            "{ teaching = { channels = 16, hidden = 32 } }",
        ),
        ("chessnet-value", "\"value\""),
        ("value", "\"value\""),
    ] {
        let mut set = SMALL.to_vec();
        set.push(("shape.head", head));
        set.push(("training.epochs", "4"));
        set.push(("training.evaluate-every", "5000"));
        set.push(("optimiser.rate", "0.005"));
        let outcome = train(&plan(recipe(name, &set), &data), &folder.0.join(name));
        // Answering the mean explains nothing.
        let explained = outcome.test["r2"];
        assert!(explained > 0.1, "{name}: {explained}");
    }
}

#[test]
fn a_network_begins_with_what_another_has_learnt() {
    let folder = Folder::new("start");
    let (games_file, data) = (folder.0.join("a.games"), folder.0.join("a.csv"));
    games(&games_file);
    scores(&data);
    let mut set = SMALL.to_vec();
    set.push(("training.steps", "20"));

    // 1. One that names moves, and one that judges, with the same body.
    let first = folder.0.join("human");
    train(&plan(recipe("human", &set), &games_file), &first);
    let taken = Arc::new(AtomicU64::new(0));
    let start_from_first = |name: &str| {
        let mut plan = plan(recipe("value", &set), &data);
        plan.start = Some(first.clone());
        let heard = Arc::clone(&taken);
        let host = hearing(move |_, name, data| {
            if name == START {
                let start = TrainingStart::deserialize(data).expect("a start");
                heard.store(start.taken as u64, Ordering::Relaxed);
            }
        });
        begin(&plan, &folder.0.join(name), &host)
    };
    let outcome = network(start_from_first("value"));
    let taken = taken.load(Ordering::Relaxed) as usize;

    // 2. All but the head is taken over, and the rest is not what it would be without.
    let head = 16 * 64 + 1;
    let norms = 2 * 16; // a gain and a shift where the file has one bias
    assert_eq!(taken, outcome.numbers - head + norms);
    let alone = train(&plan(recipe("value", &set), &data), &folder.0.join("alone"));
    assert!((alone.test_loss - outcome.test_loss).abs() > 0.0);

    // 3. It is resumed without the other one; a folder without a training is refused.
    fs::remove_dir_all(&first).expect("it was ours");
    assert_eq!(resume(&folder.0.join("value")), outcome);
    fs::remove_file(folder.0.join("value/result.json")).expect("it is finished");
    assert_eq!(resume(&folder.0.join("value")), outcome);
    let error = start_from_first("again").expect_err("nothing is there");
    assert!(
        error.to_string().contains("not the folder of a training"),
        "{error}"
    );
    assert!(!folder.0.join("again").exists(), "something was written");
}

/// Files that must be the same, whatever happened on the way.
fn results(folder: &Path) -> Vec<Vec<u8>> {
    ["chessnet.net", "epochs.jsonl", "result.json"]
        .iter()
        .map(|name| fs::read(folder.join(name)).expect("it is there"))
        .collect()
}

#[test]
fn a_training_that_was_killed_goes_on_to_the_bit() {
    let folder = Folder::new("killed");
    let data = folder.0.join("a.games");
    games(&data);
    let mut set = SMALL.to_vec();
    set.push(("training.steps", "70"));
    let plan = plan(recipe("chessnet", &set), &data);

    // 1. Without a break.
    let whole = train(&plan, &folder.0.join("whole"));
    assert_eq!(whole.steps, 70);
    let wanted = results(&folder.0.join("whole"));
    let told = String::from_utf8_lossy(&wanted[1]).lines().count();
    assert_eq!(told, 4, "after 20, 40, 60 and 70 steps");

    // 2. It dies twice, each time between an evaluation and its checkpoint.
    let killed = folder.0.join("killed");
    for death in [2, 3] {
        let asked = Arc::new(AtomicU64::new(0));
        let heard = Arc::clone(&asked);
        let host = hearing(move |_, name, data| {
            if name == EVALUATION {
                heard.fetch_add(1, Ordering::Relaxed);
                let evaluation = Evaluation::deserialize(data).expect("an evaluation");
                assert!(evaluation.step / 20 < death, "killed");
            }
        });
        let died = catch_unwind(AssertUnwindSafe(|| match death {
            2 => begin(&plan, &killed, &host),
            _ => resume_with(&killed, &host),
        }));
        assert!(died.is_err(), "it was to be killed");
        assert!(asked.load(Ordering::Relaxed) > 0);
    }
    resume(&killed);
    assert!(wanted == results(&killed), "another network came of it");

    // 3. It is asked to stop, and a finished one stays as it is.
    let stopped = folder.0.join("stopped");
    let host = hearing(|host, name, _| {
        if name == EVALUATION {
            host.stop.store(true, Ordering::Relaxed);
        }
    });
    let failure = begin(&plan, &stopped, &host).expect_err("a stop was set");
    assert!(failure.is_stopped(), "{failure}");
    assert_eq!(status_of(&stopped), RunStatus::Stopped);
    for _ in 0..2 {
        resume(&stopped);
        assert!(wanted == results(&stopped), "another network came of it");
    }

    // 4. It dies between its last checkpoint and the result.
    fs::remove_file(killed.join("result.json")).expect("it is finished");
    fs::remove_file(killed.join("chessnet.net")).expect("it is finished");
    resume(&killed);
    assert!(wanted == results(&killed), "another network came of it");
}

#[test]
fn other_data_and_folders_in_use_are_refused() {
    let folder = Folder::new("refused");
    let data = folder.0.join("a.games");
    games(&data);
    let mut set = SMALL.to_vec();
    set.push(("training.steps", "4"));
    let plan = plan(recipe("chessnet", &set), &data);
    let out = folder.0.join("out");
    let host = hearing(|host, _, _| host.stop.store(true, Ordering::Relaxed));
    let failure = begin(&plan, &out, &host).expect_err("a stop was set");
    assert!(failure.is_stopped(), "{failure}");
    let again = begin(&plan, &out, &Host::default()).expect_err("it has a training");
    assert!(again.to_string().contains("already"), "{again}");
    let mut bytes = Vec::new();
    let mut writer = ShardWriter::new(&mut bytes).expect("memory takes everything");
    let record = ShardGame {
        ratings: [2000, 2000],
        result: GameResult::Draw,
        moves: &[0; 30],
        scores: None,
    };
    for _ in 0..300 {
        writer.push(&record).expect("memory takes everything");
    }
    writer
        .finish("others", "a test", &[])
        .expect("memory takes everything");
    fs::write(&data, bytes).expect("a file for the test");
    let other = resume_with(&out, &Host::default()).expect_err("the data are others");
    assert!(matches!(other, Failure::InvalidRequest { .. }), "{other}");
    let nothing = resume_with(&folder.0, &Host::default()).expect_err("nothing is there");
    assert!(
        matches!(nothing, Failure::InvalidRequest { .. }),
        "{nothing}"
    );
}

#[test]
fn a_grid_trains_every_network_and_goes_on_where_it_was_stopped() {
    let folder = Folder::new("grid");
    let data = folder.0.join("a.games");
    games(&data);
    let mut set = SMALL.to_vec();
    set.push(("training.steps", "20"));
    set.push((
        "grid",
        "{ \"training.batch\" = [8, 32], \"optimiser.rate\" = [1e-3, 1e-5] }",
    ));
    let plan = plan(recipe("chessnet-grid", &set), &data);
    let out = folder.0.join("out");
    let begun = Arc::new(AtomicU64::new(0));
    let heard = Arc::clone(&begun);
    let host = hearing(move |host, name, _| {
        if name == START && heard.fetch_add(1, Ordering::Relaxed) == 1 {
            host.stop.store(true, Ordering::Relaxed);
        }
    });
    let stopped = begin(&plan, &out, &host).expect_err("a stop was set");
    assert!(stopped.is_stopped(), "{stopped}");
    assert_eq!(begun.load(Ordering::Relaxed), 2);
    let outcome = resume_with(&out, &Host::default()).expect("nothing is wrong");
    let TrainingOutcome::Grid(TrainedGrid { cells }) = outcome else {
        panic!("the recipe has a grid");
    };
    assert_eq!(cells.len(), 4);
    let loss = |at: usize| cells[at].outcome.as_ref().expect("none diverges").test_loss;
    assert!((0..4).all(|at| loss(at).is_finite()));
    // Its networks are experiments of their own.
    assert_eq!(Some(resume(&out.join(&cells[1].name))), cells[1].outcome);
}
