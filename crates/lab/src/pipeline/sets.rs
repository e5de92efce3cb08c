//! A step that makes a data set, as `mendel data make` does.

use std::path::PathBuf;
use std::time::Duration;

use mendel_arena::{Entrant, Kind as Seat};
use serde::Deserialize;

use super::error::StepError;
use super::record::Set;
use super::refer::{Made, folder_of, seed_of};
use super::settings::{Names, PREVIOUS, Settings, Turn};
use super::{Event, Working};
use crate::data::make::{Ask, Evaluation, ExpertPlan, MakeError, Means, Plan, make};
use crate::data::{DataSet, Kind, SUFFIX};
use crate::proof::first_that_plays;

/// The table `[step.data]`: what `mendel data make` asks for, by the same names.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DataSettings {
    /// `quiet`, `moves` or `selfplay`.
    pub kind: Kind,
    /// How many positions.
    pub positions: u64,
    /// Who plays the games; the player at hand if nothing is said.
    #[serde(default)]
    pub player: Option<String>,
    /// Nodes a move of the games.
    #[serde(default)]
    pub nodes: Option<u64>,
    /// Positions of a game, at most.
    #[serde(default)]
    pub per_game: Option<u32>,
    /// Half-moves between two positions of a game, at least.
    #[serde(default)]
    pub spacing: Option<u32>,
    /// Random half-moves behind the opening, at most.
    #[serde(default)]
    pub random_plies: Option<u32>,
    /// Only positions in which nothing is to be won at once.
    #[serde(default)]
    pub only_quiet: Option<bool>,
    /// Leave the game by one random move and play captures out.
    #[serde(default)]
    pub stray: bool,
    /// Keep the score and the move of the player's own search.
    #[serde(default)]
    pub with_search: Option<bool>,
    /// Positions of this set (a step's, a built-in one or a file) instead of games.
    #[serde(default)]
    pub from: Option<String>,
    /// Who labels: one, or several of whom the first that can be started does.
    #[serde(default)]
    expert: Names,
    /// Its static evaluation.
    #[serde(default)]
    pub expert_eval: Option<Evaluation>,
    /// A search of so many nodes.
    #[serde(default)]
    pub expert_nodes: Option<u64>,
    /// A search to this depth.
    #[serde(default)]
    pub expert_depth: Option<u32>,
    /// Factor for its centipawns.
    #[serde(default)]
    pub scale: Option<f64>,
    /// The share of games that are held out.
    #[serde(default)]
    pub hold_out: Option<f64>,
}

impl DataSettings {
    /// What the numbers ask for, with what was made before.
    pub(super) fn plan(&self, seed: u64, made: &Made, expert: Option<&str>) -> Plan {
        let usual = Plan::usual(self.kind, self.positions);
        Plan {
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

    /// What is wrong with the numbers.
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
        let plan = self.plan(1, made, experts.first().map(String::as_str));
        plan.check().map_err(|error| ("", error.to_string()))
    }
}

/// The set of a step, within the folder of its pipeline.
pub(super) fn set_of(settings: &Settings, turn: Turn) -> PathBuf {
    let name = &settings.steps[turn.step].name;
    folder_of(settings, turn).join(format!("{name}.{SUFFIX}"))
}

impl Working<'_> {
    /// The set of a step: read if it is whole, else begun or gone on with. `None`
    /// if it was stopped.
    pub(super) fn gather(
        &self,
        settings: &Settings,
        turn: Turn,
        step: &DataSettings,
        made: &Made,
        watch: &mut dyn FnMut(Event),
    ) -> Result<Option<Set>, StepError> {
        let relative = set_of(settings, turn);
        let path = self.folder.join(&relative);
        let unfinished = path.with_extension(format!("{SUFFIX}.work"));
        if !path.is_file() || unfinished.exists() {
            let experts = step.experts();
            let expert = first_that_plays(&experts);
            if expert.is_none() && !experts.is_empty() {
                return Err(StepError::NoExpert {
                    names: experts.join(", "),
                });
            }
            let plan = step.plan(seed_of(self.seed, turn, 0), made, expert);
            self.make_folder(&folder_of(settings, turn))?;
            let means = Means {
                threads: self.work.threads,
                crew: self.work.crew.clone(),
                resume: true,
                stop: self.work.stop.clone(),
            };
            match make(&plan, &path, &means, &mut |it| watch(Event::Gathering(it))) {
                Err(MakeError::Stopped) => return Ok(None),
                made => made?,
            };
        }
        let set = DataSet::read(&path)?;
        let player = made.player(step.player.as_deref().unwrap_or(PREVIOUS));
        Ok(Some(Set {
            file: relative.to_string_lossy().into_owned(),
            kind: set.header.kind.as_str().to_owned(),
            player: Entrant::parse(&player).map_or(player, |it| it.name),
            positions: set.header.positions,
            games: set.header.games,
            hash: set.hash(),
        }))
    }
}
