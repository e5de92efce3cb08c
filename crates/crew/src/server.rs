//! A connection that comes back, and waits that end.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{AckPolicy, Consumer, pull};
use async_nats::jetstream::context::GetStreamErrorKind;
use async_nats::jetstream::stream::{Config, ConsumerError, ConsumerErrorKind, Stream};
use async_nats::jetstream::{Context, ErrorCode, context};
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event};
use futures_util::StreamExt;
use tokio::sync::watch;

use crate::error::CrewError;
use crate::names::{self, Role};
use crate::options::{Options, Secret};
use crate::status::{Coordinator, read_all};

/// A server that is there answers within this.
const ANSWER: Duration = Duration::from_secs(5);
/// So long a first connection may take, the making of streams included.
const WELCOME: Duration = Duration::from_secs(15);
/// So long everybody has to answer a question to all.
pub(crate) const ROLL_CALL_TIME: Duration = Duration::from_millis(300);
/// Reconnecting and trying again begin with this and double up to that.
const SOONEST: Duration = Duration::from_millis(50);
const LATEST: Duration = Duration::from_secs(2);

/// More of both than there can be hands.
const MOST_WAITING: i64 = 16_384;
const MOST_AT_WORK: i64 = 65_536;

/// The server's words for a second message of a subject that takes one; the number
/// it gives is that of every message it could not store.
const SUBJECT_TAKEN: &str = "maximum messages per subject exceeded";

/// A connection to the server.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub(crate) client: Client,
    pub(crate) streams: Context,
    /// Odd while the server is away; it grows each time that changes.
    pub(crate) changes: watch::Receiver<u64>,
    url: Arc<str>,
    patience: Duration,
    complaint: Arc<Mutex<Option<String>>>,
}

pub(crate) fn back_off(attempts: usize) -> Duration {
    LATEST.min(SOONEST * 2_u32.pow(attempts.min(10) as u32))
}

impl Server {
    pub(crate) async fn connect(
        options: &Options,
        role: Role,
        name: &str,
    ) -> Result<Self, CrewError> {
        let (sender, changes) = watch::channel(0);
        let complaint = Arc::new(Mutex::new(None));
        let said = Arc::clone(&complaint);
        let mut connect = ConnectOptions::new()
            .name(name)
            .custom_inbox_prefix(role.inbox())
            .connection_timeout(ANSWER)
            .request_timeout(Some(ANSWER))
            // Only the address that was checked; not what a server tells of others.
            .ignore_discovered_servers()
            .require_tls(options.encrypted())
            .reconnect_delay_callback(back_off)
            .event_callback(move |event| {
                match event {
                    // The first connection is no change.
                    Event::Connected => sender.send_if_modified(|count| {
                        let back = *count % 2 == 1;
                        *count += u64::from(back);
                        back
                    }),
                    Event::Disconnected => sender.send_if_modified(|count| {
                        let gone = *count % 2 == 0;
                        *count += u64::from(gone);
                        gone
                    }),
                    Event::ServerError(error) => {
                        *said.lock().unwrap_or_else(PoisonError::into_inner) =
                            Some(error.to_string());
                        false
                    }
                    _ => false,
                };
                async {}
            });
        if let Some(path) = options.ca() {
            connect = connect.add_root_certificates(path.to_owned());
        }
        connect = match options.secret().cloned() {
            None => connect,
            Some(Secret::Token(token)) => connect.token(token),
            Some(Secret::User(name, password)) => connect.user_and_password(name, password),
            Some(Secret::NKey(seed)) => connect.nkey(seed),
        };
        let url = options.url();
        let client = match tokio::time::timeout(WELCOME, connect.connect(url)).await {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => {
                let (url, why) = (url.to_owned(), full(&error));
                return Err(match error.kind() {
                    ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                        CrewError::Refused { url, why }
                    }
                    ConnectErrorKind::Tls => CrewError::NoTrust { url, why },
                    _ if is_distrust(&error) => CrewError::NoTrust { url, why },
                    _ => CrewError::NoServer { url, why },
                });
            }
            Err(_) => {
                return Err(CrewError::NoServer {
                    url: url.to_owned(),
                    why: "it does not answer".to_owned(),
                });
            }
        };
        if !client.server_info().jetstream {
            return Err(CrewError::NoJetStream {
                url: url.to_owned(),
            });
        }
        let streams = context::ContextBuilder::new()
            .timeout(ANSWER)
            .ack_timeout(ANSWER)
            .build(client.clone());
        Ok(Self {
            client,
            streams,
            changes,
            url: url.into(),
            patience: options.patience,
            complaint,
        })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn away(&self) -> bool {
        *self.changes.borrow() % 2 == 1
    }

