//! Settings as people write them, and what is said about wrong ones.

use mendel_evolve::problems::{BitHill, RealHill};
use mendel_evolve::{
    Adam, AdamSettings, Archive, Bits, Crossover, Founders, Ga, GaSettings, HallOfFame,
    MuPlusLambda, MuPlusLambdaSettings, Mutation, Piece, RandomSearch, RandomSettings, RealVector,
    Selection, SettingsError, StopRules,
};

fn good() -> GaSettings {
    GaSettings {
        population: 20,
        selection: Selection::RouletteShifted,
        crossover: Crossover::SinglePoint,
        crossover_rate: 0.75,
        mutation: Mutation::BitFlip,
        mutation_rate: 0.05,
        elites: 2,
        hall_of_fame: Some(HallOfFame {
            size: 10,
            reintroduce: 1,
        }),
        founders: Founders::Random,
    }
}

/// A setting gone wrong, and what is said about it.
type Slip = (fn(&mut GaSettings), &'static str);

const SLIPS: [Slip; 13] = [
    (
        |it| it.population = 0,
        "`population` cannot be 0: it must be from 1 to 1000000",
    ),
    (
        |it| it.crossover_rate = 1.5,
        "`crossover-rate` cannot be 1.5: it must be from 0 to 1",
    ),
    (
        |it| it.mutation_rate = f64::NAN,
        "`mutation-rate` cannot be NaN: it must be from 0 to 1",
    ),
    (
        |it| it.elites = 20,
        "`elites` cannot be 20: it must be from 0 to 19",
    ),
    (
        |it| it.hall_of_fame.as_mut().unwrap().size = 0,
        "`hall-of-fame.size` cannot be 0: it must be from 1 to 100000",
    ),
    (
        |it| it.hall_of_fame.as_mut().unwrap().reintroduce = 11,
        "`hall-of-fame.reintroduce` cannot be 11: it must be at most 10: no more than the hall \
         holds, and at least one child must be bred beside the elites",
    ),
    (
        |it| it.selection = Selection::Tournament { size: 0 },
        "`selection.tournament.size` cannot be 0: it must be from 1 to 1000000",
    ),
    (
        |it| it.selection = Selection::Rank { pressure: 2.5 },
        "`selection.rank.pressure` cannot be 2.5: it must be from 1 to 2",
    ),
    (
        |it| it.selection = Selection::Truncation { share: 0.0 },
        "`selection.truncation.share` cannot be 0: it must be above 0 and at most 1",
    ),
    (
        |it| {
            it.crossover = Crossover::Uniform {
                by: Piece::Bit,
                swap: -0.1,
            }
        },
        "`crossover.uniform.swap` cannot be -0.1: it must be from 0 to 1",
    ),
    (
        |it| it.crossover = Crossover::Arithmetic,
        "`crossover` cannot be arithmetic for strings of bits: use `single-point`, `two-point` or \
         `uniform`",
    ),
    (
        |it| {
            it.mutation = Mutation::NonUniform {
                shape: 5.0,
                generations: 9,
            }
        },
        "`mutation` cannot be non-uniform for strings of bits: use `bit-flip` or `gene-bit`",
    ),
    (
        |it| {
            it.mutation = Mutation::NonUniform {
                shape: 0.0,
                generations: 9,
            }
        },
        "`mutation.non-uniform.shape` cannot be 0: it must be a number above 0",
    ),
];

#[test]
fn each_wrong_setting_is_named_with_its_value_and_what_is_allowed() {
    assert!(Ga::<Bits>::new(good(), BitHill::layout(9), None, 1).is_ok());
    for (slip, expected) in SLIPS {
        let mut settings = good();
        slip(&mut settings);
        let error = Ga::<Bits>::new(settings, BitHill::layout(9), None, 1).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn numbers_refuse_the_operators_of_bits() {
    let space = || RealHill::Sphere.space(2);
    let error = Ga::<RealVector>::new(good(), space(), None, 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`mutation` cannot be bit-flip for numbers: use `gaussian` or `non-uniform`"
    );
    let by_bit = GaSettings {
        crossover: Crossover::uniform(Piece::Bit),
        ..good()
    };
    let error = Ga::<RealVector>::new(by_bit, space(), None, 1).unwrap_err();
    assert!(error.to_string().contains("by = \"gene\""), "{error}");
}

#[test]
fn a_start_must_be_a_member_of_the_space() {
    let refuse = |start: Vec<Bits>| {
        let error = Ga::<Bits>::new(good(), BitHill::layout(9), start, 1).unwrap_err();
        error.to_string()
    };
    assert_eq!(
        refuse(vec![Bits::zeros(8)]),
        "the given start does not fit: it has 8 bits, and the genes take 9"
    );
    assert!(refuse(vec![Bits::zeros(9); 21]).contains("21 members were given"));
    let search = |start| {
        let settings = RandomSettings { population: 3 };
        RandomSearch::<RealVector>::new(settings, RealHill::Sphere.space(2), start, 1)
    };
    assert!(search(Some(RealVector(vec![1.0, 2.0]))).is_ok());
    for start in [vec![1.0], vec![1.0, 9.0], vec![f64::NAN, 0.0]] {
        let error = search(Some(RealVector(start))).unwrap_err();
        assert!(matches!(error, SettingsError::Start { .. }), "{error}");
    }
}

#[test]
fn a_space_without_anything_to_breed_is_refused() {
    assert_eq!(
        Ga::<Bits>::new(good(), BitHill::layout(0), None, 1).unwrap_err(),
        SettingsError::Empty
    );
    assert!(Adam::new(AdamSettings::new(1.0), Vec::new(), None, 1).is_err());
}

#[test]
fn the_other_breeders_check_their_settings_too() {
    let good = MuPlusLambdaSettings {
        parents: 10,
        children: 10,
        mutation: Mutation::NonUniform {
            shape: 5.0,
            generations: 200,
        },
        mutation_rate: 1.0,
        archive: None,
    };
    let refuse = |settings| {
        let made = MuPlusLambda::<RealVector>::new(settings, RealHill::Sphere.space(2), None, 1);
        made.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(refuse(good.clone()), Ok(()));
    let archive = Archive {
        size: 5,
        probability: 1.5,
    };
    let wrong = [
        (
            MuPlusLambdaSettings {
                parents: 0,
                ..good.clone()
            },
            "`parents` cannot be 0",
        ),
        (
            MuPlusLambdaSettings {
                children: usize::MAX,
                ..good.clone()
            },
            "`children` cannot be",
        ),
        (
            MuPlusLambdaSettings {
                archive: Some(archive),
                ..good
            },
            "`archive.probability` cannot be 1.5",
        ),
    ];
    for (settings, expected) in wrong {
        let error = refuse(settings).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }

    let adam = |settings: AdamSettings| {
        let made = Adam::new(settings, RealHill::Sphere.space(2), None, 1);
        made.map(drop).map_err(|error| error.to_string())
    };
    let usual = AdamSettings::new(0.1);
    assert_eq!(adam(usual), Ok(()));
    for wrong in [
        AdamSettings {
            learning_rate: 0.0,
            ..usual
        },
        AdamSettings {
            learning_rate: f64::INFINITY,
            ..usual
        },
        AdamSettings {
            betas: [0.9, 1.0],
            ..usual
        },
        AdamSettings {
            epsilon: 0.0,
            ..usual
        },
        AdamSettings {
            decay: Some(2.0),
            ..usual
        },
    ] {
        assert!(adam(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn settings_are_read_as_people_write_them() {
    let text = r#"{
        "population": 20,
        "selection": "roulette-shifted",
        "crossover": "single-point",
        "crossover-rate": 0.75,
        "mutation": "bit-flip",
        "mutation-rate": 0.05,
        "elites": 2,
        "hall-of-fame": { "size": 10, "reintroduce": 1 }
    }"#;
    assert_eq!(serde_json::from_str::<GaSettings>(text).unwrap(), good());

    let table = [
        (r#""roulette""#, Selection::Roulette),
        (r#""roulette-squared""#, Selection::RouletteSquared),
        (
            r#"{"tournament":{"size":3}}"#,
            Selection::Tournament { size: 3 },
        ),
        (
            r#"{"rank":{"pressure":1.5}}"#,
            Selection::Rank { pressure: 1.5 },
        ),
        (
            r#"{"truncation":{"share":0.2}}"#,
            Selection::Truncation { share: 0.2 },
        ),
    ];
    for (text, selection) in table {
        assert_eq!(serde_json::from_str::<Selection>(text).unwrap(), selection);
        assert_eq!(serde_json::to_string(&selection).unwrap(), text);
    }
    let uniform = r#"{"uniform":{"by":"gene"}}"#;
    let uniform: Crossover = serde_json::from_str(uniform).unwrap();
    assert_eq!(uniform, Crossover::uniform(Piece::Gene));
    let mutation = r#"{"non-uniform":{"generations":200}}"#;
    let mutation: Mutation = serde_json::from_str(mutation).unwrap();
    let expected = Mutation::NonUniform {
        shape: 5.0,
        generations: 200,
    };
    assert_eq!(mutation, expected);
    let adam: AdamSettings = serde_json::from_str(r#"{"learning-rate":0.1}"#).unwrap();
    assert_eq!(adam, AdamSettings::new(0.1));
    let stop: StopRules = serde_json::from_str(r#"{"generations":9,"no-progress":3}"#).unwrap();
    assert_eq!((stop.generations, stop.no_progress), (Some(9), Some(3)));
}

#[test]
fn unknown_keys_are_refused() {
    let refused = [
        serde_json::from_str::<StopRules>(r#"{"generation":9}"#).is_err(),
        serde_json::from_str::<RandomSettings>(r#"{"population":9,"seed":1}"#).is_err(),
        serde_json::from_str::<AdamSettings>(r#"{"learning-rate":1,"beta":0.9}"#).is_err(),
        serde_json::from_str::<Selection>(r#"{"tournament":{"size":3,"rate":1}}"#).is_err(),
        serde_json::from_str::<Crossover>(r#"{"uniform":{"by":"gene","rate":1}}"#).is_err(),
        serde_json::from_str::<Mutation>(r#"{"gaussian":{"sigma":1,"unit":1}}"#).is_err(),
        serde_json::from_str::<HallOfFame>(r#"{"size":3}"#).is_err(),
    ];
    assert_eq!(refused, [true; 7]);
}
