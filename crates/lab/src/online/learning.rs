//! A population on the disk.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mendel_engine::{Player, PlayerError};
use mendel_store::{
    FolderLock, Journal, JournalError, LockError, ReplaceError, Sync, fingerprint, replace,
};
use serde::{Deserialize, Serialize};

use super::event::{Against, Event, EventId, Scored};
use super::population::{Population, Rules};
use crate::chromosome::space::{CodingName, GenomeSettings, Space};

/// `learning.toml`: what a population begins with. Events of populations with another
/// founding are not its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Founding {
    /// What chance begins from.
    pub seed: u64,
    /// How the population is kept.
    pub rules: Rules,
    /// The player whose weights are learned, as a player file.
    pub player: String,
}

impl Founding {
    /// The founding of a population that learns the weights of `player`.
    pub fn new(player: &Player, rules: Rules, seed: u64) -> Self {
        Self {
            seed,
            rules,
            player: player.to_toml(),
        }
    }

    /// What its events are recognised by.
    pub fn id(&self) -> String {
        fingerprint(toml::to_string(self).unwrap_or_default().as_bytes())
    }
}

/// A game that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The set that played.
    pub set: Vec<i32>,
    /// Whom it met.
    pub opponent: String,
    /// What kind of opponent that is.
    pub against: Against,
    /// Whether the set had White.
    pub white: bool,
    /// Half-moves of the game.
    pub plies: u32,
    /// The result, as the set sees it.
    pub result: Scored,
}

/// What came of events from elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Events that are counted now.
    pub new: usize,
    /// Events that were counted before.
    pub known: usize,
    /// Events of another population, with a set that cannot play, or with an id that
    /// another game has.
    pub refused: usize,
}

/// Why a population cannot be kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearningError {
    /// Somebody else is at it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The journal of events cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The founding cannot be written.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// The founding cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The founding is broken.
    #[error("{} is broken: {reason}; restore it from a copy", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The folder holds a population with another founding.
    #[error(
        "{} holds a population that began otherwise (seed {seed}); use that seed and start, or name another folder", path.display()
    )]
    Another {
        /// The folder.
        path: PathBuf,
        /// The seed of the one there.
        seed: u64,
    },
    /// The founding's player is none.
    #[error(transparent)]
    Player(#[from] Box<PlayerError>),
    /// The player's weights are not learned.
    #[error(
        "`{player}` cannot learn: {reason}; take a player whose evaluator is of kind `cwu`, such as `cwu`"
    )]
    Unsuited {
        /// The player.
        player: String,
        /// Why not.
        reason: String,
    },
}

/// A population and its journal. It holds the lock of its folder: one writer at a time.
#[derive(Debug)]
pub struct Learning {
    folder: PathBuf,
    founding: Founding,
    id: String,
    installation: String,
    player: Player,
    space: Space,
    journal: Journal<Event>,
    events: BTreeMap<EventId, Event>,
    population: Population,
    _lock: FolderLock,
}

/// The file of the founding.
const FOUNDING: &str = "learning.toml";
/// The journal of events.
pub(super) const EVENTS: &str = "events.jsonl";

impl Learning {
    /// Opens the population in a folder; one that is not there yet is founded.
    /// `installation` names the events that will be told here, and is never that of
    /// another folder that shares its events.
    ///
    /// # Errors
    ///
    /// If the folder cannot be used, holds a population with another founding, or the
    /// player's weights cannot be learned.
    pub fn open(
        folder: &Path,
        founding: &Founding,
        installation: &str,
    ) -> Result<Self, LearningError> {
        let learning = Self::open_any(folder, Some(founding), installation)?;
        if learning.founding != *founding {
            return Err(LearningError::Another {
                path: folder.to_owned(),
                seed: learning.founding.seed,
            });
        }
        Ok(learning)
    }

    /// Opens the population in a folder, however it was founded; `founding` is for a
    /// folder without one.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open), and if there is no founding at all.
    pub fn open_any(
        folder: &Path,
        founding: Option<&Founding>,
        installation: &str,
    ) -> Result<Self, LearningError> {
        // 1. The founding: what is there counts.
        let read = |path: &Path, source| LearningError::Read {
            path: path.to_owned(),
            source,
        };
        fs::create_dir_all(folder).map_err(|source| read(folder, source))?;
        let lock = FolderLock::take(folder)?;
        let path = folder.join(FOUNDING);
        let founding = match (fs::read_to_string(&path), founding) {
            (Ok(text), _) => toml::from_str(&text).map_err(|error| LearningError::Broken {
                path: path.clone(),
                reason: error.to_string(),
            })?,
            (Err(error), Some(founding)) if error.kind() == io::ErrorKind::NotFound => {
                let text = toml::to_string(founding).map_err(|error| LearningError::Broken {
                    path: path.clone(),
                    reason: error.to_string(),
                })?;
                // A player that cannot learn leaves no founding behind.
                space_of(&player_of(founding)?)?;
                replace(&path, text.as_bytes())?;
                founding.clone()
            }
            (Err(source), _) => return Err(read(&path, source)),
        };
        let player = player_of(&founding)?;
        let space = space_of(&player)?;

        // 2. The games.
        let (journal, found) = Journal::open(&folder.join(EVENTS), Sync::Each)?;
        let mut learning = Self {
            folder: folder.to_owned(),
            id: founding.id(),
            installation: installation.to_owned(),
            population: Population::new(&space, founding.rules, founding.seed),
            founding,
            player,
            space,
            journal,
            events: found.into_iter().map(|it| (it.id.clone(), it)).collect(),
            _lock: lock,
        };
        learning.fold_all();
        Ok(learning)
    }

