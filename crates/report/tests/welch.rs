//! Welch's t-test.

use mendel_report::analysis::welch::{Measurements, compare};

fn group(name: &str, values: &[f64]) -> Measurements {
    Measurements {
        name: name.to_owned(),
        values: values.to_vec(),
    }
}

#[test]
fn welch_agrees_with_what_was_worked_out_apart_from_it() {
    // The expected figures by the formulas and by adding up the density.
    let a = group(
        "a",
        &[
            27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7,
            21.4,
        ],
    );
    let b = group(
        "b",
        &[
            27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5,
            24.4,
        ],
    );
    let found = compare(&[a, b]);
    assert_eq!(found.len(), 1);
    let it = &found[0];
    assert!((it.t + 2.852_954_87).abs() < 1e-7, "{it:?}");
    assert!((it.freedom - 27.887_303_99).abs() < 1e-6, "{it:?}");
    assert!((it.p - 0.008_071_94).abs() < 1e-7, "{it:?}");
    assert!(
        (it.corrected - it.p).abs() < 1e-12,
        "one comparison is its own"
    );
}

#[test]
fn more_comparisons_ask_for_more() {
    let groups: Vec<Measurements> = [0.0, 1.0, 2.0, 3.0]
        .iter()
        .map(|shift| group("g", &[shift + 1.0, shift + 2.0, shift + 3.5]))
        .collect();
    let found = compare(&groups);
    assert_eq!(found.len(), 6);
    for it in &found {
        assert!((it.corrected - (6.0 * it.p).min(1.0)).abs() < 1e-12);
    }
    // The further apart, the surer; the order of the two changes the sign alone.
    assert!(found[2].p < found[0].p);
    let back = compare(&[groups[3].clone(), groups[0].clone()]);
    assert!((back[0].p - found[2].p).abs() < 1e-12 && back[0].t > 0.0 && found[2].t < 0.0);
}

#[test]
fn what_does_not_vary_is_equal_or_different() {
    let found = compare(&[
        group("a", &[1.0, 1.0]),
        group("b", &[1.0, 1.0, 1.0]),
        group("c", &[2.0, 2.0]),
        group("alone", &[5.0]),
        group("broken", &[f64::NAN, 1.0]),
    ]);
    let told: Vec<(f64, f64)> = found.iter().map(|it| (it.p, it.difference)).collect();
    assert_eq!(told, [(1.0, 0.0), (0.0, -1.0), (0.0, -1.0)]);
}
