//! Whether the tables of a stage fit together.

use mendel_data::Reader;
use mendel_engine::Player;
use mendel_fitness::genome::AnyGenome;
use mendel_fitness::genome::space::{Space, SpaceKind};
use mendel_fitness::trial::games::GameKind;

use super::stage::StageSettings;
use super::{Misfit, require};

impl StageSettings {
    /// What does not fit together.
    pub(super) fn check(&self) -> Result<(), Misfit> {
        self.check_data()?;
        self.check_breeder()?;
        let has_kings = (self.trial.games()).is_some_and(|it| it.kind == GameKind::KingOfTheHill);
        let reason = "is for kind = \"king-of-the-hill\" alone: elsewhere there are no kings";
        let fits = has_kings || self.stop.no_new_king.is_none();
        require(fits, "stop.no-new-king", reason)
    }

    fn check_data(&self) -> Result<(), Misfit> {
        if self.trial.games().is_some() {
            let reason = "means nothing here: games judge, and no positions";
            require(self.data.is_none(), "trial.data", reason)?;
            return require(self.holdout.is_none(), "trial.holdout", reason);
        }
        let Some(data) = &self.data else {
            let reason = "has no `data`; name a built-in data set or a file";
            return Err(("trial", reason.to_owned()));
        };
        let found = Reader::find(data);
        found.map(drop).map_err(|it| ("trial.data", it.to_string()))
    }

    fn check_breeder(&self) -> Result<(), Misfit> {
        let breeder = &self.breeder.settings;
        if breeder.needs_gradients() {
            let found = self.trial.check_gradients();
            found.map_err(|(key, reason)| (key, reason.to_owned()))?;
        }
        if breeder.needs_scores_from_zero()
            && let Some(negative) = self.trial.negative_scores()
        {
            let reason = format!(
                "needs scores from 0, and {negative}: write selection = \"roulette-shifted\""
            );
            return Err(("breeder.selection", reason));
        }
        Ok(())
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
        let encoded = AnyGenome::encode(space, own.base());
        encoded
            .map(drop)
            .map_err(|reason| format!("`{name}` cannot be encoded: {reason}"))
    }
}
