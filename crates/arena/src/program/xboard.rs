//! Client of the Chess Engine Communication Protocol (xboard).
//!
//! # Source
//!
//! Mann and Muller, "Chess Engine Communication Protocol", version 2,
//! `engine-intf.html` of xboard.
//!
//! # Where this differs
//!
//! No pondering, no draw offers, none of the obsolete `edit`, `white` and
//! `black`. A claim ends no game: the rules are kept by the runner.

use std::time::{Duration, Instant};

use mendel_board::{CastlingMode, Color, Game, Move, Position};
use mendel_engine::uci::OptionLine;
use mendel_engine::xboard::{LevelCommand, Thinking, XboardCommand, XboardReply};
use mendel_engine::{Clock, SideClock};

use super::engine_io::EngineIo;
use super::features::{CORES, Features, MEMORY};
use super::options::check;
use super::{Greeting, ProtocolClient, is_complaint, read_line, read_move};
use crate::{AnalysisLine, Answer, Fault, Pace, Protocol, Reply, Thought, Turn};

/// Timeout of the first `feature`; after it the program may be one without features.
const FEATURES_TIMEOUT: Duration = Duration::from_secs(2);

/// GNU Chess leaves a second line unread that comes together with the first, so the question
/// is repeated at this interval.
const RETRY_INTERVAL: Duration = Duration::from_millis(300);

/// Timeout of a move after the program claimed that the game is over.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(1);

/// What we know of a program that speaks xboard's language.
#[derive(Debug)]
pub(super) struct Xboard {
    features: Features,
    pings: i64,
    /// The game on its board; `None` if we cannot be sure.
    game: Option<SentGame>,
    /// The move it said last. Old programs say each move in two ways, and the
    /// second may come when the next one is expected. It is never legal then.
    last_move: String,
}

/// What a program has been told of the game.
#[derive(Debug)]
struct SentGame {
    start: Position,
    moves: Vec<Move>,
    /// The side it plays; `None` if it only follows.
    plays: Option<Color>,
    pace: Option<Pace>,
}

/// What a program may be told about its time.
pub(super) fn supports(pace: &Pace) -> Result<(), Fault> {
    match pace.nodes {
        None => Ok(()),
        Some(nodes) => Err(Fault::Refused {
            what: format!("{nodes} nodes a move"),
            reason: "xboard programs know no limit of nodes; give it a clock, a time or a depth, \
                     such as ?.tc=8+0.08 or ?.depth=6"
                .into(),
        }),
    }
}

impl Xboard {
    /// Says `xboard` and hears what the program can do. Old programs say nothing
    /// to that; `old_ones_too` takes silence for one of them.
    pub(super) fn greet(
        engine_io: &mut EngineIo,
        patience: Duration,
        old_ones_too: bool,
    ) -> Result<Greeting<Self>, Fault> {
        let begun = Instant::now();
        // Where silence proves nothing, there is more time for a slow start.
        let first = if old_ones_too {
            FEATURES_TIMEOUT
        } else {
            2 * FEATURES_TIMEOUT
        };
        let mut end = begun + first.min(patience);
        let mut again = begun + RETRY_INTERVAL;
        let mut features = Features::default();
        let mut any = false;
        engine_io.begin();
        engine_io.queue_line(XboardCommand::Xboard);
        engine_io.queue_line(XboardCommand::Protover(2));
        engine_io.send(end)?;
        while features.done != Some(true) {
            let Some(line) = engine_io.read_line(if any { end } else { again.min(end) })? else {
                if any || again >= end {
                    break;
                }
                engine_io.queue_line(XboardCommand::Protover(2));
                engine_io.send(end)?;
                again += RETRY_INTERVAL;
                continue;
            };
            let Some(XboardReply::Feature(said)) = XboardReply::read(line) else {
                continue;
            };
            any = true;
            for (name, value) in said {
                let answer = if features.note(&name, &value) {
                    XboardCommand::Accepted(name)
                } else {
                    XboardCommand::Rejected(name)
                };
                engine_io.queue_line(answer);
            }
            if features.done == Some(false) {
                end = begun + patience;
            }
            engine_io.send(end)?;
        }
        if features.done == Some(false) {
            return Err(Fault::NotReady {
                asked: "protover 2".into(),
                waited: patience,
            });
        }
        if !any && !old_ones_too {
            return Ok(Greeting::Silence);
        }
        Ok(Greeting::Understood(Self {
            features,
            pings: 0,
            game: None,
            last_move: String::new(),
        }))
    }

