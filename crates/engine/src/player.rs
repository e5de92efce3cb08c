//! Players: an evaluator, a search and a policy, as player files describe them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mendel_evaluator::{AnyEvaluator, EvaluatorError};
use toml::{Table, Value};

use crate::files;
use crate::guidance::{Guidance, Way};
use crate::networks::{NetworkError, NetworkSource, beside, is_built_in};
use crate::params::{Profile, SearchParams, SettingError};
use crate::words::quote;

/// An evaluator, search parameters and where they come from.
#[derive(Clone, Debug)]
pub struct Player {
    pub name: String,
    /// One sentence about it.
    pub about: String,
    pub evaluator: AnyEvaluator,
    /// The profile its search numbers start from.
    pub profile: Profile,
    pub params: SearchParams,
    /// The network that has a say in its moves.
    pub policy: Option<Guidance>,
    /// Where it comes from; only the laboratory knows what it means.
    pub pedigree: Table,
    /// The folder its networks lie in, where it was read from a file.
    pub home: Option<PathBuf>,
}

/// A player that goes to another machine: all that it needs, and no path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Luggage {
    /// The text of its player file, without the pedigree.
    pub text: String,
    /// Its networks that are not built in, by the names that the text has for them.
    pub networks: BTreeMap<String, Arc<[u8]>>,
}

#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    #[error(
        "there is no player `{name}`: built in are {}; a player file ends in `.toml`",
        names()
    )]
    Unknown { name: String },
    #[error("cannot read the player file `{}`: {source}", path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    /// `origin` is the file or the built-in name.
    #[error("{origin} is not a player file: {reason}")]
    Syntax { origin: String, reason: String },
    /// A key is missing, unknown or of the wrong kind.
    #[error("{origin}: `{key}` {reason}")]
    Key {
        origin: String,
        key: String,
        reason: String,
    },
    #[error("{origin}: {source}")]
    Evaluator {
        origin: String,
        source: EvaluatorError,
    },
    #[error("{origin}: {source}")]
    Setting {
        origin: String,
        source: SettingError,
    },
}

/// Why a question about the evaluator of a player has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{player}` uses no evaluator: its network chooses the moves alone")]
pub struct UnusedEvaluator {
    pub player: String,
}

const KEYS: [&str; 7] = [
    "name",
    "about",
    "like",
    "evaluator",
    "search",
    "policy",
    "pedigree",
];

/// Files larger than this are no player files.
const MAX_FILE_LEN: u64 = 16 << 20;

macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        const BUILT_IN: &[(&str, &str)] = &[
            $( ($name, include_str!(concat!("../../../players/", $name, ".toml"))), )*
        ];
    };
}
built_in![
    "mendel",
    "mendel-hand-set",
    "gerald-base",
    "gerald-eval-tuned",
    "gerald-tuned",
    "lambda-ga",
    "lambda-coevolved",
    "evol-star",
    "teaching",
    "teaching-plus",
    "cosyne",
    "neat",
    "es-hyperneat",
    "cwu",
    "cwu-ours",
    "cwu-random",
    "chessnet",
    "human",
    "human-network",
    "lambda",
    "lambda-ours",
    "teacher",
    "teacher-network",
    "value",
    "material",
    "material-plain",
    "material-mobility",
    "random",
];

/// Adds what the file leaves out from the built-in player that it is like.
fn follow(table: &mut Table) -> Result<(), String> {
    let name = match table.get("like") {
        None => return Ok(()),
        Some(Value::String(name)) => name,
        Some(_) => return Err("must be a text in quotes".to_owned()),
    };
    let like = BUILT_IN.iter().find(|(built_in, _)| built_in == name);
    let like = like.and_then(|(_, text)| text.parse::<Table>().ok());
    let like = like.ok_or_else(|| format!("is `{}`; write one of {}", quote(name), names()))?;
    if let Some(other) = like.get("like") {
        let name = quote(name);
        return Err(format!(
            "is `{name}`, which is itself like {other}; write that"
        ));
    }
    for key in ["evaluator", "search"] {
        if let Some(value) = like.get(key) {
            table.entry(key).or_insert_with(|| value.clone());
        }
    }
    Ok(())
}

fn names() -> String {
    let names: Vec<String> = BUILT_IN
        .iter()
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    names.join(", ")
}

impl Player {
    /// The default player.
    pub const DEFAULT: &'static str = "mendel";

