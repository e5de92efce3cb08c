//! Do the operators do what they say as often as they say? Each count is held
//! against its expectation within four standard errors; the seeds are fixed.

use mendel_evolve::problems::BitHill;
use mendel_evolve::{
    Archive, Bits, Bounds, Breeder, Change, Chooser, Coding, Crossover, Founders, Ga, GaSettings,
    Gene, Genome, JudgedMember, Layout, Measure, MuPlusLambda, MuPlusLambdaSettings, Mutation,
    Offspring, Origin, Piece, Purpose, RealVector, Selection, generator,
};
use rand_chacha::ChaCha8Rng;

fn rng(seed: u64) -> ChaCha8Rng {
    generator(seed, 0, 0, Purpose::Breed)
}

/// Asserts that `count` of `tries` is what a chance of `share` gives.
#[track_caller]
fn assert_share(count: usize, tries: usize, share: f64, what: &str) {
    let expected = tries as f64 * share;
    let error = (expected * (1.0 - share)).sqrt();
    assert!(
        (count as f64 - expected).abs() <= 4.0 * error + 1e-9,
        "{what}: {count} of {tries}, expected {expected:.1} ± {error:.1}"
    );
}

#[test]
fn each_bit_is_flipped_at_the_rate() {
    let (len, rounds) = (100, 4000);
    for rate in [0.0, 0.002, 0.05, 0.5, 0.9, 1.0] {
        let mut rng = rng(1);
        let mut flipped = vec![0; len];
        let mut neighbours = 0;
        for _ in 0..rounds {
            let mut bits = Bits::zeros(len);
            let count = bits.flip_at_random(rate, &mut rng);
            assert_eq!(count, bits.ones());
            for (at, flipped) in flipped.iter_mut().enumerate() {
                *flipped += usize::from(bits.get(at));
                neighbours += usize::from(at > 0 && bits.get(at) && bits.get(at - 1));
            }
        }
        let all: usize = flipped.iter().sum();
        assert_share(all, len * rounds, rate, "all bits");
        for (at, &count) in flipped.iter().enumerate() {
            assert_share(count, rounds, rate, &format!("bit {at} at {rate}"));
        }
        // Independent of each other. (Pairs overlap; the error is a little larger.)
        let pairs = ((len - 1) * rounds) as f64;
        let expected = pairs * rate * rate;
        let error = (pairs * rate * rate * (1.0 - rate) * (1.0 + 3.0 * rate)).sqrt();
        assert!(
            (neighbours as f64 - expected).abs() <= 4.0 * error + 1e-9,
            "pairs at {rate}"
        );
    }
}

#[test]
fn one_bit_of_a_gene_is_flipped_at_the_rate_of_genes() {
    let genes = [16, 0, 5, 16].map(|bits| Gene::new(format!("{bits} bits"), bits));
    let layout = Layout::new(genes.to_vec(), Coding::Binary).expect("a layout");
    let (rounds, rate) = (20_000, 0.1);
    let mut rng = rng(5);
    let mut flipped = vec![0; layout.bits()];
    let (mut changed, mut both) = (0, 0);
    for _ in 0..rounds {
        let mut bits = Bits::zeros(layout.bits());
        let change = Change {
            mutation: &Mutation::GeneBit,
            rate,
            generation: 0,
            space: &layout,
        };
        let said = bits.mutate(&change, &mut rng);
        assert_eq!(said, bits.ones() > 0);
        let in_gene = |range: std::ops::Range<usize>| range.filter(|&at| bits.get(at)).count();
        let counts = [in_gene(0..16), in_gene(16..21), in_gene(21..37)];
        assert!(counts.iter().all(|&count| count <= 1), "{bits}");
        changed += counts.iter().sum::<usize>();
        both += usize::from(counts[0] + counts[2] == 2);
        for (at, flipped) in flipped.iter_mut().enumerate() {
            *flipped += usize::from(bits.get(at));
        }
    }
    assert_share(changed, 3 * rounds, rate, "genes");
    assert_share(both, rounds, rate * rate, "two genes at once");
    for (at, &count) in flipped.iter().enumerate() {
        let bits = if (16..21).contains(&at) { 5.0 } else { 16.0 };
        assert_share(count, rounds, rate / bits, &format!("bit {at}"));
    }
}

/// Crosses a string of zeros with one of ones; the first child then shows what
/// came from the second parent.
fn swapped(crossover: &Crossover, layout: &Layout, rng: &mut ChaCha8Rng) -> Bits {
    let zeros = Bits::zeros(layout.bits());
    let mut ones = zeros.clone();
    for at in 0..layout.bits() {
        ones.set(at, true);
    }
    let [child, other] = Bits::cross(crossover, layout, [&zeros, &ones], rng);
    assert_eq!(child.ones() + other.ones(), layout.bits());
    child
}

