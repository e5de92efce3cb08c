//! Weights in and out of player files.

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

/// The inverse of [`read`]; an optional group of zeros is left out.
pub(super) fn write(weights: &[[i32; 2]]) -> Table {
    let group = |group: &Group| {
        let values = &weights[group.first..][..group.length];
        if group.optional && values.iter().all(|pair| *pair == [0, 0]) {
            return None;
        }
        let pairs = values.iter().map(|&pair| Value::from(pair.to_vec()));
        Some((group.name.to_owned(), Value::Array(pairs.collect())))
    };
    GROUPS.iter().filter_map(group).collect()
}
