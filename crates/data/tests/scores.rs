//! Scores as people and programs write them.

use mendel_data::MATE;
use mendel_data::import::score::{Unit, read_score};

#[test]
fn scores_are_read_in_every_spelling() {
    let table = [
        ("35", Some(35)),
        ("+36", Some(36)),
        ("-68", Some(-68)),
        (" -1292 ", Some(-1292)),
        ("12.4", Some(12)),
        ("-12.5", Some(-13)),
        ("0", Some(0)),
        ("99999999", Some(30_000)),
        ("-1e300", None),
        ("#+5", Some(MATE)),
        ("#5", Some(MATE)),
        ("#-3", Some(-MATE)),
        ("M18", Some(MATE)),
        ("-M5", Some(-MATE)),
        ("+M3", Some(MATE)),
        ("mate -2", Some(-MATE)),
        ("#0", Some(-MATE)),
        ("#-0", Some(-MATE)),
        ("", None),
        ("-", None),
        ("#", None),
        ("nan", None),
        ("inf", None),
        ("1,5", None),
        ("Evaluation", None),
    ];
    for (text, expected) in table {
        assert_eq!(read_score(text, Unit::Centipawns), expected, "{text}");
    }
    assert_eq!(read_score("-0.35", Unit::Pawns), Some(-35));
}
