//! What a generation is judged in, and what a trial says about it beside the
//! scores.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mendel_crew::Crew;
use mendel_evolve::MemberId;
use mendel_store::frame::Memo;
use serde::{Deserialize, Serialize};

use super::games::PlayedPair;
use super::puzzles::SearchedBlock;

/// All that a generation is judged in.
pub struct Round<'a> {
    /// The generation's chance: with the same seed the same positions or openings
    /// are drawn.
    pub seed: u64,
    /// The number of the generation in the run.
    pub generation: u32,
    /// Threads; no score depends on them.
    pub threads: usize,
    /// Who plays games or searches positions, where members are judged by that.
    pub crew: &'a Crew,
    /// Set by whoever wants it to stop.
    pub stop: &'a Arc<AtomicBool>,
    /// Where finished pairs of games are kept, and found again.
    pub games: &'a mut Memo<PlayedPair>,
    /// Where positions that a crew has searched are kept, and found again.
    pub judged: &'a mut Memo<SearchedBlock>,
    /// Where the breeder stands, if that is none of the members.
    pub incumbent: Option<&'a [i32]>,
    /// Hears how far the judging is.
    pub watch: &'a mut dyn FnMut(Judging),
}

impl std::fmt::Debug for Round<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Round")
            .field("seed", &self.seed)
            .field("generation", &self.generation)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// How far the judging of a generation is, in games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Judging {
    /// Games that are over, those of an earlier process among them.
    pub done: u64,
    /// Games of which nothing was left to play when the judging began.
    pub found: u64,
    /// Games in all.
    pub total: u64,
}

/// What the record of a generation gets beside the scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// Who is king after this generation, where there are kings.
    pub king: Option<Crown>,
    /// A point of the ladder, where there is one and it was this generation's turn.
    pub ladder: Option<LadderPoint>,
}

/// Who is king.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crown {
    /// Which member it was when it was crowned; `None` for the parent.
    pub member: Option<MemberId>,
    /// Whether it was crowned by this generation.
    pub new: bool,
}

/// How strong the best of a generation is among players that stay the same.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderPoint {
    /// Elo above the anchor.
    pub elo: f64,
    /// The lower end of its interval of 95 %.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Games it was measured by.
    pub games: u64,
}

/// Whom a trial would make the champion, where that is not the best by its score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct King {
    /// Which member it was when it was crowned; `None` for the parent.
    pub id: Option<MemberId>,
    /// All its bred numbers.
    pub member: Vec<i32>,
}

/// Rounds outside of a run: nothing is kept and nobody watches.
#[derive(Debug, Default)]
pub struct Alone {
    stop: Arc<AtomicBool>,
    games: Memo<PlayedPair>,
    judged: Memo<SearchedBlock>,
    generation: u32,
}

impl Alone {
    /// A round with this seed, the next generation each time.
    pub fn round<T>(
        &mut self,
        seed: u64,
        threads: usize,
        judge: impl FnOnce(&mut Round<'_>) -> T,
    ) -> T {
        let judged = judge(&mut Round {
            seed,
            generation: self.generation,
            threads,
            crew: &Crew::threads(threads),
            stop: &self.stop,
            games: &mut self.games,
            judged: &mut self.judged,
            incumbent: None,
            watch: &mut |_| {},
        });
        self.generation += 1;
        judged
    }
}
