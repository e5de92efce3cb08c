//! What is not allowed, and what is said then.

use std::fs;

use super::place::{Place, Process};
use crate::support::{MENDEL, Scratch, mendel};

/// An engine that plays whatever is legal first, as any program would.
fn engine(place: &Place) -> String {
    let path = place.scratch.at("pea");
    fs::write(
        &path,
        format!("#!/bin/sh\nexec {MENDEL} uci --player random\n"),
    )
    .expect("there is room");
    let status = std::process::Command::new("chmod")
        .args(["+x", &path])
        .status();
    assert!(status.expect("there is a shell").success());
    path
}

#[test]
fn a_program_is_played_only_where_its_owner_allows_it() {
    let place = Place::new("allow", &[]);
    let pea = engine(&place);
    let other = format!("cmd:{pea}");
    let out = place.scratch.at("match");
    let arguments = [
        "match",
        "material",
        &other,
        "--games",
        "2",
        "--nodes",
        "20",
        "--max-plies",
        "20",
        "--out",
        &out,
    ];
    // One does not allow it, and leaves it to the other.
    let strict = place.worker(&["--name", "strict"]);
    let coordinator = place.coordinator(&arguments);
    let allowed = format!("pea={pea}");
    coordinator.wait_for("worker strict did not do job");
    let kind = place.worker(&["--name", "kind", "--allow", &allowed]);
    let (code, _, err) = coordinator.end();
    assert_eq!(code, Some(0), "{err}");
    assert!(
        err.contains("crew: worker strict did not do job games-1-0: `pea` is not allowed"),
        "{err}"
    );
    strict.interrupt();
    let (_, _, said) = strict.end();
    assert!(
        said.contains("`pea` is not allowed on this worker"),
        "{said}"
    );
    assert!(said.contains("--allow pea=PATH"), "{said}");
    drop(kind);
}

#[test]
fn what_belongs_to_one_machine_is_refused_before_anything_is_played() {
    let place = Place::new("carry", &[]);
    let out = place.scratch.at("match");
    let book = place.scratch.put("book.bin", [0; 16]);
    let pea = engine(&place);
    for (player, reason) in [
        (
            format!("mendel?Book={book}"),
            "names a file of this machine",
        ),
        (
            format!("cmd:{pea} --x"),
            "mendel worker --allow 'pea=PROGRAM ARGUMENTS'",
        ),
    ] {
        let crewed = place.coordinator(&[
            "match", "random", &player, "--games", "2", "--nodes", "9", "--out", &out,
        ]);
        let (code, _, err) = crewed.end();
        assert_eq!(code, Some(2), "{err}");
        assert!(err.contains(reason), "{err}");
        let _ = fs::remove_dir_all(&out);
    }
}

#[test]
fn a_wrong_request_says_what_would_be_right() {
    let scratch = Scratch::new("crew-wrong");
    let said = |arguments: &[&str]| {
        let (code, _, err) = Process::start(&scratch, arguments).end();
        assert_eq!(code, Some(2), "{arguments:?}: {err}");
        err
    };
    assert!(said(&["worker"]).contains("--crew nats://127.0.0.1:4222"));
    assert!(said(&["crew", "status"]).contains("no crew is named"));
    assert!(said(&["worker", "--crew", "nats://127.0.0.1:1"]).contains("no crew server at"));
    assert!(said(&["worker", "--crew", "nats://example.org"]).contains("not encrypted"));
    assert!(said(&["worker", "--crew", "http://x"]).contains("nats://"));
    assert!(
        said(&[
            "worker",
            "--crew",
            "nats://127.0.0.1:1",
            "--allow",
            "/bin/x"
        ])
        .contains("plain name")
    );
    let out = scratch.at("match");
    let wanted = [
        "match", "random", "random", "--nodes", "9", "--games", "2", "--out", &out,
    ];
    let nobody = [&wanted[..], &["--crew", "nats://127.0.0.1:1"]].concat();
    assert!(said(&nobody).contains("without `--crew`"));
    let file = [
        "worker",
        "--crew",
        "tls://example.org",
        "--crew-token-file",
        "/no/such/file",
    ];
    assert!(said(&file).contains("/no/such/file"));
}

#[test]
fn a_wrong_token_is_refused_and_not_shown() {
    let place = Place::new("token", &["--auth", "s3cret"]);
    let url = place.url();
    let file = place.scratch.at("token");
    for (token, right) in [("s3cret", true), ("wr0ng", false)] {
        fs::write(&file, format!("{token}\n")).expect("there is room");
        let status = ["crew", "status", "--crew", &url, "--crew-token-file", &file];
        let said = mendel(&status, b"");
        assert_eq!(said.code, Some(if right { 0 } else { 2 }), "{}", said.err);
        if !right {
            assert!(said.err.contains("refused the secret"), "{}", said.err);
            assert!(said.err.contains("--crew-token-file"), "{}", said.err);
            assert!(!said.err.contains(token), "{}", said.err);
        }
    }
}

#[test]
fn what_is_said_of_a_crew_needs_one() {
    let scratch = Scratch::new("crew-none");
    let out = scratch.at("match");
    let wanted = [
        "match", "random", "random", "--nodes", "9", "--games", "2", "--out", &out,
    ];
    for flags in [
        ["--dead-letters", "skip"],
        ["--crew-lease", "9"],
        ["--crew-ca", "/no/file"],
        ["--crew-token-file", "/no/file"],
    ] {
        let (code, _, err) = Process::start(&scratch, &[&wanted[..], &flags].concat()).end();
        assert_eq!(code, Some(2), "{flags:?}: {err}");
        assert!(
            err.contains(flags[0]) && err.contains("MENDEL_CREW"),
            "{err}"
        );
    }
    assert!(!std::path::Path::new(&out).exists(), "nothing was begun");
}

#[test]
fn a_server_that_cannot_keep_jobs_is_a_wrong_request() {
    let place = Place::new("no-jetstream", &["--jetstream=false"]);
    for command in [&["crew", "status"][..], &["worker"]] {
        let url = place.url();
        let said = [command, &["--crew", &url]].concat();
        let (code, _, err) = Process::start(&place.scratch, &said).end();
        assert_eq!(code, Some(2), "{err}");
        assert!(err.contains("--jetstream"), "{err}");
    }
}

#[test]
fn a_run_that_was_left_is_removed_by_name() {
    let place = Place::new("leftover", &[]);
    let out = place.scratch.at("match");
    let wanted = [
        "match", "random", "material", "--games", "4", "--nodes", "9", "--out", &out,
    ];
    let mut left = place.coordinator(&wanted);
    let url = place.url();
    let status = place.status_when("jobs are handed in", |status| {
        status["runs"][0]["run"].is_string()
    });
    let speed = status["per_second"].as_f64();
    assert!(speed.is_some_and(f64::is_sign_positive), "{status}");
    let run = status["runs"][0]["run"].as_str().expect("a name");
    let run = run.to_owned();
    left.kill();
    let forget = |run: &str| mendel(&["crew", "remove", run, "--crew", &url], b"");
    let unknown = forget("nobody");
    assert_eq!(unknown.code, Some(2), "{}", unknown.err);
    assert!(unknown.err.contains(&run), "{}", unknown.err);
    let gone = forget(&run);
    assert_eq!(gone.code, Some(0), "{}", gone.err);
    assert!(
        gone.out.starts_with(&format!("removed of run {run}: ")),
        "{}",
        gone.out
    );
    assert_eq!(forget(&run).code, Some(2));
}
