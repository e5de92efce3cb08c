//! The mean of a sample with its 95 % interval.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Returns the mean of `values` and half the width of its 95 % interval by Student's t; a single
/// value has no interval, because nothing is known of its spread.
pub fn mean_and_error(values: &[f64]) -> (f64, Option<f64>) {
    let count = values.len() as f64;
    if values.is_empty() {
        return (0.0, None);
    }
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean) * (value - mean));
    let freedom = count - 1.0;
    let error = (squares.sum::<f64>() / freedom.max(1.0) / count).sqrt();
    let student = StudentsT::new(0.0, 1.0, freedom).ok();
    (
        mean,
        student.map(|student| student.inverse_cdf(0.975) * error),
    )
}

/// Returns the mean of `values` and its 95 % interval, as [`mean_and_error`].
pub fn mean_and_interval(values: &[f64]) -> (f64, Option<[f64; 2]>) {
    let (mean, error) = mean_and_error(values);
    (mean, error.map(|error| [mean - error, mean + error]))
}
