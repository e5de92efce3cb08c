//! A move in one byte: its place among the legal moves.

use mendel_board::{Move, PackedMove, Position};

/// No position has more legal moves than 218, so every place fits a byte.
const MOST: usize = 256;

/// What moves are sorted by: from, then to, then what a pawn becomes. Castling is
/// the king's square and the rook's.
#[inline]
fn key(m: Move) -> u16 {
    let bits = PackedMove::from(m).bits();
    (bits & 63) << 9 | (bits >> 6 & 63) << 3 | bits >> 12
}

/// The place of `m` among the sorted legal moves of `position`; `None` if it is
/// not legal there.
pub fn place_of(position: &Position, m: Move) -> Option<u8> {
    let sought = key(m);
    let legal = position.legal_moves();
    let is_there = legal.iter().any(|&legal| key(legal) == sought);
    let before = legal.iter().filter(|&&legal| key(legal) < sought).count();
    u8::try_from(before).ok().filter(|_| is_there)
}

/// The legal move of `position` at this place; `None` if there are fewer.
///
/// Nothing is sorted: moves are counted by the square they leave, which finds the
/// piece, and only that piece's moves are compared.
#[inline]
pub fn move_at(position: &Position, place: u8) -> Option<Move> {
    let legal = position.legal_moves();
    let place = usize::from(place);
    if place >= legal.len() {
        return None;
    }

    // 1. The square.
    let mut leaving = [0_u8; 64];
    let mut keys = [0_u16; MOST];
    for (key_of, &m) in keys.iter_mut().zip(&legal) {
        *key_of = key(m);
        leaving[usize::from(*key_of >> 9)] += 1;
    }
    let mut left = place;
    let mut from = 0;
    while left >= usize::from(leaving[from]) {
        left -= usize::from(leaving[from]);
        from += 1;
    }

    // 2. The move among those of that square: the one that as many precede.
    let mut here = [(0_u16, 0_u8); 64];
    let mut count = 0;
    for (index, &key) in keys[..legal.len()].iter().enumerate() {
        if usize::from(key >> 9) == from {
            here[count] = (key, index as u8);
            count += 1;
        }
    }
    let here = &here[..count];
    let precede = |key| here.iter().filter(|&&(other, _)| other < key).count();
    let found = here.iter().find(|&&(key, _)| precede(key) == left);
    found.map(|&(_, index)| legal[usize::from(index)])
}

#[cfg(test)]
mod tests {
    use mendel_board::sample::random_positions;

    use super::*;

    /// Squares from which pawns promote with capture have the most moves of one
    /// square for their size; the others are from random games.
    fn positions() -> impl Iterator<Item = Position> {
        let crowded = [
            "1n1n1n2/P1P1P1P1/8/8/8/8/7k/K7 w - - 0 1",
            "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
            "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 2",
        ];
        crowded
            .into_iter()
            .map(|fen| Position::from_fen(fen).expect("it is a position"))
            .chain(random_positions(3, 300))
    }

    #[test]
    fn every_move_comes_back_from_its_place() {
        for position in positions() {
            let mut places = Vec::new();
            for m in position.legal_moves() {
                let place = place_of(&position, m).expect("it is legal");
                assert_eq!(move_at(&position, place), Some(m), "{}", position.fen());
                places.push(usize::from(place));
            }
            places.sort_unstable();
            let all: Vec<usize> = (0..places.len()).collect();
            assert_eq!(places, all, "{}", position.fen());
        }
    }

    #[test]
    fn places_follow_from_to_and_promotion() {
        let position = Position::initial();
        let uci = |place| move_at(&position, place).map(|m| position.uci(m));
        let wanted = ["b1a3", "b1c3", "g1f3", "g1h3", "a2a3", "a2a4"];
        for (place, wanted) in wanted.iter().enumerate() {
            assert_eq!(uci(place as u8).as_deref(), Some(*wanted));
        }
        let position = Position::from_fen("8/P6k/8/8/8/8/8/K7 w - - 0 1").expect("it is one");
        let uci = |place| move_at(&position, place).map(|m| position.uci(m));
        let wanted = ["a7a8n", "a7a8b", "a7a8r", "a7a8q"];
        for (place, wanted) in wanted.iter().enumerate() {
            assert_eq!(uci(place as u8 + 3).as_deref(), Some(*wanted));
        }
    }

    #[test]
    fn there_is_no_move_behind_the_last() {
        for position in positions() {
            let count = position.legal_moves().len();
            for place in count..256 {
                assert_eq!(move_at(&position, place as u8), None);
            }
        }
    }
}
