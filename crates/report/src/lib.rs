//! Makes pages, plots and lists from the folders of experiments.
//!
//! Each kind has a record that is read from its folder and makes a page: [`RunRecord`],
//! [`SweepRecord`], [`PipelineRecord`], [`TuningRecord`], [`TrainingRecord`] and [`MatchRecord`]. The record itself is the
//! data for programs; that of a run is [`RunRecord::summary`]. [`plot`] draws, [`page`] writes HTML,
//! [`analysis`] computes what is drawn, [`metrics`] compares published figures with ours.
//!
//! This crate runs nothing: of `mendel-lab` and `mendel-nets` it uses records and recipes only.

pub mod analysis;
mod describe;
mod error;
pub mod metrics;
mod nested;
pub mod page;
mod pages;
pub mod plot;
mod text;

use std::path::Path;

use mendel_lab::record::{is_pipeline, is_sweep};

pub use self::describe::{describe_pipeline, describe_run};
pub use self::error::ReportError;
pub use self::metrics::PaperComparison;
pub use self::nested::nested_runs;
pub use self::pages::{
    ALL, Analyses, AnalysisKind, Ancestor, Ancestry, GeneRow, MatchRecord, NetworkRecord, OWN,
    Picture, PipelineRecord, RunQuality, RunRecord, RunSummary, StepTables, SweepRecord,
    TitledTable, TrainingRecord, TuningRecord, exam_pictures, exam_table, learning_page,
    pictures_of, setting_name, step_tables, step_words,
};

pub use self::text::p_value;

/// The name of the page in the folder of an experiment.
pub const FILE: &str = "report.html";

/// The page of a run, a sweep or a pipeline as HTML.
///
/// # Errors
///
/// If the folder is not that of such an experiment, or one of its files cannot be read.
pub fn html(folder: &Path) -> Result<String, ReportError> {
    if is_pipeline(folder) {
        Ok(PipelineRecord::read(folder)?.page().render())
    } else if is_sweep(folder) {
        Ok(SweepRecord::read(folder)?.page().render())
    } else {
        Ok(RunRecord::read(folder)?.with_analyses()?.page().render())
    }
}
