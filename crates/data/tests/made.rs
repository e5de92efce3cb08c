//! Games for the tests, played by chance.

use mendel_board::pgn::{GameResult, PgnGame};
use mendel_board::{Game, Move, Position};
use mendel_data::shard::{NO_SCORE, Shard, ShardGame, ShardWriter, place_of};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A game that owns its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Made {
    pub(crate) ratings: [u16; 2],
    pub(crate) result: GameResult,
    pub(crate) played: Vec<Move>,
    pub(crate) places: Vec<u8>,
    pub(crate) scores: Option<Vec<i16>>,
}

impl Made {
    pub(crate) fn record(&self) -> ShardGame<'_> {
        ShardGame {
            ratings: self.ratings,
            result: self.result,
            moves: &self.places,
            scores: self.scores.as_deref(),
        }
    }

    /// As PGN, with the ratings as tags.
    pub(crate) fn pgn(&self) -> PgnGame {
        let mut game = Game::new(Position::initial());
        for &m in &self.played {
            game.play(m).expect("it was legal");
        }
        let mut pgn = PgnGame::new(game);
        pgn.result = self.result;
        for (tag, rating) in ["WhiteElo", "BlackElo"].into_iter().zip(self.ratings) {
            if rating > 0 {
                pgn.tags.set(tag, &rating.to_string());
            }
        }
        pgn
    }
}

/// Random games of 1 to `longest` plies. White's rating is the number of the
/// game and 1000, so that a sample tells where it comes from.
pub(crate) fn games(seed: u64, count: u16, longest: usize) -> Vec<Made> {
    (0..count)
        .map(|number| game(seed ^ u64::from(number) << 32, number, longest))
        .collect()
}

fn game(seed: u64, number: u16, longest: usize) -> Made {
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    let plies = chance.random_range(1..=longest);
    let mut position = Position::initial();
    let (mut played, mut places) = (Vec::new(), Vec::new());
    for _ in 0..plies {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let m = legal[chance.random_range(0..legal.len())];
        played.push(m);
        places.push(place_of(&position, m).expect("it is legal"));
        position.play(m);
    }
    let results = [
        GameResult::BlackWins,
        GameResult::Draw,
        GameResult::WhiteWins,
    ];
    let scores = chance.random_range(0..4) == 0;
    let scores = scores.then(|| {
        let score = |ply: usize| if ply == 0 { NO_SCORE } else { ply as i16 - 7 };
        (0..played.len()).map(score).collect()
    });
    Made {
        ratings: [1000 + number, chance.random_range(0..3000)],
        result: results[chance.random_range(0..3)],
        played,
        places,
        scores,
    }
}

/// A file of these games.
pub(crate) fn bytes(games: &[Made]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = ShardWriter::new(&mut file).expect("memory can be written");
    for game in games {
        writer.push(&game.record()).expect("memory can be written");
    }
    let finished = writer.finish("random games", "a test", &["nowhere".to_owned()]);
    finished.expect("memory can be written");
    file
}

/// A shard of these games.
pub(crate) fn shard(games: &[Made]) -> Shard {
    Shard::from_bytes("made", bytes(games)).expect("it was just written")
}
