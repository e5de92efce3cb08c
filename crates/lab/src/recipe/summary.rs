//! Recipes as they are listed.

use serde::{Deserialize, Serialize};

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

#[derive(Deserialize)]
struct Text {
    name: String,
    #[serde(default)]
    about: String,
    parent: String,
    player: Option<String>,
    paper: Option<Title>,
}

#[derive(Deserialize)]
struct Title {
    title: String,
}

/// The built-in recipes, in their order.
///
/// # Panics
///
/// Never: they are read by a test.
pub fn summaries() -> Vec<Summary> {
    let one = |(_, text): &(&str, &str)| {
        let text: Text = toml::from_str(text).expect("a test reads all of them");
        Summary {
            name: text.name,
            about: text.about,
            parent: text.parent,
            player: text.player,
            paper: text.paper.map(|it| it.title),
        }
    };
    BUILT_IN.iter().map(one).collect()
}
