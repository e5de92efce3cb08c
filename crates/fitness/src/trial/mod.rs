//! Trials: how good the members of a generation are.
//!
//! A [`FitnessTrial`] judges a whole generation at once. A [`PositionTrial`] compares an
//! evaluator with an expert, position by position: [`ExpertDistance`] measures how far the
//! scores lie apart, [`MoveAgreement`] how often both would play the same move. In a
//! [`GameTrial`] members play each other, an incumbent or fixed players.
//! Positions and openings are drawn from the seed of the generation, and no result depends
//! on the number of threads. [`TRIALS`](crate::trials::TRIALS) lists all of them.

mod agreement;
mod comparison;
mod context;
mod distance;
pub mod games;
mod likelihood;
mod member;
mod puzzles;
mod sample;
mod search_agreement;
mod suite;

use std::fmt;
use std::ops::{Deref, DerefMut};

use mendel_arena::{EndReason, MatchError};
use mendel_crew::CrewError;
use mendel_engine::OptionsError;
use mendel_evaluator::EvaluatorError;
use mendel_store::FileError;
use serde_json::Value;

use crate::matrix::{RowsError, Slopes};

pub use self::agreement::{AgreementFitness, AgreementSettings, Leaf, MoveAgreement};
pub use self::comparison::MemberComparison;
pub use self::context::{
    GenerationNote, Incumbent, IncumbentNote, Judging, JudgingContext, LadderPoint,
};
pub use self::distance::{Distance, DistanceSettings, ExpertDistance, Labelled, Target};
pub use self::games::{GameSettings, PlayedGamesTrial, PlayedPair};
pub use self::member::MemberWeights;
pub use self::puzzles::{PuzzleItem, PuzzleTask, PuzzleUnpack, SearchedBlock, Solved};
pub use self::sample::Draw;
pub use self::suite::{Measure, Suite, SuiteSettings, SuiteTrial};

/// What the reported figures of a trial are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreScale {
    /// Such as `centipawns of mean error`.
    pub unit: &'static str,
    /// Whether the figure is an error.
    pub smaller_is_better: bool,
}

/// Measures the fitness of a whole generation at once.
pub trait FitnessTrial: Send {
    /// A score for each member, in their order; larger is better.
    ///
    /// # Errors
    ///
    /// If the members do not fit the evaluator, or an engine cannot be started.
    /// [`TrialError::Stopped`] if the stop flag was set: the trial is then as before, and
    /// the generation is judged again later.
    fn judge(
        &mut self,
        members: &[MemberWeights],
        context: &mut JudgingContext,
    ) -> Result<Vec<f64>, TrialError>;

    fn scale(&self) -> ScoreScale;

    /// A score as people see it, on the [`scale`](Self::scale).
    fn report(&self, score: f64) -> f64;

    /// How many positions or games one member is judged by.
    fn judgements_per_member(&self) -> u64;

    /// What the trial remembers from one generation to the next, for the checkpoint.
    fn state(&self) -> Value {
        Value::Null
    }

    /// Continues from what [`state`](Self::state) gave.
    ///
    /// # Errors
    ///
    /// If it is no state of this trial.
    fn restore(&mut self, _state: &Value) -> Result<(), TrialError> {
        Ok(())
    }
}

/// A trial by positions, which can be held out and compared one by one.
pub trait PositionTrial: FitnessTrial {
    /// What two members get for every position of the trial, in their order and in its
    /// unit, however few a generation is judged by.
    ///
    /// # Errors
    ///
    /// As for [`judge`](FitnessTrial::judge).
    fn pairs(
        &self,
        first: &[i32],
        second: &[i32],
        threads: usize,
    ) -> Result<Vec<(f64, f64)>, TrialError>;

    /// Compares two members on every position. `games` says which game each position is
    /// from; if it is empty, each is from its own.
    ///
    /// # Errors
    ///
    /// As for [`judge`](FitnessTrial::judge).
    fn compare(
        &self,
        first: &[i32],
        second: &[i32],
        games: &[u32],
        threads: usize,
    ) -> Result<MemberComparison, TrialError> {
        let pairs = self.pairs(first, second, threads)?;
        Ok(MemberComparison::of(&pairs, games))
    }

