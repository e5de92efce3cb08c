//! The connection to the server: reconnects, retries, and bounds every wait.

use std::future::ready;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{AckPolicy, Consumer, pull};
use async_nats::jetstream::context::{self, GetStreamError, GetStreamErrorKind};
use async_nats::jetstream::stream::{
    Config, ConsumerError, ConsumerErrorKind, LastRawMessageErrorKind, Stream,
};
use async_nats::jetstream::{Context, ErrorCode};
use async_nats::{Client, ConnectErrorKind, Event};
use futures_util::{StreamExt, TryStreamExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use crate::error::CrewError;
use crate::lock::lock;
use crate::options::{ConnectOptions, Secret};
use crate::presence::{CoordinatorStatus, WorkerStatus};
use crate::subjects as names;

const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// Time limit of the first connection and of requests for streams.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// Time in which replies to a request for all are collected.
const REPLY_WINDOW: Duration = Duration::from_millis(300);
/// Delays between retries double from the minimum to the maximum.
const MIN_BACKOFF: Duration = Duration::from_millis(50);
const MAX_BACKOFF: Duration = Duration::from_secs(2);

/// Messages that are removed at the same time.
const MAX_REMOVALS: usize = 64;

/// More of both than there can be slots.
const MAX_WAITING: i64 = 16_384;
const MAX_ACK_PENDING: i64 = 65_536;

/// The server's error for a second message of a subject that takes one; its error code is
/// shared by all messages that it could not store.
const SUBJECT_TAKEN: &str = "maximum messages per subject exceeded";

#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub(crate) client: Client,
    pub(crate) streams: Context,
    /// Odd while disconnected; incremented at each change.
    pub(crate) changes: watch::Receiver<u64>,
    url: Arc<str>,
    /// The work ends with an error if the server is away for longer.
    pub(crate) timeout: Duration,
    coordinator_timeout: Duration,
    /// The last error that the server reported by itself.
    reported: Arc<Mutex<Option<String>>>,
}

/// Poll interval of a stop flag; short, so that Ctrl-C responds quickly.
pub(crate) const STOP_POLL_INTERVAL: Duration = Duration::from_millis(50);

pub(crate) async fn until(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(STOP_POLL_INTERVAL).await;
    }
}

/// A runtime on the calling thread.
pub(crate) fn local_runtime() -> Result<Runtime, CrewError> {
    let built = Builder::new_current_thread().enable_all().build();
    built.map_err(|error| CrewError::system("an event loop", error))
}

/// A runtime with one thread of its own.
pub(crate) fn background_runtime(thread: &str) -> Result<Runtime, CrewError> {
    let built = Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name(thread)
        .enable_all()
        .build();
    built.map_err(|error| CrewError::system(&format!("a thread for {thread}"), error))
}

pub(crate) fn back_off(attempts: usize) -> Duration {
    exponential_backoff(MIN_BACKOFF, MAX_BACKOFF, attempts as u32)
}

/// `first` · 2^`doublings`, at most `last`.
pub(crate) fn exponential_backoff(first: Duration, last: Duration, doublings: u32) -> Duration {
    last.min(first * 2_u32.pow(doublings.min(16)))
}

