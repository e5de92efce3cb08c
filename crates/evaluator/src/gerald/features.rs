//! The 29 terms, in the order of the thesis's Figure 3.2.2.

use crate::linear::features;

features! {
    /// A pawn on the board.
    pawn;
    /// A knight on the board.
    knight;
    /// A bishop on the board.
    bishop;
    /// A rook on the board.
    rook;
    /// A queen on the board.
    queen(3000);
    /// A pawn with no pawn of either side in front of it on its file, and no enemy pawn in front on the files beside it.
    passed_pawn;
    /// A pawn with an own pawn in front of it on its file; counted negative.
    doubled_pawn;
    /// A pawn without own pawns on the files beside it; counted negative.
    isolated_pawn;
    /// A backward pawn: its neighbours have gone past it and an enemy pawn guards the square in front of it; counted negative.
    weak_pawn;
    /// A pawn on d4, e4, d5 or e5.
    central_pawn;
    /// A square of the third to sixth rank that no own pawn attacks or can come to attack; counted negative.
    weak_square;
    /// A passed pawn that would outrun the enemy king to the last rank.
    passed_pawn_enemy_king_square;
    /// A knight that an own pawn defends on a weak square of the enemy's.
    knight_outpost;
    /// A square that some knight can move to.
    knight_mobility;
    /// A square that some bishop can move to; a capture counts if it takes a rook or a queen.
    bishop_mobility;
    /// Two bishops or more.
    bishop_pair;
    /// A rook on the file of the enemy king.
    rook_attack_king_file;
    /// A rook on a file beside that of the enemy king.
    rook_attack_king_adjacent_file;
    /// A rook on the last rank but one.
    rook_seventh_rank;
    /// Some rook guards another.
    rook_connected;
    /// A square that some rook can move to; a capture counts if it takes a queen.
    rook_mobility;
    /// A rook behind an own passed pawn on its file.
    rook_behind_passed_pawn;
    /// A rook on a file without pawns.
    rook_open_file;
    /// A rook on a file with enemy pawns only.
    rook_semi_open_file;
    /// A rook that attacks a weak enemy pawn along the file.
    rook_attack_weak_pawn;
    /// A square that some queen can move to.
    queen_mobility;
    /// An own pawn on the king's file or beside it: 5 less the steps between them, counted along files and ranks, or nothing.
    king_friendly_pawn;
    /// An enemy pawn on the king's file or beside it: 3 less the steps between them, or nothing; counted negative.
    king_no_enemy_pawn;
    /// A square of the enemy king's zone that a piece of ours can move to: 1 by knights, 1 by bishops, 3 by rooks, 5 by queens.
    king_pressure;
}
