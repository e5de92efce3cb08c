//! Streams: every position once an epoch, in an order that can be repeated.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mendel_board::pgn::GameResult;
use mendel_board::{Color, Position};
use mendel_data::shard::{Shard, ShardGame, ShardWriter};
use mendel_nets::stream::{
    Cursor, Extent, HISTORY, Part, Pick, Plan, Positions, Sample, Settings, Split, StreamError,
};

use crate::made::{self, Made};

fn all() -> Settings {
    Settings {
        part: Part::All,
        mixed_blocks: 2,
        ..Settings::default()
    }
}

fn plan(games: &[Made], settings: Settings) -> Arc<Plan> {
    Plan::new(vec![made::shard(games)], settings).expect("there are games")
}

fn epoch(plan: &Arc<Plan>, number: u64) -> Vec<Sample> {
    let cursor = Cursor {
        epoch: number,
        ..Cursor::default()
    };
    Positions::new(Arc::clone(plan), cursor, Extent::Epoch)
        .collect::<Result<_, _>>()
        .expect("the shard is whole")
}

/// Which game a sample is of, by White's rating, and where in it.
fn origin(sample: &Sample) -> (u16, u16) {
    let white = sample.position.turn().fold_wb(0, 1);
    (sample.ratings[white] - 1000, sample.ply)
}

#[test]
fn an_epoch_gives_every_position_once() {
    let games = made::games(20, 3300, 12);
    let plan = plan(&games, all());
    let mut seen: Vec<_> = epoch(&plan, 0).iter().map(origin).collect();
    seen.sort_unstable();
    let every: Vec<_> = (0_u16..)
        .zip(&games)
        .flat_map(|(number, game)| (0..game.played.len() as u16).map(move |ply| (number, ply)))
        .collect();
    assert_eq!(seen, every);
    assert_eq!(plan.count().unwrap(), every.len() as u64);
}

#[test]
fn a_sample_tells_what_the_game_tells() {
    let games = made::games(21, 40, 60);
    for sample in epoch(&plan(&games, all()), 0) {
        let (number, ply) = origin(&sample);
        let game = &games[usize::from(number)];
        let ply = usize::from(ply);
        let mut position = Position::initial();
        let mut before = vec![position.clone()];
        for &m in &game.played[..ply] {
            position.play(m);
            before.push(position.clone());
        }
        before.pop();
        assert_eq!(sample.position, position);
        assert_eq!(sample.played, game.played[ply]);
        let first = ply.saturating_sub(HISTORY);
        assert_eq!(sample.before.as_slice(), &game.played[first..ply]);
        assert_eq!(sample.repeated, before.contains(&position));
        let white = match game.result {
            GameResult::BlackWins => -1,
            GameResult::WhiteWins => 1,
            GameResult::Draw | GameResult::Unknown => 0,
        };
        let (result, ratings) = match position.turn() {
            Color::White => (white, game.ratings),
            Color::Black => (-white, [game.ratings[1], game.ratings[0]]),
        };
        assert_eq!((sample.result, sample.ratings), (result, ratings));
        let scored = game.scores.is_some() && ply > 0;
        assert_eq!(sample.score, scored.then_some(ply as i16 - 7));
    }
}

#[test]
fn knights_that_go_home_repeat_the_position() {
    let mut position = Position::initial();
    let mut places = Vec::new();
    for uci in ["g1f3", "g8f6", "f3g1", "f6g8", "e2e4"] {
        let m = position.parse_uci(uci).expect("it is legal");
        places.push(mendel_data::shard::place_of(&position, m).unwrap());
        position.play(m);
    }
    let mut file = Vec::new();
    let mut writer = ShardWriter::new(&mut file).unwrap();
    writer
        .push(&ShardGame {
            ratings: [0, 0],
            result: GameResult::Draw,
            moves: &places,
            scores: None,
        })
        .unwrap();
    writer.finish("", "", &[]).unwrap();
    let shard = Shard::from_bytes("knights", file).unwrap();
    let samples = epoch(&Plan::new(vec![shard], all()).unwrap(), 0);
    let repeated: Vec<u16> = samples
        .iter()
        .filter(|sample| sample.repeated)
        .map(|sample| sample.ply)
        .collect();
    assert_eq!(repeated, [4]);
}

#[test]
fn the_order_is_that_of_the_seed_and_the_epoch() {
    let games = made::games(22, 2500, 6);
    let order = |seed, number| {
        let settings = Settings { seed, ..all() };
        let samples = epoch(&plan(&games, settings), number);
        samples.iter().map(origin).collect::<Vec<_>>()
    };
    assert_eq!(order(1, 0), order(1, 0));
    assert_ne!(order(1, 0), order(2, 0));
    assert_ne!(order(1, 0), order(1, 1));
}

#[test]
fn neighbours_come_from_different_games() {
    let samples = epoch(&plan(&made::games(23, 2000, 40), all()), 0);
    let mut different = 0;
    let batches = samples.len() / 256;
    for batch in samples.chunks_exact(256) {
        let games: BTreeSet<u16> = batch.iter().map(|sample| origin(sample).0).collect();
        different += games.len();
    }
    // 256 draws from 2,000 games, the longer the likelier, meet about 230.
    assert!(different > 215 * batches, "{different} in {batches}");
}

