//! The tuning itself: rounds of duels, validations between them, the proof.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use mendel_arena::statistics::{EloEstimate, Outcomes};
use mendel_arena::{Crew, Entrant, Kind, Opening};
use mendel_evolve::tuners::{AnyTuner, Duel, Outcome, Pairs as Points, Setting, Tuner as _};
use mendel_store::{FolderLock, Journal, Record, Sync, replace};
use serde::{Deserialize, Serialize};

use super::TuneError;
use super::found::{TuneResult, Validation, found};
use super::fresh::Fresh;
use super::journal::{Pairs, Purpose};
use super::params::{Infeasible, Param};
use super::plan::TunePlan;
use super::play::{LeftOut, Meeting, Met, Round, Table, line};
use super::prove;
use crate::run::Work;

/// What happens while an engine is tuned.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// So many options were probed.
    Probed {
        /// So many.
        done: usize,
        /// Of so many.
        total: usize,
    },
    /// Another pair was played, or found.
    Played {
        /// Games so far.
        done: u64,
        /// Games in all before the proof.
        total: u64,
    },
    /// A round is over.
    Round(&'a TunedRound),
    /// The proposal of the moment met the start.
    Validated(&'a Validation),
    /// Values at which the engine fails.
    Failed(&'a Infeasible),
    /// A game of the proof is over.
    Proof {
        /// Games so far.
        done: u64,
        /// The most there can be.
        total: u64,
    },
}

/// A line of `rounds.jsonl`: what the tuner asked for, and what it would propose then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunedRound {
    /// Counted from 0.
    pub round: u32,
    /// Games of the tuner so far.
    pub games: u64,
    /// The duels and how they ended.
    pub duels: Vec<TunedDuel>,
    /// What it proposes now, a value for each parameter.
    pub proposal: Vec<i64>,
}

/// A duel of a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunedDuel {
    /// The values of the first.
    pub first: Vec<i64>,
    /// The values of the second.
    pub second: Vec<i64>,
    /// How it ended for the first.
    pub outcome: Outcome,
}

impl Record for TunedRound {
    const VERSION: u32 = 1;
}

/// The file of the rounds in the folder of a tuning.
pub const ROUNDS: &str = "rounds.jsonl";

/// Where the tuning stands.
const CHECKPOINT: &str = "checkpoint";

/// What was found, as it is set or pasted; `.toml` for players of ours.
pub const CHAMPION: &str = "champion.txt";

/// The checkpoint is written no more often than this; what came after it is found
/// again in the journal.
const CHECKPOINTS: Duration = Duration::from_secs(10);

/// Where a tuning stands: all that is needed to go on as if nothing had happened.
#[derive(Debug, Serialize, Deserialize)]
struct State {
    /// Of the plan it belongs to.
    id: String,
    round: u32,
    /// Pairs that the tuner asked for so far.
    pairs: u64,
    tuner: AnyTuner,
    curve: Vec<Validation>,
    infeasible: Vec<Infeasible>,
    /// Pairs in which the start played.
    start_pairs: u64,
    /// Those of them in which it failed.
    left_out: Vec<LeftOut>,
}

/// The start has to fail on so many different openings, and in this share of its pairs,
/// before it is given up: a fault in some positions is no reason not to tune.
const HOPELESS: (usize, f64) = (3, 0.1);

/// If so many duels have been played and somebody failed in each, it is not a matter of
/// values.
const ALL_FAIL: usize = 4;

/// What is said before the proof is over.
const NOT_YET: &str = "not proved yet: the match against the start is not over";

/// Makes the folder of a tuning.
///
/// # Errors
///
/// If something else is in it, or it cannot be written.
pub fn create(folder: &Path, plan: &TunePlan) -> Result<(), TuneError> {
    fs::create_dir_all(folder).map_err(|source| TuneError::Io {
        path: folder.to_owned(),
        source,
    })?;
    let _lock = FolderLock::take(folder)?;
    let taken = [TunePlan::FILE, crate::run::manifest::Manifest::FILE];
    if taken.iter().any(|file| folder.join(file).exists()) {
        return Err(TuneError::Taken {
            path: folder.to_owned(),
        });
    }
    Ok(replace(
        &folder.join(TunePlan::FILE),
        plan.to_toml().as_bytes(),
    )?)
}

