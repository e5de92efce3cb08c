//! The experiment: games against another player, one after the other.

use std::path::PathBuf;
use std::sync::Arc;

use mendel_arena::statistics::Trend;
use mendel_arena::task::PairTask;
use mendel_arena::{
    Entrant, GamePair, GamePairs, OpeningSetting, Openings, Pace, PairGame, Patience, map_pairs,
};
use mendel_crew::{ConnectOptions, Crew, Done};
use mendel_evolve::generation_seed;
use mendel_store::frame::{
    Experiment, Failure, Folder, Frame, Identity, OrInvalid as _, Preparation,
};
use mendel_store::{InputHashes, replace};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::exchange::ExchangeConnection;
use super::population_store::{OnlinePopulation, PLAN, PlayedGame, PopulationConfig};
use super::{NAME, opponents};
use crate::games;
use crate::record::CHAMPION;
use crate::record::learning::{OpponentHistory, OpponentKind, PlayerResult, opponent_name};

/// The opponent, and how many games are played against it. It is in the checkpoint, so that a
/// resume finishes what was requested last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LearnPlan {
    pub opponent: String,
    /// Games that were played in this folder against this opponent at the end.
    pub games: u64,
    /// Plies that the weights search, and the opponent unless it has a pace of its own.
    pub depth: u32,
    pub max_plies: u32,
    pub seed: u64,
}

impl LearnPlan {
    /// The usual games against an opponent: two plies, drawn after 200 half-moves.
    pub fn new(opponent: &str, games: u64, seed: u64) -> Self {
        Self {
            opponent: opponent.to_owned(),
            games,
            depth: DEPTH,
            max_plies: 200,
            seed,
        }
    }
}

pub const DEPTH: u32 = 2;

/// An opponent that misbehaves in more games is given up.
const MAX_FAULTS: u64 = 20;

#[derive(Clone, Debug, Default)]
pub struct LearnOptions {
    /// What is requested now; without it what was requested last.
    pub learn: Option<LearnPlan>,
    /// The server of a crew whose nodes send each other their games.
    pub server: Option<ConnectOptions>,
    /// Whether it is the population of all games at home, which any build of this program
    /// continues.
    pub is_shared: bool,
}

