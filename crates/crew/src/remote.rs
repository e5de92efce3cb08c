//! The coordinator's end.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use futures_util::StreamExt;
use tokio::runtime::Runtime;

use crate::blob::BlobId;
use crate::error::{CrewError, WorkError};
use crate::job::{GoOn, Job, Outcome, Tally, check_name};
use crate::names::{self, Role};
use crate::news::{Listener, News};
use crate::options::Options;
use crate::server::Server;
use crate::shift::{Shift, until};
use crate::status::{Coordinator, RunState, roll};
use crate::vault::Vault;

/// A crew behind a server, as a coordinator sees it.
#[derive(Clone)]
pub struct Remote(Arc<Office>);

/// What all clones share.
pub(crate) struct Office {
    pub(crate) server: Server,
    pub(crate) vault: Vault,
    pub(crate) options: Options,
    pub(crate) program: String,
    /// The program's version, as it is called in subjects.
    pub(crate) token: String,
    runs: Arc<Mutex<Vec<Running>>>,
    /// The server's process that was last seen.
    life: Mutex<String>,
    pub(crate) listener: Listener,
    // Last, so that what lives in it goes first.
    runtime: Runtime,
}

/// A run at work.
struct Running {
    run: String,
    since: Instant,
    tally: Tally,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote")
            .field("program", &self.0.program)
            .field("options", &self.0.options)
            .finish_non_exhaustive()
    }
}

impl Remote {
    /// Connects as a coordinator of this version of the program; workers of
    /// another will be refused.
    ///
    /// # Errors
    ///
    /// If there is no server, or it does not let us do this.
    pub fn connect(options: &Options, program: &str) -> Result<Self, CrewError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("crew")
            .enable_all()
            .build()
            .map_err(|error| CrewError::System {
                what: "a thread for the crew".to_owned(),
                why: error.to_string(),
            })?;
        let token = names::token(program);
        let runs = Arc::default();
        let listener = Listener::default();
        let (server, vault) = runtime.block_on(async {
            let server = Server::connect(options, Role::Coordinator, "mendel coordinator").await?;
            server.stream(names::jobs_stream()).await?;
            server.agree_on_lease(program, options.lease).await?;
            let vault = furnish(&server, &token, options, false).await?;
            tokio::spawn(tell_changes(server.clone(), listener.clone()));
            tokio::spawn(answer(
                server.clone(),
                program.to_owned(),
                Arc::clone(&runs),
            ));
            Ok::<_, CrewError>((server, vault))
        })?;
        let life = Mutex::new(server.life());
        Ok(Self(Arc::new(Office {
            server,
            vault,
            options: options.clone(),
            program: program.to_owned(),
            token,
            runs,
            life,
            listener,
            runtime,
        })))
    }

    /// Tells `hear` from now on what happens while [`work`](Self::work) goes on: that a
    /// worker does not do a job, once for each worker and reason; that the server goes
    /// and comes; that nobody works.
    pub fn on_news(&self, hear: impl Fn(&News) + Send + Sync + 'static) {
        self.0.listener.set(hear);
    }

    /// Has `jobs` done by the workers and gives every outcome to `done` exactly
    /// once, on this thread, in any order.
    ///
    /// Jobs are taken one by one, so that no more than [`Options::window`] are in
    /// the server. What an earlier life of this run left there, jobs and results,
    /// is found by the ids of the jobs. A result stays in the server until `done`
    /// has returned `Ok`, so `done` should return when it is on the disk. A result that
    /// makes no sense to it ([`GoOn::Again`]) is thrown away, and the job done again.
    ///
    /// A job that all workers who are there have refused for [`Options::nobody`] comes
    /// back as set aside.
    ///
    /// A run has one coordinator at a time. `stop` ends the work and leaves in the
    /// server what is there, for the next life; [`GoOn::No`] and the last outcome
    /// end it and leave nothing.
    ///
    /// # Errors
    ///
    /// If the server stays away longer than [`Options::patience`], a job is too
    /// large, has the id of another or names a blob that `blob` does not have, or
    /// `done` fails. All can be resumed.
    pub fn work<E>(
        &self,
        run: &str,
        jobs: impl Iterator<Item = Job>,
        blob: &(dyn Fn(&BlobId) -> Option<Arc<[u8]>> + Sync),
        stop: &AtomicBool,
        done: &mut dyn FnMut(Outcome) -> Result<GoOn, E>,
    ) -> Result<Tally, WorkError<E>> {
        check_name("run", run).map_err(CrewError::from)?;
        let office = &*self.0;
        let _at_work = office.at_work(run);
        office.runtime.block_on(async {
            let mut shift = Shift::begin(office, run, jobs, blob).await?;
            let ended = tokio::select! {
                ended = shift.work(done) => ended,
                () = until(stop) => Ok(()),
            };
            shift.end(ended.is_ok()).await;
            ended.map(|()| shift.tally())
        })
    }

    /// So many jobs the workers of this version who are there can do at once.
    ///
    /// # Errors
    ///
    /// If the server stays away.
    pub fn hands(&self) -> Result<usize, CrewError> {
        let office = &*self.0;
        let answers = office.server.ask_all(names::ROLL_CALL);
        let workers = roll(&office.runtime.block_on(answers)?);
        let ours = workers.iter().filter(|it| it.program == office.program);
        Ok(ours.fold(0, |hands, it| hands.saturating_add(it.hands)))
    }

    /// Removes all that the server holds of a run: jobs and results.
    ///
    /// # Errors
    ///
    /// If the server does not do it.
    pub fn forget(&self, run: &str) -> Result<(), CrewError> {
        check_name("run", run)?;
        self.0.runtime.block_on(self.0.forget(run))
    }
}

