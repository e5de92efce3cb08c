//! A task gives the same on threads and on a worker, which trusts no payload.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mendel_arena::task::{
    GameTask, GameUnpack, InlineOrBlob, OpeningLine, PairTask, PairUnpack, ProgramAllowlist,
    RemotePlayerKind,
};
use mendel_arena::{
    Adjudication, Entrant, Fixture, GamePair, GamePairs, GameRecord, LengthRule, Opening,
    OpeningSetting, Openings, Pace, PairGame, Patience, SyzygyRule, Verdict, map_pairs,
};
use mendel_crew::{
    BlobId, Crew, CrewError, Done, Handler, HandlerError, Job, JobId, JobPayload, JobProgress,
    Mapped, Task, TaskHandler,
};
use mendel_engine::Player;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

fn bred(name: &str) -> Entrant {
    let player = Player::find(name).expect("it ships with the program");
    Entrant::bred(name, Arc::new(player), vec![("Hash".into(), "1".into())])
}

fn games(entrants: Vec<Entrant>) -> GamePairs {
    let book = Openings::own(&OpeningSetting::default());
    GamePairs {
        entrants,
        openings: (0..3).map(|index| book.get(index)).collect(),
        pace: Pace {
            nodes: Some(60),
            ..Pace::default()
        },
        patience: Patience::default(),
        adjudication: Adjudication {
            length: Some(LengthRule {
                plies: 40,
                verdict: Verdict::Material,
            }),
            ..Adjudication::default()
        },
    }
}

fn pair(id: u64, first: usize, second: usize, opening: usize) -> GamePair {
    GamePair {
        id,
        first,
        second,
        opening,
        only: None,
    }
}

/// What a worker with this allow-list makes of a payload of `task`.
fn worked(
    task: &PairTask,
    payload: &JobPayload,
    allowlist: ProgramAllowlist,
) -> Result<Vec<u8>, HandlerError> {
    let handler = TaskHandler::new(PairUnpack::new(Arc::new(allowlist)));
    handler.work(
        &job::<PairTask>(payload),
        &blobs(task, payload),
        &JobProgress::default(),
    )
}

fn job<T: Task>(payload: &JobPayload) -> Job {
    Job {
        id: JobId::new("test").expect("a name"),
        kind: T::KIND.to_owned(),
        version: T::VERSION,
        payload: payload.bytes.clone(),
        blobs: payload.blobs.clone(),
    }
}

fn blobs<T: Task>(task: &T, payload: &JobPayload) -> HashMap<BlobId, Arc<[u8]>> {
    let blob = |id: &BlobId| (*id, task.blob(id).expect("it was packed"));
    payload.blobs.iter().map(blob).collect()
}

fn refused(task: &PairTask, payload: &JobPayload, allowlist: ProgramAllowlist) -> HandlerError {
    worked(task, payload, allowlist).expect_err("it should not be played")
}

fn packed(task: &PairTask, pairs: &[GamePair]) -> JobPayload {
    task.pack(pairs)
        .expect("nothing of it belongs to this machine")
}

/// Entries of a list in a payload.
fn count(payload: &JobPayload, list: &str) -> usize {
    let payload: Value = serde_json::from_slice(&payload.bytes).expect("JSON");
    payload[list].as_array().expect("a list").len()
}

/// A result as it travels.
#[derive(Serialize, Deserialize)]
struct ItemOutput<O> {
    item: u64,
    output: O,
}

fn outputs<O: DeserializeOwned>(result: &[u8]) -> Vec<ItemOutput<O>> {
    serde_json::from_slice(result).expect("a list of outputs")
}

#[test]
fn a_worker_plays_what_would_be_played_at_home() {
    // `chessnet` judges by a network, `gerald-tuned` has a long text.
    let names = ["mendel", "gerald-tuned", "cosyne", "random", "human"];
    let games = games(names.map(bred).to_vec());
    let mut pairs: Vec<GamePair> = (0..5)
        .map(|id| pair(id, id as usize, (id as usize + 2) % 5, id as usize % 3))
        .collect();
    pairs[3].only = Some(1);
    let task = PairTask::new(&games);
    let mut home = Vec::new();
    let (crew, stop) = (Crew::threads(1), AtomicBool::new(false));
    let mapped = map_pairs(&crew, &task, &pairs, &stop, &mut |pair, done| {
        if let Done::Output(games) = done {
            home.push((pair.id, games));
        }
        Ok::<_, CrewError>(())
    });
    assert_eq!(mapped.expect("played"), Mapped::All);
    let mut with_blobs = 0;
    for chunk in pairs.chunks(2) {
        let payload = packed(&task, chunk);
        with_blobs += usize::from(!payload.blobs.is_empty());
        assert!(count(&payload, "players") <= 4 && count(&payload, "openings") <= 2);
        let result = worked(&task, &payload, ProgramAllowlist::new(64)).expect("played");
        let away = outputs::<[PairGame; 2]>(&result).into_iter();
        let away: Vec<_> = away.map(|it| (it.item, it.output)).collect();
        let first = chunk[0].id as usize;
        assert_eq!(away, home[first..first + chunk.len()]);
        for (pair, (_, games)) in chunk.iter().zip(away) {
            assert_eq!(task.accept(pair, games), Ok(games));
        }
    }
    assert!(with_blobs > 0, "a long text travels as a blob");
}

