//! Who is there, and what is told to all.

use mendel_crew::{Notices, status};

use super::*;

#[test]
fn the_status_tells_who_is_there_and_what_there_is_to_do() {
    let place = Place::new("status");
    let empty = status(&place.options()).expect("the server is there");
    assert_eq!(
        (empty.waiting, empty.running, empty.workers.len()),
        (0, 0, 0)
    );

    let remote = connect(&place);
    let limits = Limits {
        hands: 2,
        ..Limits::default()
    };
    let help = Help::start_as(place.options(), limits, PROGRAM);
    let mut seen = None;
    let mut books = Books::default();
    work_into(&remote, "run", naps(10, 400), &mut |outcome| {
        books.enter(outcome);
        if books.outcomes.len() == 3 {
            seen = Some(status(&place.options()).expect("the server is there"));
        }
        GoOn::Yes
    });
    let seen = seen.expect("it was asked");
    assert_eq!(seen.workers.len(), 1);
    let worker = &seen.workers[0];
    assert_eq!(
        (worker.name.as_str(), worker.program.as_str()),
        ("helper", PROGRAM)
    );
    assert_eq!((worker.hands, worker.working), (2, 2));
    assert!(worker.per_second > 1.0, "naps are many units: {worker:?}");
    assert_eq!(seen.coordinators.len(), 1);
    assert_eq!(seen.coordinators[0].run, "run");
    assert_eq!(seen.coordinators[0].tally.handed_in, 10);
    assert!(seen.done >= 2, "{seen:?}");
    assert!((2..=4).contains(&seen.running), "{seen:?}");
    assert!(seen.waiting + seen.running + seen.done <= 10, "{seen:?}");
    assert_eq!(seen.runs.len(), 1);
    help.end().expect("it worked");
    let after = status(&place.options()).expect("the server is there");
    assert!(
        after.runs.is_empty() && after.workers.is_empty(),
        "{after:?}"
    );
}

#[test]
fn a_run_can_be_forgotten() {
    let place = Place::new("forgotten");
    let remote = connect(&place);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while status(&place.options()).expect("it is there").waiting < 5 {}
            stop.store(true, Ordering::Relaxed);
        });
        let stopped = remote.work("run", echoes(5).into_iter(), &no_blobs, &stop, &mut |_| {
            Ok::<_, Infallible>(GoOn::Yes)
        });
        assert_eq!(stopped.expect("it was stopped").handed_in, 5);
    });
    let held = status(&place.options()).expect("it is there").runs;
    assert_eq!((held.len(), held[0].jobs), (1, 5));
    remote.forget("run").expect("it is there");
    assert!(
        status(&place.options())
            .expect("it is there")
            .runs
            .is_empty()
    );
}

#[test]
fn a_notice_is_posted_once_and_read_by_all() {
    let mut place = Place::new("notices");
    let board = Notices::open(&place.options()).expect("the server is there");
    assert_eq!(board.since(0).expect("it can be read"), []);
    for (id, text) in [("a", "1"), ("b", "2"), ("a", "other"), ("c", "3")] {
        board.post(id, text.as_bytes()).expect("it is posted");
    }
    let other = Notices::open(&place.options()).expect("the server is there");
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
fn a_board_that_was_lost_is_another_one() {
    let mut place = Place::new("lost-notices");
    let board = Notices::open(&place.options()).expect("the server is there");
    board.post("a", b"1").expect("it is posted");
    let first = board.state().expect("it can be read");
    assert_eq!(first.last, 1);
    place.kill();
    place.start();
    assert_eq!(board.state().expect("it is back"), first);

    // Whoever looks at it next makes it anew, and can post.
    place.kill();
    place.wipe();
    place.start();
    let second = board.state().expect("it is back");
    assert_eq!(second.last, 0);
    assert_ne!(second.made, first.made);
    assert!(board.post("a", b"1").expect("it is posted"));
    assert_eq!(board.since(0).expect("it can be read").len(), 1);
}
