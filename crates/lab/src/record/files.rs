//! Names of the files in the folders of runs and pipelines.

/// The recipe as it was read.
pub const RECIPE: &str = "recipe.toml";

/// A line for each generation.
pub const GENERATIONS: &str = "generations.jsonl";

/// The parents of the members of each generation.
pub const LINEAGE: &str = "lineage.jsonl";

/// All members of some generations, if the recipe asks for them.
pub const GENOTYPES: &str = "genotypes.jsonl";

/// The state from which a tuning is resumed.
pub const CHECKPOINT: &str = "checkpoint";

/// The games of the proof.
pub const GAMES: &str = "games.pgn";

/// The player that was bred.
pub const CHAMPION: &str = "champion.toml";

/// The external test of generations, see [`ExamLine`](super::ExamLine).
pub const EXAM: &str = "external-test.jsonl";

/// The rounds of a tuning, see [`TunedRound`](super::TunedRound).
pub const ROUNDS: &str = "rounds.jsonl";
