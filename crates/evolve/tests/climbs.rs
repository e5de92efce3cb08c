//! Each breeder on hills whose tops are known, within a budget, over several
//! seeds, against random search with as many judgements.

use mendel_evolve::problems::{BitHill, RealHill};
use mendel_evolve::{
    Adam, AdamSettings, Archive, Bits, Breeder, Crossover, Founders, Ga, GaSettings,
    GenerationRequest, GenerationResult, HallOfFame, JudgedMember, Measure, MuPlusLambda,
    MuPlusLambdaSettings, Mutation, Piece, RandomSearch, RandomSettings, RealVector, Run,
    Selection, StopRules, Stopped, Trial,
};

const SEEDS: std::ops::Range<u64> = 1..6;

/// The best score after so many generations, or when the target is reached.
fn best<B, T>(breeder: B, mut hill: T, generations: u32, target: f64) -> (f64, Stopped)
where
    B: Breeder,
    T: Trial<B::Genome>,
    T::Error: std::fmt::Debug,
{
    let stop = StopRules {
        generations: Some(generations),
        target: Some(target),
        ..StopRules::default()
    };
    let mut run = Run::new(breeder, stop, 1).unwrap();
    let why = run.finish(&mut hill).unwrap();
    (run.progress.best.unwrap(), why)
}

fn bits_ga(population: usize, selection: Selection, crossover: Crossover, rate: f64) -> GaSettings {
    GaSettings {
        population,
        selection,
        crossover,
        crossover_rate: 0.75,
        mutation: Mutation::BitFlip,
        mutation_rate: rate,
        elites: 1,
        hall_of_fame: None,
        founders: Founders::Random,
    }
}

fn random_bits(len: usize, population: usize, seed: u64) -> RandomSearch<Bits> {
    RandomSearch::new(
        RandomSettings { population },
        BitHill::layout(len),
        None,
        seed,
    )
    .unwrap()
}

fn random_reals(
    hill: RealHill,
    len: usize,
    population: usize,
    seed: u64,
) -> RandomSearch<RealVector> {
    RandomSearch::new(RandomSettings { population }, hill.space(len), None, seed).unwrap()
}

#[test]
fn the_genetic_algorithm_counts_to_the_top_and_random_search_does_not() {
    for seed in SEEDS {
        let settings = bits_ga(
            60,
            Selection::Tournament { size: 3 },
            Crossover::SinglePoint,
            0.01,
        );
        let ga = Ga::<Bits>::new(settings, BitHill::layout(64), None, seed).unwrap();
        let (score, why) = best(ga, BitHill::OneMax, 80, 64.0);
        assert_eq!(why, Stopped::Target, "seed {seed} came to {score}");
        let (random, _) = best(random_bits(64, 60, seed), BitHill::OneMax, 80, 64.0);
        assert!(random < 56.0, "random search came to {random}");
    }
}

#[test]
fn every_selection_climbs() {
    let ways = [
        Selection::Roulette,
        Selection::RouletteShifted,
        Selection::RouletteSquared,
        Selection::Tournament { size: 2 },
        Selection::Rank { pressure: 1.8 },
        Selection::Truncation { share: 0.3 },
    ];
    for selection in ways {
        let settings = bits_ga(60, selection, Crossover::uniform(Piece::Bit), 0.005);
        let ga = Ga::<Bits>::new(settings, BitHill::layout(64), None, 1).unwrap();
        let (score, _) = best(ga, BitHill::OneMax, 150, 64.0);
        let (random, _) = best(random_bits(64, 60, 1), BitHill::OneMax, 150, 64.0);
        assert!(
            score >= 58.0 && score > random,
            "{selection:?}: {score}, at random {random}"
        );
    }
}

#[test]
fn every_crossover_climbs() {
    let ways = [
        Crossover::SinglePoint,
        Crossover::TwoPoint,
        Crossover::uniform(Piece::Bit),
        Crossover::uniform(Piece::Gene),
        Crossover::Uniform {
            by: Piece::Bit,
            swap: 0.2,
        },
    ];
    for crossover in ways {
        let settings = bits_ga(60, Selection::Tournament { size: 3 }, crossover, 0.01);
        let ga = Ga::<Bits>::new(settings, BitHill::layout(64), None, 2).unwrap();
        let (score, why) = best(ga, BitHill::OneMax, 100, 64.0);
        assert_eq!(why, Stopped::Target, "{crossover:?} came to {score}");
    }
}

