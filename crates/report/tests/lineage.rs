//! The ancestors of a champion.

use mendel_evolve::{MemberId, Origin};
use mendel_lab::record::Lineage;
use mendel_report::Ancestry;

fn id(generation: u32, member: u32) -> MemberId {
    MemberId { generation, member }
}

fn line(generation: u32, members: &[(Origin, &[MemberId])]) -> Lineage {
    Lineage {
        generation,
        parents: members.iter().map(|(_, p)| p.to_vec()).collect(),
        origins: members.iter().map(|(o, _)| *o).collect(),
    }
}

#[test]
fn an_elite_is_followed_to_its_birth_and_ancestors_are_counted_once() {
    use Origin::{Crossover, Elite, Random};
    let lineage = [
        line(0, &[(Random, &[]), (Random, &[]), (Random, &[])]),
        line(
            1,
            &[
                (Crossover, &[id(0, 0), id(0, 1)]),
                (Crossover, &[id(0, 1), id(0, 1)]),
            ],
        ),
        line(2, &[(Crossover, &[id(1, 0), id(1, 1)])]),
        line(3, &[(Elite, &[id(2, 0)])]),
        line(4, &[(Elite, &[id(3, 0)])]),
    ];
    let ancestry = Ancestry::of(id(4, 0), &lineage).expect("it is known");
    assert_eq!(ancestry.born, id(2, 0));
    assert_eq!((ancestry.ancestors, ancestry.founders), (4, 2));
    assert_eq!(ancestry.by_generation, [(2, 1), (1, 2), (0, 2)]);
    assert_eq!(ancestry.origins, [(Crossover, 3), (Random, 2)]);
    let graph = ancestry.graph();
    assert_eq!(graph.layers.len(), 3);
    assert_eq!(graph.layers[2].note, "the champion");
    let main = graph.arcs.iter().filter(|arc| arc.chosen).count();
    assert_eq!(main, 2, "one way back to the first generation");
}

#[test]
fn parents_that_are_not_older_or_not_there_end_the_walk() {
    let lineage = [line(
        1,
        &[(Origin::Elite, &[id(1, 0)]), (Origin::Copy, &[id(0, 9)])],
    )];
    for member in 0..2 {
        let ancestry = Ancestry::of(id(1, member), &lineage).expect("it is known");
        assert_eq!((ancestry.ancestors, ancestry.founders), (0, 0));
    }
    assert_eq!(Ancestry::of(id(1, 7), &lineage), None);
    assert_eq!(Ancestry::of(id(7, 0), &lineage), None);
}
