//! Which positions are asked about.

use std::ops::Range;

use mendel_board::{Color, Game, Move};
use mendel_coach::Phase;
use mendel_data::{DataSet, GameResult, Sample};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::AgreementSettings;

/// The positions of a step, one group after the other.
pub(super) struct Drawn {
    pub(super) questions: Vec<Question>,
    pub(super) groups: Vec<Group>,
    pub(super) notes: Vec<String>,
}

/// A position whose move is known.
pub(super) struct Question {
    /// It is the last of this game.
    pub(super) game: Game,
    pub(super) right: Vec<Move>,
    pub(super) phase: Phase,
    pub(super) group: usize,
}

/// Positions in a band of ratings, or all.
pub(super) struct Group {
    /// `2400–2499`; nothing where there are no bands.
    pub(super) name: Option<String>,
    /// The mean rating of those to move, in tens.
    pub(super) rating: Option<u16>,
}

type Candidate<'a> = (&'a DataSet, usize);

impl Drawn {
    pub(super) fn new(step: &AgreementSettings, sets: &[DataSet], seed: u64) -> Self {
        let mut notes = Vec::new();
        // 1. What may be drawn: each position once, whatever number of moves is right.
        let fits = |sample: &Sample| !step.winners || sample.result == Some(GameResult::Win);
        let all = sets.iter().flat_map(|set| {
            let samples = (0..set.samples.len()).filter(|&at| fits(&set.samples[at]));
            samples.map(move |at| (set, at))
        });
        let right = |&(set, at): &Candidate| {
            let moves = set.best_moves(at);
            moves.is_some_and(|moves| !moves.is_empty())
        };
        let all: Vec<Candidate> = all.filter(right).collect();
        let rating = |&(set, at): &Candidate| set.samples[at].rating();

        // 2. Bands, where ratings are known.
        let known = all.iter().any(|it| rating(it).is_some());
        if !known && !step.bands.is_empty() {
            notes.push(
                "the positions come without ratings, so that there are no bands; \
                 `mendel data import GAMES.pgn --history 8` keeps them"
                    .to_owned(),
            );
        }
        let bands: Vec<Option<Range<u32>>> = if known && !step.bands.is_empty() {
            let ends = step.bands.iter().skip(1).map(|&it| u32::from(it));
            let ends = ends.chain([u32::MAX]);
            let starts = step.bands.iter().map(|&it| u32::from(it));
            starts.zip(ends).map(|(from, to)| Some(from..to)).collect()
        } else {
            vec![None]
        };
        let is_in = |it: &Candidate, band: &Option<Range<u32>>| match band {
            None => true,
            Some(band) => rating(it).is_some_and(|it| band.contains(&u32::from(it))),
        };

        // 3. Chance decides; in each band, or over all of them.
        let mut chance = ChaCha8Rng::seed_from_u64(seed);
        let mut chosen: Vec<Vec<Candidate>> = Vec::new();
        if step.per_band {
            for band in &bands {
                let own = all.iter().filter(|it| is_in(it, band)).copied().collect();
                chosen.push(draw(own, step.positions, &mut chance));
            }
        } else {
            let any = all
                .iter()
                .filter(|it| bands.iter().any(|band| is_in(it, band)));
            let drawn = draw(any.copied().collect(), step.positions, &mut chance);
            for band in &bands {
                chosen.push(drawn.iter().filter(|it| is_in(it, band)).copied().collect());
            }
        }
        let wanted = step.positions * if step.per_band { bands.len() } else { 1 };
        let found: usize = chosen.iter().map(Vec::len).sum();
        if found < wanted {
            notes.push(format!(
                "{wanted} positions were asked for and {found} found"
            ));
        }
        Self::of(&bands, &chosen, notes)
    }