#[test]
fn crossover_gets_out_of_traps_that_single_bits_lead_into() {
    let traps = BitHill::Traps(4);
    for seed in SEEDS {
        // Blocks of four lie side by side, so that two cuts keep most of them.
        let with = bits_ga(
            400,
            Selection::Tournament { size: 4 },
            Crossover::TwoPoint,
            0.002,
        );
        let without = GaSettings {
            crossover_rate: 0.0,
            ..with.clone()
        };
        let climb = |settings| {
            let ga = Ga::<Bits>::new(settings, BitHill::layout(40), None, seed).unwrap();
            best(ga, traps, 60, traps.top(40)).0
        };
        let (crossed, alone) = (climb(with), climb(without));
        let (random, _) = best(random_bits(40, 400, seed), traps, 60, traps.top(40));
        assert!(crossed >= 37.0, "seed {seed}: {crossed}");
        let others = alone.max(random);
        assert!(crossed >= others + 2.0, "{crossed} {alone} {random}");
    }
}

/// Asserts that the median of the seeds is high enough, and that every one of them
/// is far above random search.
fn assert_climbs(climb: impl Fn(u64) -> f64, random: impl Fn(u64) -> f64, enough: f64, what: &str) {
    let mut scores: Vec<f64> = SEEDS.map(climb).collect();
    scores.sort_by(f64::total_cmp);
    let at_random = SEEDS.map(random).fold(f64::MIN, f64::max);
    assert!(scores[scores.len() / 2] >= enough, "{what}: {scores:?}");
    assert!(
        scores[0] > at_random / 2.0,
        "{what}: {scores:?}, at random {at_random}"
    );
}

#[test]
fn the_genetic_algorithm_climbs_over_numbers() {
    let gaussian = Mutation::Gaussian {
        sigma: 0.1,
        measure: Measure::Range,
        decay: Some(0.96),
    };
    let non_uniform = Mutation::NonUniform {
        shape: 5.0,
        generations: 200,
    };
    let table = [
        (RealHill::Sphere, Crossover::Arithmetic, gaussian, -0.001),
        (RealHill::Sphere, Crossover::TwoPoint, gaussian, -0.001),
        (
            RealHill::Sphere,
            Crossover::SinglePoint,
            non_uniform,
            -0.001,
        ),
        // Each number can leave its dents alone, so whole numbers are swapped; a
        // number that is left in the first dent costs about 1.
        (
            RealHill::Rastrigin,
            Crossover::uniform(Piece::Gene),
            non_uniform,
            -3.0,
        ),
    ];
    for (hill, crossover, mutation, enough) in table {
        let settings = GaSettings {
            population: 50,
            selection: Selection::Tournament { size: 3 },
            crossover,
            crossover_rate: 0.5,
            mutation,
            mutation_rate: 0.2,
            elites: 1,
            hall_of_fame: Some(HallOfFame {
                size: 5,
                reintroduce: 1,
            }),
            founders: Founders::Random,
        };
        let climb = |seed| {
            let ga = Ga::<RealVector>::new(settings.clone(), hill.space(6), None, seed).unwrap();
            best(ga, hill, 200, enough).0
        };
        let random = |seed| best(random_reals(hill, 6, 50, seed), hill, 200, enough).0;
        assert_climbs(climb, random, enough, &format!("{hill:?}, {settings:?}"));
    }
}

