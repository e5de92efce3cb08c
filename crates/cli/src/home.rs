//! Where matches and runs are kept, and how they are found again.

use std::env;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use mendel_arena::MatchFolder;
use mendel_lab::online::{EVENTS, FOUNDING, INSTALLATION};
use mendel_lab::report;
use mendel_nets::train as training;
use mendel_store::{Entry, Index};

use crate::commands::contest;
use crate::request::Wrong;

/// What the index calls a run.
pub(crate) const RUN: &str = "run";
/// What the index calls a sweep.
pub(crate) const SWEEP: &str = "sweep";
/// What the index calls a pipeline.
pub(crate) const PIPELINE: &str = "pipeline";
/// What the index calls a tuning.
pub(crate) const TUNING: &str = "tuning";
/// What the index calls a training.
pub(crate) const TRAINING: &str = training::KIND;

/// Where everything is kept unless something else is said: `MENDEL_HOME`, or the
/// place that the system has for data of programs.
pub(crate) fn home() -> anyhow::Result<PathBuf> {
    let set = |name: &str| {
        env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    set("MENDEL_HOME")
        .or_else(|| set("XDG_DATA_HOME").map(|data| data.join("mendel")))
        .or_else(|| set("HOME").map(|home| home.join(".local/share/mendel")))
        .ok_or_else(|| {
            Wrong::new(
                "there is no place to keep it",
                "give `--out DIR`, or set MENDEL_HOME",
            )
            .into()
        })
}

/// Where the population is kept that learns from games at home.
pub(crate) fn learning() -> anyhow::Result<PathBuf> {
    Ok(home()?.join("learning").join(mendel_lab::online::PLAYER))
}

/// A name for a folder of games that has none yet, by which they are told from those of
/// others. It has no influence on what is played.
pub(crate) fn installation(folder: &Path) -> anyhow::Result<String> {
    // A folder of an earlier version told its games by the name that its home has.
    let old = std::fs::read_to_string(home()?.join(INSTALLATION)).unwrap_or_default();
    if !old.trim().is_empty() && folder.join(EVENTS).exists() {
        return Ok(old.trim().to_owned());
    }
    Ok(new_name(folder))
}

/// A name that no folder has: where and when it was made, and by whom.
pub(crate) fn new_name(folder: &Path) -> String {
    let made = format!(
        "{:?} {} {} {:?}",
        SystemTime::now(),
        std::process::id(),
        folder.display(),
        std::fs::read("/etc/machine-id").unwrap_or_default()
    );
    mendel_store::fingerprint(made.as_bytes())
}

/// A folder that is not there yet, named after the day and some names.
pub(crate) fn new_folder(kind: &str, names: &[&str]) -> anyhow::Result<PathBuf> {
    let plain = |name: &&str| -> String {
        let plain = name.chars().map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        });
        plain.take(20).collect()
    };
    let names: Vec<String> = names.iter().map(plain).collect();
    let parent = home()?.join(kind);
    let day = mendel_arena::pgn::date(SystemTime::now()).replace('.', "-");
    let folder = (1..=u32::MAX)
        .map(|number| parent.join(format!("{day}-{}-{number}", names.join("-"))))
        .find(|folder| !folder.exists());
    folder.with_context(|| format!("there is no name left in {}", parent.display()))
}

/// Now, in seconds since 1970.
pub(crate) fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs() as i64)
}

/// When a file was last written, in seconds since 1970.
pub(crate) fn seconds_of(path: &Path) -> Option<i64> {
    let time = std::fs::metadata(path)
        .and_then(|file| file.modified())
        .ok()?;
    Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs() as i64)
}

/// What a folder holds: a run, a sweep, a pipeline, a tuning or a training.
pub(crate) fn describe(folder: &Path) -> Option<Entry> {
    report::describe(folder).or_else(|| training::describe(folder))
}

/// The index over all folders.
pub(crate) fn index() -> anyhow::Result<Index> {
    let home = home()?;
    std::fs::create_dir_all(&home)?;
    let describe = |folder: &Path| contest::describe(folder).or_else(|| describe(folder));
    Ok(Index::open(
        &home.join("index.sqlite"),
        &[&home],
        &describe,
    )?)
}

/// Tells the index; whoever does the work goes on without it.
pub(crate) fn register(entry: &Entry) {
    let put = || -> anyhow::Result<()> {
        let index = index()?;
        let started = index.find(&entry.folder.to_string_lossy())?;
        let started = started
            .first()
            .map_or(entry.started, |before| before.started);
        Ok(index.put(&Entry {
            started,
            ..entry.clone()
        })?)
    };
    // Only an index: the folder is the truth.
    let _ = put();
}

/// Tells the index about a run or a training.
pub(crate) fn register_run(folder: &Path) {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    if let Some(entry) = describe(&folder) {
        register(&entry);
    }
}

/// What a folder is that is looked at and gone on with by other commands.
fn not_a_run(folder: &Path) -> Option<Wrong> {
    let shown = folder.display();
    let online = mendel_lab::online::NAME;
    if folder.join(MatchFolder::PLAN).is_file() {
        let hint = format!("`mendel match --resume {shown}` goes on with it");
        return Some(Wrong::new(
            format!("`{shown}` is the folder of a match"),
            hint,
        ));
    }
    if folder.join(FOUNDING).is_file() {
        let what = format!("`{shown}` is a population that learns after each game");
        let hint = format!(
            "`mendel breed {online} --opponent PLAYER --out {shown}`, as it began, goes on with it and makes its page"
        );
        return Some(Wrong::new(what, hint));
    }
    None
}

/// The folder of a run: a path, or the beginning of its id.
pub(crate) fn find_run(text: &str) -> anyhow::Result<PathBuf> {
    let path = Path::new(text);
    if path.is_dir() {
        return match not_a_run(path) {
            Some(wrong) => Err(wrong.into()),
            None => Ok(std::path::absolute(path)?),
        };
    }
    let hint = "`mendel runs` lists the runs";
    let found: Vec<Entry> = index()?
        .list(None)?
        .into_iter()
        .filter(|entry| [RUN, PIPELINE, TUNING].contains(&entry.kind.as_str()))
        .filter(|entry| !text.is_empty() && entry.name.starts_with(text))
        .collect();
    match found.as_slice() {
        [one] => Ok(one.folder.clone()),
        [] => Err(Wrong::new(
            format!("there is no run `{text}`: neither a folder nor the beginning of an id"),
            hint,
        )
        .into()),
        many => {
            let folders: Vec<String> = many
                .iter()
                .map(|entry| format!("`{}`", entry.folder.display()))
                .collect();
            let message = format!("`{text}` could be any of {}", folders.join(", "));
            Err(Wrong::new(message, "name the folder instead").into())
        }
    }
}
