//! What can go wrong between a coordinator, a server and its workers.

use crate::blob::BlobId;
use crate::job::JobId;
use crate::options::ConnectOptionsError;

/// Why the crew cannot be used. Nothing finished is lost by any of these: what
/// the server holds is found by the next connection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrewError {
    /// The address, a name or a secret makes no sense, or is not safe.
    #[error("{0}")]
    Request(#[from] ConnectOptionsError),
    /// Nobody answers at the address.
    #[error(
        "no crew server at {url}: {why}; start one with `nats-server --jetstream` or see docs/crew.md"
    )]
    NoServer {
        /// The address.
        url: String,
        /// What the connection said.
        why: String,
    },
    /// The server is there, but the connection cannot be encrypted or trusted.
    #[error(
        "no encrypted connection to the crew server at {url}: {why}; `--crew-ca FILE` names the certificate the server has (docs/crew.md shows how one is made, for the names it is reached by)"
    )]
    NoTrust {
        /// The address.
        url: String,
        /// What is wrong with the certificate or the encryption.
        why: String,
    },
    /// The server does not know us.
    #[error("the crew server at {url} refused the secret; check the token, user or key: {why}")]
    AccessDenied {
        /// The address.
        url: String,
        /// What the server said.
        why: String,
    },
    /// The server was there, went away, and did not come back.
    #[error(
        "the crew server at {url} did not answer for {seconds} s: {why}; what it holds is found again when the work is resumed"
    )]
    Lost {
        /// The address.
        url: String,
        /// So long was waited.
        seconds: u64,
        /// What was tried.
        why: String,
    },
    /// The server answered, but not what is needed.
    #[error("the crew server cannot {what}: {why}")]
    Server {
        /// What was asked of it.
        what: String,
        /// What it said.
        why: String,
    },
    /// The coordinators at this server are of other versions.
    #[error(
        "this worker is version {ours}, but the crew at {url} works with version {theirs}; install that version here or update the coordinator"
    )]
    OtherVersion {
        /// The address.
        url: String,
        /// The version of this program.
        ours: String,
        /// The versions of the coordinators.
        theirs: String,
    },
    /// Another coordinator of this version uses the same queue with another lease.
    #[error(
        "the crew at {url} works with a lease of {theirs} s for another run of this version, and a lease of {ours} s was asked for; write `--crew-lease {theirs}`, or wait until that run is over"
    )]
    OtherLease {
        /// The address.
        url: String,
        /// What was asked for, in seconds.
        ours: f64,
        /// What the others work with, in seconds.
        theirs: f64,
    },
    /// The server cannot keep anything.
    #[error(
        "the crew server at {url} cannot keep jobs: it runs without JetStream; start it with `--jetstream`"
    )]
    NoJetStream {
        /// The address.
        url: String,
    },
    /// The server does not let us do something.
    #[error(
        "the crew server does not let us {what}: {why}; give this user the rights of docs/crew-server.conf"
    )]
    Forbidden {
        /// What was asked of it.
        what: String,
        /// What it said.
        why: String,
    },
    /// A run that the server holds nothing of.
    #[error(
        "the crew server at {url} holds nothing of a run `{run}`; {}",
        known(runs)
    )]
    UnknownRun {
        /// The address.
        url: String,
        /// What was asked for.
        run: String,
        /// The runs that it holds something of.
        runs: Vec<String>,
    },
    /// A run that somebody works on.
    #[error("run `{run}` is at work: its coordinator answers; stop it first")]
    AtWork {
        /// The run.
        run: String,
    },
    /// A job does not fit into a message.
    #[error(
        "job {job} takes {bytes} bytes, and the crew server takes {most}; move data into blobs or raise `max_payload`"
    )]
    TooLarge {
        /// The job.
        job: JobId,
        /// Its size on the wire.
        bytes: usize,
        /// What the server takes.
        most: usize,
    },
    /// A job names a blob that its coordinator does not have.
    #[error("job {job} needs blob {blob}, which its coordinator does not have")]
    NoBlob {
        /// The job.
        job: JobId,
        /// The blob.
        blob: BlobId,
    },
    /// Two jobs of a run have the same name.
    #[error("two jobs of run {run} have the same name: {job}")]
    SameId {
        /// The run.
        run: String,
        /// The name.
        job: JobId,
    },
    /// Jobs that do not end hold more threads than the worker can spare.
    #[error(
        "{abandoned} jobs neither end nor stop and hold their threads; start the worker again, and report the kind of job: {kinds}"
    )]
    Stuck {
        /// So many threads were given up.
        abandoned: usize,
        /// The kinds of the jobs.
        kinds: String,
    },
    /// Work that no worker can do.
    #[error(
        "the crew set job {job} aside{}: {why}; going on tries it again, and with `--dead-letters skip` the run does without what nobody can do",
        tried(*deliveries)
    )]
    DeadLetter {
        job: JobId,
        /// How often it was given to a worker.
        deliveries: u32,
        why: String,
    },
    /// A result that the task does not accept.
    #[error(
        "the answer of worker `{worker}` to job {job} makes no sense, also after it was done again: {reason}; stop that worker, and go on"
    )]
    InvalidResult {
        worker: String,
        job: JobId,
        reason: String,
    },
    /// Data that belongs to this machine.
    #[error("{reason}")]
    NotPortable { reason: String },
    /// A task that failed in this process.
    #[error("{reason}")]
    Task { reason: String },
    /// The names of a folder's jobs cannot be used.
    #[error(
        "`{path}` {reason}; remove it, and what the crew has not handed in yet is played again"
    )]
    JobNames { path: String, reason: String },
    /// The system refused something to this process.
    #[error("the system refused {what}: {why}")]
    System {
        /// What was asked.
        what: String,
        /// What it said.
        why: String,
    },
}

impl CrewError {
    /// The system refused `what` to this process.
    pub(crate) fn system(what: &str, error: impl std::fmt::Display) -> Self {
        Self::System {
            what: what.to_owned(),
            why: error.to_string(),
        }
    }

    /// Whether the request was wrong, as opposed to something having failed.
    pub fn is_wrong_request(&self) -> bool {
        matches!(
            self,
            Self::Request(_)
                | Self::NoServer { .. }
                | Self::NoTrust { .. }
                | Self::AccessDenied { .. }
                | Self::OtherVersion { .. }
                | Self::OtherLease { .. }
                | Self::NoJetStream { .. }
                | Self::Forbidden { .. }
                | Self::UnknownRun { .. }
                | Self::AtWork { .. }
                | Self::NotPortable { .. }
        )
    }
}

fn tried(deliveries: u32) -> String {
    match deliveries {
        0 | 1 => String::new(),
        times => format!(" after it was given out {times} times"),
    }
}

fn known(runs: &[String]) -> String {
    if runs.is_empty() {
        "there are no runs".to_owned()
    } else {
        format!("there are: {}", runs.join(", "))
    }
}

/// Why the work on items or jobs ended with an error.
#[derive(Debug, thiserror::Error)]
pub enum MapError<E> {
    /// The crew cannot do the work.
    #[error(transparent)]
    Work(#[from] CrewError),
    /// The caller could not take an outcome, which stays on the server.
    #[error(transparent)]
    Consumer(E),
}
