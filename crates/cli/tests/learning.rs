//! Learning after each game: against a program, a person and in a GUI.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::mendel::Scratch;

fn command(scratch: &Scratch, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mendel"));
    command
        .args(arguments)
        .env("MENDEL_HOME", scratch.at("home"))
        .env_remove("MENDEL_PLAYER")
        .env_remove("MENDEL_CREW")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(scratch: &Scratch, arguments: &[&str], input: &str) -> Output {
    let mut child = command(scratch, arguments).spawn().expect("it was built");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(input.as_bytes()).expect("it listens");
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

fn printed(scratch: &Scratch, arguments: &[&str], input: &str) -> String {
    let output = run(scratch, arguments, input);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).expect("the program speaks UTF-8")
}

/// Speaks as a GUI does: what is asked is answered before it goes on.
fn spoken(scratch: &Scratch, turns: &[&str]) -> String {
    spoken_while(scratch, turns, &mut |_| {}).0
}

/// The same, with something done after each turn; also what was said on stderr.
fn spoken_while(
    scratch: &Scratch,
    turns: &[&str],
    after: &mut dyn FnMut(usize),
) -> (String, String) {
    let mut child = command(scratch, &["uci", "--learn"]).spawn();
    let child = child.as_mut().expect("it was built");
    let mut stdin = child.stdin.take().expect("it is piped");
    let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut told = String::new();
    for (number, turn) in turns.iter().enumerate() {
        stdin.write_all(turn.as_bytes()).expect("it listens");
        let asked = told.len();
        for (word, answer) in [("go ", "bestmove"), ("isready", "readyok")] {
            while turn.contains(word) && !told[asked..].contains(answer) {
                let read = stdout.read_line(&mut told).expect("it speaks UTF-8");
                assert!(read > 0, "{told}");
            }
        }
        after(number);
    }
    drop(stdin);
    stdout.read_to_string(&mut told).expect("it speaks UTF-8");
    let mut complaints = String::new();
    let mut stderr = child.stderr.take().expect("it is piped");
    stderr
        .read_to_string(&mut complaints)
        .expect("it speaks UTF-8");
    assert!(child.wait().expect("it ends").success());
    (told, complaints)
}

/// The games that were learned from at home.
fn learned(scratch: &Scratch) -> Vec<Value> {
    let path = scratch.at("home/learning/cwu/events.jsonl");
    let text = fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("lines of JSON")
}

fn online<'a>(folder: &'a str, games: &'a str) -> Vec<&'a str> {
    vec![
        "breed",
        "cwu-online",
        "--opponent",
        "random?.depth=1",
        "--games",
        games,
        "--start",
        "random",
        "--seed",
        "3",
        "--quiet",
        "--out",
        folder,
    ]
}

#[test]
fn a_course_killed_in_the_middle_equals_the_unbroken_one() {
    let scratch = Scratch::new("online-killed");
    let (whole, killed) = (scratch.at("whole"), scratch.at("killed"));
    let told = printed(&scratch, &online(&whole, "24"), "");
    for part in [
        "24 games, 24 of them played here, 24 now",
        "Mann-Kendall",
        "report.html",
        "champion.toml",
    ] {
        assert!(told.contains(part), "{part} is missing in {told}");
    }

    // 1. Killed after some games, three times.
    let events =
        |folder: &str| fs::read_to_string(format!("{folder}/events.jsonl")).unwrap_or_default();
    for games in [3, 9, 15] {
        let mut child = command(&scratch, &online(&killed, "24"))
            .spawn()
            .expect("built");
        let began = Instant::now();
        while events(&killed).lines().count() < games && began.elapsed() < Duration::from_mins(1) {
            thread::sleep(Duration::from_millis(2));
        }
        child.kill().expect("it can be killed");
        child.wait().expect("it is dead");
    }

    // 2. The same command goes on, and nothing differs but the name of the folder.
    printed(&scratch, &online(&killed, "24"), "");
    let anonymous = |folder: &str| {
        let name = fs::read_to_string(format!("{folder}/installation")).expect("it has one");
        events(folder).replace(name.trim(), "")
    };
    assert_eq!(anonymous(&killed), anonymous(&whole));
    let champion = |folder: &str| fs::read_to_string(format!("{folder}/champion.toml")).ok();
    assert!(champion(&whole).is_some());
    assert_eq!(champion(&killed), champion(&whole));
}

#[test]
fn a_person_teaches_by_playing() {
    let scratch = Scratch::new("play-learn");
    // White resigns, then plays on in a new game and takes back, then leaves.
    let told = printed(
        &scratch,
        &["play", "--learn", "--seed", "1"],
        "e4\nresign\nnew\nd4\nundo\nresign\nquit\n",
    );
    assert!(told.contains("learned from game 1"), "{told}");
    assert!(
        told.contains("not learned from: moves were taken back"),
        "{told}"
    );
    let games = learned(&scratch);
    assert_eq!(games.len(), 1, "{games:?}");
    assert_eq!(games[0]["against"], "person");
    assert_eq!(games[0]["result"], "won");
    assert_eq!(games[0]["white"], false);
    // Mated from a position in which one move does it.
    let mate = ["--fen", "k7/2K5/8/8/8/8/8/1Q6 w - - 0 1"];
    let arguments = ["play", "--learn", mate[0], mate[1]];
    printed(&scratch, &arguments, "Qb7#\nquit\n");
    let games = learned(&scratch);
    assert_eq!(games.len(), 2);
    assert_eq!(games[1]["result"], "lost");
    assert_eq!(games[1]["id"]["number"], 2);
}

/// The folder at home is for everybody, also while somebody is at it.
#[test]
fn a_person_may_play_while_a_course_goes_on() {
    let scratch = Scratch::new("play-meanwhile");
    let play = ["play", "--learn", "--seed", "1"];
    let mut person = command(&scratch, &play).spawn().expect("it was built");
    let mut stdin = person.stdin.take().expect("it is piped");
    stdin.write_all(b"e4\n").expect("it listens");
    let mut stdout = BufReader::new(person.stdout.take().expect("it is piped"));
    let mut told = String::new();
    stdout.read_line(&mut told).expect("it speaks UTF-8");

    let mut course = online("", "100000");
    course.truncate(course.len() - 2);
    let mut course = command(&scratch, &course).spawn().expect("it was built");
    let begun = Instant::now();
    let enough = |games: usize| learned(&scratch).len() >= games;
    while !enough(2) && begun.elapsed() < Duration::from_mins(1) {
        thread::sleep(Duration::from_millis(20));
    }
    stdin.write_all(b"resign\nquit\n").expect("it listens");
    drop(stdin);
    stdout.read_to_string(&mut told).expect("it speaks UTF-8");
    let ended = person.wait().expect("it ends");
    let so_far = learned(&scratch).len();
    while !enough(so_far + 2) && begun.elapsed() < Duration::from_mins(2) {
        thread::sleep(Duration::from_millis(20));
    }
    course.kill().expect("it still goes on");
    course.wait().expect("it is dead");

    assert!(ended.success(), "{told}");
    assert!(told.contains("learned from game"), "{told}");
    let games = learned(&scratch);
    let people = games.iter().filter(|it| it["against"] == "person").count();
    assert_eq!(people, 1);
    assert!(games.len() >= so_far + 2, "the course goes on");
    let numbers: Vec<u64> = games
        .iter()
        .filter_map(|it| it["id"]["number"].as_u64())
        .collect();
    let wanted: Vec<u64> = (1..=games.len() as u64).collect();
    assert_eq!(numbers, wanted, "each has a number of its own");
}

#[test]
fn a_server_that_is_away_keeps_nobody_from_playing() {
    let scratch = Scratch::new("learn-away");
    let away = "nats://127.0.0.1:1";
    let output = run(
        &scratch,
        &["play", "--learn", "--seed", "1", "--crew", away],
        "e4\nresign\nquit\n",
    );
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("games are kept here and told the next time"),
        "{said}"
    );
    assert_eq!(learned(&scratch).len(), 1);
    let output = run(&scratch, &["uci", "--learn", "--crew", away], "uci\nquit\n");
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("uciok"));
    // What can never be right is said at once.
    let output = run(&scratch, &["uci", "--learn", "--crew", "http://x"], "uci\n");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_gui_teaches_where_the_end_is_known() {
    let scratch = Scratch::new("uci-learn");
    // 1. We mate: the game is over by the rules. Then one that just stops.
    let told = spoken(
        &scratch,
        &[
            "uci\nucinewgame\nposition fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1\ngo depth 2\n",
            "ucinewgame\nposition startpos\ngo depth 1\n",
            "quit\n",
        ],
    );
    assert!(told.contains("bestmove a1a8"), "{told}");
    let games = learned(&scratch);
    assert_eq!(games.len(), 1, "{games:?}");
    assert_eq!(
        (&games[0]["result"], &games[0]["against"]),
        (&"won".into(), &"gui".into())
    );

    // 2. xboard says the result.
    printed(
        &scratch,
        &["uci", "--learn"],
        "xboard\nprotover 2\nnew\nsd 1\nusermove e2e4\nping 1\nresult 1/2-1/2 {agreed}\nquit\n",
    );
    let games = learned(&scratch);
    assert_eq!(games.len(), 2, "{games:?}");
    assert_eq!(games[1]["result"], "drawn");
}

