//! A population on the disk.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use mendel_engine::{Player, PlayerError};
use mendel_store::{
    FolderLock, Journal, JournalError, LockError, ReplaceError, Sync, fingerprint, replace,
};
use serde::{Deserialize, Serialize};

use super::event::{
    Against, Event, EventId, MOST_NUMBER, Scored, is_installation, opponent_name, plies_of,
};
use super::population::{Population, Rules, Start};
use super::spool::{self, Spool};
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
    /// Events of another population, with a set that cannot play, with an id that
    /// another game has, or with what is no game's.
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
        "{} holds a population that began otherwise: with seed {seed}, from {start}; use the same, or name another folder", path.display()
    )]
    Another {
        /// The folder.
        path: PathBuf,
        /// The seed of the one there.
        seed: u64,
        /// Who its first sets were.
        start: Start,
    },
    /// The founding's player is none.
    #[error(transparent)]
    Player(#[from] Box<PlayerError>),
    /// The name of this folder among those that share their games is none.
    #[error(
        "{} holds no name (up to 64 plain letters and digits): {name:?}; remove it, and the next game makes one", path.display()
    )]
    Installation {
        /// The file.
        path: PathBuf,
        /// What it holds.
        name: String,
    },
    /// Numbers have run out.
    #[error("{} has games up to the last number; begin another population with `--out`", path.display())]
    Full {
        /// The folder.
        path: PathBuf,
    },
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

/// A population and its journal. It holds the lock of its folder, one writer at a time,
/// except while it [rests](Learning::rest).
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
    lock: Option<FolderLock>,
    patience: Duration,
    /// Bytes of the journal when the lock was given away.
    rested_at: u64,
}

/// The file of the founding.
pub const FOUNDING: &str = "learning.toml";
/// The journal of events.
pub const EVENTS: &str = "events.jsonl";
/// The file with what the games told here are named by.
pub const INSTALLATION: &str = "installation";

/// So long somebody else may hold the folder: telling a game, or telling those of many
/// games to a server that is slow.
pub const LOCK_PATIENCE: Duration = Duration::from_secs(30);

impl Learning {
    /// Opens the population in a folder; one that is not there yet is founded.
    /// `installation` names the events that will be told here, and is never that of
    /// another folder that shares its events; a folder that has a name keeps it.
    ///
    /// Somebody else who is at it is waited for, up to [`LOCK_PATIENCE`].
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
                start: learning.founding.rules.start,
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
        let lock = lock(folder, LOCK_PATIENCE)?;
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
        let installation = installation_of(folder, installation)?;
        let (journal, found) = Journal::open(&folder.join(EVENTS), Sync::Each)?;
        let mut learning = Self {
            folder: folder.to_owned(),
            id: founding.id(),
            installation,
            population: Population::new(&space, founding.rules, founding.seed),
            founding,
            player,
            space,
            journal,
            events: sound(found),
            lock: Some(lock),
            patience: LOCK_PATIENCE,
            rested_at: 0,
        };
        learning.fold_all();

