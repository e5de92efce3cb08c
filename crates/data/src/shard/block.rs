//! Some games together, in columns: what is alike stands together, which squeezes
//! better than game behind game.

use mendel_board::pgn::GameResult;

/// A position without a score among positions with scores.
pub const NO_SCORE: i16 = i16::MIN;

/// Set beside the outcome if scores follow.
const SCORED: u8 = 4;

/// How a game ended, by its code in the file.
const RESULTS: [GameResult; 3] = [
    GameResult::BlackWins,
    GameResult::Draw,
    GameResult::WhiteWins,
];

/// A game as it stands in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardGame<'a> {
    /// White's rating and Black's; 0 if unknown.
    pub ratings: [u16; 2],
    pub result: GameResult,
    /// The place of each move among the sorted legal ones, from the start
    /// position of standard chess.
    pub moves: &'a [u8],
    /// What the side to move may expect before each move, in centipawns;
    /// [`NO_SCORE`] if unknown.
    pub scores: Option<&'a [i16]>,
}

/// Games that were read together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameBlock {
    /// White's and Black's ratings, outcome with its flag.
    heads: Vec<([u16; 2], u8)>,
    /// Where each game's moves begin; one more than games.
    starts: Vec<u32>,
    moves: Vec<u8>,
    /// Where each game's scores begin, if it has some.
    score_starts: Vec<u32>,
    scores: Vec<i16>,
}

impl ShardGame<'_> {
    /// The lower of the two ratings; 0 if one is not known.
    pub fn lower_rating(&self) -> u16 {
        self.ratings[0].min(self.ratings[1])
    }

    /// The number of moves as on a score sheet: 20 if White made a twentieth.
    pub fn full_moves(&self) -> usize {
        self.moves.len().div_ceil(2)
    }

    /// The score before the ply, if there is one.
    pub fn score(&self, ply: usize) -> Option<i16> {
        let score = *self.scores?.get(ply)?;
        (score != NO_SCORE).then_some(score)
    }
}

impl GameBlock {
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    pub fn plies(&self) -> usize {
        self.moves.len()
    }

    /// The game of this number.
    ///
    /// # Panics
    ///
    /// If there are fewer.
    pub fn game(&self, index: usize) -> ShardGame<'_> {
        let (ratings, flags) = self.heads[index];
        let (from, to) = (self.starts[index] as usize, self.starts[index + 1] as usize);
        let scores = (flags & SCORED != 0).then(|| {
            let from_score = self.score_starts[index] as usize;
            &self.scores[from_score..from_score + (to - from)]
        });
        ShardGame {
            ratings,
            result: RESULTS[usize::from(flags & 3)],
            moves: &self.moves[from..to],
            scores,
        }
    }

    pub fn games(&self) -> impl Iterator<Item = ShardGame<'_>> {
        (0..self.len()).map(|index| self.game(index))
    }

    /// # Errors
    ///
    /// If its result is not known.
    pub(super) fn push(&mut self, game: &ShardGame) -> Result<(), &'static str> {
        let code = RESULTS.iter().position(|it| *it == game.result);
        let code = code.ok_or("its result is not known")? as u8;
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        let scored = if game.scores.is_some() { SCORED } else { 0 };
        self.heads.push((game.ratings, code | scored));
        self.moves.extend_from_slice(game.moves);
        self.starts.push(self.moves.len() as u32);
        self.score_starts.push(self.scores.len() as u32);
        self.scores.extend(game.scores.unwrap_or_default());
        Ok(())
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len() * 7 + self.plies() + 4);
        bytes.extend_from_slice(&(self.len() as u32).to_le_bytes());
        for side in 0..2 {
            for (ratings, _) in &self.heads {
                bytes.extend_from_slice(&ratings[side].to_le_bytes());
            }
        }
        bytes.extend(self.heads.iter().map(|&(_, flags)| flags));
        for index in 0..self.len() {
            let plies = self.starts[index + 1] - self.starts[index];
            bytes.extend_from_slice(&(plies as u16).to_le_bytes());
        }
        bytes.extend_from_slice(&self.moves);
        bytes.extend(self.scores.iter().flat_map(|score| score.to_le_bytes()));
        bytes
    }

    /// Reads games as they were written; what is wrong with them, if anything.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, &'static str> {
        const CUT: &str = "a block is shorter than it says";
        let mut rest = bytes;
        let mut column = |length: usize| {
            let (column, behind) = rest.split_at_checked(length).ok_or(CUT)?;
            rest = behind;
            Ok::<&[u8], &'static str>(column)
        };
        // 1. The columns of one entry a game.
        let games: [u8; 4] = column(4)?.try_into().expect("four bytes were asked for");
        let games = u32::from_le_bytes(games) as usize;
        let pairs = games.checked_mul(2).ok_or(CUT)?;
        let (white, black) = (column(pairs)?, column(pairs)?);
        let (flags, plies) = (column(games)?, column(pairs)?);
        let numbers = |column| two(column).map(|&pair| u16::from_le_bytes(pair));
        let heads: Vec<([u16; 2], u8)> = numbers(white)
            .zip(numbers(black))
            .zip(flags)
            .map(|((white, black), &flags)| ([white, black], flags))
            .collect();
        if flags.iter().any(|&flags| flags & 3 == 3 || flags > 7) {
            return Err("a game has an unknown outcome");
        }

        // 2. Moves and scores, as many as the lengths say.
        let mut starts = Vec::with_capacity(games + 1);
        let mut score_starts = Vec::with_capacity(games);
        let (mut end, mut scores_end) = (0_u32, 0_u32);
        starts.push(0);
        for (plies, flags) in numbers(plies).zip(flags) {
            end = end.checked_add(u32::from(plies)).ok_or(CUT)?;
            starts.push(end);
            score_starts.push(scores_end);
            if flags & SCORED != 0 {
                scores_end += u32::from(plies);
            }
        }
        let moves = column(end as usize)?.to_vec();
        let scores = two(column(scores_end as usize * 2)?);
        let scores = scores.map(|&pair| i16::from_le_bytes(pair)).collect();
        if !rest.is_empty() {
            return Err("a block is longer than it says");
        }
        Ok(Self {
            heads,
            starts,
            moves,
            score_starts,
            scores,
        })
    }
}

/// The column in pairs of bytes.
fn two(column: &[u8]) -> impl Iterator<Item = &[u8; 2]> {
    column.as_chunks().0.iter()
}
