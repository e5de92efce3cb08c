//! Whole runs by games.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mendel_engine::Player;
use mendel_lab::breed::Breed;
use mendel_lab::recipe::{BUILT_IN, Recipe};
use mendel_store::frame::{ExperimentEvent, Failure};

use crate::absent::lacks_a_player;
use crate::experiment::{Request, Work, progress, resume, silent, start};
use crate::made_data::{checked, scratch};

/// Bits by a round robin, then real numbers by duels around the champion.
const STAGES: &str = r#"
name = "by-games"
parent = "gerald-eval-tuned"
[[stage]]
genome = { coding = "gray", chromosome = "gerald-search" }
stop = { generations = 2 }
[stage.breeder]
kind = "ga"
population = 5
selection = "roulette-shifted"
crossover = "single-point"
crossover-rate = 0.75
mutation = "bit-flip"
mutation-rate = 0.05
[stage.trial]
kind = "round-robin"
games = 2
nodes = 30
max-plies = 60
at-limit = "material"
hall = { size = 2, share = 0.3 }
verify = { candidates = 2, games = 4 }
[[stage]]
genome = { coding = "real", chromosome = "gerald-search", start = "parent" }
breeder = { kind = "spsa", directions = 2, iterations = 3, c-end = { range = 0.1 }, r-end = 0.5 }
stop = { generations = 3 }
[stage.trial]
kind = "duels"
games = 4
nodes = 30
max-plies = 60
at-limit = "material"
ladder = { players = [], anchor = "material", games = 4, every = 2 }
[proof]
games = 4
nodes = 20
"#;

const FOUNDED: &str = r#"
name = "founded"
parent = "gerald-eval-tuned"
founders = ["gerald-tuned", "gerald-base"]
[genome]
coding = "gray"
chromosome = "gerald-search"
[breeder]
kind = "ga"
population = 4
founders = "crosses"
selection = "roulette-shifted"
crossover = "single-point"
crossover-rate = 0.75
mutation = "bit-flip"
mutation-rate = 0.05
[trial]
kind = "random-members"
opponents = 2
games = 2
nodes = 20
max-plies = 40
[stop]
generations = 1
[proof]
games = 2
nodes = 20
founders = true
"#;

fn order(text: &str, folder: &Path) -> Request {
    Request {
        recipe: Recipe::parse(text, "test", &[]).unwrap_or_else(|error| panic!("{error}")),
        seed: 5,
        data: None,
        folder: folder.to_owned(),
    }
}

fn work(threads: usize, stop: &Arc<AtomicBool>) -> Work {
    Work {
        threads,
        proof: true,
        stop: Arc::clone(stop),
    }
}

/// Everything of a run that is the same on every machine.
fn records(folder: &Path) -> Vec<String> {
    let names = [
        "generations.jsonl",
        "lineage.jsonl",
        "pairs.jsonl",
        "champion.toml",
        "result.json",
        "manifest.toml",
    ];
    let read = |name: &&str| fs::read_to_string(folder.join(name)).expect("it was written");
    names.iter().map(read).collect()
}

