//! Which tuner, with which settings.

use serde::{Deserialize, Serialize};

use super::cma::CmaEsPlan;
use super::differential::DifferentialPlan;
use super::genetic::GeneticPlan;
use super::random::RandomPlan;
use super::spsa::SpsaPlan;
use super::surface::SurfacePlan;

/// A tuner and its settings, as a file writes them: `kind = "spsa"` and what differs
/// from the usual.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TunerPlan {
    Surface(SurfacePlan),
    Spsa(SpsaPlan),
    CmaEs(CmaEsPlan),
    Differential(DifferentialPlan),
    Genetic(GeneticPlan),
    Random(RandomPlan),
}

impl Default for TunerPlan {
    fn default() -> Self {
        Self::Surface(SurfacePlan::default())
    }
}

impl TunerPlan {
    /// Every tuner with its usual settings, the default first.
    pub fn all() -> Vec<Self> {
        vec![
            Self::default(),
            Self::Spsa(SpsaPlan::default()),
            Self::CmaEs(CmaEsPlan::default()),
            Self::Differential(DifferentialPlan::default()),
            Self::Genetic(GeneticPlan::default()),
            Self::Random(RandomPlan::default()),
        ]
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|plan| plan.name() == name)
    }

    /// What it is called, as its `kind` in a file.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Surface(_) => "surface",
            Self::Spsa(_) => "spsa",
            Self::CmaEs(_) => "cma-es",
            Self::Differential(_) => "differential",
            Self::Genetic(_) => "genetic",
            Self::Random(_) => "random",
        }
    }
}
