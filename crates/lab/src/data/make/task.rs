//! Positions to label as a job for somebody else.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mendel_arena::task::{HouseRules, Idle, Luggage, Visitor};
use mendel_board::{FenError, Position};
use mendel_crew::{Blobs, Handler, Job, Progress, Refusal};
use serde::{Deserialize, Serialize};

use super::MakeError;
use super::expert::{Ask, Consultant, ExpertPlan, Label};
use super::labels::label;

/// What the crew calls these jobs.
pub(super) const KIND: &str = "labels";

/// Of the data of a task and of its answer.
pub(super) const VERSION: u32 = 1;

/// Positions for one worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LabelTask {
    /// Who is asked.
    pub(super) expert: Visitor,
    /// What it calls itself: another version gives other labels.
    pub(super) calls_itself: String,
    pub(super) ask: Ask,
    pub(super) scale: f64,
    /// Seconds for an answer.
    pub(super) deadline: u64,
    /// The positions, as FEN, by their places among those drawn.
    pub(super) positions: Vec<(u64, String)>,
}

/// What is said of a position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Said {
    /// The position's place among those drawn.
    pub(super) index: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) score: Option<i16>,
    /// In UCI notation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) best: Option<String>,
}

impl Said {
    pub(super) fn of(index: u64, label: Label, position: &Position) -> Self {
        Self {
            index,
            score: label.score,
            best: label.best.map(|m| position.uci(m)),
        }
    }

    /// Of a position that is to be done without.
    pub(super) fn nothing(index: u64) -> Self {
        Self {
            index,
            ..Self::default()
        }
    }
}

impl LabelTask {
    /// A task without positions yet; what its expert needs goes into `luggage`.
    pub(super) fn new(plan: &ExpertPlan, luggage: &mut Luggage) -> Result<Self, MakeError> {
        let expert = Visitor::pack(&plan.entrant()?, luggage);
        Ok(Self {
            expert: expert.map_err(mendel_arena::AwayError::from)?,
            calls_itself: Consultant::new(plan)?.name().to_owned(),
            ask: plan.ask,
            scale: plan.scale,
            deadline: plan.deadline.as_secs(),
            positions: Vec::new(),
        })
    }

    fn plan(&self) -> ExpertPlan {
        ExpertPlan {
            player: self.expert.name.clone(),
            ask: self.ask,
            scale: self.scale,
            deadline: Duration::from_secs(self.deadline),
        }
    }
}

/// Labels the positions of others.
#[derive(Clone, Debug)]
pub struct LabelHandler {
    rules: Arc<HouseRules>,
    /// Experts in their seats, for jobs that ask the same.
    idle: Idle<Desk>,
}

impl LabelHandler {
    /// Labels under these rules.
    pub fn new(rules: Arc<HouseRules>) -> Self {
        Self {
            rules,
            idle: Idle::default(),
        }
    }
}

impl Handler for LabelHandler {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn version(&self) -> u32 {
        VERSION
    }

    fn work(&self, job: &Job, blobs: &dyn Blobs, progress: &Progress) -> Result<Vec<u8>, Refusal> {
        let mut task: LabelTask = serde_json::from_slice(&job.payload)
            .map_err(|error| Refusal::Bad(format!("it is no task of labels: {error}")))?;
        let positions = std::mem::take(&mut task.positions)
            .iter()
            .map(|(index, fen)| Ok((*index, Position::from_fen(fen)?)))
            .collect::<Result<Vec<_>, FenError>>()
            .map_err(|error| Refusal::Bad(error.to_string()))?;
        let halt = progress.signal();
        let expert = serde_json::to_string(&task).expect("a task is plain data");
        let seat = || Desk::new(&task, &self.rules, blobs);
        let said = self.idle.with(&expert, seat, |desk| {
            let mut said = Vec::with_capacity(positions.len());
            for (index, position) in &positions {
                let label = desk.label(position, &halt)?;
                said.push(Said::of(*index, label, position));
                progress.made();
            }
            Ok::<_, Refusal>((said, true))
        })?;
        Ok(serde_json::to_vec(&said).expect("labels are plain data"))
    }
}

/// An expert and how to get it again.
struct Desk {
    plan: ExpertPlan,
    entrant: mendel_arena::Entrant,
    consultant: Consultant,
}

impl Desk {
    fn new(task: &LabelTask, rules: &HouseRules, blobs: &dyn Blobs) -> Result<Self, Refusal> {
        let mut entrants = rules.admit(std::slice::from_ref(&task.expert), blobs)?;
        let plan = task.plan();
        let entrant = plan.prepared(entrants.remove(0));
        let consultant = Consultant::of(&plan, &entrant).map_err(refusal)?;
        if consultant.name() != task.calls_itself {
            return Err(Refusal::Cannot(format!(
                "its expert is `{}`, and this worker has `{}`",
                task.calls_itself,
                consultant.name()
            )));
        }
        Ok(Self {
            plan,
            entrant,
            consultant,
        })
    }

    fn label(&mut self, position: &Position, halt: &Arc<AtomicBool>) -> Result<Label, Refusal> {
        let again = || Consultant::of(&self.plan, &self.entrant);
        let label = label(&mut self.consultant, &again, self.plan.ask, position, halt);
        label.map_err(refusal)?.ok_or(Refusal::Stopped)
    }
}

fn refusal(error: MakeError) -> Refusal {
    match error {
        // Another worker may have a program that starts, or another version of it.
        MakeError::Seat(_) | MakeError::Mute { .. } => Refusal::Cannot(error.to_string()),
        error => Refusal::Bad(error.to_string()),
    }
}
