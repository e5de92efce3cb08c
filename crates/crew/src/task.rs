//! The interface for work that runs on threads and on workers.

use std::sync::{Arc, Mutex};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::blob::BlobId;
use crate::handler::{CompletedOutput, Handler, JobProgress};
use crate::idle_states::IdleStates;
use crate::job::{Blobs, HandlerError, Job};
use crate::lock::lock;

/// The place where a state is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// A thread of the process that needs the outputs. A player that cannot start loses
    /// its games.
    Local,
    /// A worker. A player that cannot start makes it reject the job, because another
    /// worker may be able to start it.
    Remote,
}

/// A kind of work: its items, how they are done, and how they are sent to a worker.
/// `self` is the data that all items share.
pub trait Task: Sync {
    /// Its name in the queue; a worker has one handler for each kind.
    const KIND: &'static str;
    /// Of payload and outputs: a worker with another version rejects the job.
    const VERSION: u32;

    /// A unit of work.
    type Item: Clone + Send + Sync;
    type Output: Serialize + DeserializeOwned + Send;
    /// Kept between items: started players, an analyst.
    type TaskState;

    /// Index of the item in its part of the work, equal after a resume. Items of one id
    /// travel together; both games of a pair have one.
    fn item_id(&self, item: &Self::Item) -> u64;

    /// Distinguishes the items of one id.
    fn item_key(&self, item: &Self::Item) -> u64 {
        self.item_id(item)
    }

    /// The number of different ids of the part, done ones included, if it is known; for the
    /// size of jobs only.
    fn item_count(&self) -> Option<u64> {
        None
    }

    /// Makes the state that a thread or a worker slot keeps between items.
    ///
    /// # Errors
    ///
    /// If it cannot be made; locally this ends the work, a worker rejects the job.
    fn new_state(&self, site: Site) -> Result<Self::TaskState, HandlerError>;

    /// Does an item.
    ///
    /// # Errors
    ///
    /// [`HandlerError::Stopped`] soon after the stop flag was set; other errors if the item
    /// cannot be done.
    fn run(
        &self,
        state: &mut Self::TaskState,
        item: &Self::Item,
        progress: &JobProgress,
    ) -> Result<CompletedOutput<Self::Output>, HandlerError>;

    /// Encodes items for a worker. Shared data is encoded once, on first use. A task that
    /// only ever runs on [`Crew::local`](crate::Crew::local) need not implement it.
    ///
    /// # Errors
    ///
    /// If something belongs to this machine and is not portable.
    fn pack(&self, items: &[Self::Item]) -> Result<JobPayload, HandlerError> {
        let _ = items;
        let reason = format!("the task `{}` runs on this machine only", Self::KIND);
        Err(HandlerError::CannotRun(reason))
    }

    /// A blob that a payload names.
    fn blob(&self, _id: &BlobId) -> Option<Arc<[u8]>> {
        None
    }

    /// The expected maximum of bytes of the outputs of one id, for the size of jobs; 0 if it
    /// is smaller than the encoded item.
    fn output_bytes(&self) -> usize {
        0
    }

    /// Checks the output of a worker, which may be anything.
    ///
    /// # Errors
    ///
    /// The reason why the output is invalid.
    fn accept(&self, item: &Self::Item, output: Self::Output) -> Result<Self::Output, String>;

    /// Everything a state depends on: a worker uses an idle state with an equal key.
    fn state_key(&self) -> Option<String> {
        None
    }

    /// Whether a state that gave these outputs is as good as new.
    fn reusable(&self, _outputs: &[Self::Output]) -> bool {
        true
    }
}

/// The caller's decision after an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    Continue,
    /// No more outputs. Those that are complete by then may still be delivered.
    Stop,
}

/// The way in which the work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapped {
    /// The output of each item was delivered.
    All,
    /// The caller returned [`Flow::Stop`].
    StoppedByCaller,
    Stopped,
}

impl Mapped {
    pub(crate) fn new(last: Flow, all: bool) -> Self {
        match last {
            Flow::Stop => Self::StoppedByCaller,
            Flow::Continue if all => Self::All,
            Flow::Continue => Self::Stopped,
        }
    }
}

/// The outcome of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done<O> {
    Output(O),
    /// Its job is a dead letter, and the policy is to skip it. It must not be recorded as
    /// done, so that the next resume tries it again.
    Skipped,
}

pub type TakeOutput<'a, T, E> =
    dyn FnMut(&<T as Task>::Item, Done<<T as Task>::Output>) -> Result<Flow, E> + 'a;

