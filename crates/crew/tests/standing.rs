//! The status of a crew, and the shared log.

use mendel_crew::{SharedLog, status};

use super::*;

#[test]
fn the_status_lists_workers_runs_and_jobs() {
    let place = Place::new("status");
    let empty = status(&place.options()).expect("the server is there");
    assert_eq!(
        (empty.waiting, empty.running, empty.workers.len()),
        (0, 0, 0)
    );

    let remote = connect(&place);
    let limits = WorkerLimits {
        slots: 2,
        ..WorkerLimits::default()
    };
    let gate = Arc::new(Gate::default());
    let worker = Worker::new(place.options(), limits, "helper", PROGRAM);
    let help = Help::run(worker.handler(Arc::<Gate>::clone(&gate)));
    gate.permit(3);
    let mut seen = None;
    let mut books = Books::default();
    work_into(&remote, "run", naps(10, 0), &mut |outcome| {
        books.enter(outcome);
        if books.outcomes.len() == 3 {
            // No job ends before there are more permits.
            wait_until("the status shows it", || {
                let now = status(&place.options()).expect("the server is there");
                let units = now.workers.first().map_or(0.0, |worker| worker.per_second);
                let both = now
                    .workers
                    .first()
                    .is_some_and(|worker| worker.active_jobs == 2);
                seen = Some(now.clone());
                // An acknowledgement may be on its way for a moment.
                let running = (2..=4).contains(&now.running);
                let once = now.waiting + now.running + now.done <= 10;
                both && running && once && units > 1.0 && now.coordinators.len() == 1
            });
            gate.permit(7);
        }
        JobFlow::Continue
    });
    let seen = seen.expect("it was asked");
    assert_eq!(seen.workers.len(), 1);
    let worker = &seen.workers[0];
    assert_eq!(
        (worker.name.as_str(), worker.program.as_str()),
        ("helper", PROGRAM)
    );
    assert_eq!((worker.slots, worker.active_jobs), (2, 2));
    assert!(worker.per_second > 1.0, "naps are many units: {worker:?}");
    assert_eq!(seen.coordinators[0].run, "run");
    assert_eq!(seen.coordinators[0].tally.handed_in, 10);
    assert!(seen.done >= 2, "{seen:?}");
    assert_eq!(seen.runs.len(), 1);
    help.end().expect("it worked");
    wait_until("nothing is left and the worker has gone", || {
        let after = status(&place.options()).expect("the server is there");
        after.runs.is_empty() && after.workers.is_empty()
    });
}

#[test]
fn the_data_of_a_run_can_be_removed() {
    let place = Place::new("forgotten");
    let remote = connect(&place);
    hand_in(&remote, &place, echoes(5), &no_blobs);
    let held = status(&place.options()).expect("it is there").runs;
    assert_eq!((held.len(), held[0].jobs), (1, 5));
    remote.remove_run("run").expect("it is there");
    assert!(
        status(&place.options())
            .expect("it is there")
            .runs
            .is_empty()
    );
}

#[test]
fn a_record_is_appended_once_and_read_by_all() {
    let mut place = Place::new("notices");
    let board = SharedLog::open(&place.options()).expect("the server is there");
    assert_eq!(board.since(0).expect("it can be read"), []);
    for (id, text) in [("a", "1"), ("b", "2"), ("a", "other"), ("c", "3")] {
        board.post(id, text.as_bytes()).expect("it is posted");
    }
    let other = SharedLog::open(&place.options()).expect("the server is there");
    let all = other.since(0).expect("it can be read");
    let texts: Vec<(&str, &[u8])> = all
        .iter()
        .map(|one| (one.id.as_str(), &*one.bytes))
        .collect();
    assert_eq!(texts, [("a", &b"1"[..]), ("b", b"2"), ("c", b"3")]);
    assert_eq!(
        other.since(all[1].sequence).expect("it can be read"),
        all[2..]
    );
    assert_eq!(other.since(all[2].sequence).expect("it can be read"), []);

    // Also after the server was killed, and in more than one page.
    place.kill();
    place.start();
    for number in 0..600 {
        let id = format!("n-{number}");
        board.post(&id, b"x").expect("it is posted");
        board.post(&id, b"x").expect("it is posted");
    }
    board.post("a", b"again").expect("it is posted");
    let (mut place_of, mut count) = (0, 0);
    loop {
        let page = other.since(place_of).expect("it can be read");
        let Some(last) = page.last() else { break };
        place_of = last.sequence;
        count += page.len();
    }
    assert_eq!(count, 603);
    assert!(
        board
            .post("A b", b"x")
            .expect_err("no name")
            .is_wrong_request()
    );
    let refused = board
        .post("large", &vec![0; 2 << 20])
        .expect_err("too large");
    assert!(refused.is_wrong_request(), "{refused}");
}

#[test]
fn a_wiped_log_is_detected() {
    let mut place = Place::new("lost-notices");
    let board = SharedLog::open(&place.options()).expect("the server is there");
    board.post("a", b"1").expect("it is posted");
    let first = board.state().expect("it can be read");
    assert_eq!(first.last, 1);
    place.kill();
    place.start();
    assert_eq!(board.state().expect("it is back"), first);

    // The next reader creates it again, and can append.
    place.kill();
    place.wipe();
    place.start();
    let second = board.state().expect("it is back");
    assert_eq!(second.last, 0);
    assert_ne!(second.made, first.made);
    assert!(board.post("a", b"1").expect("it is posted"));
    assert_eq!(board.since(0).expect("it can be read").len(), 1);
}
