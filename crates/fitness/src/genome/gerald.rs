//! The chromosomes of GERALD's evaluation and search.

/// The name of each weight, as the evaluator calls it, and its bits; a weight of
/// no bits stays as it is.
///
/// # Source
///
/// Elliot M. Harris, "Applications of Genetic Algorithms to Chess", Bard College
/// 2024, Table 3.2.1: 58 weights in 356 bits, whole numbers from zero, Gray-coded.
///
/// # Where this differs
///
/// Nowhere. The text gives the pawn of the middle game seven bits, the table none:
/// only without them the sum is 356. The hand-set 80 of the passed pawn in the end
/// game does not fit into its six bits, so `gerald-base` cannot be written as a
/// chromosome.
pub const GERALD: [(&str, u32); 58] = [
    ("pawn.mg", 0),
    ("pawn.eg", 8),
    ("knight.mg", 9),
    ("knight.eg", 9),
    ("bishop.mg", 9),
    ("bishop.eg", 9),
    ("rook.mg", 10),
    ("rook.eg", 10),
    ("queen.mg", 10),
    ("queen.eg", 10),
    ("passed_pawn.mg", 6),
    ("passed_pawn.eg", 6),
    ("doubled_pawn.mg", 6),
    ("doubled_pawn.eg", 6),
    ("isolated_pawn.mg", 6),
    ("isolated_pawn.eg", 6),
    ("weak_pawn.mg", 6),
    ("weak_pawn.eg", 6),
    ("central_pawn.mg", 6),
    ("central_pawn.eg", 6),
    ("weak_square.mg", 6),
    ("weak_square.eg", 6),
    ("passed_pawn_enemy_king_square.mg", 6),
    ("passed_pawn_enemy_king_square.eg", 6),
    ("knight_outpost.mg", 6),
    ("knight_outpost.eg", 6),
    ("knight_mobility.mg", 5),
    ("knight_mobility.eg", 5),
    ("bishop_mobility.mg", 5),
    ("bishop_mobility.eg", 5),
    ("bishop_pair.mg", 6),
    ("bishop_pair.eg", 6),
    ("rook_attack_king_file.mg", 6),
    ("rook_attack_king_file.eg", 6),
    ("rook_attack_king_adjacent_file.mg", 6),
    ("rook_attack_king_adjacent_file.eg", 6),
    ("rook_seventh_rank.mg", 6),
    ("rook_seventh_rank.eg", 6),
    ("rook_connected.mg", 6),
    ("rook_connected.eg", 6),
    ("rook_mobility.mg", 5),
    ("rook_mobility.eg", 5),
    ("rook_behind_passed_pawn.mg", 6),
    ("rook_behind_passed_pawn.eg", 6),
    ("rook_open_file.mg", 6),
    ("rook_open_file.eg", 6),
    ("rook_semi_open_file.mg", 6),
    ("rook_semi_open_file.eg", 6),
    ("rook_attack_weak_pawn.mg", 6),
    ("rook_attack_weak_pawn.eg", 6),
    ("queen_mobility.mg", 3),
    ("queen_mobility.eg", 3),
    ("king_friendly_pawn.mg", 6),
    ("king_friendly_pawn.eg", 6),
    ("king_no_enemy_pawn.mg", 6),
    ("king_no_enemy_pawn.eg", 6),
    ("king_pressure.mg", 4),
    ("king_pressure.eg", 4),
];

/// The name of each search number and its bits, 64 in all, Gray-coded.
///
/// # Source
///
/// As for [`GERALD`], Table 3.3.1, in the order of Figure 3.3.2, where the base and
/// the bred values stand.
///
/// # Where this differs
///
/// An aspiration window of 0 is no window and counts as 1.
pub const GERALD_SEARCH: [(&str, u32); 12] = [
    ("search.aspiration_window", 6),
    ("search.aspiration_depth", 3),
    ("search.use_lazy_evaluation", 1),
    ("search.reverse_futility_margin", 8),
    ("search.razoring_margin", 8),
    ("search.delta_margin", 10),
    ("search.killer_bonus", 10),
    ("search.reduction_depth", 3),
    ("search.reduction_count", 3),
    ("search.late_move_count", 4),
    ("search.null_reduction", 3),
    ("search.null_depth_factor", 5),
];

#[cfg(test)]
mod tests {
    use mendel_engine::Player;

    use super::GERALD;

    fn weights(player: &str) -> Vec<(String, i32)> {
        let player = Player::find(player).expect("a built-in player");
        let weights = player.evaluator.weights();
        weights
            .into_iter()
            .map(|weight| (weight.name, weight.value))
            .collect()
    }

    #[test]
    fn the_chromosome_has_a_gene_for_each_weight_and_the_published_length() {
        let names: Vec<String> = weights("gerald-base")
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(GERALD.map(|(name, _)| name).as_slice(), names);
        assert_eq!(GERALD.iter().map(|(_, bits)| bits).sum::<u32>(), 356);
    }

    #[test]
    fn the_bred_weights_fit_their_bits_and_one_hand_set_weight_does_not() {
        let too_large = |player| -> Vec<String> {
            let genes = GERALD.iter().zip(weights(player));
            genes
                .filter(|((_, bits), (_, value))| *bits > 0 && *value >= 1 << bits)
                .map(|(_, (name, _))| name)
                .collect()
        };
        assert!(too_large("gerald-eval-tuned").is_empty());
        assert_eq!(too_large("gerald-base"), ["passed_pawn.eg"]);
    }
}
