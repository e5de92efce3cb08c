//! The reasons why `mendel analyse` has nothing to show, with remedies.

use mendel_engine::Player;
use mendel_report::{AnalysisKind, RunRecord};
use toml::Table;

use crate::request::{self, UsageError};

/// The reason why a run has nothing of this kind, and the remedy.
pub(super) fn why(record: &RunRecord, run: &str, what: AnalysisKind) -> UsageError {
    let recipe: Table = record.recipe.parse().unwrap_or_default();
    let done = record.generations.len();
    let networks = &record.analyses.networks;
    let resume = format!("`mendel resume {run}` goes on with it");
    let exam;
    let (reason, remedy) = match what {
        AnalysisKind::Pca | AnalysisKind::Distance => population(record, &recipe),
        AnalysisKind::Exam if recipe.contains_key("exam") => {
            exam = format!(
                "the first examination is held before its first generation is judged; {done} are done: \
                 `mendel resume {run}` goes on"
            );
            ("was not examined yet", &*exam)
        }
        AnalysisKind::Exam => (
            "is not examined: its recipe has no `[exam]`",
            "add the table, as `mendel breed neat` has it, and breed again",
        ),
        _ if done == 0 => ("has no finished generation yet", &*resume),
        AnalysisKind::Species if networks.is_empty() => (
            "breeds no networks, and has no species",
            "only kind = \"neat\" has species",
        ),
        AnalysisKind::Species => (
            "has a breeder without species",
            "only kind = \"neat\" has species",
        ),
        AnalysisKind::Empty | AnalysisKind::Size => (
            "breeds no networks that grow",
            "networks of layers are never empty and keep their size; coding = \"net\" and \"cppn\" breed others",
        ),
        AnalysisKind::Lengths | AnalysisKind::Moves => (
            "has no games: others judge its members",
            "a trial by games or an `[exam]` has them",
        ),
        AnalysisKind::Network | AnalysisKind::Squares => match &record.champion {
            None => ("has no champion yet", &*resume),
            Some(champion) => return no_network(champion, run),
        },
    };
    UsageError::new(
        format!("there is no `{}` of `{run}`: it {reason}", what.name()),
        remedy,
    )
}

/// The reason why nothing is known of whole generations, and the remedy.
fn population(record: &RunRecord, recipe: &Table) -> (&'static str, &'static str) {
    let report = recipe.get("report");
    if report.and_then(|it| it.get("keep-genotypes")).is_none() {
        return (
            "did not keep its members",
            "write `keep-genotypes = 10` under `[report]` in the recipe, and breed again",
        );
    }
    if record.generations.is_empty() {
        return (
            "has no finished generation yet",
            "the first generation is always among those that are kept",
        );
    }
    (
        "kept no two members that differ",
        "two different members are the least that can be placed on a map",
    )
}

pub(super) fn no_network(player: &Player, name: &str) -> UsageError {
    if let Err(wrong) = request::evaluator(player) {
        return wrong;
    }
    UsageError::new(
        format!(
            "`{name}` is no network: its evaluator is `{}`",
            player.evaluator.kind()
        ),
        "players of kind `mlp` and `graph` have one; `squares` is there for any player",
    )
}
