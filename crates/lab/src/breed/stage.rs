//! The loop: a breeder proposes, a trial judges, the folder remembers.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use mendel_crew::{Crew, parallel};
use mendel_evolve::{
    Breeder, JudgedMember, MemberId, Offspring, RunProgress, StopRules, Stopped, generation_seed,
};
use mendel_fitness::genome::Bred;
use mendel_fitness::genome::space::Space;
use mendel_fitness::trial::{PlayedPair, Round, SearchedBlock, Trial};
use mendel_store::frame::{Failure, Frame, Memo};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::external_test::ExternalTest;
use super::finalist::{Finalist, Keep};
use super::journals::RunJournals;
use super::networks::networks;
use super::run::RunCheckpoint;
use super::trial_failure;
use crate::record::{ExamLine, Generation, Genotypes, Histogram, Lineage};

/// Where a stage stands between two generations.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "B: Serialize", deserialize = "B: DeserializeOwned"))]
pub(crate) struct StageState<B>
where
    B: Breeder,
    B::Genome: Bred,
{
    breeder: B,
    /// What chance alone would have found with as many judgements.
    chance: <B::Genome as Bred>::Chance,
    /// The best that chance has found.
    lucky: Option<Vec<i32>>,
    progress: RunProgress,
    finalists: Vec<Finalist>,
    /// What the trial remembers: a king, a hall.
    #[serde(default)]
    trial: Value,
}

/// Everything around a breeder while it works.
pub(crate) struct StageRunner<'a> {
    /// The test of some generations by external players.
    pub(crate) external_test: Option<ExternalTest<'a>>,
    pub(crate) frame: &'a Frame,
    /// The stages before.
    pub(crate) checkpoint: &'a RunCheckpoint,
    pub(crate) journals: &'a mut RunJournals,
    pub(crate) pairs: &'a mut Memo<PlayedPair>,
    pub(crate) searched: &'a mut Memo<SearchedBlock>,
    pub(crate) space: &'a Space,
    pub(crate) trial: &'a mut dyn Trial,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    /// Who plays games and searches positions.
    pub(crate) crew: &'a Crew,
    /// Which finalists are kept.
    pub(crate) keep: Keep,
    /// Whether random search runs beside, for comparison.
    pub(crate) baseline: bool,
    /// All members of each so many generations are kept; 0: of none.
    pub(crate) keep_genotypes: u32,
    /// When it is over; a target is meant as the trial reports.
    pub(crate) rules: StopRules,
    /// The most generations of the run, where the recipe limits them.
    pub(crate) generations: Option<u64>,
}

/// How a stage ended.
pub(crate) struct StageEnd {
    /// The rule that ended it.
    pub(crate) reason: Stopped,
    /// Generations so far, those of earlier stages too.
    pub(crate) generations: u32,
    /// Judgements so far, those of earlier stages too.
    pub(crate) judgements: u64,
    pub(crate) finalists: Vec<Finalist>,
}

/// A run that is quicker than this does not write a checkpoint for each
/// generation; it would breed those again sooner than a disk confirms them.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_millis(250);

/// Bins of a histogram of fitness.
const BINS: usize = 24;

/// Chance of the baseline is not the run's.
const CHANCE: u64 = 0x5EED_C4A9_CE00;

impl<B: Breeder + Serialize + 'static> StageState<B>
where
    B::Genome: Bred,
{
    /// Before the first generation.
    ///
    /// Chance is given what the breeder is given, and draws the rest.
    pub(crate) fn new(breeder: B, space: &Space, start: Vec<B::Genome>, seed: u64) -> Self {
        let population = breeder.ask().len().max(1);
        Self {
            chance: B::Genome::chance(space, population, start, seed ^ CHANCE),
            breeder,
            lucky: None,
            progress: RunProgress::default(),
            finalists: Vec::new(),
            trial: Value::Null,
        }
    }

    /// Generations of this stage so far.
    pub(crate) fn generation(&self) -> u32 {
        self.breeder.generation()
    }
}