    /// Asks for a move and hears it, with the last line of thought.
    fn think(
        &mut self,
        engine_io: &mut EngineIo,
        turn: &Turn,
        patience: Duration,
    ) -> Result<(Reply, Option<Thinking>), Fault> {
        // 1. The moves that it does not know yet.
        supports(&turn.pace)?;
        let position = turn.game.position();
        let us = position.turn();
        let told = self.tell(engine_io, turn, patience)?;

        // 2. The answer.
        let asked = Instant::now();
        let mut until = asked + turn.deadline;
        engine_io.send(until)?;
        let mut thinking = None;
        let mut remark = None;
        while let Some(line) = engine_io.read_line(until)? {
            match XboardReply::read(line) {
                Some(XboardReply::Thinking(line)) => thinking = Some(line),
                Some(XboardReply::Move(text)) => {
                    let time = asked.elapsed();
                    let m = read_move(position, &text).or_else(|| position.parse_san(&text).ok());
                    let Some(m) = m else {
                        if self.last_move == text {
                            continue;
                        }
                        return Err(Fault::Illegal { text });
                    };
                    self.last_move = text;
                    self.note_played(turn.game, m, us);
                    let thought = thought(thinking.as_ref(), remark);
                    let answer = Answer { m, thought, time };
                    return Ok((Reply::Move(answer), thinking));
                }
                Some(XboardReply::Resign) => {
                    self.game = None;
                    return Ok((Reply::Resigns, thinking));
                }
                Some(XboardReply::Claim { result, reason }) => {
                    if result == us.fold_wb("0-1", "1-0") {
                        self.game = None;
                        return Ok((Reply::Resigns, thinking));
                    }
                    remark = Some(format!("claims {result} {{{reason}}}"));
                    until = until.min(Instant::now() + CLAIM_TIMEOUT);
                }
                Some(XboardReply::OfferDraw) => remark = Some("offers a draw".into()),
                _ => heed(line, &told)?,
            }
        }
        Err(match remark {
            Some(claim) if claim.starts_with("claims") => Fault::Illegal { text: claim },
            _ => Fault::Stalled {
                waited: turn.deadline,
            },
        })
    }

    /// Says what is new since the last question, and to think; returns what it may
    /// not refuse.
    fn tell(
        &mut self,
        engine_io: &mut EngineIo,
        turn: &Turn,
        patience: Duration,
    ) -> Result<Vec<String>, Fault> {
        // 1. A board with the start position of this game.
        let game = turn.game;
        let us = game.position().turn();
        let follows = |board: &SentGame| {
            board.start == *game.start()
                && board.start.fullmoves() == game.start().fullmoves()
                && game.moves().starts_with(&board.moves)
        };
        engine_io.begin();
        engine_io.discard_input()?;
        let mut told = Vec::new();
        if !self.game.as_ref().is_some_and(follows) {
            told.extend(self.set_up(engine_io, game.start(), patience)?);
        }
        let board = self.game.as_mut().expect("a board was just set up");

        // 2. The moves it does not know. If it is just the opponent's answer, that
        //    is all it waits for.
        let missing = game.moves().len() - board.moves.len();
        let continues = board.plays == Some(us) && missing == 1;
        if board.plays.is_some() && !continues {
            engine_io.queue_line(XboardCommand::Force);
            board.plays = None;
        }
        let played = game.positions().iter().zip(game.moves());
        let moves: Vec<String> = played
            .skip(board.moves.len())
            .map(|(position, m)| move_text(&self.features, position, *m))
            .collect();
        if !continues {
            say_moves(engine_io, &self.features, &moves);
        }
        board.moves = game.moves().to_vec();

        // 3. Everything up to here is understood before its time begins.
        let new_pace = board.pace != Some(turn.pace);
        board.pace = Some(turn.pace);
        if new_pace {
            for command in pace_commands(&turn.pace, turn.deadline) {
                told.push(command.to_string());
                engine_io.queue_line(command);
            }
        }
        told.extend_from_slice(&moves);
        if !continues || new_pace {
            self.synchronise(engine_io, patience, &told)?;
        }

        // 4. The clocks, and its turn.
        if self.features.time {
            say_clocks(engine_io, turn, us);
        }
        if continues {
            say_moves(engine_io, &self.features, &moves);
        } else {
            engine_io.queue_line(XboardCommand::Go);
        }
        Ok(told)
    }

