//! Experts that label positions.

mod expert;
mod task;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mendel_arena::{AnalystError, EntrantError, Fault, SeatError};
use mendel_board::Position;
use mendel_engine::UnusedEvaluator;
use mendel_store::frame::Failure;

pub(crate) use expert::Label;
pub use expert::{Ask, Consultant, Evaluation, ExpertPlan};
pub use task::{LabelItem, LabelTask, LabelUnpack, PositionLabel};

/// So often in a row an expert may fail before it is given up.
const MOST_FAULTS: u32 = 3;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabelError {
    #[error(transparent)]
    Entrant(#[from] EntrantError),
    #[error(transparent)]
    Evaluator(#[from] UnusedEvaluator),
    #[error(transparent)]
    Seat(#[from] SeatError),
    #[error("the expert `{expert}` says nothing of a {what} when asked for `eval`; {hint}")]
    Mute {
        expert: String,
        what: &'static str,
        hint: &'static str,
    },
    #[error(
        "the expert `{expert}` failed {times} times, the last time on `{fen}`: it {fault}{}",
        spoken(last_words)
    )]
    Failed {
        expert: String,
        times: u32,
        fen: String,
        fault: Fault,
        last_words: Vec<String>,
    },
}

impl LabelError {
    pub(crate) fn into_failure(self) -> Failure {
        self.into()
    }

    pub(crate) fn into_invalid(self) -> Failure {
        let hint = match &self {
            Self::Entrant(_) => {
                "a player is a built-in name or a player file; an expert may also be `cmd:PROGRAM?Name=Value`"
            }
            Self::Evaluator(_) => "name a player with an evaluator (`mendel players` lists them)",
            Self::Seat(_) => {
                "install it (`apt install stockfish`), or name another with `--expert cmd:PROGRAM`"
            }
            Self::Mute { .. } => "or take a player of ours as expert: `--expert mendel`",
            Self::Failed { .. } => return self.into_failure(),
        };
        Failure::invalid(self).with_hint(hint)
    }
}

fn spoken(last_words: &[String]) -> String {
    let last = &last_words[last_words.len().saturating_sub(6)..];
    last.iter().flat_map(|line| ["\n  ", line]).collect()
}

pub(crate) fn label(
    consultant: &mut Consultant,
    again: &dyn Fn() -> Result<Consultant, LabelError>,
    ask: Ask,
    position: &Position,
    halt: &Arc<AtomicBool>,
) -> Result<Option<Label>, LabelError> {
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
                return Err(LabelError::Mute {
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
            return Err(LabelError::Failed {
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
