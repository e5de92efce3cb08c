//! Values of pieces on squares, and receptive fields of networks.

use mendel_board::Position;
use mendel_evaluator::mlp::ONE;
use mendel_evaluator::{AnyEvaluator, Input};
use serde::Serialize;

use super::wiring::{LayerEdge, wires_of};

/// One value for each square, from a1, b1 … to h8; `None` where no position has the piece.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SquareMap {
    pub name: String,
    pub values: Vec<Option<f64>>,
}

impl SquareMap {
    pub fn mean(&self) -> f64 {
        let values = || self.values.iter().flatten();
        values().sum::<f64>() / values().count().max(1) as f64
    }

    /// The least and the largest value.
    pub fn ends(&self) -> (f64, f64) {
        let values = || self.values.iter().flatten().copied();
        let low = values().fold(f64::INFINITY, f64::min);
        (low, values().fold(f64::NEG_INFINITY, f64::max))
    }
}

/// Positions in which pieces are tried, from an opening to an ending; each also mirrored with the
/// colours exchanged, and with either side to move.
const POSITIONS: [&str; 6] = [
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R",
    "rnbq1rk1/pp2bppp/4pn2/2pp4/2PP4/2N2NP1/PP2PPBP/R1BQ1RK1",
    "r2q1rk1/pb1nbppp/1p2pn2/2p5/3P4/1PN1PN2/PB2BPPP/R2Q1RK1",
    "2r2rk1/pp3ppp/4bn2/3p4/8/1P2PN2/PB3PPP/R4RK1",
    "8/pp3pk1/4p1p1/3n4/3P4/5NP1/PP3PK1/8",
    "8/5pk1/6p1/8/1p6/1P4P1/5PK1/8",
];

const MEN: [(&str, char); 6] = [
    ("pawn", 'P'),
    ("knight", 'N'),
    ("bishop", 'B'),
    ("rook", 'R'),
    ("queen", 'Q'),
    ("king", 'K'),
];

/// XOR with this mirrors a square vertically.
const UPSIDE_DOWN: usize = 0o70;

/// A board as letters, from a1 to h8.
type Letters = [char; 64];

/// The value of one more piece of each kind on each square, in centipawns from its owner's point of
/// view: the mean over some positions of the score with the piece less the score without. For kings,
/// which cannot be missing: the score with the king there less the mean over all its squares.
///
/// Six boards of White, and six mirrored ones of Black if they differ. Works for any evaluator.
pub fn effects(evaluator: &AnyEvaluator) -> Vec<SquareMap> {
    let boards = POSITIONS.iter().map(|text| letters(text));
    let boards: Vec<Letters> = boards.flat_map(|it| [it, turned(&it)]).collect();
    let white = MEN.map(|(name, man)| effect(evaluator, &boards, name, man));
    let black = MEN.map(|(name, man)| effect(evaluator, &boards, name, man.to_ascii_lowercase()));
    let mut both = white.iter().zip(&black);
    if both.all(|(one, other)| is_same(one, other)) {
        return white.into();
    }
    let named = |side: &'static str| {
        move |map: SquareMap| SquareMap {
            name: format!("{side} {}", map.name),
            ..map
        }
    };
    let white = white.into_iter().map(named("White’s"));
    white
        .chain(black.into_iter().map(named("Black’s")))
        .collect()
}

/// Whether two boards are equal up to rounding.
fn is_same(one: &SquareMap, other: &SquareMap) -> bool {
    let same = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-6,
        (a, b) => a.is_none() && b.is_none(),
    };
    one.values.iter().zip(&other.values).all(same)
}

/// The board of one piece; squares from its owner's point of view.
fn effect(evaluator: &AnyEvaluator, boards: &[Letters], name: &str, man: char) -> SquareMap {
    let is_white = man.is_ascii_uppercase();
    let is_king = man.eq_ignore_ascii_case(&'k');
    let mut sums = [(0.0_f64, 0_u32); 64];
    for board in boards {
        for white_moves in [true, false] {
            let score = |board: &Letters| {
                let seen = score(evaluator, board, white_moves)?;
                Some(if is_white { seen } else { -seen })
            };
            let found = if is_king {
                with_king(board, man, score)
            } else {
                with_man(board, man, score)
            };
            for (square, gain) in found {
                let own = if is_white {
                    square
                } else {
                    square ^ UPSIDE_DOWN
                };
                sums[own].0 += gain;
                sums[own].1 += 1;
            }
        }
    }
    let values = sums.map(|(sum, count)| (count > 0).then(|| sum / f64::from(count)));
    SquareMap {
        name: name.to_owned(),
        values: values.into(),
    }
}

/// The gain of a piece on each square except those of the kings; it replaces a piece there.
fn with_man(
    board: &Letters,
    man: char,
    score: impl Fn(&Letters) -> Option<f64>,
) -> Vec<(usize, f64)> {
    let gain = |square: usize| {
        let mut board = *board;
        if board[square].eq_ignore_ascii_case(&'k') {
            return None;
        }
        board[square] = ' ';
        let without = score(&board)?;
        board[square] = man;
        Some((square, score(&board)? - without))
    };
    (0..64).filter_map(gain).collect()
}

