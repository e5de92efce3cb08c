//! Recipes with the table `[learn]`: learning after each game against an opponent.

use std::path::Path;

use mendel_lab::learning::{
    GAMES, Learn, LearnOptions, LearnOutcome, LearnPlan, LearnedGame, OpponentOutcome,
    PopulationConfig,
};
use mendel_lab::recipe::{LearnSettings, Recipe};
use mendel_report::{self as report, learning_page};
use mendel_store::Journal;
use mendel_store::frame::{Failure, Folder, Manifest};
use serde_json::{Value, json};

use super::BreedArgs;
use crate::exec_options::{ExecOptions, LearnRequest};
use crate::experiment::{self, NewExperiment, ProgramExperiment, Report, Session};
use crate::library;
use crate::request::UsageError;

pub(super) fn run(
    args: &BreedArgs,
    recipe: &Recipe,
    settings: &LearnSettings,
) -> anyhow::Result<()> {
    // 1. The request.
    if args.data.is_some() {
        let what = format!("`{}` learns from games and needs no data set", recipe.name);
        return UsageError::bail(what, "leave out `--data`");
    }
    let Some(opponent) = &settings.opponent else {
        return UsageError::bail(
            format!(
                "`{}` has no opponent: `learn.opponent` is missing",
                recipe.name
            ),
            "add `--set learn.opponent=PLAYER`, such as `--set learn.opponent='material?.depth=1'`",
        );
    };
    // 2. The folder `--out`, or the one at home, which has all games.
    let config = |seed| PopulationConfig::new(&recipe.parent, settings.start, seed);
    let (folder, plan) = if let Some(path) = &args.out {
        (std::path::absolute(path)?, config(args.seed))
    } else {
        (library::learning()?, shared_config(recipe, settings)?)
    };
    // 3. The games.
    let options = ExecOptions {
        server: args.exec.crew.server().options()?,
        learn: Some(LearnRequest {
            plan: LearnPlan::new(opponent, settings.games, args.seed),
            is_shared: args.out.is_none(),
        }),
        ..ExecOptions::default()
    };
    Session::new(options, args.exec.output)?.start_or_resume::<Learn>(NewExperiment {
        seed: plan.seed,
        plan,
        folder: Some(&folder),
        names: &[],
    })
}

/// The population at home. `play --learn` and `uci --learn` start it without an experiment,
/// so that it has one form only.
fn shared_config(recipe: &Recipe, settings: &LearnSettings) -> anyhow::Result<PopulationConfig> {
    let shared = PopulationConfig::shared();
    let requested = PopulationConfig::new(&recipe.parent, settings.start, shared.seed);
    if requested != shared {
        let what = "the population at home begins with the weights of the player `cwu` and mutants";
        let hint = "`--out DIR` keeps a population of its own, with any `parent` and `learn.start`";
        return UsageError::bail(what, hint);
    }
    let folder = library::learning()?;
    let stored = PopulationConfig::stored(&folder).map_err(|it| experiment::error(it, &folder))?;
    Ok(stored.unwrap_or(shared))
}

impl ProgramExperiment for Learn {
    const GROUP: &'static str = "learning";

    fn exec_options(options: &ExecOptions) -> LearnOptions {
        let request = options.learn.as_ref();
        LearnOptions {
            learn: request.map(|it| it.plan.clone()),
            server: options.server.clone(),
            is_shared: request.is_some_and(|it| it.is_shared),
        }
    }

    fn text(outcome: &LearnOutcome, folder: &Folder) -> Result<String, Failure> {
        let against: Vec<String> = outcome.opponents.iter().map(in_words).collect();
        let now = outcome
            .now
            .map_or_else(String::new, |now| format!(", {now} now"));
        Ok(format!(
            "{} games, {} of them played here{now}; {} children\n{}\n\nchampion  {}\nreport    {}\n",
            outcome.games,
            outcome.here,
            outcome.births,
            against.join("\n"),
            outcome.champion.display(),
            folder.file(report::FILE).display(),
        ))
    }

    fn json(outcome: &LearnOutcome, folder: &Folder) -> Result<Value, Failure> {
        let mut value = serde_json::to_value(outcome)?;
        value["report"] = json!(folder.file(report::FILE));
        Ok(value)
    }

    fn describe(folder: &Folder, _manifest: &Manifest) -> Value {
        let path = folder.file(GAMES);
        let games = if path.exists() {
            Journal::<LearnedGame>::read(&path).map_or(0, |games| games.len())
        } else {
            0
        };
        let outcome = folder.read_result::<LearnOutcome>().ok().flatten();
        let mut value = outcome.as_ref().map_or_else(|| json!({}), |it| json!(it));
        value["games"] = json!(games);
        value["progress"] = json!(format!("{games} games"));
        value["result"] = json!(outcome.and_then(|it| it.trend).map(|trend| trend.words()));
        value
    }

    fn report(folder: &Path) -> Result<Report, Failure> {
        let files = Folder::at(folder);
        let page = learning_page(&Self::population(&files)?.record());
        Ok(Report::new(page, Self::so_far(&files)?))
    }

    fn so_far(folder: &Folder) -> Result<Option<LearnOutcome>, Failure> {
        Self::so_far(folder)
    }
}

fn in_words(met: &OpponentOutcome) -> String {
    let trend = met.trend.map_or_else(
        || "too few games to see a trend".to_owned(),
        |trend| trend.words(),
    );
    let (name, games, here) = (&met.opponent, met.games, met.here);
    format!("against {name}: {games} games, {here} here; {trend}")
}
