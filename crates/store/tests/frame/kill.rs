use std::thread;
use std::time::Duration;

use mendel_store::FolderLock;
use mendel_store::frame::Host;

use super::fake::{contents, run_outer, unbroken};
use crate::children::Actor;
use crate::fresh_folder;

/// The part of a child: it runs the experiment and says when it is done.
pub(crate) fn run_experiment(folder: &std::path::Path) -> String {
    let outcome = run_outer(&folder.join("experiment"), &Host::default());
    format!(
        "outcome {:?}",
        outcome.map_err(|failure| failure.to_string())
    )
}

/// Numbers that look random and are the same in each run of the test (`SplitMix64`).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % bound
    }
}

#[test]
fn kill_9_at_any_moment_changes_nothing() {
    const KILLS: u32 = 40;
    let (outcome, files) = unbroken("frame-kill-unbroken");
    let expected = format!("Ok({outcome:?})");
    let mut random = Random(5);
    let mut kills = 0;
    for repetition in 0_u32.. {
        let folder = fresh_folder("frame-kill");
        // Several deaths, then one life that is long enough.
        for life in 0_u32.. {
            let mut actor = Actor::start("experiment", &folder);
            if life < 8 && kills < KILLS {
                // From the beginning of the process until about its end, in microseconds.
                thread::sleep(Duration::from_micros(random.below(100_000)));
                actor.kill();
                kills += 1;
                continue;
            }
            let said = actor.hear("outcome").expect("it comes to an end");
            assert_eq!(said, expected, "repetition {repetition}");
            actor.kill();
            break;
        }
        let experiment = folder.join("experiment");
        assert_eq!(contents(&experiment), files, "repetition {repetition}");
        if kills == KILLS {
            return;
        }
    }
}

#[test]
fn a_second_process_is_refused_and_changes_nothing() {
    let folder = fresh_folder("frame-two");
    let experiment = folder.join("experiment");
    // This process is at it.
    std::fs::create_dir(&experiment).expect("writable");
    let lock = FolderLock::take(&experiment).expect("free");
    let said = Actor::start("experiment", &folder).hear("outcome");
    let said = said.expect("it comes to an end");
    let first = format!("process {}", std::process::id());
    assert!(said.starts_with("Err") && said.contains(&first), "{said}");
    assert_eq!(contents(&experiment).len(), 0, "nothing was written");
    drop(lock);
    let said = Actor::start("experiment", &folder).hear("outcome");
    assert!(said.expect("an end").starts_with("Ok"));
    // One that is finished is read by any number of processes.
    let mut actors = [0; 3].map(|_| Actor::start("experiment", &folder));
    for actor in &mut actors {
        assert!(actor.hear("outcome").expect("an end").starts_with("Ok"));
    }
}

#[test]
fn of_two_processes_that_start_at_once_one_does_the_work() {
    let (outcome, files) = unbroken("frame-race-unbroken");
    let folder = fresh_folder("frame-race");
    let mut actors = [0; 3].map(|_| Actor::start("experiment", &folder));
    let said = actors
        .each_mut()
        .map(|actor| actor.hear("outcome").expect("an end"));
    let done = format!("Ok({outcome:?})");
    assert!(said.contains(&done), "{said:?}");
    for said in &said {
        let is_refused = said.contains("is in use by") || said.contains("has an experiment");
        assert!(*said == done || is_refused, "{said}");
    }
    assert_eq!(contents(&folder.join("experiment")), files);
}
