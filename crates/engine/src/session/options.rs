//! What can be set: the options of both protocols in one list.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::Settings;
use crate::uci::{OptionKind, OptionLine};
use crate::words::quote;
use crate::{Engine, Options, OptionsError, Player, Strength, StrengthTable, StrengthTableError};

/// What was set. It reaches the engine with [`apply`](Self::apply), so that an
/// option may be set at any time, also while the engine thinks.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own that is on or off"
)]
pub(crate) struct OptionStore {
    player: Arc<Player>,
    options: Options,
    tunable: bool,
    ponder: bool,
    analyse: bool,
    /// Whether the engine is to forget what it knows.
    forget: bool,
    /// Whether a file was named that only the engine can judge.
    unproved: bool,
    limit: bool,
    elo: i32,
    strength_seed: u64,
    levels: Arc<StrengthTable>,
    /// Where that is written, if it is not the built-in table.
    levels_path: Option<PathBuf>,
    /// Whether castling is written as in Chess960.
    pub(crate) chess960: bool,
    /// Whether reports carry winning, drawing and losing chances.
    pub(crate) show_wdl: bool,
}

/// A value that fits its option.
enum Value<'a> {
    Number(i64),
    Flag(bool),
    Text(&'a str),
    Pressed,
}

impl OptionStore {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            player: settings.player,
            options: settings.options,
            tunable: settings.tunable,
            ponder: false,
            analyse: false,
            forget: false,
            unproved: false,
            limit: false,
            elo: StrengthTable::built_in().max(),
            strength_seed: 0,
            levels: StrengthTable::built_in(),
            levels_path: None,
            chess960: false,
            show_wdl: false,
        }
    }

    pub(crate) fn player(&self) -> &Player {
        &self.player
    }

    pub(crate) fn set_player(&mut self, player: Arc<Player>) {
        self.player = player;
    }

    /// What comes next has nothing to do with what was before.
    pub(crate) fn forget(&mut self) {
        self.forget = true;
    }

    /// Whether a file was named that only the engine can judge.
    pub(crate) fn is_unproved(&self) -> bool {
        self.unproved
    }

    /// Brings `engine` to what was set and returns what it refused; that is as
    /// it was before.
    pub(crate) fn apply(&mut self, engine: &mut Engine) -> Vec<String> {
        // 1. The player, whose memory is emptied with the change.
        if !Arc::ptr_eq(engine.player(), &self.player) {
            engine.set_player(self.player.clone());
        }

        // 2. The options. What is refused is taken back, and the rest tried again.
        let mut refused = Vec::new();
        loop {
            let mut options = self.options.clone();
            if self.analyse {
                options.book = None;
                options.strength = None;
            } else if self.limit {
                options.strength = Some(Strength {
                    level: self.levels.level(self.elo),
                    seed: self.strength_seed,
                });
            }
            if *engine.options() == options {
                break;
            }
            let Err(fault) = engine.set_options(options) else {
                break;
            };
            let reason = fault.to_string();
            match fault {
                OptionsError::Book(_) => self.options.book.clone_from(&engine.options().book),
                OptionsError::Tablebase(_) => {
                    let before = &engine.options().syzygy_path;
                    self.options.syzygy_path.clone_from(before);
                }
                OptionsError::Hash { .. } => self.options.hash = engine.options().hash,
            }
            refused.push(reason);
        }
        self.unproved = false;

        // 3. Forgetting.
        if std::mem::take(&mut self.forget) {
            engine.new_game();
        }
        refused
    }

    /// All options, with the values they have now as their defaults.
    pub(crate) fn declared(&self) -> Vec<OptionLine> {
        let options = &self.options;
        let overhead = options.move_overhead.as_millis() as i64;
        let (low, high) = (self.levels.min(), self.levels.max());
        let mut declared = vec![
            OptionLine::spin("Hash", options.hash as i64, 1, 65_536),
            OptionLine::new("Clear Hash", OptionKind::Button),
            OptionLine::spin("Threads", options.threads as i64, 1, 256),
            OptionLine::spin("MultiPV", options.multipv as i64, 1, 256),
            OptionLine::check("Ponder", self.ponder),
            OptionLine::spin("Move Overhead", overhead, 0, 60_000),
            path("SyzygyPath", options.syzygy_path.as_deref()),
            path("Book", options.book.as_deref()),
            OptionLine::check("UCI_Chess960", self.chess960),
            OptionLine::check("UCI_ShowWDL", self.show_wdl),
            OptionLine::check("UCI_AnalyseMode", self.analyse),
            OptionLine::check("UCI_LimitStrength", self.limit),
            OptionLine::spin("UCI_Elo", self.elo.into(), low.into(), high.into()),
            OptionLine::spin("Strength Seed", self.strength_seed as i64, 0, i64::MAX),
            path("Strength Table", self.levels_path.as_deref()),
            OptionLine::text("Player", &*self.player.name),
        ];
        if let Some(policy) = &self.player.policy {
            declared.extend(policy.options());
        }
        if self.tunable {
            declared.extend(self.player.params.options());
        }
        declared
    }

    /// Sets the option `name`, however its name is capitalised.
    ///
    /// # Errors
    ///
    /// If there is no such option or it cannot have that value; nothing is
    /// changed then.
    pub(crate) fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        let option = self
            .declared()
            .into_iter()
            .find(|option| option.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| format!("there is no option `{}`", quote(name)))?;
        let value = read_value(&option, value)?;
        match (option.name.as_str(), value) {
            ("Hash", Value::Number(number)) => self.options.hash = number as usize,
            ("Clear Hash", _) => self.forget = true,
            ("Threads", Value::Number(number)) => self.options.threads = number as usize,
            ("MultiPV", Value::Number(number)) => self.options.multipv = number as usize,
            ("Ponder", Value::Flag(flag)) => self.ponder = flag,
            ("Move Overhead", Value::Number(number)) => {
                self.options.move_overhead = Duration::from_millis(number as u64);
            }
            ("SyzygyPath", Value::Text(text)) => {
                self.options.syzygy_path = (!text.is_empty()).then(|| PathBuf::from(text));
                self.unproved = true;
            }
            ("Book", Value::Text(text)) => {
                self.options.book = existing_file(&option.name, text)?;
                self.unproved = true;
            }
            ("UCI_Chess960", Value::Flag(flag)) => self.chess960 = flag,
            ("UCI_ShowWDL", Value::Flag(flag)) => self.show_wdl = flag,
            ("UCI_AnalyseMode", Value::Flag(flag)) => self.analyse = flag,
            ("UCI_LimitStrength", Value::Flag(flag)) => self.limit = flag,
            ("UCI_Elo", Value::Number(number)) => self.elo = number as i32,
            ("Strength Seed", Value::Number(number)) => self.strength_seed = number as u64,
            ("Strength Table", Value::Text(text)) => self
                .set_levels(text)
                .map_err(|error| format!("option Strength Table: {error}"))?,
            ("Player", Value::Text(text)) => {
                let player = Player::find(text);
                let player = player.map_err(|error| format!("option Player: {error}"))?;
                self.player = Arc::new(player);
            }
            (name, value @ (Value::Number(_) | Value::Flag(_))) => {
                let number = match value {
                    Value::Number(number) => number,
                    _ => i64::from(matches!(value, Value::Flag(true))),
                };
                let set = Arc::make_mut(&mut self.player).set(name, number);
                set.map_err(|error| error.to_string())?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes the levels of a file, or the built-in ones for the empty text.
    fn set_levels(&mut self, text: &str) -> Result<(), StrengthTableError> {
        let path = (!text.is_empty()).then(|| PathBuf::from(text));
        self.levels = match &path {
            None => StrengthTable::built_in(),
            Some(path) => Arc::new(StrengthTable::read(path)?),
        };
        self.levels_path = path;
        self.elo = self.elo.clamp(self.levels.min(), self.levels.max());
        Ok(())
    }
}

fn read_value<'a>(option: &OptionLine, value: Option<&'a str>) -> Result<Value<'a>, String> {
    let fault = |reason: String| format!("option {}: {reason}", option.name);
    let given = || value.ok_or_else(|| fault("needs a value".to_owned()));
    Ok(match option.kind {
        OptionKind::Button => Value::Pressed,
        OptionKind::Check { .. } => {
            let text = given()?;
            match text.to_ascii_lowercase().as_str() {
                "true" | "1" => Value::Flag(true),
                "false" | "0" => Value::Flag(false),
                _ => {
                    let text = quote(text);
                    return Err(fault(format!("`{text}` is neither `true` nor `false`")));
                }
            }
        }
        OptionKind::Spin { min, max, .. } => {
            let text = given()?;
            let number = text.parse().ok().filter(|n| (min..=max).contains(n));
            Value::Number(number.ok_or_else(|| {
                let text = quote(text);
                fault(format!(
                    "`{text}` is not a whole number from {min} to {max}"
                ))
            })?)
        }
        OptionKind::Text { .. } | OptionKind::Combo { .. } => Value::Text(match value {
            None | Some("<empty>") => "",
            Some(text) => text,
        }),
    })
}

/// A file, or none for the empty text. A pipe or a device is no file: reading
/// it might never end.
fn existing_file(name: &str, text: &str) -> Result<Option<PathBuf>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    if !Path::new(text).is_file() {
        return Err(format!("option {name}: there is no file `{}`", quote(text)));
    }
    Ok(Some(PathBuf::from(text)))
}

fn path(name: &str, default: Option<&Path>) -> OptionLine {
    let default = default.map(|path| path.to_string_lossy().into_owned());
    OptionLine::text(name, default.unwrap_or_default())
}