/// The value of each square of a king, less the mean; the king changes places with a piece there.
fn with_king(
    board: &Letters,
    king: char,
    score: impl Fn(&Letters) -> Option<f64>,
) -> Vec<(usize, f64)> {
    let Some(home) = board.iter().position(|it| *it == king) else {
        return Vec::new();
    };
    let there = |square: usize| {
        let mut board = *board;
        board.swap(home, square);
        Some((square, score(&board)?))
    };
    let mut found: Vec<(usize, f64)> = (0..64).filter_map(there).collect();
    let mean = found.iter().map(|it| it.1).sum::<f64>() / found.len().max(1) as f64;
    for (_, score) in &mut found {
        *score -= mean;
    }
    found
}

/// The score from White's point of view; `None` if the position is illegal.
fn score(evaluator: &AnyEvaluator, board: &Letters, white_moves: bool) -> Option<f64> {
    let ranks = board.chunks(8).rev().map(String::from_iter);
    let ranks: Vec<String> = ranks.map(|rank| rank.replace(' ', "1")).collect();
    let turn = if white_moves { 'w' } else { 'b' };
    let fen = format!("{} {turn} - - 0 1", ranks.join("/"));
    let position = Position::from_fen(&fen).ok()?;
    let score = f64::from(evaluator.evaluate(&position).0);
    Some(if white_moves { score } else { -score })
}

/// The first field of a FEN as a board.
fn letters(text: &str) -> Letters {
    let mut board = [' '; 64];
    for (rank, row) in text.split('/').enumerate().take(8) {
        let mut file = 0;
        for letter in row.chars() {
            if let Some(gap) = letter.to_digit(10) {
                file += gap as usize;
                continue;
            }
            if let Some(square) = board.get_mut((7 - rank) * 8 + file) {
                *square = letter;
            }
            file += 1;
        }
    }
    board
}

/// The board mirrored vertically, with the colours exchanged.
fn turned(board: &Letters) -> Letters {
    let mut other = [' '; 64];
    for (square, letter) in board.iter().enumerate() {
        other[square ^ UPSIDE_DOWN] = if letter.is_ascii_uppercase() {
            letter.to_ascii_lowercase()
        } else {
            letter.to_ascii_uppercase()
        };
    }
    other
}

/// Maximum number of nodes with one board each, and with twelve boards each.
const MAX_FIELDS: [usize; 2] = [20, 3];

/// Receptive fields of the strongest nodes: the weights from the 64 squares, for each kind of piece
/// if pieces have separate inputs. Empty if the evaluator is not a network over squares.
pub fn fields(evaluator: &AnyEvaluator) -> Vec<SquareMap> {
    let (input, mut nodes) = match evaluator {
        AnyEvaluator::Mlp(mlp) => {
            let shape = mlp.shape();
            let inputs = shape.input.count();
            // The sum of the weights of the next layer for each neuron of the first.
            let neurons = shape.neurons();
            let mut heard = vec![0.0; shape.layers[1] as usize];
            for neuron in neurons.iter().filter(|it| it.layer == 2) {
                let width = heard.len();
                let weights = mlp.numbers()[neuron.numbers.clone()].iter();
                let weights = weights.take(neuron.numbers.len() - usize::from(neuron.biased));
                for (place, number) in weights.enumerate() {
                    heard[place % width] += f64::from(number.abs());
                }
            }
            let seeing = neurons.into_iter().filter(|it| it.layer == 1).enumerate();
            let seeing = seeing.map(|(place, neuron)| {
                let weights = &mlp.numbers()[neuron.numbers][..inputs];
                let weights = weights.iter().map(|it| f64::from(*it) / f64::from(ONE));
                (
                    format!("neuron {place}"),
                    heard[place],
                    weights.collect::<Vec<f64>>(),
                )
            });
            (shape.input, seeing.collect())
        }
        AnyEvaluator::Graph(graph) => {
            let parts = graph.parts();
            let nodes = graph_nodes(&wires_of(&parts), parts.inputs, parts.nodes.len());
            (graph.frame().input, nodes)
        }
        _ => return Vec::new(),
    };
    if input.is_counted() {
        return Vec::new();
    }
    let strength = |node: &(String, f64, Vec<f64>)| {
        let seen: f64 = node.2.iter().map(|weight| weight * weight).sum();
        node.1 * seen.sqrt()
    };
    nodes.retain(|node| strength(node) > 0.0);
    nodes.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
    nodes.truncate(MAX_FIELDS[usize::from(input == Input::Sides)]);
    let mut maps = Vec::new();
    for (name, _, weights) in nodes {
        for (plane, values) in weights.chunks(64).enumerate() {
            let name = if input == Input::Sides {
                let whose = if plane < 6 { "own" } else { "other" };
                format!("{name}, {whose} {}", MEN[plane % 6].0)
            } else {
                name.clone()
            };
            maps.push(SquareMap {
                name,
                values: values.iter().copied().map(Some).collect(),
            });
        }
    }
    maps
}

/// Name, outgoing weight and weights from the inputs of each node.
fn graph_nodes(wires: &[LayerEdge], inputs: usize, count: usize) -> Vec<(String, f64, Vec<f64>)> {
    let mut nodes: Vec<(String, f64, Vec<f64>)> = (0..count)
        .map(|node| match node {
            0 => ("the output".to_owned(), 1.0, vec![0.0; inputs]),
            node => (format!("node {node}"), 0.0, vec![0.0; inputs]),
        })
        .collect();
    for wire in wires {
        if wire.from < inputs {
            nodes[wire.to - inputs].2[wire.from] = wire.weight;
        } else {
            nodes[wire.from - inputs].1 += wire.weight.abs();
        }
    }
    nodes
}
