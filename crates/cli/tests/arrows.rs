//! The map of the rooms: who may use whom.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

/// Every crate and the crates of ours it may use. The picture with the reasons
/// is in `README.md`; a new arrow is argued in `docs/decisions/`.
const ALLOWED: [(&str, &[&str]); 10] = [
    ("mendel-crew", &[]),
    ("mendel-store", &[]),
    ("mendel-evolve", &[]),
    ("mendel-board", &[]),
    ("mendel-evaluator", &["mendel-board"]),
    ("mendel-engine", &["mendel-board", "mendel-evaluator"]),
    (
        "mendel-nets",
        &["mendel-board", "mendel-evaluator", "mendel-store"],
    ),
    (
        "mendel-arena",
        &[
            "mendel-board",
            "mendel-crew",
            "mendel-engine",
            "mendel-store",
        ],
    ),
    (
        "mendel-lab",
        &[
            "mendel-board",
            "mendel-evaluator",
            "mendel-engine",
            "mendel-arena",
            "mendel-crew",
            "mendel-evolve",
            "mendel-store",
        ],
    ),
    (
        "mendel-cli",
        &[
            "mendel-board",
            "mendel-evaluator",
            "mendel-engine",
            "mendel-arena",
            "mendel-crew",
            "mendel-evolve",
            "mendel-lab",
            "mendel-nets",
            "mendel-store",
        ],
    ),
];

/// Libraries that only these rooms may name.
const BEHIND_A_DOOR: [(&str, &[&str]); 9] = [
    ("async-nats", &["mendel-crew"]),
    ("rusqlite", &["mendel-store"]),
    ("rustix", &["mendel-arena", "mendel-crew"]),
    ("shakmaty", &["mendel-board"]),
    ("shakmaty-syzygy", &["mendel-board"]),
    ("pgn-reader", &["mendel-board"]),
    ("clap", &["mendel-cli"]),
    ("tch", &["mendel-nets"]),
    ("tokio", &["mendel-crew"]),
];

/// Package name → names of what it depends on, tests included.
fn packages() -> BTreeMap<String, Vec<String>> {
    depending(|_| true)
}

/// Package name → names of what it depends on, as far as the kind of dependency
/// (`dev`, `build`, or none of these) is asked for.
fn depending(kind: impl Fn(&Value) -> bool) -> BTreeMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let name = |value: &Value| value["name"].as_str().expect("all have names").to_owned();
    let list = |value: &Value| value.as_array().expect("it is a list").clone();
    list(&metadata["packages"])
        .iter()
        .map(|package| {
            let used = list(&package["dependencies"]);
            let used = used.iter().filter(|used| kind(&used["kind"]));
            (name(package), used.map(name).collect())
        })
        .collect()
}

#[test]
fn no_arrow_points_backwards() {
    for (package, used) in packages() {
        let allowed = ALLOWED
            .iter()
            .find(|(name, _)| *name == package)
            .unwrap_or_else(|| panic!("{package} is not on the map"))
            .1;
        for used in used.iter().filter(|used| used.starts_with("mendel-")) {
            // Its own test features.
            let itself = *used == package;
            assert!(
                itself || allowed.contains(&used.as_str()),
                "{package} must not use {used}"
            );
        }
    }
}

#[test]
fn libraries_stay_behind_their_doors() {
    // A benchmark may measure with what its room may not work with.
    for (package, used) in depending(Value::is_null) {
        for (library, doors) in BEHIND_A_DOOR {
            assert!(
                doors.contains(&package.as_str()) || !used.iter().any(|used| used == library),
                "{package} must not use {library}, which is behind {doors:?}"
            );
        }
    }
}

#[test]
fn every_room_of_the_map_is_there() {
    let packages = packages();
    for (name, _) in ALLOWED {
        assert!(packages.contains_key(name), "{name} is missing");
    }
}
