//! Simultaneous perturbation: its gains, its rounding, its climbing.

use mendel_evolve::problems::RealHill;
use mendel_evolve::{
    Bounds, Breeder, JudgedMember, Origin, Purpose, Reach, RealVector, SettingsError, Spsa,
    SpsaSettings, generator,
};
use rand::RngExt;

const STEP: Reach = Reach::Step(1.0);

fn judged(scores: impl IntoIterator<Item = f64>) -> Vec<JudgedMember> {
    let judge = |score| JudgedMember {
        score,
        gradient: None,
    };
    scores.into_iter().map(judge).collect()
}

fn numbers(len: usize, low: f64, high: f64) -> Vec<Bounds> {
    (0..len)
        .map(|at| Bounds::new(format!("x{at}"), low, high))
        .collect()
}

fn made(settings: SpsaSettings, space: Vec<Bounds>, seed: u64) -> Spsa {
    Spsa::new(settings, space, None, seed).unwrap()
}

fn point(spsa: &Spsa) -> Vec<f64> {
    spsa.incumbent().expect("it is always somewhere").0
}

/// Climbs for so many generations; what is seen of the height is off by chance, with
/// an even error up to `noise` to either side.
fn climb(mut spsa: Spsa, height: impl Fn(&[f64]) -> f64, noise: f64, generations: u32) -> Spsa {
    for generation in 0..generations {
        let mut rng = generator(99, generation, 0, Purpose::Trial);
        let born = spsa.ask();
        let seen = born.iter().map(|born| {
            let error = noise * (2.0 * rng.random::<f64>() - 1.0);
            height(&born.genome.0) + error
        });
        let judged = judged(seen.collect::<Vec<f64>>());
        spsa.tell(born, &judged);
    }
    spsa
}

/// The formulas as the frameworks print them, with k from 1.
#[test]
fn the_gains_are_those_of_the_formulas() {
    let (n, r_end, alpha, gamma): (f64, f64, f64, f64) = (500.0, 0.002, 0.602, 0.101);
    let settings = SpsaSettings {
        whole: false,
        ..SpsaSettings::new(1, 500, Reach::Range(0.05), r_end)
    };
    let bounds = Bounds::new("x", -10.0, 30.0);
    let c_end = 2.0;
    let (a_big, c) = (0.1 * n, c_end * n.powf(gamma));
    let a = r_end * c_end * c_end * (a_big + n).powf(alpha);
    for k in [1, 2, 10, 499, 500, 2000] {
        let gains = settings.gains(&bounds, k - 1);
        let k = f64::from(k);
        let c_k = c / k.powf(gamma);
        let r_k = a / (a_big + k).powf(alpha) / (c_k * c_k);
        assert!((gains.reach - c_k).abs() < 1e-12 * c_k, "{k} {gains:?}");
        let pull = r_k * c_k;
        assert!((gains.pull - pull).abs() < 1e-12 * pull, "{k} {gains:?}");
    }
    // What the names promise: at the horizon they hold.
    let last = settings.gains(&bounds, 499);
    assert!((last.reach - c_end).abs() < 1e-9);
    assert!((last.pull - r_end * c_end).abs() < 1e-9);
}

#[test]
fn a_reach_is_counted_in_steps_or_in_ranges_and_is_half_a_unit_at_least() {
    let known = Bounds {
        step: Some(8.0),
        ..Bounds::new("x", 0.0, 400.0)
    };
    let unknown = Bounds::new("x", 0.0, 400.0);
    let narrow = Bounds::new("switch", 0.0, 1.0);
    let reach = |c_end, bounds: &Bounds, whole| {
        let settings = SpsaSettings::new(1, 100, c_end, 0.1);
        let settings = SpsaSettings { whole, ..settings };
        settings.gains(bounds, 99).reach
    };
    let table = [
        (Reach::Step(1.0), &known, true, 8.0),
        (Reach::Step(0.5), &known, true, 4.0),
        (Reach::Step(1.0), &unknown, true, 20.0),
        (Reach::Range(0.1), &known, true, 40.0),
        (Reach::Range(0.1), &narrow, true, 0.5),
        (Reach::Range(0.1), &narrow, false, 0.1),
    ];
    for (c_end, bounds, whole, expected) in table {
        let found = reach(c_end, bounds, whole);
        assert!((found - expected).abs() < 1e-9, "{c_end:?}: {found}");
    }
}

