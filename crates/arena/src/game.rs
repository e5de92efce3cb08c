//! One game, from an opening to an ending with its reason.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mendel_board::tablebase::Tablebase;
use mendel_board::{ByColor, CastlingMode, Color, Game};
use mendel_engine::Score;

use crate::adjudicate::name;
use crate::{
    Adjudication, Adjudicator, Answer, Clocks, Contestant, EndReason, Ending, Fault, Fixture,
    GameRecord, MoveRecord, Opening, Pace, Patience, Reply, Turn,
};

/// The set-up of a game, without its players.
#[derive(Clone, Debug, Default)]
pub struct GameSetting {
    /// The start position, and the moves before the players are asked.
    pub opening: Opening,
    pub white: Pace,
    pub black: Pace,
    pub patience: Patience,
    pub adjudication: Adjudication,
    /// The tables for [`Adjudication::syzygy`], opened once for all games.
    pub tablebase: Option<Arc<Tablebase>>,
    /// Abandons the game when it becomes true.
    pub stop: Arc<AtomicBool>,
}

/// A game that was played to its end.
#[derive(Clone, Debug)]
pub struct Played {
    /// Start position, opening and all moves.
    pub game: Game,
    /// How many of the moves are the opening's.
    pub opening: usize,
    /// The moves that were played, with the thoughts behind them.
    pub moves: Vec<MoveRecord>,
    pub ending: Ending,
    /// Last lines of protocol and stderr, after a fault.
    pub last_words: Vec<String>,
}

/// Plays one game. Whatever the players do, it ends: by the rules, by a fault
/// of one side, which loses, or by adjudication, in that order.
///
/// `None` if it was stopped; then there is no result.
pub fn play(
    white: &mut dyn Contestant,
    black: &mut dyn Contestant,
    setting: &GameSetting,
) -> Option<Played> {
    let mut game = GameLoop {
        players: ByColor { white, black },
        ready: ByColor::default(),
        game: setting.opening.game(),
        moves: Vec::new(),
        last_words: Vec::new(),
    };
    let opening = game.game.moves().len();
    let ending = game.play(setting);
    match &ending {
        Some(ending) => game.tell(ending.result(), &ending.words),
        None => game.tell("*", "abandoned"),
    }
    Some(Played {
        ending: ending?,
        game: game.game,
        opening,
        moves: game.moves,
        last_words: game.last_words,
    })
}

/// Two players at a board.
struct GameLoop<'a> {
    players: ByColor<&'a mut dyn Contestant>,
    /// The players that got ready, and so are told the end.
    ready: ByColor<bool>,
    game: Game,
    moves: Vec<MoveRecord>,
    last_words: Vec<String>,
}

