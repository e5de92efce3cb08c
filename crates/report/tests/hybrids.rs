//! The experiments with networks, done small and with networks of chance.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use mendel_board::sample::random_positions;
use mendel_evaluator::vision::{Activation, File, Head, Shape, View};
use mendel_lab::data::{Context, DataSet, DataSetHeader, Kind, Sample};
use mendel_lab::pipeline::{Agreement, Output, Pipeline, PipelineRun};
use mendel_lab::recipe::{BUILT_IN, Recipe};
use mendel_report::{PipelineRecord, step_tables};
use mendel_store::frame::{ExperimentEvent, Failure};
use toml::{Table, Value};

use crate::absent::{PLAYERS, RECIPES};
use crate::experiment::{Request, Work, progress, resume, silent, start};
use crate::made_data::{checked, scratch};

/// Players that the recipe about data names, each with a network of its own.
const TRAINED: [&str; 7] = ["10k", "50k", "200k", "1m", "linear", "openings", "endings"];

fn shape(network: &str) -> Shape {
    match network {
        "chessnet" => Shape {
            filters: 2,
            blocks: 1,
            ..Shape::chessnet()
        },
        "human" => Shape {
            view: View::Sides { plies: 2 },
            filters: 2,
            blocks: 1,
            activation: Activation::Relu,
            head: Head::Pairs { width: 2, value: 2 },
        },
        _ => Shape {
            view: View::Absolute,
            filters: 2,
            blocks: 1,
            activation: Activation::Relu,
            head: Head::Value,
        },
    }
}

/// A network of chance.
fn network(shape: Shape, seed: u32) -> Vec<u8> {
    let mut state = seed;
    let mut number = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 16) as f32 / 32_768.0 - 1.0) / 4.0
    };
    let file = File::new(shape, |tensor| {
        (0..tensor.count()).map(|_| number()).collect()
    });
    file.and_then(|file| file.write()).expect("small numbers")
}

/// Writes the players, each with a small network in the same folder.
fn write_players(folder: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../players");
    let read = |player: &str, network: &str| {
        let text = fs::read_to_string(source.join(format!("{player}.toml"))).expect("it is there");
        text.replace(
            &format!("file = \"{network}\""),
            &format!("file = \"{network}.net\""),
        )
    };
    for (seed, (player, name)) in PLAYERS.into_iter().enumerate() {
        let bytes = network(shape(name), 1 + seed as u32);
        fs::write(folder.join(format!("{name}.net")), bytes).expect("a folder");
        let text = read(player, name);
        fs::write(folder.join(format!("{player}.toml")), text).expect("a folder");
    }
    for name in TRAINED {
        let player = format!("teacher-{name}");
        let text = read("teacher", "teacher").replace("\"teacher\"", &format!("\"{player}\""));
        fs::write(folder.join(format!("{player}.toml")), text).expect("a folder");
    }
}

/// The text of a recipe whose players are those of the folder.
fn text(name: &str, folder: &Path) -> String {
    let (_, text) = BUILT_IN.iter().find(|it| it.0 == name).expect("built in");
    let place = folder.display();
    let mut text = text.replace("teacher-data/", &format!("{place}/"));
    for (player, _) in PLAYERS {
        for end in ["\"", "?"] {
            let (plain, file) = (
                format!("\"{player}{end}"),
                format!("\"{place}/{player}.toml{end}"),
            );
            text = text.replace(&format!(" {plain}"), &format!(" {file}"));
            text = text.replace(&format!("[{plain}"), &format!("[{file}"));
        }
    }
    text
}

fn order(text: &str, folder: &Path, data: Option<&Path>) -> Request {
    Request {
        recipe: Recipe::parse(text, "test", &[]).unwrap_or_else(|error| panic!("{error}")),
        seed: 3,
        data: data.map(|it| it.display().to_string()),
        folder: folder.to_owned(),
    }
}

fn work(threads: usize) -> Work {
    Work {
        proof: false,
        ..Work::threads(threads)
    }
}

