//! Flags and commands of older versions: errors that name the new ones.

use std::env;

use crate::request::UsageError;

/// The command (empty for every command), its old flag or word, and what to use instead.
const REMOVED: &[(&str, &str, &str)] = &[
    ("match", "--resume", RESUME),
    ("train", "--resume", RESUME),
    ("data make", "--resume", RESUME_DATA),
    ("breed", "--opponent", "use `--set learn.opponent=PLAYER`"),
    ("breed", "--games", "use `--set learn.games=N`"),
    (
        "breed",
        "--start",
        "use `--set learn.start=bred` or `random`",
    ),
    ("match", "--most-faults", "use `--max-faults N`"),
    ("match", "--margin", "use `--time-margin MS`"),
    ("match", "--in-order", "use `--sequential`"),
    ("crew", "forget", "use `mendel crew remove`"),
    ("", "--crew-dead", "use `--dead-letters WHAT`"),
];

const RESUME: &str = "`mendel resume DIR` resumes every experiment";

const RESUME_DATA: &str =
    "`mendel resume NAME` resumes it; `mendel runs --kind data` lists the names";

/// Refuses the flags and commands of older versions.
pub(crate) fn check_arguments() -> Result<(), UsageError> {
    let words: Vec<String> = env::args().skip(1).collect();
    check(&words)
}

fn check(words: &[String]) -> Result<(), UsageError> {
    let end = words.iter().position(|word| word == "--");
    let words = &words[..end.unwrap_or(words.len())];
    for &(command, old, new) in REMOVED {
        let command: Vec<&str> = command.split_whitespace().collect();
        let (start, rest) = words.split_at(command.len().min(words.len()));
        if start != command {
            continue;
        }
        let is_old = |word: &String| {
            word.strip_prefix(old)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        };
        let is_found = if old.starts_with('-') {
            rest.iter().any(is_old)
        } else {
            rest.first().is_some_and(is_old)
        };
        if is_found {
            let what = match &command[..] {
                [] => format!("`{old}` was removed"),
                command => format!("`mendel {} {old}` was removed", command.join(" ")),
            };
            return Err(UsageError::new(what, new));
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
        has("train --resume folder", "mendel resume");
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
