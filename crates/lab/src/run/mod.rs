//! One execution of a recipe: a folder and its records.
//!
//! [`breed`] makes the folder and runs the recipe from the beginning, [`resume`]
//! goes on with one that was stopped or killed; both end in the same records, bit
//! for bit. A run goes through its stages, each bred from the champion of the one
//! before, then measures its champion on positions it never saw, then plays the
//! matches of the proof.

mod bred;
mod exam;
mod finalist;
mod folder;
pub mod manifest;
mod networks;
mod prepare;
mod prove;
mod stage;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mendel_arena::{AwayError, Crew, Progress, Workers};
use mendel_evolve::{
    Adam, Bits, Breeder, Cosyne, Ga, MuPlusLambda, Neat, Purpose, RandomSearch, Reals,
    SettingsError, Spsa, Stopped, generation_seed, generator,
};
use rand::RngExt;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub(crate) use self::bred::Bred;
use self::exam::Exam;
pub use self::exam::{EXAM, ExamLine, ExamSettings};
use self::finalist::Finalist;
pub use self::folder::{FolderError, RunFolder};
use self::manifest::Manifest;
pub(crate) use self::prepare::command;
use self::prepare::{Bench, Material};
pub(crate) use self::stage::timing;
use self::stage::{Ended, Stage, StageError, State, Step};
use crate::chromosome::jitter::Jitter;
use crate::chromosome::network::{Nets, most};
use crate::chromosome::space::{Space, SpaceKind, Start};
use crate::data::DataError;
use crate::proof::{Proof, ProofError};
use crate::recipe::{BreederSettings, Complaint, Recipe, StageSettings};
use crate::record::Generation;
use crate::trial::{GameJournal, JudgedJournal, Judging, Round, TrialError};

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Order {
    /// The experiment.
    pub recipe: Recipe,
    /// What chance begins from.
    pub seed: u64,
    /// A data set instead of the recipe's: a built-in name or a file.
    pub data: Option<String>,
    /// Where the run is kept; a folder that holds no run.
    pub folder: PathBuf,
}

/// How a run is worked on; it changes how long it takes and nothing else.
#[derive(Clone, Debug)]
pub struct Work {
    /// Threads.
    pub threads: usize,
    /// Who plays the games, where it is not these threads.
    pub crew: Option<Workers>,
    /// Whether the matches of the proof are played.
    pub proof: bool,
    /// Set by whoever wants it to stop.
    pub stop: Arc<AtomicBool>,
}

/// What happens while a run goes on.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// It begins, or goes on.
    Begins {
        /// What it is.
        manifest: &'a Manifest,
        /// The most generations of all stages, where the recipe says so.
        generations: Option<u64>,
    },
    /// A generation is being judged by games.
    Judging {
        /// Which, from 0.
        generation: u32,
        /// How far it is.
        judging: Judging,
    },
    /// A row of an examination was held, or could not be.
    Examined(&'a ExamLine),
    /// A generation was judged and written down.
    Generation(&'a Generation),
    /// A stage has ended.
    Stage {
        /// Which, from 0.
        stage: usize,
        /// Why.
        reason: Stopped,
    },
    /// Champion and parent were measured on positions.
    Measured(&'a Proof),
    /// A game of the proof was counted.
    Game {
        /// `parent`, `founder` or `outside`.
        role: &'static str,
        /// Against whom.
        opponent: &'a str,
        /// How the match stands.
        progress: &'a Progress<'a>,
    },
}

/// What a run has come to.
#[derive(Debug)]
pub struct Outcome {
    /// What it is.
    pub manifest: Manifest,
    /// What was proved; `None` if it was stopped before its end.
    pub proof: Option<Proof>,
}

/// Why a run cannot begin or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The recipe is wrong.
    #[error(transparent)]
    Recipe(#[from] Complaint),
    /// The data cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The trial cannot be held.
    #[error(transparent)]
    Trial(#[from] TrialError),
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The breeder and the trial do not fit.
    #[error("{0}")]
    Stage(String),
    /// The proof cannot be made.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// The crew cannot be used.
    #[error(transparent)]
    Away(#[from] AwayError),
    /// The program or the data is not what it was when the run began.
    #[error(
        "{what} has changed since the run began, and the rest would not fit to what is there; begin a new run"
    )]
    Changed {
        /// What.
        what: String,
    },
}

impl From<StageError> for RunError {
    fn from(error: StageError) -> Self {
        match error {
            StageError::Folder(error) => Self::Folder(error),
            StageError::Trial(error) => Self::Trial(error),
            StageError::Exam(error) => error.into(),
            error @ StageError::NoSlopes => Self::Stage(error.to_string()),
        }
    }
}

/// Where a run stands.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Checkpoint {
    /// The stage that is under way.
    stage: usize,
    /// Generations of the stages before it.
    first: u32,
    /// Judgements of the stages before it.
    #[serde(default)]
    judged: u64,
    /// Generations that are written down, those of this stage too.
    done: u32,
    /// The champions of the stages before it.
    champions: Vec<Finalist>,
    /// The state of the stage, as its breeder writes it.
    state: Option<serde_json::Value>,
}

/// A checkpoint as it is written: the state is not copied for it.
#[derive(Serialize)]
struct Written<'a, T> {
    stage: usize,
    first: u32,
    judged: u64,
    done: u32,
    champions: &'a [Finalist],
    state: Option<&'a T>,
}

