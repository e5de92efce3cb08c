//! What a `CoSyNE` begins with, and what is said about wrong settings.

use mendel_evolve::{
    Breeder, Cosyne, CosyneSettings, CosyneSpace, Fans, RealVector, SynapseCrossover,
    SynapseMutation, WeightStart,
};

use crate::cosyne::{assert_share, space};

#[test]
fn the_first_weights_fill_their_range() {
    let start = |settings: CosyneSettings, space: CosyneSpace| {
        let cosyne = Cosyne::new(settings, space, None, 1).unwrap();
        let born = cosyne.ask();
        born.into_iter()
            .map(|born| born.genome.0)
            .collect::<Vec<_>>()
    };
    let uniform = start(CosyneSettings::gomez(400), space(&[100]));
    let all: Vec<f64> = uniform.into_iter().flatten().collect();
    assert!(all.iter().all(|weight| weight.abs() <= 10.0));
    let outer = all.iter().filter(|weight| weight.abs() > 5.0).count();
    assert_share(outer, all.len(), 0.5, "the outer half");

    // 64-128-1 with biases of the hidden neurons, as in the chess paper: 8448 numbers.
    let space = CosyneSpace::layered(&[64, 128, 1], true, false, 30.0);
    assert_eq!((space.bounds.len(), space.neurons.len()), (8448, 129));
    let (hidden, output) = ((6.0_f64 / 192.0).sqrt(), (6.0_f64 / 129.0).sqrt());
    let (mut widest_hidden, mut widest_output) = (0.0_f64, 0.0_f64);
    for network in start(CosyneSettings::chess(), space) {
        for weight in &network[..128 * 65] {
            widest_hidden = widest_hidden.max(weight.abs());
        }
        for weight in &network[128 * 65..] {
            widest_output = widest_output.max(weight.abs());
        }
    }
    assert!((0.99 * hidden..=hidden).contains(&widest_hidden));
    assert!((0.99 * output..=output).contains(&widest_output));
}

/// A setting gone wrong, and what is said about it.
type Slip = (fn(&mut CosyneSettings, &mut CosyneSpace), &'static str);

const SLIPS: [Slip; 15] = [
    (
        |it, _| it.population = 1,
        "`population` cannot be 1: it must be from 2 to 1000000",
    ),
    (
        |it, _| it.offspring = 20,
        "`offspring` cannot be 20: it must be from 1 to 19",
    ),
    (
        |it, _| it.parents = 0.0,
        "`parents` cannot be 0: it must be above 0 and at most 1",
    ),
    (
        |it, _| it.parents = f64::NAN,
        "`parents` cannot be NaN: it must be above 0 and at most 1",
    ),
    (
        |it, _| {
            it.crossover = SynapseCrossover::Uniform {
                pick: 0.0,
                swap: 0.3,
            }
        },
        "`crossover.uniform.pick` cannot be 0: it must be above 0 and at most 1",
    ),
    (
        |it, _| {
            it.crossover = SynapseCrossover::Uniform {
                pick: 0.6,
                swap: 2.0,
            }
        },
        "`crossover.uniform.swap` cannot be 2: it must be from 0 to 1",
    ),
    (
        |it, _| {
            it.mutation = SynapseMutation::Cauchy {
                rate: -1.0,
                scale: 0.3,
            }
        },
        "`mutation.cauchy.rate` cannot be -1: it must be from 0 to 1",
    ),
    (
        |it, _| {
            it.mutation = SynapseMutation::Cauchy {
                rate: 0.3,
                scale: 0.0,
            }
        },
        "`mutation.cauchy.scale` cannot be 0: it must be a number above 0",
    ),
    (
        |it, _| {
            let (rate, sigma) = (0.3, 0.01);
            it.mutation = SynapseMutation::Gaussian {
                rate,
                sigma,
                decay: Some(1.5),
            };
        },
        "`mutation.gaussian.decay` cannot be 1.5: it must be from 0 to 1",
    ),
    (
        |it, _| {
            it.start = WeightStart::Uniform {
                range: f64::INFINITY,
            }
        },
        "`start.uniform.range` cannot be inf: it must be a number above 0",
    ),
    (
        |_, space| space.neurons[0][1] = 0,
        "`neurons` cannot be a list with weight 0 twice: it must be a list in which each weight \
         stands exactly once",
    ),
    (
        |_, space| space.neurons[0][1] = 77,
        "`neurons` cannot be a list with weight 77: it must be a list in which each weight \
         stands exactly once",
    ),
    (
        |_, space| space.neurons.truncate(1),
        "`neurons` cannot be a list without weight 3: it must be a list in which each weight \
         stands exactly once",
    ),
    (
        |it, space| {
            it.start = WeightStart::Xavier;
            space.fans.clear();
        },
        "`fans` cannot be 0 pairs of sizes: it must be one pair for each of the 2 neurons to \
         start like Xavier",
    ),
    (
        |it, space| {
            it.start = WeightStart::Xavier;
            space.fans[1] = Fans {
                before: 0,
                layer: 0,
            };
        },
        "`fans` cannot be a pair of empty layers: it must be the sizes of real layers",
    ),
];

#[test]
fn each_wrong_setting_is_named_with_its_value_and_what_is_allowed() {
    let good = || (CosyneSettings::gomez(20), space(&[3, 2]));
    let (settings, networks) = good();
    assert!(Cosyne::new(settings, networks, None, 1).is_ok());
    for (slip, expected) in SLIPS {
        let (mut settings, mut networks) = good();
        slip(&mut settings, &mut networks);
        let error = Cosyne::new(settings, networks, None, 1).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    let (settings, networks) = good();
    let start = vec![RealVector(vec![0.0; 4])];
    let error = Cosyne::new(settings, networks, start, 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the given start does not fit: it has 4 numbers, and 5 are bred"
    );
}

#[test]
fn settings_read_as_people_write_them() {
    let text = r#"{
        "population": 16, "parents": 0.5, "offspring": 8,
        "crossover": { "uniform": { "pick": 0.6, "swap": 0.3 } },
        "mutation": { "gaussian": { "rate": 0.6, "sigma": 0.01, "decay": 0.995 } },
        "permutation": "square-root", "start": "xavier"
    }"#;
    let settings: CosyneSettings = serde_json::from_str(text).unwrap();
    assert_eq!(settings, CosyneSettings::chess());
    let text = r#"{
        "population": 20, "offspring": 10, "crossover": "per-neuron",
        "mutation": { "cauchy": { "rate": 0.3, "scale": 0.3 } },
        "permutation": "all-but-new", "start": { "uniform": { "range": 10 } }
    }"#;
    let settings: CosyneSettings = serde_json::from_str(text).unwrap();
    assert_eq!(settings, CosyneSettings::gomez(20));
    let wrong = text.replace("offspring", "children");
    let error = serde_json::from_str::<CosyneSettings>(&wrong).unwrap_err();
    assert!(
        error.to_string().starts_with("unknown field `children`"),
        "{error}"
    );
}
