//! The result of a tuning as tables.

use std::fmt::Write as _;
use std::path::Path;

use mendel_lab::tune::{Aside, Infeasible, ParamFile, ParamKind, TuneResult};

use crate::experiment::PAGE;
use crate::table::TextTable;

pub(super) fn result_tables(result: &TuneResult, folder: &Path) -> String {
    let mut table = TextTable::new("option | start | found | 95 % | worth | ± | matters | ");
    for it in &result.params {
        let [worth, error] = if it.is_start() {
            [String::new(), String::new()]
        } else {
            let error = (it.gain.high - it.gain.low) / 2.0;
            [format!("{:+.1}", it.gain.value), format!("{error:.1}")]
        };
        table.row([
            it.name.clone(),
            it.start.clone(),
            it.value.clone(),
            it.interval_words(),
            worth,
            error,
            it.matters_words(),
            it.marks(),
        ]);
    }
    let mut text = format!("{}\n", table.render());
    let mut add = |line: String| {
        writeln!(text, "{line}").expect("writing to a string does not fail");
    };
    not_tuned(&result.aside, &result.infeasible).for_each(&mut add);
    if let Some(last) = result.curve.last() {
        add(format!("last validation: {}", last.words()));
    }
    // The gain as a whole follows from the games: the surface is fitted to find the optimum, and
    // is inexact about its height above a distant start.
    add(format!(
        "by the fitted surface at most {:.0} Elo are still to be had",
        result.left.high
    ));
    if result.spared_games > 0 {
        add(format!(
            "not played: {} games that would have been the same as earlier ones",
            result.spared_games
        ));
    }
    if result.too_few_games() {
        add("too few games for so many parameters: most are not told apart from 0 yet".to_owned());
    }
    add(format!("verdict: {}", result.verdict));
    if !result.left_out.is_empty() {
        let count = result.left_out.len();
        add(format!(
            "left out: {count} pairs in which the start itself failed"
        ));
    }
    if let Some(more) = result.more(&folder.display().to_string()) {
        add(more);
    }
    add(if result.keeps_start {
        format!("the start values are kept: {}", result.engine_tuned)
    } else {
        format!("tuned: {}", result.engine_tuned)
    });
    add(format!("folder: {}", folder.display()));
    add(format!("page: {}", folder.join(PAGE).display()));
    text
}

pub(super) fn params_table(file: &ParamFile) -> String {
    let mut table = TextTable::new("option | start | low | high | step");
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
    let lines = not_tuned(&file.aside, &file.infeasible).map(|line| line + "\n");
    table.render() + &lines.collect::<String>()
}

fn not_tuned(aside: &[Aside], infeasible: &[Infeasible]) -> impl Iterator<Item = String> {
    let aside = aside
        .iter()
        .map(|it| format!("not tuned: {} ({})", it.name, it.reason));
    aside.chain(infeasible.iter().map(self::infeasible))
}

pub(super) fn infeasible(it: &Infeasible) -> String {
    format!("infeasible: {} ({})", it.options, it.reason)
}
