//! Laws of the kernels, on rows no position would give.

use std::sync::Arc;

use mendel_evaluator::{Coefficients, Phase, Share};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::rows::{Columns, Rows, RowsError};
use super::{Division, Kernel};

/// A made-up evaluator: how many terms, and whether they have phases.
#[derive(Clone, Copy)]
struct Kind {
    terms: usize,
    tapers: bool,
}

/// Few terms with and without phases, an odd number, and many.
const KINDS: [Kind; 4] = [
    Kind {
        terms: 29,
        tapers: true,
    },
    Kind {
        terms: 37,
        tapers: false,
    },
    Kind {
        terms: 64,
        tapers: true,
    },
    Kind {
        terms: 762,
        tapers: true,
    },
];

fn columns(kind: Kind) -> Columns {
    let phases: &[Phase] = if kind.tapers {
        &[Phase::Middle, Phase::End]
    } else {
        &[Phase::Both]
    };
    let weights = (0..kind.terms).flat_map(|term| phases.iter().map(move |&phase| (term, phase)));
    Columns::of(&weights.collect::<Vec<_>>())
}

/// A row with up to `most` of some terms.
fn row(kind: Kind, most: i16, rng: &mut ChaCha8Rng) -> Coefficients {
    let counts = (0..kind.terms as u16).filter_map(|term| {
        let count = rng.random_range(-most..=most);
        let shows = kind.terms < 100 || rng.random_range(0..9) == 0;
        (shows && count != 0).then_some((term, count))
    });
    let counts = counts.collect();
    let mut share = |of: i32| {
        if kind.tapers {
            let part = rng.random_range(0..=of);
            Share { part, of }
        } else {
            Share::WHOLE
        }
    };
    Coefficients {
        counts,
        taper: share(24),
        scale: share(64),
    }
}

/// One member's weights in the evaluator's order, and as pairs.
fn member(kind: Kind, most: i32, rng: &mut ChaCha8Rng) -> (Vec<i32>, Vec<[i32; 2]>) {
    let mut weights = Vec::new();
    let mut pairs = Vec::new();
    for _ in 0..kind.terms {
        let pair = [0; 2].map(|_: i32| rng.random_range(-most..=most));
        if kind.tapers {
            weights.extend(pair);
            pairs.push(pair);
        } else {
            weights.push(pair[0]);
            pairs.push([pair[0]; 2]);
        }
    }
    (weights, pairs)
}

fn rows(kind: Kind, counted: &[Coefficients]) -> Arc<Rows> {
    let mut rows = Rows::empty(columns(kind));
    for row in counted {
        rows.push(row);
    }
    Arc::new(rows)
}

/// Rows and weights from harmless to beyond what any kernel holds, in one
/// population: each score is what [`Coefficients::score`] says.
#[test]
fn every_kernel_gives_the_exact_score() {
    for kind in KINDS {
        let mut rng = ChaCha8Rng::seed_from_u64(kind.terms as u64);
        let most_counts = [1, 3, 9, 1, 2, 3000];
        let counted: Vec<Coefficients> = (0..1003)
            .map(|index| row(kind, most_counts[index % most_counts.len()], &mut rng))
            .collect();
        let most_weights = [5, 60, 900, 2000, 30_000, 32_767, 32_768, 1_000_000];
        let (members, pairs): (Vec<_>, Vec<_>) = (0..67)
            .map(|index| member(kind, most_weights[index % most_weights.len()], &mut rng))
            .unzip();
        let rows = rows(kind, &counted);
        for kernel in [Kernel::Portable, Kernel::Avx2] {
            let scores = rows.all().with_kernel(kernel).scores(&members, 1).unwrap();
            for (scores, pairs) in scores.iter().zip(&pairs) {
                for (score, counted) in scores.iter().zip(&counted) {
                    assert_eq!(
                        *score,
                        counted.score(pairs).0,
                        "{kernel:?}, {} terms",
                        kind.terms
                    );
                }
            }
        }
    }
}

