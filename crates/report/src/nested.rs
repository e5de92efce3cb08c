//! Finds the finished runs inside the folder of another experiment.

use std::fs;
use std::path::{Path, PathBuf};

use mendel_store::frame::{Folder, Manifest};

/// Returns the folders of all finished runs below `folder`, sorted by path. Folders inside of
/// runs are not searched.
pub fn nested_runs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    search(folder, &mut found);
    found.sort();
    found
}

fn search(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let folders = entries.flatten().map(|entry| entry.path());
    // `is_dir` follows links, which could form a cycle.
    let is_folder = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|it| it.is_dir());
    for path in folders.filter(is_folder) {
        if let Ok(Some(manifest)) = Manifest::find(&path) {
            if manifest.kind == "breed" && Folder::at(&path).has(Folder::RESULT) {
                found.push(path);
            }
        } else {
            search(&path, found);
        }
    }
}
