//! The stages of a run, one after the other.

use std::sync::Arc;

use mendel_arena::CrewFile;
use mendel_evolve::{Run, RunProgress, StopRules, generation_seed};
use mendel_fitness::trial::{JudgingContext, PlayedPair, SearchedBlock};
use mendel_store::frame::{Failure, Frame, Memo};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::external_test::ExternalTest;
use super::finalist::Finalist;
use super::generation::GenerationTrial;
use super::journals::RunJournals;
use super::prepare::{PreparedRun, PreparedStage};
use super::stage::{StageBreeders, StageEnd, StageRunner, StageState};
use super::trial_failure;
use crate::execution::RunOptions;
use crate::recipe::Recipe;
use crate::record::manifest::Manifest;
use crate::record::{CHAMPION, RunOutcome};

/// Where a run stands, as its checkpoint.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct RunCheckpoint {
    /// The stage that is under way.
    stage: usize,
    /// Generations of the stages before it.
    first: u32,
    /// Judgements of the stages before it.
    #[serde(default)]
    judged: u64,
    /// Generations that are recorded, those of this stage included.
    pub(super) done: u32,
    /// The champions of the stages before it.
    champions: Vec<Finalist>,
    pub(super) state: Option<StageState>,
}

/// The records of a run, and what its stages work with.
pub(super) struct RunExecutor<'a> {
    pub(super) recipe: &'a Recipe,
    pub(super) manifest: &'a Manifest,
    pub(super) frame: &'a Frame,
    pub(super) options: &'a RunOptions,
    checkpoint: RunCheckpoint,
    journals: RunJournals,
    context: JudgingContext,
    /// The most generations of all stages, where the recipe limits them.
    generations: Option<u64>,
}

impl<'a> RunExecutor<'a> {
    /// Opens the records, cut back to the checkpoint.
    pub(super) fn new(
        recipe: &'a Recipe,
        manifest: &'a Manifest,
        frame: &'a Frame,
        options: &'a RunOptions,
    ) -> Result<Self, Failure> {
        let checkpoint: RunCheckpoint = frame.read_checkpoint()?.unwrap_or_default();
        let done = checkpoint.done;
        let journals = RunJournals::open(frame, recipe.report.keep_genotypes > 0)?;
        let is_done = |key: &(u32, _, u64)| key.0 < done;
        let pairs = frame.memo_until(PlayedPair::MEMO, PlayedPair::SYNC, is_done)?;
        let mut searched: Memo<SearchedBlock> =
            frame.memo(SearchedBlock::FILE, SearchedBlock::SYNC)?;
        searched.discard_until(|key| key.0 < done);
        let events = frame.events().clone();
        let context = JudgingContext {
            crew: options.crew.bind(CrewFile::of(frame.path())),
            stop: Arc::clone(frame.stop()),
            pairs,
            searched,
            watch: Box::new(move |judging| {
                events.progress("games", judging.done, Some(judging.total));
            }),
            ..JudgingContext::local(0, options.threads())
        };
        let most = recipe.stages.iter();
        let most = most.map(|stage| stage.stop.generations.map(u64::from));
        Ok(Self {
            recipe,
            manifest,
            frame,
            options,
            checkpoint,
            journals,
            context,
            generations: most.sum(),
        })
    }

    /// Runs all stages and proves the champion.
    pub(super) fn execute(mut self, mut prepared: PreparedRun) -> Result<RunOutcome, Failure> {
        // 1. The stages.
        let events = self.frame.events();
        let done = u64::from(self.checkpoint.done);
        events.progress("generations", done, self.generations);
        let facts = self.manifest;
        events.record(
            "run",
            &json!({
                "parent": facts.measured_name(),
                "baseline": facts.baseline,
                "unit": facts.unit,
                "smaller_is_better": facts.smaller_is_better,
            }),
        );
        while self.checkpoint.stage < self.recipe.stages.len() {
            let StageEnd {
                reason,
                generations,
                judgements,
                finalists,
            } = self.stage(&mut prepared)?;
            let champion = self.choose(&mut prepared, generations, &finalists)?;
            let number = self.checkpoint.stage;
            events.record("stage", &json!({ "stage": number, "reason": reason }));
            self.checkpoint.champions.push(champion);
            self.checkpoint.first = generations;
            self.checkpoint.judged = judgements;
            self.checkpoint.stage += 1;
            self.checkpoint.done = generations;
            let context = &mut self.context;
            context.pairs.flush_until(|key| key.0 < generations)?;
            let [one, two, three] = self.journals.all();
            self.frame
                .write_checkpoint(&self.checkpoint, &mut [one, two, three, &mut context.pairs])?;
            context.searched.discard_until(|key| key.0 < generations);
        }

        // 2. The champion, and what it is worth.
        self.context.pairs.flush_until(|_| true)?;
        let Some(champion) = self.checkpoint.champions.last() else {
            return Err(Failure::failed("the checkpoint has no champion"));
        };
        let player = self.champion(champion, &prepared)?;
        self.frame.write(CHAMPION, player.to_toml())?;
        self.prove(champion, &prepared)
    }

    /// Each stage has its own random numbers.
    fn seed(&self) -> u64 {
        let stages = self.recipe.stages.len() as u64;
        self.manifest
            .seed
            .wrapping_mul(stages)
            .wrapping_add(self.checkpoint.stage as u64)
    }

    /// The champion of the stage.
    fn choose(
        &mut self,
        prepared: &mut PreparedRun,
        generation: u32,
        finalists: &[Finalist],
    ) -> Result<Finalist, Failure> {
        // New games: no generation has this number yet.
        self.context.seed = generation_seed(self.seed(), generation);
        self.context.generation = generation;
        self.context.incumbent = None;
        prepared.choose(self.checkpoint.stage, finalists, &mut self.context)
    }

    /// Runs the stage under way, from its beginning or from its checkpoint.
    fn stage(&mut self, prepared: &mut PreparedRun) -> Result<StageEnd, Failure> {
        let at = self.checkpoint.stage;
        let settings = &self.recipe.stages[at];
        let (PreparedStage { space, trial, .. }, founders) =
            prepared.stage(at, &self.checkpoint.champions)?;
        let seed = self.seed();
        let state = self.checkpoint.state.take();
        let StageBreeders { breeder, baseline } =
            StageBreeders::new(settings, space, &founders, seed)?;
        trial.restore(&Value::Null).map_err(trial_failure)?;
        let first = self.checkpoint.first;
        let external_test = self.recipe.exam.as_ref().map(|settings| ExternalTest {
            settings,
            parent: &self.recipe.parent,
            crew: self.context.crew.clone(),
            stop: self.frame.stop(),
        });
        let generation = GenerationTrial {
            frame: self.frame,
            external_test,
            journals: &mut self.journals,
            context: &mut self.context,
            space,
            trial,
            rule: settings.trial.finalists(),
            keep_genotypes: self.recipe.report.keep_genotypes,
            first,
            judgements: self.checkpoint.judged,
            baseline,
            lucky: None,
            finalists: Vec::new(),
            record: None,
        };
        // A target is meant as the trial reports.
        let target = settings.stop.target.map(|it| generation.sign() * it);
        let mut runner = StageRunner {
            frame: self.frame,
            checkpoint: &mut self.checkpoint,
            run: Run {
                breeder,
                seed,
                first_generation: first,
                stop: StopRules {
                    target,
                    ..settings.stop
                },
                progress: RunProgress::default(),
            },
            generation,
            generations: self.generations,
        };
        if let Some(state) = state {
            runner.restore(settings, state)?;
        }
        runner.run()
    }
}
