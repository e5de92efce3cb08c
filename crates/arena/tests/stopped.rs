//! A stopped game task returns no result, or that of an unbroken run.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use mendel_arena::task::{GameTask, PairTask, PairUnpack, ProgramAllowlist};
use mendel_arena::{
    Adjudication, Entrant, Fixture, GamePair, GamePairs, GameRecord, LengthRule, OpeningSetting,
    Openings, Pace, PairGame, PairMemo, Patience, Verdict, play_pairs,
};
use mendel_crew::{
    BlobId, Crew, CrewError, Done, Flow, Handler, HandlerError, Job, JobId, JobProgress, Mapped,
    Task, TaskHandler,
};
use mendel_engine::Player;

const PAIRS: u64 = 12;

fn games() -> GamePairs {
    let bred = |name: &str| {
        let player = Player::find(name).expect("it ships with the program");
        Entrant::bred(name, Arc::new(player), vec![("Hash".into(), "1".into())])
    };
    let book = Openings::own(&OpeningSetting::default());
    GamePairs {
        entrants: ["mendel", "material"].map(bred).to_vec(),
        openings: (0..PAIRS).map(|index| book.get(index)).collect(),
        pace: Pace {
            nodes: Some(100),
            ..Pace::default()
        },
        patience: Patience::default(),
        adjudication: Adjudication {
            length: Some(LengthRule {
                plies: 30,
                verdict: Verdict::Material,
            }),
            ..Adjudication::default()
        },
    }
}

fn pairs() -> Vec<GamePair> {
    let pair = |id| GamePair {
        id,
        first: 0,
        second: 1,
        opening: id as usize,
        only: None,
    };
    (0..PAIRS).map(pair).collect()
}

/// Numbers from a seed (xorshift), so that a failure can be repeated.
fn random(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed
}

/// Does `work` and sets `stop` after so many microseconds.
fn stopped_after<T>(
    microseconds: u64,
    stop: &Arc<AtomicBool>,
    work: impl FnOnce(&AtomicBool) -> T,
) -> T {
    let flag = Arc::clone(stop);
    let alarm = thread::spawn(move || {
        thread::sleep(Duration::from_micros(microseconds));
        flag.store(true, Ordering::Relaxed);
    });
    let result = work(stop);
    alarm.join().expect("it only waits");
    result
}

#[derive(Debug, Default)]
struct Memo(BTreeMap<u64, [PairGame; 2]>);

impl PairMemo for Memo {
    type Error = CrewError;

    fn find(&self, pair: &GamePair) -> Option<[PairGame; 2]> {
        self.0.get(&pair.id).copied()
    }

    fn append(&mut self, pair: &GamePair, games: [PairGame; 2]) -> Result<(), CrewError> {
        let earlier = self.0.insert(pair.id, games);
        assert_eq!(earlier, None, "pair {} came twice", pair.id);
        Ok(())
    }
}

#[test]
fn pairs_that_are_stopped_at_random_moments_are_those_of_an_unbroken_run() {
    let (task, pairs) = (PairTask::new(&games()), pairs());
    let play = |crew: &Crew, stop: &AtomicBool, memo: &mut Memo, counted: &mut u64| {
        play_pairs(crew, &task, &pairs, stop, memo, &mut |_, games| {
            *counted += u64::from(games.is_some());
            Ok::<_, CrewError>(())
        })
        .expect("it is played or stopped")
    };
    let unbroken = play(
        &Crew::threads(2),
        &AtomicBool::new(false),
        &mut Memo::default(),
        &mut 0,
    );
    let unbroken = unbroken.expect("nothing stops it");
    assert_eq!(unbroken.len(), pairs.len());

    let (mut memo, mut seed, mut stops) = (Memo::default(), 0x5EED, 0);
    let broken = loop {
        let before = memo.0.len() as u64;
        let (crew, mut counted) = (Crew::threads(1 + stops % 2), 0);
        // Longer each time, however slow the machine is.
        let after = random(&mut seed) % (20_000 * (1 + stops as u64));
        let played = stopped_after(after, &Arc::default(), |stop| {
            play(&crew, stop, &mut memo, &mut counted)
        });
        assert!(counted >= before, "what is found is counted, too");
        if let Some(played) = played {
            break played;
        }
        stops += 1;
    };
    assert!(stops > 0, "it was stopped");
    assert_eq!(broken, unbroken);
}

