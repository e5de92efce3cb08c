//! Whether groups differ by more than chance.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Measurements of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// What was measured.
    pub name: String,
    /// The measurements.
    pub values: Vec<f64>,
}

impl Group {
    /// The mean; not a number if there is nothing.
    pub fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len() as f64
    }

    /// The variance of what the measurements are a sample of.
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        let squares = self.values.iter().map(|it| (it - mean) * (it - mean));
        squares.sum::<f64>() / (self.values.len() as f64 - 1.0)
    }
}

/// Two groups, compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The name of the first.
    pub first: String,
    /// The name of the second.
    pub second: String,
    /// The first's mean less the second's.
    pub difference: f64,
    /// The difference in units of its error.
    pub t: f64,
    /// Degrees of freedom, by Welch and Satterthwaite.
    pub freedom: f64,
    /// How often chance alone gives so large a difference, either way.
    pub p: f64,
    /// The same among all comparisons that were made, by Bonferroni.
    pub corrected: f64,
}

/// Compares each two groups by Welch's t-test, which does not ask that they vary
/// alike; with the correction of Bonferroni for the number of comparisons. Groups of
/// fewer than two measurements are left out.
///
/// # Source
///
/// B. L. Welch, "The generalization of ‘Student’s’ problem when several different
/// population variances are involved", Biometrika 34, 1947.
pub fn compare(groups: &[Group]) -> Vec<Difference> {
    let finite = |group: &&Group| {
        group.values.len() >= 2 && group.values.iter().all(|value| value.is_finite())
    };
    let groups: Vec<&Group> = groups.iter().filter(finite).collect();
    let comparisons = groups.len() * groups.len().saturating_sub(1) / 2;
    let mut found = Vec::with_capacity(comparisons);
    for (place, first) in groups.iter().enumerate() {
        for second in &groups[place + 1..] {
            let (difference, t, freedom, p) = welch(first, second);
            found.push(Difference {
                first: first.name.clone(),
                second: second.name.clone(),
                difference,
                t,
                freedom,
                p,
                corrected: (p * comparisons as f64).min(1.0),
            });
        }
    }
    found
}

/// Difference, t, degrees of freedom, p.
fn welch(first: &Group, second: &Group) -> (f64, f64, f64, f64) {
    let part = |group: &Group| group.variance() / group.values.len() as f64;
    let (a, b) = (part(first), part(second));
    let difference = first.mean() - second.mean();
    let below = |part: f64, group: &Group| part * part / (group.values.len() as f64 - 1.0);
    let freedom = (a + b) * (a + b) / (below(a, first) + below(b, second));
    let error = (a + b).sqrt();
    // Where nothing varies there is no error: equal is equal, and different different.
    if error == 0.0 || !freedom.is_finite() {
        let least = (first.values.len() + second.values.len()) as f64 - 2.0;
        return if difference == 0.0 {
            (0.0, 0.0, least, 1.0)
        } else {
            (difference, f64::INFINITY.copysign(difference), least, 0.0)
        };
    }
    let t = difference / error;
    let p = StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |student| 2.0 * student.cdf(-t.abs()));
    (difference, t, freedom, p.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(name: &str, values: &[f64]) -> Group {
        Group {
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
        let groups: Vec<Group> = [0.0, 1.0, 2.0, 3.0]
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
}
