//! The 37 terms, in the order of the paper's Table 2.

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
    /// Pawns with no enemy pawn in front of them on their own file or a file beside it.
    passed_pawn_number;
    /// Pawns behind another own pawn on the same file; a penalty, so the count is negative.
    doubled_pawn_number;
    /// Pawns without own pawns on the files beside them; a penalty, so the count is negative.
    isolated_pawn_number;
    /// Pawns whose neighbours are all too far advanced to defend the square in front, which an enemy pawn attacks; a penalty, so the count is negative.
    backward_pawn_number;
    /// Steps along files and ranks from each own passed pawn to the enemy king, added.
    passed_pawn_enemy_king_distance;
    /// Pawns on d4, e4, d5 and e5.
    number_of_centre_pawns;
    /// Squares the knights control, those of each knight added; one that the enemy can win on the move controls none.
    knight_mobility;
    /// Knights in the centre or on the enemy's half, defended by an own pawn, where no enemy pawn can ever attack them.
    knight_outpost_number;
    /// Squares the bishops control, those of each bishop added; one that the enemy can win on the move controls none.
    bishop_mobility;
    /// Two bishops or more.
    bishop_pair;
    /// Rooks on a file with an isolated or backward enemy pawn.
    rook_attack_weak_pawn_open_column;
    /// Two rooks on one line with nothing between them.
    rook_connected;
    /// Squares the rooks control, those of each rook added; one that the enemy can win on the move controls none.
    rook_mobility;
    /// Rooks on a file without pawns.
    rook_open_file;
    /// Rooks on a file without own pawns, open files included.
    rook_semi_open_file;
    /// Rooks on a file beside the enemy king's.
    rook_attack_king_adj_file;
    /// Rooks on the enemy king's file.
    rook_attack_king_file;
    /// Own rooks behind an enemy passed pawn, on its file.
    rook_behind_passed_pawn;
    /// Squares the queens control, those of each queen added; one that the enemy can win on the move controls none.
    queen_mobility;
    /// Own pawns on the king's file.
    king_number_friendly_pawns;
    /// Own pawns on the files beside the king's.
    king_number_friendly_pawns_adjacent;
    /// Own pawns in front of the king, on its file or a file beside it, that have left the second rank.
    king_friendly_pawn_advanced;
    /// Enemy pawns on the king's file within four ranks of it; a penalty, so the count is negative.
    king_number_enemy_pawns;
    /// Enemy pawns on the files beside the king's within four ranks of it; a penalty, so the count is negative.
    king_number_enemy_pawns_adjacent;
    /// Steps along files and ranks from the own king to each enemy piece other than pawns and king, added.
    pressure_against_king;
    /// The enemy is checkmated.
    checkmate (16383);
    /// The squares of the bishops, from a table in tenths of the usual size.
    bishop_piece_table;
    /// The squares of the knights, from a table in tenths of the usual size.
    knight_piece_table;
    /// The squares of the rooks, from a table in tenths of the usual size.
    rook_piece_table;
    /// The squares of the queens, from a table in tenths of the usual size.
    queen_piece_table;
    /// The squares of the pawns, from a table in tenths of the usual size.
    pawn_piece_table;
    /// The square of the king, from a table in tenths of the usual size; another table once six pieces or fewer are left.
    king_piece_table;
}
