//! Laws of the space: the parent is in it, and nothing in it is no player.

use mendel_engine::{Player, SearchParams, Tunable};
use mendel_evolve::{Bits, Layout, Purpose, RealVector, generator};

use mendel_fitness::genome::space::{
    CodingName, GenomeSettings, Space, SpaceError, SpaceKind, Start,
};
use mendel_fitness::genome::{DAVID_SEARCH, GERALD_SEARCH};

const CODINGS: [CodingName; 3] = [CodingName::Gray, CodingName::Binary, CodingName::Real];

fn plain(coding: CodingName) -> GenomeSettings {
    GenomeSettings {
        coding,
        chromosome: None,
        weights: None,
        search: Vec::new(),
        bits: None,
        spread: None,
        window: None,
        start: Start::Random,
        network: None,
        substrate: None,
        hyperneat: None,
        es_hyperneat: None,
        mutants: None,
    }
}

fn published(name: &str, coding: CodingName) -> GenomeSettings {
    GenomeSettings {
        chromosome: Some(name.to_owned()),
        ..plain(coding)
    }
}

fn search(patterns: &[&str], coding: CodingName) -> GenomeSettings {
    GenomeSettings {
        search: patterns.iter().map(|&it| it.to_owned()).collect(),
        ..plain(coding)
    }
}

fn find(name: &str) -> Player {
    Player::find(name).expect("a built-in player")
}

fn space(parent: &str, settings: &GenomeSettings) -> Space {
    Space::new(&find(parent), settings).expect("a space")
}

fn layout(space: &Space) -> &Layout {
    match &space.kind {
        SpaceKind::Bits(layout) => layout,
        _ => panic!("no bits"),
    }
}

/// The parent, written as a genome and read back.
fn parent_again(space: &Space) -> Vec<i32> {
    match &space.kind {
        SpaceKind::Bits(_) => space.from_bits(&space.parent_bits().expect("it fits")),
        SpaceKind::Reals(_) => space.from_reals(&space.parent_reals()),
        _ => panic!("networks"),
    }
}

fn values(player: &Player) -> (Vec<i32>, SearchParams) {
    let weights = player.evaluator.weights();
    let weights = weights.iter().map(|weight| weight.value).collect();
    (weights, player.params.clone())
}

fn tunable(gene: &str) -> &'static Tunable {
    let name = gene.strip_prefix("search.").expect("a search number");
    let mut table = SearchParams::TUNABLES.iter();
    let found = table.find(|tunable| tunable.name == name);
    found.unwrap_or_else(|| panic!("there is no {name}"))
}

#[test]
fn a_parent_written_as_a_genome_is_the_same_player_again() {
    for coding in CODINGS {
        let both = GenomeSettings {
            weights: Some(vec!["*".to_owned()]),
            ..search(&["*"], coding)
        };
        let narrow = GenomeSettings {
            window: Some(0.1),
            ..search(&["*"], coding)
        };
        let table = [
            ("mendel", plain(coding)),
            ("mendel", search(&["*"], coding)),
            ("mendel", both),
            ("mendel", narrow.clone()),
            ("gerald-tuned", narrow),
            ("random", search(&["null_*"], coding)),
            ("gerald-eval-tuned", published("gerald", coding)),
            ("gerald-eval-tuned", published("gerald-search", coding)),
            ("gerald-tuned", published("gerald-search", coding)),
            ("evol-star", published("david-search", coding)),
        ];
        for (name, settings) in table {
            let (parent, space) = (find(name), space(name, &settings));
            let member = parent_again(&space);
            assert_eq!(member, space.base(), "{name} {settings:?}");
            let again = space.player(&parent, &member).expect("the parent itself");
            assert_eq!(values(&again), values(&parent), "{name} {settings:?}");
            assert_eq!(again.to_toml(), parent.to_toml(), "{name} {settings:?}");
        }
    }
}

