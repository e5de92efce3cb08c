//! Networks painted by patterns, worked out by hand, and the traps that other
//! implementations fell into.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use mendel_evolve::hyperneat::{
    Census, Channels, Connect, CppnInputs, Edge, Emptiness, EsHyperNeat, EsHyperNeatSettings,
    Expression, HyperNeat, HyperNeatSettings, OutputLinks, Point, Quadtree, Scale, Sheet,
    Substrate, Variance, Wiring,
};
use mendel_evolve::{Codec, Function, Link, Net, Node};

fn fixed(expression: Expression, substrate: Substrate) -> HyperNeat {
    let settings = HyperNeatSettings {
        expression,
        cppn: CppnInputs::default(),
        biases: false,
        hidden: Function::Tanh,
        output: Function::Tanh,
    };
    HyperNeat::new(settings, substrate).expect("good settings")
}

fn found(quadtree: Quadtree, iterations: u32, substrate: Substrate) -> EsHyperNeat {
    EsHyperNeat::new(es_settings(quadtree, iterations), substrate).expect("good settings")
}

fn es_settings(quadtree: Quadtree, iterations: u32) -> EsHyperNeatSettings {
    EsHyperNeatSettings {
        quadtree,
        iterations,
        weight: 3.0,
        leo: None,
        outputs: OutputLinks::Quadtree,
        plane: [0.0; 2],
        recurrent: false,
        cppn: CppnInputs::default(),
        biases: false,
        hidden: Function::Tanh,
        output: Function::Tanh,
    }
}

/// Inputs and outputs at these places, nothing between.
fn flat(inputs: &[(f64, f64)], outputs: &[(f64, f64)]) -> Substrate {
    let sheet = |name: &str, places: &[(f64, f64)]| {
        let points = places.iter().map(|&(x, y)| Point::flat(x, y));
        vec![Sheet::new(name, points.collect())]
    };
    Substrate {
        axes: 2,
        inputs: sheet("in", inputs),
        hidden: Vec::new(),
        outputs: sheet("out", outputs),
        connect: Connect::Layered,
        channels: Channels::One,
    }
}

fn links(wiring: &Wiring) -> Vec<(usize, usize, f64)> {
    let link = |edge: &Edge| (edge.from, edge.to, edge.weight);
    wiring.edges.iter().map(link).collect()
}

fn assert_links(wiring: &Wiring, expected: &[(usize, usize, f64)]) {
    let links = links(wiring);
    let alike = |(one, other): (&(usize, usize, f64), &(usize, usize, f64))| {
        (one.0, one.1) == (other.0, other.1) && (one.2 - other.2).abs() < 1e-12
    };
    let same = links.len() == expected.len() && links.iter().zip(expected).all(alike);
    assert!(same, "{links:?} instead of {expected:?}");
}

/// Five inputs in a row; the weight of a link is the first x times `factor`.
fn row(expression: Expression, factor: f64) -> Wiring {
    let inputs = [
        (-1.0, -1.0),
        (-0.1, -1.0),
        (0.2, -1.0),
        (0.5, -1.0),
        (1.0, -1.0),
    ];
    let substrate = flat(&inputs, &[(0.0, 1.0)]);
    fixed(expression, substrate).wire(&mut |from: Point, _: Point| (factor * from.x(), -from.x()))
}

#[test]
fn a_weight_up_to_the_threshold_is_no_link_and_the_rest_is_stretched_to_the_largest() {
    // (0.5 − 0.2) / 0.8 · 3 = 1.125
    let wiring = row(Expression::default(), 1.0);
    assert_links(&wiring, &[(0, 5, -3.0), (3, 5, 1.125), (4, 5, 3.0)]);
    assert_eq!(wiring.emptiness, None);
}

#[test]
fn an_output_beyond_one_counts_as_one() {
    let wiring = row(Expression::default(), 10.0);
    assert_links(
        &wiring,
        &[
            (0, 5, -3.0),
            (1, 5, -3.0),
            (2, 5, 3.0),
            (3, 5, 3.0),
            (4, 5, 3.0),
        ],
    );
}

