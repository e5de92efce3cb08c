//! `CoSyNE` against its paper, and against what other programs made of it. Each count
//! is held against its expectation within four standard errors; the seeds are fixed.

#![allow(clippy::float_cmp, reason = "what is only moved stays the same bits")]

use mendel_evolve::{
    Breeder, Cosyne, CosyneSettings, CosyneSpace, Fans, GenerationRequest, GenerationResult,
    JudgedMember, MemberId, Offspring, Origin, Permutation, RealVector, Run, StopRules,
    SynapseMutation, Trial,
};

const RULES: [Permutation; 3] = [
    Permutation::AllButNew,
    Permutation::Root,
    Permutation::SquareRoot,
];

/// Asserts that `count` of `tries` is what a chance of `share` gives.
#[track_caller]
pub(crate) fn assert_share(count: usize, tries: usize, share: f64, what: &str) {
    let expected = tries as f64 * share;
    let error = (expected * (1.0 - share)).sqrt();
    assert!(
        (count as f64 - expected).abs() <= 4.0 * error + 1e-9,
        "{what}: {count} of {tries}, expected {expected:.1} ± {error:.1}"
    );
}

fn judged(scores: impl IntoIterator<Item = f64>) -> Vec<JudgedMember> {
    let judge = |score| JudgedMember {
        score,
        gradient: None,
    };
    scores.into_iter().map(judge).collect()
}

/// Neurons with so many weights each.
pub(crate) fn space(neurons: &[u32]) -> CosyneSpace {
    let fans = Fans {
        before: 3,
        layer: 3,
    };
    let neurons: Vec<(u32, Fans)> = neurons.iter().map(|&weights| (weights, fans)).collect();
    CosyneSpace::of_neurons(&neurons, 1e9)
}

/// Settings of the paper, in which chance changes no number.
fn still(population: usize) -> CosyneSettings {
    CosyneSettings {
        mutation: SynapseMutation::Cauchy {
            rate: 0.0,
            scale: 0.3,
        },
        ..CosyneSettings::gomez(population)
    }
}

/// A number that tells whose it was and which weight.
fn token(member: usize, weight: usize) -> f64 {
    (member * 10_000 + weight) as f64
}

/// The member and the weight that a number was.
fn origin(value: f64) -> (usize, usize) {
    (value as usize / 10_000, value as usize % 10_000)
}

/// A first generation of tokens; the next one, after it was told these scores.
fn bred(
    settings: CosyneSettings,
    space: &CosyneSpace,
    scores: &[f64],
    seed: u64,
) -> Vec<Offspring<RealVector>> {
    let weights = space.bounds.len();
    let network = |member| RealVector((0..weights).map(|weight| token(member, weight)).collect());
    let start: Vec<RealVector> = (0..settings.population).map(network).collect();
    let mut cosyne = Cosyne::new(settings, space.clone(), start, seed).unwrap();
    let born = cosyne.ask();
    cosyne.tell(born, &judged(scores.iter().copied()));
    cosyne.ask()
}

/// Scores such that the last member is best.
fn rising(population: usize) -> Vec<f64> {
    (0..population).map(|member| member as f64).collect()
}

/// Trap: a weight that wanders into another sub-population, or is lost or doubled there.
#[test]
fn a_permutation_keeps_each_sub_population_as_it_was() {
    let space = space(&[4, 1, 6]);
    for permutation in RULES {
        for seed in 0..50 {
            let settings = CosyneSettings {
                permutation,
                ..still(20)
            };
            let born = bred(settings, &space, &rising(20), seed);
            for weight in 0..11 {
                // The best ten stay.
                let mut held: Vec<f64> = born[..10]
                    .iter()
                    .map(|born| born.genome.0[weight])
                    .collect();
                held.sort_by(f64::total_cmp);
                let before: Vec<f64> = (10..20).map(|member| token(member, weight)).collect();
                assert_eq!(
                    held, before,
                    "{permutation:?}, seed {seed}, weight {weight}"
                );
            }
        }
    }
}

