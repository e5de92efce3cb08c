//! Batches: the order of the stream, whichever thread works.

use std::sync::Arc;

use mendel_nets::batch::{Batch, Loader, Setting};
use mendel_nets::stream::{Cursor, Extent, Part, Plan, Positions, Sample, Settings, StreamError};

use crate::made;

fn plan() -> Arc<Plan> {
    let settings = Settings {
        part: Part::All,
        mixed_blocks: 1,
        ..Settings::default()
    };
    Plan::new(vec![made::shard(&made::games(40, 3200, 6))], settings).unwrap()
}

type Facts = Vec<(u64, u16)>;

fn facts(samples: &[&Sample]) -> Facts {
    samples
        .iter()
        .map(|sample| (sample.position.key(), sample.ratings[0]))
        .collect()
}

fn loader(cursor: Cursor, extent: Extent, threads: usize) -> Loader<Facts> {
    let setting = Setting {
        size: 100,
        threads,
        ahead: 3,
    };
    Loader::new(plan(), cursor, extent, setting, facts)
}

#[test]
fn batches_are_the_stream_for_any_number_of_threads() {
    let samples: Vec<Sample> = Positions::new(plan(), Cursor::default(), Extent::Epoch)
        .collect::<Result<_, _>>()
        .unwrap();
    let samples: Vec<&Sample> = samples.iter().collect();
    let wanted: Vec<Facts> = samples.chunks(100).map(facts).collect();
    for threads in [1, 2, 5] {
        let loader = loader(Cursor::default(), Extent::Epoch, threads);
        let batches: Vec<Batch<Facts>> = loader.collect::<Result<_, _>>().unwrap();
        let counted = batches
            .iter()
            .all(|batch| batch.samples == batch.data.len());
        assert!(counted);
        let data: Vec<Facts> = batches.into_iter().map(|batch| batch.data).collect();
        assert_eq!(data, wanted, "{threads} threads");
    }
}

#[test]
fn a_loader_goes_on_behind_any_batch() {
    let batches: Vec<Batch<Facts>> = loader(Cursor::default(), Extent::Endless, 2)
        .take(250)
        .collect::<Result<_, _>>()
        .unwrap();
    assert!(batches.last().unwrap().cursor.epoch > 0);
    for behind in [0, 7, 50, 111, 160] {
        let rest: Vec<Batch<Facts>> = loader(batches[behind].cursor, Extent::Endless, 1)
            .take(60)
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(rest, batches[behind + 1..behind + 61], "behind {behind}");
    }
}

#[test]
fn a_loader_may_be_dropped_at_any_time() {
    for taken in [0, 1, 40] {
        let mut loader = loader(Cursor::default(), Extent::Endless, 3);
        for _ in 0..taken {
            loader.next().unwrap().unwrap();
        }
        drop(loader);
    }
}

#[test]
fn a_death_among_the_threads_ends_the_batches() {
    let die = |samples: &[&Sample]| assert!(samples.is_empty(), "expected by the test");
    for threads in [1, 3] {
        let setting = Setting {
            threads,
            ..Setting::default()
        };
        let mut loader = Loader::new(plan(), Cursor::default(), Extent::Endless, setting, die);
        assert!(matches!(loader.next(), Some(Err(StreamError::Worker))));
        assert!(loader.next().is_none());
    }
}

#[test]
fn errors_of_the_stream_come_through() {
    let settings = Settings {
        min_moves: 1000,
        ..Settings::default()
    };
    let plan = Plan::new(vec![made::shard(&made::games(41, 30, 6))], settings).unwrap();
    let setting = Setting::default();
    let mut loader = Loader::new(plan, Cursor::default(), Extent::Endless, setting, facts);
    let error = loader.next().unwrap().unwrap_err();
    assert!(matches!(error, StreamError::Empty { .. }), "{error}");
    assert!(loader.next().is_none());
}
