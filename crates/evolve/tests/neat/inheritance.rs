//! What children inherit, and from whom.

use mendel_evolve::neat::{Elites, Equals, Inherit, Mating, Threshold};
use mendel_evolve::{Breeder, Link, Neat, NeatSettings, NetGenome, Offspring, Origin, Shape};

use super::{assert_share, children_of, count, judged, net, quiet};

const MANY: usize = 20_000;

/// All children have two parents.
fn crossing(population: usize) -> NeatSettings {
    let quiet = quiet(population);
    NeatSettings {
        mating: Mating {
            alone: 0.0,
            ..quiet.mating
        },
        ..quiet
    }
}

/// The first half of a generation is one network, the second half the other.
fn halves(one: &NetGenome, other: &NetGenome, population: usize) -> Vec<NetGenome> {
    let mut given = vec![one.clone(); population / 2];
    given.resize(population, other.clone());
    given
}

/// Children with a parent in each half.
fn mixed(children: &[Offspring<NetGenome>], population: usize) -> Vec<Offspring<NetGenome>> {
    let half = (population / 2) as u32;
    let first = |at: usize, born: &Offspring<NetGenome>| born.parents[at].member < half;
    let mixed = |born: &&Offspring<NetGenome>| first(0, born) != first(1, born);
    children.iter().filter(mixed).cloned().collect()
}

/// A trap of other programs: the toss came on top of the inherited switch, so that
/// 87.5 % were disabled.
#[test]
fn a_gene_off_in_one_parent_is_off_in_three_children_of_four() {
    let on = net(0, &[(0, 2, 1.0), (1, 2, 1.0)]);
    let mut off = on.clone();
    off.links[0].enabled = false;
    let given = halves(&on, &off, MANY);
    let children = children_of(crossing(MANY), given.clone(), &vec![1.0; MANY]);
    let half = (MANY / 2) as u32;
    let kind =
        |born: &Offspring<NetGenome>| born.parents.iter().filter(|id| id.member >= half).count();
    for (parents_off, share) in [(0, 0.0), (1, 0.75), (2, 0.75)] {
        let those: Vec<_> = children
            .iter()
            .filter(|it| kind(it) == parents_off)
            .collect();
        let off = those
            .iter()
            .filter(|it| !it.genome.links[0].enabled)
            .count();
        let what = format!("off with {parents_off} parents off");
        assert_share(off, those.len(), share, &what);
        assert!(those.iter().all(|it| it.genome.links[1].enabled));
    }
    // Without the rule the switch is inherited as the rest.
    let mut settings = crossing(MANY);
    settings.mating.disabled = None;
    let children = mixed(&children_of(settings, given, &vec![1.0; MANY]), MANY);
    let off = count(&children, |net| !net.links[0].enabled);
    assert_share(off, children.len(), 0.5, "off by inheritance");
}

#[test]
fn one_child_in_four_has_one_parent() {
    let mut settings = quiet(MANY);
    settings.mating.alone = NeatSettings::stanley_2002().mating.alone;
    let one = net(0, &[(0, 2, 1.0), (1, 2, 1.0)]);
    let children = children_of(settings, vec![one; MANY], &vec![1.0; MANY]);
    let alone = children
        .iter()
        .filter(|born| born.parents.len() == 1)
        .count();
    assert_share(alone, MANY, 0.25, "children of one parent");
    let copies = children.iter().filter(|born| born.origin == Origin::Copy);
    assert_eq!(copies.count(), alone, "nothing changed, and so it is said");
}

#[test]
fn a_gene_that_both_have_comes_from_either() {
    let (zeros, ones) = (
        net(0, &[(0, 2, 0.0), (1, 2, 0.0)]),
        net(0, &[(0, 2, 1.0), (1, 2, 1.0)]),
    );
    let given = halves(&zeros, &ones, MANY);
    let children = mixed(&children_of(crossing(MANY), given, &vec![1.0; MANY]), MANY);
    let from_ones = |at: usize| count(&children, |net| net.links[at].weight > 0.5);
    assert_share(from_ones(0), children.len(), 0.5, "the first gene");
    assert_share(from_ones(1), children.len(), 0.5, "the second gene");
    let equal = count(&children, |net| {
        net.links[0].weight.to_bits() == net.links[1].weight.to_bits()
    });
    assert_share(equal, children.len(), 0.5, "both from the same");
}

