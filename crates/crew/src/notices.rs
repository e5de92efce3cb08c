//! A board where many installations post, and which each reads from where it left.

use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, Consumer, DeliverPolicy, pull};
use async_nats::jetstream::context::CreateStreamError;
use futures_util::StreamExt;
use tokio::runtime::Runtime;

use crate::error::{CrewError, OptionsError};
use crate::job::check_name;
use crate::names::{self, Role};
use crate::options::Options;
use crate::server::{Any, Server, any};

/// Records read at once.
const PAGE: usize = 512;
/// A page that is there arrives within this.
const READING: Duration = Duration::from_secs(5);
/// A reader that died is forgotten after this.
const FORGOTTEN: Duration = Duration::from_mins(1);

/// The notice board of a server: small records, each with an id of its own, which
/// nobody changes.
pub struct Notices {
    server: Server,
    runtime: Runtime,
}

impl fmt::Debug for Notices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notices")
            .field("server", &self.server.url())
            .finish_non_exhaustive()
    }
}

/// A record on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// Its place; later ones have larger numbers.
    pub sequence: u64,
    /// Its id: a second record of the same id was not taken.
    pub id: String,
    /// What it says. Anybody with the right to post may have written it.
    pub bytes: Vec<u8>,
}

/// Which board a server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardState {
    /// When it was made, in nanoseconds since 1970: another time, another board.
    pub made: i128,
    /// The place of its last record, 0 if there never was one.
    pub last: u64,
}

impl Notices {
    /// The board of a server, made where it has none yet.
    ///
    /// # Errors
    ///
    /// If there is no server, or it does not let us do this.
    pub fn open(options: &Options) -> Result<Self, CrewError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("notices")
            .enable_all()
            .build()
            .map_err(|error| CrewError::System {
                what: "a thread for notices".to_owned(),
                why: error.to_string(),
            })?;
        let server = runtime.block_on(async {
            let server = Server::connect(options, Role::Learner, "mendel notices").await?;
            server.stream(names::notices_stream()).await?;
            Ok::<_, CrewError>(server)
        })?;
        Ok(Self { server, runtime })
    }

    /// Posts a record of this id, 1 to 64 of `a-z`, `0-9` and `-`. To post it again
    /// is harmless, now or in a year: the server keeps the first. `false` if there is
    /// one of this id, which may be this one or say something else.
    ///
    /// # Errors
    ///
    /// If the id is no name, the record is too large, or the server is away; it
    /// may or may not be posted then, so post it again later.
    pub fn post(&self, id: &str, bytes: &[u8]) -> Result<bool, CrewError> {
        check_name("notice", id)?;
        let most = self.server.client.max_payload();
        if bytes.len() > most {
            return Err(OptionsError::Notice {
                id: id.to_owned(),
                bytes: bytes.len(),
                most,
            }
            .into());
        }
        let subject = names::notice(id);
        let stored = self.server.store(&subject, bytes.to_vec());
        self.runtime.block_on(stored).map(|place| place > 0)
    }

    /// Which board there is now, made where the server has none any more. One that was
    /// made at another time, or ends before a place that was read, is not the board that
    /// was read: the server has lost what it kept.
    ///
    /// # Errors
    ///
    /// If the server is away.
    pub fn state(&self) -> Result<BoardState, CrewError> {
        let seen = self.server.persist("show the notice board", || async {
            let config = names::notices_stream();
            let stream = self.server.streams.get_or_create_stream(config).await?;
            let info = stream.cached_info();
            Ok::<_, CreateStreamError>(BoardState {
                made: info.created.unix_timestamp_nanos(),
                last: info.state.last_sequence,
            })
        });
        self.runtime.block_on(seen)
    }

    /// The records after a place, 0 for all, the oldest first. It may be only the
    /// first of many: ask again from the last one's place until none is left.
    ///
    /// # Errors
    ///
    /// If the server is away.
    pub fn since(&self, sequence: u64) -> Result<Vec<Posted>, CrewError> {
        let page = self
            .server
            .persist("show notices", || page(&self.server, sequence));
        self.runtime.block_on(page)
    }
}

async fn page(server: &Server, sequence: u64) -> Result<Vec<Posted>, Any> {
    let config = pull::Config {
        deliver_policy: DeliverPolicy::ByStartSequence {
            start_sequence: sequence + 1,
        },
        ack_policy: AckPolicy::None,
        inactive_threshold: FORGOTTEN,
        ..pull::Config::default()
    };
    let reader = server
        .streams
        .create_consumer_on_stream(config, names::NOTICES);
    let reader: Consumer<pull::Config> = reader.await.map_err(any)?;
    let there = reader.cached_info().num_pending.min(PAGE as u64) as usize;
    let mut posted: Vec<Posted> = Vec::with_capacity(there);
    if there > 0 {
        let batch = reader.batch().max_messages(there).expires(READING);
        let mut batch = batch.messages().await.map_err(any)?;
        let mut ids = HashSet::new();
        while let Some(message) = batch.next().await {
            let message = message.map_err(|error| any(&*error))?;
            let sequence = message
                .info()
                .map_err(|error| any(&*error))?
                .stream_sequence;
            let id = names::last(&message.subject).to_owned();
            // The server sees to it; this is for one that does not.
            if ids.insert(id.clone()) {
                posted.push(Posted {
                    sequence,
                    id,
                    bytes: message.payload.to_vec(),
                });
            }
        }
    }
    let name = &reader.cached_info().name;
    let removed = server
        .streams
        .delete_consumer_from_stream(name, names::NOTICES);
    // Where that fails it is forgotten by itself.
    let _ = removed.await;
    Ok(posted)
}