/// Trap: the whole population is permuted, children and all.
#[test]
fn what_a_child_has_just_brought_stays_with_it() {
    let space = space(&[4, 1, 6]);
    for permutation in RULES {
        for seed in 0..50 {
            let settings = CosyneSettings {
                permutation,
                ..still(20)
            };
            let born = bred(settings, &space, &rising(20), seed);
            for child in &born[10..] {
                assert_eq!(child.origin, Origin::Crossover);
                let parents: Vec<usize> =
                    child.parents.iter().map(|id| id.member as usize).collect();
                for (weight, &value) in child.genome.0.iter().enumerate() {
                    let (member, from) = origin(value);
                    assert_eq!(from, weight);
                    assert!(parents.contains(&member), "{permutation:?}, seed {seed}");
                }
            }
        }
    }
}

/// Trap: weights move that were not marked.
#[test]
fn only_marked_weights_move() {
    let space = space(&[20, 20]);
    for permutation in [Permutation::Root, Permutation::SquareRoot] {
        for seed in 0..50 {
            let settings = CosyneSettings {
                permutation,
                offspring: 2,
                ..still(8)
            };
            // Three are best, for whom the chance is 0; the other three are worst.
            let scores = [9.0, 9.0, 9.0, 1.0, 1.0, 1.0, 0.0, 0.0];
            let born = bred(settings, &space, &scores, seed);
            for (place, stays) in born[..3].iter().enumerate() {
                assert_eq!(stays.origin, Origin::Elite);
                assert_eq!(stays.parents, [id(0, place)]);
                assert!(stays.genome.0.iter().all(|&value| origin(value).0 == place));
            }
            for moved in &born[3..6] {
                assert_eq!(moved.origin, Origin::Permutation);
                let from = |&value: &f64| (3..6).contains(&origin(value).0);
                assert!(moved.genome.0.iter().all(from));
            }
        }
    }
}

fn id(generation: u32, member: usize) -> MemberId {
    MemberId {
        generation,
        member: member as u32,
    }
}

/// Trap: the simple rule asks for the score, or spares the best.
#[test]
fn the_simple_rule_moves_the_best_as_often_as_the_others() {
    let (weights, rounds) = (60_u32, 300);
    let space = space(&[weights]);
    let settings = CosyneSettings {
        offspring: 1,
        ..still(4)
    };
    // The places of three members that stay can be taken in six ways.
    let mut ways = [0; 27];
    for seed in 0..rounds {
        let born = bred(settings, &space, &[5.0, 4.0, 1.0, 0.0], seed);
        for weight in 0..weights as usize {
            let from = |place: usize| origin(born[place].genome.0[weight]).0;
            ways[from(0) * 9 + from(1) * 3 + from(2)] += 1;
        }
    }
    let tries = weights as usize * rounds as usize;
    for (way, &count) in ways.iter().enumerate() {
        let places = [way / 9, way / 3 % 3, way % 3];
        let possible = (0..3).all(|member| places.contains(&member));
        let share = if possible { 1.0 / 6.0 } else { 0.0 };
        assert_share(count, tries, share, &format!("{places:?}"));
    }
}

