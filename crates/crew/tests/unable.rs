//! Jobs that some workers or all of them cannot do, and the events about it.

use mendel_crew::{CrewEvent, remove_run};

use super::*;
use crate::places::SHORT_LEASE;

/// Can do nothing.
struct Unable;

impl Handler for Unable {
    fn kind(&self) -> &'static str {
        "act"
    }

    fn version(&self) -> u32 {
        1
    }

    fn work(&self, _: &Job, _: &dyn Blobs, _: &JobProgress) -> Result<Vec<u8>, HandlerError> {
        Err(HandlerError::CannotRun(
            "it is not\n\u{1b}[2Jallowed here".into(),
        ))
    }
}

fn unable(place: &Place, name: &str) -> Help {
    Help::start_named(place.options(), name, Arc::new(Unable))
}

/// What is told, as it is shown.
fn listen(remote: &CrewClient) -> Arc<Mutex<Vec<String>>> {
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    remote.on_event(move |news: &CrewEvent| heard.lock().expect("no panic").push(news.to_string()));
    told
}

fn was_told(told: &Mutex<Vec<String>>, what: &str) -> bool {
    let told = told.lock().expect("no panic");
    told.iter().any(|text| text.contains(what))
}

/// Waits until something was told, with a limit.
fn wait_until_told(told: &Mutex<Vec<String>>, what: &str) {
    wait_until(what, || was_told(told, what));
}

#[test]
fn a_job_that_one_worker_rejects_is_done_by_another() {
    let place = Place::new("unable");
    let mut options = place.options();
    options.no_worker_timeout = Duration::from_secs(4);
    let remote = CrewClient::connect(&options, PROGRAM).expect("the server is there");
    let told = listen(&remote);
    let idle = [unable(&place, "idle-1"), unable(&place, "idle-2")];
    let gate = Arc::new(Gate::default());
    let able = Help::start_named(place.options(), "helper", Arc::<Gate>::clone(&gate));
    thread::scope(|scope| {
        scope.spawn(|| {
            for help in &idle {
                // A job that all workers reject would be a dead letter by now.
                let mut first = HashMap::new();
                help.wait_for("it refuses a job for long", |event| {
                    let WorkerEvent::Rejected { id, .. } = event else {
                        return false;
                    };
                    let since = first.entry(id.clone()).or_insert_with(Instant::now);
                    since.elapsed() > 2 * options.no_worker_timeout
                });
            }
            wait_until_told(&told, "did not do job");
            wait_until_told(&told, "it is not  [2Jallowed here");
            gate.permit(30);
        });
        let (books, tally) = work(&remote, "run", naps(30, 0));
        books.check_naps(30);
        assert_eq!((tally.dead, tally.duplicates), (0, 0), "{tally:?}");
    });
    assert!(able.end().expect("it worked").jobs >= 30);
    for help in idle {
        assert_eq!(help.end().expect("it worked").jobs, 0);
    }
}

#[test]
fn a_job_rejected_by_every_worker_becomes_a_dead_letter_after_the_timeout() {
    let place = Place::with_short_lease("hopeless");
    let mut options = place.options();
    options.no_worker_timeout = Duration::from_secs(2);
    let remote = CrewClient::connect(&options, PROGRAM).expect("the server is there");
    let idle = unable(&place, "idle-1");
    let begun = Instant::now();
    let (books, tally) = work(&remote, "run", echoes(2));
    assert!(
        begun.elapsed() >= options.no_worker_timeout,
        "it had its time"
    );
    assert_eq!((tally.done, tally.dead), (0, 2));
    for result in books.outcomes.into_values() {
        let dead = result.expect_err("no worker can");
        assert!(dead.why.contains("none of the 1 workers"), "{dead}");
        assert!(dead.why.contains("allowed here"), "{dead}");
        assert!(!dead.to_string().contains("died"), "{dead}");
    }
    // Its owner is told, and the owner's terminal does not obey.
    let told = idle.wait_for("it refuses", |event| {
        matches!(event, WorkerEvent::Rejected { .. })
    });
    let WorkerEvent::Rejected { why, .. } = told else {
        unreachable!("it was looked for");
    };
    assert_eq!(why, "it is not  [2Jallowed here");
    idle.end().expect("it worked");
}

