//! A number of the players against what came out, to be drawn.

use crate::recipe::steps::CurveSettings;
use crate::recipe::{Misfit, require};
use crate::record::{Curve, CurveLine, CurvePoint};

/// Checks the curve of a step with some players, if it has one.
pub(super) fn check_curve(curve: Option<&CurveSettings>, players: usize) -> Result<(), Misfit> {
    let Some(CurveSettings { along, at, paper }) = curve else {
        return Ok(());
    };
    let reason = format!(
        "has {} values of {along} for {players} players; each has one",
        at.len()
    );
    require(at.len() == players, "curve", reason)?;
    let reason = format!(
        "has {} published values for {players} players; give all or none",
        paper.len()
    );
    let all = paper.is_empty() || paper.len() == players;
    require(all, "curve", reason)?;
    let finite = at.iter().chain(paper).all(|it| it.is_finite());
    require(finite, "curve", "has a value that is no number")
}

/// A value at each place of a curve with its interval, if there is one.
type CurveValues = Vec<Option<(f64, Option<[f64; 2]>)>>;

impl CurveSettings {
    /// The curve through what came out: for each line its name, and the value of the
    /// player at each place with its interval, if it took part.
    pub(super) fn through<'a>(
        &self,
        of: &str,
        lines: impl IntoIterator<Item = (&'a str, CurveValues)>,
    ) -> Curve {
        let line = |(name, values): (&str, CurveValues)| {
            let points = self.at.iter().zip(values).filter_map(|(&at, value)| {
                let (value, interval) = value?;
                Some(CurvePoint {
                    at,
                    value,
                    interval,
                })
            });
            CurveLine::sorted(name, points.collect())
        };
        let published = self.paper.iter().map(|&value| Some((value, None)));
        let paper = (!self.paper.is_empty()).then(|| ("paper", published.collect()));
        Curve {
            along: self.along.clone(),
            of: of.to_owned(),
            lines: lines.into_iter().chain(paper).map(line).collect(),
        }
    }
}