impl StageRunner<'_> {
    /// Breeds until a rule ends the stage.
    ///
    /// # Errors
    ///
    /// [`Failure::Stopped`] with a checkpoint from which to continue, or anything else.
    pub(crate) fn run<B>(&mut self, mut state: StageState<B>) -> Result<StageEnd, Failure>
    where
        B: Breeder + Serialize + 'static,
        B::Genome: Bred,
    {
        let mut saved = Instant::now();
        self.trial.restore(&state.trial).map_err(trial_failure)?;
        loop {
            // 1. Enough?
            if let Some(reason) = self.rules().reached(&state.progress) {
                self.write_checkpoint(&mut state)?;
                return Ok(StageEnd {
                    reason,
                    generations: self.checkpoint.first + state.generation(),
                    judgements: self.checkpoint.judged + state.progress.judgements,
                    finalists: self.finalists(state),
                });
            }
            if self.frame.check_stop().is_err() {
                self.write_checkpoint(&mut state)?;
                return Err(Failure::Stopped);
            }

            // 2. One generation. Stopped in the middle of one, the run continues with the
            //    games it has.
            let began = Instant::now();
            let generation = match self.generation(&mut state) {
                Err(Failure::Stopped) => {
                    self.write_checkpoint(&mut state)?;
                    return Err(Failure::Stopped);
                }
                judged => judged?,
            };

            // 3. What a clock gave, apart from the rest; and a checkpoint after
            //    judging, which takes most of the time.
            self.frame
                .record_timing("generation", Some(generation.generation), began)?;
            if saved.elapsed() >= BETWEEN_CHECKPOINTS {
                self.write_checkpoint(&mut state)?;
                saved = Instant::now();
            }
            let events = self.frame.events();
            events.record("generation", &generation);
            let done = u64::from(generation.generation) + 1;
            events.progress("generations", done, self.generations);
        }
    }

    /// Moves the pairs of finished generations to their file and writes a checkpoint.
    fn write_checkpoint<B>(&mut self, state: &mut StageState<B>) -> Result<(), Failure>
    where
        B: Breeder + Serialize + 'static,
        B::Genome: Bred,
    {
        state.trial = self.trial.state();
        let done = self.checkpoint.first + state.generation();
        self.pairs.flush_until(|key| key.0 < done)?;
        let checkpoint = self.checkpoint.with_state(done, Some(&*state));
        let [one, two, three] = self.journals.all();
        self.frame
            .write_checkpoint(&checkpoint, &mut [one, two, three, &mut *self.pairs])?;
        self.searched.discard_until(|key| key.0 < done);
        Ok(())
    }

    /// Breeds one generation and writes it down.
    fn generation<B>(&mut self, state: &mut StageState<B>) -> Result<Generation, Failure>
    where
        B: Breeder + Serialize + 'static,
        B::Genome: Bred,
    {
        // 1. The breeder proposes, chance proposes, the codec builds.
        let number = state.breeder.generation();
        let born = state.breeder.ask();
        let space = self.space;
        // Painting a network takes a while, rounding a list of numbers none.
        let threads = if space.is_of_networks() {
            self.threads
        } else {
            1
        };
        let (mut members, too_large): (Vec<Vec<i32>>, Vec<bool>) =
            parallel(threads, born.len(), |at| born[at].genome.built(space))
                .into_iter()
                .unzip();
        // Before anything is judged, so that a run stopped here goes on as if it had not
        // begun with this generation.
        if let Some(test) = &self.external_test {
            let events = self.frame.events();
            let emit = &mut |line: &ExamLine| events.record("external-test", line);
            let generation = self.checkpoint.first + number;
            if !test.hold(self.frame, generation, space, &members, emit)? {
                return Err(Failure::Stopped);
            }
        }
        let rivals = self.rivals(state);
        members.extend(rivals.iter().cloned());

        // 2. The trial judges. Each generation has its own seed, so that a run
        //    resumed here sees the very positions it would have seen.
        let seed = generation_seed(self.seed, self.checkpoint.first + number);
        let generation = self.checkpoint.first + number;
        let incumbent = state.breeder.incumbent();
        let incumbent = incumbent.map(|genome| genome.weights(self.space));
        let events = self.frame.events();
        let scores = self.trial.judge(
            &members,
            &mut Round {
                seed,
                generation,
                threads: self.threads,
                crew: self.crew,
                stop: self.frame.stop(),
                games: self.pairs,
                judged: self.searched,
                incumbent: incumbent.as_deref(),
                watch: &mut |judging| {
                    events.progress("games", judging.done, Some(judging.total));
                },
            },
        );
        let scores = scores.map_err(trial_failure)?;
        let judgements = born.len() as u64 * self.trial.judgements_per_member();
        let slopes = self.slopes(&state.breeder, &born, seed)?;
        let (scores, luck) = scores.split_at(born.len());
        let luckiest = (0..luck.len()).reduce(|a, b| if luck[b] > luck[a] { b } else { a });
        let lucky_score = luckiest.map_or(f64::NEG_INFINITY, |at| luck[at]);
        if let Some(at) = luckiest {
            state.lucky = Some(rivals[at].clone());
        }

        // 3. It is written down.
        members.truncate(born.len());
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let best = self.sign() * self.trial.report(best);
        state.progress.record(best, judgements);
        let (record, finalist) =
            self.record(state, &born, (&members, &too_large), scores, lucky_score);
        let lineage = Lineage {
            generation: record.generation,
            parents: born.iter().map(|it| self.parents(it)).collect(),
            origins: born.iter().map(|it| it.origin).collect(),
        };
        self.journals.generations.append(&record)?;
        self.journals.lineage.append(&lineage)?;
        // Counted from 1, as papers do, so that the last is usually among them; and the
        // first, which is what chance gave.
        let kept = |every: u32| generation == 0 || (generation + 1).is_multiple_of(every);
        if let Some(journal) = &mut self.journals.genotypes
            && kept(self.keep_genotypes)
        {
            let members = born.iter().map(|it| it.genome.genotype(self.space));
            journal.append(&Genotypes {
                generation,
                members: members.collect(),
            })?;
        }
        let crowned = record.king.is_some_and(|king| king.new);
        if crowned {
            state.progress.crowned(number);
        }
        let king = self.trial.king().filter(|_| crowned);
        self.keep.keep(&mut state.finalists, finalist, king);

        // 4. The breeder and the stop rules learn.
        let judged: Vec<JudgedMember> = scores
            .iter()
            .zip(slopes)
            .map(|(&score, slope)| JudgedMember {
                score,
                gradient: slope,
            })
            .collect();
        state.breeder.tell(born, &judged);
        B::Genome::go_on(&mut state.chance);
        Ok(record)
    }

    /// Who may be the champion: where the breeder itself has come to, if that is no
    /// member of it, or else the best of its members.
    fn finalists<B>(&self, state: StageState<B>) -> Vec<Finalist>
    where
        B: Breeder + Serialize + 'static,
        B::Genome: Bred,
    {
        let Some(incumbent) = state.breeder.incumbent() else {
            return state.finalists;
        };
        // Nobody who was judged, and so nobody's number.
        let last = self.checkpoint.first + state.breeder.generation().saturating_sub(1);
        vec![Finalist {
            generation: Some(last),
            member: None,
            weights: incumbent.weights(self.space),
            score: 0.0,
        }]
    }

    /// The rules, with a target that can be compared with progress.
    fn rules(&self) -> StopRules {
        StopRules {
            target: self.rules.target.map(|target| self.sign() * target),
            ..self.rules
        }
    }

    /// Makes what the trial reports larger where it is better.
    fn sign(&self) -> f64 {
        if self.trial.smaller_is_better() {
            -1.0
        } else {
            1.0
        }
    }

    /// What chance puts up in this generation: its best so far, and new draws.
    fn rivals<B>(&self, state: &StageState<B>) -> Vec<Vec<i32>>
    where
        B: Breeder + Serialize + 'static,
        B::Genome: Bred,
    {
        if !self.baseline {
            return Vec::new();
        }
        let drawn = B::Genome::drawn(&state.chance);
        let drawn = drawn.iter().map(|genome| genome.weights(self.space));
        state.lucky.iter().cloned().chain(drawn).collect()
    }

    /// How the scores change with each gene, for breeders that climb.
    fn slopes<B>(
        &mut self,
        breeder: &B,
        born: &[Offspring<B::Genome>],
        seed: u64,
    ) -> Result<Vec<Option<Vec<f64>>>, Failure>
    where
        B: Breeder + Serialize + 'static,
        B::Genome: Bred,
    {
        if !breeder.wants_gradients() {
            return Ok(vec![None; born.len()]);
        }
        let exact: Vec<Vec<f64>> = born
            .iter()
            .map(|born| born.genome.exact(self.space))
            .collect();
        let slopes = self.trial.slopes(&exact, seed, self.threads);
        let Some(slopes) = slopes.map_err(trial_failure)? else {
            return Err(Failure::invalid(
                "the trial cannot say how its score changes with a weight, which the breeder needs; choose another breeder or another distance",
            ));
        };
        let by_gene = |slopes: &[f64]| -> Vec<f64> {
            let slots = self.space.slots().iter();
            slots.map(|&slot| slopes[slot]).collect()
        };
        Ok(slopes.iter().map(|it| Some(by_gene(&it.slopes))).collect())
    }

    fn record<B>(
        &self,
        state: &StageState<B>,
        born: &[Offspring<B::Genome>],
        (members, too_large): (&[Vec<i32>], &[bool]),
        scores: &[f64],
        lucky: f64,
    ) -> (Generation, Finalist)
    where
        B: Breeder + Serialize + 'static,
        B::Genome: Bred,
    {
        let told = |score: f64| self.trial.report(score);
        let best = (0..scores.len())
            .reduce(|best, at| if scores[at] > scores[best] { at } else { best })
            .unwrap_or(0);
        let worst = scores.iter().copied().fold(f64::INFINITY, f64::min);
        let reported: Vec<f64> = scores.iter().map(|&score| told(score)).collect();
        let count = reported.len() as f64;
        let mean = reported.iter().sum::<f64>() / count;
        let spread = reported.iter().map(|it| (it - mean) * (it - mean));
        let id = MemberId {
            generation: self.checkpoint.first + state.breeder.generation(),
            member: best as u32,
        };
        let mut gene_means = vec![0.0; self.space.names().len()];
        for member in members {
            for (sum, &slot) in gene_means.iter_mut().zip(self.space.slots()) {
                *sum += f64::from(member[slot]);
            }
        }
        for sum in &mut gene_means {
            *sum /= count;
        }
        let genomes = born.iter().map(|born| &born.genome);
        let note = self.trial.note();
        let generation = Generation {
            generation: id.generation,
            judgements: self.checkpoint.judged + state.progress.judgements,
            best: told(scores[best]),
            mean,
            worst: told(worst),
            deviation: (spread.sum::<f64>() / count).sqrt(),
            diversity: B::Genome::diversity(self.space, genomes),
            commonest: commonest(members),
            random_best: lucky.is_finite().then(|| told(lucky)),
            best_member: id,
            genes: self.space.genes_of(&members[best]),
            gene_means,
            histogram: histogram(&reported),
            king: note.king,
            ladder: note.ladder,
            networks: networks(
                self.space,
                &state.breeder,
                (members, too_large),
                (&reported, self.trial.smaller_is_better()),
            ),
        };
        let finalist = Finalist {
            generation: Some(id.generation),
            member: Some(id.member),
            weights: members[best].clone(),
            score: scores[best],
        };
        (generation, finalist)
    }

    /// Parents are numbered within their stage; the record numbers the run.
    fn parents<G>(&self, born: &Offspring<G>) -> Vec<MemberId> {
        let shifted = |parent: &MemberId| MemberId {
            generation: parent.generation + self.checkpoint.first,
            member: parent.member,
        };
        born.parents.iter().map(shifted).collect()
    }
}