#[test]
fn every_search_number_can_be_bred_from_end_to_end() {
    for coding in CODINGS {
        let parent = find("mendel");
        let space = space("mendel", &search(&["*"], coding));
        assert_eq!(space.names().len(), SearchParams::TUNABLES.len());
        let weights = parent.evaluator.weights().len();
        for (at, tunable) in SearchParams::TUNABLES.iter().enumerate() {
            assert_eq!(space.names()[at], format!("search.{}", tunable.name));
            assert_eq!(space.slots()[at], weights + at);
            assert_eq!(
                space.bounds()[at].map(|end| end as i32),
                [tunable.low, tunable.high]
            );
            for value in [tunable.low, tunable.low + 1, tunable.high - 1, tunable.high] {
                let mut genes = space.genes_of(space.base());
                genes[at] = value.into();
                let member = match &space.kind {
                    SpaceKind::Bits(layout) => {
                        let whole: Vec<i64> = genes.iter().map(|it| *it as i64).collect();
                        space.from_bits(&layout.encode(&whole).expect("in its range"))
                    }
                    SpaceKind::Reals(_) => space.from_reals(&RealVector(genes)),
                    _ => panic!("networks"),
                };
                let bred = space.player(&parent, &member).expect("a player");
                assert_eq!(bred.params.get(tunable.name), Some(value), "{tunable:?}");
            }
        }
    }
}

#[test]
fn whatever_chance_draws_is_a_player_within_all_ranges() {
    let parents = [
        ("gerald-base", "gerald-search"),
        ("evol-star", "david-search"),
    ];
    for (name, chromosome) in parents {
        for settings in [
            published(chromosome, CodingName::Gray),
            search(&["*"], CodingName::Gray),
        ] {
            let (parent, space) = (find(name), space(name, &settings));
            for draw in 0..40 {
                let mut rng = generator(1, 0, draw, Purpose::Start);
                let member = space.from_bits(&Bits::random(layout(&space).bits(), &mut rng));
                let genes = space.genes_of(&member);
                for (gene, [low, high]) in genes.iter().zip(space.bounds()) {
                    assert!((low..=high).contains(gene), "{gene} {low} {high}");
                }
                let bred = space.player(&parent, &member).expect("a player");
                Player::parse(&bred.to_toml(), "the bred player").expect("a player file");
                assert_eq!(values(&bred).0, values(&parent).0, "weights are not bred");
            }
        }
    }
}

#[test]
fn the_published_search_chromosomes_have_their_lengths_and_hold_their_champions() {
    let sum = |table: &[(&str, u32)]| table.iter().map(|(_, bits)| bits).sum::<u32>();
    assert_eq!((GERALD_SEARCH.len(), sum(&GERALD_SEARCH)), (12, 64));
    assert_eq!((DAVID_SEARCH.len(), sum(&DAVID_SEARCH)), (18, 70));
    // Figure 3.3.2, base and tuned; Table I, learned.
    let table: [(&str, &str, &[i32]); 3] = [
        (
            "gerald-search",
            "gerald-eval-tuned",
            &[25, 5, 1, 100, 150, 300, 100, 3, 3, 10, 2, 10],
        ),
        (
            "gerald-search",
            "gerald-tuned",
            &[53, 0, 0, 75, 167, 194, 841, 3, 5, 8, 2, 9],
        ),
        (
            "david-search",
            "evol-star",
            &[1, 4, 1, 6, 3, 112, 227, 506, 1, 4, 6, 15, 3, 4, 4, 2, 3, 2],
        ),
    ];
    for (chromosome, player, expected) in table {
        let space = space(player, &published(chromosome, CodingName::Gray));
        let expected: Vec<f64> = expected.iter().copied().map(f64::from).collect();
        assert_eq!(space.genes_of(&parent_again(&space)), expected, "{player}");
    }
}

#[test]
fn a_code_beyond_the_range_of_its_number_counts_as_the_nearest() {
    let cases = [
        (
            "gerald-search",
            "gerald-base",
            "search.aspiration_window",
            0,
            1,
        ),
        ("david-search", "evol-star", "search.extension_check", 7, 4),
        ("david-search", "evol-star", "search.extension_check", 5, 4),
        ("david-search", "evol-star", "search.extension_check", 3, 3),
    ];
    for (chromosome, parent, gene, code, expected) in cases {
        let space = space(parent, &published(chromosome, CodingName::Binary));
        let at = space.names().iter().position(|name| name == gene);
        let at = at.expect("a gene");
        let mut genes: Vec<i64> = layout(&space)
            .values(&space.parent_bits().expect("it fits"))
            .collect();
        genes[at] = code;
        let member = space.from_bits(&layout(&space).encode(&genes).expect("its bits"));
        let player = space.player(&find(parent), &member).expect("a player");
        assert_eq!(
            player.params.get(tunable(gene).name),
            Some(expected),
            "{gene} {code}"
        );
    }
}

