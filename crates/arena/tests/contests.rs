//! Whole matches: the same result on any number of threads, and nothing lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mendel_arena::statistics::EloModel;
use mendel_arena::{
    Adjudication, Conclusion, Format, Match, MatchError, MatchOptions, MatchPlan, MatchSummary,
    OpeningSetting, Order, Pace, Patience, SprtPlan,
};
use mendel_store::frame::{self, ExperimentEvent, Failure, Folder, Host};
use serde_json::Value;

/// A folder of its own for each test, gone afterwards.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("mendel-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn plan(players: &[&str], games: u64) -> MatchPlan {
    let players = players.iter().map(|&player| player.to_owned()).collect();
    MatchPlan {
        final_positions: true,
        pace: Pace {
            nodes: Some(60),
            ..Pace::default()
        },
        opening: OpeningSetting {
            order: Order::Shuffled,
            seed: 7,
            ..OpeningSetting::default()
        },
        ..MatchPlan::new("a test", players, games)
    }
}

const SMALL: [&str; 2] = ["mendel?Hash=1", "material?Hash=1"];

/// Stops after this many games that were played now.
fn stopping_after(games: u64) -> Host {
    let host = Host::default();
    let (stop, played) = (Arc::clone(&host.stop), AtomicU64::new(0));
    let listener = move |_: &Path, event: &ExperimentEvent| {
        if matches!(event, ExperimentEvent::Record { data, .. } if data["found"] == false)
            && played.fetch_add(1, Ordering::Relaxed) + 1 == games
        {
            stop.store(true, Ordering::Relaxed);
        }
    };
    Host {
        listener: Some(Arc::new(listener)),
        ..host
    }
}

fn start(
    plan: MatchPlan,
    path: &Path,
    threads: usize,
    host: &Host,
) -> Result<MatchSummary, Failure> {
    let (seed, options) = (plan.seed(), MatchOptions::threads(threads));
    frame::start::<Match>(path, plan, seed, "", &options, host)
}

fn resume(path: &Path, options: &MatchOptions) -> Result<MatchSummary, Failure> {
    frame::resume::<Match>(path, options, &Host::default())
}