/// Changes how many games the proof of a tuning may have, and tells how many that are:
/// where games repeat, no more than openings held out can give.
///
/// # Errors
///
/// If there is no tuning in `folder`, or somebody is at it.
pub fn allow_proof(folder: &Path, games: u64) -> Result<u64, TuneError> {
    let _lock = FolderLock::take(folder)?;
    let plan = TunePlan::read(folder)?;
    let most = plan.most_pairs(&plan.entrant()?, &plan.parts()?.1);
    let proof_games = games.min(most.map_or(u64::MAX, |pairs| 2 * pairs));
    let text = TunePlan {
        proof_games,
        ..plan
    }
    .to_toml();
    replace(&folder.join(TunePlan::FILE), text.as_bytes())?;
    Ok(proof_games)
}

/// Tunes as the plan in `folder` says, from where it was left.
///
/// # Errors
///
/// If the plan cannot be met any more, the engine fails as it starts, or it was
/// stopped.
pub fn tune(
    folder: &Path,
    work: &Work,
    watch: &mut dyn FnMut(Event),
) -> Result<TuneResult, TuneError> {
    // 1. The plan, and that everything is what it was.
    let plan = TunePlan::read(folder)?;
    plan.prove_same()?;
    let _lock = FolderLock::take(folder)?;
    let engine = plan.entrant()?;
    let (openings, held_out) = plan.parts()?;
    let mut journal = Pairs::open(folder)?;
    let mut state = State::find(folder, &plan)?;
    let mut rounds = rounds(folder, state.round)?;
    let mut running = Running {
        plan: &plan,
        engine: &engine,
        openings: &openings,
        held_out: &held_out,
        work,
        crew: Crew::of(work.crew.as_ref(), folder, work.threads)?,
        journal: &mut journal,
        fresh: state.fresh(&plan, &engine, openings.len()),
        played: state.played(&plan),
    };

    // 2. The rounds.
    let mut written = Instant::now();
    loop {
        while state.validation_is_due(&plan) {
            running.validate(&mut state, watch)?;
        }
        let duels = state.tuner.ask();
        if duels.is_empty() {
            break;
        }
        let round = running.round(&mut state, duels, watch)?;
        rounds.append(&round)?;
        watch(Event::Round(&round));
        if written.elapsed() >= CHECKPOINTS {
            rounds.flush()?;
            state.write(folder)?;
            written = Instant::now();
        }
    }
    while (state.curve.len() as u32) < plan.validations {
        running.validate(&mut state, watch)?;
    }
    rounds.flush()?;
    state.write(folder)?;
    let spared_games = running.fresh.spared_games();
    journal.finish()?;

    // 3. What was found, and whether it is better.
    let mut values = held(&plan.params, &state.tuner.proposal());
    if state.is_refused(&plan, &values) {
        values = plan.params.iter().map(|it| it.start).collect();
    }
    let mut result = found(&plan, &state.tuner, &values, state.curve, state.infeasible);
    result.left_out = state.left_out;
    result.spared_games = spared_games;
    result.most_games = plan.most_pairs(&engine, &held_out).map(|pairs| 2 * pairs);
    result.conclude();
    if TuneResult::read(folder)
        .ok()
        .flatten()
        .is_none_or(|it| it.id != result.id)
    {
        // A proof may take long, and what was found is there already.
        if work.proof && plan.proof_games > 0 && !result.is_start() {
            result.verdict = NOT_YET.into();
        }
        champion(folder, &plan, &engine, &result)?;
        result.write(folder)?;
    }
    if work.proof && plan.proof_games > 0 {
        prove::prove(&mut result, folder, &plan, &engine, &held_out, work, watch)?;
    }
    result.conclude();
    champion(folder, &plan, &engine, &result)?;
    result.write(folder)?;
    Ok(result)
}

