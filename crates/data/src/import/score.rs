//! Scores as people and programs write them.

use crate::{MATE, cut};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A pawn.
    Pawns,
    Centipawns,
}

impl Unit {
    /// What 1 stands for in centipawns.
    pub fn centipawns(self) -> f64 {
        match self {
            Self::Pawns => 100.0,
            Self::Centipawns => 1.0,
        }
    }
}

/// A score in centipawns, or a mate: `35`, `+35`, `-12.5`, `#+5`, `#-3`, `M18`,
/// `-M5`, `+M3`, `mate 4`. Mates are ±[`MATE`]; `#0` and `M0` mean that the side is
/// mated.
pub fn read_score(text: &str, unit: Unit) -> Option<i16> {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    let (sign, rest) = match lower.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, lower.strip_prefix('+').unwrap_or(&lower)),
    };
    let mate = ["#", "mate", "m"]
        .iter()
        .find_map(|mark| rest.strip_prefix(mark));
    if let Some(moves) = mate {
        let moves = moves.trim();
        let (inner, digits) = match moves.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, moves.strip_prefix('+').unwrap_or(moves)),
        };
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_mated = digits.bytes().all(|byte| byte == b'0');
        return is_number.then_some(match (sign * inner, is_mated) {
            (1, false) => MATE,
            _ => -MATE,
        });
    }
    let is_plain = rest
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number: f64 = rest.parse().ok().filter(|_| is_plain)?;
    Some(cut(f64::from(sign) * number * unit.centipawns()))
}

/// A score as records of games write it: pawns with two decimals, or a mate.
pub(crate) fn read_record_score(text: &str) -> Option<i16> {
    read_score(text, Unit::Pawns)
}
