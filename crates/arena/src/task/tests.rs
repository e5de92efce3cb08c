//! A task is played as its games would be at home, and trusts nobody.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use mendel_crew::{Handler, Job, JobId, Progress, Refusal};
use mendel_engine::Player;

use super::*;
use crate::{Entrant, LengthRule, Opening, OpeningSetting, Openings, SyzygyRule};

fn bred(name: &str) -> Entrant {
    let player = Player::find(name).expect("it ships with the program");
    Entrant::bred(name, Arc::new(player), vec![("Hash".into(), "1".into())])
}

fn bouts(entrants: Vec<Entrant>) -> Bouts {
    let book = Openings::own(&OpeningSetting::default());
    Bouts {
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
                verdict: crate::Verdict::Material,
            }),
            ..Adjudication::default()
        },
    }
}

fn pair(id: u64, first: usize, second: usize, opening: usize) -> Pair {
    Pair {
        id,
        first,
        second,
        opening,
        only: None,
    }
}

/// What a worker with these rules makes of a task.
fn worked(task: &GameTask, luggage: &Luggage, rules: HouseRules) -> Result<Vec<u8>, Refusal> {
    let job = Job {
        id: JobId::new("test").expect("a name"),
        kind: KIND.to_owned(),
        version: VERSION,
        payload: task.payload(),
        blobs: task.blobs(),
    };
    let blobs = job.blobs.iter();
    let blobs: HashMap<_, _> = blobs.map(|id| (*id, Arc::clone(&luggage[id]))).collect();
    GameHandler::new(Arc::new(rules)).work(&job, &blobs, &Progress::default())
}

fn refused(task: &GameTask, luggage: &Luggage, rules: HouseRules) -> Refusal {
    worked(task, luggage, rules).expect_err("it should not be played")
}

#[test]
fn a_worker_plays_what_would_be_played_at_home() {
    // `chessnet` judges by a network, `gerald-tuned` has a long text.
    let names = ["mendel", "gerald-tuned", "cosyne", "random", "human"];
    let bouts = bouts(names.map(bred).to_vec());
    let mut pairs: Vec<Pair> = (0..5)
        .map(|id| pair(id, id as usize, (id as usize + 2) % 5, id as usize % 3))
        .collect();
    pairs[3].only = Some(1);
    let mut home = Vec::new();
    let Ok(()) = bouts.play(&pairs, 1, &Arc::default(), &mut |outcome| {
        home.push(outcome);
        Ok::<(), Infallible>(())
    });
    let packed = Packed::new(&bouts).expect("nothing of it belongs to this machine");
    assert!(!packed.luggage.is_empty(), "a long text travels beside");
    for block in pairs.chunks(2) {
        let task = packed.pairs(block);
        assert!(task.entrants.len() <= 4 && task.openings.len() <= 2);
        let answer = worked(&task, &packed.luggage, HouseRules::new(64)).expect("played");
        let away = outcomes(&answer, block).expect("what was asked for");
        let first = block[0].id as usize;
        assert_eq!(away, home[first..first + block.len()]);
    }
}

