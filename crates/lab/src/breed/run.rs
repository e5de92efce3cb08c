//! The stages of a run, one after the other.

use mendel_arena::CrewFile;
use mendel_crew::Crew;
use mendel_evolve::{
    Adam, Bits, Cosyne, Ga, MuPlusLambda, Neat, RandomSearch, RealVector, Spsa, generation_seed,
};
use mendel_fitness::genome::network::Nets;
use mendel_fitness::genome::space::SpaceKind;
use mendel_fitness::trial::{PlayedPair, Round, SearchedBlock};
use mendel_store::frame::{Failure, Frame, Memo};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::external_test::ExternalTest;
use super::finalist::Finalist;
use super::journals::RunJournals;
use super::prepare::{Material, PreparedRun};
use super::stage::{StageEnd, StageRunner};
use super::stage_start::StageStart;
use crate::execution::RunOptions;
use crate::recipe::{BreederSettings, Recipe};
use crate::record::manifest::Manifest;
use crate::record::{CHAMPION, RunOutcome};

/// Where a run stands.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct RunCheckpoint {
    /// The stage that is under way.
    pub(super) stage: usize,
    /// Generations of the stages before it.
    pub(super) first: u32,
    /// Judgements of the stages before it.
    #[serde(default)]
    pub(super) judged: u64,
    /// Generations that are written down, those of this stage too.
    done: u32,
    /// The champions of the stages before it.
    champions: Vec<Finalist>,
    /// The state of the stage, as its breeder writes it.
    state: Option<serde_json::Value>,
}

/// A checkpoint as it is written: the state is not copied for it.
#[derive(Serialize)]
pub(super) struct CheckpointRef<'a, T> {
    stage: usize,
    first: u32,
    judged: u64,
    done: u32,
    champions: &'a [Finalist],
    state: Option<&'a T>,
}

impl RunCheckpoint {
    /// As it is written, with the state of the stage under way.
    pub(super) fn with_state<'a, T>(
        &'a self,
        done: u32,
        state: Option<&'a T>,
    ) -> CheckpointRef<'a, T> {
        CheckpointRef {
            stage: self.stage,
            first: self.first,
            judged: self.judged,
            done,
            champions: &self.champions,
            state,
        }
    }
}

