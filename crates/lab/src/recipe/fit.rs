//! Whether the tables of a stage fit together.

use mendel_data::Reader;
use mendel_engine::Player;
use mendel_evolve::{Bits, NetGenome, RealVector};
use mendel_fitness::genome::Bred;
use mendel_fitness::genome::space::{Space, SpaceKind};
use mendel_fitness::trial::games::GameKind;

use super::stage::{BreederSettings, StageSettings, TrialSettings};

/// The key that is wrong, and why.
type Misfit = (&'static str, String);

impl StageSettings {
    /// What does not fit together.
    pub(super) fn check(&self) -> Result<(), Misfit> {
        self.check_data()?;
        self.check_breeder()?;
        let has_kings = matches!(
            &self.trial,
            TrialSettings::Games(it) if it.kind == GameKind::KingOfTheHill
        );
        if self.stop.no_new_king.is_some() && !has_kings {
            let reason = "is for kind = \"king-of-the-hill\" alone: elsewhere there are no kings";
            return Err(("stop.no-new-king", reason.to_owned()));
        }
        Ok(())
    }

    fn check_data(&self) -> Result<(), Misfit> {
        if let TrialSettings::Games(_) = self.trial {
            let idle = [
                ("trial.data", self.data.is_some()),
                ("trial.holdout", self.holdout.is_some()),
            ];
            let reason = "means nothing here: games judge, and no positions";
            let idle = idle.iter().find(|(_, given)| *given);
            return idle.map_or(Ok(()), |(key, _)| Err((*key, reason.to_owned())));
        }
        let Some(data) = &self.data else {
            let reason = "has no `data`; name a built-in data set or a file";
            return Err(("trial", reason.to_owned()));
        };
        match Reader::find(data) {
            Ok(_) => Ok(()),
            Err(error) => Err(("trial.data", error.to_string())),
        }
    }

    fn check_breeder(&self) -> Result<(), Misfit> {
        match (&self.breeder, &self.trial) {
            (BreederSettings::Adam(_), TrialSettings::Agreement(it)) if it.depth > 1 => {
                let reason = "must be 1 for a breeder that climbs: a search has no slope";
                Err(("trial.depth", reason.to_owned()))
            }
            (BreederSettings::Adam(_), TrialSettings::Games(_) | TrialSettings::Suite(_)) => {
                let reason = "climbs along slopes, and searches have none: choose another, such \
                              as \"spsa\"";
                Err(("breeder.kind", reason.to_owned()))
            }
            (BreederSettings::Ga(ga), trial) if ga.selection.needs_scores_from_zero() => {
                let negative = match trial {
                    TrialSettings::Distance(_) => "an error is a negative score",
                    TrialSettings::Games(_) => "who loses more than it wins has a negative one",
                    TrialSettings::Agreement(_) | TrialSettings::Suite(_) => return Ok(()),
                };
                let reason = format!(
                    "needs scores from 0, and {negative}: write selection = \"roulette-shifted\""
                );
                Err(("breeder.selection", reason))
            }
            _ => Ok(()),
        }
    }

    /// Whether the genes of a founder can be written as the recipe's genomes are.
    pub(super) fn can_found(
        &self,
        space: &Space,
        (name, player): &(String, Player),
    ) -> Result<(), String> {
        let own = Space::new(player, &self.genome).map_err(|error| {
            format!(
                "`{name}` does not have the numbers that are bred: {}",
                error.reason
            )
        })?;
        let grows = matches!(space.kind, SpaceKind::Nets(_));
        let as_long = grows || own.base().len() == space.base().len();
        if own.names() != space.names() || !as_long {
            return Err(format!(
                "`{name}` has other numbers than the parent; all must have the same evaluator"
            ));
        }
        let encoded = match &space.kind {
            SpaceKind::Bits(_) => Bits::of(space, own.base()).map(|_| ()),
            SpaceKind::Reals(_) | SpaceKind::Synapses(_) => {
                RealVector::of(space, own.base()).map(|_| ())
            }
            SpaceKind::Nets(_) => NetGenome::of(space, own.base()).map(|_| ()),
        };
        encoded.map_err(|reason| format!("`{name}` cannot be encoded: {reason}"))
    }
}
