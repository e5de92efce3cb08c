//! The tuning itself: rounds of duels, validations between them, the proof.

use std::time::{Duration, Instant};

use mendel_arena::statistics::{EloEstimate, Outcomes};
use mendel_arena::{CrewFile, Entrant, Opening};
use mendel_crew::Crew;
use mendel_evolve::tuners::{Duel, Outcome, Pairs as Pentanomial, Setting, Tuner as _};
use mendel_store::frame::{
    Experiment, Failure, Flush, Folder, Frame, Identity, Memo, OrInvalid as _, Preparation,
};
use mendel_store::{InputHashes, Journal};
use toml::Table;

use super::journal::{PAIRS, PairPurpose, SYNC, TunedPair};
use super::plan::fewer_games;
use super::play::{DuelResult, DuelRunner, ParamDuel, TuneRound, line};
use super::result::found;
use super::state::{TuneState, values};
use super::used_openings::UsedOpenings;
use super::{ENGINE, prove, refuse};
use crate::proof::ALL_PLAYED;
use crate::record::{Infeasible, ROUNDS, TunePlan, TuneResult, TunedDuel, TunedRound, Validation};

/// A tuning whose plan was checked: the engine is known, the openings could be read and are
/// enough, and the tuner takes the parameters.
#[derive(Debug)]
pub struct Tune {
    pub(super) plan: TunePlan,
    pub(super) options: TuneOptions,
    pub(super) engine: Entrant,
    openings: Vec<Opening>,
    pub(super) held_out: Vec<Opening>,
}

/// How a tuning is carried out; changes none of its values.
#[derive(Clone, Debug)]
pub struct TuneOptions {
    /// Who plays: threads of this process, or workers elsewhere.
    pub crew: Crew,
    /// Whether the proposal is tested against the start at the end.
    pub proof: bool,
    /// The most games of that test, where another number is requested than the plan has.
    pub proof_games: Option<u64>,
}

/// The checkpoint is written no more often than this; what came after it is found
/// again in the memo.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(10);

/// If a player failed in each of the first duels, from this number on the tuning ends: the
/// values are not the reason.
const ALL_FAIL: usize = 4;

const GAMES: &str = "games";

impl Experiment for Tune {
    const KIND: &'static str = "tune";
    const SCHEMA: u32 = 1;
    const PLAN: &'static str = TunePlan::FILE;
    type Plan = TunePlan;
    type ExecOptions = TuneOptions;
    type Outcome = TuneResult;

    fn prepare(
        plan: TunePlan,
        _seed: u64,
        options: &TuneOptions,
        context: &Preparation,
    ) -> Result<Self, Failure> {
        let engine = plan.entrant().or_invalid_with(ENGINE)?;
        let (openings, held_out) = plan.parts()?;
        plan.new_tuner()?;
        let tune = Self {
            plan,
            options: options.clone(),
            engine,
            openings,
            held_out,
        };
        let games = tune.proof_games();
        if options
            .proof_games
            .is_some_and(|requested| games < requested)
        {
            context.note(fewer_games(games));
        }
        Ok(tune)
    }

    fn identity(&self) -> Identity {
        Identity {
            id: self.plan.id(),
            name: self.engine.name.clone(),
            facts: Table::new(),
        }
    }

    fn inputs(&self) -> Result<InputHashes, Failure> {
        self.plan.inputs()
    }

    /// A tuning without its proof, or with a proof that ended for want of games and may have more
    /// now, is not finished.
    fn satisfies(outcome: &TuneResult, options: &TuneOptions) -> bool {
        if !options.proof || outcome.is_start() {
            return true;
        }
        let Some(proof) = &outcome.proof else {
            return false;
        };
        let most = outcome.most_games.unwrap_or(u64::MAX);
        let requested = options.proof_games.map_or(0, |games| games.min(most));
        proof.conclusion != ALL_PLAYED || proof.games >= requested
    }

    fn run(self, frame: &mut Frame) -> Result<TuneResult, Failure> {
        // 1. What there is.
        if !frame.is_resumed() {
            self.introduce(frame);
        }
        let mut state = match frame.read_checkpoint::<TuneState>()? {
            Some(state) => state,
            None => TuneState::new(&self.plan)?,
        };
        let (mut rounds, _) = frame.journal::<TunedRound>(ROUNDS)?;
        let mut executor = TuneExecutor {
            tune: &self,
            frame,
            crew: self.options.crew.bind(CrewFile::of(frame.path())),
            memo: frame.memo(PAIRS, SYNC)?,
            used: state.used_openings(&self.plan, &self.engine, self.openings.len()),
            played: state.played(&self.plan),
        };
        executor.report_progress();

        // 2. The rounds.
        executor.play_rounds(&mut state, &mut rounds)?;
        let spared_games = executor.used.spared_games();
        executor.memo.finish_with(|_| true)?;

        // 3. What was found, and whether it is better.
        let mut result = self.result(state);
        result.spared_games = spared_games;
        result.conclude();
        if !frame.has(Folder::RESULT) {
            // A proof may take long, and what was found can be used already.
            prove::write_champion(&self, frame, &result)?;
        }
        if self.options.proof {
            prove::prove(&self, frame, &mut result)?;
            result.conclude();
        }
        prove::write_champion(&self, frame, &result)?;
        Ok(result)
    }
}