#[test]
fn two_in_five_crossings_average_where_the_settings_say_so() {
    let (zeros, ones) = (
        net(0, &[(0, 2, 0.0), (1, 2, 0.0)]),
        net(0, &[(0, 2, 1.0), (1, 2, 1.0)]),
    );
    let mut settings = crossing(MANY);
    settings.mating.average = NeatSettings::stanley_2004().mating.average;
    let given = halves(&zeros, &ones, MANY);
    let children = mixed(&children_of(settings, given, &vec![1.0; MANY]), MANY);
    let averaged = |net: &NetGenome| {
        net.links
            .iter()
            .all(|link| (link.weight - 0.5).abs() < 1e-12)
    };
    assert_share(count(&children, averaged), children.len(), 0.4, "averaged");
}

#[test]
fn numbers_of_one_gene_part_ways_only_where_the_settings_say_so() {
    let one = net(0, &[(0, 2, 0.0)]);
    let mut other = net(0, &[(0, 2, 1.0)]);
    other.links[0].enabled = false;
    other.nodes[2].bias = 1.0;
    other.nodes[2].response = 2.0;
    let given = halves(&one, &other, MANY);
    for (inherit, together) in [(Inherit::Genes, 1.0), (Inherit::Numbers, 0.5)] {
        let mut settings = crossing(MANY);
        settings.mating = Mating {
            inherit,
            disabled: None,
            ..settings.mating
        };
        let children = children_of(settings, given.clone(), &vec![1.0; MANY]);
        let children = mixed(&children, MANY);
        let same_link = count(&children, |net| {
            (net.links[0].weight < 0.5) == net.links[0].enabled
        });
        assert_share(same_link, children.len(), together, "weight and switch");
        let same_node = count(&children, |net| {
            (net.nodes[2].bias < 0.5) == (net.nodes[2].response < 1.5)
        });
        assert_share(same_node, children.len(), together, "bias and response");
    }
}

/// What only one has comes from the better one, all of it.
#[test]
fn further_genes_come_from_the_better_parent() {
    let small = net(0, &[(0, 2, 1.0), (1, 2, 1.0)]);
    let large = net(1, &[(0, 2, 2.0), (1, 2, 2.0), (0, 3, 2.0), (3, 2, 2.0)]);
    let population = 2000;
    let given = halves(&small, &large, population);
    for (small_score, large_score, links) in [(2.0, 1.0, 2), (1.0, 2.0, 4)] {
        let scores: Vec<f64> = (0..population)
            .map(|at| {
                if at < population / 2 {
                    small_score
                } else {
                    large_score
                }
            })
            .collect();
        let children = children_of(crossing(population), given.clone(), &scores);
        let children = mixed(&children, population);
        assert!(children.len() > 500);
        assert_eq!(
            count(&children, |net| net.links.len() == links),
            children.len()
        );
        let nodes = if links == 2 { 3 } else { 4 };
        assert_eq!(
            count(&children, |net| net.nodes.len() == nodes),
            children.len()
        );
    }
}

#[test]
fn of_equals_a_coin_gives_each_further_gene() {
    let one = net(0, &[(0, 2, 1.0)]);
    let other = net(0, &[(1, 2, 1.0)]);
    let given = halves(&one, &other, MANY);
    let children = mixed(
        &children_of(crossing(MANY), given.clone(), &vec![1.0; MANY]),
        MANY,
    );
    for links in 0..=2 {
        let share = [0.25, 0.5, 0.25][links];
        let found = count(&children, |net| net.links.len() == links);
        assert_share(found, children.len(), share, &format!("{links} links"));
    }
    // One parent gives all its own.
    let mut settings = crossing(MANY);
    settings.mating.equals = Equals::One;
    let children = mixed(&children_of(settings, given, &vec![1.0; MANY]), MANY);
    assert_eq!(count(&children, |net| net.links.len() == 1), children.len());
    let first = count(&children, |net| net.links[0].from == 0);
    assert_share(first, children.len(), 0.5, "either of them");
}

#[test]
fn the_smaller_of_equals_gives_its_genes_where_the_settings_say_so() {
    let small = net(0, &[(0, 2, 1.0)]);
    let large = net(0, &[(0, 2, 1.0), (1, 2, 1.0)]);
    let mut settings = crossing(2000);
    settings.mating.equals = Equals::Smaller;
    let children = children_of(settings, halves(&small, &large, 2000), &vec![1.0; 2000]);
    let children = mixed(&children, 2000);
    assert_eq!(count(&children, |net| net.links.len() == 1), children.len());
}

