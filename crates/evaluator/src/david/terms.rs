//! The 35 terms, in the order of the paper's Figure 3.

use crate::linear::features;

features! {
    /// Own pawns; the unit of all weights, fixed at 100.
    pawn_value (2047);
    /// Own knights.
    knight_value (2047);
    /// Own bishops.
    bishop_value (2047);
    /// Own rooks.
    rook_value (2047);
    /// Own queens.
    queen_value (2047);
    /// Steps that the pawns on the files a, b, g and h have made from the second rank.
    pawn_advance_a;
    /// Steps that the pawns on the files c to f have made from the second rank.
    pawn_advance_b;
    /// Passed pawns, each as 0, 1, 3, 6, 10 or 15 by its steps from the second rank.
    passed_pawn_mult;
    /// Pawns behind another own pawn on the same file; a penalty, so the count is negative.
    doubled_pawn_penalty;
    /// Pawns without own pawns on the files beside them; a penalty, so the count is negative.
    isolated_pawn_penalty;
    /// Pawns whose neighbours are all too far advanced to defend the square in front, which an enemy pawn attacks; a penalty, so the count is negative.
    backward_pawn_penalty;
    /// Squares on the third and fourth rank, files c to f, that no own pawn can ever defend again; a penalty, so the count is negative.
    weak_square_penalty;
    /// King steps from the enemy king to each own passed pawn, added.
    passed_pawn_enemy_king_dist;
    /// Squares the knights control, those of each knight added; one that the enemy can win on the move controls none.
    knight_sq_mult;
    /// Knights on the fourth to sixth rank where no enemy pawn can ever attack them: one, and one more each on the files c to f and if a pawn defends them.
    knight_outpost_mult;
    /// Squares the bishops control, those of each bishop added; one that the enemy can win on the move controls none.
    bishop_mobility;
    /// Two bishops or more.
    bishop_pair;
    /// Rooks on the enemy king's file with no own pawn on it.
    rook_attack_king_file;
    /// Rooks on a file from c to f beside the enemy king's with no own pawn on it.
    rook_attack_king_adj_file;
    /// Rooks on the file a, b, g or h beside the enemy king's with no own pawn on it.
    rook_attack_king_adj_file_abgh;
    /// Rooks on the seventh rank.
    rook_7th_rank;
    /// Two rooks on one line with nothing between them.
    rook_connected;
    /// Squares the rooks control, those of each rook added; one that the enemy can win on the move controls none.
    rook_mobility;
    /// Rooks behind a passed pawn of either side, on its file.
    rook_behind_passed_pawn;
    /// Rooks on a file without pawns.
    rook_open_file;
    /// Rooks on a file with enemy pawns only.
    rook_semi_open_file;
    /// Rooks on a file without own pawns that holds an isolated or backward enemy pawn.
    rook_atck_weak_pawn_open_column;
    /// Rooks by their file: 0 for a and h, 1 for b and g, 2 for c and f, 3 for d and e.
    rook_column_mult;
    /// Squares the queens control, those of each queen added; one that the enemy can win on the move controls none.
    queen_mobility;
    /// The king's file without an own pawn in front of the king, while the enemy has a queen; a penalty, so the count is negative.
    king_no_friendly_pawn;
    /// Files beside the king's without an own pawn in front of the king, while the enemy has a queen; a penalty, so the count is negative.
    king_no_friendly_pawn_adj;
    /// Own pawns on the third rank, on the king's file or a file beside it, while the enemy has a queen; a penalty, so the count is negative.
    king_friendly_pawn_advanced1;
    /// The king's file without an enemy pawn, while the enemy has a queen; a penalty, so the count is negative.
    king_no_enemy_pawn;
    /// Files beside the king's without an enemy pawn, while the enemy has a queen; a penalty, so the count is negative.
    king_no_enemy_pawn_adj;
    /// Squares around the enemy king that the own knights, bishops, rooks and queens control, those of each piece added.
    king_pressure_mult;
}
