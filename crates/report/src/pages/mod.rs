//! Pages of all kinds of experiments.

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
mod sweep;
mod train;
mod tune;
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
pub use self::pipeline::{PipelineRecord, step_words};
pub use self::played::PlayedView;
pub use self::read::{ALL, OWN, RunQuality, RunRecord};
pub use self::summary::RunSummary;
pub use self::sweep::{SweepRecord, setting_name};
pub use self::train::{NetworkRecord, TrainingRecord};
pub use self::tune::TuningRecord;

use crate::plot::{decimal, number};

/// Whether a proof succeeded; its verdict starts with that word.
fn is_proved(proof: &Proof) -> bool {
    proof.verdict.starts_with("proved")
}

/// A value as text, or a dash.
fn or_dash<T>(value: Option<T>, write: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), write)
}

/// The direction of a metric.
fn better(smaller_is_better: bool) -> &'static str {
    if smaller_is_better {
        "smaller is better"
    } else {
        "larger is better"
    }
}

/// A number with its sign, as differences and Elo are written.
fn signed(value: f64) -> String {
    with_plus(value, number)
}

/// A measured difference.
fn signed_decimal(value: f64) -> String {
    with_plus(value, decimal)
}

fn with_plus(value: f64, write: fn(f64) -> String) -> String {
    let plus = if value > 0.0 { "+" } else { "" };
    format!("{plus}{}", write(value))
}

/// An Elo difference with one decimal; more are never significant.
pub(crate) fn elo(value: f64) -> String {
    // Not −0.0, and a true minus sign as everywhere.
    let tenths = (value * 10.0).round() / 10.0 + 0.0;
    format!("{tenths:+.1}").replace('-', "−")
}

/// An Elo difference; infinite if one side took all points.
fn elo_of(value: Option<f64>, wins: u64, losses: u64) -> String {
    let infinite = if wins > losses { "+∞" } else { "−∞" };
    value.map_or_else(|| infinite.to_owned(), elo)
}

/// The interval of an Elo difference; an end may be open.
pub(crate) fn elo_interval([low, high]: [Option<f64>; 2]) -> String {
    let low = low.map_or_else(|| "−∞".to_owned(), elo);
    let high = high.map_or_else(|| "+∞".to_owned(), elo);
    format!("[{low}, {high}]")
}

/// An interval with both ends.
pub(crate) fn interval_text([low, high]: [f64; 2], write: impl Fn(f64) -> String) -> String {
    format!("[{}, {}]", write(low), write(high))
}

/// A generation counted from 1; records count from 0.
fn from_one(generation: u32) -> u32 {
    generation.saturating_add(1)
}

/// `1 game`, `2 games`.
fn counted(count: u64, one: &str) -> String {
    let number = number(count as f64);
    let end = if count == 1 { "" } else { "s" };
    format!("{number} {one}{end}")
}

/// A time with its unit.
fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        _ if seconds < 120.0 => (seconds, "s"),
        _ if seconds < 7200.0 => (seconds / 60.0, "min"),
        _ => (seconds / 3600.0, "h"),
    };
    format!("{} {unit}", number(value))
}
