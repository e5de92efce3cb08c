//! `mendel match`: two or more players meet, and what that proves.

mod live;
mod report;

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use mendel_arena::statistics::EloModel;
use mendel_arena::{
    Adjudication, AwayError, Conclusion, Contest, ContestError, Crew, DrawRule, FolderError,
    Format, Hands, LengthRule, MatchFolder, MaterialRule, OpeningSetting, Order, Pace, Patience,
    Plan, ResignRule, SprtPlan, SyzygyRule, Verdict, Workers,
};
use mendel_store::{Entry, State};

use crate::crew::{CrewArguments, account, went_wrong};
use crate::home;
use crate::interrupt::stop_on_ctrl_c;
use crate::limits::LimitArguments;
use crate::request::Wrong;
use live::Live;

/// Play two or more players against each other: score, Elo ± error, LOS, SPRT, PGN
#[derive(Args, Debug)]
#[command(after_help = "\
A player is a built-in name (`mendel players`), a player file, or another program:
`cmd:PROGRAM ARGUMENTS` (`uci:` and `xboard:` say what it speaks), with options
behind the last `?` as Name=Value&Name=Value. Options with a dot are for the
runner: .name .dir .env.NAME .tc .movetime .nodes .depth

Every finished game is in the folder before it is counted. Ctrl-C ends the match
after the games are put away; --resume goes on where it stood.

Examples:
  mendel match mendel material --games 100 --nodes 5000
  mendel match new.toml mendel --sprt 0,15 --nodes 5000 --games 6000 --openings book.epd --out test
  mendel match mendel 'cmd:stockfish?Hash=16&UCI_LimitStrength=true&UCI_Elo=2000' --tc 2+0.02
  mendel match mendel 'xboard:phalanx -b-?.tc=4+0.04' --tc 2+0.02 --games 20
  mendel match a.toml b.toml c.toml --format gauntlet --concurrency 2 --json
  mendel match mendel material --nodes 5000 --crew nats://127.0.0.1:4222
  mendel match --resume test")]
pub(super) struct Arguments {
    /// Who plays: two for a match, more for a tournament
    players: Vec<String>,
    /// Go on with the match in this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "players", "out", "games", "format", "movetime", "depth", "nodes", "tc", "sprt", "openings", "plies", "in_order", "chess960",
        "seed", "draw", "resign", "max_plies", "material_lead", "syzygy", "margin", "deadline", "event", "names",
        "final_positions", "anchor",
    ])]
    resume: Option<PathBuf>,
    /// Where games and result are kept; a folder of its own if not given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Games for each two that meet, rounded up to pairs
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Who meets whom
    #[arg(long, value_enum, default_value_t = FormatName::RoundRobin)]
    format: FormatName,
    #[command(flatten)]
    limits: LimitArguments,
    /// Stop when a test is decided: Elo of the hypotheses, such as 0,5
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = bounds)]
    sprt: Option<(f64, f64)>,
    /// What the bounds of the test are measured in
    #[arg(long, value_enum, default_value_t = ModelName::Normalized, requires = "sprt")]
    model: ModelName,
    /// The test's chance to accept a change that is none
    #[arg(long, value_name = "P", default_value_t = SprtPlan::ERROR, requires = "sprt")]
    alpha: f64,
    /// The test's chance to reject a change that is one
    #[arg(long, value_name = "P", default_value_t = SprtPlan::ERROR, requires = "sprt")]
    beta: f64,
    #[command(flatten)]
    openings: OpeningArguments,
    #[command(flatten)]
    early: EarlyArguments,
    /// Games at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// Keep each of the games at once on a core of its own
    #[arg(long)]
    pin: bool,
    /// Milliseconds over its time that are forgiven
    #[arg(long, value_name = "MS", default_value_t = Patience::default().margin.as_millis() as u64, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    margin: u64,
    /// Seconds a move may take where nothing else limits its time
    #[arg(long, value_name = "S", default_value_t = Patience::default().untimed.as_secs(), value_parser = clap::value_parser!(u64).range(1..=86_400))]
    deadline: u64,
    /// Stop the match when one player has crashed, stalled or cheated more often
    /// [default: 20]
    #[arg(long, value_name = "N")]
    most_faults: Option<u64>,
    /// A player whose rating is known, for the ratings of a pool
    #[arg(long, value_name = "NAME=ELO", value_parser = anchor)]
    anchor: Option<(String, f64)>,
    /// Write the last position of each game to `final.epd`, too
    #[arg(long)]
    final_positions: bool,
    /// What PGN calls the event
    #[arg(long, value_name = "NAME", default_value = "Mendel match")]
    event: String,
    /// A table of opening names (columns eco, name, pgn) for the PGN
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
    #[command(flatten)]
    crew: CrewArguments,
    #[command(flatten)]
    voice: VoiceArguments,
}