#[test]
fn mu_plus_lambda_climbs_with_and_without_its_archive() {
    let archive = Archive {
        size: 20,
        probability: 0.15,
    };
    for archive in [None, Some(archive)] {
        let settings = MuPlusLambdaSettings {
            parents: 10,
            children: 10,
            mutation: Mutation::NonUniform {
                shape: 5.0,
                generations: 300,
            },
            mutation_rate: 0.3,
            archive,
        };
        for (hill, enough) in [(RealHill::Sphere, -0.001), (RealHill::Rastrigin, -6.0)] {
            let climb = |seed| {
                let space = hill.space(6);
                let breeder = MuPlusLambda::<RealVector>::new(settings.clone(), space, None, seed);
                best(breeder.unwrap(), hill, 300, enough).0
            };
            let random = |seed| best(random_reals(hill, 6, 20, seed), hill, 300, enough).0;
            assert_climbs(climb, random, enough, &format!("{hill:?}, {archive:?}"));
        }
    }
}

#[test]
fn adam_follows_the_slope_to_the_top() {
    let table = [
        (RealHill::Sphere, 10, 0.05, 400),
        (RealHill::Rosenbrock, 2, 0.1, 3000),
        (RealHill::Rosenbrock, 4, 0.1, 3000),
    ];
    for (hill, len, rate, steps) in table {
        let adam = Adam::new(AdamSettings::new(rate), hill.space(len), None, 1).unwrap();
        let (score, why) = best(adam, hill, steps, -1e-6);
        assert_eq!(why, Stopped::Target, "{hill:?} of {len}: {score}");
        let random = random_reals(hill, len, 1, 1);
        let (random, _) = best(random, hill, steps, -1e-6);
        assert!(random < score, "{hill:?} of {len} at random: {random}");
    }
}

/// A pointed hill: the slope is as steep next to the top as far from it.
struct Tent;

impl Trial<RealVector> for Tent {
    type Error = std::convert::Infallible;

    fn judge(
        &mut self,
        request: GenerationRequest<'_, RealVector>,
    ) -> Result<GenerationResult, Self::Error> {
        let members = request.offspring.iter().map(|member| &member.genome.0);
        let judged = members.map(|x| JudgedMember {
            score: -x[0].abs(),
            gradient: Some(vec![-x[0].signum()]),
        });
        Ok(GenerationResult::of(judged.collect()))
    }
}

#[test]
fn a_decaying_rate_settles_where_a_steady_one_still_swings() {
    let climb = |decay| {
        let settings = AdamSettings {
            decay,
            ..AdamSettings::new(0.5)
        };
        let adam = Adam::new(settings, RealHill::Sphere.space(1), None, 1).unwrap();
        let mut run = Run::new(adam, generations(200), 1).unwrap();
        // How far it still swings in the last fifty steps.
        let mut widest: f64 = 0.0;
        while run.stopped().is_none() {
            run.step(&mut Tent).unwrap();
            if run.progress.generations > 150 {
                widest = widest.max(run.breeder.ask()[0].genome.0[0].abs());
            }
        }
        widest
    };
    let (calm, steady) = (climb(Some(0.95)), climb(None));
    assert!(calm < 0.05 && steady > 0.1, "{calm} {steady}");
}

fn generations(count: u32) -> StopRules {
    StopRules {
        generations: Some(count),
        ..StopRules::default()
    }
}

#[test]
fn the_tops_are_where_the_problems_say() {
    for hill in [RealHill::Sphere, RealHill::Rosenbrock, RealHill::Rastrigin] {
        let top = [hill.top(); 5];
        assert!(hill.height(&top).abs() < 1e-12);
        assert!(hill.slope(&top).iter().all(|slope| slope.abs() < 1e-9));
        let beside: Vec<f64> = top.iter().map(|x| x + 0.1).collect();
        assert!(hill.height(&beside) < -0.01);
        // The slope is the slope: against small differences.
        for at in 0..5 {
            let moved = |by: f64| {
                let mut x = beside.clone();
                x[at] += by;
                hill.height(&x)
            };
            let measured = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            assert!(
                (hill.slope(&beside)[at] - measured).abs() < 1e-4,
                "{hill:?}"
            );
        }
    }
    let all = "10:ffc".parse::<Bits>().unwrap();
    let none = Bits::zeros(10);
    for (hill, low) in [(BitHill::OneMax, 0.0), (BitHill::Traps(5), 8.0)] {
        assert!((hill.height(&all) - hill.top(10)).abs() < 1e-12);
        assert!((hill.height(&none) - low).abs() < 1e-12, "{hill:?}");
    }
}
