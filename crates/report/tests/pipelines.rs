//! Recipes of several steps: the same seed gives the same pipeline, with any number of threads and
//! after any interruptions.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use mendel_engine::Player;
use mendel_lab::data::DataSet;
use mendel_lab::pedigree::{ancestor, ancestors_of};
use mendel_lab::pipeline::{Output, Pipeline, PipelineRun};
use mendel_lab::recipe::Recipe;
use mendel_report::{self as report, PipelineRecord, nested_runs};
use mendel_store::frame::{ExperimentEvent, Failure};

use crate::experiment::{Request, Work, progress, record, resume, silent, start};
use crate::made_data::{checked, scratch};

/// Every kind of step: a set, a breeding by tables in two rounds, another recipe
/// twice, a match with alternatives.
const RECIPE: &str = r#"
name = "tiny"
parent = "gerald-base"
rounds = 2

[[step]]
name = "positions"
each-round = true
[step.data]
kind = "selfplay"
positions = 60
nodes = 40

[[step]]
name = "slope"
each-round = true
data = "positions"
genome = { coding = "real", start = "parent", spread = 200 }
breeder = { kind = "adam", learning-rate = 4.0 }
trial = { kind = "expert-distance", target = "result", distance = "sigmoid" }
stop = { generations = 3 }
proof = { games = 2, nodes = 20 }

[[step]]
name = "others"
recipe = "gerald-eval"
runs = 2
parent = "parent"
data = "positions"
proof = false
[step.set]
"breeder.population" = 10
"trial.sample" = 20
"trial.target" = "result"
"trial.distance" = "sigmoid"
"stop.generations" = 2

[[step]]
name = "meeting"
[step.match]
players = ["slope", "parent", "others", ["cmd:there-is-no-such-engine", "material"], "cmd:nor-such-a-one"]
format = "gauntlet"
games = 4
nodes = 30
openings = { lines = ["", "e2e4 c7c5"] }
max-plies = 40
at-limit = "material"
published = { gerald-base = "+1 ± 2" }

[paper]
title = "Nothing"
[[paper.figure]]
what = "score of the first"
paper = 50.0
ours = "meeting: 1: score"
unit = "%"
[[paper.figure]]
what = "error of the others"
paper = "none"
ours = "others: training.champion"
"#;

fn recipe(text: &str) -> Recipe {
    checked(Recipe::parse(text, "test", &[])).unwrap_or_else(|error| panic!("{error}"))
}

fn order(folder: &Path, seed: u64) -> Request {
    Request {
        recipe: recipe(RECIPE),
        seed,
        data: None,
        folder: folder.to_owned(),
    }
}

fn work(threads: usize) -> Work {
    Work::threads(threads)
}

fn breed(folder: &Path, work: &Work, seed: u64) -> Pipeline {
    let done = start::<PipelineRun>(&order(folder, seed), work, silent);
    done.unwrap_or_else(|error| panic!("{error}"))
}

/// Everything that is the same wherever the folder lies; paths and times are not.
fn records(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    gather(folder, folder, &mut all);
    all.sort();
    all
}

fn gather(root: &Path, folder: &Path, all: &mut Vec<(String, String)>) {
    for item in fs::read_dir(folder).expect("a folder").flatten() {
        let path = item.path();
        let name = path
            .strip_prefix(root)
            .expect("below")
            .display()
            .to_string();
        if path.is_dir() {
            gather(root, &path, all);
        } else if path.extension().is_some_and(|it| it == "mds") {
            let set = DataSet::read(&path).expect("a whole set");
            all.push((name, set.hash()));
        } else if [
            "champion.toml",
            "generations.jsonl",
            "lineage.jsonl",
        ]
        .iter()
        .any(|kept| name.ends_with(kept))
            // Of a match it has nothing that depends on the folder.
            || name.ends_with("result.json")
            || name.ends_with("manifest.toml")
        {
            all.push((
                name,
                without_place(&fs::read_to_string(&path).expect("text")),
            ));
        }
    }
}