/// How much is said, and to whom.
#[derive(Args, Debug)]
struct VoiceArguments {
    /// Print JSON: a line for each game, then the result
    #[arg(long)]
    json: bool,
    /// Say nothing before the result
    #[arg(long)]
    quiet: bool,
}

/// Which openings, in which order.
#[derive(Args, Debug)]
struct OpeningArguments {
    /// Openings from an EPD, PGN or Polyglot file; else a small book of our own
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Half-moves to take from each game of a PGN or Polyglot file
    #[arg(long, value_name = "N")]
    plies: Option<usize>,
    /// Take the openings as they stand in the file instead of shuffled
    #[arg(long)]
    in_order: bool,
    /// Play Chess960, also from positions that would do for both
    #[arg(long)]
    chess960: bool,
    /// Chance: the order of openings, the walks through a book
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// What ends a game before the rules do; nothing unless asked for.
#[derive(Args, Debug)]
struct EarlyArguments {
    /// A draw if both stay within SCORE centipawns for MOVES moves from FROM on
    #[arg(long, value_name = "FROM,MOVES,SCORE", value_parser = triple)]
    draw: Option<(u32, u32, u32)>,
    /// A loss for the side that stays SCORE centipawns down for MOVES moves
    #[arg(long, value_name = "MOVES,SCORE", value_parser = pair)]
    resign: Option<(u32, u32)>,
    /// The opponent must have seen it, too
    #[arg(long, requires = "resign")]
    two_sided: bool,
    /// The game ends after so many half-moves behind the opening
    #[arg(long, value_name = "N")]
    max_plies: Option<u32>,
    /// At that length more material wins, instead of a draw
    #[arg(long, requires = "max_plies")]
    by_material: bool,
    /// The game ends when one side is so many centipawns of material ahead
    #[arg(long, value_name = "CP")]
    material_lead: Option<u32>,
    /// Syzygy tables that decide the rest of a game
    #[arg(long, value_name = "PATH")]
    syzygy: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatName {
    /// Everybody meets everybody
    RoundRobin,
    /// The first meets all others
    Gauntlet,
    /// Each meets the next two: for players in the order of their strength
    Ladder,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ModelName {
    /// Elo divided by the spread of the games; the default of the field
    Normalized,
    /// Elo as ratings use it
    Logistic,
}

fn numbers<const N: usize>(text: &str) -> Result<[u32; N], String> {
    let parsed: Option<Vec<u32>> = text
        .split(',')
        .map(|part| part.trim().parse().ok())
        .collect();
    let array = parsed.and_then(|numbers| numbers.try_into().ok());
    array.ok_or_else(|| format!("{N} whole numbers with commas between them are wanted"))
}

fn anchor(text: &str) -> Result<(String, f64), String> {
    text.rsplit_once('=')
        .and_then(|(name, elo)| Some((name.to_owned(), elo.trim().parse().ok()?)))
        .filter(|(_, elo): &(String, f64)| elo.is_finite())
        .ok_or_else(|| "a name and a rating are wanted, such as toga2=2800".to_owned())
}

fn triple(text: &str) -> Result<(u32, u32, u32), String> {
    numbers::<3>(text).map(|[a, b, c]| (a, b, c))
}

fn pair(text: &str) -> Result<(u32, u32), String> {
    numbers::<2>(text).map(|[a, b]| (a, b))
}

fn bounds(text: &str) -> Result<(f64, f64), String> {
    let read = |part: &str| part.trim().parse().ok().filter(|elo: &f64| elo.is_finite());
    text.split_once(',')
        .and_then(|(low, high)| Some((read(low)?, read(high)?)))
        .ok_or_else(|| "two numbers with a comma between them are wanted, such as 0,5".to_owned())
}

impl Arguments {
    fn plan(&self) -> Result<Plan, Wrong> {
        if self.players.len() < 2 {
            return Err(Wrong::new(
                format!(
                    "a match needs at least two players, and there are {}",
                    self.players.len()
                ),
                "`mendel match mendel material --nodes 5000`, or `mendel match --resume DIR`",
            ));
        }
        Ok(Plan {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            event: self.event.clone(),
            players: self.players.clone(),
            format: match self.format {
                FormatName::RoundRobin => Format::RoundRobin,
                FormatName::Gauntlet => Format::Gauntlet,
                FormatName::Ladder => Format::Ladder,
            },
            games: self.games,
            openings: self.openings.openings.clone(),
            names: self.names.clone(),
            anchor: self.anchor.clone(),
            directory: env::current_dir().unwrap_or_default(),
            fingerprints: BTreeMap::new(),
            most_faults: self.most_faults.unwrap_or(Plan::MOST_FAULTS),
            final_positions: self.final_positions,
            pace: Pace {
                clock: self.limits.tc,
                movetime: self.limits.movetime.map(Duration::from_millis),
                nodes: self.limits.nodes,
                depth: self.limits.depth,
            },
            opening: OpeningSetting {
                plies: self.openings.plies,
                order: if self.openings.in_order {
                    Order::InOrder
                } else {
                    Order::Shuffled
                },
                seed: self.openings.seed,
                chess960: self.openings.chess960,
                ..OpeningSetting::default()
            },
            patience: Patience {
                margin: Duration::from_millis(self.margin),
                untimed: Duration::from_secs(self.deadline),
                ..Patience::default()
            },
            adjudication: self.early.rules(),
            sprt: self.sprt.map(|(elo0, elo1)| SprtPlan {
                elo0,
                elo1,
                alpha: self.alpha,
                beta: self.beta,
                model: match self.model {
                    ModelName::Normalized => EloModel::Normalized,
                    ModelName::Logistic => EloModel::Logistic,
                },
            }),
        })
    }
}

impl Arguments {
    /// Who plays the games that are kept in `folder`.
    fn crew(&self, workers: Option<&Workers>, folder: &Path) -> Result<Crew, AwayError> {
        let hands = Hands {
            concurrency: self.concurrency.into(),
            pin: self.pin,
        };
        workers.map_or(Ok(hands.into()), |workers| {
            workers.desk(folder).map(Crew::There)
        })
    }
}

impl EarlyArguments {
    fn rules(&self) -> Adjudication {
        Adjudication {
            draw: self.draw.map(|(from_move, moves, score)| DrawRule {
                from_move,
                moves,
                score,
            }),
            resign: self.resign.map(|(moves, score)| ResignRule {
                moves,
                score,
                two_sided: self.two_sided,
            }),
            length: self.max_plies.map(|plies| LengthRule {
                plies,
                verdict: if self.by_material {
                    Verdict::Material
                } else {
                    Verdict::Draw
                },
            }),
            material: self.material_lead.map(|centipawns| MaterialRule {
                centipawns,
                values: MaterialRule::USUAL,
            }),
            syzygy: self.syzygy.clone().map(|path| SyzygyRule {
                path,
                pieces: None,
                ignore_fifty_moves: false,
            }),
        }
    }
}

/// Plays the match and says what it proves.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    // 1. The crew and the whole plan are checked before anything is written or played.
    let quiet = arguments.voice.quiet || arguments.voice.json;
    let workers = arguments.crew.workers(quiet)?;
    let (contest, mut folder) = if let Some(path) = &arguments.resume {
        let path = std::path::absolute(path)?;
        let (folder, mut plan) = MatchFolder::resume(&path).map_err(wrong_folder)?;
        plan.most_faults = arguments.most_faults.unwrap_or(plan.most_faults);
        // Paths of the plan are meant from where the match was begun.
        env::set_current_dir(&plan.directory).with_context(|| {
            format!(
                "the match was begun in `{}`, which cannot be entered",
                plan.directory.display()
            )
        })?;
        (Contest::new(plan).map_err(wrong)?, folder)
    } else {
        let contest = Contest::new(arguments.plan()?).map_err(wrong)?;
        let path = match &arguments.out {
            Some(path) => std::path::absolute(path)?,
            None => new_folder(&contest)?,
        };
        let folder = MatchFolder::create(&path, contest.plan()).map_err(wrong_folder)?;
        (contest, folder)
    };

    // 2. The first Ctrl-C asks, the second does not.
    let stop = stop_on_ctrl_c()?;

    // 3. Play.
    let path = folder.path().to_owned();
    register(&path, &contest, State::Running, None);
    let mut live = Live::new(&contest, &path, arguments.voice.json, arguments.voice.quiet);
    let result = match arguments.crew(workers.as_ref(), &path) {
        Ok(crew) => contest.run(&mut folder, crew, &stop, &mut |progress| {
            live.show(progress);
        }),
        Err(error) => Err(error.into()),
    };
    live.finish();
    account(workers.as_ref(), quiet);

    // 4. Tell.
    let summary = match result {
        Ok(summary) => summary,
        Err(error) => {
            register(&path, &contest, State::Failed, None);
            return Err(match error {
                ContestError::Away(error) => went_wrong(error),
                error => error.into(),
            });
        }
    };
    let state = state_of(&summary.conclusion);
    register(&path, &contest, state, Some(&summary));
    report::print(&summary, &contest, &path, arguments.voice.json)?;
    report::check(&summary)
}

/// What is wrong with a plan is the asker's fault, what breaks later is not.
fn wrong(error: ContestError) -> anyhow::Error {
    let hint = match &error {
        ContestError::Entrant(_) => {
            "a player is a built-in name, a player file or `cmd:PROGRAM ARGUMENTS?Name=Value`"
        }
        ContestError::Seat { .. } => {
            "start the program by hand and type `uci` (or `xboard`) to see what it says"
        }
        ContestError::NoPace => "for instance `--nodes 5000` or `--tc 8+0.08`",
        ContestError::Folder(_) => return error.into(),
        _ => "`mendel match --help` shows what can be asked for",
    };
    Wrong::new(error, hint).into()
}

fn wrong_folder(error: FolderError) -> anyhow::Error {
    match error {
        FolderError::Taken { .. } | FolderError::Empty { .. } | FolderError::Lock(_) => Wrong::new(
            error,
            "`--out DIR` names a new folder, `--resume DIR` goes on with one",
        )
        .into(),
        error => error.into(),
    }
}

fn new_folder(contest: &Contest) -> anyhow::Result<PathBuf> {
    let names = contest.entrants().iter().take(3);
    let names: Vec<&str> = names.map(|entrant| entrant.name.as_str()).collect();
    home::new_folder("matches", &names)
}

fn state_of(conclusion: &Conclusion) -> State {
    match conclusion {
        Conclusion::Unfinished => State::Stopped,
        Conclusion::TooManyFaults { .. } => State::Failed,
        Conclusion::AllPlayed | Conclusion::Accepted | Conclusion::Rejected => State::Finished,
    }
}

/// What a folder holds, for an index that has to be built anew.
pub(crate) fn describe(folder: &Path) -> Option<Entry> {
    let plan = Plan::read(&folder.join("match.toml")).ok()?;
    let result = std::fs::read_to_string(folder.join("result.json")).ok();
    let summary = result
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or(serde_json::Value::Null);
    let state = match summary["conclusion"].as_str() {
        Some("all-played" | "accepted" | "rejected") => State::Finished,
        Some(_) | None => State::Stopped,
    };
    let seconds = |name: &str| home::seconds_of(&folder.join(name));
    Some(Entry {
        folder: folder.to_owned(),
        kind: "match".to_owned(),
        name: plan.players.join(" – "),
        state,
        started: seconds("match.toml").unwrap_or(0),
        finished: seconds("result.json").filter(|_| state == State::Finished),
        summary,
    })
}

/// Tells the index; a match goes on without it.
fn register(
    folder: &Path,
    contest: &Contest,
    state: State,
    summary: Option<&mendel_arena::Summary>,
) {
    let now = home::now();
    let names: Vec<&str> = contest
        .entrants()
        .iter()
        .map(|entrant| entrant.name.as_str())
        .collect();
    let entry = Entry {
        folder: folder.canonicalize().unwrap_or_else(|_| folder.to_owned()),
        kind: "match".to_owned(),
        name: names.join(" – "),
        state,
        started: now,
        finished: (state == State::Finished).then_some(now),
        summary: summary
            .and_then(|summary| serde_json::to_value(summary).ok())
            .unwrap_or(serde_json::Value::Null),
    };
    home::register(&entry);
}