#[test]
fn a_stream_goes_on_exactly_where_it_was_left() {
    let games = made::games(24, 3100, 3);
    for pick in [Pick::All, Pick::PerGame(1)] {
        let settings = Settings {
            pick,
            mixed_blocks: 1,
            ..all()
        };
        let plan = plan(&games, settings);
        let length = plan.count().unwrap() as usize;
        let mut stream = Positions::new(Arc::clone(&plan), Cursor::default(), Extent::Endless);
        let mut samples = Vec::new();
        let mut cursors = Vec::new();
        for _ in 0..length * 2 + 100 {
            cursors.push(stream.cursor());
            samples.push(stream.next().unwrap().unwrap());
        }
        let places = (0..samples.len() - 40).step_by(length / 9);
        for place in places.chain([length - 1, length, length + 1]) {
            // A cursor is text in a checkpoint.
            let text = serde_json::to_string(&cursors[place]).unwrap();
            let cursor: Cursor = serde_json::from_str(&text).unwrap();
            let resumed = Positions::new(Arc::clone(&plan), cursor, Extent::Endless);
            let resumed: Vec<Sample> = resumed.take(40).map(Result::unwrap).collect();
            assert_eq!(resumed, samples[place..place + 40], "{pick:?} {place}");
        }
        let half = &cursors[length / 2];
        let rest = Positions::new(Arc::clone(&plan), *half, Extent::Epoch);
        assert_eq!(rest.count(), length - length / 2);
    }
}

#[test]
fn parts_share_no_game_and_miss_none() {
    let games = made::games(25, 2000, 8);
    let split = Split {
        validation: 0.2,
        test: 0.1,
        seed: 3,
    };
    let part = |part, seed| {
        let split = Split { seed, ..split };
        let settings = Settings {
            part,
            split,
            ..all()
        };
        let samples = epoch(&plan(&games, settings), 0);
        samples.iter().map(origin).collect::<BTreeSet<_>>()
    };
    let parts = [Part::Train, Part::Validation, Part::Test].map(|one| part(one, 3));
    let total: usize = parts.iter().map(BTreeSet::len).sum();
    let union: BTreeSet<_> = parts.iter().flatten().copied().collect();
    assert_eq!((union.len(), &union), (total, &part(Part::All, 3)));
    let games_of = |part: &BTreeSet<(u16, u16)>| {
        let games: BTreeSet<u16> = part.iter().map(|&(game, _)| game).collect();
        games
    };
    // Whole games: no game has positions on two sides.
    let [train, validation, test] = parts.each_ref().map(games_of);
    assert!(train.is_disjoint(&validation) && train.is_disjoint(&test));
    assert!(validation.is_disjoint(&test));
    // Short random games repeat each other, so shares are rough.
    assert!(
        (300..500).contains(&validation.len()),
        "{}",
        validation.len()
    );
    assert!((130..270).contains(&test.len()), "{}", test.len());
    assert_ne!(part(Part::Test, 3), part(Part::Test, 4));
}

#[test]
fn a_game_is_in_the_same_part_whatever_file_it_stands_in() {
    let games = made::games(26, 300, 30);
    let mut others = made::games(27, 150, 30);
    others.extend_from_slice(&games[150..]);
    let settings = Settings {
        part: Part::Test,
        split: Split {
            validation: 0.3,
            test: 0.3,
            seed: 1,
        },
        ..all()
    };
    // What both files have are the games from 150 on.
    let tested = |shards| -> Vec<(u16, u16)> {
        let plan = Plan::new(shards, settings).unwrap();
        let mut tested: Vec<_> = epoch(&plan, 0).iter().map(origin).collect();
        tested.retain(|&(game, _)| game >= 150);
        tested.sort_unstable();
        tested
    };
    let of_one = tested(vec![made::shard(&games)]);
    let of_both = tested(vec![made::shard(&others), made::shard(&games)]);
    assert!(of_one.len() > 100, "{}", of_one.len());
    let twice: Vec<_> = of_one.iter().flat_map(|&sample| [sample; 2]).collect();
    assert_eq!(of_both, twice);
}

#[test]
fn one_position_a_game_is_another_in_each_epoch() {
    let games = made::games(28, 200, 60);
    let settings = Settings {
        pick: Pick::PerGame(1),
        ..all()
    };
    let plan = plan(&games, settings);
    let mut drawn: BTreeMap<u16, BTreeSet<u16>> = BTreeMap::new();
    let mut halves = 0.0;
    for number in 0..50 {
        let samples = epoch(&plan, number);
        let origins: BTreeMap<u16, u16> = samples.iter().map(origin).collect();
        assert_eq!((samples.len(), origins.len()), (200, 200));
        for (game, ply) in origins {
            let plies = games[usize::from(game)].played.len();
            halves += (f64::from(ply) + 0.5) / plies as f64;
            drawn.entry(game).or_default().insert(ply);
        }
    }
    // All of a game's positions are as likely: the mean place is its middle, with
    // a standard error of 0.003.
    let mean = halves / (50.0 * 200.0);
    assert!((0.485..0.515).contains(&mean), "{mean}");
    for (game, plies) in drawn {
        let most = games[usize::from(game)].played.len();
        assert!(plies.len() * 3 > most.min(50), "{plies:?} of {most}");
    }
}

