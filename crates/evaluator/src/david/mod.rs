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

use self::terms as term;
pub use self::terms::FEATURES;
use crate::side::{Black, Side, White, distance, fill_files};
use crate::side_view::{SideView, file_of, files_beside, number, side_views};
use crate::{Feature, LinearModel};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct David;

impl LinearModel for David {
    const KIND: &'static str = "david";
    const FEATURES: &'static [Feature] = FEATURES;
    const TAPERED: bool = false;

    fn count(position: &Position, tell: &mut impl FnMut(usize, Color, i32)) {
        for (side, view) in side_views(position) {
            let mut tell = |term, count| tell(term, side, count);
            let material = [
                term::pawn_value,
                term::knight_value,
                term::bishop_value,
                term::rook_value,
                term::queen_value,
            ];
            view.count_material(material, &mut tell);
            pawns(&view, &mut tell);
            minors(&view, &mut tell);
            rooks(&view, &mut tell);
            king(&view, &mut tell);
            tell(term::queen_mobility, view.controlled(Role::Queen));
            tell(term::king_pressure_mult, pressure(&view));
        }
    }
}

const MIDDLE_FILES: Bitboard = Bitboard(0x3C3C_3C3C_3C3C_3C3C);

fn pawns(view: &SideView, tell: &mut impl FnMut(usize, i32)) {
    let pawns = view.own(Role::Pawn);
    let steps = |pawns: Bitboard| -> i32 { pawns.into_iter().map(steps_made).sum() };
    tell(term::pawn_advance_a, steps(pawns & !MIDDLE_FILES));
    tell(term::pawn_advance_b, steps(pawns & MIDDLE_FILES));

    let (mut advance, mut far) = (0, 0);
    for pawn in view.passed {
        let steps = steps_made(pawn);
        advance += steps * (steps + 1) / 2;
        far += distance(pawn, view.enemy_king) as i32;
    }
    tell(term::passed_pawn_mult, advance);
    tell(term::passed_pawn_enemy_king_dist, far);

    tell(term::doubled_pawn_penalty, -number(view.doubled()));
    tell(term::isolated_pawn_penalty, -number(view.isolated));
    tell(term::backward_pawn_penalty, -number(view.backward));
    let camp = MIDDLE_FILES & (White::rank_mask(2) | White::rank_mask(3));
    tell(
        term::weak_square_penalty,
        -number(camp & view.beyond_pawns()),
    );
}

/// Steps from the second rank.
fn steps_made(pawn: mendel_board::Square) -> i32 {
    i32::from(pawn.rank()) - 1
}

fn minors(view: &SideView, tell: &mut impl FnMut(usize, i32)) {
    let knights = view.own(Role::Knight);
    tell(term::knight_sq_mult, view.controlled(Role::Knight));

    let ranks = White::rank_mask(3) | White::rank_mask(4) | White::rank_mask(5);
    let outposts = knights & ranks & !view.enemy_pawn_span();
    let better = number(outposts & MIDDLE_FILES) + number(outposts & view.pawn_attacks());
    tell(term::knight_outpost_mult, number(outposts) + better);

    tell(term::bishop_mobility, view.controlled(Role::Bishop));
    let bishops = number(view.own(Role::Bishop));
    tell(term::bishop_pair, i32::from(bishops >= 2));
}

fn rooks(view: &SideView, tell: &mut impl FnMut(usize, i32)) {
    let rooks = view.own(Role::Rook);
    let on = |squares: Bitboard| number(rooks & squares);

    // 1. Files without own pawns, and what they lead to.
    let free = !view.own_files;
    tell(term::rook_open_file, on(free & !view.enemy_files));
    tell(term::rook_semi_open_file, on(free & view.enemy_files));
    let weak = fill_files(view.enemy_weak);
    tell(term::rook_atck_weak_pawn_open_column, on(free & weak));
    let beside = free & files_beside(view.enemy_king);
    tell(
        term::rook_attack_king_file,
        on(free & file_of(view.enemy_king)),
    );
    tell(term::rook_attack_king_adj_file, on(beside & MIDDLE_FILES));
    tell(
        term::rook_attack_king_adj_file_abgh,
        on(beside & !MIDDLE_FILES),
    );

    // 2. Everything else.
    let column = |rook: mendel_board::Square| {
        let file = i32::from(rook.file());
        file.min(7 - file)
    };
    tell(term::rook_column_mult, rooks.into_iter().map(column).sum());
    tell(term::rook_7th_rank, on(White::rank_mask(6)));
    tell(term::rook_connected, i32::from(view.rooks_connected()));
    tell(term::rook_mobility, view.controlled(Role::Rook));
    let behind =
        view.rooks_behind::<White>(view.passed) | view.rooks_behind::<Black>(view.enemy_passed);
    tell(term::rook_behind_passed_pawn, number(behind));
}

/// Files that let the enemy's heavy pieces at the king.
fn king(view: &SideView, tell: &mut impl FnMut(usize, i32)) {
    if view.enemy(Role::Queen).is_empty() {
        return;
    }
    let rank = Bitboard::from(view.king.rank());
    let ahead = White::fill_up(White::up(rank));
    let shield = view.own(Role::Pawn) & ahead;

    // A file counts by its square on the king's rank.
    let file = file_of(view.king) & rank;
    let beside = files_beside(view.king) & rank;
    let open = |files: Bitboard, pawns: Bitboard| -number(files & !fill_files(pawns));
    tell(term::king_no_friendly_pawn, open(file, shield));
    tell(term::king_no_friendly_pawn_adj, open(beside, shield));
    tell(term::king_no_enemy_pawn, open(file, view.enemy(Role::Pawn)));
    tell(
        term::king_no_enemy_pawn_adj,
        open(beside, view.enemy(Role::Pawn)),
    );

    let near = fill_files(file | beside) & White::rank_mask(2);
    tell(term::king_friendly_pawn_advanced1, -number(shield & near));
}

/// Squares around the enemy king that own pieces control.
fn pressure(view: &SideView) -> i32 {
    let ring = view.attacks(Role::King, view.enemy_king);
    [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
        .into_iter()
        .flat_map(|role| {
            let safe = view.own(role) & !view.hanging;
            safe.into_iter().map(move |from| (role, from))
        })
        .map(|(role, from)| number(view.attacks(role, from) & ring))
        .sum()
}