/// Two networks that lead opposite ways must not become one that leads in a circle.
#[test]
fn children_of_equals_never_lead_in_a_circle() {
    let mut forth = net(
        2,
        &[
            (0, 3, 1.0),
            (1, 4, 1.0),
            (3, 4, 1.0),
            (3, 2, 1.0),
            (4, 2, 1.0),
        ],
    );
    let mut back = forth.clone();
    let turned = |link: &mut Link| {
        if (link.from, link.to) == (3, 4) {
            (link.from, link.to, link.innovation) = (4, 3, 99);
        }
    };
    back.links.iter_mut().for_each(turned);
    back.links.sort_by_key(|link| link.innovation);
    forth.check(&Shape::new(2, 1)).unwrap();
    let children = children_of(
        crossing(4000),
        halves(&forth, &back, 4000),
        &vec![1.0; 4000],
    );
    for born in &children {
        born.genome.check(&Shape::new(2, 1)).unwrap();
    }
    let has = |net: &NetGenome, number: u32| net.links.iter().any(|link| link.innovation == number);
    let forth_number = forth
        .links
        .iter_mut()
        .find(|link| link.from == 3 && link.to == 4);
    let number = forth_number.unwrap().innovation;
    assert!(count(&children, |net| has(net, 99)) > 500);
    assert!(count(&children, |net| has(net, number)) > 500);
    assert_eq!(count(&children, |net| has(net, 99) && has(net, number)), 0);
}

/// Two species of 500, far apart by their weights.
fn two_species(settings: NeatSettings) -> (Neat, Vec<Offspring<NetGenome>>) {
    let settings = NeatSettings {
        threshold: Threshold::Fixed(1.0),
        ..settings
    };
    let (low, high) = (net(0, &[(0, 2, -8.0)]), net(0, &[(0, 2, 8.0)]));
    let given = halves(&low, &high, settings.population);
    let neat = Neat::new(settings, Shape::new(2, 1), given, 5).unwrap();
    assert_eq!(neat.species().len(), 2);
    let born = neat.ask();
    (neat, born)
}

#[test]
fn mothers_and_fathers_are_of_one_species_but_for_the_set_share() {
    for rate in [0.0, 0.05, 0.3] {
        let mut settings = crossing(MANY);
        settings.mating.interspecies = rate;
        let (mut neat, born) = two_species(settings);
        neat.tell(born, &judged(vec![1.0; MANY]));
        let children = neat.ask();
        let between = mixed(&children, MANY).len();
        assert_share(between, MANY, rate, "children of two species");
    }
}

#[test]
fn the_champion_of_a_species_of_more_than_five_goes_on_unchanged() {
    for (population, champions) in [(10, 0), (12, 2)] {
        let mut settings = crossing(population);
        settings.elites = NeatSettings::stanley_2002().elites;
        settings.weights.genomes = 1.0;
        let (mut neat, born) = two_species(settings);
        let scores = (0..population).map(|at| 1.0 + at as f64 * 0.01);
        let half = population / 2;
        let best = [half - 1, population - 1];
        neat.tell(born.clone(), &judged(scores));
        let children = neat.ask();
        let elites: Vec<_> = children
            .iter()
            .filter(|it| it.origin == Origin::Elite)
            .collect();
        assert_eq!(elites.len(), champions, "of two species of {half}");
        for (elite, place) in elites.iter().zip(best) {
            assert_eq!(elite.genome, born[place].genome);
            assert_eq!(elite.parents[0].member as usize, place);
        }
    }
}

#[test]
fn the_best_of_each_species_go_on_where_the_settings_say_how_many() {
    let mut settings = crossing(20);
    settings.elites = Elites::Each(3);
    let (mut neat, born) = two_species(settings);
    neat.tell(born, &judged((0..20).map(|at| 1.0 + f64::from(at) * 0.001)));
    let children = neat.ask();
    let elites = children.iter().filter(|it| it.origin == Origin::Elite);
    let places: Vec<u32> = elites.map(|it| it.parents[0].member).collect();
    assert_eq!(places, [9, 8, 7, 19, 18, 17]);
}

#[test]
fn only_the_best_share_of_a_species_becomes_parents() {
    for (survival, parents) in [(0.2, 20), (0.7, 70), (1.0, 100), (0.0, 2)] {
        let mut settings = crossing(100);
        settings.survival = survival;
        let one = net(0, &[(0, 2, 1.0)]);
        let scores: Vec<f64> = (0..100).map(f64::from).collect();
        let mut least = 100;
        for seed in 0..20 {
            let given = vec![one.clone(); 100];
            let mut neat = Neat::new(settings.clone(), Shape::new(2, 1), given, seed).unwrap();
            let born = neat.ask();
            neat.tell(born, &judged(scores.iter().copied()));
            let all = neat.ask();
            let used = all
                .iter()
                .flat_map(|born| &born.parents)
                .map(|id| id.member);
            least = least.min(used.min().unwrap());
        }
        assert_eq!(least, 100 - parents, "survival {survival}");
    }
}