impl Office {
    fn at_work(&self, run: &str) -> AtWork<'_> {
        let since = Instant::now();
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.push(Running {
            run: run.to_owned(),
            since,
            tally: Tally::default(),
        });
        AtWork {
            runs: &self.runs,
            since,
        }
    }

    /// Tells those who ask how a run gets on.
    pub(crate) fn report(&self, run: &str, tally: Tally) {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        for running in runs.iter_mut().filter(|running| running.run == run) {
            running.tally = tally;
        }
    }

    /// Makes again what a server that lost its disk has not.
    pub(crate) async fn furnish(&self) -> Result<(), CrewError> {
        // The answer comes from the process that is there now.
        self.server.stream(names::jobs_stream()).await?;
        let now = self.server.life();
        let before = {
            let mut life = self.life.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *life, now.clone())
        };
        let furnished = furnish(&self.server, &self.token, &self.options, before != now);
        furnished.await.map(|_| ())
    }

    pub(crate) async fn forget(&self, run: &str) -> Result<(), CrewError> {
        // Who still works on it may as well stop; those who do not hear it do no harm.
        let told = self.server.client.publish(names::enough(run), "".into());
        let _ = told.await;
        // Those of other builds, too: nobody would take their results.
        let jobs = names::jobs_of_any(run);
        self.server.purge(names::JOBS, &jobs).await?;
        let results = names::results_of(run);
        self.server.purge(names::RESULTS, &results).await?;
        let starts = names::starts_of(run);
        self.server.purge(names::STARTS, &starts).await
    }
}

/// Everything a crew needs on its server.
async fn furnish(
    server: &Server,
    token: &str,
    options: &Options,
    restarted: bool,
) -> Result<Vault, CrewError> {
    server.stream(names::jobs_stream()).await?;
    server.stream(names::results_stream()).await?;
    server.stream(names::starts_stream()).await?;
    server.make_workers(token, options.lease, restarted).await?;
    Vault::make(server).await
}

/// Tells of a server that goes and comes, for ever.
async fn tell_changes(server: Server, listener: Listener) {
    let mut changes = server.changes.clone();
    while changes.changed().await.is_ok() {
        listener.tell(&if server.away() {
            News::Away
        } else {
            News::Back
        });
    }
}

/// A run is at work as long as this lives.
struct AtWork<'a> {
    runs: &'a Mutex<Vec<Running>>,
    since: Instant,
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.retain(|running| running.since != self.since);
    }
}

/// Answers all who ask for coordinators, for ever.
async fn answer(server: Server, program: String, runs: Arc<Mutex<Vec<Running>>>) {
    // Subscribing fails only when the client is closed.
    let Ok(questions) = server.client.subscribe(names::COORDINATORS).await else {
        return;
    };
    let mut questions = questions;
    while let Some(question) = questions.next().await {
        let Some(reply) = question.reply else {
            continue;
        };
        let runs = {
            let runs = runs.lock().unwrap_or_else(PoisonError::into_inner);
            runs.iter().map(|running| running.state(&program)).collect()
        };
        let answer = Coordinator {
            program: program.clone(),
            runs,
        };
        let answer = serde_json::to_vec(&answer).expect("an answer is plain data");
        let _ = server.client.publish(reply, answer.into()).await;
    }
}

impl Running {
    fn state(&self, program: &str) -> RunState {
        RunState {
            run: self.run.clone(),
            program: program.to_owned(),
            tally: self.tally,
            seconds: self.since.elapsed().as_secs_f64(),
        }
    }
}