#[test]
fn a_job_over_the_time_limit_is_reported() {
    let place = Place::new("overtime");
    let remote = connect(&place);
    let limits = WorkerLimits {
        job_time: Duration::from_millis(200),
        ..WorkerLimits::default()
    };
    let help = Help::start_as(place.options(), limits, PROGRAM);
    let (books, _) = work(&remote, "run", naps(1, 600_000));
    let dead = books.outcomes["nap-0"].clone().expect_err("it is too long");
    assert!(dead.why.contains("more than 0.2 s"), "{dead}");
    assert!(dead.deliveries >= 3, "{dead}");
    help.end().expect("it worked");
}

/// The result is well formed, and the caller does not accept it.
#[test]
fn an_invalid_result_is_discarded_and_the_job_repeated() {
    let place = Place::new("senseless-result");
    let remote = connect(&place);
    let help = Help::start(&place);
    let (mut seen, mut good) = (0, Vec::new());
    let stop = AtomicBool::new(false);
    let tally = remote.work(
        "run",
        echoes(3).into_iter(),
        &no_blobs,
        &stop,
        &mut |outcome| {
            if outcome.id.as_str() == "job-1" && seen < 2 {
                seen += 1;
                return Ok::<_, Infallible>(JobFlow::Resubmit);
            }
            good.push(String::from(outcome.id));
            Ok(JobFlow::Continue)
        },
    );
    let tally = tally.expect("it worked");
    good.sort();
    assert_eq!(good, ["job-0", "job-1", "job-2"]);
    assert_eq!((tally.done, tally.corrupt, tally.repeated), (3, 2, 2));
    help.end().expect("it worked");
}

/// The error of the server is reported, and the wait ends.
#[test]
fn a_server_that_cannot_store_jobs_ends_the_work_with_its_reason() {
    let folder = fresh_folder("full-server");
    let text = "jetstream { store_dir: \"store\", max_file_store: 6KB }\n";
    std::fs::write(folder.join("full.conf"), text).expect("the folder is writable");
    let place = Place::in_folder(folder, &["-c", "full.conf"], &[]);
    let mut options = place.options();
    options.server_timeout = Duration::from_secs(10);
    let remote = CrewClient::connect(&options, PROGRAM).expect("the server is there");
    let told = listen(&remote);
    let jobs = (0..20).map(|number| job(&format!("job-{number}"), &"x".repeat(2000)));
    let stop = AtomicBool::new(false);
    let ended = remote.work("run", jobs, &no_blobs, &stop, &mut |_| {
        Ok::<_, Infallible>(JobFlow::Continue)
    });
    let ended = ended.expect_err("there is no room").to_string();
    assert!(ended.contains("store job job-"), "{ended}");
    assert!(
        ended.contains("resource") || ended.contains("maximum"),
        "{ended}"
    );
    assert!(was_told(&told, "does not take jobs"), "{told:?}");
}

#[test]
fn runs_of_one_version_agree_on_the_lease() {
    let place = Place::with_short_lease("leases");
    let first = connect(&place);
    let mut longer = place.options();
    longer.lease = Duration::from_secs(5);
    // On a busy machine the other coordinator may reply late.
    let mut patient = longer.clone();
    patient.coordinator_timeout = LIMIT;
    let refused = CrewClient::connect(&patient, PROGRAM).expect_err("another is there");
    assert!(matches!(refused, CrewError::OtherLease { .. }), "{refused}");
    assert!(refused.is_wrong_request());
    assert!(
        refused.to_string().contains("--crew-lease 1.5"),
        "{refused}"
    );
    // One of another version has a queue of its own, and one of the same lease may come.
    CrewClient::connect(&longer, "9.9.9").expect("it is another queue");
    connect(&place);
    let lease = |place: &Place| {
        place.behind(async |streams| {
            let token = BlobId::of(PROGRAM.as_bytes()).to_string()[..16].to_owned();
            let queue = streams
                .get_consumer_from_stream(format!("workers-{token}"), "MENDEL_JOBS")
                .await;
            let queue: async_nats::jetstream::consumer::PullConsumer = queue.expect("it is there");
            queue.cached_info().config.ack_wait
        })
    };
    assert_eq!(lease(&place), SHORT_LEASE);
    // Alone, a coordinator can change it, and ensuring the queue does not change it back.
    drop(first);
    let alone = CrewClient::connect(&longer, PROGRAM).expect("no other is there");
    assert_eq!(lease(&place), Duration::from_secs(5));
    drop(alone);
}

