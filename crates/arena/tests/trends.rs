//! The test for a trend, and the interval of a mean.

#![allow(clippy::float_cmp, reason = "these values are exact")]

use mendel_arena::statistics::{Trend, mean_and_interval};

/// S by its definition.
fn slow(results: &[f64]) -> f64 {
    let mut s = 0.0;
    for (at, one) in results.iter().enumerate() {
        for other in &results[at + 1..] {
            s += match other.total_cmp(one) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.0,
                std::cmp::Ordering::Less => -1.0,
            };
        }
    }
    s
}

#[test]
fn a_rise_is_a_rise_and_a_fall_is_none() {
    let rise: Vec<f64> = (0..12).map(f64::from).collect();
    let trend = Trend::of(&rise).expect("twelve results");
    // Every one of the 66 pairs rises; the variance is 12 · 11 · 29 / 18.
    assert_eq!(trend.s, 66.0);
    assert!((trend.z - 65.0 / (12.0_f64 * 11.0 * 29.0 / 18.0).sqrt()).abs() < 1e-12);
    assert!(trend.is_proved() && trend.p < 1e-5);
    assert_eq!((trend.first.value, trend.last.value), (1.5, 9.5));
    let fall: Vec<f64> = rise.iter().rev().copied().collect();
    let trend = Trend::of(&fall).expect("twelve results");
    assert_eq!(trend.s, -66.0);
    assert!(!trend.is_proved() && trend.p > 0.99);
}

#[test]
fn ties_are_counted_as_the_books_say() {
    let results = [0.0, 0.5, 0.5, 0.0, 1.0, 0.0, 1.0, 1.0, 0.5, 1.0, 0.0];
    let trend = Trend::of(&results).expect("eleven results");
    assert_eq!(trend.s, slow(&results));
    // 11 results: four 0, three ½, four 1.
    let term = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0);
    let variance = (term(11.0) - 2.0 * term(4.0) - term(3.0)) / 18.0;
    assert!((trend.z - (trend.s - 1.0) / variance.sqrt()).abs() < 1e-12);
}

#[test]
fn equal_results_have_no_trend_and_few_results_have_no_test() {
    let trend = Trend::of(&[0.5; 30]).expect("thirty results");
    assert_eq!((trend.s, trend.z, trend.p), (0.0, 0.0, 0.5));
    assert!(trend.words().starts_with("not proved"));
    assert_eq!(Trend::of(&[1.0; 9]), None);
}

/// R: `t.test(c(1, 2, 3, 4, 5))` gives 1.036757 and 4.963243.
#[test]
fn the_interval_is_students() {
    let (mean, interval) = mean_and_interval(&[1.0, 2.0, 3.0, 4.0, 5.0]);
    let [low, high] = interval.expect("five values");
    assert!((mean - 3.0).abs() < 1e-12);
    assert!((low - 1.036_757).abs() < 1e-6, "{low}");
    assert!((high - 4.963_243).abs() < 1e-6, "{high}");
    assert_eq!(mean_and_interval(&[7.0]), (7.0, None));
}
