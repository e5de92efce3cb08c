//! Players in this process: no text in between, so that a game costs nothing
//! but search.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use mendel_board::Game;
use mendel_engine::uci::OptionLine;
use mendel_engine::{
    Bound, Control, Engine, Guidance, Info, Limits, Options, Player, Strength, StrengthTable,
};

use crate::program::check;
use crate::{
    AnalysisLine, AnalysisRequest, Analyst, AnalystError, Answer, Contestant, Fault, Pace, Reply,
    StockfishEval, Thought, Turn, analyst,
};

/// A bred player ready to move.
#[derive(Debug)]
pub(crate) struct InProcessPlayer {
    engine: Engine,
    /// A search broke down in the middle, so that its memory may be anything.
    broken: bool,
}

impl InProcessPlayer {
    /// Starts `player` with `options`: those of the engine, of its policy, and the
    /// numbers of its search by name.
    ///
    /// # Errors
    ///
    /// If an option does not exist or cannot have that value.
    pub(crate) fn new(
        mut player: Arc<Player>,
        options: &[(String, String)],
    ) -> Result<Self, Fault> {
        let mut engine_options = Options::default();
        let levels = levels(options)?;
        let (mut limited, mut elo, mut strength_seed) = (false, levels.max(), 0);
        let offered = offered(&levels, &player);
        for (name, value) in options {
            let (name, fitting) = check(&offered, name, value)?;
            let text = fitting.unwrap_or_default();
            let path = || (text != "<empty>").then(|| PathBuf::from(&text));
            // The check has left only numbers where numbers belong.
            let number = || text.parse::<i64>().unwrap_or_default();
            match name.as_str() {
                "Hash" => engine_options.hash = number() as usize,
                "Threads" => engine_options.threads = number() as usize,
                "MultiPV" => engine_options.multipv = number() as usize,
                "Move Overhead" => {
                    engine_options.move_overhead = Duration::from_millis(number() as u64);
                }
                "SyzygyPath" => engine_options.syzygy_path = path(),
                "Book" => engine_options.book = path(),
                "Book Seed" => engine_options.book_seed = number() as u64,
                "UCI_LimitStrength" => limited = text == "true",
                "UCI_Elo" => elo = number() as i32,
                "Strength Seed" => strength_seed = number() as u64,
                LEVELS => {}
                own => {
                    let number = if text == "true" { 1 } else { number() };
                    let set = Arc::make_mut(&mut player).set(own, number);
                    set.map_err(|error| refused(format!("{name}={value}"), error.to_string()))?;
                }
            }
        }
        engine_options.strength = limited.then(|| Strength {
            level: levels.level(elo),
            seed: strength_seed,
        });
        // The options make sense by now: what is missing, such as memory, this machine lacks.
        let engine = Engine::new(player, engine_options).map_err(|error| Fault::Start {
            reason: error.to_string(),
        })?;
        Ok(Self {
            engine,
            broken: false,
        })
    }
}

impl InProcessPlayer {
    /// The move that it finds, and the report on its line. `deadline_counts`: a search
    /// without any limit answers at the deadline.
    fn search(
        &mut self,
        turn: &Turn,
        deadline_counts: bool,
        report: &mut dyn FnMut(&Info),
    ) -> Result<(Answer, Option<Info>), Fault> {
        // 1. What it may use. Where no time limits the thought, the deadline does;
        //    it changes nothing before it is reached.
        let untimed = turn.clock.is_none() && turn.pace.movetime.is_none();
        let overhead = self.engine.options().move_overhead;
        let limits = Limits {
            depth: turn.pace.depth,
            nodes: turn.pace.nodes,
            movetime: turn.pace.movetime.or(untimed.then_some(turn.deadline)),
            clock: turn.clock,
            ..Limits::default()
        };

        // 2. The thought. A fault in it loses this game, not the match.
        let asked = Instant::now();
        let control = turn
            .stop
            .map_or_else(Control::default, |stop| Control::watching(Arc::clone(stop)));
        let search = AssertUnwindSafe(|| self.engine.go(turn.game, &limits, &control, report));
        let Ok(best) = catch_unwind(search) else {
            self.broken = true;
            return Err(Fault::Ended {
                how: "its search broke down".into(),
            });
        };
        let time = asked.elapsed();

        // 3. The answer. A thought cut off by the deadline would be another one on
        //    another machine, so it does not count.
        let is_late = time >= turn.deadline || (untimed && time + overhead >= turn.deadline);
        if is_late && !deadline_counts {
            return Err(Fault::Stalled {
                waited: turn.deadline,
            });
        }
        let Some(m) = best.best else {
            return Err(Fault::Illegal {
                text: "none".into(),
            });
        };
        let info = best.info;
        let thought = Thought {
            score: info.as_ref().map(|info| info.score),
            depth: info.as_ref().map(|info| info.depth),
            nodes: Some(best.nodes),
            remark: None,
        };
        Ok((Answer { m, thought, time }, info))
    }

