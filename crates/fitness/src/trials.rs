//! The trials that recipes can name: the only list of them.

use std::fmt::Debug;
use std::sync::Arc;

use mendel_data::{DataSet, GameResult};
use mendel_engine::Player;
use serde::de::DeserializeOwned;

use crate::genome::space::Space;
use crate::trial::games::{GameKind, GameSettings};
use crate::trial::{
    AgreementSettings, Distance, DistanceSettings, Draw, ExpertDistance, Labelled, Measure,
    MoveAgreement, PlayedGamesTrial, PlayerTrial, Suite, SuiteSettings, SuiteTrial, TrialError,
};

/// An entry of the list.
#[derive(Debug)]
pub struct TrialKind {
    /// As recipes write it.
    pub name: &'static str,
    /// Reads its table of a recipe, which has the key `kind`.
    pub settings: fn(toml::Table) -> Result<Arc<dyn TrialSettings>, toml::de::Error>,
}

pub trait TrialSettings: Debug + Send + Sync {
    /// # Errors
    ///
    /// Names the key that is wrong and what would be right.
    fn check(&self) -> Result<(), TrialError>;

    /// The trial of members around a parent.
    ///
    /// # Errors
    ///
    /// If the parent or the positions do not suit it.
    fn make(&self, inputs: &TrialInputs<'_>) -> Result<PlayerTrial, TrialError>;

    /// What is measured; figures of different metrics do not compare.
    fn metric(&self) -> &'static str;

    /// Which finalists the champion is chosen from.
    fn finalists(&self) -> FinalistRule;

    /// Why scores may be negative, as the end of a sentence; `None` if they are not.
    fn negative_scores(&self) -> Option<&'static str> {
        None
    }

    /// Refuses breeders that need gradients: the table and key that is wrong, and why.
    ///
    /// # Errors
    ///
    /// If the trial has no gradients.
    fn check_gradients(&self) -> Result<(), (&'static str, &'static str)> {
        Ok(())
    }

    fn uses_search(&self) -> bool {
        true
    }

    /// Whether a position of a data set can be judged.
    fn uses_position(&self, _set: &DataSet, _index: usize) -> bool {
        true
    }

    /// The games that are played, if members are judged by games. Other trials need a
    /// data set.
    fn games(&self) -> Option<&GameSettings> {
        None
    }
}

#[derive(Debug)]
pub struct TrialInputs<'a> {
    pub parent: &'a Player,
    /// The space of the members, made for the parent.
    pub space: &'a Space,
    pub positions: Option<TrialPositions<'a>>,
    pub threads: usize,
}

/// Some positions of a data set.
#[derive(Clone, Copy, Debug)]
pub struct TrialPositions<'a> {
    pub set: &'a DataSet,
    pub indices: &'a [usize],
    /// Judges by all of them, whatever sample the settings ask for.
    pub whole: bool,
}

/// Which finalists of a run are kept; the likeliest champion comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalistRule {
    /// The best of all generations: they are judged alike.
    Best,
    /// The best of each generation, to be judged again: luck with the sample must
    /// not decide.
    Each,
    /// The best of the latest generations, up to a number: scores of two generations do
    /// not compare.
    Latest(usize),
    /// Those with the highest scores, up to a number.
    Top(usize),
    /// The latest kings, up to a number.
    Kings(usize),
}

pub static TRIALS: &[TrialKind] = &[
    TrialKind {
        name: "expert-distance",
        settings: settings::<DistanceSettings>,
    },
    TrialKind {
        name: "move-agreement",
        settings: settings::<AgreementSettings>,
    },
    TrialKind {
        name: "suite",
        settings: settings::<SuiteSettings>,
    },
    games("round-robin"),
    games("random-members"),
    games("gauntlet"),
    games("duels"),
    games("king-of-the-hill"),
];

/// The entry of a name.
///
/// # Errors
///
/// The names that there are.
pub fn find_trial<'a>(
    kinds: &'a [TrialKind],
    name: &str,
) -> Result<&'a TrialKind, Vec<&'static str>> {
    let found = kinds.iter().find(|kind| kind.name == name);
    found.ok_or_else(|| kinds.iter().map(|kind| kind.name).collect())
}

fn settings<S>(mut table: toml::Table) -> Result<Arc<dyn TrialSettings>, toml::de::Error>
where
    S: TrialSettings + DeserializeOwned + 'static,
{
    table.remove("kind");
    Ok(Arc::new(table.try_into::<S>()?))
}

/// A kind of game, which is also among the keys of the settings.
const fn games(name: &'static str) -> TrialKind {
    TrialKind {
        name,
        settings: |table| Ok(Arc::new(table.try_into::<GameSettings>()?)),
    }
}

impl TrialInputs<'_> {
    fn positions(&self) -> Result<TrialPositions<'_>, TrialError> {
        self.positions.ok_or(TrialError::NoPositions)
    }
}

/// The best of each generation only if generations are judged by different positions.
fn sampled(sample: Option<usize>, draw: Draw) -> FinalistRule {
    match sample {
        Some(_) if draw != Draw::Never => FinalistRule::Each,
        _ => FinalistRule::Best,
    }
}

impl TrialSettings for DistanceSettings {
    fn check(&self) -> Result<(), TrialError> {
        self.check()
    }

