//! Which moves are likely: a network's answers, restricted to what is legal.
//!
//! # Source
//!
//! The move choice of ChessNet is that of the λ-hybrid paper (Technion, 2023): a mate in
//! one if there is one; a *from* square by the distribution over the legal ones; the
//! legal *to* square with the highest value.
//!
//! # Where this differs
//!
//! The paper does not say how a *from* square is drawn. Here the softmax over the legal
//! ones is cubed before, or the best one is taken. Pawns promote to queens.

use arrayvec::ArrayVec;
use mendel_board::{Move, Position, Role, Square, mix};

use crate::vision::{Head, Net, NetFileError, SQUARES, Scene, View, Workspace, ends};

/// Legal moves with their probabilities, the likeliest first.
pub type Moves = ArrayVec<(Move, f32), 256>;

/// What ChessNet's distribution over *from* squares is raised to before one is drawn.
const SHARPNESS: f32 = 3.0;

/// Below this temperature the best move is the only one.
const COLDEST: f32 = 1e-3;

/// A network that says which moves are likely.
#[derive(Debug)]
pub struct Policy {
    net: Net,
}

/// What a network expects in a position.
#[derive(Clone, Debug)]
pub struct Outlook {
    /// All legal moves, the likeliest first. Their probabilities add up to one.
    pub moves: Moves,
    /// How likely a piece leaves each square, a1 = 0, h1 = 7, a8 = 56.
    pub from: [f32; SQUARES],
    /// How likely a piece goes to each square.
    pub to: [f32; SQUARES],
    /// Win, draw and loss of the side to move, where the network says so.
    pub result: Option<[f32; 3]>,
}

/// How ChessNet's *from* square is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    Best,
    /// By chance; the same seed and position give the same one.
    Seed(u64),
}

impl Policy {
    /// From a network that names moves.
    ///
    /// # Errors
    ///
    /// If it answers something else.
    pub fn from_net(net: Net) -> Result<Self, NetFileError> {
        match net.shape().head {
            Head::FromTo | Head::Pairs { .. } => Ok(Self { net }),
            Head::Value | Head::Teaching { .. } | Head::Dense { .. } => {
                Err(NetFileError::NoMoves {
                    name: net.name().to_owned(),
                })
            }
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// If these are not the bytes of a network that names moves.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetFileError> {
        Self::from_net(Net::from_bytes(bytes)?)
    }

    pub fn net(&self) -> &Net {
        &self.net
    }

    /// What one thread needs to ask.
    pub fn workspace(&self) -> Workspace {
        Workspace::new(&self.net, 1)
    }

    /// What the network expects. A temperature of one is what it learned, a lower one
    /// sharpens it, none leaves only the best move.
    pub fn outlook(&self, scene: &Scene, temperature: f32, workspace: &mut Workspace) -> Outlook {
        let shape = self.net.shape();
        let answers = self.net.look(std::slice::from_ref(scene), workspace);
        Outlook::new(shape.view, shape.head, answers, scene.position, temperature)
    }

    /// The paper's move choice: a mate in one, or a *from* square and the best *to*. Of a
    /// network that names pairs, a mate in one, or the best or a drawn move. `None` where
    /// no move is legal.
    pub fn choose(&self, scene: &Scene, draw: Draw, workspace: &mut Workspace) -> Option<Move> {
        let position = scene.position;
        if let Some(mate) = mate_in_one(position) {
            return Some(mate);
        }
        let shape = self.net.shape();
        let answers = self.net.look(std::slice::from_ref(scene), workspace);
        match shape.head {
            Head::FromTo => choose_from_to(shape.view, answers, position, draw),
            _ => Outlook::new(shape.view, shape.head, answers, position, 1.0).draw(position, draw),
        }
    }
}

pub fn mate_in_one(position: &Position) -> Option<Move> {
    let squares = position.check_squares();
    position
        .legal_moves()
        .into_iter()
        .find(|m| position.gives_check(*m, &squares) && position.after(*m).legal_moves().is_empty())
}

impl Outlook {
    /// From the answers of a network with the head [`Head::FromTo`] or [`Head::Pairs`]
    /// to one position; see [`Net::run`]. Other heads say nothing: all moves are alike.
    pub fn new(
        view: View,
        head: Head,
        answers: &[f32],
        position: &Position,
        temperature: f32,
    ) -> Self {
        // In the order of squares as the network sees them, so that it is the same for
        // both colours whichever of two equal moves comes first.
        let mut legal = position.legal_moves();
        legal.sort_by_key(|m| {
            let [from, to] = ends(*m).map(|square| view.place(square, position.turn()));
            (from, to, m.promotion())
        });
        let mut outlook = Self {
            moves: legal.iter().map(|m| (*m, 0.0)).collect(),
            from: [0.0; SQUARES],
            to: [0.0; SQUARES],
            result: None,
        };
        match head {
            Head::FromTo if answers.len() >= 2 * SQUARES => {
                outlook.read_from_to(view, answers, position, temperature);
            }
            Head::Pairs { .. } if answers.len() >= head.outputs() => {
                outlook.read_pairs(view, answers, position, temperature);
            }
            _ => outlook.spread(temperature),
        }
        let better = |one: &(Move, f32), other: &(Move, f32)| other.1.total_cmp(&one.1);
        outlook.moves.sort_by(better);
        outlook
    }

