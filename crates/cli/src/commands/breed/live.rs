//! What breeding shows while it goes on.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use mendel_lab::record::Generation;
use mendel_lab::run::ExamLine;
use mendel_lab::trial::Judging;
use mendel_store::plot::{number, spark};

use super::pacing::Pacing;

/// Where there is no terminal, a line is enough so often.
const EVERY: Duration = Duration::from_secs(5);

/// The curve is so many characters wide.
const CURVE: usize = 24;

/// Values are kept for the curve up to here; then every other one goes.
const MOST_VALUES: usize = 1024;

/// On a terminal a bar with the estimate, best and mean so far and a small curve;
/// elsewhere a line now and then; nothing when told to be quiet. All on stderr.
pub(super) struct Live {
    show: Show,
    total: Option<u64>,
    unit: String,
    smaller_is_better: bool,
    best: Option<f64>,
    curve: Curve,
    pacing: Pacing,
    /// What is known of the generations before, while one is judged by games.
    so_far: String,
}

enum Show {
    Nothing,
    Bar(ProgressBar),
    Lines { last: Option<Instant> },
}

impl Live {
    /// `total` is how many generations there will be at most, if that is known.
    pub(super) fn new(
        total: Option<u64>,
        unit: &str,
        smaller_is_better: bool,
        quiet: bool,
    ) -> Self {
        let show = if quiet {
            Show::Nothing
        } else if io::stderr().is_terminal() {
            Show::Bar(bar(total))
        } else {
            Show::Lines { last: None }
        };
        Self {
            show,
            total,
            unit: unit.to_owned(),
            smaller_is_better,
            best: None,
            curve: Curve::default(),
            pacing: Pacing::default(),
            so_far: String::new(),
        }
    }

    /// A generation is being judged by games.
    pub(super) fn judging(&mut self, generation: u32, judging: Judging) {
        let text = self.pacing.hear(generation, judging, self.total);
        match &mut self.show {
            Show::Nothing => {}
            Show::Bar(bar) => {
                bar.set_style(style(BY_GAMES));
                bar.set_message(format!("{text}  {}", self.so_far));
                bar.tick();
            }
            Show::Lines { last } => {
                if is_time(last) {
                    say(&format!("generation {}: {text}", generation + 1));
                }
            }
        }
    }

    /// A generation was judged.
    pub(super) fn generation(&mut self, generation: &Generation) {
        let value = generation.best;
        let is_better = self.best.is_none_or(|best| {
            if self.smaller_is_better {
                value < best
            } else {
                value > best
            }
        });
        if is_better {
            self.best = Some(value);
        }
        self.curve.push(value);
        let done = u64::from(generation.generation) + 1;
        let mut text = self.text(generation.mean);
        if let Some(point) = generation.ladder {
            let error = (point.high - point.low) / 2.0;
            text = format!("ladder {:+.0} ± {error:.0}  {text}", point.elo);
        }
        if generation.king.is_some_and(|king| king.new) {
            self.announce(done, generation);
        }
        self.so_far.clone_from(&text);
        match &mut self.show {
            Show::Nothing => {}
            Show::Bar(bar) => {
                bar.set_position(done);
                bar.set_message(text);
            }
            Show::Lines { last } => {
                if is_time(last) {
                    let of = self
                        .total
                        .map_or_else(String::new, |total| format!(" of {total}"));
                    say(&format!("generation {done}{of}: {text}"));
                }
            }
        }
    }

    /// There is a new king.
    fn announce(&self, done: u64, generation: &Generation) {
        let member = generation.king.and_then(|king| king.member);
        let member = member.map_or_else(String::new, |it| format!(", member {}", it.member));
        self.tell(&format!("generation {done}: a new king{member}"));
    }

    /// A row of an examination was held, or could not be.
    pub(super) fn examined(&self, line: &ExamLine) {
        let games = line.losses + line.draws + line.wins;
        let opponent = line.opponent.as_deref().unwrap_or("nobody");
        let (won, drawn, lost) = (line.wins, line.draws, line.losses);
        let told = line.note.clone().unwrap_or_default();
        let text = match games {
            0 => told,
            _ => format!("+{won} ={drawn} −{lost} against {opponent}  {told}"),
        };
        let generation = line.generation;
        self.tell(format!("examination of generation {generation}: {text}").trim_end());
    }

    /// A line that stays.
    fn tell(&self, text: &str) {
        match &self.show {
            Show::Nothing => {}
            Show::Bar(bar) => bar.println(text),
            Show::Lines { .. } => say(text),
        }
    }

    /// Best and mean so far, and how the best came along.
    fn text(&self, mean: f64) -> String {
        let best = self.best.map_or_else(String::new, number);
        format!(
            // The unit comes last: a narrow terminal cuts it, not the curve.
            "best {best}  mean {}  {}  {}",
            number(mean),
            self.curve.text(),
            self.unit
        )
    }

    /// Breeding is over; a `text` stays where the bar was.
    pub(super) fn finish(self, text: &str) {
        match self.show {
            Show::Nothing => {}
            Show::Bar(bar) => {
                bar.finish_and_clear();
                if !text.is_empty() {
                    say(&format!("{text}: {}  {}", self.curve.text(), self.unit));
                }
            }
            Show::Lines { .. } => {
                // Gone on with after its last generation, there is no best to tell.
                if let Some(best) = self.best.filter(|_| !text.is_empty()) {
                    say(&format!("{text}: best {} {}", number(best), self.unit));
                }
            }
        }
    }
}

/// Whether it is time for another line.
fn is_time(last: &mut Option<Instant>) -> bool {
    let due = last.is_none_or(|last| last.elapsed() >= EVERY);
    if due {
        *last = Some(Instant::now());
    }
    due
}

/// Generations are few and long then, and games are what is counted.
const BY_GAMES: &str = "{bar:16} {pos}/{len} generations  {wide_msg}";

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is tested by use")
}

fn bar(total: Option<u64>) -> ProgressBar {
    let (bar, template) = match total {
        Some(total) => (
            ProgressBar::new(total),
            "{bar:24} {pos}/{len} generations, {eta} left  {wide_msg}",
        ),
        None => (
            ProgressBar::new_spinner(),
            "{spinner} {pos} generations in {elapsed}  {wide_msg}",
        ),
    };
    bar.with_style(style(template))
}

/// The best of each generation, thinned where there are many.
#[derive(Default)]
struct Curve {
    values: Vec<f64>,
    /// Every so many values one is kept.
    step: usize,
    seen: usize,
}

impl Curve {
    fn push(&mut self, value: f64) {
        self.step = self.step.max(1);
        if self.seen.is_multiple_of(self.step) {
            self.values.push(value);
        }
        self.seen += 1;
        if self.values.len() > MOST_VALUES {
            let mut index = 0;
            self.values.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.step *= 2;
        }
    }

    fn text(&self) -> String {
        spark(&self.values, CURVE)
    }
}

fn say(text: &str) {
    // With stderr closed there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bars_are_well_formed() {
        for total in [None, Some(0), Some(300)] {
            bar(total).with_style(style(BY_GAMES)).finish_and_clear();
        }
    }

    #[test]
    fn a_long_run_keeps_the_shape_of_its_curve() {
        let mut curve = Curve::default();
        for value in (0..100_000).rev() {
            curve.push(f64::from(value));
        }
        assert!(curve.values.len() <= MOST_VALUES + 1);
        let text = curve.text();
        assert_eq!(text.chars().count(), CURVE);
        assert!(text.starts_with('█') && text.ends_with('▁'), "{text}");
    }
}
