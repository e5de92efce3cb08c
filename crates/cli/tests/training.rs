//! `mendel train`.

use serde_json::Value;

use crate::support::{mendel, printed};

/// What is said about a wrong request.
fn refused(arguments: &[&str]) -> String {
    let said = mendel(arguments, b"");
    assert_eq!(said.code, Some(2), "{}", said.err);
    said.err
}

#[test]
fn the_built_in_networks_are_listed() {
    let text = printed(&["train"]);
    let names = ["chessnet", "chessnet-value", "teacher-net", "human"];
    assert!(names.iter().all(|name| text.contains(name)), "{text}");
    let listed: Value = serde_json::from_str(&printed(&["train", "--json"])).expect("JSON");
    assert_eq!(listed[0]["name"], "chessnet");
    // 3×3 convolutions of 200 channels: 6 planes, four blocks, two planes.
    let numbers = (6 + 8 * 200 + 2) * 200 * 9 + 9 * 200 + 2;
    assert_eq!(listed[0]["numbers"], numbers);
}

/// The program that most people build has no training; it must say how to get it.
#[cfg(not(feature = "train"))]
#[test]
fn without_training_the_remedy_is_named() {
    for arguments in [
        &["train", "chessnet", "--data", "x.games"][..],
        &["train", "--resume", "x"],
    ] {
        let text = refused(arguments);
        assert!(text.contains("make train-setup"), "{text}");
        assert!(text.contains("`make train`"), "{text}");
    }
}

#[test]
fn wrong_recipes_are_refused() {
    let text = refused(&["train", "no-such-network"]);
    assert!(text.contains("no-such-network"), "{text}");
    let text = refused(&["train", "chessnet", "--set", "training.batch=0"]);
    assert!(text.contains("training.batch"), "{text}");
}
