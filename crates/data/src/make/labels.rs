//! The expert labels what was drawn.

use mendel_arena::CrewFile;
use mendel_crew::{Done, Flow, Mapped};
use mendel_store::frame::{Failure, Frame};

use super::lines::{LABELS, LabelLine, SYNC};
use super::{DataOptions, work_error};
use crate::Sample;
use crate::label::{Ask, ExpertPlan, LabelItem, LabelTask};

/// The samples with the expert's labels; those it has none for are left out.
pub(super) fn add_labels(
    plan: &ExpertPlan,
    mut samples: Vec<Sample>,
    options: &DataOptions,
    frame: &Frame,
) -> Result<Vec<Sample>, Failure> {
    // 1. What there is already.
    let (mut journal, found) = frame.journal_where::<LabelLine>(LABELS, SYNC, |_| true)?;
    let total = samples.len() as u64;
    let mut lines: Vec<Option<LabelLine>> = vec![None; samples.len()];
    let mut done = 0;
    for line in found {
        if let Some(place) = lines.get_mut(line.index as usize) {
            done += u64::from(place.is_none());
            *place = Some(line);
        }
    }
    let show = |done| frame.events().progress("labels", done, Some(total));
    show(done);

    // 2. The rest.
    let open: Vec<LabelItem> = (0..total)
        .filter(|&index| lines[index as usize].is_none())
        .map(|index| LabelItem {
            index,
            position: samples[index as usize].position.clone(),
        })
        .collect();
    if !open.is_empty() {
        let task = LabelTask::new(plan, total)?;
        let crew = options.crew.bind(CrewFile::of(frame.path())).part("labels");
        let mapped = crew.map(&task, open.into_iter(), frame.stop(), &mut |item, label| {
            // A skipped position is tried again by the next process, and left out now.
            if let Done::Output(label) = label {
                let line = LabelLine {
                    index: item.index,
                    score: label.score,
                    best: label.best,
                };
                journal.append(&line)?;
                lines[item.index as usize] = Some(line);
            }
            done += 1;
            show(done);
            Ok::<_, Failure>(Flow::Continue)
        });
        let failure = task.take_failure().map(Failure::from);
        let mapped = mapped.map_err(|error| work_error(error, failure))?;
        journal.flush()?;
        if mapped == Mapped::Stopped {
            return Err(Failure::Stopped);
        }
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
