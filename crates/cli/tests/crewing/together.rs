//! Installations that learn together.

use std::collections::BTreeSet;
use std::fs;

use mendel_engine::Player;
use mendel_lab::online::{Against, Finished, Founding, Learning, PLAYER, Rules, Scored, Shared};

use super::place::{Place, Process};
use crate::mendel::Scratch;

fn course<'a>(games: &'a str, crew: &'a str) -> Vec<&'a str> {
    vec![
        "breed",
        "cwu-online",
        "--opponent",
        "random?.depth=1",
        "--games",
        games,
        "--quiet",
        "--crew",
        crew,
    ]
}

/// Learns at a home until so many games were played there.
fn learn(home: &Scratch, crew: &str, games: &str) {
    let (code, _, err) = Process::start(home, &course(games, crew)).end();
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

    // 1. The second knows the games of the first, and plays as many as it was asked to.
    learn(one, &place.url(), "3");
    learn(other, &place.url(), "2");
    assert_eq!(known(other).len(), 5);
    assert!(known(other).is_superset(&known(one)));

    // 2. And the other way round; who has played enough only listens.
    learn(one, &place.url(), "3");
    assert_eq!(known(one), known(other));

    // 3. A server that lost everything is told again.
    place.forget();
    learn(one, &place.url(), "4");
    learn(other, &place.url(), "3");
    learn(one, &place.url(), "4");
    assert_eq!(known(one).len(), 7);
    assert_eq!(known(one), known(other));
}

/// Somebody who stays up while the server loses all it had.
#[test]
fn a_board_that_was_lost_is_read_and_filled_again() {
    let mut place = Place::new("lost-board", &[]);
    let options = mendel_crew::Options::new(&place.url(), None, None).expect("this machine");
    let player = Player::find(PLAYER).expect("it is built in");
    let founding = Founding::new(&player, Rules::default(), 1);
    let folder = |name: &str| place.scratch.at(name);
    let [mut one, mut other] = ["one", "other"].map(|name| {
        let path = folder(name);
        Learning::open(path.as_ref(), &founding, name).expect("a population")
    });
    let play = |learning: &mut Learning| {
        let game = Finished {
            set: learning.choose(1),
            opponent: "a person".to_owned(),
            against: Against::Person,
            white: true,
            plies: 9,
            result: Scored::Won,
        };
        learning.tell(game).expect("there is room");
    };
    let mut stays = Shared::open(&options).expect("the server is there");
    for _ in 0..3 {
        play(&mut one);
    }
    assert_eq!(stays.exchange(&mut one).expect("it is there").posted, 3);

    place.forget();
    play(&mut other);
    let mut comes = Shared::open(&options).expect("the server is there");
    assert_eq!(comes.exchange(&mut other).expect("it is there").posted, 1);
    let exchanged = stays.exchange(&mut one).expect("it is back");
    assert_eq!((exchanged.posted, exchanged.new), (3, 1));
    assert_eq!(comes.exchange(&mut other).expect("it is there").new, 3);

    // Also where the one who stayed is the first to come back.
    place.forget();
    assert_eq!(stays.exchange(&mut one).expect("it is back").posted, 3);
}

#[test]
fn a_course_plays_as_many_games_as_it_was_asked_to() {
    let place = Place::new("counted", &[]);
    let homes = ["counted-a", "counted-b"].map(Scratch::new);
    let [one, other] = &homes;
    let url = place.url();
    learn(one, &url, "5");
    let mut arguments = course("3", &url);
    arguments[3] = "material?.depth=1";
    let (code, out, err) = Process::start(other, &arguments).end();
    assert_eq!(code, Some(0), "{err}");
    for part in [
        "8 games, 3 of them played here, 3 now",
        "against material?.depth=1: 3 games, 3 here",
        "against random?.depth=1: 5 games, 0 here",
    ] {
        assert!(out.contains(part), "{part} is missing in {out}");
    }
}

/// A course in a folder of its own, with what it said on stderr.
fn in_folder(home: &Scratch, crew: &str, folder: &str, opponent: &str, games: &str) -> String {
    let mut arguments = course(games, crew);
    arguments[3] = opponent;
    let path = home.at(folder);
    arguments.extend(["--out", &path, "--seed", "3"]);
    let (code, _, err) = Process::start(home, &arguments).end();
    assert_eq!(code, Some(0), "{err}");
    err
}

