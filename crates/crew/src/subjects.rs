//! Names of streams and subjects. `docs/crew-server.conf` grants permissions by these names.

use std::time::Duration;

use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy};

use crate::blob::BlobId;
use crate::job::JobId;

/// Jobs until they are done, with a subject for each, so that the server itself refuses a
/// duplicate.
pub(crate) const JOBS: &str = "MENDEL_JOBS";
/// Results until their coordinator has taken them.
pub(crate) const RESULTS: &str = "MENDEL_RESULTS";
/// Start marks of redelivered jobs.
pub(crate) const STARTS: &str = "MENDEL_STARTS";
/// The shared log of nodes.
pub(crate) const NOTICES: &str = "MENDEL_NOTICES";
pub(crate) const BLOBS: &str = "mendel-blobs";

/// Workers reply with their status.
pub(crate) const ROLL_CALL: &str = "mendel.roll-call";
/// Coordinators reply with their versions and runs.
pub(crate) const COORDINATORS: &str = "mendel.coordinators";
/// Workers cancel the jobs of a run.
pub(crate) const ENOUGH: &str = "mendel.enough";

/// Prefixes of the subjects where the replies to a role arrive, so that no role may read the
/// replies of another: coordinators and status requests, workers, and users of the shared log.
pub(crate) const COORDINATOR_INBOX: &str = "_INBOX_coordinator";
pub(crate) const WORKER_INBOX: &str = "_INBOX_worker";
pub(crate) const LEARNER_INBOX: &str = "_INBOX_learner";

/// Retention of orphaned messages. A run that resumes later resubmits the missing jobs.
const RETENTION: Duration = Duration::from_hours(30 * 24);

pub(crate) const MAX_NOTICES_BYTES: i64 = 1 << 32;

/// The hash of a version of the program, as subjects have it.
pub(crate) fn token(program: &str) -> String {
    BlobId::of(program.as_bytes()).to_string()[..16].to_owned()
}

pub(crate) fn job(token: &str, run: &str, id: &JobId) -> String {
    format!("mendel.jobs.{token}.{run}.{id}")
}

/// The jobs of a run; `*` for those of all versions.
pub(crate) fn jobs_of(token: &str, run: &str) -> String {
    format!("mendel.jobs.{token}.{run}.*")
}

/// All jobs of a version.
pub(crate) fn jobs_for(token: &str) -> String {
    format!("mendel.jobs.{token}.>")
}

pub(crate) const ALL_JOBS: &str = "mendel.jobs.>";

pub(crate) fn result(run: &str, id: &JobId) -> String {
    format!("mendel.results.{run}.{id}")
}

pub(crate) fn results_of(run: &str) -> String {
    format!("mendel.results.{run}.*")
}

pub(crate) const ALL_RESULTS: &str = "mendel.results.>";

/// A mark of a job: [`STARTED`], [`NOT_STARTED`], or `*` for all.
pub(crate) fn mark(run: &str, id: &JobId, mark: &str) -> String {
    format!("mendel.starts.{run}.{id}.{mark}")
}

pub(crate) const STARTED: &str = "begun";
/// The first delivery of the job was not started.
pub(crate) const NOT_STARTED: &str = "not";

pub(crate) fn starts_of(run: &str) -> String {
    format!("mendel.starts.{run}.>")
}

pub(crate) fn enough(run: &str) -> String {
    format!("{ENOUGH}.{run}")
}

pub(crate) fn refused(run: &str) -> String {
    format!("mendel.refused.{run}")
}

pub(crate) fn notice(id: &str) -> String {
    format!("mendel.notices.{id}")
}

/// The consumer that all workers of a version share.
pub(crate) fn workers(token: &str) -> String {
    format!("workers-{token}")
}

pub(crate) fn coordinator(run: &str) -> String {
    format!("run-{run}")
}

pub(crate) fn last(subject: &str) -> &str {
    subject.rsplit('.').next().unwrap_or_default()
}

/// The run a subject of a job or a result belongs to.
pub(crate) fn run_of(subject: &str) -> &str {
    subject.rsplit('.').nth(1).unwrap_or_default()
}

pub(crate) fn jobs_stream() -> Config {
    Config {
        retention: RetentionPolicy::WorkQueue,
        ..one_per_subject(stream(JOBS, ALL_JOBS))
    }
}

/// A second message of a subject is accepted here: the first may be damaged.
pub(crate) fn results_stream() -> Config {
    Config {
        retention: RetentionPolicy::WorkQueue,
        ..stream(RESULTS, ALL_RESULTS)
    }
}

pub(crate) fn starts_stream() -> Config {
    Config {
        max_messages_per_subject: 100,
        ..stream(STARTS, "mendel.starts.>")
    }
}

/// A subject for each record; records do not expire.
pub(crate) fn notices_stream() -> Config {
    Config {
        max_age: Duration::ZERO,
        max_bytes: MAX_NOTICES_BYTES,
        ..one_per_subject(stream(NOTICES, "mendel.notices.*"))
    }
}

fn stream(name: &str, subjects: &str) -> Config {
    Config {
        name: name.to_owned(),
        subjects: vec![subjects.to_owned()],
        max_age: RETENTION,
        ..Config::default()
    }
}

/// The server refuses a second message of a subject.
fn one_per_subject(config: Config) -> Config {
    Config {
        max_messages_per_subject: 1,
        discard: DiscardPolicy::New,
        discard_new_per_subject: true,
        ..config
    }
}
