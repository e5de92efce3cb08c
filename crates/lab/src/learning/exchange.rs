//! One population for many nodes, by the notice board of a crew.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use mendel_crew::{ConnectOptions, CrewError, LogRecord, SharedLog};
use mendel_store::fingerprint;

use super::population_store::{NODE_ID, OnlinePopulation, PopulationError, new_node_id};
use crate::record::learning::{GameId, LearnedGame};

/// Games that all nodes tell each other.
///
/// The board is read from its beginning once, so that nothing need be kept of it: what
/// was played here and is not there is posted, whenever it was played, also after a
/// server lost all it had, which is noticed at the next exchange.
#[derive(Debug)]
pub struct GameExchange {
    board: SharedLog,
    /// When the board that was read was made.
    made: Option<i128>,
    seen: u64,
    there: BTreeSet<GameId>,
    /// Games of this node under whose ids others are there.
    clashing: BTreeSet<GameId>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exchanged {
    /// Games of this node that are on the board now.
    pub posted: usize,
    /// Games of others that are counted here now.
    pub new: usize,
    /// Records that are no games, or games that cannot be.
    pub refused: usize,
    /// Games of this node that were found to be kept off the board by others of
    /// the same id: another folder has the same name.
    pub clashing: usize,
}

/// Why games are not exchanged. They are kept here, and the next exchange has them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExchangeError {
    /// The board cannot be read or written.
    #[error(transparent)]
    Board(#[from] CrewError),
    /// The population cannot be kept.
    #[error(transparent)]
    Population(#[from] PopulationError),
}

/// So long a server may be away while somebody waits for the next game.
const PATIENCE: Duration = Duration::from_secs(5);

impl GameExchange {
    /// The board of a crew's server.
    ///
    /// # Errors
    ///
    /// If there is no server, or it does not let us in.
    pub fn open(options: &ConnectOptions) -> Result<Self, ExchangeError> {
        let mut options = options.clone();
        options.patience = PATIENCE;
        Ok(Self {
            board: SharedLog::open(&options)?,
            made: None,
            seen: 0,
            there: BTreeSet::new(),
            clashing: BTreeSet::new(),
        })
    }

    /// Counts the games of others, and posts those of this node.
    ///
    /// # Errors
    ///
    /// If the server is away or the disk refuses; nothing is lost then.
    ///
    /// # Panics
    ///
    /// Never: a game is plain data.
    pub fn exchange(
        &mut self,
        population: &mut OnlinePopulation,
    ) -> Result<Exchanged, ExchangeError> {
        let mut exchanged = Exchanged::default();
        self.read(population, &mut exchanged)?;
        if self.post(population, &mut exchanged)? {
            // Somebody was faster, or our own words were not confirmed: the board tells.
            self.read(population, &mut exchanged)?;
        }
        Ok(exchanged)
    }

    fn read(
        &mut self,
        population: &mut OnlinePopulation,
        exchanged: &mut Exchanged,
    ) -> Result<(), ExchangeError> {
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
            let games = self.games(&page, population, exchanged);
            let merged = population.merge(games)?;
            exchanged.new += merged.new;
            exchanged.refused += merged.refused;
            self.seen = last;
        }
    }

    /// Posts what is not there. `true` if there was something of the same id after all.
    fn post(
        &mut self,
        population: &OnlinePopulation,
        exchanged: &mut Exchanged,
    ) -> Result<bool, ExchangeError> {
        let mut any_taken = false;
        for event in population.games().filter(|event| population.is_own(event)) {
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
        page: &[LogRecord],
        population: &OnlinePopulation,
        exchanged: &mut Exchanged,
    ) -> Vec<LearnedGame> {
        let mut games = Vec::new();
        for posted in page {
            match serde_json::from_slice::<LearnedGame>(&posted.bytes) {
                Ok(event) if event.population == population.id() => {
                    let known = population.game(&event.id);
                    if !population.is_own(&event) || posted.id != notice(&event) {
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
fn notice(event: &LearnedGame) -> String {
    let whole = format!("{} {}", event.population, event.id);
    format!("game-{}", fingerprint(whole.as_bytes()))
}

/// The connection to a log of games: a server that is away disturbs nobody.
#[derive(Debug)]
pub struct ExchangeConnection {
    options: Option<ConnectOptions>,
    exchange: Option<GameExchange>,
    tried: Instant,
}

/// A server that was not there is tried again no sooner.
const RETRY_INTERVAL: Duration = Duration::from_secs(30);

impl ExchangeConnection {
    /// Connects to the server that is named; none is fine. A server that is away is no
    /// reason not to play, and `note` hears of it.
    ///
    /// # Errors
    ///
    /// If the server does not let us in.
    pub fn open(
        options: Option<ConnectOptions>,
        note: &mut dyn FnMut(String),
    ) -> Result<Self, ExchangeError> {
        let mut connection = Self {
            options,
            exchange: None,
            tried: Instant::now(),
        };
        match connection.connect() {
            Err(
                error @ ExchangeError::Board(CrewError::NoServer { .. } | CrewError::Lost { .. }),
            ) => {
                note(complaint(&error));
                Ok(connection)
            }
            connected => connected.map(|()| connection),
        }
    }

    fn connect(&mut self) -> Result<(), ExchangeError> {
        self.tried = Instant::now();
        if let Some(options) = &self.options {
            self.exchange = Some(GameExchange::open(options)?);
        }
        Ok(())
    }

    /// Posts own games and counts those of others. What cannot be posted now is posted the
    /// next time.
    pub fn exchange(&mut self, population: &mut OnlinePopulation, note: &mut dyn FnMut(String)) {
        if self.options.is_some()
            && self.exchange.is_none()
            && self.tried.elapsed() >= RETRY_INTERVAL
            && let Err(error) = self.connect()
        {
            note(complaint(&error));
        }
        let Some(exchange) = &mut self.exchange else {
            return;
        };
        let exchanged = match exchange.exchange(population) {
            Ok(exchanged) => exchanged,
            Err(error) => return note(complaint(&error)),
        };
        if exchanged.refused > 0 {
            note(format!("crew: {} records are no games", exchanged.refused));
        }
        if exchanged.clashing > 0 {
            let file = population.folder().join(NODE_ID);
            note(format!(
                "crew: {} games cannot be told: another folder has the same node id, {}, and told \
                 others by their numbers; is one a copy? write another id into {} of one of \
                 them, such as {}, and later games are told by that",
                exchanged.clashing,
                population.node_id(),
                file.display(),
                new_node_id(population.folder()),
            ));
        }
    }
}

fn complaint(error: &ExchangeError) -> String {
    format!("crew: {error}; games are kept here and told the next time")
}
