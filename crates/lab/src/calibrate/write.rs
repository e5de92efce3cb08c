//! What a calibration writes.

use std::fmt::Write as _;

use mendel_engine::{Level, StrengthTable};
use toml::Value;

use super::{CalibrationOutcome, CalibrationPlan};

pub(super) fn table(plan: &CalibrationPlan, outcome: &CalibrationOutcome, command: &str) -> String {
    let mut text = String::from(
        "# How strong each level of limited strength is; written by `mendel calibrate`.\n",
    );
    let _ = writeln!(text, "schema = {}\n\n[calibration]", StrengthTable::SCHEMA);
    let mut line = |key: &str, value: Value| {
        let _ = writeln!(text, "{key} = {value}");
    };
    line("command", command.into());
    line("version", env!("CARGO_PKG_VERSION").into());
    line("player", plan.calibration.player.as_str().into());
    line("anchor", outcome.anchor.as_str().into());
    if let Some(anchor) = &plan.calibration.anchor {
        line("anchor-command", anchor.entrant.as_str().into());
        line("anchor-rating", anchor.rating.into());
        line("anchor-source", anchor.source.as_str().into());
        line("anchor-pace", anchor.pace.to_string().into());
    }
    line("games", (outcome.games as i64).into());
    let monotone = match outcome.pooled {
        0 => "isotonic regression changed nothing".to_owned(),
        pooled => format!("isotonic regression changed {pooled} ratings"),
    };
    line("monotone", monotone.into());
    if !outcome.notes.is_empty() {
        line("notes", outcome.notes.join("; ").into());
    }
    for (found, level) in outcome.levels.iter().zip(plan.levels()) {
        let Level {
            nodes,
            margin,
            noise,
            oversight,
        } = level;
        let _ = write!(
            text,
            "\n[[level]]\nelo = {}\nmeasured = {:.1}\nerror = {:.1}\nnodes = {nodes}\nmargin = {margin}\nnoise = {noise}\noversight = {oversight:?}\n",
            found.elo, found.measured, found.error
        );
    }
    text
}
