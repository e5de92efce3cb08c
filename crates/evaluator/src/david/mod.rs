//! The 35 parameters with which grandmasters' moves were first imitated by a
//! genetic algorithm.
//!
//! Each term is a count with one weight for the whole game; the score is the sum of
//! weight × (own count − other count). Weights are positive, so a term that is a
//! penalty counts negative.
//!
//! # Source
//!
//! David, van den Herik, Koppel and Netanyahu, "Genetic Algorithms for Evolving
//! Computer Chess Programs", *IEEE Transactions on Evolutionary Computation* 18(5),
//! 2014, pp. 779–789: the names and the evolved means of Figure 3, which the player
//! `evol-star` has.
//!
//! # Where this differs
//!
//! The paper names its parameters and defines none of them; the program they
//! belong to is not public. Every definition here is a reading of the name, made so
//! that the published weight is of a sensible size:
//!
//! * Mobility is the number of squares a piece controls, as for the λ hybrid: none if
//!   it is about to be lost. "Knight sq" is the same for knights; the λ hybrid, which
//!   follows this paper, took it so too.
//! * "Advance A" and "B" are steps of the pawns at the edge and of those on the
//!   files c to f, because B's weight is the larger.
//! * "Mult" multiplies a small table: the passed pawn's triangular numbers (150
//!   centipawns on the seventh rank), the knight's squares and outposts, the rook's
//!   file and the pressure on the king.
//! * A rook attacks the king's file, or one beside it, only where no own pawn stands
//!   on it. A file beside it is either one of a, b, g, h or one of the others, not both.
//! * A rook belongs behind passed pawns of both sides.
//! * The king "no pawn" terms tell of files that are open to the enemy's heavy
//!   pieces, and count only while there is a queen to use them: the evaluation has
//!   no taper, and without that the king would hide from the ending.

mod terms;

use mendel_board::{Bitboard, Color, Position, Role};

pub use self::terms::FEATURES;
use self::terms::{
    backward_pawn_penalty, bishop_mobility, bishop_pair, bishop_value, doubled_pawn_penalty,
    isolated_pawn_penalty, king_friendly_pawn_advanced1, king_no_enemy_pawn,
    king_no_enemy_pawn_adj, king_no_friendly_pawn, king_no_friendly_pawn_adj, king_pressure_mult,
    knight_outpost_mult, knight_sq_mult, knight_value, passed_pawn_enemy_king_dist,
    passed_pawn_mult, pawn_advance_a, pawn_advance_b, pawn_value, queen_mobility, queen_value,
    rook_7th_rank, rook_atck_weak_pawn_open_column, rook_attack_king_adj_file,
    rook_attack_king_adj_file_abgh, rook_attack_king_file, rook_behind_passed_pawn,
    rook_column_mult, rook_connected, rook_mobility, rook_open_file, rook_semi_open_file,
    rook_value, weak_square_penalty,
};
use crate::side::{Black, Side, White, distance, fill_files};
use crate::sight::{Sight, file_of, files_beside, number, sight_of_both};
use crate::{Feature, LinearModel};

/// The evaluation of David, van den Herik, Koppel and Netanyahu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct David;

impl LinearModel for David {
    const KIND: &'static str = "david";
    const FEATURES: &'static [Feature] = FEATURES;
    const TAPERED: bool = false;

    fn count(position: &Position, tell: &mut impl FnMut(usize, Color, i32)) {
        for (side, sight) in sight_of_both(position) {
            let mut tell = |term, count| tell(term, side, count);
            material(&sight, &mut tell);
            pawns(&sight, &mut tell);
            minors(&sight, &mut tell);
            rooks(&sight, &mut tell);
            king(&sight, &mut tell);
            tell(queen_mobility, sight.controlled(Role::Queen));
            tell(king_pressure_mult, pressure(&sight));
        }
    }
}

/// The files c to f.
const MIDDLE_FILES: Bitboard = Bitboard(0x3C3C_3C3C_3C3C_3C3C);

fn material(sight: &Sight, tell: &mut impl FnMut(usize, i32)) {
    tell(pawn_value, number(sight.own(Role::Pawn)));
    tell(knight_value, number(sight.own(Role::Knight)));
    tell(bishop_value, number(sight.own(Role::Bishop)));
    tell(rook_value, number(sight.own(Role::Rook)));
    tell(queen_value, number(sight.own(Role::Queen)));
}

