//! Players as a payload holds them, and the programs that the owner of a machine allows.

use std::collections::BTreeMap;
use std::sync::Arc;

use mendel_crew::{BlobId, Blobs, HandlerError};
use mendel_engine::{Luggage as PlayerBundle, Player};
use serde::{Deserialize, Serialize};

use super::TaskBlobs;
use crate::entrant::{one_line, program_name};
use crate::{Entrant, EntrantError, Kind, Pace, player_pool};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemotePlayer {
    /// What it is called in tables.
    pub name: String,
    pub who: RemotePlayerKind,
    /// Its own pace, where it differs from the others'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<Pace>,
    /// Engine options, in the order given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
}

/// A player of ours with all it needs, or a program by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum RemotePlayerKind {
    Bred {
        /// The text of its player file.
        player: InlineOrBlob,
        /// Its networks that are not built in, by the names in the text.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        networks: BTreeMap<String, BlobId>,
    },
    /// A program that the owner of the machine knows by this name.
    Program { program: String },
}

/// A text in the payload, or a blob if it is long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InlineOrBlob {
    Inline(String),
    Blob(BlobId),
}

/// Longer texts are blobs, which are sent once and not with every job.
const MAX_INLINE_LEN: usize = 4096;

/// Options of our players that name files.
const FILES: [&str; 3] = ["SyzygyPath", "Book", crate::bred::LEVELS];

/// What our players take for their tables if nothing is said, in MiB; of a program it
/// is not known, and the same is assumed.
const DEFAULT_HASH: u64 = 16;

impl InlineOrBlob {
    fn pack(text: String, task_blobs: &mut TaskBlobs) -> Self {
        if text.len() <= MAX_INLINE_LEN {
            return Self::Inline(text);
        }
        Self::Blob(put(text.into_bytes().into(), task_blobs))
    }

    fn read(&self, blobs: &dyn Blobs) -> Result<String, HandlerError> {
        match self {
            Self::Inline(text) => Ok(text.clone()),
            Self::Blob(id) => {
                let bytes = blobs.read(id)?;
                let text = String::from_utf8(bytes.to_vec());
                text.map_err(|_| HandlerError::InvalidJob("a player file is not text".to_owned()))
            }
        }
    }
}

fn put(bytes: Arc<[u8]>, task_blobs: &mut TaskBlobs) -> BlobId {
    let id = BlobId::of(&bytes);
    task_blobs.insert(id, bytes);
    id
}

impl RemotePlayer {
    /// Encodes a player; the blobs it needs go into `task_blobs`.
    ///
    /// # Errors
    ///
    /// If something of it belongs to this machine: a file, a command. Says what, and the
    /// remedy.
    pub fn pack(entrant: &Entrant, task_blobs: &mut TaskBlobs) -> Result<Self, String> {
        let name = &entrant.name;
        let who = match &entrant.kind {
            Kind::Bred(player) => {
                let packed = player
                    .pack()
                    .map_err(|error| format!("`{name}` cannot travel to a worker: {error}"))?;
                let networks = packed.networks.into_iter();
                RemotePlayerKind::Bred {
                    player: InlineOrBlob::pack(packed.text, task_blobs),
                    networks: networks
                        .map(|(file, bytes)| (file, put(bytes, task_blobs)))
                        .collect(),
                }
            }
            Kind::Program {
                command,
                directory,
                environment,
                ..
            } => {
                let program = program_name(&command[0]);
                let what = match () {
                    () if command.len() > 1 => Some("arguments"),
                    () if directory.is_some() => Some("`.dir`"),
                    () if !environment.is_empty() => Some("`.env`"),
                    () => None,
                };
                if let Some(what) = what {
                    return Err(format!(
                        "`{name}` cannot travel to a worker with {what}: programs go by their names; leave it out here, and let each worker say how it is started: `mendel worker --allow '{program}=PROGRAM ARGUMENTS'`"
                    ));
                }
                RemotePlayerKind::Program { program }
            }
        };
        let player = Self {
            name: name.clone(),
            who,
            pace: entrant.pace,
            options: entrant.options.clone(),
        };
        match player.unfit() {
            None => Ok(player),
            Some((option, value, reason)) => Err(format!(
                "`{name}` cannot travel to a worker with `{option}={value}`: {reason}; leave it out, or play without a crew"
            )),
        }
    }

    /// An option that must not travel, if there is one, and why not.
    fn unfit(&self) -> Option<(&str, &str, &'static str)> {
        let is_program = matches!(self.who, RemotePlayerKind::Program { .. });
        self.options
            .iter()
            .enumerate()
            .find_map(|(at, (name, value))| {
                let is_file = FILES.iter().any(|file| file.eq_ignore_ascii_case(name));
                let mut earlier = self.options[..at].iter();
                let reason = if earlier.any(|(it, _)| same_option(it, name)) {
                    // The limits of a worker's owner look at one of them.
                    "it is set twice"
                } else if is_program && !is_plain(value) {
                    "of a program only numbers, true and false can be set elsewhere"
                } else if !is_program && is_file && value != "<empty>" {
                    "it names a file of this machine"
                } else {
                    return None;
                };
                Some((name.as_str(), value.as_str(), reason))
            })
    }

    /// The blobs that it needs.
    pub fn blobs(&self) -> Vec<BlobId> {
        match &self.who {
            RemotePlayerKind::Bred { player, networks } => {
                let text = match player {
                    InlineOrBlob::Inline(_) => None,
                    InlineOrBlob::Blob(id) => Some(*id),
                };
                text.into_iter().chain(networks.values().copied()).collect()
            }
            RemotePlayerKind::Program { .. } => Vec::new(),
        }
    }