/// The validations of a tuning that goes on, and the values found not to work, as its last
/// checkpoint has them.
pub fn so_far(folder: &Path, plan: &TunePlan) -> (Vec<Validation>, Vec<Infeasible>) {
    let state = State::read(folder, plan);
    state.map_or_else(
        || (Vec::new(), plan.infeasible.clone()),
        |it| (it.curve, it.infeasible),
    )
}

impl State {
    /// The checkpoint, if there is one of this plan.
    fn read(folder: &Path, plan: &TunePlan) -> Option<Self> {
        let text = fs::read_to_string(folder.join(CHECKPOINT)).ok()?;
        let state: Self = serde_json::from_str(&text).ok()?;
        (state.id == plan.id()).then_some(state)
    }

    fn find(folder: &Path, plan: &TunePlan) -> Result<Self, TuneError> {
        if let Some(state) = Self::read(folder, plan) {
            return Ok(state);
        }
        // Without one, or with one that is broken, it is played through again from the
        // journal.
        let tuner = AnyTuner::new(
            plan.tuner,
            plan.knobs(),
            plan.tuner_pairs(),
            plan.batch,
            plan.seed,
        );
        Ok(Self {
            id: plan.id(),
            round: 0,
            pairs: 0,
            tuner: tuner.map_err(|error| TuneError::Setting {
                what: "--tuner",
                reason: error.to_string(),
            })?,
            curve: Vec::new(),
            infeasible: plan.infeasible.clone(),
            start_pairs: 0,
            left_out: Vec::new(),
        })
    }

    /// The openings of all duels so far, given out as they were.
    fn fresh(&self, plan: &TunePlan, engine: &Entrant, openings: usize) -> Fresh {
        let mut fresh = Fresh::new(openings, plan.repeats(engine));
        let mut numbers = 0..;
        for Duel {
            first,
            second,
            pairs,
        } in self.tuner.record().iter().map(|it| &it.duel)
        {
            let [first, second] = [first, second].map(|it| held(&plan.params, it));
            for number in numbers.by_ref().take(*pairs as usize) {
                fresh.opening(&first, &second, number);
            }
        }
        fresh
    }

    /// Whether a setting is known not to work.
    fn is_refused(&self, plan: &TunePlan, values: &[i64]) -> bool {
        let options = line(&plan.params, values);
        self.infeasible.iter().any(|it| it.options == options)
    }

    /// Counts how the start did.
    fn watch_start(&mut self, pairs: u64, left_out: Vec<LeftOut>) -> Result<(), TuneError> {
        self.start_pairs += pairs;
        let Some(last) = left_out.last().cloned() else {
            return Ok(());
        };
        self.left_out.extend(left_out);
        let openings: BTreeSet<&str> = self.left_out.iter().map(|it| &*it.opening).collect();
        let pairs = self.left_out.len();
        let (few, share) = HOPELESS;
        if openings.len() >= few && pairs as f64 >= share * self.start_pairs as f64 {
            return Err(TuneError::StartFails { pairs, last });
        }
        Ok(())
    }

    fn write(&self, folder: &Path) -> Result<(), TuneError> {
        let text = serde_json::to_string(self).expect("a state is plain data");
        Ok(replace(&folder.join(CHECKPOINT), text.as_bytes())?)
    }

    /// Games so far, of the tuner and of the validations.
    fn played(&self, plan: &TunePlan) -> u64 {
        2 * self.pairs + self.curve.len() as u64 * plan.validation_games
    }

    /// Whether the proposal is to meet the start before the next round.
    fn validation_is_due(&self, plan: &TunePlan) -> bool {
        let done = self.curve.len() as u64;
        let parts = u64::from(plan.validations);
        done + 1 < parts && self.pairs * parts >= (done + 1) * plan.tuner_pairs()
    }

