//! What training shows while it goes on.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use mendel_nets::train::record::Evaluation;
use mendel_nets::train::{Event, Progress};

use crate::output;

/// Where there is no terminal, a line is enough so often.
const EVERY: Duration = Duration::from_secs(5);

/// The figures that a line has room for.
const SHOWN: [&str; 5] = ["from", "overall", "first", "mse", "r2"];

/// On a terminal a bar with loss, rate and speed, and a line for each evaluation;
/// elsewhere a line now and then; nothing when told to be quiet. With JSON, evaluations
/// go to stdout, a line each.
pub(super) struct TrainDisplay {
    show: Show,
    json: bool,
    /// What stands before every line, such as a network's name in a grid.
    pub(super) name: String,
}

enum Show {
    Nothing,
    Bar(ProgressBar),
    Lines { last: Option<Instant> },
}

impl TrainDisplay {
    pub(super) fn new(json: bool, quiet: bool) -> Self {
        let show = if quiet {
            Show::Nothing
        } else if io::stderr().is_terminal() {
            Show::Bar(bar())
        } else {
            Show::Lines { last: None }
        };
        Self {
            show,
            json,
            name: String::new(),
        }
    }

    pub(super) fn hear(&mut self, event: &Event<'_>) {
        match event {
            Event::Begun {
                numbers,
                data,
                steps,
                done,
            } => {
                if let Show::Bar(bar) = &self.show {
                    bar.set_length(steps.unwrap_or(0));
                    bar.set_position(*done);
                    bar.reset_eta();
                }
                let numbers = HumanCount(*numbers as u64);
                let again = match done {
                    0 => String::new(),
                    done => format!("; goes on after {done} steps"),
                };
                self.tell(&format!("{numbers} numbers learn from {data}{again}"));
            }
            Event::Started { taken } => {
                let taken = HumanCount(*taken as u64);
                self.tell(&format!(
                    "{taken} numbers are those of the network it begins with"
                ));
            }
            Event::Step(progress) => self.step(progress),
            Event::Evaluated(evaluation) => self.evaluated(evaluation),
            _ => {}
        }
    }

    fn step(&mut self, progress: &Progress) {
        let text = format!(
            "loss {:.4}  rate {:.1e}  {} positions/s{}",
            progress.loss,
            progress.rate,
            HumanCount(progress.positions_per_second as u64),
            match progress.waiting {
                share if share > 0.1 => format!(", {:.0} % waiting for data", 100.0 * share),
                _ => String::new(),
            }
        );
        match &mut self.show {
            Show::Nothing => {}
            Show::Bar(bar) => {
                bar.set_position(progress.step);
                bar.set_message(format!("{}{text}", self.name));
            }
            Show::Lines { last } => {
                if last.is_none_or(|last| last.elapsed() >= EVERY) {
                    *last = Some(Instant::now());
                    let (step, epoch) = (progress.step, progress.epoch + 1);
                    say(&format!("{}step {step}, epoch {epoch}: {text}", self.name));
                }
            }
        }
    }

    fn evaluated(&mut self, evaluation: &Evaluation) {
        if self.json {
            let line = serde_json::to_string(evaluation).expect("plain data become JSON");
            // Whoever read it has seen enough.
            let _ = writeln!(output::stdout(), "{line}");
        }
        let figures = SHOWN.iter().filter_map(|name| {
            let value = evaluation.figures.get(*name)?;
            Some(format!("{name} {value:.4}"))
        });
        let figures: Vec<String> = figures.collect();
        let best = if evaluation.best { "  best" } else { "" };
        self.tell(&format!(
            "step {}: loss {:.4}, validation {:.4}  {}{best}",
            evaluation.step,
            evaluation.loss,
            evaluation.validation_loss,
            figures.join("  ")
        ));
    }

    /// A line that stays.
    fn tell(&self, text: &str) {
        let text = format!("{}{text}", self.name);
        match &self.show {
            Show::Nothing => {}
            Show::Bar(bar) => bar.println(text),
            Show::Lines { .. } => say(&text),
        }
    }

    pub(super) fn finish(self) {
        if let Show::Bar(bar) = self.show {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len} steps, {eta} left  {wide_msg}");
    ProgressBar::new(0).with_style(style.expect("the template is tested by use"))
}

fn say(text: &str) {
    // With stderr closed there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_bar_is_well_formed() {
        super::bar().finish_and_clear();
    }
}
