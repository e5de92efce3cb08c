//! The sets inside the program.

use mendel_data::{BUILT_IN, DataSet, Kind};

/// What the project promises to ship.
const PROMISED: [(&str, Kind, u64); 3] = [
    ("quiet", Kind::Quiet, 20_000),
    ("moves", Kind::Moves, 10_000),
    ("selfplay", Kind::Selfplay, 100_000),
];

#[test]
fn the_sets_are_as_large_as_promised_and_small_as_files() {
    for (name, kind, least) in PROMISED {
        let set = DataSet::built_in(name).expect(name).expect(name);
        assert_eq!(set.header.kind, kind);
        assert!(set.samples.len() as u64 >= least, "{name}");
        let labelled = set.samples.iter().all(|sample| match kind {
            Kind::Quiet => sample.score.is_some(),
            Kind::Moves => sample.best.is_some(),
            _ => sample.result.is_some(),
        });
        assert!(labelled, "{name} has a label everywhere");
    }
    let bytes: usize = BUILT_IN.iter().map(|set| set.bytes.len()).sum();
    assert!(bytes <= 6 << 20, "{bytes} bytes");
}

#[test]
fn every_set_is_whole_and_says_how_it_was_made() {
    for built_in in BUILT_IN {
        let set = DataSet::built_in(built_in.name).expect("it is there");
        let set = set.expect(built_in.name);
        let header = &set.header;
        assert!(header.made_by.starts_with("mendel data make"), "{header:?}");
        assert!(!header.made_by.contains('/'), "no path: {}", header.made_by);
        let mut keys: Vec<u64> = set.samples.iter().map(|it| it.position.key()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), set.samples.len(), "no position twice");
        let (train, hold_out) = set.split();
        assert!(train.len() > 3 * hold_out.len() && hold_out.len() * 6 > train.len());
    }
}
