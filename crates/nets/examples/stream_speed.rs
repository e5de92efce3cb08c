//! How many positions a second come out of a file of games.
//!
//! `cargo run --release -p mendel-nets --example stream_speed -- FILE.games [THREADS]` streams
//! one epoch of all positions, then one position a game, on one core; and batches
//! of both by this number of threads (2), with nothing made of the samples.

#![allow(clippy::print_stdout, reason = "an example may print")]

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mendel_data::shard::Shard;
use mendel_nets::Sample;
use mendel_nets::batch::{Loader, Setting};
use mendel_nets::stream::{Cursor, Extent, Part, Pick, Plan, Positions, Settings};
use rustix::time::{ClockId, clock_gettime};

/// Samples that are streamed, unless it is one epoch.
const SAMPLES: usize = 3_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("name a file of games")?;
    let threads: usize = arguments.next().map_or(Ok(2), |text| text.parse())?;
    println!("a sample in memory: {} bytes", size_of::<Sample>());
    for pick in [Pick::All, Pick::PerGame(8), Pick::PerGame(1)] {
        let settings = Settings {
            part: Part::All,
            pick,
            ..Settings::default()
        };
        let plan = Plan::new(vec![Shard::open(&file)?], settings)?;
        let begun = Begun::now();
        let mut count = 0_usize;
        let stream = Positions::new(Arc::clone(&plan), Cursor::default(), Extent::Epoch);
        for sample in stream.take(SAMPLES) {
            black_box(sample?);
            count += 1;
        }
        tell(&format!("{pick:?}, one core"), count, &begun);

        let setting = Setting {
            threads,
            ..Setting::default()
        };
        let begun = Begun::now();
        let mut count = 0;
        let touch = |samples: &[&Sample]| samples.iter().map(|sample| u64::from(sample.ply)).sum();
        let loader = Loader::<u64>::new(plan, Cursor::default(), Extent::Epoch, setting, touch);
        for batch in loader.take(SAMPLES / setting.size) {
            count += batch?.samples;
        }
        tell(&format!("{pick:?}, {threads} threads"), count, &begun);
    }
    Ok(())
}

/// The clock on the wall and that of this process: others may use the machine, too.
struct Begun(Instant, Duration);

impl Begun {
    fn now() -> Self {
        Self(Instant::now(), worked())
    }
}

fn worked() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let time = Duration::try_from(time);
    time.expect("no process has worked for less than nothing")
}

fn tell(what: &str, count: usize, begun: &Begun) {
    let &Begun(wall, before) = begun;
    let (wall, core) = (wall.elapsed(), worked().saturating_sub(before));
    let speed = |time: Duration| count as f64 / time.as_secs_f64();
    println!(
        "{what}: {count} positions in {:.2} s, {:.0} a second; {:.0} a second of a core",
        wall.as_secs_f64(),
        speed(wall),
        speed(core)
    );
}