impl Tune {
    /// The most games of the proof: where games repeat, no more than the openings held out give.
    pub(super) fn proof_games(&self) -> u64 {
        let most = self.most_proof_games().unwrap_or(u64::MAX);
        self.options
            .proof_games
            .unwrap_or(self.plan.proof_games)
            .min(most)
    }

    fn most_proof_games(&self) -> Option<u64> {
        let pairs = self.plan.most_pairs(&self.engine, &self.held_out);
        pairs.map(|pairs| 2 * pairs)
    }

    fn introduce(&self, frame: &Frame) {
        let plan = &self.plan;
        let (params, games, pace) = (plan.params.len(), plan.games, plan.pace);
        let events = frame.events();
        events.note(format!(
            "tuning {params} parameters with {games} games at {pace}"
        ));
        for it in &plan.aside {
            events.note(format!("not tuned: {} ({})", it.name, it.reason));
        }
        for it in &plan.infeasible {
            events.note(format!("infeasible: {} ({})", it.options, it.reason));
        }
    }

    fn result(&self, state: TuneState) -> TuneResult {
        let plan = &self.plan;
        let mut proposal = values(&plan.params, &state.tuner.proposal());
        if state.is_refused(plan, &proposal) {
            proposal = plan.params.iter().map(|it| it.start).collect();
        }
        TuneResult {
            left_out: state.left_out,
            most_games: self.most_proof_games(),
            ..found(plan, &state.tuner, &proposal, state.curve, state.infeasible)
        }
    }
}

struct TuneExecutor<'a> {
    tune: &'a Tune,
    frame: &'a Frame,
    crew: Crew,
    memo: Memo<TunedPair>,
    used: UsedOpenings,
    played: u64,
}

