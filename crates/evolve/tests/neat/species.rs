//! Who belongs together, who may breed, and how much.

use mendel_evolve::neat::{
    Distance, Extinction, Placement, Sharing, SpeciesScore, Stagnation, Threshold,
};
use mendel_evolve::{Breeder, Function, Neat, NeatSettings, NetGenome, Origin, Shape};

use super::{judged, net, quiet};

const PAPER: Distance = Distance::Genes {
    excess: 1.0,
    disjoint: 1.0,
    weight: 0.4,
    small: 20,
};

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
}

fn between(distance: &Distance, one: &NetGenome, other: &NetGenome) -> f64 {
    let shape = Shape::new(2, 1);
    let there = distance.between(&shape, one, other);
    close(distance.between(&shape, other, one), there);
    there
}

/// Genes with these numbers, all else alike.
fn numbered(numbers: &[(u32, f64)]) -> NetGenome {
    let mut net = net(0, &vec![(0, 2, 0.0); numbers.len()]);
    for (link, &(innovation, weight)) in net.links.iter_mut().zip(numbers) {
        (link.innovation, link.weight) = (innovation, weight);
    }
    net
}

#[test]
fn the_distance_is_that_of_the_paper() {
    let one = numbered(&[(1, 1.0), (2, 2.0), (3, 0.0), (5, 1.0)]);
    let other = numbered(&[(1, 0.0), (2, 4.0), (4, 0.0), (6, 0.0), (7, 0.0)]);
    // 1 and 2 match, 1.5 apart; 3, 4 and 5 are disjoint, 6 and 7 in excess.
    close(between(&PAPER, &one, &other), 2.0 + 3.0 + 0.4 * 1.5);
    let apart = Distance::Genes {
        excess: 3.0,
        disjoint: 0.5,
        weight: 2.0,
        small: 0,
    };
    close(
        between(&apart, &one, &other),
        3.0 * 2.0 / 5.0 + 0.5 * 3.0 / 5.0 + 2.0 * 1.5,
    );
    close(between(&PAPER, &one, &one), 0.0);
    // Twenty genes are no small network: counts are divided.
    let long: Vec<(u32, f64)> = (0..20).map(|number| (number, 0.0)).collect();
    close(
        between(&PAPER, &numbered(&long), &numbered(&long[..10])),
        0.5,
    );
    close(
        between(&PAPER, &numbered(&long[..19]), &numbered(&long[..10])),
        9.0,
    );
    // Nothing in common, or nothing at all.
    close(between(&PAPER, &numbered(&[]), &numbered(&[(0, 9.0)])), 1.0);
    close(between(&PAPER, &numbered(&[]), &numbered(&[])), 0.0);
}

/// A trap of other programs: genes were matched by the nodes they link.
#[test]
fn genes_are_matched_by_their_number_and_not_by_their_ends() {
    let here = numbered(&[(4, 1.0)]);
    let mut elsewhere = numbered(&[(4, 1.0)]);
    elsewhere.links[0].from = 1;
    let other_number = numbered(&[(5, 1.0)]);
    let kinds = [
        (PAPER, 2.0),
        (
            Distance::NodesAndLinks {
                disjoint: 1.0,
                weight: 0.5,
            },
            2.0,
        ),
    ];
    for (distance, apart) in kinds {
        close(between(&distance, &here, &elsewhere), 0.0);
        close(between(&distance, &here, &other_number), apart);
    }
}

/// The value is that of neat-python 2.0.0 for the same two networks, its response and
/// time constant alike.
#[test]
fn nodes_and_links_are_as_far_apart_as_in_neat_python() {
    let mut one = net(1, &[(0, 2, 0.5), (1, 2, -1.0), (0, 3, 2.0), (3, 2, 1.0)]);
    let mut other = net(0, &[(0, 2, 1.25), (1, 2, -1.0)]);
    other.links[1].enabled = false;
    one.nodes[2].bias = 0.5;
    other.nodes[2].bias = -0.75;
    other.nodes[2].function = Function::Tanh;
    let distance = Distance::NodesAndLinks {
        disjoint: 1.0,
        weight: 0.5,
    };
    close(between(&distance, &one, &other), 1.78125);
}

#[test]
fn the_mean_distance_is_that_of_all_pairs() {
    let nets = [0.0, 1.0, 4.0].map(|weight| numbered(&[(0, weight)]));
    let all: Vec<&NetGenome> = nets.iter().collect();
    let shape = Shape::new(2, 1);
    close(PAPER.mean(&shape, &all), 0.4 * (1.0 + 3.0 + 4.0) / 3.0);
    close(PAPER.mean(&shape, &all[..1]), 0.0);
}

