//! The kinds of experiments: the only list of them.

use std::path::Path;

use mendel_arena::Match;
use mendel_data::make::DataSetCreation;
use mendel_lab::breed::Breed;
use mendel_lab::calibrate::Calibration;
use mendel_lab::learning::Learn;
use mendel_lab::pipeline::PipelineRun;
use mendel_lab::sweep::Sweep;
use mendel_lab::tune::Tune;
use mendel_nets::train::Training;
use mendel_store::frame::{Failure, Folder, Manifest};
use mendel_store::library::Describe;
use serde_json::Value;

use crate::experiment::{ProgramExperiment, Report, Session};
use crate::progress::RecordView;
use crate::request::{OrUsageError as _, UsageError};

pub(crate) struct ExperimentKind {
    /// As the manifest has it.
    pub(crate) name: &'static str,
    pub(crate) resume: fn(&Session, &Path) -> anyhow::Result<()>,
    /// The summary for `mendel runs`: see `ProgramExperiment::describe`.
    pub(crate) describe: Describe,
    pub(crate) report: fn(&Path) -> Result<Report, Failure>,
    pub(crate) view: fn() -> RecordView,
}

pub(crate) static KINDS: &[ExperimentKind] = &[
    kind::<Match>(),
    kind::<Breed>(),
    kind::<Sweep>(),
    kind::<PipelineRun>(),
    kind::<Tune>(),
    kind::<Learn>(),
    kind::<Calibration>(),
    kind::<DataSetCreation>(),
    kind::<Training>(),
];

const fn kind<E: ProgramExperiment>() -> ExperimentKind {
    ExperimentKind {
        name: E::KIND,
        resume: |session, folder| session.resume::<E>(folder),
        describe: E::describe,
        report: E::report,
        view: E::view,
    }
}

pub(crate) fn find(name: &str) -> Option<&'static ExperimentKind> {
    KINDS.iter().find(|kind| kind.name == name)
}

/// The summary of an experiment for `mendel runs`.
pub(crate) fn describe(folder: &Folder, manifest: &Manifest) -> Value {
    find(&manifest.kind).map_or(Value::Null, |kind| (kind.describe)(folder, manifest))
}

/// The kind of the experiment in a folder.
pub(crate) fn of_folder(folder: &Path) -> Result<&'static ExperimentKind, UsageError> {
    let listed = "`mendel runs` lists the experiments that this version reads";
    let manifest = Manifest::read(folder).or_hint(listed)?;
    find(&manifest.kind).ok_or_else(|| {
        let what = format!(
            "`{}` is an experiment of the unknown kind `{}`",
            folder.display(),
            manifest.kind
        );
        let hint = format!("use mendel {}, which made it", manifest.version);
        UsageError::new(what, hint)
    })
}