    /// Sets down values that do not work, once.
    fn refuse(&mut self, infeasible: Infeasible, watch: &mut dyn FnMut(Event)) {
        if self
            .infeasible
            .iter()
            .all(|it| it.options != infeasible.options)
        {
            watch(Event::Failed(&infeasible));
            self.infeasible.push(infeasible);
        }
    }
}

/// What the parts of a tuning share.
struct Running<'a> {
    plan: &'a TunePlan,
    engine: &'a Entrant,
    openings: &'a [Opening],
    held_out: &'a [Opening],
    work: &'a Work,
    crew: Crew,
    journal: &'a mut Pairs,
    /// Which openings the duels had.
    fresh: Fresh,
    played: u64,
}

impl Running<'_> {
    /// Plays a round and tells the tuner.
    fn round(
        &mut self,
        state: &mut State,
        duels: Vec<Duel>,
        watch: &mut dyn FnMut(Event),
    ) -> Result<TunedRound, TuneError> {
        let params = &self.plan.params;
        let meetings: Vec<Meeting> = duels
            .iter()
            .map(|duel| Meeting {
                first: held(params, &duel.first),
                second: held(params, &duel.second),
                pairs: duel.pairs.into(),
            })
            .collect();
        let round = Round {
            purpose: Purpose::Duel,
            number: state.round,
            opening: state.pairs,
            meetings: &meetings,
        };
        let met = self.play(round, watch)?;
        let asked: u64 = meetings.iter().map(|it| it.pairs).sum();
        let mut outcomes = Vec::with_capacity(met.len());
        let mut fought = Vec::with_capacity(met.len());
        for (meeting, met) in meetings.into_iter().zip(met) {
            let outcome = self.outcome(state, &meeting, met, watch)?;
            outcomes.push(outcome);
            fought.push(TunedDuel {
                first: meeting.first,
                second: meeting.second,
                outcome,
            });
        }
        let earlier = state.tuner.record().iter().map(|it| &it.outcome);
        let failed = |it: &&Outcome| it.failed() != [false; 2];
        // One in which nothing was played says nothing.
        let mut tried = earlier
            .chain(&outcomes)
            .filter(|it| failed(it) || !it.pairs().is_empty());
        if tried.clone().count() >= ALL_FAIL
            && tried.all(|it| failed(&it))
            && let Some(Infeasible { options, reason }) = state.infeasible.last().cloned()
        {
            return Err(TuneError::AllFail { options, reason });
        }
        state.tuner.tell(duels, &outcomes);
        state.round += 1;
        state.pairs += asked;
        Ok(TunedRound {
            round: state.round - 1,
            games: 2 * state.pairs,
            duels: fought,
            proposal: held(params, &state.tuner.proposal()),
        })
    }

    /// The proposal of the moment against the start, on openings held out.
    fn validate(
        &mut self,
        state: &mut State,
        watch: &mut dyn FnMut(Event),
    ) -> Result<(), TuneError> {
        let params = &self.plan.params;
        let number = state.curve.len() as u32;
        let pairs = self.plan.validation_games / 2;
        let meeting = Meeting {
            first: held(params, &state.tuner.proposal()),
            second: params.iter().map(|it| it.start).collect(),
            pairs,
        };
        let meetings = [meeting];
        let round = Round {
            purpose: Purpose::Validation,
            number,
            opening: u64::from(number) * pairs,
            meetings: &meetings,
        };
        let mut met = self.play(round, watch)?;
        let [meeting] = meetings;
        let met = met.swap_remove(0);
        let counts = met.pairs;
        let outcome = self.outcome(state, &meeting, met, watch)?;
        if outcome.failed()[0] {
            let values = meeting.first.iter().map(|&value| value as f64);
            state.tuner.refuse(&Setting(values.collect()));
        }
        let elo = EloEstimate::of(&Outcomes::Pairs(counts));
        let same = meeting.first == meeting.second;
        let validation = Validation {
            games: 2 * state.pairs,
            proposal: meeting.first,
            pairs: counts,
            // The start is as strong as itself; no game says so.
            elo: if same { Some(0.0) } else { elo.elo },
            interval: if same {
                [Some(0.0); 2]
            } else {
                [elo.low, elo.high]
            },
        };
        watch(Event::Validated(&validation));
        state.curve.push(validation);
        Ok(())
    }

    fn play(&mut self, round: Round, watch: &mut dyn FnMut(Event)) -> Result<Vec<Met>, TuneError> {
        // Every validation is a match of its own.
        let mut own = Fresh::new(self.held_out.len(), self.plan.repeats(self.engine));
        let (openings, fresh) = match round.purpose {
            Purpose::Duel => (self.openings, &mut self.fresh),
            Purpose::Validation => (self.held_out, &mut own),
        };
        let table = Table {
            plan: self.plan,
            engine: self.engine,
            openings,
            crew: &self.crew,
            stop: &self.work.stop,
        };
        let (played, total) = (&mut self.played, self.plan.games);
        table.play(round, fresh, self.journal, &mut || {
            *played += 2;
            watch(Event::Played {
                done: *played,
                total,
            });
        })
    }

    /// What the tuner is told; who does not work is set down.
    fn outcome(
        &self,
        state: &mut State,
        meeting: &Meeting,
        met: Met,
        watch: &mut dyn FnMut(Event),
    ) -> Result<Outcome, TuneError> {
        let params = &self.plan.params;
        let [first, second] = [met.failed[0].is_some(), met.failed[1].is_some()];
        let is_start = |values: &[i64]| params.iter().map(|it| it.start).eq(values.iter().copied());
        if is_start(&meeting.first) || is_start(&meeting.second) {
            state.watch_start(meeting.pairs, met.left_out)?;
        }
        for (values, reason) in [&meeting.first, &meeting.second]
            .into_iter()
            .zip(met.failed)
        {
            let Some(reason) = reason else {
                continue;
            };
            let options = line(params, values);
            state.refuse(Infeasible { options, reason }, watch);
        }
        Ok(if first || second {
            Outcome::Infeasible {
                first,
                second,
                clean: Points(met.pairs),
            }
        } else {
            Outcome::Played(Points(met.pairs))
        })
    }
}

