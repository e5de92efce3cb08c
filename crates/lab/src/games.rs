//! How games are played where several experiments do it alike: one place for the parts of
//! their match plans.

use std::path::Path;
use std::time::Duration;

use mendel_arena::statistics::EloModel;
use mendel_arena::{
    Adjudication, DrawRule, GamePair, LengthRule, OpeningSetting, Openings, Order, PairGame,
    PairMemo, Patience, ResignRule, SprtPlan, Verdict,
};
use mendel_board::Position;
use mendel_store::FileError;
use mendel_store::frame::{Memo, MemoRecord};

/// The memo of an experiment as its pairs of games see it.
pub(crate) struct RecordedPairs<'a, R: MemoRecord, F> {
    pub(crate) memo: &'a mut Memo<R>,
    /// The record of a pair with its games.
    pub(crate) record: F,
    pub(crate) games: fn(&R) -> [PairGame; 2],
}

impl<R: MemoRecord, F: Fn(&GamePair, [PairGame; 2]) -> R> PairMemo for RecordedPairs<'_, R, F> {
    type Error = FileError;

    fn find(&self, pair: &GamePair) -> Option<[PairGame; 2]> {
        let wanted = (self.record)(pair, [PairGame::NONE; 2]);
        self.memo.find(&wanted).map(self.games)
    }

    fn append(&mut self, pair: &GamePair, games: [PairGame; 2]) -> Result<(), FileError> {
        self.memo.append((self.record)(pair, games))
    }
}

/// Openings in the order of their file or of our own book.
pub(crate) fn in_order(seed: u64) -> OpeningSetting {
    OpeningSetting {
        seed,
        ..OpeningSetting::default()
    }
}

pub(crate) fn shuffled(seed: u64) -> OpeningSetting {
    OpeningSetting {
        order: Order::Shuffled,
        ..in_order(seed)
    }
}

/// The most games that two players have with our own book: the same opening gives the same
/// game.
pub(crate) fn most_games() -> u64 {
    2 * Openings::own(&OpeningSetting::default()).len() as u64
}

/// A test between two hypotheses in normalised Elo, with the usual errors.
pub(crate) fn sprt([elo0, elo1]: [f64; 2]) -> SprtPlan {
    SprtPlan {
        elo0,
        elo1,
        alpha: SprtPlan::ERROR,
        beta: SprtPlan::ERROR,
        model: EloModel::Normalized,
    }
}

/// Ends games by what both sides see, so that no wrong score decides one, and after `plies`
/// half-moves as a draw.
pub(crate) fn by_both_sides(draw: DrawRule, resign_score: u32, plies: u32) -> Adjudication {
    Adjudication {
        draw: Some(draw),
        resign: Some(ResignRule {
            moves: 4,
            score: resign_score,
            two_sided: true,
        }),
        ..drawn_after(plies)
    }
}

pub(crate) fn drawn_after(plies: u32) -> Adjudication {
    Adjudication {
        length: Some(LengthRule {
            plies,
            verdict: Verdict::Draw,
        }),
        ..Adjudication::default()
    }
}

/// A second more than the clock: a moment of a busy machine is no weakness of a player.
pub(crate) fn tolerant() -> Patience {
    Patience {
        margin: Duration::from_secs(1),
        ..Patience::default()
    }
}

/// A file by its name: its folder is part of no record. A built-in name as it is.
pub(crate) fn file_name(text: &str) -> String {
    let file = Path::new(text).file_name();
    file.map_or_else(|| text.to_owned(), |it| it.to_string_lossy().into_owned())
}

/// A position as EPD: pieces, side to move, castling rights, en passant square.
pub(crate) fn epd(position: &Position) -> String {
    let fen = position.fen();
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    fields.join(" ")
}

pub(crate) fn epd_file(positions: impl IntoIterator<Item = String>) -> String {
    let lines = positions.into_iter();
    lines.map(|position| position + ";\n").collect()
}
