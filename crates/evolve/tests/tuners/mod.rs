//! Tuners: they find the top, the same one again, within bounds, and say how sure they
//! are.

mod intervals;
mod laws;
mod refusals;

use mendel_evolve::tuners::{AnyTuner, Duel, Knob, Outcome, Pairs, Setting, Tuner, TunerPlan};
use mendel_evolve::{Purpose, generator};
use rand::RngExt;

/// A program whose strength in Elo is known.
struct Hill {
    knobs: Vec<Knob>,
    best: Vec<f64>,
    /// What each knob loses at the distance of its whole range.
    steep: Vec<f64>,
}

impl Hill {
    /// Knobs of several widths, all off their best value.
    fn new(size: usize) -> Self {
        let knob = |place: usize| {
            let high = 60 + 40 * place as i64;
            Knob::integer(format!("K{place}"), 0, high, high / 4)
        };
        let knobs: Vec<Knob> = (0..size).map(knob).collect();
        let best = knobs
            .iter()
            .map(|knob| knob.hold(0.6 * knob.high))
            .collect();
        Self {
            steep: vec![400.0; size],
            knobs,
            best,
        }
    }

    fn loss(&self, setting: &Setting) -> f64 {
        let parts = self
            .knobs
            .iter()
            .zip(&self.best)
            .zip(&self.steep)
            .zip(&setting.0);
        let lost = parts.map(|(((knob, best), steep), value)| {
            let off = (value - best) / (knob.high - knob.low).max(1.0);
            steep * off * off
        });
        lost.sum()
    }

    fn start(&self) -> Setting {
        Setting(self.knobs.iter().map(|knob| knob.start).collect())
    }

    fn tuner(&self, plan: TunerPlan, pairs: u64, seed: u64) -> AnyTuner {
        AnyTuner::new(plan, self.knobs.clone(), pairs, 4, seed).unwrap()
    }

    /// Each pair is two games with a fair share of chance.
    fn play(&self, duel: &Duel, round: u32, number: usize) -> Outcome {
        let ahead = self.loss(&duel.second) - self.loss(&duel.first);
        let score = 1.0 / (1.0 + libm::pow(10.0, -ahead / 400.0));
        let mut rng = generator(17, round, number as u32, Purpose::Trial);
        let mut pairs = Pairs::default();
        for _ in 0..duel.pairs {
            let halves = (0..4).filter(|_| rng.random::<f64>() < score).count();
            pairs.0[halves] += 1;
        }
        Outcome::Played(pairs)
    }

    /// Without chance: the stronger one always wins.
    fn surely(&self, duel: &Duel) -> Outcome {
        let ahead = self.loss(&duel.second) - self.loss(&duel.first);
        let mut pairs = [0; 5];
        let place = match ahead.total_cmp(&0.0) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => 2,
            std::cmp::Ordering::Greater => 4,
        };
        pairs[place] = u64::from(duel.pairs);
        Outcome::Played(Pairs(pairs))
    }
}

/// Tunes until nothing more is asked for.
fn finish(tuner: &mut AnyTuner, play: impl Fn(&Duel, u32, usize) -> Outcome) {
    loop {
        let duels = tuner.ask();
        if duels.is_empty() {
            return;
        }
        let round = tuner.round();
        let numbered = duels.iter().enumerate();
        let outcomes: Vec<Outcome> = numbered
            .map(|(number, duel)| play(duel, round, number))
            .collect();
        tuner.tell(duels, &outcomes);
    }
}
