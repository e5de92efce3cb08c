//! `mendel pedigree`: where a player comes from.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use mendel_engine::Player;
use serde_json::{Value, json};

use crate::request;

/// Nobody has more generations of player files than this.
const DEEPEST: usize = 64;

/// Show where a player comes from: its run, and its parents as far as they are known
#[derive(Args, Debug)]
#[command(after_help = "\
A bred player carries its pedigree in its file: the run that made it, the recipe, the
seed and its parents. Parents that are built in or player files are followed.

Examples:
  mendel pedigree gerald-eval-tuned
  mendel pedigree runs/gerald-7/champion.toml
  mendel pedigree champion.toml --json")]
pub(super) struct Arguments {
    /// A built-in player or a player file
    player: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Draws the tree.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let player = request::player(Some(&arguments.player))?;
    let mut line = Line::default();
    let tree = Relative::of(&arguments.player, Ok(player), &mut line);
    let mut out = io::stdout().lock();
    if arguments.json {
        writeln!(out, "{:#}", tree.json())?;
    } else {
        let mut text = String::new();
        tree.draw("", "", &mut text);
        out.write_all(text.as_bytes())?;
    }
    Ok(())
}

/// A player in the tree, or why it cannot be shown.
struct Relative {
    /// As it is named by its child or by the asker.
    called: String,
    found: Result<Player, String>,
    parents: Vec<Relative>,
}

/// Those between the player asked for and the one at hand.
#[derive(Default)]
struct Line(BTreeSet<PathBuf>, usize);

impl Relative {
    fn of(called: &str, found: Result<Player, String>, line: &mut Line) -> Self {
        let mut relative = Self {
            called: called.to_owned(),
            found,
            parents: Vec::new(),
        };
        let Ok(player) = &relative.found else {
            return relative;
        };
        // A path is known by where it leads, a built-in player by its name.
        let place = Path::new(called);
        let key = place.canonicalize().unwrap_or_else(|_| place.to_owned());
        if line.1 >= DEEPEST || !line.0.insert(key.clone()) {
            relative.found = Err("is among its own descendants; not followed".to_owned());
            return relative;
        }
        line.1 += 1;
        let folder = place.parent().unwrap_or(Path::new(""));
        let parents = names_of_parents(player);
        relative.parents = parents
            .iter()
            .map(|name| {
                let (called, found) = find(name, folder);
                Self::of(&called, found, line)
            })
            .collect();
        line.1 -= 1;
        line.0.remove(&key);
        relative
    }

    /// The player's own lines, then its parents.
    fn draw(&self, first: &str, rest: &str, text: &mut String) {
        let mut add = |start: &str, line: &str| {
            text.push_str(format!("{start}{line}").trim_end());
            text.push('\n');
        };
        match &self.found {
            Err(reason) => add(first, &format!("{}: {reason}", self.called)),
            Ok(player) => {
                let file = if player.name == self.called {
                    String::new()
                } else {
                    format!("  ({})", self.called)
                };
                add(first, &format!("{}{file}", player.name));
                let bar = if self.parents.is_empty() {
                    "  "
                } else {
                    "│ "
                };
                let start = format!("{rest}{bar}");
                if !player.about.is_empty() {
                    add(&start, &player.about);
                }
                for (key, value) in &player.pedigree {
                    if key != "parents" && key != "parent" {
                        add(&start, &format!("{key}: {}", plain(value)));
                    }
                }
            }
        }
        let last = self.parents.len().saturating_sub(1);
        for (index, parent) in self.parents.iter().enumerate() {
            let (branch, below) = if index == last {
                ("└─ ", "   ")
            } else {
                ("├─ ", "│  ")
            };
            parent.draw(&format!("{rest}{branch}"), &format!("{rest}{below}"), text);
        }
    }

    fn json(&self) -> Value {
        match &self.found {
            Err(reason) => json!({ "called": self.called, "reason": reason }),
            Ok(player) => {
                let parents: Vec<Value> = self.parents.iter().map(Self::json).collect();
                json!({
                    "called": self.called,
                    "name": player.name,
                    "about": player.about,
                    "pedigree": player.pedigree,
                    "parents": parents,
                })
            }
        }
    }
}

/// What the pedigree calls the parents: a list, or one by itself.
fn names_of_parents(player: &Player) -> Vec<String> {
    let pedigree = &player.pedigree;
    let listed = pedigree.get("parents").and_then(toml::Value::as_array);
    let single = pedigree.get("parent").or_else(|| pedigree.get("parents"));
    let names = listed.map_or_else(
        || single.into_iter().collect(),
        |list| list.iter().collect(),
    );
    let names: Vec<&toml::Value> = names;
    names
        .into_iter()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect()
}

/// Finds a parent: beside its child, or as it is named. Returns the name under
/// which it was found.
fn find(name: &str, folder: &Path) -> (String, Result<Player, String>) {
    let beside = folder.join(name);
    let is_beside = !folder.as_os_str().is_empty() && beside.is_file();
    let called = if is_beside {
        beside.to_string_lossy().into_owned()
    } else {
        name.to_owned()
    };
    let found = Player::find(&called).map_err(|error| format!("not followed: {error}"));
    (called, found)
}

/// A value as people read it.
fn plain(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}