/// Trap: a square root where the paper has the n-th, a linear chance, or one by rank.
#[test]
fn the_chance_is_one_less_the_nth_root() {
    let table = [
        (Permutation::Root, 1, 0.25, 0.75),
        (Permutation::Root, 2, 0.25, 0.5),
        (Permutation::Root, 4, 0.0625, 0.5),
        (Permutation::Root, 20, 0.0, 1.0),
        (Permutation::Root, 20, 1.0, 0.0),
        (Permutation::SquareRoot, 4, 0.0625, 0.75),
        (Permutation::SquareRoot, 8448, 0.25, 0.5),
        (Permutation::AllButNew, 4, 1.0, 1.0),
    ];
    for (rule, weights, share, chance) in table {
        let found = rule.chance(share, weights);
        assert!((found - chance).abs() < 1e-12, "{rule:?} {weights} {share}");
    }

    // The best is never marked, the worst always, the middle one with the chance; if it
    // is, the two change places in half of the cases.
    let rounds = 3000;
    for (permutation, weights, share) in [
        (Permutation::Root, 6_u32, 0.25),
        (Permutation::Root, 3, 0.25),
        (Permutation::SquareRoot, 6, 0.25),
        (Permutation::SquareRoot, 3, 0.64),
    ] {
        let space = space(&[weights]);
        let settings = CosyneSettings {
            permutation,
            offspring: 1,
            ..still(4)
        };
        let scores = [-10.0, -20.0 + 10.0 * share, -20.0, -900.0];
        let mut moved = 0;
        for seed in 0..rounds {
            let born = bred(settings, &space, &scores, seed);
            for &value in &born[1].genome.0 {
                moved += usize::from(origin(value).0 == 2);
            }
        }
        let power = match permutation {
            Permutation::Root => 1.0 / f64::from(weights),
            _ => 0.5,
        };
        let chance = 1.0 - share.powf(power);
        let tries = rounds as usize * weights as usize;
        assert_share(
            moved,
            tries,
            chance / 2.0,
            &format!("{permutation:?}, {weights} weights"),
        );
    }
}

#[test]
fn equal_and_missing_scores_mark_all_or_none_as_the_rules_say() {
    let space = space(&[30]);
    for (permutation, moves) in [
        (Permutation::AllButNew, true),
        (Permutation::Root, true),
        (Permutation::SquareRoot, false),
    ] {
        let settings = CosyneSettings {
            permutation,
            ..still(8)
        };
        for score in [3.0, f64::NAN] {
            let born = bred(settings, &space, &[score; 8], 1);
            let moved = born[..4]
                .iter()
                .any(|born| born.origin == Origin::Permutation);
            assert_eq!(moved, moves, "{permutation:?} with {score}");
        }
        // The ends of all numbers, and somebody without a score beside them.
        let scores = [f64::MAX, f64::MIN, 0.0, f64::NAN, -1.0, -2.0, -3.0, -4.0];
        let born = bred(settings, &space, &scores, 1);
        assert!(
            born.iter()
                .flat_map(|born| &born.genome.0)
                .all(|it| it.is_finite())
        );
    }
}

/// Trap: old, new and permuted networks are all judged, which costs more a generation
/// than the paper counts.
#[test]
fn each_member_is_judged_once_a_generation() {
    struct Counting(u64);
    impl Trial<RealVector> for Counting {
        type Error = std::convert::Infallible;
        fn judge(
            &mut self,
            request: GenerationRequest<'_, RealVector>,
        ) -> Result<GenerationResult, Self::Error> {
            let members = request.offspring.iter().map(|member| &member.genome);
            self.0 += members.len() as u64;
            let judged = judged(members.map(|member| -member.0[0].abs()));
            Ok(GenerationResult::of(judged))
        }
    }
    for settings in [CosyneSettings::gomez(21), CosyneSettings::chess()] {
        let cosyne = Cosyne::new(settings, space(&[3, 2]), None, 1).unwrap();
        let stop = StopRules {
            generations: Some(30),
            ..StopRules::default()
        };
        let mut run = Run::new(cosyne, stop, 1).unwrap();
        let mut trial = Counting(0);
        run.finish(&mut trial).unwrap();
        assert_eq!(trial.0, 30 * settings.population as u64);
    }
}

#[test]
fn parents_are_two_of_the_best_quarter_all_pairs_alike() {
    let space = space(&[3]);
    let rounds = 2000;
    let mut pairs = [[0; 5]; 5];
    for seed in 0..rounds {
        for pair in bred(still(20), &space, &rising(20), seed)[10..].chunks(2) {
            assert_eq!(pair[0].parents, pair[1].parents);
            let [mother, father] = [0, 1].map(|at| 19 - pair[0].parents[at].member as usize);
            pairs[mother][father] += 1;
        }
    }
    for (mother, fathers) in pairs.iter().enumerate() {
        for (father, &count) in fathers.iter().enumerate() {
            let share = if mother == father { 0.0 } else { 1.0 / 20.0 };
            let tries = 5 * rounds as usize;
            assert_share(count, tries, share, &format!("{mother} and {father}"));
        }
    }
}

