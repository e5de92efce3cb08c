//! One generation of a stage: everything between the breeder's question and the answer.

use std::collections::BTreeMap;

use mendel_crew::parallel;
use mendel_evolve::{
    Breeder as _, GenerationRequest, GenerationResult, JudgedMember, MemberId, Offspring, Trial,
};
use mendel_fitness::breeders::AnyBreeder;
use mendel_fitness::genome::AnyGenome;
use mendel_fitness::genome::space::Space;
use mendel_fitness::trial::{GenerationNote, JudgingContext, MemberWeights, PlayerTrial};
use mendel_fitness::trials::FinalistRule;
use mendel_store::frame::{Failure, Frame};

use super::external_test::ExternalTest;
use super::finalist::{Finalist, keep};
use super::journals::RunJournals;
use super::networks::networks;
use super::trial_failure;
use crate::record::{ExamLine, Generation, Genotypes, Histogram, Lineage};

/// Decodes a generation, runs the external test, judges it together with a random baseline,
/// records it and keeps the finalists.
pub(super) struct GenerationTrial<'a> {
    pub(super) frame: &'a Frame,
    pub(super) external_test: Option<ExternalTest<'a>>,
    pub(super) journals: &'a mut RunJournals,
    pub(super) context: &'a mut JudgingContext,
    pub(super) space: &'a Space,
    pub(super) trial: &'a mut PlayerTrial,
    pub(super) rule: FinalistRule,
    /// All members of the first and of every n-th generation are recorded; 0: of none.
    pub(super) keep_genotypes: u32,
    /// Generations of the stages before, by which breeders of this one do not count.
    pub(super) first: u32,
    /// Judgements so far, those of the stages before included.
    pub(super) judgements: u64,
    /// Random search, judged with the generation for comparison.
    pub(super) baseline: Option<AnyBreeder>,
    /// The best that the baseline has found.
    pub(super) lucky: Option<MemberWeights>,
    pub(super) finalists: Vec<Finalist>,
    /// Of the generation judged last.
    pub(super) record: Option<Generation>,
}

impl Trial<AnyGenome> for GenerationTrial<'_> {
    type Error = Failure;

    fn judge(
        &mut self,
        request: GenerationRequest<'_, AnyGenome>,
    ) -> Result<GenerationResult, Failure> {
        // 1. Members, and the external test before anything is judged: a run that is
        //    stopped in it resumes as if it had not begun with this generation.
        let (members, too_large) = self.decode(request.offspring);
        self.hold_external_test(request.generation, &members)?;
        let mut all = members.clone();
        all.extend(self.rivals());

        // 2. The trial judges members and baseline.
        self.context.seed = request.seed;
        self.context.generation = request.generation;
        let incumbent = request.breeder.incumbent();
        self.context.incumbent = incumbent.map(|it| it.decode(self.space).0.into());
        let scores = self.trial.judge(&all, self.context);
        let scores = scores.map_err(trial_failure)?;
        let count = request.offspring.len();
        let judgements = count as u64 * self.trial.judgements_per_member();
        let gradients = self.gradients(&request)?;
        let (scores, luck) = scores.split_at(count);
        let luckiest = (0..luck.len()).reduce(|a, b| if luck[b] > luck[a] { b } else { a });
        if let Some(at) = luckiest {
            self.lucky = Some(all[count + at].clone());
        }
        let lucky_score = luckiest.map_or(f64::NEG_INFINITY, |at| luck[at]);

        // 3. The records.
        self.judgements += judgements;
        let (record, finalist) = self.record(&request, (&members, &too_large), scores, lucky_score);
        self.append(&request, &record)?;
        let takeover = record.king.is_some_and(|king| king.new);
        let king = match &*self.trial {
            PlayerTrial::Games(trial) => trial.incumbent().filter(|_| takeover),
            PlayerTrial::Positions(_) => None,
        };
        keep(self.rule, &mut self.finalists, finalist, king);
        self.record = Some(record);

        // 4. The answer.
        if let Some(baseline) = &mut self.baseline {
            baseline.tell(Vec::new(), &[]);
        }
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let judged = scores.iter().zip(gradients);
        let judged = judged.map(|(&score, gradient)| JudgedMember { score, gradient });
        Ok(GenerationResult {
            judged: judged.collect(),
            best: self.sign() * self.trial.report(best),
            judgements,
            takeover,
        })
    }
}