#[test]
fn a_generation_is_pairs_on_opposite_sides_of_the_point() {
    let settings = SpsaSettings {
        whole: false,
        ..SpsaSettings::new(3, 50, STEP, 0.1)
    };
    let spsa = made(settings, numbers(20, 0.0, 100.0), 1);
    let born = spsa.ask();
    assert_eq!(born.len(), 6);
    let reach = settings.gains(&numbers(1, 0.0, 100.0)[0], 0).reach;
    let mut directions = Vec::new();
    for pair in born.chunks(2) {
        let sides = pair[0].genome.0.iter().zip(&pair[1].genome.0);
        let mut ups = Vec::new();
        for (one, other) in sides {
            assert!((f64::midpoint(*one, *other) - 50.0).abs() < 1e-9);
            assert!(((one - other).abs() - 2.0 * reach).abs() < 1e-9);
            ups.push(one > other);
        }
        assert!(ups.contains(&true) && ups.contains(&false), "{ups:?}");
        assert!(!directions.contains(&ups), "each direction is another");
        directions.push(ups);
    }
    assert!(born.iter().all(|it| it.origin == Origin::Probe));
}

/// With the same draw for both sides a whole number is as far apart as it is meant
/// to be, up to one, never less than one, and on average exactly.
#[test]
fn both_sides_of_a_whole_number_are_rounded_by_the_same_draw() {
    let space = numbers(400, -50.0, 50.0);
    for c_end in [0.01, 0.5, 0.8, 3.3] {
        let settings = SpsaSettings {
            gamma: 0.0,
            ..SpsaSettings::new(5, 50, Reach::Range(c_end / 100.0), 0.1)
        };
        let start = RealVector((0..400).map(|at| f64::from(at % 10) / 10.0).collect());
        let spsa = Spsa::new(settings, space.clone(), Some(start.clone()), 3).unwrap();
        let reach = c_end.max(0.5);
        let (mut apart, mut middle) = (0.0, 0.0);
        for pair in spsa.ask().chunks(2) {
            let sides = pair[0].genome.0.iter().zip(&pair[1].genome.0);
            for ((one, other), at) in sides.zip(&start.0) {
                assert!(one.fract() == 0.0 && other.fract() == 0.0);
                let distance = (one - other).abs();
                assert!(distance >= 1.0, "both sides are the same");
                assert!(
                    (distance - 2.0 * reach).abs() < 1.0,
                    "{distance} for {reach}"
                );
                apart += distance / 2000.0;
                middle += (f64::midpoint(*one, *other) - at) / 2000.0;
            }
        }
        assert!((apart - 2.0 * reach).abs() < 0.06, "{apart} for {reach}");
        assert!(middle.abs() < 0.05, "off by {middle}");
    }
}

#[test]
fn members_and_point_stay_within_their_bounds() {
    let settings = SpsaSettings::new(4, 20, Reach::Range(0.4), 1e6);
    let space = numbers(5, -3.0, 3.0);
    let mut spsa = made(settings, space, 1);
    for score in [1.0, f64::MAX, f64::NAN, f64::INFINITY, -7.0] {
        let born = spsa.ask();
        let values = born.iter().flat_map(|it| &it.genome.0);
        assert!(
            values
                .chain(&point(&spsa))
                .all(|x| (-3.0..=3.0).contains(x))
        );
        let scores = (0..born.len()).map(|at| if at % 2 == 0 { score } else { -score });
        spsa.tell(born, &judged(scores));
    }
}