#[test]
fn games_come_back_with_the_places_of_the_schedule() {
    let games = games(["mendel", "random", "material"].map(bred).to_vec());
    let fixture = |game, white, black| Fixture {
        game,
        pair: game / 2,
        white,
        black,
        opening: 7,
    };
    let asked = [fixture(4, 2, 1), fixture(5, 1, 2)];
    let opening = |at| {
        assert_eq!(at, 7);
        Opening::default()
    };
    let limits = (games.pace, games.patience);
    let adjudication = &games.adjudication;
    let task = GameTask::new(&games.entrants, 3, opening, limits, adjudication, None);
    assert_eq!((task.item_id(&asked[0]), task.item_id(&asked[1])), (2, 2));
    let payload = task
        .pack(&asked)
        .expect("nothing of it belongs to this machine");
    assert_eq!(count(&payload, "players"), 2);
    let handler = TaskHandler::new(GameUnpack::new(Arc::new(ProgramAllowlist::new(64))));
    let job = job::<GameTask>(&payload);
    let result = handler.work(&job, &blobs(&task, &payload), &JobProgress::default());
    let result = outputs::<GameRecord>(&result.expect("played"));
    let keys: Vec<u64> = result.iter().map(|it| it.item).collect();
    assert_eq!(keys, [4, 5]);
    let records: Vec<GameRecord> = asked
        .iter()
        .zip(result)
        .map(|(game, it)| task.accept(game, it.output).expect("what was asked for"))
        .collect();
    let places = records
        .iter()
        .map(|it| (it.game, it.pair, it.white, it.black));
    assert_eq!(places.collect::<Vec<_>>(), [(4, 2, 2, 1), (5, 2, 1, 2)]);
    assert!(records.iter().all(|record| !record.moves.is_empty()));
    // Nor is one accepted from another opening, or against the rules: it would be in the
    // folder for ever.
    let said = |change: &dyn Fn(&mut GameRecord)| {
        let mut record = records[1].clone();
        change(&mut record);
        task.accept(&asked[1], record).expect_err("an invalid game")
    };
    for (change, told) in [
        (
            &(|game: &mut GameRecord| game.opening.push("e2e4".into())) as &dyn Fn(&mut GameRecord),
            "game 5 has another opening",
        ),
        (
            &|game| game.start = "8/8/8/8/8/8/8/K1k5 w - - 0 1".into(),
            "game 5 has another opening",
        ),
        (&|game| game.moves[0].m = "e2e5".into(), "e2e5"),
    ] {
        let reason = said(change);
        assert!(reason.contains(told), "{reason}");
    }
}

#[test]
fn impossible_results_are_not_accepted() {
    let game = PairGame {
        points: 1,
        plies: 9,
        ..PairGame::NONE
    };
    let task = PairTask::new(&games(vec![bred("mendel"), bred("random")]));
    let said = |games: [PairGame; 2], only: Option<usize>| {
        let asked = GamePair {
            only,
            ..pair(0, 0, 1, 0)
        };
        task.accept(&asked, games)
    };
    let none = PairGame::NONE;
    for (games, only) in [
        ([game, game], None),
        ([game, none], Some(0)),
        ([none, game], Some(1)),
    ] {
        assert!(said(games, only).is_ok(), "{games:?}");
    }
    let many = PairGame {
        points: 127,
        ..game
    };
    let few = PairGame { points: -2, ..game };
    for (games, only) in [
        ([game, none], None),
        ([game, game], Some(0)),
        ([none, none], Some(1)),
        ([many, game], None),
        ([game, few], None),
    ] {
        assert!(said(games, only).is_err(), "{games:?}");
    }
}

#[test]
fn a_player_with_networks_beside_its_file_takes_them_along() {
    let folder = std::env::temp_dir().join(format!("mendel-task-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a writable folder");
    let root = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../players/nets/teacher.net"
    );
    std::fs::copy(root, folder.join("own.net")).expect("it is part of the project");
    let text = "name = \"own\"\n[evaluator]\nkind = \"vision\"\nfile = \"own.net\"\n";
    let path = folder.join("own.toml");
    std::fs::write(&path, text).expect("a writable folder");
    let own = Entrant::parse(&path.display().to_string()).expect("a player");
    let mut games = games(vec![own, bred("random")]);
    games.pace.nodes = Some(4);
    let pairs = [pair(0, 0, 1, 0)];
    let task = PairTask::new(&games);
    let payload = packed(&task, &pairs);
    assert_eq!(payload.blobs.len(), 1);
    std::fs::remove_dir_all(&folder).expect("it was ours");
    let result = worked(&task, &payload, ProgramAllowlist::new(64)).expect("played");
    assert_eq!(outputs::<[PairGame; 2]>(&result).len(), 1);
    let payload = String::from_utf8(payload.bytes).expect("JSON");
    assert!(
        !payload.contains(folder.to_str().expect("UTF-8")),
        "{payload}"
    );
}