#[test]
fn games_come_back_with_the_places_of_the_schedule() {
    let bouts = bouts(["mendel", "random", "material"].map(bred).to_vec());
    let fixture = |game, white, black| Fixture {
        game,
        pair: game / 2,
        white,
        black,
        opening: 7,
    };
    let asked = [fixture(4, 2, 1), fixture(5, 1, 2)];
    let packed = Packed::new(&bouts).expect("nothing of it belongs to this machine");
    let opening = |at| {
        assert_eq!(at, 7);
        Opening::default()
    };
    let task = packed.games(&asked, opening);
    assert_eq!(task.entrants.len(), 2);
    let answer = worked(&task, &packed.luggage, HouseRules::new(64)).expect("played");
    let records = records(&answer, &asked, opening).expect("what was asked for");
    let places = records
        .iter()
        .map(|it| (it.game, it.pair, it.white, it.black));
    assert_eq!(places.collect::<Vec<_>>(), [(4, 2, 2, 1), (5, 2, 1, 2)]);
    assert!(records.iter().all(|record| !record.moves.is_empty()));
    // An answer to something else is none.
    assert!(super::records(&answer, &[fixture(6, 0, 1)], opening).is_err());
    assert!(outcomes(&answer, &[pair(0, 0, 1, 0)]).is_err());
    assert!(outcomes(b"{", &[]).is_err());
    // Nor one from elsewhere, nor one against the rules: it would be found in the folder
    // for ever.
    let said = |change: &dyn Fn(&mut GameRecord)| {
        let mut games = records.clone();
        change(&mut games[1]);
        let answer = serde_json::to_vec(&Answer::Games(games)).expect("plain data");
        super::records(&answer, &asked, opening).expect_err("nonsense")
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
fn outcomes_that_cannot_be_are_none() {
    let game = BoutGame {
        points: 1,
        plies: 9,
        ..BoutGame::NONE
    };
    let said = |games: [BoutGame; 2], only: Option<usize>| {
        let answer = Answer::Pairs(vec![PairOutcome { id: 0, games }]);
        let answer = serde_json::to_vec(&answer).expect("plain data");
        let asked = Pair {
            only,
            ..pair(0, 0, 1, 0)
        };
        outcomes(&answer, &[asked])
    };
    let none = BoutGame::NONE;
    for (games, only) in [
        ([game, game], None),
        ([game, none], Some(0)),
        ([none, game], Some(1)),
    ] {
        assert!(said(games, only).is_ok(), "{games:?}");
    }
    let many = BoutGame {
        points: 127,
        ..game
    };
    let few = BoutGame { points: -2, ..game };
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
    let mut bouts = bouts(vec![own, bred("random")]);
    bouts.pace.nodes = Some(4);
    let pairs = [pair(0, 0, 1, 0)];
    let packed = Packed::new(&bouts).expect("the network can be read");
    let task = packed.pairs(&pairs);
    assert_eq!(task.blobs().len(), 1);
    std::fs::remove_dir_all(&folder).expect("it was ours");
    let answer = worked(&task, &packed.luggage, HouseRules::new(64)).expect("played");
    assert_eq!(outcomes(&answer, &pairs).expect("a pair").len(), 1);
    let payload = String::from_utf8(task.payload()).expect("JSON");
    assert!(
        !payload.contains(folder.to_str().expect("UTF-8")),
        "{payload}"
    );
}

#[test]
fn what_belongs_to_this_machine_does_not_travel() {
    let said = |text: &str| {
        let mut bouts = bouts(vec![bred("random")]);
        bouts
            .entrants
            .push(Entrant::parse(text).expect("an entrant"));
        Packed::new(&bouts).expect_err(text).to_string()
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
    let mut tables = bouts(vec![bred("random")]);
    tables.adjudication.syzygy = Some(SyzygyRule {
        path: "/tables".into(),
        pieces: None,
        ignore_fifty_moves: false,
    });
    let error = Packed::new(&tables).expect_err("tables").to_string();
    assert!(error.contains("--syzygy"), "{error}");
}

#[test]
fn only_what_the_owner_allows_is_started() {
    let fish = Entrant::parse("cmd:/usr/games/stockfish?Hash=4").expect("an entrant");
    let bouts = bouts(vec![fish, bred("random")]);
    let packed = Packed::new(&bouts).expect("a name travels");
    let task = packed.pairs(&[pair(0, 0, 1, 0)]);
    let payload = String::from_utf8(task.payload()).expect("JSON");
    assert!(
        payload.contains("stockfish") && !payload.contains("games/"),
        "{payload}"
    );
    let refusal = refused(&task, &packed.luggage, HouseRules::new(64));
    assert!(matches!(&refusal, Refusal::Cannot(why) if why.contains("--allow stockfish=")));
    // Allowed, and not there: another worker may have it.
    let mut rules = HouseRules::new(64);
    rules
        .allow("stockfish", "/nowhere/at-all")
        .expect("a command");
    let refusal = refused(&task, &packed.luggage, rules);
    assert!(matches!(&refusal, Refusal::Cannot(_)), "{refusal}");
}

/// The system refuses its tables here, and another machine may have room for them.
#[test]
fn a_worker_without_the_memory_leaves_the_job_to_others() {
    let program = std::env::current_exe().expect("this program has a path");
    // Of a process of its own, since the limit would hold for all tests.
    let limited =
        "ulimit -v 2000000 && exec \"$0\" --exact --ignored task::tests::has_little_memory";
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
    let mut bouts = bouts(vec![bred("mendel"), bred("random")]);
    bouts.entrants[0].options = vec![("Hash".into(), "65536".into())];
    let packed = Packed::new(&bouts).expect("nothing of it belongs to this machine");
    let task = packed.pairs(&[pair(0, 0, 1, 0)]);
    let refusal = refused(&task, &packed.luggage, HouseRules::new(u64::MAX));
    let Refusal::Cannot(why) = &refusal else {
        panic!("another machine may have the memory: {refusal}");
    };
    assert!(why.contains("no memory for a table"), "{why}");
}

#[test]
fn a_task_is_untrusted() {
    let bouts = bouts(vec![bred("mendel"), bred("random")]);
    let packed = Packed::new(&bouts).expect("nothing of it belongs to this machine");
    let good = packed.pairs(&[pair(0, 0, 1, 0)]);
    let rules = || HouseRules::new(64);
    let bad = |change: &dyn Fn(&mut GameTask)| {
        let mut task = good.clone();
        change(&mut task);
        refused(&task, &packed.luggage, rules())
    };
    let options = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
    for change in [
        &(|task: &mut GameTask| task.openings.clear()) as &dyn Fn(&mut GameTask),
        &|task| {
            task.games = Block::Pairs(vec![TaskPair {
                id: 0,
                first: 9,
                second: 0,
                opening: 0,
                only: None,
            }]);
        },
        &|task| {
            task.games = Block::Games(vec![TaskGame {
                game: 0,
                pair: 0,
                white: 0,
                black: 1,
                opening: 5,
            }]);
        },
        &|task| task.openings[0].moves = vec!["e2e5".into()],
        &|task| {
            task.adjudication.syzygy = Some(SyzygyRule {
                path: "/".into(),
                pieces: None,
                ignore_fifty_moves: false,
            });
        },
        &|task| task.entrants[0].options = options("Book", "/etc/passwd"),
        &|task| task.entrants[0].options = options("strength table", "/etc/passwd"),
        &|task| task.entrants[0].options = options("Nonsense", "1"),
        // What is looked at must be what the engine takes.
        &|task| task.entrants[0].options = [options("Hash", "1"), options("hash", "3000")].concat(),
        &|task| {
            task.entrants[0].options =
                [options("Threads", "1"), options(" THREADS", "64")].concat();
        },
        &|task| {
            task.entrants[0].who = Who::Bred {
                player: Text::Inline("name = 3".into()),
                networks: BTreeMap::new(),
            }
        },
        &|task| {
            task.entrants[0].who = Who::Bred {
                player: Text::Inline(
                    "name = \"x\"\n[evaluator]\nkind = \"vision\"\nfile = \"/etc/passwd\"".into(),
                ),
                networks: BTreeMap::new(),
            }
        },
    ] {
        let refusal = bad(change);
        assert!(matches!(refusal, Refusal::Bad(_)), "{refusal}");
    }
    for (name, value) in [("Hash", "65536"), ("Threads", "64")] {
        let refusal = bad(&|task| task.entrants[0].options = options(name, value));
        assert!(matches!(refusal, Refusal::Cannot(_)), "{refusal}");
    }
    let job = |payload: &[u8]| Job {
        id: JobId::new("test").expect("a name"),
        kind: KIND.to_owned(),
        version: VERSION,
        payload: payload.to_vec(),
        blobs: Vec::new(),
    };
    let handler = GameHandler::new(Arc::new(rules()));
    let none: HashMap<_, _> = HashMap::new();
    for payload in [&b""[..], b"{}", b"[1]", &[0xFF; 64]] {
        let refusal = handler.work(&job(payload), &none, &Progress::default());
        assert!(matches!(refusal, Err(Refusal::Bad(_))), "{refusal:?}");
    }
}
