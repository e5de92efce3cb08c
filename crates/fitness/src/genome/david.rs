//! The chromosomes of David, van den Herik, Koppel and Netanyahu.

/// The genes: the weight they set and their bits, 224 in all, Gray-coded. The pawn
/// has no gene: it is the unit, 100.
///
/// # Source
///
/// "Genetic Algorithms for Evolving Computer Chess Programs", *IEEE Transactions on
/// Evolutionary Computation* 18(5), 2014, section III.
///
/// # Where this differs
///
/// The paper states 224 bits and 6 for each of the 30 parameters that are not
/// material; 11 for each piece follows.
pub const DAVID: [(&str, u32); 34] = [
    ("knight_value", 11),
    ("bishop_value", 11),
    ("rook_value", 11),
    ("queen_value", 11),
    ("pawn_advance_a", 6),
    ("pawn_advance_b", 6),
    ("passed_pawn_mult", 6),
    ("doubled_pawn_penalty", 6),
    ("isolated_pawn_penalty", 6),
    ("backward_pawn_penalty", 6),
    ("weak_square_penalty", 6),
    ("passed_pawn_enemy_king_dist", 6),
    ("knight_sq_mult", 6),
    ("knight_outpost_mult", 6),
    ("bishop_mobility", 6),
    ("bishop_pair", 6),
    ("rook_attack_king_file", 6),
    ("rook_attack_king_adj_file", 6),
    ("rook_attack_king_adj_file_abgh", 6),
    ("rook_7th_rank", 6),
    ("rook_connected", 6),
    ("rook_mobility", 6),
    ("rook_behind_passed_pawn", 6),
    ("rook_open_file", 6),
    ("rook_semi_open_file", 6),
    ("rook_atck_weak_pawn_open_column", 6),
    ("rook_column_mult", 6),
    ("queen_mobility", 6),
    ("king_no_friendly_pawn", 6),
    ("king_no_friendly_pawn_adj", 6),
    ("king_friendly_pawn_advanced1", 6),
    ("king_no_enemy_pawn", 6),
    ("king_no_enemy_pawn_adj", 6),
    ("king_pressure_mult", 6),
];

/// The genes of the search: the number they set and their bits, 70 in all,
/// Gray-coded.
///
/// # Source
///
/// As for [`DAVID`], Table I: 18 parameters of null moves, futility pruning,
/// multi-cut and extensions.
///
/// # Where this differs
///
/// The extensions have three bits and values from 0 to 4, quarters of a ply; what
/// the codes beyond mean is not said, here they count as 4.
pub const DAVID_SEARCH: [(&str, u32); 18] = [
    ("search.use_null_move", 1),
    ("search.null_reduction", 3),
    ("search.use_null_adaptivity", 1),
    ("search.null_adaptive_depth", 3),
    ("search.futility_depth", 2),
    ("search.futility_margin_1", 10),
    ("search.futility_margin_2", 10),
    ("search.futility_margin_3", 10),
    ("search.use_multi_cut", 1),
    ("search.multi_cut_reduction", 3),
    ("search.multi_cut_depth", 3),
    ("search.multi_cut_moves", 5),
    ("search.multi_cut_cuts", 3),
    ("search.extension_check", 3),
    ("search.extension_one_reply", 3),
    ("search.extension_recapture", 3),
    ("search.extension_passed_pawn", 3),
    ("search.extension_mate_threat", 3),
];
