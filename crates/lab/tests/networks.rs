//! Networks as members: bred, written down, gone on with.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use mendel_engine::Player;
use mendel_evolve::{CosyneSettings, NeatSettings};
use mendel_lab::breed::Breed;
use mendel_lab::recipe::{BUILT_IN, Recipe};
use mendel_lab::record::{EXAM, ExamLine, Generation, Genotype, Genotypes};
use mendel_store::Journal;
use mendel_store::frame::{ExperimentEvent, Failure};

use crate::experiment::{Request, Work, record, resume, silent, start};
use crate::made_data::{scratch, write_set};

const NEAT: &str = r#"
name = "growing"
parent = "material"
[genome]
coding = "net"
network = { input = "features", scale = 300 }
[breeder]
kind = "neat"
population = 12
weights = { start = { uniform = { low = -0.5, high = 0.5 } }, low = -8.0, high = 8.0, rate = 0.5, power = 0.2 }
biases = { start = { uniform = { low = -0.1, high = 0.1 } }, low = -8.0, high = 8.0, rate = 0.5, power = 0.2 }
functions = ["tanh", "relu"]
structure = { add-node = 0.4, add-link = 0.4, delete-link = 0.1 }
distance = { genes = { excess = 1.0, disjoint = 1.0, weight = 0.4 } }
threshold = { fixed = 0.5 }
survival = 0.5
elites = { champion = { above = 2 } }
mating = { alone = 0.25 }
[trial]
kind = "expert-distance"
data = "DATA"
sample = 40
[stop]
generations = 8
[proof]
games = 2
nodes = 20
"#;

const RING: &str = r#"
name = "ring"
parent = "material"
[genome]
coding = "synapses"
network = { input = "paper", hidden = [4] }
[breeder]
kind = "cosyne"
population = 4
parents = 0.5
offspring = 2
crossover = { uniform = { pick = 0.6, swap = 0.3 } }
mutation = { gaussian = { rate = 0.6, sigma = 0.01, decay = 0.995 } }
permutation = "square-root"
start = "xavier"
[trial]
kind = "random-members"
opponents = 2
games = 1
depth = 1
lead = 300
openings = { lines = [""] }
[stop]
generations = 2
[exam]
every = 2
games = 2
depth = 1
movetime = 1
rows = [["random"], ["cmd:there-is-no-such-program"]]
[report]
keep-genotypes = 2
[proof]
games = 2
nodes = 20
"#;

fn order(text: &str, folder: &Path, name: &str) -> Request {
    let data = folder.join("set.mds");
    if !data.exists() {
        write_set(&data, 80);
    }
    let text = text.replace("DATA", &data.to_string_lossy());
    Request {
        recipe: Recipe::parse(&text, "test", &[]).unwrap_or_else(|error| panic!("{error}")),
        seed: 3,
        data: None,
        folder: folder.join(name),
    }
}

fn work(threads: usize) -> Work {
    Work {
        threads,
        proof: false,
        stop: Arc::new(AtomicBool::new(false)),
    }
}

fn records(folder: &Path) -> Vec<String> {
    let names = ["generations.jsonl", "lineage.jsonl", "champion.toml"];
    let read = |name: &&str| fs::read_to_string(folder.join(name)).expect("it was written");
    names.iter().map(read).collect()
}

