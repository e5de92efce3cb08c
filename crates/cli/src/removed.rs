//! Flags and commands of older versions: errors that name the new ones.

use std::env;

use crate::request::UsageError;

/// A flag (or a word) of a command that has another name now.
struct Removed {
    /// The words of the command; none for every command.
    command: &'static [&'static str],
    old: &'static str,
    /// What to use instead.
    new: &'static str,
}

const fn removed(
    command: &'static [&'static str],
    old: &'static str,
    new: &'static str,
) -> Removed {
    Removed { command, old, new }
}

const REMOVED: &[Removed] = &[
    removed(
        &["match"],
        "--resume",
        "`mendel resume DIR` resumes every experiment",
    ),
    removed(
        &["data", "make"],
        "--resume",
        "`mendel resume NAME` resumes it; `mendel runs --kind data` lists the names",
    ),
    removed(
        &["breed"],
        "--opponent",
        "use `--set learn.opponent=PLAYER`",
    ),
    removed(&["breed"], "--games", "use `--set learn.games=N`"),
    removed(
        &["breed"],
        "--start",
        "use `--set learn.start=bred` or `random`",
    ),
    removed(&["match"], "--most-faults", "use `--max-faults N`"),
    removed(&["match"], "--margin", "use `--time-margin MS`"),
    removed(&["match"], "--in-order", "use `--sequential`"),
    removed(&["crew"], "forget", "use `mendel crew remove`"),
    removed(&[], "--crew-dead", "use `--dead-letters WHAT`"),
];

/// Refuses what older versions understood.
pub(crate) fn check_arguments() -> Result<(), UsageError> {
    let words: Vec<String> = env::args().skip(1).collect();
    check(&words)
}

fn check(words: &[String]) -> Result<(), UsageError> {
    let end = words.iter().position(|word| word == "--");
    let words = &words[..end.unwrap_or(words.len())];
    for it in REMOVED {
        let command = it.command.iter();
        if !command.zip(words).all(|(one, other)| one == other) || words.len() < it.command.len() {
            continue;
        }
        let rest = &words[it.command.len()..];
        let is_old = |word: &String| {
            word.strip_prefix(it.old)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        };
        let found = if it.old.starts_with('-') {
            rest.iter().any(is_old)
        } else {
            rest.first().is_some_and(is_old)
        };
        if found {
            let what = match it.command {
                [] => format!("`{}` was removed", it.old),
                command => format!("`mendel {} {}` was removed", command.join(" "), it.old),
            };
            return Err(UsageError::new(what, it.new));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn removed_flags_are_errors_that_name_the_new_ones() {
        let hint = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            check(&words).err().map(|wrong| wrong.hints.concat())
        };
        let has = |line: &str, new: &str| {
            assert!(hint(line).is_some_and(|hint| hint.contains(new)), "{line}");
        };
        has("match --resume folder", "mendel resume");
        has("match a b --margin=5", "--time-margin");
        has("breed first-steps --crew-dead skip", "--dead-letters");
        has("data make quiet --out a.mds --resume", "mendel resume");
        has("breed cwu-online --opponent mendel", "learn.opponent");
        has("breed cwu-online --games=5", "learn.games");
        has("crew forget 1", "mendel crew remove");
        for line in [
            "match a b --games 4",
            "crew status",
            "tune --margin 1",
            "match a -- --resume",
        ] {
            assert_eq!(hint(line), None, "{line}");
        }
    }
}