#[test]
fn a_step_is_the_mean_of_what_the_directions_say() {
    let settings = SpsaSettings {
        whole: false,
        ..SpsaSettings::new(2, 10, STEP, 0.25)
    };
    let space = numbers(3, -10.0, 10.0);
    let mut spsa = made(settings, space.clone(), 5);
    let born = spsa.ask();
    let gains = settings.gains(&space[0], 0);
    let flip = |pair: usize, at: usize| {
        let [one, other] = [2 * pair, 2 * pair + 1].map(|it| born[it].genome.0[at]);
        (one - other).signum()
    };
    // The first direction wins 3 to 1, the second loses 0 to 6.
    let expected: Vec<f64> = (0..3)
        .map(|at| gains.pull * (1.0 * flip(0, at) - 3.0 * flip(1, at)) / 2.0)
        .collect();
    let scores = [3.0, 1.0, 0.0, 6.0];
    let mut alone = spsa.clone();
    spsa.tell(born.clone(), &judged(scores));
    for (found, expected) in point(&spsa).iter().zip(&expected) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
    // A direction without numbers says nothing, and does not count in the mean.
    alone.tell(born.clone(), &judged([3.0, 1.0, f64::NAN, 6.0]));
    for (at, found) in point(&alone).iter().enumerate() {
        assert!((found - gains.pull * flip(0, at)).abs() < 1e-12);
    }
}

#[test]
fn noise_does_not_keep_it_from_the_top_of_a_sphere() {
    for seed in 1..5 {
        let settings = SpsaSettings {
            whole: false,
            ..SpsaSettings::new(2, 1500, Reach::Range(0.03), 0.3)
        };
        let hill = RealHill::Sphere;
        let spsa = made(settings, hill.space(10), seed);
        let before = hill.height(&point(&spsa));
        // The error is many times what a step changes near the top.
        let spsa = climb(spsa, |x| hill.height(x), 0.5, 1500);
        let after = hill.height(&point(&spsa));
        assert!(after > -0.05, "seed {seed}: {before} to {after}");
    }
}

/// A ridge, twenty times as bent across as along, that lies askew.
fn ridge(x: &[f64]) -> f64 {
    let along = x[0] + 2.0 * x[1] - 3.0;
    let across = 2.0 * x[0] - x[1] - 1.0;
    -(0.2 * along * along + 4.0 * across * across)
}

#[test]
fn it_follows_a_narrow_ridge() {
    for seed in 1..5 {
        let settings = SpsaSettings {
            whole: false,
            ..SpsaSettings::new(1, 4000, Reach::Range(0.02), 0.8)
        };
        let space = RealHill::Rosenbrock.space(2);
        let spsa = climb(made(settings, space, seed), ridge, 0.05, 4000);
        let found = point(&spsa);
        let off = found.iter().map(|x| (x - 1.0).abs()).fold(0.0, f64::max);
        assert!(off < 0.1, "seed {seed}: {found:?}");
    }
}

/// A whole number that is far from its best finds it, judged by games: all that is
/// seen of each pair is who won more of ten.
#[test]
fn whole_numbers_are_tuned_by_the_results_of_games() {
    for seed in 1..4 {
        let settings = SpsaSettings::new(4, 600, STEP, 0.05);
        let space = numbers(6, 0.0, 200.0);
        let mut spsa = made(settings, space, seed);
        let strength = |x: &[f64]| -x.iter().map(|x| (x - 140.0) * (x - 140.0)).sum::<f64>();
        for generation in 0..600 {
            let mut rng = generator(seed, generation, 0, Purpose::Trial);
            let born = spsa.ask();
            let mut scores = Vec::new();
            for pair in born.chunks(2) {
                let ahead = strength(&pair[0].genome.0) - strength(&pair[1].genome.0);
                let expected = 1.0 / (1.0 + (-ahead / 4000.0).exp());
                let won = (0..10).filter(|_| rng.random::<f64>() < expected).count();
                let net = 2.0 * won as f64 - 10.0;
                scores.extend([net, -net]);
            }
            spsa.tell(born, &judged(scores));
        }
        let found = point(&spsa);
        let off = found.iter().map(|x| (x - 140.0).abs()).sum::<f64>() / 6.0;
        assert!(off < 8.0, "seed {seed}: {found:?}");
    }
}

