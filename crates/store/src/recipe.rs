//! Recipes: texts that people write, found by name or path, with keys changed by `--set`.

use std::path::Path;
use std::{fmt, fs, io};

use toml::{Table, Value};

/// Larger files were not written by people.
const MAX_BYTES: u64 = 1 << 20;

/// What is wrong with a recipe: where, why, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeError {
    /// The file or the built-in name, in words.
    pub origin: String,
    /// The line, where the text has one for it.
    pub line: Option<usize>,
    /// The key with its tables, such as `breeder.mutation_rate`; may be empty.
    pub key: String,
    pub reason: String,
}

impl RecipeError {
    /// Of a recipe as a whole.
    pub fn new(origin: &str, reason: impl fmt::Display) -> Self {
        Self {
            origin: origin.to_owned(),
            line: None,
            key: String::new(),
            reason: reason.to_string(),
        }
    }
}

impl fmt::Display for RecipeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.origin)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if !self.key.is_empty() {
            write!(f, ": `{}`", self.key)?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl std::error::Error for RecipeError {}

/// The text of a recipe, and its origin for messages. `built_in` has names and texts.
///
/// # Errors
///
/// If there is neither a built-in recipe of this name nor a file that can be read.
pub fn find_recipe(name: &str, built_in: &[(&str, &str)]) -> Result<(String, String), RecipeError> {
    if let Some((name, text)) = built_in.iter().find(|(known, _)| *known == name) {
        return Ok(((*text).to_owned(), format!("the built-in recipe `{name}`")));
    }
    let origin = format!("`{name}`");
    let path = Path::new(name);
    let is_path = path.extension().is_some_and(|it| it == "toml") || path.components().count() > 1;
    if !is_path && !path.is_file() {
        let names: Vec<&str> = built_in.iter().map(|(name, _)| *name).collect();
        let reason = format!(
            "there is no recipe of that name; built in are `{}`, and a recipe file ends in `.toml`",
            names.join("`, `")
        );
        return Err(RecipeError::new(&origin, reason));
    }
    let read = || {
        let facts = fs::metadata(path)?;
        if !facts.is_file() || facts.len() > MAX_BYTES {
            return Err(io::Error::other("it is not a file of reasonable size"));
        }
        fs::read_to_string(path)
    };
    match read() {
        Ok(text) => Ok((text, origin)),
        Err(error) => Err(RecipeError::new(
            &origin,
            format!("cannot be read: {error}"),
        )),
    }
}

/// Sets `key` (with its tables, separated by dots; a number picks from a list) to `value`.
/// Tables on the way are created. `None` if there is no such place.
pub fn set_key(here: &mut Value, key: &str, value: Value) -> Option<()> {
    let (step, rest) = match key.split_once('.') {
        Some((step, rest)) => (step, Some(rest)),
        None => (key, None),
    };
    let place = match here {
        Value::Table(table) if !step.is_empty() => table
            .entry(step)
            .or_insert_with(|| Value::Table(Table::new())),
        Value::Array(values) => values.get_mut(step.parse::<usize>().ok()?)?,
        _ => return None,
    };
    if let Some(rest) = rest {
        return set_key(place, rest, value);
    }
    *place = value;
    Some(())
}
