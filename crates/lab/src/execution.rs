//! How an experiment is executed, which changes no result.

use mendel_crew::Crew;

/// How a run, a sweep or a pipeline is executed; no result depends on it.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Who does the work: threads of this process, or workers elsewhere.
    pub crew: Crew,
    pub proof: bool,
}

impl RunOptions {
    /// On threads of this process, with a proof.
    pub fn on_threads(threads: usize) -> Self {
        Self {
            crew: Crew::threads(threads),
            proof: true,
        }
    }

    /// Threads of this process, for what is not a task.
    pub fn threads(&self) -> usize {
        self.crew.local_threads()
    }
}