#[test]
fn each_neuron_is_cut_once_anywhere() {
    let (sizes, rounds) = ([5_u32, 1, 4], 3000);
    let space = space(&sizes);
    let mut cuts = [[0; 5]; 3];
    for seed in 0..rounds {
        for pair in bred(still(8), &space, &rising(8), seed)[4..].chunks(2) {
            let mother = pair[0].parents[0].member as usize;
            for ((neuron, weights), &size) in space.neurons.iter().enumerate().zip(&sizes) {
                let own = |child: usize, &weight: &u32| {
                    origin(pair[child].genome.0[weight as usize]).0 == mother
                };
                let cut = weights.iter().take_while(|weight| own(0, weight)).count();
                assert!(weights[cut..].iter().all(|weight| !own(0, weight)));
                // The other child is the mirror image.
                assert!(weights[..cut].iter().all(|weight| !own(1, weight)));
                assert!(weights[cut..].iter().all(|weight| own(1, weight)));
                assert!(cut > 0 && (cut < size as usize || size == 1));
                cuts[neuron][cut - 1] += 1;
            }
        }
    }
    let tries = 2 * rounds as usize;
    assert_eq!(cuts[1][0], tries, "a single weight cannot be cut");
    for (neuron, places) in [(0, 4), (2, 3)] {
        for &count in &cuts[neuron][..places] {
            let share = 1.0 / places as f64;
            assert_share(count, tries, share, &format!("neuron {neuron}"));
        }
    }
}

/// The steps of all changed weights of children, and how many weights were seen.
fn steps(mutation: SynapseMutation, generations: u32) -> (Vec<f64>, usize) {
    let settings = CosyneSettings {
        mutation,
        offspring: 6,
        parents: 0.25,
        ..CosyneSettings::gomez(8)
    };
    let space = space(&[200]);
    let (mut steps, mut seen) = (Vec::new(), 0);
    for seed in 0..60 {
        let start: Vec<RealVector> = vec![RealVector(vec![7.0; 200]); 8];
        let mut cosyne = Cosyne::new(settings, space.clone(), start, seed).unwrap();
        for _ in 0..generations {
            // Again and again from networks that are all alike.
            let mut born = cosyne.ask();
            for born in &mut born {
                born.genome.0.fill(7.0);
            }
            cosyne.tell(born, &judged([0.0; 8]));
        }
        let born = cosyne.ask();
        assert!(born[..2].iter().all(|born| born.genome.0 == [7.0; 200]));
        for value in born[2..].iter().flat_map(|born| &born.genome.0) {
            seen += 1;
            if *value != 7.0 {
                steps.push(value - 7.0);
            }
        }
    }
    (steps, seen)
}

/// Trap: normal noise where the paper has Cauchy's. Those that stay never change.
#[test]
fn children_are_mutated_at_the_rate_with_the_tails_of_cauchy() {
    let (steps, seen) = steps(
        SynapseMutation::Cauchy {
            rate: 0.3,
            scale: 0.3,
        },
        1,
    );
    assert_share(steps.len(), seen, 0.3, "changed weights");
    let beyond = |limit: f64| steps.iter().filter(|step| step.abs() > limit * 0.3).count();
    // Quantiles of the distribution; of normal steps none were beyond the last.
    for (limit, share) in [
        (1.0, 0.5),
        (3.077_683_5, 0.2),
        (12.706_205, 0.05),
        (63.656_741, 0.01),
    ] {
        assert_share(
            beyond(limit),
            steps.len(),
            share,
            &format!("beyond {limit} scales"),
        );
    }
    let up = steps.iter().filter(|&&step| step > 0.0).count();
    assert_share(up, steps.len(), 0.5, "upwards");
}

