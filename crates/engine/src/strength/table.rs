//! The Elo of each level of strength: a small table that `mendel calibrate` writes.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use toml::{Table, Value};

use super::Level;
use crate::files;

/// Levels with their ratings, the weakest first.
#[derive(Clone, Debug, PartialEq)]
pub struct StrengthTable {
    rows: Vec<(i32, Level)>,
    calibration: Table,
}

/// A table of levels that cannot be used; says which one and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StrengthTableError(String);

const BUILT_IN: &str = include_str!("../../../../players/strength.toml");

const MAX_FILE_LEN: u64 = 1 << 20;

/// The keys of a level; the last two are for people.
const KEYS: [&str; 7] = [
    "elo",
    "nodes",
    "margin",
    "noise",
    "oversight",
    "error",
    "measured",
];

static DEFAULT: LazyLock<Arc<StrengthTable>> = LazyLock::new(|| {
    let table = StrengthTable::parse(BUILT_IN, "the built-in table of levels");
    Arc::new(table.expect("the built-in table is tested"))
});

impl StrengthTable {
    pub const SCHEMA: i64 = 1;

    /// The table of the default player.
    pub fn built_in() -> Arc<Self> {
        Arc::clone(&DEFAULT)
    }

    /// Reads a table from a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is not a table.
    pub fn read(path: &Path) -> Result<Self, StrengthTableError> {
        let fault = |error: std::io::Error| {
            let path = path.display();
            StrengthTableError(format!("cannot read the table of levels `{path}`: {error}"))
        };
        let text = files::read_text(path, MAX_FILE_LEN).map_err(fault)?;
        Self::parse(&text, &format!("`{}`", path.display()))
    }

    /// Reads a table from its text; `origin` names it in errors.
    ///
    /// # Errors
    ///
    /// If the text is not a table.
    pub fn parse(text: &str, origin: &str) -> Result<Self, StrengthTableError> {
        let fault = |key: &str, reason: String| {
            StrengthTableError(format!(
                "{origin}: `{key}` {reason}; `mendel calibrate` writes such tables"
            ))
        };

        // 1. The document.
        let document: Table = text.parse().map_err(|error: toml::de::Error| {
            StrengthTableError(format!("{origin} is not a table of levels: {error}"))
        })?;
        let known = ["schema", "calibration", "level"];
        if let Some(key) = document.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(fault(key, "is not a key of a table of levels".to_owned()));
        }
        if document.get("schema").and_then(Value::as_integer) != Some(Self::SCHEMA) {
            let reason = format!("must be {}", Self::SCHEMA);
            return Err(fault("schema", reason));
        }
        let calibration = match document.get("calibration") {
            None => Table::new(),
            Some(Value::Table(table)) => table.clone(),
            Some(_) => return Err(fault("calibration", "must be a table".to_owned())),
        };

        // 2. The levels.
        let levels = document.get("level").and_then(Value::as_array);
        let levels = levels.ok_or_else(|| fault("level", "is missing".to_owned()))?;
        let mut rows = Vec::new();
        for (number, level) in (1..).zip(levels) {
            let row = level
                .as_table()
                .ok_or_else(|| "must be a table".to_owned())
                .and_then(row)
                .map_err(|reason| fault(&format!("level {number}"), reason))?;
            rows.push(row);
        }

        // 3. The order.
        if rows.len() < 2 {
            return Err(fault("level", "there must be at least two".to_owned()));
        }
        for (number, pair) in (2..).zip(rows.windows(2)) {
            if pair[1].0 < pair[0].0 {
                let reason = format!(
                    "its elo {} is below the {} of the level before; levels go from weak to strong",
                    pair[1].0, pair[0].0
                );
                return Err(fault(&format!("level {number}"), reason));
            }
        }
        let table = Self { rows, calibration };
        if table.min() == table.max() {
            return Err(fault(
                "level",
                "the last must be stronger than the first".to_owned(),
            ));
        }
        Ok(table)
    }

    pub fn min(&self) -> i32 {
        self.rows[0].0
    }

    pub fn max(&self) -> i32 {
        self.rows[self.rows.len() - 1].0
    }

    /// The rows: Elo and level, the weakest first.
    pub fn levels(&self) -> &[(i32, Level)] {
        &self.rows
    }

    /// How the table was made, for people.
    pub fn calibration(&self) -> &Table {
        &self.calibration
    }

    /// The level of `elo`, between two rows in proportion; beyond the table its
    /// ends.
    pub fn level(&self, elo: i32) -> Level {
        let above = self.rows.iter().position(|(rating, _)| *rating >= elo);
        let Some(above) = above else {
            return self.rows[self.rows.len() - 1].1;
        };
        let (high, upper) = self.rows[above];
        if above == 0 || high == elo {
            return upper;
        }
        let (low, lower) = self.rows[above - 1];
        let share = f64::from(elo - low) / f64::from(high - low);
        let between = |from: f64, to: f64| from + (to - from) * share;
        let whole = |from: i32, to: i32| libm::round(between(from.into(), to.into())) as i32;
        // Twice the nodes is always about the same gain, so they grow by factors.
        let nodes = between(libm::log(lower.nodes as f64), libm::log(upper.nodes as f64));
        Level {
            nodes: libm::round(libm::exp(nodes)) as u64,
            margin: whole(lower.margin, upper.margin),
            noise: whole(lower.noise, upper.noise),
            oversight: between(lower.oversight, upper.oversight),
        }
    }
}

/// One level, or what is wrong with it.
fn row(table: &Table) -> Result<(i32, Level), String> {
    if let Some(key) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!(
            "has no key `{key}`; its keys are {}",
            KEYS.join(", ")
        ));
    }
    let whole = |key: &str, range: std::ops::RangeInclusive<i64>| {
        let value = table.get(key).and_then(Value::as_integer);
        value.filter(|value| range.contains(value)).ok_or_else(|| {
            let (low, high) = (range.start(), range.end());
            format!("needs `{key}`, a whole number from {low} to {high}")
        })
    };
    let oversight = table.get("oversight").and_then(|value| {
        let number = value.as_float();
        number.or_else(|| value.as_integer().map(|whole| whole as f64))
    });
    let level = Level {
        nodes: whole("nodes", 1..=1_000_000_000_000)? as u64,
        margin: whole("margin", 0..=30_000)? as i32,
        noise: whole("noise", 0..=10_000)? as i32,
        oversight: oversight
            .filter(|chance| (0.0..=1.0).contains(chance))
            .ok_or_else(|| "needs `oversight`, a number from 0 to 1".to_owned())?,
    };
    Ok((whole("elo", -10_000..=10_000)? as i32, level))
}
