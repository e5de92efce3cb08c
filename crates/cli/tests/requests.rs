//! Help, and what happens to wrong requests.

use crate::support::{mendel, printed, shell};

#[test]
fn every_command_has_help_with_examples() {
    let help = printed(&["--help"]);
    for command in [
        "uci", "bench", "perft", "eval", "play", "players", "runs", "report", "pedigree",
    ] {
        assert!(help.contains(&format!("\n  {command}")), "{help}");
        let own = printed(&[command, "--help"]);
        assert!(own.contains(&format!("Usage: mendel {command}")), "{own}");
        assert!(own.contains("Examples:\n  mendel"), "{own}");
    }
    assert!(help.contains("Exit codes: 0 done, 1 failed, 2 the request was wrong."));
}

#[test]
fn a_wrong_request_ends_with_two_and_names_the_input() {
    for (arguments, named) in [
        (&["perft", "3", "no", "position"][..], "no position"),
        (&["perft", "99"], "99"),
        (&["perft", "-1"], "-1"),
        (&["perft", "3", "--threads", "0"], "0"),
        (&["eval", "8/8/8/8/8/8/8/8 w - - 0 1"], "8/8/8/8/8/8/8/8"),
        (&["eval", "--player", "nobody"], "nobody"),
        (&["uci", "--player", "nobody"], "nobody"),
        (&["play", "--fen", "xyz"], "xyz"),
        (&["play", "--tc", "soon"], "soon"),
        (&["play", "--movetime", "0"], "0"),
        (&["play", "--side", "green"], "green"),
        (&["bench", "--depth", "0"], "0"),
        (&["runs", "--kind", "brede"], "`brede` is not a kind"),
        (&["dance"], "dance"),
    ] {
        let said = mendel(arguments, b"");
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.err);
        assert!(said.err.contains(named), "{arguments:?}: {}", said.err);
        assert!(
            said.err.starts_with("error: "),
            "{arguments:?}: {}",
            said.err
        );
        assert_eq!(said.out, "", "{arguments:?}");
    }
}

#[test]
fn our_own_errors_come_with_a_hint() {
    for arguments in [&["eval", "rubbish"][..], &["eval", "--player", "nobody"]] {
        let said = mendel(arguments, b"");
        assert!(said.err.contains("\n\nhint: "), "{}", said.err);
    }
}

#[test]
fn the_environment_names_the_player_and_the_flag_beats_it() {
    let told = shell("MENDEL_PLAYER=material \"$MENDEL\" eval --json");
    let text = String::from_utf8(told.stdout).unwrap();
    assert!(text.contains("\"evaluator\": \"material\""), "{text}");
    let wrong = shell("MENDEL_PLAYER=nobody \"$MENDEL\" eval --json");
    assert_eq!(wrong.status.code(), Some(2));
    let flagged = shell("MENDEL_PLAYER=nobody \"$MENDEL\" eval --player material");
    assert_eq!(flagged.status.code(), Some(0));
}

#[test]
fn a_reader_who_has_seen_enough_is_no_error() {
    let told = shell(
        "for i in 1 2 3 4 5; do { \"$MENDEL\" perft 3 --divide; echo \"code $?\" >&2; } | true; done",
    );
    let err = String::from_utf8(told.stderr).unwrap();
    assert_eq!(err, "code 0\n".repeat(5));
}
