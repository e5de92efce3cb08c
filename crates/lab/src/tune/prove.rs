//! The proposal against the start: a sequential test on openings held out.

use std::collections::BTreeMap;
use std::path::Path;

use mendel_arena::statistics::Outcomes;
use mendel_arena::{
    Conclusion, Contest, Crew, Entrant, Format, MatchFolder, Opening, OpeningSetting, Order, Plan,
};
use mendel_engine::Player;
use mendel_store::replace;

use super::TuneError;
use super::found::TuneResult;
use super::plan::{TunePlan, position};
use super::play::set;
use super::run::Event;
use crate::pedigree::inherit;
use crate::proof::{MatchProof, PARENT};
use crate::run::Work;

/// Where the games of the proof are.
pub(super) const FOLDER: &str = "proof";

/// Its plan.
const MATCH: &str = "match.toml";

/// The openings that nothing was tuned with.
const HELD_OUT: &str = "held-out.epd";

/// Plays the match, or the rest of it, unless the proposal is the start.
pub(super) fn prove(
    result: &mut TuneResult,
    folder: &Path,
    plan: &TunePlan,
    engine: &Entrant,
    held_out: &[Opening],
    work: &Work,
    watch: &mut dyn FnMut(Event),
) -> Result<(), TuneError> {
    if result.is_start() {
        return Ok(());
    }
    // 1. The match: begun, or gone on with.
    let path = folder.join(FOLDER);
    let (contest, mut there) = if path.join(MATCH).is_file() {
        let (there, mut match_plan) = MatchFolder::resume(&path)?;
        if match_plan.games < plan.proof_games {
            // Longer than when it began.
            match_plan.games = plan.proof_games;
            replace(&path.join(MATCH), match_plan.to_toml().as_bytes())?;
        }
        (Contest::new(match_plan)?, there)
    } else {
        let openings = folder.join(HELD_OUT);
        replace(&openings, epd(held_out).as_bytes())?;
        let values: Vec<i64> = result.values();
        let named = |entrant: &Entrant, name| entrant.with_options([(".name", name)]).text;
        let contest = Contest::new(Plan {
            version: plan.version.clone(),
            event: "Mendel tuning".to_owned(),
            players: vec![
                named(&set(engine, &plan.params, &values), "tuned"),
                named(engine, "start"),
            ],
            format: Format::RoundRobin,
            games: plan.proof_games,
            openings: Some(std::path::absolute(&openings).unwrap_or(openings)),
            names: None,
            anchor: None,
            directory: plan.directory.clone(),
            most_faults: Plan::MOST_FAULTS,
            final_positions: false,
            fingerprints: BTreeMap::new(),
            pace: plan.pace,
            opening: OpeningSetting {
                order: Order::InOrder,
                seed: plan.seed,
                ..OpeningSetting::default()
            },
            patience: plan.patience,
            adjudication: plan.adjudication.clone(),
            sprt: Some(plan.sprt),
        })?;
        let there = MatchFolder::create(&path, contest.plan())?;
        (contest, there)
    };

    // 2. The games.
    let total = contest.total();
    let crew = Crew::of(work.crew.as_ref(), &path, work.threads)?;
    let summary = contest.run(&mut there, crew, &work.stop, &mut |progress| {
        let done = progress.standing.games();
        watch(Event::Proof { done, total });
    })?;
    if summary.conclusion == Conclusion::Unfinished {
        return Err(TuneError::Stopped);
    }

    // 3. What they say. Who misbehaves too often does so again.
    let pairs = summary.pairings[0].pairs;
    let test = plan.sprt.test().map_err(mendel_arena::ContestError::from)?;
    let ended = matches!(summary.conclusion, Conclusion::TooManyFaults { .. });
    let left = test.judge(&Outcomes::Pairs(pairs)).games_left;
    result.games_left = left.filter(|_| !ended);
    result.proof = Some(MatchProof::of(
        &summary,
        Some(&plan.sprt),
        "the start".to_owned(),
        PARENT,
        format!("{}, pairs from openings held out", plan.pace),
    ));
    Ok(())
}

fn epd(openings: &[Opening]) -> String {
    let mut text = String::new();
    for opening in openings {
        text.push_str(&position(opening));
        text.push_str(";\n");
    }
    text
}

/// A player of ours with what was found, and where that comes from.
pub(super) fn player(
    start: &Player,
    plan: &TunePlan,
    result: &TuneResult,
) -> Result<Player, TuneError> {
    let mut player = start.clone();
    for (param, value) in plan.params.iter().zip(result.values()) {
        let set = player.set(&param.name, value);
        set.map_err(|error| TuneError::Param {
            origin: format!("the player `{}`", start.name),
            name: param.name.clone(),
            reason: error.to_string(),
        })?;
    }
    let mut pedigree = toml::Table::new();
    pedigree.insert("run".into(), result.id.clone().into());
    pedigree.insert("recipe".into(), "tune".into());
    pedigree.insert("seed".into(), plan.seed.to_string().into());
    pedigree.insert("version".into(), plan.version.clone().into());
    inherit(&mut pedigree, &[start]);
    Ok(Player {
        name: format!("{}-tuned-{}", start.name, plan.seed),
        about: format!(
            "{} with {} numbers tuned in {} games",
            start.name,
            plan.params.len(),
            plan.games
        ),
        pedigree,
        ..player
    })
}
