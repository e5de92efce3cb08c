//! Batches as they travel to the device: few bytes a position.
//!
//! A plane of a view is zero but on some squares, and there all numbers are alike or
//! differ in sign alone. So a plane is the set of these squares, eight bytes, and
//! where the view needs them a second set for what is negative and one number for
//! the whole plane. The device makes planes of it again.

use mendel_board::{Move, MoveList, Position, Role};
use mendel_evaluator::vision::{SQUARES, Scene, View, encode, ends};

use super::phase::{Facts, Phase};
use crate::stream::Sample;

/// No legal move stands at this place of a list.
pub(crate) const NO_MOVE: i16 = -1;

/// Positions and what is to be learnt of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Batch {
    pub(crate) len: usize,
    /// Squares of each plane that are not zero.
    pub(crate) squares: Vec<i64>,
    /// Those of them that are negative, where the view has such.
    pub(crate) negative: Vec<i64>,
    /// What the squares of each plane hold, where that is not 1.
    pub(crate) sizes: Vec<f32>,
    /// Numbers beside the planes.
    pub(crate) scalars: Vec<f32>,
    /// The legal moves of each position as `from · 64 + to`, plus 4096 for a promotion
    /// to a knight, twice that to a bishop, three times to a rook; filled up with
    /// [`NO_MOVE`].
    pub(crate) legal: Vec<i16>,
    /// Places for legal moves of each position.
    pub(crate) width: usize,
    /// Which of them was played.
    pub(crate) played: Vec<i64>,
    /// 0 won, 1 drawn, 2 lost by the side to move.
    pub(crate) result: Vec<i64>,
    /// The score in the unit that is learnt.
    pub(crate) score: Vec<f32>,
    pub(crate) facts: Vec<Facts>,
}

/// Where two sets of squares or a number a plane are needed.
fn needs(view: View) -> (bool, bool) {
    match view {
        View::Signed | View::Absolute => (true, false),
        View::Teaching | View::Row => (false, false),
        View::Sides { .. } => (false, true),
    }
}

impl Batch {
    pub(crate) fn of_samples(view: View, samples: &[&Sample]) -> Self {
        let mut batch = Self::default();
        let mut room = vec![0.0; view.inputs()];
        let mut lists = Vec::with_capacity(samples.len());
        for sample in samples {
            let scene = Scene {
                position: &sample.position,
                before: &sample.before,
                ratings: (!sample.ratings.contains(&0)).then_some(sample.ratings),
                repeated: sample.repeated,
            };
            batch.see(view, &scene, false, &mut room);
            let moves = sample.position.legal_moves();
            let played = moves.iter().position(|m| *m == sample.played);
            batch.played.push(played.unwrap_or(0) as i64);
            lists.push(moves);
            batch.result.push(1 - i64::from(sample.result.signum()));
            batch.facts.push(Facts {
                role: Some(sample.played.role()),
                rating: sample.ratings[0],
                phase: Phase::of(&sample.position),
            });
        }
        batch.width = lists.iter().map(MoveList::len).max().unwrap_or(0);
        for (sample, moves) in samples.iter().zip(&lists) {
            let turn = sample.position.turn();
            let codes = moves.iter().map(|m| {
                let [from, to] = ends(*m).map(|square| view.place(square, turn) as i16);
                from * SQUARES as i16 + to + 4096 * promotion(*m)
            });
            batch.legal.extend(codes);
            let filled = batch.legal.len().next_multiple_of(batch.width.max(1));
            batch.legal.resize(filled, NO_MOVE);
        }
        batch
    }

    /// A batch of positions with scores, each as it is or in the mirror.
    pub(crate) fn of_scores<'a>(
        view: View,
        scores: impl IntoIterator<Item = (&'a Position, f32, bool)>,
    ) -> Self {
        let mut batch = Self::default();
        let mut room = vec![0.0; view.inputs()];
        for (position, score, mirrored) in scores {
            // Who may still castle has no mirror image.
            let mirrored = mirrored && !position.has_castling_rights();
            batch.see(view, &Scene::new(position), mirrored, &mut room);
            batch.score.push(score);
            batch.facts.push(Facts {
                role: None,
                rating: 0,
                phase: Phase::of(position),
            });
        }
        batch
    }

    fn see(&mut self, view: View, scene: &Scene<'_>, mirrored: bool, room: &mut [f32]) {
        encode(view, scene, room);
        let (signed, sized) = needs(view);
        let (planes, _) = room.as_chunks::<SQUARES>();
        for plane in &planes[..view.planes()] {
            let (mut squares, mut negative, mut size) = (0_u64, 0_u64, 0.0_f32);
            for (square, &number) in plane.iter().enumerate() {
                squares |= u64::from(number != 0.0) << square;
                negative |= u64::from(number < 0.0) << square;
                size = if number == 0.0 { size } else { number };
            }
            if mirrored {
                [squares, negative] = [squares, negative].map(in_the_mirror);
            }
            self.squares.push(squares as i64);
            if signed {
                self.negative.push(negative as i64);
            }
            if sized {
                self.sizes.push(size);
            }
        }
        self.scalars.extend(&room[view.planes() * SQUARES..]);
        self.len += 1;
    }