fn lines(path: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(path).expect("written");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn two_folders_of_one_seed_tell_their_games_apart() {
    let place = Place::new("folders", &[]);
    let home = Scratch::new("folders-home");
    let url = place.url();
    for (folder, games) in [("a", "3"), ("b", "2"), ("a", "3")] {
        let said = in_folder(&home, &url, folder, "random?.depth=1", games);
        assert!(!said.contains("crew:"), "{folder}: {said}");
    }
    let [a, b] = ["a", "b"].map(|folder| lines(&home.at(&format!("{folder}/events.jsonl"))));
    assert_eq!(a.len(), 5);
    assert_eq!(a, b);

    // A copy goes by the name of the first, which is said as it is.
    fs::create_dir_all(home.at("copy")).expect("there is room");
    for file in ["events.jsonl", "learning.toml", "installation"] {
        let (from, to) = (
            home.at(&format!("a/{file}")),
            home.at(&format!("copy/{file}")),
        );
        fs::copy(from, to).expect("there is room");
    }
    in_folder(&home, &url, "a", "random?.depth=1", "4");
    // Without the server, so that both have a sixth game, and not the same.
    let away = "nats://127.0.0.1:1";
    let said = in_folder(&home, away, "copy", "material?.depth=1", "1");
    assert!(said.contains("told the next time"), "{said}");
    let said = in_folder(&home, &url, "copy", "material?.depth=1", "1");
    assert!(said.contains("another folder has the same name"), "{said}");
    assert!(!said.contains("are no games"), "{said}");

    // The advice helps, also at a home that has kept the name of an earlier version.
    let name = home.at("copy/installation");
    fs::create_dir_all(home.at("home")).expect("there is room");
    fs::copy(&name, home.at("home/installation")).expect("there is room");
    let advised = said.split("such as ").nth(1).expect("a name");
    let advised = advised.split(',').next().expect("a name");
    fs::write(&name, advised).expect("there is room");
    let said = in_folder(&home, &url, "copy", "material?.depth=1", "1");
    assert!(!said.contains("same name"), "{said}");
    in_folder(&home, &url, "a", "random?.depth=1", "4");
    let [a, copy] = ["a", "copy"].map(|folder| lines(&home.at(&format!("{folder}/events.jsonl"))));
    let told = |line: &&String| line.contains(advised);
    assert_eq!(a.iter().filter(told).count(), 1);
    assert_eq!(copy.iter().filter(told).count(), 1);
}

#[test]
fn who_plays_against_a_person_tells_the_others() {
    let place = Place::new("person", &[]);
    let homes = ["person-a", "person-b"].map(Scratch::new);
    let [person, other] = &homes;
    let url = place.url();
    let typed = "e4\nresign\nquit\n";
    // The first time nobody hears of it.
    let away = [
        "play",
        "--learn",
        "--seed",
        "1",
        "--crew",
        "nats://127.0.0.1:1",
    ];
    let (code, out, err) = Process::typed(person, &away, typed).end();
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("learned from game 1"), "{out}{err}");
    let arguments = ["play", "--learn", "--seed", "1", "--crew", &url];
    let (code, out, err) = Process::typed(person, &arguments, typed).end();
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("learned from game 2"), "{out}{err}");
    learn(other, &url, "1");
    assert!(known(other).is_superset(&known(person)));
    assert_eq!(known(person).len(), 2);
}

/// Anybody with the right to post may have written it.
#[test]
fn a_hostile_notice_does_not_end_the_learning() {
    let place = Place::new("hostile", &[]);
    let homes = ["hostile-a", "hostile-b"].map(Scratch::new);
    let [one, other] = &homes;
    let url = place.url();
    learn(one, &url, "1");
    let line = known(one).into_iter().next().expect("a game");
    let mut event: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    event["id"] = serde_json::json!({ "number": u64::MAX, "installation": "mallory" });
    let options = mendel_crew::Options::new(&url, None, None).expect("this machine is safe");
    let board = mendel_crew::Notices::open(&options).expect("the server is there");
    board
        .post("game-mallory", event.to_string().as_bytes())
        .expect("it may");
    let (code, _, err) = Process::start(other, &course("2", &url)).end();
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("crew: 1 records are no games"), "{err}");
    assert_eq!(known(other).len(), 3);
    assert!(known(other).iter().all(|line| !line.contains("mallory")));
}
