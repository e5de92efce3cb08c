//! Lengths and first moves of games.

use mendel_arena::{EndReason, FirstMoves, PairGame};
use mendel_lab::trial::games::{Phase, PlayedPair};
use mendel_report::analysis::games::by_phase;

#[test]
fn a_lost_game_counts_for_the_colour_of_the_loser() {
    let game = |points, plies, first: &str| PairGame {
        points,
        plies,
        reason: EndReason::Checkmate,
        nodes: 1,
        first: FirstMoves::try_from(first.to_owned()).expect("moves"),
    };
    let pair = |phase, second: &str, games| PlayedPair {
        generation: 0,
        phase,
        pair: 0,
        first: "member 0".to_owned(),
        second: second.to_owned(),
        opening: 0,
        games,
    };
    let pairs = [
        // The first loses with White, then the second with White.
        pair(
            Phase::Trial,
            "member 1",
            [game(-1, 30, "e2e4 e7e5"), game(1, 40, "e2e4 c7c5")],
        ),
        // Draws say nothing of length.
        pair(
            Phase::Trial,
            "member 2",
            [game(0, 200, "e2e4 c7c5"), game(0, 99, "d2d4 d7d5")],
        ),
        // The first loses with Black, then beats a player that was not bred.
        pair(
            Phase::Ladder,
            "material",
            [game(1, 7, ""), game(-1, 50, "")],
        ),
    ];
    let found = by_phase(&pairs);
    let [trial, ladder] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!((trial.games, trial.results), (4, [0, 2, 2]));
    assert_eq!(trial.lost_by_white, [30, 40]);
    assert!(trial.lost_by_black.is_empty());
    let counted = |list: &[(&str, u64)]| -> Vec<(String, u64)> {
        list.iter().map(|it| (it.0.to_owned(), it.1)).collect()
    };
    assert_eq!(trial.first_moves, counted(&[("e2e4", 3), ("d2d4", 1)]));
    assert_eq!(trial.answers, counted(&[("c7c5", 2), ("e7e5", 1)]));
    assert_eq!(ladder.results, [2, 0, 0]);
    assert_eq!(ladder.lost_by_black, [50]);
    assert!(ladder.lost_by_white.is_empty() && ladder.first_moves.is_empty());
}
