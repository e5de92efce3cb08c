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
/// server lost all it had, which is noticed at the next exchange.
#[derive(Debug)]
pub struct Shared {
    board: Notices,
    /// When the board that was read was made.
    made: Option<i128>,
    /// The last record that was read.
    seen: u64,
    /// Games of this installation that are there.
    there: BTreeSet<EventId>,
    /// Games of this installation under whose ids others are there.
    clashing: BTreeSet<EventId>,
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
    /// Games of this installation that were found to be kept off the board by others of
    /// the same id: another folder has the same name.
    pub clashing: usize,
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
            made: None,
            seen: 0,
            there: BTreeSet::new(),
            clashing: BTreeSet::new(),
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
        self.read(learning, &mut exchanged)?;
        if self.post(learning, &mut exchanged)? {
            // Somebody was faster, or our own words were not confirmed: the board tells.
            self.read(learning, &mut exchanged)?;
        }
        Ok(exchanged)
    }

    /// Counts what is on the board.
    fn read(
        &mut self,
        learning: &mut Learning,
        exchanged: &mut Exchanged,
    ) -> Result<(), SharedError> {
        let now = self.board.state()?;
        if self.made.is_some_and(|made| made != now.made) || now.last < self.seen {
            // What is known of the board is known of one that is lost.
            self.seen = 0;
            self.there.clear();
            self.clashing.clear();
        }
        self.made = Some(now.made);
        loop {
            let page = self.board.since(self.seen)?;
            let Some(last) = page.last().map(|it| it.sequence) else {
                return Ok(());
            };
            let games = self.games(&page, learning, exchanged);
            let merged = learning.merge(games)?;
            exchanged.new += merged.new;
            exchanged.refused += merged.refused;
            self.seen = last;
        }
    }

    /// Posts what is not there. `true` if there was something of the same id after all.
    fn post(
        &mut self,
        learning: &Learning,
        exchanged: &mut Exchanged,
    ) -> Result<bool, SharedError> {
        let mut any_taken = false;
        for event in learning.events().filter(|event| learning.is_own(event)) {
            if self.there.contains(&event.id) || self.clashing.contains(&event.id) {
                continue;
            }
            let text = serde_json::to_vec(event).expect("a game is plain data");
            if self.board.post(&notice(event), &text)? {
                self.there.insert(event.id.clone());
                exchanged.posted += 1;
            } else {
                any_taken = true;
            }
        }
        Ok(any_taken)
    }

    /// The games of this population among some records.
    fn games(
        &mut self,
        page: &[Posted],
        learning: &Learning,
        exchanged: &mut Exchanged,
    ) -> Vec<Event> {
        let mut games = Vec::new();
        for posted in page {
            match serde_json::from_slice::<Event>(&posted.bytes) {
                Ok(event) if event.population == learning.population_id() => {
                    let known = learning.event(&event.id);
                    if !learning.is_own(&event) || posted.id != notice(&event) {
                        games.push(event);
                    } else if known.is_some_and(|known| *known != event) {
                        exchanged.clashing += usize::from(self.clashing.insert(event.id));
                    } else {
                        self.there.insert(event.id.clone());
                        games.push(event);
                    }
                }
                // Another population has its games on the same board.
                Ok(_) => {}
                Err(_) => exchanged.refused += 1,
            }
        }
        games
    }
}

/// What a game is called on the board.
fn notice(event: &Event) -> String {
    let whole = format!("{} {}", event.population, event.id);
    format!("game-{}", fingerprint(whole.as_bytes()))
}
