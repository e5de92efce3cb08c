//! The population of a folder, computed from its games.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;
use std::{fs, io};

use mendel_engine::Player;
use mendel_fitness::genome::space::{CodingName, GenomeSettings, Space};
use mendel_store::frame::{Failure, Folder};
use mendel_store::{Journal, Sync, fingerprint, replace};
use serde::{Deserialize, Serialize};

use super::population::{InitialWeights, Population, PopulationRules};
use super::{PLAYER, pending};
use crate::record::learning::{
    GAMES, GameId, LearnedGame, LearningRecord, MOST_NUMBER, OpponentHistory, OpponentKind,
    PlayerResult, is_node_id, opponent_name, plies_of,
};

/// `plan.toml`: what a population begins with. Games of populations with another config are
/// not its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PopulationConfig {
    pub seed: u64,
    pub rules: PopulationRules,
    /// The player whose weights are learned, as a player file.
    pub player: String,
}

impl PopulationConfig {
    /// A population that learns the weights of `player`.
    pub fn new(player: &Player, start: InitialWeights, seed: u64) -> Self {
        Self {
            seed,
            rules: PopulationRules {
                start,
                ..PopulationRules::default()
            },
            player: player.to_toml(),
        }
    }

    /// The population that all nodes share.
    ///
    /// # Panics
    ///
    /// Never: its player is built in.
    pub fn shared() -> Self {
        let player = Player::find(PLAYER).expect("the player is built in");
        Self::new(&player, InitialWeights::Bred, SHARED_SEED)
    }

    /// The config of the population in a folder; `None` where no experiment was started.
    ///
    /// # Errors
    ///
    /// If the plan cannot be read.
    pub fn stored(folder: &Path) -> Result<Option<Self>, Failure> {
        let files = Folder::at(folder);
        if !files.has(PLAN) {
            return Ok(None);
        }
        let config = toml::from_str(&files.read(PLAN)?).map_err(|error| {
            let path = files.file(PLAN);
            let path = path.display();
            Failure::failed(format!("{path} is broken: {error}; restore it from a copy"))
        })?;
        Ok(Some(config))
    }

    /// By which its games are recognised.
    pub fn id(&self) -> String {
        fingerprint(toml::to_string(self).unwrap_or_default().as_bytes())
    }