    fn fold_all(&mut self) {
        let Founding { rules, seed, .. } = self.founding;
        self.population = Population::new(&self.space, rules, seed);
        for event in self.events.values() {
            self.population.fold(&self.space, event);
        }
    }

    /// Where it is kept.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What the games told here are named by.
    pub fn installation(&self) -> &str {
        &self.installation
    }

    /// What its events are recognised by.
    pub fn population_id(&self) -> &str {
        &self.id
    }

    /// What it began with.
    pub fn founding(&self) -> &Founding {
        &self.founding
    }

    /// The sets as they are after all games.
    pub fn population(&self) -> &Population {
        &self.population
    }

    /// All games in the order in which they count.
    pub fn events(&self) -> impl ExactSizeIterator<Item = &Event> {
        self.events.values()
    }

    /// What the weights of a set are called.
    pub fn names(&self) -> &[String] {
        self.space.names()
    }

    /// The set that plays next, by this chance.
    pub fn choose(&self, seed: u64) -> Vec<i32> {
        self.population.choose(seed).set.clone()
    }

    /// The player that a set is.
    ///
    /// # Errors
    ///
    /// If it is no set of this population's kind.
    pub fn player(&self, set: &[i32]) -> Result<Player, LearningError> {
        let made = self.space.player(&self.player, set);
        made.map_err(|error| LearningError::Unsuited {
            player: self.player.name.clone(),
            reason: error.to_string(),
        })
    }

    /// Counts a game that was played here; it is on the disk before this returns. The
    /// event is what other installations are to be told.
    ///
    /// # Errors
    ///
    /// If the set is none, or the disk refuses; then nothing has changed.
    pub fn tell(&mut self, game: Finished) -> Result<Event, LearningError> {
        self.player(&game.set)?;
        let last = self.events.keys().next_back().map_or(0, |id| id.number);
        let event = Event {
            id: EventId {
                number: last + 1,
                installation: self.installation.clone(),
            },
            population: self.id.clone(),
            set: game.set,
            opponent: game.opponent,
            against: game.against,
            white: game.white,
            plies: game.plies,
            result: game.result,
        };
        self.journal.append(&event)?;
        // The newest event is the last in the order, so that nothing is counted anew.
        self.population.fold(&self.space, &event);
        self.events.insert(event.id.clone(), event.clone());
        Ok(event)
    }

    /// Counts games that were played elsewhere: each once, however often and in whatever
    /// order they come.
    ///
    /// # Errors
    ///
    /// If the disk refuses; what was counted before stays, and the rest may be merged
    /// again.
    pub fn merge(
        &mut self,
        events: impl IntoIterator<Item = Event>,
    ) -> Result<Merged, LearningError> {
        let mut merged = Merged::default();
        let mut result = Ok(());
        for event in events {
            match self.events.get(&event.id) {
                Some(known) if *known == event => merged.known += 1,
                Some(_) => merged.refused += 1,
                None if event.population != self.id || self.player(&event.set).is_err() => {
                    merged.refused += 1;
                }
                None => {
                    result = self.journal.append(&event);
                    if result.is_err() {
                        break;
                    }
                    self.events.insert(event.id.clone(), event);
                    merged.new += 1;
                }
            }
        }
        if merged.new > 0 {
            self.fold_all();
        }
        result?;
        Ok(merged)
    }
}

fn player_of(founding: &Founding) -> Result<Player, LearningError> {
    Ok(Player::parse(&founding.player, FOUNDING).map_err(Box::new)?)
}

/// The genomes of the player's weights.
fn space_of(player: &Player) -> Result<Space, LearningError> {
    let settings = GenomeSettings::published(CodingName::Binary, CHROMOSOME);
    Space::new(player, &settings).map_err(|error| LearningError::Unsuited {
        player: player.name.clone(),
        reason: error.reason,
    })
}

/// The chromosome that is learned.
const CHROMOSOME: &str = "cwu";
