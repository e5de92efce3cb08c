//! A small data set that needs nobody: random positions, judged by our own
//! evaluator.

use std::path::{Path, PathBuf};

use mendel_board::Position;
use mendel_board::sample::random_positions;
use mendel_engine::Player;
use mendel_lab::data::{DataSet, DataSetHeader, GameResult, Kind, Sample};
use mendel_lab::pipeline;
use mendel_lab::recipe::{Complaint, Recipe};

/// A folder for one test, empty.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a place for tests");
    folder
}

/// A recipe whose steps were checked, too.
pub(crate) fn checked(found: Result<Recipe, Complaint>) -> Result<Recipe, Complaint> {
    let recipe = found?;
    pipeline::check(&recipe)?;
    Ok(recipe)
}

/// Writes a set of so many positions, each with score, best move and result.
pub(crate) fn write_set(path: &Path, count: usize) {
    let expert = Player::find("mendel").expect("it is built in").evaluator;
    let worth = |position: &Position| expert.evaluate(position).0;
    let samples = random_positions(7, 4 * count)
        .filter(|position| !position.legal_moves().is_empty())
        .take(count)
        .enumerate()
        .map(|(game, position)| {
            let score = worth(&position);
            let moves = position.legal_moves();
            let best = moves.iter().min_by_key(|m| worth(&position.after(**m)));
            Sample {
                context: None,
                game: game as u32,
                score: Some(score.clamp(-3000, 3000) as i16),
                best: best.copied(),
                result: Some(match score {
                    ..=-100 => GameResult::Loss,
                    100.. => GameResult::Win,
                    _ => GameResult::Draw,
                }),
                position,
            }
        })
        .collect();
    let set = DataSet {
        header: DataSetHeader::new(Kind::Quiet, "made for a test"),
        samples,
    };
    set.write(path).expect("the folder can be written");
}