impl Server {
    pub(crate) async fn connect(
        options: &ConnectOptions,
        inbox: &str,
        name: &str,
    ) -> Result<Self, CrewError> {
        let (sender, changes) = watch::channel(0);
        let reported = Arc::new(Mutex::new(None));
        let last_error = Arc::clone(&reported);
        let mut connect = async_nats::ConnectOptions::new()
            .name(name)
            .custom_inbox_prefix(inbox)
            .connection_timeout(REQUEST_TIMEOUT)
            .request_timeout(Some(REQUEST_TIMEOUT))
            // Only the address that was checked, not those that the server advertises.
            .ignore_discovered_servers()
            .require_tls(options.encrypted)
            .reconnect_delay_callback(back_off)
            .event_callback(move |event| {
                let connected = match event {
                    Event::Connected => true,
                    Event::Disconnected => false,
                    Event::ServerError(error) => {
                        *lock(&last_error) = Some(error.to_string());
                        return ready(());
                    }
                    _ => return ready(()),
                };
                // The first connection is not a change.
                sender.send_if_modified(|count| {
                    let was_connected = *count % 2 == 0;
                    *count += u64::from(connected != was_connected);
                    connected != was_connected
                });
                ready(())
            });
        if let Some(path) = &options.ca {
            connect = connect.add_root_certificates(path.clone());
        }
        connect = match options.secret.clone() {
            None => connect,
            Some(Secret::Token(token)) => connect.token(token),
            Some(Secret::User(name, password)) => connect.user_and_password(name, password),
            Some(Secret::NKey(seed)) => connect.nkey(seed),
        };
        let url = options.url().to_owned();
        let client = match tokio::time::timeout(CONNECT_TIMEOUT, connect.connect(&url)).await {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => {
                let why = error_chain(&error);
                return Err(match error.kind() {
                    ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                        CrewError::AccessDenied { url, why }
                    }
                    ConnectErrorKind::Tls => CrewError::NoTrust { url, why },
                    _ if is_distrust(&error) => CrewError::NoTrust { url, why },
                    _ => CrewError::NoServer { url, why },
                });
            }
            Err(_) => {
                let why = "it does not answer".to_owned();
                return Err(CrewError::NoServer { url, why });
            }
        };
        if !client.server_info().jetstream {
            return Err(CrewError::NoJetStream { url });
        }
        let streams = context::ContextBuilder::new()
            .timeout(REQUEST_TIMEOUT)
            .ack_timeout(REQUEST_TIMEOUT)
            .build(client.clone());
        Ok(Self {
            client,
            streams,
            changes,
            url: url.into(),
            timeout: options.server_timeout,
            coordinator_timeout: options.coordinator_timeout,
            reported,
        })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn is_disconnected(&self) -> bool {
        *self.changes.borrow() % 2 == 1
    }

    /// Retries until it succeeds or the time limit has passed.
    pub(crate) async fn persist<T, E: Into<BoxedError>, F: Future<Output = Result<T, E>>>(
        &self,
        what: &str,
        attempt: impl FnMut() -> F,
    ) -> Result<T, CrewError> {
        self.persist_for(self.timeout, what, attempt).await
    }

    async fn persist_for<T, E: Into<BoxedError>, F: Future<Output = Result<T, E>>>(
        &self,
        timeout: Duration,
        what: &str,
        mut attempt: impl FnMut() -> F,
    ) -> Result<T, CrewError> {
        let begun = Instant::now();
        lock(&self.reported).take();
        let mut attempts = 0;
        loop {
            // Each attempt has a time limit of its own.
            let why = match tokio::time::timeout(4 * REQUEST_TIMEOUT, attempt()).await {
                Ok(Ok(value)) => return Ok(value),
                Ok(Err(error)) => error_chain(&*error.into()),
                Err(_) => "no answer".to_owned(),
            };
            if self.forbidden().is_some() || begun.elapsed() >= timeout {
                return Err(self.connection_lost(what, why, begun.elapsed()));
            }
            tokio::time::sleep(back_off(attempts)).await;
            attempts += 1;
        }
    }

    /// The report of the server, if a permission is missing. A forbidden request gets no reply.
    pub(crate) fn forbidden(&self) -> Option<String> {
        let reported = lock(&self.reported).clone();
        reported.filter(|text| text.to_lowercase().contains("permissions violation"))
    }

