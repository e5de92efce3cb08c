//! Why there is nothing to look at, and what would change that.

use mendel_engine::Player;
use mendel_report::{RunRecord, What};
use toml::Table;

use crate::request::{self, UsageError};

/// The reason why a run has nothing of this kind, and the remedy.
pub(super) fn why(record: &RunRecord, run: &str, what: What) -> UsageError {
    let recipe: Table = record.recipe.parse().unwrap_or_default();
    let done = record.generations.len();
    let networks = &record.analyses.networks;
    let (reason, remedy) = match what {
        What::Pca | What::Distance => population(record, &recipe),
        What::Exam if recipe.contains_key("exam") => (
            "was not examined yet".to_owned(),
            format!(
                "the first examination is held before its first generation is judged; {done} are done: \
                 `mendel resume {run}` goes on"
            ),
        ),
        What::Exam => (
            "is not examined: its recipe has no `[exam]`".to_owned(),
            "add the table, as `mendel breed neat` has it, and breed again".to_owned(),
        ),
        _ if done == 0 => (
            "has no finished generation yet".to_owned(),
            format!("`mendel resume {run}` goes on with it"),
        ),
        What::Species if networks.is_empty() => (
            "breeds no networks, and has no species".to_owned(),
            "only kind = \"neat\" has species".to_owned(),
        ),
        What::Species => (
            "has a breeder without species".to_owned(),
            "only kind = \"neat\" has species".to_owned(),
        ),
        What::Empty | What::Size => (
            "breeds no networks that grow".to_owned(),
            "networks of layers are never empty and keep their size; coding = \"net\" and \"cppn\" breed others"
                .to_owned(),
        ),
        What::Lengths | What::Moves => (
            "has no games: others judge its members".to_owned(),
            "a trial by games or an `[exam]` has them".to_owned(),
        ),
        What::Network | What::Squares => match &record.champion {
            None => (
                "has no champion yet".to_owned(),
                format!("`mendel resume {run}` goes on with it"),
            ),
            Some(champion) => return no_network(champion, run),
        },
    };
    UsageError::new(
        format!("there is no `{}` of `{run}`: it {reason}", what.name()),
        remedy,
    )
}

/// The reason why nothing is known of whole generations, and the remedy.
fn population(record: &RunRecord, recipe: &Table) -> (String, String) {
    let keeps = recipe
        .get("report")
        .and_then(|it| it.get("keep-genotypes"))
        .is_some();
    if !keeps {
        return (
            "did not keep its members".to_owned(),
            "write `keep-genotypes = 10` under `[report]` in the recipe, and breed again"
                .to_owned(),
        );
    }
    if record.generations.is_empty() {
        return (
            "has no finished generation yet".to_owned(),
            "the first generation is always among those that are kept".to_owned(),
        );
    }
    (
        "kept no two members that differ".to_owned(),
        "two different members are the least that can be placed on a map".to_owned(),
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