impl Checkpoint {
    /// As it is written, with the state of the stage under way.
    fn text<T: Serialize>(&self, done: u32, state: Option<&T>) -> String {
        let written = Written {
            stage: self.stage,
            first: self.first,
            judged: self.judged,
            done,
            champions: &self.champions,
            state,
        };
        serde_json::to_string(&written).expect("a checkpoint is plain data")
    }
}

/// Runs a recipe from the beginning.
///
/// # Errors
///
/// If anything is wrong with the recipe, its data or the folder; nothing is
/// written then. Or if the run cannot go on; what it has done is kept.
pub fn breed(
    order: &Order,
    work: &Work,
    watch: &mut dyn FnMut(Event),
) -> Result<Outcome, RunError> {
    if order.recipe.pipeline.is_some() {
        let reason = "a recipe of steps is not one run; it is bred as a pipeline";
        return Err(order.recipe.complaint("step", reason).into());
    }
    let bench = Bench::new(&order.recipe, order.data.as_deref(), work.threads)?;
    let manifest = bench.manifest(order)?;
    let recipe = order.recipe.to_toml();
    let folder = RunFolder::create(&order.folder, &manifest, &recipe)?;
    let running = Running::new(&order.recipe, manifest, folder, work);
    running.go(bench, Checkpoint::default(), watch)
}

/// Goes on with the run in a folder.
///
/// # Errors
///
/// If there is none, somebody else is at it, or something it needs has changed.
pub fn resume(
    path: &std::path::Path,
    work: &Work,
    watch: &mut dyn FnMut(Event),
) -> Result<Outcome, RunError> {
    let (folder, manifest) = RunFolder::open(path)?;
    if manifest.version != env!("CARGO_PKG_VERSION") {
        return Err(RunError::Changed {
            what: format!("the program, then version {},", manifest.version),
        });
    }
    let text = folder.read(RunFolder::RECIPE)?;
    let recipe = Recipe::parse(&text, &format!("`{}`", path.display()), &[])?;
    let data = manifest.data_override.clone();
    let bench = Bench::new(&recipe, data.as_deref(), work.threads)?;
    let again = bench.manifest(&Order {
        recipe: recipe.clone(),
        seed: manifest.seed,
        data,
        folder: path.to_owned(),
    })?;
    if again.id != manifest.id {
        return Err(RunError::Changed {
            what: "the recipe, its data or its parent".to_owned(),
        });
    }
    let checkpoint = folder.checkpoint()?.unwrap_or_default();
    Running::new(&recipe, manifest, folder, work).go(bench, checkpoint, watch)
}

struct Running<'a> {
    recipe: &'a Recipe,
    manifest: Manifest,
    folder: RunFolder,
    games: GameJournal,
    searched: JudgedJournal,
    crew: Crew,
    work: &'a Work,
}

impl<'a> Running<'a> {
    fn new(recipe: &'a Recipe, manifest: Manifest, folder: RunFolder, work: &'a Work) -> Self {
        Self {
            recipe,
            manifest,
            folder,
            games: GameJournal::default(),
            searched: JudgedJournal::default(),
            crew: Crew::threads(work.threads),
            work,
        }
    }