    /// The error after an attempt that did not succeed in time.
    pub(crate) fn connection_lost(&self, what: &str, why: String, waited: Duration) -> CrewError {
        let what = what.to_owned();
        if let Some(why) = self.forbidden() {
            return CrewError::Forbidden { what, why };
        }
        if self.is_disconnected() || why == "no answer" {
            CrewError::Lost {
                url: self.url.to_string(),
                seconds: waited.as_secs(),
                why: format!("it was to {what}: {why}"),
            }
        } else {
            CrewError::Server { what, why }
        }
    }

    /// The stream of this name, created if it is missing. An existing one keeps its
    /// configuration.
    pub(crate) async fn stream(&self, config: Config) -> Result<Stream, CrewError> {
        let what = format!("keep the stream {}", config.name);
        self.persist_for(CONNECT_TIMEOUT, &what, || async {
            self.streams.get_or_create_stream(config.clone()).await
        })
        .await
    }

    /// The consumer that all workers of a version share, if a coordinator has created it.
    pub(crate) async fn queue(
        &self,
        token: &str,
        timeout: Duration,
    ) -> Result<Option<Consumer<pull::Config>>, CrewError> {
        let name = names::workers(token);
        self.persist_for(timeout, "show the queue of jobs", || async {
            let found = self.streams.get_consumer_from_stream(&name, names::JOBS);
            match found.await {
                Ok(queue) => Ok(Some(queue)),
                Err(error) if is_not_found(&error) => Ok(None),
                Err(error) => Err(error),
            }
        })
        .await
    }

    /// Sets the lease of the queue of this version. All its runs share it, so it is changed only
    /// if no other coordinator is there.
    pub(crate) async fn ensure_lease(
        &self,
        program: &str,
        lease: Duration,
    ) -> Result<(), CrewError> {
        let token = names::token(program);
        let queue = self.queue(&token, CONNECT_TIMEOUT).await?;
        let theirs = queue.map(|queue| queue.cached_info().config.ack_wait);
        let Some(theirs) = theirs.filter(|theirs| *theirs != lease) else {
            return Ok(());
        };
        let ours = |other: &CoordinatorStatus| other.program == program;
        if self.coordinators(ours).await?.iter().any(ours) {
            return Err(CrewError::OtherLease {
                url: self.url.to_string(),
                ours: lease.as_secs_f64(),
                theirs: theirs.as_secs_f64(),
            });
        }
        self.put_consumer(&token, lease).await
    }

    /// Distinguishes the process of the server from an earlier one at the same address.
    pub(crate) fn server_instance(&self) -> String {
        self.client.server_info().server_id
    }

    /// The consumer that all workers of a version share, created if it is missing.
    ///
    /// A server that is killed while a stream is empty may count its messages from 1 again
    /// (2.9.10 does), and a consumer that has seen higher numbers never delivers the new
    /// messages. Such a consumer is created again; so is every consumer after a restart, when
    /// this cannot be seen any more. Running jobs may then be done twice.
    pub(crate) async fn ensure_consumer(
        &self,
        token: &str,
        lease: Duration,
        restarted: bool,
    ) -> Result<(), CrewError> {
        let name = names::workers(token);
        if restarted || self.is_beyond(&name, names::JOBS).await {
            self.remove_consumer(&name, names::JOBS).await;
        }
        match self.queue(token, CONNECT_TIMEOUT).await? {
            Some(_) => Ok(()),
            None => self.put_consumer(token, lease).await,
        }
    }

    /// Whether a consumer has seen more messages than its stream ever had.
    async fn is_beyond(&self, name: &str, stream: &str) -> bool {
        let consumer = self.streams.get_consumer_from_stream(name, stream).await;
        let consumer: Result<Consumer<pull::Config>, _> = consumer;
        // In this order, as the stream only grows.
        let stream = self.streams.get_stream(stream).await;
        let (Ok(consumer), Ok(stream)) = (consumer, stream) else {
            return false;
        };
        let seen = consumer.cached_info().delivered.stream_sequence;
        seen > stream.cached_info().state.last_sequence
    }

