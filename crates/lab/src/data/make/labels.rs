//! The expert labels what was drawn.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mendel_arena::task::Luggage;
use mendel_arena::{Desk, Errand};
use mendel_board::Position;
use mendel_crew::GoOn;

use super::expert::{Ask, Consultant, ExpertPlan, Label, Trouble};
use super::task::{self, LabelTask, Said};
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
        let desk = means.crew.as_ref().map(|crew| crew.desk(work.folder()));
        let mut take = |said: Said| {
            let index = said.index;
            let line = LabelLine {
                index,
                score: said.score,
                best: said.best,
            };
            work.labels.append(&line)?;
            lines[index as usize] = Some(line);
            done += 1;
            tell(done);
            Ok(())
        };
        match desk.transpose()? {
            None => here(plan, &samples, open, means, &mut take)?,
            Some(desk) => there(plan, &samples, open, &desk, &means.stop, &mut take)?,
        }
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

/// Takes what is said of a position.
type Take<'a> = dyn FnMut(Said) -> Result<(), MakeError> + 'a;

/// Labels by threads of this process.
fn here(
    plan: &ExpertPlan,
    samples: &[Sample],
    open: Vec<u64>,
    means: &Means,
    take: &mut Take,
) -> Result<(), MakeError> {
    let again = || Consultant::new(plan);
    pool::run(
        means,
        open.into_iter(),
        again,
        |consultant, index, halt| {
            let position = &samples[index as usize].position;
            label(consultant, &again, plan.ask, position, halt)
        },
        |index, label| {
            let position = &samples[index as usize].position;
            take(Said::of(index, label, position))?;
            Ok(ControlFlow::Continue(()))
        },
    )
}

/// Labels by workers elsewhere.
fn there(
    plan: &ExpertPlan,
    samples: &[Sample],
    open: Vec<u64>,
    desk: &Desk,
    stop: &AtomicBool,
    take: &mut Take,
) -> Result<(), MakeError> {
    let mut luggage = Luggage::new();
    let bare = LabelTask::new(plan, &mut luggage)?;
    let errand = Errand {
        kind: task::KIND,
        version: task::VERSION,
        total: samples.len() as u64,
        // Shorter than its position.
        answer: 0,
        luggage: &luggage,
        pack: &|indices: &[u64]| {
            let fen = |&index: &u64| (index, samples[index as usize].position.fen());
            let task = LabelTask {
                positions: indices.iter().map(fen).collect(),
                ..bare.clone()
            };
            let payload = serde_json::to_vec(&task).expect("a task is plain data");
            (payload, task.expert.blobs())
        },
    };
    let pieces = open.into_iter().map(|index| (index, index));
    desk.for_part("labels")
        .work(&errand, pieces, stop, &mut |returned| {
            let said: Vec<Said> = match returned.answer {
                None => returned.pieces.iter().copied().map(Said::nothing).collect(),
                Some(answer) => serde_json::from_slice(answer)
                    .map_err(|error| returned.nonsense(error.to_string()))?,
            };
            // An earlier life may have asked for more than is open now.
            let found = returned.pieces.iter().map(|&index| {
                let found = said.iter().find(|it| it.index == index).cloned();
                let missing = || returned.nonsense(format!("position {index} is not in it"));
                found.ok_or_else(missing)
            });
            let found = found.collect::<Result<Vec<Said>, _>>()?;
            found.into_iter().try_for_each(&mut *take)?;
            Ok::<_, MakeError>(GoOn::Yes)
        })?;
    // Whatever is not labelled by now was stopped.
    if stop.load(Ordering::Relaxed) {
        return Err(MakeError::Stopped);
    }
    Ok(())
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
pub(super) fn label(
    consultant: &mut Consultant,
    again: &dyn Fn() -> Result<Consultant, MakeError>,
    ask: Ask,
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
                    what: match ask {
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
        *consultant = again()?;
    }
}