/// A population that learns and an opponent that can play.
#[derive(Debug)]
pub struct Learn {
    config: PopulationConfig,
    plan: LearnPlan,
    options: LearnOptions,
    pairs: GamePairs,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearnOutcome {
    pub games: u64,
    pub here: u64,
    /// Those that the last call played; unknown of an experiment that was stopped.
    pub now: Option<u64>,
    pub births: u32,
    pub trend: Option<Trend>,
    pub opponents: Vec<OpponentOutcome>,
    pub champion: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpponentOutcome {
    pub opponent: String,
    pub games: u64,
    pub here: u64,
    pub trend: Option<Trend>,
}

impl LearnOutcome {
    /// What came of the games that a folder has, of which `now` were just played.
    fn new(population: &OnlinePopulation, opponent: &str, now: Option<u64>) -> Self {
        let met = opponents(population);
        let name = opponent_name(opponent);
        let this = met.iter().find(|it| it.name == name);
        let outcome = |it: &OpponentHistory| OpponentOutcome {
            opponent: it.name.clone(),
            games: it.results.len() as u64,
            here: it.here as u64,
            trend: it.trend(),
        };
        Self {
            games: population.games().len() as u64,
            here: met.iter().map(|it| it.here as u64).sum(),
            now,
            births: population.population().births(),
            trend: this.and_then(OpponentHistory::trend),
            opponents: met.iter().map(outcome).collect(),
            champion: population.folder().join(CHAMPION),
        }
    }
}

impl Experiment for Learn {
    const KIND: &'static str = "learn";
    const SCHEMA: u32 = 1;
    const PLAN: &'static str = PLAN;
    type Plan = PopulationConfig;
    type ExecOptions = LearnOptions;
    type Outcome = LearnOutcome;

    fn prepare(
        config: PopulationConfig,
        _seed: u64,
        options: &LearnOptions,
        context: &Preparation,
    ) -> Result<Self, Failure> {
        config.check().or_invalid()?;
        let requested = match &options.learn {
            Some(plan) => Some(plan.clone()),
            None => Folder::at(context.folder()).read_checkpoint()?,
        };
        let plan = requested.ok_or_else(|| {
            Failure::invalid("it is not known against whom the population learns").with_hint(
                format!("`mendel breed {NAME} --set learn.opponent=PLAYER` names it"),
            )
        })?;
        let opponent = Entrant::parse(&plan.opponent).or_invalid_with(PLAYERS_HINT)?;
        let pairs = GamePairs {
            entrants: vec![opponent.clone(), opponent],
            openings: Vec::new(),
            pace: Pace::depth(plan.depth),
            patience: Patience::default(),
            adjudication: games::drawn_after(plan.max_plies),
        };
        pairs.check().or_invalid_with(PLAYERS_HINT)?;
        Ok(Self {
            config,
            plan,
            options: options.clone(),
            pairs,
        })
    }

    fn identity(&self) -> Identity {
        Identity {
            id: self.config.id(),
            name: NAME.to_owned(),
            facts: toml::Table::new(),
        }
    }

    fn inputs(&self) -> Result<InputHashes, Failure> {
        let mut inputs = if self.options.is_shared {
            InputHashes::default()
        } else {
            InputHashes::of_this_build()
        };
        self.pairs.entrants[1]
            .add_inputs(&mut inputs)
            .or_invalid()?;
        Ok(inputs)
    }

    /// A population has no end: games may have been added since.
    fn satisfies(_outcome: &LearnOutcome, _options: &LearnOptions) -> bool {
        false
    }

    fn run(self, frame: &mut Frame) -> Result<LearnOutcome, Failure> {
        // 1. What is requested, and its opponent, which may be another one than before.
        frame.write_checkpoint(&self.plan, &mut [])?;
        let mut inputs = InputHashes::default();
        self.pairs.entrants[1].add_inputs(&mut inputs)?;
        inputs.extend(frame.path()).or_invalid()?;
        // 2. The games so far, also those of others.
        let mut population = OnlinePopulation::open(frame.folder(), self.config.clone())?;
        let opponent = self.plan.opponent.clone();
        let before = population.played_against(&opponent).count() as u64;
        // 3. The missing ones.
        let played = self.play_missing(frame, &mut population);
        // 4. The best weights, also of a population that was stopped.
        if played.is_ok() || matches!(played, Err(Failure::Stopped)) {
            write_champion(&population)?;
        }
        played?;
        let now = population.played_against(&opponent).count() as u64 - before;
        Ok(LearnOutcome::new(&population, &opponent, Some(now)))
    }
}

const PLAYERS_HINT: &str = "`mendel players` lists the built-in players";

const WEIGHTS: &str = "set";

impl Learn {
    /// The population of an experiment.
    ///
    /// # Errors
    ///
    /// If its plan or its games cannot be read.
    pub fn population(folder: &Folder) -> Result<OnlinePopulation, Failure> {
        let config: PopulationConfig = toml::from_str(&folder.read(PLAN)?)?;
        OnlinePopulation::read(folder.path(), &config)
    }

    /// What came of the games so far, also of an experiment that is not finished.
    ///
    /// # Errors
    ///
    /// If its files cannot be read.
    pub fn so_far(folder: &Folder) -> Result<Option<LearnOutcome>, Failure> {
        let Some(plan) = folder.read_checkpoint::<LearnPlan>()? else {
            return Ok(None);
        };
        let population = Self::population(folder)?;
        Ok(Some(LearnOutcome::new(&population, &plan.opponent, None)))
    }

    /// Plays until the folder has as many games against the opponent as the plan asks for;
    /// games of others, and against others, do not count. Each is on the disk before the next
    /// begins.
    ///
    /// Game after game chance depends on the seed and on how many of these games were played,
    /// so that a killed experiment continues as if it had not been killed.
    fn play_missing(
        mut self,
        frame: &Frame,
        population: &mut OnlinePopulation,
    ) -> Result<(), Failure> {
        let events = frame.events();
        let mut note = |text: String| events.note(text);
        let mut connection = ExchangeConnection::open(self.options.server.clone(), &mut note)?;
        connection.exchange(population, &mut note);
        let openings = Openings::own(&OpeningSetting::default());
        let mut faults = 0;
        loop {
            population.refresh()?;
            let number = population.played_against(&self.plan.opponent).count() as u64;
            events.progress("games", number, Some(self.plan.games));
            if number >= self.plan.games {
                return Ok(());
            }
            frame.check_stop()?;
            // 1. Who plays, with which colour, from where.
            let seed = generation_seed(self.plan.seed, number as u32);
            let set = population.choose(seed);
            let player = population.player(&set)?;
            self.pairs.entrants[0] = Entrant::bred(WEIGHTS, Arc::new(player), Vec::new());
            self.pairs.openings = vec![openings.get(seed % openings.len() as u64)];
            let white = number.is_multiple_of(2);
            // 2. The game.
            let game = self.play(white, frame)?;
            if game.reason.is_fault() {
                // A win by the fault of the opponent shows nothing.
                faults += 1;
                if faults > MAX_FAULTS {
                    return Err(Failure::failed(format!(
                        "`{}` misbehaved in {faults} games, the last time by {:?}; fix it or \
                         choose another opponent, then resume",
                        self.pairs.entrants[1].name, game.reason
                    )));
                }
                continue;
            }
            // 3. It is counted.
            let learned = population.record_game(PlayedGame {
                set,
                opponent: self.plan.opponent.clone(),
                against: OpponentKind::Program,
                white,
                plies: game.plies,
                result: match game.points {
                    1.. => PlayerResult::Won,
                    0 => PlayerResult::Drawn,
                    _ => PlayerResult::Lost,
                },
            })?;
            events.record("game", &json!({ "game": learned }));
            connection.exchange(population, &mut note);
        }
    }

    /// One game; it is not recorded if the stop flag ended it.
    fn play(&self, white: bool, frame: &Frame) -> Result<PairGame, Failure> {
        let only = usize::from(!white);
        let pair = GamePair {
            id: 0,
            first: 0,
            second: 1,
            opening: 0,
            only: Some(only),
        };
        let task = PairTask::new(&self.pairs);
        let mut played = None;
        map_pairs::<Failure>(
            &Crew::threads(1),
            &task,
            &[pair],
            frame.stop(),
            &mut |_, done| {
                if let Done::Output(games) = done {
                    played = Some(games[only]);
                }
                Ok(())
            },
        )?;
        played.ok_or(Failure::Stopped)
    }
}

fn write_champion(population: &OnlinePopulation) -> Result<(), Failure> {
    let Some(best) = population.population().best() else {
        return Ok(());
    };
    let mut player = population.player(&best.set)?;
    NAME.clone_into(&mut player.name);
    player.about = format!(
        "The best of {} sets after {} games",
        population.population().members().len(),
        population.games().len()
    );
    replace(
        &population.folder().join(CHAMPION),
        player.to_toml().as_bytes(),
    )?;
    Ok(())
}
