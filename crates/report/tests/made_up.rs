//! A synthetic run: a small genetic algorithm on a problem that takes no time, recorded as a real run
//! is.

use std::fs;
use std::path::{Path, PathBuf};

use mendel_engine::Player;
use mendel_evolve::{MemberId, Origin};
use mendel_lab::record::manifest::{Data, Manifest};
use mendel_lab::record::{Generation, Histogram, Lineage, Timing};
use mendel_store::{Journal, Record, Sync};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// An empty folder of its own for each test.
pub(crate) fn fresh_folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("lab")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the build folder is writable");
    folder
}

/// Writes the manifest of a run as the frame does.
pub(crate) fn write_manifest(folder: &Path, run: &Manifest) {
    let manifest = mendel_store::frame::Manifest {
        kind: "breed".to_owned(),
        schema: 1,
        id: run.id.clone(),
        name: run.recipe.clone(),
        seed: run.seed,
        version: run.version.clone(),
        command: run.command.clone(),
        facts: run.facts(),
    };
    let text = toml::to_string(&manifest).expect("plain data");
    fs::write(folder.join(Manifest::FILE), text).expect("a writable folder");
}

/// Writes `result.json` as the frame does.
pub(crate) fn write_result(folder: &Path, result: &serde_json::Value) {
    let mut text = serde_json::to_vec_pretty(result).expect("plain data");
    mendel_store::add_checksum_indented(&mut text).expect("an object");
    fs::write(folder.join("result.json"), text).expect("a writable folder");
}

/// How large a made-up run is.
pub(crate) struct Size {
    pub(crate) genes: usize,
    pub(crate) members: usize,
    pub(crate) generations: u32,
}

pub(crate) const SMALL: Size = Size {
    genes: 6,
    members: 12,
    generations: 9,
};

const BINS: usize = 40;

/// Writes a run's folder; the weights of `gerald-base` are bred towards those of
/// `gerald-eval-tuned`.
pub(crate) fn write_run(folder: &Path, size: &Size, recipe: &str) -> Manifest {
    let weights = |name: &str| {
        let player = Player::find(name).expect("built in");
        let weights = player.evaluator.weights();
        weights
            .into_iter()
            .map(|w| (w.name, f64::from(w.value)))
            .take(size.genes)
    };
    let (names, base): (Vec<String>, Vec<f64>) = weights("gerald-base").unzip();
    let goal: Vec<f64> = weights("gerald-eval-tuned").map(|w| w.1).collect();
    let bounds: Vec<[f64; 2]> = goal
        .iter()
        .enumerate()
        .map(|(i, goal)| {
            [
                0.0,
                if i % 9 == 4 {
                    goal.max(1.0)
                } else {
                    goal.max(8.0) * 2.0
                },
            ]
        })
        .collect();
    let error = |genes: &[f64]| {
        let off = |((x, goal), [low, high]): ((&f64, &f64), &[f64; 2])| {
            (x - goal).abs() / (high - low).max(1.0)
        };
        let sum: f64 = genes.iter().zip(&goal).zip(&bounds).map(off).sum();
        124.5 + 900.0 * sum / genes.len() as f64
    };
    let manifest = Manifest {
        id: "3f9c2a7e51d04b68".to_owned(),
        recipe: "gerald-eval".to_owned(),
        seed: 7,
        version: "0.1.0".to_owned(),
        command: "mendel breed gerald-eval --seed 7".to_owned(),
        parent: "gerald-base".to_owned(),
        baseline: Some(160.4),
        stand_in: None,
        unit: "centipawns of mean error".to_owned(),
        smaller_is_better: true,
        warnings: Vec::new(),
        genes: names,
        bounds: bounds.clone(),
        parent_genes: base,
        data_override: None,
        data: vec![Data {
            name: "quiet".to_owned(),
            hash: "9b1d".to_owned(),
            positions: 8000,
        }],
    };
    write_manifest(folder, &manifest);
    fs::write(folder.join("recipe.toml"), recipe).expect("a writable folder");
    breed(folder, size, &bounds, &error);
    manifest
}

