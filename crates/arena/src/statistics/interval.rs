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

#[cfg(test)]
mod tests {
    use super::mean_and_interval;

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
}
