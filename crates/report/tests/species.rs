//! Lifetimes of species.

use mendel_lab::record::{Networks, SpeciesLine};
use mendel_report::analysis::species::{SpeciesStats, extinctions, lives};

#[test]
fn a_species_lives_from_its_first_member_to_its_last() {
    let line = |generation: u32, sizes: &[(u32, u32)], extinctions: u32| SpeciesStats {
        generation,
        networks: Networks {
            species: sizes
                .iter()
                .map(|&(id, size)| SpeciesLine {
                    id,
                    size,
                    age: 0,
                    best: 0.5,
                })
                .collect(),
            extinctions: Some(extinctions),
            ..Networks::default()
        },
    };
    let census = [
        line(0, &[(1, 9)], 0),
        line(1, &[(1, 4), (2, 5)], 0),
        line(2, &[(1, 0), (2, 9)], 0),
        line(3, &[(7, 9)], 1),
        line(4, &[(7, 9)], 1),
    ];
    let lives = lives(&census[..4]);
    let told: Vec<_> = lives
        .iter()
        .map(|it| (it.id, it.first, it.last, it.most, it.extinct))
        .collect();
    assert_eq!(
        told,
        [(1, 0, 1, 9, true), (2, 1, 2, 9, true), (7, 3, 3, 9, false)]
    );
    assert_eq!(extinctions(&census), [3]);
}
