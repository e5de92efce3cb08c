//! A stopped game task returns no result, or that of an unbroken run.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

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
use mendel_testkit::stop_at_random_moments;

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
    let start = Instant::now();
    let never = AtomicBool::new(false);
    let unbroken = play(&Crew::threads(2), &never, &mut Memo::default(), &mut 0);
    let typical = start.elapsed();
    let unbroken = unbroken.expect("nothing stops it");
    assert_eq!(unbroken.len(), pairs.len());

    let mut memo = Memo::default();
    stop_at_random_moments(0x5EED, typical, |attempt| {
        if attempt.starts_again {
            memo = Memo::default();
        }
        let before = memo.0.len() as u64;
        let (crew, mut counted) = (Crew::threads(1 + attempt.number % 2), 0);
        let played = play(&crew, &attempt.stop, &mut memo, &mut counted);
        assert!(counted >= before, "what is found is counted, too");
        played.is_some_and(|played| {
            assert_eq!(played, unbroken);
            true
        })
    });
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
    let (mut unbroken, start) = (BTreeMap::new(), Instant::now());
    let mapped = play(2, &AtomicBool::new(false), &mut unbroken);
    let typical = start.elapsed();
    assert_eq!((mapped, unbroken.len() as u64), (Mapped::All, 2 * PAIRS));

    let mut memo = BTreeMap::new();
    stop_at_random_moments(0xACE5, typical, |attempt| {
        if attempt.starts_again {
            memo.clear();
        }
        play(1 + attempt.number % 2, &attempt.stop, &mut memo) == Mapped::All
    });
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
    let start = Instant::now();
    let whole = handler.work(&job, &blobs, &JobProgress::default());
    let whole = whole.expect("nothing stops it");
    stop_at_random_moments(0xBEE5, start.elapsed(), |attempt| {
        let progress = JobProgress::stopped_by(Arc::clone(&attempt.stop));
        match handler.work(&job, &blobs, &progress) {
            Ok(result) => {
                assert_eq!(result, whole);
                true
            }
            Err(error) => {
                assert_eq!(error, HandlerError::Stopped);
                false
            }
        }
    });
}
