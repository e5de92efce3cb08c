//! A game in the terminal.

use crate::support::{mendel, printed};

#[test]
fn two_people_play_to_the_mate() {
    let said = mendel(&["play", "--side", "both"], b"f3\ne7e5\ng4\nQh4#\npgn\n");
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("0-1 {Black mates}"), "{}", said.out);
    assert!(said.out.contains("1. f3 e5 2. g4 Qh4# 0-1"), "{}", said.out);
    assert!(!said.out.contains('\x1b'), "colours in a pipe");
}

#[test]
fn the_engine_answers_a_move_and_takes_back_with_it() {
    let said = mendel(
        &["play", "--depth", "2"],
        b"e4\nfen\nundo\nfen\nhint\nflip\nresign\npgn\nquit\n",
    );
    assert_eq!(said.code, Some(0), "{}", said.err);
    let fens: Vec<&str> = said
        .out
        .lines()
        .filter(|line| line.ends_with(" 2") || line.ends_with(" 1"))
        .collect();
    assert!(
        fens.iter()
            .any(|fen| fen.contains(" w KQkq ") && fen.ends_with(" 2")),
        "{}",
        said.out
    );
    assert!(
        fens.contains(&"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        "{}",
        said.out
    );
    assert!(said.out.contains("    h g f e d c b a\n"), "{}", said.out);
    assert!(said.out.contains("0-1 {White resigns}"), "{}", said.out);
    assert!(
        said.out.contains("[Termination \"resigns\"]"),
        "{}",
        said.out
    );
}

#[test]
fn a_wrong_move_changes_nothing_and_is_named() {
    let said = mendel(
        &["play", "--side", "both"],
        b"e5\nKe9\n\xff\xff\nundo\nfen\n",
    );
    assert_eq!(said.code, Some(0), "{}", said.err);
    for named in ["`e5`", "`Ke9`", "no move to take back"] {
        assert!(said.out.contains(named), "{named}: {}", said.out);
    }
    assert!(said.out.ends_with("w KQkq - 0 1\n"), "{}", said.out);
}

#[test]
fn a_new_game_starts_where_the_old_one_did() {
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let said = mendel(
        &["play", "--side", "both", "--fen", fen],
        b"e4\nnew\nfen\nquit\n",
    );
    assert!(said.out.ends_with(&format!("{fen}\n")), "{}", said.out);
}

#[test]
fn the_input_may_end_at_any_time() {
    for input in [&b""[..], b"e4", b"e4\n"] {
        let said = mendel(&["play", "--depth", "1"], input);
        assert_eq!(said.code, Some(0), "{}", said.err);
    }
}

#[test]
fn black_sees_the_board_from_below() {
    let said = mendel(&["play", "--side", "black", "--depth", "1"], b"");
    assert!(said.out.contains("    h g f e d c b a\n"), "{}", said.out);
}

#[test]
fn it_plays_itself_and_stops_where_it_should() {
    let text = printed(&["play", "--side", "none", "--depth", "1", "--plies", "6"]);
    assert!(text.starts_with("1. "), "{text}");
    assert_eq!(
        text.lines().filter(|line| line.contains(". ")).count(),
        3,
        "{text}"
    );
    let again = printed(&["play", "--self-play", "--depth", "1", "--plies", "6"]);
    assert_eq!(again, text, "the same depth, the same game");
}

#[test]
fn a_clock_runs_out() {
    let said = mendel(
        &["play", "--side", "both", "--tc", "0.000001"],
        b"e4\npgn\n",
    );
    assert!(
        said.out.contains("0-1 {White forfeits on time}"),
        "{}",
        said.out
    );
}