/// Why the players cannot travel, whether their games could be played here or not.
fn not_portable(games: &GamePairs) -> String {
    let error = PairTask::new(games).pack(&[pair(0, 0, 0, 0)]);
    error.expect_err("it belongs to this machine").to_string()
}

#[test]
fn players_with_local_files_are_not_portable() {
    let said = |text: &str| {
        let mut games = games(vec![bred("random")]);
        games
            .entrants
            .push(Entrant::parse(text).expect("an entrant"));
        not_portable(&games)
    };
    for (text, reason) in [
        ("mendel?SyzygyPath=/tables", "names a file"),
        ("mendel?Book=b.bin", "names a file"),
        ("cmd:fish -x", "arguments"),
        ("cmd:fish?.dir=/tmp", "`.dir`"),
        ("cmd:fish?.env.A=b", "`.env`"),
        ("cmd:fish?Log File=/tmp/x", "only numbers"),
        ("cmd:fish?Debug Log File=x", "only numbers"),
    ] {
        assert!(said(text).contains(reason), "{}", said(text));
    }
    let mut tables = games(vec![bred("random")]);
    tables.adjudication.syzygy = Some(SyzygyRule {
        path: "/tables".into(),
        pieces: None,
        ignore_fifty_moves: false,
    });
    let error = not_portable(&tables);
    assert!(error.contains("--syzygy"), "{error}");
}

#[test]
fn only_what_the_owner_allows_is_started() {
    let fish = Entrant::parse("cmd:/usr/games/stockfish?Hash=4").expect("an entrant");
    let games = games(vec![fish, bred("random")]);
    let task = PairTask::new(&games);
    let payload = packed(&task, &[pair(0, 0, 1, 0)]);
    let text = String::from_utf8_lossy(&payload.bytes);
    assert!(
        text.contains("stockfish") && !text.contains("games/"),
        "{text}"
    );
    let refusal = refused(&task, &payload, ProgramAllowlist::new(64));
    assert!(matches!(&refusal, HandlerError::CannotRun(why) if why.contains("--allow stockfish=")));
    // Allowed, and not there: another worker may have it.
    let mut rules = ProgramAllowlist::new(64);
    rules
        .allow("stockfish", "/nowhere/at-all")
        .expect("a command");
    let refusal = refused(&task, &payload, rules);
    assert!(matches!(&refusal, HandlerError::CannotRun(_)), "{refusal}");
}

/// The system refuses its tables here, and another machine may have room for them.
#[test]
fn a_worker_without_the_memory_leaves_the_job_to_others() {
    let program = std::env::current_exe().expect("this program has a path");
    // Of a process of its own, since the limit would hold for all tests.
    let limited = "ulimit -v 2000000 && exec \"$0\" --exact --ignored tasks::has_little_memory";
    let ended = std::process::Command::new("sh")
        .args(["-c", limited])
        .arg(program)
        .output();
    let ended = ended.expect("there is a shell");
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(
        ended.status.success() && said.contains("1 passed"),
        "{said}"
    );
}

#[test]
#[ignore = "the part of a process with little memory, started by another test"]
fn has_little_memory() {
    let mut games = games(vec![bred("mendel"), bred("random")]);
    games.entrants[0].options = vec![("Hash".into(), "65536".into())];
    let task = PairTask::new(&games);
    let payload = packed(&task, &[pair(0, 0, 1, 0)]);
    let refusal = refused(&task, &payload, ProgramAllowlist::new(u64::MAX));
    let HandlerError::CannotRun(why) = &refusal else {
        panic!("another machine may have the memory: {refusal}");
    };
    assert!(why.contains("no memory for a table"), "{why}");
}

