//! Whether groups differ by more than chance.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Measurements of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measurements {
    /// What was measured.
    pub name: String,
    /// The measurements.
    pub values: Vec<f64>,
}

impl Measurements {
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
pub struct WelchTest {
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
pub fn compare(groups: &[Measurements]) -> Vec<WelchTest> {
    let finite = |group: &&Measurements| {
        group.values.len() >= 2 && group.values.iter().all(|value| value.is_finite())
    };
    let groups: Vec<&Measurements> = groups.iter().filter(finite).collect();
    let comparisons = groups.len() * groups.len().saturating_sub(1) / 2;
    let mut found = Vec::with_capacity(comparisons);
    for (place, first) in groups.iter().enumerate() {
        for second in &groups[place + 1..] {
            let (difference, t, freedom, p) = welch(first, second);
            found.push(WelchTest {
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
fn welch(first: &Measurements, second: &Measurements) -> (f64, f64, f64, f64) {
    let part = |group: &Measurements| group.variance() / group.values.len() as f64;
    let (a, b) = (part(first), part(second));
    let difference = first.mean() - second.mean();
    let below = |part: f64, group: &Measurements| part * part / (group.values.len() as f64 - 1.0);
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
