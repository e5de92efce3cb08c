//! Plays the games that are missing: on threads of this process, or by workers elsewhere.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use mendel_crew::{Crew, Done, Flow, MapError};

use super::Match;
use super::schedule_counter::ScheduleCounter;
use crate::MatchError;
use crate::task::GameTask;

impl Match {
    /// Plays what is not in the folder; both games of a pair go to the same worker.
    pub(super) fn play_missing(
        &self,
        counter: &mut ScheduleCounter,
        found: &BTreeSet<u64>,
        crew: &Crew,
        stop: &AtomicBool,
    ) -> Result<(), MatchError> {
        let task = GameTask::new(
            &self.entrants,
            self.schedule.pairs(),
            |opening| self.openings.get(opening),
            (self.plan.pace, self.plan.patience),
            &self.plan.adjudication,
            self.tablebase.clone(),
        );
        let missing = (0..self.total()).filter(|game| !found.contains(game));
        let missing = missing.filter_map(|game| self.schedule.fixture(game));
        let mapped = crew.map(&task, missing, stop, &mut |fixture, done| {
            match done {
                Done::Output(record) => counter.append(record)?,
                Done::Skipped => counter.skip([fixture.game].into_iter())?,
            }
            Ok(if counter.is_unfinished() {
                Flow::Continue
            } else {
                Flow::Stop
            })
        });
        mapped.map(|_| ()).map_err(|error| match error {
            MapError::Work(error) => error.into(),
            MapError::Consumer(error) => error,
        })
    }
}
