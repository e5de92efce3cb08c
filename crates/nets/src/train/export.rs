//! From a network that learns to a file that plays.

use std::collections::BTreeMap;

use mendel_evaluator::vision::{File, Head, NetError, Shape};
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
    /// What is learnt is what is answered.
    pub(crate) const SAME: Self = Self {
        scale: 1.0,
        offset: 0.0,
    };
}

/// The network as a file; every batch normalisation becomes part of the convolution
/// before it, the unit of scores part of the last layer.
pub(crate) fn export(model: &Model, shape: &Shape, pawns: Pawns) -> Result<File, NetError> {
    let pieces = model.layout.cut(&model.parameters, Kind::Float);
    let mut folded: BTreeMap<String, Vec<f32>> = BTreeMap::new();
    for ((name, _), [mean, variance]) in model.layout.norms.iter().zip(&model.statistics) {
        let [gain, shift] = ["gain", "shift"].map(|part| pieces.get(&format!("{name}.{part}")));
        let factor = gain / (variance + EPSILON).sqrt();
        let weight = pieces.get(&format!("{name}.weight")) * factor.view([-1, 1, 1, 1]);
        folded.insert(format!("{name}.weight"), numbers(&weight));
        folded.insert(format!("{name}.bias"), numbers(&(shift - mean * factor)));
    }
    if matches!(shape.head, Head::Value | Head::Teaching { .. }) {
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
