//! What is not allowed, and what is said then.

use std::fs;

use super::place::{Place, Process};
use crate::mendel::{Scratch, mendel};

/// An engine that plays whatever is legal first, as any program would.
fn engine(place: &Place) -> String {
    let path = place.scratch.at("pea");
    let mendel = env!("CARGO_BIN_EXE_mendel");
    fs::write(
        &path,
        format!("#!/bin/sh\nexec {mendel} uci --player random\n"),
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
    std::thread::sleep(std::time::Duration::from_millis(1500));
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
    let book = place.scratch.at("book.bin");
    fs::write(&book, [0; 16]).expect("there is room");
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
