//! Tasks in, outputs out, each exactly once: threads or workers behind one interface.
//!
//! A [`Task`] defines how an item is done and how it is sent to a worker. [`Crew::map`] has
//! items done by threads of this process, or by [`Worker`]s on any number of machines behind
//! a NATS `JetStream` server. This crate contains no chess.
//!
//! Below tasks, [`CrewClient`] submits [`Job`]s and takes their results. Every job comes back
//! to the coordinator exactly once, as a result or as a [`DeadLetter`], even if any process is
//! killed at any moment: the server delivers at least once, and the coordinator counts only
//! the first result of each job. `docs/crew.md` describes how to set up a crew.
//!
//! ```
//! use mendel_crew::{BlobId, JobId, ConnectOptions};
//!
//! // This machine is trusted; any other needs encryption and a secret.
//! assert!(ConnectOptions::new("nats://127.0.0.1:4222", None, None).is_ok());
//! assert!(ConnectOptions::new("nats://example.org:4222", None, None).is_err());
//! assert!(JobId::new("generation-7-pair-3").is_ok());
//! assert_eq!(BlobId::of(b"abc").to_string().len(), 64);
//! ```

mod blob;
mod blob_store;
mod chunks;
mod error;
mod gc;
mod handler;
mod idle_states;
mod job;
mod job_names;
mod job_sizing;
mod lock;
mod map;
mod message;
mod options;
mod parallel;
mod presence;
mod printable;
mod registry;
mod remote;
mod server;
mod shared_log;
mod status;
mod subjects;
mod task;
mod worker;

pub use blob::BlobId;
pub use chunks::DeadLetterPolicy;
pub use error::{CrewError, MapError};
pub use gc::{RemovedRun, remove_run};
pub use handler::{CompletedOutput, Handler, JobProgress};
pub use job::{
    Blobs, DeadLetter, HandlerError, Job, JobCounts, JobFlow, JobId, JobOutcome, JobRejection,
};
pub use job_names::JobNameStore;
pub use map::Crew;
pub use options::{ConnectOptions, Secret, WorkerLimits};
pub use parallel::{parallel, parallel_with};
pub use presence::{ActiveRunStatus, WorkerStatus, WorkerTotals};
pub use printable::printable;
pub use remote::{CrewClient, CrewEvent};
pub use shared_log::{LogRecord, LogState, SharedLog};
pub use status::{CrewStatus, StoredRun, status};
pub use task::{
    Done, Flow, JobPayload, Mapped, Site, TakeOutput, Task, TaskFailure, TaskHandler, Unpack,
};
pub use worker::{Worker, WorkerEvent};
