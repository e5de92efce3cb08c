//! What becomes of jobs that some cannot do, or nobody; and what is told meanwhile.

use mendel_crew::{News, forget};

use super::*;

/// Can do nothing.
struct Unable;

impl Handler for Unable {
    fn kind(&self) -> &'static str {
        "act"
    }

    fn version(&self) -> u32 {
        1
    }

    fn work(&self, _: &Job, _: &dyn Blobs, _: &Progress) -> Result<Vec<u8>, Refusal> {
        Err(Refusal::Cannot("it is not\n\u{1b}[2Jallowed here".into()))
    }
}

fn unable(place: &Place, name: &str) -> Help {
    Help::start_named(place.options(), name, Arc::new(Unable))
}

/// What is told, as it is shown.
fn listen(remote: &Remote) -> Arc<Mutex<Vec<String>>> {
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    remote.on_news(move |news: &News| heard.lock().expect("no panic").push(news.to_string()));
    told
}

fn was_told(told: &Mutex<Vec<String>>, what: &str) -> bool {
    let told = told.lock().expect("no panic");
    told.iter().any(|text| text.contains(what))
}

/// Waits until something was told, with a limit.
fn wait_until_told(told: &Mutex<Vec<String>>, what: &str) {
    let begun = Instant::now();
    while !was_told(told, what) {
        assert!(begun.elapsed() < LIMIT, "never told: {what}: {told:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn those_who_cannot_do_not_spoil_it_for_those_who_can() {
    let place = Place::new("unable");
    let mut options = place.options();
    options.nobody = Duration::from_secs(2);
    let remote = Remote::connect(&options, PROGRAM).expect("the server is there");
    let told = listen(&remote);
    let idle = [unable(&place, "idle-1"), unable(&place, "idle-2")];
    let able = Help::start(&place);
    let (books, tally) = work(&remote, "run", naps(30, 250));
    books.check_naps(30);
    assert_eq!((tally.dead, tally.duplicates), (0, 0), "{tally:?}");
    assert!(was_told(&told, "did not do job"), "{told:?}");
    assert!(was_told(&told, "it is not  [2Jallowed here"), "{told:?}");
    assert!(able.end().expect("it worked").jobs >= 30);
    for help in idle {
        assert_eq!(help.end().expect("it goes on").jobs, 0);
    }
}

#[test]
fn what_nobody_can_do_is_set_aside_with_the_reason_and_not_before() {
    let place = Place::new("hopeless");
    let mut options = place.options();
    options.nobody = Duration::from_secs(2);
    let remote = Remote::connect(&options, PROGRAM).expect("the server is there");
    let idle = unable(&place, "idle-1");
    let begun = Instant::now();
    let (books, tally) = work(&remote, "run", echoes(2));
    assert!(begun.elapsed() >= options.nobody, "it had its time");
    assert_eq!((tally.done, tally.dead), (0, 2));
    for result in books.outcomes.into_values() {
        let dead = result.expect_err("nobody can");
        assert!(dead.why.contains("none of the 1 workers"), "{dead}");
        assert!(dead.why.contains("allowed here"), "{dead}");
        assert!(!dead.to_string().contains("died"), "{dead}");
    }
    // Its owner is told, and the owner's terminal does not obey.
    let told = idle.wait_for("it refuses", |event| matches!(event, Event::Refused { .. }));
    let Event::Refused { why, .. } = told else {
        unreachable!("it was looked for");
    };
    assert_eq!(why, "it is not  [2Jallowed here");
    idle.end().expect("it goes on");
}

#[test]
fn a_job_that_takes_too_long_says_so() {
    let place = Place::new("overtime");
    let remote = connect(&place);
    let limits = Limits {
        job_time: Duration::from_millis(200),
        ..Limits::default()
    };
    let help = Help::start_as(place.options(), limits, PROGRAM);
    let (books, _) = work(&remote, "run", naps(1, 5000));
    let dead = books.outcomes["nap-0"].clone().expect_err("it is too long");
    assert!(dead.why.contains("more than 0.2 s"), "{dead}");
    assert!(dead.deliveries >= 3, "{dead}");
    help.end().expect("it goes on");
}

/// Well formed, and yet the caller can make nothing of it.
#[test]
fn a_senseless_result_is_thrown_away_and_the_job_done_again() {
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
                return Ok::<_, Infallible>(GoOn::Again);
            }
            good.push(String::from(outcome.id));
            Ok(GoOn::Yes)
        },
    );
    let tally = tally.expect("it goes on");
    good.sort();
    assert_eq!(good, ["job-0", "job-1", "job-2"]);
    assert_eq!((tally.done, tally.corrupt, tally.repeated), (3, 2, 2));
    help.end().expect("it worked");
}

/// What it cannot store is said, and the wait for it has an end.
#[test]
fn a_server_that_cannot_store_jobs_ends_the_work_with_its_reason() {
    let folder = fresh_folder("full-server");
    let text = "jetstream { store_dir: \"store\", max_file_store: 6KB }\n";
    std::fs::write(folder.join("full.conf"), text).expect("the folder is writable");
    let place = Place::in_folder(folder, &["-c", "full.conf"], &[]);
    let mut options = place.options();
    options.patience = Duration::from_secs(3);
    let remote = Remote::connect(&options, PROGRAM).expect("the server is there");
    let told = listen(&remote);
    let jobs = (0..20).map(|number| job(&format!("job-{number}"), &"x".repeat(2000)));
    let (stop, begun) = (AtomicBool::new(false), Instant::now());
    let ended = remote.work("run", jobs, &no_blobs, &stop, &mut |_| {
        Ok::<_, Infallible>(GoOn::Yes)
    });
    let ended = ended.expect_err("there is no room").to_string();
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert!(ended.contains("store job job-"), "{ended}");
    assert!(
        ended.contains("resource") || ended.contains("maximum"),
        "{ended}"
    );
    assert!(was_told(&told, "does not take jobs"), "{told:?}");
}

