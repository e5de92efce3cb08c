//! Outputs of pipeline steps that ask players: moves that are known, scores of an expert, and
//! curves along a number of the players.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    pub along: String,
    /// What came out, such as `points`.
    pub of: String,
    /// Ours first, then what was published.
    pub lines: Vec<CurveLine>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurveLine {
    pub name: String,
    /// From left to right.
    pub points: Vec<CurvePoint>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    pub at: f64,
    pub value: f64,
    /// Its 95 % interval, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

impl CurveLine {
    pub(crate) fn sorted(name: &str, mut points: Vec<CurvePoint>) -> Self {
        points.sort_by(|one, other| one.at.total_cmp(&other.at));
        Self {
            name: name.to_owned(),
            points,
        }
    }
}

impl Curve {
    /// Where the first line, which is ours, is highest.
    pub fn best(&self) -> Option<CurvePoint> {
        let points = self.lines.first()?.points.iter().copied();
        points.reduce(|best, it| if it.value > best.value { it } else { best })
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// What a move may use and where the positions are from, in words.
    pub conditions: String,
    pub hash: String,
    pub positions: u64,
    pub players: Vec<Answers>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<Curve>,
    /// Who could not take part, and what else a reader must know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answers {
    pub player: String,
    pub all: Tally,
    /// By the piece of the move that is known.
    pub pieces: Vec<Part>,
    pub phases: Vec<Part>,
    /// By band of ratings, where there are any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bands: Vec<Part>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    pub name: String,
    #[serde(flatten)]
    pub tally: Tally,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub positions: u64,
    /// Moves with the right piece, by the square that it leaves.
    pub from: u64,
    pub right: u64,
}

/// The 97.5th percentile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

impl Tally {
    /// Right moves, in per cent.
    pub fn share(&self) -> Option<f64> {
        percent(self.right, self.positions)
    }

    /// Right squares to leave from, in per cent.
    pub fn from_share(&self) -> Option<f64> {
        percent(self.from, self.positions)
    }

    /// Right moves of those with the right piece, in per cent.
    pub fn to_share(&self) -> Option<f64> {
        percent(self.right, self.from)
    }

    /// Where the share of right moves lies with 95 %, in per cent.
    ///
    /// # Source
    ///
    /// E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical
    /// Inference", *Journal of the American Statistical Association* 22, 1927.
    pub fn interval(&self) -> Option<[f64; 2]> {
        wilson(self.right, self.positions)
    }

    pub(crate) fn add(&mut self, from: bool, right: bool) {
        self.positions += 1;
        self.from += u64::from(from);
        self.right += u64::from(right);
    }
}

fn percent(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64)
}

fn wilson(part: u64, whole: u64) -> Option<[f64; 2]> {
    if whole == 0 {
        return None;
    }
    let (n, share) = (whole as f64, part as f64 / whole as f64);
    let square = Z * Z / n;
    let middle = (share + square / 2.0) / (1.0 + square);
    let spread = libm::sqrt(share * (1.0 - share) / n + square / (4.0 * n));
    let reach = Z * spread / (1.0 + square);
    Some([middle - reach, middle + reach].map(|end| 100.0 * end.clamp(0.0, 1.0)))
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    pub conditions: String,
    pub hash: String,
    pub positions: u64,
    pub players: Vec<Judged>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<Curve>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    pub player: String,
    pub all: Nearness,
    /// By part of the game, in its order.
    pub phases: Vec<Nearness>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Nearness {
    pub name: String,
    pub positions: u64,
    /// Pearson's correlation; none where one of both says the same everywhere.
    pub correlation: Option<f64>,
    /// Its 95 % interval, by Fisher's transformation.
    pub interval: Option<[f64; 2]>,
    /// The mean distance in centipawns.
    pub error: Option<f64>,
}

impl Nearness {
    /// Compares pairs of a score and the expert's score.
    pub fn of(name: &str, pairs: &[(f64, f64)]) -> Self {
        let n = pairs.len() as f64;
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
        let empty = Self {
            name: name.to_owned(),
            ..Self::default()
        };
        if pairs.is_empty() {
            return empty;
        }
        let (x, y) = (mean(&|it| it.0), mean(&|it| it.1));
        let both = mean(&|it| (it.0 - x) * (it.1 - y));
        let spread = libm::sqrt(mean(&|it| (it.0 - x) * (it.0 - x)))
            * libm::sqrt(mean(&|it| (it.1 - y) * (it.1 - y)));
        let correlation = (spread > 1e-9).then(|| (both / spread).clamp(-1.0, 1.0));
        Self {
            positions: pairs.len() as u64,
            correlation,
            interval: correlation.filter(|_| pairs.len() > 3).map(|it| {
                // Fisher's transformation has the spread 1 / √(n − 3).
                let near = libm::atanh(it.clamp(-0.999_999, 0.999_999));
                let reach = 1.96 / libm::sqrt(n - 3.0);
                [libm::tanh(near - reach), libm::tanh(near + reach)]
            }),
            error: Some(mean(&|it| (it.0 - it.1).abs())),
            ..empty
        }
    }
}
