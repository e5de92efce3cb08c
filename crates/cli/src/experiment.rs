//! Starts, resumes and finishes experiments of all kinds.

use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anyhow::anyhow;
use mendel_crew::CrewError;
use mendel_report::page::HtmlPage;
use mendel_store::frame::{
    self, Cause, Experiment, ExperimentEvent, Failure, Folder, Host, Manifest, Preparation,
};
use mendel_store::{ExperimentError, replace};
use serde::Serialize;
use serde_json::{Value, json};

use crate::crew::{crew_error, print_crew_summary};
use crate::ctrl_c::stop_on_ctrl_c;
use crate::exec_options::{ExecOptions, OutputArgs};
use crate::progress::{Progress, RecordView, no_records};
use crate::request::{INPUTS_HINT, UsageError, command_line};
use crate::{library, output};

pub(crate) const PAGE: &str = "report.html";

/// What the program adds to a kind of experiment. The kind is listed in `kinds::KINDS`.
pub(crate) trait ProgramExperiment: Experiment + 'static {
    /// The folder of the library for new ones, such as `matches`.
    const GROUP: &'static str;

    /// Whether `--proof-games` has an effect.
    const HAS_PROOF_GAMES: bool = false;

    /// The options of this kind, from the flags.
    fn exec_options(options: &ExecOptions) -> Self::ExecOptions;

    fn text(outcome: &Self::Outcome, folder: &Folder) -> Result<String, Failure>;

    /// The fields of the last line of `--json`; `event` and `folder` are added.
    fn json(outcome: &Self::Outcome, _folder: &Folder) -> Result<Value, Failure> {
        Ok(serde_json::to_value(outcome)?)
    }

    /// The summary for `mendel runs`: an object whose texts `progress` (`12/100 games`) and `result`
    /// (`+12.3 ± 5.0 Elo`) are columns of the table; the rest is for `--json`. Files that cannot
    /// be read are left out.
    fn describe(folder: &Folder, manifest: &Manifest) -> Value;

    fn report(folder: &Path) -> Result<Report, Failure>;

    fn view() -> RecordView {
        no_records()
    }

    /// The result so far of a stopped experiment; printed like an outcome.
    fn so_far(_folder: &Folder) -> Result<Option<Self::Outcome>, Failure> {
        Ok(None)
    }

    /// Writes the pages of the finished experiments inside; they are part of these.
    fn write_nested_pages(_folder: &Path) -> Result<(), Failure> {
        Ok(())
    }

    /// An outcome that makes the program fail, such as that of a player that always crashes.
    fn check(_outcome: &Self::Outcome) -> Result<(), Failure> {
        Ok(())
    }
}

pub(crate) struct Report {
    pub(crate) page: HtmlPage,
    pub(crate) data: Value,
}

impl Report {
    pub(crate) fn new(page: HtmlPage, data: impl Serialize) -> Self {
        let data = json!(data);
        Self { page, data }
    }
}

pub(crate) struct NewExperiment<'a, P> {
    pub(crate) plan: P,
    pub(crate) seed: u64,
    /// `--out`; without it a folder of the library.
    pub(crate) folder: Option<&'a Path>,
    /// Words in the name of the folder in the library.
    pub(crate) names: &'a [&'a str],
}

type StartFn<E> = fn(
    &Path,
    <E as Experiment>::Plan,
    u64,
    &str,
    &<E as Experiment>::ExecOptions,
    &Host,
) -> Result<<E as Experiment>::Outcome, Failure>;

/// Options, Ctrl-C and display of the experiments of this process. One in a process.
pub(crate) struct Session {
    options: ExecOptions,
    output: OutputArgs,
    host: Host,
    progress: Arc<Mutex<Progress>>,
}