#[test]
fn some_positions_a_game_are_all_of_a_short_one() {
    let games = made::games(29, 100, 20);
    let settings = Settings {
        pick: Pick::PerGame(5),
        skip_plies: 4,
        ..all()
    };
    let plan = plan(&games, settings);
    let samples = epoch(&plan, 0);
    let mut counts: BTreeMap<u16, BTreeSet<u16>> = BTreeMap::new();
    for sample in &samples {
        let (game, ply) = origin(sample);
        assert!(ply >= 4 && counts.entry(game).or_default().insert(ply));
    }
    for (number, game) in (0_u16..).zip(&games) {
        let there = game.played.len().saturating_sub(4).min(5);
        assert_eq!(counts.get(&number).map_or(0, BTreeSet::len), there);
    }
    assert_eq!(plan.count().unwrap(), samples.len() as u64);
}

#[test]
fn ratings_and_lengths_choose_games() {
    let games = made::games(30, 500, 60);
    let settings = Settings {
        min_rating: 1100,
        max_rating: 1250,
        min_moves: 20,
        ..all()
    };
    let streamed: BTreeSet<u16> = epoch(&plan(&games, settings), 0)
        .iter()
        .map(|sample| origin(sample).0)
        .collect();
    let wanted: BTreeSet<u16> = (0_u16..)
        .zip(&games)
        .filter(|(_, game)| {
            let lower = game.ratings[0].min(game.ratings[1]);
            (1100..=1250).contains(&lower) && game.played.len() >= 39
        })
        .map(|(number, _)| number)
        .collect();
    assert!(wanted.len() > 10, "{}", wanted.len());
    assert_eq!(streamed, wanted);
}

#[test]
fn nothing_to_stream_is_an_error_and_no_endless_search() {
    let games = made::games(31, 50, 10);
    let none = Settings {
        min_moves: 1000,
        ..all()
    };
    for extent in [Extent::Epoch, Extent::Endless] {
        let mut stream = Positions::new(plan(&games, none), Cursor::default(), extent);
        let error = stream.next().expect("it says so").unwrap_err();
        assert!(matches!(error, StreamError::Empty { games: 50, .. }));
        assert!(stream.next().is_none());
    }
    assert!(matches!(
        Plan::new(Vec::new(), all()),
        Err(StreamError::NoGames)
    ));
    let empty = Plan::new(vec![made::shard(&[])], all());
    assert!(matches!(empty, Err(StreamError::NoGames)));
}

#[test]
fn a_cursor_of_another_stream_is_refused() {
    let plan = plan(&made::games(32, 50, 10), all());
    for (mixture, taken) in [(1, 0), (u64::MAX, 0), (0, 100_000)] {
        let cursor = Cursor {
            epoch: 0,
            mixture,
            taken,
        };
        let mut stream = Positions::new(Arc::clone(&plan), cursor, Extent::Endless);
        let error = stream.next().expect("it says so").unwrap_err();
        assert!(matches!(error, StreamError::Cursor { .. }), "{error}");
    }
}

#[test]
fn settings_that_make_no_sense_are_refused_by_name() {
    let share = |validation, test| Settings {
        split: Split {
            validation,
            test,
            seed: 1,
        },
        ..all()
    };
    for (settings, key) in [
        (share(-0.1, 0.0), "split.validation"),
        (share(0.0, f64::NAN), "split.test"),
        (share(0.6, 0.6), "split"),
        (
            Settings {
                min_rating: 5,
                max_rating: 4,
                ..all()
            },
            "min-rating",
        ),
        (
            Settings {
                pick: Pick::PerGame(0),
                ..all()
            },
            "pick",
        ),
        (
            Settings {
                mixed_blocks: 0,
                ..all()
            },
            "mixed-blocks",
        ),
    ] {
        let error = settings.check().expect_err(key);
        let StreamError::Settings { key: found, .. } = error else {
            panic!("{key}: {error}");
        };
        assert_eq!(found, key);
    }
}

/// A file with good checksums may still hold a move that is none.
#[test]
fn a_move_that_is_not_legal_is_damage() {
    let mut file = Vec::new();
    let mut writer = ShardWriter::new(&mut file).unwrap();
    writer
        .push(&ShardGame {
            ratings: [0, 0],
            result: GameResult::Draw,
            moves: &[2, 3, 77],
            scores: None,
        })
        .unwrap();
    writer.finish("", "", &[]).unwrap();
    let shard = Shard::from_bytes("forged", file).unwrap();
    let plan = Plan::new(vec![shard], all()).unwrap();
    let mut stream = Positions::new(plan, Cursor::default(), Extent::Epoch);
    let error = stream.next().unwrap().unwrap_err().to_string();
    assert!(
        error.contains("`forged`") && error.contains("ply 2"),
        "{error}"
    );
}
