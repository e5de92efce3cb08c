//! Learns from games with people and in a GUI.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use mendel_board::Color;
use mendel_engine::{Player, session};
use mendel_lab::learning::{
    ExchangeConnection, LearnedGame, OnlinePopulation, OpponentKind, PLAYER, PlayedGame,
    PlayerResult, PopulationConfig,
};
use mendel_store::frame::Failure;

use crate::crew::{ServerArgs, crew_error};
use crate::library;
use crate::output;
use crate::request::UsageError;

/// Chooses the weights of a population for one game after the other. It holds no lock: the
/// experiment of the folder and other processes may learn at the same time.
#[derive(Debug)]
pub(crate) struct PopulationLearner {
    folder: PathBuf,
    config: PopulationConfig,
    against: OpponentKind,
    seed: Option<u64>,
    /// The population before the last game, with the games of other nodes.
    population: Option<OnlinePopulation>,
    /// The weights that play the current game.
    weights: Option<Vec<i32>>,
    connection: ExchangeConnection,
}

impl PopulationLearner {
    /// The population at home that learns the weights of `player`.
    pub(crate) fn new(
        player: Option<&str>,
        against: OpponentKind,
        seed: Option<u64>,
        crew: &ServerArgs,
    ) -> anyhow::Result<Self> {
        if player.is_some_and(|name| name != PLAYER) {
            return UsageError::bail(
                "`--learn` plays with the sets that are learned, and no other player",
                "leave out `--player`",
            );
        }
        let connection =
            ExchangeConnection::open(crew.options()?, &mut note).map_err(crew_error)?;
        Ok(Self {
            folder: library::learning()?,
            config: PopulationConfig::shared(),
            against,
            seed,
            population: None,
            weights: None,
            connection,
        })
    }

    pub(crate) fn next(&mut self) -> anyhow::Result<Player> {
        // After an error another player plays, and no weights may be judged by its game.
        self.weights = None;
        let mut population = OnlinePopulation::read(&self.folder, &self.config).map_err(cause)?;
        if let Some(before) = self.population.take() {
            population.merge(before.games().cloned()).map_err(cause)?;
        }
        self.connection.exchange(&mut population, &mut note);
        let games = population.games().len() as u64;
        let seed = self.seed.map_or_else(now, |seed| seed.wrapping_add(games));
        let weights = population.choose(seed);
        let player = population.player(&weights).map_err(cause)?;
        self.weights = Some(weights);
        self.population = Some(population);
        Ok(player)
    }

    /// Records the game of the weights that played.
    pub(crate) fn record(
        &mut self,
        own: Color,
        winner: Option<Color>,
        plies: usize,
    ) -> anyhow::Result<LearnedGame> {
        let (Some(weights), Some(population)) = (&self.weights, &mut self.population) else {
            anyhow::bail!("no set played this game");
        };
        let result = match winner {
            None => PlayerResult::Drawn,
            Some(side) if side == own => PlayerResult::Won,
            Some(_) => PlayerResult::Lost,
        };
        let game = population.record_game(PlayedGame {
            set: weights.clone(),
            opponent: match self.against {
                OpponentKind::Person => "a person",
                OpponentKind::Gui | OpponentKind::Program => "in a GUI",
            }
            .to_owned(),
            against: self.against,
            white: own == Color::White,
            plies: u32::try_from(plies).unwrap_or(u32::MAX),
            result,
        });
        let game = game.map_err(cause)?;
        self.connection.exchange(population, &mut note);
        Ok(game)
    }
}

/// Notes go to stderr: stdout belongs to the game or to the protocol of a GUI.
#[allow(
    clippy::needless_pass_by_value,
    reason = "the form that the connection asks for"
)]
fn note(text: String) {
    output::log(text);
}

fn cause(failure: Failure) -> anyhow::Error {
    anyhow::anyhow!(failure.into_cause())
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |time| time.as_nanos() as u64)
}

/// Errors go to stderr: stdout belongs to the GUI.
impl session::Pupil for PopulationLearner {
    fn begin(&mut self) -> Arc<Player> {
        match self.next() {
            Ok(player) => Arc::new(player),
            Err(error) => {
                note(format!("cannot learn: {error}"));
                let player = Player::parse(&self.config.player, PLAYER);
                Arc::new(player.expect("a player that was written can be read"))
            }
        }
    }

    fn end(&mut self, own: Color, winner: Option<Color>, plies: usize) {
        if let Err(error) = self.record(own, winner, plies) {
            note(format!("cannot learn: {error}"));
        }
    }
}
