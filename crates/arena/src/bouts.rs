//! Games in pairs between any two of some entrants: what a breeder asks for.
//!
//! A [`Contest`](crate::Contest) is a match with a folder, a schedule and a
//! conclusion. Bouts are only the games: the caller says who meets whom, gets each
//! outcome as soon as there is one, and keeps whatever record it likes.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mendel_board::tablebase::Tablebase;
use serde::{Deserialize, Serialize};

use crate::contest::ContestError;
use crate::crew::{AwayError, Crew, Desk, Errand};
use crate::hands::{GoOn, Hands, Piece};
use crate::seats::{self, Seats};
use crate::task::{self, Packed};
use crate::{
    Adjudication, EndReason, Entrant, FirstMoves, GameSetting, Opening, Pace, Patience, Played,
    Side,
};

/// Games in pairs between any two of some entrants, from openings that all share.
#[derive(Clone, Debug)]
pub struct Bouts {
    /// Who may play.
    pub entrants: Vec<Entrant>,
    /// Where games may start.
    pub openings: Vec<Opening>,
    /// The pace of everybody who has none of its own.
    pub pace: Pace,
    /// How exactly time is taken.
    pub patience: Patience,
    /// What stops a game early.
    pub adjudication: Adjudication,
}

/// Two games from one opening with the colours changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pair {
    /// What its outcome is found by; the caller's business alone.
    pub id: u64,
    /// Index of the entrant with White in the first game.
    pub first: usize,
    /// Index of the entrant with Black in the first game.
    pub second: usize,
    /// Index of the opening.
    pub opening: usize,
    /// The only game of the two that is played, where it is one: 0 or 1.
    pub only: Option<usize>,
}

/// What came of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairOutcome {
    /// Of which pair.
    pub id: u64,
    /// The game in which the first has White, and the one in which it has Black; one
    /// that was not to be played is [`BoutGame::NONE`].
    pub games: [BoutGame; 2],
}

/// What came of one game, without anything a clock gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoutGame {
    /// For the first of the pair: 1 if it won, −1 if it lost, 0 for a draw.
    pub points: i8,
    /// Half-moves of both players; those of the opening are not counted.
    pub plies: u32,
    /// Why it ended.
    pub reason: EndReason,
    /// Nodes that both players said they searched.
    pub nodes: u64,
    /// How it began.
    #[serde(default, skip_serializing_if = "FirstMoves::is_empty")]
    pub first: FirstMoves,
}

impl Bouts {
    /// Whether everybody can be seated and keep the pace, and the tables that
    /// decide games can be read. Programs are started for it.
    ///
    /// # Errors
    ///
    /// Who cannot, and why.
    pub fn check(&self) -> Result<(), ContestError> {
        let without = |entrant: &Entrant| entrant.pace.is_none();
        if self.pace == Pace::default() && self.entrants.iter().any(without) {
            return Err(ContestError::NoPace);
        }
        self.tablebase().transpose()?;
        self.entrants
            .iter()
            .try_for_each(|entrant| seats::check(entrant, self.pace))
    }

    /// Plays `pairs` on `threads` threads and hands each outcome to `done` on this
    /// one, as soon as it is there and in any order. Stops early when `stop` is set
    /// or `done` says no; a pair that is not finished then is not handed over.
    ///
    /// A player that misbehaves loses the game, with the reason; one that cannot be
    /// seated any more loses it before the first move. What comes of a pair depends
    /// on the pair alone where the pace does: not on `threads`, the order of
    /// `pairs`, or what was played before.
    ///
    /// # Errors
    ///
    /// What `done` says.
    ///
    /// # Panics
    ///
    /// If a pair names an entrant or an opening that is not there.
    pub fn play<E>(
        &self,
        pairs: &[Pair],
        threads: usize,
        stop: &Arc<AtomicBool>,
        done: &mut dyn FnMut(PairOutcome) -> Result<(), E>,
    ) -> Result<(), E> {
        for pair in pairs {
            let (players, openings) = (self.entrants.len(), self.openings.len());
            let there = pair.first.max(pair.second) < players && pair.opening < openings;
            assert!(there, "{pair:?} of {players} players, {openings} openings");
        }
        // Without the tables the players decide; `check` has said so.
        let tablebase = self.tablebase().and_then(Result::ok).map(Arc::new);
        let work = |seats: &mut Seats, index: u64, over: &Arc<AtomicBool>| {
            let pair = usize::try_from(index).ok().and_then(|at| pairs.get(at));
            let outcome = pair.and_then(|pair| {
                let setting = self.setting(pair, tablebase.as_ref(), over);
                self.play_pair(pair, setting, seats, &|| {})
            });
            outcome.map_or(Piece::Nothing, Piece::Done)
        };
        let hands = Hands {
            // More hands than pairs would only make threads that find nothing.
            concurrency: threads.min(pairs.len()),
            pin: false,
        };
        let take = |outcome| done(outcome).map(|()| GoOn::Yes);
        hands.work(stop, Seats::default, work, take)
    }

