//! Flags that take one of a few words.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A word, its line in `--help` (none if empty) and what it stands for.
pub(crate) type Choice<T> = (&'static str, &'static str, T);

pub(crate) fn choice<T: Clone + Send + Sync + 'static>(
    choices: &'static [Choice<T>],
) -> impl TypedValueParser<Value = T> {
    let shown = choices.iter().map(|&(word, help, _)| match help {
        "" => PossibleValue::new(word),
        help => PossibleValue::new(word).help(help),
    });
    PossibleValuesParser::new(shown).map(|word| {
        let chosen = choices.iter().find(|it| it.0 == word);
        chosen.expect("clap knows no other word").2.clone()
    })
}
