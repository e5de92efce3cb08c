//! ES-HyperNEAT, and the traps that other implementations fell into.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use mendel_evolve::hyperneat::{
    Census, Edge, Emptiness, EsHyperNeat, EsHyperNeatSettings, Expression, OutputLinks, Phenotype,
    Point, Quadtree, Scale, Wiring,
};

use super::{assert_links, es_settings, flat, found, is, ridge, straight};

#[test]
fn a_network_is_found_between_an_input_and_an_output_in_the_same_column() {
    let substrate = flat(&[(0.125, -1.0)], &[(0.125, 1.0)]);
    let wiring = found(Quadtree::default(), 0, substrate).wire(&mut { ridge });
    assert_eq!(wiring.hidden.len(), 8);
    assert!(wiring.hidden.iter().all(|point| is(point.x(), 0.125)));
    let into: Vec<_> = (2..10).map(|node| (0, node, 3.0)).collect();
    let out: Vec<_> = (2..10).map(|node| (node, 1, 3.0)).collect();
    assert_links(&wiring, &[into, out].concat());
}

#[test]
fn hidden_nodes_on_no_path_are_dropped_and_the_answer_is_said_to_be_empty() {
    let substrate = flat(&[(0.125, -1.0)], &[(-0.875, 1.0)]);
    let wiring = found(Quadtree::default(), 1, substrate).wire(&mut { ridge });
    assert_eq!(wiring.emptiness, Some(Emptiness::NoPath));
    assert!(wiring.hidden.is_empty() && wiring.edges.is_empty() && wiring.biases.len() == 1);
}

/// Bumps that lead diagonally through the square.
fn diagonal(from: Point, to: Point) -> (f64, f64) {
    let off = |from: f64, to: f64| {
        let off = 6.0 * (to - from + 0.25);
        libm::exp(-off * off)
    };
    (off(from.x(), to.x()) * off(from.y(), to.y()), 0.0)
}

#[test]
fn links_lead_in_every_direction() {
    // From the upper right towards the lower left: x and y both fall along every link.
    let substrate = flat(&[(0.375, 0.625)], &[(-0.625, -0.375)]);
    let wiring = found(Quadtree::default(), 2, substrate).wire(&mut { diagonal });
    let places: Vec<_> = wiring
        .hidden
        .iter()
        .map(|point| (point.x(), point.y()))
        .collect();
    assert_eq!(places, [(0.125, 0.375), (-0.125, 0.125), (-0.375, -0.125)]);
    assert_links(
        &wiring,
        &[(0, 2, 3.0), (2, 3, 3.0), (3, 4, 3.0), (4, 1, 3.0)],
    );
}

#[test]
fn the_iteration_level_bounds_how_far_nodes_are_looked_for() {
    for (iterations, emptiness) in [
        (0, Some(Emptiness::NoPath)),
        (1, Some(Emptiness::NoPath)),
        (2, None),
    ] {
        let substrate = flat(&[(0.375, 0.625)], &[(-0.625, -0.375)]);
        let wiring = found(Quadtree::default(), iterations, substrate).wire(&mut { diagonal });
        assert_eq!(wiring.emptiness, emptiness, "after {iterations}");
    }
}

/// Stripes that depend on both points, so that hidden nodes lead to many others.
fn stripes(from: Point, to: Point) -> (f64, f64) {
    let along = libm::sin(5.0 * to.x() + 2.0 * from.y());
    (along * libm::cos(7.0 * to.y() - 3.0 * from.x()), 0.0)
}

#[test]
fn no_hidden_node_is_explored_twice() {
    let asked: RefCell<BTreeMap<String, u32>> = RefCell::default();
    let mut pattern = |from: Point, to: Point| {
        *asked
            .borrow_mut()
            .entry(format!("{from:?} {to:?}"))
            .or_default() += 1;
        stripes(from, to)
    };
    let mut settings = es_settings(Quadtree::default(), 4);
    settings.recurrent = true;
    let substrate = flat(&[(-0.3, -1.0), (0.4, -1.0)], &[(0.1, 1.0)]);
    let es = EsHyperNeat::new(settings, substrate).expect("good settings");
    let wiring = es.wire(&mut pattern);
    assert!(wiring.hidden.len() > 20, "{}", wiring.hidden.len());
    // Each pair of hidden places is asked about from the one and never again; the
    // quadtree itself remembers what it asked.
    let most = asked.borrow().values().copied().max();
    assert_eq!(most, Some(1));
}

