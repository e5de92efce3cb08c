//! Trials: how good the members of a generation are.
//!
//! A [`Trial`] judges a whole generation at once. The trials here hold an
//! evaluator against an expert, position by position: [`ExpertDistance`] asks how
//! far the scores lie apart, [`MoveAgreement`] how often both would play the same
//! move. The trials by games let members meet each other, a king or fixed players.
//! Where a trial draws positions or openings it does so from the seed it is given,
//! and no result depends on the number of threads.

mod agreement;
mod comparison;
mod context;
mod distance;
pub mod games;
mod likelihood;
mod puzzles;
mod sample;
mod scores;
mod search_agreement;
mod suite;

use mendel_arena::{EndReason, MatchError};
use mendel_crew::CrewError;
use mendel_engine::OptionsError;
use mendel_evaluator::EvaluatorError;
use mendel_store::{FileError, fingerprint};
use serde_json::Value;

use crate::matrix::{RowsError, Slopes};

pub use self::agreement::{AgreementFitness, AgreementSettings, Leaf, MoveAgreement};
pub use self::comparison::Comparison;
pub use self::context::{Alone, Crown, Judging, King, LadderPoint, Note, Round};
pub use self::distance::{Distance, DistanceSettings, ExpertDistance, Labelled, Target};
pub use self::games::{GameSettings, PlayedPair};
pub use self::puzzles::{PuzzleItem, PuzzleTask, PuzzleUnpack, SearchedBlock, Solved};
pub use self::sample::Draw;
pub use self::scores::NetworkDistance;
pub use self::suite::{Measure, Suite, SuiteSettings, SuiteTrial};

/// Measures the fitness of a whole generation at once.
///
/// A member is given with all bred numbers of its player: all weights of its
/// evaluator, in the order of [`weights`](mendel_evaluator::AnyEvaluator::weights),
/// and behind them, in recipes that breed the search, all search numbers.
pub trait Trial {
    /// Judges the members: for each, in their order, a score; larger is better.
    ///
    /// The round's seed is the generation's: with the same seed the same positions
    /// are drawn.
    ///
    /// # Errors
    ///
    /// If the members do not fit the evaluator, or an engine cannot be started.
    /// [`TrialError::Stopped`] if somebody asked it to stop: the trial is then as
    /// before, and the generation is judged again later.
    fn judge(&mut self, members: &[Vec<i32>], round: &mut Round) -> Result<Vec<f64>, TrialError>;

    /// Judges members whose weights are no whole numbers and says how each score
    /// changes with each weight; `None` where the trial cannot tell.
    ///
    /// # Errors
    ///
    /// As for [`judge`](Self::judge).
    fn slopes(
        &mut self,
        members: &[Vec<f64>],
        seed: u64,
        threads: usize,
    ) -> Result<Option<Vec<Slopes>>, TrialError> {
        let _ = (members, seed, threads);
        Ok(None)
    }

    /// A score as people are told it, in the trial's [`unit`](Self::unit).
    fn report(&self, score: f64) -> f64;

    /// Whether what is reported counts downwards, such as an error.
    fn smaller_is_better(&self) -> bool;

    /// What a reported figure is, such as `centipawns of mean error`.
    fn unit(&self) -> &'static str;

    /// How many positions or games one member is judged by.
    fn judgements_per_member(&self) -> u64;

    /// Whether members are judged by positions, which can be held out and compared
    /// one by one, and not by games.
    fn by_positions(&self) -> bool {
        true
    }

    /// What the trial remembers from one generation to the next: a king, a hall of
    /// fame. It goes into the checkpoint beside the breeder's state.
    fn state(&self) -> Value {
        Value::Null
    }

    /// Goes on from what [`state`](Self::state) gave.
    ///
    /// # Errors
    ///
    /// If it is no state of this trial.
    fn restore(&mut self, state: &Value) -> Result<(), TrialError> {
        let _ = state;
        Ok(())
    }

    /// The generation after which the king was crowned; `None` where there are no
    /// kings, or the first still reigns.
    fn king_since(&self) -> Option<u32> {
        None
    }

    /// Who is king, where there are kings.
    fn king(&self) -> Option<King> {
        None
    }

    /// What the record of the generation judged last gets beside the scores.
    fn note(&self) -> Note {
        Note::default()
    }

