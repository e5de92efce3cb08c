//! Execution options: the same flags in every command. No result depends on them.

use clap::Args;
use mendel_arena::MatchOptions;
use mendel_crew::{ConnectOptions, Crew};
use mendel_lab::learning::LearnPlan;
use mendel_store::frame::Failure;

use crate::crew::CrewArgs;

#[derive(Args, Clone, Debug)]
pub(crate) struct ExecArgs {
    /// Games, positions or searches at once; no result depends on it [default: all cores, and 1
    /// where clocks may decide games: `match`, `calibrate`]
    #[arg(long, value_name = "N", visible_alias = "concurrency", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) crew: CrewArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct OutputArgs {
    /// Print JSON: a line for each event, then the result
    #[arg(long)]
    pub(crate) json: bool,
    /// Print nothing before the result
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// The matches at the end of an experiment.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct ProofArgs {
    /// Play no matches at the end
    #[arg(long)]
    pub(crate) no_proof: bool,
}

/// Execution options from the flags of any command; `ProgramExperiment::exec_options` takes those
/// of a kind from them.
#[derive(Clone, Debug)]
pub(crate) struct ExecOptions {
    pub(crate) threads: Option<usize>,
    pub(crate) pin: bool,
    /// Without threads; see [`crew_or_all`](Self::crew_or_all).
    pub(crate) crew: Crew,
    pub(crate) proof: bool,
    /// Maximum number of games of the proof, if it is not that of the plan.
    pub(crate) proof_games: Option<u64>,
    /// The server of a crew, whose nodes may also exchange games.
    pub(crate) server: Option<ConnectOptions>,
    /// Without it, a population learns what was requested last.
    pub(crate) learn: Option<LearnRequest>,
}

#[derive(Clone, Debug)]
pub(crate) struct LearnRequest {
    pub(crate) plan: LearnPlan,
    /// Whether it is the population of all games at home.
    pub(crate) is_shared: bool,
}

impl Default for ExecOptions {
    fn default() -> Self {
        Self {
            threads: None,
            pin: false,
            crew: Crew::threads(1),
            proof: true,
            proof_games: None,
            server: None,
            learn: None,
        }
    }
}

impl ExecOptions {
    /// Threads of work that no clock decides.
    pub(crate) fn threads_or_all(&self) -> usize {
        self.threads.unwrap_or_else(all_cores)
    }

    /// The crew of work that no clock decides, with all cores unless threads were given.
    pub(crate) fn crew_or_all(&self) -> Crew {
        self.crew.clone().with_threads(self.threads_or_all())
    }

    /// The options of a match, one game at a time unless more are requested.
    pub(crate) fn for_match(&self) -> MatchOptions {
        let crew = self.crew.clone().with_threads(self.threads.unwrap_or(1));
        MatchOptions::by(&crew.pinned(self.pin))
    }

    /// Refuses options that a kind does not have.
    pub(crate) fn check(&self, kind: &str, has_proof_games: bool) -> Result<(), Failure> {
        if self.proof_games.is_none() || has_proof_games {
            return Ok(());
        }
        let what = format!("`--proof-games` has no effect on an experiment of the kind `{kind}`");
        Err(Failure::invalid(what)
            .with_hint("leave it out; it is for experiments of `mendel tune`"))
    }
}

pub(crate) fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl ExecArgs {
    pub(crate) fn options(&self) -> anyhow::Result<ExecOptions> {
        Ok(ExecOptions {
            threads: self.threads.map(usize::from),
            crew: self
                .crew
                .connect(1, self.output.quiet || self.output.json)?,
            server: self.crew.server().options()?,
            ..ExecOptions::default()
        })
    }
}