    /// A missing consumer is not an error.
    pub(crate) async fn remove_consumer(&self, name: &str, stream: &str) {
        let removed = self.streams.delete_consumer_from_stream(name, stream);
        let _ = removed.await;
    }

    /// Creates the consumer, or sets its lease.
    async fn put_consumer(&self, token: &str, lease: Duration) -> Result<(), CrewError> {
        let config = pull::Config {
            durable_name: Some(names::workers(token)),
            filter_subject: names::jobs_for(token),
            ack_policy: AckPolicy::Explicit,
            ack_wait: lease,
            max_waiting: MAX_WAITING,
            max_ack_pending: MAX_ACK_PENDING,
            ..pull::Config::default()
        };
        self.persist_for(CONNECT_TIMEOUT, "keep the queue of jobs", || async {
            let made = self
                .streams
                .create_consumer_on_stream(config.clone(), names::JOBS);
            made.await.map(|_: Consumer<pull::Config>| ())
        })
        .await
    }

    /// The number of messages of each subject in a stream, which may be missing.
    pub(crate) async fn subjects(
        &self,
        stream: &str,
        filter: &str,
    ) -> Result<Vec<(String, usize)>, CrewError> {
        self.persist(&format!("list {filter}"), || async {
            let stream = match self.streams.get_stream(stream).await {
                Ok(stream) => stream,
                Err(error) if is_missing(&error) => return Ok(Vec::new()),
                Err(error) => return Err(error.into()),
            };
            // Not polled after its first error: it would panic.
            let mut list = stream.info_with_subjects(filter).await?;
            let mut subjects = Vec::new();
            while let Some(subject) = list.next().await {
                subjects.push(subject?);
            }
            Ok::<_, BoxedError>(subjects)
        })
        .await
    }

    /// Stores a message. A duplicate of a subject that takes one counts as stored.
    pub(crate) async fn store(&self, subject: &str, payload: Vec<u8>) -> Result<u64, CrewError> {
        let payload = bytes::Bytes::from(payload);
        self.persist(&format!("store {subject}"), || async {
            let sent = self
                .streams
                .publish(subject.to_owned(), payload.clone())
                .await;
            match async { sent?.await }.await {
                Ok(stored) => Ok(stored.sequence),
                Err(error) if is_taken(&error) => Ok(0),
                Err(error) => Err(error),
            }
        })
        .await
    }

    /// Removes all messages of some subjects from a stream without consumers, also several of
    /// one subject: after the last of them was deleted alone, server 2.9.10 does not find the
    /// others.
    pub(crate) async fn purge(&self, stream: &str, filter: &str) -> Result<(), CrewError> {
        if self.subjects(stream, filter).await?.is_empty() {
            return Ok(());
        }
        self.persist(&format!("remove {filter}"), || async {
            let stream = self.streams.get_stream_no_info(stream).await?;
            stream.purge().filter(filter).await?;
            Ok::<_, BoxedError>(())
        })
        .await
    }

    /// Removes all messages of some subjects from a stream with consumers, one by one: after
    /// a purge with a filter, servers before 2.9.12 never deliver the messages that other
    /// subjects have in the stream at that time (nats-server pull request 3838).
    pub(crate) async fn remove_messages(
        &self,
        stream: &str,
        filter: &str,
    ) -> Result<(), CrewError> {
        let subjects = self.subjects(stream, filter).await?;
        if subjects.is_empty() {
            return Ok(());
        }
        self.persist(&format!("remove {filter}"), || async {
            let stream = self.streams.get_stream_no_info(stream).await?;
            let subjects = futures_util::stream::iter(&subjects).map(Ok::<_, BoxedError>);
            let removed = subjects.try_for_each_concurrent(MAX_REMOVALS, |(subject, count)| {
                remove_last(&stream, subject, *count)
            });
            removed.await
        })
        .await
    }

