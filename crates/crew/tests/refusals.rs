//! What is refused: workers, coordinators, servers, and jobs that no worker can do.

use mendel_crew::Secret;

use super::*;
use crate::children::Process;

#[test]
fn a_job_that_kills_its_workers_becomes_a_dead_letter() {
    let place = Place::with_short_lease("killer");
    let remote = connect(&place);
    let jobs = vec![job("killer", "abort"), job("good", "echo yes")];
    let over = AtomicBool::new(false);
    let (books, deaths) = thread::scope(|scope| {
        let deaths = scope.spawn(|| Process::restart_until(&over, || Process::start(&place)));
        let end = SetOnDrop(&over);
        let (books, tally) = work(&remote, "run", jobs);
        drop(end);
        assert_eq!((tally.done, tally.dead), (1, 1));
        (books, deaths.join().expect("it only watches"))
    });
    assert_eq!(books.outcomes["good"].as_deref(), Ok(&b"yes"[..]));
    let dead = books.outcomes["killer"]
        .as_ref()
        .expect_err("it was set aside");
    // On a busy machine a delivery may be over before it was begun.
    assert!(dead.deliveries >= 3 && deaths <= 3, "{dead}: {deaths}");
}

#[test]
fn a_stuck_worker_loses_its_job() {
    let place = Place::with_short_lease("stuck");
    let remote = connect(&place);
    let help = Help::start(&place);
    let begun = Instant::now();
    let (books, tally) = work(
        &remote,
        "run",
        vec![job("hang", "hang"), job("good", "echo yes")],
    );
    assert_eq!((tally.done, tally.dead), (1, 1));
    let dead = books.outcomes["hang"]
        .as_ref()
        .expect_err("it was set aside");
    assert!(dead.deliveries >= 3, "{dead}");
    assert!(
        begun.elapsed() > 3 * place.options().lease,
        "it had three leases"
    );
    help.wait_for("it is told", |event| {
        matches!(event, WorkerEvent::Stuck { .. })
    });
    help.end().expect("it worked");
}

/// Threads cannot be killed; a worker without spare threads ends with an error.
#[test]
fn a_worker_exits_when_its_jobs_ignore_stop() {
    let place = Place::with_short_lease("deaf");
    let remote = connect(&place);
    let help = Help::start(&place);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let _stop = SetOnDrop(&stop);
            let ended = help.failure();
            let CrewError::Stuck { abandoned, kinds } = ended else {
                panic!("{ended}");
            };
            assert_eq!((abandoned, kinds.as_str()), (2, "act"));
        });
        let jobs = vec![job("deaf-1", "deaf"), job("deaf-2", "deaf")];
        let tally = remote.work("run", jobs.into_iter(), &no_blobs, &stop, &mut |_| {
            Ok::<_, Infallible>(JobFlow::Continue)
        });
        assert_eq!(tally.expect("it was stopped").done, 0);
    });
}

/// The job takes longer than its lease and reports progress.
#[test]
fn progress_extends_the_lease() {
    let place = Place::new("progress");
    let mut options = place.options();
    // Long enough for a busy machine, which may not run a worker for seconds.
    options.lease = Duration::from_secs(4);
    let remote = CrewClient::connect(&options, PROGRAM).expect("the server is there");
    let helpers = [Help::start(&place), Help::start(&place)];
    let (books, tally) = work(&remote, "run", naps(2, 10_000));
    books.check_naps(2);
    assert_eq!(tally.duplicates, 0);
    let worked = helpers.map(|help| help.end().expect("it worked").jobs);
    assert_eq!(worked.iter().sum::<u64>(), 2);
}

#[test]
fn an_invalid_job_becomes_a_dead_letter_at_once() {
    let place = Place::new("senseless");
    let remote = connect(&place);
    let help = Help::start(&place);
    let (books, _) = work(
        &remote,
        "run",
        vec![
            job("bad", "dance"),
            job("large", "large 1048577"),
            job("panic", "panic"),
        ],
    );
    let dead = |id: &str| books.outcomes[id].clone().expect_err("it was set aside");
    assert_eq!(dead("bad").deliveries, 1);
    assert!(dead("bad").why.contains("no such act: dance"));
    assert!(
        dead("large").why.contains("takes 1048576"),
        "{}",
        dead("large")
    );
    assert!(dead("large").oversized && !dead("bad").oversized);
    assert!(dead("panic").deliveries >= 3, "{}", dead("panic"));
    help.end().expect("it worked");
}

