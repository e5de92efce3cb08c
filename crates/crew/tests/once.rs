//! Every job comes back once, whatever process dies.

use super::*;
use crate::children::Process;

#[test]
fn every_job_comes_back_once() {
    let place = Place::new("once");
    let remote = connect(&place);
    let helpers = [Help::start(&place), Help::start(&place)];
    let (books, tally) = work(&remote, "run", echoes(200));
    for (id, result) in &books.outcomes {
        let number = id.strip_prefix("job-").expect("its name");
        assert_eq!(result.as_deref(), Ok(number.as_bytes()));
    }
    assert_eq!(
        (tally.handed_in, tally.duplicates, tally.corrupt),
        (200, 0, 0)
    );
    let worked = helpers.map(|help| help.end().expect("it worked").jobs);
    assert_eq!(worked.iter().sum::<u64>(), 200, "none was worked twice");
    // The same names again are new jobs, because nothing was left behind.
    let help = Help::start(&place);
    let (_, tally) = work(&remote, "run", echoes(5));
    assert_eq!((tally.handed_in, tally.found), (5, 0));
    help.end().expect("it worked");
}

#[test]
fn an_empty_job_list_finishes_immediately() {
    let place = Place::new("nothing");
    let (books, tally) = work(&connect(&place), "run", Vec::new());
    assert!(books.outcomes.is_empty());
    assert_eq!(tally, JobCounts::default());
}

#[test]
fn jobs_are_submitted_as_the_window_has_room() {
    let place = Place::new("window");
    let mut options = place.options();
    options.window = 3;
    let remote = CrewClient::connect(&options, PROGRAM).expect("the server is there");
    let help = Help::start(&place);
    let (asked, answered) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let jobs = echoes(40).into_iter().inspect(|_| {
        asked.set(asked.get() + 1);
        assert!(asked.get() - answered.get() <= 3);
    });
    let stop = AtomicBool::new(false);
    let tally = remote.work("run", jobs, &no_blobs, &stop, &mut |_| {
        answered.set(answered.get() + 1);
        Ok::<_, Infallible>(JobFlow::Continue)
    });
    assert_eq!(tally.expect("it works").done, 40);
    help.end().expect("it worked");
}

#[test]
fn killed_workers_lose_nothing() {
    let place = Place::with_short_lease("killed");
    let remote = connect(&place);
    let mut victims = vec![Process::start(&place), Process::start(&place)];
    let mut books = Books::default();
    let tally = work_into(&remote, "run", naps(30, 100), &mut |outcome| {
        books.enter(outcome);
        // Each time in the middle of a job, since workers are busy all the time.
        if books.outcomes.len() % 6 == 0 {
            victims.remove(0);
            victims.push(Process::start(&place));
        }
        JobFlow::Continue
    });
    books.check_naps(30);
    assert_eq!(tally.dead, 0);
}

#[test]
fn a_killed_server_restarts_with_all_jobs() {
    let mut place = Place::with_short_lease("restarted");
    let remote = connect(&place);
    let helpers = [Help::start(&place), Help::start(&place)];
    let mut books = Books::default();
    let tally = work_into(&remote, "run", naps(40, 50), &mut |outcome| {
        books.enter(outcome);
        if [7, 23].contains(&books.outcomes.len()) {
            place.kill();
            for help in &helpers {
                help.wait_for("the server went", |event| {
                    *event == WorkerEvent::Disconnected
                });
            }
            place.start();
            for help in &helpers {
                help.wait_for("the server came", |event| {
                    *event == WorkerEvent::Reconnected
                });
            }
        }
        JobFlow::Continue
    });
    books.check_naps(40);
    assert_eq!((tally.dead, tally.corrupt), (0, 0));
    for help in helpers {
        help.end().expect("it worked");
    }
}

