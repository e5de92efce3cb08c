//! What was found, as tables for people.

use std::fmt::Write as _;

use mendel_lab::tune::{ParamFile, ParamKind, TuneResult};

use crate::table::Table;

/// What a tuning found.
pub(super) fn result(result: &TuneResult) -> String {
    let mut table = Table::default();
    table.row([
        "option", "start", "found", "95 %", "worth", "±", "matters", "",
    ]);
    table.rule();
    for it in &result.params {
        let [low, high] = it.interval;
        table.row([
            it.name.clone(),
            it.start.clone(),
            it.value.clone(),
            format!("[{low:.0}, {high:.0}]"),
            format!("{:+.1}", it.gain.value),
            format!("{:.1}", (it.gain.high - it.gain.low) / 2.0),
            format!("{:.1}", it.matters.value),
            it.marks(),
        ]);
    }
    let mut text = format!("{}\n", table.render());
    let mut add = |line: String| {
        writeln!(text, "{line}").expect("writing to a string does not fail");
    };
    for it in &result.aside {
        add(format!("not tuned: {} ({})", it.name, it.reason));
    }
    for it in &result.infeasible {
        add(format!("infeasible: {} ({})", it.options, it.reason));
    }
    if let Some(last) = result.curve.last() {
        let elo = last
            .elo
            .map_or_else(|| "one-sided".to_owned(), |elo| format!("{elo:+.0} Elo"));
        let games = 2 * last.pairs.iter().sum::<u64>();
        add(format!("last validation: {elo} in {games} games"));
    }
    add(format!("verdict: {}", result.verdict));
    if let Some(left) = result.games_left {
        add(format!("about {left:.0} more games would tell"));
    }
    add(format!("tuned: {}", result.engine_tuned));
    text
}

/// What the probe proposes.
pub(super) fn params(file: &ParamFile) -> String {
    let mut table = Table::default();
    table.row(["option", "start", "low", "high", "step"]);
    table.rule();
    for it in &file.params {
        let bounds = |value: i64| match it.kind {
            ParamKind::Spin => value.to_string(),
            ParamKind::Check | ParamKind::Combo => it.text(value),
        };
        table.row([
            it.name.clone(),
            it.text(it.start),
            bounds(it.low),
            bounds(it.high),
            it.step.to_string(),
        ]);
    }
    let mut text = table.render();
    for it in &file.aside {
        writeln!(text, "not tuned: {} ({})", it.name, it.reason)
            .expect("writing to a string does not fail");
    }
    for it in &file.infeasible {
        writeln!(text, "infeasible: {} ({})", it.options, it.reason)
            .expect("writing to a string does not fail");
    }
    text
}
