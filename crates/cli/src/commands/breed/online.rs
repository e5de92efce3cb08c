//! `mendel breed cwu-online`: learn after each game against a player.

use std::io::{self, Write as _};

use indicatif::{ProgressBar, ProgressStyle};
use mendel_engine::Player;
use mendel_lab::online::{
    self, Course, Founding, Learning, LearningError, Opponent, REPORT, Rules, Start, TeachError,
    opponent_name, opponents, teach,
};
use mendel_store::replace;
use serde_json::json;

use super::Arguments;
use crate::home;
use crate::interrupt::stop_on_ctrl_c;
use crate::pupil::{Board, SHARED_SEED};
use crate::request::Wrong;

/// What only learning after each game has.
#[derive(clap::Args, Debug)]
pub(super) struct OnlineArguments {
    /// The opponent of `cwu-online`: a player or a program, as in `mendel match`
    #[arg(long, value_name = "PLAYER")]
    opponent: Option<String>,
    /// `cwu-online` ends when so many games were played here against the opponent; those
    /// of others do not count [default: 300]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: Option<u64>,
    /// The first sets of `cwu-online`: those of the player `cwu` and mutants, or random ones
    #[arg(long, value_name = "HOW", value_enum)]
    start: Option<StartArgument>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum StartArgument {
    Bred,
    Random,
}

impl OnlineArguments {
    /// Refuses what means nothing to a recipe.
    pub(super) fn only_online(&self) -> Result<(), Wrong> {
        let given = [
            ("--opponent", self.opponent.is_some()),
            ("--games", self.games.is_some()),
            ("--start", self.start.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((flag, _)) => Err(Wrong::new(
                format!("`{flag}` means nothing to a recipe"),
                format!("leave it out, or breed `{}`", online::NAME),
            )),
        }
    }
}

/// Plays until there are as many games as asked for.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    // 1. The request.
    let given = &arguments.online;
    if arguments.data.is_some() || arguments.full || !arguments.set.is_empty() {
        return Err(Wrong::new(
            format!("`{}` has neither data nor numbers to set", online::NAME),
            "leave out `--data`, `--set` and `--full`",
        )
        .into());
    }
    let Some(opponent) = &given.opponent else {
        return Err(Wrong::new(
            format!("`{}` needs somebody to play against", online::NAME),
            "add `--opponent PLAYER`, such as `--opponent 'material?.depth=1'`",
        )
        .into());
    };
    let rules = Rules {
        start: match given.start {
            Some(StartArgument::Random) => Start::Random,
            Some(StartArgument::Bred) | None => Start::Bred,
        },
        ..Rules::default()
    };
    let player = Player::find(online::PLAYER)?;

    // 2. A folder of its own is an experiment; the one at home belongs to everybody.
    let opened = if let Some(path) = &arguments.out {
        let founding = Founding::new(&player, rules, arguments.seed);
        let path = std::path::absolute(path)?;
        Learning::open(&path, &founding, &home::installation(&path)?)
    } else {
        let founding = Founding::new(&player, rules, SHARED_SEED);
        let path = home::learning()?;
        let installation = home::installation(&path)?;
        Learning::open_any(&path, Some(&founding), &installation)
    };
    let mut learning = opened.map_err(wrong)?;