    /// Puts the start position of a game on its board; returns what it may not
    /// refuse.
    fn set_up(
        &mut self,
        engine_io: &mut EngineIo,
        start: &Position,
        patience: Duration,
    ) -> Result<Vec<String>, Fault> {
        let chess960 = start.castling_mode() == CastlingMode::Chess960;
        let usual = *start == Position::initial() && start.fullmoves() == 1;
        let empty = self.game.as_ref().is_some_and(|board| {
            board.moves.is_empty() && board.plays.is_none() && board.start == Position::initial()
        });
        if !empty {
            self.new_game(engine_io, chess960, patience)?;
        }
        if usual {
            return Ok(Vec::new());
        }
        if !self.features.setboard {
            return Err(Fault::Refused {
                what: format!("setboard {}", start.fen()),
                reason: "it cannot be given a position; use openings that are written as moves"
                    .into(),
            });
        }
        engine_io.queue_line(XboardCommand::SetBoard(start.fen()));
        if let Some(board) = &mut self.game {
            board.start = start.clone();
        }
        Ok(vec!["setboard".into(), "position".into()])
    }

    /// Waits until all lines are processed, if the program answers `ping`.
    fn synchronise(
        &mut self,
        engine_io: &mut EngineIo,
        patience: Duration,
        told: &[String],
    ) -> Result<(), Fault> {
        let until = Instant::now() + patience;
        engine_io.begin();
        if !self.features.ping {
            return engine_io.send(until);
        }
        self.pings += 1;
        engine_io.queue_line(XboardCommand::Ping(self.pings));
        engine_io.send(until)?;
        while let Some(line) = engine_io.read_line(until)? {
            match XboardReply::read(line) {
                Some(XboardReply::Pong(number)) if number == self.pings => return Ok(()),
                _ => heed(line, told)?,
            }
        }
        Err(Fault::NotReady {
            asked: XboardCommand::Ping(self.pings).to_string(),
            waited: patience,
        })
    }

    fn note_played(&mut self, game: &Game, m: Move, us: Color) {
        if let Some(board) = &mut self.game {
            board.moves.clear();
            board.moves.extend_from_slice(game.moves());
            board.moves.push(m);
            board.plays = Some(us);
        }
    }
}

impl ProtocolClient for Xboard {
    fn protocol(&self) -> Protocol {
        Protocol::Xboard
    }

    fn name(&self) -> Option<&str> {
        self.features.name.as_deref()
    }

    fn offered(&self) -> Vec<OptionLine> {
        self.features.offered()
    }

    fn is_reusable(&self) -> bool {
        self.features.reuse
    }

    fn set_options(
        &mut self,
        engine_io: &mut EngineIo,
        options: &[(String, String)],
        patience: Duration,
    ) -> Result<(), Fault> {
        let offered = self.features.offered();
        for (name, value) in options {
            let (name, value) = check(&offered, name, value)?;
            let number = || value.as_deref().and_then(|text| text.parse().ok());
            engine_io.queue_line(match name.as_str() {
                MEMORY if self.features.memory => XboardCommand::Memory(number().unwrap_or(1)),
                CORES if self.features.smp => XboardCommand::Cores(number().unwrap_or(1)),
                _ => XboardCommand::Option {
                    name,
                    value: value.map(|value| match value.as_str() {
                        "true" => "1".into(),
                        "false" => "0".into(),
                        "<empty>" => String::new(),
                        _ => value,
                    }),
                },
            });
        }
        self.synchronise(engine_io, patience, &[])
    }

    fn new_game(
        &mut self,
        engine_io: &mut EngineIo,
        chess960: bool,
        patience: Duration,
    ) -> Result<(), Fault> {
        const VARIANT: &str = "fischerandom";
        engine_io.queue_line(XboardCommand::New);
        if chess960 {
            if !self.features.variants.split(',').any(|it| it == VARIANT) {
                return Err(Fault::Refused {
                    what: format!("variant {VARIANT}"),
                    reason: "it does not play Chess960".into(),
                });
            }
            engine_io.queue_line(XboardCommand::Variant(VARIANT.into()));
        }
        engine_io.queue_line(XboardCommand::Force);
        engine_io.queue_line(XboardCommand::Easy);
        engine_io.queue_line(XboardCommand::Post);
        self.game = Some(SentGame {
            start: Position::initial(),
            moves: Vec::new(),
            plays: None,
            pace: None,
        });
        self.synchronise(engine_io, patience, &[])
    }

    fn ask(
        &mut self,
        engine_io: &mut EngineIo,
        turn: &Turn,
        patience: Duration,
    ) -> Result<Reply, Fault> {
        let (reply, _) = self.think(engine_io, turn, patience)?;
        Ok(reply)
    }

