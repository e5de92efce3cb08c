//! Moves that are found without a search: by a network alone, or by the static score
//! after each of them.

use std::time::Instant;

use mendel_board::{Game, Move, Position};
use mendel_evaluator::policy::mate_in_one;
use mendel_evaluator::vision::Workspace;

use crate::search::score::{MATE, chances, readable};
use crate::{Best, Bound, Change, Guidance, Info, Score, Wdl};

/// The network's own move.
pub(crate) fn choose(
    guidance: &Guidance,
    game: &Game,
    moves: &[Move],
    workspace: &mut Workspace,
    start: Instant,
    report: &mut dyn FnMut(&Info),
) -> Best {
    let (best, result) = guidance.choose(game, moves, workspace);
    // A network that expects no result has no score to tell.
    let info = best.zip(result).map(|(m, result)| Info {
        score: Score::Centipawns(centipawns(result)),
        wdl: thousandths(result),
        ..told(m, 1, start)
    });
    if let Some(info) = &info {
        report(info);
    }
    found(best, info, 1)
}

/// One ply as papers have it: a mate, or the best static score after one's own move.
/// Of equal ones it is the move whose UCI text comes first.
pub(crate) fn one_ply(
    game: &Game,
    moves: &[Move],
    advice: &[(Move, i32)],
    judge: &mut dyn FnMut(&Position) -> i32,
    start: Instant,
    report: &mut dyn FnMut(&Info),
) -> Best {
    let position = game.position();
    let advised = |m: &Move| advice.iter().find(|it| it.0 == *m).map_or(0, |it| it.1);
    let mut best: Option<(i32, String, Move, i32)> = None;
    let mate = mate_in_one(position).filter(|m| moves.contains(m));
    if let Some(m) = mate {
        best = Some((MATE - 1, String::new(), m, MATE - 1));
    } else {
        for m in moves {
            let score = -judge(&position.after(*m));
            let (worth, text) = (score + advised(m), position.uci(*m));
            let is_better =
                |it: &(i32, String, Move, i32)| worth > it.0 || (worth == it.0 && text < it.1);
            if best.as_ref().is_none_or(is_better) {
                best = Some((worth, text, *m, score));
            }
        }
    }
    let nodes = if mate.is_some() {
        1
    } else {
        moves.len() as u64
    };
    let info = best.as_ref().map(|(_, _, m, score)| Info {
        score: readable(*score),
        wdl: chances(*score),
        ..told(*m, nodes, start)
    });
    if let Some(info) = &info {
        report(info);
    }
    found(best.map(|it| it.2), info, nodes)
}

fn told(m: Move, nodes: u64, start: Instant) -> Info {
    Info {
        depth: 1,
        seldepth: 1,
        multipv: 1,
        score: Score::Centipawns(0),
        bound: Bound::Exact,
        wdl: chances(0),
        nodes,
        hashfull: 0,
        tbhits: 0,
        time: start.elapsed(),
        pv: vec![m],
    }
}

fn found(best: Option<Move>, info: Option<Info>, nodes: u64) -> Best {
    Best {
        info,
        nodes,
        changes: best.map(|m| Change { nodes: 0, m }).into_iter().collect(),
        best,
        ponder: None,
    }
}

/// The score that is expected, e, as centipawns: 400 · log₁₀(e / (1 − e)).
fn centipawns([win, draw, loss]: [f32; 3]) -> i32 {
    const MOST: f64 = 2000.0;
    let [own, other] = [win, loss].map(|it| f64::from(it) + f64::from(draw) / 2.0);
    let ratio = own.max(f64::MIN_POSITIVE) / other.max(f64::MIN_POSITIVE);
    libm::rint((400.0 * libm::log10(ratio)).clamp(-MOST, MOST)) as i32
}

fn thousandths([win, _, loss]: [f32; 3]) -> Wdl {
    let [win, loss] = [win, loss].map(|it| libm::rintf(1000.0 * it.clamp(0.0, 1.0)) as u16);
    let loss = loss.min(1000 - win);
    Wdl {
        win,
        draw: 1000 - win - loss,
        loss,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expected_result_is_a_score_and_chances_that_add_up() {
        assert_eq!(centipawns([0.0, 1.0, 0.0]), 0);
        assert_eq!(centipawns([0.5, 0.5, 0.0]), 191);
        assert_eq!(centipawns([1.0, 0.0, 0.0]), 2000);
        assert_eq!(centipawns([0.0, 0.0, 1.0]), -2000);
        for result in [
            [0.3335, 0.333, 0.3335],
            [0.9996, 0.0, 0.0004],
            [0.0005, 0.0, 0.9995],
        ] {
            let Wdl { win, draw, loss } = thousandths(result);
            assert_eq!(win + draw + loss, 1000);
        }
    }
}