        // 3. Those that were told while somebody else was at it.
        learning.unspool()?;
        Ok(learning)
    }

    /// Lets others at the folder until it [wakes](Self::wake), which telling and merging
    /// do.
    pub fn rest(&mut self) {
        self.rested_at = self.journal_length();
        self.lock = None;
    }

    /// Waits so long for others to end when it wakes, and not [`LOCK_PATIENCE`].
    pub fn wait_for(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Takes the folder again, with what others told meanwhile.
    ///
    /// # Errors
    ///
    /// If somebody else keeps it, or it cannot be read.
    pub fn wake(&mut self) -> Result<(), LearningError> {
        if self.lock.is_some() {
            return Ok(());
        }
        self.lock = Some(lock(&self.folder, self.patience)?);
        if self.journal_length() != self.rested_at {
            let (journal, found) = Journal::open(&self.folder.join(EVENTS), Sync::Each)?;
            self.journal = journal;
            self.events = sound(found);
            self.fold_all();
        }
        self.unspool()
    }

    fn journal_length(&self) -> u64 {
        fs::metadata(self.folder.join(EVENTS)).map_or(0, |file| file.len())
    }

    /// Counts what waits in files of its own.
    fn unspool(&mut self) -> Result<(), LearningError> {
        for (path, event) in spool::waiting(&self.folder) {
            let merged = self.merge([event])?;
            // Counted once, also if this is not done: the event has its id.
            let _ = match merged.refused {
                0 => fs::remove_file(&path),
                // Not a game of this population any more; it is not for us to lose it.
                _ => fs::rename(&path, path.with_extension(spool::REFUSED)),
            };
        }
        Ok(())
    }

    /// Where a game can be told that ends while somebody else is at the folder.
    pub fn spool(&self) -> Spool {
        Spool {
            folder: self.folder.clone(),
            population: self.id.clone(),
            installation: self.installation.clone(),
            number: self.last().saturating_add(1).min(MOST_NUMBER),
        }
    }

    /// The largest number of a game.
    fn last(&self) -> u64 {
        self.events.keys().next_back().map_or(0, |id| id.number)
    }

    /// The game of this id.
    pub fn event(&self, id: &EventId) -> Option<&Event> {
        self.events.get(id)
    }

    /// Whether a game was told in this folder, and not elsewhere.
    pub fn is_own(&self, event: &Event) -> bool {
        spool::is_own(&self.installation, &event.id.installation)
    }

    /// The games that were played here against a program of this name.
    pub fn played_against(&self, opponent: &str) -> impl Iterator<Item = &Event> {
        let name = opponent_name(opponent);
        self.events().filter(move |event| {
            self.is_own(event) && event.against == Against::Program && event.opponent == name
        })
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
        self.wake()?;
        let number = self.last().checked_add(1).filter(|&it| it <= MOST_NUMBER);
        let id = EventId {
            number: number.ok_or_else(|| LearningError::Full {
                path: self.folder.clone(),
            })?,
            installation: self.installation.clone(),
        };
        let event = game.event(id, &self.id);
        self.journal.append(&event)?;
        // The newest event is the last in the order, so that nothing is counted anew.
        self.population.fold(&self.space, &event);
        self.events.insert(event.id.clone(), event.clone());
        Ok(event)
    }

    /// Counts games that were played elsewhere: each once, however often and in whatever
    /// order they come. They reach the disk together.
    ///
    /// # Errors
    ///
    /// If the disk refuses; then none is counted, and they may be merged again.
    pub fn merge(
        &mut self,
        events: impl IntoIterator<Item = Event>,
    ) -> Result<Merged, LearningError> {
        self.wake()?;
        let mut merged = Merged::default();
        let mut last = self.last();
        let mut new: BTreeMap<EventId, Event> = BTreeMap::new();
        for event in events {
            match self.events.get(&event.id).or_else(|| new.get(&event.id)) {
                Some(known) if *known == event => merged.known += 1,
                Some(_) => merged.refused += 1,
                None if event.population != self.id
                    || event.fault(last).is_some()
                    || self.player(&event.set).is_err() =>
                {
                    merged.refused += 1;
                }
                None => {
                    last = last.max(event.id.number);
                    new.insert(event.id.clone(), event);
                    merged.new += 1;
                }
            }
        }
        self.journal.append_all(new.values())?;
        if merged.new > 0 {
            self.events.extend(new);
            self.fold_all();
        }
        Ok(merged)
    }
}

impl Finished {
    /// The event that it is, as all installations are told of it.
    pub(super) fn event(self, id: EventId, population: &str) -> Event {
        Event {
            id,
            population: population.to_owned(),
            set: self.set,
            opponent: opponent_name(&self.opponent),
            against: self.against,
            white: self.white,
            plies: plies_of(self.plies),
            result: self.result,
        }
    }
}

/// The lock of a folder; whoever holds it has some time to end.
fn lock(folder: &Path, patience: Duration) -> Result<FolderLock, LockError> {
    let begun = Instant::now();
    loop {
        match FolderLock::take(folder) {
            Err(LockError::Taken { .. }) if begun.elapsed() < patience => {
                thread::sleep(Duration::from_millis(20));
            }
            taken => return taken,
        }
    }
}

/// The name of a folder that is locked; one without a name gets the one given.
fn installation_of(folder: &Path, given: &str) -> Result<String, LearningError> {
    let path = folder.join(INSTALLATION);
    let name = match fs::read_to_string(&path) {
        Ok(text) => text.trim().to_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            replace(&path, format!("{given}\n").as_bytes())?;
            given.to_owned()
        }
        Err(source) => return Err(LearningError::Read { path, source }),
    };
    // What is put behind it for a game that waits must fit, too.
    if !is_installation(&format!("{name}{}", spool::LONGEST_SUFFIX)) {
        let name = name.chars().take(80).collect();
        return Err(LearningError::Installation { path, name });
    }
    Ok(name)
}

/// The games of a journal. One whose number is no game's does not count, whoever let it
/// in: all later ones would have to be behind it.
fn sound(found: Vec<Event>) -> BTreeMap<EventId, Event> {
    let ordered: BTreeMap<EventId, Event> =
        found.into_iter().map(|it| (it.id.clone(), it)).collect();
    let mut last = 0;
    let sound = ordered.into_iter().filter(|(id, _)| {
        let follows = id.follows(last);
        if follows {
            last = id.number;
        }
        follows
    });
    sound.collect()
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