#[test]
fn a_faint_pattern_is_nothing_in_absolute_and_itself_in_relative_measure() {
    let wiring = row(Expression::default(), 0.125);
    assert_eq!(wiring.emptiness, Some(Emptiness::FlatFromInputs));
    assert_links(&wiring, &[]);
    let relative = |factor| {
        let expression = Expression::Threshold {
            link: 0.2,
            weight: 3.0,
            scale: Scale::Relative,
        };
        row(expression, factor)
    };
    assert_links(
        &relative(0.125),
        &[(0, 5, -3.0), (3, 5, 1.125), (4, 5, 3.0)],
    );
    assert_eq!(relative(0.0).emptiness, Some(Emptiness::FlatFromInputs));
}

#[test]
fn the_link_expression_output_decides_and_the_weight_may_be_small() {
    let expression = Expression::Leo {
        above: 0.0,
        weight: 3.0,
    };
    // The expression is −x: only the two inputs on the left have a link.
    assert_links(&row(expression, 0.5), &[(0, 5, -1.5), (1, 5, -0.15)]);
}

#[test]
fn a_hidden_layer_is_linked_by_the_distance_along_x() {
    let mut substrate = flat(&[(-0.5, 0.0), (0.5, 0.0)], &[(0.0, 0.0)]);
    substrate.hidden = vec![Sheet::new(
        "hidden",
        vec![Point::flat(-0.5, 0.0), Point::flat(0.5, 0.0)],
    )];
    let gauss = |from: Point, to: Point| {
        let off = to.x() - from.x();
        (libm::exp(-4.0 * off * off), 0.0)
    };
    let wiring = fixed(Expression::default(), substrate).wire(&mut { gauss });
    // Straight ahead 1, across e^−4, which is no link, to the middle e^−1.
    let middle = (libm::exp(-1.0) - 0.2) / 0.8 * 3.0;
    assert_links(
        &wiring,
        &[(0, 3, 3.0), (1, 4, 3.0), (3, 2, middle), (4, 2, middle)],
    );
}

#[test]
fn layers_and_sheets_can_have_outputs_of_their_own() {
    let count = |channels| {
        let substrate = Substrate::boards((8, 8), 12, 1, channels);
        let layout = fixed(Expression::default(), substrate).cppn();
        (layout.inputs(), layout.outputs())
    };
    // Coordinates of two points and the number 1; the planes are told apart by a fourth
    // axis unless they have outputs of their own.
    assert_eq!(count(Channels::One), (9, 1));
    assert_eq!(count(Channels::Layers), (9, 2));
    assert_eq!(count(Channels::Sheets), (7, 13));

    let found = |channels| {
        let substrate = Substrate::boards((8, 8), 12, 0, channels);
        let layout = found(Quadtree::default(), 1, substrate).cppn();
        (layout.inputs(), layout.outputs())
    };
    assert_eq!(found(Channels::One), (9, 1));
    assert_eq!(found(Channels::Layers), (9, 3));
    assert_eq!(found(Channels::Sheets), (7, 14));
}

#[test]
fn a_board_is_the_third_level_of_a_quadtree() {
    let board = Substrate::boards((8, 8), 1, 0, Channels::One);
    let places: BTreeSet<_> = board.inputs[0]
        .points
        .iter()
        .map(|point| key(*point))
        .collect();
    let everywhere = Quadtree {
        band: 0.0,
        ..Quadtree::default()
    };
    // Stripes of alternating sign differ from their neighbours everywhere.
    let cells = everywhere.find(|x, y| libm::sin(4.0 * std::f64::consts::PI * x) + 0.1 * y);
    let found: BTreeSet<_> = cells
        .iter()
        .map(|cell| key(Point::flat(cell.x, cell.y)))
        .collect();
    assert_eq!(found, places);
    assert_eq!(found.len(), 64);
}

/// The coordinates of a point as something that can be ordered.
fn key(point: Point) -> [i64; 2] {
    [point.x(), point.y()].map(|axis| (axis * 4096.0) as i64)
}