#[test]
fn a_run_of_growing_networks_is_gone_on_with_to_the_bit() {
    let folder = scratch("networks-resumed");
    let whole = order(NEAT, &folder, "whole");
    start::<Breed>(&whole, &work(2), silent).expect("it runs");
    let parts = order(NEAT, &folder, "parts");
    let halted = work(1);
    let stop = Arc::clone(&halted.stop);
    let halt = move |_: &Path, event: &ExperimentEvent| {
        if record(event, "generation").is_some_and(|it| it["generation"] == 3) {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let stopped = start::<Breed>(&parts, &halted, halt);
    assert!(matches!(stopped, Err(Failure::Stopped)), "{stopped:?}");
    resume::<Breed>(&parts.folder, &work(1), silent).expect("it is resumed");
    assert_eq!(records(&whole.folder), records(&parts.folder));

    let lines: Vec<Generation> =
        Journal::read(&whole.folder.join("generations.jsonl")).expect("a record");
    for line in &lines {
        let networks = line.networks.as_ref().expect("it breeds networks");
        let members: u32 = networks.species.iter().map(|it| it.size).sum();
        assert_eq!((members, networks.empty), (12, Some(0.0)), "{networks:?}");
        let best = networks.species.iter().map(|it| it.best);
        assert!((best.fold(f64::INFINITY, f64::min) - line.best).abs() < 1e-12);
    }
    let sizes = lines.iter().map(|it| it.networks.as_ref()?.size);
    let sizes: Vec<[f64; 2]> = sizes.map(|it| it.expect("it can change")).collect();
    assert!(sizes[0][0].abs() < 1e-12, "no hidden node yet: {sizes:?}");
    assert!(sizes[7][0] > 0.0, "some were grown: {sizes:?}");
    assert!(lines[7].best < lines[0].best, "it learns");
    let champion = Player::read(&whole.folder.join("champion.toml")).expect("a player");
    assert_eq!(champion.evaluator.kind(), "graph");
}

#[test]
fn a_ring_of_single_games_runs_and_is_examined() {
    let folder = scratch("networks-ring");
    let order = order(RING, &folder, "ring");
    let told = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&told);
    start::<Breed>(&order, &work(2), move |_, event| {
        let is_row = record(event, "external-test").is_some();
        count.fetch_add(u32::from(is_row), Ordering::Relaxed);
    })
    .expect("it runs");
    assert_eq!(
        told.load(Ordering::Relaxed),
        4,
        "each row is told when it is held"
    );
    let pairs = fs::read_to_string(order.folder.join("pairs.jsonl")).expect("games");
    assert_eq!(pairs.lines().count(), 2 * 4, "four games a generation");
    let lines: Vec<ExamLine> = Journal::read(&order.folder.join(EXAM)).expect("an exam");
    let [_, _, held, missed] = &lines[..] else {
        panic!("two rows of the first generation and of the second: {lines:?}");
    };
    let turns: Vec<(u32, usize)> = lines.iter().map(|it| (it.generation, it.row)).collect();
    assert_eq!(turns, [(1, 0), (1, 1), (2, 0), (2, 1)]);
    assert_eq!(held.losses + held.draws + held.wins, 8);
    let lost: usize = held.lost.iter().map(Vec::len).sum();
    assert_eq!(lost as u64, held.losses);
    assert!(missed.opponent.is_none() && missed.note.is_some());
    let opened = held.opened.each_ref().map(|it| it.values().sum::<u64>());
    assert_eq!(
        opened,
        [4, 4],
        "each game has a first move of either colour"
    );

    // Where generations are kept, all weights of their members are.
    let kept: Vec<Genotypes> =
        Journal::read(&order.folder.join("genotypes.jsonl")).expect("genotypes");
    let generations: Vec<u32> = kept.iter().map(|line| line.generation).collect();
    assert_eq!(
        generations,
        [0, 1],
        "the first, and the second as people count"
    );
    for member in kept.iter().flat_map(|line| &line.members) {
        assert!(
            matches!(member, Genotype::Genes(genes) if genes.len() > 64),
            "{member:?}"
        );
    }
}

#[test]
fn painted_networks_say_how_many_are_empty() {
    let folder = scratch("networks-painted");
    let (_, text) = BUILT_IN
        .iter()
        .find(|(name, _)| *name == "es-hyperneat-ours")
        .expect("built in");
    let text = text
        .replace("population = 100", "population = 10")
        .replace("generations = 300", "generations = 2")
        .replace("sample = 1500", "sample = 20")
        .replace("quiet-nnue", "DATA");
    let order = order(&text, &folder, "painted");
    start::<Breed>(&order, &work(2), silent).expect("it runs");
    let lines: Vec<Generation> =
        Journal::read(&order.folder.join("generations.jsonl")).expect("a record");
    assert_eq!(lines.len(), 2, "the recipe was made short");
    let empty = lines[0].networks.as_ref().and_then(|it| it.empty);
    assert!(empty.is_some_and(|share| share < 0.5), "{empty:?}");
}

#[test]
fn what_does_not_fit_a_network_is_refused() {
    let table = [
        (
            "coding = \"net\"\nnetwork = {",
            "coding = \"synapses\"\nnetwork = { hidden = [4],",
            "breeder.kind",
        ),
        ("\"tanh\", \"relu\"", "\"peas\"", "breeder.functions"),
        (
            "input = \"features\"",
            "input = \"nothing\"",
            "genome.network.input",
        ),
        (
            "network = {",
            "network = { hidden = [1025],",
            "genome.network.hidden",
        ),
        (
            "network = {",
            "network = { output = \"sine\",",
            "genome.network.output",
        ),
        (
            "network = {",
            "network = { connected = { full-with-loops = { direct = true } },",
            "genome.network.connected",
        ),
        ("scale = 300", "scale = 0", "genome.network.scale"),
        ("high = 8.0, rate", "high = -9.0, rate", "breeder.weights"),
        ("high = 8.0, rate", "high = nan, rate", "breeder.weights"),
        ("high = 8.0, rate", "high = 65.0, rate", "breeder.weights"),
        (
            "add-link = 0.4",
            "add-lnik = 0.4",
            "breeder.structure.add-lnik",
        ),
        ("[breeder]", "spread = 3\n[breeder]", "genome.spread"),
        (
            "coding = \"net\"",
            "coding = \"cppn\"",
            "genome.network.input",
        ),
    ];
    for (old, new, key) in table {
        let text = NEAT.replace("DATA", "quiet-nnue").replace(old, new);
        let error = Recipe::parse(&text, "test", &[]).expect_err(new);
        assert_eq!(error.key, key, "{error}");
    }
}

#[test]
fn what_does_not_fit_a_painted_network_or_one_of_layers_is_refused() {
    let text = |name: &str| {
        let found = BUILT_IN.iter().find(|(own, _)| *own == name);
        found.expect("built in").1
    };
    let table = [
        ("cosyne-1hidden", "hidden = [128]", "hidden = [0]", "hidden"),
        ("cosyne-1hidden", "hidden = [128]", "hidden = []", "hidden"),
        (
            "cosyne-1hidden",
            "hidden = [128]",
            "hidden = [9]\nlimit = 65.0",
            "limit",
        ),
        ("cosyne-1hidden", "\"paper\"", "\"foo\"", "input"),
        (
            "es-hyperneat-ours",
            "weight = 0.5",
            "weight = 65.0",
            "weight",
        ),
        (
            "es-hyperneat-ours",
            "weight = 0.5",
            "weight = inf",
            "weight",
        ),
        (
            "es-hyperneat-ours",
            "weight = 2.0",
            "weight = nan",
            "outputs.each.weight",
        ),
        (
            "es-hyperneat-ours",
            "band = 0.1",
            "band = -1.0",
            "quadtree.band",
        ),
        (
            "hyperneat-ours",
            "weight = 3.0",
            "weight = 1e9",
            "expression.weight",
        ),
    ];
    for (name, old, new, key) in table {
        let changed = text(name).replace(old, new);
        assert_ne!(changed, text(name), "`{old}` is in the recipe");
        let error = Recipe::parse(&changed, "test", &[]).expect_err(new);
        let inner = match name {
            "cosyne-1hidden" => "network",
            "hyperneat-ours" => "hyperneat",
            _ => "es-hyperneat",
        };
        assert_eq!(error.key, format!("genome.{inner}.{key}"), "{error}");
        assert!(error.line.is_some(), "{error}");
    }
    let foo = text("cosyne-1hidden").replace("\"paper\"", "\"foo\"");
    let error = Recipe::parse(&foo, "test", &[]).expect_err("no such input");
    for choice in ["`paper`", "`sides`", "`features`"] {
        assert!(error.reason.contains(choice), "{error}");
    }
}

#[test]
fn networks_too_large_to_play_are_no_empty_ones() {
    // From the first generation on there are 1,024 hidden nodes, the most that can play;
    // half of the children have one more. Links are none, so that those that fit are empty.
    let folder = scratch("networks-too-large");
    let text = NEAT
        .replace(
            "network = {",
            "network = { hidden = [1024], connected = { partial = { share = 0.0001, direct = false } },",
        )
        .replace("add-node = 0.4", "add-node = 1.0, tries = 100, orphans = \"keep\"")
        .replace("generations = 8", "generations = 2");
    let order = order(&text, &folder, "large");
    start::<Breed>(&order, &work(2), silent).expect("it runs");
    let lines: Vec<Generation> =
        Journal::read(&order.folder.join("generations.jsonl")).expect("a record");
    let shares: Vec<(f64, f64)> = lines
        .iter()
        .map(|line| {
            let networks = line.networks.as_ref().expect("it breeds networks");
            (
                networks.empty.expect("always told"),
                networks.too_large.expect("always told"),
            )
        })
        .collect();
    let [(empty, none), (empty_later, some)] = shares[..] else {
        panic!("two generations: {shares:?}");
    };
    assert!(empty > 0.0 && none.abs() < 1e-12, "{shares:?}");
    assert!(some > 0.0 && empty_later + some <= 1.0, "{shares:?}");
}

#[test]
fn the_faithful_recipes_have_the_numbers_of_the_paper() {
    let breeder = |name: &str| {
        let recipe = Recipe::find(name, &[]).unwrap_or_else(|error| panic!("{error}"));
        format!("{:?}", recipe.stages[0].breeder.settings)
    };
    assert_eq!(
        breeder("neat"),
        format!("{:?}", NeatSettings::neat_python())
    );
    for name in ["cosyne-1hidden", "cosyne-2hidden"] {
        let published = format!("{:?}", CosyneSettings::chess());
        assert_eq!(breeder(name), published, "{name}");
    }
}
