//! Jobs in, outcomes out, each exactly once.
//!
//! A coordinator hands [`Job`]s to a NATS `JetStream` server through [`Remote`];
//! [`Worker`]s on any number of machines take them, work, and answer. This crate
//! knows no chess: what a job means is the matter of its [`Handler`].
//!
//! What holds, whoever dies at whatever moment: every job comes back to the
//! coordinator exactly once, as a result or as [`Dead`]. The server delivers at
//! least once; the coordinator counts each job's first answer and no other.
//! `docs/crew.md` says how to set a crew up, and what it guarantees.
//!
//! ```
//! use mendel_crew::{BlobId, JobId, Options};
//!
//! // This machine is trusted; any other needs encryption and a secret.
//! assert!(Options::new("nats://127.0.0.1:4222", None, None).is_ok());
//! assert!(Options::new("nats://example.org:4222", None, None).is_err());
//! assert!(JobId::new("generation-7-pair-3").is_ok());
//! assert_eq!(BlobId::of(b"abc").to_string().len(), 64);
//! ```

mod blob;
mod complaints;
mod error;
mod hand;
mod handler;
mod job;
mod lease;
mod leftovers;
mod names;
mod news;
mod notices;
mod options;
mod queue;
mod remote;
mod results;
mod server;
mod shift;
mod shop;
mod status;
mod vault;
mod wire;
mod worker;

pub use blob::{BlobError, BlobId, Blobs, NoBlobId};
pub use error::{CrewError, OptionsError, WorkError};
pub use handler::{Handler, Progress};
pub use job::{Dead, GoOn, Job, JobId, Outcome, Refusal, Refused, Tally};
pub use leftovers::{Forgotten, forget};
pub use news::News;
pub use notices::{BoardState, Notices, Posted};
pub use options::{Limits, Options, Secret};
pub use remote::Remote;
pub use status::{Held, RunState, Status, WorkerState, status};
pub use wire::printable;
pub use worker::{Event, Worked, Worker};