impl Session {
    /// From now on the first Ctrl-C stops the experiment and keeps its folder, the second ends
    /// the program.
    pub(crate) fn new(options: ExecOptions, output: OutputArgs) -> anyhow::Result<Self> {
        let progress = Arc::new(Mutex::new(Progress::new(output)));
        let shown = Arc::clone(&progress);
        let listener = move |folder: &Path, event: &ExperimentEvent| {
            let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
            if shown.is_root(folder) && matches!(event, ExperimentEvent::Started { .. }) {
                library::register(folder);
            }
            shown.add(folder, event, Instant::now());
        };
        Ok(Self {
            options,
            output,
            host: Host {
                stop: stop_on_ctrl_c()?,
                listener: Some(Arc::new(listener)),
            },
            progress,
        })
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does work before the start, such as making a plan; its progress is shown as that of the folder.
    pub(crate) fn prepare<T>(
        &self,
        folder: &Path,
        work: impl FnOnce(&Preparation) -> Result<T, Failure>,
    ) -> anyhow::Result<T> {
        self.progress().start(folder);
        work(&Preparation::new(folder, &self.host)).map_err(|failure| {
            self.clear();
            error(failure, folder)
        })
    }

    pub(crate) fn clear(&self) {
        self.progress().finish();
    }

    pub(crate) fn options(&self) -> &ExecOptions {
        &self.options
    }

    /// Starts an experiment, runs it and prints its result.
    pub(crate) fn start<E: ProgramExperiment>(
        &self,
        new: NewExperiment<'_, E::Plan>,
    ) -> anyhow::Result<()> {
        self.start_by::<E>(new, frame::start::<E>)
    }

    /// As [`start`](Self::start), but an experiment with this plan and seed in the folder is
    /// resumed.
    pub(crate) fn start_or_resume<E: ProgramExperiment>(
        &self,
        new: NewExperiment<'_, E::Plan>,
    ) -> anyhow::Result<()> {
        self.start_by::<E>(new, frame::start_or_resume::<E>)
    }

    fn start_by<E: ProgramExperiment>(
        &self,
        new: NewExperiment<'_, E::Plan>,
        start: StartFn<E>,
    ) -> anyhow::Result<()> {
        let folder = match new.folder {
            Some(folder) => std::path::absolute(folder)?,
            None => library::open()?.new_folder(E::GROUP, new.names)?,
        };
        let (plan, seed, command) = (new.plan, new.seed, command_line());
        self.run::<E>(&folder, |options| {
            start(&folder, plan, seed, &command, options, &self.host)
        })
    }

    pub(crate) fn resume<E: ProgramExperiment>(&self, folder: &Path) -> anyhow::Result<()> {
        self.run::<E>(folder, |options| {
            frame::resume::<E>(folder, options, &self.host)
        })
    }

    /// Runs an experiment, then prints the result and writes the page and the entry in the
    /// library.
    fn run<E: ProgramExperiment>(
        &self,
        folder: &Path,
        run: impl FnOnce(&E::ExecOptions) -> Result<E::Outcome, Failure>,
    ) -> anyhow::Result<()> {
        self.progress().start(folder);
        let checked = self.options.check(E::KIND, E::HAS_PROOF_GAMES);
        checked.map_err(|failure| error(failure, folder))?;
        let result = run(&E::exec_options(&self.options));
        self.clear();
        let quiet = self.output.quiet || self.output.json;
        print_crew_summary(&self.options.crew, quiet);
        library::register(folder);
        let failed = |failure| error(failure, folder);
        let files = Folder::at(folder);
        E::write_nested_pages(folder).map_err(failed)?;
        match result {
            Ok(outcome) => {
                // The page is part of the experiment.
                let report = E::report(folder).map_err(failed)?;
                replace(&folder.join(PAGE), report.page.render().as_bytes())?;
                self.print::<E>(&outcome, &files).map_err(failed)?;
                E::check(&outcome).map_err(failed)
            }
            Err(Failure::Stopped) => {
                if let Some(outcome) = E::so_far(&files).map_err(failed)? {
                    self.print::<E>(&outcome, &files).map_err(failed)?;
                }
                Err(failed(Failure::Stopped))
            }
            Err(failure) => Err(failed(failure)),
        }
    }

    fn print<E: ProgramExperiment>(
        &self,
        outcome: &E::Outcome,
        folder: &Folder,
    ) -> Result<(), Failure> {
        let mut out = output::stdout();
        if self.output.json {
            let mut value = E::json(outcome, folder)?;
            value["event"] = json!("result");
            value["folder"] = json!(folder.path());
            writeln!(out, "{value}")?;
        } else {
            out.write_all(E::text(outcome, folder)?.as_bytes())?;
        }
        Ok(())
    }
}

const LISTED: &str = "`mendel runs` lists the experiments and their states";

/// The error of an experiment as the program reports it: a wrong request has exit
/// code 2 and a hint.
pub(crate) fn error(failure: Failure, folder: &Path) -> anyhow::Error {
    match failure {
        Failure::Stopped => {
            let shown = folder.display();
            if folder.join(Manifest::FILE).is_file() {
                anyhow!("stopped before its end; `mendel resume {shown}` continues it")
            } else {
                anyhow!("stopped before it was started; nothing was written")
            }
        }
        Failure::Failed(cause) => {
            if about_experiment(&cause, ExperimentError::is_about_lock) {
                return UsageError::new(cause, LISTED).into();
            }
            let cause = match cause.downcast::<CrewError>() {
                Ok(error) => return crew_error(*error),
                Err(cause) => cause,
            };
            // A box hides its type; a closed pipe is recognised by it.
            match cause.downcast::<std::io::Error>() {
                Ok(error) => (*error).into(),
                Err(cause) => anyhow!(cause),
            }
        }
        Failure::InvalidRequest { cause, hint } => {
            let hint = if about_experiment(&cause, ExperimentError::is_about_inputs) {
                Some(INPUTS_HINT.to_owned())
            } else {
                hint.or_else(|| about_experiment(&cause, |_| true).then(|| LISTED.to_owned()))
            };
            let message = crate::sentence(&anyhow!(cause));
            UsageError {
                message,
                hints: hint.into_iter().collect(),
            }
            .into()
        }
    }
}

fn about_experiment(cause: &Cause, is: impl Fn(&ExperimentError) -> bool) -> bool {
    cause.downcast_ref().is_some_and(is)
}