    // 3. The games.
    let (json, quiet) = (arguments.work.json, arguments.work.quiet);
    let mut course = Course::new(opponent, given.games.unwrap_or(USUAL), arguments.seed);
    course.stop = stop_on_ctrl_c()?;
    // At home somebody may play meanwhile, and that game is learned from, too.
    course.shares_folder = arguments.out.is_none();
    let count = |learning: &Learning| learning.played_against(opponent).count() as u64;
    let before = count(&learning);
    let bar = (!json && !quiet).then(|| bar(course.games, before));
    let mut board = Board::open(arguments.work.crew.server())?;
    board.exchange(&mut learning);
    let done = teach(&mut learning, &course, &mut |learning, event| {
        board.exchange(learning);
        if json {
            say(&json!({ "event": "game", "game": event }).to_string());
        }
        if let Some(bar) = &bar {
            bar.set_position(count(learning));
        }
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let done = done.map_err(|error| match error {
        TeachError::Learning(error) => wrong(error),
        TeachError::Opponent(_) | TeachError::Contest(_) => {
            Wrong::new(error, "`mendel players` lists the built-in players").into()
        }
        other => other.into(),
    })?;

    // 4. What came of them.
    let now = count(&learning) - before;
    finish(&learning, opponent, now, json)?;
    if !done {
        anyhow::bail!("stopped before its end; the same command goes on with it");
    }
    Ok(())
}

/// Games unless something else is said.
const USUAL: u64 = 300;

fn wrong(error: LearningError) -> anyhow::Error {
    match error {
        LearningError::Another { .. } | LearningError::Lock(_) | LearningError::Unsuited { .. } => {
            Wrong::new(error, "`--out DIR` keeps a population of its own").into()
        }
        other => other.into(),
    }
}

fn bar(games: u64, done: u64) -> ProgressBar {
    let style = "learning {bar:24} {pos}/{len} games · {eta} left";
    let style = ProgressStyle::with_template(style).expect("the template is tested by use");
    let bar = ProgressBar::new(games).with_style(style);
    bar.set_position(done);
    bar.reset_eta();
    bar
}

/// Writes the page and the best set, and says what they are, and how many games this
/// call played.
fn finish(learning: &Learning, opponent: &str, now: u64, json: bool) -> anyhow::Result<()> {
    let folder = learning.folder();
    let page = online::page(learning).render();
    replace(&folder.join(REPORT), page.as_bytes())?;
    let champion = folder.join(mendel_lab::run::RunFolder::CHAMPION);
    let best = learning.population().best();
    if let Some(best) = best {
        let mut player = learning.player(&best.set)?;
        online::NAME.clone_into(&mut player.name);
        player.about = format!(
            "The best of {} sets after {} games",
            learning.population().members().len(),
            learning.events().len()
        );
        replace(&champion, player.to_toml().as_bytes())?;
    }
    let met = opponents(learning);
    if json {
        let name = opponent_name(opponent);
        let this = met.iter().find(|it| it.name == name);
        let line = json!({
            "event": "result",
            "folder": folder,
            "games": learning.events().len(),
            "here": here(&met),
            "now": now,
            "births": learning.population().births(),
            "trend": this.and_then(Opponent::trend),
            "opponents": met.iter().map(as_json).collect::<Vec<_>>(),
            "champion": champion,
            "report": folder.join(REPORT),
        });
        say(&line.to_string());
        return Ok(());
    }
    let against: Vec<String> = met.iter().map(in_words).collect();
    say(&format!(
        "{} games, {} of them played here, {now} now; {} children\n{}\n\nchampion  {}\nreport    {}",
        learning.events().len(),
        here(&met),
        learning.population().births(),
        against.join("\n"),
        champion.display(),
        folder.join(REPORT).display(),
    ));
    Ok(())
}

fn here(met: &[Opponent]) -> usize {
    met.iter().map(|it| it.here).sum()
}

fn as_json(met: &Opponent) -> serde_json::Value {
    json!({
        "opponent": met.name,
        "games": met.results.len(),
        "here": met.here,
        "trend": met.trend(),
    })
}

fn in_words(met: &Opponent) -> String {
    let trend = met.trend();
    let trend = trend.map_or_else(
        || "too few games to see a trend".to_owned(),
        |trend| trend.words(),
    );
    let (name, games, here) = (&met.name, met.results.len(), met.here);
    format!("against {name}: {games} games, {here} here; {trend}")
}

fn say(line: &str) {
    // Whoever closed the pipe has heard enough; the folder has it all.
    let _ = writeln!(io::stdout(), "{line}");
}
