//! Everything dies, at moments that a seed chooses: `MENDEL_CREW_TEST_SEED`, or 7.

use super::*;
use crate::children::Process;

/// A small generator of our own: the same moments in every run of the test.
struct Dice(u64);

impl Dice {
    fn new() -> Self {
        let seed = std::env::var("MENDEL_CREW_TEST_SEED").ok();
        Self(seed.and_then(|seed| seed.parse().ok()).unwrap_or(7))
    }

    fn below(&mut self, end: u64) -> u64 {
        // Knuth's constants for a linear congruential generator of 64 bits.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Kills worker processes and the server until all is over, and counts the deaths. On a slow
/// machine kills are rarer, so that the work ends.
fn rage(mut place: Place, over: &AtomicBool, deaths: &AtomicU64, entered: &AtomicU64) -> Place {
    let mut dice = Dice::new();
    let mut victims: Vec<Process> = (0..4).map(|_| Process::start(&place)).collect();
    while !over.load(Ordering::Relaxed) {
        let (last, begun) = (entered.load(Ordering::Relaxed), Instant::now());
        thread::sleep(Duration::from_millis(300 + dice.below(500)));
        while entered.load(Ordering::Relaxed) == last && begun.elapsed() < MAX_CALM {
            thread::sleep(Duration::from_millis(20));
        }
        if dice.below(4) == 0 {
            place.kill();
            thread::sleep(Duration::from_millis(dice.below(400)));
            place.start();
        } else {
            let victim = dice.below(4) as usize;
            victims[victim] = Process::start(&place);
        }
        deaths.fetch_add(1, Ordering::Relaxed);
    }
    place
}

/// Time without a kill while no outcome arrives.
const MAX_CALM: Duration = Duration::from_secs(5);

#[test]
fn counts_are_right_whatever_process_is_killed() {
    const JOBS: usize = 120;
    let place = Place::with_short_lease("chaos");
    let options = place.options();
    let over = AtomicBool::new(false);
    let (deaths, entered, mut set_aside) = (AtomicU64::new(0), AtomicU64::new(0), 0);
    let mut books = Books::default();
    let begun = Instant::now();
    thread::scope(|scope| {
        let (over, deaths, entered) = (&over, &deaths, &entered);
        let _end = SetOnDrop(over);
        scope.spawn(move || rage(place, over, deaths, entered));
        let mut dice = Dice::new();
        // Each coordinator takes some outcomes and dies.
        while books.outcomes.len() < JOBS {
            assert!(begun.elapsed() < LIMIT, "{} are done", books.outcomes.len());
            let Ok(remote) = CrewClient::connect(&options, PROGRAM) else {
                continue;
            };
            let rest: Vec<Job> = naps(JOBS, 100)
                .into_iter()
                .filter(|job| !books.outcomes.contains_key(job.id.as_str()))
                .collect();
            let mut left = 10 + dice.below(30);
            // A third of them dies of a full disk when an outcome is delivered.
            let cruel = dice.below(3) == 0;
            let stop = AtomicBool::new(false);
            let ended = remote.work("run", rest.into_iter(), &no_blobs, &stop, &mut |outcome| {
                // Its workers died three times: the next coordinator tries it again.
                if outcome.result.is_err() {
                    set_aside += 1;
                    return Err("set aside");
                }
                // More outcomes may arrive while it stops.
                left = u64::saturating_sub(left, 1);
                if left == 0 && cruel {
                    return Err("full");
                }
                books.enter(outcome);
                entered.fetch_add(1, Ordering::Relaxed);
                stop.fetch_or(left == 0, Ordering::Relaxed);
                Ok(JobFlow::Continue)
            });
            let fine = match &ended {
                Ok(tally) => tally.dead == 0 && tally.corrupt == 0,
                Err(error) => matches!(error, MapError::Consumer("full" | "set aside")),
            };
            assert!(fine, "{ended:?}");
        }
    });
    books.check_naps(JOBS);
    let deaths = deaths.into_inner();
    assert!(
        3 * set_aside <= deaths,
        "{set_aside} set aside, {deaths} deaths"
    );
}
