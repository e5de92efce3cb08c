//! Runs and sweeps as tables.

use std::fmt::Write as _;
use std::path::Path;

use mendel_lab::record::{Measured, Proof, SweepOutcome};

use crate::commands::runs::better;
use crate::experiment::PAGE;
use crate::table::{TextTable, or_dash};

pub(super) fn measured_line(name: &str, it: &Measured) -> String {
    format!(
        "{name}: {:.4} → {:.4} {} on {} positions",
        it.parent, it.champion, it.unit, it.positions
    )
}

fn span(interval: Option<[f64; 2]>) -> String {
    or_dash(interval.map(|[low, high]| format!("{low:.4} … {high:.4}")))
}

pub(super) fn render(proof: &Proof) -> String {
    let measured = proof.training.is_some() || proof.holdout.is_some();
    let mut table = TextTable::new(" | parent | champion | difference | 95 % interval");
    for (name, it) in [("training", &proof.training), ("hold-out", &proof.holdout)] {
        let Some(it) = it else { continue };
        table.row([
            format!("{name}, {} positions ({})", it.positions, it.unit),
            format!("{:.4}", it.parent),
            format!("{:.4}", it.champion),
            format!("{:+.4}", it.champion - it.parent),
            span(it.interval),
        ]);
    }
    let mut text = String::new();
    if measured {
        text = table.render();
    }
    for it in &proof.matches {
        let _ = write!(
            text,
            "\nagainst the {} {}: +{} ={} −{}, {it} ({})",
            it.role, it.opponent, it.wins, it.draws, it.losses, it.conditions
        );
        if let Some(test) = &it.sprt {
            let _ = write!(
                text,
                "; SPRT [{}, {}] nElo: {:.2}, {}",
                test.elo0, test.elo1, test.llr, test.decision
            );
        }
    }
    format!("{}\n\n{}\n", text.trim_start_matches('\n'), proof.verdict)
}

pub(super) fn sweep_table(found: &SweepOutcome, folder: &Path) -> String {
    let mut table = TextTable::new(
        "setting | seeds | hold-out mean | 95 % interval | training mean | Elo over the parent | suite nodes | suite solved",
    );
    for cell in &found.cells {
        let training = cell.finals.iter().sum::<f64>() / cell.finals.len().max(1) as f64;
        table.row([
            mendel_report::setting_name(&cell.setting),
            cell.seeds.len().to_string(),
            format!("{:.4}", cell.mean),
            span(cell.interval),
            format!("{training:.4}"),
            cell.elo.map_or_else(String::new, |(mean, interval)| {
                let interval = interval.map(|[low, high]| format!(" [{low:+.0}, {high:+.0}]"));
                format!("{mean:+.0}{}", interval.unwrap_or_default())
            }),
            on_suite(&cell.suite_nodes),
            on_suite(&cell.suite_solved),
        ]);
    }
    let mut text = table.render();
    if let Some(parent) = &found.parent {
        let _ = writeln!(
            text,
            "suite: thousand nodes a position, and per cent solved; the parent {:.2} and {:.1}",
            parent.nodes, parent.solved
        );
    }
    let better = better(found.smaller_is_better);
    let _ = writeln!(text, "{} ({better} is better)", found.unit);
    let _ = writeln!(text, "report    {}", folder.join(PAGE).display());
    text
}

/// Mean and interval of the figures of a suite over the seeds; empty without figures.
fn on_suite(values: &[f64]) -> String {
    if values.is_empty() {
        return String::new();
    }
    let (mean, interval) = mendel_arena::statistics::mean_and_interval(values);
    let interval = interval.map(|[low, high]| format!(" [{low:.2}, {high:.2}]"));
    format!("{mean:.2}{}", interval.unwrap_or_default())
}
