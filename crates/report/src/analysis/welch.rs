//! Welch's t-test.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The measurements of one group.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measurements {
    pub name: String,
    pub values: Vec<f64>,
}

impl Measurements {
    /// Lengths of games in plies.
    pub(crate) fn of_lengths(name: impl Into<String>, lengths: &[u32]) -> Self {
        Self {
            name: name.into(),
            values: lengths.iter().copied().map(f64::from).collect(),
        }
    }

    /// The mean; NaN without values.
    pub fn mean(&self) -> f64 {
        mean(&self.values)
    }

    /// The unbiased estimate of the variance.
    pub fn variance(&self) -> f64 {
        variance(&self.values)
    }
}

/// The comparison of two groups.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WelchTest {
    pub first: String,
    pub second: String,
    /// Mean of the first less mean of the second.
    pub difference: f64,
    /// The difference in units of its standard error.
    pub t: f64,
    /// Degrees of freedom, by Welch and Satterthwaite.
    pub freedom: f64,
    /// The two-sided p-value.
    pub p: f64,
    /// The p-value with Bonferroni's correction for the number of comparisons.
    pub corrected: f64,
}

/// Compares each two groups by Welch's t-test, which does not assume equal variances. Groups of fewer
/// than two measurements are left out.
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

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares = values.iter().map(|it| (it - mean) * (it - mean));
    squares.sum::<f64>() / (values.len() as f64 - 1.0)
}

/// The standard error of the difference of the means, and its degrees of freedom, which are not
/// finite without variance.
pub(crate) fn error_and_freedom(first: &[f64], second: &[f64]) -> (f64, f64) {
    let part = |group: &[f64]| variance(group) / group.len() as f64;
    let (a, b) = (part(first), part(second));
    let below = |part: f64, group: &[f64]| part * part / (group.len() as f64 - 1.0);
    let freedom = (a + b) * (a + b) / (below(a, first) + below(b, second));
    ((a + b).sqrt(), freedom)
}

/// Difference, t, degrees of freedom, p.
fn welch(first: &Measurements, second: &Measurements) -> (f64, f64, f64, f64) {
    let difference = first.mean() - second.mean();
    let (error, freedom) = error_and_freedom(&first.values, &second.values);
    // Without variance the error is 0: the means are equal or different.
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
