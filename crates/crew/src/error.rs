//! What can go wrong between a coordinator, a server and its workers.

/// Errors of the crew. None of them loses finished work: the next connection finds the data
/// on the server.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CrewError {
    #[error(
        "not the address of a crew server: {url}: {why}; write nats://127.0.0.1:4222 or tls://host:4222"
    )]
    Url { url: String, why: &'static str },
    #[error(
        "{url} is not this machine and not encrypted; write tls://… (see docs/crew.md), or use a loopback address"
    )]
    NotEncrypted { url: String },
    #[error("{url} is not this machine, so a token, a user or an NKey is required")]
    NoSecret { url: String },
    /// A file with a secret or a certificate.
    #[error("cannot use {path}: {why}")]
    File { path: String, why: String },
    /// A name that cannot be part of a subject.
    #[error("not a name for a {what}: {name:?}; 1 to 64 of a-z, 0-9 and - are")]
    Name { what: &'static str, name: String },
    #[error("not the name of a blob: {text:?}; 64 hexadecimal digits are")]
    BlobName { text: String },
    #[error("notice {id} takes {bytes} bytes, and the crew server takes {max}")]
    LargeRecord {
        id: String,
        bytes: usize,
        max: usize,
    },
    #[error(
        "no crew server at {url}: {why}; start one with `nats-server --jetstream` or see docs/crew.md"
    )]
    NoServer { url: String, why: String },
    /// The server is there, but the connection cannot be encrypted or trusted.
    #[error(
        "no encrypted connection to the crew server at {url}: {why}; `--crew-ca FILE` names the certificate the server has (docs/crew.md shows how one is made, for the names it is reached by)"
    )]
    NoTrust { url: String, why: String },
    #[error("the crew server at {url} refused the secret; check the token, user or key: {why}")]
    AccessDenied { url: String, why: String },
    /// The server was there and did not come back in time.
    #[error(
        "the crew server at {url} did not answer for {seconds} s: {why}; its data is found again when the work is resumed"
    )]
    Lost {
        url: String,
        seconds: u64,
        why: String,
    },
    #[error("the crew server cannot {what}: {why}")]
    Server { what: String, why: String },
    #[error(
        "this worker is version {ours}, but the crew at {url} works with version {theirs}; install that version here or update the coordinator"
    )]
    OtherVersion {
        url: String,
        ours: String,
        theirs: String,
    },
    /// Another coordinator of this version uses the queue with another lease; in seconds.
    #[error(
        "the crew at {url} works with a lease of {theirs} s for another run of this version, and a lease of {ours} s was asked for; write `--crew-lease {theirs}`, or wait until that run is over"
    )]
    OtherLease { url: String, ours: f64, theirs: f64 },
    #[error(
        "the crew server at {url} cannot keep jobs: it runs without JetStream; start it with `--jetstream`"
    )]
    NoJetStream { url: String },
    #[error(
        "the crew server does not let us {what}: {why}; give this user the rights of docs/crew-server.conf"
    )]
    Forbidden { what: String, why: String },
    #[error(
        "the crew server at {url} holds nothing of a run `{run}`; {}",
        known(runs)
    )]
    UnknownRun {
        url: String,
        run: String,
        runs: Vec<String>,
    },
    #[error("run `{run}` is active: its coordinator is connected; stop it first")]
    AtWork { run: String },
    #[error(
        "job {job} takes {bytes} bytes, and the crew server takes {max}; move data into blobs or raise `max_payload`"
    )]
    TooLarge {
        job: String,
        bytes: usize,
        max: usize,
    },
    #[error("job {job} needs blob {blob}, which its coordinator does not have")]
    NoBlob { job: String, blob: String },
    #[error("two jobs of run {run} have the same name: {job}")]
    SameId { run: String, job: String },
    /// Jobs that do not end hold more threads than the worker can spare.
    #[error(
        "{abandoned} jobs neither end nor stop and hold their threads; start the worker again, and report the kind of job: {kinds}"
    )]
    Stuck { abandoned: usize, kinds: String },
    #[error(
        "no worker could do job {job}{}: {why}; a resumed run tries it again, and with `--dead-letters skip` the run skips jobs that no worker can do",
        tried(*deliveries)
    )]
    DeadLetter {
        job: String,
        deliveries: u32,
        why: String,
    },
    #[error(
        "the result of worker `{worker}` for job {job} is invalid, also after retries: {reason}; stop that worker, and resume the run"
    )]
    InvalidResult {
        worker: String,
        job: String,
        reason: String,
    },
    /// Data that belongs to this machine.
    #[error("{reason}")]
    NotPortable { reason: String },
    /// A task that failed in this process.
    #[error("{reason}")]
    Task { reason: String },
    #[error("`{path}` {reason}; remove it, and results that were not taken yet are computed again")]
    JobNames { path: String, reason: String },
    #[error("the system refused {what}: {why}")]
    System { what: String, why: String },
}

impl CrewError {
    /// The system refused `what` to this process.
    pub(crate) fn system(what: &str, error: impl std::fmt::Display) -> Self {
        Self::System {
            what: what.to_owned(),
            why: error.to_string(),
        }
    }

    /// Whether the request was wrong, as opposed to a failure.
    pub fn is_wrong_request(&self) -> bool {
        matches!(
            self,
            Self::Url { .. }
                | Self::NotEncrypted { .. }
                | Self::NoSecret { .. }
                | Self::File { .. }
                | Self::Name { .. }
                | Self::BlobName { .. }
                | Self::LargeRecord { .. }
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
        times => format!(", which was delivered {times} times"),
    }
}

fn known(runs: &[String]) -> String {
    if runs.is_empty() {
        "there are no runs".to_owned()
    } else {
        format!("there are: {}", runs.join(", "))
    }
}

/// The error that ended the work on items or jobs.
#[derive(Debug, thiserror::Error)]
pub enum MapError<E> {
    /// The crew cannot do the work.
    #[error(transparent)]
    Work(#[from] CrewError),
    /// The caller could not take an outcome, which stays on the server.
    #[error(transparent)]
    Consumer(E),
}