    fn of(bands: &[Option<Range<u32>>], chosen: &[Vec<Candidate>], notes: Vec<String>) -> Self {
        let mut drawn = Self {
            questions: Vec::new(),
            groups: Vec::new(),
            notes,
        };
        for (band, own) in bands.iter().zip(chosen) {
            let ratings = own.iter().filter_map(|(set, at)| {
                let context = set.samples[*at].context.as_ref()?;
                context.ratings.map(|it| u64::from(it[0]))
            });
            let ratings: Vec<u64> = ratings.collect();
            let sum: u64 = ratings.iter().sum();
            let mean = sum.checked_div(ratings.len() as u64);
            let group = drawn.groups.len();
            drawn.groups.push(Group {
                name: band.as_ref().map(|band| match band.end {
                    u32::MAX => format!("{} and above", band.start),
                    end => format!("{}–{}", band.start, end - 1),
                }),
                rating: mean.map(|mean| ((mean + 5) / 10 * 10) as u16),
            });
            drawn
                .questions
                .extend(own.iter().map(|&(set, at)| Question {
                    game: set.samples[at].as_game(),
                    right: set.best_moves(at).unwrap_or_default(),
                    phase: Phase::of(&set.samples[at].position),
                    group,
                }));
        }
        drawn
    }

    /// The positions cut into pieces of `most`, each of one group.
    pub(super) fn pieces(&self, most: usize) -> Vec<Range<usize>> {
        let mut pieces: Vec<Range<usize>> = Vec::new();
        for (at, question) in self.questions.iter().enumerate() {
            match pieces.last_mut() {
                Some(piece)
                    if piece.len() < most
                        && self.questions[piece.start].group == question.group =>
                {
                    piece.end = at + 1;
                }
                _ => pieces.push(at..at + 1),
            }
        }
        pieces
    }
}

/// Draws `wanted`, as many with White to move as with Black as far as there are any.
fn draw<'a>(
    mut all: Vec<Candidate<'a>>,
    wanted: usize,
    chance: &mut ChaCha8Rng,
) -> Vec<Candidate<'a>> {
    all.shuffle(chance);
    let is_white = |it: &Candidate| it.0.samples[it.1].position.turn() == Color::White;
    let (white, black): (Vec<Candidate>, Vec<Candidate>) = all.into_iter().partition(is_white);
    let half = wanted / 2;
    let of_white = white
        .len()
        .min(half.max(wanted.saturating_sub(black.len())));
    let of_black = black.len().min(wanted - of_white);
    white
        .into_iter()
        .take(of_white)
        .chain(black.into_iter().take(of_black))
        .collect()
}

#[cfg(test)]
mod tests {
    use mendel_board::Position;

    use super::*;
    use mendel_data::{DataSetHeader, Kind};

    fn set(whites: usize, blacks: usize) -> DataSet {
        let white = Position::initial();
        let first = white.legal_moves()[0];
        let black = white.after(first);
        let sample = |(at, position): (usize, Position)| Sample {
            game: at as u32,
            score: None,
            best: position.legal_moves().first().copied(),
            result: None,
            context: None,
            position,
        };
        let positions = vec![white; whites].into_iter().chain(vec![black; blacks]);
        DataSet {
            header: DataSetHeader::new(Kind::Moves, "of a test"),
            samples: positions.enumerate().map(sample).collect(),
        }
    }

    /// Half of them White's, unless one side has too few.
    #[test]
    fn both_sides_are_drawn_alike() {
        for (whites, blacks, wanted, expected) in [
            (50, 50, 20, (10, 10)),
            (50, 4, 20, (16, 4)),
            (3, 50, 20, (3, 17)),
            (3, 4, 20, (3, 4)),
            (9, 9, 5, (2, 3)),
        ] {
            let set = set(whites, blacks);
            let all = (0..set.samples.len()).map(|at| (&set, at)).collect();
            let drawn = draw(all, wanted, &mut ChaCha8Rng::seed_from_u64(1));
            let is_white = |it: &&Candidate| set.samples[it.1].position.turn() == Color::White;
            let white = drawn.iter().filter(is_white).count();
            assert_eq!((white, drawn.len() - white), expected);
        }
    }
}
