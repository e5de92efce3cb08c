//! Which options do anything, how far a step should reach, and where the engine
//! fails: a few searches before the first game.
//!
//! Each option is set to both ends of its range and nearer to its start, alone, and
//! the engine thinks about the same positions each time. What changes neither a move
//! nor a score nor a count of nodes is set aside. The step proposed is the least
//! distance at which an eighth of the moves change, but at most a twentieth of the range:
//! nearer, most games would be the same; much farther, the slope is no longer that of
//! the start.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mendel_arena::{AnalysisRequest, AnalystError, Entrant, Fault, Pace, options_line};
use mendel_board::{Game, Move, Position};
use mendel_crew::parallel;
use mendel_engine::Score;
use mendel_engine::bench::POSITIONS;
use mendel_store::frame::{Failure, StopFlag};

use super::params::ParamFile;
use super::refuse;
use crate::record::{Aside, Infeasible, Param, ParamKind};

/// Every third position of the bench is looked at: openings, middle games and endings.
const EVERY: usize = 3;

/// How deep where the pace of the games would not always give the same thought.
const DEPTH: u32 = 6;

/// Time limit of a search; the engine has stalled if it takes longer.
const DEADLINE: Duration = Duration::from_secs(20);

const STEP_CHANGES: f64 = 0.125;

/// The largest step, as a share of the range.
const LARGEST_STEP: f64 = 0.05;

/// The range is limited to this many steps on either side of the start.
const REACH: f64 = 16.0;

/// Where between the start and the farther bound a step is looked for, as the shares
/// of the way.
const SHARES: [f64; 5] = [1.0 / 32.0, 1.0 / 16.0, 1.0 / 8.0, 1.0 / 4.0, 1.0 / 2.0];

/// How often a value that fails is halved towards the start.
const HALVINGS: u32 = 6;

const NO_EFFECT: &str = "changed nothing";

/// The reason of an option that cannot be set to anything else.
const NO_OTHER: &str = "the engine fails with every other value";

#[derive(Clone, Copy, Debug)]
pub struct Probe<'a> {
    pub engine: &'a Entrant,
    pub pace: Pace,
    pub threads: usize,
    pub stop: &'a StopFlag,
}

/// The best move in a position, its score, and the depth and nodes of the search; none where the
/// program resigned.
pub(super) type ProbeResult = Option<(Move, Option<Score>, Option<u32>, Option<u64>)>;

/// How much two looks at the same positions differ, as shares of the positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ProbeDifference {
    moves: f64,
    anything: f64,
}

#[derive(Debug)]
struct OptionProbe {
    param: Param,
    visible: bool,
    infeasible: Vec<Infeasible>,
}

