//! Which workers rejected which jobs.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::{Duration, Instant};

use crate::job::{DeadLetter, JobId, JobRejection};

/// Different rejections that are reported.
const MAX_REPORTED: usize = 1000;
/// Jobs, and workers for each, whose rejections are remembered.
const MAX_JOBS: usize = 16_384;
const MAX_WORKERS: usize = 4096;

#[derive(Default)]
pub(crate) struct RejectionLog {
    /// Worker and reason of what was reported already.
    reported: HashSet<(String, String)>,
    jobs: BTreeMap<JobId, JobRejections>,
}

struct JobRejections {
    /// Workers that cannot do it, by name and instance.
    cannot: BTreeSet<(String, String)>,
    /// Since when all present workers have rejected it.
    rejected_by_all_since: Option<Instant>,
    at: Instant,
    /// The last worker and its reason.
    last: (String, String),
}

impl RejectionLog {
    /// Records a rejection, and whether it is the first of this worker and reason.
    pub(crate) fn note(&mut self, refused: &JobRejection, now: Instant) -> bool {
        let said = (refused.worker.clone(), refused.why.clone());
        if self.jobs.len() < MAX_JOBS || self.jobs.contains_key(&refused.id) {
            let about = self.jobs.entry(refused.id.clone());
            let about = about.or_insert_with(|| JobRejections {
                cannot: BTreeSet::new(),
                rejected_by_all_since: None,
                at: now,
                last: said.clone(),
            });
            about.at = now;
            about.last.clone_from(&said);
            // A job that was started may succeed at the next attempt.
            if !refused.begun && about.cannot.len() < MAX_WORKERS {
                let who = (refused.worker.clone(), refused.instance.clone());
                about.cannot.insert(who);
            }
        }
        self.reported.len() < MAX_REPORTED && self.reported.insert(said)
    }

    /// Whether any job was rejected.
    pub(crate) fn any(&self) -> bool {
        self.jobs.values().any(|about| !about.cannot.is_empty())
    }

    /// Removes a job that has its outcome.
    pub(crate) fn remove(&mut self, id: &JobId) {
        self.jobs.remove(id);
    }

    /// The jobs that all present workers have rejected for `timeout`, in order. A job that was
    /// rejected long ago and not since may be running.
    pub(crate) fn undoable(
        &mut self,
        there: &BTreeSet<(String, String)>,
        timeout: Duration,
        now: Instant,
    ) -> Vec<(JobId, String)> {
        let mut undoable = Vec::new();
        for (id, about) in &mut self.jobs {
            if there.is_empty() || !about.cannot.is_superset(there) {
                about.rejected_by_all_since = None;
                continue;
            }
            let since = *about.rejected_by_all_since.get_or_insert(now);
            let waited = now.duration_since(since);
            if waited >= timeout && now.duration_since(about.at) <= timeout {
                let (worker, why) = &about.last;
                let (count, seconds) = (there.len(), waited.as_secs());
                undoable.push((
                    id.clone(),
                    format!(
                        "none of the {count} workers here can do it, for {seconds} s; {worker} says: {why}"
                    ),
                ));
            }
        }
        undoable
    }

    /// A dead letter with the last reason of a worker.
    pub(crate) fn explain(&self, id: &JobId, dead: DeadLetter) -> DeadLetter {
        match self.jobs.get(id) {
            Some(JobRejections { last, .. }) if !dead.why.contains(&last.1) => DeadLetter {
                why: format!(
                    "{}; the last to say why was {}: {}",
                    dead.why, last.0, last.1
                ),
                ..dead
            },
            _ => dead,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(worker: &str, begun: bool) -> JobRejection {
        JobRejection {
            id: JobId::new("job").expect("a name"),
            worker: worker.to_owned(),
            instance: "1".to_owned(),
            why: "too hard".to_owned(),
            begun,
        }
    }

    fn there(names: &[&str]) -> BTreeSet<(String, String)> {
        let who = |name: &&str| ((*name).to_owned(), "1".to_owned());
        names.iter().map(who).collect()
    }

    #[test]
    fn workers_of_one_name_are_told_apart() {
        let of = |instance: &str| JobRejection {
            instance: instance.to_owned(),
            ..refused("a", false)
        };
        let there = ["1", "2"].map(|instance| ("a".to_owned(), instance.to_owned()));
        let there = BTreeSet::from(there);
        let mut rejections = RejectionLog::default();
        let (long, mut now) = (Duration::from_mins(1), Instant::now());
        // Each rejects it at first and again after a long time.
        let mut undoable = |instances: &[&str]| {
            let mut count = 0;
            for _ in 0..2 {
                for instance in instances {
                    rejections.note(&of(instance), now);
                }
                count = rejections.undoable(&there, long, now).len();
                now += long;
            }
            count
        };
        assert_eq!(undoable(&["1"]), 0, "the other may be able");
        assert_eq!(undoable(&["1", "2"]), 1);
    }

    #[test]
    fn a_job_is_undoable_when_all_present_workers_rejected_it_for_the_timeout() {
        let mut rejections = RejectionLog::default();
        let (long, now) = (Duration::from_mins(1), Instant::now());
        assert!(rejections.note(&refused("a", false), now));
        assert!(
            !rejections.note(&refused("a", false), now),
            "it is reported once"
        );
        let undoable = |rejections: &mut RejectionLog, names: &[&str], after: Duration| {
            rejections.undoable(&there(names), long, now + after).len()
        };
        let reported = &mut rejections;
        assert_eq!(
            undoable(reported, &["a"], Duration::ZERO),
            0,
            "not for long yet"
        );
        assert_eq!(
            undoable(reported, &["a", "b"], long / 2),
            0,
            "b may be able"
        );
        assert_eq!(undoable(reported, &[], long), 0);
        assert_eq!(undoable(reported, &["a"], long), 0, "the time starts again");
        reported.note(&refused("a", false), now + 2 * long);
        assert_eq!(undoable(reported, &["a"], 2 * long), 1);
        // Not rejected any more: a worker may run it.
        assert_eq!(undoable(reported, &["a"], 4 * long), 0);
    }

    #[test]
    fn a_job_that_was_started_may_succeed_at_the_next_attempt() {
        let mut rejections = RejectionLog::default();
        let now = Instant::now();
        rejections.note(&refused("a", true), now);
        assert!(!rejections.any());
        assert!(
            rejections
                .undoable(&there(&["a"]), Duration::ZERO, now)
                .is_empty()
        );
        let dead = DeadLetter {
            deliveries: 3,
            why: "it is over".to_owned(),
            oversized: false,
        };
        let dead = rejections.explain(&refused("a", true).id, dead);
        assert!(dead.why.ends_with("a: too hard"), "{}", dead.why);
    }
}