#[test]
fn a_run_by_games_stopped_again_and_again_equals_the_unbroken_one() {
    let folder = scratch("games-stopped");
    let (whole, broken) = (folder.join("whole"), folder.join("broken"));
    for path in [&whole, &broken] {
        let _ = fs::remove_dir_all(path);
    }
    let never = Arc::new(AtomicBool::new(false));
    let done = start::<Breed>(&order(STAGES, &whole), &work(1, &never), silent);
    let done = done.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(done.proof.matches.len(), 1);

    // Asked to stop after each handful of games, also in the middle of a generation
    // and while the champion is chosen.
    let mut turns = 0;
    let mut finished = false;
    while !finished {
        turns += 1;
        assert!(turns < 60, "it gets nowhere");
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let (mut heard, mut last) = (0, None);
        let watch = move |folder: &Path, event: &ExperimentEvent| {
            let Some((done, _)) = progress(event, "games").filter(|_| !folder.ends_with("parent"))
            else {
                return;
            };
            // The first number is of games that were found.
            heard += u32::from(last.is_some_and(|last| done > last));
            last = Some(done);
            if heard >= 4 {
                flag.store(true, Ordering::Relaxed);
            }
        };
        let work = work(2, &stop);
        let ran = match turns {
            1 => start::<Breed>(&order(STAGES, &broken), &work, watch),
            _ => resume::<Breed>(&broken, &work, watch),
        };
        finished = match ran {
            Err(Failure::Stopped) => false,
            ran => ran.map(|_| true).expect("it is resumed"),
        };
    }
    assert!(turns > 10, "it was hardly ever stopped: {turns}");
    assert_eq!(records(&whole), records(&broken));

    // The champion is what the duels came to, which is no member of a generation.
    let champion = fs::read_to_string(whole.join("champion.toml")).expect("written");
    let champion = Player::parse(&champion, "the champion").expect("a player");
    assert!(champion.pedigree.contains_key("generation"));
    assert!(!champion.pedigree.contains_key("member"));
    let pairs = fs::read_to_string(whole.join("pairs.jsonl")).expect("written");
    for phase in ["trial", "ladder", "verify"] {
        assert!(pairs.contains(&format!("\"phase\":\"{phase}\"")), "{phase}");
    }
}

#[test]
fn founders_begin_the_population_and_are_met_in_the_proof() {
    let folder = scratch("games-founded");
    let path = folder.join("run");
    let _ = fs::remove_dir_all(&path);
    let never = Arc::new(AtomicBool::new(false));
    let done = start::<Breed>(&order(FOUNDED, &path), &work(2, &never), silent);
    let done = done.unwrap_or_else(|error| panic!("{error}"));
    let matches = done.proof.matches;
    let met: Vec<(&str, &str)> = matches
        .iter()
        .map(|it| (it.role.as_str(), it.opponent.as_str()))
        .collect();
    assert_eq!(
        met,
        [
            ("parent", "gerald-eval-tuned"),
            ("founder", "gerald-tuned"),
            ("founder", "gerald-base"),
        ]
    );
    let lineage = fs::read_to_string(path.join("lineage.jsonl")).expect("written");
    assert!(lineage.contains("\"origins\":\"ggx"), "{lineage}");
    let champion = fs::read_to_string(path.join("champion.toml")).expect("written");
    assert!(champion.contains("gerald-tuned") && champion.contains("gerald-base"));
}

#[test]
fn the_whole_form_of_a_recipe_is_the_recipe_with_its_changes() {
    let text = format!(
        "{FOUNDED}\n[full]\n\"stop.generations\" = 7\n\
         [full.trial]\nkind = \"round-robin\"\ngames = 4\nmovetime = 5\n"
    );
    let usual = Recipe::parse(&text, "test", &[]).expect("a sound recipe");
    assert_eq!(usual.stages[0].stop.generations, Some(1));
    let path = scratch("games-full").join("full.toml");
    fs::write(&path, &text).expect("there is room");
    let name = path.to_string_lossy();
    let set = [("stop.generations".to_owned(), 3.into())];
    let full = Recipe::find_full(&name, &[]).expect("a sound form");
    assert_eq!(full.stages[0].stop.generations, Some(7));
    assert!(full.to_toml().contains("movetime = 5") && !full.to_toml().contains("[full]"));
    // What is set by hand has the last word.
    let by_hand = Recipe::find_full(&name, &set).expect("a sound form");
    assert_eq!(by_hand.stages[0].stop.generations, Some(3));
}

/// Every built-in recipe that has a whole form has a sound one.
#[test]
fn the_built_in_whole_forms_are_sound() {
    let with = BUILT_IN.iter().filter(|(_, text)| text.contains("[full"));
    let names: Vec<&str> = with.map(|(name, _)| *name).collect();
    assert!(names.contains(&"gerald-search"), "{names:?}");
    for name in names {
        match checked(Recipe::find_full(name, &[])) {
            Err(error) if lacks_a_player(name, &error) => {}
            found => drop(found.unwrap_or_else(|error| panic!("{error}"))),
        }
    }
}
