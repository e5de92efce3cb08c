//! A number of the players against what came out, to be drawn.

use serde::{Deserialize, Serialize};

/// The table `curve` of a step: what changes from player to player.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CurveSettings {
    /// What it is called, such as `λ`.
    pub along: String,
    /// Its value for each of the players, in their order.
    pub at: Vec<f64>,
    /// What was published for each, in the unit of what is measured.
    #[serde(default)]
    pub paper: Vec<f64>,
}

/// What came out along a number of the players.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The number.
    pub along: String,
    /// What came out, such as `points`.
    pub of: String,
    /// Ours first, then what was published.
    pub lines: Vec<CurveLine>,
}

/// One line of a curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurveLine {
    /// Whose, or of which positions.
    pub name: String,
    /// From left to right.
    pub points: Vec<CurvePoint>,
}

/// A point of a curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The number.
    pub at: f64,
    /// What came out.
    pub value: f64,
    /// Its 95 % interval, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

impl CurveSettings {
    /// What is wrong with it.
    pub(super) fn check(&self, players: usize) -> Result<(), String> {
        if self.at.len() != players {
            return Err(format!(
                "has {} values of {} for {players} players; each has one",
                self.at.len(),
                self.along
            ));
        }
        if !self.paper.is_empty() && self.paper.len() != players {
            return Err(format!(
                "has {} published values for {players} players; give all or none",
                self.paper.len()
            ));
        }
        if !self.at.iter().chain(&self.paper).all(|it| it.is_finite()) {
            return Err("has a value that is no number".to_owned());
        }
        Ok(())
    }

    /// The curve through what came out: for each line its name, and the value of the
    /// player at each place with its interval, if it took part.
    pub(super) fn through<'a>(
        &self,
        of: &str,
        lines: impl IntoIterator<Item = (&'a str, Vec<Option<(f64, Option<[f64; 2]>)>>)>,
    ) -> Curve {
        let mut drawn: Vec<CurveLine> = lines
            .into_iter()
            .map(|(name, values)| {
                let points = self.at.iter().zip(values).filter_map(|(&at, value)| {
                    let (value, interval) = value?;
                    Some(CurvePoint {
                        at,
                        value,
                        interval,
                    })
                });
                CurveLine::sorted(name, points.collect())
            })
            .collect();
        if !self.paper.is_empty() {
            let points = self
                .at
                .iter()
                .zip(&self.paper)
                .map(|(&at, &value)| CurvePoint {
                    at,
                    value,
                    interval: None,
                });
            drawn.push(CurveLine::sorted("paper", points.collect()));
        }
        Curve {
            along: self.along.clone(),
            of: of.to_owned(),
            lines: drawn,
        }
    }
}

impl CurveLine {
    fn sorted(name: &str, mut points: Vec<CurvePoint>) -> Self {
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
