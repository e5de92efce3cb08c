//! `mendel data make`: positions from our own games, labelled by an expert.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{ArgAction, Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use mendel_lab::data::make::{
    Ask, Evaluation, ExpertPlan, MakeError, Means, Plan, Progress, Stage, make,
};
use mendel_lab::data::{Header, Kind, Reader};
use serde_json::json;

use crate::crew::{CrewArguments, account, went_wrong};
use crate::interrupt::stop_on_ctrl_c;
use crate::request::Wrong;

/// Make a data set: positions from our own games, labelled by an expert
#[derive(Args, Debug)]
#[command(after_help = "\
quiet     positions in which nothing is to be won at once, with an expert's static score
moves     positions with an expert's best move, found by search
selfplay  positions with the result of the game they come from

The games are played in this process at fixed nodes. Stockfish up to 15.1 has a
classical evaluation; its centipawns are about half of Stockfish 11's, so static
scores are multiplied by 2. The same command gives the same file, on any number of threads.
Finished games and labels lie in FILE.work until the file is complete; after Ctrl-C
or worse, the same command with --resume goes on.

Examples:
  mendel data make quiet --positions 20000 --seed 1 --out quiet.mds
  mendel data make quiet --from quiet.mds --expert-eval nnue --out neural.mds
  mendel data make moves --positions 10000 --expert-nodes 20000 --out moves.mds
  mendel data make selfplay --positions 100000 --nodes 2000 --threads 2 --out games.mds
  mendel data make quiet --positions 1000 --expert mendel --out own.mds
  mendel data make moves --expert cmd:stockfish --crew nats://127.0.0.1:4222 --out moves.mds")]
pub(super) struct Arguments {
    /// What the set is for
    #[arg(value_enum)]
    kind: KindName,
    /// The file to write, by convention NAME.mds
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// How many positions [default: 20000, 10000 or 100000 by kind; all with --from]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    positions: Option<u64>,
    /// Decides openings, random moves and which positions are drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Games and labels at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    #[command(flatten)]
    crew: CrewArguments,
    #[command(flatten)]
    games: GameArguments,
    #[command(flatten)]
    expert: ExpertArguments,
    /// The share of games that are held out from training
    #[arg(long, value_name = "SHARE", default_value_t = Header::HOLD_OUT)]
    hold_out: f64,
    /// Go on with unfinished work
    #[arg(long)]
    resume: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Say nothing before the result
    #[arg(long)]
    quiet: bool,
}

/// The games, and what is taken from them.
#[derive(Args, Debug)]
struct GameArguments {
    /// Who plays the games: a built-in player or a player file
    #[arg(long, value_name = "PLAYER", default_value = "mendel")]
    player: String,
    /// Nodes a move of the games
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Positions taken from a game, at most [default: 8, 6 or 14 by kind]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    per_game: Option<u32>,
    /// Half-moves between two positions of a game, at least [default: 4, 6 or 3 by kind]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    spacing: Option<u32>,
    /// Random half-moves behind the opening, at most
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=100))]
    random_plies: u32,
    /// Only quiet positions [default: false for moves, else true]
    #[arg(long, value_name = "BOOL", action = ArgAction::Set)]
    only_quiet: Option<bool>,
    /// Leave each game by one random move and play captures out: positions as a
    /// search meets them, for `quiet` [default: false]
    #[arg(long, value_name = "BOOL", action = ArgAction::Set)]
    stray: Option<bool>,
    /// Keep score and move of the player's own search [default: true for selfplay]
    #[arg(long, value_name = "BOOL", action = ArgAction::Set)]
    with_search: Option<bool>,
    /// Positions of this data set instead of games; they are only labelled
    #[arg(long, value_name = "FILE", conflicts_with_all = ["nodes", "per_game", "spacing", "random_plies", "only_quiet", "stray", "with_search", "player"])]
    from: Option<PathBuf>,
}