    /// Asks for a move and for the line of thought behind it; no line if it resigns.
    fn analyse(
        &mut self,
        engine_io: &mut EngineIo,
        turn: &Turn,
        lines: u32,
        patience: Duration,
    ) -> Result<Vec<AnalysisLine>, Fault> {
        if lines > 1 {
            return Err(Fault::Refused {
                what: format!("{lines} lines"),
                reason: "xboard programs show one line".into(),
            });
        }
        let (reply, thinking) = self.think(engine_io, turn, patience)?;
        let Reply::Move(answer) = reply else {
            return Ok(Vec::new());
        };
        let pv = thinking.map_or_else(Vec::new, |thinking| {
            read_line(turn.game.position(), &thinking.pv)
        });
        Ok(vec![AnalysisLine::of_answer(&answer, None, pv)])
    }

    fn game_over(&mut self, engine_io: &mut EngineIo, result: &str, reason: &str) {
        self.game = None;
        engine_io.begin();
        engine_io.queue_line(XboardCommand::Force);
        engine_io.queue_line(XboardCommand::Result(format!("{result} {{{reason}}}")));
        // If it does not listen now, the next game will show.
        let _ = engine_io.send(Instant::now());
    }
}

/// Whether it refuses one of the things `told`; complaints about anything else,
/// such as words it need not know, change nothing.
fn heed(line: &str, told: &[String]) -> Result<(), Fault> {
    match told.iter().find(|what| is_complaint(line, what)) {
        None => Ok(()),
        Some(what) => Err(Fault::Refused {
            what: what.clone(),
            reason: format!("it says `{line}`"),
        }),
    }
}

fn move_text(features: &Features, position: &Position, m: Move) -> String {
    let chess960 = position.castling_mode() == CastlingMode::Chess960;
    if features.san || (chess960 && m.is_castle()) {
        position.san(m)
    } else {
        position.uci(m)
    }
}

fn say_moves(engine_io: &mut EngineIo, features: &Features, moves: &[String]) {
    for text in moves {
        if features.usermove {
            engine_io.queue_line(XboardCommand::UserMove(text.clone()));
        } else {
            engine_io.queue_line(text);
        }
    }
}

/// How long to think. Old programs read whole seconds only, so finer times are
/// left to the clocks, which are told before each move in hundredths.
fn pace_commands(pace: &Pace, deadline: Duration) -> Vec<XboardCommand> {
    let whole = |time: Duration| Duration::from_secs(time.as_millis().div_ceil(1000).max(1) as u64);
    let mut commands = Vec::new();
    if let Some(clock) = pace.clock {
        commands.push(XboardCommand::Level(LevelCommand {
            moves: clock.moves.unwrap_or(0),
            base: whole(clock.base),
            increment: clock.increment,
        }));
    }
    match pace.movetime {
        Some(time) if time == whole(time) => commands.push(XboardCommand::SecondsPerMove(time)),
        Some(time) => commands.push(XboardCommand::Level(LevelCommand {
            moves: 1,
            base: whole(time),
            increment: Duration::ZERO,
        })),
        // Without this a program would keep to the clock it knows from home.
        None if pace.clock.is_none() => {
            let seconds = deadline.as_secs().clamp(1, 3600);
            commands.push(XboardCommand::SecondsPerMove(Duration::from_secs(seconds)));
        }
        None => {}
    }
    commands.extend(pace.depth.map(XboardCommand::Depth));
    commands
}

fn say_clocks(engine_io: &mut EngineIo, turn: &Turn, us: Color) {
    let clock = match (turn.clock, turn.pace.movetime) {
        (Some(clock), _) => clock,
        (None, Some(time)) => {
            let side = SideClock {
                remaining: time,
                increment: Duration::ZERO,
            };
            Clock {
                white: side,
                black: side,
                moves_to_go: Some(1),
            }
        }
        (None, None) => return,
    };
    let hundredths = |side: SideClock| side.remaining.as_millis() as i64 / 10;
    engine_io.queue_line(XboardCommand::Time(hundredths(clock.of(us))));
    engine_io.queue_line(XboardCommand::OpponentTime(hundredths(clock.of(!us))));
}

fn thought(thinking: Option<&Thinking>, remark: Option<String>) -> Thought {
    Thought {
        score: thinking.map(|thinking| thinking.score),
        depth: thinking.map(|thinking| thinking.depth),
        nodes: thinking.map(|thinking| thinking.nodes),
        remark,
    }
}