    fn go(
        mut self,
        mut bench: Bench,
        mut checkpoint: Checkpoint,
        watch: &mut dyn FnMut(Event),
    ) -> Result<Outcome, RunError> {
        // 1. The records, cut back to the checkpoint.
        self.folder.begin(checkpoint.done)?;
        self.games =
            GameJournal::open(self.folder.path(), checkpoint.done).map_err(FolderError::from)?;
        let (path, threads) = (self.folder.path(), self.work.threads);
        self.searched = JudgedJournal::open(path, checkpoint.done).map_err(FolderError::from)?;
        self.crew = Crew::of(self.work.crew.as_ref(), path, threads)?;
        let most = self
            .recipe
            .stages
            .iter()
            .map(|stage| stage.stop.generations.map(u64::from));
        watch(Event::Begins {
            manifest: &self.manifest,
            generations: most.sum(),
        });

        // 2. The stages.
        while checkpoint.stage < self.recipe.stages.len() {
            let state = checkpoint.state.take();
            let material = bench.stage(checkpoint.stage, &checkpoint.champions)?;
            let ended = self.stage(&checkpoint, state, material, watch)?;
            let Ended::Done {
                reason,
                generations,
                judgements,
                finalists,
            } = ended
            else {
                return Ok(self.unfinished());
            };
            let chosen = self.choose(&mut bench, &checkpoint, generations, &finalists, watch)?;
            let Some(champion) = chosen else {
                return Ok(self.unfinished());
            };
            watch(Event::Stage {
                stage: checkpoint.stage,
                reason,
            });
            checkpoint.champions.push(champion);
            checkpoint.first = generations;
            checkpoint.judged = judgements;
            checkpoint.stage += 1;
            self.folder
                .settle(&checkpoint.text(generations, None::<&()>))?;
        }

        // 3. The champion, and what it is worth.
        self.games.finish().map_err(FolderError::from)?;
        let Some(champion) = checkpoint.champions.last() else {
            return Err(self.broken("it has no champion").into());
        };
        let player = self.champion(champion, &bench)?;
        self.folder.write(RunFolder::CHAMPION, &player.to_toml())?;
        self.prove(champion, &mut bench, watch)
    }

    fn broken(&self, reason: &str) -> FolderError {
        FolderError::Checkpoint {
            path: self.folder.path().join(RunFolder::CHECKPOINT),
            reason: reason.to_owned(),
        }
    }

    fn unfinished(self) -> Outcome {
        Outcome {
            manifest: self.manifest,
            proof: None,
        }
    }

    /// Each stage has its own chance.
    fn seed(&self, stage: usize) -> u64 {
        let stages = self.recipe.stages.len() as u64;
        self.manifest
            .seed
            .wrapping_mul(stages)
            .wrapping_add(stage as u64)
    }

    /// The champion of a stage; `None` if somebody asked to stop.
    fn choose(
        &mut self,
        bench: &mut Bench,
        checkpoint: &Checkpoint,
        generation: u32,
        finalists: &[Finalist],
        watch: &mut dyn FnMut(Event),
    ) -> Result<Option<Finalist>, RunError> {
        let mut round = Round {
            // Fresh games: no generation has this number yet.
            seed: generation_seed(self.seed(checkpoint.stage), generation),
            generation,
            threads: self.work.threads,
            crew: &self.crew,
            stop: &self.work.stop,
            games: &mut self.games,
            judged: &mut self.searched,
            incumbent: None,
            watch: &mut |judging| {
                watch(Event::Judging {
                    generation,
                    judging,
                });
            },
        };
        match bench.choose(checkpoint.stage, finalists, &mut round) {
            Err(RunError::Trial(TrialError::Stopped)) => Ok(None),
            chosen => chosen.map(Some),
        }
    }

    /// Runs one stage with the breeder its settings name.
    fn stage(
        &mut self,
        checkpoint: &Checkpoint,
        state: Option<serde_json::Value>,
        material: Material,
        watch: &mut dyn FnMut(Event),
    ) -> Result<Ended, RunError> {
        let settings = &self.recipe.stages[checkpoint.stage];
        let Material {
            space,
            trial,
            keep,
            founders,
        } = material;
        let seed = self.seed(checkpoint.stage);
        let mut told = |step: Step| match step {
            Step::Judging(generation, judging) => watch(Event::Judging {
                generation,
                judging,
            }),
            Step::Examined(line) => watch(Event::Examined(line)),
            Step::Judged(generation) => watch(Event::Generation(generation)),
        };
        let exam = self.recipe.exam.as_ref().map(|settings| Exam {
            settings,
            parent: &self.recipe.parent,
            crew: &self.crew,
            stop: &self.work.stop,
        });
        let around = Stage {
            exam,
            folder: &mut self.folder,
            games: &mut self.games,
            searched: &mut self.searched,
            space,
            trial,
            seed,
            threads: self.work.threads,
            crew: &self.crew,
            first: checkpoint.first,
            judged: checkpoint.judged,
            keep,
            baseline: settings.baseline,
            keep_genotypes: self.recipe.report.keep_genotypes,
            rules: settings.stop,
            asked_to_stop: &self.work.stop,
            watch: &mut told,
        };
        let begun = Begun {
            settings,
            founders,
            checkpoint,
            state,
            seed,
        };
        match (&space.kind, settings.breeder.clone()) {
            (SpaceKind::Bits(_), BreederSettings::Ga(it)) => {
                begun.run(around, |home, start| Ga::<Bits>::new(it, home, start, seed))
            }
            (_, BreederSettings::Ga(it)) => begun.run(around, |home, start| {
                Ga::<Reals>::new(it, home, start, seed)
            }),
            (SpaceKind::Bits(_), BreederSettings::Random(it)) => begun
                .run(around, |home, start| {
                    RandomSearch::<Bits>::new(it, home, start, seed)
                }),
            (_, BreederSettings::Random(it)) => begun.run(around, |home, start| {
                RandomSearch::<Reals>::new(it, home, start, seed)
            }),
            (SpaceKind::Bits(_), BreederSettings::MuPlusLambda(it)) => begun
                .run(around, |home, start| {
                    MuPlusLambda::<Bits>::new(it, home, start, seed)
                }),
            (_, BreederSettings::MuPlusLambda(it)) => begun.run(around, |home, start| {
                MuPlusLambda::<Reals>::new(it, home, start, seed)
            }),
            (_, BreederSettings::Adam(it)) => begun.run(around, |home, start| {
                Adam::new(it, home, start.into_iter().next(), seed)
            }),
            (_, BreederSettings::Spsa(it)) => begun.run(around, |home, start| {
                Spsa::new(it, home, start.into_iter().next(), seed)
            }),
            (SpaceKind::Synapses(synapses), BreederSettings::Cosyne(it)) => begun
                .run(around, |_, start| {
                    Cosyne::new(it, synapses.clone(), start, seed)
                }),
            (SpaceKind::Nets(_), BreederSettings::Neat(it)) => begun
                .run(around, |nets: Nets, start| {
                    Neat::new(*it, nets.shape, start, seed)
                }),
            (_, BreederSettings::Cosyne(_) | BreederSettings::Neat(_)) => Err(RunError::Stage(
                "the breeder does not suit the genomes".to_owned(),
            )),
        }
    }
}