/// A recipe with its first step alone, changed by `change`.
fn first_step(text: &str, change: impl Fn(&mut Table)) -> String {
    let mut table: Table = text.parse().expect("a recipe");
    table.remove("full");
    if let Some(Value::Array(steps)) = table.get_mut("step") {
        steps.truncate(1);
        change(steps[0].as_table_mut().expect("a step"));
    }
    if let Some(Value::Table(paper)) = table.get_mut("paper") {
        let about_first = |figure: &Value| {
            let ours = figure
                .get("ours")
                .and_then(Value::as_str)
                .unwrap_or_default();
            !["from-the", "moves: t"]
                .iter()
                .any(|it| ours.starts_with(it))
        };
        if let Some(Value::Array(figures)) = paper.get_mut("figure") {
            figures.retain(about_first);
        }
    }
    toml::to_string(&table).expect("it was read")
}

fn put(step: &mut Table, table: &str, key: &str, value: impl Into<Value>) {
    let table = step.get_mut(table).and_then(Value::as_table_mut);
    table
        .expect("it is there")
        .insert(key.to_owned(), value.into());
}

/// Positions with a legal move each, from players of 1500 and 2500 by turns.
fn write_moves(path: &Path, count: usize) {
    let positions = random_positions(5, 4 * count).filter(|it| it.legal_moves().len() > 3);
    let samples = positions.take(count).enumerate().map(|(at, start)| {
        let m = start.legal_moves()[at % 3];
        let position = start.after(m);
        let rating = if at % 2 == 0 { 1500 } else { 2500 };
        Sample {
            game: at as u32,
            score: None,
            best: position.legal_moves().first().copied(),
            result: None,
            context: Some(Box::new(Context {
                ratings: Some([rating, rating + 100]),
                start,
                before: vec![m],
            })),
            position,
        }
    });
    let set = DataSet {
        header: DataSetHeader::new(Kind::Imported, "made for a test"),
        samples: samples.collect(),
    };
    set.write(path).expect("the folder can be written");
}

