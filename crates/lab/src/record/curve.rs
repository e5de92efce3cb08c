//! Results along a number of the players.

use serde::{Deserialize, Serialize};

/// What came out along a number of the players.
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