    fn make(&self, inputs: &TrialInputs<'_>) -> Result<PlayerTrial, TrialError> {
        let TrialPositions {
            set,
            indices,
            whole,
        } = inputs.positions()?;
        let labelled = indices.iter().map(|&at| &set.samples[at]);
        let labelled = labelled.map(|sample| Labelled {
            position: &sample.position,
            score: sample.score.map(i32::from),
            result: sample.result.map(GameResult::points),
        });
        let settings = Self {
            sample: self.sample.filter(|_| !whole),
            ..self.clone()
        };
        let evaluator = inputs.space.evaluator(inputs.parent);
        let trial = ExpertDistance::new(evaluator, labelled, settings, inputs.threads)?;
        Ok(PlayerTrial::Positions(Box::new(trial)))
    }

    fn metric(&self) -> &'static str {
        match self.distance {
            Distance::Absolute => "absolute distance",
            Distance::Squared => "squared distance",
            Distance::Sigmoid => "distance of expected results",
        }
    }

    fn finalists(&self) -> FinalistRule {
        sampled(self.sample, self.draw)
    }

    fn negative_scores(&self) -> Option<&'static str> {
        Some("an error is a negative score")
    }

    fn uses_search(&self) -> bool {
        false
    }
}

impl TrialSettings for AgreementSettings {
    fn check(&self) -> Result<(), TrialError> {
        self.check()
    }

    fn make(&self, inputs: &TrialInputs<'_>) -> Result<PlayerTrial, TrialError> {
        let TrialPositions {
            set,
            indices,
            whole,
        } = inputs.positions()?;
        let samples = indices.iter().map(|&at| &set.samples[at]);
        let moves = samples.enumerate().map(|(index, sample)| {
            let what = "best move";
            let best = sample.best.ok_or(TrialError::NoLabel { index, what })?;
            Ok((&sample.position, best))
        });
        let moves = moves.collect::<Result<Vec<_>, TrialError>>()?;
        let settings = Self {
            sample: self.sample.filter(|_| !whole),
            ..self.clone()
        };
        let trial = MoveAgreement::new(inputs.parent, moves, settings, inputs.threads)?;
        Ok(PlayerTrial::Positions(Box::new(trial)))
    }

    fn metric(&self) -> &'static str {
        "agreement of moves"
    }

    fn finalists(&self) -> FinalistRule {
        sampled(self.sample, self.draw)
    }

    fn check_gradients(&self) -> Result<(), (&'static str, &'static str)> {
        if self.depth > 1 {
            let reason = "must be 1 for a breeder that climbs: a search has no slope";
            return Err(("trial.depth", reason));
        }
        Ok(())
    }

    fn uses_search(&self) -> bool {
        false
    }
}

/// For trials whose members search.
const NO_GRADIENTS: (&str, &str) = (
    "breeder.kind",
    "climbs along slopes, and searches have none: choose another, such as \"spsa\"",
);

impl TrialSettings for SuiteSettings {
    fn check(&self) -> Result<(), TrialError> {
        self.check()
    }

    fn make(&self, inputs: &TrialInputs<'_>) -> Result<PlayerTrial, TrialError> {
        let TrialPositions { set, indices, .. } = inputs.positions()?;
        let positions = indices.iter().map(|&at| {
            let solutions = set.best_moves(at).unwrap_or_default();
            (&set.samples[at].position, solutions)
        });
        let suite = Suite::new(positions, self.clone())?;
        let trial = SuiteTrial::new(inputs.parent, inputs.space, suite);
        Ok(PlayerTrial::Positions(Box::new(trial)))
    }

    fn metric(&self) -> &'static str {
        match self.measure {
            Measure::Nodes => "nodes of a suite",
            Measure::Solved => "solved positions of a suite",
        }
    }

    fn finalists(&self) -> FinalistRule {
        FinalistRule::Best
    }

    fn check_gradients(&self) -> Result<(), (&'static str, &'static str)> {
        Err(NO_GRADIENTS)
    }

    /// A position that names several best moves counts once.
    fn uses_position(&self, set: &DataSet, index: usize) -> bool {
        set.best_moves(index).is_some()
    }
}

impl TrialSettings for GameSettings {
    fn check(&self) -> Result<(), TrialError> {
        self.check()
    }

    fn make(&self, inputs: &TrialInputs<'_>) -> Result<PlayerTrial, TrialError> {
        let trial = PlayedGamesTrial::new(inputs.parent, inputs.space, self.clone())?;
        Ok(PlayerTrial::Games(Box::new(trial)))
    }

    fn metric(&self) -> &'static str {
        "games"
    }

    fn finalists(&self) -> FinalistRule {
        let most = self.verify.map_or(1, |verify| verify.candidates);
        match self.kind {
            GameKind::KingOfTheHill => FinalistRule::Kings(most),
            GameKind::Gauntlet => FinalistRule::Top(most),
            GameKind::RoundRobin | GameKind::RandomMembers | GameKind::Duels => {
                FinalistRule::Latest(most)
            }
        }
    }

    fn negative_scores(&self) -> Option<&'static str> {
        Some("who loses more than it wins has a negative one")
    }

    fn check_gradients(&self) -> Result<(), (&'static str, &'static str)> {
        Err(NO_GRADIENTS)
    }

    fn games(&self) -> Option<&GameSettings> {
        Some(self)
    }
}
