use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use mendel_store::frame::{
    ExperimentEvent, Failure, Folder, Host, Manifest, resume, start, start_or_resume, status_of,
};
use mendel_store::{FolderLock, RunStatus};

use super::fake::{
    Counter, CounterPlan, Options, Outer, OuterPlan, contents, outer_plan, run_outer, unbroken,
};
use crate::fresh_folder;

/// A host whose stop flag is set at the event of this number.
fn stops_at(number: u64) -> Host {
    let host = Host::default();
    let (stop, count) = (host.stop.clone(), AtomicU64::new(0));
    Host {
        listener: Some(Arc::new(move |_, _| {
            if count.fetch_add(1, Ordering::Relaxed) == number {
                stop.store(true, Ordering::Relaxed);
            }
        })),
        ..host
    }
}

#[test]
fn a_stop_at_any_event_changes_nothing() {
    let (outcome, files) = unbroken("frame-unbroken");
    for number in 0.. {
        let folder = fresh_folder("frame-stopped");
        match run_outer(&folder, &stops_at(number)) {
            // Beyond the last event.
            Ok(_) if number > 20 => return,
            Ok(last) => panic!("event {number} is not the end: {last:?}"),
            Err(failure) => assert!(failure.is_stopped(), "{failure}"),
        }
        assert_eq!(status_of(&folder), RunStatus::Stopped, "event {number}");
        // Once more on the way, then to the end.
        let _ = run_outer(&folder, &stops_at(number / 2 + 3));
        let resumed = resume::<Outer>(&folder, &Options::default(), &Host::default());
        assert_eq!(resumed.expect("it is resumed"), outcome, "event {number}");
        assert_eq!(contents(&folder), files, "event {number}");
        assert_eq!(status_of(&folder), RunStatus::Finished);
    }
}

#[test]
fn an_invalid_plan_writes_nothing() {
    let folder = fresh_folder("frame-invalid").join("new");
    let plan = OuterPlan {
        counters: Vec::new(),
        items: 1,
    };
    let options = Options::default();
    let failure = start::<Outer>(&folder, plan, 1, "", &options, &Host::default());
    assert!(matches!(failure, Err(Failure::InvalidRequest { .. })));
    assert!(!folder.exists());
    // One that is found invalid inside another, too.
    let plan = CounterPlan { steps: 1, items: 0 };
    let failure = start::<Counter>(&folder, plan, 1, "", &options, &Host::default());
    let failure = failure.expect_err("no items");
    assert_eq!(failure.hint(), Some("set `items`"));
    assert!(!folder.exists());
}

#[test]
fn every_seed_is_kept() {
    let (options, host) = (Options::default(), Host::default());
    for seed in [0, u64::MAX] {
        let folder = fresh_folder("frame-seed");
        let plan = CounterPlan { steps: 1, items: 1 };
        start::<Counter>(&folder, plan.clone(), seed, "", &options, &host).expect("it runs");
        assert_eq!(Manifest::read(&folder).expect("written").seed, seed);
        start_or_resume::<Counter>(&folder, plan, seed, "", &options, &host).expect("it is read");
    }
}

#[test]
fn a_proof_may_be_requested_later() {
    let folder = fresh_folder("frame-proof");
    let host = Host::default();
    let without = run_outer(&folder, &host).expect("it runs");
    assert_eq!(without.proof, None);
    let manifest = fs::read(folder.join(Manifest::FILE)).expect("it is there");
    let again = resume::<Outer>(&folder, &Options::default(), &host).expect("it is read");
    assert_eq!(again, without);
    let options = Options { proof: true };
    let with = resume::<Outer>(&folder, &options, &host).expect("it is played");
    assert!(with.proof.is_some());
    assert_eq!((&with.counts, with.games), (&without.counts, without.games));
    assert!(folder.join("proof/parent").join(Folder::RESULT).is_file());
    assert_eq!(
        fs::read(folder.join(Manifest::FILE)).expect("still"),
        manifest
    );
    // And stays when it is not requested.
    let again = resume::<Outer>(&folder, &Options::default(), &host).expect("it is read");
    assert_eq!(again, with);
}

#[test]
fn a_folder_has_one_experiment() {
    let folder = fresh_folder("frame-one");
    let (options, host) = (Options::default(), Host::default());
    run_outer(&folder, &host).expect("it runs");
    let before = contents(&folder);
    let failures = [
        start::<Outer>(&folder, outer_plan(), 11, "", &options, &host).expect_err("taken"),
        start_or_resume::<Outer>(&folder, outer_plan(), 12, "", &options, &host)
            .expect_err("another seed"),
        start_or_resume::<Counter>(
            &folder,
            CounterPlan { steps: 1, items: 1 },
            11,
            "",
            &options,
            &host,
        )
        .map(|_| ())
        .expect_err("another kind"),
        resume::<Counter>(&folder, &options, &host).expect_err("another kind"),
    ];
    for failure in failures {
        assert!(
            matches!(failure, Failure::InvalidRequest { .. }),
            "{failure:?}"
        );
    }
    assert_eq!(contents(&folder), before);
}

#[test]
fn a_listener_hears_nested_experiments_with_their_folders() {
    let folder = fresh_folder("frame-listener");
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&heard);
    let host = Host {
        listener: Some(Arc::new(move |folder, event| {
            sink.lock()
                .expect("no panic")
                .push((folder.to_owned(), event.clone()));
        })),
        ..Host::default()
    };
    run_outer(&folder, &host).expect("it runs");
    let heard = heard.lock().expect("no panic");
    let (first, last) = (&heard[0], &heard[heard.len() - 1]);
    assert!(
        matches!(&first.1, ExperimentEvent::Started { kind, resumed: false, .. } if kind == "outer")
    );
    assert!(matches!(&last.1, ExperimentEvent::Finished { .. }) && last.0 == folder);
    let nested = folder.join("0001");
    assert!(heard.iter().any(|(_, event)| {
        matches!(event, ExperimentEvent::Nested { folder, .. } if *folder == nested)
    }));
    assert!(heard.iter().any(|(folder, event)| {
        matches!(event, ExperimentEvent::Record { name, .. } if name == "step") && *folder == nested
    }));
}

#[test]
fn another_process_is_refused_by_the_number_of_the_first() {
    let folder = fresh_folder("frame-locked");
    let host = Host::default();
    run_outer(&folder, &stops_at(9)).expect_err("it is stopped");
    let _lock = FolderLock::take(&folder).expect("free");
    let failure = resume::<Outer>(&folder, &Options::default(), &host).expect_err("held");
    let text = failure.to_string();
    assert!(
        text.contains(&format!("process {}", std::process::id())),
        "{text}"
    );
    assert_eq!(status_of(&folder), RunStatus::Running);
}
