//! Exchanges the games of one population between nodes, through the shared log of a crew.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::time::{Duration, Instant};

use mendel_crew::{ConnectOptions, CrewError, SharedLog};
use mendel_store::fingerprint;
use mendel_store::frame::Failure;

use super::population_store::{NODE_ID, OnlinePopulation, new_node_id};
use crate::record::learning::{GameId, LearnedGame};

/// Sends the games of this node to a shared log and reads those of other nodes.
///
/// The log is read from its beginning once, so that no position in it needs to be stored.
/// Every game of this node that the log lacks is posted, whenever it was played. If the
/// server has lost its data, the next exchange notices that and posts all of them again.
#[derive(Debug)]
pub struct GameExchange {
    log: SharedLog,
    /// When the log that was read was created.
    created: Option<i128>,
    /// Sequence number of the last record that was read.
    last_read: u64,
    /// Games of this node that are in the log.
    posted: BTreeSet<GameId>,
    /// Games of this node whose ids other games in the log have.
    clashing: BTreeSet<GameId>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exchanged {
    /// Games of this node that this exchange added to the log.
    pub posted: usize,
    /// Games of other nodes that are counted here now.
    pub new: usize,
    /// Records that are no games, or games that this population cannot count.
    pub refused: usize,
    /// Games of this node that cannot be posted because other games in the log have their
    /// ids: another folder has the same node id.
    pub clashing: usize,
}

/// Time limit of a request; short, because a person may be waiting for the next game.
const PATIENCE: Duration = Duration::from_secs(5);

impl GameExchange {
    /// Opens the log on the server of a crew.
    ///
    /// # Errors
    ///
    /// If there is no server, or it does not let us in.
    pub fn open(options: &ConnectOptions) -> Result<Self, CrewError> {
        let mut options = options.clone();
        options.server_timeout = PATIENCE;
        Ok(Self {
            log: SharedLog::open(&options)?,
            created: None,
            last_read: 0,
            posted: BTreeSet::new(),
            clashing: BTreeSet::new(),
        })
    }

    /// Counts the games of other nodes, and posts those of this node.
    ///
    /// # Errors
    ///
    /// If the server is away or the disk refuses; nothing is lost then.
    pub fn exchange(&mut self, population: &mut OnlinePopulation) -> Result<Exchanged, Failure> {
        let mut exchanged = Exchanged::default();
        self.read(population, &mut exchanged)?;
        if self.post(population, &mut exchanged)? {
            // Another node was faster, or our own posts were not confirmed: the log shows which.
            self.read(population, &mut exchanged)?;
        }
        Ok(exchanged)
    }

    fn read(
        &mut self,
        population: &mut OnlinePopulation,
        exchanged: &mut Exchanged,
    ) -> Result<(), Failure> {
        let now = self.log.state()?;
        if self.created.is_some_and(|created| created != now.made) || now.last < self.last_read {
            // What is known is known of a log that is lost.
            self.last_read = 0;
            self.posted.clear();
            self.clashing.clear();
        }
        self.created = Some(now.made);
        loop {
            let page = self.log.since(self.last_read)?;
            let Some(last) = page.last().map(|it| it.sequence) else {
                return Ok(());
            };
            let mut games = Vec::new();
            for record in &page {
                match serde_json::from_slice::<LearnedGame>(&record.bytes) {
                    Ok(game) if game.population == population.id() => {
                        let known = population.game(&game.id);
                        if population.is_own(&game) && record.id == record_id(&game) {
                            if known.is_some_and(|known| *known != game) {
                                exchanged.clashing += usize::from(self.clashing.insert(game.id));
                                continue;
                            }
                            self.posted.insert(game.id.clone());
                        }
                        games.push(game);
                    }
                    // Another population has its games in the same log.
                    Ok(_) => {}
                    Err(_) => exchanged.refused += 1,
                }
            }
            let merged = population.merge(games)?;
            exchanged.new += merged.new;
            exchanged.refused += merged.refused;
            self.last_read = last;
        }
    }

    /// Posts the games that the log lacks; whether it had another record of the same id.
    fn post(
        &mut self,
        population: &OnlinePopulation,
        exchanged: &mut Exchanged,
    ) -> Result<bool, Failure> {
        let mut any_taken = false;
        for game in population.games().filter(|game| population.is_own(game)) {
            if self.posted.contains(&game.id) || self.clashing.contains(&game.id) {
                continue;
            }
            if self
                .log
                .post(&record_id(game), &serde_json::to_vec(game)?)?
            {
                self.posted.insert(game.id.clone());
                exchanged.posted += 1;
            } else {
                any_taken = true;
            }
        }
        Ok(any_taken)
    }
}

fn record_id(game: &LearnedGame) -> String {
    let whole = format!("{} {}", game.population, game.id);
    format!("game-{}", fingerprint(whole.as_bytes()))
}

/// The connection to a log of games. Games are played also while the server is away.
#[derive(Debug)]
pub struct ExchangeConnection {
    options: Option<ConnectOptions>,
    exchange: Option<GameExchange>,
    tried: Instant,
}

/// Minimum time between two attempts to reach a server that is away.
const RETRY_INTERVAL: Duration = Duration::from_secs(30);

impl ExchangeConnection {
    /// Connects to the server, if one is named. If it is away, that is passed to `note`, and
    /// the connection is tried again later.
    ///
    /// # Errors
    ///
    /// If the server does not let us in.
    pub fn open(
        options: Option<ConnectOptions>,
        note: &mut dyn FnMut(String),
    ) -> Result<Self, CrewError> {
        let mut connection = Self {
            options,
            exchange: None,
            tried: Instant::now(),
        };
        match connection.connect() {
            Err(error @ (CrewError::NoServer { .. } | CrewError::Lost { .. })) => {
                note(complaint(&error));
                Ok(connection)
            }
            connected => connected.map(|()| connection),
        }
    }

    fn connect(&mut self) -> Result<(), CrewError> {
        self.tried = Instant::now();
        if let Some(options) = &self.options {
            self.exchange = Some(GameExchange::open(options)?);
        }
        Ok(())
    }

    /// Posts the games of this node and counts those of others. What cannot be posted now is
    /// posted the next time.
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

fn complaint(error: &impl Display) -> String {
    format!("crew: {error}; games are kept here and told the next time")
}