    /// Chooses the champion among finalists by fresh games; the likeliest comes
    /// first. `None` where the trial has no opinion.
    ///
    /// # Errors
    ///
    /// As for [`judge`](Self::judge).
    fn verify(
        &mut self,
        finalists: &[Vec<i32>],
        round: &mut Round,
    ) -> Result<Option<usize>, TrialError> {
        let _ = (finalists, round);
        Ok(None)
    }

    /// What two members get for every position of the trial, in their order and
    /// in the trial's unit, however few a generation is judged by. Only asked
    /// where [`by_positions`](Self::by_positions).
    ///
    /// # Errors
    ///
    /// As for [`judge`](Self::judge).
    fn pairs(
        &self,
        first: &[i32],
        second: &[i32],
        threads: usize,
    ) -> Result<Vec<(f64, f64)>, TrialError>;

    /// Holds two members against each other on every position. `games` says which
    /// game each position is from; if it is empty, each is from its own.
    ///
    /// # Errors
    ///
    /// As for [`judge`](Self::judge).
    fn compare(
        &self,
        first: &[i32],
        second: &[i32],
        games: &[u32],
        threads: usize,
    ) -> Result<Comparison, TrialError> {
        Ok(Comparison::of(&self.pairs(first, second, threads)?, games))
    }

    /// The share of positions in which a member cannot decide between several
    /// moves; `None` where that is no question.
    ///
    /// # Errors
    ///
    /// As for [`judge`](Self::judge).
    fn ties(&self, member: &[i32], threads: usize) -> Result<Option<f64>, TrialError> {
        let _ = (member, threads);
        Ok(None)
    }
}

/// What a member is recognised by.
fn key_of(member: &[i32]) -> String {
    let bytes: Vec<u8> = member.iter().flat_map(|it| it.to_le_bytes()).collect();
    fingerprint(&bytes)
}

/// Why a trial cannot be held.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrialError {
    /// Members and evaluator do not fit together.
    #[error(transparent)]
    Rows(#[from] RowsError),
    /// Weights no evaluator may have.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// An engine cannot be started.
    #[error(transparent)]
    Engine(#[from] OptionsError),
    /// Somebody asked it to stop; nothing is lost.
    #[error("stopped before the generation was judged; go on with `mendel resume`")]
    Stopped,
    /// Games cannot be played.
    #[error(transparent)]
    Contest(#[from] MatchError),
    /// The crew cannot play them.
    #[error(transparent)]
    Crew(#[from] CrewError),
    /// Somebody misbehaves in game after game.
    #[error(
        "`{who}` misbehaved in {count} games of one round, the last time by {last:?}; mend it or name another player, then `mendel resume`"
    )]
    Faults {
        /// Who.
        who: String,
        /// How often.
        count: u64,
        /// What it did last.
        last: EndReason,
    },
    /// Games cannot be written down.
    #[error(transparent)]
    Journal(#[from] FileError),
    /// A checkpoint that is none of this trial's.
    #[error("the state of the trial is broken: {reason}; restore the checkpoint from a copy")]
    State {
        /// What is wrong with it.
        reason: String,
    },
    /// A setting that makes no sense, with the values in question.
    #[error("{reason}")]
    Key {
        /// Which setting.
        key: &'static str,
        /// What is wrong with it and what to write instead.
        reason: String,
    },
    /// There is nothing to judge by.
    #[error("the trial has no positions; give it a data set with some")]
    NoPositions,
    /// A position lacks what the trial compares with.
    #[error("position {index} of the data has no {what}; choose another data set or another trial")]
    NoLabel {
        /// Which position, from 0.
        index: usize,
        /// What is missing.
        what: &'static str,
    },
    /// A move that cannot be played.
    #[error("position {index} of the data names the move {named}, which is not legal there")]
    Illegal {
        /// Which position, from 0.
        index: usize,
        /// The move as UCI writes it.
        named: String,
    },
    /// More positions are to be drawn than there are.
    #[error("`sample` asks for {asked} of {found} positions; ask for fewer or leave it out")]
    Sample {
        /// How many are to be drawn.
        asked: usize,
        /// How many there are.
        found: usize,
    },
    /// A setting that makes no sense.
    #[error("`{key}` {reason}")]
    Setting {
        /// Which setting.
        key: &'static str,
        /// What is wrong with it and what to write instead.
        reason: &'static str,
    },
}
