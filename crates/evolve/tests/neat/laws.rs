//! What holds in every generation, whatever the settings.

use std::collections::BTreeMap;

use mendel_evolve::neat::{Distance, Draw, Elites, Innovations, Orphans, Sharing, Threshold};
use mendel_evolve::{
    Breeder, Connected, Function, Neat, NeatSettings, NetGenome, Offspring, Purpose, Shape,
    generator,
};
use rand::RngExt;

use super::{judged, net, quiet};

/// Settings as different as can be.
fn kinds() -> Vec<(&'static str, NeatSettings)> {
    let small = |settings: NeatSettings| NeatSettings {
        population: 31,
        ..settings
    };
    let wild = NeatSettings {
        innovations: Innovations::Generation,
        structure: mendel_evolve::neat::Structure {
            orphans: Orphans::Drop,
            ..NeatSettings::neat_python().structure
        },
        functions: Function::ALL.to_vec(),
        function_mutation: 0.3,
        elites: Elites::Each(2),
        sharing: Sharing::Shifted,
        ..NeatSettings::stanley_2004()
    };
    vec![
        ("2002", small(NeatSettings::stanley_2002())),
        ("2002, large", small(NeatSettings::stanley_2002_large())),
        ("2004", small(NeatSettings::stanley_2004())),
        ("neat-python", NeatSettings::neat_python()),
        ("wild", small(wild)),
    ]
}

fn shapes() -> [Shape; 4] {
    let hidden = Shape {
        hidden: 4,
        connected: Connected::Full { direct: false },
        ..Shape::new(3, 2)
    };
    [
        Shape::new(3, 1),
        hidden,
        Shape {
            recurrent: true,
            connected: Connected::FullWithLoops { direct: true },
            ..hidden
        },
        Shape {
            connected: Connected::Partial {
                direct: true,
                share: 0.4,
            },
            ..hidden
        },
    ]
}

/// Breeds with scores drawn by chance, some of which are no numbers, and looks at
/// each generation.
fn breed(mut neat: Neat, generations: u32, mut look: impl FnMut(&Neat, &[Offspring<NetGenome>])) {
    for generation in 0..generations {
        let born = neat.ask();
        look(&neat, &born);
        let scores = scores(generation, born.len());
        neat.tell(born, &judged(scores));
    }
}

fn scores(generation: u32, count: usize) -> Vec<f64> {
    let mut rng = generator(99, generation, 0, Purpose::Trial);
    let score = |_| match rng.random_range(0..40) {
        0 => f64::NAN,
        1 => f64::NEG_INFINITY,
        2 => 1e300,
        _ => rng.random::<f64>() * 20.0 - 5.0,
    };
    (0..count).map(score).collect()
}

fn everywhere(generations: u32, mut look: impl FnMut(&str, &Neat, &[Offspring<NetGenome>])) {
    for (name, settings) in kinds() {
        for shape in shapes() {
            let neat = Neat::new(settings.clone(), shape, None, 3).unwrap();
            breed(neat, generations, |neat, born| look(name, neat, born));
        }
    }
}

/// A trap of other programs: the population grew and shrank by rounding.
#[test]
fn the_population_never_drifts() {
    everywhere(60, |name, neat, born| {
        assert_eq!(born.len(), neat.settings().population, "{name}");
    });
}

#[test]
fn every_member_is_a_network_of_the_shape() {
    everywhere(40, |name, neat, born| {
        for born in born {
            let fault = born.genome.check(neat.shape());
            assert!(fault.is_ok(), "{name}: {fault:?} {:?}", born.genome);
        }
    });
}

/// A trap of other programs: nodes that nothing is linked to stayed behind.
#[test]
fn no_hidden_node_is_without_links_where_orphans_go() {
    let mut seen = 0;
    everywhere(40, |name, neat, born| {
        if neat.settings().structure.orphans == Orphans::Keep || neat.generation() == 0 {
            return;
        }
        for net in born.iter().map(|born| &born.genome) {
            for node in &net.nodes[neat.shape().first_hidden() as usize..] {
                let touches =
                    |link: &mendel_evolve::Link| link.from == node.id || link.to == node.id;
                // Those of the start may have none from the beginning.
                let fresh = node.id >= neat.shape().first_hidden() + neat.shape().hidden;
                assert!(!fresh || net.links.iter().any(touches), "{name}: {net:?}");
                seen += usize::from(fresh);
            }
        }
    });
    assert!(seen > 1000, "{seen} nodes");
}

/// A trap of other programs: reports that mixed two generations.
#[test]
fn every_member_of_the_generation_asked_for_is_in_one_species() {
    everywhere(40, |name, neat, born| {
        let mut places: Vec<u32> = neat
            .species()
            .iter()
            .flat_map(|species| species.members.iter().copied())
            .collect();
        places.sort_unstable();
        let all: Vec<u32> = (0..born.len() as u32).collect();
        assert_eq!(places, all, "{name}");
        for species in neat.species() {
            assert!(species.founded <= species.improved, "{name}");
            assert!(species.improved <= neat.generation(), "{name}");
        }
    });
}