fn agreement(state: &Pipeline) -> &Agreement {
    match &state.steps[0].result {
        Some(Output::Agreement(it)) => it,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_recipe_is_right_once_its_networks_are_there() {
    let folder = scratch("hybrids-right");
    write_players(&folder);
    for name in RECIPES {
        let text = text(name, &folder);
        let recipe =
            checked(Recipe::parse(&text, name, &[])).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(recipe.name, name);
        if text.contains("[full]") {
            let file = folder.join("full.toml");
            fs::write(&file, &text).expect("a folder");
            let full = checked(Recipe::find_full(&file.display().to_string(), &[]));
            full.unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

#[test]
fn a_network_that_is_not_there_is_named_before_anything_runs() {
    let folder = scratch("hybrids-missing");
    write_players(&folder);
    fs::remove_file(folder.join("chessnet.net")).expect("it was written");
    for (name, wanted) in [
        ("lambda-moves", "chessnet.net"),
        ("lambda-tournament", "chessnet.net"),
        ("chessnet-games", "chessnet.net"),
    ] {
        let error = checked(Recipe::parse(&text(name, &folder), name, &[])).expect_err(name);
        assert!(error.key.ends_with("players"), "{error}");
        assert!(error.to_string().contains(wanted), "{error}");
    }
    fs::remove_file(folder.join("teacher-50k.toml")).expect("it was written");
    let error =
        checked(Recipe::parse(&text("teacher-data", &folder), "data", &[])).expect_err("no file");
    assert!(error.to_string().contains("teacher-50k.toml"), "{error}");
}

/// One thread, several, and stopped again and again: the same answers.
#[test]
fn moves_are_counted_alike_by_any_threads_and_after_any_stop() {
    let folder = scratch("hybrids-moves");
    write_players(&folder);
    let data = folder.join("people.mds");
    write_moves(&data, 160);
    let text = first_step(&text("lambda-moves", &folder), |step| {
        put(step, "agreement", "positions", 120);
    });
    let breed = |name: &str, threads: usize| {
        let order = order(&text, &folder.join(name), Some(&data));
        start::<PipelineRun>(&order, &work(threads), silent)
            .unwrap_or_else(|error| panic!("{error}"))
    };
    let (one, two) = (breed("one", 1), breed("two", 2));
    assert_eq!(one, two);
    assert!(one.command.ends_with(&format!("--data {}", data.display())));

    // 1. Each time only a little further.
    let broken = folder.join("broken");
    let mut state = None;
    for turn in 0..40 {
        let work = work(2);
        let mut heard = 0;
        let stop = Arc::clone(&work.stop);
        let listen = move |_: &Path, event: &ExperimentEvent| {
            heard += u32::from(progress(event, "answers").is_some());
            if heard > 2 {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let done = if turn == 0 {
            start::<PipelineRun>(&order(&text, &broken, Some(&data)), &work, listen)
        } else {
            resume::<PipelineRun>(&broken, &work, listen)
        };
        match done {
            Err(Failure::Stopped) => {}
            done => {
                assert!(turn > 0, "it was to be stopped");
                state = Some(done.unwrap_or_else(|error| panic!("{error}")));
                break;
            }
        }
    }
    assert_eq!(state.expect("it comes to its end").steps, one.steps);

    // 2. What it says adds up.
    let found = agreement(&one);
    assert_eq!((found.positions, found.players.len()), (120, 11));
    for it in &found.players {
        for parts in [&it.pieces, &it.phases, &it.bands] {
            let sum: u64 = parts.iter().map(|part| part.tally.positions).sum();
            let right: u64 = parts.iter().map(|part| part.tally.right).sum();
            assert_eq!((sum, right), (120, it.all.right), "{}", it.player);
        }
        assert!(it.all.right <= it.all.from);
    }
    let names: Vec<&str> = found.players[0]
        .bands
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "600–1599",
            "1600–1999",
            "2000–2399",
            "2400–2499",
            "2500 and above"
        ]
    );
    let bands = &found.players[0].bands;
    assert!(bands[0].tally.positions > 0 && bands[1].tally.positions == 0);
    assert_eq!(found.curves.len(), 3);
    assert_eq!(found.curves[0].lines.len(), 2, "ours and the paper’s");
    assert!((found.curves[0].lines[1].points[6].value - 23.41).abs() < 1e-9);

    // 3. The page and the figures.
    let record = PipelineRecord::read(&folder.join("one")).expect("it is whole");
    assert!(record.paper.iter().all(|it| it.ours.is_some()));
    let html = record.page().render();
    for part in [
        "right moves, % by λ",
        "2341 of 10000",
        "By part of the game",
        "2500 and above",
    ] {
        assert!(html.contains(part), "{part}");
    }
    roxmltree::Document::parse(html.trim_start_matches("<!DOCTYPE html>\n")).expect("well-formed");
}

#[test]
fn another_set_in_the_middle_of_a_step_is_refused() {
    let folder = scratch("hybrids-changed");
    write_players(&folder);
    let data = folder.join("people.mds");
    // Enough that the step is still running when it is stopped.
    write_moves(&data, 3000);
    let text = first_step(&text("chessnet-metrics", &folder), |step| {
        put(step, "agreement", "positions", 2900);
    });
    let begun = work(1);
    let stop = Arc::clone(&begun.stop);
    let listen = move |_: &Path, event: &ExperimentEvent| {
        if progress(event, "answers").is_some() {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let path = folder.join("run");
    let state = start::<PipelineRun>(&order(&text, &path, Some(&data)), &begun, listen);
    assert!(matches!(state, Err(Failure::Stopped)), "{state:?}");
    write_moves(&data, 2999);
    let error = resume::<PipelineRun>(&path, &work(1), silent).expect_err("it has changed");
    assert!(
        error.to_string().contains("people.mds` has changed"),
        "{error}"
    );

    // A pipeline without positions has no use for a set.
    let games = first_step(&crate::hybrids::text("chessnet-games", &folder), |_| {});
    let refused = order(&games, &folder.join("games"), Some(&data));
    let error = start::<PipelineRun>(&refused, &work(1), silent).expect_err("no use");
    let error = error.to_string();
    assert!(error.contains("cannot stand for all of them"), "{error}");
}

#[test]
fn a_player_is_asked_at_the_rating_of_each_band() {
    let folder = scratch("hybrids-bands");
    write_players(&folder);
    let data = folder.join("people.mds");
    write_moves(&data, 60);
    let text = text("human-agreement", &folder)
        .replace("cmd:stockfish", "cmd:no-such-engine")
        .replace("cmd:/usr/games/stockfish", "cmd:no-such-engine")
        .replace(".nodes=20000", ".nodes=200");
    let text = first_step(&text, |step| put(step, "agreement", "positions", 20));
    let order = order(&text, &folder.join("run"), Some(&data));
    let state = start::<PipelineRun>(&order, &work(2), silent);
    let state = state.unwrap_or_else(|error| panic!("{error}"));
    let found = agreement(&state);
    // Two bands have positions: twenty in each.
    assert_eq!((found.positions, found.players.len()), (40, 4));
    assert!(
        found.notes.iter().any(|it| it.contains("no-such-engine")),
        "{:?}",
        found.notes
    );
    assert_eq!(
        found.players[0].paper.as_deref(),
        Some("Maia-1: 50 to 53 %")
    );
    let asked = fs::read_to_string(folder.join("run/steps/01-people/inputs.json")).expect("a file");
    assert!(asked.contains("Rating={rating}"), "{asked}");
}

#[test]
fn a_tournament_counts_points_by_colour_and_draws_them() {
    let folder = scratch("hybrids-tournament");
    write_players(&folder);
    let text = first_step(&text("lambda-tournament", &folder), |step| {
        put(step, "match", "max-plies", 2);
        // Three of the eleven players, with the paper's twenty games.
        let table = step["match"].as_table_mut().expect("a match");
        let first_three = |value: &mut Value, count: usize| {
            value.as_array_mut().expect("a list").truncate(count);
        };
        first_three(&mut table["players"], 3);
        first_three(&mut table["published-white"], 3);
        for row in table["published-white"].as_array_mut().expect("a list") {
            first_three(row, 2);
        }
        for key in ["at", "paper"] {
            first_three(&mut table["curve"][key], 3);
        }
    });
    let order = order(&text, &folder.join("run"), None);
    let state = start::<PipelineRun>(&order, &work(2), silent);
    let state = state.unwrap_or_else(|error| panic!("{error}"));
    let Some(Output::Match(played)) = &state.steps[0].result else {
        panic!("{state:?}");
    };
    let table = played.by_colour.as_ref().expect("it was asked for");
    for (at, standing) in played.standings.iter().enumerate() {
        let sum = |cells: &[Option<f64>]| cells.iter().flatten().sum::<f64>();
        let both = sum(&table.white[at]) + sum(&table.black[at]);
        assert!((both - standing.points().expect("it played")).abs() < 1e-9);
        assert_eq!(table.white[at].iter().flatten().count(), 2);
    }
    // The published row of λ = 0.1 as the paper has it, itself left out.
    let published = table.published.as_ref().expect("it was published");
    assert_eq!(published[1], [Some(5.0), None, Some(6.5)]);
    let published = table.published_black.as_ref().expect("it follows");
    assert_eq!(published[0], [None, Some(5.0), Some(3.5)]);
    assert_eq!(played.incomparable, None);
    let curve = played.curve.as_ref().expect("it was asked for");
    assert_eq!(curve.lines[0].points.len(), 3);
    assert_eq!(curve.lines.len(), 2, "ours and the paper’s");
    let html = PipelineRecord::read(&folder.join("run"))
        .expect("whole")
        .page()
        .render();
    for part in [
        "points by λ",
        "with White (in brackets the paper’s)",
        "89.5 points",
    ] {
        assert!(html.contains(part), "{part}");
    }
}

#[test]
fn evaluators_are_compared_with_an_expert_by_part_of_the_game() {
    let folder = scratch("hybrids-ablation");
    write_players(&folder);
    let mut table: Table = text("teacher-ablation", &folder).parse().expect("a recipe");
    table.remove("full");
    let Some(Value::Array(steps)) = table.get_mut("step") else {
        panic!("it has steps");
    };
    // The scores, and games from endings.
    steps.swap(1, 4);
    steps.truncate(2);
    let [scores, games] = &mut steps[..] else {
        panic!("two are left");
    };
    put(
        scores.as_table_mut().expect("a step"),
        "judgement",
        "positions",
        300,
    );
    for (key, value) in [("games", 2), ("depth", 1), ("max-plies", 8)] {
        put(games.as_table_mut().expect("a step"), "match", key, value);
    }
    table.remove("paper");
    let text = toml::to_string(&table).expect("it was read");
    let breed = |name: &str, threads: usize| {
        let order = order(&text, &folder.join(name), None);
        start::<PipelineRun>(&order, &work(threads), silent)
            .unwrap_or_else(|error| panic!("{error}"))
    };
    let (one, two) = (breed("one", 1), breed("two", 2));
    assert_eq!(one, two);
    let Some(Output::Judgement(judgement)) = &one.steps[0].result else {
        panic!("{one:?}");
    };
    assert_eq!(judgement.players.len(), 3);
    let by_phase = &judgement.players[0].phases;
    assert_eq!(by_phase.iter().map(|it| it.positions).sum::<u64>(), 300);
    let heuristic = judgement.players[0].all.correlation.expect("it varies");
    let chance = judgement.players[1].all.correlation.unwrap_or_default();
    assert!(
        heuristic > 0.5 && heuristic > chance + 0.2,
        "{heuristic} {chance}"
    );
    let Some(Output::Match(played)) = &one.steps[1].result else {
        panic!("{one:?}");
    };
    assert!(
        played.conditions.contains("positions of the ending"),
        "{}",
        played.conditions
    );
    assert!(
        folder
            .join("one/steps/02-from-the-ending/openings.epd")
            .is_file()
    );
}

/// With two games for each pair, the paper's points of twenty stand as they were printed.
#[test]
fn another_number_of_games_is_not_comparable_with_the_paper() {
    let folder = scratch("hybrids-incomparable");
    write_players(&folder);
    let text = first_step(&text("lambda-tournament", &folder), |step| {
        put(step, "match", "games", 2);
        put(step, "match", "max-plies", 2);
    });
    let order = order(&text, &folder.join("run"), None);
    let state = start::<PipelineRun>(&order, &work(2), silent);
    let state = state.unwrap_or_else(|error| panic!("{error}"));
    let Some(Output::Match(played)) = &state.steps[0].result else {
        panic!("{state:?}");
    };

    // 1. The tables hold the paper's points or ours, none that mixes both.
    let found = step_tables(&state.steps[0]);
    let tables = found.expect("a match has tables").tables;
    for (title, rows) in &tables {
        if title.starts_with("Points of the row") {
            let mixed = rows.iter().flatten().find(|cell| cell.contains('('));
            assert_eq!(mixed, None, "{title}");
        }
    }
    let paper = |colour: &str| {
        let title = format!("paper’s points of the row’s player with {colour}");
        let found = tables.iter().find(|it| it.0.contains(&title));
        found.unwrap_or_else(|| panic!("{title}: {tables:?}"))
    };
    let (title, white) = paper("White");
    assert!(title.contains("not comparable"), "{title}");
    assert_eq!(white[1][1..4], ["–", "7", "6.5"], "λ = 0, Table 7");
    let (title, black) = paper("Black");
    assert!(title.contains("not comparable"), "{title}");
    // Table 8: what λ = 0.1 and 0.2 left of ten games with White.
    assert_eq!(black[1][1..4], ["–", "5", "3.5"], "λ = 0, Table 8");
    assert!(
        tables[0].1[1]
            .last()
            .is_some_and(|it| it == "81 points (not comparable)")
    );

    // 2. Text, JSON and page say it.
    let record = PipelineRecord::read(&folder.join("run")).expect("whole");
    for figure in &record.paper {
        assert_eq!(figure.words, "not comparable", "{}", figure.what);
        assert_eq!(figure.ours, None, "{}", figure.what);
    }
    let reason = "the paper’s points are of 20 games for each two, these of 2";
    assert!(
        played.notes.iter().any(|it| it.contains(reason)),
        "{:?}",
        played.notes
    );
    let json = serde_json::to_string(&record).expect("plain data");
    assert!(json.contains("\"words\":\"not comparable\"") && json.contains(reason));
    let html = record.page().render();
    assert!(html.contains("not comparable") && html.contains(reason));
    let curve = played.curve.as_ref().expect("it was asked for");
    assert_eq!(
        curve.lines.len(),
        1,
        "the paper’s points are on another scale"
    );
}
