//! The text of a recipe, and where in it each key stands.

use std::fmt;
use std::ops::Range;
use std::path::Path;

pub use mendel_store::RecipeError as Complaint;
use mendel_store::set_key;
use serde::de::DeserializeOwned;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

#[derive(Clone, Debug)]
pub(crate) struct Document {
    origin: String,
    text: String,
    table: Table,
    /// Keys that do not stand in the text as they are, and where they were set.
    by_hand: Vec<(String, &'static str)>,
}

/// A key of a table that is wrong, and why.
pub(crate) type Misfit = (&'static str, String);

/// A misfit, unless something holds.
pub(crate) fn require(
    holds: bool,
    key: &'static str,
    reason: impl Into<String>,
) -> Result<(), Misfit> {
    if holds {
        Ok(())
    } else {
        Err((key, reason.into()))
    }
}

/// How a key is changed on the command line.
const SET: &str = "--set";

/// The table of the changes that make the whole form of a paper.
const FULL: &str = "[full]";

impl Document {
    /// Reads the text; `origin` says in complaints where it is from.
    pub(crate) fn parse(text: &str, origin: &str) -> Result<Self, Complaint> {
        let table = text.parse().map_err(|error: toml::de::Error| Complaint {
            origin: origin.to_owned(),
            line: error.span().map(|span| line_at(text, span.start)),
            key: String::new(),
            reason: format!("this is not TOML: {}", error.message()),
        })?;
        Ok(Self {
            origin: origin.to_owned(),
            text: text.to_owned(),
            table,
            by_hand: Vec::new(),
        })
    }

    /// The recipe as text, with what was set by hand.
    pub(crate) fn to_toml(&self) -> String {
        toml::to_string(&self.table).expect("a table that was read can be written")
    }

    /// Sets `key` (with its tables, separated by dots; a number picks from a
    /// list) to `value`; tables on the way are made.
    pub(crate) fn set(&mut self, key: &str, value: Value) -> Result<(), Complaint> {
        self.change(key, value, SET)
    }

    /// Applies the table `[full]`, whose keys are the places to change; what it
    /// names as a table is replaced as a whole.
    pub(crate) fn apply_full(&mut self) -> Result<(), Complaint> {
        let changes = match self.table.remove("full") {
            Some(Value::Table(changes)) => changes,
            Some(_) => return Err(self.complaint("full", "must be a table")),
            None => {
                let reason = "is missing: the recipe has one form only; leave out `--full`";
                return Err(self.complaint("full", reason));
            }
        };
        for (key, value) in changes {
            self.change(&key, value, FULL)?;
        }
        Ok(())
    }

    fn change(&mut self, key: &str, value: Value, how: &'static str) -> Result<(), Complaint> {
        let complaint = self.changed(key, "there is no such place in the recipe", how);
        self.by_hand.push((key.to_owned(), how));
        self.put(key, value).ok_or(complaint)
    }

    /// Puts a value at `key`; `None` if there is no such place.
    fn put(&mut self, key: &str, value: Value) -> Option<()> {
        let mut root = Value::Table(std::mem::take(&mut self.table));
        let done = set_key(&mut root, key, value);
        if let Value::Table(table) = root {
            self.table = table;
        }
        done
    }

    /// Makes paths absolute: they are relative to the folder in which the recipe was started,
    /// and the run may be resumed from another one.
    pub(crate) fn make_paths_absolute(&mut self) {
        self.change_paths(&|path| {
            // A bare word is a built-in name, whatever lies in the folder.
            let named = path.components().count() > 1 || path.extension().is_some();
            let is_meant = named && path.is_file() && path.is_relative();
            let path = is_meant.then(|| std::path::absolute(path).ok()).flatten()?;
            Some(path.to_string_lossy().into_owned())
        });
    }

    /// Leaves of every path the file's name only.
    pub(crate) fn shorten_paths(&mut self) {
        self.change_paths(&|path| {
            let name = path.file_name().filter(|_| path.is_absolute())?;
            Some(name.to_string_lossy().into_owned())
        });
    }

    /// Changes the values of keys that may be paths, where `change` gives another.
    fn change_paths(&mut self, change: &dyn Fn(&Path) -> Option<String>) {
        let mut keys = Vec::new();
        for key in PATHS {
            if let Some(value) = self.get(key) {
                gather_texts(value, key, &TRIAL_PATHS, &mut keys);
            }
        }
        let steps = self.get("step").and_then(Value::as_array);
        keys.extend(steps.map_or_else(Vec::new, |steps| super::steps::path_keys(steps)));
        for key in keys {
            let path = self.get(&key).and_then(Value::as_str).map(Path::new);
            if let Some(path) = path.and_then(change) {
                let placed = self.put(&key, Value::String(path));
                debug_assert!(placed.is_some(), "it was read from there");
            }
        }
    }

    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// Drops a key of the outermost table.
    pub(crate) fn forget(&mut self, key: &str) {
        self.table.remove(key);
    }

    /// A complaint about `key`, which was set by hand.
    pub(crate) fn complaint_by_hand(&self, key: &str, reason: impl fmt::Display) -> Complaint {
        self.changed(key, reason, SET)
    }

    fn changed(&self, key: &str, reason: impl fmt::Display, how: &str) -> Complaint {
        Complaint {
            origin: format!("{} with `{how}`", self.origin),
            line: None,
            key: key.to_owned(),
            reason: reason.to_string(),
        }
    }

    pub(crate) fn complaint(&self, key: &str, reason: impl fmt::Display) -> Complaint {
        let set = |(set, _): &&(String, &'static str)| {
            set == key
                || key
                    .strip_prefix(set)
                    .is_some_and(|rest| rest.starts_with('.'))
        };
        if let Some((_, how)) = self.by_hand.iter().rev().find(set) {
            return self.changed(key, reason, how);
        }
        Complaint {
            origin: self.origin.clone(),
            line: self.line(key),
            key: key.to_owned(),
            reason: reason.to_string(),
        }
    }

    /// A complaint about a key, unless something holds.
    pub(crate) fn require(
        &self,
        holds: bool,
        key: &str,
        reason: impl fmt::Display,
    ) -> Result<(), Complaint> {
        if holds {
            Ok(())
        } else {
            Err(self.complaint(key, reason))
        }
    }

    /// A complaint about a key of a table, or about the table if the key is empty.
    pub(crate) fn misfit(&self, table: &str, (key, reason): Misfit) -> Complaint {
        match key {
            "" => self.complaint(table, reason),
            key => self.complaint(&format!("{table}.{key}"), reason),
        }
    }

    /// The line on which `key` stands, or the nearest table around it.
    fn line(&self, key: &str) -> Option<usize> {
        let root = DeTable::parse(&self.text).ok()?;
        let mut found: Option<Range<usize>> = None;
        let mut here = Some(root.get_ref());
        let mut list: Option<&[Spanned<DeValue<'_>>]> = None;
        for step in key.split('.') {
            let next = if let Some(values) = list.take() {
                let value = values.get(step.parse::<usize>().ok()?)?;
                found = Some(value.span());
                value
            } else {
                let Some((name, value)) = here
                    .into_iter()
                    .flat_map(|table| table.iter())
                    .find(|(name, _)| name.get_ref() == step)
                else {
                    break;
                };
                found = Some(name.span());
                value
            };
            here = next.get_ref().as_table();
            list = next.get_ref().as_array().map(|values| values as &[_]);
        }
        found.map(|span| line_at(&self.text, span.start))
    }

    /// Reads the table at `key` as a `T`; a missing table is an empty one.
    pub(crate) fn section<T: DeserializeOwned>(&self, key: &str) -> Result<T, Complaint> {
        self.section_without(key, &[])
    }

    /// The same; `None` if there is no such table.
    pub(crate) fn optional<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, Complaint> {
        let is_there = self.get(key).is_some();
        is_there.then(|| self.section(key)).transpose()
    }

    /// The same, leaving out some keys of the table.
    pub(crate) fn section_without<T: DeserializeOwned>(
        &self,
        key: &str,
        without: &[&str],
    ) -> Result<T, Complaint> {
        self.section_by(key, without, |table| Value::Table(table).try_into())
    }

    /// The same, read by a function.
    pub(crate) fn section_by<T>(
        &self,
        key: &str,
        without: &[&str],
        read: impl FnOnce(Table) -> Result<T, toml::de::Error>,
    ) -> Result<T, Complaint> {
        let mut table = match self.get(key) {
            None => Table::new(),
            Some(Value::Table(table)) => table.clone(),
            Some(_) => return Err(self.complaint(key, "must be a table")),
        };
        table.retain(|name, _| !without.contains(&name));
        read(table.clone()).map_err(|error| {
            let table = Value::Table(table);
            let message = error.to_string();
            // The way down to the table or value it stumbled in is its last line.
            let way = message.rsplit_once("in `");
            let way = way.and_then(|(_, way)| way.trim_end().strip_suffix('`'));
            // And serde names a key of that table that it stumbled over in backticks,
            // before any others that it would have liked better.
            let below = way.map(|way| format!("{key}.{way}"));
            let inner = match below
                .as_deref()
                .map_or(Some(&table), |at| self.get(at.trim_start_matches('.')))
            {
                Some(Value::Table(table)) => table.keys().cloned().collect(),
                _ => Vec::new(),
            };
            let place = |name: &&String| error.message().find(&format!("`{name}`"));
            let stumbled = inner.iter().filter(|it| place(it).is_some());
            let stumbled = stumbled.min_by_key(place).map(String::as_str);
            let steps = [key, way.unwrap_or(""), stumbled.unwrap_or("")];
            let steps: Vec<&str> = steps.into_iter().filter(|it| !it.is_empty()).collect();
            self.complaint(&steps.join("."), error.message())
        })
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        let mut steps = key.split('.');
        let first = steps.next().filter(|first| !first.is_empty())?;
        let mut value = self.table.get(first)?;
        for step in steps {
            value = match value {
                Value::Table(table) => table.get(step)?,
                Value::Array(values) => values.get(step.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// Refuses keys of a table that would silently mean nothing.
    pub(crate) fn knows_only(&self, key: &str, known: &[&str]) -> Result<(), Complaint> {
        let table = match key {
            "" => Some(&self.table),
            key => self.get(key).and_then(Value::as_table),
        };
        let unknown = table
            .into_iter()
            .flat_map(Table::keys)
            .find(|name| !known.contains(&name.as_str()));
        match unknown {
            None => Ok(()),
            Some(name) => {
                let path = match key {
                    "" => name.clone(),
                    key => format!("{key}.{name}"),
                };
                let list = known.join("`, `");
                Err(self.complaint(&path, format!("is unknown; there are `{list}`")))
            }
        }
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<String>, Complaint> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(self.complaint(key, "must be a text in quotes")),
        }
    }
}

/// Where paths are that do not belong to a step.
const PATHS: [&str; 6] = [
    "parent",
    "founders",
    "proof.outside",
    "sweep.suite.data",
    "trial",
    "stage",
];

/// Keys of trials that hold paths, and the tables around them.
const TRIAL_PATHS: [&str; 6] = ["trial", "data", "openings", "players", "ladder", "anchor"];

/// The keys of the texts of a value; of a table only what is below some names.
pub(super) fn gather_texts(value: &Value, key: &str, names: &[&str], keys: &mut Vec<String>) {
    match value {
        Value::String(_) => keys.push(key.to_owned()),
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                gather_texts(value, &format!("{key}.{at}"), names, keys);
            }
        }
        Value::Table(table) => {
            for (name, value) in table {
                if names.contains(&name.as_str()) {
                    gather_texts(value, &format!("{key}.{name}"), names, keys);
                }
            }
        }
        _ => {}
    }
}

/// The line of a byte, from 1.
fn line_at(text: &str, byte: usize) -> usize {
    1 + text
        .bytes()
        .take(byte)
        .filter(|byte| *byte == b'\n')
        .count()
}
