//! The texts of the records of a run.

use mendel_fitness::trial::LadderPoint;
use mendel_lab::record::{ExamLine, Generation, Proof};
use mendel_report::plot::{number, spark};
use serde::Deserialize;
use serde_json::Value;

use super::tables::measured_line;
use crate::progress::{RecordText, record};

/// Width of the curve, in characters.
const CURVE: usize = 24;

/// Maximum number of values of the curve; at more, every second one is dropped.
const MAX_VALUES: usize = 1024;

/// Best and mean so far and a small curve, next to the progress; a line for a new king, each row
/// of the external test and the measurements.
#[derive(Default)]
pub(super) struct RunView {
    unit: String,
    smaller_is_better: bool,
    best: Option<f64>,
    curve: FitnessSparkline,
}

/// The record `run`: the meaning of the numbers in the others.
#[derive(Deserialize)]
struct Meaning {
    parent: String,
    baseline: Option<f64>,
    unit: String,
    smaller_is_better: bool,
}

impl RunView {
    pub(super) fn show(&mut self, name: &str, data: &Value) -> RecordText {
        RecordText::line(match name {
            "run" => record(data).and_then(|it| self.begin(it)),
            "generation" => {
                let found = record(data).map(|it| self.generation(&it));
                return found.unwrap_or_default();
            }
            "external-test" => record(data).map(|it| external_test(&it)),
            "measured" => record(data).map(|it| self.measured(&it)),
            _ => None,
        })
    }

    fn begin(&mut self, meaning: Meaning) -> Option<String> {
        self.smaller_is_better = meaning.smaller_is_better;
        self.unit = meaning.unit;
        let (parent, unit) = (meaning.parent, &self.unit);
        let baseline = meaning.baseline?;
        Some(format!("{parent} has {baseline:.4} {unit}"))
    }

    fn generation(&mut self, generation: &Generation) -> RecordText {
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
        let mut status = self.text(generation.mean);
        if let Some(point) = generation.ladder {
            status = format!("{}  {status}", ladder_text(&point));
        }
        let line = generation.king.filter(|king| king.new).map(|king| {
            let member = king.member;
            let member = member.map_or_else(String::new, |it| format!(", member {}", it.member));
            let done = generation.generation + 1;
            format!("generation {done}: a new king{member}")
        });
        RecordText {
            status: Some(status),
            line,
        }
    }

    fn text(&self, mean: f64) -> String {
        let best = self.best.map_or_else(String::new, number);
        // The unit comes last: a narrow terminal cuts it, not the curve.
        format!(
            "best {best}  mean {}  {}  {}",
            number(mean),
            self.curve.text(),
            self.unit
        )
    }

    fn measured(&self, proof: &Proof) -> String {
        // A run that is resumed after its last generation has no best yet.
        let bred = self.best.map(|best| {
            let best = number(best);
            format!("bred: best {best} {}: {}", self.unit, self.curve.text())
        });
        let parts = [("training", &proof.training), ("hold-out", &proof.holdout)];
        let parts = parts
            .into_iter()
            .filter_map(|(name, it)| Some(measured_line(name, it.as_ref()?)));
        bred.into_iter().chain(parts).collect::<Vec<_>>().join("\n")
    }
}

fn ladder_text(point: &LadderPoint) -> String {
    let error = (point.high - point.low) / 2.0;
    format!("ladder {:+.0} ± {error:.0}", point.elo)
}

fn external_test(line: &ExamLine) -> String {
    let games = line.losses + line.draws + line.wins;
    let opponent = line.opponent.as_deref().unwrap_or("nobody");
    let (won, drawn, lost) = (line.wins, line.draws, line.losses);
    let note = line.note.clone().unwrap_or_default();
    let text = match games {
        0 => note,
        _ => format!("+{won} ={drawn} −{lost} against {opponent}  {note}"),
    };
    let generation = line.generation;
    let text = format!("external test of generation {generation}: {text}");
    text.trim_end().to_owned()
}

/// The best of each generation, thinned where there are many.
#[derive(Default)]
struct FitnessSparkline {
    values: Vec<f64>,
    /// One of `step` values is kept.
    step: usize,
    seen: usize,
}

impl FitnessSparkline {
    fn push(&mut self, value: f64) {
        self.step = self.step.max(1);
        if self.seen.is_multiple_of(self.step) {
            self.values.push(value);
        }
        self.seen += 1;
        if self.values.len() > MAX_VALUES {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_keeps_the_shape_of_its_curve() {
        let mut curve = FitnessSparkline::default();
        for value in (0..100_000).rev() {
            curve.push(f64::from(value));
        }
        assert!(curve.values.len() <= MAX_VALUES + 1);
        let text = curve.text();
        assert_eq!(text.chars().count(), CURVE);
        assert!(text.starts_with('█') && text.ends_with('▁'), "{text}");
    }
}
