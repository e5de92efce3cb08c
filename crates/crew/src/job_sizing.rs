//! The size of jobs: some seconds of work, by the speed of earlier jobs.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::error::CrewError;
use crate::lock::lock;
use crate::options::WorkerLimits;
use crate::remote::CrewClient;

/// Seconds of work in a job: long compared with its transport, short compared with a run.
const TARGET_JOB_SECONDS: f64 = 2.0;

/// Each slot finds at least this many jobs of a part, so that the wait for the last one is
/// short.
const MIN_JOBS_PER_SLOT: u64 = 8;

/// Slots that are assumed while no worker is there.
const DEFAULT_SLOTS: u64 = 8;

/// A worker may report any number of slots; more are not counted.
const MAX_SLOTS: u64 = 65_536;

/// Workers are asked for the number of slots again after this time.
const SLOT_COUNT_TTL: Duration = Duration::from_secs(30);

/// A worker may report any duration; longer ones are not counted.
const MAX_JOB_SECONDS: f64 = 86_400.0;

/// The average covers about this many jobs.
const AVERAGED_JOBS: u32 = 8;

const MAX_IDS_PER_JOB: u64 = 256;

/// The measured speed of the workers, shared by all parts of all runs of a process.
#[derive(Debug, Default)]
pub(crate) struct JobSizing {
    /// Seconds of the items of one id by kind of job, averaged, and the jobs averaged.
    speed: Mutex<BTreeMap<&'static str, (f64, u32)>>,
    /// Slots of all workers, and when they were counted.
    slots: Mutex<Option<(u64, Instant)>>,
}

impl JobSizing {
    /// Updates the seconds per id with a job of `ids`.
    pub(crate) fn record_duration(&self, kind: &'static str, ids: usize, seconds: f64) {
        if !(0.0..=MAX_JOB_SECONDS).contains(&seconds) {
            return;
        }
        let one = seconds / ids.max(1) as f64;
        let mut speed = lock(&self.speed);
        let (known, jobs) = speed.entry(kind).or_insert((one, 0));
        *jobs = AVERAGED_JOBS.min(*jobs + 1);
        // The last few jobs count most: later generations may be quicker or slower.
        *known += (one - *known) / f64::from(*jobs);
    }

    /// The number of ids, of `total`, for a job of this kind; `None` before the first
    /// job.
    pub(crate) fn ids_per_job(
        &self,
        kind: &'static str,
        total: u64,
        client: &CrewClient,
    ) -> Result<Option<u64>, CrewError> {
        let one = lock(&self.speed).get(kind).map(|(one, _)| *one);
        one.map(|one| Ok(ids_per_job(one, total, self.slot_count(client)?)))
            .transpose()
    }

    /// The number of ids, of `total`, that are done one by one to measure the speed: one or two for
    /// each slot, and a small part of all.
    pub(crate) fn sample(&self, total: u64, client: &CrewClient) -> Result<u64, CrewError> {
        let slots = self.slot_count(client)?;
        Ok((2 * slots).min(total / MIN_JOBS_PER_SLOT).max(1))
    }

    fn slot_count(&self, client: &CrewClient) -> Result<u64, CrewError> {
        let mut slots = lock(&self.slots);
        if let Some((known, _)) = slots.filter(|(_, when)| when.elapsed() < SLOT_COUNT_TTL) {
            return Ok(known);
        }
        let counted = (client.slot_count()? as u64).min(MAX_SLOTS);
        if counted == 0 {
            return Ok(DEFAULT_SLOTS);
        }
        *slots = Some((counted, Instant::now()));
        Ok(counted)
    }
}

/// The number of items and outputs of these sizes that fit into a payload, also if some items
/// are twice as large.
pub(crate) fn max_ids(item_bytes: usize, output_bytes: usize) -> u64 {
    let one = output_bytes.max(2 * item_bytes).max(1);
    (WorkerLimits::default().payload / one).max(1) as u64
}

fn ids_per_job(seconds: f64, total: u64, slots: u64) -> u64 {
    // The conversion saturates, also for a speed that is not a number.
    let enough = ((TARGET_JOB_SECONDS / seconds.max(1e-6)) as u64).min(MAX_IDS_PER_JOB);
    enough.min(total.div_ceil(MIN_JOBS_PER_SLOT * slots)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_some_seconds_long_and_leaves_work_for_others() {
        for (seconds, total, slots, wanted) in [
            (10.0, 1_000_000, 1, 1),
            (0.5, 1_000_000, 8, 4),
            (0.5, 128, 8, 2),
            (0.1, 60, 1, 8),
            (0.1, 60, 100, 1),
            (0.5, 3, 1, 1),
            (0.0, 1_000_000, 8, MAX_IDS_PER_JOB),
            (f64::NAN, 1_000_000, 8, MAX_IDS_PER_JOB),
            (0.5, u64::MAX, 8, 4),
        ] {
            assert_eq!(
                ids_per_job(seconds, total, slots),
                wanted,
                "{seconds} {total}"
            );
        }
    }

    #[test]
    fn a_job_fits_into_what_workers_take() {
        let payload = WorkerLimits::default().payload;
        let sizes = [0, 1, 1000, payload / 4, payload, 2 * payload];
        for (question, answer) in sizes.iter().flat_map(|a| sizes.map(|b| (*a, b))) {
            let most = max_ids(question, answer) as usize;
            assert!(most >= 1);
            let fits = most * answer.max(2 * question) <= payload;
            assert!(most == 1 || fits, "{question} {answer}");
        }
        assert_eq!(max_ids(500, 1 << 16), 16);
    }
}