    /// Tries until it succeeds or the patience is over.
    pub(crate) async fn persist<T, E: std::error::Error, F: Future<Output = Result<T, E>>>(
        &self,
        what: &str,
        attempt: impl FnMut() -> F,
    ) -> Result<T, CrewError> {
        self.persist_for(self.patience, what, attempt).await
    }

    async fn persist_for<T, E: std::error::Error, F: Future<Output = Result<T, E>>>(
        &self,
        patience: Duration,
        what: &str,
        mut attempt: impl FnMut() -> F,
    ) -> Result<T, CrewError> {
        let begun = Instant::now();
        self.complaint().take();
        for attempts in 0.. {
            // Whatever happens inside, an attempt ends.
            let why = match tokio::time::timeout(4 * ANSWER, attempt()).await {
                Ok(Ok(value)) => return Ok(value),
                Ok(Err(error)) => full(&error),
                Err(_) => "no answer".to_owned(),
            };
            if self.forbids() || begun.elapsed() >= patience {
                return Err(self.lost(what, why, begun.elapsed()));
            }
            tokio::time::sleep(back_off(attempts)).await;
        }
        unreachable!("the loop has no end")
    }

    fn complaint(&self) -> MutexGuard<'_, Option<String>> {
        self.complaint
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the server said that we may not do what we do.
    pub(crate) fn forbids(&self) -> bool {
        self.complaint().as_deref().is_some_and(is_forbidden)
    }

    /// What to say when something did not succeed for so long.
    pub(crate) fn lost(&self, what: &str, why: String, waited: Duration) -> CrewError {
        let complaint = self.complaint().clone();
        if let Some(said) = complaint.filter(|said| is_forbidden(said)) {
            return CrewError::Forbidden {
                what: what.to_owned(),
                why: said,
            };
        }
        if self.away() || why == "no answer" {
            CrewError::Lost {
                url: self.url.to_string(),
                seconds: waited.as_secs(),
                why: format!("it was to {what}: {why}"),
            }
        } else {
            CrewError::Server {
                what: what.to_owned(),
                why,
            }
        }
    }

    /// The stream of this name, made where there is none. One that is there stays
    /// as its owner made it.
    pub(crate) async fn stream(&self, config: Config) -> Result<Stream, CrewError> {
        let what = format!("keep the stream {}", config.name);
        self.persist_for(WELCOME, &what, || async {
            self.streams.get_or_create_stream(config.clone()).await
        })
        .await
    }

    /// The lease of the consumer that all workers of a version share, if there is one.
    async fn lease(&self, token: &str) -> Result<Option<Duration>, CrewError> {
        let name = names::workers(token);
        let found = self.persist_for(WELCOME, "show the queue of jobs", || async {
            let found = self.streams.get_consumer_from_stream(&name, names::JOBS);
            match found.await {
                Ok(queue) => {
                    let queue: Consumer<pull::Config> = queue;
                    Ok(Some(queue.cached_info().config.ack_wait))
                }
                Err(error) if is_not_found(&error) => Ok(None),
                Err(error) => Err(error),
            }
        });
        found.await
    }

    /// Sees to it that the queue of this version has this lease: all its runs share it,
    /// so that it is changed only where no other coordinator is there.
    pub(crate) async fn agree_on_lease(
        &self,
        program: &str,
        lease: Duration,
    ) -> Result<(), CrewError> {
        let token = names::token(program);
        let Some(theirs) = self.lease(&token).await?.filter(|theirs| *theirs != lease) else {
            return Ok(());
        };
        let answers = self.ask_all(names::COORDINATORS).await?;
        let others: Vec<Coordinator> = read_all(&answers);
        if others.iter().any(|other| other.program == program) {
            return Err(CrewError::OtherLease {
                url: self.url.to_string(),
                ours: lease.as_secs_f64(),
                theirs: theirs.as_secs_f64(),
            });
        }
        self.put_workers(&token, lease).await
    }

    /// What tells the server's process from an earlier one at the same address.
    pub(crate) fn life(&self) -> String {
        self.client.server_info().server_id
    }

