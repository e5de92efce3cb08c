//! A parabola over all knobs, fitted to all duels; the next ones are those that tell
//! most about where its top is.

mod design;
mod features;
mod fit;
mod hill;
mod judge;
mod landscape;

use serde::{Deserialize, Serialize};

use super::course::Course;
use super::duel::{Duel, Fought};
use super::knob::Setting;
use super::method::Method;
use crate::settings::{SettingsError, positive, within};
use fit::Fit;

pub(super) use judge::estimate;
pub(super) use landscape::landscape;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct SurfacePlan {
    /// How many Elo points a setting may be expected to lose for each knob, and still be
    /// tried, when a thousand pairs were played. Before it is more, later less.
    pub reach: f64,
    /// How many duels are looked at for each that is played.
    pub candidates: u32,
}

impl Default for SurfacePlan {
    fn default() -> Self {
        Self {
            reach: 5.0,
            candidates: 6,
        }
    }
}

impl SurfacePlan {
    /// How far tried settings may lie below the top after what was played.
    fn reach_after(&self, course: &Course) -> f64 {
        // A surface that is steeper on one side misleads by a share of what is tried,
        // and chance by the square of the number of knobs over the games and over what is
        // tried: both together are least if this falls with the root of the games.
        let knobs = course
            .space
            .knobs()
            .iter()
            .filter(|knob| knob.moves())
            .count();
        let thousands = course.spent.max(1) as f64 / 1000.0;
        let reach = self.reach * knobs as f64 / libm::sqrt(thousands);
        reach.min(MOST_LOST)
    }
}

/// No setting is tried that is expected to lose more Elo points than this: it would lose
/// all its games, however bad it is.
const MOST_LOST: f64 = 120.0;

/// The surface as a tuner. All it knows is in the record of the duels.
///
/// # Source
///
/// A parabola fitted to the results of games, with those near its top counting more,
/// is CLOP: Coulom, "CLOP: Confident Local Optimization for Noisy Black-Box Parameter
/// Tuning", *Advances in Computer Games*, 2011. Choosing what is played by what a
/// Bayesian model would learn from it goes back to Mockus, *Bayesian Approach to Global
/// Optimization*, 1989; draws from the posterior are those of Thompson, "On the
/// Likelihood that One Unknown Probability Exceeds Another in View of the Evidence of
/// Two Samples", *Biometrika* 25, 1933. That the usual curvature is the one under which
/// the games are most likely is `MacKay`'s evidence, "Bayesian Interpolation", *Neural
/// Computation* 4(3), 1992.
///
/// # Where this differs
///
/// CLOP plays settings against fixed opponents; here two settings meet, and their
/// difference is fitted. It draws settings at random where they may be good, and
/// proposes their mean; here each duel is, of several drawn, the one that most lowers
/// the expected loss of the proposal, and the top itself is proposed. Curvatures and
/// products of knobs are held back by a prior, so that it works from the first game on;
/// the scatter of a pair of games is measured, not assumed. Above 24 knobs there are no
/// products. Gaussian processes need no form, but learn twenty knobs too slowly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Surface {
    plan: SurfacePlan,
}

/// A round is by this share of all pairs so far as large as they, and there are at
/// least so many rounds.
const GROWTH: f64 = 0.08;
const LEAST_ROUNDS: u64 = 24;

/// A round has at most so many different duels.
const MOST_DUELS: u64 = 64;

impl Surface {
    pub(super) fn new(plan: SurfacePlan) -> Result<Self, SettingsError> {
        positive("reach", plan.reach)?;
        within("candidates", &plan.candidates, 1..=10_000)?;
        Ok(Self { plan })
    }

    fn fit(&self, course: &Course) -> Fit {
        let reach = self.plan.reach_after(course);
        Fit::new(&course.space, &course.record, REMEMBERED * reach)
    }
}

/// Duels count half when a setting in them was so many times as bad as is tried now.
const REMEMBERED: f64 = 10.0;

impl Method for Surface {
    fn ask(&self, course: &Course) -> Vec<Duel> {
        let most = (course.budget / LEAST_ROUNDS).max(1);
        let grown = (GROWTH * course.spent as f64) as u64;
        let pairs = grown.min(most).max(u64::from(course.batch)).max(1);
        let each = pairs.div_ceil(MOST_DUELS);
        let fit = self.fit(course);
        let reach = self.plan.reach_after(course);
        let mut design = design::Design::new(&fit, course, reach);
        (0..pairs.div_ceil(each))
            .map(|duel| {
                let mut rng = course.chance(duel as usize);
                design.next(self.plan.candidates, each as u32, &mut rng)
            })
            .collect()
    }

    fn tell(&mut self, _course: &Course, _fought: &[Fought]) {}

    fn proposal(&self, course: &Course) -> Setting {
        let fit = self.fit(course);
        fit.form.setting(&course.space, &fit.top)
    }
}