/// The same change has the same number in the whole run; no number means two things.
#[test]
fn a_change_has_one_number_in_a_run_and_a_number_one_change() {
    for innovations in [Innovations::Run, Innovations::Links] {
        for (name, settings) in kinds() {
            let settings = NeatSettings {
                innovations,
                ..settings
            };
            let (mut numbers, mut ends) = (BTreeMap::new(), BTreeMap::new());
            let neat = Neat::new(settings, shapes()[1], None, 3).unwrap();
            breed(neat, 60, |_, born| {
                for link in born.iter().flat_map(|born| &born.genome.links) {
                    let pair = (link.from, link.to);
                    let number = *numbers.entry(pair).or_insert(link.innovation);
                    assert_eq!(number, link.innovation, "{name}: {pair:?}");
                    let first = *ends.entry(link.innovation).or_insert(pair);
                    assert_eq!(first, pair, "{name}: {}", link.innovation);
                }
            });
        }
    }
}

#[test]
fn a_change_of_another_generation_is_another_where_the_settings_say_so() {
    let mut settings = quiet(200);
    settings.innovations = Innovations::Generation;
    settings.structure.add_node = 0.5;
    let mut neat = Neat::new(settings, Shape::new(1, 1), None, 3).unwrap();
    let mut nodes: Vec<Vec<u32>> = Vec::new();
    for _ in 0..3 {
        let born = neat.ask();
        // Networks that have split the first link, and nothing else.
        let first = born.iter().filter(|born| born.genome.nodes.len() == 3);
        let mut ids: Vec<u32> = first.map(|born| born.genome.nodes[2].id).collect();
        ids.sort_unstable();
        ids.dedup();
        nodes.push(ids);
        neat.tell(born, &judged(vec![1.0; 200]));
    }
    assert_eq!(nodes[1].len(), 1, "the same in one generation: {nodes:?}");
    assert_eq!(nodes[2].len(), 2, "another in the next: {nodes:?}");
}

#[test]
fn a_link_split_twice_gets_a_second_node_the_same_for_all() {
    // The link from 0 to 2 was split by 3 and came back.
    let again = net(1, &[(0, 2, 1.0), (0, 3, 1.0), (3, 2, 1.0)]);
    let mut settings = quiet(300);
    settings.structure.add_node = 1.0;
    let children = super::children_of_one(settings, &again);
    let split = |net: &NetGenome| {
        !net.links
            .iter()
            .any(|it| it.enabled && it.from == 0 && it.to == 2)
    };
    let ids = children.iter().filter(|born| split(&born.genome));
    let ids: Vec<u32> = ids.map(|born| born.genome.nodes[4].id).collect();
    assert!(
        ids.len() > 50 && ids.iter().all(|id| *id == ids[0]),
        "{ids:?}"
    );
}

/// A trap of other programs: written down after breeding, a run forgot what it had
/// judged. Here it is written after telling: nothing is judged again, and the run goes
/// on as if it had not stopped.
#[test]
fn written_down_after_telling_it_goes_on_and_judges_nobody_again() {
    for (name, settings) in kinds() {
        let shape = shapes()[2];
        let start = || Neat::new(settings.clone(), shape, None, 3).unwrap();
        let mut generations = Vec::new();
        breed(start(), 12, |_, born| generations.push(born.to_vec()));
        let mut neat = start();
        for (number, expected) in generations.iter().enumerate() {
            assert_eq!(neat.generation() as usize, number, "{name}");
            assert_eq!(&neat.ask(), expected, "{name}: asked once");
            let text = serde_json::to_string(&neat).unwrap();
            neat = serde_json::from_str(&text).unwrap();
            assert_eq!(&neat.ask(), expected, "{name}: read back");
            let scores = scores(number as u32, expected.len());
            neat.tell(expected.clone(), &judged(scores));
        }
    }
}

#[test]
fn another_seed_is_another_run() {
    let first = |seed| Neat::new(NeatSettings::stanley_2002(), Shape::new(3, 1), None, seed);
    assert_eq!(first(1).unwrap().ask(), first(1).unwrap().ask());
    assert_ne!(first(1).unwrap().ask(), first(2).unwrap().ask());
}

#[test]
fn whatever_is_told_nothing_panics() {
    for (name, settings) in kinds() {
        let mut neat = Neat::new(settings, shapes()[1], None, 3).unwrap();
        let population = neat.settings().population;
        let born = neat.ask();
        neat.tell(born[..3].to_vec(), &judged([1.0]));
        assert_eq!(neat.ask().len(), population, "{name}: too few");
        let mut many = neat.ask();
        many.extend(born);
        neat.tell(many, &judged(vec![f64::MAX; 500]));
        assert_eq!(neat.ask().len(), population, "{name}: too many");
        neat.tell(Vec::new(), &[]);
        assert_eq!(neat.ask().len(), population, "{name}: nobody");
    }
}

