//! Labelling positions, as a task of the crew.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mendel_arena::Entrant;
use mendel_arena::task::{ProgramAllowlist, RemotePlayer, TaskBlobs};
use mendel_board::{NotationError, Position};
use mendel_crew::{
    BlobId, Blobs, CompletedOutput, HandlerError, JobPayload, JobProgress, Site, Task, TaskFailure,
    Unpack,
};
use serde::{Deserialize, Serialize};

use super::expert::{Ask, Consultant, ExpertPlan, Label};
use super::label;
use crate::MakeError;

/// Labels positions by an expert.
pub struct LabelTask {
    plan: ExpertPlan,
    expert: Entrant,
    /// How many positions there are, the labelled ones among them, if that is known.
    positions: Option<u64>,
    portable: OnceLock<Result<PortableExpert, String>>,
    /// On a worker: how the expert must call itself, as another version gives other labels;
    /// and everything that it depends on.
    remote: Option<(String, String)>,
    failure: TaskFailure<MakeError>,
}

struct PortableExpert {
    payload: LabelPayload,
    blobs: TaskBlobs,
}

#[derive(Clone, Debug)]
pub struct LabelItem {
    pub index: u64,
    pub position: Position,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionLabel {
    /// Centipawns for the side to move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<i16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LabelPayload {
    expert: RemotePlayer,
    calls_itself: String,
    ask: Ask,
    scale: f64,
    /// Seconds for an answer.
    deadline: u64,
    /// The positions, as FEN, by their places among those drawn.
    positions: Vec<(u64, String)>,
}

impl LabelTask {
    /// The task of labelling this number of positions as `plan` says.
    ///
    /// # Errors
    ///
    /// If there is no such expert.
    pub fn new(plan: &ExpertPlan, positions: u64) -> Result<Self, MakeError> {
        Ok(Self {
            plan: plan.clone(),
            expert: plan.entrant()?,
            positions: Some(positions),
            portable: OnceLock::new(),
            remote: None,
            failure: TaskFailure::default(),
        })
    }

    /// The error that ended the work on this machine, if one did.
    pub fn take_failure(&self) -> Option<MakeError> {
        self.failure.take()
    }

    fn start_expert(&self) -> Result<Consultant, MakeError> {
        Consultant::of(&self.plan, &self.expert)
    }

    /// Another worker may have a program that starts, or another version of it.
    fn handler_error(&self, error: MakeError) -> HandlerError {
        match (&self.remote, error) {
            (None, error) => self.failure.record(error),
            (Some(_), error @ (MakeError::Seat(_) | MakeError::NoEvaluation { .. })) => {
                HandlerError::CannotRun(error.to_string())
            }
            (Some(_), error) => HandlerError::InvalidJob(error.to_string()),
        }
    }

    fn portable_expert(&self) -> Result<PortableExpert, String> {
        let mut blobs = TaskBlobs::new();
        let expert = RemotePlayer::pack(&self.expert, &mut blobs);
        let consultant = self.start_expert().map_err(|error| error.to_string())?;
        Ok(PortableExpert {
            payload: LabelPayload {
                expert: expert?,
                calls_itself: consultant.name().to_owned(),
                ask: self.plan.ask,
                scale: self.plan.scale,
                deadline: self.plan.deadline.as_secs(),
                positions: Vec::new(),
            },
            blobs,
        })
    }
}

impl std::fmt::Debug for LabelTask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LabelTask")
            .field("plan", &self.plan)
            .finish_non_exhaustive()
    }
}

impl Task for LabelTask {
    const KIND: &'static str = "labels";
    const VERSION: u32 = 2;
    type Item = LabelItem;
    type Output = PositionLabel;
    type TaskState = Consultant;

    fn item_id(&self, item: &LabelItem) -> u64 {
        item.index
    }

    fn item_count(&self) -> Option<u64> {
        self.positions
    }

