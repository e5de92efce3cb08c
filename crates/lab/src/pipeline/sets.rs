//! A step that makes a data set, as `mendel data make` does.

use std::path::PathBuf;
use std::time::Duration;

use mendel_arena::{Entrant, Kind as Seat};
use mendel_data::label::{Ask, Evaluation, ExpertPlan};
use mendel_data::make::{DataOptions, DataPlan, DataSetCreation};
use mendel_data::{DataSet, Kind, SUFFIX};
use mendel_store::frame::Failure;

use super::PipelineExecutor;
use super::error::StepError;
use super::refer::{Made, folder_of, seed_of};
use crate::proof::first_that_plays;
use crate::recipe::steps::{DataSettings, PREVIOUS, Settings, Turn};
use crate::record::Set;

impl DataSettings {
    /// What the numbers ask for, with what was made before.
    pub(super) fn plan(
        &self,
        out: PathBuf,
        seed: u64,
        made: &Made,
        expert: Option<&str>,
    ) -> DataPlan {
        let usual = DataPlan::usual(self.kind, self.positions, out);
        DataPlan {
            seed,
            player: made.player(self.player.as_deref().unwrap_or(PREVIOUS)),
            nodes: self.nodes.unwrap_or(usual.nodes),
            per_game: self.per_game.unwrap_or(usual.per_game),
            spacing: self.spacing.unwrap_or(usual.spacing),
            random_plies: self.random_plies.unwrap_or(usual.random_plies),
            only_quiet: self.only_quiet.unwrap_or(usual.only_quiet),
            stray: self.stray,
            with_search: self.with_search.unwrap_or(usual.with_search),
            from: self.from.as_ref().map(|word| made.set(word).into()),
            expert: expert.map(|expert| self.expert_plan(expert)),
            hold_out: self.hold_out.unwrap_or(usual.hold_out),
            ..usual
        }
    }

    /// Those who may label; nobody where results are enough.
    pub(super) fn experts(&self) -> Vec<String> {
        let named = self.expert.clone().list();
        let asked = self.expert_eval.is_some()
            || self.expert_nodes.is_some()
            || self.expert_depth.is_some();
        if named.is_empty() && (asked || self.kind != Kind::Selfplay) {
            return vec![ExpertPlan::STOCKFISH.to_owned()];
        }
        named
    }

    /// Those who label, as they are started, and the player of the games.
    pub(super) fn players(&self, made: &Made) -> Vec<String> {
        let mut players = self.experts();
        players.push(made.player(self.player.as_deref().unwrap_or(PREVIOUS)));
        players
    }

    fn expert_plan(&self, player: &str) -> ExpertPlan {
        let ask = match (self.expert_nodes, self.expert_depth, self.expert_eval) {
            (Some(nodes), _, _) => Ask::Nodes { nodes },
            (_, Some(depth), _) => Ask::Depth { depth },
            (_, _, Some(evaluation)) => Ask::Static { evaluation },
            (_, _, None) if self.kind == Kind::Moves => Ask::Nodes { nodes: 20_000 },
            _ => Ask::Static {
                evaluation: Evaluation::Classical,
            },
        };
        let entrant = Entrant::parse(player);
        let is_program = entrant.is_ok_and(|it| matches!(it.kind, Seat::Program { .. }));
        let usual = if is_program && matches!(ask, Ask::Static { .. }) {
            ExpertPlan::STATIC_SCALE
        } else {
            1.0
        };
        ExpertPlan {
            player: player.to_owned(),
            ask,
            scale: self.scale.unwrap_or(usual),
            deadline: ExpertPlan::DEADLINE.max(Duration::from_secs(1)),
        }
    }

    pub(super) fn check(&self, made: &Made) -> Result<(), (&'static str, String)> {
        if self.kind == Kind::Imported {
            let reason = "is quiet, moves or selfplay; an imported set is given as a file";
            return Err(("kind", reason.to_owned()));
        }
        let experts = self.experts();
        for (key, texts) in [
            ("expert", experts.clone()),
            (
                "player",
                vec![made.player(self.player.as_deref().unwrap_or(PREVIOUS))],
            ),
        ] {
            for text in texts {
                Entrant::parse(&text).map_err(|error| (key, error.to_string()))?;
            }
        }
        let plan = self.plan(PathBuf::new(), 1, made, experts.first().map(String::as_str));
        plan.check().map_err(|error| ("", error.to_string()))
    }
}

/// The set of a step, within the folder of its pipeline.
pub(super) fn set_of(settings: &Settings, turn: Turn) -> PathBuf {
    let name = &settings.steps[turn.step].name;
    folder_of(settings, turn).join(format!("{name}.{SUFFIX}"))
}

impl PipelineExecutor<'_> {
    /// The set of a step: read if it is finished, else started or resumed.
    pub(super) fn gather(
        &self,
        settings: &Settings,
        turn: Turn,
        step: &DataSettings,
        made: &Made,
    ) -> Result<Set, Failure> {
        let relative = set_of(settings, turn);
        let path = self.folder.join(&relative);
        let experts = step.experts();
        let expert = first_that_plays(&experts);
        if expert.is_none() && !experts.is_empty() {
            return Err(StepError::NoExpert {
                names: experts.join(", "),
            }
            .into());
        }
        let name = path.file_name().map_or_else(PathBuf::new, PathBuf::from);
        let seed = seed_of(self.seed, turn, 0);
        let plan = step.plan(name, seed, made, expert);
        let options = DataOptions {
            crew: self.options.crew.clone(),
        };
        let folder = folder_of(settings, turn);
        let folder = folder.to_string_lossy();
        self.frame
            .nested::<DataSetCreation>(&folder, plan, seed, &options)?;
        let set = DataSet::read(&path)?;
        let player = made.player(step.player.as_deref().unwrap_or(PREVIOUS));
        Ok(Set {
            file: relative.to_string_lossy().into_owned(),
            kind: set.header.kind.as_str().to_owned(),
            player: Entrant::parse(&player).map_or(player, |it| it.name),
            positions: set.header.positions,
            games: set.header.games,
            hash: set.hash(),
        })
    }
}
