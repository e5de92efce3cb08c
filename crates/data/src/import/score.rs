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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read_in_every_spelling() {
        let table = [
            ("35", Some(35)),
            ("+36", Some(36)),
            ("-68", Some(-68)),
            (" -1292 ", Some(-1292)),
            ("12.4", Some(12)),
            ("-12.5", Some(-13)),
            ("0", Some(0)),
            ("99999999", Some(30_000)),
            ("-1e300", None),
            ("#+5", Some(MATE)),
            ("#5", Some(MATE)),
            ("#-3", Some(-MATE)),
            ("M18", Some(MATE)),
            ("-M5", Some(-MATE)),
            ("+M3", Some(MATE)),
            ("mate -2", Some(-MATE)),
            ("#0", Some(-MATE)),
            ("#-0", Some(-MATE)),
            ("", None),
            ("-", None),
            ("#", None),
            ("nan", None),
            ("inf", None),
            ("1,5", None),
            ("Evaluation", None),
        ];
        for (text, expected) in table {
            assert_eq!(read_score(text, Unit::Centipawns), expected, "{text}");
        }
        assert_eq!(read_score("-0.35", Unit::Pawns), Some(-35));
    }
}
