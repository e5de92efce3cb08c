//! The encoding of positions for convolutional networks.

use mendel_board::sample::random_positions;
use mendel_board::{Position, Square};
use mendel_evaluator::vision::{Scene, View, encode, ends};

use crate::position;

fn seen(view: View, scene: &Scene) -> Vec<f32> {
    let mut numbers = vec![f32::NAN; view.inputs()];
    encode(view, scene, &mut numbers);
    numbers
}

#[test]
fn signs_follow_the_side_to_move_only_in_the_signed_view() {
    let black = position("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1");
    let [signed, absolute] =
        [View::Signed, View::Absolute].map(|view| seen(view, &Scene::new(&black)));
    let (pawn, king, enemy) = (12, 5 * 64 + 4, 5 * 64 + 60);
    let negated: Vec<f32> = absolute.iter().map(|it| -it).collect();
    assert_eq!(signed, negated);
    let spots = [pawn, king, enemy].map(|at| signed[at] as i32);
    assert_eq!(spots, [-1, -1, 1]);
    assert_eq!(absolute.iter().filter(|it| **it != 0.0).count(), 3);
}

#[test]
fn the_teaching_scalars_are_turn_en_passant_and_castling() {
    let scalars = |fen: &str| {
        let position = position(fen);
        seen(View::Teaching, &Scene::new(&position))[12 * 64..].to_vec()
    };
    assert_eq!(
        scalars("r3k3/8/8/3pP3/8/8/8/4K2R w Kq d6 0 2"),
        [1.0, 1.0, 1.0, 0.0, 0.0, 1.0]
    );
    assert_eq!(
        scalars("r3k3/8/8/3p4/8/8/8/4K2R b K - 0 2"),
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    );
}

/// Colours swapped and the board turned over, a position looks the same.
#[test]
fn our_view_is_blind_to_colour() {
    let view = View::Sides { plies: 2 };
    for position in random_positions(7, 200) {
        let mirrored = position.mirrored();
        let ratings = Some([1500, 2400]);
        let [scene, other] = [&position, &mirrored].map(|position| Scene {
            ratings,
            ..Scene::new(position)
        });
        assert_eq!(seen(view, &scene), seen(view, &other));
    }
}

#[test]
fn the_last_moves_are_seen_newest_first_and_turned_for_black() {
    let mut now = Position::initial();
    let mut before = Vec::new();
    for san in ["Nf3", "e5", "g3"] {
        let m = now.parse_san(san).expect("a legal move");
        now.play(m);
        before.push(m);
    }
    let view = View::Sides { plies: 2 };
    let scene = Scene {
        before: &before,
        repeated: true,
        ..Scene::new(&now)
    };
    let numbers = seen(view, &scene);
    let (planes, _) = numbers.as_chunks::<64>();
    let spots = |plane: usize| {
        let on = planes[plane].iter().enumerate();
        on.filter(|it| *it.1 != 0.0)
            .map(|it| it.0)
            .collect::<Vec<_>>()
    };
    // g2, g3, e7, e5 as Black sees them.
    assert_eq!(
        [23, 24, 25, 26].map(spots),
        [[54], [46], [12], [28]].map(Vec::from)
    );
    assert_eq!([18, 19, 20, 21].map(|it| spots(it).len()), [64, 0, 0, 0]);
}

#[test]
fn castling_ends_where_the_king_does() {
    let position = position("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
    let to = |san: &str| ends(position.parse_san(san).expect("legal"))[1];
    assert_eq!([to("O-O"), to("O-O-O")], [Square::G1, Square::C1]);
}
