//! `mendel data make`: positions from our own games, labelled by an expert.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgAction, Args};
use mendel_data::label::{Ask, Evaluation, ExpertPlan};
use mendel_data::make::{CreatedDataSet, DataOptions, DataPlan, DataSetCreation};
use mendel_data::{DataSetHeader, Kind, Reader};
use mendel_report::page::{HtmlPage, PageBlock};
use mendel_store::frame::{Failure, Folder, Manifest};
use serde_json::{Value, json};

use crate::choice::{Choice, choice};
use crate::exec_options::{ExecArgs, ExecOptions};
use crate::experiment::{NewExperiment, ProgramExperiment, Report, Session};
use crate::progress::last_progress;
use crate::request::{OrUsageError as _, writable};

/// Make a data set: positions from our own games, labelled by an expert
#[derive(Args, Debug)]
#[command(after_help = "\
quiet     positions in which nothing is to be won at once, with an expert's static score
moves     positions with an expert's best move, found by search
selfplay  positions with the result of the game they come from

The games are played in this process at fixed nodes. Stockfish up to 15.1 has a
classical evaluation; its centipawns are about half of Stockfish 11's, so static
scores are multiplied by 2. The same command gives the same file, on any number of threads.
The work is an experiment of the library (`mendel runs`); after Ctrl-C or a kill,
`mendel resume` resumes it.

Examples:
  mendel data make quiet --positions 20000 --seed 1 --out quiet.mds
  mendel data make quiet --from quiet.mds --expert-eval nnue --out neural.mds
  mendel data make moves --positions 10000 --expert-nodes 20000 --out moves.mds
  mendel data make selfplay --positions 100000 --nodes 2000 --threads 2 --out games.mds
  mendel data make quiet --positions 1000 --expert mendel --out own.mds
  mendel data make moves --expert cmd:stockfish --crew nats://127.0.0.1:4222 --out moves.mds")]
pub(super) struct DataMakeArgs {
    /// What the set is for
    #[arg(value_parser = choice(KINDS))]
    kind: Kind,
    /// The file to write, by convention NAME.mds
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// How many positions [default: 20000, 10000 or 100000 by kind; all with --from]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    positions: Option<u64>,
    /// Decides openings, random moves and which positions are drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    games: SelfPlayArgs,
    #[command(flatten)]
    expert: ExpertArgs,
    /// The share of games that are held out from training
    #[arg(long, value_name = "SHARE", default_value_t = DataSetHeader::HOLD_OUT)]
    hold_out: f64,
    #[command(flatten)]
    exec: ExecArgs,
}

/// The games, and what is taken from them.
#[derive(Args, Debug)]
struct SelfPlayArgs {
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

#[derive(Args, Debug)]
struct ExpertArgs {
    /// Who labels: `cmd:PROGRAM`, a built-in player or a player file
    /// [default: cmd:stockfish; nobody for selfplay]
    #[arg(long, value_name = "PLAYER")]
    expert: Option<String>,
    /// Its static evaluation [default for quiet: classical]
    #[arg(long, value_parser = choice(EVALUATIONS), conflicts_with_all = ["expert_nodes", "expert_depth"])]
    expert_eval: Option<Evaluation>,
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

const KINDS: &[Choice<Kind>] = &[
    ("quiet", "", Kind::Quiet),
    ("moves", "", Kind::Moves),
    ("selfplay", "", Kind::Selfplay),
];

const CLASSICAL: &str = "Terms written by people";
const EVALUATIONS: &[Choice<Evaluation>] = &[
    ("classical", CLASSICAL, Evaluation::Classical),
    ("nnue", "A network", Evaluation::Nnue),
];

impl DataMakeArgs {
    fn plan(&self) -> anyhow::Result<DataPlan> {
        let kind = self.kind;
        let usual = match kind {
            Kind::Quiet => 20_000,
            Kind::Moves => 10_000,
            _ => 100_000,
        };
        let positions = match (&self.games.from, self.positions) {
            (_, Some(positions)) => positions,
            (None, None) => usual,
            (Some(from), None) => {
                let reader = Reader::find(&from.display().to_string());
                let reader = reader.or_hint("`mendel data list` names the sets")?;
                reader.header().positions.max(1)
            }
        };
        let plan = DataPlan::usual(kind, positions, std::path::absolute(&self.out)?);
        let games = &self.games;
        Ok(DataPlan {
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

impl ExpertArgs {
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
            (_, _, None) if kind == Kind::Moves => Ask::Nodes { nodes: 20_000 },
            (_, _, evaluation) => Ask::Static {
                evaluation: evaluation.unwrap_or(Evaluation::Classical),
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

pub(super) fn run(args: &DataMakeArgs) -> anyhow::Result<()> {
    writable(&args.out)?;
    let plan = args.plan()?;
    let session = Session::new(args.exec.options()?, args.exec.output)?;
    let name = plan.out.file_stem().unwrap_or_default();
    let name = name.to_string_lossy().into_owned();
    session.start::<DataSetCreation>(NewExperiment {
        seed: plan.seed,
        folder: None,
        names: &[&name],
        plan,
    })
}

impl ProgramExperiment for DataSetCreation {
    const GROUP: &'static str = "data";

    fn exec_options(options: &ExecOptions) -> DataOptions {
        DataOptions {
            crew: options.crew_or_all(),
        }
    }

    fn text(outcome: &CreatedDataSet, _folder: &Folder) -> Result<String, Failure> {
        let unlabelled = match outcome.unlabelled {
            0 => String::new(),
            count => {
                format!("{count} positions were left out: the expert has no label for them\n")
            }
        };
        Ok(format!(
            "{}: {} positions from {} games, {} KiB\n{unlabelled}",
            outcome.file.display(),
            outcome.header.positions,
            outcome.header.games,
            outcome.bytes.div_ceil(1024)
        ))
    }

    fn describe(folder: &Folder, _manifest: &Manifest) -> Value {
        let Ok(Some(outcome)) = folder.read_result::<CreatedDataSet>() else {
            return json!({ "progress": last_progress(folder) });
        };
        let positions = outcome.header.positions;
        json!({
            "progress": format!("{positions} positions"),
            "result": outcome.file.display().to_string(),
            "file": outcome.file,
            "bytes": outcome.bytes,
            "positions": positions,
            "games": outcome.header.games,
        })
    }

    fn report(folder: &Path) -> Result<Report, Failure> {
        let files = Folder::at(folder);
        let manifest = Manifest::read(folder)?;
        let outcome = files.read_result::<CreatedDataSet>()?;
        let text = match &outcome {
            Some(outcome) => Self::text(outcome, &files)?,
            None => format!("not finished: {}\n", last_progress(&files)),
        };
        let page = HtmlPage {
            title: manifest.name,
            blocks: vec![PageBlock::Code(text)],
            ..HtmlPage::default()
        };
        Ok(Report::new(page, outcome))
    }
}
