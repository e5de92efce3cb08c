//! The loop.

use serde::{Deserialize, Serialize};

use crate::breeder::{Born, Breeder, Judged, MemberId};
use crate::codec::Codec;
use crate::observer::Observer;
use crate::seed::generation_seed;
use crate::settings::SettingsError;
use crate::stop::{Progress, StopRules, Stopped};
use crate::trial::Trial;

/// The best member a run has seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Champion<G> {
    /// Its genome.
    pub genome: G,
    /// Its score; of equals the first.
    pub score: f64,
    /// Which member it was.
    pub id: MemberId,
}

/// What a run comes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finished<G> {
    /// The best member of all generations.
    pub champion: Champion<G>,
    /// Which rule ended the run.
    pub why: Stopped,
}

/// Why a run could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError<C: std::error::Error, T: std::error::Error> {
    /// A genome that describes nothing.
    #[error("member {} of generation {} could not be built", member.member, member.generation)]
    Codec {
        /// Whose genome it was.
        member: MemberId,
        /// Why.
        source: C,
    },
    /// A generation that could not be judged.
    #[error("generation {generation} could not be judged")]
    Trial {
        /// Which generation.
        generation: u32,
        /// Why.
        source: T,
    },
    /// A trial that left members out.
    #[error("{found} judgements came back for the {needed} members of generation {generation}")]
    Count {
        /// Which generation.
        generation: u32,
        /// How many judgements there were.
        found: usize,
        /// How many members there are.
        needed: usize,
    },
    /// A breeder that climbs along slopes, and a trial that has none.
    #[error(
        "the breeder needs slopes, and the trial gave none for generation {generation}: use a \
         breeder that does without"
    )]
    NoSlope {
        /// Which generation.
        generation: u32,
    },
    /// Nothing was judged with a number, so that nobody is the champion.
    #[error("no member was judged with a number in {generations} generations")]
    NoChampion {
        /// How many generations there were.
        generations: u32,
    },
}

/// A run between two generations. It can be written down and read back, and then
/// goes on as if nothing had happened (together with the trial, if that has a
/// memory).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Run<B: Breeder> {
    breeder: B,
    stop: StopRules,
    seed: u64,
    progress: Progress,
    champion: Option<Champion<B::Genome>>,
}

impl<B: Breeder> Run<B> {
    /// A run that has not begun. Its seed is for the judging; the breeder has its
    /// own.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] if the run might never end.
    pub fn new(breeder: B, stop: StopRules, seed: u64) -> Result<Self, SettingsError> {
        stop.check()?;
        Ok(Self {
            breeder,
            stop,
            seed,
            progress: Progress::default(),
            champion: None,
        })
    }

    /// The breeder as it is now.
    pub fn breeder(&self) -> &B {
        &self.breeder
    }

    /// How far the run is. A judgement is that of one member.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The best member so far.
    pub fn champion(&self) -> Option<&Champion<B::Genome>> {
        self.champion.as_ref()
    }

    /// Whether the run is over, and by which rule.
    pub fn stopped(&self) -> Option<Stopped> {
        self.stop.reached(&self.progress)
    }

    /// Breeds one generation.
    ///
    /// # Errors
    ///
    /// [`RunError`]; the run is then as it was before.
    pub fn step<C, T>(
        &mut self,
        codec: &C,
        trial: &mut T,
        observers: &mut [&mut dyn Observer<B::Genome>],
    ) -> Result<(), RunError<C::Error, T::Error>>
    where
        C: Codec<Genome = B::Genome>,
        T: Trial<C::Phenotype>,
    {
        // 1. The breeder proposes.
        let generation = self.breeder.generation();
        let born = self.breeder.ask();

        // 2. The codec builds.
        let mut members = Vec::with_capacity(born.len());
        for (place, born) in born.iter().enumerate() {
            let member = MemberId {
                generation,
                member: place as u32,
            };
            let built = codec.decode(&born.genome);
            members.push(built.map_err(|source| RunError::Codec { member, source })?);
        }

        // 3. The trial judges. Each generation has its own seed, so that a run
        //    continued at generation n meets the very chances it would have met.
        trial.want_slopes(self.breeder.wants_slopes());
        let judged = trial
            .judge(&members, generation_seed(self.seed, generation))
            .map_err(|source| RunError::Trial { generation, source })?;
        check(&self.breeder, born.len(), &judged)?;

        // 4. The best ever is kept: the last generation need not hold it.
        self.keep_best(&born, &judged);

        // 5. The observers watch, the breeder learns.
        for observer in observers.iter_mut() {
            observer.generation(generation, &born, &judged);
        }
        self.breeder.tell(born, &judged);
        Ok(())
    }

    /// Breeds until a rule says that it is over.
    ///
    /// # Errors
    ///
    /// [`RunError`]; the generations before it are not lost.
    #[allow(
        clippy::type_complexity,
        reason = "two names for what both parts call an error"
    )]
    pub fn finish<C, T>(
        &mut self,
        codec: &C,
        trial: &mut T,
        observers: &mut [&mut dyn Observer<B::Genome>],
    ) -> Result<Finished<B::Genome>, RunError<C::Error, T::Error>>
    where
        C: Codec<Genome = B::Genome>,
        T: Trial<C::Phenotype>,
    {
        let why = loop {
            if let Some(why) = self.stopped() {
                break why;
            }
            self.step(codec, trial, observers)?;
        };
        let champion = self.champion.clone().ok_or(RunError::NoChampion {
            generations: self.progress.generations,
        })?;
        for observer in observers.iter_mut() {
            observer.finished(&champion, why);
        }
        Ok(Finished { champion, why })
    }

    fn keep_best(&mut self, born: &[Born<B::Genome>], judged: &[Judged]) {
        let scored = judged.iter().map(|judged| judged.score).enumerate();
        let known = scored.filter(|(_, score)| score.is_finite());
        // The first of equals, which `max_by` would not give.
        let best = known.reduce(|best, next| if next.1 > best.1 { next } else { best });
        self.progress
            .record(best.map_or(f64::NAN, |(_, score)| score), born.len() as u64);
        let Some((place, score)) = best else {
            return;
        };
        if self
            .champion
            .as_ref()
            .is_none_or(|champion| score > champion.score)
        {
            self.champion = Some(Champion {
                genome: born[place].genome.clone(),
                score,
                id: MemberId {
                    generation: self.breeder.generation(),
                    member: place as u32,
                },
            });
        }
    }
}

/// Whether the judgements are what was asked for.
fn check<B: Breeder, C: std::error::Error, T: std::error::Error>(
    breeder: &B,
    needed: usize,
    judged: &[Judged],
) -> Result<(), RunError<C, T>> {
    let generation = breeder.generation();
    if judged.len() != needed {
        return Err(RunError::Count {
            generation,
            found: judged.len(),
            needed,
        });
    }
    if breeder.wants_slopes() && judged.iter().any(|judged| judged.slope.is_none()) {
        return Err(RunError::NoSlope { generation });
    }
    Ok(())
}