impl GameLoop<'_> {
    fn play(&mut self, setting: &GameSetting) -> Option<Ending> {
        let stopped = || setting.stop.load(Ordering::Relaxed);
        let mut clocks = Clocks::new(setting.white, setting.black, setting.patience);
        let mut adjudicator = Adjudicator::new(&setting.adjudication, setting.tablebase.as_deref());

        // 1. Both get ready.
        let chess960 = self.game.start().castling_mode() == CastlingMode::Chess960;
        for color in Color::ALL {
            if stopped() {
                return None;
            }
            if let Err(fault) = self.players[color].new_game(chess960) {
                // The stop of the game may have stopped the program, too.
                return (!stopped()).then(|| self.fault(color, &fault));
            }
            self.ready[color] = true;
        }

        // 2. The rules come first, also where the opening has ended the game.
        let mut adjudicated = None;
        loop {
            if let Some(outcome) = self.game.outcome() {
                return Some(outcome.into());
            }
            if adjudicated.is_some() {
                return adjudicated;
            }
            if stopped() {
                return None;
            }

            // 3. A move, or a fault.
            let turn = self.game.position().turn();
            let answer = match self.ask(turn, setting, &clocks) {
                Ok(Reply::Move(answer)) => answer,
                Ok(Reply::Resigns) => {
                    return Some(Ending {
                        winner: Some((!turn).into()),
                        reason: EndReason::Resignation,
                        words: format!("{} resigns", name(turn)),
                    });
                }
                Err(_) if stopped() => return None,
                Err(fault) => return Some(self.fault(turn, &fault)),
            };
            if let Err(forfeit) = clocks.spend(turn, answer.time) {
                let words = forfeit.to_string();
                return Some(self.loss(turn, EndReason::Time, &words));
            }

            // 4. It is played, and the adjudicator has a look.
            let score = answer.thought.score;
            let record = record_move(&self.game, &answer);
            if self.game.play(answer.m).is_err() {
                let text = self.game.position().uci(answer.m);
                let fault = Fault::Illegal { text };
                return Some(self.fault(turn, &fault));
            }
            self.moves.push(record);
            adjudicated = adjudicator.see(&self.game, score);
        }
    }

    fn ask(&mut self, turn: Color, setting: &GameSetting, clocks: &Clocks) -> Result<Reply, Fault> {
        self.players[turn].ask(&Turn {
            game: &self.game,
            pace: turn.fold_wb(setting.white, setting.black),
            clock: clocks.now(turn),
            deadline: clocks.deadline(turn),
            stop: Some(&setting.stop),
        })
    }

    fn fault(&mut self, loser: Color, fault: &Fault) -> Ending {
        let reason = match fault {
            // One that refuses an option or the position cannot play either.
            Fault::Start { .. } | Fault::Ended { .. } | Fault::Refused { .. } => EndReason::Crash,
            Fault::NotReady { .. } | Fault::Stalled { .. } => EndReason::Stall,
            Fault::Illegal { .. } => EndReason::IllegalMove,
            Fault::Flood { .. } => EndReason::Flood,
        };
        self.loss(loser, reason, &fault.to_string())
    }

    /// A loss by one's own doing; the last words show how it came about.
    fn loss(&mut self, loser: Color, reason: EndReason, words: &str) -> Ending {
        self.last_words = self.players[loser].recent_output();
        Ending {
            winner: Some((!loser).into()),
            reason,
            words: format!("{}: {words}", name(loser)),
        }
    }

    fn tell(&mut self, result: &str, reason: &str) {
        for color in Color::ALL {
            if self.ready[color] {
                self.players[color].game_over(result, reason);
            }
        }
    }
}

fn record_move(game: &Game, answer: &Answer) -> MoveRecord {
    MoveRecord {
        m: game.position().uci(answer.m),
        score: answer.thought.score.map(write_score),
        depth: answer.thought.depth,
        nodes: answer.thought.nodes,
        time: answer.time,
    }
}

/// A score as records write it: `+0.35`, `-1.20`, `#4`, `#-3`.
fn write_score(score: Score) -> String {
    match score {
        Score::Centipawns(centipawns) => {
            let sign = if centipawns < 0 { '-' } else { '+' };
            let size = centipawns.unsigned_abs();
            format!("{sign}{}.{:02}", size / 100, size % 100)
        }
        // Mated already: `#-0`, which is still less than nothing.
        Score::Mate(0) => "#-0".to_owned(),
        Score::Mate(moves) => format!("#{moves}"),
    }
}

impl Played {
    /// The game as it is written down. `date` is when it began, as PGN writes a
    /// date.
    pub fn record(self, fixture: Fixture, date: String) -> GameRecord {
        let opening = self.game.moves().iter().zip(self.game.positions());
        let opening = opening.take(self.opening);
        GameRecord {
            game: fixture.game,
            pair: fixture.pair,
            white: fixture.white,
            black: fixture.black,
            start: self.game.start().fen(),
            opening: opening.map(|(&m, position)| position.uci(m)).collect(),
            moves: self.moves,
            ending: self.ending,
            date,
            last_words: self.last_words,
        }
    }

    /// What White and Black have thought in all.
    pub fn times(&self) -> ByColor<Duration> {
        let mut times = ByColor::<Duration>::default();
        let positions = &self.game.positions()[self.opening..];
        for (record, position) in self.moves.iter().zip(positions) {
            let time = &mut times[position.turn()];
            *time = time.saturating_add(record.time);
        }
        times
    }
}
