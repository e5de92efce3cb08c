//! Learning after each game: against a program, a person and in a GUI.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{fs, thread};

use serde_json::Value;

use crate::support::{Said, Scratch, finish, kill_when, wait_until};

fn command(scratch: &Scratch, arguments: &[&str]) -> Command {
    let mut command = scratch.command(arguments);
    command.stdin(Stdio::piped());
    command
}

fn run(scratch: &Scratch, arguments: &[&str], input: &str) -> Said {
    finish(&mut scratch.command(arguments), input.as_bytes())
}

fn printed(scratch: &Scratch, arguments: &[&str], input: &str) -> String {
    run(scratch, arguments, input).success(arguments)
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

/// The games at home that were learned from, by the numbers of their ids: those that wait and
/// those of the journal.
fn learned(scratch: &Scratch) -> Vec<Value> {
    let folder = scratch.at("home/learning/cwu");
    // In this order none is missed that moves meanwhile.
    let mut games: Vec<Value> = pending(scratch)
        .iter()
        .filter_map(|path| serde_json::from_str(&fs::read_to_string(path).ok()?).ok())
        .collect();
    let text = fs::read_to_string(format!("{folder}/games.jsonl")).unwrap_or_default();
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    games.extend(lines);
    games.sort_by_key(|it: &Value| {
        let node = it["id"]["installation"].as_str().unwrap_or_default();
        (it["id"]["number"].as_u64(), node.to_owned())
    });
    games.dedup_by(|one, other| one["id"] == other["id"]);
    games
}

/// The files of games at home that wait for an experiment.
fn pending(scratch: &Scratch) -> Vec<PathBuf> {
    let files = fs::read_dir(scratch.at("home/learning/cwu"));
    let paths = files.into_iter().flatten().flatten().map(|it| it.path());
    let waits = |it: &PathBuf| {
        let name = it.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("pending-") && name.ends_with(".json")
    };
    paths.filter(waits).collect()
}

/// Learning at home; `games` is the setting `learn.games=…`.
fn at_home(games: &str) -> Vec<&str> {
    vec![
        "breed",
        "cwu-online",
        "--set",
        "learn.opponent=random?.depth=1",
        "--set",
        games,
        "--seed",
        "3",
        "--quiet",
    ]
}

fn online<'a>(folder: &'a str, games: &'a str) -> Vec<&'a str> {
    let own = ["--set", "learn.start=random", "--out", folder];
    [&at_home(games)[..], &own].concat()
}

#[test]
fn a_course_killed_in_the_middle_equals_the_unbroken_one() {
    let scratch = Scratch::new("online-killed");
    let (whole, killed) = (scratch.at("whole"), scratch.at("killed"));
    let told = printed(&scratch, &online(&whole, "learn.games=24"), "");
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
        |folder: &str| fs::read_to_string(format!("{folder}/games.jsonl")).unwrap_or_default();
    for games in [3, 9, 15] {
        let child = command(&scratch, &online(&killed, "learn.games=24")).spawn();
        let enough = || events(&killed).lines().count() >= games;
        let at_work = kill_when(child.expect("it was built"), "games are played", enough);
        assert!(at_work, "it was over before game {games}");
    }

    // 2. `resume` finishes it, and nothing differs but the id of the node.
    printed(&scratch, &["resume", &killed, "--quiet"], "");
    let listed = printed(&scratch, &["runs", "--json", "--kind", "learn"], "");
    assert!(listed.contains("24 games"), "{listed}");
    printed(&scratch, &["report", &killed], "");
    let anonymous = |folder: &str| {
        let name = fs::read_to_string(format!("{folder}/node-id")).expect("it has one");
        let lines = events(folder).replace(name.trim(), "");
        // The checksum is of the line with the name.
        let plain = |line: &str| line.split(",\"crc\"").next().unwrap_or_default().to_owned();
        lines.lines().map(plain).collect::<Vec<_>>()
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

    let course = command(&scratch, &at_home("learn.games=100000")).spawn();
    let course = course.expect("it was built");
    let learned_from = |games: usize| learned(&scratch).len() >= games;
    wait_until("the course learns", || learned_from(2));
    stdin.write_all(b"resign\nquit\n").expect("it listens");
    drop(stdin);
    stdout.read_to_string(&mut told).expect("it speaks UTF-8");
    let ended = person.wait().expect("it ends");
    let so_far = learned(&scratch).len();
    let goes_on = kill_when(course, "the course goes on", || learned_from(so_far + 2));
    assert!(goes_on, "the course is over");

    assert!(ended.success(), "{told}");
    assert!(told.contains("learned from game"), "{told}");
    let games = learned(&scratch);
    let people = games.iter().filter(|it| it["against"] == "person").count();
    assert_eq!(people, 1);
    assert!(games.len() >= so_far + 2, "the course goes on");
    assert!(pending(&scratch).is_empty(), "the course counts the game");
}

/// Three processes at one folder: each game counts once, and all agree on the population.
#[test]
fn two_guis_and_an_experiment_learn_at_once() {
    let scratch = Scratch::new("learn-three");
    let course = command(&scratch, &at_home("learn.games=12"))
        .spawn()
        .expect("it was built");
    let mates = || {
        let mut turns = vec!["uci\n"];
        for _ in 0..5 {
            turns.push("ucinewgame\n");
            turns.push("position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1\ngo depth 2\n");
            turns.push("isready\n");
        }
        turns.push("quit\n");
        spoken_while(&scratch, &turns, &mut |_| {})
    };
    thread::scope(|scope| {
        let guis = [scope.spawn(mates), scope.spawn(mates)];
        for gui in guis {
            let (told, complaints) = gui.join().expect("it ends");
            assert_eq!(told.matches("bestmove a1a8").count(), 5, "{told}");
            assert_eq!(complaints, "");
        }
    });
    let output = course.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");

    // The games that came after its end are counted by the next one.
    assert_eq!(learned(&scratch).len(), 12 + 10);
    let told = printed(&scratch, &at_home("learn.games=13"), "");
    assert!(told.contains("23 games, 23 of them played here"), "{told}");
    assert!(pending(&scratch).is_empty());
    let games = learned(&scratch);
    assert_eq!(games.len(), 23);
    let guis = games.iter().filter(|it| it["against"] == "gui").count();
    assert_eq!(guis, 10);
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
    let said = output.err;
    assert_eq!(output.code, Some(0), "{said}");
    assert!(
        said.contains("games are kept here and told the next time"),
        "{said}"
    );
    assert_eq!(learned(&scratch).len(), 1);
    let output = run(&scratch, &["uci", "--learn", "--crew", away], "uci\nquit\n");
    assert_eq!(output.code, Some(0));
    assert!(output.out.contains("uciok"));
    // What can never be right is said at once.
    let output = run(&scratch, &["uci", "--learn", "--crew", "http://x"], "uci\n");
    assert_eq!(output.code, Some(2));
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
    printed(&scratch, &at_home("learn.games=1"), "");
    let plan = scratch.at("home/learning/cwu/plan.toml");
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
                assert_eq!(learned(&scratch).len(), 2);
                sound = fs::read_to_string(&plan).expect("it was written");
                fs::write(&plan, "broken").expect("there is room");
            }
            3 => fs::write(&plan, &sound).expect("there is room"),
            _ => {}
        },
    );
    assert_eq!(told.matches("bestmove a1a8").count(), 3, "{told}");
    assert!(complaints.contains("is broken"), "{complaints}");
    assert!(
        complaints.contains("cannot learn: no set played this game"),
        "{complaints}"
    );
    assert_eq!(learned(&scratch).len(), 3, "the first and the third");
}