/// A server that is killed while its streams are empty may count messages from 1 again.
/// Neither a coordinator that was connected all the time nor a later one waits for the
/// numbers beyond.
#[test]
fn jobs_after_a_crash_of_an_empty_server_are_delivered() {
    let mut place = Place::with_short_lease("emptied");
    let remote = connect(&place);
    let help = Help::start(&place);
    let (books, _) = work(&remote, "first", echoes(40));
    assert_eq!(books.outcomes.len(), 40);
    place.kill();
    place.start();
    let (books, tally) = work(&remote, "second", echoes(10));
    assert_eq!((books.outcomes.len(), tally.dead), (10, 0));
    place.kill();
    place.start();
    let (books, tally) = work(&connect(&place), "third", echoes(5));
    assert_eq!((books.outcomes.len(), tally.dead), (5, 0));
    help.end().expect("it worked");
}

#[test]
fn jobs_of_a_wiped_server_are_submitted_again() {
    let mut place = Place::with_short_lease("wiped");
    let remote = connect(&place);
    let help = Help::start(&place);
    let mut books = Books::default();
    let tally = work_into(&remote, "run", naps(20, 50), &mut |outcome| {
        books.enter(outcome);
        if books.outcomes.len() == 5 {
            place.kill();
            place.wipe();
            place.start();
        }
        JobFlow::Continue
    });
    books.check_naps(20);
    assert!(tally.repeated > 0);
    help.end().expect("it worked");
}

/// The second life finds what the first one handed in, queued and finished, and
/// what it took is not given again.
#[test]
fn a_killed_coordinator_resumes() {
    let place = Place::new("resumed");
    let gate = Arc::new(Gate::default());
    let help = Help::start_named(place.options(), "helper", Arc::<Gate>::clone(&gate));
    let mut books = Books::default();
    let stop = AtomicBool::new(false);
    let first = connect(&place);
    gate.permit(10);
    let jobs = naps(30, 0).into_iter();
    let tally = first.work("run", jobs, &no_blobs, &stop, &mut |outcome| {
        books.enter(outcome);
        stop.store(books.outcomes.len() == 10, Ordering::Relaxed);
        Ok::<_, Infallible>(JobFlow::Continue)
    });
    drop(first);
    let tally = tally.expect("it was stopped");
    assert_eq!((tally.handed_in, tally.done), (30, 10));
    // The worker continues without a coordinator, and is not done yet.
    gate.permit(5);
    wait_until("the worker has done five more", || {
        place.jobs() == 15 && place.results() == 5
    });

    let rest: Vec<Job> = naps(30, 0)
        .into_iter()
        .filter(|job| !books.outcomes.contains_key(job.id.as_str()))
        .collect();
    gate.permit(15);
    let tally = work_into(&connect(&place), "run", rest, &mut |outcome| {
        books.enter(outcome);
        JobFlow::Continue
    });
    books.check_naps(30);
    assert_eq!((tally.found, tally.handed_in), (20, 0));
    assert_eq!(
        help.end().expect("it worked").jobs,
        30,
        "none was worked twice"
    );
}

/// An outcome that could not be written down is not lost.
#[test]
fn a_result_stays_on_the_server_until_it_is_taken() {
    let place = Place::new("full-disk");
    let remote = connect(&place);
    let help = Help::start(&place);
    let stop = AtomicBool::new(false);
    let mut taken = 0;
    let failed = remote.work("run", echoes(10).into_iter(), &no_blobs, &stop, &mut |_| {
        taken += 1;
        if taken == 4 {
            return Err("no space left on device");
        }
        Ok(JobFlow::Continue)
    });
    assert!(matches!(
        failed,
        Err(MapError::Consumer("no space left on device"))
    ));
    // The server removes in its own time what was taken.
    wait_until("the rest is worked and the taken is gone", || {
        place.jobs() == 0 && place.results() == 7
    });
    let (books, tally) = work(&remote, "run", echoes(10));
    assert_eq!(books.outcomes.len(), 10);
    assert_eq!(
        tally.found, 7,
        "what was taken was removed, the rest is there"
    );
    help.end().expect("it worked");
}

