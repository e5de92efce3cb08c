//! Weights in and out of player files.

use std::fmt::Write as _;

use toml::{Table, Value};

use super::terms::{COUNT, GROUPS, Group};
use crate::EvaluatorError;
use crate::player_file::{nearest, quote};

/// Reads one array of `[middle game, end game]` pairs for each group.
pub(super) fn read(table: &Table) -> Result<Vec<[i32; 2]>, EvaluatorError> {
    if let Some(name) = table
        .keys()
        .find(|name| GROUPS.iter().all(|group| group.name != *name))
    {
        return Err(EvaluatorError::UnknownGroup {
            group: name.clone(),
            nearest: nearest(name, GROUPS.iter().map(|group| group.name)),
        });
    }
    let mut weights = Vec::with_capacity(COUNT);
    for group in GROUPS {
        if group.optional && !table.contains_key(group.name) {
            weights.resize(weights.len() + group.length, [0, 0]);
            continue;
        }
        let value = table.get(group.name).ok_or(EvaluatorError::MissingGroup {
            group: group.name,
            length: group.length,
        })?;
        let pairs = value.as_array().ok_or_else(|| EvaluatorError::NotPairs {
            group: group.name,
            found: quote(value),
        })?;
        if pairs.len() != group.length {
            return Err(EvaluatorError::WrongLength {
                group: group.name,
                length: group.length,
                found: pairs.len(),
            });
        }
        for (index, value) in pairs.iter().enumerate() {
            weights.push(read_pair(group, index, value)?);
        }
    }
    Ok(weights)
}

fn read_pair(group: &Group, index: usize, value: &Value) -> Result<[i32; 2], EvaluatorError> {
    let numbers = value.as_array().map(Vec::as_slice);
    let Some([Value::Integer(middle_game), Value::Integer(end_game)]) = numbers else {
        return Err(EvaluatorError::NotPairs {
            group: group.name,
            found: quote(value),
        });
    };
    for &number in [middle_game, end_game] {
        in_range(group, index, number)?;
    }
    Ok([*middle_game as i32, *end_game as i32])
}

fn in_range(group: &Group, index: usize, number: i64) -> Result<(), EvaluatorError> {
    let limit = i64::from(group.limit);
    if (-limit..=limit).contains(&number) {
        Ok(())
    } else {
        Err(EvaluatorError::OutOfRange {
            group: group.name,
            index,
            found: number,
            limit: group.limit,
        })
    }
}

/// Whether these could have been read from a player file.
pub(super) fn check(pairs: &[[i32; 2]]) -> Result<(), EvaluatorError> {
    if pairs.len() != COUNT {
        return Err(EvaluatorError::WrongCount {
            kind: "classic",
            needed: 2 * COUNT,
            found: 2 * pairs.len(),
        });
    }
    for group in GROUPS {
        for (index, pair) in pairs[group.first..][..group.length].iter().enumerate() {
            for &number in pair {
                in_range(group, index, i64::from(number))?;
            }
        }
    }
    Ok(())
}

/// The groups that say something.
fn told(weights: &[[i32; 2]]) -> impl Iterator<Item = &'static Group> {
    let silent = |group: &Group| {
        let values = &weights[group.first..group.first + group.length];
        group.optional && values.iter().all(|pair| *pair == [0, 0])
    };
    GROUPS.iter().filter(move |group| !silent(group))
}

/// The inverse of [`read`].
pub(super) fn write(weights: &[[i32; 2]]) -> Table {
    let pair = |pair: &[i32; 2]| Value::Array(pair.iter().map(|&n| Value::from(n)).collect());
    told(weights)
        .map(|group| {
            let values = &weights[group.first..group.first + group.length];
            let pairs = values.iter().map(pair).collect();
            (group.name.to_owned(), Value::Array(pairs))
        })
        .collect()
}

/// The inverse of [`read`] as text for people: each group with what it counts,
/// eight pairs a line.
pub(super) fn write_text(weights: &[[i32; 2]]) -> String {
    let mut text = String::new();
    for group in told(weights) {
        let values = &weights[group.first..group.first + group.length];
        let pairs: Vec<String> = values
            .iter()
            .map(|[middle_game, end_game]| format!("[{middle_game}, {end_game}]"))
            .collect();
        write!(text, "\n# {}\n{} = [", group.about(), group.name)
            .expect("a string takes what is written");
        if pairs.len() <= 8 {
            text.push_str(&pairs.join(", "));
        } else {
            let width = pairs.iter().map(String::len).max().unwrap_or(0) + 1;
            for line in pairs.chunks(8) {
                text.push_str("\n   ");
                for pair in line {
                    write!(text, " {:<width$}", format!("{pair},"))
                        .expect("a string takes what is written");
                }
                text.truncate(text.trim_end().len());
            }
            text.push('\n');
        }
        text.push_str("]\n");
    }
    text
}
