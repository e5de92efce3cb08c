//! What the report may use of the crates that run experiments.

use std::fs;
use std::path::{Path, PathBuf};

/// A crate that runs experiments, and the modules of it that are plain data.
const PLAIN_DATA: [(&str, &[&str]); 2] = [
    // `trial` has the journal of games of a run and leaves `mendel-lab` with it.
    ("mendel_lab::", &["record", "recipe", "trial"]),
    ("mendel_nets::", &["record", "recipe"]),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder)
        .expect("the sources are there")
        .flatten()
    {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn the_report_imports_records_and_recipes_only() {
    let mut files = Vec::new();
    sources(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut files,
    );
    assert!(files.len() > 30, "only {} sources were found", files.len());
    let mut uses = 0;
    for path in files {
        let text = fs::read_to_string(&path).expect("a source is text");
        for (at, line) in text.lines().enumerate() {
            for (name, allowed) in PLAIN_DATA {
                // `use mendel_lab::{…}` would hide what is imported.
                for after in line.split(name).skip(1) {
                    let end = after.find(|c: char| !c.is_alphanumeric() && c != '_');
                    let module = &after[..end.unwrap_or(after.len())];
                    uses += 1;
                    assert!(
                        allowed.contains(&module),
                        "{}:{}: `{name}{module}`; the report may import {allowed:?} only",
                        path.display(),
                        at + 1
                    );
                }
            }
        }
    }
    assert!(uses > 20, "only {uses} imports were found");
}