#[test]
fn founders_are_as_connected_as_the_shape_says() {
    let shape = |connected| Shape {
        hidden: 5,
        connected,
        ..Shape::new(4, 3)
    };
    let loops = Shape {
        recurrent: true,
        ..shape(Connected::FullWithLoops { direct: true })
    };
    let table = [
        (shape(Connected::Full { direct: false }), 35),
        (shape(Connected::Full { direct: true }), 47),
        (loops, 55),
        (
            shape(Connected::Partial {
                direct: true,
                share: 0.25,
            }),
            12,
        ),
        (shape(Connected::OneInput), 8),
        (shape(Connected::None), 0),
        (Shape::new(4, 3), 12),
    ];
    for (shape, links) in table {
        let settings = NeatSettings::stanley_2002();
        let neat = Neat::new(settings, shape, None, 3).unwrap();
        for born in neat.ask() {
            born.genome.check(&shape).unwrap();
            assert_eq!(born.genome.links.len(), links, "{shape:?}");
            for link in &born.genome.links {
                assert_eq!(shape.innovation(link.from, link.to), Some(link.innovation));
            }
        }
    }
}

/// The size of the chess experiment: 64 inputs, 128 hidden nodes, one output.
#[test]
fn large_networks_are_bred_as_well() {
    let shape = Shape {
        hidden: 128,
        connected: Connected::Full { direct: false },
        ..Shape::new(64, 1)
    };
    let mut neat = Neat::new(NeatSettings::neat_python(), shape, None, 3).unwrap();
    for _ in 0..4 {
        let born = neat.ask();
        assert_eq!(born.len(), 16);
        for born in &born {
            let links = born.genome.links.len();
            assert!((7000..=8400).contains(&links), "{links}");
        }
        neat.tell(born, &judged((0..16).map(f64::from)));
    }
}

/// A setting gone wrong, and what is said about it.
type Slip = (fn(&mut NeatSettings), &'static str);

#[test]
fn nonsense_is_refused_with_the_name_of_the_setting() {
    let table: [Slip; 17] = [
        (|it| it.population = 1, "`population` cannot be 1"),
        (|it| it.functions.clear(), "`functions` cannot be empty"),
        (|it| it.survival = 1.5, "`survival` cannot be 1.5"),
        (|it| it.structure.add_node = -0.1, "`structure.add-node`"),
        (|it| it.structure.tries = 0, "`structure.tries`"),
        (
            |it| it.mating.disabled = Some(f64::NAN),
            "`mating.disabled`",
        ),
        (
            |it| it.threshold = Threshold::Fixed(0.0),
            "`threshold.fixed`",
        ),
        (|it| it.elites = Elites::Each(150), "`elites.each`"),
        (
            |it| it.sharing = Sharing::Damped { smallest: 0 },
            "smallest`",
        ),
        (
            |it| it.weights.replace = 0.2,
            "`rate` and `replace` together",
        ),
        (
            |it| {
                it.weights.start = Draw::Uniform {
                    low: 1.0,
                    high: -1.0,
                }
            },
            "`weights` cannot be bred",
        ),
        (|it| it.weights.low = 9.0, "`weights` cannot be bred"),
        (|it| it.weights.low = f64::NAN, "`low` is NaN"),
        (|it| it.weights.high = f64::INFINITY, "`high` is inf"),
        (|it| it.weights.high = 1e7, "to 1000000"),
        (|it| it.weights.power = 1e300, "`power`"),
        (
            |it| {
                it.distance = Distance::NodesAndLinks {
                    disjoint: -1.0,
                    weight: 0.0,
                };
            },
            "disjoint` cannot be -1",
        ),
    ];
    for (slip, said) in table {
        let mut settings = NeatSettings::stanley_2002();
        slip(&mut settings);
        let error = Neat::new(settings, Shape::new(2, 1), None, 1).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
    let shape = Shape::new(0, 1);
    assert!(Neat::new(NeatSettings::stanley_2002(), shape, None, 1).is_err());
}

#[test]
fn founders_that_number_links_differently_are_refused() {
    let one = net(1, &[(0, 3, 1.0), (3, 2, 1.0)]);
    let mut other = one.clone();
    other.links[0].innovation = 9;
    let found = |given: Vec<NetGenome>| Neat::new(quiet(10), Shape::new(2, 1), given, 1);
    assert!(found(vec![one.clone(); 2]).is_ok());
    let error = found(vec![one.clone(), other]).unwrap_err().to_string();
    assert!(error.contains("number the same links alike"), "{error}");
    let error = found(vec![one; 11]).unwrap_err().to_string();
    assert!(error.contains("11 members were given"), "{error}");
}

#[test]
fn settings_are_read_as_people_write_them() {
    for (_, settings) in kinds() {
        let text = serde_json::to_string(&settings).unwrap();
        let read: NeatSettings = serde_json::from_str(&text).unwrap();
        assert_eq!(read, settings);
        let slip = text.replacen("\"survival\"", "\"survivors\"", 1);
        let error = serde_json::from_str::<NeatSettings>(&slip).unwrap_err();
        assert!(error.to_string().contains("survivors"), "{error}");
    }
}