#[test]
fn links_are_told_apart_by_their_ends_and_not_by_their_weights() {
    let mut settings = es_settings(Quadtree::default(), 4);
    settings.recurrent = true;
    let substrate = flat(&[(-0.3, -1.0), (0.4, -1.0)], &[(0.1, 1.0)]);
    let es = EsHyperNeat::new(settings, substrate).expect("good settings");
    let wiring = es.wire(&mut { stripes });
    let ends: BTreeSet<_> = wiring
        .edges
        .iter()
        .map(|edge| (edge.from, edge.to))
        .collect();
    assert_eq!(
        ends.len(),
        wiring.edges.len(),
        "no two links between the same nodes"
    );
    // And eight links of one weight are eight links.
    let substrate = flat(&[(0.125, -1.0)], &[(0.125, 1.0)]);
    let wiring = found(Quadtree::default(), 0, substrate).wire(&mut { ridge });
    assert_eq!(wiring.edges.iter().filter(|edge| edge.from == 0).count(), 8);
}

#[test]
fn links_that_close_circles_are_counted_or_kept() {
    let substrate = || flat(&[(-0.3, -1.0), (0.4, -1.0)], &[(0.1, 1.0)]);
    let plain = EsHyperNeat::new(es_settings(Quadtree::default(), 3), substrate()).expect("good");
    let plain = plain.wire(&mut { stripes });
    assert!(plain.left_out > 0);
    let mut settings = es_settings(Quadtree::default(), 3);
    settings.recurrent = true;
    let looped = EsHyperNeat::new(settings, substrate()).expect("good settings");
    let looped = looped.wire(&mut { stripes });
    assert_eq!(looped.left_out, 0);
    assert!(looped.edges.len() > plain.edges.len());
    assert!(is_sortable(&plain) && !is_sortable(&looped));
}

fn is_sortable(wiring: &Wiring) -> bool {
    let count = wiring.inputs + wiring.outputs + wiring.hidden.len();
    let mut depth = vec![0_usize; count];
    for _ in 0..=count {
        let mut grown = false;
        for edge in &wiring.edges {
            if depth[edge.to] <= depth[edge.from] {
                depth[edge.to] = depth[edge.from] + 1;
                grown = true;
            }
        }
        if !grown {
            return true;
        }
    }
    false
}

#[test]
fn a_pattern_that_is_its_own_mirror_image_makes_a_network_that_is() {
    let mirrored = |from: Point, to: Point| {
        let (near, far) = (from.x() * to.x(), from.y() - to.y());
        (libm::sin(9.0 * near + 0.5) * libm::cos(5.0 * far), 0.0)
    };
    let substrate = flat(&[(-0.5, -1.0), (0.5, -1.0)], &[(0.25, 1.0), (-0.25, 1.0)]);
    let wiring = found(Quadtree::default(), 1, substrate).wire(&mut { mirrored });
    assert_eq!(wiring.emptiness, None);
    // Every link has one between the mirrored places, with the same weight.
    let place = |node: usize, side: f64| match node {
        0 | 1 => (0, (side * (node as f64 - 0.5) * 4096.0) as i64, 0),
        2 | 3 => (1, (side * (2.5 - node as f64) * 2048.0) as i64, 0),
        _ => {
            let point = wiring.hidden[node - 4].0;
            (
                2,
                (side * point[0] * 4096.0) as i64,
                (point[1] * 4096.0) as i64,
            )
        }
    };
    let side = |side: f64| -> BTreeSet<_> {
        let edges = wiring.edges.iter();
        let link = |edge: &Edge| {
            let weight = (edge.weight * 1e6).round() as i64;
            (place(edge.from, side), place(edge.to, side), weight)
        };
        edges.map(link).collect()
    };
    assert!(wiring.edges.len() > 10);
    assert_eq!(side(1.0), side(-1.0));
}

