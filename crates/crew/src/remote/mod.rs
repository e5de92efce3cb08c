//! The coordinator's side of the queue: submits jobs and takes their results.

mod client;
mod coordinator_session;
mod events;
mod rejections;
mod results;

pub use self::client::CrewClient;
pub use self::events::CrewEvent;
