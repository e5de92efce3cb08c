//! The chromosome of CWU-Chess.

use mendel_evaluator::cwu::ONE;

/// The genes: the weight they set and their bits, 160 in all, in plain binary. A
/// weight is a number of 16 bits in parts of [`ONE`]: from −1 to almost 1.
///
/// # Source
///
/// Lemley and others, "CWU-Chess: An Adaptive Chess Program that Improves After Each
/// Game", section III.A: ten weights whose bits are crossed and mutated.
///
/// # Where this differs
///
/// The paper does not say how a weight is written.
pub const CWU: [(&str, u32); 10] = [
    ("bishop_pair", 16),
    ("doubled_pawns", 16),
    ("numerical_advantage", 16),
    ("isolated_pawns", 16),
    ("pawn_advance", 16),
    ("passed_pawns", 16),
    ("mobility", 16),
    ("defensive_coordination", 16),
    ("centre_control", 16),
    ("king_safety", 16),
];

/// The value of code 0.
pub(super) const LOWEST: i64 = -(ONE as i64);
