//! UCI client.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use mendel_board::{CastlingMode, Game, Position};
use mendel_engine::uci::{Go, InfoLine, OptionLine, StartPosition, UciCommand, UciReply};
use mendel_engine::{Bound, Clock};

use super::engine_io::EngineIo;
use super::options::check;
use super::{Greeting, ProtocolClient, is_complaint, read_line, read_move};
use crate::{AnalysisLine, Answer, Fault, Pace, Protocol, Reply, Thought, Turn};

/// Minimum timeout of `isready` between two moves.
const MIN_READY_TIMEOUT: Duration = Duration::from_secs(1);

/// Timeout of the answer to `stop`.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// What we know of a program that speaks UCI.
#[derive(Debug, Default)]
pub(super) struct Uci {
    name: Option<String>,
    options: Vec<OptionLine>,
    /// What was set last, so that it is set only when it changes.
    chess960: bool,
    multipv: u32,
    /// Whether the user has set [`SHOW_WDL`].
    wdl_is_set: bool,
}

/// The option that makes a program report winning, drawing and losing chances.
const SHOW_WDL: &str = "UCI_ShowWDL";

impl Uci {
    /// Says `uci` and hears what the program is and offers.
    pub(super) fn greet(
        engine_io: &mut EngineIo,
        patience: Duration,
    ) -> Result<Greeting<Self>, Fault> {
        let until = Instant::now() + patience;
        engine_io.begin();
        engine_io.queue_line(UciCommand::Uci);
        engine_io.send(until)?;
        let mut uci = Self {
            multipv: 1,
            ..Self::default()
        };
        while let Some(line) = engine_io.read_line(until)? {
            match UciReply::read(line) {
                Some(UciReply::Name(name)) => uci.name = Some(name),
                Some(UciReply::Option(option)) => uci.options.push(option),
                Some(UciReply::UciOk) => return Ok(Greeting::Understood(uci)),
                _ if is_complaint(line, "uci") => return Ok(Greeting::Complaint),
                _ => {}
            }
        }
        Ok(Greeting::Silence)
    }

    /// Has it search the last position of the game: its move, and the last line of
    /// each rank.
    fn search(
        &mut self,
        engine_io: &mut EngineIo,
        turn: &Turn,
        lines: u32,
        stop_at_deadline: bool,
        patience: Duration,
    ) -> Result<(Answer, BTreeMap<u32, InfoLine>), Fault> {
        // 1. Whatever it still had to say about the last question, such as a
        //    second `bestmove`, ends with its `readyok`.
        self.set_lines(engine_io, lines)?;
        get_ready(
            engine_io,
            patience.min(turn.deadline.max(MIN_READY_TIMEOUT)),
        )?;

        // 2. The question. Its time begins here.
        let position = turn.game.position();
        engine_io.queue_line(position_command(turn.game));
        engine_io.queue_line(go(&turn.pace, turn.clock));
        let asked = Instant::now();
        let mut until = asked + turn.deadline;
        engine_io.send(until)?;

        // 3. The answer.
        let mut thought = Thought::default();
        let mut infos = BTreeMap::new();
        let mut may_stop = stop_at_deadline;
        loop {
            let Some(line) = engine_io.read_line(until)? else {
                if may_stop {
                    may_stop = false;
                    until = Instant::now() + STOP_TIMEOUT;
                    engine_io.queue_line(UciCommand::Stop);
                    engine_io.send(until)?;
                    continue;
                }
                return Err(Fault::Stalled {
                    waited: turn.deadline,
                });
            };
            // Most lines are information, and most of those say nothing we keep.
            match UciReply::read(line) {
                Some(UciReply::Info(info)) => {
                    note(&mut thought, &info);
                    collect(&mut infos, *info);
                }
                Some(UciReply::BestMove { best, .. }) => {
                    let time = asked.elapsed();
                    let m = best.as_deref().and_then(|text| read_move(position, text));
                    return match m {
                        Some(m) => Ok((Answer { m, thought, time }, infos)),
                        None => Err(Fault::Illegal {
                            text: best.unwrap_or_else(|| line.chars().take(60).collect()),
                        }),
                    };
                }
                _ => {}
            }
        }
    }