    /// Finds a player: a built-in name, or the path of a player file.
    ///
    /// # Errors
    ///
    /// If there is no such player or its file is not a player.
    pub fn find(name: &str) -> Result<Self, PlayerError> {
        if let Some((name, text)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
            return Self::parse(text, &format!("the built-in player `{name}`"));
        }
        let path = Path::new(name);
        let is_path = path
            .extension()
            .is_some_and(|extension| extension == "toml")
            || path.components().count() > 1
            || path.is_file();
        if is_path {
            Self::read(path)
        } else {
            Err(PlayerError::Unknown {
                name: name.to_owned(),
            })
        }
    }

    /// Reads a player file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is not a player.
    pub fn read(path: &Path) -> Result<Self, PlayerError> {
        let fail = |source| PlayerError::Read {
            path: path.to_owned(),
            source,
        };
        let text = files::read_text(path, MAX_FILE_LEN).map_err(fail)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let origin = format!("`{}`", path.display());
        let player = Self::parse_with(&text, &origin, NetworkSource::Folder(folder))?;
        Ok(Self {
            home: Some(folder.to_owned()),
            ..player
        })
    }

    /// All built-in players.
    pub fn built_in() -> impl Iterator<Item = Self> {
        BUILT_IN
            .iter()
            .map(|(name, _)| Self::find(name).expect("built-in players are tested"))
    }

    /// Reads the text of a player file; `origin` says in errors where it is from. Its
    /// networks are built in; those of a file next to it need [`read`](Self::read).
    ///
    /// # Errors
    ///
    /// If the text is not a player.
    pub fn parse(text: &str, origin: &str) -> Result<Self, PlayerError> {
        Self::parse_with(text, origin, NetworkSource::BuiltIn)
    }

    /// Reads a player that came from another machine; no file is looked at.
    ///
    /// # Errors
    ///
    /// If the text is not a player, or a network is missing or broken.
    pub fn unpack(luggage: &Luggage, origin: &str) -> Result<Self, PlayerError> {
        Self::parse_with(
            &luggage.text,
            origin,
            NetworkSource::Carried(&luggage.networks),
        )
    }

    /// Packs all that another machine needs to play as this player does.
    ///
    /// # Errors
    ///
    /// If one of its networks cannot be read any more.
    pub fn pack(&self) -> Result<Luggage, NetworkError> {
        let bare = Self {
            pedigree: Table::new(),
            ..self.clone()
        };
        let mut networks = BTreeMap::new();
        for name in self.networks() {
            if let Some(bytes) = beside(&name, self.home.as_deref())? {
                networks.insert(name, bytes.into());
            }
        }
        Ok(Luggage {
            text: bare.to_toml(),
            networks,
        })
    }

    /// The files of its networks in the folder that it was read from; those built in have
    /// none.
    pub fn network_files(&self) -> Vec<PathBuf> {
        let names = self.networks().into_iter().filter(|it| !is_built_in(it));
        let home = self.home.as_deref();
        names.filter_map(|name| Some(home?.join(name))).collect()
    }

    /// The networks that it names: the one that judges, and its policy's.
    fn networks(&self) -> Vec<String> {
        let judging = self.evaluator.to_toml();
        let judging = judging.get("file").and_then(Value::as_str);
        let naming = self.policy.as_ref().map(Guidance::file);
        judging
            .into_iter()
            .chain(naming)
            .map(str::to_owned)
            .collect()
    }

