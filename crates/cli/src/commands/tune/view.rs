//! What the records of a tuning say while it runs.

use mendel_lab::tune::{Infeasible, Validation};
use serde::Deserialize as _;
use serde_json::Value;

use crate::progress::{RecordView, Shown};

/// A line for each validation and for each setting that does not work.
pub(super) struct TuneView;

impl RecordView for TuneView {
    fn show(&mut self, name: &str, data: &Value) -> Shown {
        let line = match name {
            "validated" => Validation::deserialize(data).ok().map(|it| {
                let (games, words) = (it.games, it.words());
                format!("after {games} games of the tuner the proposal against the start: {words}")
            }),
            "infeasible" => Infeasible::deserialize(data)
                .ok()
                .map(|it| format!("infeasible: {} ({})", it.options, it.reason)),
            _ => None,
        };
        Shown { status: None, line }
    }
}
