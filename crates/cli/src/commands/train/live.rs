//! Progress of a training.

use std::io::Write as _;
use std::time::Instant;

use indicatif::HumanCount;
use mendel_nets::train::record::Evaluation;
use mendel_nets::train::{Event, Progress};

use crate::output;
use crate::progress::Display;

const BAR: &str = "{bar:24} {pos}/{len} steps, {eta} left  {wide_msg}";

/// The figures of an evaluation that are printed.
const SHOWN: [&str; 5] = ["from", "overall", "first", "mse", "r2"];

/// Loss, rate and speed on stderr, and a line for each evaluation. With JSON, evaluations go to
/// stdout too, a line each.
pub(super) struct TrainDisplay {
    display: Display,
    json: bool,
    /// Prefix of each line, such as the name of a network in a grid.
    pub(super) name: String,
}

impl TrainDisplay {
    pub(super) fn new(json: bool, quiet: bool) -> Self {
        Self {
            display: Display::new(quiet, BAR),
            json,
            name: String::new(),
        }
    }

    pub(super) fn on_event(&mut self, event: &Event<'_>) {
        match event {
            Event::Begun {
                numbers,
                data,
                steps,
                done,
            } => {
                if let Display::Bar(bar) = &self.display {
                    bar.set_length(steps.unwrap_or(0));
                    bar.set_position(*done);
                    bar.reset_eta();
                }
                let numbers = HumanCount(*numbers as u64);
                let again = match done {
                    0 => String::new(),
                    done => format!("; goes on after {done} steps"),
                };
                self.log(&format!("{numbers} numbers learn from {data}{again}"));
            }
            Event::Started { taken } => {
                let taken = HumanCount(*taken as u64);
                self.log(&format!(
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
        if let Display::Bar(bar) = &self.display {
            bar.set_position(progress.step);
            bar.set_message(format!("{}{text}", self.name));
        } else if self.display.is_due(Instant::now()) {
            let (step, epoch) = (progress.step, progress.epoch + 1);
            self.log(&format!("step {step}, epoch {epoch}: {text}"));
        }
    }

    fn evaluated(&mut self, evaluation: &Evaluation) {
        if self.json {
            let line = serde_json::to_string(evaluation).expect("plain data become JSON");
            // A closed pipe makes the program fail at its end.
            let _ = writeln!(output::stdout(), "{line}");
        }
        let figures = SHOWN.iter().filter_map(|name| {
            let value = evaluation.figures.get(*name)?;
            Some(format!("{name} {value:.4}"))
        });
        let figures: Vec<String> = figures.collect();
        let best = if evaluation.best { "  best" } else { "" };
        self.log(&format!(
            "step {}: loss {:.4}, validation {:.4}  {}{best}",
            evaluation.step,
            evaluation.loss,
            evaluation.validation_loss,
            figures.join("  ")
        ));
    }

    fn log(&self, text: &str) {
        self.display.log(&format!("{}{text}", self.name));
    }

    pub(super) fn finish(&self) {
        self.display.finish();
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_bar_is_well_formed() {
        crate::progress::bar(super::BAR, false).finish_and_clear();
    }
}
