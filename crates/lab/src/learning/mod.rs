//! Learning after each game.
//!
//! A population of sets of weights plays: against people, in a GUI, against other
//! programs. After each game the set that played is judged again; once it has been judged
//! enough, a child of good ones takes the place of the worst.
//!
//! A game is a [`LearnedGame`] with an id of its own, and games are all there is on the
//! disk: the [`Population`] is what comes of them in the order of their ids. So games of
//! other nodes can be [merged](OnlinePopulation::merge) at any time and in any order, and
//! none is lost or counted twice; [`GameExchange`] exchanges them through the server of a
//! crew. [`Learn`] is the experiment; it alone writes the journal of games.
//!
//! # Source
//!
//! Lemley and others, "CWU-Chess: An Adaptive Chess Program that Improves After Each
//! Game", section III, the second and the third way to learn.
//!
//! # Where this differs
//!
//! The paper re-scores a set each time it wins; here every game counts. How its sets are
//! chosen and replaced is not said.

mod exchange;
mod learn;
mod pending;
mod population;
mod population_store;

pub use self::exchange::{ExchangeConnection, Exchanged, GameExchange};
pub use self::learn::{DEPTH, Learn, LearnOptions, LearnOutcome, LearnPlan, OpponentOutcome};
pub use self::population::{InitialWeights, Population, PopulationRules};
pub use self::population_store::{
    MergedGames, NODE_ID, OnlinePopulation, PLAN, PlayedGame, PopulationConfig, new_node_id,
    opponents,
};
pub use crate::record::learning::{
    GAMES, GameId, LearnedGame, LearningRecord, OpponentHistory, OpponentKind, PlayerResult,
    PopulationMember, opponent_name,
};

/// The recipe of learning after each game.
pub const NAME: &str = "cwu-online";

/// The player whose weights are learned, unless another is named.
pub const PLAYER: &str = "cwu";
