//! What a run says while it goes on and when it is done.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use mendel_arena::Progress;
use mendel_lab::proof::{Measured, Proof};
use mendel_lab::run::manifest::{Manifest, StandIn};
use mendel_lab::run::{Event, Outcome, RunFolder};
use mendel_lab::sweep::{Sweep, Turn};
use serde_json::json;

use super::live::Live;
use crate::home;
use crate::table::Table;

/// Listens to a run and tells people or programs.
pub(super) struct Teller {
    folder: PathBuf,
    json: bool,
    quiet: bool,
    /// Whether the index is told; a step's run belongs to its pipeline.
    registers: bool,
    live: Option<Live>,
    games: Option<ProgressBar>,
}

impl Teller {
    pub(super) fn new(folder: &Path, json: bool, quiet: bool) -> Self {
        Self {
            folder: folder.to_owned(),
            json,
            quiet: quiet || json,
            registers: true,
            live: None,
            games: None,
        }
    }

    /// Listens to a run that is a step of a pipeline.
    pub(super) fn of_step(folder: &Path, json: bool, quiet: bool) -> Self {
        Self {
            registers: false,
            ..Self::new(folder, json, quiet)
        }
    }

    pub(super) fn hear(&mut self, event: &Event) {
        match event {
            Event::Begins {
                manifest,
                generations,
            } => {
                if self.registers {
                    home::register_run(&self.folder);
                }
                self.begin(manifest, *generations);
            }
            Event::Judging {
                generation,
                judging,
            } => {
                if let Some(live) = &mut self.live {
                    live.judging(*generation, *judging);
                }
            }
            Event::Examined(line) => {
                if let Some(live) = &self.live {
                    live.examined(line);
                }
            }
            Event::Generation(generation) => {
                if let Some(live) = &mut self.live {
                    live.generation(generation);
                }
                if self.json {
                    let mut line = json!({ "event": "generation" });
                    merge(&mut line, json!(generation));
                    say(&line.to_string());
                }
            }
            Event::Measured(proof) => {
                if let Some(live) = self.live.take() {
                    live.finish("bred");
                }
                if !self.quiet {
                    tell_measured("training", proof.training.as_ref());
                    tell_measured("hold-out", proof.holdout.as_ref());
                }
            }
            Event::Game {
                role,
                opponent,
                progress,
            } => self.game(role, opponent, progress),
            _ => {}
        }
    }

    fn begin(&mut self, manifest: &Manifest, generations: Option<u64>) {
        if !self.quiet {
            let _ = writeln!(
                io::stderr(),
                "{} · seed {} · run {} · {}",
                manifest.recipe,
                manifest.seed,
                manifest.id,
                self.folder.display()
            );
            if let Some(baseline) = manifest.baseline {
                let parent = manifest.stand_in.map(StandIn::name);
                let parent = parent.unwrap_or(&manifest.parent);
                let unit = &manifest.unit;
                let _ = writeln!(io::stderr(), "{parent} has {baseline:.4} {unit}");
            }
        }
        let (unit, smaller) = (&manifest.unit, manifest.smaller_is_better);
        self.live = Some(Live::new(generations, unit, smaller, self.quiet));
    }

    fn game(&mut self, role: &str, opponent: &str, progress: &Progress) {
        if self.quiet {
            return;
        }
        let bar = self.games.get_or_insert_with(|| {
            let bar = ProgressBar::new(progress.total);
            let style = "{prefix} {bar:24} {pos}/{len} games {msg} · {eta} left";
            let style = ProgressStyle::with_template(style).expect("the template is tested by use");
            bar.with_style(style)
        });
        bar.set_length(progress.total);
        bar.set_prefix(format!("match with the {role} {opponent}"));
        bar.set_position(progress.standing.games());
        let summary = progress
            .standing
            .summary(None, None, mendel_arena::Conclusion::Unfinished);
        if let Some(pairing) = summary.pairings.first() {
            let elo = pairing.elo.elo.map(|elo| format!("{elo:+.0}"));
            let error = pairing.elo.error.map(|error| format!(" ± {error:.0}"));
            let elo = elo.unwrap_or_default() + &error.unwrap_or_default();
            bar.set_message(format!("{elo} Elo"));
        }
        if progress.standing.games() == progress.total {
            bar.finish_and_clear();
            self.games = None;
        }
    }

    pub(super) fn fail(mut self) {
        self.quieten();
    }