/// The ids of matches and data sets are hashes of plans with the paths of players, and the
/// result of a data set names its file.
fn without_place(text: &str) -> String {
    let is_nested = text.contains("kind = \"match\"") || text.contains("kind = \"data\"");
    let is_set = text.contains(".mds\"");
    let names_place = |line: &&str| {
        let line = line.trim_start();
        (is_nested && line.starts_with("id = "))
            || (is_set
                && [
                    "\"file\"",
                    "\"bytes\"",
                    "\"made_by\"",
                    "\"description\"",
                    "\"crc\"",
                ]
                .iter()
                .any(|key| line.starts_with(key)))
    };
    let kept = text.lines().filter(|line| !names_place(line));
    kept.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_pipeline_does_every_kind_of_step_and_tells_the_whole_family() {
    let folder = scratch("pipeline-whole");
    let state = breed(&folder.join("one"), &work(1), 3);
    assert!(state.finished);

    // 1. The steps, in their order.
    let order: Vec<(usize, String, String)> = state
        .steps
        .iter()
        .map(|it| (it.number, it.title(), it.folder.clone()))
        .collect();
    let expected = [
        "positions, round 1",
        "slope, round 1",
        "positions, round 2",
        "slope, round 2",
        "others",
        "meeting",
    ];
    let titles: Vec<&str> = order.iter().map(|it| it.1.as_str()).collect();
    assert_eq!(titles, expected);
    assert_eq!(order[3].2, "steps/04-slope");

    // 2. The second round starts from the champion of the first.
    let champion = |name: &str| {
        let path = folder.join("one").join(name).join("champion.toml");
        Player::read(&path).unwrap_or_else(|error| panic!("{error}"))
    };
    let (first, second) = (champion("steps/02-slope"), champion("steps/04-slope"));
    let run = |player: &Player| player.pedigree["run"].as_str().expect("a run").to_owned();
    assert_eq!(
        second.pedigree["parents"],
        toml::Value::from(vec![run(&first)])
    );
    let known = ancestor(&second.pedigree, &run(&first)).expect("it is told of");
    assert_eq!(known["parents"], toml::Value::from(vec!["gerald-base"]));
    assert!(
        known["data"]
            .as_str()
            .expect("text")
            .starts_with("positions.mds ")
    );
    assert_eq!(ancestors_of(&second.pedigree).count(), 2);
    assert!(!second.to_toml().contains("pipeline-whole"), "no paths");

    // 3. A step named `others` has two champions; the last champion is its best.
    let Some(Output::Runs(runs)) = &state.steps[4].result else {
        panic!("{:?}", state.steps[4]);
    };
    assert_eq!(runs.runs.len(), 2);
    assert_eq!(
        state.champion.as_ref(),
        Some(&runs.runs[runs.best].champion)
    );
    assert_eq!(runs.runs[1].seed, 3 * 10_000 + 500 + 1);

    // 4. Who is not installed is named, and the rest is played.
    let Some(Output::Match(played)) = &state.steps[5].result else {
        panic!("{:?}", state.steps[5]);
    };
    assert_eq!(played.players.len(), 5, "{:?}", played.players);
    assert_eq!(played.players[4], "material");
    assert_eq!(played.standings[0].games, 16);
    assert_eq!(played.standings[1].paper.as_deref(), Some("+1 ± 2"));
    assert_eq!(played.notes.len(), 2, "{:?}", played.notes);
    assert!(played.notes[0].ends_with("`material` plays instead"));

    // 5. The page links to the steps' own pages and shows the figures.
    let record = PipelineRecord::read(&folder.join("one")).expect("it is whole");
    assert!(record.paper.iter().all(|it| it.ours.is_some()));
    let html = record.page().render();
    for part in [
        "steps/04-slope/report.html",
        "Paper and ours",
        "score of the first",
        "+1 ± 2",
    ] {
        assert!(html.contains(part), "{part}");
    }
    // 6. The runs of its steps, whose pages are linked.
    let runs = nested_runs(&folder.join("one"));
    let below: Vec<_> = runs
        .iter()
        .map(|run| run.strip_prefix(folder.join("one")).expect("below"))
        .collect();
    let expected = [
        "steps/02-slope",
        "steps/04-slope",
        "steps/05-others/01",
        "steps/05-others/02",
    ];
    assert_eq!(below, expected.map(Path::new));
    for run in &runs {
        assert!(report::html(run).is_ok(), "{}", run.display());
    }
    roxmltree::Document::parse(html.trim_start_matches("<!DOCTYPE html>\n")).expect("well-formed");
}

#[test]
fn a_pipeline_stopped_everywhere_equals_the_unbroken_one() {
    let folder = scratch("pipeline-stopped");
    breed(&folder.join("one"), &work(2), 5);
    let broken = folder.join("broken");
    let mut stops = 0;
    // By the number of games of a match.
    let known_games = Arc::new(Mutex::new(BTreeMap::new()));
    for turn in 0..60 {
        let work = work(1);
        // Each time it gets a little further than one event.
        let mut heard = 0;
        let (stop, known_games) = (Arc::clone(&work.stop), Arc::clone(&known_games));
        let listen = move |_: &Path, event: &ExperimentEvent| {
            // Games that are found again are heard of again.
            let mut is_new = record(event, "generation").is_some();
            if let Some((done, total)) = progress(event, "games") {
                let mut games = known_games
                    .lock()
                    .expect("no thread panics while it holds the lock");
                let known = games.entry(total).or_insert(0);
                is_new |= done > *known;
                *known = done.max(*known);
            }
            is_new |= progress(event, "positions").is_some();
            if is_new {
                heard += 1;
                if heard > 1 + turn % 3 {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        };
        let done = if broken.join("manifest.toml").exists() {
            resume::<PipelineRun>(&broken, &work, listen)
        } else {
            start::<PipelineRun>(&order(&broken, 5), &work, listen)
        };
        match done {
            Err(Failure::Stopped) => stops += 1,
            done => {
                assert!(done.unwrap_or_else(|error| panic!("{error}")).finished);
                break;
            }
        }
    }
    assert!(stops >= 5, "it was stopped only {stops} times");
    assert_eq!(records(&folder.join("one")), records(&broken));
    breed(&folder.join("other"), &work(1), 6);
    assert_ne!(records(&folder.join("one")), records(&folder.join("other")));
}

#[test]
fn a_pipeline_that_is_done_is_not_done_again() {
    let folder = scratch("pipeline-done").join("one");
    let state = breed(&folder, &work(1), 1);
    let again = resume::<PipelineRun>(&folder, &work(1), |_, event| {
        panic!("nothing happens: {event:?}");
    });
    assert_eq!(again.expect("it is read"), state);
    let taken = start::<PipelineRun>(&order(&folder, 1), &work(1), silent);
    let failure = taken.expect_err("there is one");
    let hint = failure.hint().unwrap_or_default();
    assert!(hint.contains("mendel resume"), "{failure}: {hint}");

    // Another recipe under half a pipeline is noticed.
    let text = fs::read_to_string(folder.join("recipe.toml")).expect("text");
    fs::write(
        folder.join("recipe.toml"),
        text.replace("positions = 60", "positions = 61"),
    )
    .expect("writable");
    fs::remove_file(folder.join("result.json")).expect("it was written");
    let error = resume::<PipelineRun>(&folder, &work(1), silent).expect_err("it has changed");
    assert!(error.to_string().contains("cannot be resumed"), "{error}");
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table of wrong pipelines")]
fn a_wrong_pipeline_is_refused_with_the_line_and_the_remedy() {
    let change = |from: &str, to: &str| {
        assert!(RECIPE.contains(from), "{from}");
        RECIPE.replacen(from, to, 1)
    };
    let table = [
        (change("rounds = 2", "rounds = 0"), "rounds", "from 1 to 99"),
        (
            change(
                "name = \"meeting\"",
                "name = \"meeting\"\neach-round = true",
            ),
            "step.2",
            "stands between",
        ),
        (
            change("name = \"slope\"", "name = \"a b\""),
            "step.1.name",
            "short name",
        ),
        (
            change("name = \"slope\"", "name = \"previous\""),
            "step.1.name",
            "another name",
        ),
        (
            change("name = \"slope\"", "name = \"positions\""),
            "step.1.name",
            "another step",
        ),
        (
            change("spread = 200", "spred = 200"),
            "step.1.genome.spred",
            "unknown",
        ),
        (
            change("learning-rate = 4.0", "learning-rate = -4.0"),
            "step.1.breeder.learning",
            "",
        ),
        (
            change(
                "data = \"positions\"\ngenome",
                "data = \"poistions\"\ngenome",
            ),
            "step.1.trial.data",
            "poistions",
        ),
        (
            change("recipe = \"gerald-eval\"", "recipe = \"gerald-evil\""),
            "step.2.recipe",
            "gerald-evil",
        ),
        (
            change("recipe = \"gerald-eval\"", "recipe = \"sweep-coding\""),
            "step.2.recipe",
            "neither a pipeline nor",
        ),
        (
            change("\"breeder.population\" = 10", "\"breeder.population\" = 0"),
            "step.2.set",
            "population",
        ),
        (
            change("parent = \"parent\"", "parent = \"lambda-ga\""),
            "step.2.recipe",
            "",
        ),
        (change("runs = 2", "runs = 0"), "step.2.runs", "from 1"),
        (
            change("kind = \"selfplay\"", "kind = \"imported\""),
            "step.0.data.kind",
            "selfplay",
        ),
        (
            change("positions = 60", "positions = 0"),
            "step.0.data",
            "above 0",
        ),
        (
            change("games = 4", "games = 0"),
            "step.3.match.games",
            "at least 1",
        ),
        (
            change("nodes = 30", "random = 30"),
            "step.3.match.random",
            "unknown",
        ),
        (
            change("nodes = 30\n", ""),
            "step.3.match",
            "nothing limits a move",
        ),
        (
            change("e2e4 c7c5", "e2e5 c7c5"),
            "step.3.match.openings",
            "e2e5",
        ),
        (
            change("\"slope\", \"parent\"", "\"slop\", \"parent\""),
            "step.3.match.players",
            "slop",
        ),
        (
            change("meeting: 1: score", "meting: 1: score"),
            "paper.figure.0.ours",
            "there is no step",
        ),
        (
            change(
                "[[step]]\nname = \"meeting\"",
                "[[step]]\nname = \"meeting\"\nrecipe = \"x\"",
            ),
            "step.3",
            "one thing",
        ),
        (
            change("[paper]", "[trial]\nkind = \"x\"\n[paper]"),
            "trial",
            "move it into a step",
        ),
    ];
    for (text, key, reason) in table {
        let Err(complaint) = checked(Recipe::parse(&text, "test", &[])) else {
            panic!("{key} {reason}: it was taken");
        };
        assert!(complaint.key.starts_with(key), "{key}: {complaint}");
        assert!(complaint.reason.contains(reason), "{reason}: {complaint}");
        assert!(complaint.line.is_some(), "{complaint}");
    }
    let mut order = order(Path::new("nowhere"), 1);
    order.data = Some("quiet".to_owned());
    let refused = start::<PipelineRun>(&order, &work(1), silent);
    let error = refused.expect_err("no step has a use for it").to_string();
    assert!(error.contains("cannot stand for all of them"), "{error}");
    assert!(!Path::new("nowhere").exists());
}