    /// Judges members whose weights are no whole numbers and says how each score changes
    /// with each weight; `None` where the trial cannot tell.
    ///
    /// # Errors
    ///
    /// As for [`judge`](FitnessTrial::judge).
    fn gradients(
        &mut self,
        _members: &[Vec<f64>],
        _seed: u64,
        _threads: usize,
    ) -> Result<Option<Vec<Slopes>>, TrialError> {
        Ok(None)
    }

    /// The share of positions in which a member cannot decide between several moves;
    /// `None` where a trial does not ask for moves.
    ///
    /// # Errors
    ///
    /// As for [`judge`](FitnessTrial::judge).
    fn ties(&self, _member: &[i32], _threads: usize) -> Result<Option<f64>, TrialError> {
        Ok(None)
    }
}

/// A trial by games.
pub trait GameTrial: FitnessTrial {
    /// What the record of the generation judged last gets in addition to the scores.
    fn note(&self) -> GenerationNote;

    /// The king of the hill, where there is one.
    fn incumbent(&self) -> Option<Incumbent> {
        None
    }

    /// Chooses the champion among finalists by new games; the likeliest comes first.
    /// `None` without finalists.
    ///
    /// # Errors
    ///
    /// As for [`judge`](FitnessTrial::judge).
    fn verify(
        &mut self,
        finalists: &[MemberWeights],
        context: &mut JudgingContext,
    ) -> Result<Option<usize>, TrialError>;
}

/// A trial of players, by what it judges them.
pub enum PlayerTrial {
    Positions(Box<dyn PositionTrial>),
    Games(Box<dyn GameTrial>),
}

impl PlayerTrial {
    /// The trial, where it is by positions.
    pub fn positions(&self) -> Option<&dyn PositionTrial> {
        match self {
            Self::Positions(trial) => Some(&**trial),
            Self::Games(_) => None,
        }
    }
}

impl Deref for PlayerTrial {
    type Target = dyn FitnessTrial;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Positions(trial) => &**trial,
            Self::Games(trial) => &**trial,
        }
    }
}

impl DerefMut for PlayerTrial {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Positions(trial) => &mut **trial,
            Self::Games(trial) => &mut **trial,
        }
    }
}

impl fmt::Debug for PlayerTrial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a trial in {}", self.scale().unit)
    }
}

/// Why a generation cannot be judged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrialError {
    #[error(transparent)]
    Rows(#[from] RowsError),
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    #[error(transparent)]
    Engine(#[from] OptionsError),
    #[error("stopped before the generation was judged; go on with `mendel resume`")]
    Stopped,
    #[error(transparent)]
    Contest(#[from] MatchError),
    #[error(transparent)]
    Crew(#[from] CrewError),
    #[error(
        "`{who}` misbehaved in {count} games of one round, the last time by {last:?}; mend it or name another player, then `mendel resume`"
    )]
    Faults {
        who: String,
        count: u64,
        last: EndReason,
    },
    #[error(transparent)]
    Journal(#[from] FileError),
    #[error("the state of the trial is broken: {reason}; restore the checkpoint from a copy")]
    State { reason: String },
    /// The reason names the setting and its value.
    #[error("{reason}")]
    Key { key: &'static str, reason: String },
    #[error("the trial has no positions; give it a data set with some")]
    NoPositions,
    #[error("position {index} of the data has no {what}; choose another data set or another trial")]
    NoLabel { index: usize, what: &'static str },
    #[error("position {index} of the data names the move {named}, which is not legal there")]
    Illegal {
        index: usize,
        /// In UCI notation.
        named: String,
    },
    #[error("`sample` asks for {asked} of {found} positions; ask for fewer or leave it out")]
    Sample { asked: usize, found: usize },
    /// The reason continues the name of the setting.
    #[error("`{key}` {reason}")]
    Setting {
        key: &'static str,
        reason: &'static str,
    },
}
