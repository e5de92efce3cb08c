//! From a network that learns to a file that plays.

use std::collections::BTreeMap;

use mendel_evaluator::vision::{File, Head, NetFileError, Shape};
use tch::Kind;

use super::model::{EPSILON, Model};
use super::parameters::numbers;

/// Numbers are learnt in a unit of their own; the file answers in pawns:
/// `answer · scale + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pawns {
    pub(crate) scale: f64,
    pub(crate) offset: f64,
}

impl Pawns {
    pub(crate) const SAME: Self = Self {
        scale: 1.0,
        offset: 0.0,
    };
}

/// The network as a file; every batch normalisation becomes part of the convolution
/// before it, the unit of scores part of the last layer.
pub(crate) fn export(model: &Model, shape: &Shape, pawns: Pawns) -> Result<File, NetFileError> {
    let pieces = model.layout.cut(&model.parameters, Kind::Float);
    let mut folded: BTreeMap<String, Vec<f32>> = BTreeMap::new();
    for ((name, _), [mean, variance]) in model.layout.norms.iter().zip(&model.statistics) {
        let [gain, shift] = ["gain", "shift"].map(|part| pieces.get(&format!("{name}.{part}")));
        let factor = gain / (variance + EPSILON).sqrt();
        let weight = pieces.get(&format!("{name}.weight")) * factor.view([-1, 1, 1, 1]);
        folded.insert(format!("{name}.weight"), numbers(&weight));
        folded.insert(format!("{name}.bias"), numbers(&(shift - mean * factor)));
    }
    if matches!(
        shape.head,
        Head::Value | Head::Teaching { .. } | Head::Dense { .. }
    ) {
        let (weight, bias) = pieces.layer("value");
        folded.insert("value.weight".to_owned(), numbers(&(weight * pawns.scale)));
        let bias = bias * pawns.scale + pawns.offset;
        folded.insert("value.bias".to_owned(), numbers(&bias));
    }
    File::new(shape.clone(), |tensor| {
        let ready = folded.remove(&tensor.name);
        ready.unwrap_or_else(|| numbers(pieces.get(&tensor.name)))
    })
}

#[cfg(test)]
mod tests {
    use mendel_board::Position;
    use mendel_board::sample::random_positions;
    use mendel_evaluator::vision::{Activation, Net, Scene, View, Workspace};
    use tch::{Device, no_grad};

    use super::*;
    use crate::train::compact::Batch;
    use crate::train::loss::Lesson;
    use crate::train::model::Output;
    use crate::train::recipe::Precision;

    const POSITIONS: usize = 1000;

    fn shapes() -> [Shape; 5] {
        let small = |shape: Shape| Shape {
            filters: 24,
            blocks: shape.blocks.min(2),
            ..shape
        };
        [
            small(Shape::chessnet()),
            small(Shape::chess_pos_eval_net()),
            small(Shape::teaching()),
            Shape {
                view: View::Row,
                blocks: 0,
                head: Head::Dense { hidden: 40 },
                ..Shape::teaching()
            },
            Shape {
                view: View::Sides { plies: 2 },
                filters: 24,
                blocks: 2,
                activation: Activation::Relu,
                head: Head::Pairs {
                    width: 16,
                    value: 32,
                },
            },
        ]
    }

    fn answers(model: &Model, lesson: &Lesson) -> Vec<Vec<f32>> {
        let output = no_grad(|| model.forward(&lesson.input, false));
        let rows = |parts: &[Vec<f32>], widths: &[usize]| -> Vec<Vec<f32>> {
            let row = |at: usize| {
                let cells = parts.iter().zip(widths);
                cells
                    .flat_map(|(part, width)| part[at * width..][..*width].to_vec())
                    .collect()
            };
            (0..parts[0].len() / widths[0]).map(row).collect()
        };
        match output {
            Output::FromTo { from, to } => rows(&[numbers(&from), numbers(&to)], &[64, 64]),
            Output::Value(value) => rows(&[numbers(&value)], &[1]),
            Output::Pairs {
                pairs,
                offsets,
                result,
            } => {
                let offsets = numbers(&offsets)[1..].repeat(POSITIONS);
                rows(&[numbers(&pairs), offsets, numbers(&result)], &[4096, 3, 3])
            }
        }
    }

    /// The largest distance of what the engine answers from what the framework does.
    fn distance(file: &File, positions: &[Position], wanted: &[Vec<f32>]) -> f32 {
        let net = Net::new(file).expect("it was just made");
        let mut workspace = Workspace::new(&net, 64);
        let scenes: Vec<Scene<'_>> = positions.iter().map(Scene::new).collect();
        let mut found = Vec::new();
        for scenes in scenes.chunks(64) {
            found.extend_from_slice(net.look(scenes, &mut workspace));
        }
        let pairs = found.iter().zip(wanted.iter().flatten());
        pairs
            .map(|(one, other)| (one - other).abs())
            .fold(0.0, f32::max)
    }

    #[test]
    fn the_engine_answers_what_the_framework_does() {
        let positions: Vec<Position> = random_positions(3, POSITIONS).collect();
        for shape in shapes() {
            // 1. A network whose normalisation has seen something.
            let batch = Batch::of_scores(shape.view, positions.iter().map(|it| (it, 0.0, false)));
            let lesson = Lesson::new(shape.view, &batch, Device::Cpu);
            let mut model = Model::new(&shape, 5, Device::Cpu, Precision::Full);
            for _ in 0..20 {
                no_grad(|| model.forward(&lesson.input, true));
            }
            let file = export(&model, &shape, Pawns::SAME).expect("all numbers fit");

            // 2. With the very numbers of the file, nearly the same.
            let learnt = answers(&model, &lesson);
            model.restore_file(&file);
            let rounded = answers(&model, &lesson);
            let exact = distance(&file, &positions, &rounded);
            assert!(exact < 1e-3, "{exact} for {shape:?}");

            // 3. With those before they were rounded to half precision, close.
            let close = distance(&file, &positions, &learnt);
            assert!(close < 0.02, "{close} for {shape:?}");
            assert!(close > 0.0, "nothing was compared");
        }
    }

    #[test]
    fn a_value_network_answers_in_pawns() {
        let shape = shapes()[1].clone();
        let positions: Vec<Position> = random_positions(3, POSITIONS).collect();
        let batch = Batch::of_scores(shape.view, positions.iter().map(|it| (it, 0.0, false)));
        let lesson = Lesson::new(shape.view, &batch, Device::Cpu);
        let mut model = Model::new(&shape, 5, Device::Cpu, Precision::Full);
        let pawns = Pawns {
            scale: 8.0,
            offset: 0.5,
        };
        let file = export(&model, &shape, Pawns::SAME).expect("all numbers fit");
        let in_pawns = export(&model, &shape, pawns).expect("all numbers fit");
        model.restore_file(&file);
        let wanted: Vec<Vec<f32>> = answers(&model, &lesson)
            .into_iter()
            .map(|row| row.iter().map(|it| it * 8.0 + 0.5).collect())
            .collect();
        let distance = distance(&in_pawns, &positions, &wanted);
        assert!(distance < 0.02, "{distance}");
    }
}