/// The algorithm and its journals.
fn breed(folder: &Path, size: &Size, bounds: &[[f64; 2]], error: &dyn Fn(&[f64]) -> f64) {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let any = |rng: &mut ChaCha8Rng| -> Vec<f64> {
        let value = |[low, high]: &[f64; 2]| (low + (high - low) * rng.random::<f64>()).round();
        bounds.iter().map(value).collect()
    };
    let mut population: Vec<Vec<f64>> = (0..size.members).map(|_| any(&mut rng)).collect();
    let mut parents = vec![Vec::new(); size.members];
    let mut origins = vec![Origin::Random; size.members];
    let mut random_best = f64::INFINITY;
    let (mut generations, mut lineage, mut timings) = journals(folder);
    for generation in 0..size.generations {
        let errors: Vec<f64> = population.iter().map(|genes| error(genes)).collect();
        let mut order: Vec<usize> = (0..size.members).collect();
        order.sort_by(|a, b| errors[*a].total_cmp(&errors[*b]));
        for _ in 0..size.members {
            random_best = random_best.min(error(&any(&mut rng)));
        }
        let line = line_of(generation, &population, &errors, &order, bounds);
        let line = Generation {
            random_best: Some(random_best),
            ..line
        };
        generations.append(&line).expect("writable");
        lineage
            .append(&Lineage {
                generation,
                parents: parents.clone(),
                origins: origins.clone(),
            })
            .expect("writable");
        timings
            .append(&Timing {
                phase: "generation".to_owned(),
                index: Some(generation),
                ended: 1_794_726_000,
                seconds: 0.0095,
            })
            .expect("writable");

        // The next generation: the best as it is, the others from two tournaments.
        let id = |member: usize| MemberId {
            generation,
            member: member as u32,
        };
        let mut next = vec![population[order[0]].clone()];
        parents = vec![vec![id(order[0])]];
        origins = vec![Origin::Elite];
        while next.len() < size.members {
            let mut pick = || {
                let best = (0..2).map(|_| rng.random_range(0..size.members));
                best.min_by(|a, b| errors[*a].total_cmp(&errors[*b]))
                    .expect("two")
            };
            let (mother, father) = (pick(), pick());
            let cut = rng.random_range(0..bounds.len());
            let mut child = population[mother].clone();
            child[cut..].copy_from_slice(&population[father][cut..]);
            for (gene, [low, high]) in child.iter_mut().zip(bounds) {
                if rng.random_bool(0.01) {
                    let step = (high - low) * (rng.random::<f64>() - 0.5) * 0.6;
                    *gene = (*gene + step).round().clamp(*low, *high);
                }
            }
            next.push(child);
            parents.push(vec![id(mother), id(father)]);
            origins.push(Origin::Crossover);
        }
        population = next;
    }
}

type Journals = (Journal<Generation>, Journal<Lineage>, Journal<Timing>);

fn journals(folder: &Path) -> Journals {
    fn open<T: Record>(folder: &Path, name: &str) -> Journal<T> {
        let every = Sync::Every(std::time::Duration::from_hours(1));
        Journal::open(&folder.join(name), every)
            .expect("a writable folder")
            .0
    }
    (
        open(folder, "generations.jsonl"),
        open(folder, "lineage.jsonl"),
        open(folder, "timings.jsonl"),
    )
}

