//! Whole matches: the same result whatever the hands, and nothing lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mendel_arena::statistics::EloModel;
use mendel_arena::{
    Adjudication, Conclusion, Contest, ContestError, FolderError, Format, Hands, MatchFolder,
    OpeningSetting, Order, Pace, Patience, Plan, SprtPlan, Summary,
};
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

fn plan(players: &[&str], games: u64) -> Plan {
    Plan {
        version: "test".to_owned(),
        event: "a test".to_owned(),
        players: players.iter().map(|&player| player.to_owned()).collect(),
        format: Format::RoundRobin,
        games,
        openings: None,
        names: None,
        anchor: None,
        directory: PathBuf::new(),
        fingerprints: std::collections::BTreeMap::new(),
        most_faults: 20,
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
        patience: Patience::default(),
        adjudication: Adjudication::default(),
        sprt: None,
    }
}

const SMALL: [&str; 2] = ["mendel?Hash=1", "material?Hash=1"];

fn run(
    plan: Plan,
    folder: &mut MatchFolder,
    concurrency: usize,
    stop_after: Option<u64>,
) -> Summary {
    let contest = Contest::new(plan).unwrap_or_else(|error| panic!("{error}"));
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    let hands = Hands {
        concurrency,
        pin: false,
    };
    let mut played = 0;
    let watch = &mut |progress: &mendel_arena::Progress| {
        if !progress.found {
            played += 1;
            if Some(played) == stop_after {
                asked.store(true, Ordering::Relaxed);
            }
        }
    };
    contest
        .run(folder, hands, &stop, watch)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn whole(plan: Plan, path: &Path, concurrency: usize) -> Summary {
    let mut folder = MatchFolder::create(path, &plan).unwrap_or_else(|error| panic!("{error}"));
    run(plan, &mut folder, concurrency, None)
}

/// The games without what a clock gave.
fn games(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path.join("games.jsonl")).expect("there are games");
    let timeless = |line: &str| {
        let mut game: Value = serde_json::from_str(line).expect("a line is JSON");
        game["date"] = Value::Null;
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
fn a_match_goes_on_where_it_was_stopped() {
    let scratch = Scratch::new("stopped");
    let (unbroken, broken) = (scratch.at("unbroken"), scratch.at("broken"));
    whole(plan(&SMALL, 12), &unbroken, 1);
    let mut folder = MatchFolder::create(&broken, &plan(&SMALL, 12)).expect("a new folder");
    let summary = run(plan(&SMALL, 12), &mut folder, 2, Some(3));
    assert_eq!(summary.conclusion, Conclusion::Unfinished);
    assert!(summary.games < 12);
    drop(folder);
    let (mut folder, found) = MatchFolder::resume(&broken).expect("a match to go on with");
    assert_eq!(found, plan(&SMALL, 12));
    run(found, &mut folder, 2, None);
    assert_eq!(games(&broken), games(&unbroken));
    assert_eq!(result(&broken), result(&unbroken));
}

#[test]
fn a_finished_match_is_not_played_again() {
    let scratch = Scratch::new("finished");
    let path = scratch.at("match");
    whole(plan(&SMALL, 4), &path, 1);
    let before = fs::read(path.join("games.jsonl")).expect("there are games");
    let (mut folder, plan) = MatchFolder::resume(&path).expect("a match");
    let summary = run(plan, &mut folder, 1, Some(0));
    assert_eq!(
        (summary.games, summary.conclusion),
        (4, Conclusion::AllPlayed)
    );
    assert_eq!(
        fs::read(path.join("games.jsonl")).expect("there are games"),
        before
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
    faulty.most_faults = 3;
    let contest = Contest::new(faulty.clone());
    assert!(
        contest.is_ok(),
        "it starts like any other: {:?}",
        contest.err()
    );
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
    let refused = |plan: Plan| {
        Contest::new(plan)
            .expect_err("it cannot be played")
            .to_string()
    };
    assert!(refused(plan(&["mendel"], 2)).contains("two players"));
    assert!(refused(plan(&["mendel", "nobody"], 2)).contains("nobody"));
    assert!(refused(plan(&["mendel", "cmd:/no/such/program"], 2)).contains("/no/such/program"));
    assert!(refused(plan(&["mendel?Hesh=1", "material"], 2)).contains("Hesh"));
    let mut unlimited = plan(&SMALL, 2);
    unlimited.pace = Pace::default();
    assert!(matches!(Contest::new(unlimited), Err(ContestError::NoPace)));
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
    let error = Contest::new(repeated.clone()).expect_err("four games, two of them new");
    assert!(
        matches!(error, ContestError::Repeats { most: 2, .. }),
        "{error}"
    );
    repeated.games = 2;
    assert!(Contest::new(repeated.clone()).is_ok());
    // With a clock no two games are the same.
    repeated.games = 4;
    repeated.pace.clock = Some("1+0".parse().expect("a time control"));
    assert!(Contest::new(repeated).is_ok());
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
    let first = Contest::new(plan(&[&name, "material"], 2)).expect("it can be played");
    assert!(Contest::new(first.plan().clone()).is_ok());
    fs::write(&player, text(2)).expect("written");
    let error = Contest::new(first.plan().clone()).expect_err("the player has changed");
    assert!(matches!(error, ContestError::Changed { .. }), "{error}");
}

#[test]
fn a_refused_resumption_leaves_the_folder_as_it_was() {
    let scratch = Scratch::new("refused");
    let path = scratch.at("match");
    whole(plan(&SMALL, 4), &path, 1);
    let before = fs::read(path.join("games.pgn")).expect("there is a PGN");
    let (folder, mut changed) = MatchFolder::resume(&path).expect("a match");
    changed.players[1] = "nobody".to_owned();
    assert!(Contest::new(changed).is_err());
    drop(folder);
    assert_eq!(
        fs::read(path.join("games.pgn")).expect("there is a PGN"),
        before
    );
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
        Contest::new(anchored),
        Err(ContestError::Anchor { .. })
    ));
}

#[test]
fn two_matches_do_not_share_a_folder() {
    let scratch = Scratch::new("folder");
    let path = scratch.at("match");
    let folder = MatchFolder::create(&path, &plan(&SMALL, 2)).expect("a new folder");
    assert!(matches!(
        MatchFolder::resume(&path),
        Err(FolderError::Lock(_))
    ));
    drop(folder);
    assert!(matches!(
        MatchFolder::create(&path, &plan(&SMALL, 2)),
        Err(FolderError::Taken { .. })
    ));
    assert!(matches!(
        MatchFolder::resume(&scratch.at("none")),
        Err(FolderError::Empty { .. })
    ));
}
