//! The numbers that small networks see.

#![allow(clippy::float_cmp, reason = "equal means equal to the last bit")]

use mendel_board::Position;
use mendel_board::sample::random_positions;
use mendel_evaluator::features::{ALL, COUNT, of};

#[test]
fn features_are_named_and_divided_by_powers_of_two() {
    let names: std::collections::BTreeSet<&str> = ALL.iter().map(|it| it.name).collect();
    assert_eq!(names.len(), COUNT);
    for about in ALL {
        assert!(about.by.is_power_of_two(), "{}", about.name);
        assert!(about.about.ends_with('.'), "{}", about.name);
    }
}

#[test]
fn features_do_not_see_colour_and_change_their_signs_with_the_turn() {
    for position in random_positions(51, 500) {
        let numbers = of(&position);
        assert_eq!(numbers, of(&position.mirrored()), "{}", position.fen());

        let fen = position.fen();
        let (from, to) = if fen.contains(" w ") {
            (" w ", " b ")
        } else {
            (" b ", " w ")
        };
        let passed = Position::from_fen(&fen.replacen(from, to, 1));
        let Some(passed) = passed.ok().filter(|_| !position.is_check()) else {
            continue;
        };
        for ((number, other), about) in numbers.into_iter().zip(of(&passed)).zip(ALL) {
            // Whose move it is decides whether a pawn outruns a king.
            let race = about.name == "passed_pawn_enemy_king_square";
            assert!(race || number == -other, "{} in {fen}", about.name);
        }
    }
}

#[test]
fn features_are_mostly_within_one() {
    let positions: Vec<[f32; COUNT]> = random_positions(53, 2000).map(|it| of(&it)).collect();
    for (at, about) in ALL.iter().enumerate() {
        let sizes = || positions.iter().map(|it| it[at].abs());
        let within = sizes().filter(|&it| it <= 1.0).count();
        assert!(
            within * 10 >= positions.len() * 6,
            "{} is large: {within}",
            about.name
        );
        assert!(
            sizes().any(|it| it > 0.0),
            "{} is always nothing",
            about.name
        );
        assert!(sizes().all(|it| it < 16.0), "{} is huge", about.name);
    }
}
