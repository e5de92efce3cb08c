//! The proposal against the start: a sequential test on openings held out, and the files of
//! the champion.

use std::{fs, io};

use mendel_arena::statistics::Outcomes;
use mendel_arena::{Conclusion, Entrant, Kind, Match, MatchOptions, MatchPlan};
use mendel_engine::Player;
use mendel_store::FileError;
use mendel_store::frame::{Failure, Frame, Manifest, OrInvalid as _};

use super::play::set;
use super::run::Tune;
use super::{FITTING, TunePlan, TuneResult, refuse};
use crate::games;
use crate::pedigree;
use crate::proof::{MatchProof, PARENT};
use crate::record;

/// What was found, as it is set or pasted; `.toml` for players of ours.
pub const CHAMPION: &str = "champion.txt";

const PROOF: &str = "proof";

/// The openings that nothing was tuned with.
const HELD_OUT: &str = "held-out.epd";

/// Plays the match, or the rest of it, unless the proposal is the start.
pub(super) fn prove(tune: &Tune, frame: &Frame, result: &mut TuneResult) -> Result<(), Failure> {
    let (plan, engine) = (&tune.plan, &tune.engine);
    let most = tune.proof_games();
    if result.is_start() || most == 0 {
        return Ok(());
    }
    // 1. The match. One that was started keeps its plan; more games than it has are an option.
    let held_out = tune.held_out.iter();
    let held_out = held_out.map(|it| games::epd(it.game().position()));
    frame.write(HELD_OUT, games::epd_file(held_out))?;
    let folder = frame.file(PROOF);
    let most_games = match Manifest::find(&folder).or_invalid()? {
        Some(_) => MatchPlan::read(&folder)?.games,
        None => most,
    };
    let named = |entrant: &Entrant, name| entrant.with_options([(".name", name)]).text;
    let players = vec![
        named(&set(engine, &plan.params, &result.values()), "tuned"),
        named(engine, "start"),
    ];
    let match_plan = MatchPlan {
        openings: Some(frame.file(HELD_OUT)),
        pace: plan.pace,
        opening: games::in_order(plan.seed),
        patience: plan.patience,
        adjudication: plan.adjudication.clone(),
        sprt: Some(plan.sprt),
        ..MatchPlan::new("Mendel tuning", players, most_games)
    };

    // 2. The games.
    let options = MatchOptions {
        games: Some(most),
        ..MatchOptions::by(&tune.options.crew)
    };
    let summary = frame.nested::<Match>(PROOF, match_plan, plan.seed, &options)?;

    // 3. What they say. A player that failed too often would fail again.
    let pairs = summary.pairings[0].pairs;
    let ended = matches!(summary.conclusion, Conclusion::TooManyFaults { .. });
    let left = plan.sprt.test()?.judge(&Outcomes::Pairs(pairs)).games_left;
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

/// Writes what was found as it is used: options to paste, and a player file where it
/// is a player of ours. Where the start values are kept there is no champion.
pub(super) fn write_champion(
    tune: &Tune,
    frame: &Frame,
    result: &TuneResult,
) -> Result<(), Failure> {
    use std::fmt::Write as _;
    if result.keeps_start {
        for name in [CHAMPION, record::CHAMPION] {
            let path = frame.file(name);
            match fs::remove_file(&path) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(FileError::Io { path, source }.into());
                }
                _ => {}
            }
        }
        return Ok(());
    }
    let mut text = format!("{}\n\n", result.engine_tuned);
    for param in &result.params {
        writeln!(text, "setoption name {} value {}", param.name, param.value)
            .expect("writing to a string does not fail");
    }
    frame.write(CHAMPION, text)?;
    if let Kind::Bred(player) = &tune.engine.kind {
        let player = tuned_player(player, &tune.plan, result)?;
        frame.write(record::CHAMPION, player.to_toml())?;
    }
    Ok(())
}

/// A player of ours with what was found, and where that comes from.
fn tuned_player(start: &Player, plan: &TunePlan, result: &TuneResult) -> Result<Player, Failure> {
    let mut player = start.clone();
    for (param, value) in plan.params.iter().zip(result.values()) {
        let set = player.set(&param.name, value);
        set.map_err(|error| {
            let what = format!("the player `{}`: `{}` {error}", start.name, param.name);
            refuse(what, FITTING)
        })?;
    }
    let mut pedigree = pedigree::of_run(&result.id, "tune", plan.seed, &plan.version);
    pedigree::inherit(&mut pedigree, &[start]);
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
