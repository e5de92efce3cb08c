//! When to stop.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::settings::{SettingsError, out_of_range, within};

/// When a run is over: as soon as the first of these rules says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct StopRules {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generations: Option<u32>,
    /// Once so many judgements were made; the generation in which they run out
    /// is judged to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgements: Option<u64>,
    /// After so many generations without a better score than the best before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_progress: Option<u32>,
    /// After so many generations in which nobody beat the king, where members are
    /// judged by games against one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_new_king: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stopped {
    Target,
    Generations,
    Judgements,
    /// Nothing better was found for long enough.
    NoProgress,
    /// Nobody beat the king for long enough.
    NoNewKing,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Target => "the target was reached",
            Self::Generations => "all generations were bred",
            Self::Judgements => "the judgements are used up",
            Self::NoProgress => "nothing better was found for too long",
            Self::NoNewKing => "no new king for too long",
        })
    }
}

/// How far a run is, as far as stopping depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunProgress {
    pub generations: u32,
    /// How many judgements were made in all, in whatever unit the budget has.
    pub judgements: u64,
    pub best: Option<f64>,
    /// After how many generations it was found.
    pub best_at: u32,
    /// After how many generations the king was crowned; 0 for the first king.
    #[serde(default)]
    pub crowned_at: u32,
}

impl RunProgress {
    /// Counts a generation that was judged, with its best score; a score that is
    /// not a finite number is no progress.
    pub fn record(&mut self, best: f64, judgements: u64) {
        self.generations = self.generations.saturating_add(1);
        self.judgements = self.judgements.saturating_add(judgements);
        if best.is_finite() && self.best.is_none_or(|before| best > before) {
            self.best = Some(best);
            self.best_at = self.generations;
        }
    }

    /// Counts a new king: a member of this generation, the first being 0, beat the
    /// one before.
    pub fn crowned(&mut self, generation: u32) {
        self.crowned_at = self.crowned_at.max(generation.saturating_add(1));
    }
}

impl StopRules {
    /// Whether the rules make sense, and surely end a run.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Range`].
    pub fn check(&self) -> Result<(), SettingsError> {
        if let Some(generations) = &self.generations {
            within("generations", generations, 1..=u32::MAX)?;
        }
        if let Some(judgements) = &self.judgements {
            within("judgements", judgements, 1..=u64::MAX)?;
        }
        if let Some(generations) = &self.no_progress {
            within("no-progress", generations, 1..=u32::MAX)?;
        }
        if let Some(generations) = &self.no_new_king {
            within("no-new-king", generations, 1..=u32::MAX)?;
        }
        if let Some(target) = self.target.filter(|target| !target.is_finite()) {
            return Err(out_of_range("target", &target, "a finite number"));
        }
        let by_count = self.generations.is_some() || self.judgements.is_some();
        if !by_count && self.no_progress.is_none() && self.no_new_king.is_none() {
            let allowed = "given, or `judgements`, `no-progress` or `no-new-king`: a run must end";
            return Err(out_of_range("generations", &"left out", allowed));
        }
        Ok(())
    }

    /// Which rule says that the run is over, if one does.
    pub fn reached(&self, progress: &RunProgress) -> Option<Stopped> {
        let since = |generations: u32| u64::from(progress.generations.saturating_sub(generations));
        let reached = |limit: Option<u64>, count: u64| limit.is_some_and(|limit| count >= limit);
        let target = self.target.zip(progress.best);
        if target.is_some_and(|(target, best)| best >= target) {
            Some(Stopped::Target)
        } else if reached(self.generations.map(u64::from), progress.generations.into()) {
            Some(Stopped::Generations)
        } else if reached(self.judgements, progress.judgements) {
            Some(Stopped::Judgements)
        } else if reached(self.no_progress.map(u64::from), since(progress.best_at)) {
            Some(Stopped::NoProgress)
        } else if reached(self.no_new_king.map(u64::from), since(progress.crowned_at)) {
            Some(Stopped::NoNewKing)
        } else {
            None
        }
    }
}
