//! Pages of all kinds of run folders.

mod analyses;
mod answers;
mod breed;
mod champion;
mod curves;
mod exam;
mod games;
mod genes;
mod learn;
mod lineage;
mod match_page;
mod paper;
mod pipeline;
mod played;
mod population;
pub(crate) mod read;
mod summary;
pub(crate) mod sweep;
mod train;
pub(crate) mod tune;
mod warnings;

use mendel_lab::record::Proof;

pub use self::analyses::{Analyses, AnalysisKind, Picture};
pub use self::answers::{AgreementView, JudgementView};
pub use self::champion::pictures_of;
pub use self::exam::{exam_pictures, exam_table};
pub use self::genes::GeneRow;
pub use self::learn::learning_page;
pub use self::lineage::{Ancestor, Ancestry};
pub use self::match_page::MatchRecord;
pub use self::paper::PaperComparison;
pub use self::pipeline::{PipelineRecord, step_words};
pub use self::played::PlayedView;
pub use self::read::{ALL, OWN, RunQuality, RunRecord};
pub use self::summary::RunSummary;
pub use self::sweep::{SweepRecord, setting_name};
pub use self::train::{grid_page, training_page};
pub use self::tune::TuningRecord;

/// In the place of a figure of ours that means something else than the published one.
const NOT_COMPARABLE: &str = "not comparable";

/// Whether a proof was one; its verdict says so first.
fn is_proved(proof: &Proof) -> bool {
    proof.verdict.starts_with("proved")
}

/// A signed number, as differences and Elo are written.
fn signed(value: f64) -> String {
    let text = crate::plot::number(value);
    if value > 0.0 {
        format!("+{text}")
    } else {
        text
    }
}

/// A measured difference.
fn signed_decimal(value: f64) -> String {
    let text = crate::plot::decimal(value);
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
    let number = crate::plot::number(count as f64);
    let end = if count == 1 { "" } else { "s" };
    format!("{number} {one}{end}")
}