/// Members with these weights on their only link; the distance is that of the weights.
fn line(settings: NeatSettings, weights: &[f64]) -> Neat {
    let settings = NeatSettings {
        population: weights.len(),
        distance: Distance::Genes {
            excess: 1.0,
            disjoint: 1.0,
            weight: 1.0,
            small: 0,
        },
        ..settings
    };
    let given: Vec<NetGenome> = weights.iter().map(|&at| net(0, &[(0, 2, at)])).collect();
    Neat::new(settings, Shape::new(2, 1), given, 4).unwrap()
}

fn members(neat: &Neat) -> Vec<Vec<u32>> {
    neat.species().iter().map(|it| it.members.clone()).collect()
}

#[test]
fn a_member_goes_to_the_first_species_that_is_near_or_to_the_nearest() {
    let weights = [0.0, 2.0, 1.2, 5.0];
    let mut settings = quiet(4);
    settings.threshold = Threshold::Fixed(1.5);
    let neat = line(settings.clone(), &weights);
    assert_eq!(members(&neat), [vec![0, 2], vec![1], vec![3]]);
    settings.placement = Placement::Nearest;
    let neat = line(settings, &weights);
    assert_eq!(members(&neat), [vec![0], vec![1, 2], vec![3]]);
}

#[test]
fn the_threshold_moves_until_there_are_as_many_species_as_wanted() {
    let weights: Vec<f64> = (0..40).map(|at| f64::from(at) * 0.4 - 8.0).collect();
    for (start, wanted) in [(0.3, 4), (20.0, 4)] {
        let mut settings = quiet(40);
        settings.threshold = Threshold::Dynamic {
            start,
            species: wanted,
            step: 0.3,
            floor: 0.3,
        };
        settings.weights = NeatSettings::stanley_2002().weights;
        let mut neat = line(settings, &weights);
        let mut counts = Vec::new();
        for _ in 0..100 {
            let before = (neat.threshold(), neat.species().len());
            let born = neat.ask();
            neat.tell(born, &judged(vec![1.0; 40]));
            let moved = neat.threshold() - before.0;
            let many = neat.species().len();
            let expected = match many.cmp(&wanted) {
                std::cmp::Ordering::Less if before.0 > 0.6 => -0.3,
                std::cmp::Ordering::Equal => 0.0,
                std::cmp::Ordering::Greater => 0.3,
                std::cmp::Ordering::Less => moved,
            };
            close(moved, expected);
            assert!(neat.threshold() >= 0.3);
            counts.push(many);
        }
        let good = counts[70..].iter().filter(|it| it.abs_diff(wanted) <= 2);
        assert!(good.count() >= 20, "{counts:?}");
    }
}

#[test]
fn a_better_species_has_more_children_whatever_the_sign_of_the_scores() {
    for shift in [-1000.0, -4.0, 0.0, 1000.0] {
        let mut settings = quiet(12);
        settings.threshold = Threshold::Fixed(1.0);
        settings.sharing = Sharing::Shifted;
        let mut neat = line(settings, &[[-8.0; 6], [8.0; 6]].concat());
        let born = neat.ask();
        // Means 1.5 and 4.5 above the lowest: a quarter and three quarters.
        let scores = [0.0, 3.0, 0.0, 3.0, 0.0, 3.0, 4.5, 4.5, 4.5, 4.5, 4.5, 4.5];
        neat.tell(born, &judged(scores.map(|score| score + shift)));
        let sizes: Vec<usize> = members(&neat).iter().map(Vec::len).collect();
        assert_eq!(sizes, [3, 9], "scores from {shift}");
    }
}

/// Two species that stay apart; the scores of each by the generation.
fn fates(
    stagnation: Stagnation,
    extinction: Extinction,
    generations: u32,
    score: impl Fn(u32, bool) -> f64,
) -> (Neat, Vec<Vec<u32>>) {
    let mut settings = quiet(12);
    settings.threshold = Threshold::Fixed(1.0);
    settings.stagnation = Some(stagnation);
    settings.extinction = extinction;
    let mut neat = line(settings, &[[-8.0; 6], [8.0; 6]].concat());
    let mut ids = Vec::new();
    for generation in 0..generations {
        ids.push(neat.species().iter().map(|it| it.id).collect());
        let born = neat.ask();
        let scores = born.iter().map(|born| {
            let first = born.genome.links.first().is_some_and(|it| it.weight < 0.0);
            score(generation, first)
        });
        let scores: Vec<f64> = scores.collect();
        neat.tell(born, &judged(scores));
    }
    (neat, ids)
}

fn stagnation(generations: u32, spared: usize) -> Stagnation {
    Stagnation {
        generations,
        measure: SpeciesScore::Best,
        spared,
        refocus: None,
    }
}