fn whole(plan: MatchPlan, path: &Path, threads: usize) -> MatchSummary {
    start(plan, path, threads, &Host::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// The games without what a clock gave.
fn games(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path.join("games.jsonl")).expect("there are games");
    let timeless = |line: &str| {
        let mut game: Value = serde_json::from_str(line).expect("a line is JSON");
        game["date"] = Value::Null;
        // The checksum includes times.
        game["crc"] = Value::Null;
        for m in game["moves"].as_array_mut().expect("a game has moves") {
            m["time"] = Value::Null;
        }
        game
    };
    text.lines().map(timeless).collect()
}

fn result(path: &Path) -> String {
    fs::read_to_string(path.join("result.json")).expect("there is a result")
}

#[test]
fn the_number_of_hands_changes_nothing() {
    let scratch = Scratch::new("hands");
    let (one, three) = (scratch.at("one"), scratch.at("three"));
    whole(plan(&SMALL, 16), &one, 1);
    whole(plan(&SMALL, 16), &three, 3);
    assert_eq!(games(&one).len(), 16);
    let last = |path: &Path| fs::read_to_string(path.join("final.epd")).expect("it was asked for");
    assert_eq!(last(&one).lines().count(), 16);
    assert_eq!(last(&one), last(&three));
    assert_eq!(games(&one), games(&three));
    assert_eq!(result(&one), result(&three));
}

#[test]
fn a_stopped_match_is_resumed_to_the_same_result() {
    let scratch = Scratch::new("stopped");
    let (unbroken, broken) = (scratch.at("unbroken"), scratch.at("broken"));
    whole(plan(&SMALL, 12), &unbroken, 1);
    let stopped = start(plan(&SMALL, 12), &broken, 2, &stopping_after(3));
    assert!(matches!(stopped, Err(Failure::Stopped)), "{stopped:?}");
    assert!(!broken.join("result.json").exists());
    let standings = Match::standings(&Folder::at(&broken)).expect("its games can be read");
    assert_eq!(standings.conclusion, Conclusion::Unfinished);
    assert!((3..12).contains(&standings.games), "{}", standings.games);
    resume(&broken, &MatchOptions::threads(2)).expect("it ends");
    assert_eq!(games(&broken), games(&unbroken));
    assert_eq!(result(&broken), result(&unbroken));
}

#[test]
fn a_finished_match_is_not_played_again() {
    let scratch = Scratch::new("finished");
    let path = scratch.at("match");
    let outcome = whole(plan(&SMALL, 4), &path, 1);
    let read = || fs::read(path.join("games.jsonl")).expect("there are games");
    let before = read();
    let again = resume(&path, &MatchOptions::default()).expect("it is finished");
    assert_eq!(
        (again.games, &again.conclusion),
        (4, &Conclusion::AllPlayed)
    );
    assert_eq!(again, outcome);
    assert_eq!(read(), before);
}

#[test]
fn a_match_with_more_games_is_the_longer_match() {
    let scratch = Scratch::new("longer");
    let (long, longer) = (scratch.at("long"), scratch.at("longer"));
    whole(plan(&SMALL, 12), &long, 1);
    whole(plan(&SMALL, 4), &longer, 1);
    let more = MatchOptions {
        games: Some(12),
        ..MatchOptions::threads(2)
    };
    assert_eq!(resume(&longer, &more).expect("it is resumed").games, 12);
    assert_eq!(games(&longer), games(&long));
    assert_eq!(result(&longer), result(&long));
}

#[test]
fn a_damaged_game_is_reported_with_its_line_and_not_counted() {
    let scratch = Scratch::new("damaged");
    let path = scratch.at("match");
    whole(plan(&SMALL, 4), &path, 1);
    fs::remove_file(path.join("result.json")).expect("it was written");
    let file = path.join("games.jsonl");
    let mut bytes = fs::read(&file).expect("there are games");
    let third = bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .nth(1);
    let at = third.expect("there are four lines").0 + 40;
    bytes[at] ^= 1;
    fs::write(&file, &bytes).expect("written");
    let error = resume(&path, &MatchOptions::default()).expect_err("a line is damaged");
    let text = error.to_string();
    assert!(
        text.contains("games.jsonl") && text.contains("line 3"),
        "{text}"
    );
    assert!(Match::standings(&Folder::at(&path)).is_err());
    assert_eq!(fs::read(&file).expect("there are games"), bytes);
    // Repaired, it has two games and plays the others again.
    frame::repair(&path).expect("it can be repaired");
    assert_eq!(
        resume(&path, &MatchOptions::default())
            .expect("it ends")
            .games,
        4
    );
}

#[test]
fn a_test_stops_at_the_same_game_whatever_the_hands() {
    let scratch = Scratch::new("sprt");
    let mut tested = plan(&SMALL, 400);
    tested.sprt = Some(SprtPlan {
        elo0: 0.0,
        elo1: 100.0,
        alpha: 0.05,
        beta: 0.05,
        model: EloModel::Logistic,
    });
    let (one, three) = (scratch.at("one"), scratch.at("three"));
    let summary = whole(tested.clone(), &one, 1);
    whole(tested, &three, 3);
    assert_eq!(summary.conclusion, Conclusion::Accepted);
    assert!(
        summary.games < 400 && summary.games.is_multiple_of(2),
        "{}",
        summary.games
    );
    assert_eq!(games(&one), games(&three));
    assert_eq!(result(&one), result(&three));
}

#[test]
fn a_pool_is_rated() {
    let scratch = Scratch::new("pool");
    let players = ["mendel?Hash=1", "material?Hash=1", "random?Hash=1"];
    let summary = whole(plan(&players, 4), &scratch.at("pool"), 2);
    assert_eq!(summary.games, 12);
    let ratings = summary.ratings.expect("three players are rated").ratings;
    assert!(ratings[0].rating > ratings[2].rating, "{ratings:?}");
}

#[test]
fn a_player_that_always_crashes_stops_the_match() {
    let scratch = Scratch::new("faults");
    let bad = format!("uci:{} abort", env!("CARGO_BIN_EXE_bad-engine"));
    let mut faulty = plan(&["mendel?Hash=1", &bad], 100);
    faulty.max_faults = 3;
    let prepared = Match::new(faulty.clone());
    let error = prepared.err();
    assert!(error.is_none(), "it starts like any other: {error:?}");
    let summary = whole(faulty, &scratch.at("faults"), 1);
    assert!(
        matches!(
            summary.conclusion,
            Conclusion::TooManyFaults { faults: 4, .. }
        ),
        "{:?}",
        summary.conclusion
    );
    assert_eq!(summary.faults, [0, 4]);
}

#[test]
fn a_plan_that_cannot_be_played_is_refused_before_a_game() {
    let refused = |plan: MatchPlan| {
        Match::new(plan)
            .expect_err("it cannot be played")
            .to_string()
    };
    assert!(refused(plan(&["mendel"], 2)).contains("two players"));
    assert!(refused(plan(&["mendel", "nobody"], 2)).contains("nobody"));
    assert!(refused(plan(&["mendel", "cmd:/no/such/program"], 2)).contains("/no/such/program"));
    assert!(refused(plan(&["mendel?Hesh=1", "material"], 2)).contains("Hesh"));
    let mut unlimited = plan(&SMALL, 2);
    unlimited.pace = Pace::default();
    assert!(matches!(Match::new(unlimited), Err(MatchError::NoPace)));
    let mut missing = plan(&SMALL, 2);
    missing.openings = Some("no/such/book.epd".into());
    assert!(refused(missing).contains("no/such/book.epd"));
}

#[test]
fn the_same_game_is_not_counted_twice() {
    let scratch = Scratch::new("repeats");
    let book = scratch.at("one.epd");
    fs::create_dir_all(&scratch.0).expect("there is room for a folder");
    fs::write(
        &book,
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n",
    )
    .expect("written");
    let mut repeated = plan(&SMALL, 4);
    repeated.openings = Some(book);
    let error = Match::new(repeated.clone()).expect_err("four games, two of them new");
    assert!(
        matches!(error, MatchError::Repeats { most: 2, .. }),
        "{error}"
    );
    repeated.games = 2;
    assert!(Match::new(repeated.clone()).is_ok());
    // With a clock no two games are the same.
    repeated.games = 4;
    repeated.pace.clock = Some("1+0".parse().expect("a time control"));
    assert!(Match::new(repeated).is_ok());
}

#[test]
fn a_match_does_not_go_on_with_another_player() {
    let scratch = Scratch::new("changed");
    fs::create_dir_all(&scratch.0).expect("there is room for a folder");
    let player = scratch.at("player.toml");
    let text =
        |seed: u64| format!("name = \"dice\"\n[evaluator]\nkind = \"random\"\nseed = {seed}\n");
    fs::write(&player, text(1)).expect("written");
    let name = player.display().to_string();
    let path = scratch.at("match");
    let stopped = start(plan(&[&name, "material"], 8), &path, 1, &stopping_after(1));
    assert!(matches!(stopped, Err(Failure::Stopped)), "{stopped:?}");
    fs::write(&player, text(2)).expect("written");
    let error = resume(&path, &MatchOptions::default()).expect_err("the player has changed");
    assert!(matches!(error, Failure::InvalidRequest { .. }), "{error:?}");
    assert!(error.to_string().contains("player.toml"), "{error}");
    fs::write(&player, text(1)).expect("written");
    resume(&path, &MatchOptions::default()).expect("it is the same player again");
}

#[test]
fn an_invalid_request_writes_nothing() {
    let scratch = Scratch::new("refused");
    let path = scratch.at("match");
    let error = start(plan(&["mendel", "nobody"], 2), &path, 1, &Host::default());
    assert!(
        matches!(error, Err(Failure::InvalidRequest { hint: Some(_), .. })),
        "{error:?}"
    );
    assert!(!path.exists());
}

#[test]
fn chess960_is_played_from_its_own_starts() {
    let scratch = Scratch::new("chess960");
    let path = scratch.at("match");
    let mut shuffled = plan(&SMALL, 8);
    shuffled.opening.chess960 = true;
    whole(shuffled, &path, 1);
    let starts: std::collections::BTreeSet<String> = games(&path)
        .iter()
        .map(|game| game["start"].to_string())
        .collect();
    assert_eq!(starts.len(), 4, "{starts:?}");
    let pgn = fs::read_to_string(path.join("games.pgn")).expect("there is a PGN");
    assert_eq!(pgn.matches("[Variant \"Chess960\"]").count(), 8);
}

#[test]
fn a_pool_can_be_anchored() {
    let scratch = Scratch::new("anchor");
    let mut anchored = plan(&["mendel?Hash=1", "material?Hash=1", "random?Hash=1"], 4);
    anchored.anchor = Some(("material".to_owned(), 1500.0));
    let summary = whole(anchored.clone(), &scratch.at("pool"), 1);
    let ratings = summary.ratings.expect("three players are rated").ratings;
    assert_eq!(ratings[1].rating.map(f64::round), Some(1500.0));
    anchored.anchor = Some(("nobody".to_owned(), 1500.0));
    assert!(matches!(
        Match::new(anchored),
        Err(MatchError::Anchor { .. })
    ));
}

#[test]
fn two_matches_do_not_share_a_folder() {
    let scratch = Scratch::new("folder");
    let path = scratch.at("match");
    whole(plan(&SMALL, 2), &path, 1);
    let taken = start(plan(&SMALL, 2), &path, 1, &Host::default());
    assert!(
        matches!(taken, Err(Failure::InvalidRequest { .. })),
        "{taken:?}"
    );
    let none = resume(&scratch.at("none"), &MatchOptions::default());
    assert!(
        matches!(none, Err(Failure::InvalidRequest { .. })),
        "{none:?}"
    );
}

#[test]
fn paths_of_a_player_become_absolute() {
    let scratch = Scratch::new("paths");
    fs::create_dir_all(&scratch.0).expect("there is room for a folder");
    // A file below the folder in which tests run.
    let here = std::env::current_dir().expect("it is known");
    let file = "Cargo.toml";
    let absolute = here.join(file);
    let absolute = absolute.to_str().expect("it is text");
    for (text, wanted) in [
        ("mendel?Hash=1", "mendel?Hash=1".to_owned()),
        ("uci:stockfish", "uci:stockfish".to_owned()),
        ("uci:./engine", format!("uci:{}/engine", here.display())),
        (
            "xboard:engine Cargo.toml --book=Cargo.toml?Hash=1&Book=Cargo.toml&.nodes=5",
            format!("xboard:engine {absolute} '--book={absolute}'?Hash=1&Book={absolute}&.nodes=5"),
        ),
        (
            "cmd:engine?.dir=src",
            format!("cmd:engine?.dir={}/src", here.display()),
        ),
    ] {
        let found = mendel_arena::absolute_player(text).expect("it is a player");
        assert_eq!(found, wanted, "{text}");
        assert_eq!(
            mendel_arena::absolute_player(&found).expect("it is one"),
            wanted
        );
    }
}

#[test]
fn a_plan_survives_its_file() {
    let plan = MatchPlan {
        version: "1".to_owned(),
        event: "a match".to_owned(),
        players: vec!["mendel".to_owned(), "cmd:x?Hash=1".to_owned()],
        format: Format::Gauntlet,
        games: 100,
        openings: Some("book.epd".into()),
        names: None,
        anchor: Some(("mendel".to_owned(), 2000.0)),
        max_faults: 3,
        final_positions: true,
        pace: Pace {
            clock: Some("40/60+0.5".parse().expect("a time control")),
            movetime: Some(Duration::from_millis(50)),
            nodes: Some(1000),
            depth: Some(4),
        },
        opening: OpeningSetting::default(),
        patience: Patience::default(),
        adjudication: Adjudication::default(),
        sprt: Some(SprtPlan {
            elo0: 0.0,
            elo1: 5.0,
            alpha: 0.05,
            beta: 0.1,
            model: EloModel::Normalized,
        }),
    };
    let text = toml::to_string(&plan).expect("a plan is plain data");
    let again: MatchPlan = toml::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(again, plan);
}
