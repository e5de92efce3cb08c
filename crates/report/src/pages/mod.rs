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
pub use self::answers::TitledTable;
pub use self::champion::pictures_of;
pub use self::exam::{exam_pictures, exam_table};
pub use self::genes::GeneRow;
pub use self::learn::learning_page;
pub use self::lineage::{Ancestor, Ancestry};
pub use self::match_page::MatchRecord;
pub use self::pipeline::{PipelineRecord, StepTables, step_tables, step_words};
pub use self::read::{ALL, OWN, RunQuality, RunRecord};
pub use self::summary::RunSummary;
pub use self::sweep::{SweepRecord, setting_name};
pub use self::train::{NetworkRecord, TrainingRecord};
pub use self::tune::TuningRecord;

use crate::text::{
    better, counted, duration, elo, elo_interval, elo_of, from_one, interval_text, or_dash,
    p_value, signed, signed_decimal,
};

/// Whether a proof succeeded; its verdict starts with that word.
fn is_proved(proof: &Proof) -> bool {
    proof.verdict.starts_with("proved")
}