    /// The present coordinators. One that is busy may reply late, so the request is repeated if
    /// none of them is `wanted`.
    pub(crate) async fn coordinators(
        &self,
        wanted: impl Fn(&CoordinatorStatus) -> bool,
    ) -> Result<Vec<CoordinatorStatus>, CrewError> {
        let begun = Instant::now();
        loop {
            let there = self.request_many(names::COORDINATORS).await?;
            if there.iter().any(&wanted) || begun.elapsed() >= self.coordinator_timeout {
                return Ok(there);
            }
        }
    }

    /// The present workers, by name.
    pub(crate) async fn workers(&self) -> Result<Vec<WorkerStatus>, CrewError> {
        let mut workers: Vec<WorkerStatus> = self.request_many(names::ROLL_CALL).await?;
        workers.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(workers)
    }

    /// Sends a request to all subscribers and collects the replies that arrive in time and can
    /// be read.
    pub(crate) async fn request_many<T: DeserializeOwned>(
        &self,
        subject: &'static str,
    ) -> Result<Vec<T>, CrewError> {
        self.persist(&format!("ask {subject}"), || async {
            let inbox = self.client.new_inbox();
            let replies = self.client.subscribe(inbox.clone()).await?;
            let asked = self.client.publish_with_reply(subject, inbox, "".into());
            asked.await?;
            let replies = replies.take_until(tokio::time::sleep(REPLY_WINDOW));
            // Without subscribers the server replies with an empty message.
            let read =
                replies.filter_map(async |reply| serde_json::from_slice(&reply.payload).ok());
            Ok::<_, BoxedError>(read.collect().await)
        })
        .await
    }

    /// Replies to requests with the present status; ends when the client is closed.
    pub(crate) async fn reply<T: Serialize>(
        &self,
        subject: &'static str,
        status: impl Fn() -> T + Send,
    ) {
        let Ok(mut requests) = self.client.subscribe(subject).await else {
            return;
        };
        while let Some(request) = requests.next().await {
            let Some(inbox) = request.reply else {
                continue;
            };
            let status = serde_json::to_vec(&status()).expect("a status is plain data");
            let _ = self.client.publish(inbox, status.into()).await;
        }
    }

    /// Calls `report` when the server disconnects (`true`) and returns (`false`); ends when the
    /// client is closed.
    pub(crate) async fn watch_connection(&self, report: impl Fn(bool) + Send) {
        let mut changes = self.changes.clone();
        while changes.changed().await.is_ok() {
            report(self.is_disconnected());
        }
    }
}

/// Removes the last messages of a subject.
async fn remove_last(stream: &Stream<()>, subject: &str, count: usize) -> Result<(), BoxedError> {
    for _ in 0..count {
        match stream.get_last_raw_message_by_subject(subject).await {
            Ok(message) => {
                // It may be gone by now: acknowledged by its receiver.
                let _ = stream.delete_message(message.sequence).await;
            }
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Whether the consumer, or its stream, does not exist.
fn is_not_found(error: &ConsumerError) -> bool {
    let missing = [ErrorCode::CONSUMER_NOT_FOUND, ErrorCode::STREAM_NOT_FOUND];
    matches!(error.kind(), ConsumerErrorKind::JetStream(error) if missing.contains(&error.error_code()))
}

fn is_missing(error: &GetStreamError) -> bool {
    let missing = ErrorCode::STREAM_NOT_FOUND;
    matches!(error.kind(), GetStreamErrorKind::JetStream(error) if error.error_code() == missing)
}

/// Whether the server refused a duplicate.
pub(crate) fn is_taken(error: &context::PublishError) -> bool {
    error_chain(error).contains(SUBJECT_TAKEN)
}

/// Whether the certificates do not fit: the connection reports that as invalid data.
fn is_distrust(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    causes.any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.kind() == std::io::ErrorKind::InvalidData)
    })
}

pub(crate) type BoxedError = Box<dyn std::error::Error + Send + Sync>;

/// An error with its causes, without repetitions.
pub(crate) fn error_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}