/// A dead letter that ended the work is removed, and the job starts with all its attempts.
#[test]
fn a_dead_letter_is_tried_again_after_a_resume() {
    let place = Place::new("again");
    let remote = connect(&place);
    let help = Help::start(&place);
    let stop = AtomicBool::new(false);
    for _ in 0..2 {
        let jobs = vec![job("panic", "panic")];
        let mut deliveries = 0;
        let ended = remote.work("run", jobs.into_iter(), &no_blobs, &stop, &mut |outcome| {
            deliveries = outcome.result.expect_err("it was set aside").deliveries;
            Err::<JobFlow, _>("the recipe says so")
        });
        assert!(matches!(ended, Err(MapError::Consumer(_))));
        assert!(deliveries >= 3);
    }
    help.end().expect("it worked");
}

#[test]
fn a_job_too_large_for_the_server_is_refused_by_name() {
    let place = Place::new("too-large");
    let remote = connect(&place);
    let stop = AtomicBool::new(false);
    let jobs = vec![job("whale", &"x".repeat(1 << 20))];
    let refused = remote.work("run", jobs.into_iter(), &no_blobs, &stop, &mut |_| {
        Ok::<_, Infallible>(JobFlow::Continue)
    });
    let refused = refused.expect_err("it cannot be sent").to_string();
    assert!(
        refused.contains("whale") && refused.contains("blobs"),
        "{refused}"
    );
}

#[test]
fn two_jobs_of_one_name_are_refused() {
    let place = Place::new("twins");
    let remote = connect(&place);
    let stop = AtomicBool::new(false);
    let jobs = vec![job("twin", "echo 1"), job("twin", "echo 2")];
    let refused = remote.work("run", jobs.into_iter(), &no_blobs, &stop, &mut |_| {
        Ok::<_, Infallible>(JobFlow::Continue)
    });
    assert!(matches!(
        refused,
        Err(MapError::Work(CrewError::SameId { .. }))
    ));
    for wrong in ["", "Run", "a.b", "*"] {
        let refused = remote.work(wrong, std::iter::empty(), &no_blobs, &stop, &mut |_| {
            Ok::<_, Infallible>(JobFlow::Continue)
        });
        let refused = refused.expect_err("it is no name");
        assert!(matches!(refused, MapError::Work(error) if error.is_wrong_request()));
    }
}

/// Other workers may have larger limits.
#[test]
fn a_worker_obeys_its_limits() {
    let place = Place::new("limits");
    let remote = connect(&place);
    let small = WorkerLimits {
        payload: 100,
        blobs: 1000,
        job_time: Duration::from_millis(100),
        ..WorkerLimits::default()
    };
    let small = Help::start_as(place.options(), small, PROGRAM);
    let contents: Arc<[u8]> = vec![1; 1001].into();
    let blob = BlobId::of(&contents);
    let jobs = vec![
        job("payload", &format!("echo {}", "x".repeat(200))),
        job("time", "nap 600000"),
        Job {
            blobs: vec![blob],
            ..job("blob", "blob")
        },
        Job {
            kind: "dance".into(),
            ..job("kind", "echo")
        },
        Job {
            version: 2,
            ..job("version", "echo")
        },
    ];
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let _stop = SetOnDrop(&stop);
            let mut reasons = BTreeMap::new();
            while reasons.len() < 5 {
                let event = small.wait_for("it refuses", |event| {
                    matches!(event, WorkerEvent::Rejected { .. })
                });
                if let WorkerEvent::Rejected { id, why, .. } = event {
                    reasons.entry(String::from(id)).or_insert(why);
                }
            }
            for (id, part) in [
                ("payload", "allows payloads of 100 bytes"),
                ("time", "more than 0.1 s"),
                ("blob", "more than 1000 bytes"),
                ("kind", "\"dance\""),
                ("version", "this is version 2"),
            ] {
                assert!(reasons[id].contains(part), "{id}: {}", reasons[id]);
            }
        });
        let find = |_: &BlobId| Some(Arc::clone(&contents));
        let tally = remote.work("run", jobs.into_iter(), &find, &stop, &mut |_| {
            Ok::<_, Infallible>(JobFlow::Continue)
        });
        assert_eq!(tally.expect("it was stopped").done, 0);
    });
    small.end().expect("it worked");
}

/// A process that wants more memory than it may dies, and the job with it; its
/// owner's machine lives.
#[test]
fn a_job_cannot_exhaust_the_memory() {
    let place = Place::with_short_lease("memory");
    let remote = connect(&place);
    let over = AtomicBool::new(false);
    let limited = || Process::start_with(&place, Some(1 << 30));
    thread::scope(|scope| {
        scope.spawn(|| Process::restart_until(&over, limited));
        let _end = SetOnDrop(&over);
        let (_, tally) = work(
            &remote,
            "run",
            vec![job("grow", "grow"), job("good", "echo")],
        );
        assert_eq!((tally.done, tally.dead), (1, 1));
    });
}