    /// The planes are what the network expects on all squares; a move is as likely as
    /// its *from* among the legal ones, times its *to* among the legal ones from there.
    /// Under-promotions are never expected.
    fn read_from_to(&mut self, view: View, answers: &[f32], position: &Position, heat: f32) {
        let turn = position.turn();
        let logit = |at: usize| finite(answers[at]);
        for square in 0..SQUARES {
            (self.from[square], self.to[square]) = (logit(square), logit(SQUARES + square));
        }
        softmax(&mut self.from, 1.0);
        softmax(&mut self.to, 1.0);
        let ends = |m: Move| ends(m).map(|square| view.place(square, turn));

        // 1. Legal squares to leave from.
        let mut starts = [f32::NEG_INFINITY; SQUARES];
        for (m, _) in &self.moves {
            let [from, _] = ends(*m);
            starts[from] = logit(from);
        }
        softmax(&mut starts, heat);
        // 2. Legal squares to go to, for each of them.
        for (start, share) in starts.iter().enumerate() {
            let mut goals = [f32::NEG_INFINITY; SQUARES];
            for (m, _) in self.moves.iter().filter(|(m, _)| ends(*m)[0] == start) {
                let [_, to] = ends(*m);
                goals[to] = logit(SQUARES + to);
            }
            softmax(&mut goals, heat);
            for (m, probability) in &mut self.moves {
                let [from, to] = ends(*m);
                if from == start && !is_under_promotion(*m) {
                    *probability = share * goals[to];
                }
            }
        }
        self.normalise();
    }

    fn read_pairs(&mut self, view: View, answers: &[f32], position: &Position, heat: f32) {
        let turn = position.turn();
        let (pairs, rest) = answers.split_at(SQUARES * SQUARES);
        let mut logits: ArrayVec<f32, 256> = ArrayVec::new();
        for (m, _) in &self.moves {
            let [from, to] = ends(*m).map(|square| view.place(square, turn));
            let offset = match m.promotion() {
                Some(Role::Knight) => rest[0],
                Some(Role::Bishop) => rest[1],
                Some(Role::Rook) => rest[2],
                _ => 0.0,
            };
            logits.push(finite(pairs[from * SQUARES + to] + offset));
        }
        softmax(&mut logits, heat);
        for ((m, probability), share) in self.moves.iter_mut().zip(logits) {
            *probability = share;
            let [from, to] = ends(*m).map(Square::to_usize);
            self.from[from] += share;
            self.to[to] += share;
        }
        let mut result = [finite(rest[3]), finite(rest[4]), finite(rest[5])];
        softmax(&mut result, 1.0);
        self.result = Some(result);
    }

    fn spread(&mut self, heat: f32) {
        let mut all = [0.0; 256];
        let count = self.moves.len();
        softmax(&mut all[..count], heat);
        for ((_, probability), share) in self.moves.iter_mut().zip(all) {
            *probability = share;
        }
    }

    /// Under-promotions, or two castlings to one square, may leave a little over or
    /// under.
    fn normalise(&mut self) {
        let sum: f32 = self.moves.iter().map(|it| it.1).sum();
        if sum > 0.0 {
            for (_, probability) in &mut self.moves {
                *probability /= sum;
            }
        }
    }