#[test]
fn a_wrong_request_is_refused_with_a_remedy() {
    let scratch = Scratch::new("online-wrong");
    let opponent = "learn.opponent=nobody";
    let random = [
        &at_home("learn.games=1")[..],
        &["--set", "learn.start=random"],
    ]
    .concat();
    let table: [(&[&str], &str); 10] = [
        (&random, "`--out DIR`"),
        (&["breed", "no-such-recipe"], "mendel breed"),
        (&["breed", "cwu-online"], "learn.opponent"),
        (
            &["breed", "cwu-online", "--set", opponent],
            "no player `nobody`",
        ),
        (
            &["breed", "cwu-online", "--set", "stop.generations=3"],
            "`stop`",
        ),
        (&["breed", "first-steps", "--games", "3"], "learn.games=N"),
        (
            &["breed", "cwu-online", "--opponent", "material"],
            "learn.opponent=PLAYER",
        ),
        (
            &["breed", "cwu-online", "--start=random"],
            "learn.start=bred",
        ),
        (&["play", "--learn", "--side", "both"], "--side white"),
        (
            &["uci", "--learn", "--player", "material"],
            "leave out `--player`",
        ),
    ];
    for (arguments, words) in table {
        let output = run(&scratch, arguments, "");
        let said = output.err;
        assert_eq!(output.code, Some(2), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}
