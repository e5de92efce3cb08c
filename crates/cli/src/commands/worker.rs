//! `mendel worker`: do jobs for others.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use mendel_arena::task::{GameHandler, HouseRules};
use mendel_crew::{Event, Limits, Worked, Worker};
use mendel_lab::data::make::LabelHandler;

use crate::crew::{PROGRAM, ServerArguments, failed};
use crate::interrupt::stop_on_ctrl_c;
use crate::request::Wrong;

/// Do jobs for others: play games and label positions for a run elsewhere
#[derive(Args, Debug)]
#[command(after_help = "\
A worker needs nothing but this program of the same version: players, networks and
openings come with the jobs. It reads and writes no files for them, and starts other
programs only if their names are allowed here; jobs name them, never a command.
Ctrl-C finishes the jobs at hand, a second one drops them; others do them then.

Examples:
  mendel worker --crew nats://127.0.0.1:4222
  mendel worker --crew tls://crew.example.org --crew-token-file secret --threads 4
  mendel worker --allow stockfish=/usr/games/stockfish --allow 'phalanx=xboard:phalanx -b-'
  mendel worker --limit 600 --memory 2048 --name lab-3")]
pub(super) struct Arguments {
    #[command(flatten)]
    server: ServerArguments,
    /// Jobs at once [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Jobs may use this program by this name; PROGRAM may have arguments and begin
    /// with uci: or xboard: [default of PROGRAM: NAME]
    #[arg(long, value_name = "NAME[=PROGRAM]")]
    allow: Vec<String>,
    /// Seconds that a job may take
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::default().job_time.as_secs(), value_parser = clap::value_parser!(u64).range(1..=604_800))]
    limit: u64,
    /// MiB that this process may take, and the tables of the players of one job [default:
    /// no limit for the process, 1024 for the tables]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(64..=16_777_216))]
    memory: Option<u64>,
    /// What the worker is called: a-z, 0-9 and - [default: this machine and process]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Say nothing
    #[arg(long)]
    quiet: bool,
}

/// MiB of tables that the players of a job may have where nothing is said.
const USUAL_TABLES: u64 = 1024;

/// Works until it is told to stop.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let options = arguments.server.required()?;
    let rules = Arc::new(arguments.rules()?);
    let worker = Worker::new(options, arguments.limits(), &arguments.name(), PROGRAM)
        .handler(Arc::new(GameHandler::new(Arc::clone(&rules))))
        .handler(Arc::new(LabelHandler::new(rules)));
    let stop = stop_on_ctrl_c()?;
    let mut show = Show::new(arguments.quiet);
    let done = worker.run(&stop, &mut |event| show.hear(&event));
    show.finish();
    let done = done.map_err(failed)?;
    if !arguments.quiet {
        say(&farewell(done));
    }
    Ok(())
}

fn farewell(worked: Worked) -> String {
    format!(
        "worked: {} jobs, {} games or positions, {} jobs not done",
        worked.jobs, worked.units, worked.refused
    )
}

impl Arguments {
    fn rules(&self) -> Result<HouseRules, Wrong> {
        let mut rules = HouseRules::new(self.memory.unwrap_or(USUAL_TABLES));
        for text in &self.allow {
            let (name, program) = text.split_once('=').unwrap_or((text, text));
            let hint = "for instance `--allow stockfish=/usr/games/stockfish`";
            if name.is_empty() || name.contains(['/', '\\']) {
                return Err(Wrong::new(
                    format!("`--allow {text}` has no plain name before the `=`"),
                    hint,
                ));
            }
            let allowed = rules.allow(name, program);
            allowed.map_err(|error| Wrong::new(format!("`--allow {text}`: {error}"), hint))?;
        }
        Ok(rules)
    }

    fn limits(&self) -> Limits {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Limits {
            hands: self.threads.map_or(cores, usize::from),
            job_time: Duration::from_secs(self.limit),
            memory: self.memory.map(|mebibytes| mebibytes << 20),
            ..Limits::default()
        }
    }

    fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| {
            let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
            let host: String = host
                .trim()
                .to_lowercase()
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
                .take(40)
                .collect();
            let host = if host.is_empty() { "worker" } else { &host };
            format!("{host}-{}", std::process::id())
        })
    }
}

/// On a terminal a line that changes, and lines for what is worth remembering; elsewhere
/// a line for each event.
struct Show {
    bar: Option<ProgressBar>,
    quiet: bool,
    began: Instant,
    jobs: u64,
    working: u64,
}

impl Show {
    fn new(quiet: bool) -> Self {
        let bar = (!quiet && io::stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template("{spinner} {msg}");
            let bar = ProgressBar::new_spinner().with_style(style.expect("the template is tested"));
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Self {
            bar,
            quiet,
            began: Instant::now(),
            jobs: 0,
            working: 0,
        }
    }

    fn hear(&mut self, event: &Event) {
        match event {
            Event::Began { .. } => self.working += 1,
            Event::Done { .. } => {
                self.jobs += 1;
                self.working = self.working.saturating_sub(1);
            }
            Event::Refused { .. } | Event::Stuck { .. } => {
                self.working = self.working.saturating_sub(1);
            }
            _ => {}
        }
        if self.quiet {
            return;
        }
        let usual = matches!(event, Event::Began { .. } | Event::Done { .. });
        match &self.bar {
            None => say(&line(event)),
            Some(bar) => {
                if !usual {
                    bar.suspend(|| say(&line(event)));
                }
                let minutes = self.began.elapsed().as_secs_f64() / 60.0;
                bar.set_message(format!(
                    "{} jobs done, {} at hand, {:.0} a minute",
                    self.jobs,
                    self.working,
                    self.jobs as f64 / minutes.max(1e-3)
                ));
            }
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn line(event: &Event) -> String {
    match event {
        Event::Joined { url } => format!("joined the crew at {url}"),
        Event::Away => "the server is away; trying again".to_owned(),
        Event::Back => "the server is back".to_owned(),
        Event::Began { run, id, kind } => format!("{run} {id}: begun ({kind})"),
        Event::Done { run, id, seconds } => format!("{run} {id}: done in {seconds:.1} s"),
        Event::Refused { run, id, why } => format!("{run} {id}: not done: {why}"),
        Event::Stuck { run, id } => format!("{run} {id}: no progress; others will do it"),
        other => format!("{other:?}"),
    }
}

fn say(text: &str) {
    // With stderr closed there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_terminal_is_well_formed() {
        assert!(ProgressStyle::with_template("{spinner} {msg}").is_ok());
    }
}
