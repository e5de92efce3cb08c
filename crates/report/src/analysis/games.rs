//! Games of a run: lengths of lost games, first moves.

use std::collections::BTreeMap;

use mendel_arena::Side;
use mendel_lab::trial::games::{Phase, PlayedPair};
use serde::Serialize;

/// Statistics of the games with one purpose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhaseGames {
    pub phase: Phase,
    pub games: u64,
    /// Won by White, drawn, won by Black.
    pub results: [u64; 3],
    /// Plies of the games that a bred player lost as White, in order of play.
    pub lost_by_white: Vec<u32>,
    pub lost_by_black: Vec<u32>,
    /// The first moves after the opening, the most frequent first.
    pub first_moves: Vec<(String, u64)>,
    /// The answers to the most frequent of them.
    pub answers: Vec<(String, u64)>,
}

/// Statistics of the games of a run, by purpose.
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
                // 1. The result. Of some pairs only one game is played.
                if game.plies == 0 && game.points == 0 {
                    continue;
                }
                found.games += 1;
                let is_white = first == Side::White;
                let white = if is_white { game.points } else { -game.points };
                let result = match white {
                    1.. => 0,
                    0 => 1,
                    _ => 2,
                };
                found.results[result] += 1;

                // 2. The length, if a bred player lost.
                let has_won = game.points > 0;
                let loser = if has_won { &pair.second } else { &pair.first };
                if game.points != 0 && is_bred(loser) {
                    match white {
                        1.. => found.lost_by_black.push(game.plies),
                        _ => found.lost_by_white.push(game.plies),
                    }
                }

                // 3. The first moves.
                let mut moves = game.first.iter();
                if let Some(opened) = moves.next() {
                    let answer = moves.next().unwrap_or("");
                    *begun.entry(opened).or_default().entry(answer).or_default() += 1;
                }
            }
        }
        let moves = begun.iter();
        let moves = moves.map(|(opened, answers)| ((*opened).to_owned(), answers.values().sum()));
        found.first_moves = most_frequent(moves);
        let first = found.first_moves.first();
        let answers = first.and_then(|(opened, _)| begun.get(opened.as_str()));
        let answers = answers.into_iter().flatten();
        let answers = answers.filter(|(text, _)| !text.is_empty());
        found.answers = most_frequent(answers.map(|(text, count)| ((*text).to_owned(), *count)));
        found
    };
    phases.into_iter().map(of_one).collect()
}

/// Sorts moves by their counts, the most frequent first.
pub(super) fn most_frequent(counts: impl Iterator<Item = (String, u64)>) -> Vec<(String, u64)> {
    let mut counts: Vec<(String, u64)> = counts.collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}

/// Whether a player was bred in the run, by its name in the trial; other players are named by the
/// recipe.
fn is_bred(name: &str) -> bool {
    ["member ", "candidate ", "hall ", "king"]
        .iter()
        .any(|kind| name.starts_with(kind))
}
