//! Who did not do which job, as the coordinator of a run hears it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::{Duration, Instant};

use crate::job::{Dead, JobId, Refused};

/// So many different complaints are passed on.
const MOST_HEARD: usize = 1000;
/// Of so many jobs, and of so many workers for each, it is known that they cannot.
const MOST_JOBS: usize = 16_384;
const MOST_WORKERS: usize = 4096;

/// What was heard.
#[derive(Default)]
pub(crate) struct Complaints {
    /// Who said what, so that nothing is passed on twice.
    heard: HashSet<(String, String)>,
    jobs: BTreeMap<JobId, About>,
}

/// What was heard of a job.
struct About {
    /// Who cannot do it: names, and what tells those of one name apart.
    cannot: BTreeSet<(String, String)>,
    /// Since when nobody who is there can.
    nobody_since: Option<Instant>,
    /// When it was refused last.
    at: Instant,
    /// The last to speak, and what was said.
    last: (String, String),
}

impl Complaints {
    /// Notes a refusal, and says whether it is news.
    pub(crate) fn note(&mut self, refused: &Refused) -> bool {
        if self.jobs.len() < MOST_JOBS || self.jobs.contains_key(&refused.id) {
            let said = (refused.worker.clone(), refused.why.clone());
            let about = self.jobs.entry(refused.id.clone());
            let about = about.or_insert_with(|| About {
                cannot: BTreeSet::new(),
                nobody_since: None,
                at: Instant::now(),
                last: said.clone(),
            });
            about.at = Instant::now();
            about.last = said;
            // Who had begun may have more luck the next time.
            if !refused.begun && about.cannot.len() < MOST_WORKERS {
                let who = (refused.worker.clone(), refused.instance.clone());
                about.cannot.insert(who);
            }
        }
        let what = (refused.worker.clone(), refused.why.clone());
        self.heard.len() < MOST_HEARD && self.heard.insert(what)
    }

    /// Whether anybody said that a job cannot be done.
    pub(crate) fn any(&self) -> bool {
        self.jobs.values().any(|about| !about.cannot.is_empty())
    }

    /// The job has its outcome.
    pub(crate) fn forget(&mut self, id: &JobId) {
        self.jobs.remove(id);
    }

    /// The jobs that everybody who is there has refused for `patience`, in their order.
    /// One that was refused long ago and not since is perhaps being worked on.
    pub(crate) fn hopeless(
        &mut self,
        there: &BTreeSet<(String, String)>,
        patience: Duration,
    ) -> Vec<(JobId, String)> {
        let mut hopeless = Vec::new();
        for (id, about) in &mut self.jobs {
            if there.is_empty() || !about.cannot.is_superset(there) {
                about.nobody_since = None;
                continue;
            }
            let since = *about.nobody_since.get_or_insert_with(Instant::now);
            if since.elapsed() >= patience && about.at.elapsed() <= patience {
                let (worker, why) = &about.last;
                let (count, seconds) = (there.len(), since.elapsed().as_secs());
                hopeless.push((
                    id.clone(),
                    format!(
                        "none of the {count} workers here can do it, for {seconds} s; {worker} says: {why}"
                    ),
                ));
            }
        }
        hopeless
    }

    /// What is known of a job that was set aside, with the last reason that was heard.
    pub(crate) fn explain(&self, id: &JobId, dead: Dead) -> Dead {
        match self.jobs.get(id) {
            Some(About { last, .. }) if !dead.why.contains(&last.1) => Dead {
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

    fn refused(worker: &str, begun: bool) -> Refused {
        Refused {
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
    fn two_of_one_name_do_not_speak_for_each_other() {
        let of = |instance: &str| Refused {
            instance: instance.to_owned(),
            ..refused("a", false)
        };
        let there = ["1", "2"].map(|instance| ("a".to_owned(), instance.to_owned()));
        let there = BTreeSet::from(there);
        let mut complaints = Complaints::default();
        let long = Duration::from_millis(200);
        // Each says it at first and again when it was long.
        let mut hopeless = |instances: &[&str]| {
            let mut count = 0;
            for _ in 0..2 {
                for instance in instances {
                    complaints.note(&of(instance));
                }
                count = complaints.hopeless(&there, long).len();
                std::thread::sleep(long);
            }
            count
        };
        assert_eq!(hopeless(&["1"]), 0, "the other may be able");
        assert_eq!(hopeless(&["1", "2"]), 1);
    }

    #[test]
    fn a_job_is_hopeless_when_everybody_who_is_there_refused_it_for_long() {
        let mut complaints = Complaints::default();
        assert!(complaints.note(&refused("a", false)));
        assert!(!complaints.note(&refused("a", false)), "it is not news");
        let long = Duration::from_millis(30);
        let mut hopeless = |names: &[&str]| complaints.hopeless(&there(names), long).len();
        assert_eq!(hopeless(&["a"]), 0, "not for long yet");
        std::thread::sleep(long / 2);
        assert_eq!(hopeless(&["a", "b"]), 0, "b may be able");
        std::thread::sleep(long / 2);
        assert_eq!((hopeless(&[]), hopeless(&["a"])), (0, 0), "it begins anew");
        std::thread::sleep(long);
        complaints.note(&refused("a", false));
        assert_eq!(complaints.hopeless(&there(&["a"]), long).len(), 1);
        // Not refused any more: somebody may be at it.
        std::thread::sleep(2 * long);
        assert_eq!(complaints.hopeless(&there(&["a"]), long).len(), 0);
    }

    #[test]
    fn who_had_begun_may_have_more_luck() {
        let mut complaints = Complaints::default();
        complaints.note(&refused("a", true));
        assert!(!complaints.any());
        assert!(
            complaints
                .hopeless(&there(&["a"]), Duration::ZERO)
                .is_empty()
        );
        let dead = Dead {
            deliveries: 3,
            why: "it is over".to_owned(),
            oversized: false,
        };
        let dead = complaints.explain(&refused("a", true).id, dead);
        assert!(dead.why.ends_with("a: too hard"), "{}", dead.why);
    }
}
