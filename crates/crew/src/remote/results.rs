//! The results of a run, as they arrive.

use std::time::Duration;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::{AckPolicy, Consumer, pull};
use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::error::CrewError;
use crate::server::{BoxedError, Server};
use crate::subjects as names;

/// Results requested at once, and buffered here.
const BATCH: usize = 64;
const PULL_TIMEOUT: Duration = Duration::from_secs(20);
/// Results that were delivered and not removed yet, early ones among them.
const MAX_PENDING: i64 = 65_536;

pub(crate) struct Results {
    server: Server,
    run: String,
    /// The results as they arrive, or the error that ends the work.
    pub(crate) arrived: mpsc::Receiver<Result<Message, CrewError>>,
    /// Aborted when it is dropped.
    pump: JoinSet<()>,
}

impl Results {
    /// Requests all results of a run on the server. Results that an earlier process received
    /// and did not remove are delivered again at once, because the consumer is new.
    pub(crate) async fn open(
        server: &Server,
        run: &str,
        lease: Duration,
    ) -> Result<Self, CrewError> {
        let config = pull::Config {
            durable_name: Some(names::coordinator(run)),
            filter_subject: names::results_of(run),
            ack_policy: AckPolicy::Explicit,
            ack_wait: lease,
            max_ack_pending: MAX_PENDING,
            ..pull::Config::default()
        };
        remove(server, run).await;
        consumer(server, &config).await?;
        let (sender, arrived) = mpsc::channel(BATCH);
        let mut results = Self {
            server: server.clone(),
            run: run.to_owned(),
            arrived,
            pump: JoinSet::new(),
        };
        let pump = pump(server.clone(), run.to_owned(), config, sender);
        results.pump.spawn(pump);
        Ok(results)
    }

    /// Whether there are results that were not read yet.
    pub(crate) async fn unread(&self) -> Result<bool, CrewError> {
        let info = self.server.persist("count the results", || async {
            let name = names::coordinator(&self.run);
            let streams = &self.server.streams;
            let consumer = streams.get_consumer_from_stream(name, names::RESULTS);
            let consumer: Consumer<pull::Config> = consumer.await?;
            Ok::<_, BoxedError>(consumer.cached_info().num_pending)
        });
        Ok(info.await? > 0 || !self.arrived.is_empty())
    }

    pub(crate) fn close(&mut self) {
        self.pump.abort_all();
    }

    /// Removes the consumer at the end.
    pub(crate) async fn remove(&self) {
        remove(&self.server, &self.run).await;
    }
}

async fn remove(server: &Server, run: &str) {
    let name = names::coordinator(run);
    server.remove_consumer(&name, names::RESULTS).await;
}

async fn consumer(
    server: &Server,
    config: &pull::Config,
) -> Result<Consumer<pull::Config>, CrewError> {
    let made = server.persist("give results", || {
        let streams = &server.streams;
        streams.create_consumer_on_stream(config.clone(), names::RESULTS)
    });
    made.await
}

/// Requests results until the receiver is closed.
async fn pump(
    server: Server,
    run: String,
    config: pull::Config,
    sender: mpsc::Sender<Result<Message, CrewError>>,
) {
    let mut instance = server.server_instance();
    loop {
        // Created again if the server has lost it.
        let consumer = match consumer(&server, &config).await {
            Ok(consumer) => consumer,
            Err(error) => {
                let _ = sender.send(Err(error)).await;
                return;
            }
        };
        // A restarted server may count results from 1 again, and this consumer would wait for
        // sequence numbers beyond what it has seen.
        let now = server.server_instance();
        if std::mem::replace(&mut instance, now.clone()) != now {
            remove(&server, &run).await;
            continue;
        }
        let mut changes = server.changes.clone();
        changes.mark_unchanged();
        // After a disconnect the server has lost the request.
        tokio::select! {
            _ = pull(&consumer, &sender) => {}
            _ = changes.changed() => {}
        }
        if sender.is_closed() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Requests results until an error, or the receiver is closed.
async fn pull(
    consumer: &Consumer<pull::Config>,
    sender: &mpsc::Sender<Result<Message, CrewError>>,
) -> Option<()> {
    loop {
        let batch = consumer.batch().max_messages(BATCH).expires(PULL_TIMEOUT);
        let mut batch = batch.messages().await.ok()?;
        while let Some(message) = batch.next().await {
            sender.send(Ok(message.ok()?)).await.ok()?;
        }
    }
}

/// Removes a result from the server. If that fails it arrives again, and counts as a
/// duplicate.
pub(super) async fn discard(message: &Message) {
    let _ = message.ack().await;
}
