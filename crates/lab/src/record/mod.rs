//! The plain data of run folders: what is written down, and where.
//!
//! Everything that reads finished folders (reports, lists, comparisons) needs this module and
//! [`recipe`](crate::recipe), and nothing that runs an experiment.

mod agreement;
mod curve;
mod exam;
mod files;
mod generation;
mod genotypes;
mod judgement;
pub mod learning;
pub mod manifest;
mod pipeline;
mod proof;
mod sweep;
mod tune_param;
mod tune_plan;
mod tune_result;
mod tune_round;

use std::path::Path;

use mendel_store::frame::Manifest;
pub use mendel_store::frame::Timing;

pub use self::agreement::{Agreement, Answers, Part, Tally};
pub use self::curve::{Curve, CurveLine, CurvePoint};
pub use self::exam::ExamLine;
pub use self::files::{
    CHAMPION, CHECKPOINT, EXAM, GAMES, GENERATIONS, GENOTYPES, LINEAGE, RECIPE, ROUNDS,
};
pub use self::generation::{Generation, Histogram, Lineage, Networks, SpeciesLine};
pub use self::genotypes::{Genotype, Genotypes};
pub use self::judgement::{Judged, Judgement, Nearness};
pub use self::pipeline::{
    Bred, ByColour, Drawn, Game, Output, Pairing, Pipeline, Played, Runs, Set, Standing, Step,
    Trained,
};
pub use self::proof::{
    FOUNDER, MatchProof, Measured, OUTSIDE, PARENT, Proof, RunOutcome, Tested, UNMOVED,
};
pub use self::sweep::{OnSuite, SweepCell, SweepOutcome};
pub(crate) use self::tune_param::usual_step;
pub use self::tune_param::{Aside, Infeasible, Param, ParamKind};
pub use self::tune_plan::{Limit, TunePlan};
pub(crate) use self::tune_result::MOST_ELO;
pub use self::tune_result::{Landscape, ParamFound, TuneResult, UNCLEAR, Validation};
pub use self::tune_round::{LeftOut, TunedDuel, TunedRound, tune_progress};

/// Whether this is the folder of a pipeline.
pub fn is_pipeline(folder: &Path) -> bool {
    matches!(Manifest::find(folder), Ok(Some(manifest)) if manifest.kind == "pipeline")
}

/// Whether this is the folder of a sweep.
pub fn is_sweep(folder: &Path) -> bool {
    matches!(Manifest::find(folder), Ok(Some(manifest)) if manifest.kind == "sweep")
}