/// Numerators next to a multiple of the divisor, on both sides of zero and up to
/// the largest that each way of dividing is used for.
#[test]
fn quotients_are_cut_off_exactly_at_whole_numbers() {
    let kind = Kind {
        terms: 2,
        tapers: true,
    };
    for divisor in [2, 3, 7, 18, 24, 47, 1152] {
        // The first term counts fully, the second a `divisor`th part.
        let counted = Coefficients {
            counts: vec![(0, 1), (1, 1)],
            taper: Share {
                part: divisor - 1,
                of: divisor,
            },
            scale: Share::WHOLE,
        };
        let rows = rows(kind, std::slice::from_ref(&counted));
        let mut members = Vec::new();
        let mut pairs = Vec::new();
        for size in [0, 1, 2, 100, 5000, 13_000, 19_999, 32_000] {
            for sign in [-1, 1] {
                for fine in [-divisor, -2, -1, 0, 1, 2, divisor] {
                    let own = [[sign * size, sign * size], [0, fine]];
                    members.push(own.concat());
                    pairs.push(own);
                }
            }
        }
        for kernel in [Kernel::Portable, Kernel::Avx2] {
            let scores = rows.all().with_kernel(kernel).scores(&members, 1).unwrap();
            for (scores, pairs) in scores.iter().zip(&pairs) {
                assert_eq!(
                    scores[0],
                    counted.score(pairs).0,
                    "{pairs:?} over {divisor}"
                );
            }
        }
    }
}

/// So that the tests above do not pass because nothing reaches a kernel.
#[test]
fn what_can_be_large_is_divided_the_wide_way() {
    let kind = Kind {
        terms: 2,
        tapers: true,
    };
    let counted = Coefficients {
        counts: vec![(0, 1), (1, 1)],
        taper: Share { part: 5, of: 24 },
        scale: Share::WHOLE,
    };
    let rows = rows(kind, &[counted]);
    let division = |weight: i32| {
        super::members::Members::new(&rows, &[vec![weight; 4]], true)
            .unwrap()
            .judged_by_kernels(0)
    };
    assert_eq!(division(100), Some(Division::Single));
    assert_eq!(division(32_767), Some(Division::Single));
    assert_eq!(division(32_768), None);
    let huge = Coefficients {
        counts: vec![(0, 1300), (1, 1300)],
        taper: Share { part: 5, of: 24 },
        scale: Share::WHOLE,
    };
    let rows = self::rows(kind, &[huge]);
    let members = super::members::Members::new(&rows, &[vec![32_000; 4]], true).unwrap();
    assert_eq!(members.judged_by_kernels(0), Some(Division::Double));
}

#[test]
fn a_choice_of_rows_scores_as_the_rows_do() {
    for kind in KINDS {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let counted: Vec<Coefficients> = (0..700).map(|_| row(kind, 4, &mut rng)).collect();
        let members: Vec<Vec<i32>> = (0..9).map(|_| member(kind, 300, &mut rng).0).collect();
        let rows = rows(kind, &counted);
        let all = rows.all().scores(&members, 1).unwrap();
        let chosen: Vec<usize> = (0..600).map(|_| rng.random_range(0..700)).collect();
        let some = rows.select(&chosen).unwrap().scores(&members, 1).unwrap();
        for (all, some) in all.iter().zip(&some) {
            let expected: Vec<i32> = chosen.iter().map(|&index| all[index]).collect();
            assert_eq!(*some, expected);
        }
    }
}

