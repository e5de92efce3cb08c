//! Games of a run: how long those were that its players lost, and how they began.

use std::collections::BTreeMap;

use mendel_arena::Side;
use mendel_lab::trial::games::{Phase, PlayedPair};
use serde::Serialize;

/// What can be said of the games that were played for one purpose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhaseGames {
    /// What they were played for.
    pub phase: Phase,
    /// How many there were.
    pub games: u64,
    /// How many White won, how many were drawn, how many Black won.
    pub results: [u64; 3],
    /// Half-moves of the games that a bred player lost as White, in order of play.
    pub lost_by_white: Vec<u32>,
    /// The same as Black.
    pub lost_by_black: Vec<u32>,
    /// The first moves after the opening, the most frequent first.
    pub first_moves: Vec<(String, u64)>,
    /// The answers to the most frequent of them.
    pub answers: Vec<(String, u64)>,
}

/// Counts the games of a run, purpose by purpose.
pub fn by_phase(pairs: &[PlayedPair]) -> Vec<PhaseGames> {
    let mut phases: BTreeMap<Phase, Vec<&PlayedPair>> = BTreeMap::new();
    for pair in pairs {
        phases.entry(pair.phase).or_default().push(pair);
    }
    let of_one = |(phase, pairs): (Phase, Vec<&PlayedPair>)| {
        let mut found = PhaseGames {
            phase,
            games: 0,
            results: [0; 3],
            lost_by_white: Vec::new(),
            lost_by_black: Vec::new(),
            first_moves: Vec::new(),
            answers: Vec::new(),
        };
        let mut begun: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
        for pair in pairs {
            for (game, first) in pair.games.iter().zip([Side::White, Side::Black]) {
                // 1. Who won. Of some pairs only one game is played.
                if game.plies == 0 && game.points == 0 {
                    continue;
                }
                found.games += 1;
                let white = if first == Side::White {
                    game.points
                } else {
                    -game.points
                };
                let result = match white {
                    1.. => 0,
                    0 => 1,
                    _ => 2,
                };
                found.results[result] += 1;

                // 2. Who lost, and after how many moves.
                let loser = if game.points > 0 {
                    &pair.second
                } else {
                    &pair.first
                };
                if game.points != 0 && is_bred(loser) {
                    match white {
                        1.. => found.lost_by_black.push(game.plies),
                        _ => found.lost_by_white.push(game.plies),
                    }
                }

                // 3. How it began.
                let mut moves = game.first.iter();
                if let Some(opened) = moves.next() {
                    let answer = moves.next().unwrap_or("");
                    *begun.entry(opened).or_default().entry(answer).or_default() += 1;
                }
            }
        }
        let moves = begun.iter().map(|(opened, answers)| {
            let count = answers.values().sum();
            ((*opened).to_owned(), count)
        });
        found.first_moves = most_frequent(moves);
        let answers = found
            .first_moves
            .first()
            .and_then(|(opened, _)| begun.get(opened.as_str()));
        let answers = answers.into_iter().flatten();
        let answers = answers.filter(|(text, _)| !text.is_empty());
        found.answers = most_frequent(answers.map(|(text, count)| ((*text).to_owned(), *count)));
        found
    };
    phases.into_iter().map(of_one).collect()
}

pub(super) fn most_frequent(counts: impl Iterator<Item = (String, u64)>) -> Vec<(String, u64)> {
    let mut counts: Vec<(String, u64)> = counts.collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}

/// Whether somebody was bred in the run, by what the trial calls it; others are the
/// players that a recipe names.
fn is_bred(name: &str) -> bool {
    ["member ", "candidate ", "hall ", "king"]
        .iter()
        .any(|kind| name.starts_with(kind))
}

#[cfg(test)]
mod tests {
    use mendel_arena::{EndReason, FirstMoves, PairGame};

    use super::*;

    #[test]
    fn a_lost_game_is_counted_where_the_loser_sat() {
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
            // The first loses with Black; then beats somebody who was not bred.
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
}