    pub fn draw(&self, position: &Position, draw: Draw) -> Option<Move> {
        let Draw::Seed(seed) = draw else {
            return self.moves.first().map(|it| it.0);
        };
        let at = lot(self.moves.iter().map(|it| it.1), seed, position)?;
        Some(self.moves[at].0)
    }
}

/// ChessNet's choice but for the mate in one.
fn choose_from_to(view: View, answers: &[f32], position: &Position, draw: Draw) -> Option<Move> {
    let turn = position.turn();
    let legal = position.legal_moves();
    let ends = |m: Move| ends(m).map(|square| view.place(square, turn));
    let mut starts = [f32::NEG_INFINITY; SQUARES];
    for m in &legal {
        let [from, _] = ends(*m);
        starts[from] = finite(answers[from]);
    }
    let start = match draw {
        Draw::Best => first_best((0..SQUARES).map(|square| starts[square])),
        Draw::Seed(seed) => {
            softmax(&mut starts, 1.0 / SHARPNESS);
            lot(starts.iter().copied(), seed, position)
        }
    }?;
    let fit = |m: &&Move| ends(**m)[0] == start && !is_under_promotion(**m);
    let goal = |m: &Move| finite(answers[SQUARES + ends(*m)[1]]);
    let fitting: ArrayVec<Move, 256> = legal.iter().filter(fit).copied().collect();
    first_best(fitting.iter().map(goal)).map(|at| fitting[at])
}

fn is_under_promotion(m: Move) -> bool {
    m.promotion().is_some_and(|role| role != Role::Queen)
}

/// A damaged network may answer what is no number.
fn finite(value: f32) -> f32 {
    if value.is_finite() {
        value.clamp(-1e6, 1e6)
    } else {
        -1e6
    }
}

/// Logits to probabilities; minus infinity stays nothing. Below the coldest temperature
/// all goes to the first of the best.
fn softmax(values: &mut [f32], temperature: f32) {
    let Some(best) = first_best(values.iter().copied()) else {
        return;
    };
    let highest = values[best];
    if highest == f32::NEG_INFINITY {
        values.fill(0.0);
        return;
    }
    let is_warm = temperature >= COLDEST;
    let mut sum = 0.0;
    for (at, value) in values.iter_mut().enumerate() {
        *value = if is_warm {
            libm::expf((*value - highest) / temperature)
        } else {
            f32::from(u8::from(at == best))
        };
        sum += *value;
    }
    for value in values {
        *value /= sum;
    }
}

fn first_best(values: impl Iterator<Item = f32>) -> Option<usize> {
    let mut best: Option<(usize, f32)> = None;
    for (at, value) in values.enumerate() {
        if best.is_none_or(|best| value > best.1) {
            best = Some((at, value));
        }
    }
    best.map(|it| it.0)
}

/// Draws a place by its share. The position is part of the lot, so that one seed can
/// serve a game.
fn lot(shares: impl Iterator<Item = f32>, seed: u64, position: &Position) -> Option<usize> {
    let uniform = (mix(seed ^ mix(position.key())) >> 40) as f32 / (1 << 24) as f32;
    let (mut sum, mut last) = (0.0, None);
    for (at, share) in shares.enumerate() {
        if share > 0.0 {
            sum += share;
            last = Some(at);
            if uniform < sum {
                break;
            }
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use mendel_board::sample::random_positions;

    use super::*;

    const PAIRS: Head = Head::Pairs { width: 4, value: 4 };
    const SIDES: View = View::Sides { plies: 2 };

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).expect("a legal position")
    }

    /// Answers in −2…2 for a seed.
    fn answers(head: Head, seed: u64) -> Vec<f32> {
        let number = |at: usize| mix(seed ^ mix(at as u64)) % 4001;
        (0..head.outputs())
            .map(|at| number(at) as f32 / 1000.0 - 2.0)
            .collect()
    }

    #[test]
    fn probabilities_are_of_all_legal_moves_and_add_up_to_one() {
        for (seed, position) in random_positions(11, 150).enumerate() {
            for (view, head) in [(View::Signed, Head::FromTo), (SIDES, PAIRS)] {
                for temperature in [0.0, 0.3, 1.0, f32::NAN] {
                    let answers = answers(head, seed as u64);
                    let outlook = Outlook::new(view, head, &answers, &position, temperature);
                    let legal = position.legal_moves();
                    assert_eq!(outlook.moves.len(), legal.len());
                    assert!(outlook.moves.iter().all(|it| legal.contains(&it.0)));
                    assert!(outlook.moves.is_sorted_by(|one, other| one.1 >= other.1));
                    let sum: f32 = outlook.moves.iter().map(|it| it.1).sum();
                    let wanted = if legal.is_empty() { 0.0 } else { 1.0 };
                    assert!((sum - wanted).abs() < 1e-4, "{sum} at {temperature}");
                }
            }
        }
    }

    #[test]
    fn answers_that_are_no_numbers_do_no_harm() {
        let position = Position::initial();
        for (view, head) in [(View::Signed, Head::FromTo), (SIDES, PAIRS)] {
            let answers = vec![f32::NAN; head.outputs()];
            let outlook = Outlook::new(view, head, &answers, &position, 1.0);
            assert!(outlook.moves.iter().all(|it| (it.1 - 0.05).abs() < 0.06));
            assert!(outlook.draw(&position, Draw::Seed(1)).is_some());
        }
    }

    /// Turned over with its colours swapped, a position gets the same moves.
    #[test]
    fn our_view_names_the_same_moves_for_both_colours() {
        for (seed, position) in random_positions(12, 60).enumerate() {
            let answers = answers(PAIRS, seed as u64);
            let mirrored = position.mirrored();
            let [one, other] = [&position, &mirrored]
                .map(|position| Outlook::new(SIDES, PAIRS, &answers, position, 1.0));
            for ((m, share), (turned, same)) in one.moves.iter().zip(&other.moves) {
                let flipped = ends(*turned).map(|square| square.flip_vertical().to_usize());
                assert_eq!(ends(*m).map(Square::to_usize), flipped);
                assert!((share - same).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn under_promotions_have_an_offset_of_their_own() {
        let position = position("8/P6k/8/8/8/8/8/K7 w - - 0 1");
        let mut answers = vec![0.0; PAIRS.outputs()];
        let at = |m: &Move| m.promotion();
        answers[SQUARES * SQUARES] = 2.0;
        answers[SQUARES * SQUARES + 1] = -9.0;
        let outlook = Outlook::new(SIDES, PAIRS, &answers, &position, 1.0);
        assert_eq!(at(&outlook.moves[0].0), Some(Role::Knight));
        let last = outlook.moves.last().expect("there are moves");
        assert_eq!(at(&last.0), Some(Role::Bishop));
        let from_to = vec![0.0; 2 * SQUARES];
        let outlook = Outlook::new(View::Signed, Head::FromTo, &from_to, &position, 1.0);
        let under = outlook.moves.iter().filter(|it| is_under_promotion(it.0));
        assert!(under.clone().count() == 3 && under.map(|it| it.1).sum::<f32>() == 0.0);
    }

    #[test]
    fn the_result_is_win_draw_and_loss() {
        let mut answers = vec![0.0; PAIRS.outputs()];
        let end = answers.len() - 3;
        answers[end] = 8.0;
        let outlook = Outlook::new(SIDES, PAIRS, &answers, &Position::initial(), 1.0);
        let [win, draw, loss] = outlook.result.expect("it says so");
        assert!(win > 0.99 && draw < 0.01 && (win + draw + loss - 1.0).abs() < 1e-5);
    }

    #[test]
    fn a_mate_in_one_is_seen() {
        let mates = position("6k1/5ppp/8/8/8/8/8/K6R w - - 0 1");
        assert_eq!(mate_in_one(&mates), None);
        let mates = position("6k1/5ppp/8/8/8/8/8/KR6 w - - 0 1");
        let m = mate_in_one(&mates).expect("a mate on the last rank");
        assert_eq!(ends(m).map(Square::to_usize), [1, 57]);
    }

    /// The softmax cubed: a logit of ln 2 is eight times as likely as one of zero.
    #[test]
    fn from_squares_are_drawn_by_the_cube_and_go_to_the_best() {
        let position = position("7k/8/8/8/8/8/P7/K7 w - - 0 1");
        let mut answers = vec![0.0; 2 * SQUARES];
        let (king, pawn, a4) = (0, 8, 24);
        answers[king] = -60.0;
        answers[pawn] = std::f32::consts::LN_2 - 60.0;
        // A square from which nothing moves does not count.
        answers[63] = 50.0;
        answers[SQUARES + a4] = 1.0;
        let choose = |draw| choose_from_to(View::Signed, &answers, &position, draw);
        let best = choose(Draw::Best).expect("there are moves");
        assert_eq!(ends(best).map(Square::to_usize), [pawn, a4]);
        let drawn = (0..9000)
            .filter(|seed| choose(Draw::Seed(*seed)) == Some(best))
            .count();
        assert!((7900..=8100).contains(&drawn), "{drawn} of 9000");
    }

    #[test]
    fn moves_are_drawn_by_their_probabilities() {
        let position = Position::initial();
        let answers = answers(PAIRS, 3);
        let outlook = Outlook::new(SIDES, PAIRS, &answers, &position, 1.0);
        let (first, share) = outlook.moves[0];
        let times = 20_000;
        let drawn =
            (0..times).filter(|seed| outlook.draw(&position, Draw::Seed(*seed)) == Some(first));
        let found = drawn.count() as f32 / times as f32;
        assert!((found - share).abs() < 0.015, "{found} and {share}");
        assert_eq!(outlook.draw(&position, Draw::Best), Some(first));
    }
}