/// A limit that was set before the start stays, also one below the default.
#[test]
fn a_worker_keeps_a_lower_memory_limit() {
    let place = Place::new("ulimit");
    let remote = connect(&place);
    // In KiB, and it cannot be raised again.
    let _limited = Process::start_under(&place, "ulimit -v 4000000");
    let (books, _) = work(&remote, "run", echoes(1));
    assert_eq!(books.outcomes.len(), 1);
}

#[test]
fn a_worker_of_another_version_is_refused() {
    let place = Place::new("versions");
    // Without a coordinator there is no other version.
    let early = Help::start_as(place.options(), WorkerLimits::default(), "1.2.2");
    early.wait_for("it joins", |event| {
        matches!(event, WorkerEvent::Joined { .. })
    });
    let remote = connect(&place);
    let refused = early.failure();
    let text = refused.to_string();
    assert!(text.contains("1.2.2") && text.contains(PROGRAM), "{text}");
    assert!(refused.is_wrong_request());

    let late = Help::start_as(place.options(), WorkerLimits::default(), "2.0.0");
    let refused = late.failure();
    assert!(matches!(refused, CrewError::OtherVersion { .. }));

    let right = Help::start(&place);
    let (books, _) = work(&remote, "run", echoes(2));
    assert_eq!(books.outcomes.len(), 2);
    right.end().expect("it worked");
}

#[test]
fn a_wrong_token_is_refused() {
    let place = Place::with("token", &["--auth", "s3cret"]);
    let right = place.options_with(Some(Secret::Token("s3cret".into())));
    let remote = CrewClient::connect(&right, PROGRAM).expect("the token is right");
    for secret in [None, Some(Secret::Token("s3crets".into()))] {
        let wrong = place.options_with(secret);
        let refused = CrewClient::connect(&wrong, PROGRAM).expect_err("the token is wrong");
        assert!(
            matches!(refused, CrewError::AccessDenied { .. }),
            "{refused}"
        );
        assert!(!refused.to_string().contains("s3cret"), "{refused}");
        let refused = Help::start_as(wrong, WorkerLimits::default(), PROGRAM).failure();
        assert!(
            matches!(refused, CrewError::AccessDenied { .. }),
            "{refused}"
        );
    }
    let help = Help::start_as(right, WorkerLimits::default(), PROGRAM);
    let (books, _) = work(&remote, "run", echoes(2));
    assert_eq!(books.outcomes.len(), 2);
    help.end().expect("it worked");
}

#[test]
fn a_missing_server_is_reported_soon() {
    let mut place = Place::new("no-server");
    place.kill();
    let mut options = place.options();
    // A server that went away is waited for; one that never was is not.
    options.server_timeout = LIMIT;
    let begun = Instant::now();
    let refused = CrewClient::connect(&options, PROGRAM).expect_err("it is gone");
    assert!(matches!(refused, CrewError::NoServer { .. }), "{refused}");
    assert!(refused.to_string().contains("nats-server"), "{refused}");
    assert!(begun.elapsed() < options.server_timeout);
}

#[test]
fn a_server_that_cannot_keep_jobs_is_refused() {
    let place = Place::in_folder(fresh_folder("no-jetstream"), &[], &[]);
    let refused = CrewClient::connect(&place.options(), PROGRAM).expect_err("it keeps nothing");
    assert!(refused.to_string().contains("--jetstream"), "{refused}");
}

#[test]
fn a_server_that_stays_away_ends_the_work() {
    let mut place = Place::new("away");
    let mut options = place.options();
    options.server_timeout = Duration::from_millis(500);
    let remote = CrewClient::connect(&options, PROGRAM).expect("the server is there");
    let help = Help::start_as(options, WorkerLimits::default(), PROGRAM);
    help.wait_for("it joins", |event| {
        matches!(event, WorkerEvent::Joined { .. })
    });
    place.kill();
    let stop = AtomicBool::new(false);
    let ended = remote.work("run", echoes(1).into_iter(), &no_blobs, &stop, &mut |_| {
        Ok::<_, Infallible>(JobFlow::Continue)
    });
    let ended = ended.expect_err("there is no server");
    assert!(
        matches!(ended, MapError::Work(CrewError::Lost { .. })),
        "{ended}"
    );
    let ended = help.failure();
    assert!(matches!(ended, CrewError::Lost { .. }), "{ended}");
}
