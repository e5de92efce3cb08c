//! The page of a population that learns after each game.

use mendel_arena::statistics::Tally;
use mendel_lab::record::learning::{
    GameId, LearnedGame, LearningRecord, OpponentHistory, OpponentKind, PlayerResult,
    PopulationMember,
};
use mendel_report::learning_page;

/// A population that lost its first hundred games and won the next two hundred.
fn improving() -> LearningRecord {
    let games = (1..=300).map(|number| LearnedGame {
        id: GameId {
            number,
            node: "here".to_owned(),
        },
        population: "p".to_owned(),
        set: vec![1, 2],
        opponent: "material".to_owned(),
        against: OpponentKind::Program,
        white: number % 2 == 0,
        plies: 40,
        result: if number > 100 {
            PlayerResult::Won
        } else {
            PlayerResult::Lost
        },
    });
    let games: Vec<LearnedGame> = games.collect();
    LearningRecord {
        seed: 1,
        names: vec!["pawn".to_owned(), "knight".to_owned()],
        opponents: vec![OpponentHistory {
            name: "material".to_owned(),
            results: games.iter().map(|it| it.result.points()).collect(),
            here: games.len(),
        }],
        games,
        members: vec![PopulationMember {
            set: vec![1, 2],
            tally: Tally {
                wins: 200,
                draws: 0,
                losses: 100,
            },
            born: 3,
        }],
        births: 7,
    }
}

#[test]
fn the_page_shows_the_curve_and_the_trend() {
    let html = learning_page(&improving()).render();
    for part in [
        "Results over the games",
        "it improves",
        "Opponent material",
        "knight",
    ] {
        assert!(html.contains(part), "{part}");
    }
    roxmltree::Document::parse(html.trim_start_matches("<!DOCTYPE html>\n")).expect("well-formed");
}