#[test]
fn a_task_is_untrusted() {
    let games = games(vec![bred("mendel"), bred("random")]);
    let task = PairTask::new(&games);
    let good = packed(&task, &[pair(0, 0, 1, 0)]);
    let rules = || ProgramAllowlist::new(64);
    let bad = |change: &dyn Fn(&mut Value)| {
        let mut payload: Value = serde_json::from_slice(&good.bytes).expect("JSON");
        change(&mut payload);
        let bytes = serde_json::to_vec(&payload).expect("plain data");
        let blobs = good.blobs.clone();
        refused(&task, &JobPayload { bytes, blobs }, rules())
    };
    let options = |name: &str, value: &str| json!([[name, value]]);
    for change in [
        &(|task: &mut Value| task["openings"] = json!([])) as &dyn Fn(&mut Value),
        &|task| task["games"][0]["first"] = json!(9),
        &|task| task["games"][0]["opening"] = json!(5),
        &|task| task["games"][0]["only"] = json!(2),
        &|task| task["openings"][0]["moves"] = json!(["e2e5"]),
        &|task| task["adjudication"]["syzygy"] = json!({ "path": "/" }),
        &|task| task["players"][0]["options"] = options("Book", "/etc/passwd"),
        &|task| task["players"][0]["options"] = options("strength table", "/etc/passwd"),
        &|task| task["players"][0]["options"] = options("Nonsense", "1"),
        // What is looked at must be what the engine takes.
        &|task| task["players"][0]["options"] = json!([["Hash", "1"], ["hash", "3000"]]),
        &|task| task["players"][0]["options"] = json!([["Threads", "1"], [" THREADS", "64"]]),
        &|task| {
            task["players"][0]["who"] = json!(RemotePlayerKind::Bred {
                player: InlineOrBlob::Inline("name = 3".into()),
                networks: BTreeMap::new(),
            });
        },
        &|task| {
            task["players"][0]["who"] = json!(RemotePlayerKind::Bred {
                player: InlineOrBlob::Inline(
                    "name = \"x\"\n[evaluator]\nkind = \"vision\"\nfile = \"/etc/passwd\"".into(),
                ),
                networks: BTreeMap::new(),
            });
        },
    ] {
        let refusal = bad(change);
        assert!(matches!(refusal, HandlerError::InvalidJob(_)), "{refusal}");
    }
    for (name, value) in [("Hash", "65536"), ("Threads", "64")] {
        let refusal = bad(&|task| task["players"][0]["options"] = options(name, value));
        assert!(matches!(refusal, HandlerError::CannotRun(_)), "{refusal}");
    }
    // A game of a schedule without its players.
    let game = r#"{"game":0,"pair":0,"white":0,"black":1,"opening":0}"#;
    let text = String::from_utf8_lossy(&good.bytes);
    let (head, _) = text.split_once(r#""games":"#).expect("games");
    let bytes = format!("{head}\"games\":[{game}]}}").replace(r#""opening":0"#, r#""opening":5"#);
    let payload = JobPayload {
        bytes: bytes.into_bytes(),
        blobs: good.blobs.clone(),
    };
    let handler = TaskHandler::new(GameUnpack::new(Arc::new(rules())));
    let refusal = handler.work(
        &job::<GameTask>(&payload),
        &blobs(&task, &payload),
        &JobProgress::default(),
    );
    assert!(
        matches!(refusal, Err(HandlerError::InvalidJob(_))),
        "{refusal:?}"
    );
    let handler = TaskHandler::new(PairUnpack::new(Arc::new(rules())));
    let none: HashMap<_, _> = HashMap::new();
    let bytes = |payload: &[u8]| JobPayload {
        bytes: payload.to_vec(),
        blobs: Vec::new(),
    };
    for payload in [&b""[..], b"{}", b"[1]", &[0xFF; 64]] {
        let refusal = handler.work(
            &job::<PairTask>(&bytes(payload)),
            &none,
            &JobProgress::default(),
        );
        assert!(
            matches!(refusal, Err(HandlerError::InvalidJob(_))),
            "{refusal:?}"
        );
    }
}

#[test]
fn an_opening_survives_its_line() {
    let setting = OpeningSetting::default();
    for openings in [
        Openings::own(&setting),
        Openings::initial(&setting),
        Openings::chess960(&setting),
    ] {
        for index in 0..openings.len().min(100) {
            let opening = openings.get(index as u64);
            let line = OpeningLine::of(&opening);
            let again = line.opening().expect("it was an opening").game();
            let game = opening.game();
            assert_eq!(again.start(), game.start());
            assert_eq!(again.moves(), game.moves());
            assert_eq!(again.position(), game.position());
        }
    }
}

#[test]
fn an_invalid_opening_line_is_refused() {
    let line = |start: Option<&str>, chess960, moves: &[&str]| OpeningLine {
        start: start.map(str::to_owned),
        chess960,
        moves: moves.iter().map(|&m| m.to_owned()).collect(),
    };
    for bad in [
        line(Some("no FEN"), false, &[]),
        line(None, true, &[]),
        line(None, false, &["e2e5"]),
        line(None, false, &["e2e4", "e2e4"]),
        line(None, false, &["g1f3", "g8f6", "f3g1", "f6g8"].repeat(600)),
    ] {
        assert!(bad.opening().is_err(), "{bad:?}");
    }
}
