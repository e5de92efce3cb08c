//! Graphs in and out of player files.

use toml::{Table, Value};

use super::{Frame, Graph};
use crate::any::knows_only;
use crate::mlp::{flag, input, scale};
use crate::{EvaluatorError, numbers};

const KEYS: [&str; 5] = ["kind", "input", "material", "scale", "numbers"];

impl Graph {
    /// Reads the `[evaluator]` table of a player file.
    ///
    /// # Errors
    ///
    /// If it lacks something, or holds something that means nothing.
    pub fn from_toml(table: &Table) -> Result<Self, EvaluatorError> {
        knows_only(table, Self::KIND, &KEYS)?;
        let frame = Frame {
            input: input(Self::KIND, table)?,
            material: flag(Self::KIND, table, "material")?,
            scale: scale(Self::KIND, table)?,
        };
        Self::new(frame, &numbers::read(Self::KIND, table.get("numbers"))?)
    }

    /// What [`from_toml`](Self::from_toml) reads, in the order of a file, without
    /// the kind.
    pub(crate) fn entries(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("input", self.frame.input.name().into()),
            ("material", self.frame.material.into()),
            ("scale", self.frame.scale.into()),
            ("numbers", numbers::write(&self.numbers).into()),
        ]
    }
}
