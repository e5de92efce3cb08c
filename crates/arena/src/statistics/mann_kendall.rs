//! The Mann-Kendall test: whether a series of results rises.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF as _, Normal};

/// What a test for a trend says of results one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trend {
    pub results: usize,
    /// Kendall's S: pairs in which the later is larger, less those in which it is
    /// smaller.
    pub s: f64,
    /// S as a normal deviate; 0 where all results are alike.
    pub z: f64,
    /// The chance of as large an S if the order meant nothing.
    pub p: f64,
    /// The mean of the first third, and its 95 % interval.
    pub first: Mean,
    /// The mean of the last third, and its 95 % interval.
    pub last: Mean,
    /// The last third's mean less the first's, and its 95 % interval.
    pub gain: Mean,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    pub value: f64,
    /// Its 95 % interval, from the spread of the results.
    pub interval: [f64; 2],
}

/// A trend is proved where chance would show as much less often than this.
const LEVEL: f64 = 0.01;

impl Trend {
    /// Tests whether the results rise; `None` where there are fewer than ten.
    ///
    /// # Source
    ///
    /// Mann, "Nonparametric Tests Against Trend", *Econometrica* 13, 1945; Kendall, *Rank
    /// Correlation Methods*, 1975, for the variance where results are tied.
    ///
    /// # Where this differs
    ///
    /// The test is one-sided: only a rise counts.
    pub fn of(results: &[f64]) -> Option<Self> {
        let count = results.len();
        if count < 10 {
            return None;
        }
        // 1. S, by counting how many of each value came before.
        let mut values: Vec<f64> = results.to_vec();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let mut seen = vec![0_u64; values.len()];
        let mut s = 0.0;
        for result in results {
            let place = values.partition_point(|it| it < result);
            let below: u64 = seen[..place].iter().sum();
            let above: u64 = seen[place + 1..].iter().sum();
            s += below as f64 - above as f64;
            seen[place] += 1;
        }

        // 2. Its variance, less for ties, and the continuity correction.
        let term = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0);
        let ties: f64 = seen.iter().map(|&it| term(it as f64)).sum();
        let variance = (term(count as f64) - ties) / 18.0;
        let z = if variance > 0.0 && s != 0.0 {
            (s - s.signum()) / libm::sqrt(variance)
        } else {
            0.0
        };

        // 3. How much.
        let third = count / 3;
        let (first, last) = (&results[..third], &results[count - third..]);
        let (first, last) = (spread(first), spread(last));
        let gain = (last.0 - first.0, libm::sqrt(last.1 + first.1));
        Some(Self {
            results: count,
            s,
            z,
            p: Normal::standard().sf(z),
            first: Mean::of((first.0, libm::sqrt(first.1))),
            last: Mean::of((last.0, libm::sqrt(last.1))),
            gain: Mean::of(gain),
        })
    }

    /// Whether the rise is proved.
    pub fn is_proved(&self) -> bool {
        self.p < LEVEL
    }

    pub fn words(&self) -> String {
        let percent = |it: Mean| {
            let [low, high] = it.interval.map(|end| 100.0 * end);
            format!("{:.1} % [{low:.1}, {high:.1}]", 100.0 * it.value)
        };
        let verdict = if self.is_proved() {
            "proved: it improves"
        } else {
            "not proved that it improves"
        };
        format!(
            "{verdict}: {} in the first third of {} games, {} in the last, {} more (Mann-Kendall z = {:.2}, p = {:.2e})",
            percent(self.first),
            self.results,
            percent(self.last),
            percent(self.gain),
            self.z,
            self.p
        )
    }
}

impl Mean {
    fn of((value, error): (f64, f64)) -> Self {
        Self {
            value,
            interval: [value - 1.96 * error, value + 1.96 * error],
        }
    }
}

/// The mean, and the variance of the mean.
fn spread(results: &[f64]) -> (f64, f64) {
    let count = results.len() as f64;
    let mean = results.iter().sum::<f64>() / count;
    let squares: f64 = results.iter().map(|it| (it - mean) * (it - mean)).sum();
    (mean, squares / (count - 1.0).max(1.0) / count)
}
