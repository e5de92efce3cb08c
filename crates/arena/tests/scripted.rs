//! Players that do what a script says.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mendel_arena::{
    Answer, Contestant, Fault, GameSetting, Opening, Played, Reply, Thought, Turn, play,
};
use mendel_board::{Game, Move, Position, Square};
use mendel_engine::{Clock, Score};

/// What a scripted player does when it is asked.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Plays a move, in either notation.
    Play(&'static str),
    /// Plays the first legal move.
    Any,
    /// Plays a move that no position allows.
    Cheat,
    /// Gives the game up.
    Resign,
    /// Does not play.
    Fail(Fault),
    /// Stops the game, then fails, as a program does that gets the same Ctrl-C.
    Interrupt(Arc<AtomicBool>),
}

/// Plays its script to the end, then any legal move.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scripted {
    pub(crate) script: VecDeque<Act>,
    /// Scores it reports, one a move; the last stays.
    pub(crate) scores: VecDeque<Option<Score>>,
    /// What each move takes.
    pub(crate) takes: Duration,
    pub(crate) not_ready: Option<Fault>,
    // What it was told.
    pub(crate) clocks: Vec<Option<Clock>>,
    pub(crate) deadlines: Vec<Duration>,
    pub(crate) chess960: Vec<bool>,
    pub(crate) told: Vec<(String, String)>,
}

pub(crate) fn plays(moves: &[&'static str]) -> Scripted {
    acts(moves.iter().map(|&m| Act::Play(m)))
}

pub(crate) fn acts(script: impl IntoIterator<Item = Act>) -> Scripted {
    Scripted {
        script: script.into_iter().collect(),
        ..Scripted::default()
    }
}

/// Plays any moves and always sees `centipawns`.
pub(crate) fn sees(centipawns: i32) -> Scripted {
    Scripted {
        scores: [Some(Score::Centipawns(centipawns))].into(),
        ..Scripted::default()
    }
}

pub(crate) fn stalled() -> Fault {
    let waited = Duration::from_secs(10);
    Fault::Stalled { waited }
}

pub(crate) fn from(fen: &str) -> GameSetting {
    let start = Position::from_fen(fen).expect(fen);
    GameSetting {
        opening: Opening::new(Game::new(start)),
        ..GameSetting::default()
    }
}

pub(crate) fn finish(white: &mut Scripted, black: &mut Scripted, setting: &GameSetting) -> Played {
    play(white, black, setting).expect("it is not stopped")
}

impl Scripted {
    fn answer(&mut self, m: Move) -> Answer {
        let score = match self.scores.len() {
            0 | 1 => self.scores.front().copied().flatten(),
            _ => self.scores.pop_front().flatten(),
        };
        Answer {
            m,
            thought: Thought {
                score,
                depth: score.map(|_| 7),
                nodes: score.map(|_| 1234),
                remark: None,
            },
            time: self.takes,
        }
    }
}

impl Contestant for Scripted {
    fn new_game(&mut self, chess960: bool) -> Result<(), Fault> {
        self.chess960.push(chess960);
        self.not_ready.clone().map_or(Ok(()), Err)
    }

    fn ask(&mut self, turn: &Turn) -> Result<Reply, Fault> {
        self.clocks.push(turn.clock);
        self.deadlines.push(turn.deadline);
        let position = turn.game.position();
        let m = match self.script.pop_front().unwrap_or(Act::Any) {
            Act::Play(text) => position.parse_move(text).expect(text),
            Act::Any => position.legal_moves()[0],
            Act::Cheat => Move::EnPassant {
                from: Square::A1,
                to: Square::H8,
            },
            Act::Resign => return Ok(Reply::Resigns),
            Act::Fail(fault) => return Err(fault),
            Act::Interrupt(stop) => {
                stop.store(true, Ordering::Relaxed);
                return Err(stalled());
            }
        };
        Ok(Reply::Move(self.answer(m)))
    }

    fn game_over(&mut self, result: &str, reason: &str) {
        self.told.push((result.to_owned(), reason.to_owned()));
    }

    fn recent_output(&self) -> Vec<String> {
        vec!["these were my last words".to_owned()]
    }
}