#[test]
fn a_single_cut_is_anywhere_equally_often() {
    let (len, rounds) = (70, 70_000);
    let layout = BitHill::layout(len);
    let mut rng = rng(2);
    let mut cuts = vec![0; len];
    for _ in 0..rounds {
        let child = swapped(&Crossover::SinglePoint, &layout, &mut rng);
        let cut = len - child.ones();
        assert!((cut..len).all(|at| child.get(at)), "{child}");
        cuts[cut] += 1;
    }
    assert_eq!(cuts[0], 0, "a cut before the first bit is none");
    for (at, &count) in cuts.iter().enumerate().skip(1) {
        assert_share(count, rounds, 1.0 / 69.0, &format!("cut {at}"));
    }
}

#[test]
fn two_cuts_are_every_pair_equally_often() {
    let (len, rounds) = (8, 42_000);
    let layout = BitHill::layout(len);
    let mut rng = rng(3);
    let mut pairs = vec![vec![0; len]; len];
    for _ in 0..rounds {
        let child = swapped(&Crossover::TwoPoint, &layout, &mut rng);
        let from = (0..len).find(|&at| child.get(at)).unwrap();
        let to = from + child.ones();
        assert!((from..to).all(|at| child.get(at)), "{child}");
        pairs[from][to] += 1;
    }
    for (from, counts) in pairs.iter().enumerate().skip(1) {
        for (to, &count) in counts.iter().enumerate().skip(from + 1) {
            assert_share(count, rounds, 1.0 / 21.0, &format!("cuts {from} and {to}"));
        }
    }
}

#[test]
fn uniform_crossover_swaps_each_piece_at_its_rate() {
    let genes = [3, 5, 60, 4, 0, 9].map(|bits| Gene::new("gene", bits.min(32)));
    let layout = Layout::new(genes.to_vec(), Coding::Gray).unwrap();
    let rounds = 20_000;
    for swap in [0.0, 0.3, 0.5, 1.0] {
        for by in [Piece::Bit, Piece::Gene] {
            let mut rng = rng(4);
            let mut counts = vec![0; layout.bits()];
            let mut broken = 0;
            for _ in 0..rounds {
                let child = swapped(&Crossover::Uniform { by, swap }, &layout, &mut rng);
                let mut start = 0;
                for gene in layout.genes() {
                    let end = start + gene.bits as usize;
                    let ones = (start..end).filter(|&at| child.get(at)).count();
                    broken += usize::from(ones != 0 && ones != end - start);
                    start = end;
                }
                for (at, count) in counts.iter_mut().enumerate() {
                    *count += usize::from(child.get(at));
                }
            }
            for (at, &count) in counts.iter().enumerate() {
                assert_share(count, rounds, swap, &format!("{by:?} at place {at}"));
            }
            let breaks = by == Piece::Bit && swap > 0.0 && swap < 1.0;
            assert_eq!(broken > 0, breaks, "{by:?} at {swap}");
        }
    }
}

fn frequencies(selection: Selection, scores: &[f64], rounds: usize) -> Vec<usize> {
    let chooser: Chooser = selection.chooser(scores);
    let mut rng = rng(5);
    let mut counts = vec![0; scores.len()];
    for _ in 0..rounds {
        counts[chooser.choose(&mut rng)] += 1;
    }
    counts
}