    /// Several batches as one.
    pub(crate) fn join(parts: Vec<Self>) -> Self {
        let width = parts.iter().map(|part| part.width).max().unwrap_or(0);
        let mut whole = Self {
            width,
            ..Self::default()
        };
        for part in parts {
            for list in part.legal.chunks(part.width.max(1)) {
                whole.legal.extend(list);
                whole
                    .legal
                    .extend(std::iter::repeat_n(NO_MOVE, width - list.len()));
            }
            whole.len += part.len;
            whole.squares.extend(part.squares);
            whole.negative.extend(part.negative);
            whole.sizes.extend(part.sizes);
            whole.scalars.extend(part.scalars);
            whole.played.extend(part.played);
            whole.result.extend(part.result);
            whole.score.extend(part.score);
            whole.facts.extend(part.facts);
        }
        whole
    }
}

/// The squares with the files from h to a.
fn in_the_mirror(squares: u64) -> u64 {
    u64::from_le_bytes(squares.to_le_bytes().map(u8::reverse_bits))
}

/// What a promotion adds to a move's number; a queen is the usual thing.
fn promotion(m: Move) -> i16 {
    match m.promotion() {
        Some(Role::Knight) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Rook) => 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use mendel_board::sample::random_positions;

    use super::*;

    #[test]
    fn the_mirror_of_a_position_is_that_of_its_board_unless_somebody_may_castle() {
        let view = View::Sides { plies: 0 };
        let seen = |fen: &str, mirrored| {
            let position = Position::from_fen(fen).expect("a legal position");
            Batch::of_scores(view, [(&position, 0.5, mirrored)])
        };
        let left = "1k6/pp6/8/8/3nP3/8/PQ6/1K6 b - e3 0 1";
        let right = "6k1/6pp/8/8/3Pn3/8/6QP/6K1 b - d3 0 1";
        assert_eq!(seen(left, true), seen(right, false));
        assert_ne!(seen(left, false), seen(right, false));
        let castling = "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1";
        assert_eq!(seen(castling, true), seen(castling, false));
    }

    fn samples(count: usize) -> Vec<Sample> {
        let positions = random_positions(9, 2 * count);
        let positions = positions.filter(|it| !it.legal_moves().is_empty());
        positions
            .take(count)
            .enumerate()
            .map(|(at, position)| {
                let moves = position.legal_moves();
                Sample {
                    before: std::iter::once(moves[0]).collect(),
                    played: moves[at % moves.len()],
                    ratings: [1500 + at as u16, 2000],
                    result: (at % 3) as i8 - 1,
                    ply: 0,
                    repeated: at % 2 == 0,
                    score: None,
                    position,
                }
            })
            .collect()
    }

    /// What the device makes of a batch, made here.
    fn unpacked(view: View, batch: &Batch, at: usize) -> Vec<f32> {
        let planes = view.planes();
        let mut all = Vec::new();
        for plane in at * planes..(at + 1) * planes {
            for square in 0..SQUARES {
                let bit = |set: i64| (set >> square & 1) as f32;
                let mut number = bit(batch.squares[plane]);
                if let Some(&negative) = batch.negative.get(plane) {
                    number -= 2.0 * bit(negative);
                }
                number *= batch.sizes.get(plane).copied().unwrap_or(1.0);
                all.push(number);
            }
        }
        let scalars = view.scalars();
        all.extend(&batch.scalars[at * scalars..][..scalars]);
        all
    }

    #[test]
    fn what_travels_is_what_the_views_show() {
        let samples = samples(50);
        let samples: Vec<&Sample> = samples.iter().collect();
        for view in [
            View::Signed,
            View::Absolute,
            View::Teaching,
            View::Row,
            View::Sides { plies: 2 },
        ] {
            let batch = Batch::of_samples(view, &samples);
            for (at, sample) in samples.iter().enumerate() {
                let scene = Scene {
                    position: &sample.position,
                    before: &sample.before,
                    ratings: Some(sample.ratings),
                    repeated: sample.repeated,
                };
                let mut wanted = vec![0.0; view.inputs()];
                encode(view, &scene, &mut wanted);
                assert_eq!(unpacked(view, &batch, at), wanted, "{view:?}");
            }
        }
    }

    #[test]
    fn what_was_played_stands_among_the_legal_moves() {
        let samples = samples(50);
        let samples: Vec<&Sample> = samples.iter().collect();
        let view = View::Sides { plies: 0 };
        let batch = Batch::of_samples(view, &samples);
        assert_eq!(batch.legal.len(), batch.len * batch.width);
        for (at, sample) in samples.iter().enumerate() {
            let legal = &batch.legal[at * batch.width..][..batch.width];
            let count = sample.position.legal_moves().len();
            assert!(legal[..count].iter().all(|code| *code >= 0));
            assert!(legal[count..].iter().all(|code| *code == NO_MOVE));
            let code = legal[batch.played[at] as usize];
            let turned = |square| view.place(square, sample.position.turn()) as i16;
            let [from, to] = ends(sample.played).map(turned);
            assert_eq!(code % 4096, from * 64 + to);
            assert_eq!(batch.result[at], 1 - i64::from(sample.result));
        }
    }

    #[test]
    fn joined_batches_are_one() {
        let samples = samples(30);
        let samples: Vec<&Sample> = samples.iter().collect();
        let view = View::Signed;
        let (first, second) = samples.split_at(11);
        let parts = [first, second].map(|part| Batch::of_samples(view, part));
        assert_eq!(Batch::join(parts.into()), Batch::of_samples(view, &samples));
    }
}
