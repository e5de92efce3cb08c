//! The terms of the teaching engine's heuristic, in hundredths of a pawn.

use crate::linear::features;

features! {
    /// Own pawns.
    pawn_value;
    /// Own knights.
    knight_value;
    /// Own bishops.
    bishop_value;
    /// Own rooks.
    rook_value;
    /// Own queens.
    queen_value;
    /// Own pawns on the squares c3 to f6; a fifth of a pawn in the paper.
    pawn_in_centre;
    /// Own knights on the squares c3 to f6; a fifth of a knight in the paper.
    knight_in_centre;
    /// Own bishops on the squares c3 to f6; a fifth of a bishop in the paper.
    bishop_in_centre;
    /// Own rooks on the squares c3 to f6; a fifth of a rook in the paper.
    rook_in_centre;
    /// Own queens on the squares c3 to f6; a fifth of a queen in the paper.
    queen_in_centre;
    /// Own knights on b1 and g1; a penalty, so the count is negative.
    knight_at_home;
    /// Own bishops on c1 and f1; a penalty, so the count is negative.
    bishop_at_home;
    /// Own rooks on a1 and h1; a penalty, so the count is negative.
    rook_at_home;
    /// Own queens on d1; a penalty, so the count is negative.
    queen_at_home;
    /// Own pawns on the second rank.
    pawn_on_rank_2;
    /// Own pawns on the third rank.
    pawn_on_rank_3;
    /// Own pawns on the fourth rank.
    pawn_on_rank_4;
    /// Own pawns on the fifth rank.
    pawn_on_rank_5;
    /// Own pawns on the sixth rank.
    pawn_on_rank_6;
    /// Own pawns on the seventh rank.
    pawn_on_rank_7;
    /// The king on the first rank, on b, c, g or h, with no own rook between it and the corner, while the enemy has more than three pieces besides pawns and king.
    castled;
    /// Enemy pieces other than the king that own pieces other than the king attack, those of each piece added: the author's first idea for more.
    attacked_men;
    /// Own pieces other than the king that own pieces other than the king defend, those of each piece added: the other half of that idea.
    defended_men;
}
