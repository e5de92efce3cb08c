//! Where a bred player comes from: its run, and all before it.
//!
//! The table `[pedigree]` of a champion describes its own run; `parents` names those
//! that run started from, and the list `ancestors` holds the same about each of them
//! and of theirs, back to players that were not bred. So one file
//! holds the whole family.

use mendel_engine::Player;
use toml::{Table, Value};

pub const ANCESTORS: &str = "ancestors";
pub const PARENTS: &str = "parents";

/// The pedigree of a player that a run made, without its parents.
pub(crate) fn of_run(run: &str, recipe: &str, seed: u64, version: &str) -> Table {
    let facts = [
        ("run", run.to_owned()),
        ("recipe", recipe.to_owned()),
        ("seed", seed.to_string()),
        ("version", version.to_owned()),
    ];
    let facts = facts.into_iter();
    facts
        .map(|(key, value)| (key.to_owned(), value.into()))
        .collect()
}

/// How a pedigree refers to a player: by the run that bred it, or by its name.
pub fn reference(player: &Player) -> String {
    reference_of(&player.pedigree, &player.name)
}

fn reference_of(pedigree: &Table, name: &str) -> String {
    let run = pedigree.get("run").and_then(Value::as_str);
    run.unwrap_or(name).to_owned()
}

/// Adds to a pedigree whose child its owner is, and all that is known of them.
pub fn inherit(pedigree: &mut Table, parents: &[&Player]) {
    let mut ancestors: Vec<Table> = Vec::new();
    let mut add = |entry: Table| {
        let key = |entry: &Table| {
            let name = entry.get("name").and_then(Value::as_str);
            reference_of(entry, name.unwrap_or_default())
        };
        if ancestors.iter().all(|known| key(known) != key(&entry)) {
            ancestors.push(entry);
        }
    };
    // Those nearest come first.
    for parent in parents {
        let mut entry = Table::new();
        entry.insert("name".into(), parent.name.clone().into());
        if !parent.about.is_empty() {
            entry.insert("about".into(), parent.about.clone().into());
        }
        let known = parent.pedigree.iter().filter(|(key, _)| *key != ANCESTORS);
        entry.extend(known.map(|(key, value)| (key.clone(), value.clone())));
        add(entry);
    }
    for parent in parents {
        ancestors_of(&parent.pedigree).cloned().for_each(&mut add);
    }
    let mut names: Vec<String> = Vec::new();
    for parent in parents {
        let name = reference(parent);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    pedigree.insert(PARENTS.into(), names.into());
    let ancestors: Vec<Value> = ancestors.into_iter().map(Value::Table).collect();
    pedigree.insert(ANCESTORS.into(), ancestors.into());
}

/// The ancestors that a pedigree tells of, the nearest first.
pub fn ancestors_of(pedigree: &Table) -> impl Iterator<Item = &Table> {
    let list = pedigree.get(ANCESTORS).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_table)
}

pub fn ancestor<'a>(pedigree: &'a Table, reference: &str) -> Option<&'a Table> {
    ancestors_of(pedigree).find(|entry| {
        let name = entry.get("name").and_then(Value::as_str);
        reference_of(entry, name.unwrap_or_default()) == reference
    })
}
