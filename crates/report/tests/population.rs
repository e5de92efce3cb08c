//! Maps of populations and distances of their members.

use mendel_lab::record::{Genotype, Genotypes};
use mendel_report::analysis::population::{pca, spread};

fn line(generation: u32, members: &[&[i32]]) -> Genotypes {
    Genotypes {
        generation,
        members: members
            .iter()
            .map(|genes| Genotype::Genes(genes.to_vec()))
            .collect(),
    }
}

#[test]
fn the_axes_are_those_along_which_members_differ_most() {
    // Along (3, 4)/5 by ±50, across it by ±10, and not at all in the third gene.
    let members: [&[i32]; 4] = [&[130, 240, 7], &[70, 160, 7], &[92, 206, 7], &[108, 194, 7]];
    let map = pca(&[line(0, &members)], 1.0).expect("they differ");
    let expected = [[50.0, 0.0], [-50.0, 0.0], [0.0, 10.0], [0.0, -10.0]];
    for (point, expected) in map.clouds[0].points.iter().zip(expected) {
        assert!((point[0] - expected[0]).abs() < 1e-6, "{point:?}");
        assert!(
            (point[1].abs() - f64::abs(expected[1])).abs() < 1e-6,
            "{point:?}"
        );
    }
    assert!((map.shares[0] - 5000.0 / 5200.0).abs() < 1e-9);
    assert!((map.shares[1] - 200.0 / 5200.0).abs() < 1e-9);
    assert_eq!(map.genes, 3);
}

#[test]
fn distances_on_the_map_are_those_of_members_that_differ_in_two_ways_only() {
    let members: [&[i32]; 3] = [&[0, 0, 0, 5], &[3, 0, 4, 5], &[0, 12, 0, 5]];
    let lines = [line(0, &members), line(5, &members[..2])];
    let map = pca(&lines, 2.0).expect("they differ");
    let [a, b, c] = [0, 1, 2].map(|at| map.clouds[0].points[at]);
    let far = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    assert!((far(a, b) - 2.5).abs() < 1e-6 && (far(a, c) - 6.0).abs() < 1e-6);
    assert!((far(b, c) - 6.5).abs() < 1e-6);
    assert_eq!(map.clouds[1].points[..], map.clouds[0].points[..2]);
    let spread = spread(&lines, 2.0);
    assert!((spread[0].distance - 5.0).abs() < 1e-12);
    assert!((spread[1].distance - 2.5).abs() < 1e-12 && spread[1].generation == 5);
}

#[test]
fn links_are_matched_by_their_innovation() {
    let of = |links: &[(u32, i32)]| Genotype::Links(links.to_vec());
    let line = Genotypes {
        generation: 0,
        members: vec![of(&[(3, 4096), (90, 8192)]), of(&[(90, 8192)])],
    };
    // They differ in innovation 3 alone.
    assert!((spread(&[line], 4096.0)[0].distance - 1.0).abs() < 1e-12);
}

#[test]
fn what_does_not_differ_has_no_map() {
    let twins: [&[i32]; 2] = [&[1, 2], &[1, 2]];
    for lines in [vec![], vec![line(0, &[])], vec![line(0, &twins)]] {
        assert_eq!(pca(&lines, 1.0), None);
    }
    assert!(spread(&[line(0, &twins[..1])], 1.0).is_empty());
    assert!(spread(&[line(0, &twins)], 1.0)[0].distance.abs() < 1e-12);
}
