//! A worker that is told to stop finishes what it has begun, unless it is told twice.

use super::*;

/// A worker that begins a nap and is then told to stop; `drops` is the second word. What it
/// did, how long that took, and how many outcomes the coordinator has at the end.
fn stopped_in_a_nap(name: &str, milliseconds: u64, drops: bool) -> (WorkerTotals, Duration, u64) {
    let place = Place::new(name);
    let remote = connect(&place);
    let (stop, drop_jobs, over) = <(Arc<AtomicBool>, Arc<AtomicBool>, AtomicBool)>::default();
    let taken = AtomicU64::new(0);
    let helper = Worker::new(place.options(), WorkerLimits::default(), "helper", PROGRAM)
        .handler(Arc::new(Actor))
        .dropping(Arc::clone(&drop_jobs));
    thread::scope(|scope| {
        let _over = SetOnDrop(&over);
        let coordinator = scope.spawn(|| {
            let jobs = naps(3, milliseconds).into_iter();
            remote.work("run", jobs, &no_blobs, &over, &mut |_| {
                taken.fetch_add(1, Ordering::Relaxed);
                Ok::<_, Infallible>(JobFlow::Continue)
            })
        });
        let mut told = None;
        let worked = helper.run(&stop, &mut |event| {
            if matches!(event, WorkerEvent::Started { .. }) {
                told.get_or_insert_with(Instant::now);
                stop.store(true, Ordering::Relaxed);
                drop_jobs.store(drops, Ordering::Relaxed);
            }
        });
        let took = told.expect("it began").elapsed();
        // What it did is with the coordinator, and nothing else.
        let worked = worked.expect("it ends well");
        wait_until("the coordinator has what was done", || {
            taken.load(Ordering::Relaxed) >= worked.jobs
        });
        over.store(true, Ordering::Relaxed);
        let tally = coordinator.join().expect("no panic").expect("it works");
        (worked, took, tally.done)
    })
}

#[test]
fn a_stopping_worker_finishes_its_job_and_claims_no_other() {
    // Its result is there only when the whole nap is over.
    let (worked, _, done) = stopped_in_a_nap("finishes", 1500, false);
    assert_eq!((worked.jobs, worked.refused), (1, 0), "{worked:?}");
    assert_eq!(done, 1);
}

#[test]
fn a_worker_that_is_stopped_twice_cancels_its_job() {
    let nap = 2 * LIMIT;
    let (worked, took, done) = stopped_in_a_nap("drops", nap.as_millis() as u64, true);
    assert_eq!((worked.jobs, worked.refused), (0, 1), "{worked:?}");
    assert_eq!(done, 0);
    assert!(took < nap, "{took:?}");
}