/// The share of the most common member.
fn commonest(members: &[Vec<i32>]) -> f64 {
    let mut counts: BTreeMap<&[i32], u32> = BTreeMap::new();
    for member in members {
        *counts.entry(member).or_default() += 1;
    }
    let most = counts.into_values().max().unwrap_or(0);
    f64::from(most) / members.len().max(1) as f64
}

/// Counts in bins of equal width from the lowest to the highest.
fn histogram(values: &[f64]) -> Histogram {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !(low.is_finite() && high.is_finite()) {
        return Histogram::default();
    }
    let mut counts = vec![0; BINS];
    let width = (high - low) / BINS as f64;
    for value in values {
        let bin = if width > 0.0 {
            ((value - low) / width) as usize
        } else {
            0
        };
        counts[bin.min(BINS - 1)] += 1;
    }
    Histogram { low, high, counts }
}

#[cfg(test)]
mod tests {
    use super::{commonest, histogram};

    #[test]
    #[allow(clippy::float_cmp, reason = "these values are exact")]
    fn the_most_common_member_has_its_share() {
        let members = [vec![1, 2], vec![3], vec![1, 2], vec![1]];
        assert_eq!(commonest(&members), 0.5);
        assert_eq!(commonest(&members[1..2]), 1.0);
        assert_eq!(commonest(&[]), 0.0);
    }

    #[test]
    fn every_member_is_in_one_bin() {
        for values in [vec![1.0], vec![2.0, 2.0], vec![0.0, 0.1, 5.0, 9.9, 10.0]] {
            let bins = histogram(&values);
            let all: u32 = bins.counts.iter().sum();
            assert_eq!(all as usize, values.len(), "{bins:?}");
        }
        assert!(histogram(&[]).counts.is_empty());
    }
}