    pub(super) fn check(&self) -> Result<(), Failure> {
        space_of(&player_of(self)?).map(|_| ())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    pub set: Vec<i32>,
    pub opponent: String,
    pub against: OpponentKind,
    pub white: bool,
    pub plies: u32,
    /// The result, as the weights see it.
    pub result: PlayerResult,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MergedGames {
    pub new: usize,
    pub known: usize,
    /// Games of another population, with weights that cannot play, with an id that
    /// another game has, or with what is no game's.
    pub refused: usize,
}

/// A population and its games.
///
/// Only the experiment of a folder holds its lock and writes [`GAMES`]. Every other process
/// [reads](Self::read) that file and the files of pending games without a lock, and writes
/// one such file for each game of its own. Equal games give equal populations, so that
/// neither needs to wait for the other.
#[derive(Debug)]
pub struct OnlinePopulation {
    folder: PathBuf,
    config: PopulationConfig,
    id: String,
    node_id: String,
    player: Player,
    space: Space,
    /// Only the experiment has it.
    journal: Option<Journal<LearnedGame>>,
    games: BTreeMap<GameId, LearnedGame>,
    population: Population,
}

const SHARED_SEED: u64 = 1;
pub const PLAN: &str = "plan.toml";
/// The file with what the games of this folder are named by.
pub const NODE_ID: &str = "node-id";
/// What parts a node id from the name of a pending game.
const MARK: char = '.';
const PENDING_NAME: usize = 16;

impl OnlinePopulation {
    /// The population of a folder, for a process that does not hold its lock. A folder that
    /// no experiment was started in has the population of `usual`.
    ///
    /// # Errors
    ///
    /// If the folder cannot be used, or its plan or its games cannot be read.
    pub fn read(folder: &Path, usual: &PopulationConfig) -> Result<Self, Failure> {
        let stored = PopulationConfig::stored(folder)?;
        let config = stored.unwrap_or_else(|| usual.clone());
        let mut population = Self::new(folder, config, None)?;
        population.refresh()?;
        Ok(population)
    }

    /// The population of a folder whose lock this process holds, so that it alone writes the
    /// journal; for the experiment.
    ///
    /// # Errors
    ///
    /// If the folder cannot be used, or its games cannot be read.
    pub fn open(folder: &Folder, config: PopulationConfig) -> Result<Self, Failure> {
        let (journal, found) = folder.journal_where::<LearnedGame>(GAMES, Sync::Each, |_| true)?;
        let mut population = Self::new(folder.path(), config, Some(journal))?;
        population.games = without_gaps(found);
        population.fold_all();
        population.refresh()?;
        Ok(population)
    }

    fn new(
        folder: &Path,
        config: PopulationConfig,
        journal: Option<Journal<LearnedGame>>,
    ) -> Result<Self, Failure> {
        let player = player_of(&config)?;
        let space = space_of(&player)?;
        Ok(Self {
            folder: folder.to_owned(),
            id: config.id(),
            node_id: node_id_of(folder)?,
            population: Population::new(&space, config.rules, config.seed),
            config,
            player,
            space,
            journal,
            games: BTreeMap::new(),
        })
    }

    /// Counts what other processes have added to the folder.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or written.
    pub fn refresh(&mut self) -> Result<(), Failure> {
        // Pending games first: one that the experiment moves in between is in its journal.
        let waiting = pending::read(&self.folder);
        if self.journal.is_none() {
            let path = self.folder.join(GAMES);
            if path.exists() {
                let mut found = Journal::<LearnedGame>::read(&path)?;
                found.extend(self.games.values().cloned());
                let found = without_gaps(found);
                if found.len() != self.games.len() {
                    self.games = found;
                    self.fold_all();
                }
            }
            self.merge(waiting.into_iter().map(|(_, game)| game))?;
            return Ok(());
        }
        for (path, game) in waiting {
            let merged = self.merge([game])?;
            // Counted once, also if this is not done: the game has its id.
            let _ = match merged.refused {
                0 => fs::remove_file(&path),
                // Not a game of this population; it is not for us to lose it.
                _ => fs::rename(&path, path.with_extension(pending::REFUSED)),
            };
        }
        Ok(())
    }

    fn last(&self) -> u64 {
        self.games.keys().next_back().map_or(0, |id| id.number)
    }

    pub fn game(&self, id: &GameId) -> Option<&LearnedGame> {
        self.games.get(id)
    }

    /// Whether a game was played in this folder, and not elsewhere.
    pub fn is_own(&self, game: &LearnedGame) -> bool {
        let rest = game.id.node.strip_prefix(&self.node_id);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(MARK))
    }

    /// The games that were played here against a program of this name.
    pub fn played_against(&self, opponent: &str) -> impl Iterator<Item = &LearnedGame> {
        let name = opponent_name(opponent);
        self.games().filter(move |game| {
            self.is_own(game) && game.against == OpponentKind::Program && game.opponent == name
        })
    }

    fn fold_all(&mut self) {
        let PopulationConfig { rules, seed, .. } = self.config;
        self.population = Population::new(&self.space, rules, seed);
        for game in self.games.values() {
            self.population.fold(&self.space, game);
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What the games of this folder are named by.
    pub fn node_id(&self) -> &str {
        &self.node_id
    }

    /// By which its games are recognised.
    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn population(&self) -> &Population {
        &self.population
    }

    /// All games in the order in which they count.
    pub fn games(&self) -> impl ExactSizeIterator<Item = &LearnedGame> {
        self.games.values()
    }

    /// The population with all its games, as a page shows it.
    pub fn record(&self) -> LearningRecord {
        LearningRecord {
            seed: self.config.seed,
            names: self.space.names().to_vec(),
            games: self.games().cloned().collect(),
            opponents: opponents(self),
            members: self.population.members().to_vec(),
            births: self.population.births(),
        }
    }

    /// The weights that play next, by this chance.
    pub fn choose(&self, seed: u64) -> Vec<i32> {
        self.population.choose(seed).set.clone()
    }

    /// The player with these weights.
    ///
    /// # Errors
    ///
    /// If they are not of this population's kind.
    pub fn player(&self, set: &[i32]) -> Result<Player, Failure> {
        let made = self.space.player(&self.player, set);
        made.map_err(|error| cannot_learn(&self.player, &error))
    }

    /// Counts a game that was played here; it is on the disk before this returns. The
    /// game is what other nodes are to be sent.
    ///
    /// # Errors
    ///
    /// If the weights do not fit the player, or the disk refuses; then nothing has changed.
    pub fn record_game(&mut self, game: PlayedGame) -> Result<LearnedGame, Failure> {
        self.player(&game.set)?;
        self.refresh()?;
        let number = self.last().checked_add(1).filter(|&it| it <= MOST_NUMBER);
        let number = number.ok_or_else(|| {
            Failure::failed(format!(
                "{} has games up to the last number; start another population with `--out`",
                self.folder.display()
            ))
        })?;
        let node = match &self.journal {
            Some(_) => self.node_id.clone(),
            // Another process may take the same number at this moment.
            None => format!("{}{MARK}{}", self.node_id, unique_name(number)),
        };
        let game = game.with_id(GameId { number, node }, &self.id);
        match &mut self.journal {
            Some(journal) => journal.append(&game)?,
            None => pending::write(&self.folder, &game)?,
        }
        // The newest game is the last in the order: the earlier ones need not be counted again.
        self.population.fold(&self.space, &game);
        self.games.insert(game.id.clone(), game.clone());
        Ok(game)
    }

    /// Counts games that were played elsewhere: each once, in any order and however often they
    /// are passed. The experiment writes them to the disk together; other processes
    /// only remember them.
    ///
    /// # Errors
    ///
    /// If the disk refuses; then none is counted, and they may be merged again.
    pub fn merge(
        &mut self,
        games: impl IntoIterator<Item = LearnedGame>,
    ) -> Result<MergedGames, Failure> {
        let mut merged = MergedGames::default();
        let mut last = self.last();
        let mut new: BTreeMap<GameId, LearnedGame> = BTreeMap::new();
        for game in games {
            match self.games.get(&game.id).or_else(|| new.get(&game.id)) {
                Some(known) if *known == game => merged.known += 1,
                Some(_) => merged.refused += 1,
                None if game.population != self.id
                    || game.fault(last).is_some()
                    || self.player(&game.set).is_err() =>
                {
                    merged.refused += 1;
                }
                None => {
                    last = last.max(game.id.number);
                    new.insert(game.id.clone(), game);
                    merged.new += 1;
                }
            }
        }
        if let Some(journal) = &mut self.journal {
            journal.append_all(new.values())?;
        }
        if merged.new > 0 {
            self.games.extend(new);
            self.fold_all();
        }
        Ok(merged)
    }
}

/// The games by opponent, ordered by name.
pub fn opponents(population: &OnlinePopulation) -> Vec<OpponentHistory> {
    let mut met: BTreeMap<&str, OpponentHistory> = BTreeMap::new();
    for game in population.games() {
        let opponent = met
            .entry(&game.opponent)
            .or_insert_with(|| OpponentHistory {
                name: game.opponent.clone(),
                results: Vec::new(),
                here: 0,
            });
        opponent.results.push(game.result.points());
        opponent.here += usize::from(population.is_own(game));
    }
    met.into_values().collect()
}

impl PlayedGame {
    /// The game as all nodes are sent it.
    fn with_id(self, id: GameId, population: &str) -> LearnedGame {
        LearnedGame {
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

/// A name that no other process gives a game.
fn unique_name(number: u64) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let process = std::process::id();
    let name = format!("{:?} {process} {count} {number}", SystemTime::now());
    fingerprint(name.as_bytes())
        .chars()
        .take(PENDING_NAME)
        .collect()
}

/// A node id that no folder has: where and when it was made, and by whom. It has no
/// influence on what is played.
pub fn new_node_id(folder: &Path) -> String {
    let made = format!(
        "{:?} {} {} {:?}",
        SystemTime::now(),
        std::process::id(),
        folder.display(),
        fs::read("/etc/machine-id").unwrap_or_default()
    );
    fingerprint(made.as_bytes())
}

/// The node id of a folder; one without an id gets one. Of several processes that do this
/// at once, the first one's id counts.
fn node_id_of(folder: &Path) -> Result<String, Failure> {
    let path = folder.join(NODE_ID);
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |error: io::Error| Failure::failed(format!("cannot use {path}: {error}"))
    };
    fs::create_dir_all(folder).map_err(failed(folder))?;
    if !path.exists() {
        let id = new_node_id(folder);
        let own = folder.join(format!("{NODE_ID}-{id}.new"));
        replace(&own, format!("{id}\n").as_bytes())?;
        let linked = fs::hard_link(&own, &path);
        let _ = fs::remove_file(&own);
        match linked {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(failed(&path)(error));
            }
            _ => {}
        }
    }
    let text = fs::read_to_string(&path).map_err(failed(&path))?;
    let id = text.trim().to_owned();
    // What is put behind it for a pending game must fit, too.
    if !is_node_id(&format!("{id}{MARK}{}", "0".repeat(PENDING_NAME))) {
        let id: String = id.chars().take(80).collect();
        return Err(Failure::failed(format!(
            "{} holds no node id (up to 47 plain letters and digits): {id:?}; remove it, and the \
             next game makes one",
            path.display()
        )));
    }
    Ok(id)
}

/// The games of a journal, without those whose numbers are too far ahead: all later games would
/// need numbers behind them.
fn without_gaps(found: Vec<LearnedGame>) -> BTreeMap<GameId, LearnedGame> {
    let ordered: BTreeMap<GameId, LearnedGame> =
        found.into_iter().map(|it| (it.id.clone(), it)).collect();
    let mut last = 0;
    let counted = ordered.into_iter().filter(|(id, _)| {
        let follows = id.follows(last);
        if follows {
            last = id.number;
        }
        follows
    });
    counted.collect()
}

fn player_of(config: &PopulationConfig) -> Result<Player, Failure> {
    Ok(Player::parse(&config.player, PLAN)?)
}

fn space_of(player: &Player) -> Result<Space, Failure> {
    let settings = GenomeSettings::published(CodingName::Binary, CHROMOSOME);
    Space::new(player, &settings).map_err(|error| cannot_learn(player, &error.reason))
}

fn cannot_learn(player: &Player, reason: &impl Display) -> Failure {
    Failure::failed(format!(
        "`{}` cannot learn: {reason}; take a player whose evaluator is of kind `cwu`, such as `cwu`",
        player.name
    ))
}

const CHROMOSOME: &str = "cwu";