impl GenerationTrial<'_> {
    /// Makes what the trial reports larger where it is better.
    pub(super) fn sign(&self) -> f64 {
        if self.trial.scale().smaller_is_better {
            -1.0
        } else {
            1.0
        }
    }

    /// The members, and which of them stand in for a network that is too large to play.
    fn decode(&self, offspring: &[Offspring<AnyGenome>]) -> (Vec<MemberWeights>, Vec<bool>) {
        let space = self.space;
        // Painting a network takes a while, rounding a list of numbers none.
        let threads = if space.is_of_networks() {
            self.context.threads
        } else {
            1
        };
        let decoded = parallel(threads, offspring.len(), |at| {
            let (numbers, too_large) = offspring[at].genome.decode(space);
            (MemberWeights::from(numbers), too_large)
        });
        decoded.into_iter().unzip()
    }

    fn hold_external_test(
        &self,
        generation: u32,
        members: &[MemberWeights],
    ) -> Result<(), Failure> {
        let Some(test) = &self.external_test else {
            return Ok(());
        };
        let events = self.frame.events();
        let emit = &mut |line: &ExamLine| events.record("external-test", line);
        if test.hold(self.frame, generation, self.space, members, emit)? {
            Ok(())
        } else {
            Err(Failure::Stopped)
        }
    }

    /// The baseline of this generation: its best so far, and new draws.
    fn rivals(&self) -> Vec<MemberWeights> {
        let Some(baseline) = &self.baseline else {
            return Vec::new();
        };
        let drawn = baseline.ask().into_iter();
        let drawn = drawn.map(|it| it.genome.decode(self.space).0.into());
        self.lucky.iter().cloned().chain(drawn).collect()
    }

    /// How the scores change with each gene, for breeders that climb.
    fn gradients(
        &mut self,
        request: &GenerationRequest<'_, AnyGenome>,
    ) -> Result<Vec<Option<Vec<f64>>>, Failure> {
        if !request.breeder.wants_gradients() {
            return Ok(vec![None; request.offspring.len()]);
        }
        let exact = request.offspring.iter();
        let exact: Vec<Vec<f64>> = exact.map(|it| it.genome.exact(self.space)).collect();
        let found = match &mut *self.trial {
            PlayerTrial::Positions(trial) => {
                let found = trial.gradients(&exact, request.seed, self.context.threads);
                found.map_err(trial_failure)?
            }
            PlayerTrial::Games(_) => None,
        };
        let Some(found) = found else {
            return Err(Failure::invalid(
                "the trial cannot say how its score changes with a weight, which the breeder needs; choose another breeder or another distance",
            ));
        };
        let by_gene = |slopes: &[f64]| -> Vec<f64> {
            let slots = self.space.slots().iter();
            slots.map(|&slot| slopes[slot]).collect()
        };
        Ok(found.iter().map(|it| Some(by_gene(&it.slopes))).collect())
    }

    /// The line of the generation, and its best member.
    fn record(
        &self,
        request: &GenerationRequest<'_, AnyGenome>,
        (members, too_large): (&[MemberWeights], &[bool]),
        scores: &[f64],
        lucky: f64,
    ) -> (Generation, Finalist) {
        let told = |score: f64| self.trial.report(score);
        let best = (0..scores.len())
            .reduce(|best, at| if scores[at] > scores[best] { at } else { best })
            .unwrap_or(0);
        let worst = scores.iter().copied().fold(f64::INFINITY, f64::min);
        let reported: Vec<f64> = scores.iter().map(|&score| told(score)).collect();
        let count = reported.len() as f64;
        let mean = reported.iter().sum::<f64>() / count;
        let spread = reported.iter().map(|it| (it - mean) * (it - mean));
        let mut gene_means = vec![0.0; self.space.names().len()];
        for member in members {
            for (sum, &slot) in gene_means.iter_mut().zip(self.space.slots()) {
                *sum += f64::from(member[slot]);
            }
        }
        for sum in &mut gene_means {
            *sum /= count;
        }
        let genomes = request.offspring.iter().map(|it| &it.genome);
        let note = match &*self.trial {
            PlayerTrial::Games(trial) => trial.note(),
            PlayerTrial::Positions(_) => GenerationNote::default(),
        };
        let generation = Generation {
            generation: request.generation,
            judgements: self.judgements,
            best: told(scores[best]),
            mean,
            worst: told(worst),
            deviation: (spread.sum::<f64>() / count).sqrt(),
            diversity: AnyGenome::diversity(self.space, genomes),
            commonest: commonest(members),
            random_best: lucky.is_finite().then(|| told(lucky)),
            best_member: MemberId {
                generation: request.generation,
                member: best as u32,
            },
            genes: self.space.genes_of(&members[best]),
            gene_means,
            histogram: Histogram::of(&reported),
            king: note.king,
            ladder: note.ladder,
            networks: networks(
                self.space,
                request.breeder,
                (members, too_large),
                (&reported, self.trial.scale().smaller_is_better),
            ),
        };
        let finalist = Finalist {
            generation: Some(request.generation),
            member: Some(best as u32),
            weights: members[best].clone(),
            score: scores[best],
        };
        (generation, finalist)
    }

    fn append(
        &mut self,
        request: &GenerationRequest<'_, AnyGenome>,
        record: &Generation,
    ) -> Result<(), Failure> {
        let generation = request.generation;
        let offspring = request.offspring;
        // Parents are numbered within their stage; the record numbers the run.
        let parent = |parent: &MemberId| MemberId {
            generation: parent.generation + self.first,
            member: parent.member,
        };
        let parents = |it: &Offspring<_>| it.parents.iter().map(parent).collect();
        self.journals.generations.append(record)?;
        self.journals.lineage.append(&Lineage {
            generation,
            parents: offspring.iter().map(parents).collect(),
            origins: offspring.iter().map(|it| it.origin).collect(),
        })?;
        // Counted from 1, as papers do, so that the last is usually among them; and the
        // first, which is what chance gave.
        let kept = generation == 0 || (generation + 1).is_multiple_of(self.keep_genotypes);
        if let Some(journal) = &mut self.journals.genotypes
            && kept
        {
            let members = offspring.iter().map(|it| it.genome.genotype(self.space));
            journal.append(&Genotypes {
                generation,
                members: members.collect(),
            })?;
        }
        Ok(())
    }
}

/// The share of the most common member.
fn commonest(members: &[MemberWeights]) -> f64 {
    let mut counts: BTreeMap<&[i32], u32> = BTreeMap::new();
    for member in members {
        *counts.entry(member).or_default() += 1;
    }
    let most = counts.into_values().max().unwrap_or(0);
    f64::from(most) / members.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::{MemberWeights, commonest};

    #[test]
    #[allow(clippy::float_cmp, reason = "these values are exact")]
    fn the_most_common_member_has_its_share() {
        let members = [vec![1, 2], vec![3], vec![1, 2], vec![1]].map(MemberWeights::from);
        assert_eq!(commonest(&members), 0.5);
        assert_eq!(commonest(&members[1..2]), 1.0);
        assert_eq!(commonest(&[]), 0.0);
    }
}