/// A worker that knows the queue with another lease looks again.
#[test]
fn a_changed_lease_applies_to_the_next_job() {
    let place = Place::new("changed-lease");
    let help = Help::start(&place);
    // Long enough for a busy machine, which may not run a worker for seconds.
    let mut shorter = place.options();
    shorter.lease = Duration::from_secs(4);
    let first = CrewClient::connect(&shorter, PROGRAM).expect("the server is there");
    work(&first, "run", echoes(1));
    drop(first);
    let mut longer = place.options();
    longer.lease = LIMIT;
    let second = CrewClient::connect(&longer, PROGRAM).expect("no other is there");
    let (books, _) = work(&second, "run", vec![job("doze", "doze 5000")]);
    assert_eq!(books.outcomes["doze"].as_deref(), Ok(&b"doze"[..]));
    assert_eq!(help.end().expect("it worked").refused, 0, "it had its time");
}

/// A worker that rejects a job has not started it, so that others have all the attempts.
#[test]
fn a_rejection_is_no_attempt() {
    // A job on its way to a worker that ends is free again when its lease is over.
    let place = Place::with_short_lease("attempts");
    let remote = connect(&place);
    let idle = unable(&place, "idle-1");
    thread::scope(|scope| {
        let able = scope.spawn(|| {
            idle.wait_for("it refuses", |event| {
                matches!(event, WorkerEvent::Rejected { .. })
            });
            idle.end().expect("it worked");
            Help::start(&place)
        });
        let (books, _) = work(&remote, "run", vec![job("panic", "panic")]);
        let dead = books.outcomes["panic"].as_ref().expect_err("it panics");
        assert!(dead.why.contains("begun 3 times"), "{dead}");
        let able = able.join().expect("it only waits");
        for attempt in 1..=3 {
            able.wait_for(&format!("attempt {attempt}"), |event| {
                matches!(event, WorkerEvent::Started { .. })
            });
        }
        able.end().expect("it worked");
    });
}

#[test]
fn events_report_a_lost_server_and_missing_workers() {
    let mut place = Place::new("news");
    let mut options = place.options();
    options.no_worker_timeout = Duration::from_millis(600);
    let remote = CrewClient::connect(&options, PROGRAM).expect("the server is there");
    let told = listen(&remote);
    thread::scope(|scope| {
        let place = &mut place;
        let told = &told;
        let teller = scope.spawn(move || {
            wait_until_told(told, "no worker for");
            place.kill();
            wait_until_told(told, "the server is away");
            place.start();
            wait_until_told(told, "the server is back");
            Help::start(place)
        });
        let (books, _) = work(&remote, "run", echoes(3));
        assert_eq!(books.outcomes.len(), 3);
        teller
            .join()
            .expect("all was told")
            .end()
            .expect("it worked");
    });
}

#[test]
fn an_orphaned_run_is_removed_by_name_and_an_active_one_is_not() {
    let place = Place::new("leftovers");
    let remote = connect(&place);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let _stop = SetOnDrop(&stop);
            wait_until("the jobs are handed in", || place.jobs() == 4);
            // On a busy machine the coordinator may reply late.
            let mut patient = place.options();
            patient.coordinator_timeout = LIMIT;
            let refused = remove_run(&patient, "run-1").expect_err("it is at work");
            assert!(matches!(refused, CrewError::AtWork { .. }), "{refused}");
        });
        let contents: Arc<[u8]> = b"weights".as_slice().into();
        let with_blob = |job: Job| Job {
            blobs: vec![BlobId::of(&contents)],
            ..job
        };
        let find = |_: &BlobId| Some(Arc::clone(&contents));
        let jobs = echoes(4).into_iter().map(with_blob);
        let stopped = remote.work("run-1", jobs, &find, &stop, &mut |_| {
            Ok::<_, Infallible>(JobFlow::Continue)
        });
        assert_eq!(stopped.expect("it was stopped").handed_in, 4);
    });
    drop(remote);
    let refused = remove_run(&place.options(), "run-2").expect_err("the run does not exist");
    assert!(refused.is_wrong_request());
    assert!(
        refused.to_string().contains("there are: run-1"),
        "{refused}"
    );
    let gone = remove_run(&place.options(), "run-1").expect("it is there");
    assert_eq!((gone.jobs, gone.results, gone.blobs), (4, 0, 1));
    let refused = remove_run(&place.options(), "run-1").expect_err("it is gone");
    assert!(
        refused.to_string().contains("there are no runs"),
        "{refused}"
    );
    let status = mendel_crew::status(&place.options()).expect("it is there");
    assert!(status.per_second.is_sign_positive(), "{status:?}");
}