#[test]
fn a_species_without_progress_for_fifteen_generations_has_no_more_children() {
    // The first becomes better in generation 2 for the last time, the second always.
    let score = |generation: u32, first: bool| {
        f64::from(if first {
            40 + generation.min(2)
        } else {
            40 + generation
        })
    };
    let (neat, ids) = fates(stagnation(15, 0), Extinction::KeepBest, 30, score);
    for (generation, ids) in ids.iter().enumerate() {
        let expected: &[u32] = if generation <= 17 { &[0, 1] } else { &[1] };
        assert_eq!(ids, expected, "generation {generation}");
    }
    let species = &neat.species()[0];
    assert_eq!((species.improved, species.age(30)), (29, 30));
    assert_eq!(neat.extinctions(), 0);
}

#[test]
fn the_best_species_are_spared_where_the_settings_say_how_many() {
    let score = |_: u32, first: bool| if first { 2.0 } else { 1.0 };
    let (_, ids) = fates(stagnation(5, 1), Extinction::Restart, 12, score);
    assert_eq!(ids[5], [0, 1]);
    assert!(ids[6..].iter().all(|ids| ids == &[0]), "{ids:?}");
    let (_, ids) = fates(stagnation(5, 2), Extinction::Restart, 12, score);
    assert!(ids.iter().all(|ids| ids == &[0, 1]), "{ids:?}");
}

#[test]
fn if_all_die_out_they_are_founded_anew_or_the_best_goes_on() {
    let score = |_: u32, first: bool| if first { 2.0 } else { 1.0 };
    let (neat, ids) = fates(stagnation(5, 0), Extinction::KeepBest, 12, score);
    assert!(ids[6..].iter().all(|ids| ids == &[0]), "{ids:?}");
    assert_eq!(neat.extinctions(), 0);
    let (neat, ids) = fates(stagnation(5, 0), Extinction::Restart, 6, score);
    assert_eq!((neat.extinctions(), neat.generation()), (1, 6));
    assert_eq!(ids[5], [0, 1]);
    assert!(
        neat.species()
            .iter()
            .all(|it| it.id >= 2 && it.founded == 6)
    );
    let born = neat.ask();
    assert!(
        born.iter()
            .all(|it| it.origin == Origin::Random && it.parents.is_empty())
    );
    assert_eq!(born.len(), 12);
    // Another beginning, not the same again.
    let first = line(quiet(12), &[0.0; 12]).ask();
    assert_ne!(born[0].genome, first[0].genome);
    assert_ne!(born[0].genome, born[1].genome);
}

#[test]
fn without_any_progress_only_the_best_two_species_breed() {
    let mut settings = quiet(12);
    settings.threshold = Threshold::Fixed(1.0);
    settings.stagnation = Some(Stagnation {
        refocus: Some(6),
        ..stagnation(100, 0)
    });
    let mut neat = line(settings, &[[-8.0; 4], [0.0; 4], [8.0; 4]].concat());
    for generation in 0..20 {
        let expected: &[u32] = if generation <= 7 { &[0, 1, 2] } else { &[0, 2] };
        let ids: Vec<u32> = neat.species().iter().map(|it| it.id).collect();
        assert_eq!(ids, expected, "generation {generation}");
        let born = neat.ask();
        let scores = born.iter().map(|it| 10.0 + it.genome.links[0].weight.abs());
        let scores: Vec<f64> = scores.collect();
        neat.tell(born, &judged(scores));
    }
}

#[test]
fn the_mean_or_the_best_of_a_species_is_its_progress() {
    // The best stays at 3, the mean rises.
    for (measure, alive) in [(SpeciesScore::Best, 1), (SpeciesScore::Mean, 2)] {
        let rule = Stagnation {
            measure,
            ..stagnation(4, 0)
        };
        let mut settings = quiet(12);
        settings.threshold = Threshold::Fixed(1.0);
        settings.stagnation = Some(rule);
        let mut neat = line(settings, &[[-8.0; 6], [8.0; 6]].concat());
        for generation in 0..8 {
            let born = neat.ask();
            let scores = born.iter().enumerate().map(|(at, it)| {
                let first = it.genome.links[0].weight < 0.0;
                match (first, at % 2 == 0) {
                    (false, _) => 2.0 + f64::from(generation) * 0.2,
                    (true, true) => 3.0,
                    (true, false) => 1.0 + f64::from(generation) * 0.2,
                }
            });
            let scores: Vec<f64> = scores.collect();
            neat.tell(born, &judged(scores));
        }
        assert_eq!(neat.species().len(), alive, "{measure:?}");
    }
}