#[test]
fn the_link_expression_output_gates_what_the_quadtree_finds() {
    let mut settings = es_settings(Quadtree::default(), 0);
    settings.leo = Some(0.0);
    let substrate = flat(&[(0.125, -1.0)], &[(0.125, 1.0)]);
    let es = EsHyperNeat::new(settings, substrate).expect("good settings");
    let upper = |from: Point, to: Point| (ridge(from, to).0, from.y().min(to.y()) + 1.5);
    let wiring = es.wire(&mut { upper });
    assert_eq!(wiring.hidden.len(), 8, "all above −1.5 are linked");
    let higher = |from: Point, to: Point| {
        let hidden = if is(from.y(), -1.0) { to } else { from };
        (ridge(from, to).0, hidden.y())
    };
    let wiring = es.wire(&mut { higher });
    let rows: Vec<f64> = wiring.hidden.iter().map(Point::y).collect();
    assert_eq!(rows, [0.125, 0.375, 0.625, 0.875]);
}

#[test]
fn an_empty_network_is_no_error_and_is_reported() {
    let substrate = flat(&[(-0.5, -1.0), (0.5, -1.0)], &[(0.0, 1.0)]);
    let es = found(Quadtree::default(), 1, substrate);
    // A gentle slope is what a CPPN without hidden nodes mostly paints: nothing of it is
    // expressed. A steep one is.
    let [gentle, steep] = [0.2, 1.0].map(|weight| es.decode(&straight(weight)).expect("a CPPN"));
    assert!(gentle.is_empty() && gentle.network.is_empty());
    assert_eq!(gentle.wiring.emptiness, Some(Emptiness::FlatFromInputs));
    // The output sees only its own place's x, so that nothing leads to it.
    assert_eq!(steep.wiring.emptiness, Some(Emptiness::FlatToOutputs));
    let members = [gentle, steep];
    let census = Phenotype::census(&members);
    assert_eq!((census.members, census.empty), (2, 2));
    assert_eq!((census.flat_from_inputs, census.flat_to_outputs), (1, 1));
    assert!((census.empty_share() - 1.0).abs() < 1e-12);
    assert!(is(Census::of([]).empty_share(), 0.0));
}

#[test]
fn nonsense_is_refused_by_name() {
    let substrate = flat(&[(0.0, 0.0)], &[(0.0, 1.0)]);
    let quadtree = |change: fn(&mut Quadtree)| {
        let mut quadtree = Quadtree::default();
        change(&mut quadtree);
        EsHyperNeat::new(es_settings(quadtree, 1), substrate.clone()).map(|_| ())
    };
    let table = [
        (
            quadtree(|it| it.initial_depth = 0),
            "quadtree.initial-depth",
        ),
        (quadtree(|it| it.max_depth = 2), "quadtree.max-depth"),
        (quadtree(|it| it.max_depth = 40), "quadtree.max-depth"),
        (quadtree(|it| it.band = f64::NAN), "quadtree.band"),
        (quadtree(|it| it.division = -1.0), "quadtree.division"),
    ];
    for (result, key) in table {
        let message = result.expect_err(key).to_string();
        assert!(message.contains(key), "{message}");
    }
    let each = |weight: f64| {
        let link = 0.1;
        OutputLinks::Each(Expression::Threshold {
            link,
            weight,
            scale: Scale::default(),
        })
    };
    for absurd in [0.0, -3.0, 1e7, f64::NAN, f64::INFINITY] {
        let settings = es_settings(Quadtree::default(), 1);
        let table = [
            (absurd, OutputLinks::Quadtree, "`weight` cannot be"),
            (3.0, each(absurd), "`outputs.each.weight` cannot be"),
        ];
        for (weight, outputs, said) in table {
            let settings = EsHyperNeatSettings {
                weight,
                outputs,
                ..settings.clone()
            };
            let error = EsHyperNeat::new(settings, substrate.clone()).expect_err("refused");
            assert!(error.to_string().contains(said), "{error}");
        }
    }
    let mut empty = substrate;
    empty.outputs.clear();
    let result = EsHyperNeat::new(es_settings(Quadtree::default(), 1), empty);
    assert!(
        result
            .expect_err("no outputs")
            .to_string()
            .contains("outputs")
    );
}
