//! Built-in recipes whose players need networks that are not in the repository.

use mendel_lab::recipe::Complaint;

/// Recipes that need players with networks.
pub(crate) const RECIPES: [&str; 8] = [
    "lambda-tournament",
    "lambda-moves",
    "lambda-ladder",
    "chessnet-metrics",
    "chessnet-games",
    "human-agreement",
    "teacher-ablation",
    "teacher-data",
];

/// Players with networks, and which network each has.
pub(crate) const PLAYERS: [(&str, &str); 6] = [
    ("chessnet", "chessnet"),
    ("human", "human"),
    ("human-network", "human"),
    ("lambda", "chessnet"),
    ("teacher", "teacher"),
    ("teacher-network", "teacher"),
];

/// Whether a recipe is right but for a player whose network is not there.
pub(crate) fn lacks_a_player(name: &str, error: &Complaint) -> bool {
    let named = PLAYERS.iter().any(|(player, _)| {
        error
            .reason
            .contains(&format!("there is no player `{player}`"))
    });
    let trained = error.reason.contains("teacher-data/teacher-");
    RECIPES.contains(&name) && error.key.ends_with("players") && (named || trained)
}
