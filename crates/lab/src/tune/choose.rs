//! Which options are tuned if none is named, and why others are not.

use std::collections::BTreeSet;

use mendel_engine::uci::{OptionKind, OptionLine};
use mendel_evolve::tuners::MOST_CHOICES;
use mendel_store::frame::Failure;
use wildmatch::WildMatch;

use super::refuse;
use crate::record::{Aside, Param};

/// Options that say how the engine works and not how it plays, by their whole names. One of
/// them is tuned if it is named without a wildcard.
const WORKINGS: [&str; 7] = [
    "multipv",
    "ponder",
    "uci_*",
    "syzygy*",
    "search time",
    "search depth",
    "strength*",
];

/// The same by one of the words of a name. Never `file` or `path`: names of files are
/// texts, which cannot be tuned, and a number with that word is about the board.
const WORDS: &str = "hash* thread* cpu* core cores cache* book* bitbase* tablebase* nalimov* \
                     gaviota* log logs debug seed overhead split random";

fn matches(pattern: &str, name: &str) -> bool {
    WildMatch::new_case_insensitive(pattern).matches(name)
}

fn is_about_play(name: &str) -> bool {
    let words = words(name);
    let known = |pattern: &str| words.iter().any(|word| matches(pattern, word));
    !WORKINGS.iter().any(|it| matches(it, name)) && !WORDS.split(' ').any(known)
}

/// The words of a name: `RookOpenFile`, `rook_open_file` and `Rook Open File` have the
/// same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && before.is_lowercase()) {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            words.last_mut().expect("there is one").push(letter);
        }
        before = letter;
    }
    words.retain(|it| !it.is_empty());
    words
}

/// Options that were not chosen, and why. Where there are patterns, only those that match one.
pub fn left_out(offers: &[OptionLine], patterns: &[String], chosen: &[Param]) -> Vec<Aside> {
    let is_meant = |name: &str| patterns.is_empty() || patterns.iter().any(|it| matches(it, name));
    let others = offers
        .iter()
        .filter(|option| is_meant(&option.name) && !chosen.iter().any(|it| it.name == option.name));
    let aside = others.map(|option| Aside {
        name: option.name.clone(),
        reason: match (&option.kind, Param::of(option)) {
            (OptionKind::Button, _) => "a button".to_owned(),
            (OptionKind::Text { .. }, _) => "a text".to_owned(),
            (OptionKind::Combo { vars, .. }, None) if vars.len() > MOST_CHOICES => {
                format!("it has {} values, more than {MOST_CHOICES}", vars.len())
            }
            (_, None) => "it has one value".to_owned(),
            (_, Some(_)) => {
                let name = &option.name;
                format!("it says how the engine works; `--options '{name}'` tunes it")
            }
        },
    });
    aside.collect()
}

/// What to do if a pattern chooses nothing.
const BY_NAME: &str = "`--options NAME` tunes an option by its whole name, if it is a number, a switch or one of some words";

/// The options of `engine` that the patterns mean, as parameters; all that say how it
/// plays if there are no patterns.
///
/// # Errors
///
/// If there is nothing to tune, or a pattern means nothing.
pub fn choose(
    engine: &str,
    offers: &[OptionLine],
    patterns: &[String],
) -> Result<Vec<Param>, Failure> {
    let params: Vec<Param> = offers.iter().filter_map(Param::of).collect();
    let usual: Vec<String> = params
        .iter()
        .map(|it| it.name.clone())
        .filter(|name| is_about_play(name))
        .collect();
    if patterns.is_empty() {
        if usual.is_empty() {
            let only: Vec<&str> = offers.iter().map(|it| it.name.as_str()).collect();
            let what = format!("`{engine}` offers no options that could be tuned");
            return Err(if only.is_empty() {
                refuse(
                    what,
                    "only an engine with options can be tuned: see what it answers to `uci`",
                )
            } else {
                refuse(format!("{what}: only {}", only.join(", ")), BY_NAME)
            });
        }
        return Ok(params
            .into_iter()
            .filter(|it| usual.contains(&it.name))
            .collect());
    }
    let mut chosen = BTreeSet::new();
    for pattern in patterns {
        let wild = WildMatch::new_case_insensitive(pattern);
        let exact = |name: &str| name.eq_ignore_ascii_case(pattern);
        let before = chosen.len();
        let mut known = false;
        for (at, param) in params.iter().enumerate() {
            let name = &param.name;
            if exact(name) || (wild.matches(name) && usual.contains(name)) {
                known |= !chosen.insert(at);
            }
        }
        if chosen.len() == before && !known {
            let known = usual.join(", ");
            let what = format!("`{pattern}` matches none of the options of `{engine}`: {known}");
            return Err(refuse(what, BY_NAME));
        }
    }
    let all = params.into_iter().enumerate();
    Ok(all
        .filter_map(|(at, param)| chosen.contains(&at).then_some(param))
        .collect())
}