#[test]
fn normal_steps_calm_down_as_the_formula_says() {
    for (decay, generations, deviation) in [
        (None, 3, 0.01),
        (Some(0.5), 1, 0.01),
        (Some(0.5), 4, 0.00125),
    ] {
        let mutation = SynapseMutation::Gaussian {
            rate: 0.6,
            sigma: 0.01,
            decay,
        };
        let (steps, seen) = steps(mutation, generations);
        assert_share(steps.len(), seen, 0.6, "changed weights");
        let beyond = |limit: f64| {
            let far = |step: &&f64| step.abs() > limit * deviation;
            steps.iter().filter(far).count()
        };
        assert_share(
            beyond(1.0),
            steps.len(),
            0.317_310_5,
            "beyond one deviation",
        );
        assert_share(
            beyond(2.0),
            steps.len(),
            0.045_500_3,
            "beyond two deviations",
        );
    }
}

/// The variant of the chess paper: eight permuted parents and eight children.
#[test]
fn the_variant_for_chess_swaps_and_picks_at_its_rates() {
    let still = SynapseMutation::Gaussian {
        rate: 0.0,
        sigma: 0.01,
        decay: None,
    };
    let space = space(&[30]);
    let (mut swapped, mut seen) = (0, 0);
    for seed in 0..300 {
        let settings = CosyneSettings {
            mutation: still,
            ..CosyneSettings::chess()
        };
        let born = bred(settings, &space, &rising(16), seed);
        assert_eq!(born.len(), 16);
        let parents = |born: &Offspring<RealVector>| born.parents.iter().all(|id| id.member >= 8);
        assert!(born.iter().all(parents), "the better half are parents");
        for pair in born[8..].chunks(2) {
            let mother = pair[0].parents[0].member as usize;
            for (one, other) in pair[0].genome.0.iter().zip(&pair[1].genome.0) {
                let [one, other] = [one, other].map(|&value| origin(value).0 == mother);
                assert_ne!(one, other, "mirror images");
                swapped += usize::from(!one);
                seen += 1;
            }
        }
    }
    assert_share(swapped, seen, 0.3, "swapped weights");

    // Of twenty parents each is picked with 0.6; so many children show all of them.
    let settings = CosyneSettings {
        population: 1000,
        parents: 0.02,
        offspring: 900,
        mutation: still,
        ..CosyneSettings::chess()
    };
    let rounds = 400;
    let mut picked = 0;
    for seed in 0..rounds {
        let born = bred(
            settings,
            &CosyneSpace::layered(&[1, 1], false, false, 1e9),
            &rising(1000),
            seed,
        );
        let mut seen = [false; 20];
        for id in born[100..].iter().flat_map(|born| &born.parents) {
            seen[id.member as usize - 980] = true;
        }
        picked += seen.iter().filter(|seen| **seen).count();
    }
    assert_share(picked, 20 * rounds as usize, 0.6, "picked parents");
}

/// A permuted network names those it has its weights from, the most first.
#[test]
fn lineage_names_the_sources_of_a_permuted_network() {
    let space = space(&[40]);
    let born = bred(still(16), &space, &rising(16), 3);
    for permuted in &born[..8] {
        assert_eq!(permuted.origin, Origin::Permutation);
        let mut counts = [0; 16];
        for &value in &permuted.genome.0 {
            counts[origin(value).0] += 1;
        }
        let mut sources: Vec<usize> = (8..16).filter(|&member| counts[member] > 0).collect();
        // Of equals the better one.
        sources.sort_by_key(|&member| (std::cmp::Reverse(counts[member]), 16 - member));
        let named: Vec<usize> = permuted
            .parents
            .iter()
            .map(|id| id.member as usize)
            .collect();
        assert_eq!(named, sources);
    }
}

#[test]
fn the_smallest_population_has_one_parent_and_one_child() {
    let settings = CosyneSettings {
        offspring: 1,
        ..CosyneSettings::gomez(2)
    };
    let born = bred(settings, &space(&[3]), &[1.0, 2.0], 5);
    assert_eq!(born.len(), 2);
    assert_eq!(
        (born[0].origin, &born[0].parents),
        (Origin::Elite, &vec![id(0, 1)])
    );
    assert!(matches!(born[1].origin, Origin::Mutation | Origin::Copy));
    assert_eq!(born[1].parents, [id(0, 1)]);
}
