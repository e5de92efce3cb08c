//! Runs and sweeps as tables.

use std::fmt::Write as _;
use std::path::Path;

use mendel_lab::record::{Measured, Proof, SweepOutcome};

use crate::experiment::PAGE;
use crate::table::TextTable;

/// A measurement in one line.
pub(super) fn measured_line(name: &str, it: &Measured) -> String {
    format!(
        "{name}: {:.4} → {:.4} {} on {} positions",
        it.parent, it.champion, it.unit, it.positions
    )
}

/// An interval, or that there is none.
fn span(interval: Option<[f64; 2]>) -> String {
    interval.map_or_else(
        || "–".to_owned(),
        |[low, high]| format!("{low:.4} … {high:.4}"),
    )
}

/// The proof as a table.
pub(super) fn render(proof: &Proof) -> String {
    let measured = proof.training.is_some() || proof.holdout.is_some();
    let mut table = TextTable::default();
    table.row(["", "parent", "champion", "difference", "95 % interval"]);
    table.rule();
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
    let mut text = if measured {
        table.render()
    } else {
        String::new()
    };
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

/// The comparison of a sweep.
pub(super) fn sweep_table(found: &SweepOutcome, folder: &Path) -> String {
    let mut table = TextTable::default();
    table.row([
        "setting",
        "seeds",
        "hold-out mean",
        "95 % interval",
        "training mean",
        "Elo over the parent",
        "suite nodes",
        "suite solved",
    ]);
    table.rule();
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
    let better = if found.smaller_is_better {
        "smaller is better"
    } else {
        "larger is better"
    };
    let _ = writeln!(text, "{} ({better})", found.unit);
    let _ = writeln!(text, "report    {}", folder.join(PAGE).display());
    text
}

/// Figures of a suite over the seeds, where there are any.
fn on_suite(values: &[f64]) -> String {
    if values.is_empty() {
        return String::new();
    }
    let (mean, interval) = mendel_arena::statistics::mean_and_interval(values);
    let interval = interval.map(|[low, high]| format!(" [{low:.2}, {high:.2}]"));
    format!("{mean:.2}{}", interval.unwrap_or_default())
}
