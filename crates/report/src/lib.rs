//! Turns run folders into pages, pictures and lists.
//!
//! [`RunRecord`] is everything the folder of a run holds; [`RunRecord::page`] shows it to
//! people, [`RunRecord::summary`] to programs. Sweeps, pipelines and tunings have the same two
//! functions in [`SweepRecord`], [`PipelineRecord`] and [`TuningRecord`]. [`plot`] draws,
//! [`page`] writes HTML, [`analysis`] computes what is drawn.
//!
//! This crate runs nothing: of `mendel-lab` and `mendel-nets` it uses records and recipes only.

pub mod analysis;
mod describe;
mod error;
mod metrics;
mod nested;
pub mod page;
mod pages;
pub mod plot;

use std::path::Path;

use mendel_lab::record::{is_pipeline, is_sweep};

pub use self::describe::{describe_pipeline, describe_run};
pub use self::error::ReportError;
pub use self::nested::nested_runs;
pub use self::pages::{
    ALL, AgreementView, Analyses, AnalysisKind, Ancestor, Ancestry, GeneRow, JudgementView,
    MatchRecord, OWN, PaperComparison, Picture, PipelineRecord, PlayedView, RunQuality, RunRecord,
    RunSummary, SweepRecord, TuningRecord, exam_pictures, exam_table, grid_page, learning_page,
    pictures_of, setting_name, step_words, training_page,
};

/// The name of the page in a folder.
pub const FILE: &str = "report.html";

/// The page of a folder, of a run, a sweep or a pipeline, as HTML.
///
/// # Errors
///
/// If the folder is none of these, or one of its files cannot be read.
pub fn html(folder: &Path) -> Result<String, ReportError> {
    if is_pipeline(folder) {
        Ok(PipelineRecord::read(folder)?.page().render())
    } else if is_sweep(folder) {
        Ok(SweepRecord::read(folder)?.page().render())
    } else {
        let run = RunRecord::read(folder)?.with_analyses()?;
        Ok(run.page().render())
    }
}