    /// As [`play`](Self::play), by threads here or by workers elsewhere. The numbers of
    /// the pairs differ, and the same number means the same pair in each life of a run.
    /// A pair that no worker can play, and that is to be done without, comes as two
    /// games that are [`BoutGame::NONE`].
    ///
    /// # Errors
    ///
    /// What `done` says, or why the crew cannot play.
    ///
    /// # Panics
    ///
    /// If a pair names an entrant or an opening that is not there.
    pub fn play_by<E: From<AwayError>>(
        &self,
        crew: &Crew,
        pairs: &[Pair],
        stop: &Arc<AtomicBool>,
        done: &mut dyn FnMut(PairOutcome) -> Result<(), E>,
    ) -> Result<(), E> {
        match crew {
            Crew::Here(hands) => self.play(pairs, hands.concurrency, stop, done),
            Crew::There(_) if pairs.is_empty() => Ok(()),
            Crew::There(desk) => self.play_there(desk, pairs, stop, done),
        }
    }

    fn play_there<E: From<AwayError>>(
        &self,
        desk: &Desk,
        pairs: &[Pair],
        stop: &AtomicBool,
        done: &mut dyn FnMut(PairOutcome) -> Result<(), E>,
    ) -> Result<(), E> {
        let packed = Packed::new(self).map_err(AwayError::from)?;
        let mut pairs = pairs.to_vec();
        pairs.sort_unstable_by_key(|pair| pair.id);
        let errand = Errand {
            kind: task::KIND,
            version: task::VERSION,
            total: pairs.last().map_or(0, |last| last.id + 1),
            answer: task::PAIR_BYTES,
            luggage: &packed.luggage,
            pack: &|pairs: &[Pair]| {
                let task = packed.pairs(pairs);
                (task.payload(), task.blobs())
            },
        };
        let pieces = pairs.into_iter().map(|pair| (pair.id, pair));
        desk.work(&errand, pieces, stop, &mut |returned| {
            let outcomes = match returned.answer {
                Some(answer) => task::outcomes(answer, returned.pieces)
                    .map_err(|reason| returned.nonsense(reason))?,
                None => returned.pieces.iter().map(PairOutcome::unplayed).collect(),
            };
            outcomes.into_iter().try_for_each(&mut *done)?;
            Ok(mendel_crew::GoOn::Yes)
        })
    }

    fn tablebase(&self) -> Option<Result<Tablebase, mendel_board::tablebase::TablebaseError>> {
        let rule = self.adjudication.syzygy.as_ref();
        rule.map(|rule| Tablebase::open(&rule.path))
    }

    /// The first game of a pair.
    pub(crate) fn setting(
        &self,
        pair: &Pair,
        tablebase: Option<&Arc<Tablebase>>,
        over: &Arc<AtomicBool>,
    ) -> GameSetting {
        let pace = |player: usize| self.entrants[player].pace.unwrap_or(self.pace);
        GameSetting {
            opening: self.openings[pair.opening].clone(),
            white: pace(pair.first),
            black: pace(pair.second),
            patience: self.patience,
            adjudication: self.adjudication.clone(),
            tablebase: tablebase.cloned(),
            stop: Arc::clone(over),
        }
    }

    /// Both games of a pair; `after` is called after each. `None` if it was stopped.
    pub(crate) fn play_pair(
        &self,
        pair: &Pair,
        mut setting: GameSetting,
        seats: &mut Seats,
        after: &dyn Fn(),
    ) -> Option<PairOutcome> {
        let mut games = [BoutGame::NONE; 2];
        if pair.only.unwrap_or(0) == 0 {
            let there = seats.play(&self.entrants, (pair.first, pair.second), &setting)?;
            games[0] = BoutGame::of(&there, Side::White);
            after();
        }
        if pair.only.unwrap_or(1) == 1 {
            std::mem::swap(&mut setting.white, &mut setting.black);
            let back = seats.play(&self.entrants, (pair.second, pair.first), &setting)?;
            games[1] = BoutGame::of(&back, Side::Black);
            after();
        }
        Some(PairOutcome { id: pair.id, games })
    }
}

impl PairOutcome {
    /// Of a pair that nobody can play.
    fn unplayed(pair: &Pair) -> Self {
        Self {
            id: pair.id,
            games: [BoutGame::NONE; 2],
        }
    }
}

impl BoutGame {
    /// A game that was not to be played, or that nobody could play.
    pub const NONE: Self = Self {
        points: 0,
        plies: 0,
        reason: EndReason::LengthDraw,
        nodes: 0,
        first: FirstMoves::NONE,
    };

    /// The game as the player of colour `first` sees it.
    fn of(played: &Played, first: Side) -> Self {
        let points = match played.ending.winner {
            None => 0,
            Some(winner) if winner == first => 1,
            Some(_) => -1,
        };
        let nodes = played.moves.iter().filter_map(|record| record.nodes);
        Self {
            points,
            plies: u32::try_from(played.moves.len()).unwrap_or(u32::MAX),
            reason: played.ending.reason,
            // A program may say any number.
            nodes: nodes.fold(0, u64::saturating_add),
            first: FirstMoves::of(&played.moves),
        }
    }
}