/// The values of a setting that can be set.
fn held(params: &[Param], setting: &Setting) -> Vec<i64> {
    let values = params.iter().zip(&setting.0);
    values.map(|(param, value)| param.nearest(*value)).collect()
}

/// Opens the file of the rounds, cut back to those of the checkpoint.
fn rounds(folder: &Path, done: u32) -> Result<Journal<TunedRound>, TuneError> {
    const SYNC: Sync = Sync::Every(Duration::MAX);
    let path = folder.join(ROUNDS);
    if path.exists() {
        let known: Vec<TunedRound> = Journal::read(&path)?;
        let kept: Vec<TunedRound> = known.into_iter().filter(|it| it.round < done).collect();
        Journal::rewrite(&path, &kept)?;
    }
    Ok(Journal::open(&path, SYNC)?.0)
}

/// Writes what was found as it is used: options to paste, and a player file where it
/// is a player of ours.
fn champion(
    folder: &Path,
    plan: &TunePlan,
    engine: &Entrant,
    result: &TuneResult,
) -> Result<(), TuneError> {
    use std::fmt::Write as _;
    let mut text = format!("{}\n\n", result.engine_tuned);
    for param in &result.params {
        writeln!(text, "setoption name {} value {}", param.name, param.value)
            .expect("writing to a string does not fail");
    }
    replace(&folder.join(CHAMPION), text.as_bytes())?;
    if let Kind::Bred(player) = &engine.kind {
        let player = prove::player(player, plan, result)?;
        let path = folder.join(crate::run::RunFolder::CHAMPION);
        replace(&path, player.to_toml().as_bytes())?;
    }
    Ok(())
}
