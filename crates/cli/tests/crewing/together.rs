//! Nodes that learn together.

use std::collections::BTreeSet;
use std::fs;

use mendel_engine::Player;
use mendel_lab::learning::{
    GameExchange, InitialWeights, OnlinePopulation, OpponentKind, PLAYER, PlayedGame, PlayerResult,
    PopulationConfig,
};
use mendel_store::frame::Folder;
use serde_json::Value;

use super::place::{Place, Process};
use crate::support::Scratch;

const RANDOM: &str = "random?.depth=1";

fn course(opponent: &str, games: &str, crew: &str) -> Vec<String> {
    let settings = [
        format!("learn.opponent={opponent}"),
        format!("learn.games={games}"),
    ];
    let words = ["breed", "cwu-online", "--set", &settings[0], "--set"];
    let words = words.into_iter().chain([&*settings[1], "--crew", crew]);
    words.map(str::to_owned).collect()
}

fn start(home: &Scratch, arguments: &[String]) -> Process {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    Process::start(home, &arguments)
}

/// Learns at a home until so many games were played there.
fn learn(home: &Scratch, crew: &str, games: &str) {
    let (code, _, err) = start(home, &course(RANDOM, games, crew)).end();
    assert_eq!(code, Some(0), "{err}");
    assert!(!err.contains("crew:"), "{err}");
}

/// The games that a home knows of: those of the journal, and those that wait.
fn known(home: &Scratch) -> BTreeSet<String> {
    let folder = home.at("home/learning/cwu");
    let mut texts = vec![fs::read_to_string(format!("{folder}/games.jsonl")).unwrap_or_default()];
    for file in fs::read_dir(&folder).expect("a folder").flatten() {
        if file.file_name().to_string_lossy().starts_with("pending-") {
            texts.push(fs::read_to_string(file.path()).expect("text"));
        }
    }
    let lines: Vec<String> = texts.iter().flat_map(|it| it.lines()).map(plain).collect();
    let known: BTreeSet<String> = lines.iter().cloned().collect();
    assert_eq!(known.len(), lines.len(), "a game is there twice");
    known
}

/// A game without what a line of a journal has besides.
fn plain(line: &str) -> String {
    let mut game: Value = serde_json::from_str(line).expect("JSON");
    let fields = game.as_object_mut().expect("an object");
    fields.remove("v");
    fields.remove("crc");
    game.to_string()
}

#[test]
fn nodes_learn_from_each_others_games_once() {
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
    let options = mendel_crew::ConnectOptions::new(&place.url(), None, None).expect("this machine");
    let player = Player::find(PLAYER).expect("it is built in");
    let config = PopulationConfig::new(&player, InitialWeights::Bred, 1);
    let folder = |name: &str| place.scratch.at(name);
    let [mut one, mut other] = ["one", "other"].map(|name| {
        let path = folder(name);
        fs::create_dir_all(&path).expect("there is room");
        fs::write(format!("{path}/node-id"), name).expect("there is room");
        OnlinePopulation::open(&Folder::at(path), config.clone()).expect("a population")
    });
    let play = |learning: &mut OnlinePopulation| {
        let game = PlayedGame {
            set: learning.choose(1),
            opponent: "a person".to_owned(),
            against: OpponentKind::Person,
            white: true,
            plies: 9,
            result: PlayerResult::Won,
        };
        learning.record_game(game).expect("there is room");
    };
    let mut stays = GameExchange::open(&options).expect("the server is there");
    for _ in 0..3 {
        play(&mut one);
    }
    assert_eq!(stays.exchange(&mut one).expect("it is there").posted, 3);

    place.forget();
    play(&mut other);
    let mut comes = GameExchange::open(&options).expect("the server is there");
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
    let arguments = course("material?.depth=1", "3", &url);
    let (code, out, err) = start(other, &arguments).end();
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
    let mut arguments = course(opponent, games, crew);
    let path = home.at(folder);
    arguments.extend(["--out", &path, "--seed", "3"].map(str::to_owned));
    let (code, _, err) = start(home, &arguments).end();
    assert_eq!(code, Some(0), "{err}");
    err
}

fn lines(path: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(path).expect("written");
    text.lines().map(plain).collect()
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
    let [a, b] = ["a", "b"].map(|folder| lines(&home.at(&format!("{folder}/games.jsonl"))));
    assert_eq!(a.len(), 5);
    assert_eq!(a, b);

    // A copy has the node id of the first, which is said as it is.
    fs::create_dir_all(home.at("copy")).expect("there is room");
    for file in [
        "games.jsonl",
        "manifest.toml",
        "plan.toml",
        "node-id",
        "inputs.toml",
    ] {
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
    assert!(
        said.contains("another folder has the same node id"),
        "{said}"
    );
    assert!(!said.contains("are no games"), "{said}");

    // The advice helps.
    let name = home.at("copy/node-id");
    let advised = said.split("such as ").nth(1).expect("a name");
    let advised = advised.split(',').next().expect("a name");
    fs::write(&name, advised).expect("there is room");
    let said = in_folder(&home, &url, "copy", "material?.depth=1", "1");
    assert!(!said.contains("same node id"), "{said}");
    in_folder(&home, &url, "a", "random?.depth=1", "4");
    let [a, copy] = ["a", "copy"].map(|folder| lines(&home.at(&format!("{folder}/games.jsonl"))));
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
    let options = mendel_crew::ConnectOptions::new(&url, None, None).expect("this machine is safe");
    let board = mendel_crew::SharedLog::open(&options).expect("the server is there");
    board
        .post("game-mallory", event.to_string().as_bytes())
        .expect("it may");
    let (code, _, err) = start(other, &course(RANDOM, "2", &url)).end();
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("crew: 1 records are no games"), "{err}");
    assert_eq!(known(other).len(), 3);
    assert!(known(other).iter().all(|line| !line.contains("mallory")));
}
