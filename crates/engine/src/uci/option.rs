//! The options an engine declares.

use std::fmt;

use crate::words::{OneLine, Words, saturating_number};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionLine {
    /// The name, which may consist of several words.
    pub name: String,
    pub kind: OptionKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    Check {
        default: bool,
    },
    Spin {
        default: i64,
        min: i64,
        max: i64,
    },
    /// One of several words.
    Combo {
        default: String,
        vars: Vec<String>,
    },
    Button,
    /// Any text; UCI writes the empty one as `<empty>`.
    Text {
        default: String,
    },
}

/// How UCI writes a text of no characters.
const EMPTY: &str = "<empty>";

impl OptionLine {
    pub fn new(name: &str, kind: OptionKind) -> Self {
        let name = name.to_owned();
        Self { name, kind }
    }

    pub fn check(name: &str, default: bool) -> Self {
        Self::new(name, OptionKind::Check { default })
    }

    pub fn spin(name: &str, default: i64, min: i64, max: i64) -> Self {
        Self::new(name, OptionKind::Spin { default, min, max })
    }

    pub fn text(name: &str, default: impl Into<String>) -> Self {
        let default = default.into();
        Self::new(name, OptionKind::Text { default })
    }

    /// Reads what follows the word `option`.
    ///
    /// Where a default or a range is missing or cannot be read, something that
    /// allows the most is put in its place: what other engines declare is not
    /// ours to judge.
    pub(super) fn scan(mut words: Words<'_>) -> Option<Self> {
        if words.next() != Some("name") {
            return None;
        }
        let name = text_until(&mut words, |word| word == "type");
        words.next();
        let kind = words.next()?;

        let mut default = None;
        let mut min = None;
        let mut max = None;
        let mut vars = Vec::new();
        while let Some(word) = words.next() {
            let value = match word {
                // A default of type string may contain any word.
                "default" if kind == "string" => {
                    let rest = words.rest();
                    words = Words::new("");
                    rest.to_owned()
                }
                "default" | "min" | "max" | "var" => text_until(&mut words, is_keyword),
                _ => continue,
            };
            match word {
                "default" => default = Some(value),
                "min" => min = saturating_number(&value),
                "max" => max = saturating_number(&value),
                _ => vars.push(value),
            }
        }

        let text = default.unwrap_or_default();
        let kind = match kind {
            "check" => OptionKind::Check {
                default: text == "true",
            },
            "spin" => OptionKind::Spin {
                default: saturating_number(&text).or(min).unwrap_or(0),
                min: min.unwrap_or(i64::MIN),
                max: max.unwrap_or(i64::MAX),
            },
            "combo" => OptionKind::Combo {
                default: text,
                vars,
            },
            "button" => OptionKind::Button,
            "string" => OptionKind::Text {
                default: if text == EMPTY { String::new() } else { text },
            },
            _ => return None,
        };
        (!name.is_empty()).then_some(Self { name, kind })
    }
}

fn is_keyword(word: &str) -> bool {
    matches!(word, "default" | "min" | "max" | "var")
}

fn text_until(words: &mut Words<'_>, end: impl Fn(&str) -> bool) -> String {
    let mut text = Vec::new();
    while let Some(word) = words.peek().filter(|word| !end(word)) {
        text.push(word);
        words.next();
    }
    text.join(" ")
}

impl fmt::Display for OptionLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", OneLine(&self.name))?;
        match &self.kind {
            OptionKind::Check { default } => write!(f, "check default {default}"),
            OptionKind::Spin { default, min, max } => {
                write!(f, "spin default {default} min {min} max {max}")
            }
            OptionKind::Combo { default, vars } => {
                write!(f, "combo default {}", OneLine(default))?;
                vars.iter()
                    .try_for_each(|var| write!(f, " var {}", OneLine(var)))
            }
            OptionKind::Button => f.write_str("button"),
            OptionKind::Text { default } if default.is_empty() => {
                write!(f, "string default {EMPTY}")
            }
            OptionKind::Text { default } => write!(f, "string default {}", OneLine(default)),
        }
    }
}
