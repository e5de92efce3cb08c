//! The plain data of run folders: what is written down, and where.
//!
//! Everything that reads finished folders (reports, lists, comparisons) needs this module and
//! [`recipe`](crate::recipe), and nothing that runs an experiment.

mod answers;
mod generation;
pub mod learning;
pub mod manifest;
mod pipeline;
mod proof;
mod sweep;
mod tune_plan;
mod tune_result;

use std::path::Path;

use mendel_store::frame::Manifest;
pub use mendel_store::frame::Timing;

pub use self::answers::{
    Agreement, Answers, Curve, CurveLine, CurvePoint, Judged, Judgement, Nearness, Part, Tally,
};
pub use self::generation::{
    ExamLine, Generation, Genotype, Genotypes, Histogram, Lineage, Networks, SpeciesLine,
};
pub use self::pipeline::{
    Bred, ByColour, Drawn, Game, Output, Pairing, Pipeline, Played, Runs, Set, Standing, Step,
    Trained,
};
pub(crate) use self::proof::elo_words;
pub use self::proof::{
    FOUNDER, MatchProof, Measured, OUTSIDE, PARENT, Proof, RunOutcome, Tested, UNMOVED,
};
pub use self::sweep::{OnSuite, SweepCell, SweepOutcome};
pub(crate) use self::tune_plan::usual_step;
pub use self::tune_plan::{Aside, Infeasible, Limit, Param, ParamKind, TunePlan};
pub(crate) use self::tune_result::MOST_ELO;
pub use self::tune_result::{
    Landscape, LeftOut, ParamFound, TuneResult, TunedDuel, TunedRound, UNCLEAR, Validation,
    tune_progress,
};

// Names of files in the folders of runs and pipelines.
pub const RECIPE: &str = "recipe.toml";
pub const GENERATIONS: &str = "generations.jsonl";
pub const LINEAGE: &str = "lineage.jsonl";
/// All members of some generations, if the recipe asks for them.
pub const GENOTYPES: &str = "genotypes.jsonl";
/// The games of the proof.
pub const GAMES: &str = "games.pgn";
pub const CHAMPION: &str = "champion.toml";
pub const EXAM: &str = "external-test.jsonl";
pub const ROUNDS: &str = "rounds.jsonl";

/// Whether this is the folder of a pipeline.
pub fn is_pipeline(folder: &Path) -> bool {
    is_of_kind(folder, "pipeline")
}

/// Whether this is the folder of a sweep.
pub fn is_sweep(folder: &Path) -> bool {
    is_of_kind(folder, "sweep")
}

fn is_of_kind(folder: &Path, kind: &str) -> bool {
    matches!(Manifest::find(folder), Ok(Some(manifest)) if manifest.kind == kind)
}