/// A stage about to be run: from its beginning, or from a checkpoint.
struct Begun<'a> {
    settings: &'a StageSettings,
    /// Whose genes the first generation begins with.
    founders: Vec<(String, Vec<i32>)>,
    checkpoint: &'a Checkpoint,
    state: Option<serde_json::Value>,
    seed: u64,
}

impl Begun<'_> {
    fn run<B>(
        self,
        mut around: Stage,
        make: impl FnOnce(<B::Genome as Bred>::Home, Vec<B::Genome>) -> Result<B, SettingsError>,
    ) -> Result<Ended, RunError>
    where
        B: Breeder + DeserializeOwned + 'static,
        B::Genome: Bred + Jitter,
    {
        let space: &Space = around.space;
        let state = if let Some(state) = self.state {
            serde_json::from_value(state).map_err(|error| FolderError::Checkpoint {
                path: around.folder.path().join(RunFolder::CHECKPOINT),
                reason: error.to_string(),
            })?
        } else {
            let mut start = Vec::new();
            let mut given: Vec<(&str, &[i32])> = Vec::new();
            if self.settings.genome.start == Start::Parent {
                given.push(("the parent", space.base()));
            }
            let founders = self.founders.iter();
            given.extend(founders.map(|(name, numbers)| (name.as_str(), numbers.as_slice())));
            for (name, numbers) in given {
                start.push(B::Genome::of(space, numbers).map_err(|reason| {
                    RunError::Stage(format!("{name} cannot be encoded: {reason}"))
                })?);
            }
            self.add_mutants(&mut start);
            let Some(home) = B::Genome::home(space) else {
                let reason = "the breeder does not suit the genomes";
                return Err(RunError::Stage(reason.to_owned()));
            };
            let breeder = make(home.clone(), start.clone())
                .map_err(|error| RunError::Stage(format!("the breeder cannot be made: {error}")))?;
            State::new(breeder, space, start, self.seed)
        };
        Ok(around.run(state, |done, state| self.checkpoint.text(done, Some(state)))?)
    }

    /// Fills the first generation with mutants of the parent, where that is asked for.
    fn add_mutants<G: Clone + Jitter>(&self, start: &mut Vec<G>) {
        let (Some(size), Some(parent)) = (self.settings.genome.mutants, start.first().cloned())
        else {
            return;
        };
        let (population, limits) = match &self.settings.breeder {
            BreederSettings::Cosyne(it) => {
                let network = self.settings.genome.network.as_ref();
                let limit = network.map_or_else(most, |it| it.limit);
                (it.population, [[-limit, limit]; 2])
            }
            BreederSettings::Neat(it) => {
                let biases = it.biases.as_ref().map_or([0.0; 2], |it| [it.low, it.high]);
                (it.population, [[it.weights.low, it.weights.high], biases])
            }
            _ => return,
        };
        for place in start.len()..population {
            let mut rng = generator(self.seed, 0, place as u32, Purpose::Start);
            let mut mutant = parent.clone();
            mutant.jitter(limits, &mut || size * normal(&mut rng));
            start.push(mutant);
        }
    }
}

/// A normal deviate: the sum of twelve numbers from 0 to 1, less six, is near enough
/// for a first generation, and the same on every machine.
fn normal(rng: &mut impl RngExt) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}
