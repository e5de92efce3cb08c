//! A worker that is told to stop finishes what it has begun, unless it is told twice.

use super::*;

/// A worker that begins a nap and is then told to stop; `drops` is the second word.
fn stopped_in_a_nap(name: &str, milliseconds: u64, drops: bool) -> (Worked, Duration, u64) {
    let place = Place::new(name);
    let remote = connect(&place);
    let (stop, drop_jobs, over) = <(Arc<AtomicBool>, Arc<AtomicBool>, AtomicBool)>::default();
    let helper = Worker::new(place.options(), Limits::default(), "helper", PROGRAM)
        .handler(Arc::new(Actor))
        .dropping(Arc::clone(&drop_jobs));
    thread::scope(|scope| {
        let coordinator = scope.spawn(|| {
            let jobs = naps(3, milliseconds).into_iter();
            remote.work("run", jobs, &no_blobs, &over, &mut |_| {
                Ok::<_, Infallible>(GoOn::Yes)
            })
        });
        let mut told = None;
        let worked = helper.run(&stop, &mut |event| {
            if matches!(event, Event::Began { .. }) {
                told.get_or_insert_with(Instant::now);
                stop.store(true, Ordering::Relaxed);
                drop_jobs.store(drops, Ordering::Relaxed);
            }
        });
        let took = told.expect("it began").elapsed();
        // What it did is with the coordinator, and nothing else.
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(500) {
            thread::sleep(Duration::from_millis(10));
        }
        over.store(true, Ordering::Relaxed);
        let tally = coordinator.join().expect("no panic").expect("it works");
        (worked.expect("it ends well"), took, tally.done)
    })
}

#[test]
fn a_worker_that_stops_finishes_the_job_at_hand_and_takes_no_other() {
    let (worked, took, done) = stopped_in_a_nap("finishes", 1500, false);
    assert_eq!((worked.jobs, worked.refused), (1, 0), "{worked:?}");
    assert_eq!(done, 1);
    assert!(took > Duration::from_secs(1), "{took:?}");
}

#[test]
fn a_worker_that_is_told_twice_drops_its_job() {
    let (worked, took, done) = stopped_in_a_nap("drops", 30_000, true);
    assert_eq!((worked.jobs, worked.refused), (0, 1), "{worked:?}");
    assert_eq!(done, 0);
    assert!(took < Duration::from_secs(20), "{took:?}");
}
