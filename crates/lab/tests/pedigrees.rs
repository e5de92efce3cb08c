//! Where a bred player comes from.

use mendel_engine::Player;
use mendel_lab::pedigree::{PARENTS, ancestor, ancestors_of, inherit};
use toml::{Table, Value};

fn player(name: &str, run: Option<&str>, parents: &[&Player]) -> Player {
    let mut player = Player::find("material").expect("it is built in");
    name.clone_into(&mut player.name);
    player.pedigree = Table::new();
    if let Some(run) = run {
        player.pedigree.insert("run".into(), run.into());
    }
    if !parents.is_empty() {
        inherit(&mut player.pedigree, parents);
    }
    player
}

#[test]
fn a_pedigree_holds_all_ancestors_once_and_survives_the_file() {
    let adam = player("adam", None, &[]);
    let one = player("one", Some("1a"), &[&adam]);
    let two = player("two", Some("2b"), &[&adam]);
    // Two runs of a recipe with the same seed bear the same name.
    let both = player("one", Some("3c"), &[&one, &two]);
    let again = Player::parse(&both.to_toml(), "test").expect("it was written");
    let names: Vec<&str> = ancestors_of(&again.pedigree)
        .filter_map(|it| it.get("name").and_then(Value::as_str))
        .collect();
    assert_eq!(names, ["one", "two", "adam"]);
    let found = ancestor(&again.pedigree, "2b").expect("a parent");
    assert_eq!(found.get(PARENTS), Some(&Value::from(vec!["adam"])));
    assert!(ancestor(&again.pedigree, "adam").is_some());
    assert!(ancestor(&again.pedigree, "3c").is_none(), "itself");
}