/// The records of a run, and what its stages work with.
pub(super) struct RunExecutor<'a> {
    pub(super) recipe: &'a Recipe,
    pub(super) manifest: &'a Manifest,
    pub(super) frame: &'a Frame,
    pub(super) options: &'a RunOptions,
    checkpoint: RunCheckpoint,
    journals: RunJournals,
    pairs: Memo<PlayedPair>,
    searched: Memo<SearchedBlock>,
    crew: Crew,
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
        let crew = options.crew.bind(CrewFile::of(frame.path()));
        let most = recipe.stages.iter();
        let most = most.map(|stage| stage.stop.generations.map(u64::from));
        Ok(Self {
            recipe,
            manifest,
            frame,
            options,
            checkpoint,
            journals,
            pairs,
            searched,
            crew,
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
            let state = self.checkpoint.state.take();
            let champions = &self.checkpoint.champions;
            let material = prepared.stage(self.checkpoint.stage, champions)?;
            let StageEnd {
                reason,
                generations,
                judgements,
                finalists,
            } = self.stage(state, material)?;
            let champion = self.choose(&mut prepared, generations, &finalists)?;
            let number = self.checkpoint.stage;
            events.record("stage", &json!({ "stage": number, "reason": reason }));
            self.checkpoint.champions.push(champion);
            self.checkpoint.first = generations;
            self.checkpoint.judged = judgements;
            self.checkpoint.stage += 1;
            self.pairs.flush_until(|key| key.0 < generations)?;
            let state = self.checkpoint.with_state(generations, None::<&()>);
            let [one, two, three] = self.journals.all();
            self.frame
                .write_checkpoint(&state, &mut [one, two, three, &mut self.pairs])?;
            self.searched.discard_until(|key| key.0 < generations);
        }

        // 2. The champion, and what it is worth.
        self.pairs.flush_until(|_| true)?;
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
        let events = self.frame.events();
        let mut round = Round {
            // Fresh games: no generation has this number yet.
            seed: generation_seed(self.seed(), generation),
            generation,
            threads: self.options.threads(),
            crew: &self.crew,
            stop: self.frame.stop(),
            games: &mut self.pairs,
            judged: &mut self.searched,
            incumbent: None,
            watch: &mut |judging| events.progress("games", judging.done, Some(judging.total)),
        };
        prepared.choose(self.checkpoint.stage, finalists, &mut round)
    }

    /// Runs one stage with the breeder its settings name.
    fn stage(
        &mut self,
        state: Option<serde_json::Value>,
        material: Material,
    ) -> Result<StageEnd, Failure> {
        let settings = &self.recipe.stages[self.checkpoint.stage];
        let Material {
            space,
            trial,
            keep,
            founders,
        } = material;
        let seed = self.seed();
        let external_test = self.recipe.exam.as_ref().map(|settings| ExternalTest {
            settings,
            parent: &self.recipe.parent,
            crew: &self.crew,
            stop: self.frame.stop(),
        });
        let runner = StageRunner {
            external_test,
            frame: self.frame,
            checkpoint: &self.checkpoint,
            journals: &mut self.journals,
            pairs: &mut self.pairs,
            searched: &mut self.searched,
            space,
            trial,
            seed,
            threads: self.options.threads(),
            crew: &self.crew,
            keep,
            baseline: settings.baseline,
            keep_genotypes: self.recipe.report.keep_genotypes,
            rules: settings.stop,
            generations: self.generations,
        };
        let start_of_stage = StageStart {
            settings,
            founders,
            state,
            seed,
        };
        match (&space.kind, settings.breeder.clone()) {
            (SpaceKind::Bits(_), BreederSettings::Ga(it)) => {
                start_of_stage.run(runner, |home, start| Ga::<Bits>::new(it, home, start, seed))
            }
            (_, BreederSettings::Ga(it)) => start_of_stage.run(runner, |home, start| {
                Ga::<RealVector>::new(it, home, start, seed)
            }),
            (SpaceKind::Bits(_), BreederSettings::Random(it)) => start_of_stage
                .run(runner, |home, start| {
                    RandomSearch::<Bits>::new(it, home, start, seed)
                }),
            (_, BreederSettings::Random(it)) => start_of_stage.run(runner, |home, start| {
                RandomSearch::<RealVector>::new(it, home, start, seed)
            }),
            (SpaceKind::Bits(_), BreederSettings::MuPlusLambda(it)) => start_of_stage
                .run(runner, |home, start| {
                    MuPlusLambda::<Bits>::new(it, home, start, seed)
                }),
            (_, BreederSettings::MuPlusLambda(it)) => start_of_stage.run(runner, |home, start| {
                MuPlusLambda::<RealVector>::new(it, home, start, seed)
            }),
            (_, BreederSettings::Adam(it)) => start_of_stage.run(runner, |home, start| {
                Adam::new(it, home, start.into_iter().next(), seed)
            }),
            (_, BreederSettings::Spsa(it)) => start_of_stage.run(runner, |home, start| {
                Spsa::new(it, home, start.into_iter().next(), seed)
            }),
            (SpaceKind::Synapses(synapses), BreederSettings::Cosyne(it)) => start_of_stage
                .run(runner, |_, start| {
                    Cosyne::new(it, synapses.clone(), start, seed)
                }),
            (SpaceKind::Nets(_), BreederSettings::Neat(it)) => start_of_stage
                .run(runner, |nets: Nets, start| {
                    Neat::new(*it, nets.shape, start, seed)
                }),
            (_, BreederSettings::Cosyne(_) | BreederSettings::Neat(_)) => {
                Err(Failure::failed("the breeder does not suit the genomes"))
            }
        }
    }
}
