//! HyperNEAT, with weights worked out by hand.

use mendel_evolve::hyperneat::{
    Channels, CppnInputs, Emptiness, Expression, HyperNeat, HyperNeatSettings, Point, Quadtree,
    Scale, Sheet, Substrate, Wiring,
};
use mendel_evolve::{Function, Link, Node};

use super::{assert_links, fixed, flat, found, straight};

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
