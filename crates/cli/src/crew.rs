//! `--crew`: remote workers; the same flags in every command.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use mendel_crew::{ConnectOptions, Crew, CrewClient, CrewError, DeadLetterPolicy, Secret, status};

use crate::choice::{Choice, choice};
use crate::output;
use crate::request::UsageError;

/// The version of this program and a hash of its
/// sources. Coordinators and workers compare it: two builds of a version may play differently.
pub(crate) const PROGRAM: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("MENDEL_BUILD"));

#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ServerArgs {
    /// A crew's server, such as `nats://127.0.0.1:4222` or `tls://host:4222` [env: `MENDEL_CREW`]
    #[arg(long, value_name = "URL")]
    crew: Option<String>,
    /// A file with the secret for it: one line, a token, `NAME:PASSWORD` or the seed of an
    /// `NKey` [env: `MENDEL_CREW_TOKEN`, the token itself]
    #[arg(long, value_name = "FILE")]
    crew_token_file: Option<PathBuf>,
    /// A file with the certificate that its server is known by
    #[arg(long, value_name = "FILE")]
    crew_ca: Option<PathBuf>,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct CrewArgs {
    #[command(flatten)]
    server: ServerArgs,
    /// When no worker of the crew can do a job: stop, or go on without its games,
    /// labels or positions [default: stop]
    #[arg(long, value_name = "WHAT", value_parser = choice(POLICIES))]
    dead_letters: Option<DeadLetterPolicy>,
    /// Seconds that a worker may take for one game, label or position before its job is
    /// given to another: longer than the longest; the same for all runs at a server [default: 120]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    crew_lease: Option<u64>,
}

const DEFAULT_LEASE: u64 = 120;

const STOP: &str = "Stop with an error; going on later tries the job again";
const SKIP: &str = "Go on; the games count as not played, the positions as not solved";
const POLICIES: &[Choice<DeadLetterPolicy>] = &[
    ("stop", STOP, DeadLetterPolicy::Stop),
    ("skip", SKIP, DeadLetterPolicy::Skip),
];

impl ServerArgs {
    /// The connection to the crew, if one is named.
    pub(crate) fn options(&self) -> Result<Option<ConnectOptions>, UsageError> {
        let from_environment = || env::var("MENDEL_CREW").ok().filter(|url| !url.is_empty());
        let Some(url) = self.crew.clone().or_else(from_environment) else {
            without_crew("--crew-token-file", self.crew_token_file.is_some())?;
            without_crew("--crew-ca", self.crew_ca.is_some())?;
            return Ok(None);
        };
        let secret = match &self.crew_token_file {
            Some(path) => Some(Secret::read(path).map_err(|error| wrong_options(&error))?),
            None => env::var("MENDEL_CREW_TOKEN").ok().map(Secret::Token),
        };
        let options = ConnectOptions::new(&url, secret, self.crew_ca.as_deref());
        options.map(Some).map_err(|error| wrong_options(&error))
    }

    /// The connection to the crew; an error if none is named.
    pub(crate) fn required(&self) -> Result<ConnectOptions, UsageError> {
        self.options()?.ok_or_else(|| {
            UsageError::new(
                "no crew is named",
                "`--crew nats://127.0.0.1:4222` or the environment variable MENDEL_CREW names its server; \
                 `nats-server --jetstream` starts one",
            )
        })
    }
}

impl CrewArgs {
    pub(crate) fn server(&self) -> &ServerArgs {
        &self.server
    }

    /// Connects to the crew, if one is named; its events go to stderr unless `quiet`.
    pub(crate) fn connect(&self, threads: usize, quiet: bool) -> anyhow::Result<Crew> {
        let Some(mut options) = self.server.options()? else {
            without_crew("--dead-letters", self.dead_letters.is_some())?;
            without_crew("--crew-lease", self.crew_lease.is_some())?;
            return Ok(Crew::threads(threads));
        };
        options.lease = Duration::from_secs(self.crew_lease.unwrap_or(DEFAULT_LEASE));
        let client = CrewClient::connect(&options, PROGRAM).map_err(crew_error)?;
        if !quiet && status(&options).is_ok_and(|status| status.workers.is_empty()) {
            let url = options.url();
            output::log(format!(
                "crew: nobody works at {url} yet; `mendel worker --crew {url}` does"
            ));
        }
        let policy = self.dead_letters.unwrap_or(DeadLetterPolicy::Stop);
        client.on_event(move |event| {
            if !quiet {
                output::log(format_args!("crew: {event}"));
            }
        });
        Ok(Crew::remote(client, threads, policy))
    }
}

fn without_crew(flag: &str, given: bool) -> Result<(), UsageError> {
    if !given {
        return Ok(());
    }
    Err(UsageError::new(
        format!("`{flag}` says something of a crew, and no crew is named"),
        format!("add `--crew nats://127.0.0.1:4222` or set MENDEL_CREW, or leave `{flag}` out"),
    ))
}

/// Prints the counts of jobs of a remote crew.
pub(crate) fn print_crew_summary(crew: &Crew, quiet: bool) {
    let tally = crew.job_counts();
    if quiet || tally == mendel_crew::JobCounts::default() {
        return;
    }
    let mut text = format!(
        "crew: {} jobs handed in, {} found, {} done",
        tally.handed_in, tally.found, tally.done
    );
    for (count, what) in [
        (tally.dead, "set aside"),
        (tally.duplicates, "answered twice"),
        (tally.corrupt, "answers unreadable"),
        (tally.other_build, "answers of another build"),
        (tally.repeated, "handed in again"),
    ] {
        if count > 0 {
            text.extend([", ", &count.to_string(), " ", what]);
        }
    }
    output::log(text);
}

fn wrong_options(error: &CrewError) -> UsageError {
    if matches!(error, CrewError::File { .. }) {
        return UsageError::new(
            error,
            "`--crew-token-file` names a file of one line with a token, NAME:PASSWORD or the seed of \
             an NKey; `--crew-ca` a certificate in PEM form",
        );
    }
    UsageError::new(
        error,
        "on one machine `--crew nats://127.0.0.1:4222` is enough; docs/crew.md shows a server for many",
    )
}

/// A crew's error, with a hint if the request was wrong.
pub(crate) fn crew_error(error: CrewError) -> anyhow::Error {
    let hint = match &error {
        CrewError::NoServer { .. } => {
            "is it running, and is the address right? without `--crew` all is done on this machine"
        }
        CrewError::AccessDenied { .. } => {
            "`--crew-token-file FILE` names a file with the secret, MENDEL_CREW_TOKEN holds a token"
        }
        CrewError::OtherVersion { .. } => "`mendel --version` says which one this is",
        CrewError::UnknownRun { .. } | CrewError::AtWork { .. } => {
            "`mendel crew status` shows all runs, and whose coordinators are there"
        }
        CrewError::NotPortable { .. } => {
            "without `--crew` the same is played on this machine, with all its files"
        }
        error if error.is_wrong_request() => "docs/crew.md shows how a crew is set up",
        _ => return error.into(),
    };
    UsageError::new(error, hint).into()
}
