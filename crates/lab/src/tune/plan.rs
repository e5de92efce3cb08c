//! From a request to a plan: the options are read and probed, and everything is checked before
//! anything is written or played.

use std::collections::BTreeSet;
use std::path::PathBuf;

use mendel_arena::{Entrant, Pace, absolute_player};
use mendel_engine::uci::OptionLine;
use mendel_evolve::tuners::TunerPlan;
use mendel_store::frame::{Failure, OrInvalid as _, Preparation};

use super::choose::{choose, left_out};
use super::params::ParamFile;
use super::play::set;
use super::probe::Probe;
use super::tune_plan::{LEAST_GAMES, fixed, hash_of, hash_of_file, usual_adjudication};
use super::{ENGINE, HELP, refuse};
use crate::games;
use crate::recipe::ProofSettings;
use crate::record::{Limit, TunePlan};

#[derive(Clone, Debug)]
pub struct TuneRequest {
    /// The engine, as on the command line; what it is set to there is where it starts.
    pub engine: String,
    pub what: TuneTarget,
    pub games: u64,
    pub proof_games: u64,
    pub pace: Pace,
    /// The tuner's name; the usual one if not given.
    pub tuner: Option<String>,
    /// A file of openings.
    pub openings: Option<PathBuf>,
    pub seed: u64,
    /// Pairs that a round should have at least.
    pub batch: u32,
}

#[derive(Clone, Debug)]
pub enum TuneTarget {
    /// The options whose names match a pattern; all if there is none.
    Options(Vec<String>),
    File(PathBuf),
}

/// Asks the engine what it offers, finds out by a few searches which options have an effect, and
/// makes a plan of it. Takes minutes and writes nothing; the listener of `context` is told how
/// far it is.
///
/// # Errors
///
/// If the request cannot be met, or the stop flag is set.
pub fn plan(
    request: &TuneRequest,
    threads: usize,
    context: &Preparation,
) -> Result<TunePlan, Failure> {
    // 1. What costs nothing.
    let refuse = |what, reason: String| Err(refuse(format!("`{what}` {reason}"), HELP));
    if request.pace == Pace::default() {
        let reason = "or `--depth`, `--movetime`, `--tc` is needed: how long a move may take";
        return refuse("--nodes", reason.to_owned());
    }
    if request.games < LEAST_GAMES {
        let reason = format!("is {}; it must be at least {LEAST_GAMES}", request.games);
        return refuse("--games", reason);
    }
    let tuner = match &request.tuner {
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
    // Paths are meant from here, also when it is resumed elsewhere.
    let engine = absolute_player(&request.engine).or_invalid_with(ENGINE)?;
    let entrant = Entrant::parse(&engine).or_invalid_with(ENGINE)?;
    let entrant = fixed(&entrant, &offers(&entrant)?);
    let offers = offers(&entrant)?;

    // 3. The parameters: a person's own are taken as they are.
    let probe = Probe {
        engine: &entrant,
        pace: entrant.pace.unwrap_or(request.pace),
        threads,
        stop: context.stop(),
    };
    let file = match &request.what {
        TuneTarget::File(path) => {
            let file = ParamFile::read(path, &offers)?;
            let starts: Vec<i64> = file.params.iter().map(|it| it.start).collect();
            let engine = &set(&entrant, &file.params, &starts);
            Probe { engine, ..probe }.start()?;
            file
        }
        TuneTarget::Options(patterns) => {
            let params = choose(&entrant.name, &offers, patterns)?;
            let total = params.len() as u64;
            context.progress(PROBED, 0, Some(total));
            let mut file = probe.run(&params, &|done| {
                context.progress(PROBED, done as u64, Some(total));
            })?;
            file.aside.extend(left_out(&offers, patterns, &params));
            file
        }
    };
    // A file may start elsewhere; the opponents of the start must meet that.
    let starts: Vec<i64> = file.params.iter().map(|it| it.start).collect();
    let entrant = set(&entrant, &file.params, &starts);
    let plan = TunePlan {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        engine_hash: hash_of(&entrant),
        engine: entrant.text.clone(),
        seed: request.seed,
        games: request.games,
        validations: 0,
        validation_games: 0,
        proof_games: request.proof_games,
        batch: request.batch,
        openings_hash: request.openings.as_deref().and_then(hash_of_file),
        openings: request.openings.clone(),
        pace: request.pace,
        sprt: ProofSettings::default().sprt(),
        patience: games::tolerant(),
        adjudication: usual_adjudication(),
        tuner,
        limits: Limit::of(&offers, &file.params),
        params: file.params,
        aside: file.aside,
        infeasible: file.infeasible,
    };
    let (_, held_out) = plan.parts()?;
    let most = plan.most_pairs(&entrant, &held_out);
    let plan = plan.with_games(request.games, most);
    if plan.proof_games < request.proof_games {
        context.note(fewer_games(plan.proof_games));
    }
    Ok(plan)
}

/// The part of the work that is the probe.
const PROBED: &str = "options probed";

/// What is said where openings are too few for the proof that was requested.
pub(super) fn fewer_games(games: u64) -> String {
    format!(
        "the proof has at most {games} games: at a fixed depth or number of nodes each opening held out gives one pair"
    )
}

/// What to do about an engine that does not get ready.
const PROTOCOL: &str = "an engine is `uci:PROGRAM ARGUMENTS?Name=Value`, and has to speak UCI: programs of the \
                        xboard protocol, such as fairymax, cannot be tuned";

/// What an engine offers. Some name an option twice; the first counts.
fn offers(engine: &Entrant) -> Result<Vec<OptionLine>, Failure> {
    let offers = engine.offers();
    let mut offers = offers.map_err(|error| {
        Failure::invalid(format!("the engine cannot be tuned: {error}")).with_hint(PROTOCOL)
    })?;
    let mut seen = BTreeSet::new();
    offers.retain(|it| seen.insert(it.name.to_lowercase()));
    Ok(offers)
}
