//! A tuning in the commands for all kinds of experiments.

use std::path::Path;

use mendel_lab::tune::{Tune, TuneOptions, TuneResult, Validation};
use mendel_report::TuningRecord;
use mendel_store::frame::{Failure, Folder, Manifest};
use serde_json::{Value, json};

use super::output::{infeasible, result_tables};
use crate::exec_options::ExecOptions;
use crate::experiment::{PAGE, ProgramExperiment, Report};
use crate::progress::{RecordText, RecordView, record};

impl ProgramExperiment for Tune {
    const GROUP: &'static str = "runs";

    const HAS_PROOF_GAMES: bool = true;

    fn exec_options(options: &ExecOptions) -> TuneOptions {
        TuneOptions {
            crew: options.crew_or_all(),
            proof: options.proof,
            proof_games: options.proof_games,
        }
    }

    fn text(outcome: &TuneResult, folder: &Folder) -> Result<String, Failure> {
        Ok(result_tables(outcome, folder.path()))
    }

    fn json(outcome: &TuneResult, folder: &Folder) -> Result<Value, Failure> {
        let mut value = serde_json::to_value(outcome)?;
        value["page"] = json!(folder.file(PAGE));
        value["too_few_games"] = json!(outcome.too_few_games());
        Ok(value)
    }

    fn describe(folder: &Folder, _manifest: &Manifest) -> Value {
        let Ok(tuning) = TuningRecord::read(folder.path()) else {
            return Value::Null;
        };
        let (plan, result) = (&tuning.plan, tuning.result.as_ref());
        let proof = result.and_then(|it| it.proof.as_ref());
        json!({
            "id": plan.id(),
            "recipe": format!("tune {}", tuning.engine()),
            "seed": plan.seed,
            "parent": plan.engine,
            "rounds": tuning.paths.len(),
            "games": plan.games,
            "best": proof.and_then(|it| it.elo),
            "best_on": proof.map(|_| "Elo above the start"),
            "verdict": result.map(|it| &it.verdict),
            "progress": format!("{} rounds", tuning.paths.len()),
            "result": result.map(|it| &it.verdict),
        })
    }

    fn report(folder: &Path) -> Result<Report, Failure> {
        let tuning = TuningRecord::read(folder)?;
        Ok(Report::new(tuning.page(), &tuning))
    }

    /// A line for each validation and for each setting that does not work.
    fn view() -> RecordView {
        Box::new(|name, data| {
            RecordText::line(match name {
                "validated" => record(data).map(|it: Validation| {
                    let (games, words) = (it.games, it.words());
                    format!(
                        "after {games} games of the tuner the proposal against the start: {words}"
                    )
                }),
                "infeasible" => record(data).map(|it| infeasible(&it)),
                _ => None,
            })
        })
    }
}