impl Probe<'_> {
    /// Looks at each of `params` alone; `watch` is called with how many are done. Bounds are
    /// drawn in to where the engine does not fail, and to what is worth a look.
    ///
    /// # Errors
    ///
    /// If the engine fails as it starts, or nothing has any effect.
    pub fn run(
        &self,
        params: &[Param],
        watch: &(dyn Fn(usize) + Sync),
    ) -> Result<ParamFile, Failure> {
        // 1. The engine as it starts, twice: one that differs from itself tells little.
        let base = self.start()?;
        let noise = difference(&base, &self.start()?);

        // 2. Each option.
        let done = AtomicUsize::new(0);
        let probed = parallel(self.threads, params.len(), |at| {
            let probed = self.one(&params[at], &base, noise);
            watch(done.fetch_add(1, Ordering::Relaxed) + 1);
            probed
        });
        if self.stop.load(Ordering::Relaxed) {
            return Err(Failure::Stopped);
        }
        let mut file = ParamFile::default();
        for it in probed {
            file.infeasible.extend(it.infeasible);
            if it.visible {
                file.params.push(it.param);
            } else {
                let reason = if it.param.low < it.param.high {
                    NO_EFFECT
                } else {
                    NO_OTHER
                };
                file.aside.push(Aside {
                    name: it.param.name,
                    reason: reason.to_owned(),
                });
            }
        }
        if file.params.is_empty() {
            let names: Vec<&str> = file.aside.iter().map(|it| it.name.as_str()).collect();
            let names = names.join(", ");
            return Err(refuse(
                format!("none of the options has a visible effect: {names}"),
                "`--params FILE` tunes what a file says, with or without effect",
            ));
        }
        Ok(file)
    }

    pub(super) fn start(&self) -> Result<Vec<ProbeResult>, Failure> {
        let looks = self.look(None);
        if self.stop.load(Ordering::Relaxed) {
            return Err(Failure::Stopped);
        }
        looks.map_err(|failure| {
            refuse(
                format!("the engine fails with the values that it starts from: {failure}"),
                "some engines ignore `--nodes`, others think for ever at `--depth`: try `--movetime`; or watch it \
                 by hand in `mendel match ENGINE ENGINE --games 2`",
            )
        })
    }

    fn one(&self, param: &Param, base: &[ProbeResult], noise: ProbeDifference) -> OptionProbe {
        let mut probed = OptionProbe {
            param: param.clone(),
            visible: false,
            infeasible: Vec::new(),
        };
        let differs = |value: i64| -> Result<ProbeDifference, ProbeFailure> {
            Ok(difference(base, &self.look(Some((param, value)))?))
        };
        // An engine that differs from itself tells by its moves alone: twice the noise is
        // more than chance often gives. One that plays as it likes does not tell, and every
        // option may have an effect.
        let is_visible = |it: ProbeDifference| {
            if noise.anything == 0.0 {
                it.anything > 0.0
            } else {
                it.moves > 2.0 * noise.moves || noise.moves >= 0.5
            }
        };

        // 1. Both ends, or as far towards them as the engine goes.
        let ends: Vec<i64> = match param.kind {
            ParamKind::Combo => (param.low..=param.high).collect(),
            _ => vec![param.low, param.high],
        };
        for end in ends.into_iter().filter(|&end| end != param.start) {
            let mut value = end;
            for _ in 0..=HALVINGS {
                if self.stop.load(Ordering::Relaxed) {
                    return probed;
                }
                match differs(value) {
                    Ok(found) => {
                        probed.visible |= is_visible(found);
                        break;
                    }
                    Err(failure) => {
                        probed.infeasible.push(Infeasible {
                            options: options_line([(&*param.name, &*param.text(value))]),
                            reason: failure.to_string(),
                        });
                        // Words have no middle.
                        value = match param.kind {
                            ParamKind::Combo => param.start,
                            _ => param.start + (value - param.start) / 2,
                        };
                    }
                }
                if value == param.start {
                    break;
                }
            }
            if param.kind == ParamKind::Combo {
                if value != end {
                    let word = param.text(end);
                    probed.param.values.retain(|it| *it != word);
                }
                continue;
            }
            if end == param.low {
                probed.param.low = value;
            } else {
                probed.param.high = value;
            }
        }
        if param.kind == ParamKind::Combo {
            // The words that are left move up.
            let start = param.text(param.start);
            let words = &probed.param.values;
            let place = words.iter().position(|it| *it == start);
            probed.param.start = place.unwrap_or(0) as i64;
            probed.param.high = words.len() as i64 - 1;
        }
        probed.visible &= probed.param.low < probed.param.high;
        if !probed.visible || param.kind != ParamKind::Spin {
            return probed;
        }

        // 2. The step: towards the farther end.
        let (low, high) = (probed.param.low, probed.param.high);
        let (down, up) = (param.start - low, high - param.start);
        let way = if up >= down { up } else { -down };
        let mut step = probed.param.width() * LARGEST_STEP;
        let mut before = param.start;
        for share in SHARES {
            let value = param.start + libm::rint(way as f64 * share) as i64;
            if value == before || self.stop.load(Ordering::Relaxed) {
                continue;
            }
            before = value;
            let changed = differs(value).map_or(1.0, |found| found.moves);
            if changed >= STEP_CHANGES.max(2.0 * noise.moves) {
                step = step.min((value - param.start).abs() as f64);
                break;
            }
        }
        let step = libm::rint(step).max(1.0);
        let reach = (REACH * step) as i64;
        probed.param.step = step;
        probed.param.low = low.max(param.start.saturating_sub(reach));
        probed.param.high = high.min(param.start.saturating_add(reach));
        probed
    }

    /// Has the engine think about all positions, each with nothing remembered.
    fn look(&self, changed: Option<(&Param, i64)>) -> Result<Vec<ProbeResult>, ProbeFailure> {
        let text = changed.map(|(param, value)| (param.name.as_str(), param.text(value)));
        let options = text.iter().map(|(name, value)| (*name, value.as_str()));
        let entrant = self.engine.with_options(options);
        let mut analyst = entrant.start_analyst().map_err(|error| ProbeFailure {
            error: error.fault.into(),
            recent_output: error.last_words,
        })?;
        let request = AnalysisRequest {
            limit: probing(self.pace),
            lines: 1,
            deadline: DEADLINE,
        };
        let mut looks = Vec::new();
        for fen in POSITIONS.iter().step_by(EVERY) {
            let game = Game::new(Position::from_fen(fen).expect("the positions are tested"));
            let lines = analyst.analyse(&game, &request, self.stop);
            let lines = lines.map_err(|error| ProbeFailure {
                error,
                recent_output: analyst.recent_output(),
            })?;
            let best = lines.first();
            looks.push(best.map(|it| (it.pv[0], it.score, it.depth, it.nodes)));
        }
        Ok(looks)
    }
}

/// What a search may use so that it always finds the same.
fn probing(pace: Pace) -> Pace {
    if pace.is_repeatable() {
        return pace;
    }
    Pace::depth(DEPTH)
}

fn difference(one: &[ProbeResult], other: &[ProbeResult]) -> ProbeDifference {
    let share = |differs: &dyn Fn(&ProbeResult, &ProbeResult) -> bool| {
        let pairs = one.iter().zip(other);
        pairs.filter(|(a, b)| differs(a, b)).count() as f64 / one.len().max(1) as f64
    };
    ProbeDifference {
        moves: share(&|a, b| a.map(|it| it.0) != b.map(|it| it.0)),
        anything: share(&|a, b| a != b),
    }
}

#[derive(Debug)]
struct ProbeFailure {
    error: AnalystError,
    recent_output: Vec<String>,
}

/// The fault, and the last line of its output.
impl fmt::Display for ProbeFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            AnalystError::Fault(Fault::Illegal { text }) => {
                write!(f, "it gave no legal move: `{text}`")?;
            }
            error => write!(f, "it {error}")?,
        }
        match self.recent_output.last() {
            Some(last) => write!(f, "; its last words: {last}"),
            None => Ok(()),
        }
    }
}