    fn new_state(&self, _: Site) -> Result<Consultant, HandlerError> {
        let consultant = self
            .start_expert()
            .map_err(|error| self.handler_error(error))?;
        match &self.remote {
            Some((calls_itself, _)) if consultant.name() != calls_itself => {
                Err(HandlerError::CannotRun(format!(
                    "its expert is `{calls_itself}`, and this worker has `{}`",
                    consultant.name()
                )))
            }
            _ => Ok(consultant),
        }
    }

    fn run(
        &self,
        consultant: &mut Consultant,
        item: &LabelItem,
        progress: &JobProgress,
    ) -> Result<CompletedOutput<PositionLabel>, HandlerError> {
        let (again, stop) = (|| self.start_expert(), progress.stop_flag());
        let label = label(consultant, &again, self.plan.ask, &item.position, &stop);
        let label = label.map_err(|error| self.handler_error(error))?;
        let label = PositionLabel::of(label.ok_or(HandlerError::Stopped)?, &item.position);
        progress.unit_done();
        // A search that a stop cut short gives a label, too; it is not taken.
        progress.complete(label)
    }

    fn pack(&self, items: &[LabelItem]) -> Result<JobPayload, HandlerError> {
        let portable = self.portable.get_or_init(|| self.portable_expert());
        let portable = portable
            .as_ref()
            .map_err(|reason| HandlerError::CannotRun(reason.clone()))?;
        let payload = LabelPayload {
            positions: items
                .iter()
                .map(|item| (item.index, item.position.fen()))
                .collect(),
            ..portable.payload.clone()
        };
        Ok(JobPayload {
            bytes: serde_json::to_vec(&payload).expect("a payload is plain data"),
            blobs: payload.expert.blobs(),
        })
    }

    fn blob(&self, id: &BlobId) -> Option<Arc<[u8]>> {
        let portable = self.portable.get()?.as_ref().ok()?;
        portable.blobs.get(id).cloned()
    }

    fn accept(&self, item: &LabelItem, label: PositionLabel) -> Result<PositionLabel, String> {
        match &label.best {
            Some(best) if item.position.parse_uci(best).is_err() => {
                Err(format!("position {} has no move {best}", item.index))
            }
            _ => Ok(label),
        }
    }

    fn state_key(&self) -> Option<String> {
        self.remote.as_ref().map(|(_, key)| key.clone())
    }
}

impl PositionLabel {
    fn of(label: Label, position: &Position) -> Self {
        Self {
            score: label.score,
            best: label.best.map(|m| position.uci(m)),
        }
    }
}

#[derive(Clone, Debug)]
pub struct LabelUnpack {
    allowlist: Arc<ProgramAllowlist>,
}

impl LabelUnpack {
    /// Starts the programs of `allowlist` and no others.
    pub fn new(allowlist: Arc<ProgramAllowlist>) -> Self {
        Self { allowlist }
    }
}

impl Unpack for LabelUnpack {
    type Task = LabelTask;

    fn unpack(
        &self,
        payload: &[u8],
        blobs: &dyn Blobs,
    ) -> Result<(LabelTask, Vec<LabelItem>), HandlerError> {
        let mut payload: LabelPayload = serde_json::from_slice(payload).map_err(|error| {
            HandlerError::InvalidJob(format!("it is no task of labels: {error}"))
        })?;
        let items = std::mem::take(&mut payload.positions)
            .into_iter()
            .map(|(index, fen)| {
                let position = Position::from_fen(&fen)?;
                Ok(LabelItem { index, position })
            })
            .collect::<Result<_, NotationError>>()
            .map_err(|error| HandlerError::InvalidJob(error.to_string()))?;
        let experts = std::slice::from_ref(&payload.expert);
        let mut experts = self.allowlist.resolve_players(experts, blobs)?;
        let plan = ExpertPlan {
            player: payload.expert.name.clone(),
            ask: payload.ask,
            scale: payload.scale,
            deadline: Duration::from_secs(payload.deadline),
        };
        let key = serde_json::to_string(&payload).expect("a payload is plain data");
        let task = LabelTask {
            expert: plan.prepared(experts.remove(0)),
            plan,
            positions: None,
            portable: OnceLock::new(),
            remote: Some((payload.calls_itself, key)),
            failure: TaskFailure::default(),
        };
        Ok((task, items))
    }
}