#[test]
fn groups_are_never_cut() {
    let kind = KINDS[0];
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let counted: Vec<Coefficients> = (0..3000).map(|_| row(kind, 2, &mut rng)).collect();
    let rows = rows(kind, &counted);
    let mut groups = Vec::new();
    let mut first = 0;
    while first < 2400 {
        // One group is larger than a piece.
        let length = if groups.len() == 7 {
            600
        } else {
            rng.random_range(0..218)
        };
        groups.push((first, first + length));
        first += length;
    }
    let batch = rows.groups(groups.iter().copied()).unwrap();
    let starts: Vec<usize> = groups.iter().map(|group| group.0).collect();
    assert!(batch.pieces().all(|piece| starts.contains(&piece)));
    assert!(batch.pieces().count() > 8);
    let members = vec![member(kind, 100, &mut rng).0];
    let whole = rows.all().scores(&members, 1).unwrap();
    assert_eq!(batch.scores(&members, 1).unwrap()[0], whole[0][..first]);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for kind in KINDS {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let counted: Vec<Coefficients> = (0..2100).map(|_| row(kind, 4, &mut rng)).collect();
        let members: Vec<Vec<i32>> = (0..131).map(|_| member(kind, 90, &mut rng).0).collect();
        let batch = rows(kind, &counted).all();
        // Values that do not add up exactly, so that the order shows.
        let odd = |score: i32| 1.0 / f64::from(score.abs() + 3);
        let sums = |threads| {
            let sum = |scored: super::Scored<'_>| scored.scores.iter().map(|&s| odd(s)).sum();
            batch.sums(&members, threads, sum).unwrap()
        };
        let real: Vec<f64> = members[0]
            .iter()
            .map(|&weight| f64::from(weight) + 0.25)
            .collect();
        let slopes = |threads| {
            batch
                .slopes(&real, threads, |index, score| {
                    (score / (index + 1) as f64, score)
                })
                .unwrap()
        };
        for threads in [2, 3, 8] {
            assert_eq!(sums(1), sums(threads));
            assert_eq!(slopes(1), slopes(threads));
        }
        assert_eq!(batch.scores(&members, 1), batch.scores(&members, 3));
    }
}

#[test]
fn slopes_are_what_small_steps_show() {
    for kind in KINDS {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let counted: Vec<Coefficients> = (0..40).map(|_| row(kind, 4, &mut rng)).collect();
        let batch = rows(kind, &counted).all();
        let (weights, pairs) = member(kind, 60, &mut rng);
        let mut weights: Vec<f64> = weights.into_iter().map(f64::from).collect();
        let square = |_: usize, score: f64| (score * score, 2.0 * score);
        let found = batch.slopes(&weights, 1, square).unwrap();
        let cut: f64 = counted
            .iter()
            .map(|row| f64::from(row.score(&pairs).0).powi(2))
            .sum();
        assert!(
            (found.sum / cut - 1.0).abs() < 0.05,
            "{} is not about {cut}",
            found.sum
        );
        for index in [0, 1, weights.len() / 2, weights.len() - 1] {
            let mut at = |value: f64| {
                let before = std::mem::replace(&mut weights[index], value);
                let sum = batch.slopes(&weights, 1, square).unwrap().sum;
                weights[index] = before;
                (sum, before)
            };
            let (_, here) = at(0.0);
            let shown = (at(here + 0.5).0 - at(here - 0.5).0) / 1.0;
            let error = (found.slopes[index] - shown).abs();
            assert!(error <= 1e-6 * shown.abs().max(1.0), "{index}: {error}");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let kind = KINDS[0];
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let rows = rows(kind, &[row(kind, 4, &mut rng)]);
    assert_eq!(
        rows.all().scores(&[vec![0; 58], vec![0; 57]], 1),
        Err(RowsError::Length {
            member: 1,
            found: 57,
            needed: 58
        })
    );
    assert!(rows.all().slopes(&[0.0; 59], 1, |_, _| (0.0, 0.0)).is_err());
    let refused = rows.select(&[0, 1]).map(|_| ());
    assert_eq!(refused, Err(RowsError::NoRow { row: 1, rows: 1 }));
    let nothing = rows.select(&[]).unwrap();
    assert!(nothing.is_empty());
    assert_eq!(nothing.sums(&[vec![0; 58]], 2, |_| 1.0), Ok(vec![0.0]));
    assert_eq!(rows.all().scores(&[[0; 0]; 0], 2), Ok(Vec::new()));
}