/// The typed error of a task on the threads of this process: a [`HandlerError`] carries
/// its text only.
#[derive(Debug)]
pub struct TaskFailure<E>(Mutex<Option<E>>);

impl<E> Default for TaskFailure<E> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<E: std::fmt::Display> TaskFailure<E> {
    /// Keeps the first error, and makes one that ends the work.
    pub fn record(&self, error: E) -> HandlerError {
        let reason = error.to_string();
        let mut first = lock(&self.0);
        first.get_or_insert(error);
        HandlerError::CannotRun(reason)
    }

    /// The first error, if there was one.
    pub fn take(&self) -> Option<E> {
        lock(&self.0).take()
    }
}

/// Items encoded for a worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobPayload {
    /// Read by [`Unpack::unpack`] of the worker.
    pub bytes: Vec<u8>,
    /// Larger data that many jobs share.
    pub blobs: Vec<BlobId>,
}

/// The worker's end of [`Task::pack`].
pub trait Unpack: Send + Sync {
    type Task: Task;

    /// Reads a payload, which is untrusted.
    ///
    /// # Errors
    ///
    /// If it is invalid, or this worker lacks something it needs.
    #[expect(clippy::type_complexity, reason = "a task and its items, nothing else")]
    fn unpack(
        &self,
        payload: &[u8],
        blobs: &dyn Blobs,
    ) -> Result<(Self::Task, Vec<<Self::Task as Task>::Item>), HandlerError>;
}

type StateOf<U> = <<U as Unpack>::Task as Task>::TaskState;

/// The handler of a task, for all kinds: unpacks, runs each item, encodes the outputs,
/// and keeps idle states for the next job.
pub struct TaskHandler<U: Unpack> {
    unpack: U,
    idle: IdleStates<StateOf<U>>,
}

impl<U: Unpack> TaskHandler<U> {
    pub fn new(unpack: U) -> Self {
        Self {
            unpack,
            idle: IdleStates::default(),
        }
    }
}

impl<U: Unpack> std::fmt::Debug for TaskHandler<U> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TaskHandler")
            .field("kind", &U::Task::KIND)
            .finish_non_exhaustive()
    }
}

impl<U: Unpack> Handler for TaskHandler<U>
where
    StateOf<U>: Send + 'static,
{
    fn kind(&self) -> &'static str {
        U::Task::KIND
    }

    fn version(&self) -> u32 {
        U::Task::VERSION
    }

    fn work(
        &self,
        job: &Job,
        blobs: &dyn Blobs,
        progress: &JobProgress,
    ) -> Result<Vec<u8>, HandlerError> {
        let (task, items) = self.unpack.unpack(&job.payload, blobs)?;
        let new_state = || task.new_state(Site::Remote);
        let run = |state: &mut StateOf<U>| {
            let outputs = items
                .iter()
                .map(|item| Ok(task.run(state, item, progress)?.into_inner()))
                .collect::<Result<Vec<_>, HandlerError>>()?;
            let reusable = task.reusable(&outputs);
            let keys = items.iter().map(|item| task.item_key(item));
            let outputs: Vec<_> = keys
                .zip(outputs)
                .map(|(item, output)| ItemOutput { item, output })
                .collect();
            let result = serde_json::to_vec(&outputs).expect("outputs are plain data");
            Ok((result, reusable))
        };
        match task.state_key() {
            Some(key) => self.idle.with(&key, new_state, run),
            None => run(&mut new_state()?).map(|(result, _)| result),
        }
    }
}

/// The output of an item, encoded for the coordinator.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ItemOutput<O> {
    /// [`Task::item_key`].
    item: u64,
    output: O,
}

/// The outputs of `items`, if the result has all of them and the task accepts each. A job
/// that an earlier process submitted may have more items than are open now.
pub(crate) fn decode<T: Task>(
    task: &T,
    items: &[T::Item],
    result: &[u8],
) -> Result<Vec<T::Output>, String> {
    let mut outputs: Vec<ItemOutput<T::Output>> =
        serde_json::from_slice(result).map_err(|error| format!("it cannot be read: {error}"))?;
    items
        .iter()
        .map(|item| {
            let key = task.item_key(item);
            let found = outputs.iter().position(|it| it.item == key);
            let found = found.ok_or_else(|| format!("item {key} is not in it"))?;
            task.accept(item, outputs.remove(found).output)
        })
        .collect()
}
