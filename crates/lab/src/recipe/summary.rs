//! Recipes as they are listed.

use serde::Serialize;
use toml::{Table, Value};

use super::BUILT_IN;

/// A recipe in a list: nothing of it is checked, so that one whose players or networks are
/// not there yet is listed with the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    pub name: String,
    pub about: String,
    pub parent: String,
    pub player: Option<String>,
    pub paper: Option<String>,
}

/// The built-in recipes, in their order.
///
/// # Panics
///
/// Never: they are read by a test.
pub fn summaries() -> Vec<Summary> {
    let one = |(_, text): &(&str, &str)| {
        let table: Table = text.parse().expect("a test reads all of them");
        let text = |table: &Table, key: &str| {
            let text = table.get(key).and_then(Value::as_str);
            text.map(str::to_owned)
        };
        let paper = table.get("paper").and_then(Value::as_table);
        Summary {
            name: text(&table, "name").unwrap_or_default(),
            about: text(&table, "about").unwrap_or_default(),
            parent: text(&table, "parent").unwrap_or_default(),
            player: text(&table, "player"),
            paper: paper.and_then(|paper| text(paper, "title")),
        }
    };
    BUILT_IN.iter().map(one).collect()
}