    /// MiB that it takes for its tables.
    pub fn hash(&self) -> u64 {
        self.number("Hash").unwrap_or(DEFAULT_HASH)
    }

    fn number(&self, wanted: &str) -> Option<u64> {
        let is_it = |(name, _): &&(String, String)| same_option(name, wanted);
        let (_, value) = self.options.iter().find(is_it)?;
        // What is no number is refused where it is set.
        value.trim().parse().ok()
    }
}

/// Whether a program takes both names for the same option.
fn same_option(one: &str, other: &str) -> bool {
    one.trim().eq_ignore_ascii_case(other.trim())
}

/// A number, `true` or `false`: nothing that a program could take for a file.
fn is_plain(value: &str) -> bool {
    let value = value.trim();
    value.parse::<f64>().is_ok_and(f64::is_finite) || ["true", "false"].contains(&value)
}

/// The programs and the memory that the owner of a worker allows to jobs.
#[derive(Clone, Debug, Default)]
pub struct ProgramAllowlist {
    programs: BTreeMap<String, Entrant>,
    /// MiB that the tables of a job may take together.
    memory: Option<u64>,
}

impl ProgramAllowlist {
    /// No program, and `memory` MiB for the tables of all players of a job together.
    pub fn new(memory: u64) -> Self {
        Self {
            memory: Some(memory),
            ..Self::default()
        }
    }

    /// Allows a program: jobs name it `name`, and `command` is how it is started here,
    /// as a player is written on the command line; `cmd:` may be left out.
    ///
    /// # Errors
    ///
    /// If `command` is not a command.
    pub fn allow(&mut self, name: &str, command: &str) -> Result<(), EntrantError> {
        let kinds = ["cmd:", "uci:", "xboard:"];
        let entrant = if kinds.iter().any(|kind| command.starts_with(kind)) {
            Entrant::parse(command)?
        } else {
            Entrant::parse(&format!("cmd:{command}"))?
        };
        self.programs.insert(name.to_owned(), entrant);
        Ok(())
    }

    /// The names of the programs that are allowed.
    pub fn programs(&self) -> impl Iterator<Item = &str> {
        self.programs.keys().map(String::as_str)
    }

    /// The players of a job, if all are allowed.
    ///
    /// # Errors
    ///
    /// If a player is invalid, or is not allowed here.
    pub fn resolve_players(
        &self,
        players: &[RemotePlayer],
        blobs: &dyn Blobs,
    ) -> Result<Vec<Entrant>, HandlerError> {
        // 1. What they would take, once nothing is said twice.
        for player in players {
            if let Some((option, value, reason)) = player.unfit() {
                return Err(HandlerError::InvalidJob(format!(
                    "`{option}={value}`: {reason}"
                )));
            }
        }
        let mut hashes: Vec<u64> = players.iter().map(RemotePlayer::hash).collect();
        hashes.sort_unstable_by(|one, other| other.cmp(one));
        // The two players of the game, and the idle ones.
        let most = hashes.iter().take(player_pool::MAX_IDLE_PLAYERS + 2);
        let hash = most.fold(0, |sum: u64, &hash| sum.saturating_add(hash));
        if let Some(memory) = self.memory.filter(|&memory| hash > memory) {
            return Err(HandlerError::CannotRun(format!(
                "its players ask for {hash} MiB of tables, and this worker gives {memory}"
            )));
        }
        let threads = players.iter().filter_map(|it| it.number("Threads")).max();
        if let Some(threads) = threads.filter(|&threads| threads > 1) {
            return Err(HandlerError::CannotRun(format!(
                "a player asks for {threads} threads, and a worker gives one to each job"
            )));
        }

        // 2. The players themselves.
        let admitted = players.iter().map(|player| self.entrant(player, blobs));
        admitted.collect()
    }

    fn entrant(&self, player: &RemotePlayer, blobs: &dyn Blobs) -> Result<Entrant, HandlerError> {
        let name = one_line(&player.name);
        let mut options = player.options.clone();
        let kind = match &player.who {
            RemotePlayerKind::Bred { player, networks } => {
                let mut carried = BTreeMap::new();
                for (file, id) in networks {
                    carried.insert(file.clone(), blobs.read(id)?);
                }
                let packed = PlayerBundle {
                    text: player.read(blobs)?,
                    networks: carried,
                };
                let player = Player::unpack(&packed, &format!("the player `{name}`"));
                let player = player.map_err(|error| HandlerError::InvalidJob(error.to_string()))?;
                Kind::Bred(Arc::new(player))
            }
            RemotePlayerKind::Program { program } => {
                let Some(allowed) = self.programs.get(program) else {
                    let program = one_line(program);
                    return Err(HandlerError::CannotRun(format!(
                        "`{program}` is not allowed on this worker; its owner can start it with `--allow {program}=PATH`"
                    )));
                };
                // The owner's settings stand before those of the job.
                let own = allowed.options.iter();
                let set = |name: &str| own.clone().any(|(own, _)| same_option(own, name));
                options.retain(|(name, _)| !set(name));
                options.splice(0..0, allowed.options.iter().cloned());
                allowed.kind.clone()
            }
        };
        Ok(Entrant {
            text: name.clone(),
            name,
            kind,
            pace: player.pace,
            options,
        })
    }
}