    fn parse_with(text: &str, origin: &str, library: NetworkSource) -> Result<Self, PlayerError> {
        let origin = || origin.to_owned();
        let key_error = |key: &str, reason: &str| PlayerError::Key {
            origin: origin(),
            key: key.to_owned(),
            reason: reason.to_owned(),
        };
        let setting = |source| PlayerError::Setting {
            origin: origin(),
            source,
        };
        let mut table: Table =
            text.parse()
                .map_err(|error: toml::de::Error| PlayerError::Syntax {
                    origin: origin(),
                    reason: error.to_string(),
                })?;

        // 1. No key that would silently mean nothing.
        if let Some(key) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(key_error(
                key,
                &format!("is unknown; the keys are {}", KEYS.join(", ")),
            ));
        }
        follow(&mut table).map_err(|reason| key_error("like", &reason))?;
        let text_of = |key: &str| match table.get(key) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(key_error(key, "must be a text in quotes")),
            None => Err(key_error(
                key,
                "is missing; write it before the first table",
            )),
        };
        let table_of = |key: &str| match table.get(key) {
            Some(Value::Table(table)) => Ok(table.clone()),
            Some(_) => Err(key_error(key, "must be a table")),
            None => Ok(Table::new()),
        };

        // 2. The evaluator.
        let evaluator = table_of("evaluator")?;
        if evaluator.is_empty() {
            return Err(key_error(
                "evaluator",
                "is missing; write `[evaluator]` with its `kind`, or `like` with a built-in player",
            ));
        }
        let open = |name: &str| library.judging(name).map_err(|error| error.to_string());
        let evaluator = AnyEvaluator::from_toml_with(&evaluator, &open).map_err(|source| {
            PlayerError::Evaluator {
                origin: origin(),
                source,
            }
        })?;

        // 3. The search: a profile, and where the player differs from it.
        let mut search = table_of("search")?;
        let profile = match search.remove("profile") {
            None => Profile::default(),
            Some(Value::String(name)) => name
                .parse()
                .map_err(|reason: String| key_error("search.profile", &reason))?,
            Some(_) => return Err(key_error("search.profile", "must be a text in quotes")),
        };
        let mut params = SearchParams::of(profile);
        for (name, value) in &search {
            let value = match value {
                Value::Integer(value) => *value,
                Value::Boolean(value) => i64::from(*value),
                _ => {
                    return Err(key_error(
                        &format!("search.{name}"),
                        "must be a whole number",
                    ));
                }
            };
            params
                .set(name, value)
                .map_err(|error| setting(SettingError(format!("in `[search]`: {error}"))))?;
        }

        // 4. The network that has a say.
        let policy = match table_of("policy")? {
            none if none.is_empty() && !table.contains_key("policy") => None,
            policy => Some(Guidance::from_toml(&policy, library).map_err(setting)?),
        };

        Ok(Self {
            name: text_of("name")?,
            about: if table.contains_key("about") {
                text_of("about")?
            } else {
                String::new()
            },
            evaluator,
            profile,
            params,
            policy,
            pedigree: table_of("pedigree")?,
            home: None,
        })
    }

    /// The evaluator, where the player's moves depend on it.
    ///
    /// # Errors
    ///
    /// If the policy is [`Way::Choose`]: the network chooses each move, and the evaluator
    /// of the player file is never called.
    pub fn used_evaluator(&self) -> Result<&AnyEvaluator, UnusedEvaluator> {
        match &self.policy {
            Some(policy) if policy.way == Way::Choose => Err(UnusedEvaluator {
                player: self.name.clone(),
            }),
            _ => Ok(&self.evaluator),
        }
    }

    /// The search numbers in which it differs from its profile.
    pub fn search_changes(&self) -> Vec<(&'static str, i32)> {
        let base = SearchParams::of(self.profile);
        let own = SearchParams::TUNABLES.iter().filter_map(|tunable| {
            let value = self.params.get(tunable.name)?;
            (Some(value) != base.get(tunable.name)).then_some((tunable.name, value))
        });
        own.collect()
    }

    /// Sets a setting of its policy or a number of its search, by the name that UCI
    /// has for it.
    ///
    /// # Errors
    ///
    /// If it has no such number, or it is out of its range; nothing is changed then.
    pub fn set(&mut self, name: &str, value: i64) -> Result<(), SettingError> {
        match &mut self.policy {
            Some(policy) if policy.offers(name) => policy.set(name, value),
            _ => self.params.set(name, value),
        }
    }

    /// The player as the text of a player file.
    pub fn to_toml(&self) -> String {
        let mut search = Table::new();
        search.insert("profile".into(), self.profile.name().into());
        for (name, value) in self.search_changes() {
            search.insert(name.into(), i64::from(value).into());
        }
        let mut table = Table::new();
        table.insert("name".into(), self.name.clone().into());
        table.insert("about".into(), self.about.clone().into());
        table.insert("search".into(), search.into());
        table.insert("evaluator".into(), self.evaluator.to_toml().into());
        if let Some(policy) = &self.policy {
            table.insert("policy".into(), policy.to_toml().into());
        }
        table.insert("pedigree".into(), self.pedigree.clone().into());
        toml::to_string(&table).expect("a table of plain values can be written")
    }
}
