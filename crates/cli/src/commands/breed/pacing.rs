//! How fast games are played, and how long that will take.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use indicatif::HumanDuration;
use mendel_lab::trial::Judging;

/// Counts the games of a run while its generations are judged.
#[derive(Debug, Default)]
pub(super) struct Pacing {
    /// The first game of this process.
    began: Option<Instant>,
    /// Games that this process has played.
    played: u64,
    last: Option<(u32, Judging)>,
    /// Games of the largest generation.
    largest: u64,
}

/// An estimate from fewer games than this is none.
const FEW: u64 = 4;

impl Pacing {
    /// A generation is being judged; `generations` is how many there will be.
    pub(super) fn hear(
        &mut self,
        generation: u32,
        judging: Judging,
        generations: Option<u64>,
    ) -> String {
        let now = Instant::now();
        let elapsed = now - *self.began.get_or_insert(now);
        self.count(generation, judging);
        self.text(generation, judging, generations, elapsed)
    }

    fn count(&mut self, generation: u32, judging: Judging) {
        let before = match self.last {
            Some((same, last))
                if same == generation
                    && last.total == judging.total
                    && last.done <= judging.done =>
            {
                last.done
            }
            _ => judging.found,
        };
        self.played += judging.done - before.min(judging.done);
        self.largest = self.largest.max(judging.total);
        self.last = Some((generation, judging));
    }

    fn text(
        &self,
        generation: u32,
        judging: Judging,
        generations: Option<u64>,
        elapsed: Duration,
    ) -> String {
        let Judging { done, total, .. } = judging;
        let mut text = format!("{done}/{total} games");
        let rate = self.played as f64 / elapsed.as_secs_f64().max(1e-3);
        if self.played < FEW || elapsed < Duration::from_millis(100) {
            return text;
        }
        let time = |games: u64| HumanDuration(Duration::from_secs_f64(games as f64 / rate));
        let open = total - done.min(total);
        let _ = write!(text, ", {rate:.1} a second, {} left", time(open));
        if let Some(generations) = generations {
            let after = generations.saturating_sub(u64::from(generation) + 1);
            let all = open + after * self.largest;
            let _ = write!(text, " ({} for the whole run)", time(all));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_on_the_disk_makes_nobody_faster() {
        let mut pacing = Pacing::default();
        let judging = |done, found| Judging {
            done,
            found,
            total: 100,
        };
        for (generation, judging) in [
            (0, judging(60, 60)),
            (0, judging(80, 60)),
            (0, judging(100, 60)),
            (1, judging(0, 0)),
            (1, judging(10, 0)),
        ] {
            pacing.count(generation, judging);
        }
        assert_eq!(pacing.played, 50);
        let text = pacing.text(1, judging(10, 0), Some(4), Duration::from_secs(10));
        assert_eq!(
            text,
            "10/100 games, 5.0 a second, 18 seconds left (58 seconds for the whole run)"
        );
        let text = pacing.text(1, judging(10, 0), None, Duration::from_secs(10));
        assert!(text.ends_with("left"), "{text}");
        let early = Pacing::default().text(0, judging(0, 0), Some(9), Duration::ZERO);
        assert_eq!(early, "0/100 games");
    }
}
