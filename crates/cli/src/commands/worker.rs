//! `mendel worker`: does jobs of a crew.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use mendel_arena::task::{GameUnpack, PairUnpack, ProgramAllowlist};
use mendel_crew::{TaskHandler, Worker, WorkerEvent, WorkerLimits};
use mendel_data::label::LabelUnpack;
use mendel_fitness::trial::PuzzleUnpack;

use crate::crew::{PROGRAM, ServerArgs, crew_error};
use crate::ctrl_c::flags_on_ctrl_c;
use crate::exec_options::all_cores;
use crate::output;
use crate::progress::Display;
use crate::request::UsageError;

/// Do jobs for others: play games, judge and label positions for a run elsewhere
#[derive(Args, Debug)]
#[command(after_help = "\
A worker needs nothing but this program of the same version: players, networks and
openings come with the jobs. It reads and writes no files for them, and starts other
programs only if their names are allowed here; jobs name them, never a command.
Ctrl-C finishes the jobs at hand and takes no others, a second one drops them; others
do them then.

Examples:
  mendel worker --crew nats://127.0.0.1:4222
  mendel worker --crew tls://crew.example.org --crew-token-file secret --threads 4
  mendel worker --allow stockfish=/usr/games/stockfish --allow 'phalanx=xboard:phalanx -b-'
  mendel worker --limit 600 --memory 2048 --name lab-3")]
pub(super) struct WorkerArgs {
    #[command(flatten)]
    server: ServerArgs,
    /// Jobs at once [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Jobs may use this program by this name; PROGRAM may have arguments and begin
    /// with uci: or xboard: [default of PROGRAM: NAME]
    #[arg(long, value_name = "NAME[=PROGRAM]")]
    allow: Vec<String>,
    /// Seconds that a job may take
    #[arg(long, value_name = "SECONDS", default_value_t = WorkerLimits::default().job_time.as_secs(), value_parser = clap::value_parser!(u64).range(1..=604_800))]
    limit: u64,
    /// MiB that this process may take, and the tables of the players of one job [default:
    /// three quarters of the machine's memory, 1024 for the tables]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(64..=16_777_216))]
    memory: Option<u64>,
    /// What the worker is called: a-z, 0-9 and - [default: this machine and process]
    #[arg(long, value_name = "NAME", value_parser = worker_name)]
    name: Option<String>,
    /// Say nothing
    #[arg(long)]
    quiet: bool,
}

/// MiB of tables that the players of a job may have.
const DEFAULT_TABLES: u64 = 1024;

pub(super) fn run(args: &WorkerArgs) -> anyhow::Result<()> {
    let options = args.server.required()?;
    let allowed = Arc::new(args.rules()?);
    let rules = || Arc::clone(&allowed);
    let [stop, abort] = flags_on_ctrl_c()?;
    let worker = Worker::new(options, args.limits(), &args.name(), PROGRAM)
        .handler(Arc::new(TaskHandler::new(PairUnpack::new(rules()))))
        .handler(Arc::new(TaskHandler::new(GameUnpack::new(rules()))))
        .handler(Arc::new(TaskHandler::new(LabelUnpack::new(rules()))))
        .handler(Arc::new(TaskHandler::new(PuzzleUnpack::new(rules()))))
        .dropping(abort);
    let mut display = WorkerDisplay::new(args.quiet);
    let done = worker.run(&stop, &mut |event| display.on_event(&event));
    display.display.finish();
    let done = done.map_err(crew_error)?;
    if !args.quiet {
        output::log(format!(
            "worked: {} jobs, {} games or positions, {} jobs not done",
            done.jobs, done.units, done.refused
        ));
    }
    Ok(())
}

/// A name of characters that every display can show, short enough for a line.
fn worker_name(text: &str) -> Result<String, String> {
    let plain = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-');
    if (1..=MAX_NAME_LEN).contains(&text.len()) && text.chars().all(plain) {
        Ok(text.to_owned())
    } else {
        Err(format!("1 to {MAX_NAME_LEN} of a-z, 0-9 and - are a name"))
    }
}

/// Maximum number of characters of a worker's name.
const MAX_NAME_LEN: usize = 64;

/// Checks that the program of `--allow` exists.
fn program(text: &str) -> Result<(), String> {
    let kinds = ["cmd:", "uci:", "xboard:"];
    let command = kinds.iter().find_map(|kind| text.strip_prefix(kind));
    let command = command.unwrap_or(text).trim();
    // A space may begin an argument or be part of the path; the existing file decides.
    let whole = command.split('?').next().unwrap_or_default();
    let first = whole.split_whitespace().next().unwrap_or_default();
    let first = first.trim_matches(['"', '\'']);
    let is_there = |path: &Path| path.is_file();
    let found = if first.contains('/') {
        is_there(Path::new(first)) || is_there(Path::new(whole))
    } else {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| is_there(&folder.join(first)))
    };
    if found {
        Ok(())
    } else if first.contains('/') {
        Err(format!("there is no file `{first}`"))
    } else {
        Err(format!("there is no program `{first}` in the PATH"))
    }
}

