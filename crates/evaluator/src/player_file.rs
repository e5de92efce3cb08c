//! The `[evaluator]` table of a player file.

use toml::{Table, Value};

use crate::coefficients::Weight;
use crate::{Evaluator, EvaluatorError};

/// An evaluator as a player file stores it.
pub(crate) trait PlayerEvaluator: Evaluator + Sized {
    /// The value of `kind` in the file.
    const KIND: &'static str;

    /// Whether the score is a sum of counts times weights; see
    /// [`Coefficients`](crate::Coefficients).
    const IS_LINEAR: bool = false;

    fn read(table: &Table) -> Result<Self, EvaluatorError>;

    /// The keys between `kind` and the weights, in the order of a file.
    fn entries(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    /// The table `[evaluator.weights]`.
    fn weights_toml(&self) -> Option<Table> {
        None
    }

    /// The weights that can be bred; see [`AnyEvaluator`](crate::AnyEvaluator).
    fn weights(&self) -> Vec<Weight> {
        Vec::new()
    }

    /// The same evaluator with other values in the order of
    /// [`weights`](Self::weights).
    fn with_weights(&self, _values: &[i32]) -> Result<Self, EvaluatorError> {
        Err(EvaluatorError::Fixed { kind: Self::KIND })
    }
}

/// Reads a table of one kind; errors name the kind and the key.
#[derive(Clone, Copy)]
pub(crate) struct TableReader<'a> {
    pub(crate) kind: &'static str,
    table: &'a Table,
}

impl<'a> TableReader<'a> {
    /// Rejects keys other than `kind` and those `known`.
    pub(crate) fn new(
        kind: &'static str,
        table: &'a Table,
        known: &[&str],
    ) -> Result<Self, EvaluatorError> {
        let is_known = |key: &&String| *key == "kind" || known.contains(&key.as_str());
        match table.keys().find(|key| !is_known(key)) {
            None => Ok(Self { kind, table }),
            Some(key) => Err(EvaluatorError::UnknownKey {
                kind,
                key: shortened(key),
            }),
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'a Value> {
        self.table.get(key)
    }

    pub(crate) fn weights(&self) -> Result<&'a Table, EvaluatorError> {
        let weights = self.get("weights").and_then(Value::as_table);
        weights.ok_or(EvaluatorError::NoWeights { kind: self.kind })
    }

    /// The value of `key` as `read` gets it, or the default where the key is missing.
    pub(crate) fn setting<T>(
        &self,
        key: &'static str,
        default: Option<T>,
        read: impl FnOnce(&'a Value) -> Option<T>,
        wanted: &str,
    ) -> Result<T, EvaluatorError> {
        let value = self.get(key);
        let found = match value {
            None => default,
            Some(value) => read(value),
        };
        found.ok_or_else(|| {
            let found = value.map_or_else(|| "is missing".into(), |it| format!("is {}", quote(it)));
            wrong_setting(self.kind, key, found, wanted)
        })
    }

    /// True where the key is missing.
    pub(crate) fn flag(&self, key: &'static str) -> Result<bool, EvaluatorError> {
        self.setting(key, Some(true), Value::as_bool, "true or false")
    }
}

pub(crate) fn wrong_setting(
    kind: &'static str,
    key: &'static str,
    found: String,
    wanted: impl Into<String>,
) -> EvaluatorError {
    EvaluatorError::Setting {
        kind,
        key,
        found,
        wanted: wanted.into(),
    }
}

/// Names in quotation marks: `"a" or "b"`.
pub(crate) fn choices<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|it| format!("\"{it}\"")).collect();
    quoted.join(" or ")
}

/// The first characters of a text from a file, for an error message.
pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

/// A value as it stands in the file, cut to 60 characters.
pub(crate) fn quote(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// The name that shares the longest beginning, to help with typing errors.
pub(crate) fn nearest(name: &str, known: impl Iterator<Item = &'static str>) -> &'static str {
    let shared = |known: &&str| {
        let pairs = known.chars().zip(name.chars());
        pairs.take_while(|(a, b)| a == b).count()
    };
    known.max_by_key(shared).unwrap_or("")
}
