//! Long lists of whole numbers as a text in a player file: Base64 of 32-bit numbers,
//! the low byte first.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use toml::Value;

use crate::EvaluatorError;

pub(crate) fn write(numbers: &[i32]) -> String {
    let bytes: Vec<u8> = numbers.iter().flat_map(|it| it.to_le_bytes()).collect();
    BASE64_STANDARD.encode(bytes)
}

pub(crate) fn read(kind: &'static str, value: Option<&Value>) -> Result<Vec<i32>, EvaluatorError> {
    let text = value
        .and_then(Value::as_str)
        .ok_or(EvaluatorError::Numbers {
            kind,
            found: value.map_or("nothing", |_| "no text"),
        })?;
    let bytes = BASE64_STANDARD.decode(text).ok();
    let bytes = bytes.ok_or(EvaluatorError::Numbers {
        kind,
        found: "a text that is no Base64",
    })?;
    let (numbers, []) = bytes.as_chunks() else {
        return Err(EvaluatorError::Numbers {
            kind,
            found: "bytes that are no multiple of four",
        });
    };
    Ok(numbers
        .iter()
        .map(|bytes| i32::from_le_bytes(*bytes))
        .collect())
}
