//! A run's folder in, one page out.
//!
//! [`RunRecord`] is everything a folder holds; [`RunRecord::page`] is what a person
//! gets to see of it, [`RunRecord::summary`] what a program does. A sweep has the
//! same two doors in [`SweepRecord`]. The drawing itself is the store's.

mod analyses;
mod answers;
mod champion;
mod curves;
mod describe;
mod error;
mod exam;
mod games;
mod genes;
mod lineage;
mod paper;
mod pipeline;
mod played;
mod population;
mod read;
mod run_page;
mod summary;
mod sweep;
mod tuning;
mod warnings;

pub use analyses::{Analyses, Picture, What};
pub use champion::pictures_of;
pub use describe::describe;
pub use error::ReportError;
pub use exam::{exam_pictures, exam_table};
pub use genes::GeneRow;
pub use lineage::{Ancestor, Ancestry};
pub use paper::Comparison;
pub use pipeline::PipelineRecord;
pub use read::{ALL, OWN, Reached, RunRecord};
pub use summary::Summary;
pub use sweep::{SweepRecord, setting_name};
pub use tuning::TuningRecord;

use std::path::Path;

use crate::pipeline::is_pipeline;
use crate::proof::Proof;
use crate::sweep::Sweep;
use crate::tune::is_tuning;

/// The name of the page in a folder.
pub const FILE: &str = "report.html";

/// Whether this is the folder of a sweep rather than of a run.
pub fn is_sweep(folder: &Path) -> bool {
    folder.join(Sweep::FILE).is_file() || folder.join(Sweep::PLAN).is_file()
}

/// The page of a folder, of a run, a sweep, a pipeline or a tuning, as HTML.
///
/// # Errors
///
/// If the folder is none of these, or one of its files cannot be read.
pub fn html(folder: &Path) -> Result<String, ReportError> {
    if is_tuning(folder) {
        Ok(TuningRecord::read(folder)?.page().render())
    } else if is_pipeline(folder) {
        Ok(PipelineRecord::read(folder)?.page().render())
    } else if is_sweep(folder) {
        Ok(SweepRecord::read(folder)?.page().render())
    } else {
        let run = RunRecord::read(folder)?.with_analyses()?;
        Ok(run.page().render())
    }
}

/// Whether a proof was one; its verdict says so first.
fn is_proved(proof: &Proof) -> bool {
    proof.verdict.starts_with("proved")
}

/// A signed number, as differences and Elo are written.
fn signed(value: f64) -> String {
    let text = mendel_store::plot::number(value);
    if value > 0.0 {
        format!("+{text}")
    } else {
        text
    }
}

/// A measured difference.
fn signed_decimal(value: f64) -> String {
    let text = mendel_store::plot::decimal(value);
    if value > 0.0 {
        format!("+{text}")
    } else {
        text
    }
}

/// An Elo difference: more than one decimal nobody measures.
fn elo(value: f64) -> String {
    // Not −0.0, and a true minus sign as everywhere.
    let tenths = (value * 10.0).round() / 10.0 + 0.0;
    format!("{tenths:+.1}").replace('-', "−")
}

/// The interval of an Elo difference; an end may be open.
fn elo_interval([low, high]: [Option<f64>; 2]) -> String {
    let low = low.map_or_else(|| "−∞".to_owned(), elo);
    let high = high.map_or_else(|| "+∞".to_owned(), elo);
    format!("[{low}, {high}]")
}

/// An interval, as it is written everywhere.
fn interval_text([low, high]: [f64; 2], write: impl Fn(f64) -> String) -> String {
    format!("[{}, {}]", write(low), write(high))
}

/// A generation as people count it: the first is 1, where records begin with 0.
fn from_one(generation: u32) -> u32 {
    generation.saturating_add(1)
}

/// `1 game`, `2 games`.
fn counted(count: u64, one: &str) -> String {
    let number = mendel_store::plot::number(count as f64);
    let end = if count == 1 { "" } else { "s" };
    format!("{number} {one}{end}")
}
