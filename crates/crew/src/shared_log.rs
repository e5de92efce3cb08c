//! A shared append-only log of small records, which each node reads from where it left off.

use std::collections::HashSet;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, Consumer, DeliverPolicy, pull};
use futures_util::StreamExt;
use tokio::runtime::Runtime;

use crate::error::CrewError;
use crate::job::check_name;
use crate::options::ConnectOptions;
use crate::server::{BoxedError, Server, background_runtime};
use crate::subjects as names;

/// Records read at once.
const MAX_PAGE_RECORDS: usize = 512;
const READ_TIMEOUT: Duration = Duration::from_secs(5);
/// The server removes a reader that has been inactive for this time.
const READER_TTL: Duration = Duration::from_mins(1);

/// The shared log of a server: small records, each with an id of its own, which never
/// change.
#[derive(Debug)]
pub struct SharedLog {
    server: Server,
    runtime: Runtime,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRecord {
    /// Its sequence number; later records have larger ones.
    pub sequence: u64,
    /// Its id: the server refuses a second record of the same id.
    pub id: String,
    /// Its content, which is untrusted.
    pub bytes: Vec<u8>,
}

/// The identity and the end of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogState {
    /// Time of creation in nanoseconds since 1970; another time means another log.
    pub made: i128,
    /// The sequence number of its last record, 0 if there never was one.
    pub last: u64,
}

impl SharedLog {
    /// The log of a server, created if it is missing.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached or denies the permission.
    pub fn open(options: &ConnectOptions) -> Result<Self, CrewError> {
        let runtime = background_runtime("notices")?;
        let server = runtime.block_on(async {
            let server = Server::connect(options, names::LEARNER_INBOX, "mendel notices").await?;
            server.stream(names::notices_stream()).await?;
            Ok::<_, CrewError>(server)
        })?;
        Ok(Self { server, runtime })
    }

    /// Appends a record of this id, 1 to 64 of `a-z`, `0-9` and `-`. Appending it again is
    /// harmless at any time: the server keeps the first. `false` if there is a record of this
    /// id already, whatever its content.
    ///
    /// # Errors
    ///
    /// If the id is invalid, the record is too large, or the server is away; it may or may not
    /// be stored then, so append it again later.
    pub fn post(&self, id: &str, bytes: &[u8]) -> Result<bool, CrewError> {
        check_name("notice", id)?;
        let max = self.server.client.max_payload();
        if bytes.len() > max {
            return Err(CrewError::LargeRecord {
                id: id.to_owned(),
                bytes: bytes.len(),
                max,
            });
        }
        let subject = names::notice(id);
        let stored = self.server.store(&subject, bytes.to_vec());
        self.runtime.block_on(stored).map(|place| place > 0)
    }

    /// The present log, created if it is missing. If it was created at another time, or ends
    /// before a sequence number that was read, the server has lost the log that was read.
    ///
    /// # Errors
    ///
    /// If the server is away.
    pub fn state(&self) -> Result<LogState, CrewError> {
        let config = names::notices_stream();
        let stream = self.server.persist("show the notice board", || {
            self.server.streams.get_or_create_stream(config.clone())
        });
        let stream = self.runtime.block_on(stream)?;
        let info = stream.cached_info();
        Ok(LogState {
            made: info.created.unix_timestamp_nanos(),
            last: info.state.last_sequence,
        })
    }

    /// The records after a sequence number, 0 for all, oldest first. There may be more: call it
    /// again from the last one until it returns none.
    ///
    /// # Errors
    ///
    /// If the server is away.
    pub fn since(&self, sequence: u64) -> Result<Vec<LogRecord>, CrewError> {
        let page = self
            .server
            .persist("show notices", || page(&self.server, sequence));
        self.runtime.block_on(page)
    }
}

async fn page(server: &Server, sequence: u64) -> Result<Vec<LogRecord>, BoxedError> {
    let config = pull::Config {
        deliver_policy: DeliverPolicy::ByStartSequence {
            start_sequence: sequence + 1,
        },
        ack_policy: AckPolicy::None,
        inactive_threshold: READER_TTL,
        ..pull::Config::default()
    };
    let reader = server
        .streams
        .create_consumer_on_stream(config, names::NOTICES);
    let reader: Consumer<pull::Config> = reader.await?;
    let there = reader
        .cached_info()
        .num_pending
        .min(MAX_PAGE_RECORDS as u64) as usize;
    let mut posted: Vec<LogRecord> = Vec::with_capacity(there);
    if there > 0 {
        let batch = reader.batch().max_messages(there).expires(READ_TIMEOUT);
        let mut batch = batch.messages().await?;
        let mut ids = HashSet::new();
        while let Some(message) = batch.next().await {
            let message = message?;
            let sequence = message.info()?.stream_sequence;
            let id = names::last(&message.subject).to_owned();
            // The server guarantees this; the check is for one that does not.
            if ids.insert(id.clone()) {
                posted.push(LogRecord {
                    sequence,
                    id,
                    bytes: message.payload.to_vec(),
                });
            }
        }
    }
    // If that fails the server removes it later.
    let name = &reader.cached_info().name;
    server.remove_consumer(name, names::NOTICES).await;
    Ok(posted)
}