    /// Sets the number of lines; with several the program also reports chances, if it can.
    fn set_lines(&mut self, engine_io: &mut EngineIo, lines: u32) -> Result<(), Fault> {
        if lines == self.multipv {
            return Ok(());
        }
        let (name, value) = check(&self.options, "MultiPV", &lines.to_string())?;
        engine_io.queue_line(UciCommand::SetOption { name, value });
        self.multipv = lines;
        let has_wdl = self.options.contains(&OptionLine::check(SHOW_WDL, false));
        if has_wdl && !self.wdl_is_set {
            engine_io.queue_line(UciCommand::SetOption {
                name: SHOW_WDL.to_owned(),
                value: Some((lines > 1).to_string()),
            });
        }
        Ok(())
    }
}

impl ProtocolClient for Uci {
    fn protocol(&self) -> Protocol {
        Protocol::Uci
    }

    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn offered(&self) -> Vec<OptionLine> {
        self.options.clone()
    }

    fn set_options(
        &mut self,
        engine_io: &mut EngineIo,
        options: &[(String, String)],
        patience: Duration,
    ) -> Result<(), Fault> {
        for (name, value) in options {
            let (name, value) = check(&self.options, name, value)?;
            self.wdl_is_set |= name.eq_ignore_ascii_case(SHOW_WDL);
            engine_io.queue_line(UciCommand::SetOption { name, value });
        }
        get_ready(engine_io, patience)
    }

    fn new_game(
        &mut self,
        engine_io: &mut EngineIo,
        chess960: bool,
        patience: Duration,
    ) -> Result<(), Fault> {
        if chess960 != self.chess960 {
            let (name, value) = check(&self.options, "UCI_Chess960", &chess960.to_string())?;
            engine_io.queue_line(UciCommand::SetOption { name, value });
            self.chess960 = chess960;
        }
        engine_io.queue_line(UciCommand::NewGame);
        get_ready(engine_io, patience)
    }

    fn ask(
        &mut self,
        engine_io: &mut EngineIo,
        turn: &Turn,
        patience: Duration,
    ) -> Result<Reply, Fault> {
        let (answer, _) = self.search(engine_io, turn, 1, false, patience)?;
        Ok(Reply::Move(answer))
    }

    /// Asks for the best `lines`. With one line it is asked as for a move. Without any
    /// limit the search is stopped at the deadline and the lines known then count.
    fn analyse(
        &mut self,
        engine_io: &mut EngineIo,
        turn: &Turn,
        lines: u32,
        patience: Duration,
    ) -> Result<Vec<AnalysisLine>, Fault> {
        let is_unlimited = turn.pace == Pace::default();
        let (answer, infos) = self.search(engine_io, turn, lines, is_unlimited, patience)?;

        // 1. The line of the move that was answered.
        let position = turn.game.position();
        let exact = |info: &InfoLine| matches!(info.score, Some((_, Bound::Exact)));
        let first = infos.get(&1).filter(|info| exact(info));
        let pv = first.map_or_else(Vec::new, |info| read_line(position, &info.pv));
        let wdl = first.and_then(|info| info.wdl);
        let mut analysis = vec![AnalysisLine::of_answer(&answer, wdl, pv)];

        // 2. The others, as they were reported.
        for (&rank, info) in infos.range(2..lines.saturating_add(1)) {
            let pv = read_line(position, &info.pv);
            if pv.is_empty() {
                continue;
            }
            analysis.push(AnalysisLine {
                rank,
                score: info.score.filter(|_| exact(info)).map(|(score, _)| score),
                wdl: info.wdl,
                depth: info.depth,
                nodes: info.nodes,
                pv,
            });
        }
        Ok(analysis)
    }