    /// The consumer that all workers of a version share, made where there is none.
    ///
    /// A server that is killed while a stream is empty may count its messages from 1 again
    /// (2.9.10 does), and a consumer that has seen more of them than there are never gives
    /// out one of the new: it is made anew, and so it is after a restart, when it cannot
    /// be seen any more that there was one. What is being worked on may then be done twice.
    pub(crate) async fn make_workers(
        &self,
        token: &str,
        lease: Duration,
        restarted: bool,
    ) -> Result<(), CrewError> {
        let name = names::workers(token);
        if restarted || self.is_beyond(&name, names::JOBS).await {
            self.remove_consumer(&name, names::JOBS).await;
        }
        match self.lease(token).await? {
            Some(_) => Ok(()),
            None => self.put_workers(token, lease).await,
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

    /// There may be none; then all is well, too.
    pub(crate) async fn remove_consumer(&self, name: &str, stream: &str) {
        let removed = self.streams.delete_consumer_from_stream(name, stream);
        let _ = removed.await;
    }

    /// Makes the consumer, or gives it this lease.
    async fn put_workers(&self, token: &str, lease: Duration) -> Result<(), CrewError> {
        let config = pull::Config {
            durable_name: Some(names::workers(token)),
            filter_subject: names::jobs_for(token),
            ack_policy: AckPolicy::Explicit,
            ack_wait: lease,
            max_waiting: MOST_WAITING,
            max_ack_pending: MOST_AT_WORK,
            ..pull::Config::default()
        };
        self.persist_for(WELCOME, "keep the queue of jobs", || async {
            let made = self
                .streams
                .create_consumer_on_stream(config.clone(), names::JOBS);
            made.await.map(|_: Consumer<pull::Config>| ())
        })
        .await
    }

    pub(crate) async fn has_stream(&self, name: &str) -> Result<bool, CrewError> {
        self.persist_for(WELCOME, &format!("show the stream {name}"), || async {
            match self.streams.get_stream(name).await {
                Ok(_) => Ok(true),
                Err(error) => match error.kind() {
                    GetStreamErrorKind::JetStream(said)
                        if said.error_code() == ErrorCode::STREAM_NOT_FOUND =>
                    {
                        Ok(false)
                    }
                    _ => Err(error),
                },
            }
        })
        .await
    }

    /// How many messages a stream holds of each subject that fits.
    pub(crate) async fn subjects(
        &self,
        stream: &str,
        filter: &str,
    ) -> Result<Vec<(String, usize)>, CrewError> {
        self.persist(&format!("list {filter}"), || async {
            let stream = self.streams.get_stream_no_info(stream).await.map_err(any)?;
            // To be left alone after its first error: it panics if asked again.
            let mut list = stream.info_with_subjects(filter).await.map_err(any)?;
            let mut subjects = Vec::new();
            while let Some(subject) = list.next().await {
                subjects.push(subject.map_err(any)?);
            }
            Ok::<_, Any>(subjects)
        })
        .await
    }

    /// Stores a message. A second of a subject that takes one is as good as the first.
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

    /// Removes what a stream holds of the subjects that fit.
    pub(crate) async fn purge(&self, stream: &str, filter: &str) -> Result<(), CrewError> {
        self.persist(&format!("remove {filter}"), || async {
            let stream = self.streams.get_stream_no_info(stream).await.map_err(any)?;
            stream.purge().filter(filter).await.map(|_| ()).map_err(any)
        })
        .await
    }

    /// Asks all who listen, and gives back what they said in time.
    pub(crate) async fn ask_all(&self, subject: &'static str) -> Result<Vec<Vec<u8>>, CrewError> {
        self.persist(&format!("ask {subject}"), || async {
            let inbox = self.client.new_inbox();
            let answers = self.client.subscribe(inbox.clone()).await.map_err(any)?;
            let asked = self.client.publish_with_reply(subject, inbox, "".into());
            asked.await.map_err(any)?;
            let over = tokio::time::sleep(ROLL_CALL_TIME);
            let answers = answers.take_until(over);
            // Where nobody listens the server answers with an empty message.
            let heard = answers.filter(|answer| {
                let said = !answer.payload.is_empty();
                async move { said }
            });
            Ok::<_, Any>(heard.map(|answer| answer.payload.to_vec()).collect().await)
        })
        .await
    }
}

/// Whether there is no such consumer, or no stream that it could belong to.
pub(crate) fn is_not_found(error: &ConsumerError) -> bool {
    let ConsumerErrorKind::JetStream(error) = error.kind() else {
        return false;
    };
    [ErrorCode::CONSUMER_NOT_FOUND, ErrorCode::STREAM_NOT_FOUND].contains(&error.error_code())
}

/// Whether the server refused because the subject has its message.
pub(crate) fn is_taken(error: &context::PublishError) -> bool {
    full(error).contains(SUBJECT_TAKEN)
}

/// A forbidden request is not answered, and the server only says so aside.
fn is_forbidden(said: &str) -> bool {
    said.to_lowercase().contains("permissions violation")
}

/// Whether the two could not agree on a certificate: a connection reports it as data
/// that makes no sense.
fn is_distrust(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    causes.any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.kind() == std::io::ErrorKind::InvalidData)
    })
}

/// An error of any kind, with all that it says.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Any(String);

pub(crate) fn any(error: impl std::error::Error) -> Any {
    Any(full(&error))
}

/// An error and what caused it, without saying anything twice.
pub(crate) fn full(error: &dyn std::error::Error) -> String {
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
