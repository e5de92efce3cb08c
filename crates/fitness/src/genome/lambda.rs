//! The chromosome of the λ hybrid.

/// The genes: the weight they set and their bits, 244 in all, in plain binary. The
/// pawn has no gene: it is the unit, 100.
///
/// # Source
///
/// Klevansky, Ostroff and Offen, "Determining the Optimal Tradeoff for building Chess
/// Playing Agents", Technion, 2023, section 3.2.3.
///
/// # Where this differs
///
/// The paper states the sum and that the first 11 bits are the knight's, but prints
/// no widths. These add up to the sum and hold every published value. The order after
/// the four pieces is ours: the checkmate, then the others as in Table 2.
pub const LAMBDA: [(&str, u32); 36] = [
    ("knight_value", 11),
    ("bishop_value", 11),
    ("rook_value", 11),
    ("queen_value", 11),
    ("checkmate", 14),
    ("passed_pawn_number", 6),
    ("doubled_pawn_number", 6),
    ("isolated_pawn_number", 6),
    ("backward_pawn_number", 6),
    ("passed_pawn_enemy_king_distance", 6),
    ("number_of_centre_pawns", 6),
    ("knight_mobility", 6),
    ("knight_outpost_number", 6),
    ("bishop_mobility", 6),
    ("bishop_pair", 6),
    ("rook_attack_weak_pawn_open_column", 6),
    ("rook_connected", 6),
    ("rook_mobility", 6),
    ("rook_open_file", 6),
    ("rook_semi_open_file", 6),
    ("rook_attack_king_adj_file", 6),
    ("rook_attack_king_file", 6),
    ("rook_behind_passed_pawn", 6),
    ("queen_mobility", 6),
    ("king_number_friendly_pawns", 6),
    ("king_number_friendly_pawns_adjacent", 6),
    ("king_friendly_pawn_advanced", 6),
    ("king_number_enemy_pawns", 6),
    ("king_number_enemy_pawns_adjacent", 6),
    ("pressure_against_king", 6),
    ("bishop_piece_table", 6),
    ("knight_piece_table", 6),
    ("rook_piece_table", 6),
    ("queen_piece_table", 6),
    ("pawn_piece_table", 6),
    ("king_piece_table", 6),
];