    /// Sets the number of lines that the engine reports.
    fn set_multipv(&mut self, multipv: usize) -> Result<(), Fault> {
        if self.engine.options().multipv == multipv {
            return Ok(());
        }
        let options = Options {
            multipv,
            ..self.engine.options().clone()
        };
        let set = self.engine.set_options(options);
        set.map_err(|error| refused(format!("MultiPV={multipv}"), error.to_string()))
    }
}

fn refused(what: String, reason: String) -> Fault {
    Fault::Refused { what, reason }
}

/// The option that names a table of levels.
pub(crate) const LEVELS: &str = "Strength Table";

/// The levels that `UCI_Elo` is looked up in; they decide its range, so that they
/// are read before the other options.
fn levels(options: &[(String, String)]) -> Result<Arc<StrengthTable>, Fault> {
    let named = options
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(LEVELS));
    match named.filter(|(_, value)| !value.is_empty() && value != "<empty>") {
        None => Ok(StrengthTable::built_in()),
        Some((name, value)) => StrengthTable::read(Path::new(value))
            .map(Arc::new)
            .map_err(|error| refused(format!("{name}={value}"), error.to_string())),
    }
}

/// The options that `player` offers, with the present numbers of its search as defaults.
///
/// # Errors
///
/// If `options` name a table of levels that cannot be read.
pub(crate) fn offers(
    player: &Player,
    options: &[(String, String)],
) -> Result<Vec<OptionLine>, Fault> {
    Ok(offered(&*levels(options)?, player))
}

/// The options of the engine, of the player's policy and of its search.
fn offered(levels: &StrengthTable, player: &Player) -> Vec<OptionLine> {
    let (low, high) = (levels.min().into(), levels.max().into());
    let mut offered = vec![
        OptionLine::spin("Hash", 16, 1, 65_536),
        OptionLine::spin("Threads", 1, 1, 256),
        OptionLine::spin("MultiPV", 1, 1, 256),
        OptionLine::spin("Move Overhead", 10, 0, 60_000),
        OptionLine::text("SyzygyPath", ""),
        OptionLine::text("Book", ""),
        OptionLine::spin("Book Seed", 0, 0, i64::MAX),
        OptionLine::check("UCI_LimitStrength", false),
        OptionLine::spin("UCI_Elo", high, low, high),
        OptionLine::spin("Strength Seed", 0, 0, i64::MAX),
        OptionLine::text(LEVELS, ""),
    ];
    offered.extend(player.policy.iter().flat_map(Guidance::options));
    offered.extend(player.params.options());
    offered
}

impl Contestant for InProcessPlayer {
    /// Nothing of an earlier game is left, so that no result depends on what was
    /// played before.
    fn new_game(&mut self, _chess960: bool) -> Result<(), Fault> {
        if self.broken {
            let (player, options) = (self.engine.player().clone(), self.engine.options().clone());
            self.engine = Engine::new(player, options)
                .map_err(|error| refused("its options".into(), error.to_string()))?;
            self.broken = false;
        }
        self.engine.new_game();
        Ok(())
    }

    fn ask(&mut self, turn: &Turn) -> Result<Reply, Fault> {
        let (answer, _) = self.search(turn, false, &mut |_| {})?;
        Ok(Reply::Move(answer))
    }
}

impl Analyst for InProcessPlayer {
    fn name(&self) -> &str {
        &self.engine.player().name
    }

    fn analyse(
        &mut self,
        game: &Game,
        request: &AnalysisRequest,
        stop: &Arc<AtomicBool>,
    ) -> Result<Vec<AnalysisLine>, AnalystError> {
        let lines = request.lines.max(1);
        let is_unlimited = request.limit == Pace::default();
        analyst::ask(self, game, request, stop, |player, turn| {
            // 1. With one line the engine searches as it does for a move.
            let own = player.engine.options().multipv;
            if lines > 1 {
                player.set_multipv(lines as usize)?;
            }
            let mut infos: BTreeMap<u32, Info> = BTreeMap::new();
            let found = player.search(turn, is_unlimited, &mut |info| {
                if info.bound == Bound::Exact {
                    infos.insert(info.multipv, info.clone());
                }
            });
            player.set_multipv(own)?;

            // 2. The line of its move, and the last exact ones of the other ranks.
            let (answer, info) = found?;
            let wdl = info.as_ref().map(|info| info.wdl);
            let pv = info.map_or_else(Vec::new, |info| info.pv);
            let first = AnalysisLine::of_answer(&answer, wdl, pv);
            let others = infos
                .range(2..lines.saturating_add(1))
                .map(|(&rank, info)| AnalysisLine {
                    rank,
                    score: Some(info.score),
                    wdl: Some(info.wdl),
                    depth: Some(info.depth),
                    nodes: Some(info.nodes),
                    pv: info.pv.clone(),
                });
            Ok(std::iter::once(first).chain(others).collect())
        })
    }

    fn evaluate(
        &mut self,
        game: &Game,
        _which: Option<StockfishEval>,
        _deadline: Duration,
    ) -> Result<Option<f64>, AnalystError> {
        let position = game.position();
        let score = || f64::from(self.engine.player().evaluator.evaluate(position).0);
        Ok((!position.is_check()).then(score))
    }
}
