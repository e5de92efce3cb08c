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
//! | mobility | attacked squares, also those of own men; none for a piece that the enemy, to move, can take with a profit (it is attacked by a cheaper man, or by any and not defended) | "controlled", not "can go to": a piece that is about to be lost controls nothing. Without this no term would see that a move loses a piece, and of 4,000 masters' moves a fit of these terms finds 20 instead of 24 in a hundred |
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

pub use self::terms::FEATURES;
use self::terms::{
    backward_pawn_number, bishop_mobility, bishop_pair, bishop_piece_table, bishop_value,
    checkmate, doubled_pawn_number, isolated_pawn_number, king_friendly_pawn_advanced,
    king_number_enemy_pawns, king_number_enemy_pawns_adjacent, king_number_friendly_pawns,
    king_number_friendly_pawns_adjacent, king_piece_table, knight_mobility, knight_outpost_number,
    knight_piece_table, knight_value, number_of_centre_pawns, passed_pawn_enemy_king_distance,
    passed_pawn_number, pawn_piece_table, pawn_value, pressure_against_king, queen_mobility,
    queen_piece_table, queen_value, rook_attack_king_adj_file, rook_attack_king_file,
    rook_attack_weak_pawn_open_column, rook_behind_passed_pawn, rook_connected, rook_mobility,
    rook_open_file, rook_piece_table, rook_semi_open_file, rook_value,
};
use crate::side::{Black, Side, White, fill_files};
use crate::sight::{
    CENTRE, ENEMY_HALF, Sight, file_of, files_beside, manhattan, number, sight_of_both,
};
use crate::{Feature, LinearModel, squares};

/// The evaluation of the λ hybrid's genetic half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lambda;

impl LinearModel for Lambda {
    const KIND: &'static str = "lambda";
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
            tables(&sight, &mut tell);
            tell(queen_mobility, sight.controlled(Role::Queen));
            tell(checkmate, i32::from(sight.mates));
        }
    }
}

/// Six pieces of both sides, pawns and kings not counted, are an end game.
const FEW_PIECES: i32 = 6;

fn material(sight: &Sight, tell: &mut impl FnMut(usize, i32)) {
    tell(pawn_value, number(sight.own(Role::Pawn)));
    tell(knight_value, number(sight.own(Role::Knight)));
    tell(bishop_value, number(sight.own(Role::Bishop)));
    tell(rook_value, number(sight.own(Role::Rook)));
    tell(queen_value, number(sight.own(Role::Queen)));
}

fn pawns(sight: &Sight, tell: &mut impl FnMut(usize, i32)) {
    let distances = sight
        .passed
        .into_iter()
        .map(|pawn| manhattan(pawn, sight.enemy_king));
    tell(passed_pawn_number, number(sight.passed));
    tell(passed_pawn_enemy_king_distance, distances.sum());
    tell(doubled_pawn_number, -number(sight.doubled()));
    tell(isolated_pawn_number, -number(sight.isolated));
    tell(backward_pawn_number, -number(sight.backward));
    let centre = sight.own(Role::Pawn) & CENTRE;
    tell(number_of_centre_pawns, number(centre));
}

fn minors(sight: &Sight, tell: &mut impl FnMut(usize, i32)) {
    tell(knight_mobility, sight.controlled(Role::Knight));
    tell(bishop_mobility, sight.controlled(Role::Bishop));
    let outposts = (CENTRE | ENEMY_HALF) & sight.pawn_attacks() & !sight.enemy_pawn_span();
    let on_outposts = sight.own(Role::Knight) & outposts;
    tell(knight_outpost_number, number(on_outposts));
    let bishops = number(sight.own(Role::Bishop));
    tell(bishop_pair, i32::from(bishops >= 2));
}

fn rooks(sight: &Sight, tell: &mut impl FnMut(usize, i32)) {
    let rooks = sight.own(Role::Rook);
    let on = |squares: Bitboard| number(rooks & squares);
    let semi_open = !sight.own_files;
    let open = semi_open & !sight.enemy_files;
    tell(rook_mobility, sight.controlled(Role::Rook));
    tell(rook_connected, i32::from(sight.rooks_connected()));
    tell(rook_open_file, on(open));
    tell(rook_semi_open_file, on(semi_open));
    tell(
        rook_attack_weak_pawn_open_column,
        on(fill_files(sight.enemy_weak)),
    );
    tell(rook_attack_king_file, on(file_of(sight.enemy_king)));
    tell(
        rook_attack_king_adj_file,
        on(files_beside(sight.enemy_king)),
    );
    let behind = sight.rooks_behind::<Black>(sight.enemy_passed);
    tell(rook_behind_passed_pawn, number(behind));
}

fn king(sight: &Sight, tell: &mut impl FnMut(usize, i32)) {
    let (file, beside) = (file_of(sight.king), files_beside(sight.king));
    let pawns = sight.own(Role::Pawn);
    tell(king_number_friendly_pawns, number(pawns & file));
    tell(king_number_friendly_pawns_adjacent, number(pawns & beside));

    let rank = Bitboard::from(sight.king.rank());
    let ahead = White::fill_up(White::up(rank));
    let shield = pawns & (file | beside) & ahead & !White::rank_mask(1);
    tell(king_friendly_pawn_advanced, number(shield));

    let near = |king_rank: u32, pawn_rank: u32| king_rank.abs_diff(pawn_rank) <= 4;
    let storm = |files: Bitboard| {
        let pawns = (sight.enemy(Role::Pawn) & files).into_iter();
        let near = |pawn: &mendel_board::Square| near(sight.king.rank().into(), pawn.rank().into());
        pawns.filter(near).count() as i32
    };
    tell(king_number_enemy_pawns, -storm(file));
    tell(king_number_enemy_pawns_adjacent, -storm(beside));

    let distances = sight
        .enemy_pieces()
        .into_iter()
        .map(|piece| manhattan(piece, sight.king));
    tell(pressure_against_king, distances.sum());
}

fn tables(sight: &Sight, tell: &mut impl FnMut(usize, i32)) {
    let sum = |table, role| squares::sum(table, sight.own(role));
    let pieces = number(sight.pieces() | sight.enemy_pieces());
    let king = if pieces <= FEW_PIECES {
        squares::KING_END_GAME
    } else {
        squares::KING_MIDDLE_GAME
    };
    tell(bishop_piece_table, sum(&squares::BISHOP, Role::Bishop));
    tell(knight_piece_table, sum(&squares::KNIGHT, Role::Knight));
    tell(rook_piece_table, sum(&squares::ROOK, Role::Rook));
    tell(queen_piece_table, sum(&squares::QUEEN, Role::Queen));
    tell(pawn_piece_table, sum(&squares::PAWN, Role::Pawn));
    tell(king_piece_table, sum(&king, Role::King));
}
