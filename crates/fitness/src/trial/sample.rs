//! Which positions a generation is judged by.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::TrialError;

/// When the sample of positions is drawn afresh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Draw {
    /// Once for each generation: its members are judged by the same positions.
    #[default]
    Generation,
    /// For each member anew.
    Member,
    /// Never: positions at even distances, the same in every run.
    Never,
}

/// How many positions of how many, and when they are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampling {
    total: usize,
    size: usize,
    draw: Draw,
}

/// The positions of one generation, by rising index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Drawn {
    /// All positions for every member.
    All,
    /// These positions for every member.
    Shared(Vec<usize>),
    Own(Vec<Vec<usize>>),
}

impl Sampling {
    pub(super) fn new(total: usize, sample: Option<usize>, draw: Draw) -> Result<Self, TrialError> {
        if total == 0 {
            return Err(TrialError::NoPositions);
        }
        let size = sample.unwrap_or(total);
        if size > total {
            return Err(TrialError::Sample {
                asked: size,
                found: total,
            });
        }
        if size == 0 {
            return Err(TrialError::Setting {
                key: "sample",
                reason: "is 0; ask for at least one position, or leave it out for all",
            });
        }
        Ok(Self { total, size, draw })
    }

    /// How many positions a member is judged by.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn draw(&self, seed: u64, members: usize) -> Drawn {
        if self.size == self.total {
            return Drawn::All;
        }
        match self.draw {
            Draw::Never => {
                let at = |index| (index as u128 * self.total as u128 / self.size as u128) as usize;
                Drawn::Shared((0..self.size).map(at).collect())
            }
            Draw::Generation => Drawn::Shared(self.some(seed, 0)),
            Draw::Member => {
                let member = |member| self.some(seed, member as u64 + 1);
                Drawn::Own((0..members).map(member).collect())
            }
        }
    }

    /// A sample without repetition. Streams of one seed do not overlap.
    fn some(&self, seed: u64, stream: u64) -> Vec<usize> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        let mut drawn = rand::seq::index::sample(&mut rng, self.total, self.size).into_vec();
        drawn.sort_unstable();
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::{Draw, Drawn, Sampling};

    fn shared(draw: Draw, seed: u64) -> Vec<usize> {
        let sampling = Sampling::new(1000, Some(100), draw).expect("a sound setting");
        match sampling.draw(seed, 3) {
            Drawn::Shared(drawn) => drawn,
            other => panic!("not one sample for all: {other:?}"),
        }
    }

    #[test]
    fn a_generation_draws_without_repetition_and_from_its_seed_alone() {
        let drawn = shared(Draw::Generation, 7);
        assert_eq!(drawn.len(), 100);
        assert!(drawn.is_sorted_by(|a, b| a < b) && drawn[99] < 1000);
        assert_eq!(drawn, shared(Draw::Generation, 7));
        assert_ne!(drawn, shared(Draw::Generation, 8));
    }

    #[test]
    fn a_sample_that_is_never_drawn_is_the_same_for_every_seed() {
        let spread: Vec<usize> = (0..100).map(|index| 10 * index).collect();
        assert_eq!(shared(Draw::Never, 1), spread);
        assert_eq!(shared(Draw::Never, 2), spread);
    }

    #[test]
    fn every_member_draws_its_own() {
        let sampling = Sampling::new(1000, Some(100), Draw::Member).expect("a sound setting");
        let Drawn::Own(own) = sampling.draw(5, 3) else {
            panic!("each member has its own sample");
        };
        assert_eq!(own.len(), 3);
        assert!(own[0] != own[1] && own[1] != own[2] && own[0] != own[2]);
    }

    #[test]
    fn samples_that_cannot_be_drawn_are_refused() {
        for (total, sample) in [(0, None), (10, Some(11)), (10, Some(0))] {
            assert!(Sampling::new(total, sample, Draw::Generation).is_err());
        }
    }
}
