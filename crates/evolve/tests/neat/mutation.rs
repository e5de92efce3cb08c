//! Does chance change what the settings say, as often as they say?

use mendel_evolve::neat::{Draw, NewNode, Noise, Numbers, Orphans, Split, Structure};
use mendel_evolve::{Function, NeatSettings, NetGenome};

use super::{assert_share, children_of_one, count, net, quiet};

const MANY: usize = 20_000;

/// A weight at 5, far from what is drawn anew.
fn far() -> NetGenome {
    net(0, &[(0, 2, 5.0), (1, 2, 5.0)])
}

#[test]
fn the_weights_of_four_in_five_children_change_nine_in_ten_a_little() {
    let settings = NeatSettings {
        weights: Numbers {
            power: 0.5,
            ..NeatSettings::stanley_2002().weights
        },
        ..quiet(MANY)
    };
    let children = children_of_one(settings, &far());
    let parent = far();
    let changed = |net: &NetGenome| net.links != parent.links;
    let mutants = count(&children, changed);
    assert_share(mutants, MANY, 0.8, "children with changed weights");
    let weights: Vec<f64> = children
        .iter()
        .filter(|born| changed(&born.genome))
        .flat_map(|born| born.genome.links.iter().map(|link| link.weight))
        .collect();
    let moved = weights
        .iter()
        .filter(|weight| (4.5..=5.5).contains(*weight));
    let moved: Vec<f64> = moved.copied().collect();
    let drawn = weights.iter().filter(|weight| weight.abs() <= 1.0).count();
    assert_eq!(moved.len() + drawn, weights.len());
    assert_share(moved.len(), weights.len(), 0.9, "weights moved");
    // Evenly within the power.
    let outer = moved.iter().filter(|weight| (*weight - 5.0).abs() > 0.25);
    assert_share(outer.count(), moved.len(), 0.5, "moves of more than half");
}

