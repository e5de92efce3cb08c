//! The results of a run, as they arrive.

use std::time::Duration;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::{AckPolicy, Consumer, pull};
use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::error::CrewError;
use crate::server::Server;
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
    pump: JoinHandle<()>,
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
        let pump = tokio::spawn(pump(server.clone(), run.to_owned(), config, sender));
        Ok(Self {
            server: server.clone(),
            run: run.to_owned(),
            arrived,
            pump,
        })
    }

    /// Whether there are results that were not read yet.
    pub(crate) async fn unread(&self) -> Result<bool, CrewError> {
        let info = self.server.persist("count the results", || async {
            let consumer: Consumer<pull::Config> = self
                .server
                .streams
                .get_consumer_from_stream(names::coordinator(&self.run), names::RESULTS)
                .await?;
            Ok::<_, async_nats::jetstream::stream::ConsumerError>(
                consumer.cached_info().num_pending,
            )
        });
        Ok(info.await? > 0 || !self.arrived.is_empty())
    }

    pub(crate) fn close(&self) {
        self.pump.abort();
    }

    /// Removes the consumer at the end.
    pub(crate) async fn remove(&self) {
        remove(&self.server, &self.run).await;
    }
}

impl Drop for Results {
    fn drop(&mut self) {
        self.close();
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
    let made = server.persist("give results", || async {
        let made = server
            .streams
            .create_consumer_on_stream(config.clone(), names::RESULTS);
        made.await
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
        let pull = async {
            loop {
                let batch = consumer.batch().max_messages(BATCH).expires(PULL_TIMEOUT);
                let Ok(mut batch) = batch.messages().await else {
                    return;
                };
                while let Some(message) = batch.next().await {
                    let Ok(message) = message else {
                        return;
                    };
                    if sender.send(Ok(message)).await.is_err() {
                        return;
                    }
                }
            }
        };
        // After a disconnect the server has lost the request.
        tokio::select! {
            () = pull => {}
            _ = changes.changed() => {}
        }
        if sender.is_closed() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Removes a result from the server. If that fails it arrives again, and counts as a
/// duplicate.
pub(super) async fn discard(message: &Message) {
    let _ = message.ack().await;
}
