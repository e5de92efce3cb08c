//! Bits, numbers and the layout of genes.

use mendel_evolve::{
    Bits, Bounds, Coding, Crossover, Gene, Genome, Layout, Measure, Mutation, Piece, Purpose,
    RealVector, SettingsError, generator,
};
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;

fn rng(seed: u64) -> ChaCha8Rng {
    generator(seed, 0, 0, Purpose::Breed)
}

fn coding() -> impl Strategy<Value = Coding> {
    prop_oneof![Just(Coding::Gray), Just(Coding::Binary)]
}

fn gene() -> impl Strategy<Value = Gene> {
    (0_u32..=32, -1000_i64..1000, -9_i64..=9).prop_map(|(bits, offset, step)| Gene {
        name: "gene".to_owned(),
        bits,
        offset,
        step: if step == 0 { 1 } else { step },
    })
}

proptest! {
    #[test]
    fn neighbours_differ_in_one_bit_of_the_gray_code(number: u64) {
        let next = number.wrapping_add(1);
        let differ = Coding::Gray.code(number) ^ Coding::Gray.code(next);
        prop_assert_eq!(differ.count_ones(), 1);
    }

    #[test]
    fn a_code_stands_for_the_number_it_was_made_from(number: u64, coding in coding()) {
        prop_assert_eq!(coding.number(coding.code(number)), number);
    }

    #[test]
    fn every_string_of_bits_is_the_code_of_its_values(
        genes in prop::collection::vec(gene(), 1..20), coding in coding(), seed: u64,
    ) {
        let layout = Layout::new(genes, coding).expect("genes that can be");
        let bits = Bits::random(layout.bits(), &mut rng(seed));
        prop_assert_eq!(layout.encode(&layout.decode(&bits)), Ok(bits));
    }

    #[test]
    fn what_is_written_is_read(
        len in 1_usize..200, at in 0_usize..220, count in 0_usize..=64, number: u64, seed: u64,
    ) {
        let before = Bits::random(len, &mut rng(seed));
        let mut bits = before.clone();
        bits.write(at, count, number);
        for place in 0..len {
            let expected = if (at..at + count).contains(&place) {
                number >> (count - 1 - (place - at)) & 1 == 1
            } else {
                before.get(place)
            };
            prop_assert_eq!(bits.get(place), expected, "at {}", place);
        }
        prop_assert_eq!(bits.read(len, 64), 0, "nothing lies behind the end");
    }

    #[test]
    fn bits_survive_as_text(len in 0_usize..300, seed: u64) {
        let bits = Bits::random(len, &mut rng(seed));
        prop_assert_eq!(bits.to_string().parse(), Ok(bits.clone()));
        let json = serde_json::to_string(&bits).unwrap();
        prop_assert_eq!(serde_json::from_str::<Bits>(&json).unwrap(), bits);
    }

    #[test]
    fn no_text_panics(text in "[0-9]{0,3}:?[0-9a-fA-Fgé]{0,40}") {
        if let Ok(bits) = text.parse::<Bits>() {
            prop_assert_eq!(bits.to_string().parse(), Ok(bits));
        }
    }

    #[test]
    fn children_have_at_each_place_what_their_parents_had(
        genes in prop::collection::vec(gene(), 1..20),
        by in prop_oneof![Just(Piece::Bit), Just(Piece::Gene)],
        kind in 0..3,
        swap in 0.0..=1.0,
        seed: u64,
    ) {
        let layout = Layout::new(genes, Coding::Gray).expect("genes that can be");
        let crossover = match kind {
            0 => Crossover::SinglePoint,
            1 => Crossover::TwoPoint,
            _ => Crossover::Uniform { by, swap },
        };
        let mut rng = rng(seed);
        let one = Bits::random(layout.bits(), &mut rng);
        let other = Bits::random(layout.bits(), &mut rng);
        let [first, second] = Bits::cross(&crossover, &layout, [&one, &other], &mut rng);
        let mut changes = 0;
        let mut swapped_before = false;
        for at in 0..layout.bits() {
            let had = [one.get(at), other.get(at)];
            let has = [first.get(at), second.get(at)];
            let swapped = had[0] != has[0];
            prop_assert_eq!(has, if swapped { [had[1], had[0]] } else { had });
            if had[0] != had[1] {
                changes += u32::from(swapped != swapped_before);
                swapped_before = swapped;
            }
        }
        match crossover {
            Crossover::SinglePoint => prop_assert!(changes <= 1),
            Crossover::TwoPoint => prop_assert!(changes <= 2),
            _ => {}
        }
        if crossover == (Crossover::Uniform { by: Piece::Gene, swap }) {
            let [one, other] = [layout.decode(&one), layout.decode(&other)];
            for (at, value) in layout.decode(&first).into_iter().enumerate() {
                prop_assert!(value == one[at] || value == other[at], "gene {} was cut", at);
            }
        }
    }

    #[test]
    fn numbers_stay_within_their_bounds(
        low in -100.0..100.0, width in 0.0..50.0, seed: u64, generation in 0_u32..60, kind in 0..3,
    ) {
        let space = vec![Bounds::new("a", low, low + width), Bounds::new("b", -1.0, 1.0)];
        let mutation = match kind {
            0 => Mutation::Gaussian { sigma: 30.0, measure: Measure::Absolute, decay: Some(0.99) },
            1 => Mutation::Gaussian { sigma: 1.0, measure: Measure::Range, decay: None },
            _ => Mutation::NonUniform { shape: 5.0, generations: 50 },
        };
        let mut rng = rng(seed);
        let parents = [RealVector::random(&space, &mut rng), RealVector::random(&space, &mut rng)];
        for crossover in [Crossover::Arithmetic, Crossover::uniform(Piece::Gene)] {
            let children = RealVector::cross(&crossover, &space, [&parents[0], &parents[1]], &mut rng);
            for mut child in children {
                let change = mendel_evolve::Change {
                    mutation: &mutation, rate: 1.0, generation, space: &space,
                };
                child.mutate(&change, &mut rng);
                prop_assert_eq!(child.belongs(&space), Ok(()));
            }
        }
    }

    #[test]
    fn arithmetic_children_lie_between_their_parents_and_keep_the_sum(seed: u64) {
        let space: Vec<Bounds> = (0..5).map(|_| Bounds::new("a", -9.0, 9.0)).collect();
        let mut rng = rng(seed);
        let [one, other] = [RealVector::random(&space, &mut rng), RealVector::random(&space, &mut rng)];
        let [first, second] = RealVector::cross(&Crossover::Arithmetic, &space, [&one, &other], &mut rng);
        for at in 0..5 {
            let (low, high) = (one.0[at].min(other.0[at]), one.0[at].max(other.0[at]));
            prop_assert!((low - 1e-12..=high + 1e-12).contains(&first.0[at]));
            let sums = [one.0[at] + other.0[at], first.0[at] + second.0[at]];
            prop_assert!((sums[0] - sums[1]).abs() < 1e-12);
        }
    }
}