/// What must be equal; times are not.
fn moves(record: &GameRecord) -> (Vec<String>, String) {
    let moves = record.moves.iter().map(|it| it.m.clone()).collect();
    (moves, format!("{:?}", record.ending))
}

#[test]
fn games_that_are_stopped_at_random_moments_are_those_of_an_unbroken_run() {
    let games = games();
    let limits = (games.pace, games.patience);
    let book = Openings::own(&OpeningSetting::default());
    let opening = |index| book.get(index);
    let adjudication = &games.adjudication;
    let task = GameTask::new(&games.entrants, PAIRS, opening, limits, adjudication, None);
    let fixture = |game: u64| Fixture {
        game,
        pair: game / 2,
        white: (game % 2) as usize,
        black: 1 - (game % 2) as usize,
        opening: game / 2,
    };
    let play = |threads: usize, stop: &AtomicBool, memo: &mut BTreeMap<u64, _>| {
        let open: Vec<u64> = (0..2 * PAIRS).filter(|it| !memo.contains_key(it)).collect();
        let items = open.into_iter().map(fixture);
        let mapped = Crew::threads(threads).map(&task, items, stop, &mut |game, done| {
            if let Done::Output(record) = done {
                memo.insert(game.game, moves(&record));
            }
            Ok::<_, CrewError>(Flow::Continue)
        });
        mapped.expect("it is played or stopped")
    };
    let mut unbroken = BTreeMap::new();
    let mapped = play(2, &AtomicBool::new(false), &mut unbroken);
    assert_eq!((mapped, unbroken.len() as u64), (Mapped::All, 2 * PAIRS));

    let (mut memo, mut seed, mut stops) = (BTreeMap::new(), 0xACE5, 0);
    loop {
        let after = random(&mut seed) % (20_000 * (1 + stops as u64));
        let mapped = stopped_after(after, &Arc::default(), |stop| {
            play(1 + stops % 2, stop, &mut memo)
        });
        if mapped == Mapped::All {
            break;
        }
        stops += 1;
    }
    assert!(stops > 0, "it was stopped");
    assert_eq!(memo, unbroken);
}

#[test]
fn a_worker_that_is_stopped_returns_whole_pairs_or_none() {
    let task = PairTask::new(&games());
    let payload = task.pack(&pairs()[..2]).expect("it is portable");
    let blobs = payload.blobs.iter();
    let blobs: HashMap<BlobId, Arc<[u8]>> = blobs
        .map(|id| (*id, task.blob(id).expect("it was packed")))
        .collect();
    let job = Job {
        id: JobId::new("pairs").expect("a name"),
        kind: PairTask::KIND.to_owned(),
        version: PairTask::VERSION,
        payload: payload.bytes,
        blobs: payload.blobs,
    };
    let handler = TaskHandler::new(PairUnpack::new(Arc::new(ProgramAllowlist::new(64))));
    let whole = handler.work(&job, &blobs, &JobProgress::default());
    let whole = whole.expect("nothing stops it");
    let (mut seed, mut stopped) = (0xBEE5, 0);
    for _ in 0..12 {
        let progress = JobProgress::default();
        let after = random(&mut seed) % 60_000;
        let result = stopped_after(after, &progress.stop_flag(), |_| {
            handler.work(&job, &blobs, &progress)
        });
        match result {
            Ok(result) => assert_eq!(result, whole),
            Err(error) => {
                assert_eq!(error, HandlerError::Stopped);
                stopped += 1;
            }
        }
    }
    assert!(stopped > 0, "none was stopped");
}