#[test]
fn a_window_is_that_share_of_the_range_around_the_parent() {
    let bounds = |parent, share, name: &str| {
        let settings = GenomeSettings {
            window: Some(share),
            ..search(&[name], CodingName::Real)
        };
        space(parent, &settings).bounds()[0].map(|end| end as i32)
    };
    // `delta_margin` is 300 of 0 to 1023 in GERALD: 154 to either side, or 410 and no
    // further than the range.
    assert_eq!(bounds("gerald-base", 0.3, "delta_margin"), [146, 454]);
    assert_eq!(bounds("gerald-base", 0.8, "delta_margin"), [0, 710]);
    assert_eq!(bounds("gerald-base", 1.0, "delta_margin"), [0, 1023]);
    assert_eq!(bounds("gerald-base", 0.01, "use_null_move"), [0, 1]);
    assert_eq!(bounds("gerald-base", 0.01, "null_reduction"), [1, 3]);
}

#[test]
fn members_have_search_numbers_only_where_these_are_bred() {
    let parent = find("gerald-base");
    let weights = parent.evaluator.weights().len();
    let whole = weights + SearchParams::TUNABLES.len();
    let table = [
        (plain(CodingName::Gray), weights),
        (search(&["null*"], CodingName::Gray), whole),
        (published("gerald-search", CodingName::Gray), whole),
    ];
    for (settings, length) in table {
        let space = Space::new(&parent, &settings).expect("a space");
        assert_eq!(space.base().len(), length);
        assert_eq!(space.breeds_search(), length == whole);
        let short = &space.base()[1..];
        let error = space.player(&parent, short).expect_err("a number short");
        assert!(error.to_string().contains(&length.to_string()), "{error}");
    }
    let mixed = GenomeSettings {
        weights: Some(vec!["pawn.*".to_owned()]),
        ..search(&["razoring_margin", "null_d*"], CodingName::Real)
    };
    let names = space("gerald-base", &mixed).names().to_vec();
    let expected = [
        "pawn.mg",
        "pawn.eg",
        "search.null_depth",
        "search.null_depth_factor",
        "search.razoring_margin",
    ];
    assert_eq!(names, expected);
}

#[test]
fn keys_that_cannot_be_are_refused_by_name() {
    let gray = CodingName::Gray;
    let patterns = || Some(vec!["*".to_owned()]);
    let table = [
        ("search", search(&["null_reductoin"], gray)),
        ("search", search(&["search.null_reduction"], gray)),
        (
            "window",
            GenomeSettings {
                window: Some(0.3),
                ..plain(gray)
            },
        ),
        (
            "window",
            GenomeSettings {
                window: Some(0.0),
                ..search(&["*"], gray)
            },
        ),
        (
            "window",
            GenomeSettings {
                window: Some(1.5),
                ..search(&["*"], gray)
            },
        ),
        (
            "window",
            GenomeSettings {
                window: Some(f64::NAN),
                ..search(&["*"], gray)
            },
        ),
        (
            "search",
            GenomeSettings {
                search: vec!["*".to_owned()],
                ..published("gerald-search", gray)
            },
        ),
        (
            "weights",
            GenomeSettings {
                weights: patterns(),
                ..published("gerald-search", gray)
            },
        ),
        (
            "spread",
            GenomeSettings {
                spread: Some(9),
                ..search(&["*"], gray)
            },
        ),
        (
            "bits",
            GenomeSettings {
                bits: Some(9),
                ..search(&["*"], gray)
            },
        ),
        ("chromosome", published("gerald-searches", gray)),
        ("chromosome", published("david", gray)),
    ];
    for (expected, settings) in table {
        let made = Space::new(&find("gerald-base"), &settings);
        let SpaceError { key, reason } = made.expect_err("refused");
        assert_eq!(key, expected, "{reason}");
    }
    for settings in [plain(gray), published("gerald", gray)] {
        let without = Space::new(&find("random"), &settings).expect_err("refused");
        assert_eq!(without.key, "coding");
    }
}
