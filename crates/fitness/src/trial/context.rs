//! What a generation is judged in, and what a trial says about it in addition to the
//! scores.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mendel_crew::Crew;
use mendel_evolve::MemberId;
use mendel_store::frame::Memo;
use serde::{Deserialize, Serialize};

use super::MemberWeights;
use super::games::PlayedPair;
use super::puzzles::SearchedBlock;

pub struct JudgingContext {
    /// All random numbers of the generation come from this: with the same seed the same
    /// positions or openings are drawn.
    pub seed: u64,
    /// Counted over the whole run.
    pub generation: u32,
    /// No score depends on it.
    pub threads: usize,
    /// Plays games or searches positions.
    pub crew: Crew,
    pub stop: Arc<AtomicBool>,
    /// Finished pairs of games.
    pub pairs: Memo<PlayedPair>,
    /// Positions that a crew has searched.
    pub searched: Memo<SearchedBlock>,
    /// Where the breeder has come to, if that is none of the members.
    pub incumbent: Option<MemberWeights>,
    /// Called as the judging advances.
    pub watch: Box<dyn FnMut(Judging)>,
}

impl JudgingContext {
    /// For the first generation outside of a run: memos in memory, threads of this process.
    pub fn local(seed: u64, threads: usize) -> Self {
        Self {
            seed,
            generation: 0,
            threads,
            crew: Crew::threads(threads),
            stop: Arc::default(),
            pairs: Memo::default(),
            searched: Memo::default(),
            incumbent: None,
            watch: Box::new(|_| {}),
        }
    }
}

impl fmt::Debug for JudgingContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JudgingContext")
            .field("seed", &self.seed)
            .field("generation", &self.generation)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// How far the judging of a generation is, in games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Judging {
    /// Finished games, those of an earlier process included.
    pub done: u64,
    /// Games that were finished before the judging began.
    pub found: u64,
    pub total: u64,
}

/// What the record of a generation gets in addition to the scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GenerationNote {
    /// The king after this generation, where there is one.
    pub king: Option<IncumbentNote>,
    /// Where there is a ladder and the generation was measured by it.
    pub ladder: Option<LadderPoint>,
}

/// Which member is king of the hill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncumbentNote {
    /// Its id when it became king; `None` for the parent.
    pub member: Option<MemberId>,
    /// Whether it became king in this generation.
    pub new: bool,
}

/// How strong the best of a generation is among players that stay the same.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderPoint {
    /// Elo above the anchor.
    pub elo: f64,
    /// The lower end of its interval of 95 %.
    pub low: f64,
    pub high: f64,
    pub games: u64,
}

/// The king of the hill: the champion of a trial where that is not the best by its score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Incumbent {
    /// Its id when it became king; `None` for the parent.
    pub id: Option<MemberId>,
    pub member: MemberWeights,
}
