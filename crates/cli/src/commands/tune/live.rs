//! What is shown while an engine is tuned.

use std::io::{self, IsTerminal, Write as _};
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use mendel_lab::tune::{Event, TunePlan, Validation};

/// A bar on a terminal, a line now and then elsewhere.
pub(super) struct Live {
    bar: Option<ProgressBar>,
    quiet: bool,
    /// Tenths of the games that were told of.
    told: u64,
    proof: bool,
}

impl Live {
    pub(super) fn new(quiet: bool) -> Self {
        let bar = (io::stderr().is_terminal() && !quiet).then(|| {
            let bar = ProgressBar::no_length();
            let style = "{msg:10} {bar:30} {pos}/{len}, {eta} left";
            let style = ProgressStyle::with_template(style);
            bar.set_style(style.expect("the template is tested by use"));
            bar.enable_steady_tick(Duration::from_millis(500));
            bar
        });
        Self {
            bar,
            quiet,
            told: 0,
            proof: false,
        }
    }

    /// The probe, from whichever thread.
    pub(super) fn probe(&self, event: &Event) {
        if let (Some(bar), Event::Probed { done, total }) = (&self.bar, event) {
            bar.set_message("probing");
            bar.set_length(*total as u64);
            bar.set_position(*done as u64);
        }
    }

    /// What is going to be done.
    pub(super) fn begin(&self, plan: &TunePlan, folder: &Path) {
        self.say(&format!(
            "tuning {} parameters with {} games at {}; kept in {}",
            plan.params.len(),
            plan.games,
            plan.pace,
            folder.display()
        ));
        for it in &plan.aside {
            self.say(&format!("not tuned: {} ({})", it.name, it.reason));
        }
        for it in &plan.infeasible {
            self.say(&format!("infeasible: {} ({})", it.options, it.reason));
        }
    }

    pub(super) fn show(&mut self, event: &Event) {
        match event {
            Event::Played { done, total } => self.progress("tuning", *done, *total),
            Event::Proof { done, total } => {
                if !std::mem::replace(&mut self.proof, true) {
                    self.told = 0;
                    if let Some(bar) = &self.bar {
                        bar.reset();
                    }
                }
                self.progress("proving", *done, *total);
            }
            Event::Validated(it) => self.say(&validation(it)),
            Event::Failed(it) => {
                self.say(&format!("infeasible: {} ({})", it.options, it.reason));
            }
            _ => {}
        }
    }

    fn progress(&mut self, stage: &'static str, done: u64, total: u64) {
        if let Some(bar) = &self.bar {
            bar.set_message(stage);
            bar.set_length(total);
            bar.set_position(done);
            return;
        }
        let tenth = 10 * done / total.max(1);
        if tenth > std::mem::replace(&mut self.told, tenth) {
            self.say(&format!("{stage}: {done} of {total} games"));
        }
    }

    pub(super) fn say(&self, text: &str) {
        if self.quiet {
            return;
        }
        match &self.bar {
            Some(bar) => bar.println(text),
            // With stderr closed there is nobody left to tell.
            None => {
                let _ = writeln!(io::stderr().lock(), "{text}");
            }
        }
    }

    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn validation(it: &Validation) -> String {
    let (games, words) = (it.games, it.words());
    format!("after {games} games of the tuner the proposal against the start: {words}")
}