/// A kind of numbers, what it was before, and where it is.
type Kind = (&'static str, f64, fn(&NetGenome) -> f64);

#[test]
fn each_number_is_moved_or_drawn_at_its_rate() {
    // As neat-python does: no toss for the whole child, normal deviates.
    let numbers = Numbers {
        start: Draw::Gaussian {
            mean: 20.0,
            deviation: 0.01,
        },
        low: -30.0,
        high: 30.0,
        genomes: 1.0,
        rate: 0.7,
        replace: 0.1,
        noise: Noise::Gaussian,
        power: 0.5,
    };
    let settings = NeatSettings {
        weights: numbers,
        biases: Some(numbers),
        responses: Some(numbers),
        ..quiet(MANY)
    };
    let children = children_of_one(settings, &far());
    let kinds: [Kind; 3] = [
        ("weights", 5.0, |net| net.links[0].weight),
        ("biases", 0.0, |net| net.nodes[2].bias),
        ("responses", 1.0, |net| net.nodes[2].response),
    ];
    for (what, before, read) in kinds {
        let values: Vec<f64> = children.iter().map(|born| read(&born.genome)).collect();
        let same = values
            .iter()
            .filter(|value| (**value - before).abs() < 1e-12);
        assert_share(same.count(), MANY, 0.2, &format!("{what} as before"));
        let drawn = values.iter().filter(|value| (**value - 20.0).abs() < 0.1);
        assert_share(drawn.count(), MANY, 0.1, &format!("{what} drawn"));
        // A normal deviate is beyond its deviation in 31.73 % of cases.
        let moved = values.iter().map(|value| (value - before).abs());
        let moved: Vec<f64> = moved.filter(|way| *way > 1e-12 && *way < 10.0).collect();
        let far = moved.iter().filter(|way| **way > 0.5).count();
        assert_share(far, moved.len(), 0.3173, &format!("{what} moved far"));
    }
    // The inputs have no numbers that matter, and none change.
    let inputs = far().nodes[..2].to_vec();
    assert!(children.iter().all(|born| born.genome.nodes[..2] == inputs));
}

#[test]
fn numbers_stay_within_their_bounds() {
    let settings = NeatSettings {
        weights: Numbers {
            low: -6.0,
            high: 5.5,
            genomes: 1.0,
            rate: 1.0,
            replace: 0.0,
            power: 30.0,
            ..NeatSettings::stanley_2002().weights
        },
        ..quiet(1000)
    };
    let children = children_of_one(settings, &far());
    let weights = children.iter().flat_map(|born| &born.genome.links);
    let weights: Vec<f64> = weights.map(|link| link.weight).collect();
    assert!(weights.iter().all(|weight| (-6.0..=5.5).contains(weight)));
    assert!(weights.iter().filter(|weight| **weight > 5.49).count() > 100);
}

/// What, how, how many nodes and links more there are, the rate.
type Case = (&'static str, fn(&mut Structure, f64), isize, isize, f64);

/// Each structural change alone, at its rate.
#[test]
fn structure_changes_at_its_rates() {
    // Two hidden nodes; input 1 does not reach 4, and nothing links 3 and 4.
    let parent = net(
        2,
        &[
            (0, 2, 1.0),
            (1, 2, 1.0),
            (0, 3, 1.0),
            (3, 2, 1.0),
            (0, 4, 1.0),
            (4, 2, 1.0),
        ],
    );
    let (nodes, links) = (parent.nodes.len(), parent.links.len());
    let table: [Case; 5] = [
        ("add node", |it, rate| it.add_node = rate, 1, 2, 0.03),
        ("add link", |it, rate| it.add_link = rate, 0, 1, 0.05),
        ("add many links", |it, rate| it.add_link = rate, 0, 1, 0.3),
        ("delete node", |it, rate| it.delete_node = rate, -1, -2, 0.2),
        ("delete link", |it, rate| it.delete_link = rate, 0, -1, 0.5),
    ];
    for (what, set, more_nodes, more_links, rate) in table {
        let mut settings = quiet(MANY);
        set(&mut settings.structure, rate);
        let children = children_of_one(settings, &parent);
        let changed = count(&children, |net| net != &parent);
        assert_share(changed, MANY, rate, what);
        let as_told = count(&children, |net| {
            net.nodes.len() as isize == nodes as isize + more_nodes
                && net.links.len() as isize == links as isize + more_links
        });
        assert_eq!(as_told, changed, "{what}");
    }
}

#[test]
fn at_most_one_structural_change_happens_where_the_settings_say_so() {
    let parent = net(1, &[(0, 2, 1.0), (0, 3, 1.0), (3, 2, 1.0)]);
    let mut settings = quiet(MANY);
    settings.structure = Structure {
        add_node: 0.5,
        delete_node: 0.25,
        add_link: 0.5,
        delete_link: 0.75,
        at_most_one: true,
        orphans: Orphans::Keep,
        ..settings.structure
    };
    let children = children_of_one(settings, &parent);
    // (nodes, links): the rates add up to 2 and so count half.
    let table = [
        ((5, 5), 0.25),
        ((3, 1), 0.125),
        ((4, 4), 0.25),
        ((4, 2), 0.375),
    ];
    for ((nodes, links), share) in table {
        let found = count(&children, |net| {
            net.nodes.len() == nodes && net.links.len() == links
        });
        assert_share(found, MANY, share, &format!("{nodes} nodes, {links} links"));
    }
}

#[test]
fn a_new_node_splits_a_link_and_changes_little() {
    let parent = net(0, &[(0, 2, 0.75)]);
    let mut settings = quiet(50);
    settings.structure.add_node = 1.0;
    for born in children_of_one(settings.clone(), &parent) {
        let net = born.genome;
        let links: Vec<_> = net
            .links
            .iter()
            .map(|link| (link.from, link.to, link.weight, link.enabled))
            .collect();
        let expected = [(0, 2, 0.75, false), (0, 3, 1.0, true), (3, 2, 0.75, true)];
        assert_eq!(links, expected, "the same for all: one run, one change");
        assert!(net.nodes[3].bias.abs() < 1e-300);
    }
    // As neat-python up to version 1: the node's bias is drawn, and every node is new.
    settings.biases = Some(NeatSettings::neat_python().weights);
    settings.structure.new_node = NewNode::Drawn;
    settings.innovations = mendel_evolve::neat::Innovations::Links;
    settings.biases.as_mut().unwrap().genomes = 0.0;
    let children = children_of_one(settings, &parent);
    let mut ids: Vec<u32> = children
        .iter()
        .map(|born| born.genome.nodes[3].id)
        .collect();
    ids.dedup();
    assert_eq!(ids.len(), 50);
    assert!(count(&children, |net| net.nodes[3].bias != 0.0) == 50);
}

#[test]
fn only_enabled_links_are_split_unless_any_may() {
    let mut parent = net(0, &[(0, 2, 1.0), (1, 2, 1.0)]);
    parent.links[0].enabled = false;
    let mut settings = quiet(4000);
    settings.structure.add_node = 1.0;
    let from_first = |net: &NetGenome| net.links.iter().any(|link| link.from == 0 && link.to == 3);
    let children = children_of_one(settings.clone(), &parent);
    assert_eq!(count(&children, from_first), 0);
    settings.structure.split = Split::Any;
    let children = children_of_one(settings, &parent);
    let split = count(&children, |net| {
        net.links.iter().any(|link| link.from == 0 && link.to > 2)
    });
    assert_share(split, 4000, 0.5, "splits of the link that is off");
}

#[test]
fn switches_are_set_by_a_coin_at_their_rate() {
    let mut parent = far();
    parent.links[0].enabled = false;
    let mut settings = quiet(MANY);
    settings.structure.enable = 0.1;
    let children = children_of_one(settings, &parent);
    let turned_on = count(&children, |net| net.links[0].enabled);
    assert_share(turned_on, MANY, 0.05, "switched on");
    let turned_off = count(&children, |net| !net.links[1].enabled);
    assert_share(turned_off, MANY, 0.05, "switched off");
}

#[test]
fn functions_are_drawn_anew_at_their_rate_and_outputs_keep_theirs() {
    let parent = net(1, &[(0, 3, 1.0), (3, 2, 1.0)]);
    let functions = vec![
        Function::Sine,
        Function::Gauss,
        Function::Abs,
        Function::Tanh,
    ];
    let mut settings = NeatSettings {
        functions: functions.clone(),
        output: Some(Function::SteepSigmoid),
        function_mutation: 0.2,
        ..quiet(MANY)
    };
    let children = children_of_one(settings.clone(), &parent);
    for function in functions {
        let found = count(&children, |net| net.nodes[3].function == function);
        assert_share(found, MANY, 0.05, &format!("{function:?}"));
    }
    let fixed = |net: &NetGenome| net.nodes[2].function == Function::SteepSigmoid;
    assert_eq!(count(&children, fixed), MANY);
    settings.output = None;
    let children = children_of_one(settings, &parent);
    assert_share(count(&children, fixed), MANY, 0.8, "outputs left alone");
}

/// A trap of other programs: a node without links stayed behind.
#[test]
fn a_node_that_lost_its_last_link_goes_with_it() {
    let parent = net(2, &[(0, 3, 1.0), (3, 4, 1.0), (4, 2, 1.0)]);
    let mut settings = quiet(500);
    settings.structure.delete_node = 1.0;
    // Either hidden node is deleted; the other keeps one link and stays.
    let children = children_of_one(settings.clone(), &parent);
    assert_eq!(count(&children, |net| net.nodes.len() == 4), 500);
    // Then the link of the last one goes, and the node with it.
    settings.structure.delete_node = 0.0;
    settings.structure.delete_link = 1.0;
    let lonely = net(1, &[(0, 3, 1.0)]);
    let children = children_of_one(settings.clone(), &lonely);
    assert_eq!(count(&children, |net| net.nodes.len() == 3), 500);
    settings.structure.orphans = Orphans::Keep;
    let children = children_of_one(settings, &lonely);
    assert_eq!(count(&children, |net| net.nodes.len() == 4), 500);
}

#[test]
fn no_link_is_made_twice_and_none_leads_in_a_circle() {
    let full = net(
        1,
        &[
            (0, 2, 1.0),
            (1, 2, 1.0),
            (0, 3, 1.0),
            (1, 3, 1.0),
            (3, 2, 1.0),
        ],
    );
    let mut settings = quiet(200);
    settings.structure.add_link = 1.0;
    let children = children_of_one(settings, &full);
    assert_eq!(count(&children, |net| net == &full), 200);
}
