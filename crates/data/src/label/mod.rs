//! Experts that label positions.

mod expert;
mod task;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mendel_arena::AnalystError;
use mendel_board::Position;

use crate::MakeError;

pub(crate) use expert::Label;
pub use expert::{Ask, Consultant, Evaluation, ExpertPlan};
pub use task::{LabelItem, LabelTask, LabelUnpack, PositionLabel};

/// How often in a row an expert may fail.
const MAX_FAULTS: u32 = 3;

/// One label; `None` if the stop flag was set. An expert that fails is started again, up to
/// [`MAX_FAULTS`] times.
pub(crate) fn label(
    consultant: &mut Consultant,
    again: &dyn Fn() -> Result<Consultant, MakeError>,
    ask: Ask,
    position: &Position,
    halt: &Arc<AtomicBool>,
) -> Result<Option<Label>, MakeError> {
    let mut times = 0;
    loop {
        let error = match consultant.ask(position, halt) {
            Ok(label) => return Ok(Some(label)),
            Err(error) => error,
        };
        if halt.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let fault = match error {
            AnalystError::Fault(fault) => fault,
            AnalystError::Stopped => return Ok(None),
            AnalystError::NoEvaluation => {
                return Err(MakeError::NoEvaluation {
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
        if times >= MAX_FAULTS {
            return Err(MakeError::ExpertFailed {
                expert: consultant.name().to_owned(),
                times,
                fen: position.fen(),
                fault,
                output: consultant.recent_output(),
            });
        }
        *consultant = again()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_search_gives_no_label() {
        let plan = ExpertPlan {
            player: "mendel".to_owned(),
            ask: Ask::Depth { depth: 60 },
            scale: 1.0,
            deadline: ExpertPlan::DEADLINE,
        };
        let again = || Consultant::new(&plan);
        let mut consultant = again().expect("it is built in");
        let start = Position::initial();
        let halt = Arc::new(AtomicBool::new(true));
        let stopped = label(&mut consultant, &again, plan.ask, &start, &halt);
        assert_eq!(stopped.expect("nothing failed"), None);
    }
}
