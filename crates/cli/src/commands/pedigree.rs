//! `mendel pedigree`: the origin of a player.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use mendel_engine::Player;
use mendel_lab::pedigree::{ANCESTORS, ancestor};
use serde_json::{Value, json};
use toml::Table;

use crate::output;
use crate::request;

/// Maximum number of generations of player files.
const MAX_DEPTH: usize = 64;

/// Show where a player comes from: its run, and its parents as far as they are known
#[derive(Args, Debug)]
#[command(after_help = "\
A bred player carries its pedigree in its file: the run that made it, the recipe, the
seed, the data and its parents, and the same of all its ancestors as far back as they
were bred. Parents of whom the file does not tell are followed if they are built in or
player files.

Examples:
  mendel pedigree mendel
  mendel pedigree gerald-eval-tuned
  mendel pedigree runs/gerald-7/champion.toml
  mendel pedigree champion.toml --json")]
pub(super) struct PedigreeArgs {
    /// A built-in player or a player file
    player: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &PedigreeArgs) -> anyhow::Result<()> {
    let player = request::player(Some(&args.player))?;
    let mut family = VisitedAncestors::default();
    let tree = PedigreeNode::of_player(&args.player, player, &mut family);
    let text = || {
        let mut text = String::new();
        tree.draw("", "", &mut text);
        text
    };
    output::print(args.json, || tree.json(), text)
}

/// A player in the tree, or why it cannot be shown.
struct PedigreeNode {
    /// As it is named by its child or by the asker.
    called: String,
    found: Result<PlayerFacts, String>,
    parents: Vec<PedigreeNode>,
}

struct PlayerFacts {
    name: String,
    about: String,
    /// Without its parents and ancestors, which the tree shows.
    pedigree: Table,
}

/// Players met on the way through the tree.
#[derive(Default)]
struct VisitedAncestors {
    /// Players between the root and the current one.
    line: BTreeSet<PathBuf>,
    /// Bred ancestors that are in the tree already, with all before them.
    shown: BTreeSet<String>,
}

impl PedigreeNode {
    fn of_player(called: &str, player: Player, family: &mut VisitedAncestors) -> Self {
        // The key is the target of a path, or the name of a built-in player.
        let place = Path::new(called);
        let key = place.canonicalize().unwrap_or_else(|_| place.to_owned());
        if family.line.len() >= MAX_DEPTH || !family.line.insert(key.clone()) {
            return Self::unknown(called, "is among its own descendants; not followed");
        }
        let folder = place.parent().unwrap_or(Path::new(""));
        let around = PedigreeFile {
            pedigree: &player.pedigree,
            folder,
        };
        let parents = around.parents_of(&player.pedigree, family);
        family.line.remove(&key);
        Self {
            called: called.to_owned(),
            parents,
            found: Ok(PlayerFacts {
                pedigree: facts(&player.pedigree),
                name: player.name,
                about: player.about,
            }),
        }
    }

    fn unknown(called: &str, reason: impl Into<String>) -> Self {
        Self {
            called: called.to_owned(),
            found: Err(reason.into()),
            parents: Vec::new(),
        }
    }

    fn draw(&self, first: &str, rest: &str, text: &mut String) {
        let mut add = |start: &str, line: &str| {
            text.push_str(format!("{start}{line}").trim_end());
            text.push('\n');
        };
        match &self.found {
            Err(reason) => add(first, &format!("{}: {reason}", self.called)),
            Ok(known) => {
                let run = known.pedigree.get("run").and_then(toml::Value::as_str);
                let file = if known.name == self.called || run == Some(&self.called) {
                    String::new()
                } else {
                    format!("  ({})", self.called)
                };
                add(first, &format!("{}{file}", known.name));
                let bar = if self.parents.is_empty() {
                    "  "
                } else {
                    "│ "
                };
                let start = format!("{rest}{bar}");
                if !known.about.is_empty() {
                    add(&start, &known.about);
                }
                for (key, value) in &known.pedigree {
                    add(&start, &format!("{key}: {}", plain(value)));
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
            Ok(known) => {
                let parents: Vec<Value> = self.parents.iter().map(Self::json).collect();
                json!({
                    "called": self.called,
                    "name": known.name,
                    "about": known.about,
                    "pedigree": known.pedigree,
                    "parents": parents,
                })
            }
        }
    }
}

/// The pedigree of a player file, which has that of the ancestors too, and the file's folder.
struct PedigreeFile<'a> {
    pedigree: &'a Table,
    folder: &'a Path,
}

impl PedigreeFile<'_> {
    fn parents_of(&self, pedigree: &Table, family: &mut VisitedAncestors) -> Vec<PedigreeNode> {
        let names = names_of_parents(pedigree);
        names.iter().map(|name| self.parent(name, family)).collect()
    }

    /// A parent: in the pedigree of the file, in its folder, or found by its name.
    fn parent(&self, name: &str, family: &mut VisitedAncestors) -> PedigreeNode {
        let Some(entry) = ancestor(self.pedigree, name) else {
            let (called, found) = find(name, self.folder);
            return match found {
                Ok(player) => PedigreeNode::of_player(&called, player, family),
                Err(reason) => PedigreeNode::unknown(&called, reason),
            };
        };
        let text = |key: &str| {
            let text = entry.get(key).and_then(toml::Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        // Shared ancestors are drawn once. This also ends cycles.
        let parents = names_of_parents(entry);
        if !family.shown.insert(name.to_owned()) && !parents.is_empty() {
            let called = format!("{} ({name})", text("name"));
            return PedigreeNode::unknown(&called, "as above");
        }
        let mut pedigree = facts(entry);
        pedigree.remove("name");
        pedigree.remove("about");
        PedigreeNode {
            called: name.to_owned(),
            found: Ok(PlayerFacts {
                name: text("name"),
                about: text("about"),
                pedigree,
            }),
            parents: self.parents_of(entry, family),
        }
    }
}

/// A pedigree without the ancestors.
fn facts(pedigree: &Table) -> Table {
    let mut facts = pedigree.clone();
    for key in [ANCESTORS, "parents", "parent"] {
        facts.remove(key);
    }
    facts
}

/// The names of the parents: a list, or a single one.
fn names_of_parents(pedigree: &Table) -> Vec<String> {
    let parents = pedigree.get("parents");
    let names = match parents.and_then(toml::Value::as_array) {
        Some(list) => list.as_slice(),
        None => (pedigree.get("parent").or(parents)).map_or(&[][..], std::slice::from_ref),
    };
    let names = names.iter().filter_map(toml::Value::as_str);
    names.map(str::to_owned).collect()
}

/// Finds a parent in the folder of its child or by its name. Returns the name under which it was
/// found.
fn find(name: &str, folder: &Path) -> (String, Result<Player, String>) {
    let sibling = folder.join(name);
    let is_sibling = !folder.as_os_str().is_empty() && sibling.is_file();
    let called = if is_sibling {
        sibling.to_string_lossy().into_owned()
    } else {
        name.to_owned()
    };
    let found = Player::find(&called).map_err(|error| format!("not followed: {error}"));
    (called, found)
}

fn plain(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}