#[test]
fn written_down_and_read_back_it_goes_on_the_same() {
    let settings = SpsaSettings::new(3, 40, STEP, 0.5);
    let make = |seed| made(settings, numbers(7, -9.0, 90.0), seed);
    let height = |x: &[f64]| -x.iter().map(|x| (x - 5.0).abs()).sum::<f64>();
    let mut whole = make(4);
    let mut broken = make(4);
    for _ in 0..30 {
        assert_eq!(whole.ask(), whole.ask(), "asked twice");
        assert_eq!(whole.ask(), broken.ask());
        for spsa in [&mut whole, &mut broken] {
            let born = spsa.ask();
            let scores: Vec<f64> = born.iter().map(|it| height(&it.genome.0)).collect();
            spsa.tell(born, &judged(scores));
        }
        let text = serde_json::to_string(&broken).unwrap();
        broken = serde_json::from_str(&text).unwrap();
    }
    assert_eq!(whole, broken);
    assert_ne!(whole.ask(), make(5).ask(), "another seed, other directions");
}

#[test]
fn settings_that_cannot_be_are_refused_by_name() {
    let usual = SpsaSettings::new(2, 100, STEP, 0.1);
    let refused = |settings: SpsaSettings| {
        let made = Spsa::new(settings, numbers(2, 0.0, 9.0), None, 1);
        match made.map(drop) {
            Err(SettingsError::Range { key, .. }) => key,
            other => panic!("{settings:?}: {other:?}"),
        }
    };
    let table = [
        (
            "directions",
            SpsaSettings {
                directions: 0,
                ..usual
            },
        ),
        (
            "directions",
            SpsaSettings {
                directions: usize::MAX,
                ..usual
            },
        ),
        (
            "iterations",
            SpsaSettings {
                iterations: 0,
                ..usual
            },
        ),
        (
            "c-end",
            SpsaSettings {
                c_end: Reach::Step(0.0),
                ..usual
            },
        ),
        (
            "c-end",
            SpsaSettings {
                c_end: Reach::Step(f64::NAN),
                ..usual
            },
        ),
        (
            "c-end",
            SpsaSettings {
                c_end: Reach::Range(0.6),
                ..usual
            },
        ),
        (
            "r-end",
            SpsaSettings {
                r_end: -1.0,
                ..usual
            },
        ),
        (
            "r-end",
            SpsaSettings {
                r_end: f64::INFINITY,
                ..usual
            },
        ),
        (
            "alpha",
            SpsaSettings {
                alpha: 1.5,
                ..usual
            },
        ),
        (
            "gamma",
            SpsaSettings {
                gamma: -0.1,
                ..usual
            },
        ),
        (
            "a-ratio",
            SpsaSettings {
                a_ratio: f64::NAN,
                ..usual
            },
        ),
    ];
    for (key, settings) in table {
        assert_eq!(refused(settings), key);
    }
    let outside = Some(RealVector(vec![0.0, 10.0]));
    assert!(Spsa::new(usual, numbers(2, 0.0, 9.0), outside, 1).is_err());
    assert!(Spsa::new(usual, Vec::new(), None, 1).is_err());

    let text = r#"{"directions":2,"iterations":100,"c-end":{"step":1},"r-end":0.1}"#;
    assert_eq!(serde_json::from_str::<SpsaSettings>(text).unwrap(), usual);
    let strange = text.replace("r-end", "r");
    assert!(serde_json::from_str::<SpsaSettings>(&strange).is_err());
}
