//! Same seed, same run; written down and read back at any generation, the same
//! run still.

use mendel_evolve::problems::{BitHill, RealHill};
use mendel_evolve::{
    Adam, AdamSettings, Archive, Bits, Breeder, Cosyne, CosyneSettings, CosyneSpace, Crossover,
    Founders, Ga, GaSettings, GenerationRequest, GenerationResult, HallOfFame, Measure,
    MuPlusLambda, MuPlusLambdaSettings, Mutation, Piece, RandomSearch, RandomSettings, RealVector,
    Run, Selection, StopRules, Trial,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

const GENERATIONS: u32 = 12;

fn bits(seed: u64) -> Ga<Bits> {
    let settings = GaSettings {
        population: 21,
        selection: Selection::RouletteShifted,
        crossover: Crossover::uniform(Piece::Gene),
        crossover_rate: 0.75,
        mutation: Mutation::BitFlip,
        mutation_rate: 0.02,
        elites: 2,
        hall_of_fame: Some(HallOfFame {
            size: 4,
            reintroduce: 2,
        }),
        founders: Founders::Random,
    };
    let start = Bits::zeros(100);
    Ga::new(settings, BitHill::layout(100), Some(start), seed).unwrap()
}

fn reals(seed: u64) -> Ga<RealVector> {
    let settings = GaSettings {
        population: 20,
        selection: Selection::Rank { pressure: 1.7 },
        crossover: Crossover::Arithmetic,
        crossover_rate: 0.6,
        mutation: Mutation::Gaussian {
            sigma: 0.1,
            measure: Measure::Range,
            decay: Some(0.9),
        },
        mutation_rate: 0.4,
        elites: 0,
        hall_of_fame: None,
        founders: Founders::Mutants,
    };
    let start = RealVector(vec![1.0, -1.5, 2.0 / 3.0]);
    Ga::new(settings, RealHill::Rastrigin.space(3), Some(start), seed).unwrap()
}

fn mu_plus_lambda(seed: u64) -> MuPlusLambda {
    let settings = MuPlusLambdaSettings {
        parents: 3,
        children: 5,
        mutation: Mutation::NonUniform {
            shape: 5.0,
            generations: 40,
        },
        mutation_rate: 0.5,
        archive: Some(Archive {
            size: 4,
            probability: 0.3,
        }),
    };
    MuPlusLambda::new(settings, RealHill::Rastrigin.space(4), None, seed).unwrap()
}

fn random(seed: u64) -> RandomSearch<RealVector> {
    let settings = RandomSettings { population: 9 };
    RandomSearch::new(settings, RealHill::Sphere.space(4), None, seed).unwrap()
}

fn cosyne(seed: u64) -> Cosyne {
    let space = CosyneSpace::layered(&[2, 2, 1], true, true, 100.0);
    Cosyne::new(CosyneSettings::gomez(20), space, None, seed).unwrap()
}

fn adam(_seed: u64) -> Adam {
    let settings = AdamSettings {
        decay: Some(0.99),
        ..AdamSettings::new(0.1)
    };
    Adam::new(settings, RealHill::Rosenbrock.space(3), None, 0).unwrap()
}

fn begin<B: Breeder>(breeder: B) -> Run<B> {
    let stop = StopRules {
        generations: Some(GENERATIONS),
        ..StopRules::default()
    };
    Run::new(breeder, stop, 3).unwrap()
}

/// The whole state of a run after its last generation, as text.
fn finish<B, T>(mut run: Run<B>, mut trial: T) -> String
where
    B: Breeder + Serialize,
    T: Trial<B::Genome>,
    T::Error: std::fmt::Debug,
{
    run.finish(&mut trial).unwrap();
    serde_json::to_string(&run).unwrap()
}

fn check<B, T>(breeder: impl Fn(u64) -> B, trial: T, by_chance: bool)
where
    B: Breeder + Serialize + DeserializeOwned,
    B::Genome: PartialEq + std::fmt::Debug,
    T: Trial<B::Genome> + Copy,
    T::Error: std::fmt::Debug,
{
    let unbroken = finish(begin(breeder(7)), trial);
    let same = |seed| finish(begin(breeder(seed)), trial) == unbroken;
    assert!(same(7), "the same seed breeds another run");
    assert_eq!(same(8), !by_chance, "another seed");

    for broken_at in 0..=GENERATIONS {
        let mut run = begin(breeder(7));
        for _ in 0..broken_at {
            let asked = run.breeder.ask();
            assert_eq!(asked, run.breeder.ask(), "asked twice");
            run.step(&mut { trial }).unwrap();
        }
        let text = serde_json::to_string(&run).unwrap();
        drop(run);
        let resumed: Run<B> = serde_json::from_str(&text).unwrap();
        let same = finish(resumed, trial) == unbroken;
        assert!(
            same,
            "a run broken at generation {broken_at} goes on as another"
        );
    }
}

#[test]
fn the_genetic_algorithm_on_bits() {
    check(bits, BitHill::Traps(5), true);
}

#[test]
fn the_genetic_algorithm_on_numbers() {
    check(reals, RealHill::Rastrigin, true);
}

#[test]
fn mu_plus_lambda_with_its_archive() {
    check(mu_plus_lambda, RealHill::Rastrigin, true);
}

#[test]
fn random_search() {
    check(random, RealHill::Sphere, true);
}

#[test]
fn cosyne_with_its_permutations() {
    check(cosyne, RealHill::Rastrigin, true);
}

#[test]
fn adam_which_uses_no_chance() {
    check(adam, RealHill::Rosenbrock, false);
}

/// Judges by the seed alone, as a trial with chance in it may.
#[derive(Clone, Copy)]
struct Lottery;

impl Trial<Bits> for Lottery {
    type Error = std::convert::Infallible;

    fn judge(
        &mut self,
        request: GenerationRequest<'_, Bits>,
    ) -> Result<GenerationResult, Self::Error> {
        let mut state = request.seed;
        let judged = request.offspring.iter().map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            ((state >> 40) as f64).into()
        });
        Ok(GenerationResult::of(judged.collect()))
    }
}

#[test]
fn a_trial_meets_the_same_chances_after_a_break() {
    check(bits, Lottery, true);
}

/// Numbers that many computers and versions must agree on.
#[test]
fn the_champions_are_those_of_every_machine() {
    let champion = |text: String| {
        let run: serde_json::Value = serde_json::from_str(&text).unwrap();
        run["progress"]["best"].as_f64().unwrap()
    };
    let found = [
        champion(finish(begin(bits(7)), BitHill::Traps(5))),
        champion(finish(begin(reals(7)), RealHill::Rastrigin)),
        champion(finish(begin(mu_plus_lambda(7)), RealHill::Rastrigin)),
        champion(finish(begin(adam(7)), RealHill::Rosenbrock)),
        champion(finish(begin(cosyne(7)), RealHill::Rastrigin)),
    ];
    let known = [
        80.0,
        -3.098_490_874_138_562_4,
        -20.172_610_381_134_1,
        -30.407_155_302_638_323,
        -63.334_045_503_667_84,
    ];
    assert_eq!(
        found.map(f64::to_bits),
        known.map(f64::to_bits),
        "{found:?}"
    );
}
