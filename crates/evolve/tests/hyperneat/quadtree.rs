//! Where a pattern holds information, worked out by hand.

use std::collections::BTreeSet;

use mendel_evolve::hyperneat::{Channels, Point, Quadtree, Scale, Substrate, Variance};

use super::{is, ridge};

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
            .all(|cell| is(cell.x, 0.125) && is(cell.weight, 1.0))
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
        cells.iter().all(|cell| is(cell.x, 0.125)) && cells.len() == 8,
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
