//! Networks that learn, from outside.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mendel_board::pgn::GameResult;
use mendel_board::{Color, Position};
use mendel_data::shard::{ShardGame, ShardWriter, move_at};
use mendel_evaluator::vision::{File, Net};
use mendel_nets::train::recipe::Recipe;
use mendel_nets::train::{Event, Machine, Order, TrainError, resume, train, train_grid};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

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

fn order(recipe: Recipe, data: &Path, folder: PathBuf) -> Order {
    Order {
        recipe,
        files: vec![data.to_owned()],
        seed: 1,
        machine: Machine::Cpu,
        threads: 1,
        start: None,
        folder,
    }
}

fn never() -> Arc<AtomicBool> {
    Arc::new(AtomicBool::new(false))
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
        let mut first = None;
        let order = order(recipe(name, &set), &data, out.clone());
        let outcome = train(&order, &never(), &mut |event| {
            if let Event::Evaluated(evaluation) = event {
                first.get_or_insert(evaluation.validation_loss);
            }
        });
        let outcome = outcome.expect("nothing is wrong").expect("no stop was set");
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
        let order = order(recipe(name, &set), &data, folder.0.join(name));
        let outcome = train(&order, &never(), &mut |_| {});
        let outcome = outcome.expect("nothing is wrong").expect("no stop was set");
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
    let human = order(recipe("human", &set), &games_file, first.clone());
    train(&human, &never(), &mut |_| {}).expect("nothing is wrong");
    let begin = |name: &str, start: &Path| {
        let mut order = order(recipe("value", &set), &data, folder.0.join(name));
        order.start = Some(start.to_owned());
        let mut taken = 0;
        let end = train(&order, &never(), &mut |event| {
            if let Event::Started { taken: numbers } = event {
                taken = numbers;
            }
        });
        end.map(|outcome| (taken, outcome.expect("no stop was set")))
    };
    let (taken, outcome) = begin("value", &first).expect("nothing is wrong");

    // 2. All but the head is taken over, and the rest is not what it would be without.
    let head = 16 * 64 + 1;
    let norms = 2 * 16; // a gain and a shift where the file has one bias
    assert_eq!(taken, outcome.numbers - head + norms);
    let alone = order(recipe("value", &set), &data, folder.0.join("alone"));
    let alone = train(&alone, &never(), &mut |_| {}).expect("nothing is wrong");
    let alone = alone.expect("no stop was set");
    assert!((alone.test_loss - outcome.test_loss).abs() > 0.0);

    // 3. It is resumed without the other one; a folder without a training is refused.
    fs::remove_dir_all(&first).expect("it was ours");
    assert!(resume(&folder.0.join("value"), &never(), &mut |_| {}).is_ok());
    let error = begin("again", &first).expect_err("nothing is there");
    assert!(
        error.to_string().contains("not the folder of a training"),
        "{error}"
    );
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
    let order = |name: &str| order(recipe("chessnet", &set), &data, folder.0.join(name));

    // 1. Without a break.
    let whole = train(&order("whole"), &never(), &mut |_| {}).expect("nothing is wrong");
    assert_eq!(whole.expect("no stop was set").steps, 70);
    let wanted = results(&folder.0.join("whole"));
    let told = String::from_utf8_lossy(&wanted[1]).lines().count();
    assert_eq!(told, 4, "after 20, 40, 60 and 70 steps");

    // 2. It dies twice, each time between an evaluation and its checkpoint.
    let killed = folder.0.join("killed");
    for death in [2, 3] {
        let run = |hear: &mut dyn FnMut(Event<'_>)| match death {
            2 => train(&order("killed"), &never(), hear),
            _ => resume(&killed, &never(), hear),
        };
        let mut asked = 0;
        let died = catch_unwind(AssertUnwindSafe(|| {
            run(&mut |event| {
                if let Event::Evaluated(evaluation) = event {
                    asked += 1;
                    assert!(evaluation.step / 20 < death, "killed");
                }
            })
        }));
        assert!(died.is_err(), "it was to be killed");
        assert!(asked > 0);
    }
    let end = resume(&killed, &never(), &mut |_| {}).expect("nothing is wrong");
    assert!(end.is_some());
    assert!(wanted == results(&killed), "another network came of it");

    // 3. It is asked to stop, and a finished one stays as it is.
    let stopped = folder.0.join("stopped");
    let stop = never();
    let end = train(&order("stopped"), &stop, &mut |event| {
        if matches!(event, Event::Evaluated(_)) {
            stop.store(true, Ordering::Relaxed);
        }
    });
    assert!(end.expect("nothing is wrong").is_none());
    for _ in 0..2 {
        let end = resume(&stopped, &never(), &mut |_| {}).expect("nothing is wrong");
        assert!(end.is_some());
        assert!(wanted == results(&stopped), "another network came of it");
    }
}

#[test]
fn other_data_and_folders_in_use_are_refused() {
    let folder = Folder::new("refused");
    let data = folder.0.join("a.games");
    games(&data);
    let mut set = SMALL.to_vec();
    set.push(("training.steps", "4"));
    let order = order(recipe("chessnet", &set), &data, folder.0.join("out"));
    let stop = Arc::new(AtomicBool::new(true));
    assert!(train(&order, &stop, &mut |_| {}).expect("fine").is_none());
    let again = train(&order, &never(), &mut |_| {});
    assert!(
        matches!(again, Err(TrainError::NotEmpty { .. })),
        "{again:?}"
    );
    let mut bytes = Vec::new();
    let mut writer = ShardWriter::new(&mut bytes).expect("memory takes everything");
    let record = ShardGame {
        ratings: [2000, 2000],
        result: GameResult::Draw,
        moves: &[0; 30],
        scores: None,
    };
    for _ in 0..30 {
        writer.push(&record).expect("memory takes everything");
    }
    writer
        .finish("others", "a test", &[])
        .expect("memory takes everything");
    fs::write(&data, bytes).expect("a file for the test");
    let other = resume(&order.folder, &never(), &mut |_| {});
    assert!(other.is_err(), "{other:?}");
    let nothing = resume(&folder.0, &never(), &mut |_| {});
    assert!(matches!(nothing, Err(TrainError::NoTraining { .. })));
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
    let order = order(recipe("chessnet-grid", &set), &data, folder.0.join("out"));
    let stop = never();
    let mut seen = 0;
    let stopped = train_grid(&order, &stop, &mut |_, index, count, event| {
        assert_eq!(count, 4);
        seen = seen.max(index);
        if index == 1 && matches!(event, Event::Begun { .. }) {
            stop.store(true, Ordering::Relaxed);
        }
    });
    assert!(stopped.expect("nothing is wrong").is_none());
    assert_eq!(seen, 1);
    let cells = train_grid(&order, &never(), &mut |_, _, _, _| {});
    let cells = cells.expect("nothing is wrong").expect("no stop was set");
    assert_eq!(cells.len(), 4);
    let loss = |at: usize| cells[at].outcome.as_ref().expect("none diverges").test_loss;
    assert!((0..4).all(|at| loss(at).is_finite()));
}
