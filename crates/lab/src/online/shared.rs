//! One population for many installations, by the notice board of a crew.

use std::collections::BTreeSet;
use std::time::Duration;

use mendel_crew::{CrewError, Notices, Options, Posted};
use mendel_store::fingerprint;

use super::event::{Event, EventId};
use super::learning::{Learning, LearningError};

/// Games that all installations tell each other.
///
/// The board is read from its beginning once, so that nothing need be kept of it: what
/// was played here and is not there is posted, whenever it was played, also after a
/// server lost all it had.
#[derive(Debug)]
pub struct Shared {
    board: Notices,
    /// The last record that was read.
    seen: u64,
    /// Games of this installation that are there.
    there: BTreeSet<EventId>,
}

/// What an exchange did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exchanged {
    /// Games of this installation that are on the board now.
    pub posted: usize,
    /// Games of others that are counted here now.
    pub new: usize,
    /// Records that are no games, or games that cannot be.
    pub refused: usize,
}

/// Why games are not exchanged. They are kept here, and the next exchange has them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SharedError {
    /// The board cannot be read or written.
    #[error(transparent)]
    Board(#[from] CrewError),
    /// The population cannot be kept.
    #[error(transparent)]
    Learning(#[from] LearningError),
}

/// So long a server may be away while somebody waits for the next game.
const PATIENCE: Duration = Duration::from_secs(5);

impl Shared {
    /// The board of a crew's server.
    ///
    /// # Errors
    ///
    /// If there is no server, or it does not let us in.
    pub fn open(options: &Options) -> Result<Self, SharedError> {
        let mut options = options.clone();
        options.patience = PATIENCE;
        Ok(Self {
            board: Notices::open(&options)?,
            seen: 0,
            there: BTreeSet::new(),
        })
    }

    /// Counts the games of others, and posts those of this installation.
    ///
    /// # Errors
    ///
    /// If the server is away or the disk refuses; nothing is lost then.
    ///
    /// # Panics
    ///
    /// Never: a game is plain data.
    pub fn exchange(&mut self, learning: &mut Learning) -> Result<Exchanged, SharedError> {
        let mut exchanged = Exchanged::default();
        // 1. What is there.
        loop {
            let page = self.board.since(self.seen)?;
            let Some(last) = page.last().map(|it| it.sequence) else {
                break;
            };
            let (games, refused) = self.games(&page, learning);
            let merged = learning.merge(games)?;
            exchanged.new += merged.new;
            exchanged.refused += refused + merged.refused;
            self.seen = last;
        }

        // 2. What is not.
        let own = learning.installation().to_owned();
        let missing: Vec<&Event> = learning
            .events()
            .filter(|event| event.id.installation == own && !self.there.contains(&event.id))
            .collect();
        for event in missing {
            let text = serde_json::to_vec(event).expect("a game is plain data");
            self.board.post(&notice(event), &text)?;
            self.there.insert(event.id.clone());
            exchanged.posted += 1;
        }
        Ok(exchanged)
    }

    /// The games of this population among some records, and how many are none at all.
    fn games(&mut self, page: &[Posted], learning: &Learning) -> (Vec<Event>, usize) {
        let (mut games, mut refused) = (Vec::new(), 0);
        for posted in page {
            match serde_json::from_slice::<Event>(&posted.bytes) {
                Ok(event) if event.population == learning.population_id() => {
                    if event.id.installation == learning.installation() {
                        self.there.insert(event.id.clone());
                    }
                    games.push(event);
                }
                // Another population has its games on the same board.
                Ok(_) => {}
                Err(_) => refused += 1,
            }
        }
        (games, refused)
    }
}

/// What a game is called on the board.
fn notice(event: &Event) -> String {
    let whole = format!("{} {}", event.population, event.id);
    format!("game-{}", fingerprint(whole.as_bytes()))
}