/// Who labels, and how.
#[derive(Args, Debug)]
struct ExpertArguments {
    /// Who labels: `cmd:PROGRAM`, a built-in player or a player file
    /// [default: cmd:stockfish; nobody for selfplay]
    #[arg(long, value_name = "PLAYER")]
    expert: Option<String>,
    /// Its static evaluation [default for quiet: classical]
    #[arg(long, value_enum, conflicts_with_all = ["expert_nodes", "expert_depth"])]
    expert_eval: Option<EvaluationName>,
    /// A search of so many nodes [default for moves: 20000]
    #[arg(long, value_name = "N", conflicts_with = "expert_depth", value_parser = clap::value_parser!(u64).range(1..))]
    expert_nodes: Option<u64>,
    /// A search to this depth
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=200))]
    expert_depth: Option<u32>,
    /// Factor for its centipawns [default: 2 for a program's static evaluation, else 1]
    #[arg(long, value_name = "F")]
    scale: Option<f64>,
    /// Seconds an answer may take
    #[arg(long, value_name = "S", default_value_t = ExpertPlan::DEADLINE.as_secs(), value_parser = clap::value_parser!(u64).range(1..=86_400))]
    deadline: u64,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum KindName {
    Quiet,
    Moves,
    Selfplay,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EvaluationName {
    /// Terms written by people
    Classical,
    /// A network
    Nnue,
}

impl Arguments {
    fn plan(&self) -> anyhow::Result<Plan> {
        let (kind, usual) = match self.kind {
            KindName::Quiet => (Kind::Quiet, 20_000),
            KindName::Moves => (Kind::Moves, 10_000),
            KindName::Selfplay => (Kind::Selfplay, 100_000),
        };
        let positions = match (&self.games.from, self.positions) {
            (_, Some(positions)) => positions,
            (None, None) => usual,
            (Some(from), None) => {
                let reader = Reader::find(&from.display().to_string())
                    .map_err(|error| Wrong::new(error, "`mendel data list` names the sets"))?;
                reader.header().positions.max(1)
            }
        };
        let plan = Plan::usual(kind, positions);
        let games = &self.games;
        Ok(Plan {
            seed: self.seed,
            player: games.player.clone(),
            nodes: games.nodes,
            per_game: games.per_game.unwrap_or(plan.per_game),
            spacing: games.spacing.unwrap_or(plan.spacing),
            random_plies: games.random_plies,
            only_quiet: games.only_quiet.unwrap_or(plan.only_quiet),
            stray: games.stray.unwrap_or(plan.stray),
            with_search: games.with_search.unwrap_or(plan.with_search),
            from: games.from.clone(),
            expert: self.expert.plan(kind),
            hold_out: self.hold_out,
            ..plan
        })
    }
}

impl ExpertArguments {
    fn plan(&self, kind: Kind) -> Option<ExpertPlan> {
        let asked = self.expert_eval.is_some()
            || self.expert_nodes.is_some()
            || self.expert_depth.is_some()
            || self.expert.is_some();
        if kind == Kind::Selfplay && !asked {
            return None;
        }
        let player = self.expert.as_deref().unwrap_or(ExpertPlan::STOCKFISH);
        let ask = match (self.expert_nodes, self.expert_depth, self.expert_eval) {
            (Some(nodes), _, _) => Ask::Nodes { nodes },
            (_, Some(depth), _) => Ask::Depth { depth },
            (_, _, Some(EvaluationName::Nnue)) => Ask::Static {
                evaluation: Evaluation::Nnue,
            },
            (_, _, None) if kind == Kind::Moves => Ask::Nodes { nodes: 20_000 },
            _ => Ask::Static {
                evaluation: Evaluation::Classical,
            },
        };
        let is_program = ["cmd:", "uci:", "xboard:"]
            .iter()
            .any(|mark| player.starts_with(mark));
        let usual = if is_program && matches!(ask, Ask::Static { .. }) {
            ExpertPlan::STATIC_SCALE
        } else {
            1.0
        };
        Some(ExpertPlan {
            player: player.to_owned(),
            ask,
            scale: self.scale.unwrap_or(usual),
            deadline: Duration::from_secs(self.deadline),
        })
    }
}

/// Makes the set.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let plan = arguments.plan()?;
    let quiet = arguments.quiet || arguments.json;
    let stop = stop_on_ctrl_c()?;
    let means = Means {
        threads: arguments.threads.into(),
        crew: arguments.crew.workers(quiet)?,
        resume: arguments.resume,
        stop,
    };
    let mut live = Live::new(arguments.quiet);
    let result = make(&plan, &arguments.out, &means, &mut |progress| {
        live.show(progress);
    });
    live.finish();
    account(means.crew.as_ref(), quiet);
    let made = result.map_err(wrong)?;
    let mut out = io::stdout().lock();
    if arguments.json {
        let report = json!({
            "file": arguments.out.display().to_string(),
            "bytes": made.bytes,
            "unlabelled": made.unlabelled,
            "header": made.header,
        });
        writeln!(out, "{report:#}")?;
    } else {
        writeln!(
            out,
            "{}: {} positions from {} games, {} KiB",
            arguments.out.display(),
            made.header.positions,
            made.header.games,
            made.bytes.div_ceil(1024)
        )?;
        if made.unlabelled > 0 {
            writeln!(
                out,
                "{} positions were left out: the expert has no label for them",
                made.unlabelled
            )?;
        }
    }
    Ok(())
}

