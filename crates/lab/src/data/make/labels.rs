//! The expert labels what was drawn.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mendel_board::Position;

use super::expert::{Ask, Consultant, ExpertPlan, Label, Trouble};
use super::work::{LabelLine, Work};
use super::{MakeError, Means, Progress, Stage, pool};
use crate::data::Sample;

/// So often in a row an expert may fail before it is given up.
const MOST_FAULTS: u32 = 3;

/// The samples with the expert's labels; those it has none for are left out.
pub(super) fn given(
    plan: &ExpertPlan,
    mut samples: Vec<Sample>,
    means: &Means,
    work: &mut Work,
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<Sample>, MakeError> {
    // 1. What there is already.
    let total = samples.len() as u64;
    let mut lines: Vec<Option<LabelLine>> = vec![None; samples.len()];
    let mut done = 0;
    for line in std::mem::take(&mut work.earlier_labels) {
        if let Some(place) = lines.get_mut(line.index as usize) {
            done += u64::from(place.is_none());
            *place = Some(line);
        }
    }
    let mut tell = |done| {
        progress(Progress {
            stage: Stage::Labels,
            done,
            total,
            games: 0,
        });
    };
    tell(done);

    // 2. The rest.
    let open: Vec<u64> = (0..total)
        .filter(|&index| lines[index as usize].is_none())
        .collect();
    if !open.is_empty() {
        let positions = &samples;
        pool::run(
            means,
            open.into_iter(),
            || Consultant::new(plan),
            |consultant, index, halt| {
                label(consultant, plan, &positions[index as usize].position, halt)
            },
            |index, label| {
                let position = &samples[index as usize].position;
                let line = LabelLine {
                    index,
                    score: label.score,
                    best: label.best.map(|m| position.uci(m)),
                };
                work.labels.append(&line)?;
                lines[index as usize] = Some(line);
                done += 1;
                tell(done);
                Ok(ControlFlow::Continue(()))
            },
        )?;
        work.labels.flush()?;
    }

    // 3. On the positions.
    let mut lines = lines.into_iter();
    samples.retain_mut(|sample| {
        let line = lines.next().flatten();
        line.is_some_and(|line| put(sample, &line, plan.ask))
    });
    Ok(samples)
}

/// Puts a label on its position; whether there was one.
fn put(sample: &mut Sample, line: &LabelLine, ask: Ask) -> bool {
    sample.score = line.score;
    if matches!(ask, Ask::Static { .. }) {
        return line.score.is_some();
    }
    let read = |text: &String| sample.position.parse_uci(text).ok();
    sample.best = line.best.as_ref().and_then(read);
    sample.best.is_some()
}

/// One label. An expert that fails is started again, a bounded number of times.
fn label(
    consultant: &mut Consultant,
    plan: &ExpertPlan,
    position: &Position,
    halt: &Arc<AtomicBool>,
) -> Result<Option<Label>, MakeError> {
    let mut times = 0;
    loop {
        let trouble = match consultant.ask(position, halt) {
            Ok(label) => return Ok(Some(label)),
            Err(trouble) => trouble,
        };
        if halt.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let fault = match trouble {
            Trouble::Fault(fault) => fault,
            Trouble::Mute => {
                return Err(MakeError::Mute {
                    expert: consultant.name().to_owned(),
                    what: match plan.ask {
                        Ask::Static { evaluation } => evaluation.as_str(),
                        _ => "search",
                    },
                    hint: "Stockfish 12 to 15.1 show a classical and a neural one; for others give `--expert-nodes`",
                });
            }
        };
        times += 1;
        if times >= MOST_FAULTS {
            return Err(MakeError::Expert {
                expert: consultant.name().to_owned(),
                times,
                fen: position.fen(),
                fault,
                last_words: consultant.last_words(),
            });
        }
        *consultant = Consultant::new(plan)?;
    }
}