fn ridge(from: Point, to: Point) -> (f64, f64) {
    let off = 6.0 * (to.x() - from.x());
    (libm::exp(-off * off), 0.0)
}

#[test]
fn a_ridge_is_expressed_on_its_crest_only() {
    let quadtree = Quadtree::default();
    let cells = quadtree.find(|x, y| ridge(Point::flat(0.125, 0.0), Point::flat(x, y)).0);
    // The crest lies on the column of cells at 0.125. Beside it the weight is e^−2.25 =
    // 0.105, and the band there 0.105, below the threshold.
    let mut rows: Vec<f64> = cells.iter().map(|cell| cell.y).collect();
    rows.sort_by(f64::total_cmp);
    assert!(
        cells
            .iter()
            .all(|cell| cell.x == 0.125 && cell.weight == 1.0)
    );
    assert_eq!(
        rows,
        [-0.875, -0.625, -0.375, -0.125, 0.125, 0.375, 0.625, 0.875]
    );
}

#[test]
fn too_gentle_and_too_steep_are_both_nothing() {
    // Beside a step every cell has a neighbour, on one side, that is equal.
    let step = |x: f64, _: f64| f64::from(u8::from(x > 0.0));
    assert!(Quadtree::default().find(step).is_empty());
    // A gentle slope differs on both sides, but by 0.2 even between the largest cells.
    let slope = |x: f64, _: f64| 0.2 * x;
    assert!(Quadtree::default().find(slope).is_empty());
    let middling = Quadtree::default().find(|x, _| 0.5 * x);
    let places: Vec<_> = middling.iter().map(|cell| (cell.x, cell.y)).collect();
    assert_eq!(places, [(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)]);
    let sensitive = Quadtree {
        band: 0.1,
        ..Quadtree::default()
    };
    assert!(!sensitive.find(slope).is_empty());
}

#[test]
fn a_faint_ridge_is_found_in_relative_measure_at_the_same_places() {
    let faint = |x: f64, y: f64| 0.01 * ridge(Point::flat(0.125, 0.0), Point::flat(x, y)).0;
    assert!(Quadtree::default().find(faint).is_empty());
    let relative = Quadtree {
        scale: Scale::Relative,
        ..Quadtree::default()
    };
    let cells = relative.find(faint);
    assert!(
        cells.iter().all(|cell| cell.x == 0.125) && cells.len() == 8,
        "{cells:?}"
    );
    assert!(
        relative.find(|_, _| 0.25).is_empty(),
        "what is flat stays so"
    );
}

#[test]
fn the_division_threshold_is_used() {
    // A ridge on a column of the fourth level; between two of the third.
    let pattern = |x: f64, _: f64| {
        let off = 12.0 * (x - 0.0625);
        libm::exp(-off * off)
    };
    let places = |division: f64| {
        let quadtree = Quadtree {
            max_depth: 4,
            division,
            ..Quadtree::default()
        };
        let cells = quadtree.find(pattern);
        cells.iter().map(|cell| cell.x).collect::<Vec<_>>()
    };
    // The quarters of the cell from 0 to 0.5 are e^−0.5625 = 0.57 and nearly 0: a variance
    // of 0.08.
    assert_eq!(places(0.03), [0.0625; 16]);
    assert_eq!(places(0.1), [0.125; 8]);
}

#[test]
fn variance_is_that_of_all_leaves_unless_the_quarters_are_asked_for() {
    // The leaves of each quarter differ, but the middles of the quarters are alike.
    let pattern = |x: f64, _: f64| libm::sin(4.0 * std::f64::consts::PI * x);
    let count = |of| {
        let quadtree = Quadtree {
            of,
            ..Quadtree::default()
        };
        quadtree.find(pattern).len()
    };
    assert_eq!(count(Variance::Leaves), 64);
    assert_eq!(count(Variance::Quarters), 0);
}

