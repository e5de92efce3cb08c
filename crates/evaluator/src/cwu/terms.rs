//! The ten inputs of CWU-Chess.

use crate::linear::features;

features! {
    /// 1 with both bishops, else 0.
    bishop_pair(32767);
    /// Own pawns with another own pawn in front of them on their file.
    doubled_pawns(32767);
    /// Own pieces, the king included.
    numerical_advantage(32767);
    /// Own pawns without own pawns on the files beside them.
    isolated_pawns(32767);
    /// The ranks of own pawns, counted from the own side, added.
    pawn_advance(32767);
    /// Own pawns that no enemy pawn on their own file or a file beside it stands in front of.
    passed_pawns(32767);
    /// Squares that an own piece could go to and no enemy piece attacks, each counted once.
    mobility(32767);
    /// Own pieces that protect at least one other own piece that is not the king.
    defensive_coordination(32767);
    /// Own pieces that attack at least one of the squares d4, e4, d5 and e5.
    centre_control(32767);
    /// Own pieces with at least one move that attacks the enemy king.
    king_safety(32767);
}
