//! The 37 terms of the λ hybrid's genetic half.
//!
//! Each term is a count with one weight for the whole game; the score is the sum of
//! weight × (own count − other count). Weights are positive, so a term that is a
//! penalty counts negative.
//!
//! # Source
//!
//! Klevansky, Ostroff and Offen, "Determining the Optimal Tradeoff for building
//! Chess Playing Agents: Genetically Tuned vs. Neural Features", Technion, 2023:
//! Table 2 for the terms, Tables 3 and 5 for the weights of the players `lambda-ga`
//! and `lambda-coevolved`.
//!
//! # Where this differs
//!
//! The paper prints no formula, no sign and no table. What was chosen where its
//! words leave room:
//!
//! | term | choice | why |
//! |---|---|---|
//! | doubled | every pawn behind another one: two for a tripled file | "the number of times" |
//! | backward | only pawns with own pawns beside them; the others are isolated | no pawn counts twice |
//! | passed pawn's enemy king | good for the pawn's side; the other side's passed pawns are taken off by the difference | a distant king cannot stop it |
//! | mobility | attacked squares, also those of own pieces; none for a piece that the enemy, to move, can take with a profit (it is attacked by a cheaper piece, or by any and not defended) | "controlled", not "can go to": a piece that is about to be lost controls nothing. Without this no term would see that a move loses a piece, and of 4,000 masters' moves a fit of these terms finds 20 instead of 24 in a hundred |
//! | outpost | "the centre" is d4, e4, d5, e5, as for the pawns | one meaning of a word |
//! | weak pawn's column | any rook on the file, whatever stands between | the description asks for no more |
//! | semi-open | open files count too | "files without pawns (only ours)"; it makes the published open file worth more than a semi-open one |
//! | advanced shield | counts for its side | the paper names no penalty |
//! | pressure | larger is better; knights to queens only | pawns near the king have two terms of their own |
//! | king table | the end game begins with six knights, bishops, rooks and queens of both sides together | "according to the number of pieces" |
//!
//! Checkmate is a term like any other: it counts for the side that gave it, and the
//! search, which finds mates by itself, never asks. Only a choice of one ply needs it.

mod terms;

use mendel_board::{Bitboard, Color, Position, Role};

use self::terms as term;
pub use self::terms::FEATURES;
use crate::side::{Black, Side, White, fill_files};
use crate::side_view::{
    CENTRE, ENEMY_HALF, SideView, file_of, files_beside, manhattan, number, side_views,
};
use crate::{Feature, LinearModel, squares};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lambda;

impl LinearModel for Lambda {
    const KIND: &'static str = "lambda";
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
            tables(&view, &mut tell);
            tell(term::queen_mobility, view.controlled(Role::Queen));
            tell(term::checkmate, i32::from(view.mates));
        }
    }
}

/// Six pieces of both sides, pawns and kings not counted, are an end game.
const FEW_PIECES: i32 = 6;

fn pawns(view: &SideView, tell: &mut impl FnMut(usize, i32)) {
    let distances = view
        .passed
        .into_iter()
        .map(|pawn| manhattan(pawn, view.enemy_king));
    tell(term::passed_pawn_number, number(view.passed));
    tell(term::passed_pawn_enemy_king_distance, distances.sum());
    tell(term::doubled_pawn_number, -number(view.doubled()));
    tell(term::isolated_pawn_number, -number(view.isolated));
    tell(term::backward_pawn_number, -number(view.backward));
    let centre = view.own(Role::Pawn) & CENTRE;
    tell(term::number_of_centre_pawns, number(centre));
}

fn minors(view: &SideView, tell: &mut impl FnMut(usize, i32)) {
    tell(term::knight_mobility, view.controlled(Role::Knight));
    tell(term::bishop_mobility, view.controlled(Role::Bishop));
    let outposts = (CENTRE | ENEMY_HALF) & view.pawn_attacks() & !view.enemy_pawn_span();
    let on_outposts = view.own(Role::Knight) & outposts;
    tell(term::knight_outpost_number, number(on_outposts));
    let bishops = number(view.own(Role::Bishop));
    tell(term::bishop_pair, i32::from(bishops >= 2));
}

fn rooks(view: &SideView, tell: &mut impl FnMut(usize, i32)) {
    let rooks = view.own(Role::Rook);
    let on = |squares: Bitboard| number(rooks & squares);
    let semi_open = !view.own_files;
    let open = semi_open & !view.enemy_files;
    tell(term::rook_mobility, view.controlled(Role::Rook));
    tell(term::rook_connected, i32::from(view.rooks_connected()));
    tell(term::rook_open_file, on(open));
    tell(term::rook_semi_open_file, on(semi_open));
    tell(
        term::rook_attack_weak_pawn_open_column,
        on(fill_files(view.enemy_weak)),
    );
    tell(term::rook_attack_king_file, on(file_of(view.enemy_king)));
    tell(
        term::rook_attack_king_adj_file,
        on(files_beside(view.enemy_king)),
    );
    let behind = view.rooks_behind::<Black>(view.enemy_passed);
    tell(term::rook_behind_passed_pawn, number(behind));
}

fn king(view: &SideView, tell: &mut impl FnMut(usize, i32)) {
    let (file, beside) = (file_of(view.king), files_beside(view.king));
    let pawns = view.own(Role::Pawn);
    tell(term::king_number_friendly_pawns, number(pawns & file));
    tell(
        term::king_number_friendly_pawns_adjacent,
        number(pawns & beside),
    );

    let rank = Bitboard::from(view.king.rank());
    let ahead = White::fill_up(White::up(rank));
    let shield = pawns & (file | beside) & ahead & !White::rank_mask(1);
    tell(term::king_friendly_pawn_advanced, number(shield));

    let near = |king_rank: u32, pawn_rank: u32| king_rank.abs_diff(pawn_rank) <= 4;
    let storm = |files: Bitboard| {
        let pawns = (view.enemy(Role::Pawn) & files).into_iter();
        let near = |pawn: &mendel_board::Square| near(view.king.rank().into(), pawn.rank().into());
        pawns.filter(near).count() as i32
    };
    tell(term::king_number_enemy_pawns, -storm(file));
    tell(term::king_number_enemy_pawns_adjacent, -storm(beside));

    let distances = view
        .enemy_minor_major()
        .into_iter()
        .map(|piece| manhattan(piece, view.king));
    tell(term::pressure_against_king, distances.sum());
}

fn tables(view: &SideView, tell: &mut impl FnMut(usize, i32)) {
    let sum = |table, role| squares::sum(table, view.own(role));
    let pieces = number(view.own_minor_major() | view.enemy_minor_major());
    let king = if pieces <= FEW_PIECES {
        squares::KING_END_GAME
    } else {
        squares::KING_MIDDLE_GAME
    };
    tell(
        term::bishop_piece_table,
        sum(&squares::BISHOP, Role::Bishop),
    );
    tell(
        term::knight_piece_table,
        sum(&squares::KNIGHT, Role::Knight),
    );
    tell(term::rook_piece_table, sum(&squares::ROOK, Role::Rook));
    tell(term::queen_piece_table, sum(&squares::QUEEN, Role::Queen));
    tell(term::pawn_piece_table, sum(&squares::PAWN, Role::Pawn));
    tell(term::king_piece_table, sum(&king, Role::King));
}