#[test]
fn runs_of_one_version_agree_on_the_lease() {
    let place = Place::new("leases");
    let first = connect(&place);
    let mut longer = place.options();
    longer.lease = Duration::from_secs(5);
    let refused = Remote::connect(&longer, PROGRAM).expect_err("another is there");
    assert!(matches!(refused, CrewError::OtherLease { .. }), "{refused}");
    assert!(refused.is_wrong_request());
    assert!(
        refused.to_string().contains("--crew-lease 0.8"),
        "{refused}"
    );
    // One of another version has a queue of its own, and one of the same lease may come.
    Remote::connect(&longer, "9.9.9").expect("it is another queue");
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
    assert_eq!(lease(&place), Duration::from_millis(800));
    // Alone, it can be changed, and looking after the queue does not change it back.
    drop(first);
    let alone = Remote::connect(&longer, PROGRAM).expect("nobody else is there");
    assert_eq!(lease(&place), Duration::from_secs(5));
    drop(alone);
}

/// A worker that knows the queue with another lease looks again.
#[test]
fn a_changed_lease_holds_from_the_next_job_on() {
    let place = Place::new("changed-lease");
    let help = Help::start(&place);
    let first = connect(&place);
    work(&first, "run", echoes(1));
    drop(first);
    let mut longer = place.options();
    longer.lease = Duration::from_secs(10);
    let second = Remote::connect(&longer, PROGRAM).expect("nobody else is there");
    let (books, _) = work(&second, "run", vec![job("doze", "doze 2000")]);
    assert_eq!(books.outcomes["doze"].as_deref(), Ok(&b"doze"[..]));
    assert_eq!(help.end().expect("it worked").refused, 0, "it had its time");
}

/// Who refuses a job has not begun it, so that others have all the attempts there are.
#[test]
fn a_refusal_is_no_attempt() {
    let place = Place::new("attempts");
    let remote = connect(&place);
    let idle = unable(&place, "idle-1");
    thread::scope(|scope| {
        let able = scope.spawn(|| {
            idle.wait_for("it refuses", |event| matches!(event, Event::Refused { .. }));
            idle.end().expect("it goes on");
            Help::start(&place)
        });
        let (books, _) = work(&remote, "run", vec![job("panic", "panic")]);
        let dead = books.outcomes["panic"].as_ref().expect_err("it panics");
        assert!(dead.why.contains("begun 3 times"), "{dead}");
        let able = able.join().expect("it only waits");
        for attempt in 1..=3 {
            able.wait_for(&format!("attempt {attempt}"), |event| {
                matches!(event, Event::Began { .. })
            });
        }
        able.end().expect("it goes on");
    });
}

#[test]
fn whoever_waits_hears_that_the_server_goes_and_that_nobody_works() {
    let mut place = Place::new("news");
    let mut options = place.options();
    options.nobody = Duration::from_millis(600);
    let remote = Remote::connect(&options, PROGRAM).expect("the server is there");
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
fn a_left_over_run_is_removed_by_name_and_not_while_it_is_at_work() {
    let place = Place::new("leftovers");
    let remote = connect(&place);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let begun = Instant::now();
            loop {
                assert!(begun.elapsed() < LIMIT, "the jobs are handed in");
                let status = mendel_crew::status(&place.options()).expect("it is there");
                if status.waiting == 4 {
                    break;
                }
            }
            let refused = forget(&place.options(), "run-1").expect_err("it is at work");
            assert!(matches!(refused, CrewError::AtWork { .. }), "{refused}");
            stop.store(true, Ordering::Relaxed);
        });
        let contents: Arc<[u8]> = b"weights".as_slice().into();
        let with_blob = |job: Job| Job {
            blobs: vec![BlobId::of(&contents)],
            ..job
        };
        let find = |_: &BlobId| Some(Arc::clone(&contents));
        let jobs = echoes(4).into_iter().map(with_blob);
        let stopped = remote.work("run-1", jobs, &find, &stop, &mut |_| {
            Ok::<_, Infallible>(GoOn::Yes)
        });
        assert_eq!(stopped.expect("it was stopped").handed_in, 4);
    });
    drop(remote);
    let refused = forget(&place.options(), "run-2").expect_err("there is none");
    assert!(refused.is_wrong_request());
    assert!(
        refused.to_string().contains("there are: run-1"),
        "{refused}"
    );
    let gone = forget(&place.options(), "run-1").expect("it is there");
    assert_eq!((gone.jobs, gone.results, gone.blobs), (4, 0, 1));
    let refused = forget(&place.options(), "run-1").expect_err("it is gone");
    assert!(
        refused.to_string().contains("there are no runs"),
        "{refused}"
    );
    let status = mendel_crew::status(&place.options()).expect("it is there");
    assert!(status.per_second.is_sign_positive(), "{status:?}");
}
