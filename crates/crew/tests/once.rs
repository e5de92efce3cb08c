//! Every job comes back once, whoever dies.

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
fn no_jobs_are_done_at_once() {
    let place = Place::new("nothing");
    let (books, tally) = work(&connect(&place), "run", Vec::new());
    assert!(books.outcomes.is_empty());
    assert_eq!(tally, Tally::default());
}

#[test]
fn jobs_are_taken_as_there_is_room() {
    let place = Place::new("window");
    let mut options = place.options();
    options.window = 3;
    let remote = Remote::connect(&options, PROGRAM).expect("the server is there");
    let help = Help::start(&place);
    let (asked, answered) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let jobs = echoes(40).into_iter().inspect(|_| {
        asked.set(asked.get() + 1);
        assert!(asked.get() - answered.get() <= 3);
    });
    let stop = AtomicBool::new(false);
    let tally = remote.work("run", jobs, &no_blobs, &stop, &mut |_| {
        answered.set(answered.get() + 1);
        Ok::<_, Infallible>(GoOn::Yes)
    });
    assert_eq!(tally.expect("it works").done, 40);
    help.end().expect("it worked");
}

#[test]
fn killed_workers_lose_nothing() {
    let place = Place::new("killed");
    let remote = connect(&place);
    let mut victims = vec![Process::start(&place), Process::start(&place)];
    let mut books = Books::default();
    let tally = work_into(&remote, "run", naps(30, 100), &mut |outcome| {
        books.enter(outcome);
        // Each time in the middle of a job, since the others go on.
        if books.outcomes.len() % 6 == 0 {
            victims.remove(0);
            victims.push(Process::start(&place));
        }
        GoOn::Yes
    });
    books.check_naps(30);
    assert_eq!(tally.dead, 0);
}

#[test]
fn a_server_that_is_killed_comes_back_with_everything() {
    let mut place = Place::new("restarted");
    let remote = connect(&place);
    let helpers = [Help::start(&place), Help::start(&place)];
    let mut books = Books::default();
    let tally = work_into(&remote, "run", naps(40, 50), &mut |outcome| {
        books.enter(outcome);
        if [7, 23].contains(&books.outcomes.len()) {
            place.kill();
            thread::sleep(Duration::from_millis(300));
            place.start();
        }
        GoOn::Yes
    });
    books.check_naps(40);
    assert_eq!((tally.dead, tally.corrupt), (0, 0));
    for help in helpers {
        help.wait_for("the server went", |event| *event == Event::Away);
        help.wait_for("the server came", |event| *event == Event::Back);
        help.end().expect("it went on");
    }
}

/// A server that is killed while its streams are empty may count messages from 1 again.
/// Whoever has seen more of them does not wait for those beyond: neither a coordinator
/// that was there all the time nor one that comes later.
#[test]
fn a_server_killed_with_nothing_in_it_gives_out_what_comes_after() {
    let mut place = Place::new("emptied");
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
    help.end().expect("it went on");
}

#[test]
fn a_server_that_forgot_everything_is_told_again() {
    let mut place = Place::new("wiped");
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
        GoOn::Yes
    });
    books.check_naps(20);
    assert!(tally.repeated > 0);
    help.end().expect("it went on");
}

/// The second life finds what the first one handed in, queued and finished, and
/// what it took is not given again.
#[test]
fn a_coordinator_that_died_goes_on() {
    let place = Place::new("resumed");
    let help = Help::start(&place);
    let mut books = Books::default();
    let stop = AtomicBool::new(false);
    let first = connect(&place);
    let tally = first.work(
        "run",
        naps(30, 30).into_iter(),
        &no_blobs,
        &stop,
        &mut |outcome| {
            books.enter(outcome);
            stop.store(books.outcomes.len() == 10, Ordering::Relaxed);
            Ok::<_, Infallible>(GoOn::Yes)
        },
    );
    drop(first);
    let tally = tally.expect("it was stopped");
    assert!(tally.done >= 10 && tally.done < 30, "{tally:?}");
    // Meanwhile the worker goes on.
    thread::sleep(Duration::from_millis(300));

    let rest: Vec<Job> = naps(30, 30)
        .into_iter()
        .filter(|job| !books.outcomes.contains_key(job.id.as_str()))
        .collect();
    let left = rest.len() as u64;
    let tally = work_into(&connect(&place), "run", rest, &mut |outcome| {
        books.enter(outcome);
        GoOn::Yes
    });
    books.check_naps(30);
    assert_eq!((tally.found, tally.handed_in), (left, 0));
    assert_eq!(
        help.end().expect("it worked").jobs,
        30,
        "none was worked twice"
    );
}

/// An outcome that could not be written down is not lost.
#[test]
fn an_outcome_stays_until_it_is_taken() {
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
        Ok(GoOn::Yes)
    });
    assert!(matches!(
        failed,
        Err(WorkError::Taker("no space left on device"))
    ));
    let (books, tally) = work(&remote, "run", echoes(10));
    assert_eq!(books.outcomes.len(), 10);
    assert_eq!(
        tally.found, 7,
        "what was taken was removed, the rest is there"
    );
    help.end().expect("it worked");
}

#[test]
fn enough_is_enough() {
    let place = Place::new("enough");
    let remote = connect(&place);
    let help = Help::start(&place);
    let jobs: Vec<Job> = echoes(3).into_iter().chain(naps(100, 2000)).collect();
    let mut count = 0;
    let begun = Instant::now();
    let tally = work_into(&remote, "run", jobs, &mut |_| {
        count += 1;
        if count == 3 { GoOn::No } else { GoOn::Yes }
    });
    assert_eq!(tally.done, 3);
    // The worker drops what nobody wants and has time for others.
    let (books, _) = work(&remote, "other", echoes(1));
    assert_eq!(books.outcomes.len(), 1);
    assert!(begun.elapsed() < Duration::from_secs(10));
    help.end().expect("it worked");
}

#[test]
fn what_a_job_needs_travels_once_and_is_checked() {
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
            Ok::<_, Infallible>(GoOn::Yes)
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
        Ok::<_, Infallible>(GoOn::Yes)
    });
    assert_eq!(tally.expect("it works").done, 1);

    // And one the coordinator does not have is no job.
    let refused = remote.work("run", jobs.into_iter(), &no_blobs, &stop, &mut |_| {
        Ok::<_, Infallible>(GoOn::Yes)
    });
    assert!(matches!(
        refused,
        Err(WorkError::Crew(CrewError::NoBlob { .. }))
    ));
    help.end().expect("it worked");
}
