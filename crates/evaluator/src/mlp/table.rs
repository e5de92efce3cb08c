//! Networks of layers in and out of player files.

use toml::{Table, Value};

use super::{Mlp, QUEEN, Shape};
use crate::any::{knows_only, quote};
use crate::function::Function;
use crate::input::Input;
use crate::{EvaluatorError, numbers};

/// The most neurons of a hidden layer.
const WIDEST: u32 = 4096;

/// The most hidden layers: with more, sums of the largest weights could grow beyond
/// what a single-precision number holds.
const DEEPEST: usize = 4;

const KEYS: [&str; 9] = [
    "kind", "input", "layers", "hidden", "output", "biases", "material", "scale", "numbers",
];

impl Shape {
    /// Refuses what is no network.
    pub(super) fn check(&self) -> Result<(), EvaluatorError> {
        let inputs = self.input.count();
        let fits = self.layers.first() == Some(&(inputs as u32))
            && self.layers.last() == Some(&1)
            && (3..=DEEPEST + 2).contains(&self.layers.len())
            && self
                .layers
                .iter()
                .skip(1)
                .all(|it| (1..=WIDEST).contains(it));
        if !fits {
            return Err(setting(
                "layers",
                format!("is {:?}", self.layers),
                format!(
                    "[{inputs}, …, 1] with one to {DEEPEST} hidden layers of 1 to {WIDEST} neurons"
                ),
            ));
        }
        if !matches!(self.output, Function::Tanh | Function::Identity) {
            return Err(setting(
                "output",
                format!("is \"{}\"", self.output.name()),
                OUTPUTS.to_owned(),
            ));
        }
        check_scale(Mlp::KIND, self.scale.into()).map(|_| ())
    }
}

const OUTPUTS: &str = "\"tanh\" or \"identity\"";

impl Mlp {
    /// Reads the `[evaluator]` table of a player file.
    ///
    /// # Errors
    ///
    /// If it lacks something, or holds something that means nothing.
    pub fn from_toml(table: &Table) -> Result<Self, EvaluatorError> {
        knows_only(table, Self::KIND, &KEYS)?;
        let layers = table.get("layers");
        let list = layers.and_then(Value::as_array).and_then(|list| {
            let size = |it: &Value| u32::try_from(it.as_integer()?).ok();
            list.iter().map(size).collect::<Option<Vec<u32>>>()
        });
        let shape = Shape {
            input: input(Self::KIND, table)?,
            layers: list.ok_or_else(|| {
                setting(
                    "layers",
                    found(layers),
                    "a list such as [64, 128, 1]".into(),
                )
            })?,
            hidden: function(Self::KIND, table, "hidden", Function::Sigmoid)?,
            output: function(Self::KIND, table, "output", Function::Tanh)?,
            biases: flag(Self::KIND, table, "biases")?,
            material: flag(Self::KIND, table, "material")?,
            scale: scale(Self::KIND, table)?,
        };
        shape.check()?;
        let numbers = numbers::read(Self::KIND, table.get("numbers"))?;
        Self::new(shape, &numbers)
    }

    /// What [`from_toml`](Self::from_toml) reads, in the order of a file, without
    /// the kind.
    pub(crate) fn entries(&self) -> Vec<(&'static str, Value)> {
        let shape = &self.shape;
        let layers = shape.layers.iter().map(|&it| Value::from(it)).collect();
        vec![
            ("input", shape.input.name().into()),
            ("layers", Value::Array(layers)),
            ("hidden", shape.hidden.name().into()),
            ("output", shape.output.name().into()),
            ("biases", shape.biases.into()),
            ("material", shape.material.into()),
            ("scale", shape.scale.into()),
            ("numbers", numbers::write(&self.numbers).into()),
        ]
    }
}

fn setting(key: &'static str, found: String, wanted: String) -> EvaluatorError {
    EvaluatorError::Setting {
        kind: Mlp::KIND,
        key,
        found,
        wanted,
    }
}

fn found(value: Option<&Value>) -> String {
    value.map_or_else(|| "is missing".into(), |it| format!("is {}", quote(it)))
}

/// What the network sees.
pub(crate) fn input(kind: &'static str, table: &Table) -> Result<Input, EvaluatorError> {
    let value = table.get("input");
    let input = value.and_then(Value::as_str).and_then(Input::from_name);
    input.ok_or_else(|| EvaluatorError::Setting {
        kind,
        key: "input",
        found: found(value),
        wanted: Input::ALL
            .map(|it| format!("\"{}\"", it.name()))
            .join(" or "),
    })
}

/// Yes unless it says no.
pub(crate) fn flag(
    kind: &'static str,
    table: &Table,
    key: &'static str,
) -> Result<bool, EvaluatorError> {
    match table.get(key) {
        None => Ok(true),
        Some(Value::Boolean(flag)) => Ok(*flag),
        other => Err(EvaluatorError::Setting {
            kind,
            key,
            found: found(other),
            wanted: "true or false".into(),
        }),
    }
}

/// Centipawns for an output of one.
pub(crate) fn scale(kind: &'static str, table: &Table) -> Result<i32, EvaluatorError> {
    match table.get("scale") {
        None => Ok(QUEEN),
        Some(Value::Integer(scale)) => check_scale(kind, *scale),
        other => Err(wrong_scale(kind, found(other))),
    }
}

pub(crate) fn check_scale(kind: &'static str, scale: i64) -> Result<i32, EvaluatorError> {
    match i32::try_from(scale) {
        Ok(fits @ 1..=20_000) => Ok(fits),
        _ => Err(wrong_scale(kind, format!("is {scale}"))),
    }
}

fn wrong_scale(kind: &'static str, found: String) -> EvaluatorError {
    EvaluatorError::Setting {
        kind,
        key: "scale",
        found,
        wanted: "centipawns for an output of one, from 1 to 20000".into(),
    }
}

fn function(
    kind: &'static str,
    table: &Table,
    key: &'static str,
    default: Function,
) -> Result<Function, EvaluatorError> {
    let value = table.get(key);
    let function = match value {
        None => Some(default),
        Some(value) => value.as_str().and_then(Function::from_name),
    };
    function.ok_or_else(|| EvaluatorError::Setting {
        kind,
        key,
        found: found(value),
        wanted: match key {
            "output" => OUTPUTS.to_owned(),
            _ => Function::ALL
                .map(|it| format!("\"{}\"", it.name()))
                .join(" or "),
        },
    })
}