#[test]
fn a_network_is_found_between_an_input_and_an_output_in_the_same_column() {
    let substrate = flat(&[(0.125, -1.0)], &[(0.125, 1.0)]);
    let wiring = found(Quadtree::default(), 0, substrate).wire(&mut { ridge });
    assert_eq!(wiring.hidden.len(), 8);
    assert!(wiring.hidden.iter().all(|point| point.x() == 0.125));
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
        let hidden = if from.y() == -1.0 { to } else { from };
        (ridge(from, to).0, hidden.y())
    };
    let wiring = es.wire(&mut { higher });
    let rows: Vec<f64> = wiring.hidden.iter().map(Point::y).collect();
    assert_eq!(rows, [0.125, 0.375, 0.625, 0.875]);
}

/// A CPPN without hidden nodes: its output is the second x, plus nothing else.
fn straight(weight: f64) -> Net {
    let node = |id: u32| Node {
        id,
        bias: 0.0,
        response: 1.0,
        function: Function::Identity,
    };
    let link = Link {
        innovation: 2,
        from: 2,
        to: 5,
        weight,
        enabled: true,
    };
    Net {
        nodes: (0..6).map(node).collect(),
        links: vec![link],
    }
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
    let census = mendel_evolve::hyperneat::Phenotype::census(&members);
    assert_eq!((census.members, census.empty), (2, 2));
    assert_eq!((census.flat_from_inputs, census.flat_to_outputs), (1, 1));
    assert!((census.empty_share() - 1.0).abs() < 1e-12);
    assert_eq!(Census::of([]).empty_share(), 0.0);
}

#[test]
fn a_genome_of_another_shape_is_refused_with_the_shape_that_is_needed() {
    let es = found(
        Quadtree::default(),
        1,
        Substrate::boards((8, 8), 12, 0, Channels::Sheets),
    );
    let refused = es
        .decode(&straight(1.0))
        .expect_err("six nodes are too few");
    assert!(
        refused.to_string().contains("7 inputs and 14 outputs"),
        "{refused}"
    );
}

#[test]
fn a_bred_network_answers_as_its_wiring_says() {
    let mut substrate = flat(&[(-1.0, -1.0), (1.0, -1.0)], &[(0.5, 1.0)]);
    substrate.hidden = vec![Sheet::new("hidden", vec![Point::flat(1.0, 0.0)])];
    let mut settings = HyperNeatSettings {
        expression: Expression::default(),
        cppn: CppnInputs::default(),
        biases: false,
        hidden: Function::Tanh,
        output: Function::Identity,
    };
    // The weight is the second x: 1 into the hidden node, 0.5 into the output.
    let hyper = HyperNeat::new(settings.clone(), substrate.clone()).expect("good settings");
    let mut phenotype = hyper.decode(&straight(1.0)).expect("a CPPN");
    let mut answer = [0.0];
    phenotype.network.run(&[0.1, 0.3], &mut answer);
    assert!(
        (answer[0] - 1.125 * libm::tanh(3.0 * 0.4)).abs() < 1e-12,
        "{answer:?}"
    );

    // With biases the CPPN has a second output for them, here the first x.
    settings.biases = true;
    let hyper = HyperNeat::new(settings, substrate).expect("good settings");
    let mut genome = straight(1.0);
    genome.nodes.push(Node {
        id: 6,
        ..genome.nodes[5]
    });
    genome.links.push(Link {
        innovation: 3,
        from: 0,
        to: 6,
        weight: 0.1,
        enabled: true,
    });
    let mut phenotype = hyper.decode(&genome).expect("a CPPN");
    phenotype.network.run(&[0.1, 0.3], &mut answer);
    let expected = 1.125 * libm::tanh(3.0 * 0.4 + 0.3) + 0.15;
    assert!((answer[0] - expected).abs() < 1e-12, "{answer:?}");
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
        (quadtree(|it| it.initial_depth = 0), "initial-depth"),
        (quadtree(|it| it.max_depth = 2), "max-depth"),
        (quadtree(|it| it.max_depth = 40), "max-depth"),
        (quadtree(|it| it.band = f64::NAN), "band"),
        (quadtree(|it| it.division = -1.0), "division"),
    ];
    for (result, key) in table {
        let message = result.expect_err(key).to_string();
        assert!(message.contains(key), "{message}");
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
