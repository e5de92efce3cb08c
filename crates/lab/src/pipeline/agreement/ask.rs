//! Players that are asked for their moves, as a task of the crew.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mendel_arena::{AnalysisRequest, Analyst, Entrant, Pace, SeatError};
use mendel_coach::Analyser;
use mendel_crew::{CompletedOutput, HandlerError, JobProgress, Site, Task, TaskFailure};

use super::Question;

/// Asks players about pieces of the questions. It is not portable yet.
pub(super) struct AgreementTask<'a> {
    /// For each player and group the player with its options.
    pub(super) seats: &'a [Vec<Entrant>],
    pub(super) questions: &'a [Question],
    /// The questions cut into pieces, each of one group.
    pub(super) pieces: &'a [Range<usize>],
    pub(super) pace: Pace,
    pub(super) failure: TaskFailure<SeatError>,
}

/// A piece of the questions for one player.
#[derive(Clone, Copy, Debug)]
pub(super) struct AskedPiece {
    pub(super) id: u64,
    pub(super) player: usize,
    pub(super) piece: usize,
}

/// The started player of a thread, and which player and group it is.
pub(super) type AskedPlayer = Option<((usize, usize), Box<dyn Analyst>)>;

impl Task for AgreementTask<'_> {
    const KIND: &'static str = "agreement";
    const VERSION: u32 = 1;
    type Item = AskedPiece;
    /// The moves in UCI notation.
    type Output = Vec<String>;
    type TaskState = AskedPlayer;

    fn item_id(&self, item: &AskedPiece) -> u64 {
        item.id
    }

    fn new_state(&self, _: Site) -> Result<AskedPlayer, HandlerError> {
        Ok(None)
    }

    fn run(
        &self,
        asked: &mut AskedPlayer,
        item: &AskedPiece,
        progress: &JobProgress,
    ) -> Result<CompletedOutput<Vec<String>>, HandlerError> {
        let range = self.pieces[item.piece].clone();
        let group = self.questions[range.start].group;
        let entrant = &self.seats[item.player][group];
        let wanted = (item.player, group);
        if asked.as_ref().is_none_or(|(started, _)| *started != wanted) {
            let started = entrant.start_analyst();
            let started = started.map_err(|error| self.failure.record(error))?;
            *asked = Some((wanted, started));
        }
        let (_, analyst) = asked.as_mut().expect("it was started above");
        let pace = entrant.pace.unwrap_or(self.pace);
        let stop = progress.stop_flag();
        let mut moves = Vec::with_capacity(range.len());
        for question in &self.questions[range] {
            moves.push(answer(question, pace, analyst.as_mut(), &stop));
            if progress.is_stopped() {
                return Err(HandlerError::Stopped);
            }
            progress.unit_done();
        }
        progress.complete(moves)
    }

    fn accept(&self, _: &AskedPiece, moves: Vec<String>) -> Result<Vec<String>, String> {
        Ok(moves)
    }
}

/// A move, with nothing remembered of other positions; empty after a fault of a program,
/// which is no reason to have no figure at all.
fn answer(
    question: &Question,
    limit: Pace,
    analyst: &mut dyn Analyst,
    stop: &Arc<AtomicBool>,
) -> String {
    let game = &question.game;
    let request = AnalysisRequest {
        limit,
        lines: 1,
        deadline: Analyser::PATIENCE,
    };
    let lines = analyst.analyse(game, &request, stop);
    let best = lines
        .ok()
        .and_then(|lines| lines.first()?.pv.first().copied());
    best.map_or_else(String::new, |m| game.position().uci(m))
}