fn line_of(
    generation: u32,
    population: &[Vec<f64>],
    errors: &[f64],
    order: &[usize],
    bounds: &[[f64; 2]],
) -> Generation {
    let count = errors.len() as f64;
    let mean = errors.iter().sum::<f64>() / count;
    let (best, worst) = (errors[order[0]], errors[order[order.len() - 1]]);
    let mut counts = vec![0; BINS];
    for error in errors {
        let share = (error - best) / (worst - best).max(1e-9);
        counts[((share * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    let mean_of = |gene: usize| population.iter().map(|genes| genes[gene]).sum::<f64>() / count;
    let gene_means: Vec<f64> = (0..bounds.len()).map(mean_of).collect();
    let distance = |genes: &Vec<f64>| {
        let off = |((x, mean), [low, high]): ((&f64, &f64), &[f64; 2])| {
            2.0 * (x - mean).abs() / (high - low)
        };
        genes
            .iter()
            .zip(&gene_means)
            .zip(bounds)
            .map(off)
            .sum::<f64>()
            / genes.len() as f64
    };
    Generation {
        generation,
        judgements: u64::from(generation + 1) * errors.len() as u64 * 1600,
        best,
        mean,
        worst,
        deviation: (errors.iter().map(|e| (e - mean) * (e - mean)).sum::<f64>() / count).sqrt(),
        diversity: population.iter().map(distance).sum::<f64>() / count,
        commonest: 1.0 / count,
        random_best: None,
        best_member: MemberId {
            generation,
            member: order[0] as u32,
        },
        genes: population[order[0]].clone(),
        gene_means,
        histogram: Histogram {
            low: best,
            high: worst,
            counts,
        },
        king: None,
        ladder: None,
        networks: None,
    }
}

/// The recipe of a paper, as far as a report reads it.
pub(crate) const RECIPE: &str = r#"name = "gerald-eval"

[report]
histograms = [1, 4, 9]

[paper]
title = "Genetic Algorithms for Chess Engine Parameter Tuning"
source = "Thesis, 2021"
weights = "gerald-eval-tuned"
notes = ["The paper’s base played with an inverted sign, which makes its gain larger"]

[[paper.figure]]
what = "best mean error"
paper = 160.0
ours = "best"
unit = "cp"

[[paper.figure]]
what = "tuned against base"
paper = "+108.3 ± 19.6"
ours = "match.parent.elo"
unit = "Elo"

[[paper.figure]]
what = "seconds"
paper = 222
ours = "seconds"
unit = "s"

[[paper.figure]]
what = "something we do not measure"
paper = 1

[[paper.figure]]
what = "improvement"
paper = 20
ours = "holdout.gain"

[[paper.figure]]
what = "mean error on all positions"
paper = 160.0
ours = "training.champion"
"#;

/// What a proof looks like.
pub(crate) const PROOF: &str = r#"{
  "training": {"positions": 6000, "parent": 156.3, "champion": 131.0, "interval": [-26.6, -24.0], "unit": "centipawns of mean error"},
  "holdout": {"positions": 2000, "parent": 158.2, "champion": 133.4, "interval": [-27.1, -22.5], "unit": "centipawns of mean error"},
  "matches": [
    {"opponent": "gerald-base", "games": 1000, "wins": 538, "draws": 236, "losses": 226, "elo": 112.4, "interval": [93.0, 132.4],
     "conditions": "10,000 nodes a move, 500 openings with both colours",
     "sprt": {"elo0": 0, "elo1": 10, "llr": 2.97, "decision": "accepted"}, "role": "parent"},
    {"opponent": "Stash 12", "games": 400, "wins": 150, "draws": 101, "losses": 149, "elo": 0.9, "interval": [-28.5, 30.2],
     "conditions": "1+0.01", "role": "outside"}
  ],
  "verdict": "proved +112 [+93, +132] Elo in 1000 games"
}"#;

/// A champion whose genes are the best of the run.
pub(crate) fn write_champion(folder: &Path, name: &str) {
    let lines: Vec<Generation> =
        Journal::read(&folder.join("generations.jsonl")).expect("what was written");
    let best = lines
        .iter()
        .min_by(|a, b| a.best.total_cmp(&b.best))
        .expect("at least one");
    let mut player = Player::find("gerald-base").expect("built in");
    let mut values: Vec<i32> = player.evaluator.weights().iter().map(|w| w.value).collect();
    for (value, gene) in values.iter_mut().zip(&best.genes) {
        *value = *gene as i32;
    }
    player.evaluator = player.evaluator.with_weights(&values).expect("as many");
    name.clone_into(&mut player.name);
    let pedigree = format!(
        "run = \"3f9c2a7e51d04b68\"\nseed = 7\ngeneration = {}\nmember = {}",
        best.best_member.generation, best.best_member.member
    );
    player.pedigree = pedigree.parse().expect("a table");
    fs::write(folder.join("champion.toml"), player.to_toml()).expect("a writable folder");
}
