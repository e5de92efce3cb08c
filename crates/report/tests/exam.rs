//! External tests: shares and lengths.

use std::collections::BTreeMap;

use mendel_lab::recipe::{Figure, Published};
use mendel_lab::record::ExamLine;
use mendel_report::analysis::exam::{Examined, ExternalTestReport};
use mendel_report::analysis::welch::{Measurements, compare};

const WEAK: &str = "cmd:/usr/games/stockfish?UCI_LimitStrength=true&UCI_Elo=1350&Hash=1";

fn line(generation: u32, row: usize, results: [u64; 3], lost: [&[u32]; 2]) -> ExamLine {
    ExamLine {
        generation,
        row,
        opponent: (row == 0).then(|| WEAK.to_owned()),
        losses: results[0],
        draws: results[1],
        wins: results[2],
        lost: lost.map(<[u32]>::to_vec),
        opened: [
            BTreeMap::from([("e2e4".to_owned(), 2)]),
            BTreeMap::default(),
        ],
        note: (row == 1).then(|| "not held".to_owned()),
    }
}

fn exam() -> ExternalTestReport {
    let figure = |generation: u32, words: &str| Figure {
        what: "lost, drawn, won".to_owned(),
        paper: Published::Words(words.to_owned()),
        ours: Some(format!("exam.{generation}")),
        unit: None,
    };
    let lines = vec![
        line(25, 0, [6, 1, 1], [&[20, 22, 24], &[40, 42, 44]]),
        line(25, 1, [0; 3], [&[], &[]]),
        line(50, 0, [8, 0, 0], [&[30, 31], &[60, 61]]),
    ];
    let figures = [
        figure(25, "95.8 %, 1.0 %, 3.2 %"),
        figure(50, "90 %, 10 %, 0 %"),
        figure(75, "all lost"),
    ];
    ExternalTestReport::new(lines, &figures)
}

#[test]
fn shares_are_compared_with_the_published_ones() {
    let exam = exam();
    assert_eq!(exam.generations(), [25, 50]);
    let rows: Vec<(usize, String)> = exam.rows();
    assert_eq!(rows[0].1, "stockfish, UCI_Elo 1350");
    assert_eq!(rows[1].1, "row 2", "no opponent was recorded");
    let own = exam.own(25, 0).expect("it was examined");
    assert_eq!(own.shares, Some([75.0, 12.5, 12.5]));
    assert_eq!(own.paper, Some([95.8, 1.0, 3.2]));
    let missed = exam.own(25, 1).expect("a line says why it was not");
    assert_eq!((missed.shares, missed.games), (None, 0));
    assert!(missed.note.is_some() && exam.own(75, 0).is_none());
    let all = exam.all();
    let whole: Vec<&Examined> = all.iter().filter(|it| it.generation.is_none()).collect();
    assert_eq!(whole[0].shares, Some([87.5, 6.25, 6.25]));
    assert_eq!(whole[0].paper.map(|it| it[1]), Some(5.5));
    assert_eq!(exam.opened(0, 0), [("e2e4".to_owned(), 4)]);
}

#[test]
fn lengths_are_compared_by_colour_and_by_generation() {
    let lengths = exam().lengths();
    let [first, second, all] = &lengths[0].colours[..] else {
        panic!("{lengths:?}");
    };
    assert_eq!(first.mean, [Some(22.0), Some(42.0)]);
    assert_eq!((first.games, all.games), ([3, 3], [5, 5]));
    assert!(first.deviation[0].is_some_and(|it| (it - 2.0).abs() < 1e-12));
    // Twice what one comparison would say, because there are two.
    let alone = compare(&[20.0, 40.0].map(|it| Measurements {
        name: String::new(),
        values: vec![it, it + 2.0, it + 4.0],
    }));
    let corrected = first.corrected.expect("both colours lost");
    assert!((corrected - 2.0 * alone[0].p).abs() < 1e-12);
    assert!(second.corrected.is_some());
    assert_eq!(lengths[0].generations.len(), 1);
    assert_eq!(lengths[1].colours[0].corrected, None);
}
