//! The blobs on the server.

use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_nats::jetstream::object_store::{self, ObjectStore};
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

use crate::blob::BlobId;
use crate::error::CrewError;
use crate::server::{BoxedError, Server};
use crate::subjects as names;

/// Blobs that no coordinator uploaded for this time are removed.
const BLOB_TTL: Duration = Duration::from_hours(14 * 24);
/// A blob that is needed is uploaded again at this age.
pub(crate) const REFRESH_AGE: Duration = Duration::from_hours(7 * 24);
const READ_TIMEOUT: Duration = Duration::from_secs(15);

#[derive(Clone)]
pub(crate) struct BlobStore(ObjectStore);

impl BlobStore {
    /// For a coordinator: creates the store if it is missing.
    pub(crate) async fn make(server: &Server) -> Result<Self, CrewError> {
        let config = object_store::Config {
            bucket: names::BLOBS.to_owned(),
            max_age: BLOB_TTL,
            ..object_store::Config::default()
        };
        let made = server.persist("keep blobs", || async {
            match server.streams.get_object_store(names::BLOBS).await {
                Ok(store) => Ok(store),
                Err(_) => server.streams.create_object_store(config.clone()).await,
            }
        });
        made.await.map(Self)
    }

    /// For a worker, which may only read.
    pub(crate) async fn open(server: &Server) -> Result<Self, CrewError> {
        let found = server.persist("give blobs", || async {
            server.streams.get_object_store(names::BLOBS).await
        });
        found.await.map(Self)
    }

    /// Uploads a blob unless it is present.
    pub(crate) async fn ensure_blob(
        &self,
        server: &Server,
        id: &BlobId,
        contents: &[u8],
    ) -> Result<(), CrewError> {
        server
            .persist(&format!("keep blob {id}"), || async {
                let known = self.0.info(id.to_string()).await;
                if known.is_ok_and(|known| {
                    !known.deleted && known.size == contents.len() && is_fresh(known.modified)
                }) {
                    return Ok(());
                }
                let name = id.to_string();
                self.0.put(name.as_str(), &mut &*contents).await?;
                Ok::<_, BoxedError>(())
            })
            .await
    }

    /// Reads a blob of at most `max` bytes and checks its content; otherwise the reason why
    /// the blob cannot be used.
    pub(crate) async fn fetch(&self, id: &BlobId, max: usize) -> Result<Arc<[u8]>, String> {
        let missing = |why: &dyn Display| format!("the server does not give blob {id}: {why}");
        let mut object = timeout(READ_TIMEOUT, self.0.get(id.to_string()))
            .await
            .map_err(|_| missing(&"no answer"))?
            .map_err(|error| missing(&error))?;
        let mut contents = Vec::new();
        loop {
            let read = timeout(READ_TIMEOUT, object.read_buf(&mut contents))
                .await
                .map_err(|_| missing(&"it stopped on the way"))?
                .map_err(|error| missing(&error))?;
            if contents.len() > max {
                return Err(too_large(max));
            }
            if read == 0 {
                break;
            }
        }
        if BlobId::of(&contents) == *id {
            Ok(contents.into())
        } else {
            Err(format!("blob {id} arrived with other contents"))
        }
    }
}

/// The reason of a worker that does not read the blobs of a job.
pub(crate) fn too_large(max: usize) -> String {
    format!("the blobs of the job take more than {max} bytes")
}

fn is_fresh(modified: Option<async_nats::datetime::DateTime>) -> bool {
    modified.is_some_and(|modified| {
        let age = SystemTime::now().duration_since(SystemTime::from(modified));
        // A time in the future, by another clock, is fresh.
        age.map_or(true, |age| age < REFRESH_AGE)
    })
}
