//! The map of the rooms: who may use whom.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Helpers for tests: every crate may use it, as a dev-dependency.
const TEST_KIT: &str = "mendel-testkit";

/// Every crate and the crates of ours it may use. The picture with the reasons
/// is in `README.md`; a new arrow is argued in `docs/decisions/`.
const ALLOWED: [(&str, &[&str]); 15] = [
    (TEST_KIT, &[]),
    ("mendel-crew", &[]),
    ("mendel-store", &[]),
    ("mendel-evolve", &[]),
    ("mendel-board", &[]),
    ("mendel-evaluator", &["mendel-board"]),
    ("mendel-engine", &["mendel-board", "mendel-evaluator"]),
    (
        "mendel-nets",
        &[
            "mendel-board",
            "mendel-data",
            "mendel-evaluator",
            "mendel-store",
        ],
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
        "mendel-coach",
        &[
            "mendel-board",
            "mendel-evaluator",
            "mendel-engine",
            "mendel-arena",
            "mendel-crew",
            "mendel-store",
        ],
    ),
    (
        "mendel-data",
        &[
            "mendel-board",
            "mendel-evaluator",
            "mendel-engine",
            "mendel-arena",
            "mendel-crew",
            "mendel-store",
        ],
    ),
    (
        "mendel-fitness",
        &[
            "mendel-board",
            "mendel-evaluator",
            "mendel-engine",
            "mendel-arena",
            "mendel-crew",
            "mendel-data",
            "mendel-evolve",
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
            "mendel-coach",
            "mendel-crew",
            "mendel-data",
            "mendel-evolve",
            "mendel-fitness",
            "mendel-store",
        ],
    ),
    (
        "mendel-report",
        &[
            "mendel-board",
            "mendel-evaluator",
            "mendel-engine",
            "mendel-arena",
            "mendel-coach",
            "mendel-evolve",
            "mendel-lab",
            "mendel-nets",
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
            "mendel-coach",
            "mendel-crew",
            "mendel-data",
            "mendel-evolve",
            "mendel-fitness",
            "mendel-lab",
            "mendel-nets",
            "mendel-report",
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
                itself || *used == TEST_KIT || allowed.contains(&used.as_str()),
                "{package} must not use {used}"
            );
        }
    }
}

#[test]
fn only_tests_use_the_test_kit() {
    for (package, used) in depending(|kind| kind != "dev") {
        assert!(
            !used.iter().any(|used| used == TEST_KIT),
            "{package} must use {TEST_KIT} as a dev-dependency only"
        );
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

/// What fitness may use of store: records and their journals, never the folder of an
/// experiment or its frame.
const STORE_IN_FITNESS: [&str; 7] = [
    "FileError",
    "Journal",
    "Memo",
    "MemoRecord",
    "Record",
    "Sync",
    "fingerprint",
];

#[test]
fn fitness_uses_of_store_only_records() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fitness/src");
    let mut uses = 0;
    for_each_source(&source, &mut |path, text| {
        for after in text.split("mendel_store::").skip(1) {
            // Of the frame a memo only.
            let after = after.strip_prefix("frame::").unwrap_or(after);
            let (list, _) = match after.strip_prefix('{') {
                Some(list) => list.split_once('}').expect("a list of imports ends"),
                None => after.split_at(
                    after
                        .find(|c: char| !c.is_alphanumeric() && c != '_')
                        .unwrap_or(after.len()),
                ),
            };
            for name in list.split(',').map(str::trim).filter(|it| !it.is_empty()) {
                uses += 1;
                let place = path.display();
                assert!(
                    STORE_IN_FITNESS.contains(&name),
                    "{place} uses `{name}` of store; fitness may use {STORE_IN_FITNESS:?}"
                );
            }
        }
    });
    assert!(uses > 5, "only {uses} uses were found");
}

/// Calls `check` with the path and the text of each source file below `folder`.
fn for_each_source(folder: &Path, check: &mut dyn FnMut(&Path, &str)) {
    for entry in fs::read_dir(folder).expect("the folder of a crate") {
        let path = entry.expect("a file or a folder").path();
        if path.is_dir() {
            for_each_source(&path, check);
        } else if path.extension().is_some_and(|it| it == "rs") {
            check(&path, &fs::read_to_string(&path).expect("a source file"));
        }
    }
}
