//! Data sets from our own games: an [`Experiment`].
//!
//! Games are played in this process at fixed nodes, positions are drawn from them,
//! and an expert labels them. Every finished game and every label is in a journal
//! before it counts, so that work that was killed continues where it was; and
//! everything left to chance follows from the seed and the number of the game, so
//! that the file is the same however many threads there were and however often it
//! was killed.

mod games;
mod labels;
mod lines;
mod plan;
mod sample;

use std::path::PathBuf;
use std::{fs, io};

use mendel_crew::{Crew, MapError};
use mendel_engine::memory;
use mendel_store::frame::{Experiment, Failure, Frame, Identity, OrInvalid as _, Preparation};
use mendel_store::{InputHashes, fingerprint};
use serde::{Deserialize, Serialize};

pub use self::plan::DataPlan;
use crate::label::Consultant;
use crate::{Collector, DataSetHeader, Kind, LabelSource, MakeError};

#[derive(Debug)]
pub struct DataSetCreation {
    plan: DataPlan,
    options: DataOptions,
    expert: Option<LabelSource>,
}

#[derive(Clone, Debug)]
pub struct DataOptions {
    pub crew: Crew,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CreatedDataSet {
    pub file: PathBuf,
    pub bytes: usize,
    /// Positions without a label of the expert; they are left out.
    pub unlabelled: u64,
    pub header: DataSetHeader,
}

/// Bytes in memory for each position that is wanted: itself and its key. Measured: 217, with
/// 2,000 and 60,000 positions.
const PER_POSITION: u64 = 256;

impl Experiment for DataSetCreation {
    const KIND: &'static str = "data";
    const SCHEMA: u32 = 1;
    const PLAN: &'static str = "plan.toml";
    type Plan = DataPlan;
    type ExecOptions = DataOptions;
    type Outcome = CreatedDataSet;

    fn prepare(
        plan: DataPlan,
        _seed: u64,
        options: &DataOptions,
        context: &Preparation,
    ) -> Result<Self, Failure> {
        // 1. What needs no program.
        plan.check().map_err(MakeError::into_invalid)?;
        plan.check_player()?;
        let file = context.folder().join(&plan.out);
        if !context.is_resumed() && mendel_store::is_taken(&file) {
            return Err(MakeError::Taken { path: file }.into_invalid());
        }
        if let Some(from) = &plan.from {
            crate::Reader::find(&from.display().to_string())
                .or_invalid_with("`mendel data list` names the built-in sets")?;
        } else {
            let bytes = plan.positions.saturating_mul(PER_POSITION);
            memory::check(bytes).map_err(|shortage| {
                let positions = plan.positions;
                MakeError::Memory {
                    positions,
                    shortage,
                }
                .into_invalid()
            })?;
        }
        // 2. An expert that does not start is found out before the games are played.
        let expert = match &plan.expert {
            Some(expert) => {
                let started = Consultant::new(expert).map_err(MakeError::into_invalid)?;
                Some(started.introduction())
            }
            None => None,
        };
        Ok(Self {
            plan,
            options: options.clone(),
            expert,
        })
    }

    fn identity(&self) -> Identity {
        // Where the file is does not matter.
        let plan = DataPlan {
            out: PathBuf::new(),
            ..self.plan.clone()
        };
        let mut facts = toml::Table::new();
        if let Some(expert) = &self.expert {
            facts.insert("expert".to_owned(), expert.name.clone().into());
        }
        let name = self.plan.out.file_stem().unwrap_or_default();
        Identity {
            id: fingerprint(plan.command().as_bytes()),
            name: name.to_string_lossy().into_owned(),
            facts,
        }
    }

    fn inputs(&self) -> Result<InputHashes, Failure> {
        self.plan.inputs()
    }

    fn run(self, frame: &mut Frame) -> Result<CreatedDataSet, Failure> {
        // 1. Positions.
        let plan = &self.plan;
        let mut samples = match &plan.from {
            Some(from) => games::read_positions(plan, from)?,
            None => games::play_games(plan, &self.options, frame)?,
        };
        let drawn = samples.len() as u64;
        // 2. Labels.
        if let Some(expert) = &plan.expert {
            samples = labels::add_labels(expert, samples, &self.options, frame)?;
        }
        // 3. The file.
        let mut collector = Collector::new(DataSetHeader {
            made_by: plan.command(),
            seed: plan.seed,
            expert: self.expert,
            scale: plan.expert.as_ref().map_or(1.0, |expert| expert.scale),
            hold_out: plan.hold_out,
            ..DataSetHeader::new(plan.kind, plan.description())
        });
        for sample in &samples {
            collector.add(sample);
        }
        let (header, bytes) = collector.finish()?;
        let file = frame.path().join(&plan.out);
        mendel_store::replace(&file, &bytes)?;
        // 4. Its journals are in it.
        for name in [lines::GAMES, lines::LABELS] {
            match fs::remove_file(frame.file(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        Ok(CreatedDataSet {
            file,
            bytes: bytes.len(),
            unlabelled: drawn - header.positions,
            header,
        })
    }
}

/// Why the work of a crew ended: with the typed failure of a task, if it has one.
fn work_error(error: MapError<Failure>, failure: Option<Failure>) -> Failure {
    match (error, failure) {
        (MapError::Consumer(error), _) | (MapError::Work(_), Some(error)) => error,
        (MapError::Work(error), None) => error.into(),
    }
}

impl Kind {
    /// Whether only quiet positions are taken by default: not where the best move is the label.
    fn is_about_quiet_positions(self) -> bool {
        self != Self::Moves
    }
}