#[test]
fn stopping_a_run_frees_its_worker() {
    let place = Place::new("enough");
    let remote = connect(&place);
    let help = Help::start(&place);
    // A busy machine must not let the nap end before the run is stopped.
    let jobs: Vec<Job> = echoes(3).into_iter().chain(naps(100, 10_000)).collect();
    let mut count = 0;
    let tally = work_into(&remote, "run", jobs, &mut |_| {
        count += 1;
        if count < 3 {
            return JobFlow::Continue;
        }
        help.wait_for(
            "a nap begins",
            |event| matches!(event, WorkerEvent::Started { id, .. } if id.as_str().starts_with("nap")),
        );
        JobFlow::Stop
    });
    assert_eq!(tally.done, 3);
    // The worker cancels jobs that are not needed and has time for others.
    help.wait_for(
        "the nap is dropped",
        |event| matches!(event, WorkerEvent::Rejected { why, .. } if why == "stopped"),
    );
    let (books, _) = work(&remote, "other", echoes(1));
    assert_eq!(books.outcomes.len(), 1);
    help.end().expect("it worked");
}

#[test]
fn a_blob_is_uploaded_once_and_checked() {
    let place = Place::new("blobs");
    let remote = connect(&place);
    let help = Help::start(&place);
    // More than a message can carry.
    let contents: Arc<[u8]> = (0..3_000_000_u32).map(|n| (n % 251) as u8).collect();
    let id = BlobId::of(&contents);
    let mut blobs = HashMap::from([(id, Arc::clone(&contents))]);
    let jobs = (0..5).map(|number| Job {
        blobs: vec![id],
        ..job(&format!("job-{number}"), "blob")
    });
    let jobs: Vec<Job> = jobs.collect();
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let find = |id: &BlobId| {
        asked.fetch_add(1, Ordering::Relaxed);
        blobs.get(id).cloned()
    };
    let stop = AtomicBool::new(false);
    let mut same = 0;
    let tally = remote.work(
        "run",
        jobs.clone().into_iter(),
        &find,
        &stop,
        &mut |outcome| {
            same += usize::from(outcome.result.as_deref() == Ok(&contents[..1_000_000]));
            assert!(
                outcome.result.is_err(),
                "the result is too large for a message"
            );
            Ok::<_, Infallible>(JobFlow::Continue)
        },
    );
    assert_eq!(tally.expect("it works").dead, 5);
    assert_eq!((same, asked.load(Ordering::Relaxed)), (0, 1));

    // A smaller one comes back whole.
    let small: Arc<[u8]> = contents[..500_000].into();
    let id = BlobId::of(&small);
    blobs.insert(id, Arc::clone(&small));
    let find = |id: &BlobId| blobs.get(id).cloned();
    let one = Job {
        blobs: vec![id],
        ..job("small", "blob")
    };
    let tally = remote.work("run", [one].into_iter(), &find, &stop, &mut |outcome| {
        assert_eq!(outcome.result.as_deref(), Ok(&small[..]));
        Ok::<_, Infallible>(JobFlow::Continue)
    });
    assert_eq!(tally.expect("it works").done, 1);

    // And one the coordinator does not have is no job.
    let refused = remote.work("run", jobs.into_iter(), &no_blobs, &stop, &mut |_| {
        Ok::<_, Infallible>(JobFlow::Continue)
    });
    assert!(matches!(
        refused,
        Err(MapError::Work(CrewError::NoBlob { .. }))
    ));
    help.end().expect("it worked");
}

/// Servers before 2.9.12 forget to deliver what is queued when other subjects are purged.
#[test]
fn removing_a_run_leaves_the_queued_jobs_of_others_in_the_queue() {
    let place = Place::new("removed-other");
    let remote = connect(&place);
    hand_in(&remote, &place, echoes(10), &no_blobs);
    remote.remove_run("other").expect("the server is there");
    let stop = AtomicBool::new(false);
    let jobs = echoes(3).into_iter();
    thread::scope(|scope| {
        scope.spawn(|| {
            let _stop = SetOnDrop(&stop);
            wait_until("the jobs of the other run are queued", || {
                place.jobs() == 13
            });
        });
        let stopped = remote.work("other", jobs, &no_blobs, &stop, &mut |_| {
            Ok::<_, Infallible>(JobFlow::Continue)
        });
        assert_eq!(stopped.expect("it was stopped").handed_in, 3);
    });
    remote.remove_run("other").expect("the server is there");
    assert_eq!(place.jobs(), 10);
    let help = Help::start(&place);
    let (books, tally) = work(&connect(&place), "run", echoes(10));
    assert_eq!((books.outcomes.len(), tally.found), (10, 10));
    help.end().expect("it worked");
}