    /// Says `command` about the last position of `game`; the answer is what comes
    /// before it is ready again.
    fn consult(
        &mut self,
        engine_io: &mut EngineIo,
        game: &Game,
        command: &str,
        deadline: Duration,
    ) -> Result<Vec<String>, Fault> {
        get_ready(engine_io, deadline)?;
        let until = Instant::now() + deadline;
        engine_io.queue_line(position_command(game));
        engine_io.queue_line(command);
        engine_io.queue_line(UciCommand::IsReady);
        engine_io.send(until)?;
        let mut lines = Vec::new();
        while let Some(line) = engine_io.read_line(until)? {
            if UciReply::read(line) == Some(UciReply::ReadyOk) {
                return Ok(lines);
            }
            lines.push(line.to_owned());
        }
        Err(Fault::NotReady {
            asked: command.to_owned(),
            waited: deadline,
        })
    }
}

/// Says `isready` and waits for `readyok`.
fn get_ready(engine_io: &mut EngineIo, patience: Duration) -> Result<(), Fault> {
    let until = Instant::now() + patience;
    engine_io.begin();
    engine_io.queue_line(UciCommand::IsReady);
    engine_io.send(until)?;
    while let Some(line) = engine_io.read_line(until)? {
        if UciReply::read(line) == Some(UciReply::ReadyOk) {
            engine_io.begin();
            return Ok(());
        }
    }
    Err(Fault::NotReady {
        asked: UciCommand::IsReady.to_string(),
        waited: patience,
    })
}

fn position_command(game: &Game) -> UciCommand {
    let start = game.start();
    let usual = start.castling_mode() == CastlingMode::Standard
        && start.fullmoves() == 1
        && *start == Position::initial();
    let played = game.positions().iter().zip(game.moves());
    UciCommand::Position {
        start: if usual {
            StartPosition::Initial
        } else {
            StartPosition::Fen(start.fen())
        },
        moves: played.map(|(position, m)| position.uci(*m)).collect(),
    }
}

fn go(pace: &Pace, clock: Option<Clock>) -> UciCommand {
    let milliseconds = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    let mut go = Go {
        nodes: pace
            .nodes
            .map(|nodes| i64::try_from(nodes).unwrap_or(i64::MAX)),
        depth: pace.depth.map(i64::from),
        movetime: pace.movetime.map(milliseconds),
        ..Go::default()
    };
    if let Some(clock) = clock {
        go.wtime = Some(milliseconds(clock.white.remaining));
        go.btime = Some(milliseconds(clock.black.remaining));
        go.winc = Some(milliseconds(clock.white.increment));
        go.binc = Some(milliseconds(clock.black.increment));
        go.movestogo = clock.moves_to_go.map(i64::from);
    }
    // Without any limit only the deadline ends the thought.
    go.infinite = clock.is_none() && *pace == Pace::default();
    UciCommand::Go(Box::new(go))
}

/// Keeps of the lines about the best move the last with an exact score; nodes
/// are those of the whole search and count from any line.
fn note(thought: &mut Thought, info: &InfoLine) {
    if info.multipv.unwrap_or(1) != 1 {
        return;
    }
    thought.nodes = info.nodes.or(thought.nodes);
    if let Some((score, Bound::Exact)) = info.score {
        thought.score = Some(score);
        thought.depth = info.depth.or(thought.depth);
    }
}

/// Keeps the last line of each rank; one with a bound only until an exact one
/// comes.
fn collect(lines: &mut BTreeMap<u32, InfoLine>, info: InfoLine) {
    let Some((_, bound)) = info.score else {
        return;
    };
    let rank = info.multipv.unwrap_or(1);
    let exact = |line: &InfoLine| matches!(line.score, Some((_, Bound::Exact)));
    if bound == Bound::Exact || !lines.get(&rank).is_some_and(exact) {
        lines.insert(rank, info);
    }
}
