//! Installations that learn together.

use std::collections::BTreeSet;
use std::fs;

use super::place::{Place, Process};
use crate::mendel::Scratch;

/// Learns at a home until its population has played so many games.
fn learn(home: &Scratch, crew: &str, games: &str) {
    let arguments = [
        "breed",
        "cwu-online",
        "--opponent",
        "random?.depth=1",
        "--games",
        games,
        "--quiet",
        "--crew",
        crew,
    ];
    let (code, _, err) = Process::start(home, &arguments).end();
    assert_eq!(code, Some(0), "{err}");
    assert!(!err.contains("crew:"), "{err}");
}

/// The games that a home knows of.
fn known(home: &Scratch) -> BTreeSet<String> {
    let text = fs::read_to_string(home.at("home/learning/cwu/events.jsonl")).expect("written");
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let known: BTreeSet<String> = lines.iter().cloned().collect();
    assert_eq!(known.len(), lines.len(), "a game is there twice");
    known
}

#[test]
fn installations_learn_from_each_others_games_once() {
    let mut place = Place::new("together", &[]);
    let homes = ["together-a", "together-b"].map(Scratch::new);
    let [one, other] = &homes;

    // 1. The second knows the games of the first before it plays.
    learn(one, &place.url(), "3");
    learn(other, &place.url(), "5");
    assert_eq!(known(other).len(), 5);
    assert!(known(other).is_superset(&known(one)));

    // 2. And the other way round; what is known to both is played by nobody.
    learn(one, &place.url(), "5");
    assert_eq!(known(one), known(other));

    // 3. A server that lost everything is told again.
    place.forget();
    learn(one, &place.url(), "6");
    learn(other, &place.url(), "7");
    learn(one, &place.url(), "7");
    assert_eq!(known(one).len(), 7);
    assert_eq!(known(one), known(other));
}

#[test]
fn who_plays_against_a_person_tells_the_others() {
    let place = Place::new("person", &[]);
    let homes = ["person-a", "person-b"].map(Scratch::new);
    let [person, other] = &homes;
    let url = place.url();
    let arguments = ["play", "--learn", "--seed", "1", "--crew", &url];
    let (code, out, err) = Process::typed(person, &arguments, "e4\nresign\nquit\n").end();
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("learned from game 1"), "{out}{err}");
    learn(other, &url, "2");
    assert!(known(other).is_superset(&known(person)));
    assert_eq!(known(person).len(), 1);
}
