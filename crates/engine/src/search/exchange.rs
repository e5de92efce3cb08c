//! Static exchange: what a series of captures on one square is worth.

use mendel_board::{Bitboard, Move, Position, Role, Square, attacks};

/// What a piece counts in an exchange. The king counts nothing: it can take, but
/// is never taken.
#[inline]
pub(crate) const fn value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight | Role::Bishop => 325,
        Role::Rook => 500,
        Role::Queen => 975,
        Role::King => 0,
    }
}

/// What `m` takes or gains before the opponent answers.
#[inline]
pub(crate) fn gain(m: Move) -> i32 {
    let taken = m.capture().map_or(0, value);
    let promoted = m
        .promotion()
        .map_or(0, |role| value(role) - value(Role::Pawn));
    taken + promoted
}

/// Whether `m` and the best captures on its target square after it win at least
/// `threshold` centipawns.
///
/// Both sides take with their least valuable piece and may stop at any time.
/// Pins are not seen; castling is worth nothing.
pub(crate) fn wins_at_least(position: &Position, m: Move, threshold: i32) -> bool {
    let (from, to) = match m {
        Move::Normal { from, to, .. } | Move::EnPassant { from, to } => (from, to),
        Move::Castle { .. } | Move::Put { .. } => return threshold <= 0,
    };

    // 1. Even if nothing is taken back, is it enough?
    let mut balance = gain(m) - threshold;
    if balance < 0 {
        return false;
    }

    // 2. Even if the piece is lost at once, is it enough?
    balance -= value(m.promotion().unwrap_or(m.role()));
    if balance >= 0 {
        return true;
    }

    // 3. Take in turns with the least piece; x-rays open as pieces leave.
    let board = position.board();
    let diagonal = board.bishops_and_queens();
    let straight = board.rooks_and_queens();
    let mut occupied = board.occupied() ^ Bitboard::from_square(from) | Bitboard::from_square(to);
    if m.is_en_passant() {
        occupied ^= Bitboard::from_square(Square::from_coords(to.file(), from.rank()));
    }
    let mut attackers = attackers_to(position, to, occupied);
    let mut side = !position.turn();
    loop {
        attackers &= occupied;
        let ours = attackers & board.by_color(side);
        let Some((role, square)) = least(position, ours) else {
            break;
        };
        // A king may not take what is still protected.
        if role == Role::King && (attackers & board.by_color(!side)).any() {
            break;
        }
        occupied ^= Bitboard::from_square(square);
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= attacks::bishop_attacks(to, occupied) & diagonal;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= attacks::rook_attacks(to, occupied) & straight;
        }
        side = !side;
        // `balance` is what the side that has just been taken from is ahead,
        // negative if that side must take again.
        balance = -balance - 1 - value(role);
        if balance >= 0 {
            break;
        }
    }
    side != position.turn()
}

fn attackers_to(position: &Position, square: Square, occupied: Bitboard) -> Bitboard {
    let board = position.board();
    (attacks::rook_attacks(square, occupied) & board.rooks_and_queens())
        | (attacks::bishop_attacks(square, occupied) & board.bishops_and_queens())
        | (attacks::knight_attacks(square) & board.knights())
        | (attacks::king_attacks(square) & board.kings())
        | (attacks::pawn_attacks(mendel_board::Color::White, square)
            & board.pawns()
            & board.black())
        | (attacks::pawn_attacks(mendel_board::Color::Black, square)
            & board.pawns()
            & board.white())
}

#[inline]
fn least(position: &Position, among: Bitboard) -> Option<(Role, Square)> {
    if among.is_empty() {
        return None;
    }
    let board = position.board();
    Role::ALL
        .into_iter()
        .find_map(|role| Some((role, (among & board.by_role(role)).first()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row: position, move, what the exchange wins.
    const TABLE: &[(&str, &str, i32)] = &[
        (
            "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1",
            "e1e5",
            100,
        ),
        (
            "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1",
            "d3e5",
            -225,
        ),
        ("4k3/8/3p4/4n3/8/8/8/4RK2 w - - 0 1", "e1e5", -175),
        ("4k3/8/8/4n3/8/8/8/4RK2 w - - 0 1", "e1e5", 325),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 875),
        ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", -100),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100),
        ("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 0),
        ("4k3/8/8/8/8/8/4r3/4K2R w K - 0 1", "e1e2", 500),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1", 0),
        ("6k1/8/8/3r4/8/8/8/3QR1K1 w - - 0 1", "e1e5", -500),
    ];

    #[test]
    fn exchanges_are_worth_what_the_table_says() {
        for &(fen, uci, worth) in TABLE {
            let position = Position::from_fen(fen).expect(fen);
            let m = position.parse_uci(uci).expect(uci);
            assert!(
                wins_at_least(&position, m, worth),
                "{fen} {uci} wins at least {worth}"
            );
            assert!(
                !wins_at_least(&position, m, worth + 1),
                "{fen} {uci} wins only {worth}"
            );
        }
    }
}