    fn quieten(&mut self) {
        if let Some(live) = self.live.take() {
            live.finish("");
        }
        if let Some(bar) = self.games.take() {
            bar.finish_and_clear();
        }
    }

    /// The result, as a table or as JSON.
    pub(super) fn tell(mut self, outcome: &Outcome) -> anyhow::Result<()> {
        self.quieten();
        let Some(proof) = &outcome.proof else {
            anyhow::bail!(
                "stopped before its end; `mendel resume {}` goes on with it",
                self.folder.display()
            );
        };
        if self.json {
            let mut line = json!({
                "event": "result",
                "run": outcome.manifest.id,
                "recipe": outcome.manifest.recipe,
                "seed": outcome.manifest.seed,
                "folder": self.folder,
                "champion": self.folder.join(RunFolder::CHAMPION),
            });
            merge(&mut line, json!(proof));
            say(&line.to_string());
            return Ok(());
        }
        say(&render(proof));
        let report = self.folder.join(mendel_lab::report::FILE);
        say(&format!(
            "\nchampion  {}\nreport    {}\nplay it   mendel play --player {0}\n",
            self.folder.join(RunFolder::CHAMPION).display(),
            report.display(),
        ));
        Ok(())
    }
}

/// Adds the fields of one object to another.
pub(super) fn merge(into: &mut serde_json::Value, from: serde_json::Value) {
    if let (Some(into), serde_json::Value::Object(from)) = (into.as_object_mut(), from) {
        into.extend(from);
    }
}

pub(super) fn say(text: &str) {
    let _ = writeln!(io::stdout(), "{}", text.trim_end_matches('\n'));
}

fn tell_measured(name: &str, measured: Option<&Measured>) {
    let Some(it) = measured else { return };
    let _ = writeln!(
        io::stderr(),
        "{name}: {:.4} → {:.4} {} on {} positions",
        it.parent,
        it.champion,
        it.unit,
        it.positions
    );
}

/// An interval, or that there is none.
fn span(interval: Option<[f64; 2]>) -> String {
    interval.map_or_else(
        || "–".to_owned(),
        |[low, high]| format!("{low:.4} … {high:.4}"),
    )
}

/// The proof as a table.
fn render(proof: &Proof) -> String {
    let measured = proof.training.is_some() || proof.holdout.is_some();
    let mut table = Table::default();
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

/// The runs of a sweep, one after the other.
pub(super) struct Turns {
    quiet: bool,
    bar: Option<ProgressBar>,
}

impl Turns {
    pub(super) fn new(quiet: bool) -> Self {
        Self { quiet, bar: None }
    }

    pub(super) fn begin(&mut self, turn: &Turn) {
        if self.quiet {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let style = "{bar:24} run {pos}/{len} · {eta} left · {msg}";
            let style = ProgressStyle::with_template(style).expect("the template is tested by use");
            ProgressBar::new(turn.runs as u64).with_style(style)
        });
        bar.set_position(turn.run as u64);
        let setting: Vec<String> = turn
            .setting
            .iter()
            .map(|(key, value)| format!("{key} = {value}"))
            .collect();
        bar.set_message(format!("{}, seed {}", setting.join(", "), turn.seed));
    }

    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The comparison of a sweep.
pub(super) fn sweep(found: &Sweep, folder: &Path, json: bool) {
    if json {
        say(&format!("{:#}", json!(found)));
        return;
    }
    let mut table = Table::default();
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
            mendel_lab::report::setting_name(cell),
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
    say(&table.render());
    if let Some(parent) = &found.parent {
        say(&format!(
            "suite: thousand nodes a position, and per cent solved; the parent {:.2} and {:.1}",
            parent.nodes, parent.solved
        ));
    }
    let better = if found.smaller_is_better {
        "smaller is better"
    } else {
        "larger is better"
    };
    say(&format!("{} ({better})", found.unit));
    say(&format!(
        "report    {}",
        folder.join(mendel_lab::report::FILE).display()
    ));
}

/// Figures of a suite over the seeds, where there are any.
fn on_suite(values: &[f64]) -> String {
    if values.is_empty() {
        return String::new();
    }
    let (mean, interval) = mendel_lab::sweep::mean_and_interval(values);
    let interval = interval.map(|[low, high]| format!(" [{low:.2}, {high:.2}]"));
    format!("{mean:.2}{}", interval.unwrap_or_default())
}