#[test]
fn a_game_that_no_set_played_is_nobodys() {
    let scratch = Scratch::new("uci-nobody");
    let founding = scratch.at("home/learning/cwu/learning.toml");
    let mate = "position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1\ngo depth 2\n";
    let mut sound = String::new();
    let (told, complaints) = spoken_while(
        &scratch,
        &[
            "uci\nucinewgame\n",
            mate,
            "isready\n",
            "ucinewgame\nisready\n",
            mate,
            "ucinewgame\n",
            mate,
            "quit\n",
        ],
        &mut |turn| match turn {
            // Nobody can be chosen for the second game, but its end could be told.
            2 => {
                assert_eq!(learned(&scratch).len(), 1);
                sound = fs::read_to_string(&founding).expect("it was written");
                fs::write(&founding, "broken").expect("there is room");
            }
            3 => fs::write(&founding, &sound).expect("there is room"),
            _ => {}
        },
    );
    assert_eq!(told.matches("bestmove a1a8").count(), 3, "{told}");
    assert!(complaints.contains("is broken"), "{complaints}");
    assert!(
        complaints.contains("cannot learn: no set played this game"),
        "{complaints}"
    );
    assert_eq!(learned(&scratch).len(), 2, "the first and the third");
}

#[test]
fn a_wrong_request_is_refused_with_a_remedy() {
    let scratch = Scratch::new("online-wrong");
    let table: [(&[&str], &str); 6] = [
        (&["breed", "no-such-recipe"], "mendel breed cwu-online"),
        (&["breed", "cwu-online"], "--opponent"),
        (
            &["breed", "cwu-online", "--opponent", "nobody"],
            "no player `nobody`",
        ),
        (
            &["breed", "first-steps", "--games", "3"],
            "means nothing to a recipe",
        ),
        (&["play", "--learn", "--side", "both"], "--side white"),
        (
            &["uci", "--learn", "--player", "material"],
            "leave out `--player`",
        ),
    ];
    for (arguments, words) in table {
        let output = run(&scratch, arguments, "");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}
