//! Player files.

use mendel_engine::{Player, PlayerError};

#[test]
fn every_built_in_player_is_readable_and_survives_writing() {
    for player in Player::built_in() {
        let found = Player::find(&player.name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            found.to_toml(),
            player.to_toml(),
            "a file is found by its own name"
        );
        let again = Player::parse(&player.to_toml(), "test").expect("what was written");
        assert_eq!(again.params, player.params);
        assert_eq!(again.evaluator.to_toml(), player.evaluator.to_toml());
    }
}

#[test]
fn a_bad_player_file_is_refused_with_the_reason() {
    let material = "[evaluator]\nkind = \"material\"\n";
    let table = [
        ("", "`evaluator` is missing"),
        ("name = ", "is not a player file"),
        ("nme = \"x\"", "`nme` is unknown"),
        (material, "`name` is missing"),
        ("name = \"x\"\nlike = \"nobody\"", "`like` is `nobody`"),
        ("name = \"x\"\nlike = \"human\"", "itself like \"mendel\""),
        ("name = \"x\"\nlike = 3", "`like` must be a text"),
        (&format!("name = 3\n{material}"), "`name` must be a text"),
        (
            &format!("name = \"x\"\n{material}[search]\nprofile = \"fll\""),
            "`fll` is not a search profile",
        ),
        (
            &format!("name = \"x\"\n{material}[search]\nnull_reduction = 9"),
            "out of range",
        ),
        (
            &format!("name = \"x\"\n{material}[search]\nnull_reduction = 1.5"),
            "whole number",
        ),
    ];
    for (text, reason) in table {
        let error = Player::parse(text, "test").expect_err(text).to_string();
        assert!(
            error.contains(reason),
            "{text:?} gave {error:?}, not {reason:?}"
        );
    }
}

#[test]
fn a_player_like_another_has_what_it_does_not_say_itself() {
    let like = "name = \"x\"\nlike = \"gerald-tuned\"\n";
    let model = Player::find("gerald-tuned").expect("built in");
    let player = Player::parse(like, "test").expect("a player");
    assert_eq!(player.params, model.params);
    assert_eq!(player.evaluator.to_toml(), model.evaluator.to_toml());
    let own = format!("{like}[evaluator]\nkind = \"material\"\n");
    let player = Player::parse(&own, "test").expect("a player");
    assert_eq!(player.evaluator.kind(), "material");
    assert_eq!(player.params, model.params);
}

#[test]
fn an_unknown_player_is_told_from_a_missing_file() {
    assert!(matches!(
        Player::find("nobody"),
        Err(PlayerError::Unknown { .. })
    ));
    assert!(matches!(
        Player::find("nowhere/nobody.toml"),
        Err(PlayerError::Read { .. })
    ));
}