#[test]
fn parents_are_chosen_in_the_proportions_of_the_books() {
    let errors = [150.0, 120.0, 170.0, 120.0];
    let negated = errors.map(|error| -error);
    // The largest error + 1 − the own error.
    let inverted = errors.map(|error| 171.0 - error);
    let of = |weights: [f64; 4]| weights.map(|weight| weight / weights.iter().sum::<f64>());
    let table = [
        (
            Selection::Roulette,
            [1.0, 3.0, 0.0, 6.0],
            of([1.0, 3.0, 0.0, 6.0]),
        ),
        (
            Selection::Roulette,
            [-1.0, 3.0, 0.0, 6.0],
            of([0.0, 3.0, 0.0, 6.0]),
        ),
        (Selection::Roulette, [0.0; 4], [0.25; 4]),
        (
            Selection::RouletteSquared,
            [1.0, 3.0, 0.0, 6.0],
            of([1.0, 9.0, 0.0, 36.0]),
        ),
        (Selection::RouletteShifted, negated, of(inverted)),
        (
            Selection::RouletteShifted,
            [-3.0, 0.0, 5.0, 1.0],
            of([1.0, 4.0, 9.0, 5.0]),
        ),
        // Ranks 3, 1, 2, 0; the best of two draws.
        (
            Selection::Tournament { size: 2 },
            [1.0, 7.0, 4.0, 9.0],
            of([1.0, 5.0, 3.0, 7.0]),
        ),
        (
            Selection::Tournament { size: 1 },
            [1.0, 7.0, 4.0, 9.0],
            [0.25; 4],
        ),
        // Lines from 1.5 / 4 to 0.5 / 4.
        (
            Selection::Rank { pressure: 1.5 },
            [1.0, 7.0, 4.0, 900.0],
            of([3.0, 7.0, 5.0, 9.0]),
        ),
        (
            Selection::Rank { pressure: 2.0 },
            [5.0, 5.0, 5.0, 5.0],
            of([3.0, 2.0, 1.0, 0.0]),
        ),
        (
            Selection::Truncation { share: 0.5 },
            [1.0, 7.0, 4.0, 9.0],
            [0.0, 0.5, 0.0, 0.5],
        ),
        (
            Selection::Truncation { share: 0.01 },
            [1.0, 7.0, 4.0, 9.0],
            [0.0, 0.0, 0.0, 1.0],
        ),
    ];
    let rounds = 40_000;
    for (selection, scores, shares) in table {
        let counts = frequencies(selection, &scores, rounds);
        for (place, (&count, share)) in counts.iter().zip(shares).enumerate() {
            assert_share(
                count,
                rounds,
                share,
                &format!("{selection:?}, member {place}"),
            );
        }
    }
}

#[test]
fn members_without_a_score_are_not_chosen_by_a_wheel() {
    let scores = [f64::MIN, 5.0, f64::MIN, 6.0];
    for selection in [Selection::Roulette, Selection::RouletteShifted] {
        let counts = frequencies(selection, &scores, 10_000);
        assert_eq!((counts[0], counts[2]), (0, 0), "{selection:?}");
    }
    let counts = frequencies(
        Selection::RouletteShifted,
        &[f64::MAX, f64::MAX, 1.0],
        10_000,
    );
    assert!(
        counts.iter().all(|&count| count > 3000),
        "a sum beyond all numbers: {counts:?}"
    );
}

/// The children of a generation in which every member is as good as any other.
fn children(settings: GaSettings, generations: u32) -> Vec<Offspring<Bits>> {
    let mut ga = Ga::<Bits>::new(settings, BitHill::layout(40), None, 6).unwrap();
    let mut all = Vec::new();
    for generation in 0..=generations {
        let born = ga.ask();
        if generation > 0 {
            all.extend(born.iter().cloned());
        }
        let judged = vec![
            JudgedMember {
                score: 1.0,
                gradient: None
            };
            born.len()
        ];
        ga.tell(born, &judged);
    }
    all
}

#[test]
fn pairs_are_crossed_and_children_changed_at_their_rates() {
    let settings = GaSettings {
        population: 200,
        selection: Selection::Roulette,
        crossover: Crossover::SinglePoint,
        crossover_rate: 0.75,
        mutation: Mutation::BitFlip,
        mutation_rate: 0.01,
        elites: 0,
        hall_of_fame: None,
        founders: Founders::Random,
    };
    let all = children(settings, 50);
    // Both children of a pair share its fate, so pairs are counted.
    let pairs: Vec<&[Offspring<Bits>]> = all.chunks(2).collect();
    let crossed = |pair: &&[Offspring<Bits>]| pair[0].origin == Origin::Crossover;
    let count = pairs.iter().copied().filter(crossed).count();
    assert_share(count, pairs.len(), 0.75, "crossed pairs");
    let alone: Vec<&Offspring<Bits>> = all
        .iter()
        .filter(|born| born.origin != Origin::Crossover)
        .collect();
    let copies = alone.iter().filter(|born| born.origin == Origin::Copy);
    // Forty bits stay with probability 0.99 each.
    assert_share(
        copies.count(),
        alone.len(),
        0.99_f64.powi(40),
        "unchanged children",
    );
}