impl WorkerArgs {
    fn rules(&self) -> Result<ProgramAllowlist, UsageError> {
        let mut rules = ProgramAllowlist::new(self.memory.unwrap_or(DEFAULT_TABLES));
        for text in &self.allow {
            let (name, command) = text.split_once('=').unwrap_or((text, text));
            let hint = "for instance `--allow stockfish=/usr/games/stockfish`";
            if name.is_empty() || name.contains(['/', '\\']) {
                return Err(UsageError::new(
                    format!("`--allow {text}` has no plain name before the `=`"),
                    hint,
                ));
            }
            let wrong = |why: String| UsageError::new(format!("`--allow {text}`: {why}"), hint);
            let allowed = rules.allow(name, command);
            allowed.map_err(|error| wrong(error.to_string()))?;
            program(command).map_err(wrong)?;
        }
        Ok(rules)
    }

    fn limits(&self) -> WorkerLimits {
        WorkerLimits {
            slots: self.threads.map_or_else(all_cores, usize::from),
            job_time: Duration::from_secs(self.limit),
            memory: self.memory.map(|mebibytes| mebibytes << 20),
            ..WorkerLimits::default()
        }
    }

    fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| {
            let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
            let host = host.trim().to_lowercase();
            let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
            let host: String = host.chars().map(plain).take(40).collect();
            let host = if host.is_empty() { "worker" } else { &host };
            format!("{host}-{}", std::process::id())
        })
    }
}

/// On a terminal a line that changes, and lines for unusual events; elsewhere a line for each
/// event.
struct WorkerDisplay {
    display: Display,
    start: Instant,
    jobs: u64,
    active: u64,
}

impl WorkerDisplay {
    fn new(quiet: bool) -> Self {
        let display = Display::new(quiet, "{spinner} {msg}");
        if let Display::Bar(bar) = &display {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self {
            display,
            start: Instant::now(),
            jobs: 0,
            active: 0,
        }
    }

    fn on_event(&mut self, event: &WorkerEvent) {
        let mut is_usual = false;
        match event {
            WorkerEvent::Started { .. } => {
                is_usual = true;
                self.active += 1;
            }
            WorkerEvent::Done { .. } => {
                is_usual = true;
                self.jobs += 1;
                self.active = self.active.saturating_sub(1);
            }
            WorkerEvent::Rejected { .. } | WorkerEvent::Stuck { .. } => {
                self.active = self.active.saturating_sub(1);
            }
            _ => {}
        }
        let Display::Bar(bar) = &self.display else {
            return self.display.log(&line(event));
        };
        if !is_usual {
            bar.suspend(|| output::log(line(event)));
        }
        let minutes = self.start.elapsed().as_secs_f64() / 60.0;
        bar.set_message(format!(
            "{} jobs done, {} at hand, {:.0} a minute",
            self.jobs,
            self.active,
            self.jobs as f64 / minutes.max(1e-3)
        ));
    }
}

fn line(event: &WorkerEvent) -> String {
    match event {
        WorkerEvent::Joined { url } => format!("joined the crew at {url}"),
        WorkerEvent::Disconnected => "the server is away; trying again".to_owned(),
        WorkerEvent::Reconnected => "the server is back".to_owned(),
        WorkerEvent::Started { run, id, kind } => format!("{run} {id}: begun ({kind})"),
        WorkerEvent::Done { run, id, seconds } => format!("{run} {id}: done in {seconds:.1} s"),
        WorkerEvent::Rejected { run, id, why } => format!("{run} {id}: not done: {why}"),
        WorkerEvent::Stuck { run, id } => format!("{run} {id}: no progress; others will do it"),
        WorkerEvent::Corrupt { subject, why } => {
            // Any client of the server may have written this message.
            let why = why.escape_debug();
            format!("thrown away what lay at {subject} and is no job: {why}")
        }
        // Events of later versions.
        other => format!("{other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_job_is_told_in_words() {
        let told = line(&WorkerEvent::Corrupt {
            subject: "mendel.jobs.x.run.a".to_owned(),
            why: "it is of version \u{1b}[31m".to_owned(),
        });
        assert!(told.contains("is no job: it is of version"), "{told}");
        assert!(
            !told.contains("Corrupt") && !told.contains('\u{1b}'),
            "{told}"
        );
    }

    #[test]
    fn a_name_is_plain_and_a_program_is_there() {
        assert_eq!(worker_name("lab-3"), Ok("lab-3".to_owned()));
        for name in ["", "A b", "a_b", &"a".repeat(65)] {
            assert!(worker_name(name).is_err(), "{name:?}");
        }
        for there in ["sh", "/bin/sh", "uci:sh -c x", "xboard:/bin/sh?.name=x"] {
            assert_eq!(program(there), Ok(()), "{there}");
        }
        for (away, named) in [
            ("/no/such/x", "/no/such/x"),
            ("uci:no-such-x -b", "no-such-x"),
        ] {
            assert!(
                program(away).is_err_and(|why| why.contains(named)),
                "{away}"
            );
        }
    }

    #[test]
    fn the_line_of_a_terminal_is_well_formed() {
        crate::progress::bar("{spinner} {msg}", false).finish_and_clear();
    }
}
