//! A number of the players against what came out, to be drawn.

use super::Misfit;
use crate::recipe::steps::CurveSettings;
use crate::record::{Curve, CurveLine, CurvePoint};

/// Checks the curve of a step with some players, if it has one.
pub(super) fn check_curve(curve: Option<&CurveSettings>, players: usize) -> Result<(), Misfit> {
    let checked = curve.map_or(Ok(()), |curve| curve.check(players));
    checked.map_err(|reason| ("curve", reason))
}

impl CurveSettings {
    fn check(&self, players: usize) -> Result<(), String> {
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
