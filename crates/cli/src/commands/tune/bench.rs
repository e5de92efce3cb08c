//! The bench of tuners: which needs the fewest games.

use clap::Args;
use mendel_lab::tune::bench::{self, Cell, Figure, Landscape, Lane, PLAIN_SPSA, Plan, Summary};
use serde_json::json;

use super::engine::TuneEngineArgs;
use crate::ctrl_c::stop_on_ctrl_c;
use crate::exec_options::all_cores;
use crate::output;
use crate::progress::bar;
use crate::request::UsageError;
use crate::table::TextTable;

/// Maximum number of knobs; more take hours.
const MAX_KNOBS: u64 = 200;

#[derive(Args, Debug)]
pub(super) struct TunerBenchArgs {
    /// Tune no engine: compare the tuners on synthetic ones whose best setting is known
    #[arg(long, conflicts_with_all = [
        "engine", "options", "params", "write", "openings", "out", "movetime", "depth", "nodes", "tc", "batch", "proof_games",
        "no_proof", "crew", "crew_token_file", "crew_ca", "dead_letters", "crew_lease",
    ])]
    pub(super) bench: bool,
    /// Bench: how many programs of each size and landscape [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    seeds: Option<u32>,
    /// Bench: numbers of knobs [default: 2,5,10,20,40]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=MAX_KNOBS))]
    sizes: Vec<u64>,
    /// Bench: landscapes, such as plain,crooked [default: all]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    landscapes: Vec<Landscape>,
    /// Bench: print a table for each landscape too
    #[arg(long)]
    by_landscape: bool,
}

const DEFAULT_SEEDS: u32 = 2;
const DEFAULT_SIZES: [usize; 5] = [2, 5, 10, 20, 40];

impl TunerBenchArgs {
    /// Refuses flags of the bench without `--bench`. (clap lets an option that requires
    /// `--bench` through with an engine, because the two exclude each other.)
    pub(super) fn only_bench(&self) -> Result<(), UsageError> {
        let given = [
            ("--seeds", self.seeds.is_some()),
            ("--sizes", !self.sizes.is_empty()),
            ("--landscapes", !self.landscapes.is_empty()),
            ("--by-landscape", self.by_landscape),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(UsageError::new(
                format!("`{name}` is for `--bench` only"),
                "`mendel tune --bench` compares the tuners on synthetic engines",
            )),
            None => Ok(()),
        }
    }
}

pub(super) fn run(args: &TunerBenchArgs, common: &TuneEngineArgs) -> anyhow::Result<()> {
    if common.games < 2 {
        return UsageError::bail(
            format!("`--games {}` is no pair of games", common.games),
            "`--games 2000` is usual",
        );
    }
    let mut plan = Plan {
        lanes: lanes(common.tuner.as_deref())?,
        sizes: args.sizes.iter().map(|size| *size as usize).collect(),
        landscapes: args.landscapes.clone(),
        seeds: args.seeds.unwrap_or(DEFAULT_SEEDS),
        games: common.games,
        seed: common.seed,
    };
    if plan.sizes.is_empty() {
        plan.sizes = DEFAULT_SIZES.to_vec();
    }
    plan.sizes.sort_unstable();
    plan.sizes.dedup();
    if plan.landscapes.is_empty() {
        plan.landscapes = Landscape::ALL.to_vec();
    }

    let threads = common.exec.threads.map_or_else(all_cores, usize::from);
    let stop = stop_on_ctrl_c()?;
    let bar = bar(
        "tunings {bar:30} {pos}/{len}, {eta} left",
        common.exec.output.quiet,
    );
    let tried = bench::run(&plan, threads, &stop, |done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    let tried = tried?;
    let Some(tried) = tried else {
        anyhow::bail!("stopped before the end: a bench is not kept, the same command repeats it");
    };
    let summary = bench::summary(&plan, &tried);
    output::print_line(
        common.exec.output.json,
        || json!(summary),
        || text(&summary, &plan, args.by_landscape),
    )
}

/// All tuners, or the named ones and plain SPSA, which they are compared with.
fn lanes(names: Option<&str>) -> Result<Vec<Lane>, UsageError> {
    let all = Lane::all();
    let Some(names) = names else {
        return Ok(all);
    };
    let find = |name: &str| {
        let name = name.trim();
        let found: Vec<Lane> = all
            .iter()
            .filter(|lane| lane.plan.name() == name)
            .cloned()
            .collect();
        if found.is_empty() {
            let mut known: Vec<&str> = all.iter().map(|lane| lane.plan.name()).collect();
            known.dedup();
            let hint = format!("the tuners are {}", known.join(", "));
            return Err(UsageError::new(format!("there is no tuner `{name}`"), hint));
        }
        Ok(found)
    };
    let asked: Result<Vec<Vec<Lane>>, UsageError> = names.split(',').map(find).collect();
    let plain = all.iter().filter(|lane| lane.name == PLAIN_SPSA).cloned();
    let mut lanes: Vec<Lane> = Vec::new();
    for lane in asked?.into_iter().flatten().chain(plain) {
        if !lanes.contains(&lane) {
            lanes.push(lane);
        }
    }
    Ok(lanes)
}

fn text(summary: &Summary, plan: &Plan, by_landscape: bool) -> String {
    let mut text = format!(
        "Elo below the best setting after {} games, the start being {} below it\n\
         (mean over {} programs of {} landscapes, 95 %)\n\n",
        summary.games,
        summary.start,
        summary.seeds as usize * plan.landscapes.len(),
        plan.landscapes.len(),
    );
    let regret = |it: &Cell| Some(figure(&it.regret, false));
    let less = |it: &Cell| it.against_spsa.as_ref().map(|it| figure(it, true));
    text.push_str(&table(summary, plan, None, &regret));
    text.push_str("\nthe same less that of plain SPSA on the same programs: below 0 is better\n\n");
    text.push_str(&table(summary, plan, None, &less));
    if by_landscape {
        for landscape in &plan.landscapes {
            let part = table(summary, plan, Some(*landscape), &regret);
            text.extend(["\n", landscape.name(), "\n\n", &part]);
        }
    }
    text
}

/// A row for each tuner that has a value in each column.
fn table(
    summary: &Summary,
    plan: &Plan,
    landscape: Option<Landscape>,
    value: &dyn Fn(&Cell) -> Option<String>,
) -> String {
    let heads = plan.sizes.iter().map(|size| format!("{size} knobs"));
    let mut table = TextTable::with_head(std::iter::once("tuner".to_owned()).chain(heads));
    for lane in &plan.lanes {
        let own = |size: &usize| {
            let cell = summary.cells.iter().find(|cell| {
                cell.tuner == lane.name && cell.knobs == *size && cell.landscape == landscape
            });
            cell.and_then(value)
        };
        let cells: Option<Vec<String>> = plan.sizes.iter().map(own).collect();
        if let Some(cells) = cells {
            table.row(std::iter::once(lane.name.clone()).chain(cells));
        }
    }
    table.render()
}

fn figure(figure: &Figure, signed: bool) -> String {
    let mean = figure.mean;
    let mean = if signed {
        format!("{mean:+.1}")
    } else {
        format!("{mean:.1}")
    };
    match figure.error {
        Some(error) => format!("{mean} ± {error:.1}"),
        None => mean,
    }
}