#[test]
fn the_first_codes_are_those_of_the_tables() {
    let gray: Vec<u64> = (0..8).map(|number| Coding::Gray.code(number)).collect();
    assert_eq!(
        gray,
        [0b000, 0b001, 0b011, 0b010, 0b110, 0b111, 0b101, 0b100]
    );
    assert_eq!(Coding::Binary.code(6), 6);
}

#[test]
fn a_layout_reads_gene_after_gene_from_the_left() {
    let genes = vec![
        Gene::new("three", 3),
        Gene {
            name: "fixed".to_owned(),
            bits: 0,
            offset: 100,
            step: 1,
        },
        Gene {
            name: "shifted".to_owned(),
            bits: 4,
            offset: -20,
            step: 5,
        },
    ];
    let layout = Layout::new(genes, Coding::Binary).expect("a good layout");
    assert_eq!(layout.bits(), 7);
    // 101 and 0011.
    let bits: Bits = "7:a6".parse().expect("seven bits");
    assert_eq!(layout.decode(&bits), [5, 100, -5]);
    assert_eq!(layout.encode(&[5, 100, -5]), Ok(bits));
}

#[test]
fn a_value_that_does_not_fit_names_its_gene_and_what_would() {
    let layout = Layout::new(vec![Gene::new("passed", 6)], Coding::Gray).expect("a good layout");
    let error = layout.encode(&[80]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the gene `passed` cannot hold 80: it has values from 0 to 63 in steps of 1"
    );
    assert!(layout.encode(&[-1]).is_err() && layout.encode(&[63]).is_ok());
    let error = layout.encode(&[1, 2]).unwrap_err().to_string();
    assert!(error.starts_with("2 values were given for 1 genes"));
}

#[test]
fn genes_that_cannot_be_are_refused() {
    let refused = |bits, offset, step| {
        let name = "odd".to_owned();
        let gene = Gene {
            name,
            bits,
            offset,
            step,
        };
        Layout::new(vec![gene], Coding::Gray).is_err()
    };
    assert!(refused(33, 0, 1));
    assert!(refused(4, 0, 0));
    assert!(refused(32, i64::MAX, 1));
    assert!(refused(32, 0, i64::MIN));
    assert!(!refused(0, i64::MIN, 0));
    // Also when a file says so.
    let json = r#"{"genes":[{"name":"odd","bits":99}]}"#;
    assert!(serde_json::from_str::<Layout>(json).is_err());
}

#[test]
fn a_layout_survives_being_written() {
    let layout = Layout::new(vec![Gene::new("a", 3), Gene::new("b", 9)], Coding::Binary).unwrap();
    let json = serde_json::to_string(&layout).unwrap();
    assert_eq!(serde_json::from_str::<Layout>(&json).unwrap(), layout);
}

#[test]
fn texts_that_are_no_bits_are_refused() {
    for text in [
        "",
        "12",
        "x:ff",
        "8:f",
        "8:fff",
        "8:fg",
        "6:ff",
        "-1:",
        "99999999999:00",
    ] {
        assert!(text.parse::<Bits>().is_err(), "{text}");
    }
    assert_eq!("6:fc".parse::<Bits>().unwrap().ones(), 6);
}

#[test]
fn bounds_that_cannot_be_are_refused() {
    let space = |low, high, start| {
        let bounds = Bounds::new("w", low, high);
        RealVector::check_space(&vec![Bounds { start, ..bounds }])
    };
    assert_eq!(space(0.0, 1.0, 0.5), Ok(()));
    assert!(space(1.0, 0.0, 0.5).is_err());
    assert!(space(f64::NAN, 1.0, 0.5).is_err());
    assert!(space(f64::MIN, f64::MAX, 0.0).is_err());
    assert!(space(0.0, 1.0, 2.0).is_err());
    assert_eq!(space(1.0, 1.0, 1.0), Err(SettingsError::Empty));
    for (step, good) in [(0.1, true), (0.0, false), (-1.0, false), (f64::NAN, false)] {
        let bounds = Bounds {
            step: Some(step),
            ..Bounds::new("w", 0.0, 1.0)
        };
        assert_eq!(
            RealVector::check_space(&vec![bounds]).is_ok(),
            good,
            "{step}"
        );
    }
}
