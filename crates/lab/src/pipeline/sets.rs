//! A step that makes a data set, as `mendel data make` does.

use std::path::PathBuf;
use std::time::Duration;

use mendel_arena::{Entrant, Kind as Seat};
use mendel_data::label::{Ask, Evaluation, ExpertPlan};
use mendel_data::make::{DataOptions, DataPlan, DataSetCreation};
use mendel_data::{DataSet, Kind, SUFFIX};
use mendel_store::frame::Failure;

use super::refer::{StepOutputs, folder_of};
use super::{Output, PipelineStep, StepRun};
use crate::proof::first_that_plays;
use crate::recipe::steps::{DataSettings, PREVIOUS, Settings, Turn};
use crate::recipe::{Misfit, check_players, require};
use crate::record::Set;

impl DataSettings {
    /// What the numbers ask for, with what was made before.
    fn plan(&self, out: PathBuf, seed: u64, made: &StepOutputs, expert: Option<&str>) -> DataPlan {
        let usual = DataPlan::usual(self.kind, self.positions, out);
        DataPlan {
            seed,
            player: self.game_player(made),
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

    /// Players that may label, in the order of preference; empty where results are enough.
    fn experts(&self) -> Vec<String> {
        let named = self.expert.list();
        let asked = self.expert_eval.is_some()
            || self.expert_nodes.is_some()
            || self.expert_depth.is_some();
        if named.is_empty() && (asked || self.kind != Kind::Selfplay) {
            return vec![ExpertPlan::STOCKFISH.to_owned()];
        }
        named.to_vec()
    }

    fn game_player(&self, made: &StepOutputs) -> String {
        made.player(self.player.as_deref().unwrap_or(PREVIOUS))
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
}

/// The set of a step, within the folder of its pipeline.
pub(super) fn set_of(settings: &Settings, turn: Turn) -> PathBuf {
    let name = &settings.steps[turn.step].name;
    folder_of(settings, turn).join(format!("{name}.{SUFFIX}"))
}

impl PipelineStep for DataSettings {
    fn check(&self, made: &StepOutputs) -> Result<(), Misfit> {
        let reason = "is quiet, moves or selfplay; an imported set is given as a file";
        require(self.kind != Kind::Imported, "kind", reason)?;
        let experts = self.experts();
        check_players("expert", &experts)?;
        check_players("player", [&self.game_player(made)])?;
        let plan = self.plan(PathBuf::new(), 1, made, experts.first().map(String::as_str));
        plan.check().map_err(|error| ("", error.to_string()))
    }

    /// The experts, as they are started, and the player of the games.
    fn players(&self, made: &StepOutputs) -> Vec<String> {
        let mut players = self.experts();
        players.push(self.game_player(made));
        players
    }

    fn run(&self, step: &StepRun) -> Result<Output, Failure> {
        let relative = set_of(step.settings, step.turn);
        let experts = self.experts();
        let expert = first_that_plays(&experts);
        if expert.is_none() && !experts.is_empty() {
            return Err(Failure::failed(format!(
                "none of the experts could be started: {}; install one, or name another in `expert`",
                experts.join(", ")
            )));
        }
        let name = relative
            .file_name()
            .map_or_else(PathBuf::new, PathBuf::from);
        let seed = step.seed(0);
        let plan = self.plan(name, seed, step.made, expert);
        let options = DataOptions {
            crew: step.options.crew.clone(),
        };
        step.frame
            .nested::<DataSetCreation>(&step.relative(), plan, seed, &options)?;
        let set = DataSet::read(step.pipeline.folder.join(&relative))?;
        let player = self.game_player(step.made);
        Ok(Output::Data(Set {
            file: relative.to_string_lossy().into_owned(),
            kind: set.header.kind.as_str().to_owned(),
            player: Entrant::parse(&player).map_or(player, |it| it.name),
            positions: set.header.positions,
            games: set.header.games,
            hash: set.hash(),
        }))
    }
}
