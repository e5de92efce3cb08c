//! From a request to a plan: everything is checked before anything is played.

use std::collections::BTreeSet;
use std::path::PathBuf;

use mendel_arena::{Entrant, Pace};
use mendel_engine::uci::OptionLine;
use mendel_evolve::tuners::TunerPlan;

use super::TuneError;
use super::choose::{choose, left_out};
use super::params::ParamFile;
use super::plan::{
    LEAST_GAMES, Limit, TunePlan, fixed, hash_of, hash_of_file, usual_adjudication, usual_patience,
    usual_sprt,
};
use super::play::set;
use super::probe::Probe;
use super::run::Event;
use crate::run::Work;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Order {
    /// The engine, as on the command line; what it is set to there is where it starts.
    pub engine: String,
    /// What is tuned.
    pub what: What,
    /// Games before the proof.
    pub games: u64,
    /// The most games of the proof; 0 for none.
    pub proof_games: u64,
    /// What a move may use.
    pub pace: Pace,
    /// The tuner's name; the usual one if not given.
    pub tuner: Option<String>,
    /// A file of openings.
    pub openings: Option<PathBuf>,
    /// Chance.
    pub seed: u64,
    /// Pairs that a round should have at least.
    pub batch: u32,
    /// What to type to tune again.
    pub command: String,
}

/// What is tuned.
#[derive(Clone, Debug)]
pub enum What {
    /// The options whose names match a pattern; all if there is none.
    Options(Vec<String>),
    /// What a parameter file says.
    File(PathBuf),
}

/// Asks the engine what it offers, finds out what does anything, and makes a plan of
/// it; `watch` hears of the probe.
///
/// # Errors
///
/// If the request cannot be met.
pub fn prepare(
    order: &Order,
    work: &Work,
    watch: &(dyn Fn(Event) + Sync),
) -> Result<TunePlan, TuneError> {
    // 1. What costs nothing.
    let refuse = |what, reason: String| Err(TuneError::Setting { what, reason });
    if order.pace == Pace::default() {
        let reason = "or `--depth`, `--movetime`, `--tc` is needed: how long a move may take";
        return refuse("--nodes", reason.to_owned());
    }
    if order.games < LEAST_GAMES {
        let reason = format!("is {}; it must be at least {LEAST_GAMES}", order.games);
        return refuse("--games", reason);
    }
    let tuner = match &order.tuner {
        None => TunerPlan::default(),
        Some(name) => {
            let Some(tuner) = TunerPlan::named(name) else {
                let all = TunerPlan::all();
                let names: Vec<&str> = all.iter().map(TunerPlan::name).collect();
                let names = names.join(", ");
                return refuse("--tuner", format!("is `{name}`; the tuners are {names}"));
            };
            tuner
        }
    };

    // 2. The engine and what it offers.
    let entrant = Entrant::parse(&order.engine)?;
    let entrant = fixed(&entrant, &offers(&entrant)?);
    let offers = offers(&entrant)?;

    // 3. The parameters: a person's own are taken as they are.
    let probe = Probe {
        engine: &entrant,
        pace: entrant.pace.unwrap_or(order.pace),
        threads: work.threads,
        stop: &work.stop,
    };
    let file = match &order.what {
        What::File(path) => {
            let file = ParamFile::read(path, &offers)?;
            let starts: Vec<i64> = file.params.iter().map(|it| it.start).collect();
            let engine = &set(&entrant, &file.params, &starts);
            Probe { engine, ..probe }.start()?;
            file
        }
        What::Options(patterns) => {
            let params = choose(&entrant.name, &offers, patterns)?;
            let total = params.len();
            let mut file = probe.run(&params, &|done| watch(Event::Probed { done, total }))?;
            file.aside.extend(left_out(&offers, patterns, &params));
            file
        }
    };
    // A file may start elsewhere; whoever meets the start must meet that.
    let starts: Vec<i64> = file.params.iter().map(|it| it.start).collect();
    let entrant = set(&entrant, &file.params, &starts);
    let plan = TunePlan {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: order.command.clone(),
        engine_hash: hash_of(&entrant),
        engine: entrant.text.clone(),
        directory: std::env::current_dir().unwrap_or_default(),
        seed: order.seed,
        games: order.games,
        validations: 0,
        validation_games: 0,
        proof_games: order.proof_games,
        batch: order.batch,
        openings_hash: order.openings.as_deref().and_then(hash_of_file),
        openings: order.openings.clone(),
        pace: order.pace,
        sprt: usual_sprt(),
        patience: usual_patience(),
        adjudication: usual_adjudication(),
        tuner,
        limits: Limit::of(&offers, &file.params),
        params: file.params,
        aside: file.aside,
        infeasible: file.infeasible,
    };
    let (_, held_out) = plan.parts()?;
    let most = plan.most_pairs(&entrant, &held_out);
    Ok(plan.with_games(order.games, most))
}

/// What an engine offers. Some name an option twice; the first counts.
fn offers(engine: &Entrant) -> Result<Vec<OptionLine>, TuneError> {
    let mut offers = engine.offers()?;
    let mut seen = BTreeSet::new();
    offers.retain(|it| seen.insert(it.name.to_lowercase()));
    Ok(offers)
}
