//! Games.

use std::path::Path;

use mendel_board::pgn::{GameResult, PgnError, PgnGame, PgnReader, Tags};
use mendel_board::{CastlingMode, Color, Position};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::lines::game_of;
use super::{GameFilter, ImportError, ImportSink, PositionFilter, ResultFilter};
use crate::{Context, Sample, mix, result_for};

pub(super) fn read(path: &Path, desk: &mut ImportSink) -> Result<(), ImportError> {
    let failed = |error: PgnError| match error {
        PgnError::Read { name, source, .. } => Err(ImportError::Read { name, source }),
        PgnError::Game(broken) => Ok(broken),
    };
    let mut reader = match PgnReader::open(path) {
        Ok(reader) => reader,
        Err(error) => return failed(error).map(|_| ()),
    };
    let filter = desk.setting.games;
    let mut used = 0;
    while desk.goes_on(reader.games())? {
        match reader.next_matching(|tags| may_pass(&filter, tags)) {
            None => break,
            Some(Ok(game)) if passes(&filter, &game) => {
                used += u64::from(take(desk, reader.games(), &game));
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => desk.report.unreadable(failed(error)?),
        }
    }
    desk.report.records = reader.games();
    desk.report.filtered = reader.games() - used - desk.report.unreadable;
    Ok(())
}

/// Whether a game may be wanted as far as its tags tell; the others need not be
/// replayed.
fn may_pass(filter: &GameFilter, tags: &Tags) -> bool {
    let rating = |color| tags.rating(color).map_or(0, u32::from);
    let is_rated = |least| rating(Color::White) >= least && rating(Color::Black) >= least;
    let tagged = tags.get("Result").and_then(GameResult::from_pgn);
    filter.min_rating.is_none_or(is_rated)
        && match (filter.result, tagged) {
            // The end of the moves may tell what the tag does not.
            (None, _) | (_, None | Some(GameResult::Unknown)) => true,
            (Some(wanted), Some(result)) => is_result(wanted, result),
        }
}

fn passes(filter: &GameFilter, game: &PgnGame) -> bool {
    let is_wanted = |wanted| is_result(wanted, game.result);
    filter.result.is_none_or(is_wanted) && game.game.moves().len() >= filter.min_plies
}

fn is_result(wanted: ResultFilter, result: GameResult) -> bool {
    match wanted {
        ResultFilter::White => result == GameResult::WhiteWins,
        ResultFilter::Black => result == GameResult::BlackWins,
        ResultFilter::Draw => result == GameResult::Draw,
        ResultFilter::Decisive => {
            matches!(result, GameResult::WhiteWins | GameResult::BlackWins)
        }
    }
}

/// Takes the positions of a game that are wanted; whether there were any.
fn take(desk: &mut ImportSink, number: u64, game: &PgnGame) -> bool {
    // 1. Those that may be taken: each before a move that was played.
    let pick = desk.setting.pick;
    let positions = game.game.positions();
    let moves = game.game.moves();
    let mut plies: Vec<usize> = (pick.from_ply..moves.len())
        .filter(|&ply| is_wanted(&pick, game.result, &positions[ply]))
        .collect();

    // 2. One of them, whatever other games there are, or all.
    if pick.one_per_game {
        let seed = mix(mix(desk.setting.seed) ^ number);
        let mut chance = ChaCha8Rng::seed_from_u64(seed);
        let mut chosen = None;
        while chosen.is_none() && !plies.is_empty() {
            let ply = plies.swap_remove(chance.random_range(0..plies.len()));
            chosen = desk.gather.wants(&positions[ply]).then_some(ply);
        }
        plies = chosen.into_iter().collect();
    } else {
        plies.retain(|&ply| desk.gather.wants(&positions[ply]));
    }
    for &ply in &plies {
        if desk.gather.is_full() {
            break;
        }
        let position = positions[ply].clone();
        let context = desk.setting.history.map(|most| {
            let first = ply.saturating_sub(most);
            let rating = |side| game.tags.rating(side).filter(|&it| it > 0);
            let own = rating(position.turn());
            let other = rating(!position.turn());
            Box::new(Context {
                ratings: own.zip(other).map(|(own, other)| [own, other]),
                start: positions[first].clone(),
                before: moves[first..ply].to_vec(),
            })
        });
        desk.gather.take(Sample {
            context,
            game: game_of(number),
            score: None,
            best: Some(moves[ply]),
            result: result_for(game.result, position.turn()),
            position,
        });
    }
    !plies.is_empty()
}

fn is_wanted(pick: &PositionFilter, result: GameResult, position: &Position) -> bool {
    let turn = position.turn();
    let winner = match result {
        GameResult::WhiteWins => Some(Color::White),
        GameResult::BlackWins => Some(Color::Black),
        GameResult::Draw | GameResult::Unknown => None,
    };
    // Chess960 is another game to those who learn from positions.
    position.castling_mode() == CastlingMode::Standard
        && (!pick.winner_to_move || winner == Some(turn))
        && pick.mover.is_none_or(|mover| mover == turn)
}
