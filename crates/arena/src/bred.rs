//! Players in this process: no text in between, so that a game costs nothing
//! but search.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mendel_engine::uci::{OptionKind, OptionLine};
use mendel_engine::{
    Control, Engine, Guidance, Limits, Options, Player, SearchParams, Strength, StrengthTable,
};

use crate::program::check;
use crate::{Answer, Contestant, Fault, Pace, Reply, Thought, Turn};

/// A bred player ready to move.
#[derive(Debug)]
pub(crate) struct Bred {
    engine: Engine,
    /// A search broke down in the middle, so that its memory may be anything.
    broken: bool,
}

impl Bred {
    /// A seat for `player` with `options`: those of the engine, of its policy, and the
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

/// What `player` offers, its numbers as they are now.
///
/// # Errors
///
/// If `options` name a table of levels that cannot be read.
pub(crate) fn offers(
    player: &Player,
    options: &[(String, String)],
) -> Result<Vec<OptionLine>, Fault> {
    let mut offered = offered(&*levels(options)?, player);
    for option in &mut offered {
        if let (OptionKind::Spin { default, .. }, Some(now)) =
            (&mut option.kind, player.params.get(&option.name))
        {
            *default = now.into();
        }
    }
    Ok(offered)
}

/// What can be set: the engine's options, those of the player's policy, and the numbers
/// of its search.
fn offered(levels: &StrengthTable, player: &Player) -> Vec<OptionLine> {
    let line = |name: &str, kind| OptionLine {
        name: name.to_owned(),
        kind,
    };
    let spin = |name: &str, default, min, max| line(name, OptionKind::Spin { default, min, max });
    let text = |name: &str| {
        let default = String::new();
        line(name, OptionKind::Text { default })
    };
    let (low, high) = (levels.min().into(), levels.max().into());
    let mut offered = vec![
        spin("Hash", 16, 1, 65_536),
        spin("Threads", 1, 1, 256),
        spin("MultiPV", 1, 1, 256),
        spin("Move Overhead", 10, 0, 60_000),
        text("SyzygyPath"),
        text("Book"),
        spin("Book Seed", 0, 0, i64::MAX),
        line("UCI_LimitStrength", OptionKind::Check { default: false }),
        spin("UCI_Elo", high, low, high),
        spin("Strength Seed", 0, 0, i64::MAX),
        text(LEVELS),
    ];
    offered.extend(player.policy.iter().flat_map(Guidance::options));
    offered.extend(SearchParams::TUNABLES.iter().map(|tunable| {
        let (low, high) = (tunable.low.into(), tunable.high.into());
        spin(tunable.name, tunable.default.into(), low, high)
    }));
    offered
}

impl Contestant for Bred {
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

    fn can_keep(&self, _pace: &Pace) -> Result<(), Fault> {
        Ok(())
    }

    fn ask(&mut self, turn: &Turn) -> Result<Reply, Fault> {
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
        let search = AssertUnwindSafe(|| self.engine.go(turn.game, &limits, &control, &mut |_| {}));
        let Ok(best) = catch_unwind(search) else {
            self.broken = true;
            return Err(Fault::Ended {
                how: "its search broke down".into(),
            });
        };
        let time = asked.elapsed();

        // 3. The answer. A thought cut off by the deadline would be another one on
        //    another machine, so it does not count.
        if time >= turn.deadline || (untimed && time + overhead >= turn.deadline) {
            return Err(Fault::Stalled {
                waited: turn.deadline,
            });
        }
        let info = best.info.as_ref();
        let thought = Thought {
            score: info.map(|info| info.score),
            depth: info.map(|info| info.depth),
            nodes: Some(best.nodes),
            remark: None,
        };
        match best.best {
            Some(m) => Ok(Reply::Move(Answer { m, thought, time })),
            None => Err(Fault::Illegal {
                text: "none".into(),
            }),
        }
    }

    fn game_over(&mut self, _result: &str, _reason: &str) {}

    fn last_words(&self) -> Vec<String> {
        Vec::new()
    }

    fn own_name(&self) -> Option<&str> {
        Some(&self.engine.player().name)
    }
}