/// What is wrong with a request is the asker's fault, what breaks later is not.
fn wrong(error: MakeError) -> anyhow::Error {
    let error = match error {
        MakeError::Away(error) => return went_wrong(error),
        error => error,
    };
    let hint = match &error {
        MakeError::Plan { .. } => "`mendel data make --help` shows what can be asked for",
        MakeError::Taken { .. } | MakeError::Unfinished { .. } | MakeError::OtherPlan { .. } => {
            "`--out FILE` names a new file, `--resume` goes on with unfinished work"
        }
        MakeError::Entrant(_) => {
            "a player is a built-in name or a player file; an expert may also be `cmd:PROGRAM?Name=Value`"
        }
        MakeError::Seat(_) => {
            "install it (`apt install stockfish`), or name another with `--expert cmd:PROGRAM`"
        }
        MakeError::Mute { .. } => "or take a player of ours as expert: `--expert mendel`",
        MakeError::Exhausted { .. } => "`--random-plies 12` gives more different games",
        MakeError::Data(_) => "`mendel data list` names the built-in sets",
        _ => return error.into(),
    };
    Wrong::new(error, hint).into()
}

/// On a terminal a bar; elsewhere a line from time to time.
struct Live {
    bar: Option<ProgressBar>,
    stage: Option<Stage>,
    lines: bool,
    said: Instant,
}

impl Live {
    fn new(quiet: bool) -> Self {
        let terminal = io::stderr().is_terminal();
        Self {
            bar: (terminal && !quiet).then(|| {
                let bar = ProgressBar::new(0);
                let style = "{bar:30} {pos}/{len} {msg}, {eta} left";
                bar.set_style(
                    ProgressStyle::with_template(style).expect("the template is tested by use"),
                );
                bar
            }),
            stage: None,
            lines: !terminal && !quiet,
            said: Instant::now(),
        }
    }

    fn show(&mut self, progress: Progress) {
        const PAUSE: Duration = Duration::from_secs(10);
        let words = match progress.stage {
            Stage::Games => format!("positions from {} games", progress.games),
            Stage::Labels => "positions labelled".to_owned(),
        };
        let is_new = self.stage.replace(progress.stage) != Some(progress.stage);
        if let Some(bar) = &self.bar {
            if is_new {
                bar.set_length(progress.total);
                bar.set_position(progress.done);
                // What was done before this start says nothing of the speed.
                bar.reset_eta();
            }
            bar.set_position(progress.done);
            bar.set_message(words);
        } else if self.lines && (is_new || self.said.elapsed() >= PAUSE) {
            self.said = Instant::now();
            let (done, total) = (progress.done, progress.total);
            // With stderr closed there is nobody left to tell.
            let _ = writeln!(io::stderr().lock(), "{done}/{total} {words}");
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