fn pawns(sight: &Sight, tell: &mut impl FnMut(usize, i32)) {
    let pawns = sight.own(Role::Pawn);
    let steps = |pawns: Bitboard| -> i32 { pawns.into_iter().map(steps_made).sum() };
    tell(pawn_advance_a, steps(pawns & !MIDDLE_FILES));
    tell(pawn_advance_b, steps(pawns & MIDDLE_FILES));

    let (mut advance, mut far) = (0, 0);
    for pawn in sight.passed {
        let steps = steps_made(pawn);
        advance += steps * (steps + 1) / 2;
        far += distance(pawn, sight.enemy_king) as i32;
    }
    tell(passed_pawn_mult, advance);
    tell(passed_pawn_enemy_king_dist, far);

    tell(doubled_pawn_penalty, -number(sight.doubled()));
    tell(isolated_pawn_penalty, -number(sight.isolated));
    tell(backward_pawn_penalty, -number(sight.backward));
    let camp = MIDDLE_FILES & (White::rank_mask(2) | White::rank_mask(3));
    tell(weak_square_penalty, -number(camp & sight.beyond_pawns()));
}

/// Steps from the second rank.
fn steps_made(pawn: mendel_board::Square) -> i32 {
    i32::from(pawn.rank()) - 1
}

fn minors(sight: &Sight, tell: &mut impl FnMut(usize, i32)) {
    let knights = sight.own(Role::Knight);
    tell(knight_sq_mult, sight.controlled(Role::Knight));

    let ranks = White::rank_mask(3) | White::rank_mask(4) | White::rank_mask(5);
    let outposts = knights & ranks & !sight.enemy_pawn_span();
    let better = number(outposts & MIDDLE_FILES) + number(outposts & sight.pawn_attacks());
    tell(knight_outpost_mult, number(outposts) + better);

    tell(bishop_mobility, sight.controlled(Role::Bishop));
    let bishops = number(sight.own(Role::Bishop));
    tell(bishop_pair, i32::from(bishops >= 2));
}

fn rooks(sight: &Sight, tell: &mut impl FnMut(usize, i32)) {
    let rooks = sight.own(Role::Rook);
    let on = |squares: Bitboard| number(rooks & squares);

    // 1. Files without own pawns, and what they lead to.
    let free = !sight.own_files;
    tell(rook_open_file, on(free & !sight.enemy_files));
    tell(rook_semi_open_file, on(free & sight.enemy_files));
    let weak = fill_files(sight.enemy_weak);
    tell(rook_atck_weak_pawn_open_column, on(free & weak));
    let beside = free & files_beside(sight.enemy_king);
    tell(rook_attack_king_file, on(free & file_of(sight.enemy_king)));
    tell(rook_attack_king_adj_file, on(beside & MIDDLE_FILES));
    tell(rook_attack_king_adj_file_abgh, on(beside & !MIDDLE_FILES));

    // 2. Everything else.
    let column = |rook: mendel_board::Square| {
        let file = i32::from(rook.file());
        file.min(7 - file)
    };
    tell(rook_column_mult, rooks.into_iter().map(column).sum());
    tell(rook_7th_rank, on(White::rank_mask(6)));
    tell(rook_connected, i32::from(sight.rooks_connected()));
    tell(rook_mobility, sight.controlled(Role::Rook));
    let behind =
        sight.rooks_behind::<White>(sight.passed) | sight.rooks_behind::<Black>(sight.enemy_passed);
    tell(rook_behind_passed_pawn, number(behind));
}

/// Files that let the enemy's heavy pieces at the king.
fn king(sight: &Sight, tell: &mut impl FnMut(usize, i32)) {
    if sight.enemy(Role::Queen).is_empty() {
        return;
    }
    let rank = Bitboard::from(sight.king.rank());
    let ahead = White::fill_up(White::up(rank));
    let shield = sight.own(Role::Pawn) & ahead;

    // A file counts by its square on the king's rank.
    let file = file_of(sight.king) & rank;
    let beside = files_beside(sight.king) & rank;
    let open = |files: Bitboard, pawns: Bitboard| -number(files & !fill_files(pawns));
    tell(king_no_friendly_pawn, open(file, shield));
    tell(king_no_friendly_pawn_adj, open(beside, shield));
    tell(king_no_enemy_pawn, open(file, sight.enemy(Role::Pawn)));
    tell(
        king_no_enemy_pawn_adj,
        open(beside, sight.enemy(Role::Pawn)),
    );

    let near = fill_files(file | beside) & White::rank_mask(2);
    tell(king_friendly_pawn_advanced1, -number(shield & near));
}

/// Squares around the enemy king that own pieces control.
fn pressure(sight: &Sight) -> i32 {
    let ring = sight.attacks(Role::King, sight.enemy_king);
    [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
        .into_iter()
        .flat_map(|role| {
            let safe = sight.own(role) & !sight.hanging;
            safe.into_iter().map(move |from| (role, from))
        })
        .map(|(role, from)| number(sight.attacks(role, from) & ring))
        .sum()
}