#[test]
fn gaussian_steps_have_the_deviation_that_was_set() {
    let space = vec![Bounds::new("x", -1000.0, 1000.0); 100];
    let table = [
        (Measure::Absolute, None, 1, 2.0),
        (Measure::Range, None, 9, 4000.0),
        (Measure::Absolute, Some(0.5), 1, 2.0),
        (Measure::Absolute, Some(0.5), 4, 0.25),
    ];
    for (measure, decay, generation, deviation) in table {
        // Keep far from the bounds, where steps would be cut.
        let shrink = if measure == Measure::Range { 1e-3 } else { 1.0 };
        let mutation = Mutation::Gaussian {
            sigma: 2.0 * shrink,
            measure,
            decay,
        };
        let change = Change {
            mutation: &mutation,
            rate: 1.0,
            generation,
            space: &space,
        };
        let mut rng = rng(7);
        let mut steps = Vec::new();
        for _ in 0..400 {
            let mut member = RealVector(vec![0.0; 100]);
            assert!(member.mutate(&change, &mut rng));
            steps.extend(member.0);
        }
        let count = steps.len();
        let unit = deviation * shrink;
        let above = |limit: f64| {
            steps
                .iter()
                .filter(|step| step.abs() > limit * unit)
                .count()
        };
        // The tails of the normal distribution.
        assert_share(above(1.0), count, 0.317_310_5, "beyond one deviation");
        assert_share(above(2.0), count, 0.045_500_3, "beyond two deviations");
        let up = steps.iter().filter(|&&step| step > 0.0).count();
        assert_share(up, count, 0.5, "upwards");
    }
}

#[test]
fn numbers_are_mutated_at_the_rate() {
    let space = vec![Bounds::new("x", -10.0, 10.0); 50];
    let mutation = Mutation::NonUniform {
        shape: 5.0,
        generations: 10,
    };
    let change = Change {
        mutation: &mutation,
        rate: 0.07,
        generation: 1,
        space: &space,
    };
    let mut rng = rng(8);
    let mut changed = 0;
    for _ in 0..2000 {
        let mut member = RealVector(vec![0.0; 50]);
        member.mutate(&change, &mut rng);
        changed += member.0.iter().filter(|&&value| value != 0.0).count();
    }
    assert_share(changed, 100_000, 0.07, "changed numbers");
}

#[test]
fn non_uniform_steps_shrink_to_nothing_as_the_formula_says() {
    // From 2 it is 8 up to the upper bound and 12 down to the lower.
    let space = vec![Bounds::new("x", -10.0, 10.0); 100];
    // With b = 1: the share exceeds ½ if r < ½^(1 / (1 − t/T)).
    for (generation, chance) in [(0, 0.5), (50, 0.25), (75, 0.0625), (100, 0.0), (130, 0.0)] {
        let mutation = Mutation::NonUniform {
            shape: 1.0,
            generations: 100,
        };
        let change = Change {
            mutation: &mutation,
            rate: 1.0,
            generation,
            space: &space,
        };
        let mut rng = rng(9);
        let (mut far_up, mut far_down, mut up) = (0, 0, 0);
        for _ in 0..400 {
            let mut member = RealVector(vec![2.0; 100]);
            member.mutate(&change, &mut rng);
            for value in member.0 {
                far_up += usize::from(value > 6.0);
                far_down += usize::from(value < -4.0);
                up += usize::from(value > 2.0);
            }
        }
        assert_share(far_up, 40_000, chance / 2.0, "far up");
        assert_share(far_down, 40_000, chance / 2.0, "far down");
        if generation < 100 {
            assert_share(up, 40_000, 0.5, "up");
        } else {
            assert_eq!(up, 0);
        }
    }
}

#[test]
fn the_archive_is_asked_as_often_as_was_set() {
    let settings = MuPlusLambdaSettings {
        parents: 10,
        children: 10,
        mutation: Mutation::BitFlip,
        mutation_rate: 0.5,
        archive: Some(Archive {
            size: 20,
            probability: 0.15,
        }),
    };
    let mut breeder = MuPlusLambda::<Bits>::new(settings, BitHill::layout(40), None, 1).unwrap();
    let (mut children, mut back) = (0, 0);
    for generation in 0_u32..1000 {
        let asked = !breeder.archive().is_empty();
        let born = breeder.ask();
        if asked {
            children += born.len() - 10;
            let returned = born.iter().filter(|born| born.origin == Origin::HallOfFame);
            back += returned.count();
        }
        // The new ones always win, so that survivors leave.
        let judged: Vec<JudgedMember> = (0..born.len())
            .map(|place| JudgedMember {
                score: f64::from(generation) + if place < 10 { -1.0 } else { 1.0 },
                gradient: None,
            })
            .collect();
        breeder.tell(born, &judged);
    }
    assert!(children > 9000);
    assert_share(back, children, 0.15, "children from the archive");
}