impl TuneExecutor<'_> {
    fn report_progress(&self) {
        let total = Some(self.tune.plan.games);
        self.frame.events().progress(GAMES, self.played, total);
    }

    /// Plays until the tuner has had its games and all validations are done.
    fn play_rounds(
        &mut self,
        state: &mut TuneState,
        rounds: &mut Journal<TunedRound>,
    ) -> Result<(), Failure> {
        let plan = &self.tune.plan;
        let mut written = Instant::now();
        loop {
            while state.validation_is_due(plan) {
                self.validate(state)?;
            }
            let duels = state.tuner.ask();
            if duels.is_empty() {
                break;
            }
            let round = self.round(state, duels)?;
            rounds.append(&round)?;
            self.frame.events().record("round", &round);
            if written.elapsed() >= CHECKPOINT_INTERVAL {
                let journals: &mut [&mut dyn Flush] = &mut [rounds, &mut self.memo];
                self.frame.write_checkpoint(state, journals)?;
                written = Instant::now();
            }
        }
        while (state.curve.len() as u32) < plan.validations {
            self.validate(state)?;
        }
        let journals: &mut [&mut dyn Flush] = &mut [rounds, &mut self.memo];
        Ok(self.frame.write_checkpoint(state, journals)?)
    }

    /// Plays a round and passes its results to the tuner.
    fn round(&mut self, state: &mut TuneState, duels: Vec<Duel>) -> Result<TunedRound, Failure> {
        // 1. The games.
        let params = &self.tune.plan.params;
        let wanted: Vec<ParamDuel> = duels
            .iter()
            .map(|duel| ParamDuel {
                first: values(params, &duel.first),
                second: values(params, &duel.second),
                pairs: duel.pairs.into(),
            })
            .collect();
        let played = self.play(TuneRound {
            purpose: PairPurpose::Duel,
            number: state.round,
            opening: state.pairs,
            duels: &wanted,
        })?;
        let requested: u64 = wanted.iter().map(|it| it.pairs).sum();

        // 2. Their results.
        let mut outcomes = Vec::with_capacity(played.len());
        let mut tuned = Vec::with_capacity(played.len());
        for (duel, result) in wanted.into_iter().zip(played) {
            let outcome = self.outcome(state, &duel, result)?;
            outcomes.push(outcome);
            tuned.push(TunedDuel {
                first: duel.first,
                second: duel.second,
                outcome,
            });
        }
        check_any_works(state, &outcomes)?;

        // 3. The tuner.
        state.tuner.tell(duels, &outcomes);
        state.round += 1;
        state.pairs += requested;
        Ok(TunedRound {
            round: state.round - 1,
            games: 2 * state.pairs,
            duels: tuned,
            proposal: values(params, &state.tuner.proposal()),
        })
    }

    /// The proposal of the moment against the start, on openings held out.
    fn validate(&mut self, state: &mut TuneState) -> Result<(), Failure> {
        let params = &self.tune.plan.params;
        let number = state.curve.len() as u32;
        let pairs = self.tune.plan.validation_games / 2;
        let duel = ParamDuel {
            first: values(params, &state.tuner.proposal()),
            second: params.iter().map(|it| it.start).collect(),
            pairs,
        };
        let duels = [duel];
        let mut results = self.play(TuneRound {
            purpose: PairPurpose::Validation,
            number,
            opening: u64::from(number) * pairs,
            duels: &duels,
        })?;
        let [duel] = duels;
        let result = results.swap_remove(0);
        let counts = result.pairs;
        let outcome = self.outcome(state, &duel, result)?;
        if outcome.failed()[0] {
            let values = duel.first.iter().map(|&value| value as f64);
            state.tuner.refuse(&Setting(values.collect()));
        }
        let elo = EloEstimate::of(&Outcomes::Pairs(counts));
        let same = duel.first == duel.second;
        let validation = Validation {
            games: 2 * state.pairs,
            proposal: duel.first,
            pairs: counts,
            // The start is as strong as itself.
            elo: if same { Some(0.0) } else { elo.elo },
            interval: if same {
                [Some(0.0); 2]
            } else {
                [elo.low, elo.high]
            },
        };
        self.frame.events().record("validated", &validation);
        state.curve.push(validation);
        Ok(())
    }

    fn play(&mut self, round: TuneRound) -> Result<Vec<DuelResult>, Failure> {
        let Tune {
            plan,
            engine,
            openings,
            held_out,
            ..
        } = self.tune;
        // Every validation is a match of its own.
        let mut own = UsedOpenings::new(held_out.len(), plan.repeats(engine));
        let (openings, used) = match round.purpose {
            PairPurpose::Duel => (openings, &mut self.used),
            PairPurpose::Validation => (held_out, &mut own),
        };
        let runner = DuelRunner {
            plan,
            engine,
            openings,
            crew: &self.crew,
            stop: self.frame.stop(),
        };
        let (played, events) = (&mut self.played, self.frame.events());
        runner.play(round, used, &mut self.memo, &mut || {
            *played += 2;
            events.progress(GAMES, *played, Some(plan.games));
        })
    }

    /// The result of a duel as the tuner gets it; values that do not work are recorded.
    fn outcome(
        &self,
        state: &mut TuneState,
        duel: &ParamDuel,
        result: DuelResult,
    ) -> Result<Outcome, Failure> {
        let params = &self.tune.plan.params;
        let [first, second] = [result.failed[0].is_some(), result.failed[1].is_some()];
        let is_start = |values: &[i64]| params.iter().map(|it| it.start).eq(values.iter().copied());
        if is_start(&duel.first) || is_start(&duel.second) {
            state.watch_start(duel.pairs, result.left_out)?;
        }
        for (values, reason) in [&duel.first, &duel.second].into_iter().zip(result.failed) {
            let Some(reason) = reason else {
                continue;
            };
            let options = line(params, values);
            let infeasible = Infeasible { options, reason };
            if state.refuse(&infeasible) {
                self.frame.events().record("infeasible", &infeasible);
            }
        }
        Ok(if first || second {
            Outcome::Infeasible {
                first,
                second,
                clean: Pentanomial(result.pairs),
            }
        } else {
            Outcome::Played(Pentanomial(result.pairs))
        })
    }
}

/// Gives up where a player failed in every duel so far.
fn check_any_works(state: &TuneState, outcomes: &[Outcome]) -> Result<(), Failure> {
    let earlier = state.tuner.record().iter().map(|it| &it.outcome);
    let failed = |it: &&Outcome| it.failed() != [false; 2];
    // Duels without games are not counted.
    let mut tried = earlier
        .chain(outcomes)
        .filter(|it| failed(it) || !it.pairs().is_empty());
    if tried.clone().count() >= ALL_FAIL
        && tried.all(|it| failed(&it))
        && let Some(Infeasible { options, reason }) = state.infeasible.last().cloned()
    {
        let what = format!(
            "the engine fails with every setting that was tried, such as `{options}`: {reason}"
        );
        return Err(refuse(
            what,
            "the bounds of the parameter file may reach too far: `mendel tune ENGINE --write FILE` \
             probes where the engine works",
        ));
    }
    Ok(())
}
