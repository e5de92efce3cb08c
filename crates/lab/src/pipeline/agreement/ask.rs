//! Players who are asked, each by several threads at once.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use mendel_arena::{Contestant, Entrant, Pace, Reply, SeatError, Turn};
use mendel_board::CastlingMode;

use super::{Question, Stop};
use crate::analysis::Analyser;
use crate::pipeline::error::StepError;

/// Where all are asked.
pub(super) struct Hall<'a> {
    /// For each player and group who takes the seat.
    pub(super) seats: &'a [Vec<Entrant>],
    pub(super) questions: &'a [Question],
    /// The questions cut into pieces, each of one group.
    pub(super) pieces: &'a [Range<usize>],
    /// Who is to be asked about which piece.
    pub(super) todo: &'a [(usize, usize)],
    pub(super) pace: Pace,
    pub(super) threads: usize,
    pub(super) stop: &'a Stop,
}

/// A player who has taken a seat, and which player and group it is.
type Seated = Option<((usize, usize), Box<dyn Contestant>)>;

impl Hall<'_> {
    /// Hands the moves of each player in each piece to `done`; `false` if it was
    /// stopped.
    pub(super) fn ask(
        &self,
        done: &mut dyn FnMut(usize, usize, Vec<String>) -> Result<(), StepError>,
    ) -> Result<bool, StepError> {
        let next = AtomicUsize::new(0);
        // An error ends the others, too; `stop` belongs to the caller.
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..self.threads.clamp(1, self.todo.len().max(1)) {
                let (sender, next, over) = (sender.clone(), &next, &over);
                scope.spawn(move || {
                    let mut seated: Seated = None;
                    while !over.load(Ordering::Relaxed) {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(&(player, piece)) = self.todo.get(at) else {
                            return;
                        };
                        let moves = self.piece(player, piece, &mut seated);
                        if sender.send((player, piece, moves)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let mut result = Ok(true);
            for (player, piece, moves) in receiver {
                let taken = match moves {
                    Ok(Some(moves)) => done(player, piece, moves),
                    Ok(None) => {
                        result = result.map(|_| false);
                        over.store(true, Ordering::Relaxed);
                        continue;
                    }
                    Err(error) => Err(error.into()),
                };
                if let Err(error) = taken {
                    over.store(true, Ordering::Relaxed);
                    result = Err(error);
                }
            }
            result
        })
    }

    /// The moves of a player in a piece; `None` if it was stopped.
    fn piece(
        &self,
        player: usize,
        piece: usize,
        seated: &mut Seated,
    ) -> Result<Option<Vec<String>>, SeatError> {
        let range = self.pieces[piece].clone();
        let group = self.questions[range.start].group;
        let entrant = &self.seats[player][group];
        if seated.as_ref().is_none_or(|it| it.0 != (player, group)) {
            *seated = Some(((player, group), entrant.seat()?));
        }
        let (_, seat) = seated.as_mut().expect("it was taken above");
        let pace = entrant.pace.unwrap_or(self.pace);
        let mut moves = Vec::with_capacity(range.len());
        for question in &self.questions[range] {
            let text = self.answer(question, pace, seat.as_mut());
            if self.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            moves.push(text);
        }
        Ok(Some(moves))
    }

    /// A move, with nothing remembered of other positions; nothing where a program
    /// misbehaves, which is no reason to have no figure at all.
    fn answer(&self, question: &Question, pace: Pace, seat: &mut dyn Contestant) -> String {
        let game = &question.game;
        let chess960 = game.start().castling_mode() == CastlingMode::Chess960;
        let turn = Turn {
            game,
            pace,
            clock: None,
            deadline: Analyser::PATIENCE,
            stop: Some(self.stop),
        };
        let reply = seat.new_game(chess960).and_then(|()| seat.ask(&turn));
        match reply {
            Ok(Reply::Move(answer)) => game.position().uci(answer.m),
            Ok(Reply::Resigns) | Err(_) => String::new(),
        }
    }
}
