//! What the owner of a worker says: how long, how much, for whom, and when it ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use mendel_crew::{ConnectOptions, CrewClient, Job, JobFlow, JobId};

use super::place::{Place, Process};
use crate::support::Scratch;

/// A match of two games with so many milliseconds a move.
fn slow_match(place: &Place, player: &str, milliseconds: &str) -> Process {
    let (out, url) = (place.scratch.at("match"), place.url());
    let arguments = [
        "match",
        player,
        "mendel?Hash=1",
        "--games",
        "2",
        "--movetime",
        milliseconds,
        "--max-plies",
        "40",
        "--out",
        &out,
        "--crew",
        &url,
    ];
    Process::start(&place.scratch, &arguments)
}

#[test]
fn ctrl_c_finishes_the_job_at_hand_and_a_second_one_drops_it() {
    // The games of the second job are so long that it cannot be done before.
    for (times, movetime, farewell) in [
        (
            1,
            "60",
            "worked: 1 jobs, 2 games or positions, 0 jobs not done",
        ),
        (2, "60000", "worked: 0 jobs,"),
    ] {
        let place = Place::new(&format!("ctrl-c-{times}"), &[]);
        let worker = place.worker(&[]);
        let coordinator = slow_match(&place, "mendel?Hash=1", movetime);
        worker.wait_for(": begun");
        for _ in 0..times {
            worker.interrupt();
        }
        let (code, _, err) = worker.end();
        assert_eq!(code, Some(0), "{err}");
        assert!(err.contains(farewell), "{times}: {err}");
        if times == 1 {
            let (code, _, err) = coordinator.end();
            assert_eq!(code, Some(0), "{err}");
        }
    }
}

#[test]
fn a_job_takes_no_longer_than_its_owner_allows() {
    let place = Place::new("limit", &[]);
    let worker = place.worker(&["--limit", "1"]);
    let coordinator = slow_match(&place, "mendel?Hash=1", "60000");
    worker.wait_for("not done");
    worker.interrupt();
    let (_, _, err) = worker.end();
    assert!(err.contains("not done: it took more than 1 s"), "{err}");
    drop(coordinator);
}

#[test]
fn a_job_gets_no_more_memory_than_its_owner_allows() {
    let place = Place::new("memory", &[]);
    let worker = place.worker(&["--memory", "1024"]);
    let coordinator = slow_match(&place, "mendel?Hash=1100", "60");
    let told = "MiB of tables, and this worker gives 1024";
    coordinator.wait_for(told);
    worker.wait_for(told);
    worker.interrupt();
    let (code, _, err) = worker.end();
    assert_eq!(code, Some(0), "{err}");
    drop(coordinator);
}

#[test]
fn a_worker_of_another_version_is_refused() {
    let place = Place::new("version", &[]);
    let options = ConnectOptions::new(&place.url(), None, None).expect("this machine is safe");
    let remote = CrewClient::connect(&options, "9.8.7").expect("the server is there");
    let stop = Arc::new(AtomicBool::new(false));
    let over = Arc::clone(&stop);
    let coordinator = thread::spawn(move || {
        let job = Job {
            id: JobId::new("job").expect("a name"),
            kind: "nothing".to_owned(),
            version: 1,
            payload: Vec::new(),
            blobs: Vec::new(),
        };
        let jobs = std::iter::once(job);
        let worked = remote.work("run", jobs, &|_| None, &over, &mut |_| {
            Ok::<_, std::convert::Infallible>(JobFlow::Continue)
        });
        worked.map(|_| ()).map_err(|error| error.to_string())
    });
    place.status_when("the coordinator begins", |status| {
        !status["coordinators"][0].is_null()
    });
    let refused = place.worker(&[]).end();
    stop.store(true, Ordering::Relaxed);
    coordinator
        .join()
        .expect("no panic")
        .expect("it was stopped");
    let (code, _, err) = refused;
    assert_eq!(code, Some(2), "{err}");
    let ours = env!("CARGO_PKG_VERSION");
    assert!(
        err.contains(&format!("this worker is version {ours}")) && err.contains("version 9.8.7"),
        "{err}"
    );
}

#[test]
fn an_owner_who_asks_wrongly_is_told_so() {
    let scratch = Scratch::new("crew-owner");
    let said = |arguments: &[&str]| {
        let all = [&["worker", "--crew", "nats://127.0.0.1:1"], arguments].concat();
        let (code, _, err) = Process::start(&scratch, &all).end();
        assert_eq!(code, Some(2), "{arguments:?}: {err}");
        err
    };
    assert!(said(&["--name", "A b"]).contains("a-z, 0-9 and -"));
    assert!(said(&["--allow", "x=/no/such/x"]).contains("/no/such/x"));
    assert!(said(&["--allow", "no-such-engine"]).contains("no-such-engine"));
    let file = said(&["--crew-token-file", "/no/such/file"]);
    assert!(
        file.contains("/no/such/file") && file.contains("one line with a token"),
        "{file}"
    );
    let empty = scratch.put("empty", "");
    assert!(said(&["--crew-token-file", &empty]).contains("one line"));
}
